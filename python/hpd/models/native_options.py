"""Options converted to the engine's own structs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from hpd import _native
from hpd.models.hardware import use_extra_bufts
from hpd.models.model_files import local_lora, resolve_draft_model
from hpd.option import Target
from hpd.options import OPTIONS, Options


def model_options(options: Options) -> _native.ModelOptions:
    """The struct with which a model is loaded; the adapters' files must exist."""
    native = _native.ModelOptions()
    _copy(options, "model", native)
    native.use_extra_bufts = use_extra_bufts()
    return native


def engine_options(options: Options) -> _native.EngineOptions:
    """The struct with which an engine is made; loads the draft model."""
    options = options.filled()
    native = _native.EngineOptions()
    _copy(options, "engine", native)
    native.sampling = sampling_options(options)
    return native


def sampling_options(options: Options) -> _native.SamplingOptions:
    """The struct for the choice of tokens."""
    native = _native.SamplingOptions()
    _copy(options, "sampling", native)
    return native


def load_draft_model(options: Options) -> _native.Model | None:
    """Load the draft model, if the options name one; it gets no adapters."""
    if not options.draft_model:
        return None
    path = resolve_draft_model(options.draft_model, progress=not options.quiet)
    return _native.Model([str(path)], model_options(replace(options, loras=())))


def _found_adapters(options: Options) -> list[tuple[str, float]]:
    return [(str(local_lora(path)), scale) for path, scale in options.loras]


# All other options have the same values in the engine as in Python.
_CONVERTED: dict[str, Callable[[Options], object]] = {
    "draft_model": load_draft_model,
    "loras": _found_adapters,
}


def _copy(options: Options, target: Target, native: Any) -> None:
    for name, option in OPTIONS.items():
        if option.target == target:
            convert = _CONVERTED.get(name)
            value = convert(options) if convert else getattr(options, name)
            setattr(native, option.native_name, value)
