"""hpd's cache: what it has learnt about this machine and its files."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from pathlib import Path

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


_N_READ = 1 << 20


def content_fingerprint(path: Path) -> str:
    """Return a fingerprint of the whole content of a file.

    Reading gigabytes takes seconds, so it is cached until the file's status changes (ctime, which
    cannot be set back, unlike mtime).
    """
    status = os.stat(path)
    state = [status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns]
    name = hashlib.sha256(str(path.resolve()).encode("utf-8", "surrogateescape")).hexdigest()[:16]
    remembered = cache_folder() / f"content-{name}.json"
    try:
        kept = json.loads(remembered.read_text(encoding="utf-8"))
        if kept["state"] == state:
            return str(kept["fingerprint"])
    except (OSError, ValueError, KeyError, TypeError):
        pass
    digest = hashlib.blake2b(digest_size=16)
    with open(path, "rb") as file:
        while part := file.read(_N_READ):
            digest.update(part)
    # If it cannot be remembered, the next process reads the file again.
    with contextlib.suppress(OSError):
        write_json(remembered, {"state": state, "fingerprint": digest.hexdigest()})
    return digest.hexdigest()
