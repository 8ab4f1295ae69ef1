"""The fields from which the box's calibration is fitted."""

from __future__ import annotations

import pytest

from hpd.evaluation.confidence_fit import Judged
from hpd.results import Extraction, FieldResult
from hpd.schema import load_schema
from recipe.calibrate import (
    Field,
    as_given,
    cross_fitted_fields,
    documents,
    judge,
    judged_fields,
    null_thresholds,
    report,
)
from recipe.write import SOURCES
from small_model import small_model


def test_each_field_is_held_against_its_own_gold() -> None:
    schema = load_schema("brand, maker {city}, lines [{name, qty int}], tags [str], new bool")
    answer = {
        "brand": "Luma",
        "maker": {"city": None},
        "lines": [{"name": "tea", "qty": 2}],
        "tags": None,
        "new": None,
    }
    fields = {
        "brand": FieldResult(0.9, raw=' "Luma"', value="Luma"),
        "maker.city": FieldResult(0.8, raw=" null"),
        "lines": FieldResult(0.7, raw=" 2", value=2),
        "lines[0].name": FieldResult(0.6, raw=' "tea"', value="tea"),
        "lines[0].qty": FieldResult(0.5, raw=" 3", value=3),
        "lines[1].name": FieldResult(0.4, raw=' "pot"', value="pot"),
        "lines[1].qty": FieldResult(0.3, raw=" null"),
        "tags": FieldResult(0.2, raw=" null"),
        "new": FieldResult(0.25, raw=" true", value=True),
        "other": FieldResult(0.1, raw=" null"),
    }
    for text, suffix in (("a title", " of a short text"), ("a letter " * 100, "")):
        judged = [*judged_fields("k", schema, text, Extraction(fields=fields), answer)]
        assert [
            (f.answer.kind, f.answer.confidence, f.answer.is_null, f.answer.is_right, f.is_stated)
            for f in judged
        ] == [
            ("string" + suffix, 0.9, False, True, True),
            ("string" + suffix, 0.8, True, True, False),
            ("count" + suffix, 0.7, False, False, True),
            ("string" + suffix, 0.6, False, True, True),
            ("integer" + suffix, 0.5, False, False, True),
            ("string" + suffix, 0.4, False, False, False),
            ("integer" + suffix, 0.3, True, True, False),
            ("count" + suffix, 0.2, True, True, True),
            ("boolean" + suffix, 0.25, False, False, False),
        ]
        # What null has where it is only counted beside the best value.
        assert [(f.left_null.confidence, f.left_null.is_right) for f in judged if f.left_null] == [
            (0.5, False),
            (0.75, True),
        ]


def test_half_of_the_documents_are_handwritten_and_all_sources_take_part() -> None:
    names = [name for name, *_ in documents(120, 1)]
    assert sum(name.startswith("generated ") for name in names) == 60
    assert {*names} >= {f"generated {name}" for name in SOURCES if name != "documents"}
    assert len({*names}) > 15
    assert names == [name for name, *_ in documents(120, 1)]


def test_the_fields_of_a_few_documents_are_judged_and_reported(
    capsys: pytest.CaptureFixture[str],
) -> None:
    before = judge(small_model(), 4, 1)
    assert len({field.answer.document for field in before}) > 1
    assert all(0 <= field.answer.confidence <= 1 for field in before)
    after = cross_fitted_fields(before)
    thresholds = null_thresholds(after)
    assert all(0 <= threshold < 1 for threshold in thresholds.values())
    report(list(as_given(before, after, thresholds)))
    assert "values of all types" in capsys.readouterr().out


def test_short_texts_and_others_have_a_threshold_each() -> None:
    short, other = "string of a short text", "string"
    fields = [
        *(Field(Judged(n, short, 0.5, False, n % 4 > 0), None, True) for n in range(1000)),
        *(Field(Judged(n, short, 0.3, False, n % 9 == 0), None, True) for n in range(1000)),
        *(Field(Judged(n, "count", 0.4, False, False), None, False) for n in range(900)),
        *(Field(Judged(n, other, 0.3, False, n % 20 == 0), None, n < 100) for n in range(1000)),
    ]
    thresholds = null_thresholds(fields)
    assert 0.3 < thresholds[True] <= 0.5
    assert thresholds[False] <= 0.3


def test_below_its_threshold_a_decided_value_is_given_as_null() -> None:
    value = Judged(1, "enum", 0.2, False, False)
    null = Judged(1, "enum", 0.8, True, True)
    fields = [Field(value, null, False), Field(value, None, False)]
    below, above = ({True: 0.0, False: threshold} for threshold in (0.3, 0.1))
    assert [one for one, _ in as_given(fields, fields, below)] == [null, value]
    assert [one for one, _ in as_given(fields, fields, above)] == [value, value]
