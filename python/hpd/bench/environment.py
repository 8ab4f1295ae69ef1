"""The environment of a measurement: versions, processor, model."""

from __future__ import annotations

import importlib.metadata
import os
import platform
from pathlib import Path
from typing import Any

from hpd import _native
from hpd.models.hardware import computing_place, devices, processor, use_extra_bufts
from hpd.version import __version__


def environment(model: _native.Model, path: Path, n_gpu_layers: int = -1) -> dict[str, Any]:
    """Everything that the figures depend on besides the settings."""
    import llama_cpp

    return {
        "hpd": __version__,
        "llama_cpp_python": importlib.metadata.version("llama-cpp-python"),
        "llama_cpp": llama_cpp.llama_print_system_info().decode().strip(),
        "python": platform.python_version(),
        "system": platform.platform(),
        "processor": processor(),
        "n_cores": os.cpu_count(),
        "devices": devices(),
        "computing_on": computing_place(n_gpu_layers),
        "extra_bufts": use_extra_bufts(),
        "model": path.name,
        "model_description": model.description,
        "model_bytes": model.n_bytes,
    }
