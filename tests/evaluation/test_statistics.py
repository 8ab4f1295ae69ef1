"""Intervals and tests of differences, against slow references."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from hpd.evaluation import statistics
from hpd.evaluation.json_form import to_plain
from hpd.evaluation.outcomes import OUTCOMES, FieldOutcome
from hpd.evaluation.scores import Resampling, count_outcomes
from hpd.evaluation.statistics import (
    Interval,
    OutcomeCounts,
    all_scores,
    bootstrap,
    evaluation_intervals,
    paired_differences,
)
from random_outcomes import changed, random_fields

N_ROWS = 17


def drawn_one_by_one(fields, rows):
    """The fields of the drawn documents, again and again where one was drawn again."""
    return [field for row in rows for field in fields if field.row == row]


def test_counts_of_all_documents_are_those_of_the_metric():
    fields = random_fields(N_ROWS)
    outcomes = OutcomeCounts(fields, N_ROWS)
    counts = outcomes.count(np.ones((1, N_ROWS), np.float32))[0]
    expected = count_outcomes(fields).strict.cells
    assert set(outcomes.cells) == set(expected)
    for cell, own in zip(outcomes.cells, counts, strict=True):
        assert list(own) == [getattr(expected[cell], name) for name in OUTCOMES]


def test_scores_are_those_of_the_metric_but_for_rounding():
    fields = [replace(field, is_named=True) for field in random_fields(40)]
    # A cell with only nn, which the macro average leaves out.
    fields += [FieldOutcome(row, ("category 0", "never"), "nn", True) for row in range(0, 40, 2)]
    score = count_outcomes(fields).plain
    outcomes = OutcomeCounts(fields, 40)
    counts = outcomes.count(np.ones((1, 40), np.float32))
    every = (score.micro, score.macro, *(score.cells[cell] for cell in outcomes.cells))
    for got, expected in zip(all_scores(counts)[0], every, strict=True):
        exact = [expected.precision, expected.recall, expected.f1]
        assert list(got) == pytest.approx(exact, abs=0.011)


def test_bootstrap_against_documents_drawn_one_by_one():
    fields = random_fields(N_ROWS)
    outcomes = OutcomeCounts(fields, N_ROWS)
    counts = bootstrap(outcomes.count, N_ROWS, outcomes.width, Resampling(20, 3))
    drawn = np.random.default_rng(3).integers(0, N_ROWS, (20, N_ROWS))
    for own, rows in zip(counts, drawn, strict=True):
        expected = count_outcomes(drawn_one_by_one(fields, list(rows))).strict.cells
        for cell, cell_counts in zip(outcomes.cells, own, strict=True):
            made = expected.get(cell)
            assert list(cell_counts) == [getattr(made, n) if made else 0 for n in OUTCOMES]


def test_chunks_change_nothing():
    outcomes = OutcomeCounts(random_fields(N_ROWS), N_ROWS)
    sizes, counts = [], []

    def counted(weights):
        sizes[-1].append(len(weights))
        return outcomes.count(weights)

    for width in (outcomes.width, 200_000):
        sizes.append([])
        counts.append(bootstrap(counted, N_ROWS, width, Resampling(100)))
    assert sizes == [[100], [20] * 5]
    assert np.array_equal(*counts)


def test_intervals_hold_the_score_and_narrow_with_more_documents():
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


def test_fields_of_one_document_stand_and_fall_together():
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


def test_plain_leaves_out_what_rows_do_not_name():
    fields = [FieldOutcome(row, ("", "a"), "vc", True) for row in range(5)]
    fields += [FieldOutcome(row, ("", "b"), "nv", False) for row in range(5)]
    intervals = evaluation_intervals(fields, 5, Resampling(100))
    assert intervals.plain.micro["precision"] == Interval(100.0, 100.0)
    assert intervals.strict.micro["precision"] == Interval(50.0, 50.0)
    assert list(intervals.plain.cells) == [("", "a")]
    assert to_plain(intervals)["strict"]["attributes"][1]["attribute"] == "b"


def f1(fields):
    """In percent, not rounded on the way."""
    kinds = [field.outcome for field in fields]
    right = kinds.count("vc")
    total = 2 * right + 2 * kinds.count("vw") + kinds.count("nv") + kinds.count("vn")
    return 200 * right / total if total else 0.0


def macro_f1(fields):
    by_cell = {}
    for field in fields:
        by_cell.setdefault(field.cell, []).append(field)
    filled = [own for own in by_cell.values() if {field.outcome for field in own} != {"nn"}]
    return sum(map(f1, filled)) / len(filled) if filled else 0.0


def p_by_hand(first, second, score):
    """The share of exchanges of whole documents that leave the scores at least as far apart."""
    rows = sorted({field.row for field in first})
    assert callable(score)
    observed = abs(score(first) - score(second))
    n_as_far = 0
    for choice in product([False, True], repeat=len(rows)):
        moved = dict(zip(rows, choice, strict=True))
        one = [b if moved[a.row] else a for a, b in zip(first, second, strict=True)]
        two = [a if moved[a.row] else b for a, b in zip(first, second, strict=True)]
        n_as_far += abs(score(one) - score(two)) >= observed - 1e-9
    return n_as_far / 2 ** len(rows)


@pytest.mark.parametrize("seed", range(8))
def test_p_values_come_close_to_those_of_all_exchanges(seed):
    first = random_fields(9, seed)
    second = changed(first, 0.4, seed + 100)
    differences = paired_differences(first, second, 9)
    for scores, score in ((differences.micro, f1), (differences.macro, macro_f1)):
        assert scores["f1"].p_value == pytest.approx(p_by_hand(first, second, score), abs=0.04)
    assert differences.micro["f1"].difference == pytest.approx(f1(first) - f1(second))
    assert differences.macro["f1"].difference == pytest.approx(macro_f1(first) - macro_f1(second))


def test_p_is_never_zero():
    first = [FieldOutcome(row, ("", "a"), "vc", True) for row in range(60)]
    second = [FieldOutcome(row, ("", "a"), "vw", True) for row in range(60)]
    found = paired_differences(first, second, 60, Resampling(100)).micro["f1"]
    assert found.p_value == 1 / 101
    assert (found.difference, found.interval) == (100.0, Interval(100.0, 100.0))


def test_one_file_with_itself():
    fields = random_fields(30)
    differences = paired_differences(fields, fields, 30, Resampling(100))
    assert differences.n_differing == 0
    for difference in (*differences.micro.values(), *differences.macro.values()):
        assert (difference.difference, difference.p_value) == (0, 1)
        assert difference.interval == Interval(0.0, 0.0)


def test_the_other_way_round():
    first = random_fields(40)
    second = changed(first, 0.3)
    there = paired_differences(first, second, 40, Resampling(200)).micro["f1"]
    back = paired_differences(second, first, 40, Resampling(200)).micro["f1"]
    assert back.difference == -there.difference
    assert back.interval == Interval(-there.interval.high, -there.interval.low)
    assert back.p_value == there.p_value
    assert there.interval.low < there.difference < there.interval.high


def test_chunks_change_no_difference(monkeypatch):
    first = random_fields(9)
    second = changed(first, 0.4)
    exact = paired_differences(first, second, 9)
    monkeypatch.setattr(statistics, "chunk_sizes", lambda width, n: [7] * (n // 7) + [n % 7])
    assert paired_differences(first, second, 9) == exact
