"""The output of ``hpd extract``: its arguments, what it may overwrite, and how far it is."""

from __future__ import annotations

import argparse
import json
import os
import re
import stat
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hpd.cli.arguments import not_empty, said_as
from hpd.cli.common import EXIT_FAILED, EXIT_OK, EXIT_SOME_FAILED, UsageError, table
from hpd.errors import InputError
from hpd.files import (
    FileWriter,
    InputReader,
    RunStatus,
    StreamWriter,
    Writer,
    journal_path,
    parse_shard,
    read_status,
)
from hpd.files.journal import file_fingerprint, text_fingerprint
from hpd.files.tables import check_writable, is_table, lines_path
from hpd.models.model_files import local_lora
from hpd.options import OPTIONS, Options, values_identity
from hpd.prompt import STACK_RULE, SYSTEM
from hpd.schema.attributes import Schema
from hpd.values.confidence import NO_MAP

_STANDARD_OUTPUT = (None, "-", "/dev/stdout", "/dev/fd/1")
"""Its names; to open one of the last two would empty a file to which it is redirected."""

_OTHER_FORMS = (
    *(".xlsx", ".xls", ".ods", ".arrow", ".feather", ".orc", ".avro", ".db", ".sqlite"),
    *(".html", ".xml", ".yaml", ".yml", ".pdf", ".gz", ".zst", ".bz2", ".xz", ".zip"),
)
"""Extensions of files that a run does not write, and would write as JSON Lines without a word."""

_HONOURED = ("status", "input", "format", "limit")
"""Arguments that mean something beside ``--status``."""


def add_output_argument(group: argparse._ActionsContainer) -> None:
    """``-o``."""
    group.add_argument(
        "-o",
        "--output",
        metavar="OUT",
        type=not_empty,
        help="a file: JSON Lines, an array if its name ends in .json, or a table if in .csv, .tsv "
        "or .parquet; OUT.run beside it remembers what is finished [default: standard output]",
    )


def add_output_arguments(group: argparse._ActionsContainer) -> None:
    """What becomes of an output that is there already, and what is written into it."""
    group.add_argument(
        "--resume",
        action="store_true",
        help="go on with OUT: keep its lines, and do the documents that it lacks or that failed",
    )
    group.add_argument(
        "--keep-errors",
        action="store_true",
        help="with --resume, do not do documents again that failed",
    )
    group.add_argument(
        "--overwrite",
        action="store_true",
        help="replace OUT once the new file is complete (until then it is OUT.new)",
    )
    group.add_argument(
        "--show",
        choices=("table", "json"),
        help="the form of standard output [default: a table on a terminal, else lines of JSON]",
    )
    group.add_argument(
        "--keep",
        metavar="COLUMN",
        action="append",
        help="write this column of INPUT, too; may be repeated [default: all of them into a table, "
        "none into lines]",
    )
    group.add_argument(
        "--order",
        choices=("input", "finished"),
        default="input",
        help="of the lines: as the documents come in (default), or as they are finished",
    )
    group.add_argument(
        "--status",
        metavar="OUT",
        help="instead of all this, print how far the run is that writes OUT, or wrote it; with "
        "INPUT, what is left of that",
    )


