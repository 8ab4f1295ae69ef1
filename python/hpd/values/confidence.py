"""Maps from the confidence of a model to the share of such answers that are right.

There is a curve for each kind of field and, apart from that, for its nulls. A curve never falls, so
of two values of one kind the more confident one stays so.
"""

from __future__ import annotations

import json
import random
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

from hpd.errors import ModelLoadError, OptionError

METADATA_KEY = "hpd.calibration"
"""The key under which a GGUF file has the map of its model, as JSON."""

ANY = "any"
"""The kind that stands for all those which have no curve of their own."""

COUNT = "count"
"""The name of the number of an array's items; other kinds are called as the types are."""

N_SHORT = 200
"""The characters of the longest text that counts as short, as a title does."""

_OF_SHORT = " of a short text"

_FORM = 1
"""The number of the form in which maps are written."""


def kind_of(name: str, text: str) -> str:
    """The kind of a field: its type, or ``COUNT``, and whether its document is a short text.

    A model that knows titles is right about what they do not state; of a letter it may know
    neither what it states nor what it does not.
    """
    return name + _OF_SHORT if len(text) <= N_SHORT else name


def is_of_short(kind: str) -> bool:
    """Whether a kind is one of short texts."""
    return kind.endswith(_OF_SHORT)


@dataclass(frozen=True, slots=True)
class Curve:
    """A curve through points, the same everywhere left of the first, and right of the last."""

    points: tuple[tuple[float, float], ...]
    """Confidences, rising, and the share that is right at each, never falling."""

    def __call__(self, confidence: float) -> float:
        """The share that is right at a confidence."""
        right = bisect_right(self.points, confidence, key=lambda point: point[0])
        if right == 0:
            return self.points[0][1]
        if right == len(self.points):
            return self.points[-1][1]
        (x0, y0), (x1, y1) = self.points[right - 1], self.points[right]
        return y0 + (y1 - y0) * (confidence - x0) / (x1 - x0)

    def least(self, share: float) -> float:
        """The least confidence at which so many are right; infinite if there is none."""
        right = bisect_left(self.points, share, key=lambda point: point[1])
        if right == 0:
            return 0.0
        if right == len(self.points):
            return float("inf")
        (x0, y0), (x1, y1) = self.points[right - 1], self.points[right]
        return x0 + (x1 - x0) * (share - y0) / (y1 - y0)


@dataclass(frozen=True, slots=True)
class ConfidenceMap:
    """A curve for the values and for the nulls of each kind of field.

    An empty map leaves every confidence as it is.
    """

    values: Mapping[str, Curve] = field(default_factory=dict)
    nulls: Mapping[str, Curve] = field(default_factory=dict)
    null_threshold: float = 0.0
    """The share of right values below which null is the better answer, if no other is asked for."""
    null_threshold_of_short: float | None = None
    """The same in short texts; None: it is no other one."""

    def __call__(self, kind: str, confidence: float, *, is_null: bool) -> float:
        """The share of such values, or nulls, that is right."""
        curve = self._curve(kind, is_null=is_null)
        return confidence if curve is None else curve(confidence)

    def least(self, kind: str, share: float) -> float:
        """The least confidence of the model with which a value is right so often."""
        curve = self._curve(kind, is_null=False)
        return share if curve is None else curve.least(share)

    def null_threshold_of(self, kind: str) -> float:
        """The share of right values of a kind below which null is the better answer."""
        own = self.null_threshold_of_short if is_of_short(kind) else None
        return self.null_threshold if own is None else own

    def to_json(self) -> dict[str, Any]:
        """The map, ready for ``json.dumps``."""
        of_short = self.null_threshold_of_short
        return {
            "form": _FORM,
            "null_threshold": self.null_threshold,
            **({} if of_short is None else {"null_threshold_of_short": of_short}),
            "values": {kind: _rounded(curve) for kind, curve in self.values.items()},
            "nulls": {kind: _rounded(curve) for kind, curve in self.nulls.items()},
        }

    @classmethod
    def from_json(cls, text: str) -> ConfidenceMap:
        """The map that a text holds.

        Raises:
            ValueError: it holds none; the message says what is wrong.
        """
        try:
            known = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise ValueError(f"it is no JSON: {error}") from None
        if not isinstance(known, dict) or known.get("form") != _FORM:
            raise ValueError(f"it is no calibration of form {_FORM}: hpd calibrate writes them")
        threshold = known.get("null_threshold", 0)
        of_short = known.get("null_threshold_of_short", threshold)
        for name, share in (("", threshold), ("_of_short", of_short)):
            if not _is_share(share):
                raise ValueError(f"null_threshold{name}: a number from 0 to 1 is expected")
        values, nulls = (_curves(known, name) for name in ("values", "nulls"))
        return cls(values, nulls, float(threshold), None if of_short == threshold else of_short)

    def _curve(self, kind: str, *, is_null: bool) -> Curve | None:
        curves = self.nulls if is_null else self.values
        of_any_text = curves.get(kind.removesuffix(_OF_SHORT), curves.get(ANY))
        return curves.get(kind, of_any_text)


