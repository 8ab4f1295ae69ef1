"""The prices of a token and a row: that they come from the batches that are meant."""

from __future__ import annotations

from typing import Any

import pytest

from decoding import engine_options, open_model
from hpd import _native
from hpd.bench import measure
from tiny_models import TinyModel


class Told:
    """An engine whose batches take as long as it is told, whatever the machine does."""

    def __init__(self, model: _native.Model, options: _native.EngineOptions) -> None:
        self._engine = _native.Engine(model, options)
        self.batches: list[tuple[int, int]] = []
        self.decode_seconds = 0.0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._engine, name)

    @property
    def stats(self) -> Any:
        told = Told.__new__(Told)
        told.decode_seconds = self.decode_seconds
        return told

    def step(self) -> list[_native.Result]:
        before = self._engine.stats
        results = self._engine.step()
        after = self._engine.stats
        n_tokens, n_rows = after.n_tokens - before.n_tokens, after.n_rows - before.n_rows
        self.batches.append((n_tokens, n_rows))
        self.decode_seconds += 0.003 * n_tokens + 0.001 * n_rows
        return results


def test_a_token_and_a_row_are_told_apart(
    tiny_model: TinyModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = open_model(tiny_model())
    made: list[Told] = []

    def make(model: _native.Model, options: _native.EngineOptions) -> Told:
        made.append(Told(model, options))
        return made[-1]

    class Native:
        Engine = staticmethod(make)
        Field = _native.Field

    monkeypatch.setattr(measure, "_native", Native)
    found = measure.measure_prices(model, engine_options(n_batch=256, n_ubatch=256))
    assert (found.token, found.row) == pytest.approx((0.003, 0.001))
    # Full batches and small ones, behind an instruction that is read before.
    assert made[0].batches[-3:] == [(256, 1), (128, 1), (128, 64)]
    assert found.bill(100, 10) == pytest.approx(0.31)


def test_prices_are_measured_however_small_the_context_is(tiny_model: TinyModel) -> None:
    model = open_model(tiny_model())
    found = measure.measure_prices(model, engine_options(n_ctx=512))
    assert found.token > 0
    assert found.row >= 0