def check_output(arguments: argparse.Namespace, read: Iterable[str | Path | None]) -> None:
    """Refuse an output that would overwrite something, and flags that do not go together.

    Args:
        arguments: as parsed.
        read: the files that the run reads, standard input as ``-``.

    Raises:
        UsageError: with the remedy.
    """
    target = arguments.output
    if arguments.keep_errors and not arguments.resume:
        raise UsageError("--keep-errors does nothing without --resume")
    if arguments.show is not None and not is_stream(target):
        raise UsageError("--show is for standard output; a file is a table if its name says so")
    if is_stream(target):
        for flag, given in (("--resume", arguments.resume), ("--overwrite", arguments.overwrite)):
            if given:
                raise UsageError(f"{flag} needs a file to go on with: -o OUT")
        return
    path = Path(target)
    if not path.parent.is_dir():
        raise UsageError(
            f"{target}: there is no folder {path.parent}: make it, or name another output"
        )
    if path.suffix.lower() in _OTHER_FORMS:
        raise UsageError(
            f"{target}: {path.suffix} files are not written: name a .jsonl, .csv, .tsv or .parquet "
            "file"
        )
    if is_table(target):
        try:
            check_writable(path)
        except InputError as error:
            raise UsageError(str(error)) from error
        lines = lines_path(path)
        if os.path.exists(target) and not arguments.overwrite and not lines.exists():
            raise UsageError(
                f"{target} is there already: replace it (--overwrite), or name another"
            )
    names = [name for name in written_files(target) if name.exists()]
    for source in read:
        for name in names:
            if source is not None and same_file(name, source):
                shown = "the input (standard input)" if str(source) == "-" else source
                raise UsageError(f"{name} is read in this run ({shown}): name another output")


def check_new(target: str | None) -> None:
    """Refuse to replace a file.

    Raises:
        UsageError: there is one, with something in it.
    """
    if not is_stream(target) and os.path.exists(str(target)) and os.path.getsize(str(target)):
        raise UsageError(f"{target} is there already: name another output, or remove it")


def written_files(target: str | None) -> tuple[Path, ...]:
    """The files that a run may write, which it must not read."""
    if is_stream(target):
        return ()
    lines = lines_of(str(target))
    made = (Path(str(target)), Path(f"{target}.new"))
    return (*dict.fromkeys((*made, lines, Path(f"{lines}.new"), journal_path(lines))),)


def lines_of(target: str) -> Path:
    """The lines of a run: the output itself, or those from which its table is made."""
    path = Path(target)
    return lines_path(path) if is_table(path) else path


def shows_table(arguments: argparse.Namespace) -> bool:
    """Whether results go to standard output as a table for people."""
    if arguments.show is not None:
        return bool(arguments.show == "table")
    return arguments.output is None and sys.stdout.isatty()


def open_writer(
    arguments: argparse.Namespace,
    schemas: Schema | Mapping[str, Schema],
    settings: Mapping[str, Any],
    model: Path,
) -> Writer:
    """The writer that the arguments name.

    Raises:
        InputError: the output cannot be written, or must not be.
    """
    target = arguments.output
    if is_stream(target):
        name = None if target in _STANDARD_OUTPUT else target
        shown = None
        if shows_table(arguments):
            from hpd.cli.terminal import ResultTable

            shown = ResultTable(schemas)
        return StreamWriter(name, order=arguments.order, shown=shown)
    return FileWriter(
        lines_of(target),
        settings,
        order=arguments.order,
        resume=arguments.resume,
        overwrite=arguments.overwrite,
        keep_errors=arguments.keep_errors,
        about=_about(arguments, model),
    )


def _about(arguments: argparse.Namespace, model: Path) -> dict[str, Any]:
    """The names of what a run reads, with which ``--status`` tells how much is left."""
    return {
        "input": [name if name == "-" else os.path.abspath(name) for name in arguments.input],
        "format": arguments.format,
        "limit": arguments.limit,
        "schema": arguments.schema,
        "model": str(model),
    }


def output_name(target: str | None) -> str:
    """The name of an output for people."""
    return "standard output" if target in _STANDARD_OUTPUT else str(target)


def is_stream(target: str | None) -> bool:
    """Whether an output is standard output, a device or a pipe: nothing can be resumed there."""
    if target in _STANDARD_OUTPUT:
        return True
    try:
        mode = os.stat(str(target)).st_mode
    except OSError:
        return False
    if stat.S_ISDIR(mode):
        raise UsageError(f"{target} is a folder: name a file")
    return not stat.S_ISREG(mode)


