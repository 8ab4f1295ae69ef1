"""Reads the rows of a file in each format, unchanged."""

from __future__ import annotations

import csv
import io
import itertools
import json
import math
import os
import re
from base64 import b64encode
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, Literal, get_args

from hpd.documents import Box, Places
from hpd.errors import InputError
from hpd.files.encodings import OTHER_ENCODING
from hpd.files.places import PagePlaces
from hpd.files.streams import Source, kind, listed
from hpd.files.text_tables import table_text

RowFormat = Literal["jsonl", "json", "csv", "tsv", "lines", "parquet", "xlsx", "ods"]
WholeFormat = Literal[
    "txt", "md", "html", "xml", "eml", "pdf", "docx", "pptx", "odt", "epub", "msg", "image"
]
Format = RowFormat | WholeFormat
WHOLE_FORMATS: tuple[WholeFormat, ...] = get_args(WholeFormat)
"""The formats in which a file is one document."""
FORMATS: tuple[Format, ...] = (*get_args(RowFormat), *WHOLE_FORMATS)

EXTENSIONS: dict[str, Format] = {
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "json",
    ".csv": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".txt": "txt",
    ".text": "txt",
    ".md": "md",
    ".markdown": "md",
    ".html": "html",
    ".htm": "html",
    ".xhtml": "html",
    ".xml": "xml",
    ".eml": "eml",
    ".pdf": "pdf",
    ".docx": "docx",
    ".pptx": "pptx",
    ".odt": "odt",
    ".epub": "epub",
    ".msg": "msg",
    ".xlsx": "xlsx",
    ".ods": "ods",
    ".parquet": "parquet",
    ".pq": "parquet",
    **dict.fromkeys((".png", ".jpg", ".jpeg", ".tif", ".tiff", ".bmp", ".gif", ".webp"), "image"),
}
"""The format of each file extension."""

_FORMAT_MODULES: dict[Format, str] = {
    "html": "hpd.external.html",
    "xml": "hpd.external.xml",
    "eml": "hpd.external.mail",
    "msg": "hpd.external.mail",
    "pdf": "hpd.external.pdf",
    "docx": "hpd.external.office",
    "pptx": "hpd.external.office",
    "odt": "hpd.external.office",
    "epub": "hpd.external.office",
    "xlsx": "hpd.external.sheets",
    "ods": "hpd.external.sheets",
    "parquet": "hpd.external.parquet",
    "image": "hpd.external.pictures",
}
"""The modules that read formats other than text, each imported on first use."""

SEPARATED: tuple[Format, ...] = ("csv", "tsv")
"""The formats with a delimiter between columns."""

MAILS: tuple[Format, ...] = ("eml", "msg")
"""The formats that may contain other documents."""

ENCODED: tuple[Format, ...] = ("jsonl", "json", *SEPARATED, "lines", "txt", "md", "html")
"""The formats that are text in one encoding."""


@dataclass(frozen=True, slots=True)
class WholeText:
    """The text of a whole file."""

    text: str
    columns: Mapping[str, Any] = field(default_factory=dict)
    """Its other columns, such as the headers of an e-mail."""
    page_starts: tuple[int, ...] = ()
    """The character at which each page begins, for formats that have pages."""
    places: Places | None = None
    """The positions of its characters on these pages."""
    parts: Sequence[tuple[str, bytes]] = ()
    """Files in it that are separate documents, with their names."""


Placed = tuple[str, "Box | None"]
"""A text, and its box on the page; blanks between words have none."""


def whole_text(pages: Sequence[Sequence[Sequence[Placed]]]) -> WholeText:
    """Join the lines of pages into the text of a file, with the places of its letters."""
    parts: list[str] = []
    starts: list[int] = []
    boxes: list[tuple[int, int, Box]] = []
    n = 0
    for number, lines in enumerate(pages):
        if number:
            parts.append("\n\n")
            n += 2
        starts.append(n)
        for i, line in enumerate(lines):
            if i:
                parts.append("\n")
                n += 1
            for text, box in line:
                if box is not None:
                    boxes.append((n, n + len(text), box))
                parts.append(text)
                n += len(text)
    text = "".join(parts)
    places = PagePlaces(text, starts)
    for each in boxes:
        places.add(*each)
    return WholeText(text, page_starts=tuple(starts), places=places)


