"""Maps a model's confidence to the share of answers that are right.

There are separate curves for each kind of field and for its nulls. Curves never fall, so the order
of two values of one kind is kept.
"""

from __future__ import annotations

import json
from bisect import bisect_left, bisect_right
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

from hpd.errors import ModelLoadError, OptionError
from hpd.prompt.text import FieldPath

METADATA_KEY = "hpd.calibration"
"""GGUF key of the model's map, as JSON."""

ANY_KIND = "any"
"""The kind for all kinds without their own curve."""

COUNT_KIND = "count"
"""The kind of an array's number of items; other kinds are named like types."""

_IN_LIST_SUFFIX = " in a list"

_FORMAT_VERSION = 1
"""Version of the format of maps."""


def kind_of(name: str, path: FieldPath) -> str:
    """Return the kind of a field: its type or ``COUNT_KIND``, and whether it is in a list's item.

    In lists, models are often sure of values that are in another row.
    """
    return name + _IN_LIST_SUFFIX if any(map(str.isdecimal, path)) else name


@dataclass(frozen=True, slots=True)
class Curve:
    """A piecewise linear curve, constant before the first point and after the last."""

    points: tuple[tuple[float, float], ...]
    """Confidences and the share that is right at each; confidences rise, shares never fall."""

    def __call__(self, confidence: float) -> float:
        """Return the share of answers that are right at a confidence."""
        right = bisect_right(self.points, confidence, key=lambda point: point[0])
        if right == 0:
            return self.points[0][1]
        if right == len(self.points):
            return self.points[-1][1]
        (x0, y0), (x1, y1) = self.points[right - 1], self.points[right]
        return y0 + (y1 - y0) * (confidence - x0) / (x1 - x0)

    def inverse(self, share: float) -> float:
        """Return the lowest confidence at which that share is right, or infinity if none is."""
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

    An empty map changes no confidence.
    """

    values: Mapping[str, Curve] = field(default_factory=dict)
    nulls: Mapping[str, Curve] = field(default_factory=dict)
    null_threshold: float = 0.0
    """Default threshold below which values become null."""

    def __call__(self, kind: str, confidence: float, *, is_null: bool) -> float:
        """Return the share of values, or of nulls, that are right at a confidence."""
        curve = self._curve(kind, is_null=is_null)
        return confidence if curve is None else curve(confidence)

    def inverse(self, kind: str, share: float) -> float:
        """Return the lowest confidence at which that share of values is right."""
        curve = self._curve(kind, is_null=False)
        return share if curve is None else curve.inverse(share)

    def to_json(self) -> dict[str, Any]:
        """Return the map, ready for ``json.dumps``."""
        return {
            "form": _FORMAT_VERSION,
            "null_threshold": self.null_threshold,
            "values": {kind: _round_points(curve) for kind, curve in self.values.items()},
            "nulls": {kind: _round_points(curve) for kind, curve in self.nulls.items()},
        }

    @classmethod
    def from_json(cls, text: str) -> ConfidenceMap:
        """Parse a map; raise ``ValueError`` if the text is not one."""
        try:
            known = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise ValueError(f"it is not JSON: {error}") from None
        if not isinstance(known, dict) or known.get("form") != _FORMAT_VERSION:
            raise ValueError(
                f"it is not a calibration of version {_FORMAT_VERSION}, as written by hpd calibrate"
            )
        threshold = known.get("null_threshold", 0)
        if not _is_share(threshold):
            raise ValueError("null_threshold: a number from 0 to 1 is expected")
        values, nulls = (_read_curves(known, name) for name in ("values", "nulls"))
        return cls(values, nulls, float(threshold))

    def _curve(self, kind: str, *, is_null: bool) -> Curve | None:
        curves = self.nulls if is_null else self.values
        of_type = curves.get(kind.removesuffix(_IN_LIST_SUFFIX), curves.get(ANY_KIND))
        return curves.get(kind, of_type)


def read_map(path: str | Path) -> ConfidenceMap:
    """Read a map written by ``hpd calibrate``.

    Raises:
        OSError: the file cannot be read.
        ValueError: it is not a map.
    """
    return ConfidenceMap.from_json(Path(path).read_text(encoding="utf-8"))


def _round_points(curve: Curve) -> list[list[float]]:
    """Return the points rounded, without duplicates."""
    points: list[list[float]] = []
    for confidence, share in curve.points:
        point = [round(confidence, 6), round(share, 4)]
        if not points or point[0] > points[-1][0]:
            points.append(point)
    return points


def _read_curves(known: Mapping[str, Any], name: str) -> dict[str, Curve]:
    curves = known.get(name)
    if not isinstance(curves, dict):
        raise ValueError(f"it has no {name!r}")
    return {kind: _read_curve(points, f"{name} of {kind!r}") for kind, points in curves.items()}


def _read_curve(points: Any, path: str) -> Curve:
    is_list = isinstance(points, list) and bool(points)
    if not is_list or not all(isinstance(p, list) and len(p) == 2 for p in points):
        raise ValueError(f"{path}: pairs of a confidence and a share are expected")
    if not all(_is_share(x) for point in points for x in point):
        raise ValueError(f"{path}: all numbers must be from 0 to 1")
    pairs = [(float(x), float(y)) for x, y in points]
    for before, after in pairwise(pairs):
        if before[0] >= after[0] or before[1] > after[1]:
            raise ValueError(f"{path}: the confidences must rise, and the shares must not fall")
    return Curve(tuple(pairs))


def _is_share(x: Any) -> bool:
    return type(x) in (int, float) and 0 <= x <= 1


NO_CALIBRATION = "none"
"""The value of the option ``calibration`` that turns calibration off."""


def map_of_option(calibration: str) -> ConfidenceMap | None:
    """Return the option's map, or None.

    Raises:
        OptionError: its file cannot be read, or is not a map.
    """
    if calibration in ("", NO_CALIBRATION):
        return None
    try:
        return read_map(calibration)
    except OSError as error:
        reason = error.strerror or str(error)
    except ValueError as error:
        reason = str(error)
    raise OptionError(f"calibration (--calibration) {calibration}: {reason}")


def map_of_model(metadata: str) -> ConfidenceMap | None:
    """Return the map in a model file's metadata, or None.

    Raises:
        ModelLoadError: it cannot be read.
    """
    if not metadata:
        return None
    try:
        return ConfidenceMap.from_json(metadata)
    except ValueError as error:
        raise ModelLoadError(
            f"the model's own calibration ({METADATA_KEY}) cannot be used: {error}; "
            f"--calibration {NO_CALIBRATION} leaves it out"
        ) from None
