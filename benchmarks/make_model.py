"""Writes a GGUF with a real model's shape and random weights, to measure the cost of running it.

The cost of a step depends on the shapes and types of the tensors, not on their contents. So such a
file can stand in for a real model whose weights are not available.

    python benchmarks/make_model.py --shape qwen3:0.6b --type Q8_0 model.gguf
    python benchmarks/make_model.py --shape qwen3:8b --type Q4_K --vocab Qwen3-8B.gguf model.gguf
    python benchmarks/make_model.py --weights Qwen3-8B-Q4_K_M.gguf --type F16 model.gguf

The last one has a file's own weights, in another type. All shapes use Qwen3's architecture. The
vocabulary is that of another file, by default the bundled model, padded with unused tokens so that
the output matrix costs as much as the real one.
"""

from __future__ import annotations

import argparse
import functools
import math
import os
import tempfile
from pathlib import Path
from typing import Any

import gguf
import numpy as np
from gguf import GGMLQuantizationType, GGUFReader, GGUFValueType, GGUFWriter, TokenType

from hpd.models.hub.recommended import RECOMMENDED, RecommendedModel
from hpd.models.model_files import bundled_model

SHAPES = {model.name: model for model in RECOMMENDED}
FILE_TYPES = {
    "Q8_0": "LLAMA_FTYPE_MOSTLY_Q8_0",
    "F16": "LLAMA_FTYPE_MOSTLY_F16",
    "Q4_0": "LLAMA_FTYPE_MOSTLY_Q4_0",
    "Q4_K": "LLAMA_FTYPE_MOSTLY_Q4_K_M",
}
"""Types of fewer than 8 bits are mixes, which llama.cpp's quantiser chooses."""

_WRITTEN = GGMLQuantizationType.Q8_0
"""Other types are quantised from this, without loss for random weights."""
_N_EMBD_UNTIED = 4096
"""From this width on, Qwen3 has a separate output matrix besides the embedding matrix."""
_N_DRAWN = 32 * 99_991
"""Number of random weights; they repeat, but out of step with the rows of a matrix."""


def add_vocabulary(writer: GGUFWriter, path: Path, n_tokens: int) -> None:
    """Copy the vocabulary, special tokens and chat template of a GGUF, and add unused tokens.

    Raises:
        ValueError: the GGUF has more than ``n_tokens`` tokens.
    """
    stored = {k: v for k, v in GGUFReader(path).fields.items() if k.startswith("tokenizer.")}
    n_more = n_tokens - len(stored["tokenizer.ggml.tokens"].data)
    if n_more < 0:
        raise ValueError(f"{path} has {n_tokens - n_more} tokens, more than the shape's {n_tokens}")
    filling: dict[str, list[object]] = {
        "tokenizer.ggml.tokens": [f"[unused{n}]" for n in range(n_more)],
        "tokenizer.ggml.token_type": [int(TokenType.UNUSED)] * n_more,
        "tokenizer.ggml.scores": [-1000.0] * n_more,
    }
    for key, field in stored.items():
        item_type = field.types[-1] if field.types[0] is GGUFValueType.ARRAY else None
        value = field.contents()
        if key in filling:
            value = [*value, *filling[key]]
        writer.add_key_value(key, value, field.types[0], item_type)


def tensor_shapes(shape: RecommendedModel) -> dict[str, tuple[int, ...]]:
    """Return the shapes of the tensors, in the order of the file; rows are outputs."""
    n_embd, n_ff, d_head = shape.n_embd, shape.n_ff, shape.d_head
    inner, inner_kv = shape.n_heads * d_head, shape.n_kv_heads * d_head
    layer: dict[str, tuple[int, ...]] = {
        "attn_norm": (n_embd,),
        "attn_q": (inner, n_embd),
        "attn_k": (inner_kv, n_embd),
        "attn_v": (inner_kv, n_embd),
        "attn_q_norm": (d_head,),
        "attn_k_norm": (d_head,),
        "attn_output": (n_embd, inner),
        "ffn_norm": (n_embd,),
        "ffn_gate": (n_ff, n_embd),
        "ffn_up": (n_ff, n_embd),
        "ffn_down": (n_embd, n_ff),
    }
    shapes: dict[str, tuple[int, ...]] = {"token_embd": (shape.n_vocab, n_embd)}
    for i in range(shape.n_layers):
        shapes |= {f"blk.{i}.{name}": each for name, each in layer.items()}
    shapes["output_norm"] = (n_embd,)
    if n_embd >= _N_EMBD_UNTIED:
        shapes["output"] = (shape.n_vocab, n_embd)
    return {f"{name}.weight": each for name, each in shapes.items()}


