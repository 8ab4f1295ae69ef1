"""Intervals around scores and tests of differences, by resampling documents.

Documents are resampled, not fields: fields of one document are not independent, so resampling them
would make intervals too narrow.

Intervals are percentile bootstraps (Efron and Tibshirani, "An Introduction to the Bootstrap",
1993, chapter 13). Two files are scored on the same samples (Koehn, "Statistical Significance Tests
for Machine Translation Evaluation", EMNLP 2004).

The p-value is a two-sided randomization test over documents (Noreen, "Computer-Intensive Methods
for Testing Hypotheses", 1989; Yeh, "More Accurate Tests for the Statistical Significance of Result
Differences", COLING 2000): if the two files were equally good, the answers for each document could
be exchanged between them. The p-value is the share of exchanges after which the scores differ at
least as much: random ones are tried, and the original files count as one more.

Agreement of annotators beyond chance, from 1 (full) to 0 (chance): Cohen's kappa is for two of them
(Cohen, "A Coefficient of Agreement for Nominal Scales", 1960); Krippendorff's alpha for nominal
data is for any number, not all of whom need to judge everything (Krippendorff, "Content Analysis",
2004, chapter 11).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from hpd.evaluation.json_form import JsonDataclass
from hpd.evaluation.outcomes import OUTCOMES, CategoryAttribute, FieldOutcome
from hpd.evaluation.scores import (
    AVERAGES,
    DEFAULT_RESAMPLING,
    INTERVAL_LEVEL,
    SCORES,
    ByCell,
    ByScope,
    Resampling,
    ScoreName,
    precision_recall_f1,
)

Array = npt.NDArray[np.float64]

_CHUNK = 4_000_000
"""Maximum number of elements in an array of weights or counts; samples are drawn in such chunks."""

_NN, _NV, _VN, _VC, _VW = range(len(OUTCOMES))

Weights = npt.NDArray[np.float32]
"""How often each document counts: (samples, documents)."""


class OutcomeCounts:
    """The outcomes of one file of predictions, to be counted over weighted documents."""

    def __init__(self, fields: Iterable[FieldOutcome], n_rows: int) -> None:
        self.n_rows = n_rows
        by_category: dict[str, list[FieldOutcome]] = {}
        for field in fields:
            by_category.setdefault(field.cell[0], []).append(field)
        # For each category, its documents (n,), and their outcomes (n, cells x outcomes), one-hot.
        self._categories = []
        cells: list[CategoryAttribute] = []
        for own in by_category.values():
            columns = {cell: i for i, cell in enumerate(dict.fromkeys(field.cell for field in own))}
            rows, indexes = np.unique([field.row for field in own], return_inverse=True)
            ones = np.zeros((len(rows), len(columns) * len(OUTCOMES)), np.float32)
            for index, field in zip(indexes, own, strict=True):
                ones[index, columns[field.cell] * len(OUTCOMES) + OUTCOMES.index(field.outcome)] = 1
            self._categories.append((rows, ones))
            cells += columns
        self.cells: Sequence[CategoryAttribute] = tuple(cells)

    @property
    def width(self) -> int:
        """Numbers per sample."""
        return max(self.n_rows, len(self.cells) * len(OUTCOMES))

    def count(self, weights: Weights) -> Array:
        """Count the outcomes: (samples, cells, outcomes)."""
        parts = [weights[:, rows] @ ones for rows, ones in self._categories]
        # Integers far below 2^24 are exact in 32 bits.
        counts = np.concatenate(parts, axis=1) if parts else np.zeros((len(weights), 0))
        return counts.reshape(len(weights), -1, len(OUTCOMES)).astype(np.float64)


def all_scores(counts: Array) -> Array:
    """Return the unrounded averages of (samples, cells, outcomes) counts, and the scores of cells.

    Their shape is (samples, micro, macro and cells, scores).
    """
    cells = count_scores(counts)
    is_filled = counts.sum(axis=2) > counts[:, :, _NN]
    n_filled = np.maximum(1, is_filled.sum(axis=1))[:, np.newaxis]
    macro = (cells * is_filled[:, :, np.newaxis]).sum(axis=1) / n_filled
    micro = count_scores(counts.sum(axis=1))
    return np.concatenate([np.stack([micro, macro], axis=1), cells], axis=1)


def count_scores(counts: Array) -> Array:
    """Return unrounded precision, recall and F1 in percent: (..., outcomes) to (..., scores)."""
    right = counts[..., _VC]
    both = right + counts[..., _VW]
    return precision_recall_f1(right, both + counts[..., _NV], both + counts[..., _VN])


def bootstrap(
    measure: Callable[[Weights], Array],
    n_documents: int,
    width: int = 1,
    resampling: Resampling = DEFAULT_RESAMPLING,
) -> Array:
    """Return what ``measure`` computes for bootstrap samples of the documents: (samples, ...).

    It gets chunks of samples, small enough if it computes ``width`` numbers for each. Files with
    the same number of documents get the same samples, so that they can be compared.
    """
    return np.concatenate([*map(measure, _document_samples(n_documents, width, resampling))])


def _document_samples(n_documents: int, width: int, resampling: Resampling) -> Iterator[Weights]:
    """Yield how often each document is in each sample, in chunks: (samples, documents)."""
    generator = np.random.default_rng(resampling.seed)
    for n in chunk_sizes(max(n_documents, width), resampling.n):
        drawn = generator.integers(0, n_documents, (n, n_documents))
        drawn += np.arange(n)[:, np.newaxis] * n_documents
        times = np.bincount(drawn.ravel(), minlength=n * n_documents)
        yield times.reshape(n, n_documents).astype(np.float32)


def chunk_sizes(width: int, n_samples: int) -> Iterator[int]:
    """Yield sizes of chunks that fit into memory and add up to ``n_samples``."""
    max_size = max(1, _CHUNK // max(1, width))
    for start in range(0, n_samples, max_size):
        yield min(max_size, n_samples - start)


class Interval(NamedTuple):
    """The bounds of ``INTERVAL_LEVEL`` of the samples, in percent like scores."""

    low: float
    high: float

    @classmethod
    def of_known(cls, samples: Array) -> Interval | None:
        """Return the interval of the samples that are not NaN; None if all are."""
        known = samples[~np.isnan(samples)]
        return cls.of(known) if len(known) else None

    @classmethod
    def of(cls, samples: Array) -> Interval:
        """Return the interval of a score's samples."""
        tail = (1 - INTERVAL_LEVEL) / 2
        indexes = (len(samples) - 1) * np.array([tail, 1 - tail])
        # Sorted fully: np.quantile, which sorts partially, once gave two intervals for the same
        # samples in one run, for an unknown reason.
        ordered = np.sort(samples, kind="stable")
        low, high = np.interp(indexes, np.arange(len(samples)), ordered)
        return cls(round(float(low), 2), round(float(high), 2))

    def __format__(self, form: str) -> str:
        return f"{self.low:{form}} to {self.high:{form}}"


