"""A short trial of several learning rates, of which training takes the best.

Each rate trains the model for a few updates from the same weights, over a schedule of its own that
ends at 0, and the loss on rows kept aside decides. Of the whole training that is an eighth for each
rate, and no more than a dozen updates.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import torch

from hpd.training.checkpoint import set_weights, trained_weights
from hpd.training.loop import Loop, LoopOptions, collate, loss_sum
from hpd.training.packing import NO_TARGET
from hpd.training.rows import TrainingRow

ADAPTER_RATES = (2e-4, 5e-4, 1e-3, 2e-3)
MODEL_RATES = (2e-5, 5e-5, 1e-4, 3e-4)
"""The rates that are tried for an adapter, and for all weights of a model."""

TRIAL_FILE = "learning-rates.json"

_N_STEPS = 12
_N_KEPT_ASIDE = 64

Say = Callable[[str], None]


def chosen_rate(
    model: Any,
    rows: Sequence[TrainingRow],
    dev_rows: Sequence[TrainingRow],
    rates: Sequence[float],
    options: LoopOptions,
    folder: Path,
    *,
    resume: bool,
    say: Say,
) -> float:
    """The learning rate with the least loss; the folder keeps the loss of each.

    Args:
        model: has the same weights afterwards.
        rows: what it is to learn.
        dev_rows: what decides; if there is nothing, a tenth of ``rows``, which the trial leaves
            out.
        rates: what is tried.
        options: of the training.
        folder: that of the training.
        resume: take what an earlier trial in the folder chose, if there was one.
        say: takes messages for people.
    """
    file = folder / TRIAL_FILE
    if resume and file.exists():
        losses = {float(rate): loss for rate, loss in json.loads(file.read_text()).items()}
    else:
        losses = trial(model, rows, dev_rows, rates, options)
        file.write_text(json.dumps(losses) + "\n", encoding="utf-8")
        told = ", ".join(f"{rate:g}: {loss:.4f}" for rate, loss in losses.items())
        say(f"loss after a short trial of each learning rate: {told}")
    return min(losses, key=lambda rate: losses[rate])


def trial(
    model: Any,
    rows: Sequence[TrainingRow],
    dev_rows: Sequence[TrainingRow],
    rates: Sequence[float],
    options: LoopOptions,
) -> dict[float, float]:
    """The loss of each learning rate, as a mean over the targets of what is kept aside."""
    if dev_rows:
        kept_aside = _some(dev_rows)
    else:
        kept_aside = list(rows[::10][:_N_KEPT_ASIDE])
        rows = [row for i, row in enumerate(rows) if i % 10 or i >= 10 * len(kept_aside)] or rows
    per_epoch = math.ceil(len(rows) / (options.batch_size * options.accumulate))
    n_steps = min(_N_STEPS, max(1, round(options.epochs * per_epoch) // 8))
    initial = trained_weights(model)
    losses = {}
    for rate in rates:
        with TemporaryDirectory() as folder:
            tried = replace(options, learning_rate=rate, epochs=n_steps / per_epoch)
            loop = Loop(model, rows, tried, Path(folder), quiet=True)
            loop.run()
        losses[rate] = _loss(model, kept_aside, loop)
        set_weights(model, initial)
    return losses


def _some(rows: Sequence[TrainingRow]) -> list[TrainingRow]:
    """Rows from all of a file, which may be sorted by category."""
    n = min(len(rows), _N_KEPT_ASIDE)
    return [rows[i * len(rows) // n] for i in range(n)]


def _loss(model: Any, rows: Sequence[TrainingRow], loop: Loop) -> float:
    size = loop.options.batch_size
    device = next(iter(loop.parameters)).device
    total = 0.0
    model.eval()
    with torch.no_grad(), loop.autocast():
        for start in range(0, len(rows), size):
            total += float(loss_sum(model, collate(rows[start : start + size], device)))
    loss = total / sum(int((row.targets != NO_TARGET).sum()) for row in rows)
    # A rate at which training breaks down is worse than any other.
    return math.inf if math.isnan(loss) else loss
