"""A transformers checkpoint, tokenizer and chat template included, as one GGUF file."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import gguf
import numpy as np

from hpd.errors import InputError
from hpd.prompt import LABEL_KEY, LABEL_SETTING
from hpd.training.conversion.check import check_model
from hpd.training.conversion.families import Array, Config, Family, Naming, family_of, read_config
from hpd.training.conversion.files import Replacing, Scratch
from hpd.training.conversion.rope import FACTORS_TENSOR, add_rope, rope_factors
from hpd.training.conversion.tensors import StoredTensor, checkpoint_tensors
from hpd.training.conversion.tokenizer_file import TokenizerFile
from hpd.training.conversion.tokenizer_to_gguf import add_tokenizer

_Type = gguf.GGMLQuantizationType

OWN_TYPES = {
    "F32": (_Type.F32, gguf.LlamaFileType.ALL_F32),
    "F16": (_Type.F16, gguf.LlamaFileType.MOSTLY_F16),
    "BF16": (_Type.BF16, gguf.LlamaFileType.MOSTLY_BF16),
    "Q8_0": (_Type.Q8_0, gguf.LlamaFileType.MOSTLY_Q8_0),
}
"""Types that are written here; all others go through llama.cpp's quantiser."""

# The number of layers by which llama.cpp tells Gemma 3's largest model, which scales otherwise.
_GEMMA3_27B_LAYERS = 62


Say = Callable[[str], None]


def export_model(
    checkpoint: Path,
    output: Path,
    file_type: str = "Q8_0",
    *,
    name: str = "",
    metadata: Mapping[str, str] = {},
    say: Say = lambda message: None,
) -> None:
    """Write a transformers checkpoint as one GGUF file.

    Args:
        checkpoint: a folder with ``config.json``, safetensors files and ``tokenizer.json``.
        output: the file; it is there whole, or not at all.
        file_type: ``F32``, ``F16``, ``BF16``, ``Q8_0``, or any type that llama.cpp's quantiser
            knows (``Q4_K_M``, ``Q6_K``, ...).
        name: the model's name in the file; the folder's, unless it is given.
        metadata: texts that the file is to hold besides, by their keys.
        say: takes messages for people, about what the file cannot hold.

    Raises:
        InputError: llama.cpp cannot compute this model, or not with this tokenizer: what was
            written is loaded and compared before it takes its place.
    """
    name = name or checkpoint.resolve().name
    texts = {gguf.Keys.General.NAME: name, **metadata}
    kind = file_type.upper()
    if kind in OWN_TYPES:
        with Replacing(output) as fresh:
            _write_model(checkpoint, fresh, kind, texts, say)
            check_model(checkpoint, fresh)
        return
    target = _llama_file_type(file_type)
    with Replacing(output) as fresh, Scratch(output, ".f16") as middle:
        _write_model(checkpoint, middle, "F16", texts, say)
        check_model(checkpoint, middle)
        _quantize(middle, fresh, target)


def check_file_type(name: str) -> None:
    """Raise ``InputError`` if there is no such file type."""
    if name.upper() not in OWN_TYPES:
        _llama_file_type(name)


def _llama_file_type(name: str) -> int:
    """The number of a llama.cpp file type such as ``Q4_K_M``; ``InputError`` if it has none."""
    import llama_cpp

    prefix = "LLAMA_FTYPE_MOSTLY_"
    known = {key.removeprefix(prefix): key for key in dir(llama_cpp) if key.startswith(prefix)}
    if name.upper() not in known:
        names = sorted(known.keys() | OWN_TYPES.keys())
        raise InputError(f"{name}: no such type of file; there are {', '.join(names)}")
    return int(getattr(llama_cpp, known[name.upper()]))


def _quantize(source: Path, output: Path, file_type: int) -> None:
    import llama_cpp

    parameters = llama_cpp.llama_model_quantize_default_params()
    parameters.ftype = file_type
    status = llama_cpp.llama_model_quantize(os.fsencode(source), os.fsencode(output), parameters)
    if status:
        raise InputError(f"{source}: llama.cpp could not quantise it (status {status})")


@dataclass(frozen=True, slots=True)
class _Planned:
    """A tensor that will be written: where its values come from, and in which type."""

    name: str
    source: StoredTensor
    naming: Naming
    source_name: str
    type: gguf.GGMLQuantizationType

    def add_to(self, writer: gguf.GGUFWriter) -> None:
        """Announce it, without its values."""
        shape = gguf.quant_shape_to_byte_shape(self.source.shape, self.type)
        n_bytes = int(np.prod(shape, dtype=np.int64))
        writer.add_tensor_info(self.name, shape, np.dtype(np.uint8), n_bytes, self.type)

    def values(self) -> Array:
        """Its values as they are written."""
        values = self.naming.to_gguf(self.source_name, self.source.load())
        return np.ascontiguousarray(gguf.quants.quantize(values, self.type)).view(np.uint8)


