"""A cache of the most recently used values."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import TypeVar

K = TypeVar("K")
V = TypeVar("V")


class RecentlyUsed(OrderedDict[K, V]):
    """A dict of the ``size`` most recently used values; not thread-safe."""

    def __init__(self, size: int) -> None:
        super().__init__()
        self._size = size

    def get_or_make(self, key: K, make: Callable[[], V]) -> V:
        """Return the value of a key; make it if there is none."""
        value = self[key] if key in self else make()
        self[key] = value
        self.move_to_end(key)
        while len(self) > self._size:
            self.popitem(last=False)
        return value
