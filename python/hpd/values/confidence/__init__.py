"""Confidence that means what it says: maps from a model's own to the share that is right."""

from hpd.values.confidence.chosen import NO_MAP, asked_map, own_map
from hpd.values.confidence.fitting import Judged, best_null_threshold, cross_fitted, fit, mapped
from hpd.values.confidence.maps import (
    ANY,
    COUNT,
    METADATA_KEY,
    ConfidenceMap,
    Curve,
    is_of_short,
    kind_of,
    read_map,
)

__all__ = [
    "ANY",
    "COUNT",
    "METADATA_KEY",
    "NO_MAP",
    "ConfidenceMap",
    "Curve",
    "Judged",
    "asked_map",
    "best_null_threshold",
    "cross_fitted",
    "fit",
    "is_of_short",
    "kind_of",
    "mapped",
    "own_map",
    "read_map",
]
