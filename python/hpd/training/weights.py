"""Conversion of weights between GGUF files and transformers.

The tokenizer, the chat template and the settings are never converted: the output is the base file
with other tensors. transformers' own reader (``from_pretrained(gguf_file=...)``) is not used, as it
ignores the size of a head and which layers have a sliding window.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import gguf
import numpy as np
from numpy.typing import NDArray

from hpd.errors import InputError, ModelLoadError, OptionError

Array = NDArray[Any]
_Type = gguf.GGMLQuantizationType


@dataclass(frozen=True, slots=True)
class _Architecture:
    """The model's type in transformers, and how its tensors differ from llama.cpp's."""

    model_type: str
    rotates_pairs: bool = False
    """Whether llama.cpp rotates neighbouring elements of queries and keys together; transformers
    rotates each element of the first half with one of the second."""
    norm_offset: float = 0.0
    """Added to the weights of a norm by transformers, but not by llama.cpp."""


ARCHITECTURES = {
    "llama": _Architecture("llama", rotates_pairs=True),  # also Mistral and SmolLM
    "qwen2": _Architecture("qwen2"),
    "qwen3": _Architecture("qwen3"),
    "gemma3": _Architecture("gemma3_text", norm_offset=1.0),
}
"""Architectures that can be trained, by their name in a GGUF file."""

_UNQUANTISED = {"F32": _Type.F32, "F16": _Type.F16, "BF16": _Type.BF16}
"""The file types that need no quantiser, with the type of their tensors."""

_FREQUENCY_FACTORS = "rope_freqs.weight"

_HPD_PREFIX = "hpd."
"""Prefix of hpd's metadata, which is about the original weights and so not copied."""


