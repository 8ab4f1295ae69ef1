"""The default settings against the best ones: how often they are timed again, and what is said."""

from __future__ import annotations

import math
import random
import statistics
from collections.abc import Mapping, Sequence

import pytest

from benchmarking import FakeBench, measurement
from hpd.bench.finals import MOST_ROUNDS, WIDEST, Finals, median_interval, run_finals
from hpd.bench.methods import parse_contest
from hpd.bench.rounds import run_rounds

EIGHT = "hpd:in_flight=8"
FOUR = "hpd:in_flight=4"


def finals_of(bench: FakeBench, n_rounds: int = 2) -> Finals:
    """The finals after a first round of all methods."""
    contests = [parse_contest(name) for name in bench.seconds]
    measurements = run_rounds(bench, contests, 1).measurements  # type: ignore[arg-type]
    bench.asked.clear()
    return run_finals(bench, contests, measurements, n_rounds)  # type: ignore[arg-type]


def counted(times: Mapping[str, Sequence[float]]) -> Finals:
    """Finals of which the times are known."""
    finals = Finals()
    for place in range(len(times["hpd"])):
        finals.add({name: measurement(name, place, run[place]) for name, run in times.items()})
    return finals


def test_the_fastest_settings_are_timed_again_beside_the_default_ones() -> None:
    others = {f"hpd:in_flight={n}": seconds for n, seconds in ((2, 4), (4, 1), (8, 2), (16, 3))}
    bench = FakeBench({"prefill": 0.5, "hpd": 9.0, **others})
    finals = finals_of(bench)
    turns = ["hpd", "hpd:in_flight=4", "hpd:in_flight=8", "hpd:in_flight=16"]
    # Backwards, so that a drift favours none. Then nothing is left to be found out.
    assert bench.asked == [*((2, name) for name in turns), *((3, name) for name in turns[::-1])]
    assert finals.own == [900.0, 900.0]
    assert finals.ratios == {turns[1]: [9, 9], turns[2]: [4.5, 4.5], turns[3]: [3, 3]}


@pytest.mark.parametrize("names", [("hpd", "prefill"), (EIGHT, FOUR), ("hpd",)])
def test_without_others_there_is_nothing_to_compare(names: Sequence[str]) -> None:
    bench = FakeBench(dict.fromkeys(names, 1.0))
    finals = finals_of(bench)
    assert bench.asked == []
    assert str(finals) == ""


def test_rounds_go_on_until_the_distance_is_known() -> None:
    # The other one takes 0.9 to 1.1 times as long in turn, and then always the same.
    bench = FakeBench({"hpd": 1.0, EIGHT: [*[0.9, 1.1] * 5, 1.0]})
    finals = finals_of(bench, 4)
    n_rounds = len(finals.own)
    assert 15 < n_rounds < MOST_ROUNDS
    low, high = median_interval(finals.ratios[EIGHT])
    assert high - low <= WIDEST
    shorter = median_interval(finals.ratios[EIGHT][:-1])
    assert shorter[1] - shorter[0] > WIDEST


def test_rounds_end_where_the_machine_cannot_tell() -> None:
    for asked, n_rounds in ((2, MOST_ROUNDS), (MOST_ROUNDS + 3, MOST_ROUNDS + 3)):
        bench = FakeBench({"hpd": 1.0, EIGHT: [0.5, 1.5] * MOST_ROUNDS})
        assert len(finals_of(bench, asked).own) == n_rounds


def test_what_cannot_be_the_best_has_no_further_rounds() -> None:
    chance = random.Random(0)
    noise = [chance.uniform(0.7, 1.2) for _ in range(200)]
    # One is slower than the default, one slower than the best, and the best is hard to measure.
    times = {"hpd": 1.0, FOUR: 1.01, EIGHT: noise, "hpd:stack=2": 0.99}
    finals = finals_of(FakeBench(times), 5)
    assert len(finals.ratios[FOUR]) == 5
    assert 5 <= len(finals.ratios["hpd:stack=2"]) < len(finals.ratios[EIGHT])


def test_the_distance_from_the_best_setting_is_said() -> None:
    # The machine becomes slower, and then something disturbs one run.
    default = [1.0, 2.0, 15.0]
    finals = counted({"hpd": default, "hpd:stack=2": [1.0, 2.0, 3.0], EIGHT: [0.8, 1.6, 2.4]})
    assert str(finals) == (
        "timed again in 3 rounds, hpd takes 200.0 ms a document, 25.0% more than hpd:in_flight=8 "
        "(95% interval +25.0% to +525.0%)"
    )
    others = {"hpd:stack=2": [1.01] * 3, EIGHT: [1.1] * 3}
    assert "none of the 2 settings" in str(counted({"hpd": [1.0] * 3, **others}))


def test_wrong_answers_are_counted() -> None:
    finals = Finals()
    runs = {name: measurement(name, 1, 1.0, n_wrong=2) for name in ("hpd", EIGHT, FOUR)}
    finals.add(runs)
    finals.add({name: runs[name] for name in ("hpd", EIGHT)})
    assert finals.n_wrong == 10


@pytest.mark.parametrize("n", [1, 2, 5, 6, 8, 9, 20, 60])
def test_the_median_lies_in_its_interval_as_often_as_is_said(n: int) -> None:
    low, high = median_interval(range(n, 0, -1))
    assert low + high == n + 1
    # The k-th value is above the median if fewer than k of n coins fell below it.
    missed = 2 * sum(math.comb(n, k) for k in range(int(low))) / 2**n
    assert missed <= 0.05 or (low, high) == (1, n)
    more = 2 * sum(math.comb(n, k) for k in range(int(low) + 1)) / 2**n
    assert more > 0.05


def test_intervals_hold_the_median_of_a_skewed_distribution() -> None:
    chance = random.Random(1)
    median = math.log(2)
    n_held = sum(
        low <= median <= high
        for low, high in (
            median_interval([chance.expovariate(1) for _ in range(20)]) for _ in range(2000)
        )
    )
    assert 0.94 <= n_held / 2000 <= 0.98
    assert statistics.median([chance.expovariate(1) for _ in range(2001)]) == pytest.approx(
        median, rel=0.1
    )
