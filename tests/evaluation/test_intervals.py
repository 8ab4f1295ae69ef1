"""Resampled scores and their intervals, against documents drawn and scored one by one."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from hpd.evaluation import statistics
from hpd.evaluation.outcomes import OUTCOMES, FieldOutcome
from hpd.evaluation.scores import Resampling, count_outcomes
from hpd.evaluation.statistics import (
    AverageScores,
    Interval,
    OutcomeCounts,
    bootstrap_counts,
    evaluation_intervals,
    scores,
)
from random_outcomes import random_fields

N_ROWS = 17


def drawn_one_by_one(fields: list[FieldOutcome], rows: list[int]) -> list[FieldOutcome]:
    """The fields of the drawn documents, again and again where one was drawn again."""
    return [field for row in rows for field in fields if field.row == row]


def test_counts_of_all_documents_are_those_of_the_metric() -> None:
    fields = random_fields(N_ROWS)
    outcomes = OutcomeCounts(fields, N_ROWS)
    counts = outcomes.count(np.ones((1, N_ROWS), np.float32))[0]
    expected = count_outcomes(fields).strict.cells
    assert set(outcomes.cells) == set(expected)
    for cell, own in zip(outcomes.cells, counts, strict=True):
        assert list(own) == [getattr(expected[cell], name) for name in OUTCOMES]


def test_scores_are_those_of_the_metric_but_for_rounding() -> None:
    fields = [replace(field, is_named=True) for field in random_fields(40)]
    # A cell with only nn, which the macro average leaves out.
    fields += [FieldOutcome(row, ("category 0", "never"), "nn", True) for row in range(0, 40, 2)]
    score = count_outcomes(fields).plain
    outcomes = OutcomeCounts(fields, 40)
    counts = outcomes.count(np.ones((1, 40), np.float32))
    averages = AverageScores.of(counts)
    for got, expected in (
        (averages.micro[0], score.micro),
        (averages.macro[0], score.macro),
        *zip(scores(counts)[0], (score.cells[cell] for cell in outcomes.cells), strict=True),
    ):
        exact = [expected.precision, expected.recall, expected.f1]
        assert list(got) == pytest.approx(exact, abs=0.011)


def test_bootstrap_against_documents_drawn_one_by_one() -> None:
    fields = random_fields(N_ROWS)
    outcomes = OutcomeCounts(fields, N_ROWS)
    (counts,) = bootstrap_counts(outcomes, Resampling(20, 3))
    drawn = np.random.default_rng(3).integers(0, N_ROWS, (20, N_ROWS))
    for own, rows in zip(counts, drawn, strict=True):
        expected = count_outcomes(drawn_one_by_one(fields, list(rows))).strict.cells
        for cell, cell_counts in zip(outcomes.cells, own, strict=True):
            made = expected.get(cell)
            assert list(cell_counts) == [getattr(made, n) if made else 0 for n in OUTCOMES]


def test_chunks_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    fields = random_fields(N_ROWS)
    whole = evaluation_intervals(fields, N_ROWS, Resampling(100))
    monkeypatch.setattr(statistics, "_CHUNK", 7 * N_ROWS * 3)
    assert len(list(bootstrap_counts(OutcomeCounts(fields, N_ROWS), Resampling(100)))) > 3
    assert evaluation_intervals(fields, N_ROWS, Resampling(100)) == whole


def test_the_seed_decides() -> None:
    fields = random_fields(N_ROWS)
    one, again, other = (
        evaluation_intervals(fields, N_ROWS, Resampling(200, seed)) for seed in (0, 0, 1)
    )
    assert one == again
    assert one != other


def test_an_interval_is_made_of_percentiles() -> None:
    assert Interval.of(np.arange(1001) / 10) == Interval(2.5, 97.5)


def test_intervals_hold_the_score_and_narrow_with_more_documents() -> None:
    widths = []
    for n_rows in (50, 200, 800):
        fields = random_fields(n_rows)
        f1 = count_outcomes(fields).strict.micro.f1
        interval = evaluation_intervals(fields, n_rows, Resampling(500)).strict.micro["f1"]
        assert interval.low < f1 < interval.high
        widths.append(interval.high - interval.low)
    # Four times the documents, half the width.
    assert widths[0] / widths[1] == pytest.approx(2, abs=0.5)
    assert widths[1] / widths[2] == pytest.approx(2, abs=0.5)


def test_fields_of_one_document_stand_and_fall_together() -> None:
    """Drawing fields one by one would make the interval of such a file far too narrow."""
    same = [
        FieldOutcome(row, ("", f"attribute {i}"), "vc" if row % 2 else "vw", True)
        for row in range(40)
        for i in range(25)
    ]
    alone = [replace(field, row=i) for i, field in enumerate(same)]
    together = evaluation_intervals(same, 40, Resampling(300)).plain.micro["f1"]
    apart = evaluation_intervals(alone, 1000, Resampling(300)).plain.micro["f1"]
    assert together.high - together.low > 3 * (apart.high - apart.low)


def test_plain_leaves_out_what_rows_do_not_name() -> None:
    fields = [FieldOutcome(row, ("", "a"), "vc", True) for row in range(5)]
    fields += [FieldOutcome(row, ("", "b"), "nv", False) for row in range(5)]
    intervals = evaluation_intervals(fields, 5, Resampling(100))
    assert intervals.plain.micro["precision"] == Interval(100.0, 100.0)
    assert intervals.strict.micro["precision"] == Interval(50.0, 50.0)
    assert list(intervals.plain.cells) == [("", "a")]
    assert intervals.to_json()["strict"]["attributes"][1]["attribute"] == "b"
