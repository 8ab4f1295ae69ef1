"""Train the box from nothing, or go on from a checkpoint.

    PYTHONPATH=python:models python models/recipe/train.py FOLDER --minutes 600 --part 9 --resume

The learning rate reaches zero after the planned minutes of training, however fast the machine is;
pauses do not count. With ``--part`` a call ends after so many minutes, with a checkpoint, and the
same command goes on there; its exit code is 3 until the planned time is over, then 0. A file named
STOP in FOLDER ends a call within seconds, also with a checkpoint, and keeps the next from starting.
FOLDER gets ``tokenizer.json``, ``checkpoint.pt`` and ``log.jsonl``.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from itertools import islice
from pathlib import Path
from typing import Any, ClassVar

import torch
from tokenizers import Tokenizer
from torch import Tensor
from torch.nn import functional

from hpd.training.precision import bf16_is_faster
from recipe import start
from recipe.batches import Batch, Producer, Stream, stream
from recipe.model import SIZES, Box, Shape, traits_of
from recipe.optimizer import Optimizer
from recipe.planting import plant_copying
from recipe.tokenizer import save, train_tokenizer

SEED = 20_261_122
HELD_OUT_SEED = 990_002
LOOK_EVERY = 2.0
"""Seconds between looks for the file that ends a call."""
UNFINISHED = 3
"""The exit code while planned minutes are left."""
N_KERNELS = 20_000
"""The products of matrices that oneDNN keeps ready: rows of every length want their own, and making
one anew in each step takes a third of the time of a CPU."""


def main() -> int:
    """Train as the arguments of the command say."""
    parser = parser_of(__doc__)
    return run(parser, parser.parse_args(), Trainer)


def parser_of(description: str) -> argparse.ArgumentParser:
    """The arguments of a training."""
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--size", choices=SIZES, default="medium", help="[default: %(default)s]")
    parser.add_argument(
        "--minutes", type=float, default=90.0, help="of training, after which the rate is zero"
    )
    parser.add_argument("--part", type=float, default=0.0, help="minutes of this call; 0: all")
    parser.add_argument(
        "--resume", action="store_true", help="go on from FOLDER's checkpoint, if there is one"
    )
    parser.add_argument(
        "--start", type=Path, help="a box (GGUF) of the same size to start from, with its tokenizer"
    )
    parser.add_argument(
        "--tokenizer", type=Path, help="a box (GGUF) of any size whose tokenizer to take"
    )
    parser.add_argument(
        "--rate", type=float, default=1.0, help="factor of the learning rate [default: 1]"
    )
    parser.add_argument("--device", default="cpu", help="cpu or cuda [default: %(default)s]")
    parser.add_argument(
        "--compile",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="compile the step, which takes minutes on a busy CPU and pays in a long run",
    )
    parser.add_argument(
        "--stop-file", type=Path, help="ends the call when it appears [default: FOLDER/STOP]"
    )
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--checkpoint-every", type=float, default=150.0, help="seconds")
    parser.add_argument(
        "--held-out", type=int, default=24, help="batches of text kept aside that end a call"
    )
    return parser


def run(
    parser: argparse.ArgumentParser, arguments: argparse.Namespace, trainer_of: type[Trainer]
) -> int:
    """Start or resume, and train until the part or the plan is over."""
    folder: Path = arguments.folder
    stop_file: Path = arguments.stop_file or folder / "STOP"
    if stop_file.exists():
        print(f"{stop_file} is there: remove it to train", file=sys.stderr)
        return UNFINISHED
    if (folder / "checkpoint.pt").exists() and not arguments.resume:
        parser.error(f"{folder} has a checkpoint: go on with --resume, or name another folder")
    os.environ.setdefault("ONEDNN_PRIMITIVE_CACHE_CAPACITY", str(N_KERNELS))
    torch.set_num_threads(arguments.threads)
    torch.manual_seed(SEED)
    if not (folder / "tokenizer.json").exists():
        if arguments.start:
            start.unpack(arguments.start, folder)
        elif arguments.tokenizer:
            start.unpack_tokenizer(arguments.tokenizer, folder)
        else:
            save(train_tokenizer(), folder)
    trainer = trainer_of(
        folder, arguments.size, arguments.device, 60 * arguments.minutes, arguments.rate
    )
    trainer.train(
        60 * arguments.part or float("inf"),
        arguments.checkpoint_every,
        arguments.compile,
        stop_file,
    )
    if arguments.held_out and not stop_file.exists():
        trainer.log({"held_out_loss": trainer.held_out_loss(arguments.held_out)})
    return 0 if trainer.done >= 1 else UNFINISHED


class Trainer:
    """A model with its optimizer, and the time that they have been trained for."""

    stream: ClassVar[Stream[Any]] = staticmethod(stream)
    """The batches that it is trained on."""

    def __init__(
        self, folder: Path, size: str, device: str, planned: float, rate: float = 1.0
    ) -> None:
        self.folder = folder
        self.device = device
        self.planned = planned
        self.rate = rate
        self.seen: dict[str, float] = {"steps": 0, "tokens": 0, "targets": 0, "seconds": 0.0}
        self.model = new_model(folder, size).to(device)
        self.optimizer = Optimizer(self.model)
        if (folder / "checkpoint.pt").exists():
            saved = torch.load(folder / "checkpoint.pt", weights_only=True, map_location=device)
            if saved["shape"] != self.model.shape.as_dict():
                raise SystemExit(f"{folder} was trained with another --size than {size}")
            self.model.load_state_dict(saved["model"])
            self.optimizer.restore(saved["optimizer"])
            self.seen = saved["seen"]

    @property
    def done(self) -> float:
        """The share of the planned time that is over."""
        return self.seen["seconds"] / self.planned

    def train(self, n_seconds: float, save_every: float, compiles: bool, stop_file: Path) -> None:
        """Train for so long, or until the plan is over or ``stop_file`` appears.

        A checkpoint is saved every ``save_every`` seconds, and at the end.
        """
        producer = Producer(
            self.stream, str(self.folder / "tokenizer.json"), SEED + int(self.seen["steps"])
        )
        if compiles:
            self.model.compile()
        began = saved_at = looked_at = time.time()
        recent = _Recent()
        is_first = compiles
        try:
            while time.time() - began < n_seconds and self.done < 1:
                step_start = time.time()
                batch = producer.next(self.done)
                loss, right = self._losses(batch)
                loss.backward()
                self.optimizer.step(self.rate * rate_scale(self.done, self.seen["steps"]))
                self.seen["steps"] += 1
                self.seen["tokens"] += batch.n_tokens
                self.seen["targets"] += batch.n_targets
                if not is_first:  # which compiles
                    self.seen["seconds"] += time.time() - step_start
                is_first = False
                recent.add(loss.item(), right.item(), batch.n_tokens)
                if self.seen["steps"] % 20 == 0:
                    self.log(recent.summary() | {"done": round(self.done, 4)})
                    recent = _Recent()
                if time.time() - saved_at > save_every:
                    self.save()
                    saved_at = time.time()
                if time.time() - looked_at > LOOK_EVERY:
                    looked_at = time.time()
                    if stop_file.exists():
                        break
        finally:
            producer.stop()
            self.save()

    @torch.no_grad()
    def held_out_loss(self, n_batches: int) -> float:
        """The mean loss of a token on text whose wordings are not trained on."""
        tokenizer = Tokenizer.from_file(str(self.folder / "tokenizer.json"))
        aside = self.stream(HELD_OUT_SEED, tokenizer, None, kept_aside=True)
        total, n_targets = 0.0, 0
        for batch in islice(aside, n_batches):
            loss, _ = self._losses(batch)
            total += loss.item() * batch.n_targets
            n_targets += batch.n_targets
        return total / n_targets

    def log(self, entry: dict[str, float]) -> None:
        """Append a line to the log, with the steps and tokens so far."""
        counts = {name: int(self.seen[name]) for name in ("steps", "tokens", "seconds")}
        with (self.folder / "log.jsonl").open("a") as file:
            print(json.dumps(counts | entry), file=file)

    def save(self) -> None:
        """Write the whole state to a new file, and put that in the place of the old one."""
        fresh = self.folder / "checkpoint.new"
        state = {
            "model": self.model.state_dict(),
            "optimizer": self.optimizer.state(),
            "seen": self.seen,
            "shape": self.model.shape.as_dict(),
        }
        torch.save(state, fresh)
        os.replace(fresh, self.folder / "checkpoint.pt")

    def _losses(self, batch: Batch) -> tuple[Tensor, Tensor]:
        """The mean loss of a target, and the share of targets that the likeliest token is."""
        _, logits = self._states_and_logits(self.model, batch)
        targets = torch.from_numpy(batch.targets).to(self.device)
        right = (logits.detach().argmax(-1) == targets).sum() / batch.n_targets
        return functional.cross_entropy(logits, targets), right

    def _states_and_logits(self, model: Box, batch: Batch) -> tuple[list[Tensor], Tensor]:
        """The outputs of layers and the logits where a batch has targets, and at their padding."""
        tokens, positions, picked, *masks = (
            torch.from_numpy(array).to(self.device)
            for array in (batch.tokens, batch.positions, batch.picked, *batch.masks)
        )
        device = tokens.device.type
        with torch.autocast(device, torch.bfloat16, enabled=bf16_is_faster(device)):
            states, logits = model.states_and_logits(tokens, positions, masks, picked)
        return states, logits.float()


class _Recent:
    """Means over the steps since the last line of the log."""

    def __init__(self) -> None:
        self.losses: list[float] = []
        self.rights: list[float] = []
        self.n_tokens = 0
        self.since = time.time()

    def add(self, loss: float, right: float, n_tokens: int) -> None:
        self.losses.append(loss)
        self.rights.append(right)
        self.n_tokens += n_tokens

    def summary(self) -> dict[str, float]:
        return {
            "loss": sum(self.losses) / len(self.losses),
            "right": sum(self.rights) / len(self.rights),
            "tokens_per_second": round(self.n_tokens / (time.time() - self.since)),
        }


def new_model(folder: Path, size: str) -> Box:
    """A model for the folder's tokenizer: untrained but for the heads that copy, or the start's."""
    vocabulary = Tokenizer.from_file(str(folder / "tokenizer.json")).get_vocab()
    pieces = sorted(vocabulary, key=vocabulary.__getitem__)
    n_padded = -(-len(pieces) // 32) * 32
    pieces += [f"\0{number}" for number in range(n_padded - len(pieces))]
    model = Box(Shape(n_padded, **SIZES[size]), traits_of(pieces))
    if (folder / "start").exists():
        start.load(model, folder / "start")
    else:
        plant_copying(model)
    return model


def rate_scale(done: float, n_steps: float) -> float:
    """The factor of the learning rate: a warm-up over 100 steps, then 1, then a straight fall to 0
    over the last 60% of the time."""
    warm = min(1.0, (n_steps + 1) / 100)
    return warm * min(1.0, max(0.0, (1 - done) / 0.6))


if __name__ == "__main__":
    sys.exit(main())
