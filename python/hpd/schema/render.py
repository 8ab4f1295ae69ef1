"""Renders a schema as JSON Schema or as a table."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from hpd.messages import format_table
from hpd.schema.attributes import Attribute, Schema
from hpd.schema.checks import join_path
from hpd.schema.schemas import Schemas

DIALECT = "https://json-schema.org/draft/2020-12/schema"


def to_json_schema(schema: Schema) -> dict[str, Any]:
    """Return the equivalent JSON Schema, which every result of ``schema`` obeys.

    If attributes cannot express all of a JSON Schema, the original is returned.
    """
    if schema.document is not None:
        return dict(schema.document)
    document: dict[str, Any] = {"$schema": DIALECT}
    if schema.title:
        document["title"] = schema.title
    definitions: dict[str, Any] = {}
    if schema.has_unwrapped_root:
        document |= _node(schema.attributes[0], definitions)
    else:
        root = replace(schema.root, attributes=schema.attributes)
        document |= _node(root, definitions)
    return document | ({"$defs": definitions} if definitions else {})


def describe(schema: Schema) -> str:
    """Return a plain table: path, type, constraint, absent value, description."""
    rows = [("PATH", "TYPE", "CONSTRAINT", "ABSENT", "DESCRIPTION")]
    rows.extend(_rows(schema, ""))
    lines = [format_table(rows, n_left=5)]
    lines.extend(f"check {path}{': ' if path else ''}{text}" for path, text in _checks(schema))
    return "\n".join(lines)


def describe_all(schemas: Schemas) -> str:
    """Return the table of each schema, below the name of its category."""
    named = schemas.by_category.items()
    return "\n\n".join(f"{name or ''}\n\n{describe(schema)}".lstrip("\n") for name, schema in named)


def to_json_schemas(schemas: Schemas) -> dict[str, Any]:
    """Return the equivalent JSON Schema, or one per category, as ``load_schemas`` reads it."""
    if schemas.single is not None:
        return to_json_schema(schemas.single)
    return {str(name): to_json_schema(schema) for name, schema in schemas.by_category.items()}


def describe_attributes(schemas: Schemas) -> dict[str, str]:
    """Return a short description of each attribute, by path, prefixed with the category."""
    return {
        path if category is None else f"{category}: {path}": " ".join(
            filter(None, (kind, constraint, "required" if absent == "error" else "", about))
        )
        for category, schema in schemas.by_category.items()
        for path, kind, constraint, absent, about in _attribute_rows(schema)
    }


def _attribute_rows(schema: Schema) -> Iterator[tuple[str, ...]]:
    yield from ((f"check {text}", path, "", "", "") for path, text in _checks(schema))
    yield from _rows(schema, "")


def _object_node(attribute: Attribute, definitions: dict[str, Any]) -> dict[str, Any]:
    properties = {part.name: _node(part, definitions) for part in attribute.attributes}
    node: dict[str, Any] = {"type": _type("object", attribute.nullable), "properties": properties}
    required = [part.name for part in attribute.attributes if part.required]
    if required:
        node["required"] = required
    if attribute.forbids_others:
        node["additionalProperties"] = False
    if attribute.checks:
        node["checks"] = list(attribute.checks)
    return node


def _reference(attribute: Attribute, definitions: dict[str, Any]) -> dict[str, Any]:
    """Return a reference to a recursive attribute's definition, which is written once."""
    assert attribute.recursion is not None
    assert attribute.recursion.attribute is not None
    name = attribute.recursion.name
    if name not in definitions:
        definitions[name] = {}
        definitions[name] |= _node(attribute.recursion.attribute, definitions)
    return {"$ref": "#/$defs/" + name.replace("~", "~0").replace("/", "~1")}


def _map_node(attribute: Attribute, definitions: dict[str, Any]) -> dict[str, Any]:
    assert attribute.item is not None
    name, value = attribute.item.attributes
    node: dict[str, Any] = {
        "type": _type("object", attribute.nullable),
        "additionalProperties": _node(replace(value, after=()), definitions),
    }
    names = {k: v for k, v in _node(name, definitions).items() if k != "description"}
    if names != {"type": "string"}:
        node["propertyNames"] = names
    for keyword, limit in (
        ("minProperties", attribute.min_items),
        ("maxProperties", attribute.max_items),
    ):
        if limit is not None:
            node[keyword] = limit
    return node


def _type(name: str, nullable: bool) -> str | list[str]:
    return [name, "null"] if nullable else name


