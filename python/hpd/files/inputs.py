"""The inputs of a command: files, folders, patterns and standard input, read one after another."""

from __future__ import annotations

import glob
import inspect
import os
import re
from array import array
from collections import Counter
from collections.abc import Callable, Collection, Generator, Iterator, Sequence
from dataclasses import dataclass, field, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from hpd.documents import Document
from hpd.errors import InputError
from hpd.files import remote_files
from hpd.files.encodings import check_encoding
from hpd.files.journal import document_fingerprint, text_fingerprint
from hpd.files.own_files import is_journal, is_output
from hpd.files.reader import (
    RecordReader,
    columns_of,
    count_records,
    guess_format,
    has_fields,
    is_known,
)
from hpd.files.rows import (
    DELIMITED_FORMATS,
    EXTENSIONS,
    MAIL_FORMATS,
    RECOGNISER,
    TEXT_FORMATS,
    WHOLE_FORMATS,
    Format,
)
from hpd.files.streams import absolute, is_url, join_names
from hpd.files.watching import Watch
from hpd.messages import counted
from hpd.version import install_command

_SHARD = re.compile(r"(\d+)/(\d+)")
_LOCK_FILE_PREFIX = "~$"
"""How the names of the lock files begin that Office writes beside open files."""


@dataclass(frozen=True, slots=True)
class Shard:
    """One of ``n_shards`` parts of the input, numbered from 1."""

    number: int
    n_shards: int

    def has(self, first: int, row: int) -> bool:
        """Return whether the record at an index of a file belongs to this shard; ``first`` is the
        file's offset (see ``shard_offset``)."""
        return (row + first) % self.n_shards == self.number - 1

    def count(self, first: int, n_rows: int) -> int:
        """Return the number of this shard's records in a file of ``n_rows`` rows."""
        return len(range((self.number - 1 - first) % self.n_shards, n_rows, self.n_shards))

    def __str__(self) -> str:
        return f"{self.number}/{self.n_shards}"


def shard_offset(path: str, *, is_only: bool) -> int:
    """Return the offset of a file, which spreads the records of many files over the shards; 0 for
    the only file. It depends on the path, which must be the same in all runs."""
    # A checksum such as CRC-32 would bring many of a.txt, b.txt, c.txt into one shard.
    return 0 if is_only else int(text_fingerprint(absolute(path)), 16)


def parse_shard(text: str) -> Shard:
    """Parse a shard such as ``2/8``.

    Raises:
        InputError: the text is not a shard.
    """
    match = _SHARD.fullmatch(text)
    if match is None:
        raise InputError(f"{text!r} is not a shard: 2/8 is the second of eight")
    number, n_shards = int(match[1]), int(match[2])
    if not 1 <= number <= n_shards:
        raise InputError(f"there is no shard {text}: they are numbered from 1 to N")
    return Shard(number, n_shards)


class RepeatedIds:
    """Counts records that repeat an earlier id, using eight bytes per record."""

    def __init__(self) -> None:
        self._hashes: array[int] = array("q")

    def add(self, record_id: str) -> None:
        """Add the id of the next record."""
        self._hashes.append(hash(record_id))

    def notice(self) -> str | None:
        """Describe the number of repeated ids and the first of them; None if all ids differ."""
        import numpy as np  # slow to import, and not needed to read a command's arguments

        hashes = np.asarray(self._hashes)
        _, firsts, group = np.unique(hashes, return_index=True, return_inverse=True)
        repeated = np.flatnonzero(firsts[group] != np.arange(len(hashes)))
        if not len(repeated):
            return None
        first = int(repeated[0])
        return (
            f"{counted(len(repeated), 'document', 'has')} the id of an earlier one: the "
            f"first is document {first + 1}, with the id of document "
            f"{int(firsts[group[first]]) + 1}"
        )


