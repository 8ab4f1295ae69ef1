"""``hpd extract``: documents in, one line of JSON a document out."""

from __future__ import annotations

import argparse
import functools
import itertools
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import nullcontext, redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tqdm import tqdm

from hpd.cli.arguments import Parser, flag_of
from hpd.cli.common import (
    EXIT_OK,
    UsageError,
    before_the_model,
    in_words,
    need_extra,
    say,
)
from hpd.cli.extract_arguments import EPILOG, add_arguments, check_required
from hpd.cli.fitness import Fitness
from hpd.cli.jobs import job_defaults
from hpd.cli.option_arguments import options_of, say_without_effect
from hpd.cli.output_arguments import (
    check_output,
    is_stream,
    open_writer,
    output_name,
    run_settings,
    shows_table,
    written_files,
)
from hpd.cli.preview import report
from hpd.cli.read_ahead import ReadAhead
from hpd.cli.status import print_status
from hpd.cli.writing import Writing
from hpd.documents import NotYet
from hpd.errors import HpdError, InputError
from hpd.files import InputReader, Record, RecordReader, Writer, kept_columns, skipped_text
from hpd.files.tables import is_table, keeps_input, lines_path, write_table
from hpd.models.hardware import computing_place
from hpd.models.model_files import is_box, resolve_model
from hpd.pipeline import check_method
from hpd.schema import load_schemas
from hpd.schema.attributes import Schema
from hpd.values.confidence import NO_MAP, asked_map

if TYPE_CHECKING:
    from hpd.extractor import Extractor
    from hpd.options import Options
    from hpd.ray.workers import RayExtractor

Examples = list[tuple[str, object]] | dict[str, list[tuple[str, object]]]

_DESCRIPTION = """\
Extract the values of a schema's attributes from every document of INPUT. One line of JSON is
written for each document, in the order of the input, as soon as it is known. Ctrl-C, SIGTERM
and SIGHUP finish what is in flight; the second one stops at once.
"""


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "extract",
        help="extract values from documents",
        usage="%(prog)s INPUT... --schema S [-o OUT] [options]\n"
        "       %(prog)s --job NAME [options]\n"
        "       %(prog)s --status OUT [INPUT...]",
        description=_DESCRIPTION,
        epilog=EPILOG,
    )
    add_arguments(parser)
    parser.set_defaults(run=run, unsaid=vars(parser.parse_args([])), job_file=None)
    assert isinstance(parser, Parser)
    parser.more_defaults = functools.partial(job_defaults, parser)


def run(arguments: argparse.Namespace) -> int:
    """Extract, and write as it comes."""
    if arguments.status is not None:
        return print_status(arguments)
    check_required(arguments)
    if arguments.job_file is not None and not arguments.quiet:
        say(f"job {arguments.job} of {arguments.job_file}")
    schemas = load_schemas(arguments.schema)
    options = options_of(arguments)
    check_method(options, schemas)
    _check(arguments, schemas, options)
    asked_map(options.calibration)  # A file that cannot be read is refused at once.
    with before_the_model():
        examples = _examples(arguments, schemas)
        reader = InputReader(
            arguments.input,
            format=arguments.format,
            per_line=arguments.per_line,
            text_field=arguments.text_field,
            id_field=arguments.id_field,
            category_field=arguments.category_field,
            encoding=arguments.encoding,
            delimiter=arguments.delimiter,
            leave_out=written_files(arguments.output),
            shard=arguments.shard,
        )
    with reader:
        if reader.files.skipped and not options.quiet:
            say(skipped_text(reader.files.skipped))
        if arguments.dry_run:
            return _dry_run(arguments, schemas, options, examples, reader)
        with before_the_model():
            records = itertools.islice(_peeked(reader), arguments.limit)
        model = resolve_model(arguments.model, arguments.hf, progress=not options.quiet)
        _check_reads(arguments, reader.files.paths, options, model)
        with before_the_model():
            settings = run_settings(schemas, model, options, examples)
            settings["--with-text"] = arguments.with_text
            settings["--keep"] = arguments.keep
            settings["--shard"] = None if arguments.shard is None else str(arguments.shard)
            writer = open_writer(arguments, schemas, settings, model)
        output, can_resume = output_name(arguments.output), not is_stream(arguments.output)
        columns = added_columns(reader, arguments)
        fitness = Fitness() if is_box(model) else None
        writing = Writing(
            schemas,
            writer,
            output,
            columns,
            can_resume=can_resume,
            quiet=options.quiet,
            fitness=fitness,
        )
        with writing.to_the_end():
            for repair in writer.repairs:
                say(f"{output}: {repair}")
            _extract(arguments, schemas, options, examples, model, reader, writer, writing, records)
        if writing.stopped is not None:
            return writing.stopped
        for unread in reader.unread:
            say(f"{unread} (the line that says so is in another shard)")
        repeated = reader.repeated_ids.notice()
        if repeated is not None and not options.quiet:
            say(repeated)
        for note in reader.note_texts():
            say(note)
    if can_resume and is_table(output):
        _write_table(Path(output), schemas, writing, reader.types)
    return writing.finish()


