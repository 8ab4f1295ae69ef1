"""The calibrations that ``hpd calibrate -m MODEL`` has fitted, kept in hpd's cache."""

from __future__ import annotations

import warnings
from pathlib import Path

from hpd.errors import HpdError, HpdWarning
from hpd.files.journal import file_fingerprint
from hpd.models.cache import CACHE_VARIABLE, cache_folder, write_json
from hpd.values.confidence import ConfidenceMap, read_map


class CalibrationWarning(HpdWarning):
    """A calibration in the cache cannot be used."""


def store_calibration(model: Path, confidence_map: ConfidenceMap) -> Path:
    """Keep the calibration of a model file, in place of an earlier one; returns its file.

    Raises:
        HpdError: the cache cannot be written.
    """
    file = _file(model)
    try:
        write_json(file, {**confidence_map.to_json(), "model": model.name})
    except OSError as error:
        raise HpdError(
            f"the calibration cannot be kept: {error}; name a folder that can be written with "
            f"{CACHE_VARIABLE}, or a file with -o"
        ) from error
    return file


def stored_calibration(model: Path) -> ConfidenceMap | None:
    """The calibration that was fitted to a model file on this machine; None if there is none."""
    file = _file(model)
    try:
        return read_map(file)
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        warnings.warn(
            f"{file} cannot be read and is left out ({error}): delete it, or run hpd calibrate -m "
            "again",
            CalibrationWarning,
            stacklevel=2,
        )
        return None


def _file(model: Path) -> Path:
    return cache_folder() / f"calibration-{file_fingerprint(model)}.json"
