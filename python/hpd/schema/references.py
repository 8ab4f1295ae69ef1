"""The keywords of JSON Schema, and the merging of ``$ref`` and ``allOf`` into one node."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from hpd.schema.checks import fail
from hpd.schema.targets import Node, References

JSON_TYPES: Final = ("string", "integer", "number", "boolean", "array", "object", "null")

_NUMBER: Final = frozenset(
    {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "format"}
)

KEYWORDS: Final = {
    "string": frozenset({"minLength", "maxLength", "pattern", "format"}),
    "array": frozenset({"items", "minItems", "maxItems", "uniqueItems", "additionalItems"}),
    "object": frozenset({"properties", "required", "additionalProperties", "checks"}),
    "number": _NUMBER,
    "integer": _NUMBER,
}
"""Supported keywords that limit the values of each type. A node without a type has the first type
to which any of its keywords belongs."""

ALL_KEYWORDS: Final = frozenset[str]().union(*KEYWORDS.values())

ANNOTATIONS: Final = frozenset(
    {"$schema", "$id", "id", "$comment", "$defs", "definitions", "$anchor", "$vocabulary"}
    | {"$dynamicAnchor", "$recursiveAnchor"}
    | {"title", "description", "default", "examples", "example", "deprecated", "readOnly"}
    | {
        "writeOnly",
        "depends_on",
        "named_by",
        "nullable",
        "discriminator",
        "externalDocs",
        "contentMediaType",
    }
    | {"contentEncoding", "contentSchema", "type", "enum", "const"}
)
"""Keywords that limit no value, or are independent of the type."""

CHECKED_AFTERWARDS: Final = frozenset(
    {"not", "if", "then", "else", "contains", "minContains", "maxContains", "patternProperties"}
    | {"propertyNames", "minProperties", "maxProperties", "dependentRequired", "dependentSchemas"}
    | {"dependencies", "unevaluatedProperties", "unevaluatedItems"}
)
"""Keywords that are checked on finished data."""

NUMBER_FORMATS: Final = frozenset(
    {"int32", "int64", "uint32", "uint64", "float", "double", "decimal"}
)
"""OpenAPI's formats for the size of a number, which do not affect its notation."""


Refs = frozenset[str]

_CONDITIONS: Final = frozenset({"if", "then", "else", "not"})
OVERRIDING_KEYWORDS: Final = frozenset(
    {"title", "description", "default", "examples", "deprecated", "depends_on"}
)


class RecursiveReference(Exception):  # noqa: N818 - not an error, and internal
    """A reference to a node that contains it."""

    def __init__(self, reference: str) -> None:
        super().__init__(reference)
        self.reference = reference


class NodeMerger:
    """Merges nodes.

    Args:
        references: the references of the schema.
    """

    def __init__(self, references: References) -> None:
        self.references = references
        self.is_exact = True
        """Whether merged nodes are equivalent; otherwise data is checked afterwards."""

    def resolve(self, node: Node, where: str, refs: Refs) -> tuple[dict[str, Any], Refs]:
        """Return ``node`` with its references and ``allOf`` parts merged into it.

        ``refs`` are the references followed from the root to this node. Those followed here are
        added, to detect recursion.

        Raises:
            RecursiveReference: it refers to a node that contains it.
        """
        flat = {key: value for key, value in node.items() if key not in ("$ref", "allOf")}
        for keyword in ("$dynamicRef", "$recursiveRef"):
            if keyword in flat:
                raise fail(where, f"{keyword} cannot be honoured: use $ref into $defs")
        if "$ref" in node:
            reference = node["$ref"]
            target = self.references.look_up(reference, where)
            if reference in refs:
                raise RecursiveReference(reference)
            referred, refs = self.resolve(target, where, refs | {reference})
            flat = self.merge(referred, flat, where)
        parts = node.get("allOf", [])
        if not isinstance(parts, list):
            raise fail(f"{where}.allOf", "a list of schemas is expected")
        for index, part in enumerate(parts):
            part_path = f"{where}.allOf[{index}]"
            if part is True:
                continue
            if not isinstance(part, Mapping):
                raise fail(part_path, f"a schema must be an object (found {part!r})")
            if {*part} & _CONDITIONS and not {*part} - _CONDITIONS - OVERRIDING_KEYWORDS:
                self.is_exact = False  # Several conditions cannot be merged.
                continue
            try:
                resolved, refs = self.resolve(part, part_path, refs)
            except RecursiveReference:
                if len(parts) == 1 and not {*flat} - OVERRIDING_KEYWORDS:
                    raise
                self.is_exact = False
                continue
            flat = self.merge(resolved, flat, where)
        return flat, refs

    def merge(self, base: Node, own: Node, where: str) -> dict[str, Any]:
        """Return a node with the conditions of both; ``own`` overrides titles and the like."""
        merged = dict(base)
        for keyword, value in own.items():
            if keyword not in merged or merged[keyword] == value or not _may_conflict(keyword):
                merged[keyword] = value
            else:
                merged[keyword] = self._combine(keyword, merged[keyword], value, where)
        return merged

    def _combine(self, keyword: str, first: Any, second: Any, where: str) -> Any:
        """Return the value of a keyword that combines two different values."""
        try:
            if keyword in ("properties", "patternProperties"):
                both = {**first}
                for name, schema in {**second}.items():
                    both[name] = {"allOf": [both[name], schema]} if name in both else schema
                return both
            if keyword in ("required", "checks"):
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
            raise fail(
                where,
                f"{keyword!r} has two conflicting values ({first!r} and {second!r}): keep one",
            ) from None
        # The first limits decoding; both are checked afterwards.
        self.is_exact = False
        return first


def _may_conflict(keyword: str) -> bool:
    """Return whether two values of a keyword can conflict."""
    if keyword in ("type", "enum", "const", "anyOf", "oneOf", "prefixItems"):
        return True
    return keyword in ALL_KEYWORDS or keyword in CHECKED_AFTERWARDS


def _common_types(first: str | list[str], second: str | list[str]) -> list[str]:
    one = [first] if isinstance(first, str) else first
    two = [second] if isinstance(second, str) else second
    common = [kind for kind in one if kind in two]
    if "integer" not in common and {*one, *two} >= {"integer", "number"}:
        common.append("integer")
    if not common:
        raise ValueError("no common type")
    return common