def _extract(
    arguments: argparse.Namespace,
    schemas: Schema | Mapping[str, Schema],
    options: Options,
    examples: Examples,
    model: Path,
    reader: InputReader,
    writer: Writer,
    writing: Writing,
    records: Iterator[Record],
) -> None:
    """Do what is to be done; a model is loaded only if there is anything."""
    with before_the_model():
        pending = writer.pending(records)
        first = next(pending, None)
    if first is None:
        return
    todo: Iterator[tuple[int, Record] | NotYet] = itertools.chain([first], pending)
    if reader.is_live:
        todo = ReadAhead(todo)
    with (
        # The writer has standard output already; Ray prints there what becomes of its workers.
        redirect_stdout(sys.stderr) if arguments.ray is not None else nullcontext(),
        _opened_extractor(arguments, schemas, options, examples, model) as extractor,
        _progress_bar(arguments, options, reader, writer.n_kept) as bar,
    ):
        if arguments.ray is not None:
            writing.run(extractor, todo, bar)
            return
        say_without_effect(options)
        if not bar.disable:
            say(f"{model.name} on {computing_place(options.n_gpu_layers)}")
        if options.verbose:
            _say_tuned(extractor.tuned)
        writing.run(extractor, todo, bar)


def _opened_extractor(
    arguments: argparse.Namespace,
    schemas: Schema | Mapping[str, Schema],
    options: Options,
    examples: Examples,
    model: Path,
) -> Extractor[Any] | RayExtractor:
    """The loaded model, in this process or in the workers of a cluster."""
    if arguments.ray is not None:
        from hpd.ray.workers import RayExtractor

        return RayExtractor(
            schemas,
            arguments.model,
            hf=arguments.hf,
            path=model,
            options=options,
            examples=examples,
            address=arguments.ray or None,
            n_workers=arguments.ray_workers,
            n_gpus=arguments.ray_gpus,
            say=say,
        )
    from hpd.extractor import Extractor

    return Extractor(schemas, model, options=options, examples=examples)


def added_columns(
    reader: InputReader, arguments: argparse.Namespace
) -> Callable[[Record], Mapping[str, Any]]:
    """The parts that a record adds to the line of its extraction."""
    keeps_all = arguments.keep is None and keeps_input(arguments.output or "")
    kept: list[str] | None = arguments.keep

    def columns(record: Record) -> Mapping[str, Any]:
        added = reader.source(record)
        if arguments.with_text:
            added |= reader.columns(record)
        if keeps_all or kept:
            added["input"] = kept_columns(record, kept)
        return added

    return columns


def _write_table(
    table: Path, schemas: Schema | Mapping[str, Schema], writing: Writing, types: Mapping[str, Any]
) -> None:
    """Make the table of what is finished, unless an older one is still to be replaced."""
    lines = lines_path(table)
    if not writing.is_complete and not lines.exists():
        return
    try:
        write_table(lines, table, schemas, types)
    except OSError as error:
        raise HpdError(
            f"{table} cannot be written: {error.strerror or error}; {writing.n_safe} documents are "
            f"safe in {lines}, and the same command with --resume makes the table"
        ) from error


def _check_reads(
    arguments: argparse.Namespace, inputs: Sequence[str], options: Options, model: Path
) -> None:
    """Refuse to overwrite anything that this run reads."""
    schema = arguments.schema if os.path.exists(arguments.schema) else None
    adapters = [path for path, _ in options.loras]
    calibration = None if options.calibration in ("", NO_MAP) else options.calibration
    read = [*inputs, schema, arguments.examples, model, options.draft_model or None, calibration]
    check_output(arguments, [*read, *adapters])


