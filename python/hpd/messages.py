"""Text tables, and parts of messages and warnings, shared by all packages."""

from __future__ import annotations

import difflib
import inspect
import os
from collections.abc import Callable, Iterable

_MAX_SHOWN = 60


def did_you_mean(
    name: str, names: Iterable[str], n: int = 1, show: Callable[[str], object] = str
) -> str:
    """Suggest at most ``n`` similar names; empty if there are none."""
    close = [str(show(each)) for each in difflib.get_close_matches(name, [*names], n=n)]
    return f"did you mean {' or '.join(close)}?" if close else ""


def caller_level() -> int:
    """Return the ``stacklevel`` with which a warning names the line that called hpd."""
    package = os.path.dirname(__file__) + os.sep
    frame, level = inspect.currentframe(), 0
    while frame is not None and frame.f_code.co_filename.startswith(package):
        frame, level = frame.f_back, level + 1
    return level


def short_repr(value: object) -> str:
    """Format any value for an error message, shortened."""
    try:
        text = repr(value)
    except Exception:  # an integer with more digits than Python prints, or a broken class
        return f"an unprintable {type(value).__name__}"
    return text if len(text) <= _MAX_SHOWN else f"{text[:_MAX_SHOWN]}..."


def counted(n: int, noun: str, verb: str = "", *, of: int | None = None) -> str:
    """Return a number with a noun, and possibly ``has`` or ``is``.

    ``1 row has``, ``2 rows have``, ``1 of 2 rows has``.
    """
    shown = f"{n} {noun}" if of is None else f"{n} of {of} {noun}"
    shown += "s" * ((n if of is None else of) != 1)
    return f"{shown} {verb if n == 1 else {'has': 'have', 'is': 'are'}[verb]}" if verb else shown


def format_table(rows: Iterable[Iterable[str]], n_left: int = 1) -> str:
    """Format rows as a table: the first ``n_left`` columns left-aligned, the rest right-aligned."""
    from rich.cells import cell_len  # which knows that some characters are wide

    cells = [list(row) for row in rows]
    widths = [max(map(cell_len, column)) for column in zip(*cells, strict=True)]
    lines = []
    for row in cells:
        aligned = []
        for column, (text, width) in enumerate(zip(row, widths, strict=True)):
            blanks = " " * (width - cell_len(text))
            aligned.append(text + blanks if column < n_left else blanks + text)
        lines.append("  ".join(aligned).rstrip())
    return "\n".join(lines)
