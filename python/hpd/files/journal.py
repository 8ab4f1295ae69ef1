"""The journal beside an output file: the documents that are finished, and where their lines are.

The output itself stays plain JSONL, for ``jq`` and everybody else, so what is known of a run lies
in a file of its own: ``values.jsonl.run`` beside ``values.jsonl``. Its first line holds the
settings of the run and the names of what it reads, every other line one finished document. Lines
are only ever appended and flushed one by one, so a process that is killed leaves at most half a
line behind. Fingerprints tell whether documents and settings are the same as before.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import sys
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from hpd.errors import InputError
from hpd.files.streams import naming, reason

_N_ENDS = 1 << 20  # bytes at either end of a model file that go into its fingerprint


def document_fingerprint(record_id: str, text: str, category: str | None) -> str:
    """16 hexadecimal digits for a document: its id, its text and its category."""
    return text_fingerprint(json.dumps([record_id, text, category]))


def text_fingerprint(text: str) -> str:
    """16 hexadecimal digits for a text."""
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def file_fingerprint(path: str | Path) -> str:
    """A fingerprint of a large file: its size, and a megabyte at either end."""
    with open(path, "rb") as file:
        digest = hashlib.blake2b(file.read(_N_ENDS), digest_size=8)
        size = file.seek(0, os.SEEK_END)
        file.seek(max(0, size - _N_ENDS))
        digest.update(file.read())
    digest.update(str(size).encode())
    return digest.hexdigest()


def differences(before: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    """The names of the settings that are not as they were."""
    names = [*now, *(name for name in before if name not in now)]
    return [name for name in names if before.get(name) != now.get(name)]


def lock(file: BinaryIO) -> bool:
    """Lock an open file for this process alone; False if another process has it.

    The lock is the system's own: it goes when the file is closed or the process ends, however
    that happens, so no stale lock is ever left behind.
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
_FINGERPRINT = re.compile("[0-9a-f]{16}")
_MOST_BYTES = 1 << 60


@dataclass(frozen=True, slots=True)
class Entry:
    """One finished document."""

    place: int
    """Its place in the input, from 0."""
    document: str
    """Its fingerprint."""
    failed: bool
    end: int | None = None
    """The offset in the output behind its line, if the line is there."""
    line: str | None = None
    """The line itself, as long as it waits for its turn."""


@dataclass(frozen=True, slots=True)
class Head:
    """The first line of a journal."""

    settings: Mapping[str, Any]
    """All that decides the values, by name."""
    about: Mapping[str, Any]
    """The names of the input, the schema and the model, for people; nothing is decided by them."""


def journal_path(path: Path) -> Path:
    """The journal of an output."""
    return path.with_name(path.name + ".run")


class Journal:
    """An open journal, locked against other processes.

    Raises:
        InputError: it cannot be opened, another process has it, or it is no journal of hpd.
    """

    def __init__(
        self, path: Path, settings: Mapping[str, Any], about: Mapping[str, Any] | None = None
    ) -> None:
        self.path = path
        self.head = Head(settings, about or {})
        """That with which the run began; of a new journal, what was given."""
        try:
            self._file: BinaryIO = open(path, "ab+")  # noqa: SIM115
        except OSError as error:
            raise InputError(f"{path}: cannot be written: {reason(error)}") from error
        try:
            if not lock(self._file):
                raise InputError(f"{path}: another process is writing this output just now")
            self._cut_unfinished_line()
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

    def entries(self) -> Iterator[tuple[int, Entry]]:
        """Every entry with the offset of its line, oldest first."""
        with open(self.path, "rb") as file:
            offset = len(file.readline())
            for number, line in enumerate(file, start=2):
                yield offset, read_entry(line, f"{self.path}:{number}")
                offset += len(line)

    def entry_at(self, offset: int) -> Entry:
        """The entry whose line begins at an offset."""
        with open(self.path, "rb") as file:
            file.seek(offset)
            return read_entry(file.readline(), f"{self.path} at byte {offset}")

    def append(self, entry: Entry) -> int:
        """Add an entry, which is in the file when this returns; the offset of its line."""
        row: dict[str, Any] = {"place": entry.place, "document": entry.document}
        if entry.failed:
            row["failed"] = True
        if entry.end is not None:
            row["end"] = entry.end
        if entry.line is not None:
            row["line"] = entry.line
        return self._append(row)

    def replace(self, entries: Iterator[Entry]) -> None:
        """Atomically replace all entries."""
        new = Journal(self.path.with_name(self.path.name + ".new"), {})
        try:
            new.clear(self.head)
            for entry in entries:
                new.append(entry)
            new.path.replace(self.path)
        except BaseException:
            with suppress(OSError):
                new.close()
            new.path.unlink()
            raise
        self._file.close()
        # The lock moves with the open file, which now has this journal's name.
        self._file = new._file

    def clear(self, head: Head) -> None:
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
        text = json.dumps(row, ensure_ascii=False)
        with naming(self.path):
            self._file.write(text.encode("utf-8", "backslashreplace") + b"\n")
            self._file.flush()
        return offset

    def _cut_unfinished_line(self) -> None:
        end = end_of_last_line(self._file)
        if end < self._file.seek(0, 2):
            self._file.truncate(end)


def read_head(line: bytes, path: Path) -> Head:
    """The first line of the journal at ``path``.

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
    return Head(settings, about)


def read_entry(line: bytes, where: str) -> Entry:
    """One further line of a journal; ``where`` it is, for the message.

    Raises:
        InputError: hpd did not write it.
    """
    try:
        row = json.loads(line)
        entry = Entry(
            row["place"],
            row["document"],
            row.get("failed", False),
            row.get("end"),
            row.get("line"),
        )
        is_right = _is_right(entry)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        is_right = False
    if not is_right:
        raise InputError(f"{where}: not an entry that hpd wrote: start again with --overwrite")
    return entry


def _is_right(entry: Entry) -> bool:
    """Whether hpd can have written an entry; lines would be lost by any other."""
    return (
        type(entry.place) is int
        and entry.place >= 0
        and _FINGERPRINT.fullmatch(entry.document) is not None
        and type(entry.failed) is bool
        and (entry.end is None) == (entry.line is not None)
        and (entry.end is None or (type(entry.end) is int and 0 < entry.end < _MOST_BYTES))
        and (entry.line is None or (isinstance(entry.line, str) and entry.line.endswith("\n")))
    )


def end_of_last_line(file: BinaryIO, block: int = 1 << 16) -> int:
    """The offset behind the last line feed of a file, 0 if there is none."""
    end = file.seek(0, 2)
    while end > 0:
        begin = max(0, end - block)
        file.seek(begin)
        at = file.read(end - begin).rfind(b"\n")
        if at >= 0:
            return begin + at + 1
        end = begin
    return 0
