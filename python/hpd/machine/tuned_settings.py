"""What ``hpd tune`` found for a model on this machine: kept in hpd's cache, and found again.

One file a model, machine and set of options. It is read as a hint: whatever is wrong with it, one
goes on without it.
"""

from __future__ import annotations

import hashlib
import json
import os
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hpd.errors import HpdError
from hpd.machine.cache import CACHE_VARIABLE, cache_folder, write_json
from hpd.machine.hardware import devices, n_cores, processor, use_extra_bufts
from hpd.options import OPTIONS, TUNABLE, Options
from hpd.version import __version__

if TYPE_CHECKING:
    from hpd import _native

TUNED_VARIABLE = "HPD_TUNED"
"""``0``: do as if nothing had been tuned."""


class TunedWarning(UserWarning):
    """What ``hpd tune`` kept cannot be used."""


def tuned_values(model: _native.Model, path: Path, options: Options) -> dict[str, int]:
    """What was tuned of what ``options`` leave open; empty where nothing was.

    Args:
        model: as loaded.
        path: the file that it was loaded from.
        options: as they were asked for.
    """
    # Tuned is how fields are decoded in parallel.
    if os.environ.get(TUNED_VARIABLE) == "0" or options.method != "hpd" or not options.unset:
        return {}
    found = load(identity(model, path, options))
    return {name: found[name] for name in options.unset if name in found}


def identity(model: _native.Model, path: Path, options: Options) -> dict[str, Any]:
    """Everything on which the fastest settings depend, besides the documents."""
    import llama_cpp

    conditions = {
        name: getattr(options, name) for name, option in OPTIONS.items() if option.in_identity
    }
    return {
        "model": {
            "name": model.metadata("general.name") or path.name,
            "architecture": model.metadata("general.architecture"),
            # The size in words and the quantisation.
            "description": model.description,
            "n_bytes": model.n_bytes,
        },
        "machine": {
            "processor": processor(),
            "devices": devices(),
            "llama_cpp": llama_cpp.llama_version().decode(),
            "llama_cpp_system": llama_cpp.llama_print_system_info().decode().strip(),
            "extra_bufts": use_extra_bufts(),
            "hpd": __version__,
        },
        "options": {**conditions, "n_threads": options.n_threads or n_cores()},
    }


def store(known: Mapping[str, Any], values: Mapping[str, int]) -> Path:
    """Keep ``values`` under an identity; what was kept under it before is replaced.

    Raises:
        HpdError: the cache cannot be written.
    """
    file = _file(known)
    try:
        write_json(file, {**known, "tuned": dict(values)})
    except OSError as error:
        raise HpdError(
            f"what was found cannot be kept: {error}; name a folder that can be written with "
            f"{CACHE_VARIABLE}"
        ) from error
    return file


def load(known: Mapping[str, Any]) -> dict[str, int]:
    """What is kept under an identity; empty if nothing is, or nothing that can be read."""
    file = _file(known)
    try:
        kept = json.loads(file.read_text(encoding="utf-8"))
        values = {name: kept["tuned"][name] for name in TUNABLE}
        _check(values)
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, KeyError, TypeError) as error:
        warnings.warn(
            f"{file} cannot be read and is left out ({error!r}): delete it, or run hpd tune anew",
            TunedWarning,
            stacklevel=2,
        )
        return {}
    return values


def _check(values: Mapping[str, Any]) -> None:
    """Refuse what options cannot have."""
    for name, default in TUNABLE.items():
        if type(values[name]) is not type(default):
            raise TypeError(f"{name} is {values[name]!r}")
    if Options(**values).unset:
        raise ValueError(f"no values for {', '.join(Options(**values).unset)}")


def _file(known: Mapping[str, Any]) -> Path:
    text = json.dumps(known, sort_keys=True)
    return cache_folder() / f"tuned-{hashlib.sha256(text.encode()).hexdigest()[:16]}.json"
