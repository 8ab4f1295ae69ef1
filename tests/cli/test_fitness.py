"""The line that tells that documents are nothing for the model in the box."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from hpd.cli import main
from hpd.cli.fitness import Fitness
from hpd.models.model_files import box_model
from hpd.results import Extraction, Failure, FieldResult, Usage
from jsonl import write_texts

TITLES = (
    "Luma tea light, white, 12 pack",
    "Nordvik wool sweater, dark green, size M",
    "Tavola frying pan, steel, 28 cm",
)
STRANGE = (
    "O järvi, joka unohtaa nimeni, kun lumi sataa hiljaa veden yli ja lintu vaikenee.",
    "for (size_t i = 0; i < n; ++i) { total += weights[i] * std::exp(row[i] - top); }",
    "Kto pamięta zimę, ten wie, że śnieg milczy głośniej niż dzwony nad rzeką.",
)


def said_of(*confidences: float, **more: object) -> list[str]:
    fitness = Fitness()
    fields = {str(n): FieldResult(c) for n, c in enumerate(confidences)}
    fitness.add(Extraction(fields=fields, **more))  # type: ignore[arg-type]
    return [*fitness.notices()]


def test_the_mean_is_that_of_the_models_own_confidence() -> None:
    fitness = Fitness()
    fitness.add(Extraction(fields={"a": FieldResult(0.5), "b": FieldResult(0.9, uncalibrated=0.5)}))
    assert fitness.mean is None  # too few
    fitness.add(Extraction(fields={"a": FieldResult(0.5), "b": FieldResult()}))
    assert fitness.mean == pytest.approx(0.5)


def test_low_confidence_and_length_are_told_in_one_line() -> None:
    assert said_of(0.9, 0.8, 0.7) == []
    (line,) = said_of(0.3, 0.4, 0.5)
    assert "not made for such documents (its mean confidence is 0.39)" in line
    assert line.endswith("-m names another model")
    # One that is ruled out decides nothing.
    assert said_of(*[0.99] * 20, 1e-12) == []
    for more in (
        {"truncated_at": 7},
        {"usage": Usage(n_chunks=2)},
        {"error": Failure("ContextOverflowError", "too long")},
    ):
        (line,) = said_of(0.9, 0.9, 0.9, **more)
        assert "1 document is longer than it was trained for" in line
    (line,) = said_of(0.1, 0.1, 0.1, truncated_at=7)
    assert "longer than it was trained for, and it was probably not" in line


@pytest.mark.parametrize(("texts", "is_told"), [(TITLES, False), (STRANGE, True)])
def test_the_command_tells_it_of_the_model_in_the_box(
    texts: tuple[str, ...], is_told: bool, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    source = write_texts(tmp_path / "in.jsonl", *texts)
    command = ["extract", str(source), "--schema", "brand, color, material, size"]
    assert main(command) == 0
    assert ("the model in the box:" in capfd.readouterr().err) == is_told
    assert main([*command, "--quiet"]) == 0
    assert capfd.readouterr().err == ""
    other = shutil.copy(box_model(), tmp_path / "other.gguf")
    assert main([*command, "-m", str(other)]) == 0
    assert "the model in the box" not in capfd.readouterr().err
