"""Results out, and what is left to do when a run is resumed."""

from __future__ import annotations

import json
import os
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO

from hpd.errors import InputError
from hpd.records.messages import reason
from hpd.records.reader import Record


def error_line(record_id: str | None, error: BaseException) -> dict[str, Any]:
    """The line of output for a document that failed."""
    return {"id": record_id, "error": {"type": type(error).__name__, "message": str(error)}}


class RecordWriter:
    """One flushed line of JSON a document, to a file or (``None``, ``"-"``) standard output.

    A file is overwritten with the first line, or when the writer is left without an error. With
    ``resume``, what an earlier run wrote stays, less a last line that it could not finish, and new
    lines follow; ``pending`` tells what is left to do.
    """

    def __init__(self, target: str | Path | None = None, *, resume: bool = False) -> None:
        self.path = None if target is None or str(target) == "-" else Path(target)
        self.n_kept = 0
        """Records that had a line already, of those that ``pending`` has seen."""
        self._n_kept_bytes = 0
        # A model that cannot be loaded must not cost what an earlier run wrote.
        self._overwrite = not resume and self.path is not None
        if self.path is None:
            self._file: BinaryIO = sys.stdout.buffer
            return
        try:
            if resume and self.path.exists():
                self._n_kept_bytes = _cut_unfinished_line(self.path)
            self._file = open(self.path, "ab")  # noqa: SIM115
        except OSError as error:
            raise InputError(f"{self.path}: cannot be written: {reason(error)}") from error

    def write(self, line: str | Mapping[str, Any]) -> None:
        """Write one line; it is in the file, whole, when this returns."""
        self._begin()
        text = line if isinstance(line, str) else json.dumps(line, ensure_ascii=False)
        # A lone surrogate becomes its JSON escape, which is what backslashreplace writes.
        self._file.write(text.rstrip("\n").encode("utf-8", "backslashreplace") + b"\n")
        self._file.flush()

    def pending(self, records: Iterable[Record]) -> Iterator[Record]:
        """Those of ``records`` that have no line yet.

        While both are in the same order, as they are when the input has not changed, this
        needs no memory; else the ids that remain are held.
        """
        done = self._done_ids()
        upcoming = next(done, None)
        rest: Counter[str] | None = None
        for record in records:
            if rest is None:
                if record.id == upcoming:
                    upcoming = next(done, None)
                    self.n_kept += 1
                    continue
                rest = Counter(done if upcoming is None else [upcoming, *done])
            if rest[record.id] > 0:
                rest[record.id] -= 1
                self.n_kept += 1
            else:
                yield record

    def close(self) -> None:
        """Close the file; standard output stays open."""
        if self.path is not None:
            self._file.close()

    def __enter__(self) -> RecordWriter:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if kind is None:
            self._begin()
        self.close()

    def _begin(self) -> None:
        if self._overwrite:
            self._file.truncate(0)
            self._overwrite = False

    def _done_ids(self) -> Iterator[str]:
        if self.path is None or not self._n_kept_bytes:
            return
        with open(self.path, "rb") as file:
            n_read = 0
            for number, line in enumerate(file, start=1):
                yield _line_id(line, self.path, number)
                n_read += len(line)
                if n_read >= self._n_kept_bytes:
                    return


def _cut_unfinished_line(path: Path) -> int:
    """Cut what follows the last line feed, and return the size that is left."""
    with open(path, "rb+") as file:
        # Only ever cut a file that hpd wrote.
        start = file.readline()
        if start.endswith(b"\n"):
            _line_id(start, path, 1)
        elif not b'{"id":'.startswith(start[:6]):
            raise InputError(f"{path}: not written by hpd, so it cannot be resumed")
        size = _end_of_last_line(file)
        file.truncate(size)
        return size


def _end_of_last_line(file: BinaryIO, block: int = 1 << 16) -> int:
    end = file.seek(0, os.SEEK_END)
    while end > 0:
        begin = max(0, end - block)
        file.seek(begin)
        at = file.read(end - begin).rfind(b"\n")
        if at >= 0:
            return begin + at + 1
        end = begin
    return 0


def _line_id(line: bytes, path: Path, number: int) -> str:
    try:
        return str(json.loads(line)["id"])
    except (ValueError, TypeError, KeyError) as error:
        message = f"{path}:{number}: not a line that hpd wrote, so it cannot be resumed"
        raise InputError(message) from error
