"""Fits a calibration to answers that are known to be right or wrong."""

from __future__ import annotations

import random
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, replace

from hpd.evaluation.outcomes import Outcome
from hpd.evaluation.scores import precision_recall_f1
from hpd.values.confidence import ANY_KIND, ConfidenceMap, Curve

PRIOR_ANSWERS = 3
"""Weight of a step's prior, in answers. Among 1, 3, 5, 10 and 30, it gave the smallest errors, or
nearly, for maps that were fitted to 50, 100, 300 and 1,000 answers of the bundled model and tested
on others."""

N_FOLDS = 5

MAX_PER_DOCUMENT = 10
"""Maximum number of answers of one document that count, so that no long list decides alone."""


@dataclass(frozen=True, slots=True)
class ScoredConfidence:
    """An answer with its confidence, and whether it is right."""

    document: Hashable
    """Its document: answers of one document are never in both fitting and test data."""
    kind: str
    confidence: float
    is_null: bool
    is_right: bool
    is_stated: bool = False
    """Whether its document states a value."""
    uncalibrated: float | None = None
    """The model's own confidence, if the stated one is calibrated."""
    was_nulled: bool = False
    """Whether the value with this confidence was replaced with null."""

    def outcome(self, null_threshold: float = 0.0) -> Outcome:
        """Return the outcome if a value with a confidence below a threshold becomes null."""
        if self.is_null or self.confidence < null_threshold:
            return "vn" if self.is_stated else "nn"
        return "vc" if self.is_right else "vw" if self.is_stated else "nv"

    @property
    def with_own_confidence(self) -> ScoredConfidence:
        """The answer with the model's own confidence, for fitting a calibration."""
        return self if self.uncalibrated is None else replace(self, confidence=self.uncalibrated)


CurveStep = tuple[float, float, float]
"""Answers at the same height of the curve: their weight, mean confidence and height."""


def fit(judged: Sequence[ScoredConfidence]) -> ConfidenceMap:
    """Fit a map, with curves for all kinds together and for each kind.

    At most ``MAX_PER_DOCUMENT`` answers of each document count.
    """
    judged = limit_per_document(judged)
    return ConfidenceMap(
        _curves([answer for answer in judged if not answer.is_null]),
        _curves([answer for answer in judged if answer.is_null]),
    )


def limit_per_document(judged: Sequence[ScoredConfidence]) -> list[ScoredConfidence]:
    """Return the answers with at most ``MAX_PER_DOCUMENT`` of each document, chosen by lot."""
    by_document: dict[Hashable, list[ScoredConfidence]] = {}
    for answer in judged:
        by_document.setdefault(answer.document, []).append(answer)
    rng = random.Random(0)
    return [
        answer
        for own in by_document.values()
        for answer in rng.sample(own, min(len(own), MAX_PER_DOCUMENT))
    ]


def cross_validate(judged: Sequence[ScoredConfidence]) -> list[ScoredConfidence]:
    """Return the answers with cross-validated confidence.

    Documents are divided into folds; each fold is mapped with a map fitted to all others.
    """
    documents = list(dict.fromkeys(answer.document for answer in judged))
    random.Random(0).shuffle(documents)
    fold_of = {document: number % N_FOLDS for number, document in enumerate(documents)}
    maps = [
        fit([answer for answer in judged if fold_of[answer.document] != fold])
        for fold in range(N_FOLDS)
    ]
    return [calibrate_answer(answer, maps[fold_of[answer.document]]) for answer in judged]


def best_null_threshold(judged: Sequence[ScoredConfidence]) -> float:
    """Return the null threshold with the highest F1: a multiple of 0.01.

    With calibrated confidence it is half of the F1 that it reaches (Lipton, Elkan and
    Narayanaswamy 2014, "Thresholding Classifiers to Maximize F1 Score"): less likely values cost
    more precision than they gain recall.
    The confidence should also be cross-validated.
    """
    return max((n / 100 for n in range(100)), key=lambda threshold: f1_above(judged, threshold))


def f1_above(judged: Sequence[ScoredConfidence], threshold: float) -> float:
    """Return F1, in percent, if values with a confidence below a threshold become null."""
    kept = [
        answer.is_right
        for answer in judged
        if not answer.is_null and answer.confidence >= threshold
    ]
    n_stated = sum(answer.is_stated for answer in judged)
    _, _, f1 = precision_recall_f1(sum(kept), len(kept), n_stated)
    return float(f1)


def calibrate_answer(answer: ScoredConfidence, confidence_map: ConfidenceMap) -> ScoredConfidence:
    confidence = confidence_map(answer.kind, answer.confidence, is_null=answer.is_null)
    return replace(answer, confidence=confidence)


def isotonic_fit(points: Iterable[CurveStep]) -> list[CurveStep]:
    """Return the non-decreasing steps that fit some points best, by least squares.

    Points are in order of confidence; neighbours that do not rise are pooled (pool adjacent
    violators).
    """
    steps: list[CurveStep] = []
    for weight, confidence, height in points:
        while steps and steps[-1][2] >= height:
            before, low, high = steps.pop()
            confidence = (before * low + weight * confidence) / (before + weight)
            height = (before * high + weight * height) / (before + weight)
            weight += before
        steps.append((weight, confidence, height))
    return steps


def _curves(judged: Sequence[ScoredConfidence]) -> dict[str, Curve]:
    if not judged:
        return {}
    common = _curve(judged, lambda confidence: confidence)
    curves = {ANY_KIND: common}
    for kind in sorted({answer.kind for answer in judged}):
        curves[kind] = _curve([answer for answer in judged if answer.kind == kind], common)
    return curves


def _curve(judged: Sequence[ScoredConfidence], prior: Callable[[float], float]) -> Curve:
    outcomes: dict[float, list[bool]] = {}
    for answer in judged:
        outcomes.setdefault(answer.confidence, []).append(answer.is_right)
    steps = isotonic_fit(
        (len(rights), confidence, sum(rights) / len(rights))
        for confidence, rights in sorted(outcomes.items())
    )
    smoothed = [
        (
            weight + PRIOR_ANSWERS,
            confidence,
            (weight * height + PRIOR_ANSWERS * prior(confidence)) / (weight + PRIOR_ANSWERS),
        )
        for weight, confidence, height in steps
    ]
    # The prior may have put the steps out of order.
    return Curve(tuple((confidence, height) for _, confidence, height in isotonic_fit(smoothed)))
