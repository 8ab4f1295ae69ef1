"""The prices of a token and of a row of logits on this machine, and the bill that they make."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median

from hpd import _native

_N_INSTRUCTION = 128
_N_FIELDS = 64
_N_TIMES = 3


@dataclass(frozen=True, slots=True)
class Prices:
    """Seconds of llama.cpp's time."""

    token: float
    """A token in a full batch, behind an instruction that is in the cache."""
    row: float
    """A row of logits: its pass through the output matrix, and the search for its best word."""

    @classmethod
    def between(cls, before: Prices, after: Prices) -> Prices:
        """The prices of what ran between two measurements: their means."""
        return cls((before.token + after.token) / 2, (before.row + after.row) / 2)

    def bill(self, n_tokens: int, n_rows: int) -> float:
        """The seconds for which tokens and rows cannot be had cheaper than in full batches."""
        return n_tokens * self.token + n_rows * self.row


def measure_prices(model: _native.Model, options: _native.EngineOptions) -> Prices:
    """Decode full batches with one row for the price of a token, and small ones with one row and
    with many for that of a row, which would be lost in the time of a full batch. Medians of three.

    The tokens are arbitrary, as only the shape of a batch matters for its time.
    """
    engine = _native.Engine(model, options)
    n_batch = min(options.n_batch, engine.n_ctx // 2, (model.n_ctx_train or engine.n_ctx) // 2)
    n_fields = min(_N_FIELDS, n_batch // 2)
    shapes = {"full": (n_batch, 1), "few": (2 * n_fields, 1), "many": (2 * n_fields, n_fields)}
    times: dict[str, list[float]] = {name: [] for name in shapes}
    number = 0
    try:
        _seconds(engine, model, number, n_batch, n_fields)  # reads the instruction, and warms up
        for _ in range(_N_TIMES):
            for name, shape in shapes.items():
                number += 1
                times[name].append(_seconds(engine, model, number, *shape))
    finally:
        engine.close()
    full, few, many = (median(times[name]) for name in shapes)
    row = max(0.0, (many - few) / (n_fields - 1))
    return Prices(max(0.0, full - row) / n_batch, row)


def _seconds(
    engine: _native.Engine, model: _native.Model, number: int, n_batch: int, n_fields: int
) -> float:
    """The time of a batch that reads a document with this many keys of one token each."""

    def tokens(first: int, n: int) -> list[int]:
        return [(first + i) % model.n_vocab for i in range(n)]

    prompt = tokens(0, _N_INSTRUCTION) + tokens(1000 * (number + 1), n_batch - n_fields)
    # Keys that begin alike would share their tokens.
    fields = [_native.Field(key, max_tokens=1) for key in zip(tokens(0, n_fields), strict=True)]
    before = engine.stats
    engine.submit(number, prompt, fields, n_instruction=_N_INSTRUCTION)
    while not engine.idle:
        engine.step()
    return engine.stats.decode_seconds - before.decode_seconds
