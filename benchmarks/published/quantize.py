"""A GGUF file with other types of weights, as llama.cpp chooses them.

python -m benchmarks.published.quantize model.gguf smaller.gguf --type Q4_K
"""

from __future__ import annotations

import argparse
import ctypes
import os
from pathlib import Path

import llama_cpp

from benchmarks.make_model import quantise


@llama_cpp.llama_log_callback
def _silent(level: int, text: bytes, data: ctypes.c_void_p) -> None:
    """Take in what llama.cpp says of each tensor."""


def silence() -> None:
    """Keep llama.cpp from printing."""
    llama_cpp.llama_log_set(_silent, ctypes.c_void_p(0))


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model", type=Path)
    parser.add_argument("output", type=Path)
    parser.add_argument("--type", choices=("Q8_0", "Q4_0", "Q4_K"), required=True)
    options = parser.parse_args(arguments)
    silence()
    quantise(options.model, options.output, options.type, os.cpu_count() or 1)


if __name__ == "__main__":
    main()