def run_settings(
    schemas: Schema | Mapping[str, Schema], model: Path, options: Options, examples: object
) -> dict[str, Any]:
    """All that decides the values of a run, by name, as fingerprints."""
    decoding = values_identity(options)
    if options.calibration not in ("", NO_MAP):
        decoding["calibration"] = file_fingerprint(options.calibration)
    if options.instructions:
        decoding["instructions"] = text_fingerprint(options.instructions)
    del decoding["loras"]
    adapters = [(file_fingerprint(local_lora(path)), scale) for path, scale in options.loras]
    return {
        "schema": text_fingerprint(repr(schemas)),
        "model": file_fingerprint(model),
        "adapters": text_fingerprint(repr(adapters)),
        "prompt": text_fingerprint(repr((SYSTEM, STACK_RULE, examples))),
        **{f"option {_setting(name)}": value for name, value in decoding.items()},
    }


def _setting(name: str) -> str:
    return OPTIONS[name].flag if OPTIONS[name].flags else name


def same_file(one: Path, other: str | Path) -> bool:
    """Whether two paths lead to one file that is there; ``-`` is standard input."""
    try:
        here = os.stat(one)
        there = os.fstat(sys.stdin.fileno()) if str(other) == "-" else os.stat(other)
    except (OSError, ValueError):
        return False
    return os.path.samestat(here, there)


# --- how far it is (--status) ---


def print_status(arguments: argparse.Namespace) -> int:
    """Print the status of an output, and of the one that is to replace it, if there is one.

    Returns the exit code: 3 if documents have failed, 1 if the output cannot be resumed.

    Raises:
        UsageError: hpd wrote no such output, or an argument has nothing to do here.
    """
    _refuse_others(arguments)
    output = lines_of(arguments.status)
    new = output.with_name(output.name + ".new")
    paths = [path for path in (output, new) if journal_path(path).exists()]
    try:
        # Without any journal, the error names the one that is missing.
        statuses = [read_status(path) for path in paths or [output]]
    except InputError as error:
        raise UsageError(str(error)) from error
    print("\n\n".join(_shown(status, arguments) for status in statuses))
    if any(status.n_missing for status in statuses):
        return EXIT_FAILED
    return EXIT_SOME_FAILED if any(status.failures for status in statuses) else EXIT_OK


def _refuse_others(arguments: argparse.Namespace) -> None:
    for name, unsaid in arguments.unsaid.items():
        if name not in _HONOURED and getattr(arguments, name) != unsaid:
            raise UsageError(f"{said_as(name)} does nothing with --status")


def _shown(status: RunStatus, arguments: argparse.Namespace) -> str:
    n_total, why_unknown = _n_documents(status, arguments)
    rows = [["output", str(status.path)], ["state", _state(status, n_total)]]
    done = f"{status.n_finished} documents"
    if n_total is not None:
        share = status.n_finished / n_total if n_total else 1
        done = f"{status.n_finished} of {n_total} documents ({share:.0%})"
    rows.append(["done", done])
    if status.n_waiting:
        rows.append(["waiting", f"{status.n_waiting} of these, for the lines before theirs"])
    if status.failures:
        kinds = ", ".join(f"{kind} {n}" for kind, n in sorted(status.failures.items()))
        rows.append(["failed", f"{status.failures.total()} of these: {kinds}"])
    rows += ([name, text] for name, text in _value_rows(status))
    left = why_unknown if n_total is None else f"{max(0, n_total - status.n_finished)} documents"
    rows.append(["left", left])
    rows.append(["journal", _journal_state(status)])
    rows += ([name, text] for name, text in _names(status))
    rows.append(["settings", ""])
    rows += ([f"  {name}", str(value)] for name, value in status.head.settings.items())
    return table(rows, n_left=2)


def _value_rows(status: RunStatus) -> Iterator[tuple[str, str]]:
    """The share of nulls and the near ties among the values that are written."""
    counts = count_values(status.path)
    if counts.n_values:
        share = counts.n_nulls / counts.n_values
        yield "values", f"{counts.n_values}, of which {share:.0%} are null"
    if counts.n_near_ties:
        said = "the next best word was nearly as likely, so another run may give another value"
        yield "near ties", f"{counts.n_near_ties} (near_tie): {said}"


