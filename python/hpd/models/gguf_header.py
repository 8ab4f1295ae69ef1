"""The header of a GGUF file, as llama.cpp reads it: metadata and tensors, without the weights."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hpd.errors import ModelLoadError

_MAGIC = b"GGUF"


@dataclass(frozen=True, slots=True)
class GgufTensor:
    """A tensor of a GGUF file: its place and size in bytes, counted from the first tensor."""

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
    """The size of all tensors: that of the file behind its header."""

    def integer(self, key: str, default: int = 0) -> int:
        """A number of the metadata that must not be negative.

        Raises:
            ModelLoadError: it is something else.
        """
        value = self.metadata.get(key, default)
        if isinstance(value, bool) or not isinstance(value, int) or value < 0:
            raise ModelLoadError(f"{key} should be a whole number, and is {str(value)[:80]!r}")
        return value

    def integers(self, key: str, n: int, default: int = 0) -> list[int]:
        """A number for each of ``n`` layers; one number in the file is that of all.

        Raises:
            ModelLoadError: there is another number of them, or one is negative or no number.
        """
        value = self.metadata.get(key, default)
        if not isinstance(value, list):
            return [self.integer(key, default)] * n
        is_right = len(value) == n and all(type(each) is int and each >= 0 for each in value)
        if not is_right:
            raise ModelLoadError(f"{key} should be {n} whole numbers, one for each layer")
        return value


def read_gguf_header(path: Path) -> GgufHeader:
    """Read the header of one GGUF file; of a split model, each part has its own.

    Raises:
        ModelLoadError: it cannot be read, with the reason.
    """
    from hpd import (
        _native,  # loads llama.cpp, which whoever only asks for a class need not wait for
    )

    try:
        with open(path, "rb") as file:
            start = file.read(8)
    except OSError as error:
        raise ModelLoadError(f"{path}: cannot be opened: {error.strerror or error}") from error
    if start[:4] != _MAGIC:
        raise ModelLoadError(f"{path} is not a GGUF file")
    if len(start) == 8 and start[4:6] == b"\0\0":
        raise ModelLoadError(f"{path}: it is for processors with the other byte order")
    read = _native.read_gguf_header(str(path))
    return GgufHeader(
        read["metadata"],
        read["lengths"],
        tuple(GgufTensor(*each) for each in read["tensors"]),
        max(0, read["n_file_bytes"] - read["data_offset"]),
    )
