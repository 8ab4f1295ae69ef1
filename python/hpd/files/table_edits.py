"""Detects edits in a table, so that corrections are not overwritten by accident."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path

from hpd.errors import InputError
from hpd.files.journal import Journal, journal_path, rows_of_last_table
from hpd.files.reader import Record, RecordReader
from hpd.files.rows import plain_value


def note_table(lines: Path, table: Path) -> None:
    """Record in the journal which table was made from the lines."""
    journal = Journal(journal_path(lines), {})
    try:
        journal.note_table(table.name, [each for each, _ in _sums(table)])
    finally:
        journal.close()


def check_unedited(lines: Path, table: Path) -> None:
    """Check that no rows of a table were edited; saving it without changes is fine.

    Raises:
        InputError: a row was edited, or the table can no longer be read.
    """
    noted = rows_of_last_table(journal_path(lines))
    if noted is None or not table.exists():
        return
    try:
        edit = _first_edit(noted, table)
    except InputError as error:
        edit = f"it cannot be read ({error})"
    if edit is not None:
        raise InputError(
            f"{table} was changed since hpd wrote it: {edit}; this run would replace it: "
            "give the changed table another name, or start again (--overwrite)"
        )


def _first_edit(noted: Sequence[int], table: Path) -> str | None:
    n_rows = 0
    for n_rows, (found, record) in enumerate(_sums(table), start=1):
        if n_rows <= len(noted) and found != noted[n_rows - 1]:
            return f"row {record.line} (id {record.id!r}) is different"
    return None if n_rows == len(noted) else f"it has {n_rows} rows, not {len(noted)}"


def _sums(table: Path) -> Iterator[tuple[int, Record]]:
    """Yield the checksum of each row, with its record."""
    with RecordReader(table) as reader:
        for record in reader:
            row = {str(name): plain_value(value) for name, value in record.raw.items()}
            text = json.dumps(row, ensure_ascii=False, default=str)
            yield zlib.crc32(text.encode("utf-8", "replace")), record