def read_map(path: str | Path) -> ConfidenceMap:
    """The map that ``hpd calibrate`` has written.

    Raises:
        OSError: the file cannot be read.
        ValueError: it holds no map; the message says what is wrong.
    """
    return ConfidenceMap.from_json(Path(path).read_text(encoding="utf-8"))


def _rounded(curve: Curve) -> list[list[float]]:
    """Points with digits enough for any use; those that rounding makes one are written once."""
    points: list[list[float]] = []
    for confidence, share in curve.points:
        point = [round(confidence, 6), round(share, 4)]
        if not points or point[0] > points[-1][0]:
            points.append(point)
    return points


def _curves(known: Mapping[str, Any], name: str) -> dict[str, Curve]:
    curves = known.get(name)
    if not isinstance(curves, dict):
        raise ValueError(f"it has no {name!r}")
    return {kind: _read_curve(points, f"{name} of {kind!r}") for kind, points in curves.items()}


def _read_curve(points: Any, place: str) -> Curve:
    is_list = isinstance(points, list) and bool(points)
    if not is_list or not all(isinstance(p, list) and len(p) == 2 for p in points):
        raise ValueError(f"{place}: pairs of a confidence and a share are expected")
    if not all(_is_share(x) for point in points for x in point):
        raise ValueError(f"{place}: all numbers must be from 0 to 1")
    pairs = [(float(x), float(y)) for x, y in points]
    for before, after in pairwise(pairs):
        if before[0] >= after[0] or before[1] > after[1]:
            raise ValueError(f"{place}: the confidences must rise, and the shares must not fall")
    return Curve(tuple(pairs))


def _is_share(x: Any) -> bool:
    return type(x) in (int, float) and 0 <= x <= 1


NO_MAP = "none"
"""The value of the option ``calibration`` that leaves confidence as the model gives it."""


def asked_map(calibration: str) -> ConfidenceMap | None:
    """The map that the option names; None if it names none.

    Raises:
        OptionError: its file cannot be read, or holds no map.
    """
    if calibration in ("", NO_MAP):
        return None
    try:
        return read_map(calibration)
    except OSError as error:
        reason = error.strerror or str(error)
    except ValueError as error:
        reason = str(error)
    raise OptionError(f"calibration (--calibration) {calibration}: {reason}")


def own_map(metadata: str) -> ConfidenceMap | None:
    """The map in the metadata of a model file; None if that has none.

    Raises:
        ModelLoadError: there is one, and it cannot be read.
    """
    if not metadata:
        return None
    try:
        return ConfidenceMap.from_json(metadata)
    except ValueError as error:
        raise ModelLoadError(
            f"the model's own calibration ({METADATA_KEY}) cannot be used: {error}; "
            f"--calibration {NO_MAP} leaves it out"
        ) from None


PRIOR_ANSWERS = 3
"""The weight of what a step is drawn towards, in answers. Of 1, 3, 5, 10 and 30 this left the
smallest errors, or nearly, for maps that were fitted to 50, 100, 300 and 1,000 answers of the box
and tried on others."""

N_FOLDS = 5


@dataclass(frozen=True, slots=True)
class Judged:
    """An answer with the confidence that the model gave it, and whether it is right."""

    document: Hashable
    """Its document: those of one document are never on both sides of a test."""
    kind: str
    confidence: float
    is_null: bool
    is_right: bool


Step = tuple[float, float, float]
"""Answers with one height of the curve in common: their weight, mean confidence and height."""


