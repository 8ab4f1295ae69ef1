"""The journal beside an output file: which documents are finished, and where their lines are.

The output stays plain JSON Lines, for ``jq`` and other programs. The state of a run is kept in a
separate file: ``values.jsonl.run`` beside ``values.jsonl``. Its first line holds the settings and
the inputs of the run, each other line one finished document. Lines are only appended, and flushed
one by one, so a killed process leaves at most one incomplete line. Fingerprints show whether
documents and settings have changed.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, BinaryIO

from hpd.errors import InputError
from hpd.files.streams import error_reason, naming_file
from hpd.surrogates import escaped_utf8

_N_DIFFERENCES = 5
_N_END_BYTES = 1 << 20  # bytes at either end of a model file that go into its fingerprint


def document_fingerprint(record_id: str, text: str, category: str | None) -> str:
    """Return a fingerprint of 16 hexadecimal digits of a document's id, text and category."""
    return text_fingerprint(json.dumps([record_id, text, category]))


def text_fingerprint(text: str) -> str:
    """Return a fingerprint of 16 hexadecimal digits of a text."""
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def file_fingerprint(path: str | Path) -> str:
    """Return a fingerprint of a large file: its size, and a megabyte at either end."""
    with open(path, "rb") as file:
        digest = hashlib.blake2b(file.read(_N_END_BYTES), digest_size=8)
        size = file.seek(0, os.SEEK_END)
        file.seek(max(0, size - _N_END_BYTES))
        digest.update(file.read())
    digest.update(str(size).encode())
    return digest.hexdigest()


def differences(before: JournalHead, now: JournalHead) -> list[str]:
    """Describe the settings that have changed, and how."""
    names = [*now.settings, *(name for name in before.settings if name not in now.settings)]
    return [
        name + _difference(name, before, now)
        for name in names
        if before.settings.get(name) != now.settings.get(name)
    ]


def _difference(name: str, before: JournalHead, now: JournalHead) -> str:
    if name == "schema":
        old, new = (head.about.get("attributes") or {} for head in (before, now))
        parts = [f"{each} is new" for each in new if each not in old] if old else []
        parts += [f"{each} is gone" for each in old if each not in new] if new else []
        parts += [
            f"{each} is {new[each]}, was {old[each]}"
            for each in new
            if each in old and old[each] != new[each]
        ]
        if not parts and old and [*old] != [*new]:
            parts = ["another order of attributes"]
    else:
        was, is_now = (
            head.about.get(name) if name == "model" else head.settings.get(name)
            for head in (before, now)
        )
        is_told = was != is_now and not any(_FINGERPRINT.fullmatch(str(v)) for v in (was, is_now))
        parts = [f"{_setting_text(is_now)}, was {_setting_text(was)}"] if is_told else []
    shown = "; ".join(parts[:_N_DIFFERENCES])
    more = f"; and {len(parts) - _N_DIFFERENCES} more" if len(parts) > _N_DIFFERENCES else ""
    return f" ({shown}{more})" if shown else ""


def _setting_text(value: Any) -> str:
    return "not set" if value is None else str(value)


def lock(file: BinaryIO) -> bool:
    """Lock an open file for this process; False if another process holds the lock.

    The operating system releases the lock when the file is closed or the process ends, so no stale
    lock is left behind.
    """
    try:
        if sys.platform == "win32":
            import msvcrt

            file.seek(0)
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


VERSION = 1
_HEAD = "hpd_run"
_TABLE = b'{"table": '
_FINGERPRINT = re.compile("[0-9a-f]{16}")
_MAX_END = 1 << 60


@dataclass(frozen=True, slots=True)
class JournalEntry:
    """One finished document."""

    index: int
    """Its index in the input, from 0."""
    document: str
    """Its fingerprint."""
    failed: bool = False
    end: int | None = None
    """The offset in the output after its line, if the line is written."""
    line: str | None = None
    """The line itself, while it waits for its turn."""
    crc: int | None = None
    """The CRC-32 of its line in the output, which shows whether it was edited."""


@dataclass(frozen=True, slots=True)
class JournalHead:
    """The first line of a journal."""

    settings: Mapping[str, Any]
    """Everything that the values depend on, by name."""
    about: Mapping[str, Any]
    """The names of the input, the schema and the model, for display only."""


@dataclass(frozen=True, slots=True)
class TableEntry:
    """A table that was made from the lines of a run."""

    table: str
    """The name of its file."""
    rows: Sequence[int]
    """The checksums of its rows."""
    confidence: bool
    """Whether it has columns with confidences."""
    places: bool
    """Whether it has columns with places."""


def journal_path(path: Path) -> Path:
    """Return the path of an output's journal."""
    return path.with_name(path.name + ".run")


