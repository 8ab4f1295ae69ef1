"""Schemas in every form, and the attributes that they are read into."""

from hpd.schema.checks import SchemaNote, SchemaWarning, check
from hpd.schema.render import (
    describe,
    describe_all,
    describe_attributes,
    to_json_schema,
    to_json_schemas,
)
from hpd.schema.schemas import Schemas
from hpd.schema.sources import as_schemas, load_schema, load_schemas

__all__ = [
    "SchemaNote",
    "SchemaWarning",
    "Schemas",
    "as_schemas",
    "check",
    "describe",
    "describe_all",
    "describe_attributes",
    "load_schema",
    "load_schemas",
    "to_json_schema",
    "to_json_schemas",
]
