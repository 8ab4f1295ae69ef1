"""From transformers to llama.cpp: a checkpoint to GGUF, a LoRA adapter to a GGUF adapter.

For the Qwen3 and Llama families with byte-level BPE tokenizers. Needs ``gguf`` and NumPy only;
quantisations other than F32, F16 and Q8_0 go through llama.cpp's own quantiser.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import gguf
import numpy as np
from numpy.typing import NDArray

from hpd.errors import InputError

Array = NDArray[Any]
Config = dict[str, Any]

FAMILIES = {"Qwen3ForCausalLM": gguf.MODEL_ARCH.QWEN3, "LlamaForCausalLM": gguf.MODEL_ARCH.LLAMA}

_OWN_TYPES = {
    "F32": (gguf.GGMLQuantizationType.F32, gguf.LlamaFileType.ALL_F32),
    "F16": (gguf.GGMLQuantizationType.F16, gguf.LlamaFileType.MOSTLY_F16),
    "Q8_0": (gguf.GGMLQuantizationType.Q8_0, gguf.LlamaFileType.MOSTLY_Q8_0),
}

# How llama.cpp calls a tokenizer's way of splitting text, by what its regular expression holds.
_QWEN2_SPLIT = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+"
)
_LLAMA3_SPLIT = _QWEN2_SPLIT.replace(r"|\p{N}|", r"|\p{N}{1,3}|")
_SPLITS = {_QWEN2_SPLIT: "qwen2", _LLAMA3_SPLIT: "llama-bpe"}


def export_model(
    checkpoint: Path, output: Path, file_type: str = "Q8_0", *, name: str = ""
) -> None:
    """Write a transformers checkpoint, tokenizer and chat template included, as one GGUF file.

    ``file_type`` is ``F32``, ``F16``, ``Q8_0`` or any type that llama.cpp's quantiser knows
    (``Q4_K_M``, ``Q6_K``, ...).
    """
    kind = file_type.upper()
    if kind in _OWN_TYPES:
        with _Replacing(output) as fresh:
            _write_model(checkpoint, fresh, kind, name)
        return
    target = _llama_file_type(file_type)
    with _Replacing(output) as fresh, _Scratch(output, ".f16") as middle:
        _write_model(checkpoint, middle, "F16", name)
        _quantize(middle, fresh, target)


def export_adapter(adapter: Path, checkpoint: Path, output: Path) -> None:
    """Write a PEFT LoRA adapter as the GGUF adapter that llama.cpp loads beside its base model.

    ``checkpoint`` is the base model's folder; only its ``config.json`` is read.
    """
    settings = _read_json(adapter / "adapter_config.json")
    if settings.get("peft_type", "LORA") != "LORA":
        raise InputError(f"{adapter}: a {settings['peft_type']} adapter; only LoRA can be exported")
    for unsupported in ("use_dora", "alpha_pattern", "rank_pattern", "modules_to_save"):
        if settings.get(unsupported):
            raise InputError(
                f"{adapter}: {unsupported} has no counterpart in a GGUF adapter; "
                "merge the adapter into its model and export that"
            )
    config = _read_json(checkpoint / "config.json")
    alpha = float(settings["lora_alpha"])
    if settings.get("use_rslora"):
        alpha *= math.sqrt(settings["r"])
    naming = _Naming.of(config, checkpoint)
    with _Replacing(output) as fresh:
        writer = gguf.GGUFWriter(fresh, gguf.MODEL_ARCH_NAMES[naming.architecture])
        writer.add_type(gguf.GGUFType.ADAPTER)
        writer.add_string(gguf.Keys.Adapter.TYPE, "lora")
        writer.add_float32(gguf.Keys.Adapter.LORA_ALPHA, alpha)
        for tensor_name, tensor in _adapter_tensors(adapter, naming):
            writer.add_tensor(tensor_name, tensor)
        _finish(writer)


def add_tokenizer(writer: gguf.GGUFWriter, checkpoint: Path, n_vocab: int) -> None:
    """Add a checkpoint's byte-level BPE tokenizer and chat template to a GGUF file."""
    path = checkpoint / "tokenizer.json"
    data = _read_json(path)
    if data["model"]["type"] != "BPE" or data["model"].get("byte_fallback"):
        raise InputError(f"{path}: not a byte-level BPE tokenizer; only those can be exported")
    pieces: dict[int, tuple[str, gguf.TokenType]] = {
        number: (piece, gguf.TokenType.NORMAL) for piece, number in data["model"]["vocab"].items()
    }
    for added in data["added_tokens"]:
        kind = gguf.TokenType.CONTROL if added["special"] else gguf.TokenType.USER_DEFINED
        pieces[added["id"]] = (added["content"], kind)
    if max(pieces) >= n_vocab:
        raise InputError(f"{path}: {max(pieces) + 1} tokens, but the model has {n_vocab}")
    unused = gguf.TokenType.UNUSED
    tokens = [pieces.get(number, (f"[PAD{number}]", unused)) for number in range(n_vocab)]
    merges = [pair if isinstance(pair, str) else " ".join(pair) for pair in data["model"]["merges"]]
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre(_split_name(data, path))
    writer.add_token_list([piece for piece, _ in tokens])
    writer.add_token_types([kind for _, kind in tokens])
    writer.add_token_merges(merges)
    ids = {piece: number for number, (piece, _) in pieces.items()}
    _add_special_tokens(writer, checkpoint, ids)


