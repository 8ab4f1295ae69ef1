"""Fingerprints: whether a document, or the settings of a run, are the same as before."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

_N_ENDS = 1 << 20  # bytes at either end of a model file that go into its fingerprint


def document_fingerprint(record_id: str, text: str, category: str | None) -> str:
    """16 hexadecimal digits for a document: its id, its text and its category."""
    return text_fingerprint(json.dumps([record_id, text, category]))


def text_fingerprint(text: str) -> str:
    """16 hexadecimal digits for a text."""
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def file_fingerprint(path: str | Path) -> str:
    """A fingerprint of a large file: its size, and a megabyte at either end."""
    with open(path, "rb") as file:
        digest = hashlib.blake2b(file.read(_N_ENDS), digest_size=8)
        size = file.seek(0, os.SEEK_END)
        file.seek(max(0, size - _N_ENDS))
        digest.update(file.read())
    digest.update(str(size).encode())
    return digest.hexdigest()


def differences(before: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    """The names of the settings that are not as they were."""
    names = [*now, *(name for name in before if name not in now)]
    return [name for name in names if before.get(name) != now.get(name)]
