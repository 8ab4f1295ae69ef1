"""Endless batches of packed rows, made in a process of their own while the model trains."""

from __future__ import annotations

import json
import multiprocessing
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from multiprocessing.sharedctypes import Synchronized
from random import Random
from typing import Any, Generic, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer

from hpd import prompt
from hpd.schema.attributes import Attribute, Schema
from hpd.training.packing import NO_TARGET, FieldTokens, PackedRow, pack, pack_text, visible
from recipe.examples import Example, make_example
from recipe.names import NAMES
from recipe.rows import answer_text, field_texts, prompt_text

P_UPPER = (
    0.1  # capitals take more tokens and are harder, so there are more of them than in real listings
)


ALL_NAMES = sorted({name for names in NAMES.values() for name in names})

NAMES_THEMSELVES = "The names of the attributes."
"""The document whose answer to each attribute is the attribute's name."""

N_TOKENS = 4096
"""The tokens of a batch; the training step is compiled for it."""

N_TARGETS = 1280
"""The most targets of a batch."""

N_WAITING = 60
"""The rows from which the next of a batch is chosen."""

N_LONGEST = 2048
"""The tokens of the longest row: a document's prompt with all its fields and answers."""

SIMPLE_UNTIL = 0.15
"""The share of the time in which all examples are simple ones."""

P_ANSWER = 0.3
"""The share of rows that have the whole answer, too."""


class Row(Protocol):
    """Anything with a place in a batch: tokens, and targets behind some of them."""

    @property
    def targets(self) -> NDArray[np.int32]:
        """The token that should come after each; ``NO_TARGET`` where nothing is taught."""

    def __len__(self) -> int: ...


AnyRow = TypeVar("AnyRow", bound=Row)


@dataclass(frozen=True)
class Batch:
    """Rows one behind the other, padded to a size that is always the same."""

    tokens: NDArray[np.int64]
    positions: NDArray[np.int64]
    masks: list[NDArray[np.bool_]]
    """For each row, which of its tokens see which."""
    picked: NDArray[np.int64]
    """The tokens after which something is taught, padded like the targets."""
    targets: NDArray[np.int64]

    @property
    def n_tokens(self) -> int:
        """The tokens without the padding."""
        return sum(len(mask) for mask in self.masks)

    @property
    def n_targets(self) -> int:
        """The targets without the padding."""
        return int((self.targets != NO_TARGET).sum())


def row_of(example: Example, tokenizer: Tokenizer, with_answer: bool = True) -> PackedRow:
    """An example as a packed row; behind labels no whole answer is written."""
    fields = [
        FieldTokens(
            tokenizer.encode(field.key).ids,
            tokenizer.encode(field.value).ids + _after(field.value, tokenizer),
        )
        for field in field_texts(example)
    ]
    with_answer = with_answer and example.layout != "label"
    answer = tokenizer.encode(answer_text(example)).ids if with_answer else ()
    return pack(tokenizer.encode(prompt_text(example)).ids, fields, answer)


def _after(value: str, tokenizer: Tokenizer) -> list[int]:
    """The token behind a number, which has to be taught as well: a number ends where it begins."""
    return tokenizer.encode(",").ids if value[-1].isdigit() else []


