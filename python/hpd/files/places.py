"""Where the characters of a text stand: on the pages of a PDF or a show, in cells of a sheet."""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

Box = tuple[float, float, float, float]
"""The left, top, right and bottom side, in points from the top left of the page as it is shown."""


class Places(Protocol):
    """Where each character of a text stands."""

    def of(self, start: int, end: int) -> dict[str, Any]:
        """The place of the characters from ``start`` up to ``end``, as a line of output has it:
        ``page`` and ``boxes``, or ``page`` and ``cell``; empty where it has none."""


@dataclass(frozen=True, slots=True)
class PagePlaces:
    """Boxes on pages; those of letters in a PDF, of shapes on a slide."""

    text: str
    page_starts: Sequence[int]
    """The character at which each page begins."""
    starts: array[int] = field(default_factory=lambda: array("q"))
    """The first character of each box, in rising order."""
    ends: array[int] = field(default_factory=lambda: array("q"))
    sides: array[float] = field(default_factory=lambda: array("f"))
    """Four of each box."""

    def add(self, start: int, end: int, box: Box) -> None:
        """Add the box of the characters from ``start``, behind those of all others, to ``end``."""
        self.starts.append(start)
        self.ends.append(end)
        self.sides.extend(box)

    def of(self, start: int, end: int) -> dict[str, Any]:
        """The page on which the text begins, and a box for each of its lines there."""
        if not 0 <= start < len(self.text) or not self.page_starts:
            return {}
        page = bisect_right(self.page_starts, start)
        if page < len(self.page_starts):
            end = min(end, self.page_starts[page])
        boxes = []
        at = start
        for line in self.text[start:end].split("\n"):
            box = self._around(at, at + len(line))
            if box is not None and box not in boxes:
                boxes.append(box)
            at += len(line) + 1
        return {"page": page, "boxes": boxes}

    def _around(self, start: int, end: int) -> list[float] | None:
        first, last = bisect_right(self.ends, start), bisect_left(self.starts, end)
        if first >= last:
            return None
        sides = self.sides[4 * first : 4 * last]
        corners = min(sides[::4]), min(sides[1::4]), max(sides[2::4]), max(sides[3::4])
        return [round(side, 1) for side in corners]


@dataclass(frozen=True, slots=True)
class CellPlaces:
    """Cells of the sheets of a workbook."""

    cells: Sequence[tuple[int, int, int, str]]
    """Of each that has text: its first character and its end, the number of its sheet, from 1, and
    its name: ``May!B7``."""

    def of(self, start: int, end: int) -> dict[str, Any]:
        """The cell in which the text begins, with the number of its sheet as the page."""
        for first, last, page, name in self.cells:
            if first < max(end, start + 1) and start < last:
                return {"page": page, "cell": name}
        return {}
