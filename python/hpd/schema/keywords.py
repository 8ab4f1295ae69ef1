"""The keywords of JSON Schema: those that hpd honours, ignores, and cannot honour."""

from __future__ import annotations

from typing import Final

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
