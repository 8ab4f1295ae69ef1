"""The rows of a file in each format, unchanged."""

from __future__ import annotations

import codecs
import csv
import io
import json
import math
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any, BinaryIO, Literal, cast, get_args

from hpd.errors import InputError
from hpd.records.messages import kind, listed
from hpd.records.whole_files import WHOLE_FORMATS, WholeFormat, WholeText, whole_file
from hpd.version import install_command

RowFormat = Literal["jsonl", "json", "csv", "tsv", "lines", "parquet"]
Format = RowFormat | WholeFormat
FORMATS: tuple[Format, ...] = (*get_args(RowFormat), *WHOLE_FORMATS)

_MAX_CSV_FIELD = 2**31 - 1
"""The most that the csv module takes, a C long (32 bits on Windows); its default is 128 KiB."""

_BETWEEN = re.compile(r"[\s,]*")
_INVALID_UTF8 = re.compile("[\udc80-\udcff]")

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
    except ValueError:
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


def _csv_rows(file: BinaryIO, name: str) -> Iterator[Row]:
    return _separated_rows(file, name, ",")


def _tsv_rows(file: BinaryIO, name: str) -> Iterator[Row]:
    return _separated_rows(file, name, "\t")


def _separated_rows(file: BinaryIO, name: str, delimiter: str) -> Iterator[Row]:
    csv.field_size_limit(_MAX_CSV_FIELD)
    # Bytes that are not UTF-8 become surrogates, which are looked for in each row. NUL is replaced,
    # as the csv module of Python 3.10 refuses it.
    lines = (
        raw.decode("utf-8", "surrogateescape").replace("\x00", "\ufffd")
        for raw in _lines(file, name)
    )
    reader = csv.reader(lines, delimiter=delimiter, strict=True)
    header = _header(reader, name)
    while True:
        begins = reader.line_num + 1
        where = f"{name}:{begins}"
        try:
            values = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            yield begins, InputError(f"{where}: cannot be read as a row: {error}")
            continue
        if values and (len(values) > 1 or values[0].strip()):
            yield begins, _separated_row(header, values, where)


def _header(reader: Iterator[list[str]], name: str) -> list[str]:
    try:
        header = next((values for values in reader if any(values)), None)
    except csv.Error as error:
        raise InputError(f"{name}: the header cannot be read: {error}") from error
    if header is None:
        raise InputError(f"{name}: empty; expected a header with the names of the columns")
    header = [column.strip() for column in header]
    twice = [column for column, n in Counter(header).items() if n > 1 and column]
    if twice:
        raise InputError(f"{name}: the header names {listed(twice)} more than once")
    return header


def _separated_row(
    header: list[str], values: list[str], where: str
) -> Mapping[str, Any] | InputError:
    if len(values) > len(header):
        return InputError(
            f"{where}: {len(values)} columns where the header has {len(header)}; "
            "is a delimiter inside a value that is not quoted?"
        )
    if any(_INVALID_UTF8.search(value) for value in values):
        return InputError(f"{where}: not valid UTF-8")
    return dict(zip(header, values, strict=False))


def _parquet_rows(file: BinaryIO, name: str) -> Iterator[Row]:
    arrow = parquet_module()
    seekable = file if file.seekable() else io.BytesIO(file.read())
    try:
        batches = arrow.ParquetFile(seekable).iter_batches(batch_size=256)
        rows = (row for batch in batches for row in batch.to_pylist())
        yield from enumerate(rows, start=1)
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


ROWS: dict[Format, Callable[[BinaryIO, str], Iterator[Row]]] = {
    "jsonl": _jsonl_rows,
    "json": _json_rows,
    "csv": _csv_rows,
    "tsv": _tsv_rows,
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
