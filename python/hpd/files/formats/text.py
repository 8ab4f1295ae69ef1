"""Reads JSON, CSV, TSV and text."""

from __future__ import annotations

import csv
import itertools
import json
import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from hpd.documents import Document
from hpd.errors import InputError
from hpd.files.encodings import OTHER_ENCODING
from hpd.files.rows import Format, Row, check_unique
from hpd.files.streams import Source, json_kind
from hpd.files.text_tables import is_number, table_text

_MAX_FIELD_LINES = 50
"""Maximum number of lines in a row of CSV or TSV. Unpaired quotation marks, which turn all rows up
to the next mark into one field, are more frequent than longer fields."""

_BLANKS_AND_COMMAS = re.compile(r"[\s,]*")
_MAX_CSV_FIELD = 2**31 - 1
"""The maximum of the csv module, a C long (32 bits on Windows); its default is 128 KiB."""
_QUOTED_LINE = re.compile(r'"((?:[^"]|"")*)"(\s*)')
_DELIMITERS = (",", ";", "\t", "|")
_N_SNIFFED_LINES = 20  # lines
_YEAR = re.compile(r"(19|20)\d\d")
_MAX_ABOVE = 2
"""The most cells of a row above a header of two rows."""
_ROWS_ABOVE_PENALTY = 0.5
"""What a delimiter with rows above its header loses in its share of rows that fit the header."""


def _json_rows(source: Source, *, is_jsonl: bool) -> Iterator[Row]:
    """Yield the rows of JSON Lines, or of an array or values one after another on any lines."""
    lines = source.lines()
    n_blank, first = next(((n, line) for n, line in enumerate(lines) if line.strip()), (0, ""))
    if first.lstrip()[:1] == "[" or not (is_jsonl or _is_object(first)):
        yield from _array_rows("".join([first, *lines]), source, n_blank + 1)
        return
    for line, text in _numbered_lines(itertools.chain([first], lines), n_blank + 1):
        row = _json_row(text, source, f"{source.name}:{line}")
        is_first = line == n_blank + 1
        if is_first and isinstance(row, InputError) and text.lstrip()[:1] not in '{"':
            row = InputError(
                f"{row}; if each line is a text, say so (--format lines), "
                "or if all of it is one (--format txt)"
            )
        yield line, row


def _is_object(text: str) -> bool:
    try:
        return isinstance(json.loads(text, strict=False), dict)
    except (ValueError, RecursionError):
        return False


def _array_rows(text: str, source: Source, line: int) -> Iterator[Row]:
    """Yield the elements of an array, or values one after another, which must be in memory."""
    name = source.name
    bad = source.bad_byte(text)
    if bad is not None:
        yield line, InputError(f"{name}: {bad}; {OTHER_ENCODING}")
        return
    decoder = json.JSONDecoder(strict=False)
    at = _BLANKS_AND_COMMAS.match(text).end()  # type: ignore[union-attr]
    is_array = text[at : at + 1] == "["
    counted = 0
    if is_array:
        at = _BLANKS_AND_COMMAS.match(text, at + 1).end()  # type: ignore[union-attr]
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
            yield line, InputError(f"{name}:{line}: expected a JSON object, found {json_kind(row)}")
        at = _BLANKS_AND_COMMAS.match(text, at).end()  # type: ignore[union-attr]
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
    return InputError(f"{where}: expected a JSON object, found {json_kind(row)}")


def _text_rows(source: Source) -> Iterator[Row]:
    for line, text in _numbered_lines(source.lines()):
        bad = source.bad_byte(text)
        if bad is None:
            yield line, text
        else:
            where = f"{source.name}:{line}"
            yield line, InputError(f"{where}: {bad} of the line; {OTHER_ENCODING}")


def _numbered_lines(lines: Iterable[str], first: int = 1) -> Iterator[tuple[int, str]]:
    """Yield the lines that are not blank, without line ends, with their numbers."""
    for number, line in enumerate(lines, start=first):
        stripped = line.rstrip("\r\n")
        if stripped.strip():
            yield number, stripped


Cells = tuple[int, "list[str] | InputError"]
"""The number of a row's first line, and its cells, or the error in reading them."""


def _separated_cells(
    source: Source,
    format: Format,  # noqa: A002
    *,
    has_title: bool = True,
) -> Iterator[Cells]:
    """Yield the cells of each row of CSV or TSV.

    The delimiter of CSV is in its first line or detected. In TSV quotation marks are literal unless
    the row needs them. Without ``has_title``, rows above the header of CSV are left out.
    """
    if format == "tsv":
        yield from _literal_cells(source.lines(), source.delimiter or "\t")
        return
    lines, n_skipped, delimiter, n_above = _detect_delimiter(source)
    rows = _quoted_cells(lines, delimiter, source.name, n_skipped)
    if n_above and not has_title:
        above = [cells for _, cells in itertools.islice(rows, n_above)]
        title = [cell for cells in above if isinstance(cells, list) for cell in cells]
        source.notes.append(f"above the header, left out: {' '.join(filter(None, title))!r}")
    yield from rows


