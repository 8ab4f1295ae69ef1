"""Tables made from the output lines of a run: CSV, TSV, JSON, Excel and Parquet.

The journal of the lines has checksums of a table's rows, so that corrections are not overwritten by
accident.
"""

from __future__ import annotations

import csv
import json
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from importlib import import_module
from itertools import chain, count, zip_longest
from pathlib import Path
from typing import Any, Final

from hpd.documents import Document
from hpd.errors import InputError
from hpd.extras import import_extra
from hpd.files.columns import Column, OutputLine, as_text, flat_columns, table_columns
from hpd.files.journal import Journal, TableEntry, journal_path, last_table
from hpd.files.reader import RecordReader, guess_format
from hpd.files.rows import Format, plain_value
from hpd.files.streams import fill_pattern, fixed_folder, is_pattern, naming_file
from hpd.messages import counted
from hpd.schema.schemas import Schemas
from hpd.surrogates import escaped_utf8

_SEPARATORS: Final = {".csv": ",", ".tsv": "\t"}
_TYPED_TABLES: Final = (".parquet", ".pq", ".xlsx")
_JSON: Final = ".json"
PER_DOCUMENT_SUFFIXES: Final = (_JSON, ".jsonl")
"""The extensions of outputs with one file per document."""


def is_made_from_lines(path: str | Path) -> bool:
    """Return whether an output, judging by its name, is made from lines after a run: a table, a
    JSON array or, as ``out/{stem}.json``, a file for each document."""
    return is_pattern(str(path)) or Path(path).suffix.lower() in (
        *_SEPARATORS,
        *_TYPED_TABLES,
        _JSON,
    )


def keeps_input(path: str | Path) -> bool:
    """Return whether an output includes the columns of the input by default, as tables do."""
    return is_made_from_lines(path) and Path(path).suffix.lower() not in PER_DOCUMENT_SUFFIXES


def lines_path(table: Path) -> Path:
    """Return the file of lines from which a table is made. It has all details, and runs are resumed
    from it."""
    if is_pattern(str(table)):
        return fixed_folder(str(table)) / "lines.hpd.jsonl"
    return table.with_name(table.name + ".jsonl")


def write_table(
    lines: Path,
    table: Path,
    schemas: Schemas,
    types: Mapping[str, Any] | None = None,
    *,
    confidence: bool = False,
    places: bool = False,
    if_different: bool = False,
) -> None:
    """Write a table from a file of lines, and replace an existing table when the new one is
    complete; with ``if_different``, only if its rows differ, to keep a workbook's comments.

    The columns are the id, the attributes, the checks that did not pass, the error of a document
    that failed, the input file (if the lines name it) and the columns of the input. An attribute
    with the name of one of these gets the prefix ``extracted.``. With ``confidence``, each
    attribute is followed by a column with the lowest confidence of its values; with ``places``,
    by columns with its page and boxes, or cell. In Parquet, lists and objects are nested columns,
    and columns of a Parquet input keep their ``types``; in CSV, TSV and Excel, objects become
    columns such as ``maker.city``, and lists are JSON. In JSON, the lines are an array.

    Raises:
        InputError: a package is not installed.
        HpdError: a value does not fit the type of its column, or into a cell.
        OSError: the table cannot be written.
    """
    if is_pattern(str(table)):
        _write_each(str(table), lines)
        return
    unfinished = table.with_name(table.name + ".new")
    try:
        suffix = table.suffix.lower()
        if suffix == _JSON:
            _write_array(unfinished, lines)
        else:
            check_writable(table)
            columns = table_columns(_lines(lines), schemas, confidence=confidence, places=places)
            if suffix in _SEPARATORS:
                write_delimited(unfinished, columns, lambda: _lines(lines), _SEPARATORS[suffix])
            else:
                name = "sheets" if suffix == ".xlsx" else "parquet"
                module = import_module(f"hpd.files.formats.{name}")
                module.write_table(unfinished, columns, lambda: _lines(lines), types or {})
        if if_different and table.exists() and _rows_are_same(unfinished, table):
            unfinished.unlink()
        else:
            unfinished.replace(table)
    except BaseException:
        # If the disk is full, its space is needed.
        unfinished.unlink(missing_ok=True)
        raise


def write_delimited(
    path: Path, columns: Sequence[Column], lines: Callable[[], Iterable[OutputLine]], separator: str
) -> None:
    """Write CSV or TSV with a header, and with a byte order mark if it is not all ASCII."""
    flat = flat_columns(columns)

    def rows() -> Iterator[list[str | None]]:
        yield [column.name for column in flat]
        for line in lines():
            yield [as_text(column.value(line)) for column in flat]

    is_ascii = all(cell.isascii() for row in rows() for cell in row if cell)
    # Without a byte order mark, Excel does not read a file as UTF-8.
    encoding = "utf-8" if is_ascii else "utf-8-sig"
    with open(path, "w", encoding=encoding, newline="") as file:
        csv.writer(file, delimiter=separator, lineterminator="\n").writerows(rows())