def read_documents(*names: str | Path, **how: Any) -> Iterator[Document]:
    """Iterate over the documents of files, folders and patterns; each is read when it is needed.

    Ids are those of ``hpd extract``. Documents know the location of their parts: values from a PDF
    or slides have a ``page`` with ``boxes``, values from a sheet a ``cell``.

    Args:
        names: files, folders and patterns, local or remote.
        how: options as in ``hpd extract``: ``format``, ``text_field``, ``id_field``,
            ``category_field``, ``encoding``, ``delimiter``, ``attachments``, ``whole``.

    Raises:
        InputError: a name matches no file, or a file cannot be read.
    """
    with InputReader([str(name) for name in names], **how) as reader:
        for record in reader:
            if record.error is not None:
                raise record.error
            yield record


_N_NOTES_SHOWN = 10


@dataclass(frozen=True, slots=True)
class FoundFiles:
    """The files that names refer to, in the order in which they are read."""

    paths: tuple[str, ...]
    """Paths, and ``-`` for standard input."""
    skipped: Counter[str] = field(default_factory=Counter)
    """What was skipped in folders: counts of files by extension, and of other entries."""
    written: tuple[str, ...] = ()
    """The files of folders and patterns that were skipped because hpd wrote them."""

    def notices(self) -> list[str]:
        """Describe what was skipped."""
        notices = []
        if self.skipped:
            notices.append(skipped_text(self.skipped))
        if self.written:
            who = "it" if len(self.written) == 1 else "them"
            notices.append(f"left out, as hpd wrote {who}: {join_names(self.written)}")
        return notices


def find_files(
    names: Sequence[str],
    format: Format | None = None,  # noqa: A002
    leave_out: Collection[str | Path] = (),
    *,
    may_be_none: bool = False,
) -> FoundFiles:
    """Find the files that names refer to: a file itself, all files of a folder, or the matches of a
    pattern.

    Folders are read recursively in the order of names, without hidden files, links to folders,
    pipes, devices and Office's lock files. A file that hpd wrote is read only if it is named
    itself.

    Args:
        names: the names as given.
        format: the format of all files, regardless of their extensions.
        leave_out: files to skip in folders and patterns, such as the output.
        may_be_none: whether a folder or pattern without files is allowed.

    Raises:
        InputError: a name matches no file, or a folder cannot be read.
    """
    paths: list[str] = []
    written: list[str] = []
    skipped: Counter[str] = Counter()
    hidden = {os.path.realpath(path) for path in leave_out}
    for name in names:
        kind, inside = _list_files(name, skipped)
        ours: list[str] = []
        if kind != "file":
            # Unlike Path.resolve, realpath accepts links in a circle.
            inside = [
                path
                for path in inside
                if os.path.realpath(path) not in hidden
                and not os.path.basename(path).startswith(_LOCK_FILE_PREFIX)
            ]
            among = {*inside}
            ours = sorted(path for path in inside if is_output(path, among))
            written += ours
            left_out = {*ours, *(path for path in inside if is_journal(path, among))}
            inside = [path for path in inside if path not in left_out]
        if kind == "folder":
            known = [path for path in inside if format is not None or _can_be_read(path)]
            skipped.update(Path(path).suffix.lower() or "none" for path in set(inside) - set(known))
            if not known and not may_be_none:
                only = [_count_text(skipped)] if skipped else []
                only += ["files that hpd wrote (to read one, name it)"] if ours else []
                there = f": only {' and '.join(only)}" if only else ", as it is empty"
                raise InputError(f"{name}: there is no file to read in this folder{there}")
            paths.extend(known)
        else:
            if not inside and not may_be_none:
                but = ", except files that hpd wrote: to read one, name it" if ours else ""
                raise InputError(f"{name}: no file matches{but}")
            paths.extend(inside)
    twice = [path for path, n in Counter(paths).items() if n > 1]
    if twice:
        raise InputError(f"{twice[0]} is given more than once")
    return FoundFiles(tuple(paths), skipped, tuple(written))


def _can_be_read(path: str) -> bool:
    """Return whether a file in a folder is read: pictures only if RapidOCR is installed."""
    return is_known(path) and (guess_format(path) != "image" or find_spec(RECOGNISER) is not None)


