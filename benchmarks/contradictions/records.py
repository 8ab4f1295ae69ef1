"""Reads texts with their schemas and values, each with a twin that fits the schema.

``texts.txt`` has the records of each kind below its heading::

    === above the maximum
    Age: <130|31> years. City: Porto.
    {"type": "object", "properties": {"age": {"type": "integer", "maximum": 120}, "city": ...}}
    {"age": <null|31>, "city": "Porto"}

In ``<130|31>`` the first half makes the text that contradicts its schema, the second half its twin.
Below the text are its JSON Schema and the stated values, with ``||`` between texts that are equally
right. The contradicting field is the one that is null in them but not in the twin's.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hpd.results import iter_parts

PATH = Path(__file__).with_name("texts.txt")

_HALF = r"((?:[^<>|]|\|\|)*)"
_HALVES = re.compile(rf"<{_HALF}\|{_HALF}>")


@dataclass(frozen=True)
class RecordSide:
    """A text and its gold values."""

    text: str
    stated: Mapping[str, Any]


@dataclass(frozen=True)
class ContradictionRecord:
    """A text that contradicts its schema, and its twin."""

    kind: str
    name: str
    schema: Mapping[str, Any]
    """A JSON Schema."""
    contradicting: RecordSide
    fitting: RecordSide

    @property
    def field(self) -> str:
        """The contradicting field's path, as in ``Extraction.fields``."""
        there = {path for path, value in leaves(self.fitting.stated) if value is not None}
        (path,) = (
            path
            for path, value in leaves(self.contradicting.stated)
            if value is None and path in there
        )
        return path


def read_records(path: Path = PATH) -> list[ContradictionRecord]:
    """Return all records, kind by kind.

    Raises:
        ValueError: a record cannot be read; the message has its name.
    """
    _, *parts = re.split(r"^=== (.+)\n", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return [
        _record(kind, f"{kind} {n}", block)
        for kind, body in zip(parts[::2], parts[1::2], strict=True)
        for n, block in enumerate(body.strip().split("\n\n"), 1)
    ]


def leaves(data: Any) -> Iterator[tuple[str, Any]]:
    """Yield the values in some data with their paths; an empty list or object has none."""
    return ((path, part) for path, part in iter_parts(data) if not isinstance(part, dict | list))


def _record(kind: str, name: str, block: str) -> ContradictionRecord:
    text, schema, stated = block.rsplit("\n", 2)
    try:
        sides = [RecordSide(_half(text, n), json.loads(_half(stated, n))) for n in (1, 2)]
        record = ContradictionRecord(kind, name, json.loads(schema), *sides)
        _ = record.field
    except ValueError as error:
        raise ValueError(f"{name}: {error}: {block}") from error
    return record


def _half(text: str, n: int) -> str:
    return _HALVES.sub(lambda match: match[n], text)
