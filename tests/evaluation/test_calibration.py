"""Confidence beside accuracy, against hand-made answers."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hpd.evaluation.calibration import (
    Answer,
    CoveragePoint,
    answers,
    calibrate,
    coverage_curve,
    reliability,
)
from hpd.evaluation.rows import Example, Prediction
from hpd.evaluation.scores import Counts

answered = st.lists(
    st.builds(Answer, st.floats(0, 1), st.sampled_from(["nn", "nv", "vn", "vc", "vw"])),
    max_size=40,
)


def test_bins_and_error() -> None:
    made = [Answer(0.95, "vc")] * 3 + [Answer(0.95, "vw"), Answer(0.15, "nv"), Answer(1.0, "vc")]
    table = reliability(made)
    assert [(b.low, b.high, b.n) for b in table.bins] == [(0.1, 0.2, 1), (0.9, 1.0, 5)]
    assert table.bins[1].accuracy == pytest.approx(0.8)
    assert table.bins[1].confidence == pytest.approx(0.96)
    assert table.ece == pytest.approx((5 * 0.16 + 1 * 0.15) / 6)


def test_a_threshold_makes_nulls_of_values() -> None:
    made = [Answer(0.2, "vw"), Answer(0.3, "nv"), Answer(0.9, "vc"), Answer(0.1, "nn")]
    rows = {row.threshold: row.counts for row in calibrate(made).thresholds}
    assert rows[0.0] == Counts(nn=1, nv=1, vc=1, vw=1)
    assert rows[0.3] == Counts(nn=1, nv=1, vn=1, vc=1)
    assert rows[0.5] == Counts(nn=2, vn=1, vc=1)
    assert rows[0.95] == Counts(nn=2, vn=2)


@given(answered)
def test_nothing_is_lost(made: list[Answer]) -> None:
    table = calibrate(made)
    assert table.values.n + table.nulls.n == len(made)
    for kind in (table.values, table.nulls):
        assert sum(b.n for b in kind.bins) == kind.n
        assert 0 <= kind.ece <= 1
        assert all(b.low - 1e-9 <= b.confidence <= b.high + 1e-9 for b in kind.bins)
    for row in table.thresholds:
        counts = row.counts
        assert counts.nn + counts.nv + counts.vn + counts.vc + counts.vw == len(made)
    n_values = [row.counts.vc + row.counts.vw + row.counts.nv for row in table.thresholds]
    assert n_values == sorted(n_values, reverse=True)
    assert json.dumps(table.to_json())


def test_only_fields_with_gold_and_confidence_count() -> None:
    examples = [Example("1", "t", "c", {"a": ["x"], "b": None, "d": ["y"]}), Example("2", "t", "c")]
    fields = {"a": {"confidence": 0.9}, "b": {"confidence": 0.8}, "e": {"confidence": 1}}
    first = Prediction("1", {"a": "x", "b": None, "e": 1}, fields)
    expected = [Answer(0.9, "vc"), Answer(0.8, "nn")]
    assert answers(examples, [first, None]) == expected
    assert answers(examples, [first, Prediction("2", None)]) == expected


def test_what_was_turned_into_null_counts_for_the_thresholds_alone() -> None:
    examples = [Example("1", "t", "c", {"a": ["x"], "b": None})]
    fields = {"a": {"confidence": 0.1, "raw": ' "y"'}, "b": {"confidence": 0.8}}
    made = answers(examples, [Prediction("1", {"a": None, "b": None}, fields)])
    assert [answer.was_nulled for answer in made] == [True, False]
    table = calibrate(made)
    assert (table.nulls.n, table.values.n, table.counterpart.nulls.n) == (1, 0, 1)
    assert table.thresholds[0].counts == Counts(nn=1, vn=1)


# --- precision against coverage ---


def test_the_curve_takes_in_the_most_likely_values_first() -> None:
    made = [Answer(0.9, "vc"), Answer(0.5, "vw"), Answer(0.7, "vc"), Answer(0.5, "vc")]
    made += [Answer(0.99, "nn"), Answer(0.2, "vn")]  # nulls, which do not count
    assert coverage_curve(made) == [
        CoveragePoint(0.9, 0.25, 1.0), CoveragePoint(0.7, 0.5, 1.0), CoveragePoint(0.5, 1.0, 0.75),
    ]  # fmt: skip
    assert coverage_curve([]) == []


@given(answered, st.integers(1, 20))
def test_the_curve_ends_with_all_values(made: list[Answer], n_points: int) -> None:
    curve = coverage_curve(made, n_points)
    values = [answer for answer in made if answer.is_value]
    assert len(curve) <= n_points
    if values:
        assert curve[-1].coverage == 1.0
        assert curve[-1].precision == sum(answer.is_right for answer in values) / len(values)
    assert [p.coverage for p in curve] == sorted({p.coverage for p in curve})
    for point in curve:
        kept = [answer for answer in values if answer.confidence >= point.threshold]
        assert point.coverage == len(kept) / len(values)
        assert point.precision == sum(answer.is_right for answer in kept) / len(kept)
