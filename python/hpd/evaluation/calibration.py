"""Calibration: confidence beside accuracy, and the effect of a threshold.

A value is right if the metric counts it as right (``hpd.evaluation.outcomes``). Nulls are counted
apart, as ``null_threshold`` is about values.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from hpd.evaluation.outcomes import Outcome, outcome
from hpd.evaluation.rows import Example, Prediction
from hpd.evaluation.scores import Counts

N_BINS = 10
THRESHOLDS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99)


@dataclass(frozen=True, slots=True)
class Answer:
    """One field: the confidence of the model, and the outcome."""

    confidence: float
    outcome: Outcome

    @property
    def is_value(self) -> bool:
        """Whether it is a value, not null."""
        return self.outcome in ("vc", "vw", "nv")

    @property
    def is_right(self) -> bool:
        """Whether the value, or the null, is right."""
        return self.outcome in ("vc", "nn")


@dataclass(frozen=True, slots=True)
class Bin:
    """The answers with a confidence between two bounds."""

    low: float
    high: float
    n: int
    confidence: float
    """Their mean confidence."""
    accuracy: float
    """The share of them that is right; in a calibrated model it equals their confidence."""


@dataclass(frozen=True, slots=True)
class Reliability:
    """Answers binned by confidence."""

    bins: tuple[Bin, ...]
    """The bins that are not empty, the lowest first."""
    n: int
    ece: float
    """The expected calibration error: the mean distance between confidence and accuracy."""


@dataclass(frozen=True, slots=True)
class Threshold:
    """The counts that are left when values less likely than a threshold become null."""

    threshold: float
    counts: Counts


@dataclass(frozen=True, slots=True)
class Calibration:
    """The reliability of values and of nulls, and the thresholds to choose from."""

    values: Reliability
    nulls: Reliability
    thresholds: tuple[Threshold, ...]

    def to_json(self) -> dict[str, Any]:
        """Everything, ready for ``json.dumps``."""
        return {
            "values": asdict(self.values),
            "nulls": asdict(self.nulls),
            "thresholds": [
                {"threshold": row.threshold, **row.counts.to_json()} for row in self.thresholds
            ],
        }


def answers(examples: Sequence[Example], predictions: Sequence[Prediction | None]) -> list[Answer]:
    """The fields with a confidence that the gold names, with a value or as absent.

    ``predictions`` has the prediction for each example, None if there is none.
    """
    stated = []
    for example, prediction in zip(examples, predictions, strict=True):
        if prediction is None or prediction.data is None:
            continue
        confidences = prediction.confidences
        for attribute, gold in example.gold.items():
            if attribute in confidences:
                result = outcome(gold, prediction.data.get(attribute))
                stated.append(Answer(confidences[attribute], result))
    return stated


def calibrate(every: Sequence[Answer], n_bins: int = N_BINS) -> Calibration:
    """Bins, errors and thresholds of some answers."""
    return Calibration(
        reliability([answer for answer in every if answer.is_value], n_bins),
        reliability([answer for answer in every if not answer.is_value], n_bins),
        tuple(Threshold(bound, _counts(every, bound)) for bound in THRESHOLDS),
    )


def reliability(every: Sequence[Answer], n_bins: int = N_BINS) -> Reliability:
    """Answers in ``n_bins`` bins of equal width."""
    members: dict[int, list[Answer]] = {}
    for answer in every:
        index = min(int(answer.confidence * n_bins), n_bins - 1)
        members.setdefault(index, []).append(answer)
    bins = tuple(
        Bin(
            index / n_bins,
            (index + 1) / n_bins,
            len(inside),
            sum(answer.confidence for answer in inside) / len(inside),
            sum(answer.is_right for answer in inside) / len(inside),
        )
        for index, inside in sorted(members.items())
    )
    error = sum(b.n * abs(b.confidence - b.accuracy) for b in bins)
    return Reliability(bins, len(every), error / len(every) if every else 0.0)


def _counts(every: Iterable[Answer], threshold: float) -> Counts:
    n = {"nn": 0, "nv": 0, "vn": 0, "vc": 0, "vw": 0}
    for answer in every:
        name: str = answer.outcome
        if answer.is_value and answer.confidence < threshold:
            name = "nn" if name == "nv" else "vn"
        n[name] += 1
    return Counts(**n)