def _write_each(pattern: str, lines: Path) -> None:
    """Write the lines of each input file to a separate file.

    In ``.json``, the line of an input file that is one document is an object; the lines of other
    input files are an array.
    """
    is_jsonl = Path(pattern).suffix.lower() != _JSON
    n_left = Counter(fill_pattern(pattern, line["source"]) for line in _lines(lines))
    started: set[str] = set()
    for line in _lines(lines):
        name = fill_pattern(pattern, line["source"])
        path = Path(name)
        unfinished = path.with_name(path.name + ".new")
        if name not in started:
            path.parent.mkdir(parents=True, exist_ok=True)
            unfinished.unlink(missing_ok=True)
        n_left[name] -= 1
        is_object = is_jsonl or (name not in started and not n_left[name] and _is_whole(line))
        before = "" if is_object else "[\n" if name not in started else ",\n"
        after = "\n" if is_object else "" if n_left[name] else "\n]\n"
        started.add(name)
        with naming_file(path), open(unfinished, "ab") as file:
            file.write(escaped_utf8(before + json.dumps(line, ensure_ascii=False) + after))
        if not n_left[name]:
            unfinished.replace(path)


def _is_whole(line: OutputLine) -> bool:
    return bool(line.get("id") == line["source"])


def _write_array(path: Path, lines: Path) -> None:
    with open(lines, encoding="utf-8") as source, open(path, "w", encoding="utf-8") as file:
        between = "["
        for line in source:
            file.write(f"{between}\n{line.rstrip()}")
            between = ","
        file.write("[]\n" if between == "[" else "\n]\n")


def _lines(path: Path) -> Iterator[OutputLine]:
    with open(path, encoding="utf-8") as file:
        for line in file:
            yield json.loads(line)


def check_writable(table: Path) -> None:
    """Check, before a run, that its table can be written.

    Raises:
        InputError: a package is not installed.
    """
    if table.suffix.lower() == ".xlsx":
        import_extra("openpyxl", "openpyxl", "office", "an Excel table")
    elif table.suffix.lower() in _TYPED_TABLES:
        import_extra("pyarrow.parquet", "pyarrow", "parquet", "Parquet")


def record_table(lines: Path, table: Path, *, confidence: bool, places: bool) -> None:
    """Record in the journal of the lines the table that was made from them."""
    journal = Journal(journal_path(lines), {})
    try:
        sums = [each for each, _ in _row_checksums(table)]
        journal.append_table(TableEntry(table.name, sums, confidence, places))
    finally:
        journal.close()


def edit_of_table(lines: Path, table: Path) -> str | None:
    """Describe the first edit of a table's rows since it was made; None if there is none (saving it
    again is no edit)."""
    entry = last_table(journal_path(lines))
    if entry is None or not table.exists():
        return None
    try:
        return _first_edit(entry.rows, table)
    except InputError as error:
        return f"it cannot be read ({error})"


def move_aside(table: Path) -> Path:
    """Rename a table to a free name, such as ``values.edited.xlsx``, and return its path."""
    names = (f"{table.stem}.edited{n}{table.suffix}" for n in chain([""], count(2)))
    free = next(path for name in names if not (path := table.with_name(name)).exists())
    return table.rename(free)


def _rows_are_same(one: Path, other: Path) -> bool:
    pairs = zip_longest(*(_row_checksums(path, guess_format(other)) for path in (one, other)))
    return all(a is not None and b is not None and a[0] == b[0] for a, b in pairs)


def _first_edit(sums: Sequence[int], table: Path) -> str | None:
    n_rows = 0
    for n_rows, (found, record) in enumerate(_row_checksums(table), start=1):
        if n_rows <= len(sums) and found != sums[n_rows - 1]:
            return f"row {record.line} (id {record.id!r}) is different"
    return None if n_rows == len(sums) else f"it has {counted(n_rows, 'row')}, not {len(sums)}"


def _row_checksums(
    table: Path,
    format: Format | None = None,  # noqa: A002
) -> Iterator[tuple[int, Document]]:
    """Yield the checksum of each row, with its record."""
    with RecordReader(table, format=format) as reader:
        for record in reader:
            row = {str(name): plain_value(value) for name, value in record.row.items()}
            text = json.dumps(row, ensure_ascii=False, default=str)
            yield zlib.crc32(text.encode("utf-8", "replace")), record
