"""The default settings timed against the fastest others, until it is known how far they are apart.

The least of many times is likely that of a lucky run. So what the best setting would save has to
be measured anew, once it is known which ones may be the best, and often enough for the machine at
hand: where programs beside it, or other guests of its host, make the same work take a tenth longer
now and then, a few rounds tell nothing.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from hpd.bench.measure import Bench, Measurement
from hpd.bench.methods import Contest, Method
from hpd.bench.rounds import Progress, measured
from hpd.bench.summary import by_speed

DEFAULT = "hpd"
"""The method with the default settings."""
N_FINALISTS = 3
MOST_ROUNDS = 60
WIDEST = 0.04
"""The width of an interval of ratios that is narrow enough for the rounds to end."""
_OUTSIDE = 0.05
"""The share of medians that lie outside of their intervals."""


@dataclass(slots=True)
class Finals:
    """The runs of the default settings and of the fastest others, in turns."""

    own: list[float] = field(default_factory=list)
    """The milliseconds a document of the default settings, by round."""
    ratios: dict[str, list[float]] = field(default_factory=dict)
    """By name of another setting, the default's time divided by its own, by round."""
    n_wrong: int = 0
    """Answers that were not the replayed ones."""

    def add(self, runs: Mapping[str, Measurement]) -> None:
        """Count a round: the runs of the default settings and of some others, by name."""
        own = runs[DEFAULT].ms_per_document
        self.own.append(own)
        self.n_wrong += sum(run.n_wrong for run in runs.values())
        for name, run in runs.items():
            if name != DEFAULT:
                self.ratios.setdefault(name, []).append(own / run.ms_per_document)

    def undecided(self) -> list[str]:
        """The settings that may be the best, if what they save is not known well enough."""
        intervals = {name: median_interval(ratios) for name, ratios in self.ratios.items()}
        least = max(1.0, *(low for low, _ in intervals.values()))
        left = {name: (low, high) for name, (low, high) in intervals.items() if high > least}
        is_known = all(high - low <= WIDEST for low, high in left.values())
        return [] if is_known else list(left)

    def __str__(self) -> str:
        """A sentence on how far the default settings are from the best of the others."""
        if not self.ratios:
            return ""
        best = max(self.ratios, key=lambda name: statistics.median(self.ratios[name]))
        more = statistics.median(self.ratios[best]) - 1
        took = (
            f"timed again in {len(self.own)} rounds, {DEFAULT} takes "
            f"{statistics.median(self.own):.1f} ms a document"
        )
        if more <= 0:
            return f"{took}; none of the {len(self.ratios)} settings that were fastest takes less"
        low, high = median_interval(self.ratios[best])
        share = f"{1 - _OUTSIDE:.0%} interval {low - 1:+.1%} to {high - 1:+.1%}"
        return f"{took}, {more:.1%} more than {best} ({share})"


def run_finals(
    bench: Bench,
    contests: Sequence[Contest],
    measurements: Sequence[Measurement],
    n_rounds: int,
    progress: Progress | None = None,
) -> Finals:
    """The default settings of ``hpd`` and the three fastest others, timed in turns.

    There are at least ``n_rounds`` rounds, and no more than ``MOST_ROUNDS`` if that is not less. A
    setting that cannot be the best any more has no further ones. The rounds are numbered on from
    those of ``measurements``. Without the default settings, or without others, there is none.
    """
    methods = {m.name: m for c in contests for m in c.methods if m.kind == "hpd"}
    runs: dict[str, list[Measurement]] = {}
    for measurement in measurements:
        if measurement.method in methods:
            runs.setdefault(measurement.method, []).append(measurement)
    finals = Finals()
    if DEFAULT not in runs or len(runs) < 2:
        return finals
    left = [name for name in by_speed(runs) if name != DEFAULT][:N_FINALISTS]
    n_before = max(measurement.round for measurement in measurements)
    for number in range(1, max(MOST_ROUNDS, n_rounds) + 1):
        turns: list[Method] = [methods[name] for name in (DEFAULT, *left)]
        finals.add(
            {
                method.name: measured(bench, method, n_before + number, progress).measurement
                for method in (turns if number % 2 else reversed(turns))
            }
        )
        if number >= n_rounds:
            left = finals.undecided()
            if not left:
                break
    return finals


def median_interval(values: Sequence[float]) -> tuple[float, float]:
    """Two of the values between which the median of their distribution lies in 19 of 20 cases.

    Whether a value is below the median is the toss of a coin, however values are distributed. Of
    fewer than six values it is the least and the greatest, which is less sure.
    """
    ordered = sorted(values)
    n = len(ordered)
    skipped = 0
    tail = 0.5**n
    while (tail := tail + math.comb(n, skipped + 1) * 0.5**n) <= _OUTSIDE / 2:
        skipped += 1
    return ordered[skipped], ordered[n - 1 - skipped]
