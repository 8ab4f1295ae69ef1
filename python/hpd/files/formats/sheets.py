"""Workbooks: rows of Excel and OpenDocument, read by calamine; tables of Excel, by openpyxl."""

from __future__ import annotations

import io
import os
import re
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from email.utils import parsedate_to_datetime
from functools import partial
from itertools import islice, pairwise
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

from hpd.documents import Document, Place
from hpd.errors import HpdError, InputError
from hpd.extras import import_extra
from hpd.files.columns import Column, OutputLine, as_text, flat_columns, min_confidence
from hpd.files.formats.sheet_views import SheetView, sheet_views
from hpd.files.own_files import CREATOR
from hpd.files.places import PartPlaces
from hpd.files.rows import Row, cell_text, check_unique
from hpd.files.streams import Source, is_url, join_names
from hpd.files.text_tables import table_lines
from hpd.messages import counted
from hpd.schema.attributes import Attribute
from hpd.values.parsing import typed_value

_MAX_ROWS: Final = 1 << 20
_MAX_CELL_LENGTH: Final = 32_767
"""The longest text of a cell; openpyxl silently cuts off the rest."""
_MAX_DIGITS: Final = 15
"""The most digits of a number before Excel rounds it."""
_FIRST_DAY: Final = date(1900, 3, 1)
"""Excel's calendar has a 29 February 1900, so earlier days have no correct serial numbers."""
_ENCRYPTED: Final = "EncryptedPackage".encode("utf-16-le")
_BEGINNINGS: Final = (b"PK", b"\xd0\xcf\x11\xe0")
"""The first bytes of workbooks, since 2007 and before."""
_COLORS: Final = ((0.5, "F8CBAD"), (0.8, "FFE699"))
"""The colors of values whose confidence is below a bound: orange and yellow."""
_MAX_LINKS: Final = 65_000
"""The most links in a sheet; Excel reports more than 65,530 as damage."""
_N_MEASURED: Final = 200
"""The number of rows used to set the widths of columns."""
_MIN_WIDTH: Final = 9
_MAX_WIDTH: Final = 50
_MAIL_DATE: Final = re.compile(r"(?:[A-Z][a-z]{2}, )?\d{1,2} [A-Z][a-z]{2} \d{4} \d\d:\d\d")
_OTHER_FORMATS: Final = (
    "the values are in the lines beside the table, and a .csv file can hold them"
)
_CONTROL: Final = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f]")


@dataclass(frozen=True, slots=True)
class _Sheet:
    """A sheet, or the part of it that is shown."""

    name: str
    number: int
    """From 1, of all sheets."""
    rows: list[tuple[int, list[Any]]]
    """The rows with filled cells, with their numbers from 1."""
    columns: list[int]
    """The columns of the cells of each row, from 0."""
    view: SheetView
    wide: Mapping[int, Sequence[tuple[int, int]]]
    """By row, the first and last columns of cells that span several."""

    def text(self, row: int, column: int, value: Any) -> str:
        """Return the text of a cell as it is shown; the cell is given as to ``place``."""
        if isinstance(value, int | float) and not isinstance(value, bool):
            shown = self.view.text(row - 1, self.columns[column], value)
            if shown is not None:
                return shown
        return cell_text(value)

    def place(self, row: int, column: int) -> Place:
        """Return the place of a cell by the number of its row, from 1, and its index in the row."""
        letters, number = "", self.columns[column] + 1
        while number:
            number, letter = divmod(number - 1, 26)
            letters = chr(ord("A") + letter) + letters
        return Place(self.number, cell=f"{self.name}!{letters}{row}")


def _sheets(source: Source) -> list[_Sheet]:
    calamine = import_extra("python_calamine", "python-calamine", "office", "a workbook")
    data = source.read()
    found: list[_Sheet] = []
    hidden: list[str] = []
    try:
        book = calamine.CalamineWorkbook.from_filelike(io.BytesIO(data))
        views = _views(data, source)
        for number, about in enumerate(book.sheets_metadata, start=1):
            name = about.name
            sheet = book.get_sheet_by_name(name)
            first_row, first_column = sheet.start or (0, 0)
            cells = sheet.to_python()
            wide: dict[int, list[tuple[int, int]]] = {}
            for (top, left), (bottom, right) in sheet.merged_cell_ranges or ():
                if right > left:
                    wide.setdefault(top + 1, []).append((left, right))
                at = left - first_column
                first, *others = cells[max(top - first_row, 0) : bottom - first_row + 1] or [[]]
                for row in others if 0 <= at < len(first) else ():
                    row[at] = first[at]
            rows = [(n, row) for n, row in enumerate(cells, start=first_row + 1) if _is_filled(row)]
            columns = [*range(first_column, first_column + len(cells[0]))] if rows else []
            full = _Sheet(name, number, rows, columns, views.get(name, SheetView()), wide)
            if about.visible is calamine.SheetVisibleEnum.Visible:
                found.append(_without_hidden_parts(full, hidden))
            elif rows:
                hidden.append(f"sheet {name!r}")
    except Exception as error:  # calamine may raise anything if a file is damaged
        problem = "it has a password" if _ENCRYPTED in data else error
        if problem is error and not data.startswith(_BEGINNINGS):
            problem = (
                "it is none; such exports are often HTML, CSV or TSV: say which (--format html)"
            )
        raise InputError(f"{source.name}: cannot be read as a workbook: {problem}") from error
    if hidden:
        source.notes.append(f"hidden, so left out: {', '.join(hidden)}")
    return [sheet for sheet in found if sheet.rows]


