"""The columns of a table: those of the input, and the attributes of the schemas."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from hpd.schema.attributes import Attribute, Schema

Line = Mapping[str, Any]
"""A line of output."""
Schemas = Schema | Mapping[str, Schema]


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table."""

    name: str
    attribute: Attribute
    """The kind of its values, which is an attribute's for the input's columns, too."""
    value: Callable[[Line], Any]
    """The value of a line of output, None where it has none."""


def table_columns(lines: Iterable[Line], schemas: Schemas) -> list[Column]:
    """The columns of a table of lines: id, input, attributes, error.

    Args:
        lines: all lines, which tell the columns of the input and their kinds.
        schemas: one schema, or one for each category.
    """
    has_source = False
    kinds: dict[str, str] = {}
    for row in lines:
        has_source = has_source or "source" in row
        if "text" in row:
            kinds.setdefault("text", "string")
        for name, value in row.get("input", {}).items():
            kinds[name] = _joined_kind(kinds.get(name), value)
    columns = [Column("id", Attribute("id"), lambda row: as_text(row.get("id")))]
    if has_source:
        columns.append(Column("source", Attribute("source"), lambda row: row.get("source")))
    names = {column.name for column in columns}
    for name, kind in kinds.items():
        if name in names:
            continue
        attribute = Attribute(name, "string" if kind == "json" else kind)  # type: ignore[arg-type]
        columns.append(Column(name, attribute, _input_value(name, kind)))
        names.add(name)
    for attribute in attributes_of(schemas):
        shown = attribute.name
        while shown in names:
            shown = f"extracted.{shown}"
        columns.append(Column(shown, attribute, data_value(attribute)))
        names.add(shown)
    error = "error"
    while error in names:
        error = f"extraction.{error}"
    columns.append(Column(error, Attribute(error), error_text))
    return columns


def attributes_of(schemas: Schemas) -> list[Attribute]:
    """The attributes of all categories; one that differs between them holds JSON."""
    by_name: dict[str, Attribute] = {}
    for schema in [schemas] if isinstance(schemas, Schema) else schemas.values():
        for attribute in schema:
            known = by_name.setdefault(attribute.name, attribute)
            if _shape(known) != _shape(attribute):
                by_name[attribute.name] = Attribute(attribute.name, "enum", choices=("", 0))
    return list(by_name.values())


def _shape(attribute: Attribute) -> object:
    inner = None if attribute.item is None else _shape(attribute.item)
    parts = tuple((part.name, _shape(part)) for part in attribute.attributes)
    return scalar_kind(attribute), inner, parts


def scalar_kind(attribute: Attribute) -> str:
    """The kind of the values of a column: an attribute's type, or ``json`` for mixed choices."""
    if attribute.type in ("date", "date-time"):
        return "string"
    if attribute.type != "enum":
        return attribute.type
    kinds = {_kind(choice) for choice in attribute.choices}
    if kinds <= {"integer", "number"} and len(kinds) == 2:
        return "number"
    return kinds.pop() if len(kinds) == 1 else "json"


def _kind(value: Any) -> str:
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int):
        return "integer" if -(2**63) <= value < 2**63 else "json"
    if isinstance(value, float):
        return "number"
    return "string" if isinstance(value, str) else "json"


def _joined_kind(known: str | None, value: Any) -> str:
    kind = "null" if value is None else _kind(value)
    if known in (None, "null", kind) or kind == "null":
        return kind if known in (None, "null") else str(known)
    return "number" if {known, kind} == {"integer", "number"} else "json"


def _input_value(name: str, kind: str) -> Callable[[Line], Any]:
    def value(row: Line) -> Any:
        given = row.get("input", {}).get(name, row.get("text") if name == "text" else None)
        return as_text(given) if kind == "json" else given

    return value


def data_value(attribute: Attribute) -> Callable[[Line], Any]:
    """The value of an attribute in a line of output."""

    def value(row: Line) -> Any:
        given = (row.get("data") or {}).get(attribute.name)
        return as_text(given) if scalar_kind(attribute) == "json" else given

    return value


def error_text(row: Line) -> str | None:
    """The error of a document that failed, as its column has it."""
    error = row.get("error")
    return None if error is None else f"{error['type']}: {error['message']}"


def as_text(value: Any) -> str | None:
    """A value as text: a text itself, everything else as JSON."""
    if value is None or isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False)
