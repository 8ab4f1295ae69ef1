"""The published metric, against a second implementation written straight from its definition."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hpd.errors import InputError
from hpd.evaluation.datasets import (
    Example,
    Prediction,
    gold_values,
    load_examples,
    load_predictions,
    match_predictions,
)
from hpd.evaluation.metrics import Counts, Score, evaluate, lookup, outcome

# --- outcomes and scores ---


@pytest.mark.parametrize(
    ("gold", "prediction", "expected"),
    [
        (None, None, "nn"),
        (None, "n/a", "nn"),
        (None, "None", "nn"),
        (None, [], "nn"),
        (None, "x", "nv"),
        (None, "", "nv"),
        (["a"], None, "vn"),
        (["a"], "n/a", "vn"),
        (["a"], [None, "n/a"], "vn"),
        (["a", "b"], "b", "vc"),
        (["a", "b"], ["b", "a"], "vc"),
        (["a", "b"], ["b", "c"], "vw"),
        (["a"], "A", "vw"),
        (["a"], "a ", "vw"),
        (["12"], 12, "vc"),
        (["1.5"], 1.5, "vc"),
        (["true"], True, "vc"),
        (["é"], "é", "vc"),
        (['{"é": 1}'], {"é": 1}, "vc"),
    ],
)
def test_outcomes(gold: list[str] | None, prediction: object, expected: str) -> None:
    assert outcome(gold, prediction) == expected


def test_precision_and_recall_are_rounded_before_f1() -> None:
    counts = Counts(nn=9, nv=1, vn=3, vc=1, vw=1)
    assert (counts.precision, counts.recall) == (33.33, 20.0)
    assert counts.f1 == round(2 * 33.33 * 20.0 / 53.33, 2)
    # Where it matters: 57.05 without rounding on the way.
    tight = Counts(vn=38, vc=81, vw=46, nv=38)
    assert (tight.precision, tight.recall, tight.f1) == (49.09, 49.09, 49.09)


def test_nothing_scores_nothing() -> None:
    assert (Counts(nn=5).precision, Counts().recall, Counts(vn=3).f1) == (0.0, 0.0, 0.0)
    assert Score().macro.n_cells == 0
    assert Score().micro == Counts()


def test_micro_sums_and_macro_averages_without_cells_of_only_nn() -> None:
    score = Score(
        {
            ("Shoes", "Brand"): Counts(vc=3, vw=1),
            ("Shoes", "Size"): Counts(vn=2),
            ("Tea", "Brand"): Counts(nn=7),
        }
    )
    assert score.micro == Counts(nn=7, vn=2, vc=3, vw=1)
    assert (score.macro.precision, score.macro.recall, score.macro.f1) == (37.5, 37.5, 37.5)
    assert score.macro.n_cells == 2


# --- the second implementation ---


def brute_f1(outcomes: list[str]) -> tuple[float, float, float]:
    correct = outcomes.count("vc")
    predicted = sum(kind in ("nv", "vc", "vw") for kind in outcomes)
    wanted = sum(kind in ("vn", "vc", "vw") for kind in outcomes)
    precision = round(correct / predicted * 100, 2) if predicted else 0.0
    recall = round(correct / wanted * 100, 2) if wanted else 0.0
    if precision + recall == 0:
        return precision, recall, 0.0
    return precision, recall, round(2 * precision * recall / (precision + recall), 2)


def brute_outcome(targets: dict[str, int] | None, prediction: str | None) -> str:
    gold = [key.strip() for key in targets] if targets else ["n/a"]
    says_none = prediction in (None, "n/a", "None")
    if gold[0] == "n/a":
        return "nn" if says_none else "nv"
    if says_none:
        return "vn"
    return "vc" if prediction in gold else "vw"


def brute_force(
    rows: list[dict[str, Any]], predictions: list[dict[str, Any]], *, strict: bool
) -> dict[str, Any]:
    cells: dict[tuple[str, str], list[str]] = {}
    for row, prediction in zip(rows, predictions, strict=True):
        attributes = set(row["target_scores"])
        if strict:
            for other in rows:
                if other["category"] == row["category"]:
                    attributes |= set(other["target_scores"])
        for attribute in attributes:
            kind = brute_outcome(row["target_scores"].get(attribute), prediction.get(attribute))
            cells.setdefault((row["category"], attribute), []).append(kind)
    counted = [brute_f1(kinds) for kinds in cells.values() if set(kinds) != {"nn"}]
    every = [kind for kinds in cells.values() for kind in kinds]
    return {
        "micro": brute_f1(every),
        "counts": {kind: every.count(kind) for kind in ("nn", "nv", "vn", "vc", "vw")},
        "macro": [sum(column) / len(counted) for column in zip(*counted, strict=True)]
        if counted
        else [0.0, 0.0, 0.0],
    }


VALUES = st.sampled_from(["red", "Red", " red ", "blue", "n/a", "10 M"])
ROWS = st.lists(
    st.fixed_dictionaries(
        {
            "input": st.just("a title"),
            "category": st.sampled_from(["Shoes", "Tea"]),
            "target_scores": st.dictionaries(
                st.sampled_from(["Brand", "Color", "Size"]),
                st.dictionaries(VALUES, st.just(1), min_size=1, max_size=3),
            ),
        }
    ),
    max_size=6,
)
ANSWER = st.dictionaries(
    st.sampled_from(["Brand", "Color", "Size"]), VALUES | st.none() | st.just("None")
)


@given(ROWS, st.data())
def test_equal_to_the_second_implementation(
    rows: list[dict[str, Any]], data: st.DataObject
) -> None:
    predictions = [data.draw(ANSWER) for _ in rows]
    examples = [
        Example(
            str(number),
            row["input"],
            row["category"],
            {name: gold_values(values) for name, values in row["target_scores"].items()},
        )
        for number, row in enumerate(rows)
    ]
    result = evaluate(examples, predictions)
    for score, strict in ((result.plain, False), (result.strict, True)):
        expected = brute_force(rows, predictions, strict=strict)
        micro, macro = score.micro, score.macro
        assert (micro.precision, micro.recall, micro.f1) == expected["micro"]
        assert {name: getattr(micro, name) for name in expected["counts"]} == expected["counts"]
        assert [macro.precision, macro.recall, macro.f1] == pytest.approx(
            expected["macro"], abs=0.0051
        )


# --- plain and strict ---

SHOE = Example("1", "Diesel sneaker", "Shoes", {"Brand": ["Diesel"]})


def test_inventing_is_free_in_plain_and_counts_in_strict() -> None:
    other = Example("2", "red shoe", "Shoes", {"Color": ["red"]})
    result = evaluate([SHOE, other], [{"Brand": "Diesel", "Color": "red"}, {"Color": "red"}])
    assert result.plain.micro == Counts(vc=2)
    assert result.strict.micro == Counts(nn=1, nv=1, vc=2)


def test_the_attributes_of_a_category_can_be_given() -> None:
    result = evaluate([SHOE], [{"Brand": "Diesel", "Heel": "high"}], {"Shoes": ["Brand", "Heel"]})
    assert result.strict.micro == Counts(nv=1, vc=1)
    # An attribute that only the row names counts in both.
    result = evaluate([SHOE], [{"Brand": "Diesel"}], {"Shoes": ["Heel"], "Tea": ["Leaf"]})
    assert result.strict.micro == Counts(nn=1, vc=1)


def test_a_row_without_a_prediction_has_no_values() -> None:
    result = evaluate([SHOE], [None])
    assert result.n_missing == 1
    assert result.plain.micro == Counts(vn=1)
    with pytest.raises(ValueError, match="1 examples, but 0 predictions"):
        evaluate([SHOE], [])


def test_to_json_is_json() -> None:
    found = evaluate([SHOE], [{"Brand": "Diesel"}]).to_json(per_attribute=True)
    assert json.loads(json.dumps(found)) == found
    assert found["plain"]["micro"]["f1"] == 100.0
    assert found["strict"]["macro"] == {
        "precision": 100.0,
        "recall": 100.0,
        "f1": 100.0,
        "n_cells": 1,
    }
    assert found["plain"]["attributes"][0]["attribute"] == "Brand"
    assert "attributes" not in evaluate([SHOE], [None]).to_json()["plain"]


def test_lookup_takes_the_first_training_value_that_the_text_holds() -> None:
    train = [
        Example("1", "", "Shoes", {"Color": ["red", "dark red"], "Size": None}),
        Example("2", "", "Tea", {"Color": ["black"]}),
        Example("3", "", "Shoes", {"Color": ["Blue"]}),
    ]
    rows = [
        Example("1", "a dark red shoe, Blue", "Shoes", {"Color": None, "Size": None}),
        Example("2", "a Blue shoe", "Shoes", {"Color": None}),
        Example("3", "a black shoe", "Shoes", {"Color": None}),
    ]
    assert lookup(train, rows) == [
        {"Color": "red", "Size": None},
        {"Color": "Blue", "Size": None},
        {"Color": None, "Size": None},
    ]


# --- gold and predictions from files ---


@pytest.mark.parametrize(
    ("values", "gold"),
    [
        ({"a": 1}, ["a"]),
        ({" a ": 1, "b": 1}, ["a", "b"]),
        ({"n/a": 1}, None),
        ({" n/a": 1, "b": 1}, None),
        ({"b": 1, "n/a": 1}, ["b"]),
        ({}, None),
        ([], None),
        (None, None),
        ("a", ["a"]),
        (12, ["12"]),
        (True, ["true"]),
        (["a", 1], ["a", "1"]),
        ({"a": {"pid": [0], "score": 1}}, ["a"]),
    ],
)
def test_gold_values(values: object, gold: list[str] | None) -> None:
    assert gold_values(values) == gold


def write(path: Path, *rows: object) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_the_shapes_of_the_benchmarks(tmp_path: Path) -> None:
    path = write(
        tmp_path / "gold.jsonl",
        {
            "input": "t",
            "category": "Shoes",
            "target_scores": {"Brand": {"B ": 1}, "Size": {"n/a": 1}},
        },
        {
            "id": 17,
            "cluster_id": 2.0,
            "category": "Ink",
            "input_title": "t",
            "input_description": "d",
            "target_scores": {"Brand": {"B": {"pid": [0], "score": 1}}},
        },
        {"text": "t", "gold": {"a": None, "b": "x", "c": ["y", "z"]}},
    )
    assert list(load_examples(path)) == [
        Example("1", "t", "Shoes", {"Brand": ["B"], "Size": None}),
        Example("17", "t\nd", "Ink", {"Brand": ["B"]}),
        Example("3", "t", "", {"a": None, "b": ["x"], "c": ["y", "z"]}),
    ]


@pytest.mark.parametrize(
    ("row", "says"),
    [
        ({"text": "t"}, "gold.jsonl:1: no gold values: looked for target_scores, gold, data"),
        ({"gold": {}}, "gold.jsonl:1: no text"),
        ({"text": "t", "gold": {"a": "x"}}, "gold.jsonl:1: no field 'kind'"),
    ],
)
def test_rows_that_are_no_gold(tmp_path: Path, row: object, says: str) -> None:
    path = write(tmp_path / "gold.jsonl", row)
    with pytest.raises(InputError, match=says):
        list(load_examples(path, category_field="kind"))


def test_predictions_of_documents_that_failed(tmp_path: Path) -> None:
    path = write(
        tmp_path / "pred.jsonl",
        {"id": 1, "data": {"a": "x"}, "fields": {}},
        {"id": "2", "error": {"type": "E", "message": "m"}},
    )
    assert list(load_predictions(path)) == [Prediction("1", {"a": "x"}), Prediction("2", None)]
    write(path, {"id": "1", "value": 3})
    with pytest.raises(InputError, match=r"pred\.jsonl:1: neither 'data' nor 'error'"):
        list(load_predictions(path))
    path.write_text("{nonsense\n")
    with pytest.raises(InputError, match="not valid JSON"):
        list(load_predictions(path))


def examples_with(*ids: str) -> list[Example]:
    return [Example(record_id, "", "", {}) for record_id in ids]


def test_matching_by_id() -> None:
    one, two = {"a": "1"}, {"a": "2"}
    found = [Prediction("b", two), Prediction("a", one), Prediction("x", {})]
    assert match_predictions(examples_with("a", "gone", "b"), found) == [one, None, two]


def test_matching_ids_that_come_twice_in_order() -> None:
    found = [Prediction("a", {"n": 1}), Prediction("a", {"n": 2})]
    assert match_predictions(examples_with("a", "a"), found) == [{"n": 1}, {"n": 2}]


def test_matching_by_order_without_ids() -> None:
    found = [Prediction(None, {"n": 1}), Prediction(None, None)]
    assert match_predictions(examples_with("a", "b"), found) == [{"n": 1}, None]
    with pytest.raises(InputError, match="2 predictions without ids for 1 documents"):
        match_predictions(examples_with("a"), found)


def test_predictions_of_another_file_are_refused() -> None:
    with pytest.raises(InputError, match=r"no prediction has the id.*'x'.*'a'"):
        match_predictions(examples_with("a"), [Prediction("x", {})])