def _state(status: RunStatus, n_total: int | None) -> str:
    if status.is_running:
        return "a process is writing it"
    if n_total is not None and status.n_finished >= n_total:
        failed = "; --resume does again what has failed" if status.failures else ""
        return f"complete{failed}"
    return "no process is writing it" + (
        "" if n_total is None else "; the same command with --resume does the rest"
    )


def _journal_state(status: RunStatus) -> str:
    name = journal_path(status.path).name
    if status.n_missing:
        return (
            f"{name} knows of {status.n_missing} bytes more than the output has: lines were taken "
            "away, so start anew (--overwrite)"
        )
    if status.n_surplus and not status.is_running:
        return f"{name}; --resume cuts {status.n_surplus} bytes of an unfinished line off"
    return f"{name}, in accord with the output"


def _names(status: RunStatus) -> Iterator[tuple[str, str]]:
    for name in ("input", "schema", "model"):
        value = status.head.about.get(name)
        if value is not None:
            shown = ", ".join(value) if isinstance(value, list) else str(value)
            yield name, " ".join(shown.split())


def _n_documents(status: RunStatus, arguments: argparse.Namespace) -> tuple[int | None, str]:
    """The number of documents of the input, or the reason why it is not known."""
    about = status.head.about
    given = bool(arguments.input)
    names = arguments.input if given else about.get("input")
    limit = arguments.limit if given else about.get("limit")
    if not isinstance(names, list) or "-" in names:
        return None, "not known: the input was a stream"
    settings = vars(arguments) if given else about
    shard = status.head.settings.get("--shard")
    try:
        with InputReader(
            names,
            format=settings.get("format"),
            leave_out=written_files(str(status.path)),
            shard=None if shard is None else parse_shard(str(shard)),
        ) as reader:
            n = reader.count()
    except (InputError, KeyError, OSError) as error:
        return None, f"not known: {error}"
    if n is None:
        return None, "not known: the input is compressed, or no file any more"
    return (min(n, limit) if isinstance(limit, int) else n), ""


@dataclass(slots=True)
class ValueCounts:
    """Numbers of values in the lines that have any."""

    n_values: int = 0
    n_nulls: int = 0
    n_near_ties: int = 0

    def add(self, line: bytes) -> None:
        """Count the values of a line; one that cannot be read has none."""
        try:
            row = json.loads(line)
            data, fields = row.get("data"), row.get("fields") or {}
            n_near_ties = sum(bool(field.get("near_tie")) for field in fields.values())
        except (ValueError, AttributeError, RecursionError):
            return
        if data is None:
            return
        self.n_values += len(fields)
        self.n_nulls += sum(_is_null(data, path) for path in fields)
        self.n_near_ties += n_near_ties


def count_values(path: Path) -> ValueCounts:
    """The counts of a whole file; the beginning of a line, as a killed process leaves it, is none.

    Raises:
        OSError: it cannot be read.
    """
    counts = ValueCounts()
    with open(path, "rb") as file:
        for line in file:
            counts.add(line)
    return counts


def _is_null(data: Any, path: str) -> bool:
    """Whether the value at a dotted path (``maker.city``, ``tags[1]``) is null, or within one."""
    while path and data is not None:
        if isinstance(data, list):
            index, _, path = path.removeprefix("[").partition("]")
            if not index.isdecimal() or int(index) >= len(data):
                return True
            data = data[int(index)]
        elif isinstance(data, dict):
            # A name may have dots in it, so the longest one that fits is taken.
            names = [name for name in data if re.match(rf"{re.escape(name)}(?:[.\[]|$)", path)]
            if not names:
                return True
            name = max(names, key=len)
            data, path = data[name], path[len(name) :]
        else:
            return False
        path = path.removeprefix(".")
    return data is None
