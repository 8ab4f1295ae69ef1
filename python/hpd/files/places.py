"""The locations of the parts of a text: on pages of a PDF or slides, or in cells of a sheet."""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field

from hpd.documents import Box, Place


@dataclass(slots=True)
class PagePlaces:
    """Boxes on pages: of letters in a PDF, or of shapes on a slide."""

    text: str = ""
    page_starts: list[int] = field(default_factory=list)
    """The character at which each page begins."""
    starts: array[int] = field(default_factory=lambda: array("q"))
    """The first character of each box, in ascending order."""
    ends: array[int] = field(default_factory=lambda: array("q"))
    sides: array[float] = field(default_factory=lambda: array("f"))
    """Four numbers for each box."""

    def add(self, start: int, end: int, box: Box) -> None:
        """Add the box of the characters from ``start`` to ``end``, which come after all others."""
        self.starts.append(start)
        self.ends.append(end)
        self.sides.extend(box)

    def of(self, start: int, end: int) -> Place | None:
        """Return the page on which a span begins, and a box for each of its lines there."""
        page = bisect_right(self.page_starts, start)
        if not page:
            return None
        if page < len(self.page_starts):
            end = min(end, self.page_starts[page])
        boxes: list[Box] = []
        at = start
        for line in self.text[start:end].split("\n"):
            box = self._bounding_box(at, at + len(line))
            if box is not None and box not in boxes:
                boxes.append(box)
            at += len(line) + 1
        return Place(page, tuple(boxes))

    def _bounding_box(self, start: int, end: int) -> Box | None:
        first, last = bisect_right(self.ends, start), bisect_left(self.starts, end)
        if first >= last:
            return None
        sides = self.sides[4 * first : 4 * last]
        left, top = min(sides[::4]), min(sides[1::4])
        right, bottom = max(sides[2::4]), max(sides[3::4])
        return round(left, 1), round(top, 1), round(right, 1), round(bottom, 1)


@dataclass(frozen=True, slots=True)
class PartPlaces:
    """Parts of a text with one location each, such as the cells of a sheet."""

    parts: Sequence[tuple[int, int, Place]]
    """The start, end and location of each, in the order of the text."""

    def of(self, start: int, end: int) -> Place | None:
        """Return the location of the part in which a span begins, or else of the first part that it
        overlaps."""
        at = bisect_right(self.parts, start, key=lambda part: part[1])
        if at == len(self.parts) or self.parts[at][0] >= max(end, start + 1):
            return None
        return self.parts[at][2]
