"""An input that may keep its reader waiting, read by a thread of its own."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from queue import Empty, Queue
from typing import Generic, TypeVar

from hpd.documents import NOT_YET, NotYet

T = TypeVar("T")

_N_AHEAD = 64
_SECONDS = 0.02
"""The time for which an item is waited for; so much later may an answer be handed out."""


class ReadAhead(Iterator[T | NotYet], Generic[T]):
    """The items of an iterator, and ``NOT_YET`` where the next one is not there in a moment.

    The iterator is read by a thread, which is left alone if the process ends before the items do.
    What the iterator raises is raised here in its place.
    """

    def __init__(self, items: Iterator[T]) -> None:
        self._queue: Queue[tuple[T] | BaseException | None] = Queue(_N_AHEAD)
        threading.Thread(target=self._read, args=(items,), name="hpd-input", daemon=True).start()

    def __next__(self) -> T | NotYet:
        try:
            item = self._queue.get(timeout=_SECONDS)
        except Empty:
            return NOT_YET
        if isinstance(item, tuple):
            return item[0]
        self._queue.put(item)  # Who asks once more gets the same answer.
        if item is None:
            raise StopIteration
        raise item

    def _read(self, items: Iterator[T]) -> None:
        try:
            for item in items:
                self._queue.put((item,))
        except BaseException as error:
            self._queue.put(error)
        else:
            self._queue.put(None)
