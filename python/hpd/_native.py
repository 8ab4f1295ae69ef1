"""The compiled engine, loaded so that exactly one libllama is in the process.

llama-cpp-python must be imported first: it loads the library that ``_core`` was linked against.
"""

from __future__ import annotations

import importlib.metadata
import os
from collections.abc import Iterator
from contextlib import contextmanager

from hpd.errors import HpdError
from hpd.version import DISTRIBUTION

_PINNED = "llama-cpp-python=="


def _pin() -> str:
    """The version of llama-cpp-python that this installation of hpd was built with."""
    try:
        requirements = importlib.metadata.requires(DISTRIBUTION) or []
    except importlib.metadata.PackageNotFoundError as error:
        raise HpdError(
            "hpd is not installed, so its engine has not been compiled: "
            "run `pip install .` in its checkout"
        ) from error
    (pin,) = (each.removeprefix(_PINNED) for each in requirements if each.startswith(_PINNED))
    return pin


LLAMA_CPP_PYTHON = _pin()

_installed = importlib.metadata.version("llama-cpp-python")
if _installed != LLAMA_CPP_PYTHON:
    raise HpdError(
        f"hpd was built for llama-cpp-python {LLAMA_CPP_PYTHON}, but {_installed} is installed: "
        f"run `pip install llama-cpp-python=={LLAMA_CPP_PYTHON}`"
    )


SPIN_VARIABLE = "GOMP_SPINCOUNT"
"""GNU OpenMP's variable for how long a thread that waits goes round before it sleeps."""
_N_SPINS = "1000"
_WAITING_VARIABLES = (SPIN_VARIABLE, "OMP_WAIT_POLICY")


@contextmanager
def _short_spins() -> Iterator[None]:
    """Load libraries so that waiting threads soon give up their core.

    With as many as GNU OpenMP goes round by itself, a thread keeps its core for milliseconds from
    the very thread for which it waits, if any other process wants one, too. Nothing is changed for
    a user who has set it, or for processes that are started later. An OpenMP that is loaded already
    goes on as it did.
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
    import llama_cpp  # noqa: F401

from hpd._core import (  # noqa: E402
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
    echo_log,
    leave_out_amx,
    near_tie_margin,
    read_gguf_header,
    time_products,
    write_wider_copy,
)

_engine_process: int | None = None


def claim_process() -> None:
    """Note that this process decodes, so that processes forked from it are refused.

    llama.cpp's threads are not in a forked process, which would wait for them for ever.

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
    "echo_log",
    "leave_out_amx",
    "near_tie_margin",
    "read_gguf_header",
    "time_products",
    "write_wider_copy",
]
