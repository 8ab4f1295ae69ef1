"""``hpd extract``: reads documents and writes a line of JSON for each."""

from __future__ import annotations

import argparse
import functools
import itertools
import os
import sys
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import nullcontext, redirect_stdout
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hpd.cli.arguments import (
    Parser,
    add_model_arguments,
    add_option_arguments,
    add_schema_argument,
    integer,
    parsed_options,
    say_ineffective_options,
)
from hpd.cli.common import UsageError, input_errors_as_usage, say, settings_text
from hpd.cli.inputs import (
    add_input_argument,
    add_reading_arguments,
    category_by_file,
    open_inputs,
    schemas_of_files,
)
from hpd.cli.jobs import add_job_arguments, job_defaults
from hpd.cli.output import (
    add_output_argument,
    add_output_arguments,
    check_not_read,
    check_output,
    check_outputs_per_document,
    is_stream,
    open_writer,
    output_name,
    run_settings,
    shows_table,
    written_files,
)
from hpd.cli.terminal import ExtractProgress
from hpd.cli.writing import ReadAhead, RunWriter
from hpd.documents import Document, NotYet
from hpd.errors import HpdError, InputError
from hpd.files.inputs import InputReader, Shard, parse_shard
from hpd.files.journal import journal_path, last_table
from hpd.files.reader import TEXT_FIELDS, RecordReader, plain_columns
from hpd.files.streams import fill_pattern, is_pattern, is_url, join_names
from hpd.files.tables import is_made_from_lines, keeps_input, lines_path, record_table, write_table
from hpd.files.writer import Writer
from hpd.messages import counted
from hpd.models.hardware import device_summary
from hpd.models.model_files import is_bundled
from hpd.pipeline.examples import ExamplesForm
from hpd.pipeline.plan import RunPlan, plan_run
from hpd.schema.schemas import Schemas
from hpd.values.confidence import NO_CALIBRATION

if TYPE_CHECKING:
    from hpd.options import Options


_RAY = "hpd.ray.commands"
"""The module for ``--ray``, loaded when the flag is given."""

_DESCRIPTION = """\
Extract the values of a schema's attributes from each document of INPUT, and write one line of JSON
per document, in input order, as soon as it is ready. Ctrl-C, SIGTERM and SIGHUP finish the
documents in flight; a second signal stops at once.
"""

_EPILOG = textwrap.fill(
    "Records are read from .jsonl, .json, .csv, .tsv, .xlsx, .ods and .parquet; .txt, .md, .html, "
    ".xml, .eml, .msg, .pdf, .docx, .odt, .pptx and .epub are one document each, and their id is "
    "their path. All may be compressed (.gz, .zst). A record's text is the first of the fields "
    + ", ".join(" and ".join(names) for names in TEXT_FIELDS)
    + "; a table row is a document of all its columns, unless those beside its text are ids, "
    "labels and the like. Its id is the field id, or its number. hpd text shows what a model will "
    "see. On several machines: hpd extract --ray --help.",
    width=100,
)


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "extract",
        usage="%(prog)s INPUT... --schema S [-o OUT] [options]\n"
        "       %(prog)s --job NAME [options]",
        description=_DESCRIPTION,
        epilog=_EPILOG,
    )
    assert isinstance(parser, Parser)
    add_input_argument(parser, required=False)
    add_schema_argument(parser, required=False)
    add_model_arguments(parser)
    add_output_argument(parser)
    add_option_arguments(parser, with_model=False)
    _add_input(parser.add_argument_group("input"))
    _add_output(parser.add_argument_group("output"))
    add_job_arguments(parser)
    parser.set_defaults(ray=None, remote_files=())
    parser.set_defaults(run=run, job_file=None)
    parser.lazy_modules = {"--ray": _RAY}
    parser.more_defaults = functools.partial(job_defaults, parser)


