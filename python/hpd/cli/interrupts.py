"""Ctrl-C: once, and the run finishes what is in flight; twice, and it stops at once."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterable, Iterator
from types import FrameType, TracebackType
from typing import Any, TypeVar

from hpd.cli.common import say

T = TypeVar("T")


class _StopReading(Exception):  # noqa: N818
    """Raised inside a blocking read of the input."""


class Interrupts:
    """Handles Ctrl-C while it is entered, in the main thread."""

    def __init__(self) -> None:
        self.is_stopping = False
        """Whether Ctrl-C has been pressed."""
        self._is_reading = False
        self._before: Any = None

    def until_interrupted(self, items: Iterable[T]) -> Iterator[T]:
        """The items, until Ctrl-C is pressed."""
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
            self._before = signal.signal(signal.SIGINT, self._interrupt)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)

    def _interrupt(self, number: int, frame: FrameType | None) -> None:
        if self.is_stopping:
            raise KeyboardInterrupt
        self.is_stopping = True
        say("finishing the documents in flight; Ctrl-C once more stops at once")
        if self._is_reading:
            raise _StopReading