Row = tuple[int, "Mapping[str, Any] | str | WholeText | InputError"]
"""The number of its first line, and the row: a mapping, a text, or the error in reading it."""

_MAX_FIELD_LINES = 50
"""Maximum number of lines in a row of CSV or TSV. Unpaired quotation marks, which turn all rows up
to the next mark into one field, are more frequent than longer fields."""

_BETWEEN = re.compile(r"[\s,]*")
_MAX_CSV_FIELD = 2**31 - 1
"""The maximum of the csv module, a C long (32 bits on Windows); its default is 128 KiB."""
_DELIMITERS = (",", ";", "\t", "|")
_N_SNIFFED = 20  # lines


def _jsonl_rows(source: Source) -> Iterator[Row]:
    yield from _rows_of_lines(_numbered_lines(source.lines()), source)


def _rows_of_lines(lines: Iterator[tuple[int, str]], source: Source) -> Iterator[Row]:
    for n_before, (line, text) in enumerate(lines):
        if n_before == 0 and text.lstrip()[:1] == "[":
            rest = "\n".join([text, *(other for _, other in lines)])
            yield from _array_rows(rest, source, line)
            return
        row = _json_row(text, source, f"{source.name}:{line}")
        if n_before == 0 and isinstance(row, InputError) and text.lstrip()[:1] not in '{["':
            row = InputError(
                f"{row}; if each line is a text, say so (--format lines), "
                "or if all of it is one (--format txt)"
            )
        yield line, row


def _json_rows(source: Source) -> Iterator[Row]:
    """Yield the rows of an array, of values one after another on any lines, or of JSON Lines."""
    lines = source.lines()
    first = next(lines, "")
    try:
        is_line = isinstance(json.loads(first, strict=False), dict)
    except (ValueError, RecursionError):
        is_line = False
    if is_line:
        yield from _rows_of_lines(_numbered_lines(itertools.chain([first], lines)), source)
    else:
        yield from _array_rows("".join([first, *lines]), source, 1)


def _array_rows(text: str, source: Source, line: int) -> Iterator[Row]:
    """Yield the elements of an array, or values one after another, which must be in memory."""
    name = source.name
    bad = source.bad_byte(text)
    if bad is not None:
        yield line, InputError(f"{name}: {bad}; {OTHER_ENCODING}")
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


def _json_row(text: str, source: Source, where: str) -> Mapping[str, Any] | str | InputError:
    bad = source.bad_byte(text)
    if bad is not None:
        return InputError(f"{where}: {bad} of the line; {OTHER_ENCODING}")
    try:
        # Control characters in strings are not valid JSON, but harmless.
        row = json.loads(text, strict=False)
    except json.JSONDecodeError as error:
        return InputError(f"{where}: not valid JSON: {error.msg} at column {error.colno}")
    except (ValueError, RecursionError) as error:  # an integer too long, nesting too deep
        return InputError(f"{where}: not valid JSON: {error}")
    if isinstance(row, (dict, str)):
        return row
    return InputError(f"{where}: expected a JSON object, found {kind(row)}")


def _text_rows(source: Source) -> Iterator[Row]:
    for line, text in _numbered_lines(source.lines()):
        bad = source.bad_byte(text)
        if bad is None:
            yield line, text
        else:
            where = f"{source.name}:{line}"
            yield line, InputError(f"{where}: {bad} of the line; {OTHER_ENCODING}")


def _numbered_lines(lines: Iterable[str]) -> Iterator[tuple[int, str]]:
    """Yield the lines that are not blank, without line ends, with their numbers from 1."""
    for number, line in enumerate(lines, start=1):
        stripped = line.rstrip("\r\n")
        if stripped.strip():
            yield number, stripped


Cells = tuple[int, "list[str] | InputError"]
"""The number of a row's first line, and its cells, or the error in reading them."""


def _csv_rows(source: Source) -> Iterator[Row]:
    """Yield the rows of CSV, whose delimiter is in the first line or detected."""
    lines, n_skipped, delimiter = _told_delimiter(source)
    yield from _separated_rows(_Table(lines, delimiter or ",", source, n_skipped).cells(), source)


