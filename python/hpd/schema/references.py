"""The keywords of JSON Schema; and ``$ref`` and ``allOf``: what is spread over nodes, made one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import unquote

from hpd.schema.checks import fail

JSON_TYPES: Final = ("string", "integer", "number", "boolean", "array", "object", "null")

_NUMBER: Final = frozenset(
    {
        "minimum",
        "maximum",
        "exclusiveMinimum",
        "exclusiveMaximum",
        "multipleOf",
        "format",
    }
)

KEYWORDS: Final = {
    "string": frozenset({"minLength", "maxLength", "pattern", "format"}),
    "array": frozenset({"items", "minItems", "maxItems", "uniqueItems", "additionalItems"}),
    "object": frozenset({"properties", "required", "additionalProperties"}),
    "number": _NUMBER,
    "integer": _NUMBER,
}
"""The keywords that limit the values of each type, and are honoured. A node that names no type
has the first type to which any of its keywords belongs."""

ALL_KEYWORDS: Final = frozenset[str]().union(*KEYWORDS.values())

ANNOTATIONS: Final = frozenset(
    {
        "$schema",
        "$id",
        "id",
        "$comment",
        "$defs",
        "definitions",
        "$anchor",
        "$vocabulary",
        "title",
        "description",
        "default",
        "examples",
        "example",
        "deprecated",
        "readOnly",
        "writeOnly",
        "depends_on",
        "nullable",
        "discriminator",
        "externalDocs",
        "contentMediaType",
        "contentEncoding",
        "contentSchema",
        "type",
        "enum",
        "const",
    }
)
"""The keywords that limit no value, or are read whatever the type is."""

NOT_HONOURED: Final = frozenset(
    {
        "not",
        "if",
        "then",
        "else",
        "contains",
        "minContains",
        "maxContains",
        "patternProperties",
        "propertyNames",
        "minProperties",
        "maxProperties",
        "dependentRequired",
        "dependentSchemas",
        "dependencies",
        "unevaluatedProperties",
        "unevaluatedItems",
    }
)
"""The keywords that limit values in a way that hpd cannot honour."""

NUMBER_FORMATS: Final = frozenset(
    {
        "int32",
        "int64",
        "uint32",
        "uint64",
        "float",
        "double",
        "decimal",
    }
)
"""OpenAPI's widths of a number in memory, which say nothing about how it is written."""


Node = Mapping[str, Any]
Refs = frozenset[str]

_DEFINITIONS: Final = ("$defs", "definitions", "$schema", "$id", "$comment")
_OWN_WORDS: Final = frozenset(
    {"title", "description", "default", "examples", "deprecated", "depends_on"}
)


def resolve(root: Node, node: Node, where: str, refs: Refs) -> tuple[dict[str, Any], Refs]:
    """``node`` with its references and ``allOf`` parts merged into it.

    ``refs`` are the references that were followed on the way from the root to this node. Those
    followed here are added, so that a schema that contains itself is noticed.
    """
    flat = {key: value for key, value in node.items() if key not in ("$ref", "allOf")}
    for keyword in ("$dynamicRef", "$recursiveRef"):
        if keyword in flat:
            raise fail(where, f"{keyword} cannot be honoured: use $ref into $defs")
    if "$ref" in node:
        reference = node["$ref"]
        target = _look_up(root, reference, where)
        if reference in refs:
            raise fail(
                where,
                f"the schema contains itself ({reference}): a recursive schema has no fixed list "
                "of attributes. Write out the levels to extract",
            )
        referred, refs = resolve(root, target, where, refs | {reference})
        flat = merge(referred, flat, where)
    parts = node.get("allOf", [])
    if not isinstance(parts, list):
        raise fail(f"{where}.allOf", "a list of schemas is expected")
    for index, part in enumerate(parts):
        if not isinstance(part, Mapping):
            raise fail(f"{where}.allOf[{index}]", f"a schema must be an object (found {part!r})")
        resolved, refs = resolve(root, part, f"{where}.allOf[{index}]", refs)
        flat = merge(resolved, flat, where)
    return flat, refs


def merge(base: Node, own: Node, where: str) -> dict[str, Any]:
    """A node that demands what both demand; titles, descriptions and the like are ``own``'s."""
    merged = dict(base)
    for keyword, value in own.items():
        if keyword not in merged or keyword in _OWN_WORDS or merged[keyword] == value:
            merged[keyword] = value
        else:
            merged[keyword] = _both(keyword, merged[keyword], value, where)
    return merged


def _both(keyword: str, first: Any, second: Any, where: str) -> Any:
    """The value of a keyword that demands what two different values of it demand together."""
    if keyword in _DEFINITIONS:
        return second
    try:
        if keyword == "properties":
            both = dict(first)
            for name, schema in second.items():
                both[name] = {"allOf": [both[name], schema]} if name in both else schema
            return both
        if keyword == "required":
            return list(dict.fromkeys([*first, *second]))
        if keyword in ("minimum", "exclusiveMinimum", "minLength", "minItems"):
            return max(first, second)
        if keyword in ("maximum", "exclusiveMaximum", "maxLength", "maxItems"):
            return min(first, second)
        if keyword == "type":
            return _common_types(first, second)
        if keyword == "enum":
            return [value for value in first if value in second]
        if keyword == "items" and isinstance(first, Mapping) and isinstance(second, Mapping):
            return {"allOf": [first, second]}
        if keyword == "uniqueItems":
            return bool(first or second)
        if keyword == "additionalProperties":
            return False if first is False or second is False else (first or second)
    except (TypeError, ValueError):
        pass
    raise fail(where, f"{keyword!r} is asked for in two ways ({first!r} and {second!r}): keep one")


def _common_types(first: str | list[str], second: str | list[str]) -> list[str]:
    one = [first] if isinstance(first, str) else first
    two = [second] if isinstance(second, str) else second
    common = [kind for kind in one if kind in two]
    if "integer" not in common and {*one, *two} >= {"integer", "number"}:
        common.append("integer")
    if not common:
        raise ValueError("no common type")
    return common


def _look_up(root: Node, reference: object, where: str) -> Node:
    if not isinstance(reference, str) or not reference.startswith("#"):
        raise fail(
            where,
            f"the reference {reference!r} leads out of the schema: put its target into $defs",
        )
    target: object = root
    for part in reference[1:].split("/")[1:]:
        key = unquote(part).replace("~1", "/").replace("~0", "~")
        if isinstance(target, Mapping) and key in target:
            target = target[key]
        elif isinstance(target, list) and key.isdigit() and int(key) < len(target):
            target = target[int(key)]
        else:
            raise fail(where, f"the reference {reference!r} leads nowhere in the schema")
    if len(reference) > 1 and not reference.startswith("#/"):
        raise fail(where, f"the reference {reference!r} is an anchor: use '#/$defs/<name>'")
    if not isinstance(target, Mapping):
        raise fail(where, f"the reference {reference!r} does not lead to a schema")
    return target
