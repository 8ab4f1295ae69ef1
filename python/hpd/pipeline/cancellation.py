"""The end of a call, brought about by another thread."""

from __future__ import annotations

import threading
from collections.abc import Callable


class Cancellation:
    """Ends a call: what it has sent to the engine is cancelled, and it raises an error.

    Several threads may use it, before the call, during it and after it; it ends one call only.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._end: Callable[[], None] | None = None
        self._is_cancelled = False

    @property
    def is_cancelled(self) -> bool:
        """Whether the call is to end."""
        return self._is_cancelled

    def cancel(self) -> None:
        """End the call; one that begins later ends at once."""
        with self._lock:
            self._is_cancelled = True
            end = self._end
        if end is not None:
            end()

    def attach(self, end: Callable[[], None]) -> None:
        """Say how the call is ended."""
        with self._lock:
            self._end = end
        if self._is_cancelled:
            end()
