"""Teach a box the layout ``label`` by its own answers in ``branch``, and keep all else as it is.

    PYTHONPATH=python:models python models/recipe/teach_labels.py FOLDER --start BOX.gguf \
        --size small --minutes 60

Right answers would change what the box says everywhere. Here the box as it was is the teacher:
behind a label, the student learns the probabilities that the teacher has behind the key of the same
field (Hinton et al. 2015, "Distilling the knowledge in a neural network", section 2), and its
states are held to the teacher's where a key ends and a value begins (Romero et al. 2015, "FitNets:
hints for thin deep nets", section 2.2); behind keys, and in whole answers, it keeps its own
probabilities (Li and Hoiem 2016, "Learning without forgetting", section 3). The options
are those of ``train.py``, and ``--teacher``, for a student that has begun to learn.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from multiprocessing.sharedctypes import Synchronized
from pathlib import Path
from random import Random
from typing import Any, ClassVar

import numpy as np
import torch
from numpy.typing import NDArray
from tokenizers import Tokenizer
from torch import Tensor
from torch.nn import functional

from hpd.prompt import Layout
from hpd.training.conversion.from_gguf import gguf_to_transformers
from hpd.training.packing import NO_TARGET, PackedRow
from recipe import batches, start, train
from recipe.batches import Batch, Stream
from recipe.examples import make_example

P_LABEL = 0.4
"""The share of examples that teach labels; the others keep the rest as it is."""
P_LOOKUP = 0.05
"""The share of look-ups: labels with the names behind them and nothing else."""
P_SKELETON = 0.12
"""The share of ``skeleton`` among the examples without labels; the others are in ``branch``."""
N_LONGEST = 1024
"""The tokens of the longest row without labels."""
N_LONGEST_LABEL = 320
"""The tokens of the longest row with labels: these are looked up in the instruction, however long a
document is, and a short one has more fields to a token."""

MATCH = 3.0
"""The weight of the states beside that of the probabilities."""
FIRST_MATCHED = 1
"""The first layer, from 0, behind which a label's state is to be that of the key."""

TEACHER = "teacher"
"""The part of a training's folder with the teacher's weights, if it is not the start."""


def main() -> int:
    """Teach as the arguments of the command say."""
    parser = train.parser_of(__doc__)
    parser.add_argument(
        "--teacher",
        type=Path,
        help="a box (GGUF) of the same size, with the same tokenizer [default: that of --start]",
    )
    arguments = parser.parse_args()
    # Before a tokenizer is made, beside which a start would not be looked at any more.
    if not (arguments.start or (arguments.folder / "start").exists()):
        raise SystemExit("name the box that is taught: --start BOX.gguf")
    place = arguments.folder / TEACHER
    if arguments.teacher and not place.exists():
        gguf_to_transformers(arguments.teacher, place)
    return train.run(parser, arguments, LabelTrainer)


@dataclass(frozen=True)
class Pair:
    """A row that the student reads, and the one that shows the teacher the same values."""

    taught: PackedRow
    shown: PackedRow
    is_given: bool = False
    """Whether the row's own targets are taught, as the teacher does not know them."""

    @property
    def targets(self) -> NDArray[np.int32]:
        """The targets of both rows."""
        return self.taught.targets

    def __len__(self) -> int:
        return max(len(self.taught), len(self.shown))


@dataclass(frozen=True)
class PairBatch:
    """The rows of some pairs, with the same targets at the same places."""

    taught: Batch
    shown: Batch
    given: NDArray[np.bool_]
    """The targets that are taught as they are."""
    matched: NDArray[np.bool_]
    """The targets before which the states are to be the teacher's, too."""

    @property
    def n_tokens(self) -> int:
        """The tokens that the student reads."""
        return self.taught.n_tokens

    @property
    def n_targets(self) -> int:
        """The targets without the padding."""
        return self.taught.n_targets


def pairs(
    seed: int,
    tokenizer: Tokenizer,
    progress: Synchronized[float] | None,
    kept_aside: bool = False,
) -> Iterator[Pair]:
    """Pairs without end, simple ones in the beginning."""
    rng = Random(seed)
    while True:
        done = progress.value if progress is not None else 1.0
        if rng.random() < P_LOOKUP:
            row = batches.lookups(rng, tokenizer)
            yield Pair(row, row, is_given=True)
            continue
        example = make_example(
            rng, simple=done < batches.SIMPLE_UNTIL, p_upper=batches.P_UPPER, kept_aside=kept_aside
        )
        is_label = rng.random() < P_LABEL
        if is_label:
            shown = batches.row_of(replace(example, layout="branch"), tokenizer, with_answer=False)
            taught = batches.row_of(replace(example, layout="label"), tokenizer)
        else:
            layout: Layout = "skeleton" if rng.random() < P_SKELETON else "branch"
            with_answer = rng.random() < batches.P_ANSWER
            taught = shown = batches.row_of(replace(example, layout=layout), tokenizer, with_answer)
        pair = Pair(taught, shown)
        if batches.fits(pair, N_LONGEST_LABEL if is_label else N_LONGEST):
            yield pair


