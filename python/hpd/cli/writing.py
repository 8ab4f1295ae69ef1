"""Records through an extractor into a writer, those that failed included."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any, Literal, Protocol

from tqdm import tqdm

from hpd.cli.common import EXIT_OK, EXIT_SOME_FAILED, say
from hpd.cli.fitness import Fitness
from hpd.cli.interrupts import Interrupts
from hpd.cli.summary import Summary
from hpd.documents import NOT_YET, Document, NotYet
from hpd.errors import HpdError, InputError
from hpd.files import Record, Writer, error_line, page_of
from hpd.results import Extraction
from hpd.schema.attributes import Schema


class Extracting(Protocol):
    """A local extractor, or one behind an endpoint."""

    def iter_placed(
        self,
        documents: Iterable[Document | NotYet],
        *,
        on_error: Literal["raise", "record"],
        on_chunk: Callable[[int, int, int], None],
    ) -> Iterator[tuple[int, Extraction[Any]]]:
        """The extraction of each document with its place, as soon as it is finished."""


class Writing:
    """One run: every record gets its line as soon as that is known.

    Args:
        schemas: one, or one for each category.
        writer: takes the lines, and knows the records that have one already.
        output: the name of the output for people.
        columns: what a record's own line adds to that of its extraction.
        can_resume: whether a later run can go on with the output.
        quiet: say nothing but that the run was interrupted.
        fitness: is told of all extractions, and at the end says what does not suit the model.
    """

    def __init__(
        self,
        schemas: Schema | Mapping[str, Schema],
        writer: Writer,
        output: str,
        columns: Callable[[Record], Mapping[str, Any]] | None = None,
        *,
        can_resume: bool = True,
        quiet: bool = False,
        fitness: Fitness | None = None,
    ) -> None:
        self._schemas = schemas
        self._writer = writer
        self._output = output
        self._can_resume = can_resume
        self._columns = columns
        self._fitness = fitness
        self._interrupts = Interrupts()
        self._summary = Summary()
        self._bar: tqdm[Any] | None = None
        self._quiet = quiet
        self._has_cut = False  # a document into chunks
        self.stopped: int | None = None
        """The exit code, if a second signal ended the run at once, with documents in flight."""

    @contextmanager
    def to_the_end(self) -> Iterator[None]:
        """The run: its writer is closed however it ends, and a signal ends it without an error.

        Raises:
            HpdError: the output cannot be written any more.
        """
        try:
            yield
        except KeyboardInterrupt:
            self._writer.close(complete=False)
            self.stopped = self._interrupts.exit_code
            self._say_interrupted()
        except BrokenPipeError:
            raise
        except OSError as error:
            with suppress(OSError):  # the same one again
                self._writer.close(complete=False)
            raise self._failed_write(error) from error
        except BaseException:
            self._writer.close(complete=False)
            raise
        else:
            self._writer.close(complete=self.is_complete)

    def run(
        self, extractor: Extracting, records: Iterable[tuple[int, Record] | NotYet], bar: tqdm[Any]
    ) -> None:
        """Write a line for each record.

        Ctrl-C, SIGTERM and SIGHUP end the reading of records; those in flight are still finished
        and written.
        """
        self._bar = bar
        start = time.perf_counter()
        # By the document's place among those that the extractor gets.
        given: dict[int, tuple[int, Record]] = {}
        with self._interrupts:
            documents = self._documents(records, given)
            for i, extraction in extractor.iter_placed(
                documents,
                on_error="record",
                on_chunk=lambda i, n_done, n: self._count_chunk(given[i][1], n_done, n),
            ):
                place, record = given.pop(i)
                self._summary.add_values(extraction, has_text=bool(record.text.strip()))
                if self._fitness is not None:
                    self._fitness.add(extraction)
                failed = None if extraction.error is None else extraction.error.type
                self._write(place, record, extraction.to_dict(), failed)
        self._summary.seconds = time.perf_counter() - start

    @property
    def is_complete(self) -> bool:
        """Whether every record has been read and written."""
        return not self._interrupts.is_stopping

    def finish(self) -> int:
        """Say how it went, and return the exit code."""
        if not self._quiet:
            kept = {"n_kept": self._writer.n_kept, "n_failed_kept": self._writer.n_failed_kept}
            say(self._summary.text(**kept))
            for notice in self._fitness.notices() if self._fitness is not None else ():
                say(notice)
        if not self.is_complete:
            self._say_interrupted()
            return self._interrupts.exit_code
        n_failed = self._summary.failures.total() + self._writer.n_failed_kept
        return EXIT_SOME_FAILED if n_failed else EXIT_OK

    def _say_interrupted(self) -> None:
        """Say what there is so far, and how to go on."""
        how = "; the same command with --resume does the rest" if self._can_resume else ""
        say(f"interrupted: {self.n_safe} documents are written{how}")

    def _failed_write(self, error: OSError) -> HpdError:
        """The error for an output that cannot be written any more."""
        reason = error.strerror or str(error)
        where = error.filename or self._output
        how = ", and the same command with --resume does the rest" if self._can_resume else ""
        return HpdError(
            f"{where} cannot be written: {reason}; {self.n_safe} documents are safe{how}"
        )

    @property
    def n_safe(self) -> int:
        """The number of documents whose lines are written, those of earlier runs included."""
        return self._writer.n_kept + self._summary.n_written

    def _documents(
        self, records: Iterable[tuple[int, Record] | NotYet], given: dict[int, tuple[int, Record]]
    ) -> Iterator[Document | NotYet]:
        n_given = 0
        for item in self._interrupts.until_interrupted(records):
            if item is NOT_YET:
                yield NOT_YET
                continue
            place, record = item
            error = record.error or self._unknown_category(record)
            if error is not None:
                line = error_line(record.id, error)
                self._write(place, record, line, type(error).__name__)
                continue
            given[n_given] = place, record
            n_given += 1
            yield Document(record.text, record.id, record.category)

    def _count_chunk(self, record: Record, n_done: int, n_chunks: int) -> None:
        """Let the bar count the chunks of a document; the last one comes with its line."""
        assert self._bar is not None
        if n_done == 0:
            if not self._has_cut and not self._quiet:
                counted = "" if self._bar.disable else "; from here on, the bar counts chunks"
                with tqdm.external_write_mode(file=sys.stderr):
                    say(f"{record.id} is cut into {n_chunks} chunks{counted}")
            self._has_cut = True
            self._bar.unit = "chunk"
            if self._bar.total is not None:
                self._bar.total += n_chunks - 1
        elif n_done < n_chunks:
            self._bar.update()

    def _unknown_category(self, record: Record) -> InputError | None:
        if isinstance(self._schemas, Schema) or record.category in self._schemas:
            return None
        known = ", ".join(list(self._schemas)[:10]) + (", ..." if len(self._schemas) > 10 else "")
        return InputError(
            f"line {record.line}: there is no schema for the category {record.category!r}, "
            f"only for: {known}"
        )

    def _write(
        self, place: int, record: Record, line: Mapping[str, Any], failed: str | None
    ) -> None:
        if record.page_starts and "fields" in line:
            line = {**line, "fields": _with_pages(line["fields"], record.page_starts)}
        if self._columns is not None:
            line = {**line, **self._columns(record)}
        self._writer.write(place, record, line, failed=failed is not None)
        self._summary.add_line(failed)
        if self._bar is not None:
            if failed is not None:
                self._bar.set_postfix(failed=self._summary.failures.total(), refresh=False)
            self._bar.update()


def _with_pages(
    fields: Mapping[str, Mapping[str, Any]], page_starts: tuple[int, ...]
) -> dict[str, Mapping[str, Any]]:
    """The details of fields, each with the page on which its value stands."""
    return {
        place: {**field, "page": page_of(field["start"], page_starts)}
        if field.get("start") is not None
        else field
        for place, field in fields.items()
    }