def _list_files(name: str, skipped: Counter[str]) -> tuple[str, list[str]]:
    """Return whether a name is a file, a folder or a pattern, and the files it refers to."""
    if is_url(name):
        found: tuple[str, list[str]] = remote_files.list_files(name)
        return found
    if name != "-" and os.path.isdir(name):
        return "folder", [*_walk(name, skipped)]
    if name != "-" and glob.has_magic(name) and not os.path.exists(name):
        matching = glob.glob(name, recursive=True)
        return "pattern", sorted(path for path in matching if os.path.isfile(path))
    return "file", [name]


@dataclass(frozen=True, slots=True)
class _File:
    """A file to read."""

    path: str
    format: Format | None
    """None if it is unknown."""
    offset: int
    """Which shard its first record belongs to."""


class InputReader:
    """Iterates once over the documents of all inputs, one input after another.

    A single unreadable input raises ``InputError``. One of several becomes a record with an
    ``error``, and the others are still read.

    Args:
        names: files, folders and patterns, local or remote, and ``-`` for standard input.
        format: the format of all inputs (default: by extension).
        text_field: the fields with the text, for formats with fields.
        id_field: the field with the id.
        category_field: the field with the category.
        leave_out: files to skip in folders and patterns, such as the output.
        encoding: the encoding of texts (default: detected for each file).
        delimiter: the delimiter of CSV and TSV (default: detected for each file).
        attachments: whether attachments of e-mails, and messages within them, become separate
            documents.
        whole: whether a file of rows is read as one document.
        category_of: returns the category of a file's records by its path, or raises ``InputError``.
        shard: the part of all records to read; files of other shards are not opened.
        watch: finds the files, in place of ``names``, until ``close``. A record that was read
            before, with the same id and text, is skipped.

    Raises:
        InputError: a name matches no file, a file cannot be opened or has an unknown format, or a
            field is named and no input has fields.
    """

    def __init__(
        self,
        names: Sequence[str],
        *,
        format: Format | None = None,  # noqa: A002
        text_field: Sequence[str] | None = None,
        id_field: str | None = None,
        category_field: str | None = None,
        leave_out: Collection[str | Path] = (),
        encoding: str | None = None,
        delimiter: str | None = None,
        attachments: bool = False,
        whole: bool = False,
        category_of: Callable[[str], str] | None = None,
        shard: Shard | None = None,
        watch: Watch | None = None,
    ) -> None:
        self._category_of = category_of
        self._notes: Counter[str] = Counter()
        self._first_with_note: dict[str, str] = {}  # its id, by note
        self.types: dict[str, Any] = {}
        """The types of typed columns in the files read so far."""
        check_encoding(encoding)
        self._watch, self._format = watch, format
        self.files = FoundFiles(()) if watch is not None else find_files(names, format, leave_out)
        self._shard = shard
        self.unread: list[InputError] = []
        """Errors of inputs whose lines belong to another shard."""
        self.repeated_ids = RepeatedIds()
        """The ids of the records read so far."""
        self.found_columns: set[str] = set()
        """Their columns."""
        is_only = len(names) == 1 and self.files.paths == tuple(names)
        self._files = [
            _File(path, format or self._guess_format(path), shard_offset(path, is_only=is_only))
            for path in self.files.paths
        ]
        found = {file.format for file in self._files}
        self._fields: dict[str, Any] = {
            "text_field": text_field,
            "id_field": id_field,
            "category_field": category_field,
        }
        self._settings: dict[str, Any] = {
            "encoding": encoding,
            "delimiter": delimiter,
            "attachments": attachments,
            "whole": whole,
        }
        self._is_single = len(self._files) == 1
        named = [name for name, value in self._fields.items() if value]
        if named and whole:
            raise InputError(f"a whole file is one document, and has no {named[0]}")
        if named and watch is None and not any(map(has_fields, found)):
            raise InputError(f"{names[0]}: plain text has no fields, so none can be named")
        for flag, value, formats in (
            ("--encoding", encoding, TEXT_FORMATS),
            ("--delimiter", delimiter, DELIMITED_FORMATS),
            ("--attachments", attachments, MAIL_FORMATS),
        ):
            if value and watch is None and found.isdisjoint(formats):
                raise InputError(
                    f"{flag} is for {', '.join(formats)}, and no input has one of these formats"
                )
        # Report a wrong name before a model is loaded.
        self._first_reader = self._open_reader(self._files[0]) if self._is_single else None
        for path in {*names} & {*self.files.paths}:
            if not (path == "-" or is_url(path) or os.path.exists(path)):
                raise InputError(f"{path}: cannot be opened: no such file")
        self._records = self._read()

    def __iter__(self) -> Iterator[Document]:
        return self

    def __next__(self) -> Document:
        record = next(self._records)
        self.repeated_ids.add(record.id)
        self.found_columns.update(record.row)
        for note in record.notes:
            self._add_note(note, record.id)
        return record

    def __enter__(self) -> InputReader:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the open file, which ends the iteration.

        Has no effect on a thread that is waiting for the next record.
        """
        if self._watch is not None:
            self._watch.stop()
        if inspect.getgeneratorstate(self._records) == inspect.GEN_RUNNING:
            return
        self._records.close()
        if self._first_reader is not None:
            self._first_reader.close()

    @property
    def is_live(self) -> bool:
        """Whether an input may block: standard input, a pipe or a watched folder."""
        return self._watch is not None or any(
            path == "-" or (os.path.exists(path) and not os.path.isfile(path))
            for path in self.files.paths
        )

    def source(self, record: Document) -> dict[str, Any]:
        """Return an output line's input, if the id does not name it, and its notes."""
        is_whole = record.id == record.source
        source = {} if self._is_single or is_whole else {"source": record.source}
        return {**source, "notes": list(record.notes)} if record.notes else source

    def columns(self, record: Document) -> dict[str, Any]:
        """Return the text of a record and its columns other than the id, as in an output line."""
        return columns_of(record, self._fields["id_field"], self._fields["text_field"] or ())

    def note_texts(self) -> list[str]:
        """Return notes for the user on how the records were read so far."""
        texts = [
            f"{self._first_with_note[note]}{f' and {n - 1} more' if n > 1 else ''}: {note}"
            for note, n in self._notes.most_common()
        ]
        n_more = len(texts) - _N_NOTES_SHOWN
        return texts if n_more <= 0 else [*texts[:_N_NOTES_SHOWN], f"and {n_more} more such notes"]

    def count(self) -> int | None:
        """Count the records in one quick pass; None if they cannot be counted."""
        if self._watch is not None:
            return None
        n = 0
        for file in self._files:
            counted: int | None = 1  # an input that cannot be read becomes one line
            if file.format is not None:
                counted = count_records(file.path, file.format, whole=self._settings["whole"])
            if counted is None or (self._settings["attachments"] and file.format in MAIL_FORMATS):
                return None
            n += counted if self._shard is None else self._shard.count(file.offset, counted)
        return n

    def _read(self) -> Generator[Document, None, None]:
        for file in self._files:
            yield from self._read_file(file)
        known: set[int] = set()
        for path in self._watch or ():
            format_ = self._format or (guess_format(path) if is_known(path) else None)
            for record in self._read_file(_File(path, format_, shard_offset(path, is_only=False))):
                document = int(document_fingerprint(record.id, record.text, record.category), 16)
                if document not in known:
                    known.add(document)
                    yield record

    def _read_file(self, file: _File) -> Iterator[Document]:
        is_whole = self._settings["whole"] or file.format in WHOLE_FORMATS
        if is_whole and not self._is_in_shard(file, 0):
            return
        n_read = 0
        try:
            with self._first_reader or self._open_reader(file) as reader:
                for n_read, record in enumerate(reader, start=1):
                    if n_read == 1:
                        for name, kind in reader.types.items():
                            # None where two files differ.
                            self.types[name] = kind if self.types.get(name, kind) == kind else None
                        self._note_unread_columns(reader)
                    if is_whole or self._is_in_shard(file, n_read - 1):
                        yield self._categorize(record)
        except InputError as error:
            if self._is_single:
                raise
            if self._is_in_shard(file, n_read):
                yield Document("", file.path, source=file.path, error=error)
            else:
                self.unread.append(error)

    def _categorize(self, record: Document) -> Document:
        if self._category_of is None or record.error is not None:
            return record
        try:
            return replace(record, category=self._category_of(record.source))
        except InputError as error:
            return replace(record, error=error)

    def _guess_format(self, path: str) -> Format | None:
        """Return the format of a file; None if only other inputs have a known extension."""
        try:
            return guess_format(path)
        except InputError:
            others = (other for other in self.files.paths if other != path)
            if not any(other == "-" or is_known(other) for other in others):
                raise
            return None  # the file becomes an error line when it is read

    def _note_unread_columns(self, reader: RecordReader) -> None:
        """Note which columns of a table are its texts, unless they were chosen."""
        if unread := reader.unread_columns:
            read = join_names(reader.text_columns)
            note = f"only {read} is read, not {join_names(unread)} (--text-field names others)"
            self._add_note(note, reader.name)
        elif names := reader.passed_over_columns:
            note = f"rows are read as a whole, not {join_names(names)} alone (--text-field)"
            self._add_note(note, reader.name)

    def _add_note(self, note: str, name: str) -> None:
        self._notes[note] += 1
        self._first_with_note.setdefault(note, name)

    def _is_in_shard(self, file: _File, row: int) -> bool:
        return self._shard is None or self._shard.has(file.offset, row)

    def _open_reader(self, file: _File) -> RecordReader:
        return RecordReader(
            file.path,
            format=file.format,
            id_prefix="" if self._is_single else f"{file.path}:",
            needs_columns=True,
            **self._settings,
            **(self._fields if has_fields(file.format) else {}),
        )


