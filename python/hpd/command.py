"""The program ``hpd``: the command line, started so that it always ends as it should.

Most of its first half second goes into imports. Ctrl-C then ends the process at once, and a
standard stream that is closed is known before any file can take its place.
"""

from __future__ import annotations

import io
import os
import signal
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any, NoReturn

_INTERRUPTED = 130


def main() -> int:
    """Run the command line, and return its exit code."""
    before: Any = signal.signal(signal.SIGINT, _leave)
    hold_standard_streams()
    from hpd.cli import main as run_command
    from hpd.cli.common import UsageError

    for stream in (sys.stdin, sys.stdout):
        if isinstance(stream, ClosedStream):
            stream.error = UsageError
    signal.signal(signal.SIGINT, before)
    try:
        return run_command()
    except KeyboardInterrupt:  # once more, while the first was being dealt with
        return _INTERRUPTED


class ClosedStream(io.TextIOBase):
    """A closed standard input or output; using it is an error of usage."""

    error: Callable[[str], Exception] = OSError

    def __init__(self, message: str) -> None:
        self._message = message

    @property
    def buffer(self) -> NoReturn:
        """Refuse to be read or written."""
        raise self.error(self._message)

    def write(self, text: str) -> NoReturn:
        """Refuse to be written."""
        raise self.error(self._message)


def hold_standard_streams() -> None:
    """Replace each standard stream that is closed.

    A file that is opened would get its number, and then the messages of libraries.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # gets the lowest number that is free
    if sys.stdin is None:
        sys.stdin = ClosedStream("standard input is closed: name a file, or give it something")
    if sys.stdout is None:
        sys.stdout = ClosedStream("standard output is closed: name a file with -o, or redirect it")
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115


def _leave(number: int, frame: FrameType | None) -> NoReturn:
    os._exit(_INTERRUPTED)
