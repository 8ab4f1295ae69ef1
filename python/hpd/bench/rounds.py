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
            run = measured(bench, method, number, progress)
            rounds.measurements.append(run.measurement)
            rounds.answers.setdefault(method.name, run.answers)
            if before is not None:
                after = bench.prices(methods[0].options)
                rounds.prices[number, method.name] = Prices.between(before, after)
                before = after
        if number == 1:
            methods = _unique(_winner(contest, rounds.measurements) for contest in contests)
    return rounds


def measured(
    bench: Bench, method: Method, number: int, progress: Progress | None
) -> MeasuredAnswers:
    """A run of a method, measured again if the host of a virtual machine disturbed it."""
    run = least_disturbed(partial(bench.measure, method, number), _stolen)
    if progress is not None:
        progress(run.measurement)
    return run


def n_different(answers: Mapping[int, Any], reference: Mapping[int, Any]) -> int:
    """Documents on which two methods disagree, of those that both were asked about."""
    return sum(answers[place] != reference[place] for place in answers.keys() & reference.keys())


def _stolen(run: MeasuredAnswers) -> float:
    return run.measurement.stolen


def _winner(contest: Contest, measurements: Sequence[Measurement]) -> Method:
    names = {method.name: method for method in contest.methods}
    runs = {m.method: [m] for m in measurements if m.method in names}
    return names[by_speed(runs)[0]]


def _unique(methods: Iterable[Method]) -> list[Method]:
    return list({method.name: method for method in methods}.values())
