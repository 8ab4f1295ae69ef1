"""Measures an encoder beside hpd: what GLiNER2 and the like build on, which mark spans of a text.

It is DeBERTa-v3-base by its shape, with random weights, and reads the names of the attributes and
the text, in batches of 8 of similar length. What turns its output into spans is not measured.
"""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from benchmarks.harness.result import Finding, Rows, Table
from benchmarks.harness.workbench import MissingInputError, Workbench
from benchmarks.peers import Kind, descriptions, titles
from benchmarks.programs import Question, Setting, hpd

N_ROUNDS = 3
_N_WORDS = 128_100
"""The size of DeBERTa-v3's vocabulary."""
_N_TOGETHER = 8

Reader = Callable[[Sequence[Question]], object]


def encoder_model(**shape: int) -> Any:
    """Return DeBERTa-v3-base, or an encoder of another shape."""
    from transformers import DebertaV2Config, DebertaV2Model

    base = {
        "hidden_size": 768, "num_hidden_layers": 12, "num_attention_heads": 12,
        "intermediate_size": 3072,
    }  # fmt: skip
    config = DebertaV2Config(
        vocab_size=_N_WORDS, relative_attention=True, position_buckets=256, share_att_key=True,
        norm_rel_ebd="layer_norm", pos_att_type=["p2c", "c2p"], position_biased_input=False,
        type_vocab_size=0, **{**base, **shape},
    )  # fmt: skip
    return DebertaV2Model(config).eval()


def in_torch(model: Any, dtype: str, n_threads: int) -> Callable[[Any, Any], object]:
    """Return a function that reads a batch with PyTorch."""
    import torch

    model = model.to(getattr(torch, dtype))

    def read(ids: Any, mask: Any) -> object:
        torch.set_num_threads(n_threads)
        with torch.inference_mode():
            return model(torch.from_numpy(ids), torch.from_numpy(mask))

    return read


def in_onnx(path: Path, n_threads: int) -> Callable[[Any, Any], object]:
    """Return a function that reads a batch with ONNX Runtime."""
    from onnxruntime import InferenceSession, SessionOptions

    options = SessionOptions()
    options.intra_op_num_threads = n_threads
    session = InferenceSession(path, options)
    return lambda ids, mask: session.run(None, {"input_ids": ids, "attention_mask": mask})


def write_int8(model: Any, path: Path) -> None:
    """Write an encoder for ONNX Runtime, with weights of eight bits."""
    import torch
    from onnxruntime.quantization import QuantType, quantize_dynamic

    whole = path.with_suffix(".whole")
    example = torch.ones(2, 16, dtype=torch.int64)
    sizes = {0: torch.export.Dim("documents"), 1: torch.export.Dim("tokens")}
    torch.onnx.export(
        model, (example, example), whole, input_names=["input_ids", "attention_mask"],
        dynamic_shapes={"input_ids": sizes, "attention_mask": sizes}, dynamo=True,
        external_data=False, verbose=False,
    )  # fmt: skip
    quantize_dynamic(whole, path, weight_type=QuantType.QInt8)
    whole.unlink()


def tokens_of(vocabulary: Any, questions: Sequence[Question]) -> list[list[int]]:
    """Return the tokens of each document with the names of its attributes, the shortest first.

    They are those of hpd's model, as the encoder's weights are random.
    """
    texts = [f"{' '.join(q.schema['properties'])} {q.text}" for q in questions]
    return sorted((vocabulary.tokenize(text.encode()) for text in texts), key=len)


def reader(vocabulary: Any, read: Callable[[Any, Any], object]) -> Reader:
    """Return a function that reads documents in batches."""
    import numpy as np

    def read_all(questions: Sequence[Question]) -> object:
        tokens = tokens_of(vocabulary, questions)
        for first in range(0, len(tokens), _N_TOGETHER):
            batch = tokens[first : first + _N_TOGETHER]
            ids = np.zeros((len(batch), len(batch[-1])), np.int64)
            for row, each in zip(ids, batch, strict=True):
                row[: len(each)] = [token % _N_WORDS for token in each]
            mask = np.array([[1] * len(e) + [0] * (ids.shape[1] - len(e)) for e in batch])
            read(ids, mask)
        return None

    return read_all


def seconds(ways: Mapping[str, Reader], questions: Sequence[Question]) -> dict[str, float]:
    """Return the median seconds of each way for a document, in rounds that alternate."""
    taken: dict[str, list[float]] = {name: [] for name in ways}
    for way in ways.values():
        way(questions)  # warm-up
    for number in range(N_ROUNDS):
        for name in reversed([*ways]) if number % 2 else ways:
            start = time.perf_counter()
            ways[name](questions)
            taken[name].append((time.perf_counter() - start) / len(questions))
    return {name: statistics.median(each) for name, each in taken.items()}


def encoder(bench: Workbench, **shape: int) -> Finding:
    """Measure hpd and an encoder in several forms with the same texts."""
    try:
        import onnx
        import onnxruntime
        import torch
        import transformers
    except ImportError as error:
        raise MissingInputError(f"needs the extras peers and training: {error}") from error
    del onnx, onnxruntime
    from llama_cpp import Llama

    torch.manual_seed(0)
    transformers.logging.set_verbosity_error()
    n_threads = bench.n_threads or os.cpu_count() or 1
    model = bench.using(bench.model)
    vocabulary = Llama(str(model), vocab_only=True, verbose=False)
    plain = encoder_model(**shape)
    quantized = bench.made(bench.folder("encoder") / "int8.onnx", lambda p: write_int8(plain, p))
    forms = {
        "PyTorch, float32": in_torch(plain, "float32", n_threads),
        "PyTorch, bfloat16": in_torch(encoder_model(**shape), "bfloat16", n_threads),
        "ONNX Runtime, int8": in_onnx(quantized, n_threads),
    }
    encoders = {name: reader(vocabulary, read) for name, read in forms.items()}
    kinds = [titles(bench, 2 * _N_TOGETHER), descriptions(bench)]
    columns = [_column(kind, model, n_threads, encoders) for kind in kinds]
    n_weights = sum(each.numel() for each in plain.parameters())
    rows: Rows = [["", *(f"{kind.name}, ms" for kind in kinds)]]
    rows.append(["tokens", *(_mean_length(vocabulary, kind) for kind in kinds)])
    for name in columns[0]:
        shown = name if name == "hpd" else f"encoder: {name}"
        rows.append([shown, *(f"{1000 * column[name]:.0f}" for column in columns)])
    caption = f"{len(kinds[0].questions)} titles, {len(kinds[1].questions)} descriptions; "
    caption += f"an encoder of {n_weights / 1e6:.0f} million weights reads {_N_TOGETHER} at once"
    ratios = [f"{column['hpd'] / min(column[name] for name in encoders):.1f}" for column in columns]
    return Finding(
        [Table(caption, rows)],
        " and ".join(f"{n} times ({k.name})" for n, k in zip(ratios, kinds, strict=True)),
    )


def _mean_length(vocabulary: Any, kind: Kind) -> str:
    return f"{statistics.fmean(map(len, tokens_of(vocabulary, kind.questions))):.0f}"


def _column(
    kind: Kind, model: Path, n_threads: int, encoders: Mapping[str, Reader]
) -> dict[str, float]:
    """Return the seconds that hpd and the encoders take for a document of one kind."""
    n = len(kind.questions)
    setting = Setting(model, kind.schemas, n_threads, kind.n_ctx, kind.max_tokens, n, None)
    with ExitStack() as stack:
        return seconds({"hpd": hpd(setting, stack), **encoders}, kind.questions)