Intervals = Mapping[ScoreName, Interval]
"""Intervals of ``SCORES``."""


ScoreIntervals = ByCell[Intervals, Intervals]
EvaluationIntervals = ByScope[ScoreIntervals]


def evaluation_intervals(
    fields: Sequence[FieldOutcome], n_rows: int, resampling: Resampling = DEFAULT_RESAMPLING
) -> EvaluationIntervals:
    """Return the intervals around every score of some fields of ``n_rows`` documents."""
    plain = OutcomeCounts((field for field in fields if field.is_named), n_rows)
    strict = OutcomeCounts(fields, n_rows)
    return ByScope(_intervals(plain, resampling), _intervals(strict, resampling))


def _intervals(outcomes: OutcomeCounts, resampling: Resampling) -> ScoreIntervals:
    samples = bootstrap(
        lambda weights: all_scores(outcomes.count(weights)),
        outcomes.n_rows,
        outcomes.width,
        resampling,
    )
    micro, macro, *cells = (
        {name: Interval.of(samples[:, i, score]) for score, name in enumerate(SCORES)}
        for i in range(samples.shape[1])
    )
    return ByCell(micro, macro, dict(zip(outcomes.cells, cells, strict=True)))


_EPSILON = 1e-9
"""Smaller deviations are due to the order of computation."""


