"""Provides ``hpd._core_testing``, the engine's parts for tests, which is not installed.

It is compiled from this checkout into its ``build`` folder; later calls compile only changes.
"""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
from pathlib import Path

import hpd

CHECKOUT = Path(__file__).resolve().parents[1]


def provide() -> None:
    """Make ``from hpd import _core_testing`` work, compiling it if necessary."""
    importlib.import_module("hpd._native")  # llama.cpp's library, which it is linked against
    try:
        importlib.import_module("hpd._core_testing")
        return
    except ModuleNotFoundError:
        pass
    folder = CHECKOUT / "build" / f"testing-{sys.implementation.cache_tag}"
    # With pytest-xdist, the controller builds it before the workers start.
    if "PYTEST_XDIST_WORKER" not in os.environ:
        build(folder)
    hpd.__path__.append(str(folder))
    importlib.import_module("hpd._core_testing")


def configuration(folder: Path, source: Path = CHECKOUT) -> list[str]:
    """Return CMake's arguments for a build with the tests' module in a folder."""
    import pybind11

    # Link-time optimisation is slow and uses one core, and clang does not know GCC's flags for it.
    return [
        "-S", str(source), "-B", str(folder), "-DHPD_BUILD_TESTS=ON",
        "-DCMAKE_INTERPROCEDURAL_OPTIMIZATION=OFF",
        f"-DPython_EXECUTABLE={sys.executable}", f"-Dpybind11_DIR={pybind11.get_cmake_dir()}",
    ]  # fmt: skip


def build(folder: Path, source: Path = CHECKOUT, target: str = "_core_testing") -> None:
    """Compile the module, or another target of CMake, into a folder.

    Raises:
        RuntimeError: it cannot be compiled; the message has the compiler's output.
    """
    kind = ("-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_UNITY_BUILD=ON")
    configure = ["cmake", *configuration(folder, source), *kind]
    compile_ = ["cmake", "--build", str(folder), "--target", target, "--parallel"]
    for command in (configure, [*compile_, str(os.cpu_count() or 1)]):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise RuntimeError(
                f"hpd._core_testing cannot be compiled:\n{done.stdout}\n{done.stderr}"
            )
