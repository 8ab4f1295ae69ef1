"""Compressed files, read as if they were not: gzip, and Zstandard with the extra ``zst``."""

from __future__ import annotations

import gzip
import sys
import zlib
from pathlib import Path
from typing import Any, BinaryIO, Final, cast

from hpd.errors import InputError
from hpd.version import install_command

SUFFIXES: Final = (".gz", ".zst")


def without_compression(path: str | Path) -> Path:
    """The name of the file inside: ``a.csv`` for ``a.csv.gz``."""
    name = Path(path)
    return name.with_suffix("") if name.suffix.lower() in SUFFIXES else name


def is_compressed(path: str | Path) -> bool:
    """Whether a file is compressed, by its extension."""
    return Path(path).suffix.lower() in SUFFIXES


def opened(path: str | Path) -> BinaryIO:
    """A file as a binary stream, decompressed where its extension says so.

    Raises:
        OSError: it cannot be opened.
        InputError: the package for Zstandard is not installed.
    """
    suffix = Path(path).suffix.lower()
    if suffix == ".gz":
        return cast(BinaryIO, gzip.open(path, "rb"))
    if suffix == ".zst":
        return cast(BinaryIO, _zstandard().open(path, "rb"))
    return open(path, "rb")


def decompression_errors() -> tuple[type[Exception], ...]:
    """The exceptions of a damaged compressed file that are no ``OSError``."""
    try:
        return (EOFError, zlib.error, _zstandard().ZstdError)
    except InputError:
        return (EOFError, zlib.error)


def _zstandard() -> Any:
    try:
        if sys.version_info >= (3, 14):
            from compression import zstd
        else:
            from backports import zstd
    except ImportError as error:
        raise InputError(
            f"reading .zst files needs backports.zstd: run `{install_command('zst')}`"
        ) from error
    return zstd
