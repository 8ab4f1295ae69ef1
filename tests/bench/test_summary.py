"""Rounds and their figures: ratios, yardsticks, tables."""

import pytest

from benchmarking import FakeBench, measurement
from hpd.bench.methods import parse_contest
from hpd.bench.rounds import n_different, run_rounds, summarise, table_rows


def test_ratios_are_taken_within_rounds():
    # The machine is half as fast in the second round: no ratio may change.
    measurements = [
        measurement(method, number, seconds * number)
        for number in (1, 2)
        for method, seconds in [("prefill", 1.0), ("ar", 10.0), ("hpd", 1.25)]
    ]
    rows = {row["method"]: row for row in summarise(measurements)}
    assert rows["hpd"]["speedup_ar"] == pytest.approx(8)
    assert rows["hpd"]["ratio_prefill"] == pytest.approx(1.25)
    assert rows["hpd"]["speedup_ar_batched"] is None
    assert rows["hpd"]["ms_per_document"] == pytest.approx(187.5)
    assert rows["hpd"]["spread"] == pytest.approx(2 / 3)


def test_the_best_batched_setting_is_the_yardstick():
    measurements = [
        measurement("ar-batched:in_flight=4", 1, 8.0),
        measurement("ar-batched:in_flight=8", 1, 6.0),
        measurement("hpd", 1, 2.0),
        # Only the better one went on, and is slower now.
        measurement("ar-batched:in_flight=8", 2, 10.0),
        measurement("hpd", 2, 2.0),
    ]
    rows = {row["method"]: row for row in summarise(measurements)}
    assert rows["hpd"]["speedup_ar_batched"] == pytest.approx((3 + 5) / 2)


def test_plain_ar_is_the_yardstick_whatever_else_is_tried():
    measurements = [
        measurement("ar", 1, 8.0),
        measurement("ar:drafts=on", 1, 4.0, kind="ar"),
        measurement("hpd", 1, 2.0),
    ]
    rows = {row["method"]: row for row in summarise(measurements)}
    assert rows["hpd"]["speedup_ar"] == pytest.approx(4)
    assert rows["ar:drafts=on"]["speedup_ar"] == pytest.approx(2)


def test_price_and_drafts_are_counted():
    (row,) = summarise(
        [measurement("hpd", 1, 36.0, n_rows=50, n_drafted=40, n_accepted=10)], price_per_hour=2.0
    )
    assert row["dollars_per_1000"] == pytest.approx(1000 * 3.6 / 3600 * 2)
    assert row["acceptance"] == pytest.approx(0.25)
    assert row["rows"] == pytest.approx(5)


def test_empty_columns_are_left_out():
    rows = table_rows(summarise([measurement("ar", 1, 1.0)]))
    assert "x ar" in rows[0]
    assert "x ar-b." not in rows[0]
    assert "$/1000" not in rows[0]
    assert {len(row) for row in rows} == {len(rows[0])}


def test_only_the_fastest_of_a_contest_goes_on():
    bench = FakeBench({"ar:in_flight=1": 3.0, "ar:in_flight=2": 1.0, "hpd": 9.0})
    contests = [parse_contest("ar:in_flight=1|2"), parse_contest("hpd")]
    rounds = run_rounds(bench, contests, 3)
    assert bench.asked == [
        (1, "ar:in_flight=1"),
        (1, "ar:in_flight=2"),
        (1, "hpd"),
        # Backwards, so that a drift favours none.
        (2, "hpd"),
        (2, "ar:in_flight=2"),
        (3, "ar:in_flight=2"),
        (3, "hpd"),
    ]
    assert len(rounds.measurements) == 7
    assert rounds.answers["hpd"] == {0: "hpd"}


def test_reading_writing_and_the_host_make_up_the_time():
    run = measurement("hpd", 1, 10.0, llama_seconds=8.0, reading_seconds=5.0, host_seconds=2.0)
    (row,) = summarise([run])
    parts = [row[name] for name in ("reading_ms", "writing_ms", "host_ms")]
    assert parts == pytest.approx([500, 300, 200])
    assert sum(parts) == pytest.approx(row["ms_per_document"])


def test_different_answers_are_counted():
    reference = {0: {"a": 2}, 1: {}, 2: {"a": 3}}
    assert n_different({0: {"a": 1}, 1: {}}, reference) == 1