class Journal:
    """An open journal, locked against other processes.

    Raises:
        InputError: it cannot be opened, another process has locked it, or hpd did not write it.
    """

    def __init__(
        self, path: Path, settings: Mapping[str, Any], about: Mapping[str, Any] | None = None
    ) -> None:
        self.path = path
        self.head = JournalHead(settings, about or {})
        """The head of the existing journal, or the given one for a new journal."""
        try:
            self._file: BinaryIO = open(path, "ab+")  # noqa: SIM115
        except OSError as error:
            raise InputError(f"{path}: cannot be written: {error_reason(error)}") from error
        try:
            if not lock(self._file):
                raise InputError(f"{path}: another process is writing this output")
            cut_unfinished_line(self._file)
            self._file.seek(0)
            head = self._file.readline()
            self.is_new = not head
            if self.is_new:
                self._append_head()
            else:
                self.head = read_head(head, path)
        except BaseException:
            with suppress(OSError):
                self.close()
            raise

    def entries(self) -> Iterator[tuple[int, JournalEntry]]:
        """Iterate over all entries with the offsets of their lines, oldest first."""
        with open(self.path, "rb") as file:
            file.readline()
            yield from read_entries(file, self.path)

    def entry_at(self, offset: int) -> JournalEntry:
        """Return the entry whose line begins at an offset."""
        with open(self.path, "rb") as file:
            file.seek(offset)
            return read_entry(file.readline(), f"{self.path} at byte {offset}")

    def append(self, entry: JournalEntry) -> int:
        """Append an entry, flush it, and return the offset of its line."""
        row = asdict(entry).items()
        return self._append({name: v for name, v in row if v is not None and v is not False})

    def append_table(self, table: TableEntry) -> None:
        """Record the table that was made; the last record counts."""
        self._append(asdict(table))

    def replace(self, entries: Iterator[JournalEntry]) -> None:
        """Atomically replace all entries; the last table stays recorded."""
        new = Journal(self.path.with_name(self.path.name + ".new"), {})
        try:
            new.clear(self.head)
            for entry in entries:
                new.append(entry)
            if (table := last_table(self.path)) is not None:
                new.append_table(table)
            new.path.replace(self.path)
        except BaseException:
            with suppress(OSError):
                new.close()
            new.path.unlink()
            raise
        self._file.close()
        # The new file, which is open and locked, now has this journal's name.
        self._file = new._file

    def clear(self, head: JournalHead) -> None:
        """Remove all entries, and write another first line."""
        self.head = head
        self._file.truncate(0)
        self._append_head()

    def move(self, path: Path) -> None:
        """Give the journal another name."""
        self.path.replace(path)
        self.path = path

    def close(self) -> None:
        """Close the file, and with it the lock."""
        self._file.close()

    def _append_head(self) -> None:
        head = {"settings": dict(self.head.settings), "about": dict(self.head.about)}
        self._append({_HEAD: VERSION, **head})

    def _append(self, row: Mapping[str, Any]) -> int:
        offset = self._file.seek(0, 2)
        with naming_file(self.path):
            self._file.write(escaped_utf8(json.dumps(row, ensure_ascii=False)) + b"\n")
            self._file.flush()
        return offset


def cut_unfinished_line(file: BinaryIO) -> None:
    """Remove the last line if a killed process or a full disk left it without its line feed."""
    file.seek(0)
    end = sum(len(line) for line in file if line.endswith(b"\n"))
    if end < file.tell():
        file.truncate(end)


def read_head(line: bytes, path: Path) -> JournalHead:
    """Parse the first line of the journal at ``path``.

    Raises:
        InputError: hpd did not write it, or another version did.
    """
    try:
        row = json.loads(line)
        version, settings, about = row[_HEAD], row["settings"], row.get("about", {})
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise InputError(f"{path}: not a journal that hpd wrote") from error
    if version != VERSION:
        raise InputError(
            f"{path}: written by another version of hpd: finish the run with that version, or "
            "start again with --overwrite"
        )
    if not isinstance(settings, dict) or not isinstance(about, dict):
        raise InputError(f"{path}: not a journal that hpd wrote")
    return JournalHead(settings, about)


def read_journal(path: Path) -> tuple[JournalHead, set[str]]:
    """Read the head of a journal and the fingerprints of its documents, without a lock.

    Raises:
        InputError: hpd did not write it.
        OSError: it cannot be read.
    """
    with open(path, "rb") as file:
        head = read_head(file.readline(), path)
        return head, {entry.document for _, entry in read_entries(file, path)}


def read_entries(file: BinaryIO, path: Path) -> Iterator[tuple[int, JournalEntry]]:
    """Iterate over the entries of the journal at ``path``, after its first line, with the offsets
    of their lines; an unfinished last line is left out.

    Raises:
        InputError: hpd did not write it.
    """
    offset = file.tell()
    for number, line in enumerate(file, start=2):
        if line.endswith(b"\n") and not line.startswith(_TABLE):
            yield offset, read_entry(line, f"{path}:{number}")
        offset += len(line)


def last_table(journal: Path) -> TableEntry | None:
    """Return the last table that was made from the lines, if their journal records one."""
    found = None
    try:
        with open(journal, "rb") as file:
            for line in file:
                if line.startswith(_TABLE) and line.endswith(b"\n"):
                    row = json.loads(line)
                    sums = [*map(int, row["rows"])]
                    has_columns = (bool(row.get(name)) for name in ("confidence", "places"))
                    found = TableEntry(row["table"], sums, *has_columns)
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return found


def read_entry(line: bytes, where: str) -> JournalEntry:
    """Parse a line of a journal; ``where`` is its location, for the message.

    Raises:
        InputError: hpd did not write it.
    """
    try:
        row = json.loads(line)
        entry = JournalEntry(**row)
        is_valid = _is_valid(entry)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        is_valid = False
    if not is_valid:
        raise InputError(f"{where}: not an entry that hpd wrote: start again with --overwrite")
    return entry


def _is_valid(entry: JournalEntry) -> bool:
    """Return whether hpd can have written an entry; others could cause a loss of lines."""
    return (
        type(entry.index) is int
        and entry.index >= 0
        and _FINGERPRINT.fullmatch(entry.document) is not None
        and type(entry.failed) is bool
        and (entry.end is None) == (entry.line is not None)
        and (entry.end is None or (type(entry.end) is int and 0 < entry.end < _MAX_END))
        and (entry.end is None or type(entry.crc) is int)
        and (entry.line is None or _is_line(entry.line))
    )


def _is_line(line: str) -> bool:
    return line.index("\n") == len(line) - 1 and isinstance(json.loads(line), dict)