def _separated_rows(source: Source, format: Format) -> Iterator[Row]:  # noqa: A002
    rows = _separated_cells(source, format, has_title=False)
    header, rows = _header(rows, source)
    source.take_columns(header)
    for line, cells in rows:
        if isinstance(cells, InputError):
            yield line, cells
        elif [*map(str.strip, cells)] == header:  # as on each page of a printed list
            source.notes.append("the header is repeated between rows, and left out there")
        elif any(map(str.strip, cells)):
            yield line, _row(header, cells, source, f"{source.name}:{line}")


def _separated_text(source: Source, format: Format) -> Document:  # noqa: A002
    """Return a whole table as one text, including anything above its header."""
    table: list[list[str]] = []
    for _, cells in _separated_cells(source, format):
        if isinstance(cells, InputError):
            raise cells
        bad = source.bad_byte("".join(cells))
        if bad is not None:
            raise InputError(f"{source.name}: {bad.partition(' at ')[0]}; {OTHER_ENCODING}")
        table.append(cells)
    return Document(table_text(table))


def _detect_delimiter(source: Source) -> tuple[Iterator[str], int, str, int]:
    """Return the lines after one that only names the delimiter, whether there is one (1 or 0), the
    delimiter, and the number of rows above the header."""
    lines = source.lines()
    first = next(lines, "")
    declared = re.fullmatch(r'"?sep=(.)"?', first.strip("\r\n"))
    n_skipped = 0
    if declared is not None:
        first, n_skipped = next(lines, ""), 1
    delimiter = source.delimiter or (declared[1] if declared else None)
    # Only lines that have arrived are sampled, as others may arrive late.
    n_lines = min(_N_SNIFFED_LINES, source.head.count(b"\n") + source.head.count(b"\r") - n_skipped)
    sample = [first, *itertools.islice(lines, max(0, n_lines - 1))]
    if _are_quoted_whole(sample):
        sample, lines = [*map(_without_quotes, sample)], map(_without_quotes, lines)
    delimiter = delimiter or _guess_delimiter(sample) or ","
    n_above = _n_rows_above_header(_sample_rows(sample, delimiter))
    return itertools.chain([line for line in sample if line], lines), n_skipped, delimiter, n_above


def _are_quoted_whole(lines: Sequence[str]) -> bool:
    """Return whether all lines are one cell with several in it, as after a second export."""
    filled = [line for line in lines if line.strip()]
    inner = [*map(_without_quotes, filled)]
    delimiter = _guess_delimiter(inner) if len(filled) > 1 else None
    return (
        delimiter is not None
        and f"{delimiter} " not in inner[0]  # as in a column "Name, first name"
        and all(a != b and delimiter in b for a, b in zip(filled, inner, strict=True))
    )


def _without_quotes(line: str) -> str:
    """Return what a line that is one quoted cell has in it; another line as it is."""
    found = _QUOTED_LINE.fullmatch(line)
    return line if found is None else found[1].replace('""', '"') + found[2]


def _guess_delimiter(lines: Sequence[str]) -> str | None:
    """Return the delimiter with which most rows have as many columns as the header, if several."""
    best, best_rank = None, (-1.0, 0, 0)
    for delimiter in _DELIMITERS:
        rows = _sample_rows(lines, delimiter)
        n_above = _n_rows_above_header(rows)
        rows = [row for row in rows[n_above:] if row]
        n_columns = len(rows[0]) if rows else 0
        # The last row of the sample may be incomplete.
        same = [len(row) == n_columns for row in rows[1:-1] or rows[1:]]
        share = sum(same) / len(same) if same else 0.0
        # What seems to be above may be the header, if only numbers have this delimiter in them.
        rank = (share - _ROWS_ABOVE_PENALTY * (n_above > 0), -n_above, n_columns)
        if n_columns > 1 and rank > best_rank:
            best, best_rank = delimiter, rank
    return best


def _sample_rows(lines: Sequence[str], delimiter: str) -> list[list[str]]:
    try:
        return list(csv.reader(_without_nul(lines), delimiter=delimiter))
    except csv.Error:
        return []


