"""``hpd extract``: documents in, one line of JSON a document out."""

from __future__ import annotations

import argparse
import itertools
import os
import sys
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from tqdm import tqdm

from hpd.cli.common import (
    EXIT_INTERRUPTED,
    EXIT_OK,
    EXIT_SOME_FAILED,
    UsageError,
    before_the_model,
    in_words,
    say,
)
from hpd.cli.extract_arguments import EPILOG, add_arguments
from hpd.cli.option_arguments import options_of
from hpd.cli.preview import report
from hpd.documents import Document
from hpd.errors import InputError
from hpd.pipeline.methods import check_method
from hpd.records import (
    Record,
    RecordReader,
    RecordWriter,
    count_records,
    error_line,
)
from hpd.schema import load_schemas
from hpd.schema.attributes import Schema

if TYPE_CHECKING:
    from hpd.extractor import Extractor
    from hpd.options import Options

Examples = list[tuple[str, object]] | dict[str, list[tuple[str, object]]]

_DESCRIPTION = """\
Extract the values of a schema's attributes from every document of INPUT. One line of JSON is
written for each document, in the order of the input, as soon as it is known.
"""


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "extract",
        help="extract values from documents",
        usage="%(prog)s INPUT --schema S [-o OUT] [options]",
        description=_DESCRIPTION,
        epilog=EPILOG,
    )
    parser.set_defaults(run=run)
    add_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    """Extract, and write as it comes."""
    schemas = load_schemas(arguments.schema)
    options = options_of(arguments)
    check_method(options, schemas)
    _check(arguments, schemas)
    with before_the_model():
        examples = _examples(arguments, schemas)
        reader = RecordReader(
            arguments.input,
            format=arguments.format,
            text_field=arguments.text_field,
            id_field=arguments.id_field,
            category_field=arguments.category_field,
        )
    with reader:
        if arguments.dry_run:
            return _dry_run(arguments, schemas, options, examples, reader)
        with before_the_model():
            records = itertools.islice(_peeked(reader), arguments.limit)
            writer = RecordWriter(arguments.output, resume=arguments.resume)
        with writer:
            job = _Job(schemas, writer)
            todo = writer.pending(records)
            first = next(todo, None)
            try:
                if first is not None:
                    from hpd.extractor import Extractor

                    with (
                        Extractor(
                            schemas,
                            arguments.model,
                            hf=arguments.hf,
                            options=options,
                            examples=examples,
                        ) as extractor,
                        _progress_bar(arguments, options, writer.n_kept) as bar,
                    ):
                        if options.verbose:
                            _say_tuned(extractor.tuned)
                        job.run(extractor, itertools.chain([first], todo), bar)
            except KeyboardInterrupt:
                job.say_interrupted()
                return EXIT_INTERRUPTED
    return job.finish(quiet=options.quiet)


