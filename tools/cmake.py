"""How to compile hpd without pip, with the parts of the engine for tests."""

from __future__ import annotations

import sys
from pathlib import Path


def configuration(source: Path, build: Path) -> list[str]:
    """Return CMake's arguments to compile a checkout in a folder."""
    import pybind11

    # Link-time optimisation is slow and uses one core, and clang does not know GCC's flags for it.
    return [
        "-S", str(source), "-B", str(build), "-DHPD_BUILD_TESTS=ON",
        "-DCMAKE_INTERPROCEDURAL_OPTIMIZATION=OFF",
        f"-DPython_EXECUTABLE={sys.executable}", f"-Dpybind11_DIR={pybind11.get_cmake_dir()}",
    ]  # fmt: skip
