"""Schemas in every form, and the attributes that they are read into."""

from hpd.schema.checks import SchemaNote, SchemaWarning, check
from hpd.schema.render import describe, describe_attributes, to_json_schema
from hpd.schema.sources import as_schemas, load_schema, load_schemas

__all__ = [
    "SchemaNote",
    "SchemaWarning",
    "as_schemas",
    "check",
    "describe",
    "describe_attributes",
    "load_schema",
    "load_schemas",
    "to_json_schema",
]
