"""New and changed files, found by polling."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from threading import Event

from hpd.errors import InputError

POLL_SECONDS = 1.0

_FileVersion = tuple[int, int]
"""The size and the modification time of a file."""


class Watch:
    """Iterates over files as they arrive, and again when they change, until it is stopped.

    A file is taken once it is the same in two polls in a row, so that none is read half-written.

    Args:
        find: returns the current paths.
    """

    def __init__(self, find: Callable[[], Iterable[str]]) -> None:
        self._find = find
        self._last_versions: dict[str, _FileVersion] = {}
        self._yielded: dict[str, _FileVersion] = {}
        self._stopped = Event()

    def __iter__(self) -> Iterator[str]:
        while not self._stopped.is_set():
            for path in self.poll():
                yield path
                if self._stopped.is_set():
                    return
            self._stopped.wait(POLL_SECONDS)

    def poll(self) -> Iterator[str]:
        """Yield the files unchanged since the last poll, unless this version has been yielded."""
        found = self._last_versions
        with suppress(InputError):  # a folder that is gone for now
            found = {path: version for path in self._find() if (version := _version(path))}
        ready = [
            path
            for path, version in found.items()
            if version == self._last_versions.get(path) and version != self._yielded.get(path)
        ]
        self._last_versions = found
        self._yielded = {path: version for path, version in self._yielded.items() if path in found}
        for path in ready:
            # Earlier files may have taken long.
            if _version(path) == found[path]:
                self._yielded[path] = found[path]
                yield path

    def stop(self) -> None:
        """End the iteration after the current file."""
        self._stopped.set()


def _version(path: str) -> _FileVersion | None:
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_size, status.st_mtime_ns
