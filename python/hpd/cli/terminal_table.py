"""Results as a table that fits the window, a row for each document as soon as it is known."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterator, Mapping
from typing import Any, Final

from hpd.schema.attributes import Schema

_LEAST_WIDTH: Final = 8
"""The characters that a column needs to say anything; with less, attributes go below each other."""
_GAP: Final = "  "
_ABSENT: Final = "-"


class TerminalTable:
    """Turns lines of output into rows for people.

    Args:
        schemas: one, whose attributes are the columns, or one for each category.
        width: of the window, in characters.
    """

    def __init__(self, schemas: Schema | Mapping[str, Schema], width: int) -> None:
        by_category = [schemas] if isinstance(schemas, Schema) else list(schemas.values())
        self._names = list(dict.fromkeys(a.name for schema in by_category for a in schema))
        self._width = width
        n_columns = len(self._names) + 1
        room = width - len(_GAP) * (n_columns - 1)
        self._is_wide = room // n_columns >= _LEAST_WIDTH
        self._widths = [room // n_columns + (i < room % n_columns) for i in range(n_columns)]
        self._has_header = False

    def __call__(self, line: Mapping[str, Any]) -> bytes:
        """The row of one line of output, behind the header if it is the first."""
        shown = "".join(f"{text}\n" for text in self._shown(line))
        return shown.encode("utf-8", "replace")

    def _shown(self, line: Mapping[str, Any]) -> Iterator[str]:
        id_ = _plain(line.get("id"))
        error = line.get("error")
        data = line.get("data") or {}
        values = [_plain(data.get(name)) for name in self._names]
        if not self._is_wide:
            yield fitted(id_, self._width).rstrip()
            longest = min(max(map(width_of, self._names)), self._width // 2)
            for name, value in zip(self._names, values, strict=True) if data else ():
                room = self._width - longest - 2 * len(_GAP)
                yield f"{_GAP}{fitted(name, longest)}{_GAP}{fitted(value, room).rstrip()}"
        elif not self._has_header:
            self._has_header = True
            yield self._row(["id", *self._names])
            yield self._row(["-" * width for width in self._widths])
        if self._is_wide and data:
            yield self._row([id_, *values])
        if error is not None:
            said = f"{id_}: {error['type']}: {error['message']}"
            yield fitted(" ".join(said.split()), self._width).rstrip()

    def _row(self, cells: list[str]) -> str:
        fitting = (fitted(text, width) for text, width in zip(cells, self._widths, strict=True))
        return _GAP.join(fitting).rstrip()


def fitted(text: str, width: int) -> str:
    """A text in exactly so many columns of a terminal, cut with an ellipsis if it is longer."""
    if width_of(text) <= width:
        return text + " " * (width - width_of(text))
    kept = ""
    used = 0
    for character in text:
        if used + width_of(character) > width - 1:
            break
        kept += character
        used += width_of(character)
    return kept + "…" + " " * (width - 1 - used)


def width_of(text: str) -> int:
    """The columns that a text takes in a terminal: two for wide characters, none for marks."""
    return sum(
        0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1
        for c in text
    )


def _plain(value: Any) -> str:
    """A value on one line, without characters that would move the terminal's cursor."""
    if value is None:
        return _ABSENT
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    one_line = " ".join(text.split())
    return "".join(c if c.isprintable() else "\ufffd" for c in one_line)
