"""Choices that are decided, also where the model would rather say null."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from hpd import Extraction
from hpd.confidence import METADATA_KEY
from hpd.grammar import DECIDE_KEY
from shop import EXACT, TEXTS
from small_extractor import SmallExtractor as Extractor
from tiny_models import TinyModel

SCHEMA = {
    "type": "object",
    "properties": {
        "name": {"type": "string"},
        "new": {"type": "boolean"},
        "color": {"enum": ["red", "black", "blue"]},
        "size": {"enum": [1, 2, 12]},
        "only": {"enum": ["one"]},
    },
}
CHOICES = ("new", "color", "size")
METHODS = ["hpd", "ar"]
NOTHING = '{"form":1,"null_threshold":0,"values":{},"nulls":{}}'


@pytest.fixture(scope="module")
def model(tiny_model: TinyModel) -> Path:
    return tiny_model("qwen3")


def extracted(model: Path, **settings: Any) -> list[Extraction[Any]]:
    with Extractor(SCHEMA, model, max_tokens=12, **EXACT, **settings) as extractor:
        return list(extractor.extract_many(TEXTS))


@pytest.mark.parametrize("method", METHODS)
def test_null_counts_but_the_best_choice_is_taken(model: Path, method: str) -> None:
    free = extracted(model, method=method)
    held = extracted(model, method=method, decide=True)
    n_decided = 0
    for one, other in zip(free, held, strict=True):
        for name in CHOICES:
            before, after = one.fields[name], other.fields[name]
            assert after.value is not None or after.nulled
            if before.value is None and not before.nulled:
                n_decided += 1
                # Null was likelier, and it still counts.
                assert after.confidence is not None and after.confidence <= 0.5
    assert n_decided


def test_a_choice_that_the_model_makes_itself_is_as_it_was(model: Path) -> None:
    n_same = 0
    for one, other in zip(extracted(model), extracted(model, decide=True), strict=True):
        for name in ("name", "only", *CHOICES):
            before, after = one.fields[name], other.fields[name]
            if name not in CHOICES or before.value is not None:
                assert (after.value, after.raw) == (before.value, before.raw)
                assert after.confidence == pytest.approx(before.confidence, rel=1e-3)
                n_same += name in CHOICES
    assert n_same


@pytest.mark.outcome(
    "data",
    "`--decide`, and the best choice is less likely than the null threshold says",
    "null, with the choice in `raw`; an error of the document if the value is required",
)
@pytest.mark.parametrize("method", METHODS)
def test_a_choice_that_is_too_unlikely_is_null(model: Path, method: str) -> None:
    settings = {"method": method, "decide": True, "on_invalid": "record"}
    every = extracted(model, **settings)
    likely = sorted(
        field.confidence or 0.0
        for extraction in every
        for name, field in extraction.fields.items()
        if name in CHOICES and not field.nulled
    )
    threshold = likely[len(likely) // 2]
    n_null = 0
    for extraction in extracted(model, null_threshold=threshold, **settings):
        for name in CHOICES:
            field = extraction.fields[name]
            assert field.confidence is not None
            if field.confidence < threshold:
                assert field.value is None and field.raw.strip() != "null"
                n_null += 1
    assert n_null


def test_the_file_of_a_model_can_ask_for_it_with_its_calibration(
    model: Path, tmp_path: Path
) -> None:
    pytest.importorskip("gguf")
    from hpd.training.conversion.metadata import set_metadata

    own = tmp_path / "own.gguf"
    shutil.copy(model, own)
    set_metadata(own, DECIDE_KEY, "on")
    set_metadata(own, METADATA_KEY, NOTHING)
    answers = {
        name: [each.data for each in extracted(path, **settings)]
        for name, path, settings in (
            ("free", model, {}),
            ("decided", model, {"decide": True}),
            ("own", own, {}),
            ("own, free", own, {"decide": False}),
            ("own, uncalibrated", own, {"calibration": "none"}),
        )
    }
    assert answers["own"] == answers["decided"] != answers["free"]
    assert answers["own, free"] == answers["own, uncalibrated"] == answers["free"]


def test_a_kept_value_is_not_taken_for_a_decided_one(model: Path, tmp_path: Path) -> None:
    fresh = [each.data for each in extracted(model, decide=True)]
    cached = {"cache": str(tmp_path / "cache")}
    extracted(model, **cached)
    assert [each.data for each in extracted(model, decide=True, **cached)] == fresh
