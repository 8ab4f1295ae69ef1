"""The fields from which the box's calibration is fitted."""

from hpd.evaluation.calibration_documents import GoldDocument, scored_fields
from hpd.evaluation.confidence_fit import cross_validate
from hpd.results import Extraction, FieldValue
from hpd.schema import load_schema
from recipe.calibrate import gold_documents, judge, report
from recipe.handwritten import kept_aside
from small_model import small_model


def test_each_field_is_held_against_its_own_gold():
    schema = load_schema(
        "brand, maker {city}, lines [{name, qty int}], tags [str], codes [str], new bool"
    )
    answer = {
        "brand": "Luma",
        "maker": {"city": None},
        "lines": [{"name": "tea", "qty": 2}],
        "tags": None,
        "codes": ["A1", "B2"],
        "new": None,
    }
    fields = {
        "brand": FieldValue(0.9, raw=' "Luma"', value="Luma"),
        "maker.city": FieldValue(0.8, raw=" null"),
        "lines": FieldValue(0.7, raw=" 2", value=[{"name": "tea", "qty": 3}, {"name": "pot"}]),
        "lines[0].name": FieldValue(0.6, raw=' "tea"', value="tea"),
        "lines[0].qty": FieldValue(0.5, raw=" 3", value=3),
        "lines[1].name": FieldValue(0.4, raw=' "pot"', value="pot"),
        "lines[1].qty": FieldValue(0.3, raw=" null"),
        "tags": FieldValue(0.2, raw=" null"),
        "codes": FieldValue(0.35, raw=" 2", value=["A1", "B3"]),
        "new": FieldValue(0.25, raw=" true", value=True),
        "other": FieldValue(0.1, raw=" null"),
    }
    judged = scored_fields(GoldDocument("k", "a letter", schema, answer), Extraction(fields=fields))
    assert [(f.kind, f.confidence, f.is_null, f.is_right) for f in judged] == [
        ("string", 0.9, False, True),
        ("string", 0.8, True, True),
        ("count", 0.7, False, False),
        ("string in a list", 0.6, False, True),
        ("integer in a list", 0.5, False, False),
        ("string in a list", 0.4, False, False),
        ("integer in a list", 0.3, True, True),
        ("count", 0.2, True, True),
        ("count", 0.35, False, True),
        ("boolean", 0.25, False, False),
    ]


def test_the_fields_of_a_few_documents_are_judged_and_reported(capsys):
    before = judge(small_model(), gold_documents(kept_aside()[::200]))
    assert len({field.document for field in before}) > 2
    assert all(0 <= field.confidence <= 1 for field in before)
    report(list(zip(before, cross_validate(before), strict=True)))
    assert "values of all types" in capsys.readouterr().out
