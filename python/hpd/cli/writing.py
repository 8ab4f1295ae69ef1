"""A run: sends records through an extractor to a writer, handles signals, and sums up."""

from __future__ import annotations

import signal
import textwrap
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from queue import Empty, Queue
from types import FrameType
from typing import Any, Generic, Literal, Protocol, TypeVar

from hpd.cli.common import EXIT_OK, EXIT_SIGNAL, EXIT_SOME_FAILED, say
from hpd.cli.terminal import ExtractProgress, format_rate
from hpd.documents import NOT_YET, Document, NotYet
from hpd.errors import HpdError, InputError
from hpd.files.writer import Writer
from hpd.messages import counted
from hpd.results import Extraction, Failure
from hpd.schema.schemas import Schemas

T = TypeVar("T")

_SIGNALS = tuple(
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
)
"""Sent by Ctrl-C, by job schedulers and containers, and by closed terminals."""
_SIGHUP = getattr(signal, "SIGHUP", None)

_MAX_ERROR_LENGTH = 300
"""The maximum number of characters of an error in the summary."""
_N_AHEAD = 64
_WAIT_SECONDS = 0.02
"""Seconds to wait for the next item, which may delay answers by as much."""


class ExtractorLike(Protocol):
    """An extractor: local, on a cluster, or for an endpoint."""

    def iter_indexed(
        self,
        documents: Iterable[Document | NotYet],
        *,
        on_error: Literal["raise", "record"],
        on_chunk: Callable[[int, int, int], None],
    ) -> Iterator[tuple[int, Extraction[Any]]]:
        """Yield each extraction when it is finished, with the index of its document."""


