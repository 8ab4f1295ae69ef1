"""Remote files at URLs such as ``s3://bucket/key``, opened by fsspec.

They are read as needed. Outputs are written on this machine and uploaded when the run ends, because
objects cannot be appended to.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, BinaryIO, Literal

from hpd.errors import InputError
from hpd.extras import import_extra

_BLOCK = 1 << 20

FoundKind = Literal["file", "folder", "pattern"]


def open_file(name: str) -> BinaryIO:
    """Open a remote file as a binary stream that raises ``OSError`` for all read errors.

    Raises:
        InputError: it cannot be opened.
    """
    with errors_in_words(name):
        filesystem, path = filesystem_of(name)
        return io.BufferedReader(_RemoteReader(filesystem, path, name), _BLOCK)


def list_files(name: str) -> tuple[FoundKind, list[str]]:
    """Return what a URL refers to, and the files: itself, all below a folder, or the matches of a
    pattern.

    Raises:
        InputError: nothing matches, or access is denied.
    """
    with errors_in_words(name):
        filesystem, path = filesystem_of(name)
        is_web = path.startswith(("http://", "https://"))
        # In a web address, a question mark begins a query.
        if "*" in path or (not is_web and any(sign in path for sign in "?[")):
            return "pattern", _file_urls(filesystem, sorted(filesystem.glob(path)), name)
        # Only the links of a web page would tell whether it is a folder.
        is_folder = path.endswith("/") or path == ""
        if not is_folder:
            is_folder = filesystem.info(path)["type"] == "directory" and not is_web
        if is_folder:
            return "folder", _file_urls(filesystem, sorted(filesystem.find(path)), name)
        return "file", [name]


def filesystem_of(name: str) -> tuple[Any, str]:
    """Return the file system of a URL, and the path in it.

    Raises:
        InputError: a package is missing.
        Exception: an error of fsspec or its packages, which ``errors_in_words`` converts.
    """
    fsspec = import_extra("fsspec", "fsspec", "remote", name)
    scheme, _, archive = name.partition("://")
    if scheme in ("zip", "tar") and "::" not in archive:
        raise InputError(
            f"{name}: name the files, and the archive after ::, as in {scheme}://*::{archive}"
        )
    filesystem, path = fsspec.core.url_to_fs(name)
    return filesystem, str(path)


def _file_urls(filesystem: Any, paths: list[str], name: str) -> list[str]:
    """Return the URLs of files that were found."""
    _, between, outer = name.partition("::")  # zip://*.txt::s3://bucket/archive.zip
    return [f"{filesystem.unstrip_protocol(path)}{between}{outer}" for path in paths]


@contextmanager
def errors_in_words(name: str) -> Iterator[None]:
    """Turn errors of fsspec and its packages into ``InputError``."""
    try:
        yield
    except InputError:
        raise
    except Exception as error:  # each package raises its own errors
        raise InputError(f"{name}: cannot be opened: {_error_text(error)}") from error


def _error_text(error: BaseException) -> str:
    # fsspec says "not found" for all errors of servers, but names packages that are missing.
    cause = error if isinstance(error, ImportError) else error.__cause__ or error
    status = getattr(cause, "status", None)
    if isinstance(status, int):
        return f"the server answers {status} {getattr(cause, 'message', '')}".rstrip()
    said = str(cause) or type(cause).__name__
    if "Credential" in type(cause).__name__:
        return f"{said}; a public bucket of S3 is read with FSSPEC_S3_ANON=true"
    if isinstance(cause, FileNotFoundError) and " " not in said:
        return "no such file or folder"  # rather than the path alone
    return said


class _RemoteReader(io.RawIOBase):
    """A remote file that raises ``OSError`` for every error, as local files do."""

    def __init__(self, filesystem: Any, path: str, name: str) -> None:
        # Kept because a file system without references closes its archive.
        self._filesystem = filesystem
        self._file = filesystem.open(path, "rb")
        self.name = name

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return bool(self._file.seekable())

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        return int(self._file.seek(offset, whence))

    def tell(self) -> int:
        return int(self._file.tell())

    def readinto(self, buffer: Any) -> int:
        try:
            data = self._file.read(len(buffer))
        except Exception as error:  # each package raises its own errors
            raise OSError(_error_text(error)) from error
        buffer[: len(data)] = data
        return len(data)

    def close(self) -> None:
        if not self.closed:
            self._file.close()
        super().close()
