"""Checkpoints and what they become, made once for all tests of conversions."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import torch
import transformers

import checkpoints
from hpd.training.conversion.to_gguf import export_model


@pytest.fixture(scope="session", autouse=True)
def quiet_and_small() -> Iterator[None]:
    """No progress bars; and tiny matrices gain nothing from threads."""
    transformers.utils.logging.disable_progress_bar()
    n_threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(n_threads)
    transformers.utils.logging.enable_progress_bar()


@pytest.fixture(scope="session")
def checkpoint(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str, str], Path]:
    """``checkpoint(family, tokenizer)``: the folder of a tiny random model."""
    made: dict[tuple[str, str], Path] = {}

    def folder(family: str, tokenizer: str) -> Path:
        if (family, tokenizer) not in made:
            place = tmp_path_factory.mktemp(f"{family}-{tokenizer}")
            made[family, tokenizer] = checkpoints.make_checkpoint(place, family, tokenizer)
        return made[family, tokenizer]

    return folder


@pytest.fixture(scope="session")
def exported(
    checkpoint: Callable[[str, str], Path], tmp_path_factory: pytest.TempPathFactory
) -> Callable[[str, str], Path]:
    """``exported(family, tokenizer)``: the same as an F32 GGUF file."""
    made: dict[tuple[str, str], Path] = {}

    def path(family: str, tokenizer: str) -> Path:
        if (family, tokenizer) not in made:
            file = tmp_path_factory.mktemp("gguf") / f"{family}-{tokenizer}.gguf"
            export_model(checkpoint(family, tokenizer), file, "F32")
            made[family, tokenizer] = file
        return made[family, tokenizer]

    return path