def _n_rows_above_header(rows: Sequence[Sequence[str]]) -> int:
    """Return the number of rows above the header: banks write the account above its statement.

    The header is as wide as most rows below, and at least twice as wide as the rows above, or apart
    from them by a blank line, wider and without numbers; or it has two rows, below at most pairs.
    """
    # A title may be repeated in the columns that it spans.
    widths = [len({*map(str.strip, row)} - {""}) for row in rows]
    for n, width in enumerate(widths):
        if _has_groups(rows[n : n + 3]):
            return n
        if width > _MAX_ABOVE:
            break
    at = next((n for n, width in enumerate(widths) if width == 0), -1) + 1
    has_names = 0 < at < len(rows) and widths[at] > max(1, *widths[:at])
    if has_names and not any(map(str.isdigit, "".join(rows[at]))) and _fits_most(rows[at:]):
        return at
    at = next((n for n, width in enumerate(widths) if 2 * width > max(widths)), 0)
    is_wide = at > 0 and len(rows[at]) > 2 and widths[at] >= 2 * max(widths[:at])
    return at if is_wide and _are_names(rows[at]) and _fits_most(rows[at:]) else 0


def _has_groups(rows: Sequence[Sequence[str]]) -> bool:
    """Return whether the first two rows are one header: the first names groups of columns, in the
    first of their cells or in all of them, which the second names."""
    if len(rows) < 3 or not len(rows[0]) <= len(rows[1]) == len(rows[2]):
        return False
    names, values = ([*map(str.strip, row)] for row in rows[1:])
    titles = [*map(str.strip, rows[0]), *[""] * (len(names) - len(rows[0]))]
    joined = _joined_names(titles, names)
    wide = _wide_groups(titles, names)
    has_two_titles = len({*titles} - {""}) > 1
    if not (wide and has_two_titles and len({*joined}) == len(joined) and _are_names(names)):
        return False
    is_in_all_cells = any(one == other != "" for one, other in itertools.pairwise(titles))
    has_alike_groups = any(wide.count(group) > 1 for group in wide)
    if is_in_all_cells or has_alike_groups:
        return True
    # Otherwise the second row may be values too, unless it is text where the third has numbers.
    columns = [*zip(titles, names, values, strict=True)]
    has_numbers = any(name and is_number(value) for _, name, value in columns)
    has_named_above = any(title and value and not name for title, name, value in columns)
    return has_numbers and (len(wide) > 1 or has_named_above)


def _wide_groups(titles: Sequence[str], names: Sequence[str]) -> list[list[str]]:
    """Return the names of the columns of each group that has several."""
    groups: dict[str, list[str]] = {}
    for title, name in zip(_spread(titles), names, strict=True):
        groups.setdefault(title, []).append(name)
    return [own for title, own in groups.items() if title and sum(map(bool, own)) > 1]


def _fits_most(rows: Sequence[Sequence[str]]) -> bool:
    """Return whether most rows have as many cells as the first one."""
    n_same = sum(len(row) == len(rows[0]) for row in rows)
    return n_same > max(1, len(rows) / 2)


def _spread(upper: Iterable[str]) -> list[str]:
    """Return the group of each column, given the cells of a row that names groups."""
    groups: list[str] = []
    for name in upper:
        groups.append(name or (groups[-1] if groups else ""))
    return groups


def _joined_names(upper: Sequence[str], lower: Sequence[str]) -> list[str]:
    """Return the names of columns with those of their groups."""
    groups = _spread(map(str.strip, [*upper, *[""] * (len(lower) - len(upper))]))
    pairs = zip(groups, map(str.strip, lower), strict=True)
    return [" ".join(dict.fromkeys(filter(None, pair))) for pair in pairs]


def _are_names(cells: Iterable[str]) -> bool:
    """Return whether cells may name columns: numbers do not, unless they are years."""
    return not any(is_number(cell) and not _YEAR.fullmatch(cell.strip()) for cell in cells)


def _without_nul(lines: Iterable[str]) -> Iterator[str]:
    """Replace NUL, which the csv module of Python 3.10 rejects."""
    return (line.replace("\x00", "\ufffd") for line in lines)