def run(arguments: argparse.Namespace) -> int:
    """Extract, and write results as they are finished."""
    if is_url(arguments.output or ""):
        from hpd.cli.remote_output import extract_to_remote

        return extract_to_remote(arguments, run)
    _check_required(arguments)
    if arguments.job_file is not None and not arguments.quiet:
        say(f"job {arguments.job} of {arguments.job_file}")
    leave_out = [*written_files(arguments.output), *arguments.remote_files]
    plan = _plan(arguments, leave_out)
    schemas, quiet = plan.task.schemas, plan.task.options.quiet
    with input_errors_as_usage():
        reader = open_inputs(
            arguments,
            leave_out=leave_out,
            category_of=category_by_file(arguments.schema, schemas),
            shard=arguments.shard,
            watch=arguments.watch,
        )
    with reader:
        for notice in () if quiet else reader.files.notices():
            say(notice)
        if arguments.dry_run:
            from hpd.cli.dry_run import print_prompt

            return print_prompt(arguments, plan, reader)
        with input_errors_as_usage():
            found = reader if arguments.watch else _read_first(reader)
            records = itertools.islice(found, arguments.limit)
        _check_reads(arguments, plan, reader.files.paths)
        with input_errors_as_usage():
            settings = run_settings(plan)
            settings["--with-text"] = arguments.with_text
            settings["--keep"] = arguments.keep
            settings["--shard"] = None if arguments.shard is None else str(arguments.shard)
            writer = open_writer(arguments, plan, settings)
        output, can_resume = output_name(arguments.output), not is_stream(arguments.output)
        columns = added_columns(reader, arguments)
        writing = RunWriter(
            schemas,
            writer,
            output,
            columns,
            can_resume=can_resume,
            quiet=quiet,
            ends_by_signal=arguments.watch,
        )
        with writing.closing_writer():
            for repair in writer.repairs:
                say(f"{output}: {repair}")
            _extract(arguments, plan, reader, writer, writing, records)
        if writing.stopped is not None:
            return writing.stopped
        for unread in reader.unread:
            say(f"{unread} (its error line is in another shard)")
        # In a watched folder, a file that changed has the id of its earlier version.
        repeated = None if arguments.watch else reader.repeated_ids.notice()
        if repeated is not None and not quiet:
            say(repeated)
        absent = [name for name in arguments.keep or () if name not in reader.found_columns]
        if absent and not quiet:
            say(f"--keep: no document has {join_names(absent)}")
        for note in (*(f"{output}: {note}" for note in writer.notes), *reader.note_texts()):
            say(note)
    if can_resume and is_made_from_lines(output):
        _write_table(arguments, Path(output), schemas, writing, reader.types)
    return writing.finish()


def _extract(
    arguments: argparse.Namespace,
    plan: RunPlan,
    reader: InputReader,
    writer: Writer,
    writing: RunWriter,
    records: Iterator[Document],
) -> None:
    """Extract the remaining documents, loading a model only if there are or may be any."""
    pending = writer.pending(records)
    if not arguments.watch:
        with input_errors_as_usage():
            first = next(pending, None)
        if first is None:
            return
        pending = itertools.chain([first], pending)
    todo: Iterator[tuple[int, Document] | NotYet] = pending
    if reader.is_live:
        todo = ReadAhead(todo)
    with (
        # Ray prints messages to sys.stdout; the writer already holds the real standard output.
        redirect_stdout(sys.stderr) if arguments.ray is not None else nullcontext(),
        _open_extractor(arguments, plan) as extractor,
        _make_progress(arguments, plan, reader, writer.n_kept) as progress,
    ):
        if arguments.ray is None:
            _say_model(arguments, plan, is_shown=progress.shown, tuned=extractor.tuned)
        writing.run(extractor, todo, progress)


def _say_model(
    arguments: argparse.Namespace, plan: RunPlan, *, is_shown: bool, tuned: Mapping[str, int]
) -> None:
    """On a terminal, print the model, the device and tuned settings."""
    options = plan.task.options
    say_ineffective_options(options)
    on_terminal = shows_table(arguments) and sys.stderr.isatty()
    if is_shown or (on_terminal and not options.quiet):
        say(f"{_model_text(plan.model)} on {device_summary(options.n_gpu_layers)}")
    if options.verbose and tuned:
        say(f"found by hpd tune: {settings_text(tuned)}; HPD_TUNED=0 ignores it")


