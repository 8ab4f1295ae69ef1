"""The map that an extractor applies: the one that was asked for, or the model's own."""

from __future__ import annotations

from hpd.errors import ModelLoadError, OptionError
from hpd.values.confidence.maps import METADATA_KEY, ConfidenceMap, read_map

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