class _Job:
    """Records through an extractor into a writer, in their order, those that failed included."""

    def __init__(self, schemas: Schema | Mapping[str, Schema], writer: RecordWriter) -> None:
        self._n_written = 0
        self._n_failed = 0
        self._schemas = schemas
        self._writer = writer
        # Of every record that was read and is not written yet: its failure, or None if it is
        # with the extractor.
        self._upcoming: deque[dict[str, Any] | None] = deque()
        self._bar: tqdm[Any] | None = None

    def run(self, extractor: Extractor, records: Iterable[Record], bar: tqdm[Any]) -> None:
        """Write a line for each record."""
        self._bar = bar
        for extraction in extractor.extract_many(self._documents(records), on_error="record"):
            self._upcoming.popleft()
            self._write(extraction.to_json(), failed=extraction.error is not None)
            self._write_failures()

    def finish(self, *, quiet: bool) -> int:
        """Say how it went, and return the exit code."""
        if not self._n_failed:
            return EXIT_OK
        if not quiet:
            say(f"{self._n_failed} of {self._n_written} documents failed: their lines say why")
        return EXIT_SOME_FAILED

    def say_interrupted(self) -> None:
        """Say what there is so far, and how to go on."""
        to_file = self._writer.path is not None
        how = "; the same command with --resume does the rest" if to_file else ""
        say(f"interrupted: {self._writer.n_kept + self._n_written} documents are written{how}")

    def _documents(self, records: Iterable[Record]) -> Iterator[Document]:
        for record in records:
            error = record.error or self._unknown_category(record)
            self._upcoming.append(error_line(record.id, error) if error else None)
            if error is None:
                yield Document(record.text, record.id, record.category)
            else:
                # Writes at once if nothing before it is still with the extractor, so that
                # failures alone never pile up.
                self._write_failures()

    def _unknown_category(self, record: Record) -> InputError | None:
        if isinstance(self._schemas, Schema) or record.category in self._schemas:
            return None
        known = ", ".join(list(self._schemas)[:10]) + (", ..." if len(self._schemas) > 10 else "")
        return InputError(
            f"line {record.line}: there is no schema for the category {record.category!r}, "
            f"only for: {known}"
        )

    def _write_failures(self) -> None:
        while self._upcoming and (failure := self._upcoming[0]) is not None:
            self._upcoming.popleft()
            self._write(failure, failed=True)

    def _write(self, line: str | Mapping[str, Any], *, failed: bool) -> None:
        self._writer.write(line)
        self._n_written += 1
        self._n_failed += failed
        if self._bar is not None:
            if failed:
                self._bar.set_postfix(failed=self._n_failed, refresh=False)
            self._bar.update()


def _check(arguments: argparse.Namespace, schemas: Schema | Mapping[str, Schema]) -> None:
    if not isinstance(schemas, Schema) and arguments.category_field is None:
        raise UsageError(
            "the schema is one per category: name the field that has it, with --category-field"
        )
    if arguments.output in (None, "-"):
        if arguments.resume:
            raise UsageError("--resume needs a file to go on with: -o OUT")
    elif _same_file(arguments.output, arguments.input):
        raise UsageError(f"{arguments.output} is INPUT, and would be overwritten")


def _say_tuned(tuned: Mapping[str, int]) -> None:
    if tuned:
        say(f"as hpd tune found: {in_words(tuned)}; HPD_TUNED=0 leaves that out")


def _same_file(one: str, other: str) -> bool:
    return os.path.exists(one) and os.path.exists(other) and os.path.samefile(one, other)


def _dry_run(
    arguments: argparse.Namespace,
    schemas: Schema | Mapping[str, Schema],
    options: Options,
    examples: Examples,
    reader: RecordReader,
) -> int:
    """Print the prompt of the first documents that belong together."""
    with before_the_model():
        n_shown = min(options.stack, sys.maxsize if arguments.limit is None else arguments.limit)
        records = list(itertools.islice(reader, n_shown))
        failed = next((record.error for record in records if record.error is not None), None)
        if failed is not None:
            raise failed
        if not records:
            raise UsageError(f"{arguments.input} holds no document")
        category = records[0].category
        records = [record for record in records if record.category == category]
        schema = schemas if isinstance(schemas, Schema) else schemas.get(str(category))
        if schema is None:
            raise UsageError(f"there is no schema for the category {category!r}")

    from hpd.pipeline.pipeline import examples_of
    from hpd.pipeline.preview import context_size, open_vocabulary, preview

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


def _peeked(reader: RecordReader) -> Iterator[Record]:
    """All records; the first is read now, and tells whether the file is what it should be."""
    first = next(reader, None)
    return iter(()) if first is None else itertools.chain([first], reader)


def _progress_bar(arguments: argparse.Namespace, options: Options, n_kept: int) -> tqdm[Any]:
    """Documents done, their rate and the time left; on a terminal only."""
    shown = not options.quiet and sys.stderr.isatty()
    total = count_records(arguments.input, arguments.format) if shown else None
    if total is not None and arguments.limit is not None:
        total = min(total, arguments.limit)
    return tqdm(total=total, initial=n_kept, unit="doc", file=sys.stderr, disable=not shown)
