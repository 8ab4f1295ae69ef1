"""The training loop: rows in, a better model out."""

from __future__ import annotations

import json
import math
import random
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from tqdm import tqdm

from hpd.training import masks
from hpd.training.checkpoint import Checkpoint, Progress, set_weights, trained_weights
from hpd.training.lora import plain
from hpd.training.models import attention_mask
from hpd.training.packing import NO_TARGET
from hpd.training.precision import bf16_is_faster
from hpd.training.rows import TrainingRow

LOG_FILE = "log.jsonl"

Validate = Callable[[Any], dict[str, float]]
"""Scores of a model; ``f1`` is the one that counts."""


@dataclass(frozen=True, kw_only=True, slots=True)
class LoopOptions:
    """The options of the training loop."""

    epochs: float = 3.0
    batch_size: int = 4
    """Rows computed together."""
    accumulate: int = 4
    """Batches in one update."""
    learning_rate: float = 2e-4
    warmup: float = 0.05
    """Part of all updates in which the learning rate rises; then it falls along a cosine to 0."""
    weight_decay: float = 0.0
    max_grad_norm: float = 1.0
    bf16: bool | None = None
    """Compute in bfloat16; weights and updates stay F32. ``None``: where that is faster."""
    seed: int = 0
    validate_every: int = 0
    """Updates between two validations; 0: an epoch."""
    patience: int = 3
    """Validations without a better F1 after which training ends; 0: it never ends early."""


class Batch(NamedTuple):
    """Rows as tensors."""

    tokens: Any
    positions: Any
    mask: Any
    targets: Any
    n_tokens: int
    """Without padding."""


def collate(rows: Sequence[TrainingRow], device: Any = "cpu") -> Batch:
    """Rows padded on the right to the longest one."""
    roles = masks.stack([row.roles for row in rows])
    shape = roles.kind.shape
    tokens = np.zeros(shape, dtype=np.int64)
    targets = np.full(shape, NO_TARGET, dtype=np.int64)
    for index, row in enumerate(rows):
        tokens[index, : len(row)] = row.tokens
        targets[index, : len(row)] = row.targets
    on_device = masks.to_tensors(roles, device)
    mask = [
        masks.dense(row.mask, on_device.at(slice(index, index + 1)))
        for index, row in enumerate(rows)
    ]
    return Batch(
        torch.from_numpy(tokens).to(device),
        on_device.position,
        torch.cat(mask),
        torch.from_numpy(targets).to(device),
        sum(len(row) for row in rows),
    )


def loss_sum(model: Any, batch: Batch) -> Any:
    """The cross entropies of all targets of a batch, added up."""
    causal_model = plain(model)
    hidden = causal_model.get_decoder()(
        input_ids=batch.tokens,
        position_ids=batch.positions,
        attention_mask=attention_mask(causal_model, batch.mask, batch.positions, batch.positions),
        use_cache=False,
    ).last_hidden_state
    # Only where something is taught does the output matrix cost anything.
    taught = batch.targets != NO_TARGET
    logits = causal_model.get_output_embeddings()(hidden[taught])
    return torch.nn.functional.cross_entropy(logits.float(), batch.targets[taught], reduction="sum")