def _quoted_cells(
    lines: Iterator[str], delimiter: str, name: str, n_before: int
) -> Iterator[Cells]:
    """Yield the cells of each row of CSV, or the error in reading it; rows that span too many lines
    are skipped.

    Args:
        lines: the lines of the file.
        delimiter: what is between the cells.
        name: the file's name in messages.
        n_before: the number of lines of the file before these.
    """
    csv.field_size_limit(_MAX_CSV_FIELD)
    while True:
        begins = n_before + 1
        taken: list[str] = []
        cells: list[str] | InputError
        try:
            cells = next(csv.reader(_lines_of_row(lines, taken), delimiter=delimiter, strict=True))
        except StopIteration:
            return
        except csv.Error as error:
            last = n_before + len(taken)
            ends = f" (lines {begins} to {last})" if last > begins else ""
            cells = InputError(f"{name}:{begins}: cannot be read as a row{ends}: {error}")
        n_before += len(taken)
        if len(taken) > _MAX_FIELD_LINES:
            # The field ends on the next line that has an odd quotation mark, or nowhere.
            last_line = taken[-1]
            while last_line and '"' not in last_line.replace('""', ""):
                last_line = next(lines, "")
                n_before += bool(last_line)
            cells = InputError(
                f"{name}:{begins}: a field spans {n_before - begins + 1} lines ({begins} to "
                f"{n_before}), and at most {_MAX_FIELD_LINES} are allowed: is there a quotation "
                "mark without its partner? All of them are left out; if the field is meant to be "
                "as long as that, write the file as JSON Lines or Parquet"
            )
        yield begins, cells


def _lines_of_row(lines: Iterator[str], taken: list[str]) -> Iterator[str]:
    """Yield the lines of one row, at most one more than are allowed, and append them to a list."""
    for line in itertools.islice(lines, _MAX_FIELD_LINES + 1):
        taken.append(line)
        yield line.replace("\x00", "\ufffd")  # which the csv module of Python 3.10 rejects


def _literal_cells(lines: Iterator[str], delimiter: str) -> Iterator[Cells]:
    """Yield the cells of each row of TSV.

    A row with quotation marks is read as spreadsheets write it, possibly over several lines, if
    this gives as many cells as in the header and the lines are not rows by themselves.
    """
    waiting: deque[str] = deque()  # lines that were looked at
    n_columns, number = 0, 1

    def following() -> str:
        return waiting.popleft() if waiting else next(lines, "")

    while line := following():
        cells = line.rstrip("\r\n").split(delimiter)
        n_columns = n_columns or (len(cells) if line.strip() else 0)
        taken = [line]
        if any(cell.startswith('"') for cell in cells):
            quoted = _parse_quoted_row(taken, delimiter)
            while quoted is None and len(taken) < _MAX_FIELD_LINES:
                taken.append(following())
                if not taken[-1] or taken[-1].count(delimiter) == n_columns - 1 > 0:
                    break
                quoted = _parse_quoted_row(taken, delimiter)
            if quoted is not None and len(quoted) == n_columns:
                cells = quoted
            else:
                waiting.extendleft(filter(None, reversed(taken[1:])))
                del taken[1:]
        yield number, cells
        number += len(taken)


def _parse_quoted_row(lines: Sequence[str], delimiter: str) -> list[str] | None:
    """Return the cells of a row with quoted cells; None if it cannot be read that way."""
    try:
        rows = list(csv.reader(_without_nul(lines), delimiter=delimiter, strict=True))
    except csv.Error:
        return None
    return rows[0] if len(rows) == 1 else None


def _header(rows: Iterator[Cells], source: Source) -> tuple[list[str], Iterator[Cells]]:
    """Return the names of the columns, and the rows below."""
    name = source.name
    header: list[str] = []
    while not any(header):
        no_header = InputError(f"{name}: expected a header with the names of the columns")
        _, cells = next(rows, (0, no_header))
        if isinstance(cells, InputError):
            raise cells
        header = cells
    if len({*header} - {""}) < len(header):  # only then it may be the names of groups
        ahead = [*itertools.islice(rows, 2)]
        following = [cells for _, cells in ahead if isinstance(cells, list)]
        if len(following) == len(ahead) and _has_groups([header, *following]):
            header = _joined_names(header, following[0])
            del ahead[0]
        rows = itertools.chain(ahead, rows)
    bad = source.bad_byte("".join(header))
    if bad is not None:
        raise InputError(f"{name}: the header is {bad.partition(' at ')[0]}; {OTHER_ENCODING}")
    header = [column.strip() for column in header]
    check_unique(header, name)
    names = [column or f"column {number}" for number, column in enumerate(header, start=1)]
    return names, rows


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


def _whole_text(source: Source) -> Document:
    return Document(source.text())


ROW_READERS: dict[Format, Callable[[Source], Iterator[Row]]] = {
    "jsonl": lambda source: _json_rows(source, is_jsonl=True),
    "json": lambda source: _json_rows(source, is_jsonl=False),
    "csv": lambda source: _separated_rows(source, "csv"),
    "tsv": lambda source: _separated_rows(source, "tsv"),
    "lines": _text_rows,
}
TEXT_READERS: dict[Format, Callable[[Source], Document]] = {
    **dict.fromkeys(("jsonl", "json", "lines", "txt", "md"), _whole_text),
    "csv": lambda source: _separated_text(source, "csv"),
    "tsv": lambda source: _separated_text(source, "tsv"),
}
