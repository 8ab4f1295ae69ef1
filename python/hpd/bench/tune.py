"""The search for the fastest settings of a model on this machine.

``TuneSearch`` decides which settings to try and which win; ``Timer`` times them on documents. The
result is stored by ``hpd.models.settings``.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from hpd.bench.measure import Bench, Measurement
from hpd.bench.methods import BenchMethod
from hpd.bench.rounds import n_different
from hpd.errors import HpdError
from hpd.options import OPTIONS, TUNABLE, Options

TunedSettings = Mapping[str, int]
Axis = Sequence[TunedSettings]
"""Values to try for one setting, or for several that are varied together."""

TIE_MARGIN = 0.03
"""Minimum relative difference at which a time counts as faster."""

_N_RUNS = 3
_SLOW_FACTOR = 1.2  # times the median of the fastest; slower settings are not run again
_MAX_PASSES = 3


@dataclass(frozen=True, slots=True)
class TuneRun:
    """One run with some settings."""

    seconds: float
    n_different: int = 0
    """Documents with other answers than with the default settings."""


MeasureSettings = Callable[[TunedSettings], TuneRun]


@dataclass(slots=True)
class TuneTrial:
    """The runs with some settings."""

    settings: TunedSettings
    seconds: list[float] = field(default_factory=list)
    """The time of each run."""
    n_different: int = 0
    problem: str = ""
    """Why the settings cannot be used; empty if they can."""


@dataclass(frozen=True, slots=True)
class TuneResult:
    """The result of a search."""

    chosen: TunedSettings
    speedup: float
    """Time with the default settings divided by time with the chosen ones, interleaved; 1 if the
    same."""
    trials: list[TuneTrial]
    """All settings in the order of their first run, the default first."""


class TuneSearch:
    """Coordinate descent from the default settings.

    Args:
        measure: runs once with some settings; raises ``HpdError`` if they do not work here.
        default: the default settings, which win ties.
        n_tolerated: number of documents whose answers may differ from the default's.
        axes: the settings to vary, the most important one first.
        is_over: returns whether time is up.
    """

    def __init__(
        self,
        measure: MeasureSettings,
        default: TunedSettings,
        axes: Sequence[Axis],
        n_tolerated: int,
        is_over: Callable[[], bool],
    ) -> None:
        self._measure = measure
        self._default = default
        self._axes = axes
        self._n_tolerated = n_tolerated
        self._is_time_up = is_over
        self._trials: dict[frozenset[tuple[str, int]], TuneTrial] = {}

    def run(self) -> TuneResult:
        """Search until no settings are faster, or time is up.

        Raises:
            HpdError: the default settings do not work.
        """
        # A warm-up: its time is ignored, but its answers are the reference.
        self._time(self._default)
        best = self._default
        done: set[frozenset[frozenset[tuple[str, int]]]] = set()
        for _ in range(_MAX_PASSES):
            start = best
            for axis in self._axes:
                changed = [{**best, **change} for change in axis]
                by_key = {_key(settings): settings for settings in [best, *changed]}
                candidates, contest = [*by_key.values()], frozenset(by_key)
                if contest not in done and len(candidates) > 1:
                    done.add(contest)
                    best = self._find_fastest(candidates, axis)
            if best == start:
                break
        return self._confirm(best)

    def _find_fastest(self, candidates: Sequence[TunedSettings], axis: Axis) -> TunedSettings:
        """Return the fastest settings; of equally fast ones, those nearest to the default."""
        incumbent = candidates[0]
        times = self._time_in_turns(candidates)
        if times[0] is None:
            return incumbent  # time was up
        medians = [
            statistics.median(runs) if runs and self._is_usable(settings) else float("inf")
            for settings, runs in zip(candidates, times, strict=True)
        ]
        limit = min(medians) * (1 + TIE_MARGIN)
        defaults = {name: self._default[name] for change in axis for name in change}
        preferred = [{**incumbent, **defaults}, incumbent]
        for settings in preferred:
            if settings in candidates and medians[candidates.index(settings)] <= limit:
                return settings
        return candidates[medians.index(min(medians))]

    def _time_in_turns(self, candidates: Sequence[TunedSettings]) -> list[list[float] | None]:
        """Return the seconds of each candidate's runs; None if there was no time for it.

        Candidates take turns, forwards and backwards, so that changes in the machine's speed favour
        none.
        """
        times: list[list[float]] = [[] for _ in candidates]
        remaining = list(range(len(candidates)))
        for number in range(_N_RUNS):
            for i in remaining if number % 2 == 0 else reversed(remaining):
                if self._is_time_up():
                    return [runs or None for runs in times]
                seconds = self._time(candidates[i])
                if seconds is not None:
                    times[i].append(seconds)
            fastest = min((statistics.median(runs) for runs in times if runs), default=0.0)
            remaining = [
                i
                for i in remaining
                if self._is_usable(candidates[i])
                and statistics.median(times[i]) <= fastest * _SLOW_FACTOR
            ]
            if len(remaining) < 2:
                break
        return [runs or None for runs in times]

    def _confirm(self, best: TunedSettings) -> TuneResult:
        """Compare the best with the default again, as several small gains may be noise."""
        if best == self._default:
            return self._result(best, 1.0)
        ratios = []
        for number in range(_N_RUNS):
            pair = (self._default, best)
            seconds = [self._time(s) for s in (pair if number % 2 == 0 else pair[::-1])]
            if None in seconds:
                return self._result(self._default, 1.0)
            first, second = (s for s in seconds if s is not None)
            ratios.append(first / second if number % 2 == 0 else second / first)
        speedup = statistics.median(ratios)
        if speedup <= 1 + TIE_MARGIN or not self._is_usable(best):
            return self._result(self._default, 1.0)
        return self._result(best, speedup)

    def _result(self, chosen: TunedSettings, speedup: float) -> TuneResult:
        return TuneResult(chosen, speedup, [*self._trials.values()])

    def _time(self, settings: TunedSettings) -> float | None:
        trial = self._trials.setdefault(_key(settings), TuneTrial(settings))
        try:
            run = self._measure(settings)
        except HpdError as error:
            if settings == self._default:
                raise
            trial.problem = str(error)
            return None
        trial.seconds.append(run.seconds)
        trial.n_different = max(trial.n_different, run.n_different)
        return run.seconds

    def _is_usable(self, settings: TunedSettings) -> bool:
        """Return whether settings work, and give the same answers as the default."""
        trial = self._trials[_key(settings)]
        return not trial.problem and trial.n_different <= self._n_tolerated


def _key(settings: TunedSettings) -> frozenset[tuple[str, int]]:
    return frozenset(settings.items())


_TUNINGS = {name: option.tuning for name, option in OPTIONS.items() if option.tuning is not None}
AXES: tuple[Axis, ...] = tuple(
    [
        {other: value for other, own in _TUNINGS.items() if name in (other, own.together_with)}
        for value in tuning.tried
    ]
    for name, tuning in _TUNINGS.items()
    if tuning.tried
)
"""Values to try for each option, in order, and for the options that are varied with it."""

_N_PROBED = 8
_N_SEARCHED = 40
"""Approximate number of runs in a complete search."""
_MIN_DOCUMENTS = 32
"""Minimum number of documents, as many have to be in flight."""


def n_tolerated(n_documents: int) -> int:
    """Return the number of documents for which settings may give other answers.

    It is not zero because rounding depends on the batch and decides near ties. Even two runs of the
    default settings may differ, as the number of drafts depends on measured times.
    """
    return max(1, n_documents // 10)


class Timer:
    """Times settings on the first documents of a bench's workload.

    Args:
        bench: the model and the documents.
        base: options that are not varied.
        n_documents: number of documents in the bench.
        note: called with each measurement.
    """

    def __init__(
        self,
        bench: Bench,
        base: Options,
        n_documents: int,
        note: Callable[[TunedSettings, Measurement], None],
    ) -> None:
        self._bench = bench
        self._base = base
        self._note = note
        self._answers: Mapping[int, Any] | None = None
        self.n_documents = n_documents

    def fit(self, seconds: float) -> None:
        """Choose the number of documents so that the search takes about ``seconds``."""
        n_probed = min(_N_PROBED, self.n_documents)
        method = BenchMethod("tune", "hpd", self._base.with_defaults(), n_probed)
        took = self._bench.measure(method, 0).measurement.seconds / n_probed
        n_fitting = math.ceil(seconds / _N_SEARCHED / took)
        self.n_documents = min(self.n_documents, max(_MIN_DOCUMENTS, n_fitting))

    def measure(self, settings: TunedSettings) -> TuneRun:
        """Run once with some settings.

        Raises:
            HpdError: the settings do not work here, or a document cannot be decoded.
        """
        method = BenchMethod("tune", "hpd", self._base.with_defaults(settings), self.n_documents)
        measured = self._bench.measure(method, 1)
        self._note(settings, measured.measurement)
        if self._answers is None:
            self._answers = measured.answers
        return TuneRun(measured.measurement.seconds, n_different(measured.answers, self._answers))


def axes_for(base: Options, n_documents: int) -> list[Axis]:
    """Return the settings to vary for this number of documents, except those set in ``base``."""
    axes: Sequence[Axis] = [
        [change for change in axis if change.get("in_flight", 0) <= n_documents] for axis in AXES
    ]
    free = set(base.unset)
    return [axis for axis in axes if axis and free.issuperset(axis[0])]


def default_settings(base: Options) -> dict[str, int]:
    """Return the values of all settings without tuning."""
    filled = base.with_defaults()
    return {name: getattr(filled, name) for name in TUNABLE}
