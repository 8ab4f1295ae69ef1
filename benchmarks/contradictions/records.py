"""Reads texts with their schemas and values, each with a twin that fits the schema.

``texts.txt`` has the records of each kind below its heading::

    === above the maximum
    Age: <130|31> years. City: Porto.
    {"age!": "int 0..120", "city": "str"}
    {"age": <null|31>, "city": "Porto"}

In ``<130|31>`` the first half makes the text that contradicts its schema, the second half its twin.
The schema is JSON whose values are brief types (``str``, ``int``, ``[a|b]``, a format, or a pattern
from ``^`` to ``$``), with limits (``0..120``, for ``str`` on its length; ``*0.5`` for multiples)
and a description after ``: ``; ``!`` marks required fields. The last line has the stated values,
with ``||`` between texts that are equally right. The contradicting field is the one that is null in
it but not in the twin's.
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
_NUMBER = r"-?\d+(?:\.\d+)?"
_TYPE = re.compile(
    r"(?P<kind>\^.*\$|\[.+\]|[a-z0-9]+)"
    rf"(?: (?P<low>{_NUMBER})?\.\.(?P<high>{_NUMBER})?)?(?: \*(?P<step>{_NUMBER}))?"
    r"(?:: (?P<description>.+))?"
)
_TYPES: Mapping[str, Mapping[str, Any]] = {
    "str": {"type": "string"},
    "int": {"type": "integer"},
    "float": {"type": "number"},
    "bool": {"type": "boolean"},
    "datetime": {"type": "string", "format": "date-time"},
}


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
        record = ContradictionRecord(kind, name, json_schema(json.loads(schema)), *sides)
        _ = record.field
    except ValueError as error:
        raise ValueError(f"{name}: {error}: {block}") from error
    return record


def _half(text: str, n: int) -> str:
    return _HALVES.sub(lambda match: match[n], text)


def json_schema(brief: Any) -> dict[str, Any]:
    """Expand a brief schema to JSON Schema."""
    if isinstance(brief, Mapping):
        return {
            "type": "object",
            "properties": {name.rstrip("!"): json_schema(part) for name, part in brief.items()},
            "required": [name.rstrip("!") for name in brief if name.endswith("!")],
        }
    if isinstance(brief, list):
        (item,) = brief
        return {"type": "array", "items": json_schema(item)}
    match = _TYPE.fullmatch(brief)
    if match is None:
        raise ValueError(f"{brief!r} is no type")
    kind = match["kind"]
    schema: dict[str, Any] = {"type": "string", "format": kind}
    if kind in _TYPES:
        schema = dict(_TYPES[kind])
    elif kind.startswith("^"):
        schema = {"type": "string", "pattern": kind}
    elif kind.startswith("["):
        choices = kind.strip("[]").split("|")
        are_numbers = all(re.fullmatch(_NUMBER, choice) for choice in choices)
        schema = {"enum": [json.loads(choice) if are_numbers else choice for choice in choices]}
    of_text = kind == "str"
    for part, keyword in (
        ("low", "minLength" if of_text else "minimum"),
        ("high", "maxLength" if of_text else "maximum"),
        ("step", "multipleOf"),
    ):
        if match[part]:
            schema[keyword] = json.loads(match[part])
    if match["description"]:
        schema["description"] = match["description"]
    return schema
