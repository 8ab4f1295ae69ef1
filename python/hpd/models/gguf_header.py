"""The header of a GGUF file: its metadata and the sizes of what follows, without its weights."""

from __future__ import annotations

import mmap
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hpd.errors import ModelLoadError

_MAGIC = b"GGUF"
_VERSIONS = (2, 3)
_DEFAULT_ALIGNMENT = 32
_N_MOST_DIMENSIONS = 4
_N_LONGEST_ARRAY = 4096
"""Longer arrays, which are those of the vocabulary, are counted and not kept."""

_STRING, _ARRAY = 8, 9
_NUMBERS = {
    0: struct.Struct("<B"),
    1: struct.Struct("<b"),
    2: struct.Struct("<H"),
    3: struct.Struct("<h"),
    4: struct.Struct("<I"),
    5: struct.Struct("<i"),
    6: struct.Struct("<f"),
    7: struct.Struct("<?"),
    10: struct.Struct("<Q"),
    11: struct.Struct("<q"),
    12: struct.Struct("<d"),
}
"""The encodings of the types of values that are numbers."""

_U32, _U64 = _NUMBERS[4], _NUMBERS[10]


@dataclass(frozen=True, slots=True)
class GgufHeader:
    """The metadata of a GGUF file."""

    metadata: Mapping[str, Any]
    """Texts, numbers, and short arrays of numbers, by key."""
    lengths: Mapping[str, int]
    """The number of elements of every array, by key."""
    n_tensors: int
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
        ModelLoadError: it cannot be read, with the place at which it breaks off or goes wrong.
    """
    try:
        with open(path, "rb") as file:
            # An empty file cannot be mapped.
            if file.read(len(_MAGIC)) != _MAGIC:
                raise ModelLoadError(f"{path} is not a GGUF file")
            with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
                return _Reader(data).header()
    except OSError as error:
        raise ModelLoadError(f"{path}: cannot be opened: {error.strerror or error}") from error
    except _BrokenError as error:
        raise ModelLoadError(f"{path}: its header cannot be read: {error}") from error


class _BrokenError(Exception):
    """A header that is not as it should be."""


class _Reader:
    """Reads from front to back, and never beyond the end."""

    def __init__(self, data: mmap.mmap | bytes) -> None:
        self._data = data
        self._size = len(data)
        self._at = len(_MAGIC)

    def header(self) -> GgufHeader:
        """The whole header."""
        version = self._number(_U32)
        if version not in _VERSIONS:
            is_swapped = version & 0xFFFF == 0
            raise _BrokenError(
                "it is for processors with the other byte order"
                if is_swapped
                else f"version {version} of the format is not known"
            )
        n_tensors, n_keys = self._number(_U64), self._number(_U64)
        metadata: dict[str, Any] = {}
        lengths: dict[str, int] = {}
        for _ in range(n_keys):
            key = self._text()
            kind = self._number(_U32)
            if kind != _ARRAY:
                metadata[key] = self._scalar(kind)
                continue
            kind, lengths[key] = self._number(_U32), self._number(_U64)
            elements = self._array(kind, lengths[key])
            if elements is not None:
                metadata[key] = elements
        for _ in range(n_tensors):
            self._skip_tensor()
        alignment = metadata.get("general.alignment", _DEFAULT_ALIGNMENT)
        if type(alignment) is not int or alignment <= 0:
            raise _BrokenError(f"general.alignment is {str(alignment)[:80]!r}")
        begin = -(-self._at // alignment) * alignment
        return GgufHeader(metadata, lengths, n_tensors, max(0, self._size - begin))

    def _number(self, encoding: struct.Struct) -> Any:
        (value,) = encoding.unpack_from(self._data, self._advance(encoding.size))
        return value

    def _scalar(self, kind: int) -> Any:
        if kind == _STRING:
            return self._text()
        return self._number(self._encoding(kind))

    def _text(self) -> str:
        n_bytes = self._number(_U64)
        begin = self._advance(n_bytes)
        return self._data[begin : begin + n_bytes].decode("utf-8", "replace")

    def _array(self, kind: int, n: int) -> list[Any] | None:
        """The elements of a short array of numbers; None of any other, which is passed over."""
        if kind == _STRING:
            for _ in range(n):
                self._advance(self._number(_U64))
            return None
        encoding = self._encoding(kind)
        begin = self._advance(n * encoding.size)
        if n > _N_LONGEST_ARRAY:
            return None
        elements = self._data[begin : begin + n * encoding.size]
        return [value for (value,) in encoding.iter_unpack(elements)]

    def _skip_tensor(self) -> None:
        """Pass over a tensor's name, dimensions, type and offset."""
        self._advance(self._number(_U64))
        n_dimensions = self._number(_U32)
        if n_dimensions > _N_MOST_DIMENSIONS:
            raise _BrokenError(f"a tensor has {n_dimensions} dimensions, at byte {self._at}")
        self._advance(n_dimensions * _U64.size + _U32.size + _U64.size)

    def _encoding(self, kind: int) -> struct.Struct:
        if kind not in _NUMBERS:
            raise _BrokenError(f"there is no type {kind} of values, at byte {self._at}")
        return _NUMBERS[kind]

    def _advance(self, n_bytes: int) -> int:
        """Pass over bytes, and return the place where they begin."""
        begin = self._at
        if n_bytes > self._size - begin:
            raise _BrokenError(
                f"the file ends at byte {self._size}, within a value at byte {begin}: it is not "
                "complete, so download it again"
            )
        self._at = begin + n_bytes
        return begin
