"""GGUF files: names, parts of split models, and headers as llama.cpp reads them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hpd.errors import ModelLoadError

_MAGIC = b"GGUF"
_LFS_POINTER = b"version https://git-lfs"
_PART = re.compile(r"^(?P<stem>.*)-(?P<part>\d{5})-of-(?P<n_parts>\d{5})\.gguf$", re.IGNORECASE)
_N_NAMES_SHOWN = 20


def check_gguf(path: Path) -> Path:
    """Return ``path``; raise ``ModelLoadError`` if the file does not begin like a GGUF file."""
    try:
        with open(path, "rb") as file:
            start = file.read(len(_LFS_POINTER))
    except OSError as error:
        raise ModelLoadError(f"{path}: cannot be opened: {error.strerror or error}") from error
    if start.startswith(_MAGIC):
        return path
    if start.startswith(_LFS_POINTER):
        raise ModelLoadError(
            f"{path} is a git-lfs pointer, not the model itself: run git lfs pull in its folder"
        )
    text = start[:8].decode("ascii", "backslashreplace")
    content = f"it begins with {text!r}" if start else "it is empty"
    raise ModelLoadError(f"{path} is not a GGUF file: {content}")


def part_names(name: str) -> list[str]:
    """Return the names of all parts of a split model, in order; for other models, the name
    itself."""
    match = _PART.match(name)
    if match is None:
        return [name]
    n_parts = int(match["n_parts"])
    return [
        f"{match['stem']}-{part:05d}-of-{n_parts:05d}{name[-5:]}" for part in range(1, n_parts + 1)
    ]


def listed_files(names: Sequence[str]) -> str:
    """Join names for a message, at most twenty of them."""
    shown = list(names[:_N_NAMES_SHOWN])
    if len(names) > len(shown):
        shown.append(f"and {len(names) - len(shown)} more")
    return ", ".join(shown) or "nothing"


@dataclass(frozen=True, slots=True)
class GgufTensor:
    """A tensor of a GGUF file, with its size in bytes and its offset from the first tensor."""

    name: str
    type: str
    shape: tuple[int, ...]
    n_bytes: int
    offset: int


@dataclass(frozen=True, slots=True)
class GgufHeader:
    """The metadata of a GGUF file."""

    metadata: Mapping[str, Any]
    """Texts, numbers, and short arrays of numbers, by key."""
    lengths: Mapping[str, int]
    """The number of elements of every array, by key."""
    tensors: tuple[GgufTensor, ...]
    n_weight_bytes: int
    """The size of all tensors, which is that of the file without its header."""

    def integer(self, key: str, default: int = 0) -> int:
        """Return a non-negative integer of the metadata.

        Raises:
            ModelLoadError: it is something else.
        """
        value = self.metadata.get(key, default)
        if isinstance(value, bool) or not isinstance(value, int) or value < 0:
            raise ModelLoadError(f"{key} should be a whole number, but is {str(value)[:80]!r}")
        return value

    def integers(self, key: str, n: int, default: int = 0) -> list[int]:
        """Return an integer for each of ``n`` layers; a single number applies to all.

        Raises:
            ModelLoadError: their number differs, or one is not a non-negative integer.
        """
        value = self.metadata.get(key, default)
        if not isinstance(value, list):
            return [self.integer(key, default)] * n
        is_right = len(value) == n and all(type(each) is int and each >= 0 for each in value)
        if not is_right:
            raise ModelLoadError(f"{key} should be {n} whole numbers, one for each layer")
        return value


def read_gguf_header(path: Path) -> GgufHeader:
    """Read the header of one GGUF file; each part of a split model has its own.

    Raises:
        ModelLoadError: it cannot be read.
    """
    from hpd import _native  # loads llama.cpp, which is slow

    check_gguf(path)
    try:
        read = _native.read_gguf_header(str(path))
    except UnicodeDecodeError as error:
        # llama.cpp's message quotes the file, which may not be UTF-8.
        raise ModelLoadError(error.object.decode("utf-8", "replace")) from None
    return GgufHeader(
        read["metadata"],
        read["lengths"],
        tuple(GgufTensor(*each) for each in read["tensors"]),
        max(0, read["n_file_bytes"] - read["data_offset"]),
    )
