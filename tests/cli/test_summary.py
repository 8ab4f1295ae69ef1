"""What is said at the end of a run."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from fake_extractor import FakeExtractor
from hpd.cli import main
from hpd.cli.writing import Summary
from hpd.results import Extraction, FieldResult
from jsonl import write_texts


def test_the_input_and_the_schema_are_needed(
    capfd: pytest.CaptureFixture[str],
) -> None:
    assert main(["extract"]) == 2
    assert "required: INPUT, --schema" in capfd.readouterr().err


def test_the_summary_counts_nulls_and_near_ties() -> None:
    summary = Summary()
    sure, tie, null = FieldResult(value="x"), FieldResult(value="y", margin=0.01), FieldResult()
    summary.add_values(Extraction("1", {}, {"a": sure, "b": tie, "c": null, "d": sure}))
    summary.add_line(None)
    says = "1 document, 25% null"
    assert summary.text(n_kept=0, n_failed_kept=0) == says
    unsure, refused = FieldResult(raw=' "x"'), FieldResult(raw=' "x"', error="no number")
    summary.add_values(Extraction("2", {}, dict.fromkeys("abc", unsure)))
    said = "57% null; 3 of them rejected as low-confidence"
    assert f"{said} (text kept in `raw`)" in summary.text(n_kept=0, n_failed_kept=0)
    summary.add_values(Extraction("3", {}, {"d": refused}))
    said = "62% null; 3 of them rejected as low-confidence and 1 of them rejected as not valid"
    assert f"{said} (text kept in `raw`)" in summary.text(n_kept=0, n_failed_kept=0)


def test_every_run_ends_with_a_summary(
    tmp_path: Path, fake: list[FakeExtractor], capfd: pytest.CaptureFixture[str]
) -> None:
    source, out = write_texts(tmp_path / "in.jsonl", "a", "too long", "b"), tmp_path / "out"
    command = ["extract", str(source), "--schema", "brand"]
    says = r"hpd: 3 documents, \S+ a second, 1 failed \(ContextOverflowError\): 9 tokens over"
    assert main(command) == 3
    assert re.fullmatch(rf"{says}\n", capfd.readouterr().err)
    assert main([*command, "--quiet"]) == 3
    assert capfd.readouterr().err == ""
    assert main([*command, "-o", str(out)]) == 3
    assert re.fullmatch(rf"{says}\n", capfd.readouterr().err)
    assert main([*command, "-o", str(out), "--resume", "--keep-errors"]) == 3
    assert capfd.readouterr().err == (
        "hpd: 0 documents (3 more were done before), 1 had failed before\n"
    )
