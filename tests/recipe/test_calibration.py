"""The fields from which the box's calibration is fitted."""

from hpd.results import Extraction, FieldValue
from hpd.schema import load_schema
from recipe.calibrate import cross_fitted_fields, documents, judge, judged_fields, report
from recipe.write import SOURCES
from small_model import small_model


def test_each_field_is_held_against_its_own_gold():
    schema = load_schema("brand, maker {city}, lines [{name, qty int}], tags [str], new bool")
    answer = {
        "brand": "Luma",
        "maker": {"city": None},
        "lines": [{"name": "tea", "qty": 2}],
        "tags": None,
        "new": None,
    }
    fields = {
        "brand": FieldValue(0.9, raw=' "Luma"', value="Luma"),
        "maker.city": FieldValue(0.8, raw=" null"),
        "lines": FieldValue(0.7, raw=" 2", value=2),
        "lines[0].name": FieldValue(0.6, raw=' "tea"', value="tea"),
        "lines[0].qty": FieldValue(0.5, raw=" 3", value=3),
        "lines[1].name": FieldValue(0.4, raw=' "pot"', value="pot"),
        "lines[1].qty": FieldValue(0.3, raw=" null"),
        "tags": FieldValue(0.2, raw=" null"),
        "new": FieldValue(0.25, raw=" true", value=True),
        "other": FieldValue(0.1, raw=" null"),
    }
    for text, suffix in (("a title", " of a short text"), ("a letter " * 100, "")):
        judged = [*judged_fields("k", schema, text, Extraction(fields=fields), answer)]
        assert [
            (f.answer.kind, f.answer.confidence, f.answer.is_null, f.answer.is_right)
            for f in judged
        ] == [
            ("string" + suffix, 0.9, False, True),
            ("string" + suffix, 0.8, True, True),
            ("count" + suffix, 0.7, False, False),
            ("string" + suffix, 0.6, False, True),
            ("integer" + suffix, 0.5, False, False),
            ("string" + suffix, 0.4, False, False),
            ("integer" + suffix, 0.3, True, True),
            ("count" + suffix, 0.2, True, True),
            ("boolean" + suffix, 0.25, False, False),
        ]
        # What null has where it is only counted beside the best value.
        assert [(f.left_null.confidence, f.left_null.is_right) for f in judged if f.left_null] == [
            (0.5, False),
            (0.75, True),
        ]


def test_half_of_the_documents_are_handwritten_and_all_sources_take_part():
    names = [name for name, *_ in documents(120, 1)]
    assert sum(name.startswith("generated ") for name in names) == 60
    assert {*names} >= {f"generated {name}" for name in SOURCES if name != "documents"}
    assert len({*names}) > 15
    assert names == [name for name, *_ in documents(120, 1)]


def test_the_fields_of_a_few_documents_are_judged_and_reported(capsys):
    before = judge(small_model(), 4, 1)
    assert len({field.answer.document for field in before}) > 1
    assert all(0 <= field.answer.confidence <= 1 for field in before)
    after = cross_fitted_fields(before)
    report([(one.answer, two.answer) for one, two in zip(before, after, strict=True)])
    assert "values of all types" in capsys.readouterr().out