class RunWriter:
    """Runs an extractor over records, and writes each line as soon as it is known.

    Args:
        schemas: the schemas of the documents.
        writer: receives the lines, and knows which records already have one.
        output: the display name of the output.
        columns: returns the columns that a record adds to its output line.
        can_resume: whether a later run can resume the output.
        quiet: print nothing except that the run was interrupted.
        ends_by_signal: whether only a signal ends the run, which is then complete.
    """

    def __init__(
        self,
        schemas: Schemas,
        writer: Writer,
        output: str,
        columns: Callable[[Document], Mapping[str, Any]] | None = None,
        *,
        can_resume: bool = True,
        quiet: bool = False,
        ends_by_signal: bool = False,
    ) -> None:
        self._ends_by_signal = ends_by_signal
        self._schemas = schemas
        self._writer = writer
        self._output = output
        self._can_resume = can_resume
        self._columns = columns
        self._interrupts = Interrupts()
        self._summary = RunSummary()
        self._progress: ExtractProgress | None = None
        self._quiet = quiet
        self._has_split = False  # a document into chunks
        self.stopped: int | None = None
        """The exit code, if a second signal stopped the run with documents in flight."""

    @contextmanager
    def closing_writer(self) -> Iterator[None]:
        """Context of a run: closes the writer in any case, and handles signals.

        Raises:
            HpdError: the output can no longer be written.
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
            with suppress(OSError):  # probably the same error again
                self._writer.close(complete=False)
            raise self._write_error(error) from error
        except BaseException:
            self._writer.close(complete=False)
            raise
        else:
            self._writer.close(complete=self.is_complete)

    def run(
        self,
        extractor: ExtractorLike,
        records: Iterable[tuple[int, Document] | NotYet],
        progress: ExtractProgress | None = None,
    ) -> None:
        """Extract and write a line for each record.

        Ctrl-C, SIGTERM and SIGHUP stop the reading of records; those in flight are still finished
        and written.
        """
        self._progress = progress
        start = time.perf_counter()
        # By the index of the document among those sent to the extractor.
        sent: dict[int, tuple[int, Document]] = {}
        with self._interrupts:
            documents = self._documents(records, sent)
            for i, extraction in extractor.iter_indexed(
                documents,
                on_error="record",
                on_chunk=lambda i, n_done, n: self._count_chunk(sent[i][1], n_done, n),
            ):
                index, record = sent.pop(i)
                self._summary.add_values(extraction, has_text=bool(record.text.strip()))
                nulls = [field.value is None for field in extraction.fields.values()]
                self._write(index, record, extraction.to_dict(), len(nulls), sum(nulls))
        self._summary.seconds = time.perf_counter() - start

    @property
    def is_complete(self) -> bool:
        """Whether every record was read and written."""
        return self._ends_by_signal or not self._interrupts.is_stopping

    def finish(self) -> int:
        """Print the summary, and return the exit code."""
        if not self._quiet:
            say(self._summary.text(self._writer.n_kept))
        if not self.is_complete:
            self._say_interrupted()
            return self._interrupts.exit_code
        return EXIT_SOME_FAILED if self._summary.failures else EXIT_OK

    def _say_interrupted(self) -> None:
        """Print what is written so far, and how to continue."""
        how = "; the same command with --resume does the rest" if self._can_resume else ""
        say(f"interrupted: {counted(self.n_safe, 'document', 'is')} written{how}")

    def _write_error(self, error: OSError) -> HpdError:
        """Return the error for an output that can no longer be written."""
        reason = error.strerror or str(error)
        where = error.filename or self._output
        how = ", and the same command with --resume does the rest" if self._can_resume else ""
        return HpdError(
            f"{where} cannot be written: {reason}; "
            f"{counted(self.n_safe, 'document', 'is')} safe{how}"
        )

    @property
    def n_safe(self) -> int:
        """The number of written documents, including those of earlier runs."""
        return self._writer.n_kept + self._summary.n_written

    def _documents(
        self,
        records: Iterable[tuple[int, Document] | NotYet],
        sent: dict[int, tuple[int, Document]],
    ) -> Iterator[Document | NotYet]:
        n_sent = 0
        for item in self._interrupts.until_interrupted(records):
            if item is NOT_YET:
                yield NOT_YET
                continue
            index, record = item
            error = record.error or self._category_error(record)
            if error is not None:
                self._write(index, record, Extraction(record.id, error=Failure(error)).to_dict())
                continue
            sent[n_sent] = index, record
            n_sent += 1
            yield record

    def _count_chunk(self, record: Document, n_done: int, n_chunks: int) -> None:
        """Count the chunks of a document; the last one is counted with the document's line."""
        shown = self._progress if self._progress is not None and self._progress.shown else None
        if n_done == 0:
            if not self._has_split and not self._quiet:
                how = "" if shown is None else "; from here on, chunks are counted"
                say(f"{record.id} is cut into {n_chunks} chunks{how}")
            self._has_split = True
            if shown is not None:
                shown.count_chunks(n_chunks - 1)
        elif n_done < n_chunks and shown is not None:
            shown.advance()

    def _category_error(self, record: Document) -> InputError | None:
        if record.category in self._schemas:
            return None
        names = self._schemas.categories
        known = ", ".join(names[:10]) + (", ..." if len(names) > 10 else "")
        return InputError(
            f"line {record.line}: there is no schema for the category {record.category!r}, "
            f"only for: {known}"
        )

    def _write(
        self,
        index: int,
        record: Document,
        line: Mapping[str, Any],
        n_values: int = 0,
        n_nulls: int = 0,
    ) -> None:
        error = line.get("error")
        if self._columns is not None:
            line = {**line, **self._columns(record)}
        self._writer.write(index, record, line, failed=error is not None)
        self._summary.add_line(error)
        if self._progress is not None:
            self._progress.advance(n_values=n_values, n_nulls=n_nulls, failed=error is not None)


