"""Tables as text: each column begins at the same letter in every row, so empty cells stay empty."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from unicodedata import east_asian_width

_FIRST_WIDE = "\u1100"
_WIDEST = 40
"""Letters of a cell; behind a longer one the columns of its row are not kept."""
_BETWEEN = "  "
_BEHIND_LONG = " | "

Part = tuple[str, "int | None"]
"""A text, and the number of its column, from 0; blanks have none."""


def n_columns(text: str) -> int:
    """The columns of a terminal that a text takes: two for each Chinese or Japanese letter."""
    if max(text, default="") < _FIRST_WIDE:
        return len(text)
    return sum(2 if east_asian_width(each) in "WF" else 1 for each in text)


def table_lines(rows: Iterable[Sequence[str]]) -> Iterator[list[Part]]:
    """The line of each row that has text.

    Args:
        rows: cells, on one line each; a row may end before others do.
    """
    filled = [cells for row in rows if any(cells := [" ".join(cell.split()) for cell in row])]
    n_cells = max(map(len, filled), default=0)
    widths = [0] * n_cells
    for row in filled:
        for i, cell in enumerate(row):
            if (width := n_columns(cell)) <= _WIDEST:
                widths[i] = max(widths[i], width)
    # Columns without any text would only be a wider gap.
    shown = [i for i in range(n_cells) if any(row[i] for row in filled if i < len(row))]
    for row in filled:
        last = max(i for i, cell in enumerate(row) if cell)
        parts: list[Part] = []
        for i in shown[: shown.index(last) + 1]:
            if row[i]:
                parts.append((row[i], i))
            if i != last:
                width = n_columns(row[i])
                blanks = " " * (widths[i] - width) + _BETWEEN
                parts.append((blanks if width <= _WIDEST else _BEHIND_LONG, None))
        yield parts


def table_text(rows: Iterable[Sequence[str]]) -> str:
    """A table as text, a line for each row."""
    return "\n".join("".join(text for text, _ in line) for line in table_lines(rows))
