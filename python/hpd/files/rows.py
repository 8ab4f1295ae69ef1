"""The rows of a file in each format, unchanged."""

from __future__ import annotations

import codecs
import csv
import io
import itertools
import json
import math
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, BinaryIO, Literal, cast, get_args

from hpd.errors import InputError
from hpd.files.streams import kind, listed
from hpd.files.whole_files import WHOLE_FORMATS, WholeFormat, WholeText, whole_file
from hpd.version import install_command

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
        "them are left out; if the field is meant to be as long as that, write "
        "the file as JSON Lines or Parquet"
    )


RowFormat = Literal["jsonl", "json", "csv", "tsv", "lines", "parquet"]
Format = RowFormat | WholeFormat
FORMATS: tuple[Format, ...] = (*get_args(RowFormat), *WHOLE_FORMATS)

_BETWEEN = re.compile(r"[\s,]*")

Row = tuple[int, "Mapping[str, Any] | str | WholeText | InputError"]
"""The number of its first line, and the row: a mapping, a text, or the error in reading it."""


def _jsonl_rows(file: BinaryIO, name: str) -> Iterator[Row]:
    lines = _numbered_lines(file, name)
    for number, (line, raw) in enumerate(lines):
        if number == 0 and raw.lstrip()[:1] == b"[":
            rest = b"\n".join([raw, *(other for _, other in lines)])
            yield from _array_rows(rest, name, line)
            return
        yield line, _json_row(raw, f"{name}:{line}")


def _json_rows(file: BinaryIO, name: str) -> Iterator[Row]:
    """An array of rows, rows one after another on as many lines as they like, or JSON Lines."""
    first = file.readline()
    if not first.strip():
        yield from _array_rows(first + file.read(), name, 1)
        return
    try:
        is_line = isinstance(json.loads(first, strict=False), dict)
    except (ValueError, RecursionError):
        is_line = False
    if is_line:
        yield from _jsonl_rows(cast(BinaryIO, _Continued(first, file)), name)
    else:
        yield from _array_rows(first + file.read(), name, 1)


