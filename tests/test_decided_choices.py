"""Choices that are decided, also where the model would rather say null."""

import shutil

import pytest

from hpd.values.confidence import METADATA_KEY
from hpd.values.grammar import DECIDE_KEY
from shop import EXACT, TEXTS
from small_extractor import SmallExtractor as Extractor

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
def sure_model(tiny_model):
    """One that makes some of the choices itself, and rules out none that must be made."""
    return tiny_model("qwen3", seed=1)


def extracted(model, **settings):
    with Extractor(SCHEMA, model, max_tokens=12, **EXACT, **settings) as extractor:
        return list(extractor.extract_many(TEXTS))


def test_a_value_as_likely_as_the_threshold_is_kept(model):
    free = extracted(model)[0].fields["name"]
    held = extracted(model, null_threshold=free.confidence)[0].fields["name"]
    assert held.value == free.value is not None


@pytest.mark.parametrize("method", METHODS)
def test_null_counts_but_the_best_choice_is_taken(model, method):
    free = extracted(model, method=method)
    held = extracted(model, method=method, decide=True)
    n_decided = 0
    for one, other in zip(free, held, strict=True):
        for name in CHOICES:
            before, after = one.fields[name], other.fields[name]
            assert after.value is not None
            if before.value is None and not before.nulled:
                n_decided += 1
                # Null was likelier, and it still counts.
                assert after.confidence <= 0.5
                if method == "ar":
                    break  # The next one comes after another text.
    assert n_decided


def test_a_choice_that_the_model_makes_itself_is_as_it_was(sure_model):
    n_same = 0
    pairs = zip(extracted(sure_model), extracted(sure_model, decide=True), strict=True)
    for one, other in pairs:
        for name in ("name", "only", *CHOICES):
            before, after = one.fields[name], other.fields[name]
            if name not in CHOICES or before.value is not None:
                assert (after.value, after.raw) == (before.value, before.raw)
                assert after.confidence == pytest.approx(before.confidence, rel=1e-3)
                n_same += name in CHOICES
    assert n_same


@pytest.mark.parametrize("method", METHODS)
def test_a_choice_that_is_too_unlikely_is_null(model, method):
    settings = {"method": method, "decide": True}
    every = extracted(model, **settings)
    n_null = n_kept = n_raw = 0
    for before, after in zip(every, extracted(model, null_threshold=0.6, **settings), strict=True):
        for name in CHOICES:
            kept, field = before.fields[name], after.fields[name]
            if kept.confidence >= 0.6:
                assert field.value == kept.value
                assert field.confidence == pytest.approx(kept.confidence, rel=1e-3)
                n_kept += 1
            elif kept.confidence > 0.5:
                assert (field.value, field.raw, field.nulled) == (None, kept.raw, True)
                n_raw += 1
            else:  # The model rather says null, with what the choice leaves to it.
                assert (field.value, field.raw, field.nulled) == (None, "null", False)
                assert field.confidence == pytest.approx(1 - kept.confidence, rel=1e-3)
                n_null += 1
    assert n_null
    assert n_kept + n_raw


def test_a_required_choice_that_is_too_unlikely_is_an_error(sure_model):
    schema = {**SCHEMA, "required": ["new", "size"]}
    settings = {"null_threshold": 0.99, "decide": True, "on_invalid": "record"}
    with Extractor(schema, sure_model, max_tokens=12, **EXACT, **settings) as extractor:
        found = list(extractor.extract_many(TEXTS))
    errors = [x.fields[name].error for x in found for name in ("new", "size")]
    assert any(error and error.startswith("required, but less likely") for error in errors)


def test_the_file_of_a_model_can_ask_for_it_with_its_calibration(model, tmp_path):
    pytest.importorskip("gguf")
    from hpd.training.weights import set_metadata

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


def test_a_kept_value_is_not_taken_for_a_decided_one(model, tmp_path):
    fresh = [each.data for each in extracted(model, decide=True)]
    cached = {"cache": str(tmp_path / "cache")}
    extracted(model, **cached)
    assert [each.data for each in extracted(model, decide=True, **cached)] == fresh
