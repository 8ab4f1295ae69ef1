"""A smaller box, trained in minutes: it drafts for larger models, and learns from them."""

from __future__ import annotations

from pathlib import Path

from benchmarks.published.workbench import Workbench

SIZE = "tiny"
_TRIAL_MINUTES = 0.05


def small_model(bench: Workbench) -> Path:
    """The GGUF file of a model that is smaller than the box and has its vocabulary."""
    folder = bench.folder("small-model")
    minutes = bench.draft_minutes if bench.limit is None else _TRIAL_MINUTES
    bench.make(
        folder / "checkpoint.pt",
        [
            *("models/recipe/train.py", str(folder), "--size", SIZE, "--tokenizer"),
            *(str(bench.using(bench.model)), "--minutes", f"{minutes:g}", "--no-compile"),
            *("--threads", str(bench.n_threads or 2), "--held-out", "0"),
        ],
    )
    model = folder / "small.gguf"
    bench.make(model, ["models/recipe/finish.py", str(folder), str(model)])
    return bench.using(model)
