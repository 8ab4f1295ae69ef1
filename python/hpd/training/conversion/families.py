"""Families of models that can be converted: their names on either side, and what differs."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import gguf
import numpy as np
from numpy.typing import NDArray

from hpd.errors import InputError
from hpd.training.conversion.files import read_json

Array = NDArray[Any]
Config = dict[str, Any]

_BASE_TENSORS = ("model.embed_tokens", "model.norm", "lm_head")
_LAYER_TENSORS = (
    "input_layernorm",
    "post_attention_layernorm",
    "pre_feedforward_layernorm",
    "post_feedforward_layernorm",
    "self_attn.q_proj",
    "self_attn.k_proj",
    "self_attn.v_proj",
    "self_attn.o_proj",
    "self_attn.q_norm",
    "self_attn.k_norm",
    "mlp.gate_proj",
    "mlp.up_proj",
    "mlp.down_proj",
)
# Of a model that also sees: it is exported as the model of text that is in it.
_NOT_TEXT = ("vision_tower.", "multi_modal_projector.")
_RECOMPUTED = "rotary_emb.inv_freq"


@dataclass(frozen=True, slots=True)
class Family:
    """Models of one build, and how llama.cpp's form of them differs from transformers'."""

    architecture: gguf.MODEL_ARCH
    model_class: str
    """Of transformers, for a model of text."""
    model_type: str
    """Of transformers' ``config.json``."""
    activation: str = "silu"
    rotates_pairs: bool = False
    """llama.cpp rotates neighbouring elements of queries and keys; transformers always an element
    of the first half with one of the second."""
    norm_offset: float = 0.0
    """The number that transformers, but not llama.cpp, adds to the weights of a norm."""
    has_windows: bool = False
    """llama.cpp knows this family's layers with a sliding window."""


_LLAMA = Family(gguf.MODEL_ARCH.LLAMA, "LlamaForCausalLM", "llama", rotates_pairs=True)
_MISTRAL = Family(gguf.MODEL_ARCH.LLAMA, "MistralForCausalLM", "mistral", rotates_pairs=True)
_QWEN2 = Family(gguf.MODEL_ARCH.QWEN2, "Qwen2ForCausalLM", "qwen2")
_QWEN3 = Family(gguf.MODEL_ARCH.QWEN3, "Qwen3ForCausalLM", "qwen3")
_GEMMA3 = Family(
    gguf.MODEL_ARCH.GEMMA3,
    "Gemma3ForCausalLM",
    "gemma3_text",
    activation="gelu_pytorch_tanh",
    norm_offset=1.0,
    has_windows=True,
)

FAMILIES = {family.model_class: family for family in (_LLAMA, _MISTRAL, _QWEN2, _QWEN3, _GEMMA3)}
FAMILIES["Gemma3ForConditionalGeneration"] = _GEMMA3
"""By the class that a checkpoint's ``config.json`` names."""

GGUF_FAMILIES = {
    gguf.MODEL_ARCH_NAMES[family.architecture]: family
    for family in (_LLAMA, _QWEN2, _QWEN3, _GEMMA3)
}
"""By the architecture that a GGUF file names. A Mistral model is a Llama model there."""


@dataclass(frozen=True, slots=True)
class Naming:
    """A model's tensors: their names and their values, here and there."""

    family: Family
    n_layers: int
    n_heads: int
    n_heads_kv: int

    @classmethod
    def of(cls, family: Family, config: Config) -> Naming:
        """The naming for a model with these settings."""
        n_heads = config["num_attention_heads"]
        n_heads_kv = config.get("num_key_value_heads") or n_heads
        return cls(family, config["num_hidden_layers"], n_heads, n_heads_kv)

    def text_name(self, stored: str) -> str | None:
        """The name of a stored tensor in a model of text alone; None if it has none there."""
        if any(part in stored for part in _NOT_TEXT) or stored.endswith(_RECOMPUTED):
            return None
        return stored.replace("language_model.", "", 1)

    def gguf_names(self) -> dict[str, str]:
        """The GGUF name of every tensor that a model of the family may have."""
        names = gguf.get_tensor_name_map(self.family.architecture, self.n_layers)
        layers = range(self.n_layers)
        sources = [*_BASE_TENSORS]
        sources += [f"model.layers.{layer}.{name}" for layer in layers for name in _LAYER_TENSORS]
        known = {source: names.get_name(source) for source in sources}
        return {
            f"{source}.{kind}": f"{name}.{kind}"
            for source, name in known.items()
            if name is not None
            for kind in ("weight", "bias")
        }

    def to_gguf(self, source: str, values: Array) -> Array:
        """A tensor's values, or the rows of an adapter's B, as llama.cpp computes with them."""
        n_heads = self._n_rotated_heads(source)
        if n_heads:
            return interleave(values, n_heads)
        return values + np.float32(self.family.norm_offset) if _is_norm(source) else values

    def from_gguf(self, source: str, values: Array) -> Array:
        """A tensor's values as transformers computes with them."""
        n_heads = self._n_rotated_heads(source)
        if n_heads:
            return separate(values, n_heads)
        return values - np.float32(self.family.norm_offset) if _is_norm(source) else values

    def _n_rotated_heads(self, source: str) -> int:
        if not self.family.rotates_pairs:
            return 0
        if ".q_proj." in source:
            return self.n_heads
        return self.n_heads_kv if ".k_proj." in source else 0


def family_of(checkpoint: Path) -> Family:
    """The family of a checkpoint's model; ``InputError`` if it is none of those known."""
    path = checkpoint / "config.json"
    name = (read_json(path).get("architectures") or ["a model without a name"])[0]
    if name not in FAMILIES:
        raise InputError(
            f"{path}: {name} cannot be exported; the families that can: {', '.join(FAMILIES)}"
        )
    return FAMILIES[name]


def read_config(checkpoint: Path) -> Config:
    """A checkpoint's settings, of its model of text, with transformers' defaults filled in."""
    from transformers import AutoConfig

    try:
        config = AutoConfig.from_pretrained(checkpoint, local_files_only=True)
        settings: Config = config.get_text_config().to_dict()
    except Exception as error:  # Each version of transformers has its own kinds of errors here.
        message = str(error).strip().splitlines()[0]
        raise InputError(f"{checkpoint}/config.json: transformers refuses it: {message}") from error
    return settings


def interleave(values: Array, n_heads: int) -> Array:
    """Rows from halves (transformers' rotary embedding) to pairs (llama.cpp's, for Llama)."""
    shape = values.shape
    halves = values.reshape(n_heads, 2, shape[0] // n_heads // 2, *shape[1:])
    return np.ascontiguousarray(halves.swapaxes(1, 2).reshape(shape))


def separate(values: Array, n_heads: int) -> Array:
    """Rows from pairs (llama.cpp's rotary embedding, for Llama) to halves (transformers')."""
    shape = values.shape
    pairs = values.reshape(n_heads, shape[0] // n_heads // 2, 2, *shape[1:])
    return np.ascontiguousarray(pairs.swapaxes(1, 2).reshape(shape))


def _is_norm(source: str) -> bool:
    return source.endswith("norm.weight")
