"""The limit on the rate of requests, on a clock that only waiting moves."""

import pytest

from hpd.evaluation.endpoint import RateLimiter


class Clock:
    def __init__(self):
        self.now = 100.0
        self.waits = []

    def sleep(self, seconds):
        self.waits.append(seconds)
        self.now += seconds


def test_requests_are_spaced_evenly():
    clock = Clock()
    pace = RateLimiter(30, lambda: clock.now, clock.sleep)
    for _ in range(4):
        pace.wait()
    assert clock.waits == [2, 2, 2]


def test_turns_that_nobody_took_are_not_made_up_for():
    clock = Clock()
    pace = RateLimiter(60, lambda: clock.now, clock.sleep)
    pace.wait()
    clock.now += 10
    pace.wait()
    pace.wait()
    assert clock.waits == [pytest.approx(1)]
