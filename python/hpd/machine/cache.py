"""The folder in which hpd keeps what it found out about this machine."""

from __future__ import annotations

import json
import os
from pathlib import Path

CACHE_VARIABLE = "HPD_CACHE"
"""The environment variable that names hpd's cache folder."""


def cache_folder() -> Path:
    """Where hpd keeps what it found out about this machine."""
    named = os.environ.get(CACHE_VARIABLE)
    if named:
        return Path(named)
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "hpd"


def write_json(file: Path, found: object) -> None:
    """Write a file of the cache in one piece, whoever else reads or writes it.

    Raises:
        OSError: there is no place for it.
    """
    file.parent.mkdir(parents=True, exist_ok=True)
    partial = file.with_suffix(f".{os.getpid()}")
    partial.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    partial.replace(file)
