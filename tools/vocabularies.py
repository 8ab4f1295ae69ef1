"""Extracts llama.cpp's vocabularies (GGUF files without weights) from llama-cpp-python's source.

``python -m tools.vocabularies FOLDER`` uses pip to download the source of the version that hpd
requires, and writes them into FOLDER. Tests find it through ``HPD_VOCABULARIES``.
"""

from __future__ import annotations

import argparse
import sys
import tarfile
import tempfile
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


def download(folder: Path) -> None:
    """Write the files of all generative vocabularies into a folder.

    Raises:
        RuntimeError: the source lacks a file.
    """
    wanted = {file_name(vocabulary) for vocabulary in GENERATING}
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as downloaded:
        archive = llama_cpp_source.download(Path(downloaded))
        with tarfile.open(archive) as files:
            for member in files:
                name = Path(member.name).name
                if name in wanted and (source := files.extractfile(member)) is not None:
                    wanted.remove(name)
                    (folder / name).write_bytes(source.read())
    if wanted:
        raise RuntimeError(f"{archive.name} lacks {', '.join(sorted(wanted))}")


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folder", type=Path)
    download(parser.parse_args().folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
