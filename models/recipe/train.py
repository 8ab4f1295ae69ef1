"""Train the box from nothing, or go on from a checkpoint.

    PYTHONPATH=python:models python models/recipe/train.py FOLDER --until 23:15

The schedule follows the clock: the learning rate reaches zero at the planned end, however fast the
machine is. FOLDER gets ``tokenizer.json``, ``checkpoint.pt`` and ``log.jsonl``.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from datetime import datetime, timedelta
from pathlib import Path

import torch
from torch import Tensor
from torch.nn import functional

from recipe.batches import BatchShape, Producer
from recipe.model import Box, Shape, traits_of
from recipe.optimizer import Optimizer
from recipe.planting import plant_copying
from recipe.tokenizer import save, train_tokenizer

SEED = 20_261_120


def main() -> None:
    """Parse the arguments, start or resume, and train until the planned end."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--until", help="local time HH:MM at which the rate reaches zero")
    parser.add_argument("--minutes", type=float, default=90.0, help="instead of --until")
    parser.add_argument("--rows", type=int, default=8)
    parser.add_argument("--cols", type=int, default=512)
    parser.add_argument("--targets", type=int, default=2048)
    parser.add_argument("--checkpoint-every", type=float, default=150.0, help="seconds")
    arguments = parser.parse_args()
    torch.set_num_threads(2)
    torch.manual_seed(SEED)
    folder: Path = arguments.folder
    tokenizer_file = folder / "tokenizer.json"
    if not tokenizer_file.exists():
        save(train_tokenizer(), folder)
    model, optimizer, seen = open_model(folder)
    batch_shape = BatchShape(arguments.rows, arguments.cols, arguments.targets)
    producer = Producer(str(tokenizer_file), batch_shape, SEED + seen["steps"])
    end = planned_end(arguments)
    train(model, optimizer, producer, folder, seen, end, arguments.checkpoint_every)


def open_model(folder: Path) -> tuple[Box, Optimizer, dict[str, float]]:
    """A new model, or the checkpoint's."""
    vocabulary: dict[str, int] = json.loads((folder / "tokenizer.json").read_text())["model"][
        "vocab"
    ]
    pieces = sorted(vocabulary, key=vocabulary.__getitem__)
    n_vocab = len(pieces) + 4
    n_padded = -(-n_vocab // 32) * 32
    pieces += [f"\0{number}" for number in range(n_padded - len(pieces))]
    model = Box(Shape(n_padded), traits_of(pieces))
    plant_copying(model)
    optimizer = Optimizer(model)
    seen: dict[str, float] = {
        "steps": 0,
        "tokens": 0,
        "targets": 0,
        "seconds": 0.0,
        "started": time.time(),
    }
    if (folder / "checkpoint.pt").exists():
        saved = torch.load(folder / "checkpoint.pt", weights_only=True)
        model.load_state_dict(saved["model"])
        optimizer.restore(saved["optimizer"])
        seen = saved["seen"]
    return model, optimizer, seen


def planned_end(arguments: argparse.Namespace) -> float:
    """The time at which the learning rate is to be zero."""
    if not arguments.until:
        return time.time() + 60 * arguments.minutes
    hour, minute = map(int, arguments.until.split(":"))
    end = datetime.now().replace(hour=hour, minute=minute, second=0)
    if end < datetime.now():
        end += timedelta(days=1)
    return end.timestamp()


def rate_scale(done: float, n_steps: float) -> float:
    """The factor of the learning rate: a warm-up over 100 steps, then 1, then a straight fall to 0
    over the last 60% of the time."""
    warm = min(1.0, (n_steps + 1) / 100)
    return warm * min(1.0, max(0.0, (1 - done) / 0.6))


def train(
    model: Box,
    optimizer: Optimizer,
    producer: Producer,
    folder: Path,
    seen: dict[str, float],
    end: float,
    every: float,
) -> None:
    """Train until the planned end, and save a checkpoint now and then."""

    def loss_of(
        tokens: Tensor, positions: Tensor, mask: Tensor, picked: Tensor, targets: Tensor
    ) -> tuple[Tensor, Tensor]:
        with torch.autocast("cpu", torch.bfloat16):
            logits = model(tokens, positions, mask, picked)
        logits = logits.float()
        right = (logits.detach().argmax(-1) == targets).sum() / (targets >= 0).sum()
        return functional.cross_entropy(logits, targets), right

    step = torch.compile(loss_of, dynamic=False)
    log = (folder / "log.jsonl").open("a")
    saved_at = time.time()
    losses: list[float] = []
    rights: list[float] = []
    n_recent, recent_since = 0, time.time()
    while (now := time.time()) < end:
        done = (now - seen["started"]) / (end - seen["started"])
        batch = {name: torch.from_numpy(array) for name, array in producer.next(done).items()}
        loss, right = step(
            *(batch[name] for name in ("tokens", "positions", "mask", "picked", "targets"))
        )
        loss.backward()
        optimizer.step(rate_scale(done, seen["steps"]))
        n_tokens = int((batch["tokens"] != 0).sum())
        seen["steps"] += 1
        seen["tokens"] += n_tokens
        seen["targets"] += int((batch["targets"] >= 0).sum())
        losses.append(loss.item())
        rights.append(right.item())
        n_recent += n_tokens
        if seen["steps"] % 20 == 0:
            line = {
                "steps": seen["steps"],
                "tokens": seen["tokens"],
                "loss": sum(losses) / len(losses),
                "right": sum(rights) / len(rights),
                "tokens_per_second": round(n_recent / (time.time() - recent_since)),
                "done": round(done, 3),
            }
            print(json.dumps(line), file=log, flush=True)
            losses, rights, n_recent, recent_since = [], [], 0, time.time()
        if time.time() - saved_at > every:
            save_checkpoint(model, optimizer, folder, seen)
            saved_at = time.time()
    save_checkpoint(model, optimizer, folder, seen)


def save_checkpoint(model: Box, optimizer: Optimizer, folder: Path, seen: dict[str, float]) -> None:
    """Write the whole state to a new file, and put that in the place of the old one."""
    fresh = folder / "checkpoint.new"
    state = {
        "model": model.state_dict(),
        "optimizer": optimizer.state(),
        "seen": seen,
        "shape": model.shape.as_dict(),
    }
    torch.save(state, fresh)
    os.replace(fresh, folder / "checkpoint.pt")


if __name__ == "__main__":
    main()
