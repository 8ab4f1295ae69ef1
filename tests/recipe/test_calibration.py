"""The fields from which the box's calibration is fitted."""

from __future__ import annotations

import pytest

from hpd.confidence import Judged, cross_fitted
from hpd.machine.model_files import box_model
from hpd.results import Extraction, FieldResult
from hpd.schema import load_schema
from recipe.calibrate import documents, judge, judged_fields, null_threshold, report


def test_each_field_is_held_against_its_own_gold() -> None:
    schema = load_schema("brand, maker {city}, lines [{name, qty int}], tags [str]")
    answer = {
        "brand": "Luma",
        "maker": {"city": None},
        "lines": [{"name": "tea", "qty": 2}],
        "tags": None,
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
        "other": FieldResult(0.1, raw=" null"),
    }
    judged = judged_fields("k", schema, Extraction(fields=fields), answer)
    assert [(j.kind, j.confidence, j.is_null, j.is_right, stated) for j, stated in judged] == [
        ("string", 0.9, False, True, True),
        ("string", 0.8, True, True, False),
        ("count", 0.7, False, False, True),
        ("string", 0.6, False, True, True),
        ("integer", 0.5, False, False, True),
        ("string", 0.4, False, False, False),
        ("integer", 0.3, True, True, False),
        ("count", 0.2, True, True, True),
    ]


def test_half_of_the_documents_are_listings_and_all_kinds_take_part() -> None:
    names = [name for name, *_ in documents(120, 1)]
    assert sum(name.startswith("listings") for name in names) == 60
    assert len({*names}) > 15
    assert names == [name for name, *_ in documents(120, 1)]


def test_the_fields_of_a_few_documents_are_judged_and_reported(
    capsys: pytest.CaptureFixture[str],
) -> None:
    judged, stated = zip(*judge(box_model(), 4, 1), strict=True)
    assert len({answer.document for answer in judged}) > 1
    assert all(0 <= answer.confidence <= 1 for answer in judged)
    after = cross_fitted(judged)
    report(judged, after)
    assert "values of all types" in capsys.readouterr().out
    assert 0 <= null_threshold(after, stated) < 1


def test_listings_and_other_documents_decide_together_from_where_on_null_is_better() -> None:
    listings = [Judged("listings 1", "string", 0.5, False, n % 4 > 0) for n in range(30)]
    counts = [Judged("listings 1", "count", 0.4, False, False)] * 900
    others = [Judged("emails", "string", 0.3, False, n % 20 == 0) for n in range(1000)]
    stated = [*[True] * 30, *[False] * 900, *[n < 100 for n in range(1000)]]
    assert null_threshold([*listings, *counts, *others], stated) <= 0.3