def _views(data: bytes, source: Source) -> dict[str, SheetView]:
    """Return how sheets are shown, by name."""
    if not zipfile.is_zipfile(io.BytesIO(data)):
        return {}
    try:
        views = dict(sheet_views(data))
    except Exception as error:  # calamine reads files that break the rules of XML
        source.notes.append(f"formats and hidden cells are not known: {error}")
        return {}
    n_unknown = sum(view.n_unknown for view in views.values())
    if n_unknown:
        shown = counted(n_unknown, "formula", "has")
        source.notes.append(f"{shown} no stored result: save it in a spreadsheet program first")
    return views


def _without_hidden_parts(sheet: _Sheet, hidden: list[str]) -> _Sheet:
    """Return a sheet without its hidden rows and columns; add their numbers to a list."""
    rows, columns, view = sheet.rows, sheet.columns, sheet.view
    at = [n for n, column in enumerate(columns) if column not in view.hidden_columns]
    if len(at) < len(columns):
        hidden.append(f"{counted(len(columns) - len(at), 'column')} of sheet {sheet.name!r}")
        columns = [columns[n] for n in at]
        rows = [(number, [row[n] for n in at]) for number, row in rows]
    shown = [(number, row) for number, row in rows if number - 1 not in view.hidden_rows]
    if len(shown) < len(rows):
        hidden.append(f"{counted(len(rows) - len(shown), 'row')} of sheet {sheet.name!r}")
    filled = [(number, row) for number, row in shown if _is_filled(row)]
    return replace(sheet, rows=filled, columns=columns)


def sheet_rows(source: Source) -> Iterator[Row]:
    """Iterate over the rows of all sheets as mappings from column names.

    The header is the first row that is more than half as wide as the widest one, or the first one
    below pairs and a blank row; titles may precede it.
    """
    sheets = _sheets(source)
    if not sheets:
        raise InputError(f"{source.name}: empty; expected a header with the names of the columns")
    short = [sheet.name for sheet in sheets if len(sheet.rows) == 1 < len(sheets)]
    if short:
        source.notes.append(f"sheets with one row, taken for the header: {join_names(short)}")
    for sheet in sheets:
        if sheet.name in short:
            continue
        first, last = _header_rows(sheet)
        if first:
            above = " ".join(str(cell) for _, row in sheet.rows[:first] for cell in row if cell)
            source.notes.append(f"above the header of sheet {sheet.name!r}, left out: {above!r}")
        header = _header(sheet, first, last)
        is_only = len(sheets) == 1
        check_unique(header, source.name if is_only else f"{source.name}, sheet {sheet.name!r}")
        source.take_columns(header)
        rows = sheet.rows[last + 1 :]
        for n, column in enumerate(header):
            kind = _time_kind([row[n] for _, row in rows if n < len(row)])
            source.types[column] = kind if source.types.get(column, kind) is kind else None
        source.cell_of = partial(_cell_of, sheet, header)
        source.text_of = partial(_text_of, sheet, header)
        for line, row in rows:
            cells = dict(zip(header, map(_plain_cell, row), strict=False))
            yield line, cells if is_only else {"sheet": sheet.name, **cells}


def _cell_of(sheet: _Sheet, header: Sequence[str], row: int, column: str) -> Place | None:
    if column not in header:
        return None
    return sheet.place(row, header.index(column))


def _text_of(sheet: _Sheet, header: Sequence[str], row: int, column: str, value: Any) -> str:
    return sheet.text(row, header.index(column), value) if column in header else cell_text(value)


def workbook_text(source: Source) -> Document:
    """Read a workbook as one text: its sheets, each below its name if there are several."""
    sheets = _sheets(source)
    text = ""
    places: list[tuple[int, int, Place]] = []
    for sheet in sheets:
        text += "\n\n" if text else ""
        text += f"{sheet.name}\n" if len(sheets) > 1 else ""
        rows = [
            [sheet.text(number, at, _plain_cell(cell)) for at, cell in enumerate(row)]
            for number, row in sheet.rows
        ]
        for (number, _), line in zip(sheet.rows, table_lines(rows), strict=True):
            for part, column in line:
                if column is not None:
                    place = sheet.place(number, column)
                    places.append((len(text), len(text) + len(part), place))
                text += part
            text += "\n"
        text = text.removesuffix("\n")
    return Document(text, places=PartPlaces(places))


