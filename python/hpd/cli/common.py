"""What the commands share: exit codes, messages, types of arguments."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager

from hpd.errors import HpdError, InputError

EXIT_OK = 0
EXIT_FAILED = 1
EXIT_USAGE = 2
EXIT_SOME_FAILED = 3
EXIT_INTERRUPTED = 130


class UsageError(HpdError):
    """Wrong use of the command line, found before any model is loaded."""


def say(message: str) -> None:
    """One line for a person, on standard error."""
    print(f"hpd: {message}", file=sys.stderr, flush=True)


def in_words(settings: Mapping[str, int]) -> str:
    """Settings as ``hpd bench`` takes them: ``in_flight=8, drafts=on``."""
    return ", ".join(f"{name}={setting_text(value)}" for name, value in settings.items())


def setting_text(value: int) -> str:
    """A setting's value for people."""
    return ("off", "on")[value] if isinstance(value, bool) else str(value)


@contextmanager
def before_the_model() -> Iterator[None]:
    """Makes unreadable input an error of usage, which it is as long as no model is loaded."""
    try:
        yield
    except InputError as error:
        raise UsageError(str(error)) from error


def integer(minimum: int) -> Callable[[str], int]:
    """An argument that is a whole number, not below ``minimum``."""

    def convert(text: str) -> int:
        try:
            value = int(text)
        except ValueError:
            raise argparse.ArgumentTypeError(f"{text!r} is not a whole number") from None
        if value < minimum:
            raise argparse.ArgumentTypeError(f"{value} is below {minimum}")
        return value

    return convert


def number(minimum: float, maximum: float | None = None) -> Callable[[str], float]:
    """An argument that is a number within bounds."""

    def convert(text: str) -> float:
        try:
            value = float(text)
        except ValueError:
            raise argparse.ArgumentTypeError(f"{text!r} is not a number") from None
        # Written so that NaN is refused, too.
        if not value >= minimum:
            raise argparse.ArgumentTypeError(f"{text} is below {minimum:g}")
        if maximum is not None and value > maximum:
            raise argparse.ArgumentTypeError(f"{text} is above {maximum:g}")
        return value

    return convert


def add_model_arguments(group: argparse._ActionsContainer) -> None:
    """``-m`` and ``-hf``."""
    source = group.add_mutually_exclusive_group()
    source.add_argument(
        "-m",
        "--model",
        metavar="FILE",
        help="a GGUF file (else HPD_MODEL, else the one in the box)",
    )
    source.add_argument(
        "-hf",
        "--hf-repo",
        dest="hf",
        metavar="USER/REPO[:QUANT]",
        help="a repository on the Hugging Face Hub",
    )


def table(rows: Iterable[Iterable[str]], n_left: int = 1) -> str:
    """Rows under each other: the first ``n_left`` columns to the left, the rest to the right."""
    cells = [list(row) for row in rows]
    widths = [max(len(row[column]) for row in cells) for column in range(len(cells[0]))]
    lines = []
    for row in cells:
        aligned = [
            text.ljust(width) if column < n_left else text.rjust(width)
            for column, (text, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append("  ".join(aligned).rstrip())
    return "\n".join(lines)
