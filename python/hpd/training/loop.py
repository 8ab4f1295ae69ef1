"""The training loop, for a number of minutes or of epochs."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch

from hpd.cli.terminal import progress_bar
from hpd.errors import InputError
from hpd.training.data import RowStream, read_ahead
from hpd.training.network import TrainedWeights, bf16_is_faster, loss_sum, pack
from hpd.training.rows import NO_TARGET, TrainingRow

LOG_FILE = "log.jsonl"
CHECKPOINT_FILE = "checkpoint.pt"
_SAVE_EVERY = 600.0
"""Seconds between checkpoints."""
LONGEST_PASS = 4096
"""Maximum tokens in one pass, if it has several rows; an update may have several passes."""
_MAX_GRADIENT_NORM = 1.0

Validate = Callable[[], dict[str, float]]
"""Returns the network's scores; ``f1`` decides which weights are best."""


@dataclass(frozen=True, kw_only=True, slots=True)
class LoopOptions:
    """Options of the training loop."""

    epochs: float | None = None
    """Passes over the documents; None: 3, or as many as the minutes allow."""
    minutes: float | None = None
    """Training time over all runs; None: until the epochs are over."""
    part: float | None = None
    """Minutes after which this run stops, and can be resumed."""
    batch_tokens: int = 2048
    """Minimum tokens per update."""
    learning_rate: float = 2e-4
    warmup: int = 30
    """Updates in which the learning rate rises, at most a twentieth of all."""
    decay: float = 0.25
    """Final part of training in which the learning rate falls linearly to 0."""
    weight_decay: float = 0.01
    bf16: bool | None = None
    """Compute in bfloat16; weights and updates stay F32. ``None``: if that is faster."""
    rounding: str = ""
    """Quantised type to round weights to while training; empty: none."""
    is_compiled: bool = False
    """Fuse norms, gates and rounding with the C++ compiler; results differ slightly."""
    seed: int = 0
    validate_every: int = 0
    """Updates between validations; 0: an epoch, or 200 if its length is unknown."""
    patience: int = 3
    """Validations without a better F1 before training stops early; 0: never."""


@dataclass(slots=True)
class TrainingProgress:
    """Progress of a run."""

    step: int = 0
    """Updates done."""
    n_rows: int = 0
    """Rows taken from the stream."""
    n_tokens: int = 0
    seconds: float = 0.0
    """Training time over all runs."""
    best_f1: float = -1.0
    best_step: int = 0
    n_worse: int = 0
    """Validations since the best one."""
    is_done: bool = False