def _write_model(
    checkpoint: Path, output: Path, kind: str, texts: Mapping[str, str], say: Say
) -> None:
    family = family_of(checkpoint)
    config = read_config(checkpoint)
    _refuse_other_computations(checkpoint, config, family)
    naming = Naming.of(family, config)
    wanted, file_type = OWN_TYPES[kind]
    writer = gguf.GGUFWriter(output, gguf.MODEL_ARCH_NAMES[family.architecture])
    writer.add_type(gguf.GGUFType.MODEL)
    if config.get(LABEL_SETTING):
        texts = {LABEL_KEY: "on", **texts}
    for key, text in texts.items():
        writer.add_string(key, text)
    writer.add_file_type(file_type)
    writer.add_quantization_version(gguf.GGML_QUANT_VERSION)
    _add_settings(writer, config, family, say)
    try:
        add_rope(writer, config, has_windows=family.has_windows)
    except InputError as error:
        raise InputError(f"{checkpoint}/config.json: {error}") from error
    add_tokenizer(writer, TokenizerFile(checkpoint), config["vocab_size"])
    planned = list(_plan(checkpoint, config, naming, wanted))
    factors = rope_factors(config, _head_dim(config))
    if factors is not None:
        writer.add_tensor_info(FACTORS_TENSOR, factors.shape, factors.dtype, factors.nbytes)
    for tensor in planned:
        tensor.add_to(writer)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_ti_data_to_file()
    # One after the other: a model may be larger than the memory.
    if factors is not None:
        writer.write_tensor_data(factors)
    for tensor in planned:
        writer.write_tensor_data(tensor.values())
    writer.close()


def _plan(
    checkpoint: Path, config: Config, naming: Naming, wanted: gguf.GGMLQuantizationType
) -> Iterator[_Planned]:
    names = naming.gguf_names()
    for stored in checkpoint_tensors(checkpoint):
        name = naming.text_name(stored.name)
        if name is None or (name == "lm_head.weight" and config.get("tie_word_embeddings")):
            continue
        if name not in names:
            raise InputError(
                f"{stored.path}: llama.cpp's models of this family have no tensor {stored.name}"
            )
        type_ = wanted
        # Vectors stay exact: they are small, and llama.cpp's kernels want them so.
        if len(stored.shape) == 1:
            type_ = _Type.F32
        elif wanted == _Type.Q8_0 and stored.shape[-1] % 32:
            type_ = _Type.F16
        yield _Planned(names[name], stored, naming, name, type_)


def _add_settings(writer: gguf.GGUFWriter, config: Config, family: Family, say: Say) -> None:
    head_dim = _head_dim(config)
    n_heads = config["num_attention_heads"]
    writer.add_embedding_length(config["hidden_size"])
    writer.add_block_count(config["num_hidden_layers"])
    writer.add_feed_forward_length(config["intermediate_size"])
    writer.add_head_count(n_heads)
    writer.add_head_count_kv(config.get("num_key_value_heads") or n_heads)
    writer.add_key_length(head_dim)
    writer.add_value_length(head_dim)
    writer.add_rope_dimension_count(head_dim)
    writer.add_layer_norm_rms_eps(config["rms_norm_eps"])
    writer.add_vocab_size(config["vocab_size"])
    n_context = config["max_position_embeddings"]
    windowed = _windowed_layers(config)
    if any(windowed):
        if family.has_windows:
            writer.add_sliding_window(config["sliding_window"])
            writer.add_sliding_window_pattern(windowed)
        else:
            # llama.cpp shows every layer of this family all tokens: within the window that is
            # the same.
            n_window = config["sliding_window"]
            if n_window < n_context:
                say(
                    f"the context is bounded to {n_window} tokens, the model's sliding window, "
                    "which llama.cpp does not compute for models of this family"
                )
            n_context = min(n_context, n_window)
    writer.add_context_length(n_context)


def _head_dim(config: Config) -> int:
    return int(config.get("head_dim") or config["hidden_size"] // config["num_attention_heads"])


def _windowed_layers(config: Config) -> list[bool]:
    """Whether each layer sees a sliding window only."""
    kinds = config.get("layer_types")
    if kinds:
        return [kind == "sliding_attention" for kind in kinds]
    is_used = config.get("sliding_window") is not None and config.get("use_sliding_window", True)
    return [is_used] * config["num_hidden_layers"]


def _refuse_other_computations(checkpoint: Path, config: Config, family: Family) -> None:
    """llama.cpp computes all models of a family alike, where transformers leaves a choice."""
    is_27b = config["num_hidden_layers"] == _GEMMA3_27B_LAYERS
    per_head = config["hidden_size"] // config["num_attention_heads"]
    always = {
        "hidden_act": family.activation,
        "hidden_activation": family.activation,
        "query_pre_attn_scalar": per_head if is_27b else _head_dim(config),
        "attn_logit_softcapping": None,
        "final_logit_softcapping": None,
        "use_bidirectional_attention": False,
        "quantization_config": None,
    }
    for name, expected in always.items():
        if (config.get(name, expected) or None) != (expected or None):
            raise InputError(
                f"{checkpoint}/config.json: {name} is {config[name]}, but llama.cpp computes "
                f"every model of this family with {expected}"
            )
