"""The columns of tables that are made from the output lines of a run."""

from __future__ import annotations

import json
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final

from hpd.schema.attributes import Attribute
from hpd.schema.checks import is_within, join_path
from hpd.schema.data_checks import check_text
from hpd.schema.schemas import Schemas
from hpd.surrogates import escape_surrogates

OutputLine = Mapping[str, Any]
"""A line of output."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table."""

    name: str
    attribute: Attribute
    """The type of its values, as an attribute; also for columns of the input."""
    value: Callable[[OutputLine], Any]
    """Returns the value for an output line, or None."""
    of_input: str = ""
    """The input column that it copies, if any."""
    path: str = ""
    """The path of its values in the data, if it belongs to an attribute."""


def table_columns(
    lines: Iterable[OutputLine],
    schemas: Schemas,
    *,
    confidence: bool = False,
    places: bool = False,
) -> list[Column]:
    """Return the columns of a table: id, attributes, error and input.

    Args:
        lines: all lines, which decide the input columns and their types.
        schemas: the schemas whose attributes become columns.
        confidence: whether each attribute is followed by a column with its confidence.
        places: whether it is also followed by columns with its place: the page and boxes, or the
            cell, as far as any line has them.
    """
    has_source = False
    kinds: dict[str, str] = {}
    place_keys: set[str] = set()
    for row in lines:
        if places:
            place_keys.update(*row.get("fields", {}).values())
        has_source = has_source or "source" in row
        if "text" in row:
            kinds.setdefault("text", "string")
        for name, value in row.get("input", {}).items():
            kinds[name] = _common_kind(kinds.get(name), value)
    own = Column("id", Attribute("id"), lambda row: as_text(row.get("id")))
    kinds.pop("id", None)
    of_input = []
    if has_source:
        kinds.pop("source", None)
        of_input.append(Column("source", Attribute("source"), lambda row: row.get("source")))
    for name, kind in kinds.items():
        attribute = Attribute(name, "string" if kind == "json" else kind)  # type: ignore[arg-type]
        value_of = partial(_json_text if kind == "json" else input_value, name=name)
        of_input.append(Column(escape_surrogates(name), attribute, value_of, name))
    values = []
    attributes = attributes_of(schemas)
    names = {own.name, *(column.name for column in of_input)}
    taken = {attribute.name for attribute in attributes}
    for attribute in attributes:
        shown = _new_name(attribute.name, "extracted.", names)
        values.append(Column(shown, attribute, data_value(attribute), path=attribute.name))
        if confidence:
            name = _new_name(f"{shown}_confidence", "extracted.", names, taken)
            lowest = partial(min_confidence, path=attribute.name)
            values.append(Column(name, Attribute(name, "number"), lowest))
        for path in _place_paths(attribute) if places else ():
            for key, typed in _PLACE_KEYS.items():
                if key in place_keys:
                    name = _new_name(f"{shown}{path}_{key}", "extracted.", names, taken)
                    value_of = partial(_place_value, path=attribute.name + path, key=key)
                    values.append(Column(name, replace(typed, name=name), value_of))
    if has_checks(schemas):
        name = _new_name("checks", "extraction.", names)
        values.append(Column(name, Attribute(name), checks_text))
    error = _new_name("error", "extraction.", names)
    return [own, *values, Column(error, Attribute(error), error_text), *of_input]


def _new_name(name: str, prefix: str, names: set[str], taken: Container[str] = ()) -> str:
    """Prefix a name until it is not among ``names``, nor taken; add it to ``names``."""
    while name in names or name in taken:
        name = prefix + name
    names.add(name)
    return name


def min_confidence(line: OutputLine, path: str) -> float | None:
    """Return the lowest confidence of the values at a path, including its parts and items."""
    confidences = (field.get("confidence") for field in fields_at(line, path))
    return min((each for each in confidences if each is not None), default=None)


def fields_at(line: OutputLine, path: str) -> Iterator[Mapping[str, Any]]:
    """Yield the fields at a path in an output line, including those of its parts and items."""
    for name, field in line.get("fields", {}).items():
        if is_within(name, path):
            yield field


