"""``benchmarks/plan.py``: machines, hours and dollars."""

from pathlib import Path

import pytest

from benchmarking import measurement
from benchmarks import plan
from benchmarks.plan import Rate
from hpd.bench.rounds import summarise
from jsonl import write_lines

SECOND = Rate("pages", "qwen3:0.6b", 1000.0, "a machine")
ALONE = {"price_per_hour": 2.0, "efficiency": 1.0, "start_minutes": 0.0}


def test_a_million_seconds():
    needed = plan.plan(SECOND, 1_000_000, hours=24, **ALONE)
    assert needed.n_machines == 12  # 277.8 hours of one
    assert needed.hours == pytest.approx(1_000_000 / 3600 / 12)
    assert needed.dollars == pytest.approx(2 * 1_000_000 / 3600)


def test_what_is_lost_and_the_start_are_paid_for():
    needed = plan.plan(SECOND, 3600, hours=1, price_per_hour=1.0, efficiency=0.5, start_minutes=30)
    # Two hours of work, of which each machine does half an hour.
    assert (needed.n_machines, needed.hours, needed.dollars) == (4, 1.0, 4.0)
    with pytest.raises(ValueError, match="takes 60 minutes to start"):
        plan.plan(SECOND, 1, hours=1, price_per_hour=1.0, efficiency=1.0, start_minutes=60)


def test_few_documents_need_one_machine():
    assert plan.plan(SECOND, 1, hours=24, **ALONE).n_machines == 1


def test_other_sizes_are_scaled_by_the_weights_of_their_layers():
    larger = SECOND.scaled_to("qwen3:8b")
    # 6.95 thousand million weights in the layers, instead of 0.44.
    assert larger.ms_per_document == pytest.approx(15_770, rel=0.01)
    assert (larger.is_measured, larger.model, larger.workload) == (False, "qwen3:8b", "pages")
    unknown = Rate("pages", "mine", 1.0, "a machine")
    assert list(plan.with_other_sizes([unknown], ["qwen3:8b"])) == [unknown]


def test_the_page_shows_the_plan_of_the_stored_rates(capsys):
    page = (Path(__file__).parents[2] / "docs" / "million.md").read_text(encoding="utf-8")
    assert plan.stored_rates()
    plan.main(["--price-per-hour", "0.10"])
    assert capsys.readouterr().out.strip() in page


def test_rates_of_one_s_own(tmp_path, capsys):
    runs = [measurement(name, 1, 2.0) for name in ("prefill", "hpd", "hpd:in_flight=4")]
    known = {"type": "environment", "workload": "mails", "n_cores": 8, "processor": "Fast"}
    figures = write_lines(tmp_path / "figures.jsonl", known, *summarise(runs))
    rates = plan.measured_rates(figures, "qwen3:4b")
    assert [rate.workload for rate in rates] == ["mails, hpd", "mails, hpd:in_flight=4"]
    plan.main([str(figures), "--model", "qwen3:4b", "--price-per-hour", "1", "--scale-to"])
    out = capsys.readouterr().out
    assert out.startswith("1,000,000 documents in 24 hours at most, on machines at 1 dollars")
    assert out.count("measured") == 3
    assert "8 cores of Fast" in out

    write_lines(figures, known)
    with pytest.raises(SystemExit):
        plan.main([str(figures), "--price-per-hour", "1"])
    assert "no summary of the method hpd" in capsys.readouterr().err
