"""The training of the box in miniature: a tokenizer of few texts, and a model of three layers."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from recipe import batches, finish, train
from recipe.model import SIZES
from recipe.tokenizer import save, train_tokenizer


def tokenizer_in(folder: Path) -> Path:
    """A folder with a tokenizer."""
    save(train_tokenizer(60), folder)
    return folder


def small_folder(folder: Path, tokenizer: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to train in, with small models and batches until the test ends."""
    for name in ("tokenizer.json", "tokenizer_config.json"):
        (folder / name).write_text((tokenizer / name).read_text())
    tiny = {"n_embd": 256, "n_layer": 3, "n_head": 2, "n_head_kv": 1, "n_ff": 32}
    monkeypatch.setitem(SIZES, "small", tiny)
    for name, size in {"N_TOKENS": 1024, "N_TARGETS": 256, "N_LONGEST": 512}.items():
        monkeypatch.setattr(batches, name, size)
    return folder


def run(
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    *arguments: str,
    main: Callable[[], int] = train.main,
) -> int:
    """The exit code of a training command, which is ``train.py`` by default."""
    command = ["train.py", str(folder), "--size", "small", "--no-compile", "--threads", "1"]
    monkeypatch.setattr(sys, "argv", [*command, *arguments])
    return main()


def start_of(folder: Path) -> Path:
    """A folder to go on in from what ``folder`` has become."""
    other = folder.with_name(f"{folder.name}-later")
    shutil.copytree(folder, other, ignore=shutil.ignore_patterns("checkpoint.pt", "log.jsonl"))
    finish.write_transformers([folder], other / "start")
    return other
