"""Predictions and documents brought together: by id, by order, and what does not fit."""

from __future__ import annotations

import pytest

from hpd.errors import InputError
from hpd.evaluation.matching import match_rows
from hpd.evaluation.rows import Example, Prediction

ONE, TWO = {"a": "1"}, {"a": "2"}


def documents(*ids: str, is_numbered: bool = False) -> list[Example]:
    return [Example(name, "", "", {}, line, is_numbered) for line, name in enumerate(ids, start=1)]


def predictions(*ids: str | None) -> list[Prediction]:
    return [Prediction(name, {"n": line}, {}, line) for line, name in enumerate(ids, start=1)]


def test_by_id() -> None:
    rows = [Prediction("b", TWO), Prediction("a", ONE)]
    matching = match_rows(documents("a", "b"), rows)
    assert matching.data == [ONE, TWO]
    assert matching.predictions == (rows[1], rows[0])
    assert not matching.by_order
    assert matching.notices("gold.jsonl", "made.jsonl") == []


def test_missing_and_surplus_ids_are_named_with_file_and_line() -> None:
    matching = match_rows(documents("a", "gone", "b"), predictions("b", "x", "a", "a"))
    assert matching.data == [{"n": 3}, None, {"n": 1}]
    missing, surplus = matching.notices("gold.jsonl", "made.jsonl")
    assert missing == (
        "1 of 3 documents have no prediction in made.jsonl, which counts as no value: "
        "gold.jsonl:2 (id 'gone')"
    )
    assert surplus.endswith("made.jsonl:2 (id 'x'), made.jsonl:4 (id 'a')")
    assert matching.to_json() == {
        "by_order": False,
        "missing": [{"id": "gone", "line": 2}],
        "surplus": [{"id": "x", "line": 2}, {"id": "a", "line": 4}],
        "doubled": [],
    }


def test_ids_that_come_twice_are_taken_in_order() -> None:
    matching = match_rows(documents("a", "a"), predictions("a", "a"))
    assert matching.data == [{"n": 1}, {"n": 2}]
    (notice,) = matching.notices("gold.jsonl", "made.jsonl")
    assert "id of an earlier one" in notice
    assert "gold.jsonl:2 (id 'a')" in notice


def test_long_lists_are_cut_short() -> None:
    matching = match_rows(documents(*map(str, range(9))), predictions("0"))
    (notice,) = matching.notices("gold.jsonl", "made.jsonl")
    assert notice.startswith("8 of 9 documents")
    assert notice.endswith("gold.jsonl:6 (id '5'), and 3 more")


def test_by_order_where_the_predictions_have_no_ids() -> None:
    matching = match_rows(documents("a", "b"), [Prediction(None, ONE), Prediction(None, None)])
    assert matching.data == [ONE, None]
    assert matching.notices("gold.jsonl", "made.jsonl") == [
        "made.jsonl and gold.jsonl share no ids: their rows are matched by order"
    ]


def test_by_order_where_the_gold_has_no_ids() -> None:
    matching = match_rows(documents("1", "2", is_numbered=True), predictions("x", "y"))
    assert matching.by_order
    assert matching.data == [{"n": 1}, {"n": 2}]


def test_row_numbers_are_ids_where_the_gold_has_none() -> None:
    matching = match_rows(documents("1", "2", is_numbered=True), predictions("2", "1"))
    assert not matching.by_order
    assert matching.data == [{"n": 2}, {"n": 1}]


@pytest.mark.parametrize(
    ("gold", "made", "says"),
    [
        (documents("a"), predictions(None, None), "2 predictions for 1 .* the predictions have no"),
        (documents("1", is_numbered=True), predictions("x", "y"), "the documents have no ids"),
        (documents("a"), predictions("x"), r"no prediction has the id.*'x'.*'a'"),
    ],
)
def test_what_cannot_be_told_is_refused(
    gold: list[Example], made: list[Prediction], says: str
) -> None:
    with pytest.raises(InputError, match=says):
        match_rows(gold, made)


def test_empty_files() -> None:
    assert match_rows([], []).data == []
    assert match_rows(documents("a"), []).data == [None]
    assert len(match_rows([], predictions("a", None)).surplus) == 2
