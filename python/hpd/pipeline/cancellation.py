"""Cancels a call from another thread."""

from __future__ import annotations

import threading
from collections.abc import Callable


class Cancellation:
    """Cancels a call from another thread; the call then raises ``CallCancelledError``.

    Thread-safe, and usable before, during and after the call. Use one per call.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._end: Callable[[], None] | None = None
        self.is_cancelled = False

    def cancel(self) -> None:
        """Cancel the call, or the next one that is attached."""
        with self._lock:
            self.is_cancelled = True
            end = self._end
        if end is not None:
            end()

    def attach(self, end: Callable[[], None]) -> None:
        """Set the function that ends the call."""
        with self._lock:
            self._end = end
        if self.is_cancelled:
            end()
