"""A limit on the rate of requests."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable


class Pace:
    """Spaces requests evenly, whichever threads make them.

    Args:
        per_minute: the most requests in a minute; None for no limit.
        clock: gives the seconds that have passed.
        sleep: waits for so many seconds.
    """

    def __init__(
        self,
        per_minute: float | None,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._interval = 60 / per_minute if per_minute else 0.0
        self._clock = clock
        self._sleep = sleep
        self._lock = threading.Lock()
        self._next = clock()

    def wait(self) -> None:
        """Return when it is this request's turn."""
        with self._lock:
            now = self._clock()
            turn = max(now, self._next)
            self._next = turn + self._interval
        if turn > now:
            self._sleep(turn - now)
