"""Extracts llama.cpp's vocabularies (GGUF files without weights) from llama-cpp-python's source.

``python -m tools.vocabularies FOLDER`` uses pip to download the source of the version that hpd
requires, and writes them into FOLDER. Tests find it through ``HPD_VOCABULARIES``.
"""

from __future__ import annotations

import argparse
import shutil
from pathlib import Path
from typing import Final

from tools import llama_cpp_source

FOLDER_VARIABLE: Final = "HPD_VOCABULARIES"
"""Environment variable with the folder."""

GENERATING: Final = (
    "aquila", "baichuan", "command-r", "deepseek-coder", "deepseek-llm", "falcon", "gemma-4",
    "gpt-2", "gpt-neox", "llama-bpe", "llama-spm", "mpt", "phi-3", "qwen2", "qwen35", "refact",
    "starcoder",
)  # fmt: skip
"""Vocabularies of generative models; the others belong to encoders."""


def file_name(vocabulary: str) -> str:
    """Return the name of a vocabulary's file."""
    return f"ggml-vocab-{vocabulary}.gguf"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    folder.mkdir(parents=True, exist_ok=True)
    with llama_cpp_source.downloaded() as source:
        for vocabulary in GENERATING:
            shutil.copy(source / "models" / file_name(vocabulary), folder)


if __name__ == "__main__":
    main()
