"""Checkpoints and what they become, made once for all tests of conversions."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

# PyTorch and transformers are imported where they are used: without them these tests are skipped,
# and this file is read all the same.


@pytest.fixture(scope="session", autouse=True)
def no_progress_bars() -> Iterator[None]:
    """transformers shows them wherever it writes to."""
    if find_spec("transformers") is None:  # Then the tests that need it skip themselves.
        yield
        return
    import transformers

    transformers.utils.logging.disable_progress_bar()
    yield
    transformers.utils.logging.enable_progress_bar()


@pytest.fixture(scope="session")
def checkpoint(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str, str], Path]:
    """``checkpoint(family, tokenizer)``: the folder of a tiny random model."""
    import checkpoints

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
    from hpd.training.conversion.to_gguf import export_model

    made: dict[tuple[str, str], Path] = {}

    def path(family: str, tokenizer: str) -> Path:
        if (family, tokenizer) not in made:
            file = tmp_path_factory.mktemp("gguf") / f"{family}-{tokenizer}.gguf"
            export_model(checkpoint(family, tokenizer), file, "F32")
            made[family, tokenizer] = file
        return made[family, tokenizer]

    return path