def watch_files(
    names: Sequence[str],
    format: Format | None = None,  # noqa: A002
    leave_out: Collection[str | Path] = (),
) -> Watch:
    """Watch the files that names refer to, as for ``find_files``; there may be none yet.

    Raises:
        InputError: a name is no file, folder or pattern of this machine.
    """
    for name in names:
        if name == "-" or is_url(name):
            raise InputError(f"{name}: --watch is for files and folders of this machine")
        if not (glob.has_magic(name) or os.path.exists(name)):
            raise InputError(f"{name}: cannot be opened: no such file or folder")
    return Watch(lambda: find_files(names, format, leave_out, may_be_none=True).paths)


def _walk(folder: str, skipped: Counter[str]) -> Iterator[str]:
    """Iterate over the files of a folder; links to folders, pipes and devices are counted in
    ``skipped``."""
    for root, folders, files in os.walk(folder, onerror=_refuse_folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        n_links = sum(os.path.islink(os.path.join(root, name)) for name in folders)
        if n_links:
            skipped["link to a folder"] += n_links
        for name in sorted(files):
            path = os.path.join(root, name)
            if name.startswith("."):
                continue
            if os.path.isfile(path) or not os.path.exists(path):  # broken links become error lines
                yield path
            else:
                skipped["pipe or device"] += 1


def _refuse_folder(error: OSError) -> None:
    raise InputError(f"{error.filename}: this folder cannot be read: {error.strerror}") from error


def _count_text(skipped: Counter[str]) -> str:
    return ", ".join(f"{n} {kind}" for kind, n in sorted(skipped.items()))


def skipped_text(skipped: Counter[str]) -> str:
    """Describe what was skipped in folders."""
    has_pictures = any(EXTENSIONS.get(kind) == "image" for kind in skipped)
    how = f"; pictures are read after `{install_command('ocr')}`" if has_pictures else ""
    return f"{skipped.total()} left out, of no known format: {_count_text(skipped)}{how}"
