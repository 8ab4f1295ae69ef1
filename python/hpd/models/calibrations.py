"""Calibrations fitted by ``hpd calibrate -m MODEL``, stored in hpd's cache."""

from __future__ import annotations

import warnings
from pathlib import Path

from hpd.errors import HpdError, HpdWarning
from hpd.files.journal import file_fingerprint
from hpd.messages import caller_level
from hpd.models.cache import CACHE_VARIABLE, cache_folder, write_json
from hpd.values.confidence import ConfidenceMap, read_map


class CalibrationWarning(HpdWarning):
    """A calibration in the cache cannot be used."""


def store_calibration(model: Path, confidence_map: ConfidenceMap) -> Path:
    """Store the calibration of a model file, replacing an earlier one; return its path.

    Raises:
        HpdError: the cache cannot be written.
    """
    file = _file(model)
    try:
        write_json(file, {**confidence_map.to_json(), "model": model.name})
    except OSError as error:
        raise HpdError(
            f"the calibration cannot be stored: {error}; set {CACHE_VARIABLE} to a writable "
            "folder, or name a file with -o"
        ) from error
    return file


def stored_calibration(model: Path) -> ConfidenceMap | None:
    """Return the calibration fitted to a model file on this machine, or None."""
    file = _file(model)
    try:
        return read_map(file)
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        warnings.warn(
            f"{file} cannot be read and is ignored ({error}): delete it, or run hpd calibrate -m "
            "again",
            CalibrationWarning,
            stacklevel=caller_level(),
        )
        return None


def _file(model: Path) -> Path:
    return cache_folder() / f"calibration-{file_fingerprint(model)}.json"
