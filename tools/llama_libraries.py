"""Builds llama.cpp's libraries for a wheel of hpd, which then needs no compiler.

``python -m tools.llama_libraries FOLDER`` downloads the source of the llama-cpp-python that
``pyproject.toml`` pins, and builds the llama.cpp in it for all processors of this architecture
(``src/llama_cpp``). ``HPD_LLAMA_CPP=FOLDER pip wheel --no-deps .`` makes a wheel with the
libraries. Needs CMake and a C++ compiler.
"""

from __future__ import annotations

import argparse
import os
import subprocess
from pathlib import Path

from tools import llama_cpp_source

PROJECT = Path(__file__).parents[1] / "src" / "llama_cpp"


def build(folder: Path, source: Path) -> None:
    """Compile the libraries and install them into a folder.

    Args:
        folder: gets ``include`` and ``lib``, with llama-cpp-python's version in ``lib/VERSION``.
        source: the source of llama.cpp.
    """
    work = str(source.with_name("build"))
    # Without a number, make would compile one file at a time.
    n_jobs = os.environ.get("CMAKE_BUILD_PARALLEL_LEVEL", str(os.cpu_count() or 1))
    for arguments in (
        ("-S", str(PROJECT), "-B", work, "-DCMAKE_BUILD_TYPE=Release",
         f"-DLLAMA_CPP_SOURCE={source}"),
        ("--build", work, "--config", "Release", "--parallel", n_jobs),
        ("--install", work, "--config", "Release", "--prefix", str(folder), "--strip"),
    ):  # fmt: skip
        subprocess.run(["cmake", *arguments], check=True)
    version = llama_cpp_source.pin()
    (folder / "lib" / "VERSION").write_text(f"{version}\n", encoding="utf-8")


def main() -> None:
    """Download, compile and install."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder.absolute()
    with llama_cpp_source.downloaded() as source:
        build(folder, source)


if __name__ == "__main__":
    main()
