"""A smaller model with the vocabulary of the box: it drafts for it, and learns from it."""

from __future__ import annotations

from pathlib import Path

from benchmarks.published.workbench import Workbench


def small_model(bench: Workbench) -> Path:
    """Its GGUF file, which must be in the folder of the measurements already."""
    model = bench.folder("small-model") / "small.gguf"
    if not model.exists():
        raise FileNotFoundError(f"{model}: put a small model with the box's vocabulary there")
    return bench.using(model)
