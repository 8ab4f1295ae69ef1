"""New and changed files, found by polling."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from threading import Event

from hpd.errors import InputError

POLL_SECONDS = 1.0

_Version = tuple[int, int]
"""The size and the time of modification of a file."""


class Watch:
    """Iterates over files as they arrive, and again when they change, until it is stopped.

    A file is taken once two polls in a row find it the same, so that none is read half-written.

    Args:
        find: returns the paths that are there.
    """

    def __init__(self, find: Callable[[], Iterable[str]]) -> None:
        self._find = find
        self._last: dict[str, _Version] = {}
        self._taken: dict[str, _Version] = {}
        self._stopped = Event()

    def __iter__(self) -> Iterator[str]:
        while not self._stopped.is_set():
            for path in self.poll():
                yield path
                if self._stopped.is_set():
                    return
            self._stopped.wait(POLL_SECONDS)

    def poll(self) -> Iterator[str]:
        """Yield the files that are the same as in the last poll, and were not taken as they are."""
        found = self._last
        with suppress(InputError):  # a folder that is gone for now
            found = {path: version for path in self._find() if (version := _version(path))}
        ready = [
            path
            for path, version in found.items()
            if version == self._last.get(path) and version != self._taken.get(path)
        ]
        self._last = found
        self._taken = {path: version for path, version in self._taken.items() if path in found}
        for path in ready:
            # Those before it may have taken long.
            if _version(path) == found[path]:
                self._taken[path] = found[path]
                yield path

    def stop(self) -> None:
        """End the iteration after the current file."""
        self._stopped.set()


def _version(path: str) -> _Version | None:
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_size, status.st_mtime_ns
