"""The content of large files as a fingerprint, which is made once for each file."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from pathlib import Path

from hpd.models.cache import cache_folder, write_json

_N_READ = 1 << 20


def content_fingerprint(path: Path) -> str:
    """A fingerprint of all bytes of a file.

    Reading gigabytes takes seconds, so it is remembered in hpd's cache until the file changes. The
    time of that cannot be set back as that of the content can.
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
