"""Exit codes, usage errors and messages that all commands share."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from hpd.errors import HpdError, InputError

EXIT_OK = 0
EXIT_FAILED = 1
EXIT_USAGE = 2
EXIT_SOME_FAILED = 3
EXIT_INTERRUPTED = 130
EXIT_SIGNAL = 128
"""The exit code of a run ended by a signal is this plus the signal's number."""


class UsageError(HpdError):
    """A usage error, raised before any model is loaded."""


def say(message: str) -> None:
    """Print a line on standard error."""
    print(f"hpd: {message}", file=sys.stderr, flush=True)


def settings_text(settings: Mapping[str, int]) -> str:
    """Format settings as in the methods of ``hpd bench``: ``in_flight=8, drafts=on``."""
    return ", ".join(f"{name}={setting_text(value)}" for name, value in settings.items())


def setting_text(value: int) -> str:
    """Format an option's value."""
    return ("off", "on")[value] if isinstance(value, bool) else str(value)


@contextmanager
def input_errors_as_usage() -> Iterator[None]:
    """Turn ``InputError`` into a usage error, before any model is loaded."""
    try:
        yield
    except InputError as error:
        raise UsageError(str(error)) from error