def _node(attribute: Attribute, definitions: dict[str, Any]) -> dict[str, Any]:
    node: dict[str, Any]
    if attribute.type == "object":
        node = _object_node(attribute, definitions)
    elif attribute.type == "map":
        node = _map_node(attribute, definitions)
        attribute = replace(attribute, min_items=None, max_items=None)
    elif attribute.type == "recursive":
        node = _reference(attribute, definitions)
    elif attribute.type == "union":
        variants = [_node(variant, definitions) for variant in attribute.attributes]
        node = {"anyOf": [*variants, *([{"type": "null"}] if attribute.nullable else [])]}
        if not attribute.is_scalar:
            for variant, own in zip(variants, attribute.attributes, strict=False):
                variant |= {} if own.type == "recursive" else {"title": own.name}
    elif attribute.type == "tuple":
        node = {"type": _type("array", attribute.nullable)}
        if attribute.attributes:
            node["prefixItems"] = [_node(part, definitions) for part in attribute.attributes]
        if attribute.forbids_others:
            node["items"] = False
    elif attribute.type == "enum":
        node = {"enum": [*attribute.choices, *([None] if attribute.nullable else [])]}
        if not node["enum"]:  # no value is allowed, but an enum must not be empty
            node = {"enum": [""], "type": "integer"}
    elif attribute.type in ("date", "date-time"):
        node = {"type": _type("string", attribute.nullable), "format": attribute.type}
    else:
        node = {"type": _type(attribute.type, attribute.nullable)}
    if attribute.type == "array" and attribute.item is not None:
        node["items"] = _node(attribute.item, definitions)
    for keyword, value in (
        ("minLength", attribute.min_length),
        ("maxLength", attribute.max_length),
        ("pattern", attribute.pattern),
        ("format", attribute.format),
        ("minimum", attribute.minimum),
        ("maximum", attribute.maximum),
        ("exclusiveMinimum", attribute.exclusive_minimum),
        ("exclusiveMaximum", attribute.exclusive_maximum),
        ("multipleOf", attribute.multiple_of),
        ("minItems", attribute.min_items),
        ("maxItems", attribute.max_items),
        ("uniqueItems", attribute.unique_items or None),
        ("description", attribute.description or None),
        ("examples", list(attribute.examples) or None),
        ("depends_on", list(attribute.after) or None),
        ("named_by", list(attribute.named_by) or None),
    ):
        if value is not None:
            node[keyword] = value
    if not attribute.has_type:
        node.pop("type", None)
    return node


def _rows(attributes: Iterable[Attribute], prefix: str) -> list[tuple[str, str, str, str, str]]:
    rows = []
    for attribute in attributes:
        path = prefix + attribute.name
        kind, limits, absent = (
            _type_name(attribute),
            _limits_text(attribute),
            _when_absent(attribute),
        )
        rows.append((path, kind, limits, absent, attribute.description))
        inner: Attribute | None = attribute
        while inner is not None and inner.is_counted:
            inner, path = inner.item, path + "[]"
        if inner is not None and not inner.is_scalar:
            rows.extend(_rows(inner.attributes, path + "."))
    return rows


def _checks(schema: Schema) -> Iterator[tuple[str, str]]:
    """Yield the checks of a schema, with the paths of their objects."""
    root = replace(schema.root, attributes=schema.attributes, checks=schema.checks)
    yield from _checks_within(root, "")


def _checks_within(attribute: Attribute, path: str) -> Iterator[tuple[str, str]]:
    yield from ((path, text) for text in attribute.checks)
    for part in attribute.attributes:
        yield from _checks_within(part, join_path(path, part.name))
    if attribute.item is not None:
        yield from _checks_within(attribute.item, f"{path}[]")


def _when_absent(attribute: Attribute) -> str:
    is_empty_list = attribute.type == "array" and not attribute.min_items
    if attribute.needs_value and not is_empty_list:
        return "error"
    return "null" if attribute.nullable else "[]" if is_empty_list else "left out"


def _type_name(attribute: Attribute) -> str:
    if attribute.type == "array" and attribute.item is not None:
        return f"array of {_type_name(attribute.item)}"
    if attribute.type == "union" and attribute.is_scalar:
        return " or ".join(_type_name(variant) for variant in attribute.attributes)
    if attribute.recursion is not None:
        return f"{attribute.recursion.name} again"
    return attribute.type


def _limits_text(attribute: Attribute) -> str:
    parts = []
    if attribute.type == "enum":
        parts.append(" | ".join(json.dumps(c, ensure_ascii=False) for c in attribute.choices))
    for symbol, limit in (
        (">=", attribute.minimum),
        (">", attribute.exclusive_minimum),
        ("<=", attribute.maximum),
        ("<", attribute.exclusive_maximum),
        ("multiple of", attribute.multiple_of),
    ):
        if limit is not None:
            parts.append(f"{symbol} {limit}")
    if attribute.pattern is not None:
        parts.append(f"/{attribute.pattern}/")
    if attribute.format is not None:
        parts.append(attribute.format)
    for low, high, unit in (
        (attribute.min_length, attribute.max_length, "characters"),
        (attribute.min_items, attribute.max_items, "items"),
    ):
        if low is not None and high is not None:
            parts.append(f"{low} to {high} {unit}" if low != high else f"{low} {unit}")
        elif low is not None or high is not None:
            parts.append(f"at least {low} {unit}" if low is not None else f"at most {high} {unit}")
    if attribute.unique_items:
        parts.append("no duplicates")
    if attribute.after:
        parts.append("after " + ", ".join(attribute.after))
    if attribute.type == "array" and attribute.item is not None:
        inner = _limits_text(attribute.item)
        if inner:
            parts.append(f"each: {inner}")
    return ", ".join(parts)