def _is_filled(row: Sequence[Any]) -> bool:
    return any(cell not in ("", None) for cell in row)


def _header_rows(sheet: _Sheet) -> tuple[int, int]:
    """Return the indexes of the first and last row of a header.

    It has two if cells of the first are names of groups: they span several cells of the second.
    """
    widths = [sum(cell not in ("", None) for cell in row) for _, row in sheet.rows]
    at = next(n for n, width in enumerate(widths) if 2 * width > max(widths))
    gaps = (n for n, (a, b) in enumerate(pairwise(sheet.rows), start=1) if b[0] > a[0] + 1)
    below = next(gaps, 0)
    # Labels and their values may stand above a blank row.
    if max(widths[:below], default=3) <= 2 < widths[below] and _are_names(sheet.rows[below][1]):
        at = below
    for first in range(max(at - 1, 0), min(at + 1, len(sheet.rows) - 1)):
        (number, upper), (next_number, lower) = sheet.rows[first : first + 2]
        filled = {sheet.columns[n] for n, cell in enumerate(lower) if cell}
        has_groups = any(
            sum(left <= column <= right for column in filled) > 1
            for left, right in sheet.wide.get(number, ())
        )
        # A title spans the whole table.
        is_title = sum(map(bool, upper)) == 1
        if has_groups and _are_names(lower) and next_number == number + 1 and not is_title:
            return first, first + 1
    return at, at


def _are_names(row: Sequence[Any]) -> bool:
    return all(isinstance(cell, str) for cell in row if cell is not None)


def _header(sheet: _Sheet, first: int, last: int) -> list[str]:
    """Return the names of the columns, with those of their groups."""
    number, row = sheet.rows[first]
    groups = dict(zip(sheet.columns, row, strict=False))
    if first < last:
        for left, right in sheet.wide[number]:
            groups |= dict.fromkeys(range(left, right + 1), groups.get(left))
    names = []
    for n, cell in enumerate(sheet.rows[last][1]):
        parts = (str(_plain_cell(part) or "").strip() for part in (groups[sheet.columns[n]], cell))
        names.append(" ".join(dict.fromkeys(filter(None, parts))) or f"column {n + 1}")
    return names


def _plain_cell(cell: Any) -> Any:
    """Return the value of a cell; whole numbers become int, although Excel stores floats."""
    if isinstance(cell, float) and cell.is_integer() and abs(cell) < 1e15:
        return int(cell)
    if isinstance(cell, timedelta):
        minutes, seconds = divmod(round(cell.total_seconds()), 60)
        return f"{minutes // 60}:{minutes % 60:02}:{seconds:02}"
    return None if cell == "" else cell


def _time_kind(cells: Sequence[Any]) -> type | None:
    """Return the class of a column's cells, if all filled ones are dates or times."""
    kinds = {type(cell) for cell in cells if cell not in ("", None)}
    if kinds == {date, datetime}:  # Midnight is read as a date.
        return datetime
    return kinds.pop() if len(kinds) == 1 and kinds <= {date, datetime, time} else None


