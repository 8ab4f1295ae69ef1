"""The weights and the tokenizer of an earlier box, to go on from instead of from nothing."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

import torch
from safetensors.torch import load_file

from hpd.training.conversion.from_gguf import gguf_to_transformers
from recipe.model import Box, transformers_names


def unpack(gguf: Path, folder: Path) -> None:
    """Write the tokenizer of a GGUF file to ``folder``, and its weights to ``folder/start``."""
    gguf_to_transformers(gguf, folder / "start")
    _copy_tokenizer(folder / "start", folder)


def unpack_tokenizer(gguf: Path, folder: Path) -> None:
    """Write the tokenizer of a GGUF file to ``folder``."""
    with tempfile.TemporaryDirectory() as scratch:
        _copy_tokenizer(gguf_to_transformers(gguf, Path(scratch) / "start"), folder)


def _copy_tokenizer(source: Path, folder: Path) -> None:
    for name in ("tokenizer.json", "tokenizer_config.json"):
        shutil.copy(source / name, folder / name)


@torch.no_grad()
def load(model: Box, start: Path) -> None:
    """Set the weights of a model of the same shape.

    The embeddings are one matrix by now, so their shared parts begin at zero.
    """
    weights = load_file(start / "model.safetensors")
    for name, parameter in transformers_names(model).items():
        for layer in range(model.shape.n_layer):
            parameter[layer] = weights[f"model.layers.{layer}.{name}.weight"]
    model.own.copy_(weights["model.embed_tokens.weight"])
    for table in (model.base, model.space, model.case):
        table.zero_()
    model.out_norm.copy_(weights["model.norm.weight"])
