"""The values of an extraction, flat."""

import pytest

from hpd.show.shown_values import ShownValue, shown_values


def test_nested_data_is_shown_leaf_by_leaf():
    data = {
        "maker": {"name": "Bosch", "city": None},
        "lines": [{"qty": 2}, {"qty": 3}],
        "tags": [],
        "new": True,
        "price": 2.5,
    }
    fields = {
        "maker.name": {"confidence": 0.9, "start": 3, "end": 8, "match": "exact"},
        "lines": {"confidence": 0.8},
        "lines[1].qty": {"confidence": 0.7, "match": "none", "truncated": True},
    }
    assert shown_values(data, fields) == [
        ShownValue("maker.name", "maker", "Bosch", 0.9, ((3, 8),), "exact"),
        ShownValue("maker.city", "maker", None),
        ShownValue("lines[0].qty", "lines", "2", is_json=True),
        ShownValue("lines[1].qty", "lines", "3", 0.7, match="none", truncated=True, is_json=True),
        ShownValue("tags", "tags", None),
        ShownValue("new", "new", "true", is_json=True),
        ShownValue("price", "price", "2.5", is_json=True),
    ]


def test_a_failed_field_is_shown_though_the_data_lacks_it():
    data = {"lines": [{"qty": 1}], "a.b": None, "a": 1}
    fields = {
        "lines": {"error": "at least 2 items are needed, not 1"},
        "a.b.c": {"error": "no number", "raw": "seven"},
        "gone[0]": {"error": "no date"},
        "lines[0].qty": {"confidence": 1.0},
    }
    shown = shown_values(data, fields)
    assert [(value.path, value.attribute, value.error) for value in shown] == [
        ("lines[0].qty", "lines", None),
        ("a.b", "a.b", None),
        ("a", "a", None),
        ("lines", "lines", "at least 2 items are needed, not 1"),
        ("a.b.c", "a.b", "no number"),
        ("gone[0]", "gone", "no date"),
    ]
    assert shown[4].raw == "seven"


@pytest.mark.parametrize(
    "field",
    [{"start": 5, "end": 5}, {"start": -1, "end": 3}, {"start": 3}, {"start": "0", "end": "3"}],
)
def test_a_span_that_is_none_is_left_out(field):
    assert shown_values({"a": "red"}, {"a": field})[0].spans == ()


@pytest.mark.parametrize("confidence", [float("nan"), -0.1, 1.1, True, "0.5", None])
def test_a_confidence_that_is_no_probability_is_left_out(confidence):
    assert shown_values({"a": "red"}, {"a": {"confidence": confidence}})[0].confidence is None


def test_a_value_is_ungrounded_only_where_it_was_searched_for():
    fields = {"a": {"match": "none"}, "b": {"match": "none"}, "c": {"match": "exact"}}
    shown = shown_values({"a": "x", "b": None, "c": "x", "d": "x"}, fields)
    assert [value.is_ungrounded for value in shown] == [True, False, False, False]
