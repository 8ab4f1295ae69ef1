"""Calibrations fitted by ``hpd calibrate -m MODEL``, stored in hpd's cache."""

from __future__ import annotations

from pathlib import Path

from hpd.files.journal import file_fingerprint
from hpd.models.cache import cache_folder, load, store
from hpd.values.confidence import ConfidenceMap, read_map


def store_calibration(model: Path, confidence_map: ConfidenceMap) -> Path:
    """Store the calibration of a model file, replacing an earlier one; return its path.

    Raises:
        HpdError: the cache cannot be written.
    """
    return store(_file(model), {**confidence_map.to_json(), "model": model.name})


def stored_calibration(model: Path) -> ConfidenceMap | None:
    """Return the calibration fitted to a model file on this machine, or None."""
    return load(_file(model), read_map, "hpd calibrate -m")


def _file(model: Path) -> Path:
    return cache_folder() / f"calibration-{file_fingerprint(model)}.json"
