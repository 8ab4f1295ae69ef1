"""The requirement of llama-cpp-python, to build hpd and to run it: for ``pyproject.toml``.

A wheel with llama.cpp's libraries in it (``tools/llama_libraries.py``) has none.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any


def get_requires_for_dynamic_metadata(settings: Mapping[str, Any]) -> list[str]:
    """Return what a build needs besides ``build-system.requires``."""
    return [] if os.environ.get("HPD_LLAMA_CPP") else [settings["requirement"]]


def dynamic_wheel(settings: Mapping[str, Any]) -> dict[str, bool]:
    """Return the metadata that may be other ones in a wheel than in the source."""
    return {"dependencies": True}


def dynamic_metadata(settings: Mapping[str, Any], project: Mapping[str, Any]) -> dict[str, Any]:
    """Return what is added to ``project.dependencies``."""
    return {"dependencies": get_requires_for_dynamic_metadata(settings)}