def fit(judged: Sequence[Judged]) -> ConfidenceMap:
    """The map of some answers: for all kinds together, and for each kind that occurs."""
    curves = []
    for is_null in (False, True):
        alike = [answer for answer in judged if answer.is_null == is_null]
        by_kind = {}
        if alike:
            by_kind[ANY] = _curve(alike, lambda confidence: confidence)
            for kind in sorted({answer.kind for answer in alike}):
                of_kind = [answer for answer in alike if answer.kind == kind]
                by_kind[kind] = _curve(of_kind, by_kind[ANY])
        curves.append(by_kind)
    values, nulls = curves
    return ConfidenceMap(values, nulls)


def cross_fitted(judged: Sequence[Judged], n_folds: int = N_FOLDS, seed: int = 0) -> list[Judged]:
    """The same answers with the confidence that a map gives them which has not seen them.

    The documents are dealt out to folds; the answers of each are mapped by what was fitted to all
    others.
    """
    documents = list(dict.fromkeys(answer.document for answer in judged))
    random.Random(seed).shuffle(documents)
    fold_of = {document: number % n_folds for number, document in enumerate(documents)}
    maps = [
        fit([answer for answer in judged if fold_of[answer.document] != fold])
        for fold in range(n_folds)
    ]
    return [mapped(answer, maps[fold_of[answer.document]]) for answer in judged]


def best_null_threshold(judged: Sequence[Judged], n_stated: int, tolerance: float = 0.0) -> float:
    """The hundredth below which values should become null for the highest F1.

    Where confidence is the share that is right, that is half of the F1 which is reached with it
    (Lipton, Elkan and Narayanaswamy 2014, "Thresholding Classifiers to Maximize F1 Score"): a
    value that is right less often costs more precision than it gains recall.

    Args:
        judged: answers with calibrated confidence, best of a map that has not seen them.
        n_stated: how many values there are to be found.
        tolerance: how much less F1 may be for a lower threshold, which keeps more values.
    """
    scores = {n / 100: _f1(judged, n_stated, n / 100) for n in range(100)}
    least = max(scores.values()) - tolerance
    return next(threshold for threshold, score in scores.items() if score >= least)


def _f1(judged: Sequence[Judged], n_stated: int, threshold: float) -> float:
    kept = [
        answer.is_right
        for answer in judged
        if not answer.is_null and answer.confidence >= threshold
    ]
    return 2 * sum(kept) / max(1, len(kept) + n_stated)


def mapped(answer: Judged, confidence_map: ConfidenceMap) -> Judged:
    """An answer with the confidence that a map makes of its own."""
    confidence = confidence_map(answer.kind, answer.confidence, is_null=answer.is_null)
    return replace(answer, confidence=confidence)


def isotonic(points: Iterable[Step]) -> list[Step]:
    """The never falling steps that are nearest to some points, by the sum of squares.

    Neighbours that do not rise are pooled until all do (pool adjacent violators). The points are
    given by rising confidence.
    """
    steps: list[Step] = []
    for point in points:
        while steps and steps[-1][2] >= point[2]:
            point = _pooled(steps.pop(), point)
        steps.append(point)
    return steps


def _pooled(one: Step, two: Step) -> Step:
    weight = one[0] + two[0]
    confidence, height = (
        (one[0] * of_one + two[0] * of_two) / weight
        for of_one, of_two in zip(one[1:], two[1:], strict=True)
    )
    return weight, confidence, height


def _curve(judged: Sequence[Judged], prior: Callable[[float], float]) -> Curve:
    outcomes: dict[float, list[bool]] = {}
    for answer in judged:
        outcomes.setdefault(answer.confidence, []).append(answer.is_right)
    steps = isotonic(
        (len(rights), confidence, sum(rights) / len(rights))
        for confidence, rights in sorted(outcomes.items())
    )
    drawn = [
        (
            weight + PRIOR_ANSWERS,
            confidence,
            (weight * height + PRIOR_ANSWERS * prior(confidence)) / (weight + PRIOR_ANSWERS),
        )
        for weight, confidence, height in steps
    ]
    # The prior may rise or fall otherwise than the steps do, so that they are no longer in order.
    return Curve(tuple((confidence, height) for _, confidence, height in isotonic(drawn)))
