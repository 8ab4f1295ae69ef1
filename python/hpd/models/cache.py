"""hpd's cache: what it has learnt about this machine and its files."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

T = TypeVar("T")

CACHE_VARIABLE = "HPD_CACHE"
"""The environment variable for hpd's cache folder."""


def cache_folder() -> Path:
    """Return the cache folder, which may not exist yet."""
    named = os.environ.get(CACHE_VARIABLE)
    if named:
        return Path(named)
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "hpd"


def write_json(file: Path, content: object) -> None:
    """Write a file of the cache atomically, because other processes may read or write it.

    Raises:
        OSError: the file cannot be written.
    """
    file.parent.mkdir(parents=True, exist_ok=True)
    partial = file.with_suffix(f".{os.getpid()}")
    partial.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
    partial.replace(file)


def cached_value(name: str, key: str, compute: Callable[[], T], **about: object) -> T:
    """Return a value from the cache; if it is not there, compute and store it.

    Args:
        name: the name of its file.
        key: the key of the value in the file.
        compute: returns the value.
        about: what the value is valid for, by key; if the file differs, it is computed again.
    """
    file = cache_folder() / name
    with suppress(OSError, ValueError, KeyError, TypeError):
        content = json.loads(file.read_text(encoding="utf-8"))
        if all(content[other] == value for other, value in about.items()):
            value: T = content[key]
            return value
    value = compute()
    # If it cannot be stored, the next process computes it again.
    with suppress(OSError):
        write_json(file, {**about, key: value})
    return value


_N_READ = 1 << 20


def content_fingerprint(path: Path) -> str:
    """Return a fingerprint of the whole content of a file.

    Reading gigabytes takes seconds, so it is cached until the file's status changes (ctime, which
    cannot be set back, unlike mtime).
    """
    status = os.stat(path)
    state = [status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns]
    name = hashlib.sha256(str(path.resolve()).encode("utf-8", "surrogateescape")).hexdigest()[:16]

    def fingerprint() -> str:
        digest = hashlib.blake2b(digest_size=16)
        with open(path, "rb") as file:
            while part := file.read(_N_READ):
                digest.update(part)
        return digest.hexdigest()

    return cached_value(f"content-{name}.json", "fingerprint", fingerprint, state=state)