def copies(rng: Random, n_vocab: int) -> PackedRow:
    """Random tokens, and the same once more: copying, and nothing else."""
    some = [rng.randrange(4, n_vocab) for _ in range(rng.randint(10, 70))]
    start = rng.randrange(len(some) // 2)
    return pack_text(some + some[start:] + some[: start + 2], n_given=len(some) + 1)


def lookups(rng: Random, tokenizer: Tokenizer) -> PackedRow:
    """Labels of a schema, with what they stand for and nothing else.

    In the layout ``label`` a model has to look up a label before it can look for a value. From
    values alone it does not learn that in millions of tokens; from the names themselves, in
    minutes, and the values follow.
    """
    names = rng.sample(ALL_NAMES, rng.randint(2, 12))
    schema = Schema(tuple(Attribute(name) for name in names))
    labels = prompt.Labels(schema)
    asked = Example(schema, [NAMES_THEMSELVES], [], layout="label")
    fields = [
        FieldTokens(
            tokenizer.encode(labels.key((), (name,))).ids,
            tokenizer.encode(f" {json.dumps(name)}").ids,
        )
        for name in names
    ]
    return pack(tokenizer.encode(prompt_text(asked)).ids, fields, ())


def rows(
    seed: int,
    tokenizer: Tokenizer,
    progress: Synchronized[float] | None,
    kept_aside: bool = False,
) -> Iterator[PackedRow]:
    """Rows without end; simple ones in the beginning, many of them plain copying or looking up."""
    rng = Random(seed)
    n_vocab = tokenizer.get_vocab_size() - 4
    while True:
        done = progress.value if progress is not None else 1.0
        if rng.random() < (0.05 if done < 0.2 else 0.01):
            yield copies(rng, n_vocab)
            continue
        if rng.random() < (0.15 if done < 0.2 else 0.03):
            yield lookups(rng, tokenizer)
            continue
        example = make_example(
            rng, simple=done < SIMPLE_UNTIL, p_upper=P_UPPER, kept_aside=kept_aside
        )
        row = row_of(example, tokenizer, with_answer=rng.random() < P_ANSWER)
        if fits(row):
            yield row


def fits(row: Row, longest: int | None = None) -> bool:
    """Whether a row has at most so many tokens (``N_LONGEST``), and targets for one batch."""
    n_tokens = N_LONGEST if longest is None else min(longest, N_LONGEST)
    return len(row) <= n_tokens and n_targets_of(row) <= N_TARGETS


def n_targets_of(row: Row) -> int:
    """The number of tokens after which the row teaches something."""
    return int((row.targets != NO_TARGET).sum())


def stream(
    seed: int,
    tokenizer: Tokenizer,
    progress: Synchronized[float] | None,
    kept_aside: bool = False,
) -> Iterator[Batch]:
    """Batches of ``rows`` without end."""
    return map(joined, filled(rows(seed, tokenizer, progress, kept_aside)))


def filled(stream: Iterator[AnyRow]) -> Iterator[list[AnyRow]]:
    """As many rows as fit into a batch, again and again."""
    pool: list[AnyRow] = []
    while True:
        chosen: list[AnyRow] = []
        n_left, n_targets_left = N_TOKENS, N_TARGETS
        while True:
            while len(pool) < N_WAITING:
                pool.append(next(stream))
            fitting = [
                number
                for number, row in enumerate(pool)
                if len(row) <= n_left and n_targets_of(row) <= n_targets_left
            ]
            if not fitting:
                break
            # The oldest, so that none waits for ever; when room is short, the longest that fits.
            is_short = n_left < N_LONGEST
            number = max(fitting, key=lambda at: len(pool[at])) if is_short else fitting[0]
            row = pool.pop(number)
            chosen.append(row)
            n_left -= len(row)
            n_targets_left -= n_targets_of(row)
        yield chosen


def joined(chosen: Sequence[PackedRow]) -> Batch:
    """Some rows as a batch."""
    targets = np.concatenate([row.targets for row in chosen])
    picked = np.flatnonzero(targets != NO_TARGET)
    return Batch(
        _padded(np.concatenate([row.tokens for row in chosen]), N_TOKENS),
        _padded(np.concatenate([row.positions for row in chosen]), N_TOKENS),
        [visible(row.parents) for row in chosen],
        _padded(picked, N_TARGETS),
        _padded(targets[picked], N_TARGETS, NO_TARGET),
    )


def _padded(numbers: NDArray[Any], n: int, filler: int = 0) -> NDArray[np.int64]:
    return np.pad(numbers.astype(np.int64), (0, n - len(numbers)), constant_values=filler)


AnyBatch = TypeVar("AnyBatch")
Stream = Callable[..., Iterator[AnyBatch]]
"""Makes batches without end; its arguments are those of ``stream``."""


class Producer(Generic[AnyBatch]):
    """Batches from another process, which is told the ``progress`` of the training."""

    def __init__(self, stream: Stream[AnyBatch], tokenizer_file: str, seed: int) -> None:
        self._stream = stream
        context = multiprocessing.get_context("fork")
        self.progress = context.Value("d", 0.0)
        self.queue: Any = context.Queue(maxsize=6)
        self.process = context.Process(target=self._work, args=(tokenizer_file, seed), daemon=True)
        self.process.start()

    def _work(self, tokenizer_file: str, seed: int) -> None:
        for batch in self._stream(seed, Tokenizer.from_file(tokenizer_file), self.progress):
            self.queue.put(batch)

    def next(self, progress: float) -> AnyBatch:
        """The next batch."""
        self.progress.value = progress
        batch: AnyBatch = self.queue.get()
        return batch

    def stop(self) -> None:
        """End the other process."""
        self.process.terminate()
        self.process.join()
