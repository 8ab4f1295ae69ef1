"""Precision against coverage: the precision of the values with the highest confidence."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from itertools import groupby
from typing import Any

from hpd.evaluation.calibration import Answer

N_POINTS = 100


@dataclass(frozen=True, slots=True)
class CoveragePoint:
    """The values that are at least as likely as a threshold."""

    threshold: float
    coverage: float
    """Their share of all values."""
    precision: float
    """The share of them that is right."""

    def to_json(self) -> dict[str, Any]:
        """The three figures."""
        return asdict(self)


def coverage_curve(answers: Iterable[Answer], n_points: int = N_POINTS) -> list[CoveragePoint]:
    """The curve from the most likely values to all of them, in ``n_points`` steps or fewer.

    Values with the same confidence come in together, as no threshold can separate them.
    """
    values = sorted((a for a in answers if a.is_value), key=lambda a: -a.confidence)
    points: list[CoveragePoint] = []
    n = n_right = 0
    for confidence, alike in groupby(values, key=lambda a: a.confidence):
        rights = [answer.is_right for answer in alike]
        n += len(rights)
        n_right += sum(rights)
        point = CoveragePoint(confidence, n / len(values), n_right / n)
        # One point for each step of coverage, the last one in the step.
        if points and _step(points[-1], n_points) == _step(point, n_points):
            points[-1] = point
        else:
            points.append(point)
    return points


def _step(point: CoveragePoint, n_points: int) -> int:
    return min(n_points - 1, int(point.coverage * n_points))
