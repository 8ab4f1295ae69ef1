"""``hpd schema``: show how hpd reads a schema."""

from __future__ import annotations

import argparse
import json

from hpd.cli.arguments import SCHEMA_HELP
from hpd.cli.common import EXIT_OK
from hpd.schema import describe_all, load_schemas, to_json_schemas


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "schema", description="Print the attributes of a schema, as a table or as JSON Schema."
    )
    parser.add_argument("schema", metavar="SCHEMA", help=SCHEMA_HELP)
    parser.add_argument("--json", action="store_true", help="print JSON Schema")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print the schema, or the schema of each category."""
    schemas = load_schemas(arguments.schema)
    if arguments.json:
        print(json.dumps(to_json_schemas(schemas), ensure_ascii=False, indent=2))
    else:
        print(describe_all(schemas))
    return EXIT_OK