@functools.cache
def drawn(n_columns: int) -> Any:
    """Return bytes of normal noise, scaled so that a matrix of it preserves its input's norm."""
    values = np.random.default_rng(0).standard_normal(_N_DRAWN, np.float32)
    return gguf.quantize(values * n_columns**-0.5, _WRITTEN).reshape(-1)


def write_model(path: Path, shape: RecommendedModel, vocabulary: Path) -> None:
    """Write tensors one by one, so that only one is in memory."""
    writer = GGUFWriter(path, "qwen3")
    writer.add_name(f"{shape.name} shape, random weights")
    writer.add_block_count(shape.n_layers)
    writer.add_context_length(shape.n_ctx_train)
    writer.add_embedding_length(shape.n_embd)
    writer.add_feed_forward_length(shape.n_ff)
    writer.add_head_count(shape.n_heads)
    writer.add_head_count_kv(shape.n_kv_heads)
    writer.add_key_length(shape.d_head)
    writer.add_value_length(shape.d_head)
    writer.add_rope_freq_base(1_000_000.0)
    writer.add_layer_norm_rms_eps(1e-6)
    writer.add_quantization_version(gguf.GGML_QUANT_VERSION)
    writer.add_file_type(gguf.LlamaFileType.MOSTLY_Q8_0)
    add_vocabulary(writer, vocabulary, shape.n_vocab)
    tensors = []
    for name, each in tensor_shapes(shape).items():
        # llama.cpp's kernels need norms, which are vectors, in F32.
        kind = _WRITTEN if len(each) == 2 else GGMLQuantizationType.F32
        stored = gguf.quant_shape_to_byte_shape(each, kind)
        writer.add_tensor_info(name, stored, np.dtype(np.uint8), math.prod(stored), raw_dtype=kind)
        tensors.append((each, stored))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_ti_data_to_file()
    for each, stored in tensors:
        if len(each) == 2:
            writer.write_tensor_data(np.resize(drawn(each[1]), stored))
        else:
            writer.write_tensor_data(np.ones(each, np.float32))
    writer.close()


def quantise(source: Path, target: Path, type_name: str, n_threads: int) -> None:
    """Quantise a file with llama.cpp, which chooses the mix of types."""
    import llama_cpp

    params = llama_cpp.llama_model_quantize_default_params()
    params.nthread = n_threads
    params.ftype = getattr(llama_cpp, FILE_TYPES[type_name])
    params.allow_requantize = True
    code = llama_cpp.llama_model_quantize(str(source).encode(), str(target).encode(), params)
    if code != 0:
        raise RuntimeError(f"llama.cpp could not quantise {source} to {type_name}")


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("output", type=Path, help="the GGUF to write")
    parser.add_argument("--shape", choices=SHAPES, default="qwen3:0.6b")
    parser.add_argument("--type", choices=FILE_TYPES, default="Q8_0")
    parser.add_argument(
        "--vocab", type=Path, metavar="GGUF", help="the vocabulary [default: the bundled model's]"
    )
    parser.add_argument(
        "--weights", type=Path, metavar="GGUF", help="use this file's weights, not random ones"
    )
    options = parser.parse_args(arguments)
    output: Path = options.output
    output.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=output.parent, prefix=f".{output.name}-") as scratch:
        # A temporary name, so that the output is never incomplete.
        made = Path(scratch) / "written.gguf"
        if options.weights:
            made = options.weights
        else:
            try:
                write_model(made, SHAPES[options.shape], options.vocab or bundled_model())
            except (OSError, ValueError) as error:
                parser.error(str(error))
        if options.weights or options.type != "Q8_0":
            mixed = Path(scratch) / "quantised.gguf"
            quantise(made, mixed, options.type, os.cpu_count() or 1)
            made = mixed
        made.replace(output)


if __name__ == "__main__":
    main()
