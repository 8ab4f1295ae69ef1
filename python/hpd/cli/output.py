"""The output of ``hpd extract``: its arguments and checks."""

from __future__ import annotations

import argparse
import os
import stat
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from hpd.cli.arguments import not_empty
from hpd.cli.common import UsageError, input_errors_as_usage, say
from hpd.errors import InputError
from hpd.files.journal import file_fingerprint, journal_path, text_fingerprint
from hpd.files.streams import absolute, fill_pattern, fixed_folder, is_pattern
from hpd.files.tables import (
    PER_DOCUMENT_SUFFIXES,
    check_writable,
    edit_of_table,
    is_made_from_lines,
    keeps_input,
    lines_path,
    move_aside,
)
from hpd.files.writer import FileWriter, StreamWriter, Writer
from hpd.models.model_files import local_lora
from hpd.options import OPTIONS, values_identity
from hpd.pipeline.plan import RunPlan
from hpd.prompt.text import STACK_RULE, SYSTEM_PROMPT
from hpd.schema import describe_attributes
from hpd.values.confidence import NO_CALIBRATION

READING_ARGUMENTS = ("text_field", "id_field", "category_field", "encoding", "delimiter")
"""The arguments needed to read an input again, besides its names and format."""

_STANDARD_OUTPUT = (None, "-", "/dev/stdout", "/dev/fd/1")
"""Its names; opening one of the last two would truncate a file to which it is redirected."""

_UNSUPPORTED_SUFFIXES = (
    *(".xls", ".ods", ".arrow", ".feather", ".orc", ".avro", ".db", ".sqlite"),
    *(".html", ".xml", ".yaml", ".yml", ".pdf", ".gz", ".zst", ".bz2", ".xz", ".zip"),
)
"""Extensions of formats that hpd cannot write; they are refused, not filled with JSON Lines."""


def add_output_argument(group: argparse._ActionsContainer) -> None:
    group.add_argument(
        "-o",
        "--output",
        metavar="OUT",
        type=not_empty,
        help="a file: JSON Lines; an array for .json; a table for .csv, .tsv, .xlsx and .parquet. "
        "out/{stem}.json writes a file for each input file. OUT.run beside it records which "
        "documents are finished [default: standard output]",
    )


def add_output_arguments(group: argparse._ActionsContainer) -> None:
    """Add arguments for an existing output, and for what is written."""
    group.add_argument(
        "--resume",
        action="store_true",
        help="continue OUT: keep its lines and extract documents that are missing or failed",
    )
    group.add_argument(
        "--overwrite",
        action="store_true",
        help="replace OUT once the new file (OUT.new) is complete",
    )
    group.add_argument(
        "--show",
        choices=("table", "json"),
        help="format of standard output [default: a table in a terminal, otherwise JSON Lines]",
    )
    group.add_argument(
        "--keep",
        metavar="COLUMN",
        action="append",
        help="copy this column of INPUT to the output; may be repeated [default: all for tables, "
        "none for lines]",
    )
    group.add_argument(
        "--confidence",
        action="store_true",
        help="in a table, add a column with the confidence of each value",
    )
    group.add_argument(
        "--places",
        action="store_true",
        help="in a table, add columns with the page and boxes, or the cell, of each value",
    )


def check_output(arguments: argparse.Namespace) -> None:
    """Check that the output can be written, and that flags do not conflict.

    Raises:
        UsageError: it cannot, a table would be overwritten, or flags conflict.
    """
    target = arguments.output
    if arguments.show is not None and not is_stream(target):
        raise UsageError("--show is for standard output; a file's name determines its format")
    for flag, given in (("--confidence", arguments.confidence), ("--places", arguments.places)):
        if given and (is_stream(target) or not keeps_input(target)):
            raise UsageError(
                f"{flag} adds columns to a table (-o values.xlsx, .csv, .tsv, .parquet); lines of "
                "JSON always have them"
            )
    if is_stream(target):
        for flag, given in (("--resume", arguments.resume), ("--overwrite", arguments.overwrite)):
            if given:
                raise UsageError(f"{flag} needs an output file: name it with -o OUT")
        return
    path = Path(target)
    folder = fixed_folder(target) if is_pattern(target) else path.parent
    if not folder.is_dir():
        raise UsageError(f"{target}: there is no folder {folder}: make it, or name another output")
    if is_pattern(target) and path.suffix.lower() not in PER_DOCUMENT_SUFFIXES:
        raise UsageError(
            f"{target}: an output for each document is {' or '.join(PER_DOCUMENT_SUFFIXES)}"
        )
    if path.suffix.lower() in _UNSUPPORTED_SUFFIXES:
        raise UsageError(
            f"{target}: {path.suffix} files are not written: name a .jsonl, .csv, .tsv, .xlsx or "
            ".parquet file"
        )
    if is_made_from_lines(target):
        with input_errors_as_usage():
            check_writable(path)
        lines = lines_path(path)
        if os.path.exists(target) and not arguments.overwrite and not lines.exists():
            raise UsageError(f"{target} already exists: replace it (--overwrite), or name another")


def check_not_read(target: str | None, read: Iterable[str | Path | None]) -> None:
    """Check that the output is none of the files that the run reads; ``-`` is standard input.

    Raises:
        UsageError: it would overwrite one of them.
    """
    names = [name for name in written_files(target) if name.exists()]
    for source in read:
        for name in names:
            if source is not None and same_file(name, source):
                shown = "the input (standard input)" if str(source) == "-" else source
                raise UsageError(f"{name} is read in this run ({shown}): name another output")


