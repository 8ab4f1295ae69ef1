"""Several rounds of several methods, interleaved."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from hpd.bench.measure import Bench, MeasuredAnswers, Measurement
from hpd.bench.methods import Contest, Method
from hpd.bench.prices import Prices
from hpd.bench.stolen import least_disturbed
from hpd.bench.summary import by_speed

Progress = Callable[[Measurement], None]

DEFAULT = "hpd"
"""The method with the default settings."""
N_FINALISTS = 3


@dataclass(slots=True)
class Rounds:
    """The yield of several rounds."""

    measurements: list[Measurement] = field(default_factory=list)
    answers: dict[str, dict[int, Any]] = field(default_factory=dict)
    """Each method's answers in the first round."""
    prices: dict[tuple[int, str], Prices] = field(default_factory=dict)
    """The cost of a token and of a row about each run, by round and method."""


def run_rounds(
    bench: Bench, contests: Sequence[Contest], n_rounds: int, progress: Progress | None = None
) -> Rounds:
    """All methods timed, round after round, with prices before and after what fills batches.

    Methods take turns, forwards and backwards, so that a machine that becomes slower or faster in
    the meantime favours none. What the host of a virtual machine disturbed is measured again.
    After the first round only the fastest of each contest goes on.
    """
    rounds = Rounds()
    methods = _unique(method for contest in contests for method in contest.methods)
    for number in range(1, n_rounds + 1):
        before: Prices | None = None
        for method in methods if number % 2 else reversed(methods):
            if not method.fills_batches:
                before = None
            elif before is None:
                before = bench.prices(methods[0].options)
            measured = _measured(bench, method, number, progress)
            rounds.measurements.append(measured.measurement)
            rounds.answers.setdefault(method.name, measured.answers)
            if before is not None:
                after = bench.prices(methods[0].options)
                rounds.prices[number, method.name] = Prices.between(before, after)
                before = after
        if number == 1:
            methods = _unique(_winner(contest, rounds.measurements) for contest in contests)
    return rounds


def run_finals(
    bench: Bench,
    contests: Sequence[Contest],
    measurements: Sequence[Measurement],
    n_rounds: int,
    progress: Progress | None = None,
) -> list[Measurement]:
    """The default settings of ``hpd`` and the three fastest others, timed again in turns.

    The least of many times is likely that of a lucky run. So what the best setting would save has
    to be measured anew, once it is known which ones may be the best. The rounds are numbered on
    from those of ``measurements``. Without the default settings, or without others, the result is
    empty.
    """
    methods = {m.name: m for c in contests for m in c.methods if m.kind == "hpd"}
    runs: dict[str, list[Measurement]] = {}
    for measurement in measurements:
        if measurement.method in methods:
            runs.setdefault(measurement.method, []).append(measurement)
    if DEFAULT not in runs or len(runs) < 2:
        return []
    others = [name for name in by_speed(runs) if name != DEFAULT][:N_FINALISTS]
    finalists = [methods[name] for name in (DEFAULT, *others)]
    n_before = max(measurement.round for measurement in measurements)
    return [
        _measured(bench, method, n_before + number, progress).measurement
        for number in range(1, n_rounds + 1)
        for method in (finalists if number % 2 else reversed(finalists))
    ]


def _measured(
    bench: Bench, method: Method, number: int, progress: Progress | None
) -> MeasuredAnswers:
    measured = least_disturbed(partial(bench.measure, method, number), _stolen)
    if progress is not None:
        progress(measured.measurement)
    return measured


def n_different(answers: Mapping[int, Any], reference: Mapping[int, Any]) -> int:
    """Documents on which two methods disagree, of those that both were asked about."""
    return sum(answers[place] != reference[place] for place in answers.keys() & reference.keys())


def _stolen(measured: MeasuredAnswers) -> float:
    return measured.measurement.stolen


def _winner(contest: Contest, measurements: Sequence[Measurement]) -> Method:
    names = {method.name: method for method in contest.methods}
    runs = {m.method: [m] for m in measurements if m.method in names}
    return names[by_speed(runs)[0]]


def _unique(methods: Iterable[Method]) -> list[Method]:
    return list({method.name: method for method in methods}.values())