def _model_text(model: Path) -> str:
    """Return the model's name and, for the bundled one, how to choose a better one."""
    if is_bundled(model):
        return "the bundled model (larger ones know more: -m qwen3:4b; see hpd models)"
    return model.name


def _open_extractor(arguments: argparse.Namespace, plan: RunPlan) -> Any:
    """Load the model, in this process or in the workers of a cluster."""
    if arguments.ray is not None:
        return import_module(_RAY).open_extractor(arguments, plan)
    from hpd.extractor import Extractor

    return Extractor.from_plan(plan)


def added_columns(
    reader: InputReader, arguments: argparse.Namespace
) -> Callable[[Document], Mapping[str, Any]]:
    """Return a function that returns the columns a record adds to its output line."""
    keeps_all = arguments.keep is None and keeps_input(arguments.output or "")
    kept: list[str] | None = arguments.keep

    def columns(record: Document) -> Mapping[str, Any]:
        added = reader.source(record)
        if is_pattern(arguments.output or ""):
            added["source"] = record.source
        if arguments.with_text:
            added |= reader.columns(record)
        if keeps_all or kept:
            added["input"] = plain_columns(record, kept)
        return added

    return columns


def _write_table(
    arguments: argparse.Namespace,
    table: Path,
    schemas: Schemas,
    writing: RunWriter,
    types: Mapping[str, Any],
) -> None:
    """Write the table of finished documents, unless an interrupted run has no lines in place."""
    lines = lines_path(table)
    if not writing.is_complete and not lines.exists():
        return
    before = last_table(journal_path(lines))
    added = {
        "confidence": arguments.confidence or (before is not None and before.confidence),
        "places": arguments.places or (before is not None and before.places),
    }
    try:
        write_table(lines, table, schemas, types, **added, if_different=arguments.resume)
        if not is_pattern(str(table)):
            record_table(lines, table, **added)
    except OSError as error:
        raise HpdError(
            f"{table} cannot be written: {error.strerror or error}; "
            f"{counted(writing.n_safe, 'document', 'is')} safe in {lines}, and the "
            "same command with --resume makes the table"
        ) from error


def _check_reads(arguments: argparse.Namespace, plan: RunPlan, inputs: Sequence[str]) -> None:
    """Check that the run does not overwrite its inputs."""
    options = plan.task.options
    schema = arguments.schema if os.path.exists(arguments.schema) else None
    adapters = [path for path, _ in options.adapters]
    calibration = None if options.calibration in ("", NO_CALIBRATION) else options.calibration
    schema_files = (
        {fill_pattern(arguments.schema, path) for path in inputs}
        if is_pattern(arguments.schema)
        else ()
    )
    read = [
        *inputs,
        *schema_files,
        schema,
        arguments.examples,
        plan.model,
        options.draft_model or None,
        calibration,
    ]
    check_not_read(arguments.output, [*read, *adapters])
    check_outputs_per_document(arguments, inputs)


def _plan(arguments: argparse.Namespace, leave_out: Sequence[str | Path]) -> RunPlan:
    schemas = schemas_of_files(arguments, leave_out)
    options = parsed_options(arguments)
    _check(arguments, schemas, options)
    with input_errors_as_usage():
        examples = _read_examples(arguments, schemas)
    return plan_run(schemas, arguments.model, arguments.hf_repo, options, examples)


