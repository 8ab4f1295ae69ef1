"""Differences of two files, against every exchange tried by hand."""

from __future__ import annotations

from itertools import product

import pytest

from hpd.evaluation import statistics
from hpd.evaluation.outcomes import FieldOutcome
from hpd.evaluation.scores import Resampling
from hpd.evaluation.statistics import Interval, paired_differences
from random_outcomes import changed, random_fields


def f1(fields: list[FieldOutcome]) -> float:
    """In percent, not rounded on the way."""
    kinds = [field.outcome for field in fields]
    right = kinds.count("vc")
    total = 2 * right + 2 * kinds.count("vw") + kinds.count("nv") + kinds.count("vn")
    return 200 * right / total if total else 0.0


def macro_f1(fields: list[FieldOutcome]) -> float:
    by_cell: dict[object, list[FieldOutcome]] = {}
    for field in fields:
        by_cell.setdefault(field.cell, []).append(field)
    filled = [own for own in by_cell.values() if {field.outcome for field in own} != {"nn"}]
    return sum(map(f1, filled)) / len(filled) if filled else 0.0


def p_by_hand(first: list[FieldOutcome], second: list[FieldOutcome], score: object) -> float:
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
def test_p_values_are_those_of_all_exchanges(seed: int) -> None:
    first = random_fields(9, seed)
    second = changed(first, 0.4, seed + 100)
    differences = paired_differences(first, second, 9)
    assert differences.is_exact
    assert differences.micro["f1"].p_value == p_by_hand(first, second, f1)
    assert differences.macro["f1"].p_value == p_by_hand(first, second, macro_f1)
    assert differences.micro["f1"].difference == pytest.approx(f1(first) - f1(second))
    assert differences.macro["f1"].difference == pytest.approx(macro_f1(first) - macro_f1(second))


def test_random_exchanges_come_close_to_all_of_them() -> None:
    first = random_fields(11, 5)
    second = changed(first, 0.8, 7)
    exact = paired_differences(first, second, 11, Resampling(2048))
    drawn = paired_differences(first, second, 11, Resampling(2000))
    assert exact.n_differing == 11
    assert exact.is_exact
    assert not drawn.is_exact
    for name in ("precision", "recall", "f1"):
        assert drawn.micro[name].p_value == pytest.approx(exact.micro[name].p_value, abs=0.04)


def test_a_random_test_never_says_zero() -> None:
    first = [FieldOutcome(row, ("", "a"), "vc", True) for row in range(60)]
    second = [FieldOutcome(row, ("", "a"), "vw", True) for row in range(60)]
    found = paired_differences(first, second, 60, Resampling(100)).micro["f1"]
    assert found.p_value == 1 / 101
    assert (found.difference, found.interval) == (100.0, Interval(100.0, 100.0))


def test_one_file_with_itself() -> None:
    fields = random_fields(30)
    differences = paired_differences(fields, fields, 30, Resampling(100))
    assert differences.n_differing == 0
    for difference in (*differences.micro.values(), *differences.macro.values()):
        assert (difference.difference, difference.p_value) == (0, 1)
        assert difference.interval == Interval(0.0, 0.0)


def test_the_other_way_round() -> None:
    first = random_fields(40)
    second = changed(first, 0.3)
    there = paired_differences(first, second, 40, Resampling(200)).micro["f1"]
    back = paired_differences(second, first, 40, Resampling(200)).micro["f1"]
    assert back.difference == -there.difference
    assert back.interval == Interval(-there.interval.high, -there.interval.low)
    assert back.p_value == there.p_value
    assert there.interval.low < there.difference < there.interval.high


def test_pairing_makes_the_interval_narrow() -> None:
    """Two files that are right and wrong together: the documents' luck cancels out."""
    first = random_fields(200)
    second = changed(first, 0.02)
    independent = random_fields(200, seed=9)
    near = paired_differences(first, second, 200, Resampling(300)).micro["f1"].interval
    far = paired_differences(first, independent, 200, Resampling(300)).micro["f1"].interval
    assert (near.high - near.low) * 3 < far.high - far.low


def test_chunks_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    first = random_fields(9)
    second = changed(first, 0.4)
    exact = paired_differences(first, second, 9)
    monkeypatch.setattr(statistics, "_CHUNK", 300)
    assert paired_differences(first, second, 9) == exact


def test_files_about_other_fields_are_refused() -> None:
    with pytest.raises(ValueError, match="not about the same fields"):
        paired_differences(random_fields(3), random_fields(4), 4)
