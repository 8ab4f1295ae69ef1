"""Calibration: confidence against accuracy, effects of thresholds, precision by coverage.

A value is right if the metric counts it as right (``hpd.evaluation.outcomes``). Nulls are counted
separately, as ``null_threshold`` applies to values.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from hpd.evaluation.confidence_fit import ScoredConfidence, cross_validate
from hpd.evaluation.json_form import JsonDataclass
from hpd.evaluation.outcomes import outcome
from hpd.evaluation.rows import Example, Prediction
from hpd.evaluation.scores import Counts
from hpd.schema.attributes import Schema
from hpd.values.confidence import ANY_KIND

N_BINS = 10
THRESHOLDS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99)


@dataclass(frozen=True, slots=True)
class Bin(JsonDataclass):
    """The answers with a confidence between two bounds."""

    low: float
    high: float
    n: int
    confidence: float
    """Their mean confidence."""
    accuracy: float
    """The share of right answers; it equals the confidence if that is calibrated."""


@dataclass(frozen=True, slots=True)
class Reliability(JsonDataclass):
    """Answers binned by confidence."""

    bins: tuple[Bin, ...]
    """The bins that are not empty, lowest first."""
    n: int
    ece: float
    """The expected calibration error: the mean distance between confidence and accuracy."""


@dataclass(frozen=True, slots=True)
class Calibration(JsonDataclass):
    """The reliability of values and of nulls, and the thresholds to choose from.

    The counterpart is that of the same answers with their confidence before or after calibration.
    Answers that were calibrated when extracted are compared with the model's own confidence.
    Otherwise a calibration is cross-validated: fitted to four fifths of the documents and applied
    to the rest, five times.
    """

    by_kind: Mapping[str, Sequence[Reliability]]
    """The reliability of ``values`` and of ``nulls``, and that of their counterpart."""
    is_counterpart_calibrated: bool
    thresholds: Mapping[float, Counts]
    """The counts if values with a confidence below each threshold become null."""

    def members(self) -> dict[str, Any]:
        stated, other = ({kind: both[i] for kind, both in self.by_kind.items()} for i in (0, 1))
        counterpart = {"is_calibrated": self.is_counterpart_calibrated, **other}
        rows = [{"threshold": each, **own.members()} for each, own in self.thresholds.items()]
        return {**stated, "counterpart": counterpart, "thresholds": rows}


def scored_answers(
    examples: Sequence[Example],
    predictions: Sequence[Prediction | None],
    schemas: Mapping[str, Schema] | None = None,
) -> list[ScoredConfidence]:
    """Return the fields with a confidence and a gold value or null.

    The ``schemas`` of the categories tell their kinds; attributes that they lack, lists and objects
    are then skipped.
    """
    answers = []
    for document, (example, prediction) in enumerate(zip(examples, predictions, strict=True)):
        if prediction is None or prediction.data is None:
            continue
        own = None if schemas is None else schemas.get(example.category, ())
        kinds = None if own is None else {each.name: each.type for each in own}
        for attribute, gold in example.gold.items():
            kind = ANY_KIND if kinds is None else kinds.get(attribute)
            confidence = prediction.confidence(attribute)
            if confidence is None or kind is None or kind in ("array", "object"):
                continue
            result = outcome(gold, prediction.data.get(attribute))
            answers.append(
                ScoredConfidence(
                    document,
                    kind,
                    confidence,
                    is_null=result in ("nn", "vn"),
                    is_right=result in ("nn", "vc"),
                    is_stated=bool(gold),
                    uncalibrated=prediction.confidence(attribute, calibrated=False),
                    was_nulled=prediction.was_nulled(attribute),
                )
            )
    return answers


def calibrate(answers: Sequence[ScoredConfidence]) -> Calibration:
    """Compute bins, errors and thresholds.

    Values that were replaced with null count only for the thresholds.
    """
    given = [answer for answer in answers if not answer.was_nulled]
    originals = [answer.with_own_confidence for answer in given]
    was_calibrated = any(answer.uncalibrated is not None for answer in given)
    others = originals if was_calibrated else cross_validate(originals)
    values, nulls = (
        [reliability([a for a in each if a.is_null == is_null]) for each in (given, others)]
        for is_null in (False, True)
    )
    thresholds = {bound: Counts.of(each.outcome(bound) for each in answers) for bound in THRESHOLDS}
    return Calibration({"values": values, "nulls": nulls}, not was_calibrated, thresholds)


def bin_of(confidence: float) -> int:
    """Return which of ``N_BINS`` bins of equal width holds a confidence."""
    return min(int(confidence * N_BINS), N_BINS - 1)


def reliability(answers: Sequence[ScoredConfidence]) -> Reliability:
    """Put answers into bins."""
    members: dict[int, list[ScoredConfidence]] = {}
    for answer in answers:
        members.setdefault(bin_of(answer.confidence), []).append(answer)
    bins = tuple(
        Bin(
            index / N_BINS,
            (index + 1) / N_BINS,
            len(inside),
            sum(answer.confidence for answer in inside) / len(inside),
            sum(answer.is_right for answer in inside) / len(inside),
        )
        for index, inside in sorted(members.items())
    )
    error = sum(b.n * abs(b.confidence - b.accuracy) for b in bins)
    return Reliability(bins, len(answers), error / len(answers) if answers else 0.0)


N_POINTS = 100


@dataclass(frozen=True, slots=True)
class CoveragePoint(JsonDataclass):
    """The values whose confidence is at least a threshold."""

    threshold: float
    coverage: float
    """Their share of all values."""
    precision: float
    """The share of them that is right."""


def coverage_curve(answers: Iterable[ScoredConfidence]) -> list[CoveragePoint]:
    """Return precision by coverage, from the most confident values to all, in ``N_POINTS`` steps.

    There are fewer steps if values have the same confidence, as no threshold separates them.
    """
    values = sorted((a for a in answers if not a.is_null), key=lambda a: -a.confidence)
    last_of_step: dict[int, CoveragePoint] = {}
    n = n_right = 0
    for confidence, alike in groupby(values, key=lambda a: a.confidence):
        rights = [answer.is_right for answer in alike]
        n += len(rights)
        n_right += sum(rights)
        point = CoveragePoint(confidence, n / len(values), n_right / n)
        last_of_step[min(N_POINTS - 1, int(point.coverage * N_POINTS))] = point
    return list(last_of_step.values())