def _check(
    arguments: argparse.Namespace, schemas: Schema | Mapping[str, Schema], options: Options
) -> None:
    if not isinstance(schemas, Schema) and arguments.category_field is None:
        raise UsageError(
            "the schema is one per category: name the field that has it, with --category-field"
        )
    check_output(arguments, [])
    if arguments.ray is not None:
        need_extra("hpd extract --ray", "ray", ("ray",))
        if options.deterministic and not options.n_threads:
            raise UsageError(
                "--deterministic with --ray needs --threads: numbers are rounded in another way "
                "where other workers have more of them"
            )
        return
    for name in ("ray_workers", "ray_gpus"):
        if getattr(arguments, name) is not None:
            raise UsageError(f"{flag_of(name)} does nothing without --ray")


def _say_tuned(tuned: Mapping[str, int]) -> None:
    if tuned:
        say(f"as hpd tune found: {in_words(tuned)}; HPD_TUNED=0 leaves that out")


def _dry_run(
    arguments: argparse.Namespace,
    schemas: Schema | Mapping[str, Schema],
    options: Options,
    examples: Examples,
    reader: InputReader,
) -> int:
    """Print the prompt of the first documents that belong together."""
    with before_the_model():
        n_shown = min(options.stack, sys.maxsize if arguments.limit is None else arguments.limit)
        records = list(itertools.islice(reader, n_shown))
        failed = next((record.error for record in records if record.error is not None), None)
        if failed is not None:
            raise failed
        if not records:
            raise UsageError(f"{', '.join(arguments.input)}: there is no document")
        category = records[0].category
        records = [record for record in records if record.category == category]
        schema = schemas if isinstance(schemas, Schema) else schemas.get(str(category))
        if schema is None:
            raise UsageError(f"there is no schema for the category {category!r}")

    from hpd import _native
    from hpd.pipeline import examples_of
    from hpd.pipeline.pipeline import context_size, open_vocabulary, preview

    _native.echo_log(options.verbose)
    model = open_vocabulary(arguments.model, arguments.hf, progress=not options.quiet)
    shown = preview(
        model,
        schema,
        [record.text for record in records],
        options,
        examples_of(examples, category),
    )
    print(report(shown, context_size(model, options)))
    return EXIT_OK


def _examples(arguments: argparse.Namespace, schemas: Schema | Mapping[str, Schema]) -> Examples:
    """Documents and their answers, for the prompt; by category, if the schema is."""
    path = arguments.examples
    examples: dict[str, list[tuple[str, object]]] = {}
    if path is None:
        return []
    category_field = None if isinstance(schemas, Schema) else arguments.category_field
    with RecordReader(path, category_field=category_field) as reader:
        for record in reader:
            if record.error is not None:
                raise record.error
            if not isinstance(record.raw.get("data"), Mapping):
                raise InputError(f"{path}:{record.line}: an example needs its answer in 'data'")
            if not isinstance(schemas, Schema) and record.category not in schemas:
                raise InputError(
                    f"{path}:{record.line}: there is no schema for the category {record.category!r}"
                )
            category = "" if isinstance(schemas, Schema) else str(record.category)
            examples.setdefault(category, []).append((record.text, record.raw["data"]))
    return examples.get("", []) if isinstance(schemas, Schema) else examples


def _peeked(reader: InputReader) -> Iterator[Record]:
    """All records; the first is read now, and tells whether the file is what it should be."""
    first = next(reader, None)
    return iter(()) if first is None else itertools.chain([first], reader)


def _progress_bar(
    arguments: argparse.Namespace, options: Options, reader: InputReader, n_kept: int
) -> tqdm[Any]:
    """Documents done, their rate and the time left; on a terminal only."""
    # A bar would run through the rows of a table on the same terminal.
    shown = not options.quiet and sys.stderr.isatty() and not shows_table(arguments)
    total = reader.count() if shown else None
    if total is not None and arguments.limit is not None:
        total = min(total, arguments.limit)
    return tqdm(total=total, initial=n_kept, unit="doc", file=sys.stderr, disable=not shown)
