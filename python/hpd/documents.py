"""Input documents, and where their text stands in a file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Final, Literal, Protocol

from hpd.errors import InputError

Box = tuple[float, float, float, float]
"""Left, top, right and bottom, in points from the top-left corner of the displayed page."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a span of text stands in the file it was read from."""

    page: int
    """The page, slide or sheet, numbered from 1."""
    boxes: tuple[Box, ...] = ()
    """One box per line of the span."""
    cell: str | None = None
    """The cell of a sheet, such as ``May!B7``."""

    def to_dict(self) -> dict[str, Any]:
        """Return the keys that the place adds to a field in the output."""
        found: dict[str, Any] = {"page": self.page}
        if self.boxes:
            found["boxes"] = [[*box] for box in self.boxes]
        return found if self.cell is None else {**found, "cell": self.cell}


class Places(Protocol):
    """Maps the spans of a text to where they stand in the file it was read from."""

    def of(self, start: int, end: int) -> Place | None:
        """Return the place of the characters ``start`` to ``end``, or None if it is unknown."""


@dataclass(frozen=True, slots=True)
class Document:
    """A text to extract from.

    ``id`` is copied to the extraction, and ``category`` selects the schema. With ``places``, each
    value also gets its place in the file. ``places`` and what follows it are set where documents
    are read from files.
    """

    text: str
    id: Any = None
    category: str | None = None
    places: Places | None = field(default=None, repr=False, compare=False)
    source: str = field(default="", repr=False, compare=False)
    """The name of the file."""
    line: int = field(default=0, repr=False, compare=False)
    """The number, from 1, of the line on which it begins, or of its row in Parquet."""
    row: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)
    """All columns of its row, or other data of a whole file, such as the headers of an e-mail."""
    notes: tuple[str, ...] = field(default=(), repr=False, compare=False)
    """Notes on how it was read: what was left out, what was guessed."""
    error: InputError | None = field(default=None, compare=False)
    """Why it cannot be read."""


class _Sentinel(Enum):
    NOT_YET = "not yet"


NotYet = Literal[_Sentinel.NOT_YET]
NOT_YET: Final = _Sentinel.NOT_YET
"""A source of documents may yield this to say that none is ready yet, but more may follow.

The documents in flight, incomplete stacks included, are then decoded, and finished extractions are
yielded. A source that blocks instead blocks the whole call. The source is asked again at once, so
it should wait a moment before it yields this.
"""
