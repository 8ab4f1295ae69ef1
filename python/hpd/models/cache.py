"""hpd's cache: the folder for all that it has learnt about this machine."""

from __future__ import annotations

import json
import os
from pathlib import Path

CACHE_VARIABLE = "HPD_CACHE"
"""The environment variable that names hpd's cache folder."""


def cache_folder() -> Path:
    """The folder of the cache; it need not exist."""
    named = os.environ.get(CACHE_VARIABLE)
    if named:
        return Path(named)
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "hpd"


def write_json(file: Path, content: object) -> None:
    """Write a file of the cache at one stroke, as other processes may read or write it.

    Raises:
        OSError: the file cannot be written.
    """
    file.parent.mkdir(parents=True, exist_ok=True)
    partial = file.with_suffix(f".{os.getpid()}")
    partial.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
    partial.replace(file)