def _tsv_rows(source: Source) -> Iterator[Row]:
    """Yield the rows of TSV, where quotation marks are literal unless the row needs them."""
    cells = _literal_cells(source.lines(), source.delimiter or "\t")
    yield from _separated_rows(cells, source)


def _separated_rows(rows: Iterator[Cells], source: Source) -> Iterator[Row]:
    header = _header(rows, source)
    source.take_columns(header)
    for line, cells in rows:
        if isinstance(cells, InputError):
            yield line, cells
        elif cells and (len(cells) > 1 or cells[0].strip()):
            yield line, _row(header, cells, source, f"{source.name}:{line}")


def _told_delimiter(source: Source) -> tuple[Iterator[str], int, str | None]:
    """Return the lines after one that only names the delimiter, whether there is one (1 or 0), and
    the delimiter."""
    lines = source.lines()
    first = next(lines, "")
    told = re.fullmatch(r'"?sep=(.)"?', first.strip("\r\n"))
    n_skipped = 0
    if told is not None:
        first, n_skipped = next(lines, ""), 1
    delimiter = source.delimiter or (told[1] if told else None)
    # Only lines that have arrived are sampled, as others may arrive late.
    n_lines = min(_N_SNIFFED, source.head.count(b"\n") + source.head.count(b"\r") - n_skipped)
    sample = [first, *itertools.islice(lines, max(0, n_lines - 1))]
    return (
        itertools.chain([line for line in sample if line], lines),
        n_skipped,
        delimiter or _sniffed(sample),
    )


def _sniffed(lines: Sequence[str]) -> str | None:
    """Return the delimiter with which most rows have as many columns as the header, if several."""
    best, best_share = None, -1.0
    for delimiter in _DELIMITERS:
        if delimiter not in lines[0]:
            continue
        try:
            rows = [row for row in csv.reader(_without_nul(lines), delimiter=delimiter) if row]
        except csv.Error:
            continue
        n_columns = len(rows[0]) if rows else 0
        # The last row of the sample may be incomplete.
        same = [len(row) == n_columns for row in rows[1:-1] or rows[1:]]
        share = sum(same) / len(same) if same else 0.0
        if n_columns > 1 and share > best_share:
            best, best_share = delimiter, share
    return best


def _without_nul(lines: Iterable[str]) -> Iterator[str]:
    """Replace NUL, which the csv module of Python 3.10 rejects."""
    return (line.replace("\x00", "\ufffd") for line in lines)


class _TooManyLinesError(Exception):
    """Raised inside the csv module when a row does not end."""


class _Table:
    """Reads CSV row by row, skipping those that span too many lines."""

    def __init__(
        self, lines: Iterator[str], delimiter: str, source: Source, n_skipped: int
    ) -> None:
        csv.field_size_limit(_MAX_CSV_FIELD)
        self._lines = lines
        self._delimiter = delimiter
        self._name = source.name
        self._n_lines = n_skipped
        self._n_before = 0
        self._line = ""

    def cells(self) -> Iterator[Cells]:
        """Yield the cells of each row, or the error in reading it."""
        rows = self._reader()
        while True:
            self._n_before = self._n_lines
            begins = self._n_lines + 1
            where = f"{self._name}:{begins}"
            try:
                yield begins, next(rows)
            except StopIteration:
                return
            except _TooManyLinesError:
                # The reader is in the middle of a row.
                rows = self._reader()
                self._skip_row()
                yield begins, InputError(self._too_many(where, begins))
            except csv.Error as error:
                ends = f" (lines {begins} to {self._n_lines})" if self._n_lines > begins else ""
                yield begins, InputError(f"{where}: cannot be read as a row{ends}: {error}")

    def _skip_row(self) -> None:
        """Skip to the line on which a field that spans too many lines ends, or to the last."""
        while '"' not in self._line.replace('""', ""):
            line = next(self._lines, None)
            if line is None:
                return
            self._line = line
            self._n_lines += 1

    def _reader(self) -> Iterator[list[str]]:
        return csv.reader(_without_nul(self._counted()), delimiter=self._delimiter, strict=True)

    def _counted(self) -> Iterator[str]:
        for line in self._lines:
            self._n_lines += 1
            self._line = line
            if self._n_lines - self._n_before > _MAX_FIELD_LINES:
                raise _TooManyLinesError
            yield line

    def _too_many(self, where: str, begins: int) -> str:
        return (
            f"{where}: a field spans {self._n_lines - begins + 1} lines ({begins} to "
            f"{self._n_lines}), and at most {_MAX_FIELD_LINES} are allowed: is there a quotation "
            "mark without its partner? All of them are left out; if the field is meant to be as "
            "long as that, write the file as JSON Lines or Parquet"
        )


