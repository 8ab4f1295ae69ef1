"""The arguments of ``hpd extract``."""

from __future__ import annotations

import argparse
import textwrap

from hpd.cli.arguments import add_field_arguments, add_schema_argument, integer, number
from hpd.cli.common import UsageError
from hpd.cli.jobs import add_job_arguments
from hpd.cli.option_arguments import add_option_arguments
from hpd.cli.output_arguments import add_output_arguments
from hpd.errors import InputError
from hpd.files import FORMATS, TEXT_FIELDS, Shard, parse_shard

EPILOG = textwrap.fill(
    "Records are read from .jsonl, .json, .csv, .tsv, .xlsx, .ods and .parquet; .txt, .md, .html, "
    ".eml, .msg, .pdf, .docx, .odt, .pptx and .epub are one document each, and their id is their "
    "path. All may be compressed (.gz, .zst). A "
    "record's text is its first field of: "
    + ", ".join(" and ".join(names) for names in TEXT_FIELDS)
    + "; its id is the field id, or its number.",
    width=100,
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """All arguments, in groups."""
    parser.add_argument(
        "input",
        metavar="INPUT",
        nargs="*",
        help="a file, a folder, a pattern, or - for standard input; any number of them",
    )
    add_job_arguments(parser)
    add_schema_argument(parser, required=False)
    _add_input(parser.add_argument_group("input"))
    _add_output(parser.add_argument_group("output"))
    _add_ray(parser.add_argument_group("more than one machine"))
    add_option_arguments(parser)


def check_required(arguments: argparse.Namespace) -> None:
    """Refuse a run that lacks what only ``--status`` can do without.

    Raises:
        UsageError: naming all that is missing.
    """
    given = {"INPUT": arguments.input, "--schema": arguments.schema}
    missing = [name for name, value in given.items() if value in (None, [])]
    if missing:
        raise UsageError(f"required: {', '.join(missing)} (see hpd extract --help)")


def _add_input(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--format", choices=FORMATS, help="of every INPUT (else each is told by its extension)"
    )
    group.add_argument(
        "--per-line",
        action="store_true",
        help="each line of a text file, or of standard input, is a document",
    )
    add_field_arguments(group)
    group.add_argument(
        "--encoding",
        metavar="NAME",
        help="of every text, such as windows-1252 (else told by the content, and a guess is said)",
    )
    group.add_argument(
        "--delimiter",
        metavar="C",
        type=_delimiter,
        help="between the columns of CSV and TSV: a character, or tab (else told by the content)",
    )
    group.add_argument("--limit", metavar="N", type=integer(0), help="stop after N documents")
    group.add_argument(
        "--shard",
        metavar="I/N",
        type=_shard,
        help="only the I-th of N equal parts of the documents, from 1/N to N/N; together they are "
        "the whole",
    )
    group.add_argument(
        "--examples",
        metavar="FILE",
        help='documents with their answers ("data"), to show in the prompt; '
        "with --category-field, to the documents of their category",
    )


def _add_ray(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--ray",
        metavar="ADDRESS",
        nargs="?",
        const="",
        type=_address,
        help="decode on the workers of a Ray cluster: that of this machine (or one that is started "
        "on it), local, or host:port; stands behind INPUT",
    )
    group.add_argument(
        "--ray-workers",
        metavar="N",
        type=integer(1),
        help="processes that load the model [default: one for each GPU, or each machine]",
    )
    group.add_argument(
        "--ray-gpus",
        metavar="N",
        type=number(0),
        help="GPUs of each worker, which may be a part of one [default: 1 if there is any]",
    )


def _address(text: str) -> str:
    """An address of Ray; empty if none was said, which argparse has looked at as well."""
    if not text:
        return text
    from hpd.ray.cluster import check_address

    try:
        return check_address(text)
    except InputError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def _delimiter(text: str) -> str:
    delimiter = {"tab": "\t", "\\t": "\t"}.get(text, text)
    if len(delimiter) != 1 or delimiter in '"\r\n':
        raise argparse.ArgumentTypeError(f"{text!r} is not one character, or tab")
    return delimiter


def _shard(text: str) -> Shard:
    try:
        return parse_shard(text)
    except InputError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def _add_output(group: argparse._ArgumentGroup) -> None:
    add_output_arguments(group)
    group.add_argument(
        "--with-text",
        action="store_true",
        help='write the text of each document ("text") and the other columns of INPUT ("input") '
        "into its line, for hpd report and hpd compare",
    )
    group.add_argument(
        "--dry-run",
        action="store_true",
        help="instead of all this, print the prompt of the first document (or of --stack) and its "
        "numbers of tokens; nothing is loaded but the vocabulary",
    )
