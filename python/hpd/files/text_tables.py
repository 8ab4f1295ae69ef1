"""Tables as text, with columns aligned in every row, so that empty cells stay visible."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from unicodedata import east_asian_width

_FIRST_WIDE_LETTER = "\u1100"
_MAX_ALIGNED_WIDTH = 40
"""In terminal columns. After a wider cell, the rest of its row is not aligned."""
_GAP = "  "
_SEPARATOR = " | "

CellPart = tuple[str, "int | None"]
"""A text, and the number of its column, from 0; blanks have none."""


def text_width(text: str) -> int:
    """Return the width of a text in a terminal: wide characters, such as Chinese ones, take two
    columns."""
    if max(text, default="") < _FIRST_WIDE_LETTER:
        return len(text)
    return sum(2 if east_asian_width(each) in "WF" else 1 for each in text)


def is_number(cell: str) -> bool:
    """Return whether a cell is a number, with any signs."""
    return any(map(str.isdigit, cell)) and not any(map(str.isalpha, cell))


def table_lines(rows: Iterable[Sequence[str]]) -> Iterator[list[CellPart]]:
    """Yield a line for each row that has text; rows may have different lengths."""
    filled = [cells for row in rows if any(cells := [" ".join(cell.split()) for cell in row])]
    n_cells = max(map(len, filled), default=0)
    widths = [0] * n_cells
    for row in filled:
        for i, cell in enumerate(row):
            if (width := text_width(cell)) <= _MAX_ALIGNED_WIDTH:
                widths[i] = max(widths[i], width)
    # Columns without any text would only widen the gap.
    shown = [i for i in range(n_cells) if any(row[i] for row in filled if i < len(row))]
    for row in filled:
        last = max(i for i, cell in enumerate(row) if cell)
        parts: list[CellPart] = []
        for i in shown[: shown.index(last) + 1]:
            if row[i]:
                parts.append((row[i], i))
            if i != last:
                width = text_width(row[i])
                blanks = " " * (widths[i] - width) + _GAP
                parts.append((blanks if width <= _MAX_ALIGNED_WIDTH else _SEPARATOR, None))
        yield parts


def table_text(rows: Iterable[Sequence[str]]) -> str:
    """Return a table as text, one line per row."""
    return "\n".join("".join(text for text, _ in line) for line in table_lines(rows))
