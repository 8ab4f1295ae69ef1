"""Loading a model with its options, and the settings that ``hpd tune`` found for it."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hpd.models.cache import cache_folder, load, store
from hpd.models.hardware import devices, n_cores, processor, use_amx
from hpd.models.model_files import local_lora, resolve_draft_model
from hpd.option_fields import Target
from hpd.options import OPTIONS, TUNABLE, Options, speed_identity
from hpd.version import __version__

if TYPE_CHECKING:
    from hpd import _native

TUNED_VARIABLE = "HPD_TUNED"
"""The environment variable that, set to ``0``, disables tuned settings."""


def load_model(
    path: Path, options: Options, progress: Callable[[float], bool | None] | None = None
) -> _native.Model:
    """Load a model and its adapters.

    Args:
        path: its file, or its first part.
        options: the options; those about the model are used.
        progress: called with the fraction that is loaded; may return False to stop loading.

    Raises:
        HpdError: this process was forked from one that had loaded a model.
        ModelLoadError: it cannot be loaded.
    """
    from hpd import _native

    _native.claim_process()
    _native.echo_log(options.verbose)
    native = model_options(options)
    return _native.Model([str(path)], native, progress)


def load_vocabulary(path: Path, *, verbose: bool = False) -> _native.Model:
    """Load the vocabulary and the metadata of a model, without its weights."""
    from hpd import _native

    _native.echo_log(verbose)
    native = _native.ModelOptions()
    native.vocab_only = True
    return _native.Model([str(path)], native)


def model_options(options: Options) -> _native.ModelOptions:
    """Return the native model options; the files of adapters must exist."""
    from hpd import _native

    use_amx()  # before any weights are loaded
    native = _native.ModelOptions()
    _copy(options, "model", native)
    return native


def engine_options(options: Options) -> _native.EngineOptions:
    """Return the native engine options, and load the draft model."""
    from hpd import _native

    options = options.with_defaults()
    native = _native.EngineOptions()
    _copy(options, "engine", native)
    _copy(options, "sampling", native.sampling)
    return native


def load_draft_model(options: Options) -> _native.Model | None:
    """Load the draft model, if the options name one, without adapters."""
    if not options.draft_model:
        return None
    path = resolve_draft_model(options.draft_model, progress=not options.quiet)
    return load_model(path, replace(options, adapters=()))


def _adapter_files(options: Options) -> list[tuple[str, float]]:
    return [(str(local_lora(path)), scale) for path, scale in options.adapters]


# All other options have the same values in the engine as in Python.
_CONVERTERS: dict[str, Callable[[Options], object]] = {
    "draft_model": load_draft_model,
    "adapters": _adapter_files,
}


def _copy(options: Options, target: Target, native: Any) -> None:
    for name, option in OPTIONS.items():
        if option.target == target:
            convert = _CONVERTERS.get(name)
            value = convert(options) if convert else getattr(options, name)
            setattr(native, option.native_name, value)


def tuned_values(model: _native.Model, path: Path, options: Options) -> dict[str, int]:
    """Return the tuned values of settings that ``options`` leave unset; empty if there are none.

    Args:
        model: the loaded model.
        path: its file.
        options: the user's options.
    """
    # Only hyper-parallel decoding is tuned.
    if os.environ.get(TUNED_VARIABLE) == "0" or options.method != "hpd" or not options.unset:
        return {}
    tuned = load_tuned(tuning_key(model, path, options))
    return {name: tuned[name] for name in options.unset if name in tuned}


def tuning_key(model: _native.Model, path: Path, options: Options) -> dict[str, Any]:
    """Return everything that the fastest settings depend on, except the documents."""
    from hpd import _native

    return {
        "model": {
            "name": model.metadata("general.name") or path.name,
            "architecture": model.metadata("general.architecture"),
            # The size, such as 0.6B, and the quantisation.
            "description": model.description,
            "n_bytes": model.n_bytes,
        },
        "machine": {
            "processor": processor(),
            "devices": devices(),
            "llama_cpp": _native.llama_cpp_version(),
            "llama_cpp_system": _native.system_info().strip(),
            "amx": use_amx(),
            "hpd": __version__,
        },
        "options": {**speed_identity(options), "n_threads": options.n_threads or n_cores()},
    }


def store_tuned(known: Mapping[str, Any], values: Mapping[str, int]) -> Path:
    """Store tuned values under a key, replacing earlier ones.

    Raises:
        HpdError: the cache cannot be written.
    """
    return store(_file(known), {**known, "tuned": dict(values)})


def load_tuned(known: Mapping[str, Any]) -> dict[str, int]:
    """Return the tuned values of a key; empty if none are stored or they cannot be read."""
    return load(_file(known), _read_tuned, "hpd tune") or {}


def _read_tuned(file: Path) -> dict[str, int]:
    kept = json.loads(file.read_text(encoding="utf-8"))
    values = {name: kept["tuned"][name] for name in TUNABLE}
    if unset := Options(**values).unset:
        raise ValueError(f"no values for {', '.join(unset)}")
    return values


def _file(known: Mapping[str, Any]) -> Path:
    text = json.dumps(known, sort_keys=True)
    return cache_folder() / f"tuned-{hashlib.sha256(text.encode()).hexdigest()[:16]}.json"
