"""``hpd schema``: show how hpd reads a schema."""

from __future__ import annotations

import argparse
import json

from hpd.cli.arguments import SCHEMA_HELP
from hpd.cli.common import EXIT_OK
from hpd.schema import describe, load_schemas, to_json_schema
from hpd.schema.attributes import Schema


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "schema", description="Print the attributes of a schema, as a table or as JSON Schema."
    )
    parser.add_argument("schema", metavar="SCHEMA", help=SCHEMA_HELP)
    parser.add_argument("--json", action="store_true", help="print JSON Schema")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print the schema, or that of each category."""
    loaded = load_schemas(arguments.schema)
    if arguments.json:
        print(json.dumps(_json(loaded), ensure_ascii=False, indent=2))
    elif isinstance(loaded, Schema):
        print(describe(loaded))
    else:
        print("\n\n".join(f"{name}\n\n{describe(schema)}" for name, schema in loaded.items()))
    return EXIT_OK


def _json(loaded: Schema | dict[str, Schema]) -> object:
    if isinstance(loaded, Schema):
        return to_json_schema(loaded)
    return {category: to_json_schema(schema) for category, schema in loaded.items()}