def _literal_cells(lines: Iterator[str], delimiter: str) -> Iterator[Cells]:
    """Yield the cells of each row of TSV.

    A row with quotation marks is read as spreadsheets write it, possibly over several lines, if
    this gives as many cells as in the header and the lines are not rows by themselves.
    """
    waiting: deque[str] = deque()
    n_columns, number = 0, 0
    while True:
        line = waiting.popleft() if waiting else next(lines, None)
        if line is None:
            return
        number += 1
        begins = number
        cells = line.rstrip("\r\n").split(delimiter)
        n_columns = n_columns or (len(cells) if line.strip() else 0)
        if any(cell.startswith('"') for cell in cells):
            taken = [line]
            quoted = _quoted(taken, delimiter)
            while quoted is None and len(taken) < _MAX_FIELD_LINES:
                if len(waiting) < len(taken):
                    waiting.extend(itertools.islice(lines, 1))
                if len(waiting) < len(taken) or (
                    waiting[len(taken) - 1].count(delimiter) == n_columns - 1 > 0
                ):
                    break
                taken.append(waiting[len(taken) - 1])
                quoted = _quoted(taken, delimiter)
            if quoted is not None and len(quoted) == n_columns:
                cells = quoted
                for _ in taken[1:]:
                    waiting.popleft()
                    number += 1
        yield begins, cells


def _quoted(lines: Sequence[str], delimiter: str) -> list[str] | None:
    """Return the cells of a row with quoted cells; None if it cannot be read that way."""
    try:
        rows = list(csv.reader(_without_nul(lines), delimiter=delimiter, strict=True))
    except csv.Error:
        return None
    return rows[0] if len(rows) == 1 else None


def _header(rows: Iterator[Cells], source: Source) -> list[str]:
    name = source.name
    header: list[str] = []
    while not any(header):
        _, cells = next(rows, (0, InputError(f"{name}: empty")))
        if isinstance(cells, InputError):
            problem = "expected a header with the names of the columns"
            if "a field spans" in str(cells):
                problem = "the header does not end: a quotation mark in it has no partner"
            elif str(cells) != f"{name}: empty":
                problem = f"the header cannot be read: {cells}"
            raise InputError(f"{name}: {problem}")
        header = cells
    bad = source.bad_byte("".join(header))
    if bad is not None:
        raise InputError(f"{name}: the header is {bad.partition(' at ')[0]}; {OTHER_ENCODING}")
    header = [column.strip() for column in header]
    check_unique(header, name)
    return [column or f"column {number}" for number, column in enumerate(header, start=1)]


def check_unique(names: Sequence[str], table: str) -> None:
    """Reject a table with two columns of the same name, as one would be lost."""
    twice = [name for name, n in Counter(names).items() if n > 1 and name]
    if twice:
        numbers = [str(n) for n, name in enumerate(names, start=1) if name == twice[0]]
        raise InputError(
            f"{table}: the header names {listed(twice)} more than once (columns "
            f"{', '.join(numbers)}): rename one of them"
        )


def _row(
    header: list[str], cells: list[str], source: Source, where: str
) -> Mapping[str, Any] | InputError:
    while len(cells) > len(header) and not cells[-1].strip():
        cells.pop()
    if len(cells) > len(header):
        return InputError(
            f"{where}: {len(cells)} columns where the header has {len(header)}; "
            "is a delimiter inside a value that is not quoted?"
        )
    for cell in cells:
        bad = source.bad_byte(cell)
        if bad is not None:
            return InputError(f"{where}: {bad.partition(' at ')[0]}; {OTHER_ENCODING}")
    return dict(zip(header, cells, strict=False))