def stream(
    seed: int,
    tokenizer: Tokenizer,
    progress: Synchronized[float] | None,
    kept_aside: bool = False,
) -> Iterator[PairBatch]:
    """Batches of ``pairs`` without end."""
    return map(joined, batches.filled(pairs(seed, tokenizer, progress, kept_aside)))


def joined(chosen: list[Pair]) -> PairBatch:
    """Some pairs as a batch.

    Raises:
        ValueError: the rows of a pair have other targets.
    """
    taught = batches.joined([pair.taught for pair in chosen])
    shown = batches.joined([pair.shown for pair in chosen])
    if not np.array_equal(taught.targets, shown.targets):
        raise ValueError("what a pair teaches is not what it shows")
    given = [np.full(batches.n_targets_of(pair), pair.is_given) for pair in chosen]
    matched = [_matched(pair) for pair in chosen]
    return PairBatch(taught, shown, np.concatenate(given), np.concatenate(matched))


def _matched(pair: Pair) -> NDArray[np.bool_]:
    """The tokens with a target whose states are to be the teacher's.

    In a row that is read as it is shown, all of them: so it stays as it was. Behind a label, only
    those where the search for a value begins: the rest is the student's own way.
    """
    n = batches.n_targets_of(pair)
    if pair.is_given:
        return np.zeros(n, bool)
    return np.ones(n, bool) if pair.taught is pair.shown else _begins(pair.taught)


def _begins(row: PackedRow) -> NDArray[np.bool_]:
    """The tokens with a target that end a key, or begin a value."""
    parents = row.parents
    is_value = (parents >= 0) & (row.targets[parents] == row.tokens)
    is_second = is_value & ~is_value[parents]
    return (~is_value | is_second)[row.targets != NO_TARGET]


class LabelTrainer(train.Trainer):
    """A student, and its teacher: the box that it began as, or another one."""

    stream: ClassVar[Stream[Any]] = staticmethod(stream)

    def __init__(self, folder: Path, *settings: Any) -> None:
        super().__init__(folder, *settings)
        self.teacher = train.new_model(folder, settings[0]).to(self.device)
        if (folder / TEACHER).exists():
            start.load(self.teacher, folder / TEACHER)

    def _losses(self, batch: PairBatch) -> tuple[Tensor, Tensor]:  # type: ignore[override]
        """The mean distance from what is wanted, and the share of targets that are the likeliest.

        The distance is that of the probabilities (Kullback and Leibler's divergence) and ``MATCH``
        times that of the states.
        """
        n = batch.n_targets
        with torch.no_grad():
            kept, logits = self._states_and_logits(self.teacher, batch.shown)
            wanted = logits[:n].softmax(-1)
            given = torch.from_numpy(batch.given).to(self.device)
            targets = torch.from_numpy(batch.taught.targets[:n]).to(self.device)
            assert not (targets == NO_TARGET).any()
            wanted[given] = functional.one_hot(targets[given], wanted.shape[-1]).to(wanted.dtype)
            entropy = -torch.special.xlogy(wanted, wanted).sum(-1).mean()
        states, logits = self._states_and_logits(self.model, batch.taught)
        said = logits[:n]
        right = (said.detach().argmax(-1) == wanted.argmax(-1)).float().mean()
        loss = functional.cross_entropy(said, wanted) - entropy
        if batch.matched.any():
            matched = torch.from_numpy(batch.matched).to(self.device)
            apart = [
                (_unit(own[:n][matched]) - _unit(other[:n][matched])).pow(2).mean()
                for own, other in zip(states[FIRST_MATCHED:], kept[FIRST_MATCHED:], strict=True)
            ]
            loss = loss + MATCH * torch.stack(apart).mean()
        return loss, right


def _unit(states: Tensor) -> Tensor:
    """States as the next layer reads them, but for its weights."""
    return functional.rms_norm(states.float(), states.shape[-1:])


if __name__ == "__main__":
    sys.exit(main())
