"""The values of the documents of all runs, in a folder."""

from __future__ import annotations

import sqlite3
import threading
import warnings
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hpd.errors import HpdError
from hpd.pipeline.reuse.decoded import Decoded

_N_BYTES = 4 * 1024**3
"""The size at which the values that were kept first go."""


class ReuseWarning(UserWarning):
    """Values that are kept in a folder cannot be used, or no more can be kept there."""


class FolderTable:
    """Values by document and question, for any number of threads and processes.

    A process that is killed leaves what it had stored. The folder is only a help: an entry that
    cannot be read is decoded again, with a warning, and written anew.

    Args:
        folder: made if it is not there.

    Raises:
        HpdError: the folder cannot be used.
    """

    def __init__(self, folder: Path) -> None:
        import diskcache

        self._folder = folder
        self._has_warned = False
        self._lock = threading.Lock()
        # A damaged database may say anything.
        self._errors = (
            *(OSError, sqlite3.Error, diskcache.Timeout, zlib.error),
            *(AttributeError, LookupError, OverflowError, TypeError, ValueError),
        )
        try:
            # JSON, as whoever can write to the folder could otherwise have code run. It is
            # compressed with a checksum, so that what was damaged is not taken for a value.
            self._cache = diskcache.Cache(
                str(folder),
                disk=diskcache.JSONDisk,
                size_limit=_N_BYTES,
                eviction_policy="least-recently-stored",
            )
        except self._errors as error:
            raise HpdError(
                f"{folder} cannot keep values ({error}): delete it, or name another folder"
            ) from error

    def values_of(self, document: str) -> dict[str, Decoded]:
        """The known values of a document, by question; empty if they cannot be read."""
        try:
            return _read(self._cache.get(document))
        except self._errors as error:
            self._warn(f"some of the values in {self._folder} cannot be read", error)
            return {}

    def store(self, document: str, values: Mapping[str, Decoded]) -> None:
        """Keep values of a document, beside those that are kept already."""
        new = {question: value.to_json() for question, value in values.items()}
        try:
            # Another process may store other values of the same document meanwhile.
            with self._cache.transact():
                self._cache.set(document, {**self._readable(document), **new})
        except self._errors as error:
            self._warn(f"{self._folder} takes no more values", error)

    def close(self) -> None:
        """Close the files."""
        self._cache.close()

    def _readable(self, document: str) -> dict[str, Any]:
        try:
            kept = self._cache.get(document)
            _read(kept)
        except self._errors:
            return {}
        return kept or {}

    def _warn(self, what: str, error: Exception) -> None:
        with self._lock:
            if self._has_warned:
                return
            self._has_warned = True
        warnings.warn(
            f"{what} ({type(error).__name__}: {error}), and this run goes on without them: "
            "delete the folder, or name another one",
            ReuseWarning,
            stacklevel=3,
        )


def _read(kept: Mapping[str, Any] | None) -> dict[str, Decoded]:
    return {question: Decoded.from_json(value) for question, value in (kept or {}).items()}