def _check(arguments: argparse.Namespace, schemas: Schemas, options: Options) -> None:
    if arguments.watch and arguments.dry_run:
        raise UsageError("--watch waits for files, and --dry-run shows the first: leave one out")
    if is_pattern(arguments.schema):
        for flag, value in (
            ("--category-field", arguments.category_field),
            ("--examples", arguments.examples),
            ("--watch", arguments.watch or None),
        ):
            if value is not None:
                raise UsageError(f"{flag} needs one schema, or one per category")
    elif schemas.single is None and arguments.category_field is None:
        raise UsageError(
            "there is a schema per category: name the field with the category (--category-field)"
        )
    if schemas.single is not None and arguments.category_field is not None:
        raise UsageError(
            "there is one schema for all documents, so --category-field has no effect; one per "
            'category is written {"shoes": ["brand", "size"], "tea": [...]}'
        )
    check_output(arguments)
    if "ray_workers" in arguments:  # the module of its arguments is loaded
        import_module(_RAY).check(arguments, options)


def _read_examples(
    arguments: argparse.Namespace, schemas: Schemas
) -> ExamplesForm | Mapping[str, ExamplesForm]:
    """Read the examples for the prompt: a dict by category if there is a schema per category."""
    path = arguments.examples
    examples: dict[str, list[tuple[str, object]]] = {}
    if path is None:
        return []
    category_field = arguments.category_field if schemas.single is None else None
    with RecordReader(path, category_field=category_field) as reader:
        for record in reader:
            if record.error is not None:
                raise record.error
            if not isinstance(record.row.get("data"), Mapping):
                raise InputError(f"{path}:{record.line}: an example needs its answer in 'data'")
            if record.category not in schemas:
                raise InputError(
                    f"{path}:{record.line}: there is no schema for the category {record.category!r}"
                )
            examples.setdefault(record.category or "", []).append((record.text, record.row["data"]))
    return examples if schemas.single is None else examples.get("", [])


def _read_first(reader: InputReader) -> Iterator[Document]:
    """Return all records; the first is read at once, so that a wrong file is found early."""
    first = next(reader, None)
    return iter(()) if first is None else itertools.chain([first], reader)


def _make_progress(
    arguments: argparse.Namespace, plan: RunPlan, reader: InputReader, n_kept: int
) -> ExtractProgress:
    # A progress bar would be mixed with the rows of a table on the same terminal.
    shown = not plan.task.options.quiet and sys.stderr.isatty() and not shows_table(arguments)
    total = reader.count() if shown else None
    if total is not None and arguments.limit is not None:
        total = min(total, arguments.limit)
    return ExtractProgress(total, n_kept, shown=shown)


def _check_required(arguments: argparse.Namespace) -> None:
    """Check arguments that are required, unless a job gives them.

    Raises:
        UsageError: some are missing.
    """
    given = {"INPUT": arguments.input, "--schema": arguments.schema}
    missing = [name for name, value in given.items() if value in (None, [])]
    if missing:
        raise UsageError(f"required: {', '.join(missing)} (see hpd extract --help)")


def _add_input(group: argparse._ArgumentGroup) -> None:
    add_reading_arguments(group)
    group.add_argument(
        "--watch",
        action="store_true",
        help="also extract new and changed files of INPUT as they arrive, until Ctrl-C or SIGTERM",
    )
    group.add_argument("--limit", metavar="N", type=integer(0), help="stop after N documents")
    group.add_argument(
        "--shard",
        metavar="I/N",
        type=_shard_argument,
        help="extract only the I-th of N equal parts of the documents, from 1/N to N/N",
    )
    group.add_argument(
        "--examples",
        metavar="FILE",
        help='documents with their answers ("data") to show in the prompt; '
        "with --category-field, only to documents of the same category",
    )


def _shard_argument(text: str) -> Shard:
    try:
        return parse_shard(text)
    except InputError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def _add_output(group: argparse._ArgumentGroup) -> None:
    add_output_arguments(group)
    group.add_argument(
        "--with-text",
        action="store_true",
        help='add the text of each document ("text") and the other columns of INPUT ("input") to '
        "its line, for hpd report and hpd compare",
    )
    group.add_argument(
        "--dry-run",
        action="store_true",
        help="only print the prompt of the first document (or stack) and its token counts; loads "
        "nothing but the vocabulary",
    )
