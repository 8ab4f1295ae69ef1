"""Outcomes and scores, against a second implementation written straight from the definition."""

from __future__ import annotations

import json
import random
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import reference_metric
from hpd.evaluation.matching import lookup, match_rows
from hpd.evaluation.outcomes import OUTCOMES, outcome
from hpd.evaluation.rows import Example, load_examples, load_predictions
from hpd.evaluation.scores import Counts, Score, evaluate
from jsonl import write_lines

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

N_FILES = 200
TEXTS = ["red", "Red", " red ", "blue", "10 M", "", "n/a", "None", " n/a", "a, b"]
NAMES = ["Brand", "Color", "Size", "Item form"]


def random_files(seed: int) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Gold and predictions: ids twice, missing, of no document; several gold values, and none."""
    draw = random.Random(seed)
    texts = TEXTS[: draw.randint(2, len(TEXTS))]
    ids = [f"d{draw.randrange(40)}" if seed % 3 == 0 else f"d{i}" for i in range(40)]
    rows = [
        {
            "id": ids[i],
            "category": draw.choice(["Shoes", "Tea", ""]),
            "target_scores": {
                name: {draw.choice(texts): 1 for _ in range(draw.randint(0, 3))}
                for name in draw.sample(NAMES, draw.randint(0, len(NAMES)))
            },
        }
        for i in range(draw.randint(1, 40))
    ]
    lines: list[dict[str, Any]] = [{"id": rows[0]["id"], "data": {}}]
    for row in rows:
        data = {
            name: draw.choice([None, *row["target_scores"].get(name, {}), *texts])
            for name in draw.sample(NAMES, draw.randint(1, len(NAMES)))
        }
        line = {"id": row["id"], "data": data}
        failed = {"id": row["id"], "error": {"type": "E", "message": "m"}}
        lines += draw.choice([[line], [line], [line], [line, line], [failed], []])
    lines.append({"id": "of no document", "data": {"Brand": "red"}})
    if seed % 2:
        draw.shuffle(lines)
    return rows, lines


@pytest.mark.parametrize("seed", range(N_FILES))
def test_equal_to_the_last_digit(seed: int, tmp_path: Path) -> None:
    rows, lines = random_files(seed)
    gold = write_lines(tmp_path / "gold.jsonl", *rows)
    predicted = write_lines(tmp_path / "predicted.jsonl", *lines)
    examples = list(load_examples(gold, needs_text=False))
    result = evaluate(examples, match_rows(examples, load_predictions(predicted)).data)
    for score, strict in ((result.plain, False), (result.strict, True)):
        expected = reference_metric.evaluate(rows, lines, strict=strict)
        micro, macro = score.micro, score.macro
        assert {cell: counted(counts) for cell, counts in score.cells.items()} == expected["cells"]
        assert counted(micro) == expected["counts"]
        assert (micro.precision, micro.recall, micro.f1) == expected["micro"]
        assert (macro.precision, macro.recall, macro.f1) == expected["macro"]
        assert macro.n_cells == expected["n_cells"]


def counted(counts: Counts) -> tuple[int, ...]:
    return tuple(getattr(counts, name) for name in OUTCOMES)


def test_the_random_files_hold_what_is_hard() -> None:
    every = [random_files(seed) for seed in range(N_FILES)]
    evaluations = [reference_metric.evaluate(*files, strict=False) for files in every]
    assert all(sum(e["counts"][k] for e in evaluations) > 100 for k in range(5))
    golds = [gold for rows, _ in every for row in rows for gold in row["target_scores"].values()]
    assert {0, 1, 2, 3} == {len(gold) for gold in golds}
    assert any(len({row["id"] for row in rows}) < len(rows) for rows, _ in every)
    assert any("n/a" in list(gold)[1:] for gold in golds)
    # Golds that are the same but for blanks, and empty ones.
    assert any(len({each.strip() for each in gold}) < len(gold) for gold in golds)
    assert any("" in gold for gold in golds)
    assert any("" in (line.get("data") or {}).values() for _, lines in every for line in lines)
    # Rows without a line, and lines that come twice.
    ids = [[line["id"] for line in lines] for _, lines in every]
    assert any(
        row["id"] not in own for own, (rows, _) in zip(ids, every, strict=True) for row in rows
    )
    assert any(len(set(own)) < len(own) for own in ids)
    assert any(is_tie(e["counts"]) or any(map(is_tie, e["cells"].values())) for e in evaluations)


def is_tie(counts: tuple[int, ...]) -> bool:
    """Whether precision or recall lies in the middle between two numbers with two places."""
    _, nv, vn, vc, vw = counts
    return any(n and Fraction(100_000 * vc, n) % 10 == 5 for n in (vc + vw + nv, vc + vw + vn))


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
    assert evaluate([SHOE], [None]).plain.micro == Counts(vn=1)
    with pytest.raises(ValueError, match="1 examples, but 0 predictions"):
        evaluate([SHOE], [])


def test_to_json_is_json() -> None:
    found = evaluate([SHOE], [{"Brand": "Diesel"}]).to_json()
    assert json.loads(json.dumps(found)) == found
    assert found["plain"]["micro"]["f1"] == 100.0
    assert found["strict"]["macro"] == {
        "precision": 100.0,
        "recall": 100.0,
        "f1": 100.0,
        "n_cells": 1,
    }
    assert found["plain"]["attributes"][0]["attribute"] == "Brand"


# --- the baseline ---


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
