"""The documents that go in."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Final, Literal, Protocol

Box = tuple[float, float, float, float]
"""The left, top, right and bottom side, in points from the top left of the page as it is shown."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a part of a text stands in the file that it was read from."""

    page: int
    """The number, from 1, of the page, the slide or the sheet."""
    boxes: tuple[Box, ...] = ()
    """One for each of its lines there."""
    cell: str | None = None
    """The name of the cell of a sheet: ``May!B7``."""

    def to_dict(self) -> dict[str, Any]:
        """Its part of a line of output."""
        found: dict[str, Any] = {"page": self.page}
        if self.boxes:
            found["boxes"] = [[*box] for box in self.boxes]
        return found if self.cell is None else {**found, "cell": self.cell}


class Places(Protocol):
    """Where each part of a text stands in the file that it was read from."""

    def of(self, start: int, end: int) -> Place | None:
        """The place of the characters from ``start`` up to ``end``; None if they have none."""


@dataclass(frozen=True, slots=True)
class Document:
    """A text to extract from; ``id`` is carried through, ``category`` chooses the schema.

    With ``places`` the values say where they stand in the file, as those of ``read_documents`` do.
    """

    text: str
    id: Any = None
    category: str | None = None
    places: Places | None = field(default=None, repr=False, compare=False)


class _Mark(Enum):
    NOT_YET = "not yet"


NotYet = Literal[_Mark.NOT_YET]
NOT_YET: Final = _Mark.NOT_YET
"""A source of documents may give this in place of one: there is none now, and more may come.

What is in flight then goes on alone, stacks that are not full included, and what is finished is
handed out; without it, a source that keeps its reader waiting keeps everything waiting. The source
is asked again at once, so it should wait for a moment itself.
"""
