"""The time that a host steals, and the times of a token and of a row."""

import pytest

from decoding import engine_options, open_model
from hpd import _native
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
    monkeypatch.setattr(measure, "_STAT", tmp_path / "stat")
    monkeypatch.setattr(measure, "perf_counter", lambda: now)
    monkeypatch.setattr("os.cpu_count", lambda: 4)
    monkeypatch.setattr("os.sysconf", lambda name: {"SC_CLK_TCK": 100}[name], raising=False)
    stat(tmp_path / "stat", 1000)
    watch = StolenTime()
    now = 110.0
    stat(tmp_path / "stat", 1200)  # two of 4 x 10 seconds
    assert watch.share() == pytest.approx(0.05)


@pytest.mark.parametrize("text", [None, "", "cpu 1 2\n"])
def test_a_system_that_does_not_tell_has_taken_nothing(text, tmp_path, monkeypatch):
    monkeypatch.setattr(measure, "_STAT", tmp_path / "stat")
    if text is not None:
        (tmp_path / "stat").write_text(text)
    assert StolenTime().share() == 0


class FakeEngine:
    """An engine whose batches take given times, whatever the machine does."""

    def __init__(self, model, options):
        self._engine = _native.Engine(model, options)
        self.batches = []
        self.decode_seconds = 0.0

    def __getattr__(self, name):
        return getattr(self._engine, name)

    @property
    def stats(self):
        copy = FakeEngine.__new__(FakeEngine)
        copy.decode_seconds = self.decode_seconds
        return copy

    def step(self):
        before = self._engine.stats
        results = self._engine.step()
        after = self._engine.stats
        n_tokens, n_rows = after.n_tokens - before.n_tokens, after.n_rows - before.n_rows
        self.batches.append((n_tokens, n_rows))
        self.decode_seconds += 0.003 * n_tokens + 0.001 * n_rows
        return results


def test_a_token_and_a_row_are_told_apart(tiny_model, monkeypatch):
    model = open_model(tiny_model())
    made = []

    def make(model, options):
        made.append(FakeEngine(model, options))
        return made[-1]

    class Native:
        Engine = staticmethod(make)
        Field = _native.Field

    monkeypatch.setattr(measure, "_native", Native)
    found = measure.measure_unit_times(model, engine_options(n_batch=256, n_ubatch=256))
    assert (found.token, found.row) == pytest.approx((0.003, 0.001))
    # Full batches and small ones, after an instruction that is read before.
    assert made[0].batches[-3:] == [(256, 1), (128, 1), (128, 64)]
    assert found.lower_bound(100, 10) == pytest.approx(0.31)


def test_prices_are_measured_however_small_the_context_is(tiny_model):
    model = open_model(tiny_model())
    found = measure.measure_unit_times(model, engine_options(n_ctx=512))
    assert found.token > 0
    assert found.row >= 0
