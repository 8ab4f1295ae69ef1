"""Signals that end a run: once, and it finishes what is in flight; twice, and it stops at once."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterable, Iterator
from types import FrameType, TracebackType
from typing import Any, TypeVar

from hpd.cli.common import EXIT_SIGNAL, say

T = TypeVar("T")

_SIGNALS = tuple(
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
)
"""Ctrl-C; what a job scheduler or a container's end sends; what a closed terminal sends."""
_HANG_UP = getattr(signal, "SIGHUP", None)


class _StopReading(Exception):  # noqa: N818
    """Raised inside a blocking read of the input."""


class Interrupts:
    """Handles Ctrl-C, SIGTERM and SIGHUP while it is entered, in the main thread.

    SIGHUP stays ignored where it is, as under nohup. SIGINT does not: shells have it ignored by
    what they start in the background, and whoever sends it to that means it.
    """

    def __init__(self) -> None:
        self.number: int | None = None
        """The first signal that came."""
        self._is_reading = False
        self._before: dict[int, Any] = {}

    @property
    def is_stopping(self) -> bool:
        """Whether a signal has come."""
        return self.number is not None

    @property
    def exit_code(self) -> int:
        """As shells have it: 128 and the number of the signal, so 130 for Ctrl-C."""
        return EXIT_SIGNAL + (signal.SIGINT if self.number is None else self.number)

    def until_interrupted(self, items: Iterable[T]) -> Iterator[T]:
        """The items, until a signal comes."""
        iterator = iter(items)
        while not self.is_stopping:
            try:
                self._is_reading = True
                try:
                    item = next(iterator)
                finally:
                    self._is_reading = False
            except (StopIteration, _StopReading):
                return
            yield item

    def __enter__(self) -> Interrupts:
        if threading.current_thread() is threading.main_thread():
            for number in _SIGNALS:
                if number != _HANG_UP or signal.getsignal(number) != signal.SIG_IGN:
                    self._before[number] = signal.signal(number, self._interrupt)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)
        self._before.clear()

    def _interrupt(self, number: int, frame: FrameType | None) -> None:
        if self.is_stopping:
            raise KeyboardInterrupt
        self.number = number
        name = "Ctrl-C" if number == signal.SIGINT else signal.Signals(number).name
        say(f"finishing the documents in flight; {name} once more stops at once")
        if self._is_reading:
            raise _StopReading