class GgufFile:
    """A model file, and the names of its tensors in transformers."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            self.reader = gguf.GGUFReader(path)
        except (OSError, ValueError) as error:
            raise ModelLoadError(f"{path}: {error}") from error
        self.architecture = str(self.value("general.architecture"))
        if self.architecture not in ARCHITECTURES:
            raise InputError(
                f"{path}: models of architecture {self.architecture} cannot be trained; "
                f"those that can: {', '.join(ARCHITECTURES)}"
            )
        if self.value("split.count", 1) > 1:
            raise InputError(
                f"{path} is part of a split model: merge it (llama-gguf-split --merge)"
            )
        self.form = ARCHITECTURES[self.architecture]
        number = next(n for n, name in gguf.MODEL_ARCH_NAMES.items() if name == self.architecture)
        n_layers = int(self._setting("block_count"))
        self._names = gguf.get_tensor_name_map(number, n_layers)
        self.n_heads = int(self._setting("attention.head_count"))
        self.n_heads_kv = int(self._setting("attention.head_count_kv", self.n_heads))
        self.tensors = {tensor.name: tensor for tensor in self.reader.tensors}

    def value(self, key: str, default: Any = None) -> Any:
        field = self.reader.get_field(key)
        return default if field is None else field.contents()

    def config(self) -> dict[str, Any]:
        """Return the settings in transformers' form."""
        n_heads = self.n_heads
        n_embd = int(self._setting("embedding_length"))
        head_dim = int(self._setting("attention.key_length", n_embd // n_heads))
        settings: dict[str, Any] = {
            "vocab_size": int(self.tensors["token_embd.weight"].shape[1]),
            "hidden_size": n_embd,
            "num_hidden_layers": int(self._setting("block_count")),
            "num_attention_heads": n_heads,
            "num_key_value_heads": self.n_heads_kv,
            "head_dim": head_dim,
            "intermediate_size": int(self._setting("feed_forward_length")),
            "rms_norm_eps": float(self._setting("attention.layer_norm_rms_epsilon")),
            "max_position_embeddings": int(self._setting("context_length")),
            "attention_bias": "blk.0.attn_q.bias" in self.tensors,
            "tie_word_embeddings": "output.weight" not in self.tensors,
            "bos_token_id": None,
            "eos_token_id": None,
            "pad_token_id": None,
            "rope_theta": float(self._setting("rope.freq_base", 10_000.0)),
            "rope_scaling": self._rope_scaling(),
        }
        if self.architecture != "gemma3":
            return settings
        pattern = self._setting("attention.sliding_window_pattern", 6)
        if isinstance(pattern, int):
            pattern = [(layer + 1) % pattern for layer in range(settings["num_hidden_layers"])]
        kinds = ("full_attention", "sliding_attention")
        return settings | {
            "query_pre_attn_scalar": head_dim,
            "sliding_window": int(self._setting("attention.sliding_window")),
            "layer_types": [kinds[bool(is_windowed)] for is_windowed in pattern],
            "rope_local_base_freq": float(self._setting("rope.freq_base_swa", 10_000.0)),
        }

    def parameters(self, names: Iterable[str]) -> Iterator[tuple[str, Array]]:
        """Yield the network's parameters in F32."""
        used = {_FREQUENCY_FACTORS}
        for parameter in names:
            name = self.name_of(parameter)
            used.add(name)
            tensor = self.tensors[name]
            # Copied, because the reader's arrays are mapped from the file.
            values = np.array(gguf.quants.dequantize(tensor.data, tensor.tensor_type), np.float32)
            yield parameter, self.to_network(name, values)
        if unknown := self.tensors.keys() - used:
            raise InputError(f"{self.path}: transformers has no parameter for {min(unknown)}")

    def frequency_factors(self) -> Array | None:
        """Return the divisors of rotary frequencies, which only Llama 3 models have."""
        tensor = self.tensors.get(_FREQUENCY_FACTORS)
        return None if tensor is None else np.array(tensor.data, np.float32)

    def _rope_scaling(self) -> dict[str, Any] | None:
        kind = self._setting("rope.scaling.type", "none")
        if kind == "none":
            return None
        if kind not in ("linear", "yarn"):
            raise InputError(f"{self.path}: rotary positions scaled by {kind!r} cannot be trained")
        factor = float(self._setting("rope.scaling.factor", 1.0))
        scaling: dict[str, Any] = {"rope_type": kind, "factor": factor}
        n_original = self._setting("rope.scaling.original_context_length", 0)
        if n_original:
            scaling["original_max_position_embeddings"] = int(n_original)
        return scaling

    def _setting(self, key: str, default: Any = None) -> Any:
        value = self.value(f"{self.architecture}.{key}", default)
        if value is None:
            raise InputError(f"{self.path}: no metadata {self.architecture}.{key}")
        return value

    def name_of(self, parameter: str) -> str:
        """Return a network parameter's name in the file."""
        name = self._names.get_name(parameter, try_suffixes=(".weight", ".bias"))
        if name not in self.tensors:
            raise InputError(
                f"{self.path}: no tensor for {parameter}, so it cannot be written back"
            )
        return str(name)

    def to_file(self, name: str, values: Array) -> Array:
        """Convert a tensor, or the rows of an adapter's B, to llama.cpp's form."""
        return self._convert_weights(name, values, (2, -1), self.form.norm_offset)

    def to_network(self, name: str, values: Array) -> Array:
        """Convert a tensor from llama.cpp's form."""
        return self._convert_weights(name, values, (-1, 2), -self.form.norm_offset)

    def _convert_weights(
        self, name: str, values: Array, pair_shape: tuple[int, int], norm_offset: float
    ) -> Array:
        if self.form.rotates_pairs and (".attn_q." in name or ".attn_k." in name):
            n_heads = self.n_heads if ".attn_q." in name else self.n_heads_kv
            pairs = values.reshape(n_heads, *pair_shape, *values.shape[1:])
            return np.ascontiguousarray(pairs.swapaxes(1, 2).reshape(values.shape))
        return values + np.float32(norm_offset) if name.endswith("norm.weight") else values


def write_model(
    base: GgufFile,
    output: Path,
    parameters: Mapping[str, Array],
    file_type: str,
    metadata: Mapping[str, str] = {},
) -> None:
    """Write the base file with the network's parameters in place of its tensors.

    Args:
        base: the file that the network was loaded from.
        output: the new file, written atomically.
        parameters: all parameters, by their names in transformers.
        file_type: such as ``F16`` or ``Q4_0``. For Q4_0, llama.cpp makes the output matrix Q6_K, or
            Q8_0 if the length of its rows is not a multiple of 256. As Q8_0 it would be half of a
            small model's file, so Q5_0 is used instead.
        metadata: additional metadata.
    """
    kind = file_type.upper()
    number = file_type_number(file_type)
    values = {base.name_of(name): array for name, array in parameters.items()}
    with _replace_when_written(output) as fresh:
        if kind in _UNQUANTISED:
            _write(base, fresh, values, kind, metadata)
            return
        unquantised = fresh.with_suffix(".f32")
        try:
            # In F32, so that weights are rounded only once, by the quantiser.
            _write(base, unquantised, values, "F32", metadata)
            _quantise(base, unquantised, fresh, number)
        finally:
            unquantised.unlink(missing_ok=True)


def _write(
    base: GgufFile, path: Path, values: Mapping[str, Array], kind: str, texts: Mapping[str, str]
) -> None:
    writer = gguf.GGUFWriter(path, base.architecture)
    replaced = {"general.architecture", "general.file_type", "general.quantization_version", *texts}
    for field in base.reader.fields.values():
        if field.name.startswith(("GGUF.", _HPD_PREFIX)) or field.name in replaced:
            continue
        inner = field.types[1] if field.types[0] == gguf.GGUFValueType.ARRAY else None
        writer.add_key_value(field.name, field.contents(), field.types[0], inner)
    for key, text in texts.items():
        writer.add_string(key, text)
    writer.add_file_type(file_type_number(kind))
    types = {}
    for name, tensor in base.tensors.items():
        shape = [int(n) for n in reversed(tensor.shape)]
        # Vectors stay F32: they are small, and llama.cpp's kernels need them in F32.
        replacing = _UNQUANTISED[kind] if len(shape) > 1 else _Type.F32
        types[name] = replacing if name in values else tensor.tensor_type
        raw_shape = gguf.quant_shape_to_byte_shape(shape, types[name])
        n_bytes = int(np.prod(raw_shape, dtype=np.int64))
        writer.add_tensor_info(name, raw_shape, np.dtype(np.uint8), n_bytes, types[name])
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_ti_data_to_file()
    for name, tensor in base.tensors.items():
        if name in values:
            array = base.to_file(name, np.asarray(values[name], np.float32))
            array = np.ascontiguousarray(gguf.quants.quantize(array, types[name]))
        else:
            array = np.ascontiguousarray(tensor.data)
        writer.write_tensor_data(array.view(np.uint8))
    writer.close()


def file_type_number(name: str) -> int:
    """Return llama.cpp's number of a file type such as ``Q4_K_M``.

    Raises:
        OptionError: there is no such type.
    """
    known = {
        each.name.partition("_")[2]: each.value
        for each in gguf.LlamaFileType
        if each.name.startswith(("ALL_", "MOSTLY_"))
    }
    if name.upper() not in known:
        raise OptionError(f"{name}: unknown file type; known: {', '.join(sorted(known))}")
    return int(known[name.upper()])


def _quantise(base: GgufFile, source: Path, output: Path, file_type: int) -> None:
    from hpd import _native

    output_type = embedding_type = None
    if file_type == gguf.LlamaFileType.MOSTLY_Q4_0:
        n_row = int(base.tensors["token_embd.weight"].shape[0])
        if n_row % 256 and not n_row % 32:
            output_type = int(_Type.Q5_0)
            if "output.weight" not in base.tensors:
                # The embeddings are also the output matrix.
                embedding_type = output_type
    status = _native.quantize(
        str(source), str(output), file_type, output_type=output_type, embedding_type=embedding_type
    )
    if status:
        raise InputError(f"{source}: llama.cpp's quantiser failed (status {status})")


def write_adapter(
    base: GgufFile,
    output: Path,
    factors: Mapping[str, tuple[Array, Array]],
    alpha: float,
    metadata: Mapping[str, str] = {},
) -> None:
    """Write the factors A and B of each layer as an adapter for llama.cpp.

    Args:
        base: the model file.
        output: the new file, written atomically.
        factors: A and B by the names of the layers' weights in transformers.
        alpha: the adapter is scaled by alpha / rank.
        metadata: additional metadata.
    """
    with _replace_when_written(output) as fresh:
        writer = gguf.GGUFWriter(fresh, base.architecture)
        writer.add_type(gguf.GGUFType.ADAPTER)
        for key, text in {gguf.Keys.Adapter.TYPE: "lora", **metadata}.items():
            writer.add_string(key, text)
        writer.add_float32(gguf.Keys.Adapter.LORA_ALPHA, alpha)
        for parameter, (a, b) in factors.items():
            name = base.name_of(parameter)
            writer.add_tensor(f"{name}.lora_a", np.ascontiguousarray(a, np.float32))
            # Only B's rows are outputs of the layer, which llama.cpp may have in another order.
            rows = base.to_file(name, np.asarray(b, np.float32))
            writer.add_tensor(f"{name}.lora_b", np.ascontiguousarray(rows))
        writer.write_header_to_file()
        writer.write_kv_data_to_file()
        writer.write_tensors_to_file()
        writer.close()


def adapter_changes(base: GgufFile, adapter: Path) -> Iterator[tuple[str, Array]]:
    """Yield what an adapter adds to each tensor of its base, by the tensor's name."""
    reader = gguf.GGUFReader(adapter)
    tensors = {tensor.name: tensor.data for tensor in reader.tensors}
    field = reader.get_field(gguf.Keys.Adapter.LORA_ALPHA)
    if field is None:
        raise InputError(f"{adapter} is not a LoRA adapter")
    for name, a in tensors.items():
        if name.endswith(".lora_a"):
            plain = name.removesuffix(".lora_a")
            scale = float(field.contents()) / len(a)
            change = np.float32(scale) * (tensors[f"{plain}.lora_b"] @ a)
            yield plain, base.to_network(plain, change)


def set_metadata(path: Path, key: str, text: str) -> None:
    """Set a key of a model file's metadata.

    Args:
        path: the file, replaced atomically.
        key: the key.
        text: its value; an empty one removes the key.
    """
    from gguf.scripts.gguf_new_metadata import MetadataDetails, copy_with_new_metadata

    reader = gguf.GGUFReader(path)
    architecture = reader.get_field(gguf.Keys.General.ARCHITECTURE)
    assert architecture is not None, "llama.cpp loads no file without one"
    new = {key: MetadataDetails(gguf.GGUFValueType.STRING, text)} if text else {}
    with _replace_when_written(path) as fresh:
        writer = gguf.GGUFWriter(fresh, arch=architecture.contents(), endianess=reader.endianess)
        alignment = reader.get_field(gguf.Keys.General.ALIGNMENT)
        if alignment is not None:
            writer.data_alignment = alignment.contents()
        copy_with_new_metadata(reader, writer, new, [] if text else [key])


@contextmanager
def _replace_when_written(path: Path) -> Iterator[Path]:
    """Yield a path to write to, which replaces ``path`` on success."""
    fresh = path.with_name(path.name + ".part")
    try:
        yield fresh
        os.replace(fresh, path)
    finally:
        fresh.unlink(missing_ok=True)
