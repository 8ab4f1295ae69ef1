"""Two files of predictions for the same documents: is the difference more than luck?

The interval of a difference is a paired percentile bootstrap over documents (Efron and
Tibshirani, "An Introduction to the Bootstrap", 1993; for scores of this kind Koehn, "Statistical
Significance Tests for Machine Translation Evaluation", EMNLP 2004): both files are scored on the
same drawn documents.

The p-value is a two-sided randomization test over documents (Noreen, "Computer-Intensive Methods
for Testing Hypotheses", 1989; Yeh, "More Accurate Tests for the Statistical Significance of Result
Differences", COLING 2000): if the two files were equally good, the answers to each document might
as well stand in the other file. The p-value is the share of such exchanges after which the scores
lie at least as far apart as they do. Where few documents differ all exchanges are tried, which
makes the test exact; else random ones, and the files as they are count as one more.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from hpd.evaluation.intervals import Interval
from hpd.evaluation.outcome_counts import (
    Array,
    AverageScores,
    OutcomeCounts,
    Weights,
    bootstrap_counts,
    chunk_sizes,
)
from hpd.evaluation.outcomes import FieldOutcome
from hpd.evaluation.resampling import USUAL, Resampling
from hpd.evaluation.score_names import SCORES, Average

_EPSILON = 1e-9
"""Differences closer than this are the same one, computed in another order."""


@dataclass(frozen=True, slots=True)
class Difference:
    """One score of two files, in percent and not rounded on the way."""

    first: float
    second: float
    interval: Interval
    """Of the difference."""
    p_value: float

    @property
    def difference(self) -> float:
        """The first score minus the second."""
        return self.first - self.second

    def to_json(self) -> dict[str, Any]:
        """All of it."""
        return {
            "first": round(self.first, 4),
            "second": round(self.second, 4),
            "difference": round(self.difference, 4),
            "interval": self.interval.to_json(),
            "p_value": self.p_value,
        }


@dataclass(frozen=True, slots=True)
class Differences:
    """The differences of all scores of two files."""

    micro: Mapping[str, Difference]
    macro: Mapping[str, Difference]
    n_differing: int
    """Documents with another outcome in one file than in the other."""
    is_exact: bool
    """Every exchange was tried."""

    def to_json(self) -> dict[str, Any]:
        """Everything, ready for ``json.dumps``."""
        return {
            "micro": {name: each.to_json() for name, each in self.micro.items()},
            "macro": {name: each.to_json() for name, each in self.macro.items()},
            "n_differing": self.n_differing,
            "is_exact": self.is_exact,
        }


def paired_differences(
    first: Sequence[FieldOutcome],
    second: Sequence[FieldOutcome],
    n_rows: int,
    resampling: Resampling = USUAL,
) -> Differences:
    """The differences between two files, whose fields are the same ones in the same order.

    Raises ``ValueError`` if they are not.
    """
    if [(field.row, field.cell) for field in first] != [
        (field.row, field.cell) for field in second
    ]:
        raise ValueError("the two files are not about the same fields")
    counts = OutcomeCounts(first, n_rows), OutcomeCounts(second, n_rows)
    differing = np.unique(
        [one.row for one, two in zip(first, second, strict=True) if one.outcome != two.outcome]
    ).astype(np.intp)
    is_exact = 2 ** len(differing) <= resampling.n
    sizes = chunk_sizes(counts[0], 2 ** len(differing) if is_exact else resampling.n)
    exchanges = (
        _every_exchange(differing, n_rows, sizes)
        if is_exact
        else _random_exchanges(n_rows, sizes, resampling.seed)
    )
    drawn = _apart(zip(*(bootstrap_counts(each, resampling) for each in counts), strict=True))
    exchanged = _apart(_exchanged(*counts, exchanges))
    everyone = np.ones((1, n_rows), np.float32)
    whole = [AverageScores.of(each.count(everyone)) for each in counts]

    def compare(average: Average) -> dict[str, Difference]:
        differences: dict[str, Difference] = {}
        for i, name in enumerate(SCORES):
            one, two = (float(getattr(each, average)[0, i]) for each in whole)
            p_value = _p_value(exchanged[average][:, i], one - two, is_exact=is_exact)
            interval = Interval.of(drawn[average][:, i])
            differences[name] = Difference(one, two, interval, p_value)
        return differences

    return Differences(compare("micro"), compare("macro"), len(differing), is_exact)


def _p_value(exchanged: Array, observed: float, *, is_exact: bool) -> float:
    n_as_far = int((np.abs(exchanged) >= abs(observed) - _EPSILON).sum())
    return n_as_far / len(exchanged) if is_exact else (n_as_far + 1) / (len(exchanged) + 1)


def _apart(pairs: Iterable[tuple[Array, ...]]) -> dict[Average, Array]:
    """The distances between the scores of two counts: (samples, 3) for each average."""
    scored = [[AverageScores.of(counts) for counts in pair] for pair in pairs]
    return {
        "micro": np.concatenate([one.micro - two.micro for one, two in scored]),
        "macro": np.concatenate([one.macro - two.macro for one, two in scored]),
    }


def _exchanged(
    first: OutcomeCounts, second: OutcomeCounts, exchanges: Iterable[Weights]
) -> Iterator[tuple[Array, Array]]:
    """The counts of both files after exchanges: (exchanges, documents), 1 where exchanged."""
    everyone = np.ones((1, first.n_rows), np.float32)
    one, two = first.count(everyone), second.count(everyone)
    for exchange in exchanges:
        moved = second.count(exchange) - first.count(exchange)
        yield one + moved, two - moved


def _every_exchange(
    rows: npt.NDArray[np.intp], n_rows: int, sizes: Iterable[int]
) -> Iterator[Weights]:
    """Every way to exchange some of ``rows``, which are few."""
    n_before = 0
    for n in sizes:
        numbers = np.arange(n_before, n_before + n)[:, np.newaxis]
        exchange = np.zeros((n, n_rows), np.float32)
        exchange[:, rows] = numbers >> np.arange(len(rows)) & 1
        yield exchange
        n_before += n


def _random_exchanges(n_rows: int, sizes: Iterable[int], seed: int) -> Iterator[Weights]:
    generator = np.random.default_rng(seed)
    for n in sizes:
        yield generator.integers(0, 2, (n, n_rows)).astype(np.float32)
