"""Files as streams of bytes and text, and how messages name what is in them."""

from __future__ import annotations

import gzip
import sys
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
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


_N_NAMES_SHOWN = 12


def kind(value: object) -> str:
    """A value's kind in words, such as ``an object``."""
    if value is None:
        return "null"
    if isinstance(value, (dict, list)):
        return "an object" if isinstance(value, dict) else "a list"
    return f"the {type(value).__name__} {value!r}"


def listed(every: Iterable[str]) -> str:
    """Names separated by commas, the first dozen of them."""
    shown = [repr(name) for name in every]
    if len(shown) > _N_NAMES_SHOWN:
        shown[_N_NAMES_SHOWN:] = [f"and {len(shown) - _N_NAMES_SHOWN} more"]
    return ", ".join(shown) or "none at all"


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """Lets an error say which file could not be written: a full disk does not tell."""
    try:
        yield
    except OSError as error:
        error.filename = str(path)
        raise


def reason(error: OSError) -> str:
    """The text of an error, without its number and path."""
    return error.strerror or str(error)
