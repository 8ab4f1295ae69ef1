"""``--fail-under``: scores that must be reached, for continuous integration."""

from __future__ import annotations

import argparse
from collections.abc import Mapping

from hpd.cli.common import UsageError
from hpd.evaluation.score_names import AGREEMENT_NAMES, SCORE_PLACES

_DEFAULT = "f1"
_SCORE_NAMES = tuple(place.name for place in SCORE_PLACES)


def thresholds(text: str) -> dict[str, float]:
    """The argument, ``80`` or ``f1=80,strict_f1=70``: least scores by name."""
    least = {}
    for part in text.split(","):
        name, equals, number = part.rpartition("=")
        name = name.strip() if equals else _DEFAULT
        if name not in (*_SCORE_NAMES, *AGREEMENT_NAMES):
            raise argparse.ArgumentTypeError(
                f"there is no score {name!r}; there are {', '.join(_SCORE_NAMES)}, and with --vs "
                f"{', '.join(AGREEMENT_NAMES)}"
            )
        if name in least:
            raise argparse.ArgumentTypeError(f"{name} is given twice")
        try:
            least[name] = float(number)
        except ValueError:
            raise argparse.ArgumentTypeError(f"{number!r} is not a number") from None
        # Written so that NaN is refused, too.
        if not 0 <= least[name] <= 100:
            raise argparse.ArgumentTypeError(f"{name} is in percent, from 0 to 100: {number}")
    return least


def check_thresholds(least: Mapping[str, float], *, has_gold: bool, has_other: bool) -> None:
    """Refuse scores that this run will not have."""
    for name in least:
        if name in AGREEMENT_NAMES and not has_other:
            raise UsageError(f"--fail-under {name} needs a second file: --vs OTHER")
        if name not in AGREEMENT_NAMES and not has_gold:
            raise UsageError(f"--fail-under {name} needs GOLD")


def misses(least: Mapping[str, float], scores: Mapping[str, float]) -> list[str]:
    """One line for each score that was not reached, and by how much."""
    return [
        f"{name} is {scores[name]:.2f}, {threshold - scores[name]:.2f} below {threshold:g}"
        for name, threshold in least.items()
        if scores[name] < threshold
    ]