def write_table(
    path: Path,
    columns: Sequence[Column],
    lines: Callable[[], Iterator[OutputLine]],
    types: Mapping[str, Any],
) -> None:
    """Write a sheet with typed cells, and the same columns as a CSV.

    Values that Excel cannot represent are written as text: numbers of more than 15 digits, dates
    before March 1900, times with an offset from UTC. The date of an e-mail is written in its
    sender's time. Values of low confidence are colored, and file names are links.

    Args:
        path: of the new file.
        columns: the columns to write.
        lines: returns an iterator over all output lines; it may be called several times.
        types: the known types of the input's columns: Arrow's or Python's.

    Raises:
        HpdError: there are more rows, or longer texts, than a sheet can hold.
    """
    from openpyxl import Workbook
    from openpyxl.cell import Cell, WriteOnlyCell
    from openpyxl.styles import Font, PatternFill
    from openpyxl.utils import get_column_letter

    columns = [
        replace(column, attribute=_typed_attribute(column.attribute, types.get(column.of_input)))
        for column in flat_columns(columns)
    ]
    book = Workbook(write_only=True)
    book.properties.creator = CREATOR
    sheet = book.create_sheet("values")
    sheet.freeze_panes = "B2"  # the header and the ids stay in sight
    for number, width in enumerate(_column_widths(columns, lines()), start=1):
        sheet.column_dimensions[get_column_letter(number)].width = width
    fills = [(bound, PatternFill("solid", fgColor=color)) for bound, color in _COLORS]
    bold, linked = Font(bold=True), Font(color="0563C1", underline="single")
    n_links = 0

    def shown_cell(column: Column, value: Any, line: OutputLine) -> Any:
        nonlocal n_links
        made = cell(value, column.name)
        stated = min_confidence(line, column.path) if column.path else None
        fill = next((fill for bound, fill in fills if stated is not None and stated < bound), None)
        target = _link_target(column, value, path.parent) if n_links < _MAX_LINKS else None
        if fill is None and target is None:
            return made
        if not isinstance(made, Cell):
            made = WriteOnlyCell(sheet, made)
        if fill is not None:
            made.fill = fill
        if target is not None:
            n_links += 1
            made.hyperlink, made.font = target, linked
        return made

    def cell(value: Any, name: str) -> Any:
        if not isinstance(value, str):
            return value
        text = _CONTROL.sub(lambda found: f"_x{ord(found[0]):04x}_", value)
        if len(text) > _MAX_CELL_LENGTH:
            raise HpdError(
                f"the column {name!r} has a text of {len(text)} characters, and a cell of Excel "
                f"holds {_MAX_CELL_LENGTH}; {_OTHER_FORMATS}"
            )
        made = WriteOnlyCell(sheet, text)
        made.data_type = "s"  # even if it begins like a formula
        return made

    try:
        header = [cell(column.name, column.name) for column in columns]
        for made in header:
            made.font = bold
        sheet.append(header)
        for number, line in enumerate(lines(), start=2):
            if number > _MAX_ROWS:
                raise HpdError(f"a sheet of Excel holds {_MAX_ROWS} rows; {_OTHER_FORMATS}")
            values = (_typed_value(column, line) for column in columns)
            sheet.append(
                [
                    shown_cell(c, _to_cell_type(v), line)
                    for v, c in zip(values, columns, strict=True)
                ]
            )
    finally:
        sheet.close()
    book.save(path)


def _typed_value(column: Column, line: OutputLine) -> Any:
    """Return the value of a cell as a Python type."""
    value = column.value(line)
    if isinstance(value, list | dict):
        return value  # It is written as JSON.
    value = typed_value(value, column.attribute)
    if column.of_input and isinstance(value, str) and _MAIL_DATE.match(value):
        with suppress(ValueError):
            return parsedate_to_datetime(value).replace(tzinfo=None)
    return value


def _column_widths(columns: Sequence[Column], lines: Iterator[OutputLine]) -> list[int]:
    """Return widths that fit the names and most values of columns."""
    widths = [len(column.name) for column in columns]
    for line in islice(lines, _N_MEASURED):
        for n, column in enumerate(columns):
            text = str(_typed_value(column, line))
            widths[n] = max(widths[n], *map(len, text.splitlines() or [""]))
    return [min(max(width + 2, _MIN_WIDTH), _MAX_WIDTH) for width in widths]


def _link_target(column: Column, value: Any, folder: Path) -> str | None:
    """Return the file that a cell names, relative to the folder of the workbook."""
    if column.name not in ("id", "source") or column.path or column.of_input:
        return None
    if not isinstance(value, str) or is_url(value) or not os.path.isfile(value):
        return None
    with suppress(ValueError):  # It is on another drive.
        return quote(os.path.relpath(value, folder).replace(os.sep, "/"))
    return Path(value).absolute().as_uri()


def _typed_attribute(attribute: Attribute, kind: Any) -> Attribute:
    """Return the attribute of a column, with the input's dates, times or decimals."""
    name = kind.__name__ if isinstance(kind, type) else str(kind)  # timestamp[us], decimal128(9, 2)
    if name.startswith(("datetime", "timestamp")):
        return replace(attribute, type="date-time")
    if name.startswith("date"):
        return replace(attribute, type="date")
    formats = [each for each in ("time", "decimal") if name.startswith(each)]
    return replace(attribute, format=formats[0]) if formats else attribute


def _to_cell_type(value: Any) -> Any:
    """Convert a value to what a cell can hold."""
    if isinstance(value, bool | float):
        return value
    if isinstance(value, int | Decimal):
        number = Decimal(value).normalize()
        fits = len(number.as_tuple().digits) <= _MAX_DIGITS and abs(number) < 10**_MAX_DIGITS
        return value if fits else str(value)
    if isinstance(value, datetime | time):
        fits = value.tzinfo is None and (isinstance(value, time) or value.date() >= _FIRST_DAY)
        return value if fits else value.isoformat()
    if isinstance(value, date):
        return value if value >= _FIRST_DAY else value.isoformat()
    return as_text(value)


ROW_READERS = {"xlsx": sheet_rows, "ods": sheet_rows}
TEXT_READERS = {"xlsx": workbook_text, "ods": workbook_text}
