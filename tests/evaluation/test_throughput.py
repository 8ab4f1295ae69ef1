"""Cost and throughput, by the run's clock and by the lines'."""

from __future__ import annotations

import json

import pytest

from hpd.evaluation.assessment import throughput
from hpd.evaluation.rows import Prediction


def line(**usage: float) -> Prediction:
    return Prediction("1", {}, raw={"usage": usage} if usage else {})


LINES = [
    line(prompt_tokens=100, cached_tokens=60, completion_tokens=8, steps=4, seconds=0.5),
    line(prompt_tokens=50, completion_tokens=4, steps=2, seconds=0.3),
    line(),
]


def test_by_the_lines_own_times_it_is_a_bound() -> None:
    cost = throughput(LINES, price_per_hour=3.6)
    assert cost is not None
    assert cost.is_bound
    assert cost.n_documents == 2
    assert cost.totals == {
        "prompt_tokens": 150, "cached_tokens": 60, "completion_tokens": 12, "steps": 6,
    }  # fmt: skip
    assert cost.documents_per_second == pytest.approx(2 / 0.8)
    # A tenth of a cent a second, and 0.4 seconds a document.
    assert cost.dollars_per_1000 == pytest.approx(0.4)
    assert json.loads(json.dumps(cost.to_json()))["is_bound"] is True


def test_by_the_run_s_clock() -> None:
    cost = throughput(LINES, wall_seconds=0.1, price_per_hour=36)
    assert cost is not None
    assert not cost.is_bound
    assert cost.documents_per_second == pytest.approx(20)
    assert cost.dollars_per_1000 == pytest.approx(0.5)


def test_without_a_price_or_a_time() -> None:
    cost = throughput([line(prompt_tokens=3)], price_per_hour=1)
    assert cost is not None
    assert (cost.documents_per_second, cost.dollars_per_1000) == (None, None)
    assert throughput(LINES).dollars_per_1000 is None  # type: ignore[union-attr]
    assert throughput([line()]) is None
