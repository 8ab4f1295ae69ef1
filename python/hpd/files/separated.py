"""The rows of CSV and TSV, whose quoted fields may hold line breaks."""

from __future__ import annotations

import csv
import itertools
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from hpd.errors import InputError
from hpd.files.messages import listed

ColumnCheck = Callable[[Sequence[str]], None]
"""Is told the names in a header, and raises ``InputError`` if they will not do."""

MAX_FIELD_LINES = 50
"""The most lines that a row may span, unless another number is named. Quotation marks without
their partner, which make one field of all rows up to the next mark, are more frequent than fields
as long as that."""

_MAX_CSV_FIELD = 2**31 - 1
"""The most that the csv module takes, a C long (32 bits on Windows); its default is 128 KiB."""

_INVALID_UTF8 = re.compile("[\udc80-\udcff]")


def separated_rows(
    lines: Iterator[bytes],
    name: str,
    delimiter: str,
    max_field_lines: int,
    check_columns: ColumnCheck | None = None,
) -> Iterator[tuple[int, Mapping[str, Any] | InputError]]:
    """The number of each row's first line, and the row by the names in the header, or its error.

    Args:
        lines: all lines with their ends, the header's first.
        name: the file's, for messages.
        delimiter: one character. A comma is a semicolon where the first line has semicolons
            and no comma, as spreadsheets write it in countries with a decimal comma.
        max_field_lines: the most lines of a row. All lines of one that has more are left out.
        check_columns: is told the header, before the first row.
    """
    csv.field_size_limit(_MAX_CSV_FIELD)
    first = next(lines, b"")
    if delimiter == "," and b"," not in first and b";" in first:
        delimiter = ";"
    table = _Table(itertools.chain([first], lines) if first else lines, delimiter, max_field_lines)
    header = _header(table, name)
    if check_columns is not None:
        check_columns(header)
    while True:
        begins = table.n_lines + 1
        where = f"{name}:{begins}"
        try:
            values = table.row()
        except StopIteration:
            return
        except _TooManyLinesError:
            table.skip_row()
            yield begins, InputError(_too_many(where, max_field_lines, begins, table.n_lines))
        except csv.Error as error:
            span = f" (lines {begins} to {table.n_lines})" if table.n_lines > begins else ""
            yield begins, InputError(f"{where}: cannot be read as a row{span}: {error}")
        else:
            if values and (len(values) > 1 or values[0].strip()):
                yield begins, _row(header, values, where)


class _TooManyLinesError(Exception):
    """Raised inside the csv module when a row does not end."""


class _Table:
    """The values of one row after another, as long as none spans too many lines."""

    def __init__(self, lines: Iterator[bytes], delimiter: str, max_field_lines: int) -> None:
        self.n_lines = 0
        """The lines that have been read."""
        self._lines = lines
        self._delimiter = delimiter
        self._max_field_lines = max_field_lines
        self._n_before = 0
        self._line = b""
        self._rows = self._reader()

    def row(self) -> list[str]:
        """The values of the next row."""
        self._n_before = self.n_lines
        try:
            return next(self._rows)
        except _TooManyLinesError:
            # The reader is in the midst of a row.
            self._rows = self._reader()
            raise

    def skip_row(self) -> None:
        """Go to the line on which a field that spans too many lines ends, or to the last one."""
        while b'"' not in self._line.replace(b'""', b""):
            line = next(self._lines, None)
            if line is None:
                return
            self._line = line
            self.n_lines += 1

    def _reader(self) -> Iterator[list[str]]:
        return csv.reader(self._decoded(), delimiter=self._delimiter, strict=True)

    def _decoded(self) -> Iterator[str]:
        """The lines of one row after another.

        Bytes that are not UTF-8 become surrogates, which are looked for in each row. NUL is
        replaced, as the csv module of Python 3.10 refuses it.
        """
        for line in self._lines:
            self.n_lines += 1
            self._line = line
            if self.n_lines - self._n_before > self._max_field_lines:
                raise _TooManyLinesError
            yield line.decode("utf-8", "surrogateescape").replace("\x00", "\ufffd")


def _header(table: _Table, name: str) -> list[str]:
    header: list[str] = []
    try:
        while not any(header):
            header = table.row()
    except StopIteration:
        raise InputError(
            f"{name}: empty; expected a header with the names of the columns"
        ) from None
    except csv.Error as error:
        raise InputError(f"{name}: the header cannot be read: {error}") from error
    except _TooManyLinesError:
        raise InputError(
            f"{name}: the header does not end: a quotation mark in it has no partner"
        ) from None
    header = [column.strip() for column in header]
    twice = [column for column, n in Counter(header).items() if n > 1 and column]
    if twice:
        raise InputError(f"{name}: the header names {listed(twice)} more than once")
    return header


def _row(header: list[str], values: list[str], where: str) -> Mapping[str, Any] | InputError:
    if len(values) > len(header):
        return InputError(
            f"{where}: {len(values)} columns where the header has {len(header)}; "
            "is a delimiter inside a value that is not quoted?"
        )
    if any(_INVALID_UTF8.search(value) for value in values):
        return InputError(f"{where}: not valid UTF-8; convert the file, for example with iconv")
    return dict(zip(header, values, strict=False))


def _too_many(where: str, max_field_lines: int, begins: int, ends: int) -> str:
    return (
        f"{where}: a field spans {ends - begins + 1} lines ({begins} to {ends}), and at most "
        f"{max_field_lines} are allowed: is there a quotation mark without its partner? All of "
        "them are left out; if the field is meant to be as long as that, allow it with "
        "--max-field-lines"
    )