def _array_rows(data: bytes, name: str, line: int) -> Iterator[Row]:
    """The elements of an array, or values one after another, which are read whole."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        yield line, InputError(f"{name}: not valid UTF-8 at byte {error.start + 1}")
        return
    decoder = json.JSONDecoder(strict=False)
    at = _BETWEEN.match(text).end()  # type: ignore[union-attr]
    is_array = text[at : at + 1] == "["
    counted = 0
    if is_array:
        at = _BETWEEN.match(text, at + 1).end()  # type: ignore[union-attr]
    while at < len(text) and not (is_array and text[at] == "]"):
        line += text.count("\n", counted, at)
        counted = at
        try:
            row, at = decoder.raw_decode(text, at)
        except json.JSONDecodeError as error:
            column = error.pos - text.rfind("\n", 0, error.pos)
            where = f"{name}:{line + text.count(chr(10), counted, error.pos)}"
            yield line, InputError(f"{where}: not valid JSON: {error.msg} at column {column}")
            return
        except (ValueError, RecursionError) as error:
            yield line, InputError(f"{name}:{line}: not valid JSON: {error}")
            return
        if isinstance(row, dict | str):
            yield line, row
        else:
            yield line, InputError(f"{name}:{line}: expected a JSON object, found {kind(row)}")
        at = _BETWEEN.match(text, at).end()  # type: ignore[union-attr]
    if is_array and at >= len(text):
        yield line, InputError(f"{name}: the array does not end; is the file cut off?")


class _Continued:
    """A stream of which the first line has been read already."""

    def __init__(self, first: bytes, rest: BinaryIO) -> None:
        self._first = first
        self._rest = rest

    def readline(self) -> bytes:
        first, self._first = self._first, b""
        return first or self._rest.readline()

    def __iter__(self) -> Iterator[bytes]:
        return iter(self._rest)


def _json_row(raw: bytes, where: str) -> Mapping[str, Any] | str | InputError:
    try:
        # Control characters inside strings are against the rules of JSON, but harmless.
        row = json.loads(raw.decode("utf-8"), strict=False)
    except UnicodeDecodeError as error:
        return InputError(f"{where}: not valid UTF-8 at byte {error.start + 1} of the line")
    except json.JSONDecodeError as error:
        return InputError(f"{where}: not valid JSON: {error.msg} at column {error.colno}")
    except (ValueError, RecursionError) as error:  # an integer too long, nesting too deep
        return InputError(f"{where}: not valid JSON: {error}")
    if isinstance(row, (dict, str)):
        return row
    return InputError(f"{where}: expected a JSON object, found {kind(row)}")


def _text_rows(file: BinaryIO, name: str) -> Iterator[Row]:
    for line, raw in _numbered_lines(file, name):
        try:
            yield line, raw.decode("utf-8")
        except UnicodeDecodeError as error:
            where = f"{name}:{line}"
            message = f"{where}: not valid UTF-8 at byte {error.start + 1} of the line"
            yield line, InputError(message)


def _separated_rows(
    file: BinaryIO,
    name: str,
    max_field_lines: int = MAX_FIELD_LINES,
    check_columns: ColumnCheck | None = None,
    *,
    delimiter: str,
) -> Iterator[Row]:
    return separated_rows(_lines(file, name), name, delimiter, max_field_lines, check_columns)


def _parquet_rows(
    file: BinaryIO, name: str, check_columns: ColumnCheck | None = None
) -> Iterator[Row]:
    arrow = parquet_module()
    seekable = file if file.seekable() else io.BytesIO(file.read())
    try:
        table = arrow.ParquetFile(seekable)
        if check_columns is not None:
            check_columns(table.schema_arrow.names)
        batches = table.iter_batches(batch_size=256)
        rows = (row for batch in batches for row in batch.to_pylist())
        yield from enumerate(rows, start=1)
    except InputError:
        raise
    except (ValueError, OSError) as error:  # pyarrow's errors derive from these
        raise InputError(f"{name}: cannot be read as Parquet: {error}") from error


def plain_value(value: Any) -> Any:
    """A column's value as JSON can hold it: NaN is none, and what JSON has no type for is text."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if value is None or isinstance(value, str | int):
        return value
    if isinstance(value, Mapping):
        return {str(name): plain_value(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [plain_value(inner) for inner in value]
    iso = getattr(value, "isoformat", None)
    return iso() if callable(iso) else str(value)


def parquet_module() -> Any:
    """pyarrow's module; ``InputError`` if it is not installed."""
    try:
        import pyarrow.parquet
    except ImportError as error:
        raise InputError(
            f"reading Parquet needs pyarrow: run `{install_command('parquet')}`"
        ) from error
    return pyarrow.parquet


SEPARATED: tuple[Format, ...] = ("csv", "tsv")
"""The formats whose reader in ``ROWS`` takes ``max_field_lines``."""

TABLES: tuple[Format, ...] = (*SEPARATED, "parquet")
"""The formats that name their columns before the first row, to the reader's ``check_columns``."""

ROWS: dict[Format, Callable[..., Iterator[Row]]] = {
    "jsonl": _jsonl_rows,
    "json": _json_rows,
    "csv": partial(_separated_rows, delimiter=","),
    "tsv": partial(_separated_rows, delimiter="\t"),
    "lines": _text_rows,
    "parquet": _parquet_rows,
    **{name: whole_file(name) for name in WHOLE_FORMATS},
}


def _numbered_lines(file: BinaryIO, name: str) -> Iterator[tuple[int, bytes]]:
    """The lines that are not blank, without line ends, and their numbers from 1."""
    for number, raw in enumerate(_lines(file, name), start=1):
        stripped = raw.rstrip(b"\r\n")
        if stripped.strip():
            yield number, stripped


def _lines(file: BinaryIO, name: str) -> Iterator[bytes]:
    """All lines with their ends; only a line feed ends one, as JSON Lines demands."""
    first = file.readline()
    if first.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise InputError(f"{name}: this is UTF-16; convert it to UTF-8, for example with iconv")
    if first:
        yield first.removeprefix(codecs.BOM_UTF8)
    yield from file
