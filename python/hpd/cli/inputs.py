"""Arguments for inputs, and the reader that they describe."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import Any

from hpd.cli.arguments import add_field_arguments
from hpd.cli.common import input_errors_as_usage
from hpd.cli.output import READING_ARGUMENTS, written_files
from hpd.errors import InputError, SchemaError
from hpd.files.inputs import InputReader, Shard, find_files, watch_files
from hpd.files.rows import FORMATS
from hpd.files.streams import fill_pattern, is_pattern, join_names
from hpd.schema import Schemas, load_schema, load_schemas


def add_input_argument(parser: argparse._ActionsContainer, *, required: bool) -> None:
    parser.add_argument(
        "input",
        metavar="INPUT",
        nargs="+" if required else "*",
        help="a file, a folder, a pattern, or - for standard input; any number of them",
    )


def add_reading_arguments(group: argparse._ActionsContainer) -> None:
    """Add arguments for how inputs are read: format, fields, encoding, attachments."""
    group.add_argument(
        "--format",
        metavar="NAME",
        choices=FORMATS,
        help="format of every INPUT, if its extension does not tell (lines: each line is "
        "a document): " + ", ".join(FORMATS),
    )
    group.add_argument(
        "--as",
        dest="taken_as",
        choices=("rows", "document"),
        help="read a file of rows as one document per row (default), or as one document",
    )
    add_field_arguments(group)
    group.add_argument(
        "--encoding",
        metavar="NAME",
        help="encoding of all texts, such as windows-1252 (default: detected, guesses reported)",
    )
    group.add_argument(
        "--delimiter",
        metavar="C",
        type=_delimiter,
        help="column delimiter of CSV and TSV: a character, or tab (default: detected)",
    )
    group.add_argument(
        "--attachments",
        action="store_true",
        help="read e-mail attachments and embedded messages as separate documents",
    )


def open_inputs(
    arguments: argparse.Namespace,
    *,
    leave_out: Collection[str | Path] = (),
    category_of: Callable[[str], str] | None = None,
    shard: Shard | None = None,
    watch: bool = False,
) -> InputReader:
    """Open the inputs that the arguments name.

    Raises:
        InputError: see ``InputReader``.
    """
    return InputReader(
        arguments.input,
        format=arguments.format,
        text_field=arguments.text_field,
        id_field=arguments.id_field,
        category_field=arguments.category_field,
        encoding=arguments.encoding,
        delimiter=arguments.delimiter,
        attachments=arguments.attachments,
        whole=arguments.taken_as == "document",
        leave_out=leave_out,
        category_of=category_of,
        shard=shard,
        watch=watch_files(arguments.input, arguments.format, leave_out) if watch else None,
    )


def reopen_inputs(about: Mapping[str, Any], output: str, shard: Shard | None = None) -> InputReader:
    """Open the inputs of an earlier run, as the journal of its output describes them.

    Raises:
        InputError: see ``InputReader``.
    """
    return InputReader(
        about["input"],
        format=about.get("format"),
        attachments=bool(about.get("attachments")),
        whole=about.get("as") == "document",
        leave_out=written_files(output),
        shard=shard,
        **{name: about.get(name) for name in READING_ARGUMENTS},
    )


def _delimiter(text: str) -> str:
    delimiter = {"tab": "\t", "\\t": "\t"}.get(text, text)
    if len(delimiter) != 1 or delimiter in '"\r\n':
        raise argparse.ArgumentTypeError(f"{text!r} is neither one character nor tab")
    return delimiter


def schemas_of_files(arguments: argparse.Namespace, leave_out: Collection[str | Path]) -> Schemas:
    """Load the schemas of ``--schema``: one, one per category or, for a pattern, one per input
    file, by the names of the schema files.

    Raises:
        SchemaError: a schema cannot be read, or no input file has one.
    """
    pattern = arguments.schema
    if not is_pattern(pattern):
        return load_schemas(pattern)
    with input_errors_as_usage():
        paths = find_files(arguments.input, arguments.format, leave_out).paths
    files = sorted({fill_pattern(pattern, path) for path in paths})
    schemas = {name: load_schema(name) for name in files if os.path.isfile(name)}
    if not schemas:
        raise SchemaError(f"{pattern}: none of these files exists: {join_names(files)}")
    return Schemas.of(schemas)


def category_by_file(pattern: str, schemas: Schemas) -> Callable[[str], str] | None:
    """Return a function from an input file to the name of its schema, for a pattern."""
    if not is_pattern(pattern):
        return None

    def category_of(path: str) -> str:
        name = fill_pattern(pattern, path)
        if name not in schemas:
            raise InputError(f"{path}: there is no schema for it, as there is no file {name}")
        return name

    return category_of
