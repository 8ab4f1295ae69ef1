"""The words of JSON Schema: what is understood, what says nothing, what cannot be honoured."""

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
"""What limits the values of a type, and is honoured. A node without a type has the first one
that any of its keywords belongs to."""

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
"""What limits no value, or is read whatever the type."""

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
"""What limits values in a way that hpd cannot follow."""

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
"""How wide a number is in memory (OpenAPI), which says nothing about a text."""
