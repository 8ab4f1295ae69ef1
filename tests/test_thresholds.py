"""Values that are less likely than a threshold are null, or an error where they are required."""

import pytest

from hpd.pipeline.document_values import UNTRAINED_NULL_THRESHOLD
from shop import EXACT, TEXTS
from small_extractor import SmallExtractor as Extractor

SCHEMA = "name, new bool, color [red|black|blue], size [1|2|12]"


def extracted(model, schema=SCHEMA, **settings):
    with Extractor(schema, model, max_tokens=12, **EXACT, **settings) as extractor:
        return list(extractor.extract_many(TEXTS))


def test_a_value_as_likely_as_the_threshold_is_kept(model):
    free = extracted(model)[0].fields["name"]
    held = extracted(model, null_threshold=free.confidence)[0].fields["name"]
    assert held.value == free.value is not None


@pytest.mark.parametrize("method", ["hpd", "ar"])
def test_a_value_that_is_less_likely_is_null_and_its_text_is_kept(model, method):
    n_null = 0
    pairs = zip(
        extracted(model, method=method),
        extracted(model, method=method, null_threshold=0.6),
        strict=True,
    )
    for before, after in pairs:
        for name, kept in before.fields.items():
            field = after.fields[name]
            if kept.value is not None and kept.confidence < 0.6:
                assert (field.value, field.raw, field.nulled) == (None, kept.raw, True)
                n_null += 1
            else:
                assert field.value == kept.value
    assert n_null


def test_a_required_value_that_is_too_unlikely_is_an_error(tiny_model):
    schema = "new bool!, size [1|2|12]!"
    found = extracted(
        tiny_model("qwen3", seed=1), schema, null_threshold=0.99, on_invalid="record"
    )  # fmt: skip
    errors = [x.fields[name].error for x in found for name in ("new", "size")]
    assert any(error and error.startswith("required, but less likely") for error in errors)


@pytest.mark.parametrize("method", ["hpd", "ar"])
def test_an_untrained_model_has_a_threshold_for_optional_values(model, method):
    n_null = 0
    free = extracted(model, method=method, null_threshold=0.0)
    for before, after in zip(
        free, extracted(model, method=method, null_threshold=None), strict=True
    ):
        for name, kept in before.fields.items():
            if kept.value is not None and kept.confidence < UNTRAINED_NULL_THRESHOLD:
                field = after.fields[name]
                assert (field.value, field.raw) == (None, kept.raw)
                assert field.reason == f"less likely than {UNTRAINED_NULL_THRESHOLD:g}"
                n_null += 1
            else:
                assert after.fields[name].value == kept.value
    assert n_null


def test_no_calibration_is_no_threshold(model):
    free = [each.data for each in extracted(model, null_threshold=0.0)]
    assert [each.data for each in extracted(model, calibration="none", null_threshold=None)] == free
    assert [each.data for each in extracted(model, null_threshold=None)] != free


def test_a_required_value_has_no_threshold_unless_asked(model):
    free = extracted(model, "name!", null_threshold=0.0, on_invalid="record")
    own = extracted(model, "name!", null_threshold=None, on_invalid="record")
    assert [each.fields["name"].raw for each in own] == [each.fields["name"].raw for each in free]
    assert [each.data for each in own] == [each.data for each in free]
