"""From llama.cpp to transformers: a GGUF file as a checkpoint that can be fine-tuned.

For the Qwen3 and Llama families with byte-level BPE tokenizers. Quantised weights become F32 with
the values that llama.cpp computes with, so an adapter that is trained on the checkpoint fits the
GGUF file it came from.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import gguf
import numpy as np
from numpy.typing import NDArray

from hpd.errors import InputError

_FAMILIES = {
    "qwen3": ("Qwen3ForCausalLM", gguf.MODEL_ARCH.QWEN3),
    "llama": ("LlamaForCausalLM", gguf.MODEL_ARCH.LLAMA),
}
_BASE_TENSORS = ("model.embed_tokens", "model.norm", "lm_head")
_LAYER_TENSORS = (
    "input_layernorm",
    "post_attention_layernorm",
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
_QWEN2_SPLIT = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+"
)
_SPLITS = {
    "qwen2": _QWEN2_SPLIT,
    "llama-bpe": _QWEN2_SPLIT.replace(r"|\p{N}|", r"|\p{N}{1,3}|"),
    "gpt-2": None,
}
"""llama.cpp's names for the ways of splitting text before merging; None: ByteLevel's own."""

Weights = dict[str, NDArray[np.float32]]


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
    _write_json(output / "config.json", config)
    model.write_tokenizer(output)
    return output


class _File:
    """A GGUF model file."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            self.reader = gguf.GGUFReader(path)
        except (OSError, ValueError) as error:
            raise InputError(f"{path}: cannot be read as GGUF: {error}") from error
        self.family = str(self.value("general.architecture", ""))
        if self.family not in _FAMILIES:
            raise InputError(
                f"{path}: models of the {self.family or 'unknown'} family cannot be imported; "
                f"those that can: {', '.join(_FAMILIES)}"
            )

    def value(self, key: str, default: Any = None) -> Any:
        """A metadata value; ``{}`` in the key stands for the architecture."""
        field = self.reader.get_field(key.replace("{}", getattr(self, "family", "")))
        return default if field is None else field.contents()

    def need(self, key: str) -> Any:
        value = self.value(key)
        if value is None:
            raise InputError(f"{self.path}: the metadata lack {key.replace('{}', self.family)}")
        return value

    def config(self) -> dict[str, Any]:
        """The settings as transformers has them."""
        n_embd = int(self.need("{}.embedding_length"))
        n_head = int(self.need("{}.attention.head_count"))
        head_dim = int(self.value("{}.attention.key_length", n_embd // n_head))
        scaling = self.value("{}.rope.scaling.type", "none")
        if scaling != "none" or any(t.name == "rope_freqs.weight" for t in self.reader.tensors):
            raise InputError(f"{self.path}: scaled rotary embeddings cannot be imported")
        return {
            "architectures": [_FAMILIES[self.family][0]],
            "model_type": self.family,
            "vocab_size": len(self.need("tokenizer.ggml.tokens")),
            "hidden_size": n_embd,
            "num_hidden_layers": int(self.need("{}.block_count")),
            "num_attention_heads": n_head,
            "num_key_value_heads": int(self.value("{}.attention.head_count_kv", n_head)),
            "head_dim": head_dim,
            "intermediate_size": int(self.need("{}.feed_forward_length")),
            "rms_norm_eps": float(self.need("{}.attention.layer_norm_rms_epsilon")),
            "rope_theta": float(self.value("{}.rope.freq_base", 10_000.0)),
            "max_position_embeddings": int(self.need("{}.context_length")),
            "hidden_act": "silu",
            "attention_bias": False,
            "torch_dtype": "float32",
            "bos_token_id": self.value("tokenizer.ggml.bos_token_id"),
            "eos_token_id": self.value("tokenizer.ggml.eos_token_id"),
            "pad_token_id": self.value("tokenizer.ggml.padding_token_id"),
        }

    def weights(self, config: dict[str, Any]) -> Weights:
        """The tensors under transformers' names, as float32."""
        n_layer = config["num_hidden_layers"]
        names = gguf.get_tensor_name_map(_FAMILIES[self.family][1], n_layer)
        sources = [*_BASE_TENSORS]
        sources += [f"model.layers.{i}.{name}" for i in range(n_layer) for name in _LAYER_TENSORS]
        known = {f"{names.get_name(source)}.weight": f"{source}.weight" for source in sources}
        weights: Weights = {}
        for tensor in self.reader.tensors:
            name = known.get(tensor.name)
            if name is None:
                raise InputError(f"{self.path}: {tensor.name} has no place in this family's models")
            # Copied: the reader's memory is the file.
            values = np.array(gguf.quants.dequantize(tensor.data, tensor.tensor_type), np.float32)
            if self.family == "llama" and ".q_proj." in name:
                values = _halves(values, config["num_attention_heads"])
            elif self.family == "llama" and ".k_proj." in name:
                values = _halves(values, config["num_key_value_heads"])
            weights[name] = np.ascontiguousarray(values)
        return weights

    def write_tokenizer(self, output: Path) -> None:
        """The vocabulary as a ``tokenizers`` file, and what transformers keeps beside it."""
        from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers

        kind, split = self.need("tokenizer.ggml.model"), self.value("tokenizer.ggml.pre", "gpt-2")
        if kind != "gpt2" or split not in _SPLITS:
            raise InputError(
                f"{self.path}: a tokenizer of kind {kind}/{split} cannot be imported; "
                f"those that can: gpt2 with {', '.join(_SPLITS)}"
            )
        tokens = self.need("tokenizer.ggml.tokens")
        types = self.need("tokenizer.ggml.token_type")
        merges = [tuple(merge.split(" ", 1)) for merge in self.value("tokenizer.ggml.merges", [])]
        plain = (gguf.TokenType.NORMAL, gguf.TokenType.UNUSED)
        vocabulary = {token: i for i, token in enumerate(tokens) if types[i] in plain}
        # Llama 3 takes a piece that is in the vocabulary whole, without merging.
        ignore_merges = split == "llama-bpe"
        tokenizer = Tokenizer(
            models.BPE(vocab=vocabulary, merges=merges, ignore_merges=ignore_merges)
        )
        expression = _SPLITS[split]
        steps: list[Any] = [
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=expression is None)
        ]
        if expression is not None:
            steps.insert(0, pre_tokenizers.Split(Regex(expression), "isolated"))
        tokenizer.pre_tokenizer = steps[0] if len(steps) == 1 else pre_tokenizers.Sequence(steps)
        tokenizer.decoder = decoders.ByteLevel()
        data = json.loads(tokenizer.to_str())
        # Written here, as the library would number them anew.
        data["added_tokens"] = [
            _added(i, token, special=types[i] != gguf.TokenType.USER_DEFINED)
            for i, token in enumerate(tokens)
            if types[i] not in plain
        ]
        _write_json(output / "tokenizer.json", data)
        self._write_settings(output, tokens)

    def _write_settings(self, output: Path, tokens: list[str]) -> None:
        settings: dict[str, Any] = {
            "tokenizer_class": "PreTrainedTokenizerFast",
            "clean_up_tokenization_spaces": False,
            "model_max_length": int(self.need("{}.context_length")),
            "add_bos_token": bool(self.value("tokenizer.ggml.add_bos_token", False)),
        }
        for name, key in (("bos", "bos"), ("eos", "eos"), ("pad", "padding")):
            number = self.value(f"tokenizer.ggml.{key}_token_id")
            settings[f"{name}_token"] = None if number is None else tokens[number]
        template = self.value("tokenizer.chat_template")
        if template:
            settings["chat_template"] = template
        _write_json(output / "tokenizer_config.json", settings)


def _added(number: int, text: str, *, special: bool) -> dict[str, Any]:
    flags = dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized"), False)
    return {"id": number, "content": text, **flags, "special": special}


def _halves(values: NDArray[np.float32], n_head: int) -> NDArray[np.float32]:
    """Rows from pairs (llama.cpp's rotary embedding, for Llama) to halves (transformers')."""
    shape = values.shape
    pairs = values.reshape(n_head, shape[0] // n_head // 2, 2, *shape[1:])
    halves: NDArray[np.float32] = pairs.swapaxes(1, 2).reshape(shape)
    return halves


def _write_json(path: Path, data: object) -> None:
    path.write_text(json.dumps(data, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