@dataclass(frozen=True, slots=True)
class Difference(JsonDataclass):
    """One score of two files, in percent and unrounded."""

    first: float
    second: float
    interval: Interval
    """Interval of the difference."""
    p_value: float

    @property
    def difference(self) -> float:
        """The first score minus the second."""
        return self.first - self.second

    def members(self) -> dict[str, Any]:
        scores = {name: round(getattr(self, name), 4) for name in ("first", "second", "difference")}
        return {**scores, "interval": self.interval, "p_value": self.p_value}


@dataclass(frozen=True, slots=True)
class Differences(JsonDataclass):
    """The differences of all scores of two files."""

    micro: Mapping[ScoreName, Difference]
    macro: Mapping[ScoreName, Difference]
    n_differing: int
    """Documents whose outcomes differ."""


def paired_differences(
    first: Sequence[FieldOutcome],
    second: Sequence[FieldOutcome],
    n_rows: int,
    resampling: Resampling = DEFAULT_RESAMPLING,
) -> Differences:
    """Compare two files, whose fields must be the same in the same order."""
    counts = OutcomeCounts(first, n_rows), OutcomeCounts(second, n_rows)
    differing = {
        one.row for one, two in zip(first, second, strict=True) if one.outcome != two.outcome
    }
    width = counts[0].width
    drawn = bootstrap(
        lambda weights: _difference(*(each.count(weights) for each in counts)),
        n_rows,
        width,
        resampling,
    )
    everyone = np.ones((1, n_rows), np.float32)
    own, other = (each.count(everyone) for each in counts)
    generator = np.random.default_rng(resampling.seed)
    exchanges = (
        generator.integers(0, 2, (n, n_rows)).astype(np.float32)
        for n in chunk_sizes(width, resampling.n)
    )
    moves = (counts[1].count(exchange) - counts[0].count(exchange) for exchange in exchanges)
    exchanged = np.concatenate([_difference(own + moved, other - moved) for moved in moves])
    one, two = all_scores(own)[0], all_scores(other)[0]
    is_as_far = np.abs(exchanged) >= np.abs(one - two)[: len(AVERAGES)] - _EPSILON
    # The original files count as one more exchange.
    p_values = (is_as_far.sum(axis=0) + 1) / (len(exchanged) + 1)
    micro, macro = (
        {
            name: Difference(
                float(one[i, score]),
                float(two[i, score]),
                Interval.of(drawn[:, i, score]),
                float(p_values[i, score]),
            )
            for score, name in enumerate(SCORES)
        }
        for i in range(len(AVERAGES))
    )
    return Differences(micro, macro, len(differing))


def _difference(one: Array, two: Array) -> Array:
    """Return the difference between the averages of two counts: (samples, averages, scores)."""
    return (all_scores(one) - all_scores(two))[:, : len(AVERAGES)]


def cohen_kappa(pairs: Sequence[tuple[Hashable, Hashable]]) -> float | None:
    """Return the kappa of two annotators' verdicts on the same items; None if all are the same."""
    n = len(pairs)
    observed = sum(one == other for one, other in pairs) / n
    first, second = (Counter(verdicts) for verdicts in zip(*pairs, strict=True))
    expected = sum(first[verdict] * second[verdict] for verdict in first) / n**2
    return None if expected == 1 else (observed - expected) / (1 - expected)


def krippendorff_alpha(items: Sequence[Sequence[str]]) -> float | None:
    """Return the alpha of nominal verdicts, item by item; None if all are the same.

    Items with a single verdict are ignored.
    """
    observed = 0.0
    totals: Counter[str] = Counter()
    for item in items:
        if len(item) >= 2:
            totals.update(item)
            n_different = sum(one != other for one, other in permutations(item, 2))
            observed += n_different / (len(item) - 1)
    expected = sum(totals[one] * totals[other] for one, other in permutations(totals, 2))
    return None if expected == 0 else 1 - (totals.total() - 1) * observed / expected
