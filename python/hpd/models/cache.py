"""hpd's cache: what it has learnt about this machine and its files."""

from __future__ import annotations

import hashlib
import json
import os
import warnings
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

from hpd.errors import HpdError, HpdWarning
from hpd.messages import caller_level

T = TypeVar("T")

CACHE_VARIABLE = "HPD_CACHE"
"""The environment variable for hpd's cache folder."""


class CacheWarning(HpdWarning):
    """A file in hpd's cache cannot be used."""


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


def store(file: Path, content: object) -> Path:
    """Write a file of the cache like ``write_json``, and return it.

    Raises:
        HpdError: it cannot be written.
    """
    try:
        write_json(file, content)
    except OSError as error:
        raise HpdError(
            f"{file} cannot be stored: {error}; set {CACHE_VARIABLE} to a writable folder"
        ) from error
    return file


def load(file: Path, read: Callable[[Path], T], command: str) -> T | None:
    """Return what ``read`` returns for a file of the cache, which a command has stored.

    None if there is no such file or, with a ``CacheWarning``, if it cannot be read.
    """
    try:
        return read(file)
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError) as error:
        warnings.warn(
            f"{file} cannot be read and is ignored ({error!r}): delete it, or run {command} again",
            CacheWarning,
            stacklevel=caller_level(),
        )
        return None


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
