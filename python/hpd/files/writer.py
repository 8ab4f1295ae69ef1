"""Writers of results: to a file, so that nothing finished is lost, or to a stream."""

from __future__ import annotations

import json
import sys
import threading
import zlib
from array import array
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

from hpd.documents import Document
from hpd.errors import HpdError, InputError
from hpd.files.journal import (
    Journal,
    JournalEntry,
    JournalHead,
    differences,
    document_fingerprint,
    journal_path,
)
from hpd.files.streams import error_reason, naming_file
from hpd.messages import counted
from hpd.surrogates import escaped_utf8

_MAX_AHEAD = 1 << 24
"""How many documents may be finished ahead of an earlier one; far more than are ever in flight."""


def line_bytes(line: str | Mapping[str, Any]) -> bytes:
    """Encode one line, with its line feed."""
    text = line if isinstance(line, str) else json.dumps(line, ensure_ascii=False, allow_nan=False)
    return escaped_utf8(text.rstrip("\n")) + b"\n"


class StreamWriter:
    """Writes to standard output, a device or a pipe. Lines that are early are kept in memory.

    Args:
        target: a device or a pipe; None for standard output.
        shown: formats a line (default: as JSON).
    """

    n_kept = 0  # a stream has no earlier run
    repairs: Sequence[str] = ()
    notes: Sequence[str] = ()

    def __init__(
        self,
        target: str | Path | None = None,
        *,
        shown: Callable[[Mapping[str, Any]], bytes] | None = None,
    ) -> None:
        self._shown = shown
        self._early_lines: dict[int, str | Mapping[str, Any]] = {}
        self._next = 0
        try:
            self._file: BinaryIO = (
                sys.stdout.buffer if target is None else open(target, "wb")  # noqa: SIM115
            )
        except OSError as error:
            raise InputError(f"{target}: cannot be written: {error_reason(error)}") from error
        self._is_ours = target is not None

    def pending(self, records: Iterable[Document]) -> Iterator[tuple[int, Document]]:
        """Return all records with their indexes."""
        return enumerate(records)

    def write(
        self, index: int, record: Document, line: str | Mapping[str, Any], *, failed: bool
    ) -> None:
        """Write a line, or keep it until all lines before it are written."""
        self._early_lines[index] = line
        while self._next in self._early_lines:
            self._put(self._early_lines.pop(self._next))
            self._next += 1

    def close(self, *, complete: bool) -> None:
        """Write the remaining lines, even if lines before them are missing."""
        for index in sorted(self._early_lines):
            self._put(self._early_lines.pop(index))
        if self._is_ours:
            self._file.close()

    def _put(self, line: str | Mapping[str, Any]) -> None:
        if self._shown is not None and isinstance(line, Mapping):
            self._file.write(self._shown(line))
        else:
            self._file.write(line_bytes(line))
        self._file.flush()


