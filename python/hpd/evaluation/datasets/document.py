"""A document of a data set, whatever format it came in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from hpd.errors import InputError


@dataclass(frozen=True, slots=True)
class DatasetDocument:
    """One document, and what the data set says of it."""

    id: str
    text: str
    line: int
    """The line of the file on which it begins, from 1."""
    category: str = ""
    gold: Mapping[str, Sequence[str] | None] | None = None
    """The values of each attribute that the row names, None for none; None: no gold at all."""
    attributes: Sequence[str] = field(default=())
    """Names of attributes that its category might have, where there is no gold."""

    def to_line(self, *, lists: bool, names: Sequence[str] = ()) -> dict[str, Any]:
        """The line of hpd's own format.

        With ``lists`` every attribute is a list, even of one value. ``names`` are attributes that
        are none where the document does not name them.
        """
        line: dict[str, Any] = {"id": self.id, "text": self.text}
        if self.category:
            line["category"] = self.category
        if self.gold is not None:
            gold = dict.fromkeys(names) | dict(self.gold)
            line["gold"] = {name: _plain(values, lists=lists) for name, values in gold.items()}
        return line


Row = DatasetDocument | InputError
"""A document, or why it cannot be read, with file and line."""


def _plain(values: Sequence[str] | None, *, lists: bool) -> list[str] | str | None:
    if values is None:
        return None
    return list(values) if lists or len(values) != 1 else values[0]
