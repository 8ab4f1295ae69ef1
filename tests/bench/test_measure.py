"""The time that a host steals."""

import pytest

from hpd.bench import measure
from hpd.bench.measure import MAX_STOLEN_SHARE, N_TRIES, StolenTime, least_disturbed


@pytest.mark.parametrize(
    ("shares", "kept", "n_runs"),
    [
        ([0.0], 0.0, 1),
        ([MAX_STOLEN_SHARE], MAX_STOLEN_SHARE, 1),
        ([0.5, 0.01, 0.0], 0.01, 2),
        ([0.5, 0.2, 0.4, 0.0], 0.2, N_TRIES),
    ],
)
def test_the_first_run_that_was_left_alone_counts_or_the_best(shares, kept, n_runs):
    runs = iter(shares)
    assert least_disturbed(lambda: next(runs), lambda share: share) == kept
    assert len(list(runs)) == len(shares) - n_runs


def stat(path, steal):
    path.write_text(f"cpu  1 2 3 4 5 6 7 {steal} 0 0\ncpu0 1 2 3 4 5 6 7 0 0 0\n")


def test_the_share_is_that_of_all_processors(tmp_path, monkeypatch):
    now = 100.0
    monkeypatch.setattr(measure, "perf_counter", lambda: now)
    monkeypatch.setattr("os.cpu_count", lambda: 4)
    monkeypatch.setattr("os.sysconf", lambda name: {"SC_CLK_TCK": 100}[name], raising=False)
    stat(tmp_path / "stat", 1000)
    watch = StolenTime(tmp_path / "stat")
    now = 110.0
    stat(tmp_path / "stat", 1200)  # two of 4 x 10 seconds
    assert watch.share() == pytest.approx(0.05)


@pytest.mark.parametrize("text", [None, "", "cpu 1 2\n"])
def test_a_system_that_does_not_tell_has_taken_nothing(text, tmp_path):
    if text is not None:
        (tmp_path / "stat").write_text(text)
    assert StolenTime(tmp_path / "stat").share() == 0