def _add_special_tokens(writer: gguf.GGUFWriter, checkpoint: Path, ids: dict[str, int]) -> None:
    settings = _read_json(checkpoint / "tokenizer_config.json")
    adders: dict[str, Callable[[int], None]] = {
        "bos_token": writer.add_bos_token_id,
        "eos_token": writer.add_eos_token_id,
        "pad_token": writer.add_pad_token_id,
    }
    for name, add in adders.items():
        token = settings.get(name)
        text = token["content"] if isinstance(token, dict) else token
        if text in ids:
            add(ids[text])
            if name == "eos_token":
                writer.add_eot_token_id(ids[text])
    writer.add_add_bos_token(bool(settings.get("add_bos_token", False)))
    template_file = checkpoint / "chat_template.jinja"
    if template_file.exists():
        writer.add_chat_template(template_file.read_text(encoding="utf-8"))
    elif settings.get("chat_template"):
        writer.add_chat_template(settings["chat_template"])


def _split_name(tokenizer: Config, path: Path) -> str:
    """llama.cpp's name for the way in which a tokenizer splits text before merging."""
    splitter = tokenizer["pre_tokenizer"]
    parts = splitter["pretokenizers"] if splitter["type"] == "Sequence" else [splitter]
    for part in parts:
        if part["type"] == "Split":
            expression = part["pattern"].get("Regex", "")
            if expression in _SPLITS:
                return _SPLITS[expression]
            raise InputError(f"{path}: llama.cpp has no name for its split, {expression!r}")
    if len(parts) == 1 and parts[0]["type"] == "ByteLevel" and parts[0].get("use_regex", True):
        return "gpt-2"
    raise InputError(f"{path}: llama.cpp has no name for its way of splitting text")


@dataclass(frozen=True)
class _Naming:
    """What a family calls its tensors here and there, and what changes on the way."""

    architecture: gguf.MODEL_ARCH
    names: gguf.TensorNameMap
    n_head: int
    n_head_kv: int

    @classmethod
    def of(cls, config: Config, checkpoint: Path) -> _Naming:
        family = (config.get("architectures") or ["none"])[0]
        if family not in FAMILIES:
            raise InputError(
                f"{checkpoint}/config.json: {family} cannot be exported; "
                f"the families that can: {', '.join(FAMILIES)}"
            )
        architecture = FAMILIES[family]
        n_head = config["num_attention_heads"]
        names = gguf.get_tensor_name_map(architecture, config["num_hidden_layers"])
        return cls(architecture, names, n_head, config.get("num_key_value_heads") or n_head)

    def name(self, source: str) -> str:
        """The GGUF name of a transformers tensor."""
        found = self.names.get_name(source, try_suffixes=(".weight", ".bias"))
        if found is None:
            raise InputError(f"{source}: llama.cpp's models of this family have no such tensor")
        return str(found)

    def arrange(self, source: str, tensor: Array) -> Array:
        """A tensor with its rows as llama.cpp wants them."""
        if self.architecture == gguf.MODEL_ARCH.LLAMA:
            if ".q_proj." in source:
                return _interleave(tensor, self.n_head)
            if ".k_proj." in source:
                return _interleave(tensor, self.n_head_kv)
        return tensor


