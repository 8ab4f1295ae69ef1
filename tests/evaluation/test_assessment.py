"""The agreement of two files, and what a file cost."""

import json

import pytest

from hpd.evaluation.assessment import Agreement, agreement, field_pairs, throughput
from hpd.evaluation.json_form import json_text, to_plain
from hpd.evaluation.rows import Example, Prediction

GOLD = [
    Example("1", "a red Nike", "Shoes", {"Brand": ["Nike"], "Color": ["red", "crimson"]}, 4),
    Example("2", "", "Shoes", {"Brand": None}, 5),
]
FIRST = [{"Brand": "Nike", "Color": "Red", "x": 1}, {"Brand": None}]
SECOND = [{"Brand": "Nike", "Color": "red "}, None]


def test_fields_are_those_of_the_category():
    pairs = list(field_pairs(GOLD, FIRST, SECOND))
    assert [(pair.example.id, pair.attribute) for pair in pairs] == [
        ("1", "Brand"), ("1", "Color"), ("2", "Brand"), ("2", "Color"),
    ]  # fmt: skip
    assert agreement(pairs) == Agreement(4, 3, 4, 75.0, 100.0, 2, 1, 2, 50.0, 100.0)


def test_a_disagreement_says_all_that_is_needed_to_judge_it():
    (pair,) = [pair for pair in field_pairs(GOLD, FIRST, SECOND) if not pair.is_same]
    assert to_plain(pair) == {
        "id": "1", "line": 4, "category": "Shoes", "attribute": "Color",
        "first": "Red", "second": "red ", "gold": ["red", "crimson"],
        "first_outcome": "vw", "second_outcome": "vw", "same_normalized": True,
        "text": "a red Nike",
    }  # fmt: skip


def test_named_attributes():
    pairs = field_pairs(GOLD, FIRST, SECOND, {"Shoes": ["Brand", "Heel"]})
    assert [pair.attribute for pair in pairs] == ["Brand", "Color", "Heel", "Brand", "Heel"]


def test_without_gold_the_fields_are_what_either_file_names():
    rows = [Example("1", "", "", {}, 1), Example("2", "", "", {}, 2)]
    pairs = list(field_pairs(rows, FIRST, SECOND))
    assert [(pair.attribute, pair.is_same) for pair in pairs] == [
        ("Brand", True), ("Color", False), ("x", False), ("Brand", True),
    ]  # fmt: skip
    assert pairs[1].outcomes is None
    assert "gold" not in to_plain(pairs[1])


def test_what_counts_as_the_same():
    row = [Example("1", "", "", {}, 1)]
    for one, two, same in (
        (["a", "b"], ["b", "a"], True),
        (["a"], "a", True),
        (["a", "a"], "a", False),
        ("n/a", None, True),
        ("", None, False),
        (1, "1", True),
    ):
        (pair,) = field_pairs(row, [{"v": one}], [{"v": two}])
        assert pair.is_same == same, (one, two)


def test_empty_files_agree():
    assert agreement([]).same == 100.0


def line(**usage):
    return Prediction("1", {}, raw={"usage": usage} if usage else {})


LINES = [
    line(prompt_tokens=100, cached_tokens=60, completion_tokens=8, steps=4, seconds=0.5),
    line(prompt_tokens=50, completion_tokens=4, steps=2, seconds=0.3),
    line(),
]


def test_by_the_lines_own_times_it_is_a_bound():
    cost = throughput(LINES, price_per_hour=3.6)
    assert cost.is_bound
    assert cost.n_documents == 2
    assert (cost.prompt_tokens, cost.cached_tokens) == (150, 60)
    assert (cost.completion_tokens, cost.steps) == (12, 6)
    assert cost.documents_per_second == pytest.approx(2 / 0.8)
    # A tenth of a cent a second, and 0.4 seconds a document.
    assert cost.dollars_per_1000 == pytest.approx(0.4)
    assert json.loads(json_text(cost))["is_bound"] is True


def test_without_a_price_or_a_time():
    cost = throughput([line(prompt_tokens=3)], price_per_hour=1)
    assert (cost.documents_per_second, cost.dollars_per_1000) == (None, None)
    assert throughput(LINES).dollars_per_1000 is None
    assert throughput([line()]) is None
