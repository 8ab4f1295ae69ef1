"""``hpd schema``: what hpd understood of a schema."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from typing import TYPE_CHECKING

from hpd.cli.arguments import SCHEMA_HELP, add_model_arguments
from hpd.cli.common import EXIT_OK, UsageError, table
from hpd.schema import describe, load_schemas, to_json_schema
from hpd.schema.attributes import Schema

if TYPE_CHECKING:
    from hpd.pipeline.pipeline import Preview

_RULE = "-" * 40


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "schema",
        help="print what hpd understood of a schema",
        description="Print the attributes of a schema, as a table or as JSON Schema.",
        usage="%(prog)s SCHEMA [--json | --prompt [-m MODEL | -hf USER/REPO[:QUANT]]]",
    )
    parser.add_argument("schema", metavar="SCHEMA", help=SCHEMA_HELP)
    kind = parser.add_mutually_exclusive_group()
    kind.add_argument("--json", action="store_true", help="as JSON Schema")
    kind.add_argument(
        "--prompt",
        action="store_true",
        help="print the prompt and its numbers of tokens, too; this loads a model's vocabulary",
    )
    add_model_arguments(parser.add_argument_group("the model of --prompt"))
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print the schema, or the one of each category."""
    if not arguments.prompt and (arguments.model or arguments.hf):
        raise UsageError("-m and -hf name the model whose vocabulary --prompt needs: say --prompt")
    loaded = load_schemas(arguments.schema)
    if arguments.json:
        print(json.dumps(_json(loaded), ensure_ascii=False, indent=2))
        return EXIT_OK
    show = _prompt_of(arguments) if arguments.prompt else describe
    if isinstance(loaded, Schema):
        print(show(loaded))
    else:
        print("\n\n".join(f"{name}\n\n{show(schema)}" for name, schema in loaded.items()))
    return EXIT_OK


def _prompt_of(arguments: argparse.Namespace) -> Callable[[Schema], str]:
    from hpd.pipeline.pipeline import context_size, open_vocabulary, preview

    model = open_vocabulary(arguments.model, arguments.hf)

    def show(schema: Schema) -> str:
        shown = preview(model, schema, [""])
        return f"{describe(schema)}\n\n{report(shown, context_size(model))}"

    return show


def _json(loaded: Schema | dict[str, Schema]) -> object:
    if isinstance(loaded, Schema):
        return to_json_schema(loaded)
    return {category: to_json_schema(schema) for category, schema in loaded.items()}


def report(preview: Preview, n_ctx: int) -> str:
    """The prompt and, below it, the numbers of tokens in its parts."""
    n_keys = sum(n_tokens for _, n_tokens in preview.keys)
    rows = [
        ["prompt", f"{preview.n_prompt} tokens"],
        ["  shared by all documents", f"{preview.n_instruction}"],
        ["  of this one", f"{preview.n_prompt - preview.n_instruction}"],
        ["keys", f"{n_keys} tokens"],
        ["fields that wait for other values", f"{preview.n_later}"],
        ["longest value and its key", f"up to {preview.n_longest} tokens"],
        ["context", f"{n_ctx} tokens"],
    ]
    n_over = preview.n_prompt + preview.n_longest - n_ctx
    if n_over > 0:
        rows.append(["over", f"{n_over} tokens"])
    fields = [["key", "tokens"], *([key or "(none)", str(n)] for key, n in preview.keys)]
    parts = [preview.text, _RULE, table(fields), "", table(rows)]
    return "\n".join(parts)
