"""The program ``hpd``: starts the command line, prepared for Ctrl-C and closed streams.

Most of the first half second is spent on imports. Until they are done, Ctrl-C ends the process at
once. Closed standard streams are replaced before a file that is opened can get their descriptors.
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
    previous_handler: Any = signal.signal(signal.SIGINT, _exit_at_once)
    hold_standard_streams()
    from hpd.cli import main as run_command
    from hpd.cli.common import UsageError

    for stream in (sys.stdin, sys.stdout):
        if isinstance(stream, ClosedStream):
            stream.error = UsageError
    signal.signal(signal.SIGINT, previous_handler)
    try:
        return run_command()
    except KeyboardInterrupt:  # a second one, while the first was handled
        return _INTERRUPTED


class ClosedStream(io.TextIOBase):
    """A closed standard input or output; using it raises ``error``."""

    error: Callable[[str], Exception] = OSError

    def __init__(self, message: str) -> None:
        self._message = message

    @property
    def buffer(self) -> NoReturn:
        """Raise the error: the stream can be neither read nor written."""
        raise self.error(self._message)

    def write(self, text: str) -> NoReturn:
        """Raise the error."""
        raise self.error(self._message)


def hold_standard_streams() -> None:
    """Replace each standard stream that is closed.

    Otherwise the next file that is opened would get the stream's descriptor, and with it whatever
    libraries print.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # gets the lowest free descriptor
    if sys.stdin is None:
        sys.stdin = ClosedStream("standard input is closed: name a file, or redirect it")
    if sys.stdout is None:
        sys.stdout = ClosedStream("standard output is closed: name a file with -o, or redirect it")
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115


def _exit_at_once(number: int, frame: FrameType | None) -> NoReturn:
    os._exit(_INTERRUPTED)