class RunSummary:
    """Counts what was written, for the summary."""

    def __init__(self) -> None:
        self.n_written = 0
        self.failures: Counter[str] = Counter()
        self.seconds = 0.0
        self._first_error = ""
        self._counts: Counter[str] = Counter()

    def add_values(self, extraction: Extraction[Any], has_text: bool = True) -> None:
        """Count the values of an extraction, and whether its document is empty."""
        fields = extraction.fields.values()
        self._counts.update(
            empty=int(not has_text),
            values=len(fields),
            nulls=sum(field.value is None for field in fields),
            unsure=sum(field.nulled and not field.error for field in fields),
            invalid=sum(field.nulled and bool(field.error) for field in fields),
            reused=0 if extraction.usage is None else extraction.usage.reused_values,
            retried=sum(bool(field.rejected) for field in fields),
            cut=sum(field.truncated for field in fields),
            repeated=sum(field.repeated for field in fields),
            failed_checks=sum(check.passed is False for check in extraction.checks),
            unknown_checks=sum(check.passed is None for check in extraction.checks),
        )

    def add_line(self, error: Mapping[str, str] | None) -> None:
        """Count a written line, and its error if it has one."""
        self.n_written += 1
        if error is not None:
            self._first_error = self._first_error or error["message"]
            self.failures[error["type"]] += 1

    def text(self, n_kept: int) -> str:
        """Return the summary as one line of text; an earlier run finished ``n_kept`` documents."""
        counts = self._counts
        parts = [counted(self.n_written, "document")]
        if n_kept:
            parts[0] += f" ({n_kept} more were done before)"
        if self.seconds > 0 and self.n_written:
            rate = self.n_written / self.seconds
            parts.append(f"{format_rate(rate)} a second")
        if counts["values"]:
            parts.append(f"{counts['nulls'] / counts['values']:.0%} null")
            kinds = {"low-confidence": counts["unsure"], "not valid": counts["invalid"]}
            rejected = [f"{n} of them rejected as {kind}" for kind, n in kinds.items() if n]
            if rejected:
                parts[-1] += f"; {' and '.join(rejected)} (text kept in `raw`)"
        for name, words in (
            ("empty", "without text"),
            ("reused", "values were decoded before"),
            ("retried", f"value{'s' * (counts['retried'] != 1)} asked again"),
            ("cut", "cut off (`truncated`): a larger --max-tokens keeps more"),
            ("repeated", "repeated without end, and cut (`repeated`)"),
            ("failed_checks", f"check{'s' * (counts['failed_checks'] != 1)} failed (`checks`)"),
            ("unknown_checks", f"check{'s' * (counts['unknown_checks'] != 1)} unknown (nulls)"),
        ):
            if n := counts[name]:
                parts.append(f"{n} {words}")
        for kind, n in sorted(self.failures.items()):
            parts.append(f"{n} failed ({kind})")
        text = ", ".join(parts)
        if not self.failures:
            return text
        first = textwrap.shorten(self._first_error, _MAX_ERROR_LENGTH, placeholder=" ...")
        return f"{text}: {first}" if self.failures.total() == 1 else f"{text}, the first: {first}"


class _StopReading(Exception):  # noqa: N818
    """Raised inside a blocking read of the input."""


class Interrupts:
    """A context that handles Ctrl-C, SIGTERM and SIGHUP, in the main thread.

    If SIGHUP is ignored, as under nohup, it stays ignored. SIGINT does not: shells make background
    processes ignore it, so whoever sends it to them does so on purpose.
    """

    def __init__(self) -> None:
        self.number: int | None = None
        """The first signal received."""
        self._is_reading = False
        self._previous_handlers: dict[int, Any] = {}

    @property
    def is_stopping(self) -> bool:
        """Whether a signal was received."""
        return self.number is not None

    @property
    def exit_code(self) -> int:
        """The exit code as in shells: 128 plus the number of the signal, so 130 for Ctrl-C."""
        return EXIT_SIGNAL + (signal.SIGINT if self.number is None else self.number)

    def until_interrupted(self, items: Iterable[T]) -> Iterator[T]:
        """Iterate over items until a signal is received."""
        iterator = iter(items)
        while not self.is_stopping:
            try:
                self._is_reading = True
                try:
                    item = next(iterator)
                finally:
                    self._is_reading = False
            except (StopIteration, _StopReading):
                return
            yield item

    def __enter__(self) -> Interrupts:
        if threading.current_thread() is threading.main_thread():
            for number in _SIGNALS:
                if number != _SIGHUP or signal.getsignal(number) != signal.SIG_IGN:
                    self._previous_handlers[number] = signal.signal(number, self._interrupt)
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._previous_handlers.items():
            signal.signal(number, handler)
        self._previous_handlers.clear()

    def _interrupt(self, number: int, frame: FrameType | None) -> None:
        if self.is_stopping:
            raise KeyboardInterrupt
        self.number = number
        name = "Ctrl-C" if number == signal.SIGINT else signal.Signals(number).name
        say(f"finishing the documents in flight; another {name} stops at once")
        if self._is_reading:
            raise _StopReading


class ReadAhead(Iterator[T | NotYet], Generic[T]):
    """Iterates over an iterator's items, with ``NOT_YET`` where the next one takes too long.

    A daemon thread reads the iterator. Exceptions of the iterator are raised here.
    """

    def __init__(self, items: Iterator[T]) -> None:
        self._queue: Queue[tuple[T] | BaseException | None] = Queue(_N_AHEAD)
        threading.Thread(target=self._read, args=(items,), name="hpd-input", daemon=True).start()

    def __next__(self) -> T | NotYet:
        try:
            item = self._queue.get(timeout=_WAIT_SECONDS)
        except Empty:
            return NOT_YET
        if isinstance(item, tuple):
            return item[0]
        self._queue.put(item)  # Later calls get the same result.
        if item is None:
            raise StopIteration
        raise item

    def _read(self, items: Iterator[T]) -> None:
        try:
            for item in items:
                self._queue.put((item,))
        except BaseException as error:
            self._queue.put(error)
        else:
            self._queue.put(None)