class FileWriter:
    """Writes to a file with a journal beside it, so that an interrupted run can be resumed.

    A document is finished once it is in the journal. Its line is then in the file, or in the
    journal until all lines before it are written.

    Args:
        path: the output.
        settings: everything that the values depend on, by name; a run is resumed only with the same
            settings.
        resume: continue the existing file.
        overwrite: replace the existing file once the new one is complete.
        accept_changes: write another line for a record that has changed since its line was written.
        about: the names of the input, the schema and the model, for ``hpd status``.

    Raises:
        InputError: the file exists and neither flag is given; it was not written by hpd, or by a
            run with other settings; or another process is writing it.
        HpdError: the files cannot be written, for example because the disk is full.
    """

    def __init__(
        self,
        path: Path,
        settings: Mapping[str, Any],
        *,
        resume: bool = False,
        overwrite: bool = False,
        accept_changes: bool = False,
        about: Mapping[str, Any] | None = None,
    ) -> None:
        self.path = path
        self._accept_changes = accept_changes
        self.repairs: list[str] = []
        """The repairs that were made to the files of an earlier run."""
        self.notes: list[str] = []
        """Notes on the output, for the end of the run."""
        self.n_kept = 0
        """The number of documents seen by ``pending`` that an earlier run finished."""
        self._moved: _MovedRecords | None = None
        self._finished_after: set[int] | None = None
        self._lock = threading.RLock()  # Records may be read in a thread of their own.
        self._is_writing = False  # still true after a write that failed
        self._final = path
        if path.is_dir():
            raise InputError(f"{path} is a folder, and cannot be written: name a file")
        if overwrite and path.exists():
            self.path = path.with_name(path.name + ".new")
            leftover = journal_path(self.path)
            if not resume:
                if leftover.exists():
                    Journal(leftover, {}).close()  # no other process is writing it
                self.path.unlink(missing_ok=True)
                leftover.unlink(missing_ok=True)
        elif not resume and _file_size(path) > 0:
            raise InputError(
                f"{path} already exists: continue it (--resume), replace it (--overwrite), "
                "or name another file"
            )
        elif resume and _file_size(path) > 0 and not journal_path(path).exists():
            raise InputError(
                f"{path} cannot be resumed: {journal_path(path).name}, which hpd writes beside "
                "its output, is missing; replace the file (--overwrite), or name another"
            )
        try:
            self._journal = Journal(journal_path(self.path), settings, about)
            try:
                self._open(JournalHead(settings, about or {}), resume=resume)
            except BaseException:
                with suppress(OSError):
                    self._journal.close()
                raise
        except OSError as error:
            raise HpdError(
                f"{error.filename or self.path}: cannot be written: {error_reason(error)}; "
                "finished documents are kept: run the same command again when there is room"
            ) from error

    def pending(self, records: Iterable[Document]) -> Iterator[tuple[int, Document]]:
        """Yield the records that have no line yet, with the indexes that their lines get.

        If some are between records of an earlier run, the lines are sorted into the order of the
        input once all are written.

        Raises:
            InputError: a record has the id of an existing line, but has changed since.
        """
        for number, record in enumerate(records):
            with self._lock:
                index, is_known = self._index_of(number, record)
                if self._moved is not None:
                    self._moved.indexes.append(index)
                self.n_kept += is_known
            if not is_known:
                yield index, record
        if self._moved is not None:
            self._moved.is_read = True

    def _index_of(self, number: int, record: Document) -> tuple[int, bool]:
        """Return the index of a record's line, and whether the line is written."""
        document = int(_fingerprint(record), 16)
        failed = self._failed_by_id.get(record.id)
        if self._moved is None:
            known = self._documents[number] if number < len(self._documents) else 0
            if known == document:
                return number, True
            if number in self._failed_offsets:
                is_next = failed is not None and failed[0] == number
            else:
                is_next = not (known or failed or document in self._fingerprints_after(number))
            if not is_next:
                self._switch_to_fingerprints(number)
        if self._moved is not None and self._moved.indexes_of[document]:
            return self._moved.indexes_of[document].pop(0), True
        if failed:
            index = failed.pop(0)
            del self._failed_offsets[index]
            if not failed:
                del self._failed_by_id[record.id]
            return index, False
        if self._moved is None:
            return number, False
        if record.id in self._moved.ids and not self._accept_changes:
            line = "" if record.id == record.source else f", line {record.line}"
            raise InputError(
                f"{self._final}: the input has changed since it was written: record {number + 1} "
                f"(id {record.id!r}{line}) is different; continue with the old input, extract what "
                "has changed into another output, or start again (--overwrite)"
            )
        self._documents.append(document)
        return len(self._documents) - 1, False

    def _fingerprints_after(self, number: int) -> set[int]:
        """Return the fingerprints of the finished documents after ``number``, the first gap."""
        if self._finished_after is None and number < len(self._documents):
            self._finished_after = {*self._documents[number:]} - {0}
        return self._finished_after or set()

    def _switch_to_fingerprints(self, number: int) -> None:
        """From record ``number`` on, identify records by fingerprint, because their indexes have
        changed."""
        self._moved = moved = _MovedRecords([*range(number)])
        for index in range(number, len(self._documents)):
            if self._documents[index]:
                moved.indexes_of[self._documents[index]].append(index)
        for line in self._lines():
            moved.ids.add(str(json.loads(line).get("id")))
        for index in [*self._early_lines]:
            self._put_early(index)

    def _lines(self) -> Iterator[str]:
        """Iterate over all lines, including those that wait in the journal."""
        with open(self.path, encoding="utf-8") as file:
            yield from file
        for offset in self._early_lines.values():
            yield self._journal.entry_at(offset).line or ""

    def write(
        self, index: int, record: Document, line: str | Mapping[str, Any], *, failed: bool
    ) -> None:
        """Write the line of one record; after this, it survives if the process is killed."""
        data = line_bytes(line)
        document = _fingerprint(record)
        with self._lock:
            self._is_writing = True
            if index != self._next and self._moved is None:
                entry = JournalEntry(index, document, failed, line=data.decode())
                self._early_lines[index] = self._journal.append(entry)
            else:
                self._put(JournalEntry(index, document, failed), data)
                self._flush_early()
            self._is_writing = False

    def close(self, *, complete: bool) -> None:
        """Close both files; a complete new file replaces the old one."""
        try:
            try:
                # After a part of a line, the journal would be wrong about all that follows.
                if not self._is_writing:
                    self._put_back_failures()
                if complete and self._moved is not None and self._moved.is_read:
                    self._restore_order(self._moved)
            finally:
                self._file.close()
            if complete and self.path != self._final:
                self.path.replace(self._final)
                self._journal.move(journal_path(self._final))
                self.path = self._final
        finally:
            self._journal.close()

    def __enter__(self) -> FileWriter:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self.close(complete=kind is None)

    def _open(self, head: JournalHead, *, resume: bool) -> None:
        if self._journal.is_new or not resume:
            # The journal belongs to a file that no longer exists.
            self._journal.clear(head)
        changed = differences(self._journal.head, head)
        if changed:
            raise InputError(
                f"{self._final} was made with another {', '.join(changed)}: use the same, or "
                "start again (--overwrite)"
            )
        try:
            self._file: BinaryIO = open(self.path, "ab+")  # noqa: SIM115
        except OSError as error:
            raise InputError(f"{self.path}: cannot be written: {error_reason(error)}") from error
        try:
            self._check_lines()
            self._take_out_failures()
            self._load(retries=True)
            self._flush_early()
        except BaseException:
            with suppress(OSError):
                self._file.close()
            raise

    def _check_lines(self) -> None:
        """Check that no line of the output was edited, and cut off what a killed process wrote
        without recording it in the journal."""
        size = self._file.seek(0, 2)
        self._file.seek(0)
        end = 0
        for number, (begin, entry) in enumerate(self._written_entries(), start=1):
            assert entry.end is not None
            if entry.end > size:
                raise InputError(
                    f"{self.path} is shorter than hpd left it ({size} bytes): lines were removed; "
                    "start again (--overwrite)"
                )
            line = self._file.read(max(0, entry.end - begin))
            if not line or zlib.crc32(line) != entry.crc:
                raise InputError(
                    f"{self.path}: line {number} was changed since hpd wrote it; to keep the "
                    "change, for example as answers for hpd eval, copy the file; "
                    "then start again (--overwrite)"
                )
            end = entry.end
        if size > end:
            self._file.truncate(end)
            self.repairs.append(f"cut off {counted(size - end, 'byte')} of an unfinished line")

    def _written_entries(self) -> Iterator[tuple[int, JournalEntry]]:
        """Iterate over the entries of written lines, with the offsets at which the lines begin."""
        begin = 0
        for _, entry in self._journal.entries():
            if entry.end is not None:
                yield begin, entry
                begin = entry.end

    def _waiting_entry(self, begin: int, entry: JournalEntry, index: int) -> JournalEntry:
        """Return the entry of a written line as if it waited, with another index, for its turn."""
        assert entry.end is not None
        self._file.seek(begin)
        line = self._file.read(entry.end - begin).decode()
        return JournalEntry(index, entry.document, entry.failed, line=line)

    def _take_out_failures(self) -> None:
        """Move the lines of failed documents to the journal, where they wait until it is known
        whether this run reads their documents; later lines wait for their turn again."""
        kept_end = next((begin for begin, entry in self._written_entries() if entry.failed), None)
        if kept_end is None:
            return

        def kept() -> Iterator[JournalEntry]:
            written = set()
            for begin, entry in self._written_entries():
                written.add(entry.index)
                yield entry if begin < kept_end else self._waiting_entry(begin, entry, entry.index)
            for _, entry in self._journal.entries():
                if entry.index not in written:
                    yield entry

        self._journal.replace(kept())
        self._file.truncate(kept_end)

    def _put_back_failures(self) -> None:
        """Give the lines of failed documents that this run did not read their turn."""
        with self._lock:
            self._early_lines.update(self._failed_offsets)
            self._failed_by_id.clear()
            self._failed_offsets.clear()
            if self._moved is None:
                self._flush_early()
            else:
                for index in [*self._early_lines]:
                    self._put_early(index)

    def _load(self, *, retries: bool = False) -> None:
        self._documents = array("Q")  # by index: the fingerprint, 0 where nothing is known
        self._early_lines: dict[int, int] = {}  # by index: the offset of its line in the journal
        self._failed_offsets: dict[int, int] = {}  # the same, of failed documents to try again
        self._failed_by_id: dict[str, list[int]] = {}  # the indexes of these, by id
        self._end = 0
        self._next = 0
        self._moved = None
        self._finished_after = None
        failed: set[int] = set()
        is_in_order = True
        for offset, entry in self._journal.entries():
            if entry.index > len(self._documents) + _MAX_AHEAD:
                raise InputError(
                    f"{self._journal.path} was changed since hpd wrote it: there is no record "
                    f"{entry.index + 1} yet; start again (--overwrite)"
                )
            if entry.index >= len(self._documents):
                self._documents.extend([0] * (entry.index + 1 - len(self._documents)))
            self._documents[entry.index] = int(entry.document, 16)
            if entry.failed:
                failed.add(entry.index)
            else:
                failed.discard(entry.index)
            if entry.end is None:
                self._early_lines[entry.index] = offset
            else:
                self._early_lines.pop(entry.index, None)
                self._end = entry.end
                is_in_order &= entry.index == self._next
                self._next = max(self._next, entry.index + 1)
        for index in sorted(failed & self._early_lines.keys()) if retries else ():
            self._failed_offsets[index] = offset = self._early_lines.pop(index)
            line = json.loads(self._journal.entry_at(offset).line or "")
            self._failed_by_id.setdefault(str(line.get("id")), []).append(index)
            self._documents[index] = 0
        if not is_in_order:
            # A run that added records between these was interrupted.
            self._switch_to_fingerprints(0)

    def _restore_order(self, moved: _MovedRecords) -> None:
        """Sort the lines into the order of the records; lines without a record stay at the end.

        Meanwhile the lines are kept in the journal, so that none is lost if the process is killed.
        """
        written = {entry.index: (begin, entry) for begin, entry in self._written_entries()}
        left = [*written.keys() - moved.indexes]
        if left:
            self.notes.append(
                f"{counted(len(left), 'line', 'is')} of documents that this run did not read; they "
                "are kept"
            )
        indexes = [index for index in moved.indexes if index in written]
        self._journal.replace(
            self._waiting_entry(*written[index], number)
            for number, index in enumerate([*indexes, *sorted(left)])
        )
        self._file.truncate(0)
        self._load()
        self._flush_early()

    def _flush_early(self) -> None:
        """Write the lines whose turn has come."""
        while self._next in self._early_lines:
            self._put_early(self._next)

    def _put_early(self, index: int) -> None:
        entry = self._journal.entry_at(self._early_lines.pop(index))
        self._put(entry, line_bytes(entry.line or ""))

    def _put(self, entry: JournalEntry, data: bytes) -> None:
        with naming_file(self.path):
            self._file.write(data)
            self._file.flush()
        self._end += len(data)
        self._journal.append(
            JournalEntry(
                entry.index, entry.document, entry.failed, end=self._end, crc=zlib.crc32(data)
            )
        )
        self._next = max(self._next, entry.index + 1)


@dataclass
class _MovedRecords:
    """The state of records whose indexes differ from those of their lines."""

    indexes: list[int]
    """The indexes of the lines of the records read so far, in the order of the records."""
    indexes_of: defaultdict[int, list[int]] = field(default_factory=lambda: defaultdict(list))
    """By fingerprint: the indexes of the lines whose record has not been read yet."""
    ids: set[str] = field(default_factory=set)
    """The ids of all existing lines."""
    is_read: bool = False
    """Whether all records were read."""


Writer = StreamWriter | FileWriter
"""A writer of the lines of a run."""


def _fingerprint(record: Document) -> str:
    return document_fingerprint(record.id, record.text, record.category)


def _file_size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0