def _interleave(tensor: Array, n_head: int) -> Array:
    """Rows from halves (transformers' rotary embedding) to pairs (llama.cpp's, for Llama)."""
    shape = tensor.shape
    halves = tensor.reshape(n_head, 2, shape[0] // n_head // 2, *shape[1:])
    return np.ascontiguousarray(halves.swapaxes(1, 2).reshape(shape))


def _write_model(checkpoint: Path, output: Path, kind: str, name: str) -> None:
    config = _read_json(checkpoint / "config.json")
    naming = _Naming.of(config, checkpoint)
    tensor_type, file_type = _OWN_TYPES[kind]
    writer = gguf.GGUFWriter(output, gguf.MODEL_ARCH_NAMES[naming.architecture])
    writer.add_type(gguf.GGUFType.MODEL)
    writer.add_name(name or checkpoint.name)
    writer.add_file_type(file_type)
    writer.add_quantization_version(gguf.GGML_QUANT_VERSION)
    _add_sizes(writer, config, naming)
    add_tokenizer(writer, checkpoint, config["vocab_size"])
    factors = _rope_factors(config)
    if factors is not None:
        writer.add_tensor("rope_freqs.weight", factors)
    for source, tensor in _model_tensors(checkpoint):
        if source == "lm_head.weight" and config.get("tie_word_embeddings"):
            continue
        _add_tensor(writer, naming.name(source), naming.arrange(source, tensor), tensor_type)
    _finish(writer)


def _add_tensor(
    writer: gguf.GGUFWriter, name: str, tensor: Array, wanted: gguf.GGMLQuantizationType
) -> None:
    # Vectors stay exact: they are small, and llama.cpp's kernels want them so.
    if tensor.ndim == 1 or wanted == gguf.GGMLQuantizationType.F32:
        writer.add_tensor(name, tensor)
        return
    if wanted == gguf.GGMLQuantizationType.Q8_0 and tensor.shape[-1] % 32:
        wanted = gguf.GGMLQuantizationType.F16
    writer.add_tensor(name, gguf.quants.quantize(tensor, wanted), raw_dtype=wanted)


def _add_sizes(writer: gguf.GGUFWriter, config: Config, naming: _Naming) -> None:
    n_embd = config["hidden_size"]
    head_dim = config.get("head_dim") or n_embd // naming.n_head
    writer.add_context_length(config["max_position_embeddings"])
    writer.add_embedding_length(n_embd)
    writer.add_block_count(config["num_hidden_layers"])
    writer.add_feed_forward_length(config["intermediate_size"])
    writer.add_head_count(naming.n_head)
    writer.add_head_count_kv(naming.n_head_kv)
    writer.add_key_length(head_dim)
    writer.add_value_length(head_dim)
    writer.add_rope_dimension_count(head_dim)
    writer.add_layer_norm_rms_eps(config["rms_norm_eps"])
    writer.add_rope_freq_base(float(_rope(config)["rope_theta"]))
    writer.add_vocab_size(config["vocab_size"])


def _rope(config: Config) -> Config:
    """The rotary settings, wherever this version of transformers keeps them."""
    rope: Config = {"rope_theta": config.get("rope_theta") or 10_000.0}
    rope.update(config.get("rope_scaling") or {})
    rope.update(config.get("rope_parameters") or {})
    return rope


def _rope_factors(config: Config) -> NDArray[np.float32] | None:
    """Llama 3's divisors of the rotary frequencies, which GGUF holds as a tensor."""
    rope = _rope(config)
    kind = rope.get("rope_type", rope.get("type", "default"))
    if kind == "default":
        return None
    if kind != "llama3":
        raise InputError(f"config.json: rotary embeddings of type {kind!r} cannot be exported")
    head_dim = config.get("head_dim") or config["hidden_size"] // config["num_attention_heads"]
    exponents = np.arange(0, head_dim, 2, dtype=np.float64) / head_dim
    wavelengths = 2 * np.pi * rope["rope_theta"] ** exponents
    factor, low, high = rope["factor"], rope["low_freq_factor"], rope["high_freq_factor"]
    n_context = rope["original_max_position_embeddings"]
    blend = np.clip((n_context / wavelengths - low) / (high - low), 0, 1)
    factors: NDArray[np.float32] = (1 / ((1 - blend) / factor + blend)).astype(np.float32)
    return factors


def _model_tensors(checkpoint: Path) -> Iterator[tuple[str, Array]]:
    """A checkpoint's tensors as float32, from one file or from its shards."""
    index = checkpoint / "model.safetensors.index.json"
    if index.exists():
        files = sorted(set(_read_json(index)["weight_map"].values()))
    else:
        files = ["model.safetensors"]
    for file in files:
        yield from _read_safetensors(checkpoint / file)


def _adapter_tensors(adapter: Path, naming: _Naming) -> Iterator[tuple[str, Array]]:
    for source, tensor in _read_safetensors(adapter / "adapter_model.safetensors"):
        plain = source.removeprefix("base_model.model.")
        for mark, suffix in ((".lora_A.", ".lora_a"), (".lora_B.", ".lora_b")):
            if mark in plain:
                base = plain.replace(mark, ".")
                # Rows of B are rows of the layer's output; A's are the adapter's own.
                moved = naming.arrange(base, tensor) if suffix == ".lora_b" else tensor
                yield naming.name(base) + suffix, moved
                break
        else:
            raise InputError(f"{adapter}: {source} has no counterpart in a GGUF adapter")


_DTYPES = {"F64": np.float64, "F32": np.float32, "F16": np.float16, "BF16": np.uint16}


def _read_safetensors(path: Path) -> Iterator[tuple[str, Array]]:
    """The tensors of a safetensors file as float32 (its NumPy reader knows no bfloat16)."""
    try:
        raw = np.memmap(path, dtype=np.uint8, mode="r")
    except (OSError, ValueError) as error:
        raise InputError(f"{path}: cannot be read: {error}") from error
    n_header = int(raw[:8].view("<u8")[0])
    header = json.loads(bytes(raw[8 : 8 + n_header]))
    for name in sorted(header.keys() - {"__metadata__"}):
        entry = header[name]
        if entry["dtype"] not in _DTYPES:
            raise InputError(f"{path}: {name} is of type {entry['dtype']}, which is not supported")
        begin, end = (8 + n_header + offset for offset in entry["data_offsets"])
        values = np.array(raw[begin:end]).view(_DTYPES[entry["dtype"]]).reshape(entry["shape"])
        if entry["dtype"] == "BF16":
            values = (values.astype(np.uint32) << 16).view(np.float32)
        yield name, np.ascontiguousarray(values, dtype=np.float32)


def _llama_file_type(name: str) -> int:
    """The number of a llama.cpp file type such as ``Q4_K_M``."""
    import llama_cpp

    prefix = "LLAMA_FTYPE_MOSTLY_"
    known = {key.removeprefix(prefix): key for key in dir(llama_cpp) if key.startswith(prefix)}
    if name.upper() not in known:
        raise InputError(f"{name}: no such type; llama.cpp knows {', '.join(sorted(known))}")
    return int(getattr(llama_cpp, known[name.upper()]))


def _quantize(source: Path, output: Path, file_type: int) -> None:
    import llama_cpp

    parameters = llama_cpp.llama_model_quantize_default_params()
    parameters.ftype = file_type
    status = llama_cpp.llama_model_quantize(os.fsencode(source), os.fsencode(output), parameters)
    if status:
        raise InputError(f"{source}: llama.cpp could not quantise it (status {status})")


def _finish(writer: gguf.GGUFWriter) -> None:
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def _read_json(path: Path) -> Config:
    try:
        data: Config = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise InputError(f"{path}: not JSON: {error}") from error
    return data


class _Scratch:
    """A file beside the output that is gone afterwards, come what may."""

    def __init__(self, output: Path, suffix: str) -> None:
        self.path = output.with_name(output.name + suffix)

    def __enter__(self) -> Path:
        return self.path

    def __exit__(self, *_: object) -> None:
        self.path.unlink(missing_ok=True)


class _Replacing(_Scratch):
    """A new file that takes the output's place as one, and only if all went well."""

    def __init__(self, output: Path) -> None:
        super().__init__(output, ".new")
        self.output = output

    def __exit__(self, *error: object) -> None:
        if error[0] is None:
            os.replace(self.path, self.output)
        else:
            self.path.unlink(missing_ok=True)