def check_outputs_per_document(arguments: argparse.Namespace, inputs: Sequence[str]) -> None:
    """Check that outputs per document are distinct files, and replace nothing.

    Raises:
        UsageError: two inputs have the same output, or a file would be replaced.
    """
    if is_stream(arguments.output) or not is_pattern(arguments.output):
        return
    sources: dict[str, str] = {}
    may_replace = arguments.overwrite or lines_file(arguments.output).exists()
    for source in inputs:
        name = fill_pattern(arguments.output, source)
        if name in sources:
            raise UsageError(
                f"{arguments.output}: {sources[name]} and {source} would both be {name}: add "
                "{name} or {folder} to the output's name"
            )
        sources[name] = source
        if any(same_file(Path(name), other) for other in inputs if os.path.exists(name)):
            raise UsageError(f"{name} is read in this run: name another output")
        if os.path.exists(name) and not may_replace:
            raise UsageError(f"{name} already exists: replace it (--overwrite), or name another")


def written_files(target: str | None) -> tuple[Path, ...]:
    """Return the files that a run may write, and so must not read."""
    if is_stream(target):
        return ()
    lines = lines_file(str(target))
    made = (Path(str(target)), Path(f"{target}.new"))
    return (*dict.fromkeys((*made, lines, Path(f"{lines}.new"), journal_path(lines))),)


def lines_file(target: str) -> Path:
    """Return the file with the lines of a run: the output itself, or the file from which a table is
    made."""
    path = Path(target)
    return lines_path(path) if is_made_from_lines(path) else path


def shows_table(arguments: argparse.Namespace) -> bool:
    """Return whether results are printed as a table on standard output."""
    if arguments.show is not None:
        return bool(arguments.show == "table")
    return arguments.output is None and sys.stdout.isatty()


def open_writer(
    arguments: argparse.Namespace, plan: RunPlan, settings: Mapping[str, Any]
) -> Writer:
    """Open the writer for the output.

    Raises:
        InputError: the output cannot be written.
    """
    target = arguments.output
    if is_stream(target):
        name = None if target in _STANDARD_OUTPUT else target
        shown = None
        if shows_table(arguments):
            from hpd.cli.terminal import ResultTable

            shown = ResultTable(plan.task.schemas)
        return StreamWriter(name, shown=shown)
    table = Path(target)
    edit = edit_of_table(lines_file(target), table) if is_made_from_lines(target) else None
    if edit is not None and not arguments.overwrite:
        raise InputError(
            f"{table} was changed since hpd wrote it: {edit}; this run would replace it: "
            "give the changed table another name, or start again (--overwrite)"
        )
    writer = FileWriter(
        lines_file(target),
        settings,
        resume=arguments.resume,
        overwrite=arguments.overwrite,
        accept_changes=arguments.watch,
        about=_run_description(arguments, plan),
    )
    if edit is not None:
        say(f"{table} was changed since hpd wrote it: {edit}; it is now {move_aside(table)}")
    return writer


def _run_description(arguments: argparse.Namespace, plan: RunPlan) -> dict[str, Any]:
    """Return the names of a run's inputs, which ``hpd status`` uses to count what is left."""
    return {
        "folder": os.getcwd(),
        "input": [*map(absolute, arguments.input)],
        **{name: getattr(arguments, name) for name in READING_ARGUMENTS},
        "format": arguments.format,
        "attachments": arguments.attachments,
        "as": arguments.taken_as,
        "limit": arguments.limit,
        "schema": arguments.schema,
        "attributes": describe_attributes(plan.task.schemas),
        "model": str(plan.model),
    }


def output_name(target: str | None) -> str:
    """Return the display name of an output."""
    return "standard output" if target in _STANDARD_OUTPUT else str(target)


def is_stream(target: str | None) -> bool:
    """Return whether an output is standard output, a device or a pipe, which cannot be resumed."""
    if target in _STANDARD_OUTPUT:
        return True
    try:
        mode = os.stat(str(target)).st_mode
    except OSError:
        return False
    if stat.S_ISDIR(mode):
        raise UsageError(f"{target} is a folder: name a file")
    return not stat.S_ISREG(mode)


def run_settings(plan: RunPlan) -> dict[str, Any]:
    """Return everything that the values of a run depend on, by name."""
    options, kept = plan.task.options, plan.stored_calibration
    decoding = values_identity(options)
    if options.calibration not in ("", NO_CALIBRATION):
        decoding["calibration"] = file_fingerprint(options.calibration)
    elif kept is not None:
        decoding["calibration"] = text_fingerprint(repr(kept))
    if options.instructions:
        decoding["instructions"] = text_fingerprint(options.instructions)
    del decoding["adapters"]
    adapters = [(file_fingerprint(local_lora(path)), scale) for path, scale in options.adapters]
    return {
        "schema": text_fingerprint(repr(plan.task.schemas)),
        "model": file_fingerprint(plan.model),
        "adapters": text_fingerprint(repr(adapters)),
        "prompt": text_fingerprint(repr((SYSTEM_PROMPT, STACK_RULE, plan.task.examples))),
        **{f"option {_option_name(name)}": value for name, value in decoding.items()},
    }


def _option_name(name: str) -> str:
    return OPTIONS[name].flag if OPTIONS[name].flags else name


def same_file(one: Path, other: str | Path) -> bool:
    """Return whether two paths are the same existing file; ``-`` is standard input."""
    try:
        here = os.stat(one)
        there = os.fstat(sys.stdin.fileno()) if str(other) == "-" else os.stat(other)
    except (OSError, ValueError):
        return False
    return os.path.samestat(here, there)
