"""The limit on the rate of requests, on a clock that only waiting moves."""

import pytest

from hpd.evaluation import endpoint
from hpd.evaluation.endpoint import RateLimiter


class Clock:
    def __init__(self):
        self.now = 100.0
        self.waits = []

    def monotonic(self):
        return self.now

    def sleep(self, seconds):
        self.waits.append(seconds)
        self.now += seconds


@pytest.fixture
def clock(monkeypatch):
    clock = Clock()
    monkeypatch.setattr(endpoint, "time", clock)
    return clock


def test_requests_are_spaced_evenly(clock):
    pace = RateLimiter(30)
    for _ in range(4):
        pace.wait()
    assert clock.waits == [2, 2, 2]


def test_turns_that_nobody_took_are_not_made_up_for(clock):
    pace = RateLimiter(60)
    pace.wait()
    clock.now += 10
    pace.wait()
    pace.wait()
    assert clock.waits == [pytest.approx(1)]