class TrainingLoop:
    """A training run in a folder, which can be resumed on another machine.

    Args:
        network: the network to train.
        stream: the training rows.
        options: options of the loop.
        folder: where the log and the checkpoint are written.
        validate: returns the network's current scores.
        settings: settings that must not change when the run is resumed.
        quiet: hide the progress line.
    """

    def __init__(
        self,
        network: Any,
        stream: RowStream,
        options: LoopOptions,
        folder: Path,
        validate: Validate | None = None,
        *,
        settings: dict[str, Any] | None = None,
        quiet: bool = False,
    ) -> None:
        self.network, self.stream, self.options = network, stream, options
        self.folder, self.validate, self.quiet = folder, validate, quiet
        self.settings = {
            **(settings or {}), "seed": options.seed, "rounding": options.rounding,
        }  # fmt: skip
        self.device = next(network.parameters()).device
        wanted = options.bf16
        is_bf16 = bf16_is_faster(self.device.type) if wanted is None else wanted
        dtype = torch.bfloat16 if is_bf16 else torch.float32
        self.weights = TrainedWeights(
            network, dtype, options.rounding, is_compiled=options.is_compiled
        )
        weights, decay = list(self.weights), options.weight_decay
        self.optimizer = torch.optim.AdamW(
            [
                # No weight decay for norms.
                {"params": [p for p in weights if p.ndim > 1], "weight_decay": decay},
                {"params": [p for p in weights if p.ndim <= 1], "weight_decay": 0.0},
            ],
            lr=options.learning_rate,
            betas=(0.9, 0.95),
            fused=True,
        )
        self.progress = TrainingProgress()
        self.best: dict[str, Any] = {}
        self.n_rows: float | None = None
        """Total number of rows; None: unknown."""
        self.per_epoch = 0
        self._n_validated_epochs = 0

    def run(self, *, resume: bool = False) -> TrainingProgress:
        """Train; once training is complete, the network has its best weights, in F32.

        Args:
            resume: start from the folder's checkpoint, if there is one.
        """
        is_resumed = resume and self._load()
        self.folder.mkdir(parents=True, exist_ok=True)
        if self.options.epochs is not None:
            self.per_epoch = self.stream.per_epoch()
            self.n_rows = self.options.epochs * self.per_epoch
        started = saved = time.monotonic()
        end = None if self.options.part is None else started + 60 * self.options.part
        with (
            (self.folder / LOG_FILE).open("a" if is_resumed else "w", encoding="utf-8") as log,
            progress_bar() if not self.quiet and sys.stderr.isatty() else nullcontext() as bar,
            read_ahead(self.stream.rows(self.progress.n_rows)) as rows,
        ):
            if self.validate is not None and not is_resumed:
                # The baseline: training must not make the network worse.
                self._write(log, self._judge(self.validate))
            if bar is not None:
                bar.add_task("", total=1.0, done="", details="")
            is_over = False
            try:
                while not self.progress.is_done and not is_over:
                    batch = self._batch(rows)
                    if batch:
                        entry = self._step(batch)
                        self._write(log, entry)
                        self._show(bar, entry)
                    self.progress.is_done = not batch or self.done() >= 1
                    if self.validate is not None and self._is_due():
                        self._write(log, self._judge(self.validate))
                    now = time.monotonic()
                    if now - saved > _SAVE_EVERY:
                        self._save()
                        saved = now
                    is_over = end is not None and now >= end
            except KeyboardInterrupt:
                self._save()
                raise
        self._save()
        if self.progress.is_done:
            self.weights.finish(self.best)
        return self.progress

    def done(self) -> float:
        """Return the fraction of training that is done."""
        parts = [0.0]
        if self.options.minutes is not None:
            parts.append(self.progress.seconds / (60 * self.options.minutes + 1e-9))
        if self.n_rows is not None:
            parts.append(self.progress.n_rows / (self.n_rows + 1e-9) + 1e-9)
        return max(parts)

    def learning_rate(self) -> float:
        """Return the learning rate of the next update."""
        done = self.done()
        rising = max((self.progress.step + 1) / max(1, self.options.warmup), done / 0.05)
        falling = (1 - done) / self.options.decay if self.options.decay else 1.0
        return self.options.learning_rate * max(0.0, min(1.0, rising, falling))

    def _batch(self, rows: Iterator[tuple[int, TrainingRow]]) -> list[TrainingRow]:
        batch: list[TrainingRow] = []
        n_tokens = 0
        while n_tokens < self.options.batch_tokens:
            if self.n_rows is not None and self.progress.n_rows >= self.n_rows:
                break
            number, row = next(rows, (0, None))
            if row is None:
                break
            self.progress.n_rows = number
            batch.append(row)
            n_tokens += len(row)
        return batch

    def _step(self, rows: list[TrainingRow]) -> dict[str, float]:
        start = time.monotonic()
        rate = self.learning_rate()
        n_targets = sum(int((row.targets != NO_TARGET).sum()) for row in rows)
        loss = 0.0
        n_tokens = sum(map(len, rows))
        self.network.train()
        for part in _passes(rows):
            # Every target of the update has the same weight, whichever pass it is in.
            mean = loss_sum(self.network, pack(part, self.device)) / n_targets
            mean.backward()
            loss += mean.item()
        self.weights.take_gradients()
        norm = torch.nn.utils.clip_grad_norm_(list(self.weights), _MAX_GRADIENT_NORM)
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        self.optimizer.step()
        self.optimizer.zero_grad(set_to_none=True)
        self.weights.put()
        seconds = time.monotonic() - start
        progress = self.progress
        progress.step += 1
        progress.n_tokens += n_tokens
        progress.seconds += seconds
        return {
            "step": progress.step, "rows": progress.n_rows, "tokens": progress.n_tokens,
            "minutes": round(progress.seconds / 60, 2), "loss": round(loss, 5),
            "learning_rate": rate, "gradient_norm": round(float(norm), 4),
            "tokens_per_second": round(n_tokens / seconds, 1),
        }  # fmt: skip

    def _is_due(self) -> bool:
        every = self.options.validate_every
        if self.progress.is_done:
            return True
        if every:
            return self.progress.step % every == 0
        if not self.per_epoch:
            return self.progress.step % 200 == 0
        n_epochs = self.progress.n_rows // self.per_epoch
        is_new = n_epochs > self._n_validated_epochs
        self._n_validated_epochs = n_epochs
        return is_new

    def _judge(self, validate: Validate) -> dict[str, Any]:
        self.network.eval()
        with torch.no_grad():
            scores = validate()
        progress = self.progress
        if scores["f1"] > progress.best_f1:
            progress.best_f1, progress.best_step, progress.n_worse = scores["f1"], progress.step, 0
            self.best = self.weights.copy()
        else:
            progress.n_worse += 1
            progress.is_done |= 0 < self.options.patience <= progress.n_worse
        return {"step": progress.step, "validation": scores, "best": progress.n_worse == 0}

    def _save(self) -> None:
        """Replace the checkpoint atomically."""
        path = self.folder / CHECKPOINT_FILE
        fresh = path.with_suffix(".new")
        state = {
            "progress": asdict(self.progress), "weights": self.weights.copy(),
            "best": self.best, "optimizer": self.optimizer.state_dict(),
            "settings": self.settings,
        }  # fmt: skip
        torch.save(state, fresh)
        os.replace(fresh, path)

    def _load(self) -> bool:
        path = self.folder / CHECKPOINT_FILE
        if not path.exists():
            return False
        saved = torch.load(path, map_location=self.device, weights_only=True)
        for name, value in self.settings.items():
            before = saved["settings"].get(name)
            if before != value:
                raise InputError(
                    f"{path} belongs to a run with {name} {before}, not {value}: "
                    "use the same settings, or another folder"
                )
        self.progress = TrainingProgress(**saved["progress"])
        self.best = saved["best"]
        self.weights.set(saved["weights"])
        self.optimizer.load_state_dict(saved["optimizer"])
        return True

    def _show(self, bar: Any, entry: dict[str, float]) -> None:
        if bar is None:
            return
        best = f"  best F1 {self.progress.best_f1:.1f}" if self.best else ""
        details = f"loss {entry['loss']:.3f}  {entry['tokens_per_second']:.0f} tokens/s{best}"
        done = self.done()
        bar.update(bar.tasks[0].id, completed=done, done=f"{done:.0%}", details=details)

    def _write(self, log: Any, entry: dict[str, Any]) -> None:
        log.write(json.dumps(entry) + "\n")
        log.flush()


def _passes(rows: list[TrainingRow]) -> Iterator[list[TrainingRow]]:
    """Split rows into parts that fit into memory."""
    part: list[TrainingRow] = []
    for row in rows:
        if part and sum(map(len, part)) + len(row) > LONGEST_PASS:
            yield part
            part = []
        part.append(row)
    yield part