_PLACE_KEYS: Final = {
    "page": Attribute("page", "integer"),
    "boxes": Attribute("boxes", "array", item=Attribute("", "array", item=Attribute("", "number"))),
    "cell": Attribute("cell"),
}
"""The keys of a place in the fields of a line, with their types."""


def _place_paths(attribute: Attribute, path: str = "") -> Iterator[str]:
    """Yield the paths of an attribute's parts that are values or lists, relative to it."""
    if attribute.type != "object":
        yield path
    for part in attribute.attributes if attribute.type == "object" else ():
        yield from _place_paths(part, f"{path}.{part.name}")


def _place_value(line: OutputLine, path: str, key: str) -> Any:
    """Return a part of the first place of an attribute's values; of a list, all boxes on the page
    where it begins."""
    places = [field for field in fields_at(line, path) if key in field]
    if not places or key != "boxes":
        return places[0][key] if places else None
    page = places[0]["page"]
    boxes: list[Any] = []
    for place in places:
        if place["page"] == page:
            boxes += (box for box in place["boxes"] if box not in boxes)
    return boxes


def attributes_of(schemas: Schemas) -> list[Attribute]:
    """Return the attributes of all categories; if one differs between them, its column is JSON."""
    by_name: dict[str, Attribute] = {}
    for schema in schemas.by_category.values():
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
    """Return the kind of a column's values: the attribute's type, or ``json`` for mixed choices."""
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


def _common_kind(known: str | None, value: Any) -> str:
    is_number = value in ("NaN", "Infinity", "-Infinity")  # as written by plain_value
    kind = "null" if value is None else "number" if is_number else _kind(value)
    if known in (None, "null", kind) or kind == "null":
        return kind if known in (None, "null") else str(known)
    return "number" if {known, kind} == {"integer", "number"} else "json"


def input_value(line: OutputLine, name: str) -> Any:
    """Return the value of an input's column in an output line."""
    return line.get("input", {}).get(name, line.get("text") if name == "text" else None)


def _json_text(line: OutputLine, name: str) -> str | None:
    return as_text(input_value(line, name))


def data_value(attribute: Attribute) -> Callable[[OutputLine], Any]:
    """Return a function from an output line to the value of an attribute."""

    def value(row: OutputLine) -> Any:
        data = row.get("data") or {}
        # If the root of the schema is not an object, the data is the value itself.
        found = data.get(attribute.name) if isinstance(data, dict) else data
        return as_text(found) if scalar_kind(attribute) == "json" else found

    return value


def error_text(row: OutputLine) -> str | None:
    """Return the error of a failed document, as written in its column."""
    error = row.get("error")
    return None if error is None else f"{error['type']}: {error['message']}"


def has_checks(schemas: Schemas) -> bool:
    """Return whether a schema has checks, so that its table has a column for them."""
    return any(schema.has_checks for schema in schemas.by_category.values())


def checks_text(row: OutputLine) -> str | None:
    """Return the checks that a document did not pass, as written in their column."""
    return "; ".join(map(check_text, row.get("checks", ()))) or None


def as_text(value: Any) -> str | None:
    """Return a string as it is, and any other value as JSON; lone surrogates are escaped.

    An error may quote a text that has them, and so may a column of the input.
    """
    if value is None:
        return None
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return escape_surrogates(text)


def flat_columns(columns: Iterable[Column]) -> list[Column]:
    """Replace each column of objects by columns for its parts."""
    flat: list[Column] = []
    for column in columns:
        if column.attribute.type != "object":
            flat.append(column)
        else:
            flat += flat_columns(
                Column(
                    f"{column.name}.{part.name}",
                    part,
                    _part_value(column.value, part.name),
                    path=join_path(column.path, part.name) if column.path else "",
                )
                for part in column.attribute.attributes
            )
    return flat


def _part_value(value: Callable[[OutputLine], Any], name: str) -> Callable[..., Any]:
    return lambda row: (value(row) or {}).get(name)