def plain_value(value: Any) -> Any:
    """Convert a column's value to plain JSON; types that JSON lacks, and NaN, become text."""
    if isinstance(value, float):
        return value if math.isfinite(value) else json.dumps(value)
    if value is None or isinstance(value, str | int):
        return value
    if isinstance(value, Mapping):
        return {str(name): plain_value(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [plain_value(inner) for inner in value]
    if isinstance(value, bytes):
        return b64encode(value).decode()
    iso = getattr(value, "isoformat", None)
    return iso() if callable(iso) else str(value)


TABLES: tuple[Format, ...] = (*SEPARATED, "parquet", "xlsx", "ods")
"""The formats with column names before the first row."""

_READERS: dict[Format, Callable[[Source], Any]] = {
    "jsonl": _jsonl_rows,
    "json": _json_rows,
    "csv": _csv_rows,
    "tsv": _tsv_rows,
    "lines": _text_rows,
    "txt": lambda source: WholeText(source.text()),
    "md": lambda source: WholeText(source.text()),
}


def _table_as_document(source: Source, format: Format) -> WholeText:  # noqa: A002
    """Return a whole table as one text, including anything above its header."""
    table: list[list[str]] = []
    for _, cells in _all_cells(source, format):
        if isinstance(cells, InputError):
            raise cells
        bad = source.bad_byte("".join(cells))
        if bad is not None:
            raise InputError(f"{source.name}: {bad.partition(' at ')[0]}; {OTHER_ENCODING}")
        table.append(cells)
    return WholeText(table_text(table))


def _all_cells(source: Source, format: Format) -> Iterator[Cells]:  # noqa: A002
    if format == "csv":
        lines, n_skipped, delimiter = _told_delimiter(source)
        yield from _Table(lines, delimiter or ",", source, n_skipped).cells()
    elif format == "tsv":
        yield from _literal_cells(source.lines(), source.delimiter or "\t")
    else:
        names: list[str] = []
        for line, row in rows_of(source, format):
            if isinstance(row, Mapping):
                if not names:
                    yield 0, (names := [*row])
                yield line, [cell_text(row.get(name)) for name in names]


def cell_text(value: Any) -> str:
    """Return the value of a cell as text, which is empty for null."""
    plain = plain_value(value)
    if plain is None:
        return ""
    return plain if isinstance(plain, str) else json.dumps(plain, ensure_ascii=False)


def _read_whole(source: Source, format: Format) -> WholeText:  # noqa: A002
    """Read a file as one document."""
    guest = import_module(_FORMAT_MODULES[format]) if format in _FORMAT_MODULES else None
    readers = _READERS if guest is None else guest.READERS
    whole: WholeText
    if format in WHOLE_FORMATS:
        whole = readers[format](source)
    elif guest is not None and format in getattr(guest, "WHOLE_READERS", ()):
        whole = guest.WHOLE_READERS[format](source)
    else:
        whole = _table_as_document(source, format) if format in TABLES else WholeText(source.text())
    return whole


def rows_of(
    source: Source,
    format: Format,  # noqa: A002
    *,
    whole: bool = False,
) -> Iterator[Row]:
    """Yield the rows of an open file, reading each when it is needed.

    A file that is one document, as any is with ``whole``, has one row: its text, or the error in
    reading it. The rows of its parts follow if these are separate documents.
    """
    if not whole and format not in WHOLE_FORMATS:
        readers = (
            import_module(_FORMAT_MODULES[format]).READERS
            if format in _FORMAT_MODULES
            else _READERS
        )
        yield from readers[format](source)
        return
    row: WholeText | InputError
    try:
        row = _read_whole(source, format)
    except InputError as error:
        row = error
    yield 1, row
    for name, data in () if isinstance(row, InputError) else row.parts:
        kind = EXTENSIONS.get(os.path.splitext(name)[1].lower())
        part = Source(io.BytesIO(data), f"{source.name}/{name}", has_parts=True, notes=source.notes)
        if kind in WHOLE_FORMATS:
            for inner in rows_of(part, kind):
                source.part = part.part or part.name
                yield inner
