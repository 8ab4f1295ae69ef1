"""The status of a run of ``hpd extract``, from its journal and output."""

from __future__ import annotations

import json
import zlib
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from hpd.errors import InputError
from hpd.files.journal import JournalHead, journal_path, lock, read_entries, read_head
from hpd.files.streams import error_reason
from hpd.results import iter_parts


@dataclass(frozen=True, slots=True)
class RunStatus:
    path: Path
    head: JournalHead
    """The settings of the run, and the names of its inputs."""
    is_running: bool
    """Whether a process is writing the output."""
    n_done: int
    """Documents that have a line, including failed ones."""
    n_waiting: int
    """Finished documents whose lines wait in the journal for their turn."""
    failures: Counter[str]
    """Failed documents, including waiting ones, by type of error."""
    failed_ids: tuple[str, ...]
    changed_line: int | None
    """The number of the first line that was changed since it was written, if any, unless a process
    is writing; the run cannot be resumed."""
    n_surplus: int
    """Bytes at the end of the output that are not in the journal, left by a killed process."""
    n_missing: int
    """Bytes that the output lacks according to the journal; if any, the run cannot be resumed."""

    @property
    def n_finished(self) -> int:
        """All finished documents, including failed ones."""
        return self.n_done + self.n_waiting


def read_status(path: Path) -> RunStatus:
    """Read the status of the run that writes or wrote an output.

    An unfinished line of a running process does not count.

    Raises ``InputError`` if there is no journal beside the output, or it is not one of hpd's.
    """
    journal = journal_path(path)
    try:
        with open(journal, "rb") as file:
            # The lock is released at once, so that a run that starts now is not refused.
            is_running = not lock(file)
        with open(journal, "rb") as file:
            return _read_run(path, journal, file, is_running)
    except FileNotFoundError as error:
        raise InputError(
            f"{path}: there is no {journal.name} beside it, where hpd extract records its run"
            if path.exists()
            else f"{path}: no such file"
        ) from error
    except OSError as error:
        raise InputError(f"{journal}: cannot be read: {error_reason(error)}") from error


def _read_run(path: Path, journal: Path, file: BinaryIO, is_running: bool) -> RunStatus:
    head = read_head(file.readline(), journal)
    failed: list[tuple[str, str]] = []  # the id and the type of error of each
    waiting: dict[int, tuple[str, str] | None] = {}
    changed_line: int | None = None
    n_done = 0
    end = 0
    if not path.exists():
        raise InputError(f"{path}: only the journal of the output exists")
    with open(path, "rb") as output:
        for _, entry in read_entries(file, journal):
            if entry.end is None:
                waiting[entry.index] = _failure(entry.line or "") if entry.failed else None
                continue
            waiting.pop(entry.index, None)
            n_done += 1
            output.seek(end)
            line = output.read(max(0, entry.end - end))
            # A process that is writing the output may be moving its lines.
            if changed_line is None and zlib.crc32(line) != entry.crc and not is_running:
                changed_line = n_done
            if entry.failed:
                failed.append(_failure(line))
            end = max(end, entry.end)
        size = output.seek(0, 2)
    failed += [failure for failure in waiting.values() if failure is not None]
    return RunStatus(
        path=path,
        head=head,
        is_running=is_running,
        n_done=n_done,
        n_waiting=len(waiting),
        failures=Counter(error for _, error in failed),
        failed_ids=tuple(id_ for id_, _ in failed),
        changed_line=changed_line,
        n_surplus=max(0, size - end),
        n_missing=max(0, end - size),
    )


def _failure(line: str | bytes) -> tuple[str, str]:
    """Return the id and the type of the error in a line of output."""
    try:
        row = json.loads(line)
        return str(row["id"]), str(row["error"]["type"])
    except (ValueError, TypeError, KeyError, RecursionError):
        return "unknown", "unknown"


def count_values(path: Path) -> Counter[str]:
    """Count the values of a file, and the nulls and near ties among them.

    Lines that cannot be read, such as an unfinished last one, have none.

    Raises ``OSError`` if the file cannot be read.
    """
    counts: Counter[str] = Counter()
    with open(path, "rb") as file:
        for line in file:
            try:
                row = json.loads(line)
                data, fields = row.get("data"), row.get("fields") or {}
                n_near_ties = sum(bool(field.get("near_tie")) for field in fields.values())
            except (ValueError, AttributeError, RecursionError):
                continue
            if isinstance(data, dict):
                filled = {path for path, part in iter_parts(data) if part is not None}
                n_nulls = sum(path not in filled for path in fields)
                counts.update(values=len(fields), nulls=n_nulls, near_ties=n_near_ties)
    return counts
