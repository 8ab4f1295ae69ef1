"""Schemas: every form in which one can be written, and the attributes that it is read into."""

from hpd.schema.attributes import Attribute, Schema
from hpd.schema.checks import SchemaWarning, check
from hpd.schema.one_line import parse_one_line
from hpd.schema.render import describe, to_json_schema
from hpd.schema.sources import load_schema, load_schemas, load_untrusted_schemas

__all__ = [
    "Attribute",
    "Schema",
    "SchemaWarning",
    "check",
    "describe",
    "load_schema",
    "load_schemas",
    "load_untrusted_schemas",
    "parse_one_line",
    "to_json_schema",
]
