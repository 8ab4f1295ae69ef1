"""Rotary positions: transformers' settings into GGUF's, and back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gguf
import numpy as np
from numpy.typing import NDArray

from hpd.errors import InputError

FACTORS_TENSOR = "rope_freqs.weight"
"""The GGUF tensor that holds what Llama 3 divides the rotary frequencies by."""

Settings = dict[str, Any]
Factors = NDArray[np.float32]

_DEFAULT_THETA = 10_000.0
# What Llama 3's models have in common; they differ in the factor alone.
_LLAMA3 = {
    "low_freq_factor": 1.0,
    "high_freq_factor": 4.0,
    "original_max_position_embeddings": 8192,
}
# What llama.cpp takes for granted, with the names that transformers has for it.
_YARN = {"beta_fast": 32.0, "beta_slow": 1.0, "truncate": True}
_YARN_EXTRAS = ("attention_factor", "mscale", "mscale_all_dim")


def rope_settings(config: Settings, layers: str = "full_attention") -> Settings:
    """The rotary settings of a kind of layers, wherever this version of transformers keeps them.

    Args:
        config: the model's settings.
        layers: ``full_attention`` or ``sliding_attention``; only some families tell them apart.
    """
    rope: Settings = {"rope_theta": config.get("rope_theta") or _DEFAULT_THETA}
    if layers == "sliding_attention" and "rope_local_base_freq" in config:
        return {"rope_theta": config["rope_local_base_freq"]}
    rope.update(config.get("rope_scaling") or {})
    given = config.get("rope_parameters") or {}
    rope.update(given.get(layers, {}) if "full_attention" in given else given)
    return rope


def add_rope(writer: gguf.GGUFWriter, config: Settings, *, has_windows: bool) -> None:
    """Write a model's rotary settings as metadata, all but ``rope_factors``.

    Raises:
        InputError: llama.cpp cannot compute such positions.
    """
    rope = rope_settings(config)
    kind = _kind(rope)
    writer.add_rope_freq_base(float(rope["rope_theta"]))
    if has_windows:
        local = rope_settings(config, "sliding_attention")
        if _kind(local) != "default":
            raise _refusal(f"{_kind(local)!r} in the layers with a sliding window")
        writer.add_rope_freq_base_swa(float(local["rope_theta"]))
    if float(rope.get("partial_rotary_factor") or 1.0) != 1.0:
        raise _refusal(f"that turn only a part of a head ({rope['partial_rotary_factor']})")
    if kind in ("linear", "yarn"):
        writer.add_rope_scaling_type(gguf.RopeScalingType(kind))
        writer.add_rope_scaling_factor(float(rope["factor"]))
    if kind == "yarn":
        for name, value in _YARN.items():
            if rope.get(name, value) not in (None, value):
                raise _refusal(f"'yarn' with {name} {rope[name]}, not {value},")
        for name in _YARN_EXTRAS:
            if rope.get(name) is not None:
                raise _refusal(f"'yarn' with {name}")
        n_original = rope.get("original_max_position_embeddings")
        writer.add_rope_scaling_orig_ctx_len(int(n_original or config["max_position_embeddings"]))


def rope_factors(config: Settings, head_dim: int) -> Factors | None:
    """Llama 3's divisors of the rotary frequencies, one for each pair of a head's elements."""
    rope = rope_settings(config)
    if _kind(rope) != "llama3":
        return None
    return _llama3_factors(rope, head_dim)


def read_rope(value: Callable[[str, Any], Any], factors: Factors | None, head_dim: int) -> Settings:
    """A GGUF file's rotary settings as transformers has them.

    Args:
        value: a metadata value by its key without the architecture, or the default given.
        factors: the tensor ``FACTORS_TENSOR``, if the file has one.
        head_dim: the elements of a head.

    Raises:
        InputError: transformers has no such settings, or the file does not say which they are.
    """
    theta = float(value("rope.freq_base", _DEFAULT_THETA))
    kind = value("rope.scaling.type", "none")
    rope: Settings = {"rope_theta": theta, "rope_type": "default"}
    if factors is not None:
        return rope | _llama3_settings(theta, factors, head_dim)
    if kind in ("linear", "yarn"):
        rope |= {"rope_type": kind, "factor": float(value("rope.scaling.factor", 1.0))}
        n_original = value("rope.scaling.original_context_length", None)
        if n_original is not None:
            rope["original_max_position_embeddings"] = int(n_original)
    elif kind != "none":
        raise InputError(f"rotary positions scaled by {kind!r} cannot be imported")
    return rope


def _llama3_factors(rope: Settings, head_dim: int) -> Factors:
    exponents = np.arange(0, head_dim, 2, dtype=np.float64) / head_dim
    wavelengths = 2 * np.pi * rope["rope_theta"] ** exponents
    low, high = rope["low_freq_factor"], rope["high_freq_factor"]
    n_context = rope["original_max_position_embeddings"]
    blend = np.clip((n_context / wavelengths - low) / (high - low), 0, 1)
    factors: Factors = (1 / ((1 - blend) / rope["factor"] + blend)).astype(np.float32)
    return factors


def _llama3_settings(theta: float, factors: Factors, head_dim: int) -> Settings:
    """The settings that give these factors, if they are those of a Llama 3 model."""
    settings = _LLAMA3 | {"rope_type": "llama3", "factor": float(factors.max())}
    expected = _llama3_factors(settings | {"rope_theta": theta}, head_dim)
    if expected.shape != factors.shape or not np.allclose(expected, factors, rtol=1e-4):
        raise InputError(
            f"{FACTORS_TENSOR}: factors of rotary frequencies that are not Llama 3's cannot be "
            "imported"
        )
    return settings


def _kind(rope: Settings) -> str:
    kind = str(rope.get("rope_type") or rope.get("type") or "default")
    if kind not in ("default", "linear", "yarn", "llama3"):
        raise _refusal(f"of type {kind!r}")
    return kind


def _refusal(of_kind: str) -> InputError:
    return InputError(f"rotary positions {of_kind} cannot be exported")
