"""A GGUF file as a transformers checkpoint that can be fine-tuned.

Quantised weights become F32 with the values that llama.cpp computes with, so an adapter that is
trained on the checkpoint fits the GGUF file it came from.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import gguf
import numpy as np
from numpy.typing import NDArray

from hpd.errors import InputError
from hpd.training.conversion.families import GGUF_FAMILIES, Config, Family, Naming
from hpd.training.conversion.files import write_json
from hpd.training.conversion.rope import FACTORS_TENSOR, read_rope
from hpd.training.conversion.tokenizer_from_gguf import write_tokenizer

Weights = dict[str, NDArray[np.float32]]

# Every sixth layer of Gemma 3 sees all tokens; files name the number where it is another one.
_WINDOW_PATTERN = 6


def gguf_to_transformers(path: Path, output: Path) -> Path:
    """Write a GGUF model, tokenizer and chat template included, as a transformers checkpoint.

    Returns:
        ``output``, a folder, which is made if need be.

    Raises:
        InputError: it is of another family, or has a tokenizer of another kind.
    """
    from safetensors.numpy import save_file

    model = _File(path)
    config = model.config()
    weights = model.weights(config)
    config["tie_word_embeddings"] = "lm_head.weight" not in weights
    output.mkdir(parents=True, exist_ok=True)
    save_file(weights, output / "model.safetensors", metadata={"format": "pt"})
    write_json(output / "config.json", config)
    write_tokenizer(path, model.value, output)
    return output


class _File:
    """A GGUF model file."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            self.reader = gguf.GGUFReader(path)
        except (OSError, ValueError) as error:
            raise InputError(f"{path}: cannot be read as GGUF: {error}") from error
        self.architecture = str(self.value("general.architecture", ""))
        if self.architecture not in GGUF_FAMILIES:
            raise InputError(
                f"{path}: models of the {self.architecture or 'unknown'} family cannot be "
                f"imported; those that can: {', '.join(GGUF_FAMILIES)}"
            )
        self.family: Family = GGUF_FAMILIES[self.architecture]

    def value(self, key: str, default: Any = None) -> Any:
        """A metadata value, or the default."""
        field = self.reader.get_field(key)
        return default if field is None else field.contents()

    def of_model(self, key: str, default: Any = None) -> Any:
        """A value of the architecture; without a default it must be there."""
        value = self.value(f"{self.architecture}.{key}", default)
        if value is None:
            raise InputError(f"{self.path}: the metadata lack {self.architecture}.{key}")
        return value

    def config(self) -> Config:
        """The settings as transformers has them."""
        n_embd = int(self.of_model("embedding_length"))
        n_heads = int(self.of_model("attention.head_count"))
        head_dim = int(self.of_model("attention.key_length", n_embd // n_heads))
        config = {
            "architectures": [self.family.model_class],
            "model_type": self.family.model_type,
            "vocab_size": len(self.value("tokenizer.ggml.tokens", ())),
            "hidden_size": n_embd,
            "num_hidden_layers": int(self.of_model("block_count")),
            "num_attention_heads": n_heads,
            "num_key_value_heads": int(self.of_model("attention.head_count_kv", n_heads)),
            "head_dim": head_dim,
            "intermediate_size": int(self.of_model("feed_forward_length")),
            "rms_norm_eps": float(self.of_model("attention.layer_norm_rms_epsilon")),
            "max_position_embeddings": int(self.of_model("context_length")),
            "attention_bias": any(name.endswith(".bias") for name in self._tensor_names()),
            "torch_dtype": "float32",
            "bos_token_id": self.value("tokenizer.ggml.bos_token_id"),
            "eos_token_id": self.value("tokenizer.ggml.eos_token_id"),
            "pad_token_id": self.value("tokenizer.ggml.padding_token_id"),
        }
        config |= self._rope(head_dim)
        if self.family.has_windows:
            return config | self._gemma3(config)
        return config | {"hidden_act": self.family.activation}

    def weights(self, config: Config) -> Weights:
        """The tensors under transformers' names, as float32."""
        naming = Naming.of(self.family, config)
        sources = {name: source for source, name in naming.gguf_names().items()}
        weights: Weights = {}
        for tensor in self.reader.tensors:
            if tensor.name == FACTORS_TENSOR:
                continue
            source = sources.get(tensor.name)
            if source is None:
                raise InputError(f"{self.path}: {tensor.name} has no place in this family's models")
            # Copied: the reader's memory is the file.
            values = np.array(gguf.quants.dequantize(tensor.data, tensor.tensor_type), np.float32)
            weights[source] = np.ascontiguousarray(naming.from_gguf(source, values))
        return weights

    def _rope(self, head_dim: int) -> Config:
        tensors = {tensor.name: tensor for tensor in self.reader.tensors}
        factors = tensors.get(FACTORS_TENSOR)
        try:
            rope = read_rope(
                lambda key, default: self.value(f"{self.architecture}.{key}", default),
                None if factors is None else np.array(factors.data, np.float32),
                head_dim,
            )
        except InputError as error:
            raise InputError(f"{self.path}: {error}") from error
        theta = rope.pop("rope_theta")
        scaling = None if rope["rope_type"] == "default" else rope
        return {"rope_theta": theta, "rope_scaling": scaling}

    def _gemma3(self, config: Config) -> Config:
        pattern = self.of_model("attention.sliding_window_pattern", _WINDOW_PATTERN)
        layers = range(config["num_hidden_layers"])
        if isinstance(pattern, int):
            pattern = [(layer + 1) % pattern != 0 for layer in layers]
        kinds = ("full_attention", "sliding_attention")
        return {
            "hidden_activation": self.family.activation,
            "query_pre_attn_scalar": config["head_dim"],
            "sliding_window": int(self.of_model("attention.sliding_window")),
            "layer_types": [kinds[bool(is_windowed)] for is_windowed in pattern],
            "rope_local_base_freq": float(self.of_model("rope.freq_base_swa", 10_000.0)),
        }

    def _tensor_names(self) -> list[str]:
        return [tensor.name for tensor in self.reader.tensors]
