"""Outcomes counted over many samples of the documents, for intervals and tests.

Samples are drawn from documents, not from fields: the fields of one document share its text, and so
their luck, and drawing them one by one would make every interval too narrow.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from hpd.evaluation.outcomes import OUTCOMES, Cell, FieldOutcome
from hpd.evaluation.resampling import USUAL, Resampling

_CHUNK = 4_000_000
"""Numbers in an array of weights or counts; more resamples are computed one chunk at a time."""

_NN, _NV, _VN, _VC, _VW = range(len(OUTCOMES))

Array = npt.NDArray[np.float64]

Weights = npt.NDArray[np.float32]
"""The number of times that each document counts: (samples, documents)."""


@dataclass(frozen=True, slots=True)
class _Category:
    """The outcomes of the documents of one category, as ones in a matrix."""

    rows: npt.NDArray[np.intp]
    """The documents, (n,)."""
    ones: npt.NDArray[np.float32]
    """(n, cells x outcomes)."""


class OutcomeCounts:
    """The outcomes of one file of predictions, ready to be counted over weighted documents."""

    def __init__(self, fields: Iterable[FieldOutcome], n_rows: int) -> None:
        self.n_rows = n_rows
        by_category: dict[str, list[FieldOutcome]] = {}
        for field in fields:
            by_category.setdefault(field.cell[0], []).append(field)
        self._categories = []
        cells: list[Cell] = []
        for own in by_category.values():
            columns = {cell: i for i, cell in enumerate(dict.fromkeys(field.cell for field in own))}
            rows, places = np.unique([field.row for field in own], return_inverse=True)
            ones = np.zeros((len(rows), len(columns) * len(OUTCOMES)), np.float32)
            for place, field in zip(places, own, strict=True):
                ones[place, columns[field.cell] * len(OUTCOMES) + OUTCOMES.index(field.outcome)] = 1
            self._categories.append(_Category(rows, ones))
            cells += columns
        self.cells: Sequence[Cell] = tuple(cells)

    def count(self, weights: Weights) -> Array:
        """The number of each outcome: (samples, cells, outcomes)."""
        parts = [weights[:, own.rows] @ own.ones for own in self._categories]
        # Whole numbers far below 2^24: 32 bits hold them exactly.
        counts = np.concatenate(parts, axis=1) if parts else np.zeros((len(weights), 0))
        return counts.reshape(len(weights), -1, len(OUTCOMES)).astype(np.float64)


@dataclass(frozen=True, slots=True)
class AverageScores:
    """The averages of many samples, in percent and not rounded: (samples, scores)."""

    micro: Array
    macro: Array

    @classmethod
    def of(cls, counts: Array) -> AverageScores:
        """The averages of (samples, cells, outcomes) counts."""
        is_filled = counts.sum(axis=2) > counts[:, :, _NN]
        n_filled = np.maximum(1, is_filled.sum(axis=1))[:, np.newaxis]
        macro = (scores(counts) * is_filled[:, :, np.newaxis]).sum(axis=1) / n_filled
        return cls(scores(counts.sum(axis=1)), macro)

    @classmethod
    def of_chunks(cls, chunks: Iterable[Array]) -> AverageScores:
        """The averages of counts that come in chunks, which are forgotten one by one."""
        averages = [cls.of(chunk) for chunk in chunks]
        return cls(
            np.concatenate([each.micro for each in averages]),
            np.concatenate([each.macro for each in averages]),
        )


def scores(counts: Array) -> Array:
    """Precision, recall and F1 in percent, not rounded: (..., outcomes) to (..., scores)."""
    right = counts[..., _VC]
    predicted = right + counts[..., _VW] + counts[..., _NV]
    gold = right + counts[..., _VW] + counts[..., _VN]
    return 100 * np.stack(
        [
            right / np.maximum(1, predicted),
            right / np.maximum(1, gold),
            2 * right / np.maximum(1, predicted + gold),
        ],
        axis=-1,
    )


def bootstrap_counts(outcomes: OutcomeCounts, resampling: Resampling = USUAL) -> Iterator[Array]:
    """The counts of as many documents drawn with replacement, again and again, in chunks.

    The same documents are drawn for every file that has as many, so that files can be compared.
    """
    sizes = chunk_sizes(outcomes, resampling.n)
    for weights in drawn_documents(outcomes.n_rows, sizes, resampling.seed):
        yield outcomes.count(weights)


def drawn_documents(n_documents: int, sizes: Iterable[int], seed: int) -> Iterator[Weights]:
    """As many documents drawn with replacement, again and again: how often each one was."""
    generator = np.random.default_rng(seed)
    for n in sizes:
        drawn = generator.integers(0, n_documents, (n, n_documents))
        drawn += np.arange(n)[:, np.newaxis] * n_documents
        times = np.bincount(drawn.ravel(), minlength=n * n_documents)
        yield times.reshape(n, n_documents).astype(np.float32)


def chunk_sizes(outcomes: OutcomeCounts, n_samples: int) -> Iterator[int]:
    """The numbers of samples to compute at once; they add up to ``n_samples``."""
    width = max(outcomes.n_rows, len(outcomes.cells) * len(OUTCOMES), 1)
    most = max(1, _CHUNK // width)
    for start in range(0, n_samples, most):
        yield min(most, n_samples - start)
