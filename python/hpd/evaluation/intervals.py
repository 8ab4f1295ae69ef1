"""Intervals around scores, for the differences that other documents of the same kind would make.

Percentile bootstrap over documents (Efron and Tibshirani, "An Introduction to the Bootstrap",
1993, chapter 13).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hpd.evaluation.outcome_counts import (
    Array,
    AverageScores,
    OutcomeCounts,
    bootstrap_counts,
    scores,
)
from hpd.evaluation.outcomes import Cell, FieldOutcome
from hpd.evaluation.resampling import LEVEL, USUAL, Resampling
from hpd.evaluation.score_names import SCORES


@dataclass(frozen=True, slots=True)
class Interval:
    """The bounds between which ``LEVEL`` of the samples lie, in percent like scores."""

    low: float
    high: float

    @classmethod
    def of(cls, samples: Array) -> Interval:
        """The interval of a score's samples: their percentiles."""
        tail = (1 - LEVEL) / 2
        places = (len(samples) - 1) * np.array([tail, 1 - tail])
        # All in order: once, with np.quantile, which sorts them only in part, the same samples had
        # two intervals in one run; why is not known.
        ordered = np.sort(samples, kind="stable")
        low, high = np.interp(places, np.arange(len(samples)), ordered)
        return cls(round(float(low), 2), round(float(high), 2))

    def to_json(self) -> list[float]:
        """Both bounds."""
        return [self.low, self.high]


Intervals = Mapping[str, Interval]
"""The interval of each of ``SCORES``."""


@dataclass(frozen=True, slots=True)
class ScoreIntervals:
    """The intervals around a ``Score``."""

    micro: Intervals
    macro: Intervals
    cells: Mapping[Cell, Intervals]

    def to_json(self) -> dict[str, Any]:
        """All of them, the cells in the order of ``Score.to_json``."""
        return {
            "micro": _plain(self.micro),
            "macro": _plain(self.macro),
            "attributes": [
                {"category": category, "attribute": attribute, **_plain(intervals)}
                for (category, attribute), intervals in sorted(self.cells.items())
            ],
        }


@dataclass(frozen=True, slots=True)
class EvaluationIntervals:
    """The intervals around an ``Evaluation``."""

    plain: ScoreIntervals
    strict: ScoreIntervals

    def to_json(self) -> dict[str, Any]:
        """Everything, ready for ``json.dumps``."""
        return {"plain": self.plain.to_json(), "strict": self.strict.to_json()}


def evaluation_intervals(
    fields: Sequence[FieldOutcome], n_rows: int, resampling: Resampling = USUAL
) -> EvaluationIntervals:
    """The intervals around every score of some fields, of ``n_rows`` documents."""
    plain = OutcomeCounts((field for field in fields if field.is_named), n_rows)
    strict = OutcomeCounts(fields, n_rows)
    return EvaluationIntervals(_intervals(plain, resampling), _intervals(strict, resampling))


def intervals_of(samples: Array) -> dict[str, Interval]:
    """The interval of each of ``SCORES``: (samples, 3)."""
    return {name: Interval.of(samples[:, i]) for i, name in enumerate(SCORES)}


def _intervals(outcomes: OutcomeCounts, resampling: Resampling) -> ScoreIntervals:
    by_cell: list[Array] = []

    def with_cells() -> Iterator[Array]:
        for counts in bootstrap_counts(outcomes, resampling):
            by_cell.append(scores(counts))
            yield counts

    averages = AverageScores.of_chunks(with_cells())
    cells = np.concatenate(by_cell)
    return ScoreIntervals(
        intervals_of(averages.micro),
        intervals_of(averages.macro),
        {cell: intervals_of(cells[:, i]) for i, cell in enumerate(outcomes.cells)},
    )


def _plain(intervals: Intervals) -> dict[str, list[float]]:
    return {name: interval.to_json() for name, interval in intervals.items()}
