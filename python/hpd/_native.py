"""The compiled engine, loaded so that exactly one libllama is in the process.

llama-cpp-python must be imported first: it loads the library that ``_core`` was linked against.
"""

from __future__ import annotations

import importlib.metadata

from hpd.errors import HpdError

LLAMA_CPP_PYTHON = "0.3.36"

_found = importlib.metadata.version("llama-cpp-python")
if _found != LLAMA_CPP_PYTHON:
    raise HpdError(
        f"hpd was built for llama-cpp-python {LLAMA_CPP_PYTHON}, but {_found} is installed: "
        f"run `pip install llama-cpp-python=={LLAMA_CPP_PYTHON}`"
    )

import llama_cpp  # noqa: E402, F401

from hpd._core import (  # noqa: E402
    Engine,
    EngineOptions,
    EngineStats,
    Field,
    Model,
    ModelOptions,
    Result,
    SamplingOptions,
    Value,
    echo_log,
    recent_log,
)

__all__ = [
    "LLAMA_CPP_PYTHON",
    "Engine",
    "EngineOptions",
    "EngineStats",
    "Field",
    "Model",
    "ModelOptions",
    "Result",
    "SamplingOptions",
    "Value",
    "echo_log",
    "recent_log",
]
