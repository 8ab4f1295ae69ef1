"""The compiled engine, with the llama.cpp that it was linked against.

llama.cpp's libraries are either in hpd's own package (``BUNDLED``) or those of llama-cpp-python,
which must then be imported first, so that there is exactly one libllama in the process.
"""

from __future__ import annotations

import importlib.metadata
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from hpd.errors import HpdError
from hpd.version import DISTRIBUTION

_PINNED = "llama-cpp-python=="


def _pin() -> str | None:
    """Return the version of llama-cpp-python that this installation of hpd needs, if any."""
    try:
        requirements = importlib.metadata.requires(DISTRIBUTION) or []
    except importlib.metadata.PackageNotFoundError as error:
        raise HpdError(
            "hpd is not installed, so its engine has not been compiled: "
            "run `pip install .` in its checkout"
        ) from error
    pins = [each.removeprefix(_PINNED) for each in requirements if each.startswith(_PINNED)]
    return pins[0] if pins else None


_needed = _pin()
BUNDLED = _needed is None
"""Whether llama.cpp's libraries are in hpd's own package."""

if _needed is not None:
    _installed = importlib.metadata.version("llama-cpp-python")
    if _installed != _needed:
        raise HpdError(
            f"hpd was built for llama-cpp-python {_needed}, but {_installed} is installed: "
            f"run `pip install llama-cpp-python=={_needed}`"
        )


SPIN_VARIABLE = "GOMP_SPINCOUNT"
"""GNU OpenMP's environment variable for how often a waiting thread spins before it sleeps."""
_N_SPINS = "1000"
_WAITING_VARIABLES = (SPIN_VARIABLE, "OMP_WAIT_POLICY")


@contextmanager
def _short_spins() -> Iterator[None]:
    """Make the threads of libraries that are loaded in this context spin only briefly.

    By default, a waiting thread of GNU OpenMP spins for milliseconds. If other processes compete
    for the cores, it may keep the core from the very thread that it waits for. Settings of the user
    are respected. Processes that are started later, and an OpenMP that is already loaded, are not
    affected.
    """
    if any(name in os.environ for name in _WAITING_VARIABLES):
        yield
        return
    os.environ[SPIN_VARIABLE] = _N_SPINS
    try:
        yield
    finally:
        del os.environ[SPIN_VARIABLE]


with _short_spins():
    if not BUNDLED:
        import llama_cpp
    from hpd._core import (
        Answer,
        Engine,
        EngineOptions,
        EngineStats,
        Field,
        Model,
        ModelOptions,
        SamplingOptions,
        Value,
        attention_problems,
        cpu_library,
        devices,
        echo_log,
        leave_out_amx,
        llama_cpp_version,
        load_backends,
        near_tie_margin,
        product_problems,
        quantize,
        read_gguf_header,
        supports_gpu_offload,
        system_info,
        time_products,
    )

    _package = sys.modules["hpd._core"] if BUNDLED else llama_cpp
    LIBRARIES = Path(str(_package.__file__)).parent / "lib"
    """The folder of llama.cpp's libraries."""
    if BUNDLED:
        load_backends(str(LIBRARIES))

LLAMA_CPP_PYTHON = _needed or (LIBRARIES / "VERSION").read_text(encoding="utf-8").strip()
"""The version of llama-cpp-python that contains this llama.cpp."""

_engine_process: int | None = None


def claim_process() -> None:
    """Record that this process decodes, so that processes forked from it are refused.

    A forked process lacks llama.cpp's threads, and would wait for them forever.

    Raises:
        HpdError: this process was forked from one that has decoded.
    """
    global _engine_process
    if _engine_process is None:
        _engine_process = os.getpid()
    elif _engine_process != os.getpid():
        raise HpdError(
            "this process was forked from one in which hpd had been used, and llama.cpp cannot "
            "work in it: start processes with multiprocessing's 'spawn' (get_context('spawn')), "
            "or make the first extractor after the fork"
        )


__all__ = [
    "BUNDLED",
    "LIBRARIES",
    "LLAMA_CPP_PYTHON",
    "Answer",
    "Engine",
    "EngineOptions",
    "EngineStats",
    "Field",
    "Model",
    "ModelOptions",
    "SamplingOptions",
    "Value",
    "attention_problems",
    "claim_process",
    "cpu_library",
    "devices",
    "echo_log",
    "leave_out_amx",
    "llama_cpp_version",
    "load_backends",
    "near_tie_margin",
    "product_problems",
    "quantize",
    "read_gguf_header",
    "supports_gpu_offload",
    "system_info",
    "time_products",
]