class Loop:
    """One training run in one folder; ``run`` goes on from the folder's checkpoint if asked to."""

    def __init__(
        self,
        model: Any,
        rows: Sequence[TrainingRow],
        options: LoopOptions,
        folder: Path,
        validate: Validate | None = None,
        *,
        settings: dict[str, Any] | None = None,
        quiet: bool = False,
    ) -> None:
        self.model = model
        self.rows = rows
        self.options = options
        self.folder = folder
        self.validate = validate
        self.quiet = quiet
        self.settings = {**(settings or {}), "rows": len(rows), "seed": options.seed}
        self.progress = Progress()
        self.best_weights: dict[str, Any] = {}
        self.per_epoch = math.ceil(len(rows) / (options.batch_size * options.accumulate))
        self.n_steps = max(1, round(options.epochs * self.per_epoch))
        self.settings["steps"] = self.n_steps
        parameters = [p for p in model.parameters() if p.requires_grad]
        self.parameters = parameters
        decay = options.weight_decay
        self.optimizer = torch.optim.AdamW(
            [
                # Norms are not pulled towards 0.
                {"params": [p for p in parameters if p.ndim > 1], "weight_decay": decay},
                {"params": [p for p in parameters if p.ndim <= 1], "weight_decay": 0.0},
            ],
            lr=options.learning_rate,
            betas=(0.9, 0.98),
        )

    def run(self, *, resume: bool = False, stop_after: int | None = None) -> Progress:
        """Train; the model then has its best weights.

        Args:
            resume: go on from the folder's checkpoint, if there is one.
            stop_after: stop at this step, leaving a checkpoint, as an interruption would.
        """
        saved = Checkpoint.load(self.folder, self.settings) if resume else None
        if saved is not None:
            self.progress = saved.progress
            self.best_weights = saved.best_weights
            set_weights(self.model, saved.weights)
            self.optimizer.load_state_dict(saved.optimizer)
        self.folder.mkdir(parents=True, exist_ok=True)
        end = min(self.n_steps, stop_after or self.n_steps)
        every = self.options.validate_every or self.per_epoch
        with (
            (self.folder / LOG_FILE).open("a" if saved else "w", encoding="utf-8") as log,
            self._bar() as bar,
        ):
            if self.validate is not None and saved is None:
                # What the model can do before: training must not make it worse.
                self._write(log, self._judge(self.validate))
            try:
                while self.progress.step < end and not self.progress.stopped:
                    entry = self._step()
                    self._write(log, entry)
                    self._show(bar, entry)
                    step = self.progress.step
                    if step % every == 0 or step == self.n_steps:
                        if self.validate is not None:
                            self._write(log, self._judge(self.validate))
                        self._save()
            except KeyboardInterrupt:
                self._save()
                raise
        if self.progress.step < self.n_steps and not self.progress.stopped:
            self._save()
        elif self.best_weights:
            set_weights(self.model, self.best_weights)
        return self.progress

    def learning_rate(self, step: int) -> float:
        """The learning rate of an update, counted from 0."""
        n_warmup = max(1, round(self.options.warmup * self.n_steps))
        if step < n_warmup:
            return self.options.learning_rate * (step + 1) / n_warmup
        done = (step - n_warmup) / max(1, self.n_steps - n_warmup)
        return self.options.learning_rate * 0.5 * (1 + math.cos(math.pi * done))

    def batches(self, step: int) -> list[list[TrainingRow]]:
        """The rows of an update, those of one length together."""
        epoch, number = divmod(step, self.per_epoch)
        order = list(range(len(self.rows)))
        random.Random(f"{self.options.seed}/{epoch}").shuffle(order)
        size = self.options.batch_size
        start = number * size * self.options.accumulate
        chosen = [self.rows[i] for i in order[start : start + size * self.options.accumulate]]
        chosen.sort(key=len)
        return [chosen[i : i + size] for i in range(0, len(chosen), size)]

    def _step(self) -> dict[str, float]:
        start = time.perf_counter()
        device = next(iter(self.parameters)).device
        step = self.progress.step
        batches = self.batches(step)
        n_targets = sum(int((row.targets != NO_TARGET).sum()) for rows in batches for row in rows)
        loss = 0.0
        n_tokens = 0
        self.model.train()
        for rows in batches:
            batch = collate(rows, device)
            with self.autocast():
                # Every target of the update counts the same, in whichever batch it is.
                part = loss_sum(self.model, batch) / n_targets
            part.backward()
            loss += part.item()
            n_tokens += batch.n_tokens
        norm = torch.nn.utils.clip_grad_norm_(self.parameters, self.options.max_grad_norm)
        rate = self.learning_rate(step)
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        self.optimizer.step()
        self.optimizer.zero_grad(set_to_none=True)
        self.progress.step += 1
        return {
            "step": self.progress.step,
            "epoch": round(self.progress.step / self.per_epoch, 3),
            "loss": round(loss, 5),
            "learning_rate": rate,
            "gradient_norm": round(float(norm), 4),
            "tokens_per_second": round(n_tokens / (time.perf_counter() - start), 1),
        }

    def autocast(self) -> AbstractContextManager[Any]:
        """bfloat16, if that is wanted, or nothing is said and the device is faster with it."""
        device = next(iter(self.parameters)).device.type
        wanted = self.options.bf16
        enabled = bf16_is_faster(device) if wanted is None else wanted
        context: AbstractContextManager[Any] = torch.autocast(
            device, torch.bfloat16, enabled=enabled
        )
        return context

    def _judge(self, validate: Validate) -> dict[str, Any]:
        self.model.eval()
        with torch.no_grad(), self.autocast():
            scores = validate(self.model)
        progress = self.progress
        if scores["f1"] > progress.best_f1:
            progress.best_f1, progress.best_step, progress.n_worse = scores["f1"], progress.step, 0
            self.best_weights = trained_weights(self.model)
        else:
            progress.n_worse += 1
            progress.stopped = 0 < self.options.patience <= progress.n_worse
        return {"step": progress.step, "validation": scores, "best": progress.n_worse == 0}

    def _save(self) -> None:
        weights = trained_weights(self.model)
        optimizer = self.optimizer.state_dict()
        Checkpoint(self.progress, weights, optimizer, self.best_weights, self.settings).save(
            self.folder
        )

    def _bar(self) -> Any:
        return tqdm(
            total=self.n_steps,
            initial=self.progress.step,
            unit="step",
            disable=True if self.quiet else None,
            dynamic_ncols=True,
        )

    def _show(self, bar: Any, entry: dict[str, float]) -> None:
        best = f", best F1 {self.progress.best_f1:.1f}" if self.best_weights else ""
        bar.set_postfix_str(
            f"loss {entry['loss']:.3f}, {entry['tokens_per_second']:.0f} tokens/s{best}"
        )
        bar.update()

    def _write(self, log: Any, entry: dict[str, Any]) -> None:
        log.write(json.dumps(entry) + "\n")
        log.flush()


def log_entries(folder: Path) -> Iterator[dict[str, Any]]:
    """The lines of a run's log."""
    with (folder / LOG_FILE).open(encoding="utf-8") as file:
        for line in file:
            yield json.loads(line)
