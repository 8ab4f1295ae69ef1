"""Near ties: values that might be others, had other documents been decoded beside theirs.

Sums of floating-point numbers are rounded in another way in another batch. So if a token's logit is
hardly above that of the runner-up, either may be taken. The margin of a value is the smallest of
its tokens' margins, and of those of the values on which it depends. It is a number for near ties
only, otherwise None.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

from hpd._native import near_tie_margin


def near_tie(margins: Iterable[float]) -> float | None:
    """The smallest margin, if it is that of a near tie.

    Args:
        margins: differences of logits, or of log-probabilities.
    """
    margin = min(margins, default=math.inf)
    return margin if margin < near_tie_margin() else None


def least(margins: Iterable[float | None]) -> float | None:
    """The smallest margin of near ties, None if there are none."""
    return min((margin for margin in margins if margin is not None), default=None)


def between(probability: float, other: float) -> float | None:
    """The margin of a decision that compares two probabilities, if it is a near tie."""
    if probability <= 0.0 or not 0.0 < other < math.inf:
        return None
    return near_tie([abs(math.log(probability / other))])
