"""A cache of the most recently used values."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from typing import TypeVar

K = TypeVar("K")
V = TypeVar("V")


class RecentlyUsed(OrderedDict[K, V]):
    """A dict of the ``size`` most recently used values; ``get_or_make`` is thread-safe."""

    def __init__(self, size: int) -> None:
        super().__init__()
        self._size = size
        self._lock = threading.Lock()

    def get_or_make(self, key: K, make: Callable[[], V]) -> V:
        """Return the value of a key; make it if there is none.

        Two threads that ask for a new key at the same time may both make its value.
        """
        with self._lock:
            if key in self:
                self.move_to_end(key)
                return self[key]
        value = make()  # It may take long, and use this cache itself.
        with self._lock:
            self[key] = value
            self.move_to_end(key)
            while len(self) > self._size:
                self.popitem(last=False)
        return value
