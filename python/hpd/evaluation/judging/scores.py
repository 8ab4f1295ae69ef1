"""LLM-precision, LLM-recall and LLM-F1 (paper, appendix E), with intervals.

With C correct, CN correct null, I incorrect, M missing and H hallucination:

    LLM-P = (C + CN) / (C + CN + H + I)
    LLM-R = (C + CN) / (C + CN + M + I)

and LLM-F1 is their harmonic mean. A null that is right counts as much as a value that is right.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from hpd.evaluation.intervals import Interval
from hpd.evaluation.judging.verdicts import VERDICTS, Judged, Verdict
from hpd.evaluation.outcome_counts import drawn_documents
from hpd.evaluation.resampling import USUAL, Resampling

Array = npt.NDArray[np.float64]

NAMES = ("precision", "recall", "f1")

_CHUNK = 200
"""Samples that are drawn at once, so that many documents do not fill the memory."""


@dataclass(frozen=True, slots=True)
class VerdictCounts:
    """The number of each verdict, and the scores in percent; None where nothing can be divided."""

    counts: tuple[int, ...]
    """In the order of ``VERDICTS``."""

    def n(self, verdict: Verdict) -> int:
        """The number of one verdict."""
        return self.counts[VERDICTS.index(verdict)]

    @property
    def n_all(self) -> int:
        """The number of all verdicts."""
        return sum(self.counts)

    @property
    def scores(self) -> tuple[float | None, ...]:
        """The scores, in the order of ``NAMES``."""
        values = llm_scores(np.array(self.counts, float))
        return tuple(None if np.isnan(value) else round(float(value), 2) for value in values)

    def to_json(self) -> dict[str, Any]:
        """The scores and the counts."""
        return {
            **dict(zip(NAMES, self.scores, strict=True)),
            "verdicts": dict(zip(VERDICTS, self.counts, strict=True)),
        }


@dataclass(frozen=True, slots=True)
class JudgeScores:
    """The verdicts on a file, added up."""

    total: VerdictCounts
    attributes: dict[str, VerdictCounts]
    intervals: tuple[Interval | None, ...]
    """Of the total's scores, in the order of ``NAMES``."""
    n_documents: int
    resampling: Resampling

    def to_json(self) -> dict[str, Any]:
        """Everything, ready for ``json.dumps``."""
        return {
            "n_documents": self.n_documents,
            **self.total.to_json(),
            "intervals": {
                name: None if interval is None else interval.to_json()
                for name, interval in zip(NAMES, self.intervals, strict=True)
            },
            "attributes": {name: counts.to_json() for name, counts in self.attributes.items()},
            "resampling": self.resampling.to_json(),
        }


def judge_scores(judged: Iterable[Judged], resampling: Resampling = USUAL) -> JudgeScores:
    """Add verdicts up; the intervals come from drawing documents."""
    judged = list(judged)
    rows = {row: i for i, row in enumerate(dict.fromkeys(each.row for each in judged))}
    by_document = np.zeros((len(rows), len(VERDICTS)))
    by_attribute: dict[str, list[int]] = {}
    for each in judged:
        column = VERDICTS.index(each.verdict)
        by_document[rows[each.row], column] += 1
        by_attribute.setdefault(each.attribute, [0] * len(VERDICTS))[column] += 1
    return JudgeScores(
        _counts(by_document.sum(axis=0)),
        {name: _counts(counts) for name, counts in by_attribute.items()},
        _intervals(by_document, resampling),
        len(rows),
        resampling,
    )


def llm_scores(counts: Array) -> Array:
    """The scores, in percent, of (..., verdicts) counts: (..., 3), NaN where there are none."""
    correct, incorrect, missing, null, invented = (counts[..., i] for i in range(len(VERDICTS)))
    right = correct + null
    with np.errstate(invalid="ignore"):
        precision = right / (right + invented + incorrect)
        recall = right / (right + missing + incorrect)
        both = precision + recall
        f1 = np.where(both == 0, 0.0, 2 * precision * recall / both)
    return 100 * np.stack([precision, recall, f1], axis=-1)


def _counts(counts: Sequence[float] | Array) -> VerdictCounts:
    return VerdictCounts(tuple(int(n) for n in counts))


def _intervals(by_document: Array, resampling: Resampling) -> tuple[Interval | None, ...]:
    if not len(by_document):
        return (None,) * len(NAMES)
    sizes = [_CHUNK] * (resampling.n // _CHUNK) + [resampling.n % _CHUNK]
    parts = [
        llm_scores(weights @ by_document)
        for weights in drawn_documents(len(by_document), sizes, resampling.seed)
    ]
    samples = np.concatenate(parts)
    usable = [samples[~np.isnan(samples[:, i]), i] for i in range(len(NAMES))]
    return tuple(Interval.of(each) if len(each) else None for each in usable)
