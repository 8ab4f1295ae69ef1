"""Schemas: every form in which one can be written, and the attributes that it is read into."""

from hpd.schema.checks import SchemaWarning, check
from hpd.schema.render import describe, to_json_schema
from hpd.schema.sources import load_schema, load_schemas, load_untrusted_schemas

__all__ = [
    "SchemaWarning",
    "check",
    "describe",
    "load_schema",
    "load_schemas",
    "load_untrusted_schemas",
    "to_json_schema",
]
