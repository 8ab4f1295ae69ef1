"""Endless batches of packed rows, made in a process of their own while the model trains."""

from __future__ import annotations

import multiprocessing
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from multiprocessing.sharedctypes import Synchronized
from random import Random
from typing import Any

import numpy as np
from tokenizers import Tokenizer

from hpd.training.packing import NO_TARGET, FieldTokens, PackedRow, pack, pack_text, visible
from recipe.examples import Example, make_example
from recipe.rows import answer_text, field_texts, prompt_text

Batch = dict[str, "np.ndarray[Any, Any]"]

P_UPPER = (
    0.1  # capitals take more tokens and are harder, so there are more of them than in real listings
)


@dataclass(frozen=True)
class BatchShape:
    """The shape of a batch; the training step is compiled once for each."""

    n_rows: int = 8
    n_cols: int = 512
    n_targets: int = 2048


SHAPES = (BatchShape(), BatchShape(2, 2048))
"""Batches of rows for short documents, and of rows for long ones; as many tokens in both."""


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


def rows(
    seed: int,
    tokenizer: Tokenizer,
    n_longest: int,
    progress: Synchronized[float] | None,
    kept_aside: bool = False,
) -> Iterator[PackedRow]:
    """Rows without end; simple ones in the beginning, many of them plain copying."""
    rng = Random(seed)
    n_vocab = tokenizer.get_vocab_size() - 4
    while True:
        done = progress.value if progress is not None else 1.0
        if rng.random() < (0.05 if done < 0.2 else 0.01):
            yield copies(rng, n_vocab)
            continue
        example = make_example(rng, simple=done < 0.15, p_upper=P_UPPER, kept_aside=kept_aside)
        row = row_of(example, tokenizer, with_answer=rng.random() < 0.3)
        if len(row) <= n_longest:
            yield row


def collate(stream: Iterator[PackedRow], shapes: Sequence[BatchShape] = SHAPES) -> Iterator[Batch]:
    """Fill rows of equal length with as many documents as fit.

    A batch of the long shape is made whenever enough rows are waiting that fit no other.
    """
    short, long = shapes[0], shapes[-1]
    pool: list[PackedRow] = []
    while True:
        while len(pool) < 60:
            pool.append(next(stream))
        n_waiting = sum(len(row) for row in pool if len(row) > short.n_cols)
        shape = long if n_waiting > long.n_rows * long.n_cols // 2 else short
        yield _filled(stream, pool, shape)


def _filled(stream: Iterator[PackedRow], pool: list[PackedRow], shape: BatchShape) -> Batch:
    batch = {
        "tokens": np.zeros((shape.n_rows, shape.n_cols), np.int64),
        "positions": np.zeros((shape.n_rows, shape.n_cols), np.int64),
        "mask": np.zeros((shape.n_rows, shape.n_cols, shape.n_cols), np.bool_),
    }
    targets = np.full((shape.n_rows, shape.n_cols), NO_TARGET, np.int64)
    for index in range(shape.n_rows):
        batch["mask"][index] = np.eye(shape.n_cols, dtype=np.bool_)
        start = 0
        while True:
            fitting = [
                number for number, row in enumerate(pool) if len(row) <= shape.n_cols - start
            ]
            if not fitting:
                break
            # A row begins with the oldest of the longest that wait for its shape; while there is
            # much room, the oldest; when room is short, the longest that fits.
            is_short = 350 < shape.n_cols - start <= SHAPES[0].n_cols
            number = fitting[0] if is_short else max(fitting, key=lambda at: len(pool[at]))
            row = pool.pop(number)
            pool.append(next(stream))
            end = start + len(row)
            batch["tokens"][index, start:end] = row.tokens
            batch["positions"][index, start:end] = row.positions
            batch["mask"][index, start:end, start:end] = visible(row.parents)
            targets[index, start:end] = row.targets
            start = end
    flat = targets.reshape(-1)
    picked = np.flatnonzero(flat != NO_TARGET)[: shape.n_targets]
    n_picked = len(picked)
    batch["picked"] = np.pad(picked, (0, shape.n_targets - n_picked))
    batch["targets"] = np.pad(
        flat[picked], (0, shape.n_targets - n_picked), constant_values=NO_TARGET
    )
    return batch


class Producer:
    """Batches from another process, which is told the ``progress`` of the training."""

    def __init__(self, tokenizer_file: str, seed: int) -> None:
        context = multiprocessing.get_context("fork")
        self.progress = context.Value("d", 0.0)
        self.queue: Any = context.Queue(maxsize=6)
        self.process = context.Process(target=self._work, args=(tokenizer_file, seed), daemon=True)
        self.process.start()

    def _work(self, tokenizer_file: str, seed: int) -> None:
        stream = rows(seed, Tokenizer.from_file(tokenizer_file), SHAPES[-1].n_cols, self.progress)
        for batch in collate(stream):
            batch["mask"] = np.packbits(batch["mask"], axis=-1)
            self.queue.put(batch)

    def next(self, progress: float) -> Batch:
        """The next batch."""
        self.progress.value = progress
        batch: Batch = self.queue.get()
        batch["mask"] = np.unpackbits(batch["mask"], axis=-1).astype(np.bool_)
        return batch

    def stop(self) -> None:
        """End the other process."""
        self.process.terminate()
        self.process.join()
