"""The rows of a text: where it may be cut, and which header belongs to a row of a table.

Three kinds of tables are recognised: cells in columns, with two or more blanks or a tab between
them (as ``hpd text`` prints tables); lines with delimiters (CSV, or bars); and records of lines
such as ``Name: Ada``. A header is one or a few lines before the first row; its cells have no
numbers and are above those of the row.

A table continues over a page break: a few lines that are not part of it, such as a page number and
the head of the next page, may stand between two rows.
"""

from __future__ import annotations

import itertools
import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

BreakLevel = Literal[0, 1, 2]
"""How well a text can be cut: 0: badly; 1: between the lines of a row; 2: between rows."""

Cell = tuple[int, int]
"""The first column of a cell, and the column after its last one."""

MAX_HEADER_LINES = 3
"""Maximum number of lines of a header; more lines without numbers are a table of words."""
_MAX_OTHER_LINES = 10
"""Maximum number of other lines between two rows of a table."""
_MAX_QUOTED_LINES = 10
"""Maximum number of lines on which a quoted cell continues."""
_MAX_ROW_LINES = 3
"""Maximum number of lines on which a row in columns continues."""
_MIN_ROWS = 3
"""Minimum number of rows of a table with delimiters, or of one in columns without a header."""

_MAX_RECORD_LINE = 200
"""Maximum length of a line of a record, in characters; longer ones are paragraphs."""
_MAX_RULE = 400
"""Maximum length of a drawn line, in characters."""

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n|\Z)")
_CELL = re.compile(r"\S+(?: \S+)*")
_DIGIT = re.compile(r"\d")
_NUMERIC = re.compile(r"[^\w\s]{0,2}\s?(?:[A-Z]{3} )?[^\w\s]?\d")
_YEAR = re.compile(r"(?:[^\W\d]+\.? |Q[1-4] |\d\d? [^\W\d]+\.? )*(?:19|20)\d\d[^\w\s]?")
_RULE = re.compile(r"[\s|+:=─━│┼_.-]*[-=─━_]{3}[\s|+:=─━│┼_.-]*")
_RECORD = re.compile(r"\s*([^\s:][^:]{0,40}?)\s*:(?:\s+\S|\s*$)")
_KEY_AND_VALUE = re.compile(r":\s*\w")
_QUOTED = re.compile(r'"(?:[^"]|"")*"')


@dataclass(slots=True)
class _TextLine:
    """A line of a text, without its end.

    Args:
        start: the offset of its first character.
        end: the offset after its last character.
        cells: the columns of its cells.
        in_table: whether it belongs to a table, so that it should not be cut.
        continues: whether it belongs to the row of the line before it.
        header: the first and the last line of the header of a row.
    """

    start: int
    end: int
    cells: list[Cell]
    in_table: bool = False
    continues: bool = False
    header: tuple[int, int] | None = None


@dataclass(slots=True)
class _Table:
    """A table in columns that is being read.

    Args:
        header: the first and the last line of its header.
        columns: the cells of its header.
        rows: its rows so far.
    """

    header: tuple[int, int] | None
    columns: list[Cell]
    rows: list[int]

    def lines_up(self, line: _TextLine, last: _TextLine) -> bool:
        """Return whether a line fits the columns of the table's header or last row."""
        return _line_up([*self.columns, *last.cells], line.cells) or (
            len(line.cells) in (len(self.columns), len(last.cells))
        )


class TextRows:
    """The lines and rows of a text, which is analysed only once."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._lines = [
            _TextLine(match.start(), len(match.group().rstrip()) + match.start(), [])
            for match in _LINE.finditer(text)
            if match.end() > match.start()
        ]
        self._starts = [line.start for line in self._lines]
        self._header_lines: set[int] = set()
        for line in self._lines:
            own = self._text[line.start : line.end]
            line.cells = [match.span() for match in _CELL.finditer(own)]
        self._find_delimited()
        self._find_records()
        self._find_columns()

    @cached_property
    def title(self) -> tuple[int, int] | None:
        """The span of the first line that is not empty, or None if it is a row or has no words."""
        n = next((n for n, line in enumerate(self._lines) if line.cells), None)
        if n is None or n in self._header_lines:
            return None
        first = self._lines[n]
        has_letter = any(map(str.isalpha, self._text[first.start : first.end]))
        if first.header is not None or not has_letter:
            return None
        return first.start + first.cells[0][0], first.end

    def level_before(self, position: int) -> BreakLevel:
        """Return how well the text can be cut before the first word of a line."""
        return 1 if self._lines[self._line_at(position)].continues else 2

    def is_in_table(self, position: int) -> bool:
        """Return whether a character belongs to a line of a table."""
        return bool(self._lines) and self._lines[self._line_at(position)].in_table

    def header_at(self, start: int, end: int) -> tuple[int, int] | None:
        """Return the span of the header that a part of the text lacks, or None.

        This is the header of the first row in the part, unless the part contains it.
        """
        if not self._lines:
            return None
        n = self._line_at(start)
        for line in self._lines[n : n + 2 * _MAX_OTHER_LINES]:
            if line.start >= end:
                break
            if line.header is not None and line.end > start:
                first, last = (self._lines[i] for i in line.header)
                # A page may repeat the header.
                return (first.start, last.end) if first.start < start else None
        return None

    def _line_at(self, position: int) -> int:
        return max(0, bisect_right(self._starts, position) - 1)

    def _cells(self, line: _TextLine) -> list[str]:
        own = self._text[line.start : line.end]
        return [own[start:end] for start, end in line.cells]

    def _is_rule(self, line: _TextLine) -> bool:
        """Return whether a line is drawn, as below a header."""
        is_short = line.end - line.start <= _MAX_RULE
        return is_short and _RULE.fullmatch(self._text, line.start, line.end) is not None

    def _mark_table(self, lines: Sequence[int], header: tuple[int, int] | None) -> None:
        if header is not None:
            self._header_lines.update(range(header[0], header[1] + 1))
        for n in lines:
            self._lines[n].in_table = True
            if header is None or n > header[1]:
                self._lines[n].header = header

    # --- delimiters ---------------------------------------------------------------------------

    def _find_delimited(self) -> None:
        for delimiter in ("\t", ";", "|", ","):
            rows: list[range] = []
            n_fields = 0
            n = 0
            while n < len(self._lines):
                row, n_own = self._delimited_row(n, delimiter)
                if n_own != n_fields or not n_own:
                    self._mark_delimited(rows, delimiter)
                    rows, n_fields = [], n_own
                if n_own:
                    rows.append(row)
                n = row.stop
            self._mark_delimited(rows, delimiter)

    def _delimited_row(self, n: int, delimiter: str) -> tuple[range, int]:
        """Return the lines of the row that begins at line ``n``, and its number of fields, or 0."""
        line = self._lines[n]
        own = self._text[line.start : line.end]
        n_delimiters = own.count(delimiter)
        if line.in_table or n_delimiters < (2 if delimiter == "," else 1):
            return range(n, n + 1), 0
        if '"' not in own:
            return range(n, n + 1), n_delimiters + 1
        end = n + 1
        n_quotes = own.count('"')
        while n_quotes % 2 and end < min(len(self._lines), n + 1 + _MAX_QUOTED_LINES):
            n_quotes += self._text.count('"', self._lines[end].start, self._lines[end].end)
            end += 1
        if n_quotes % 2:
            end = n + 1
        own = _QUOTED.sub("", self._text[line.start : self._lines[end - 1].end])
        return range(n, end), own.count(delimiter) + 1

    def _mark_delimited(self, rows: Sequence[range], delimiter: str) -> None:
        if len(rows) < _MIN_ROWS:
            return
        if delimiter == ",":
            text = self._text[self._lines[rows[0][0]].start : self._lines[rows[-1][-1]].end]
            n_in_columns = sum(len(self._lines[row[0]].cells) > 1 for row in rows)
            if 2 * text.count(", ") > text.count(",") or 2 * n_in_columns > len(rows):
                return  # Sentences, or cells such as "Bank of Nowhere, Inc.    $1,500,000".
        n_header = 0
        if not any(map(_NUMERIC.match, self._fields(rows[0], delimiter))):
            n_header = len(rows[0])
            if self._is_rule(self._lines[rows[1][0]]):
                n_header += len(rows[1])
        first = rows[0][0]
        header = (first, first + n_header - 1) if n_header else None
        self._mark_table([n for row in rows for n in row], header)
        for row in rows:
            for n in row[1:]:
                self._lines[n].continues = True

    def _fields(self, row: range, delimiter: str) -> list[str]:
        text = self._text[self._lines[row[0]].start : self._lines[row[-1]].end]
        return [part.strip(' "') for part in text.split(delimiter)]

    # --- records ------------------------------------------------------------------------------

    def _find_records(self) -> None:
        block: list[tuple[int, str]] = []  # The first line of each key, and the key.
        for n, line in enumerate(self._lines):
            own = self._text[line.start : line.end]
            is_short = len(own) <= _MAX_RECORD_LINE and len(line.cells) <= 2
            match = _RECORD.match(own) if is_short and not line.in_table else None
            if match is not None:
                block.append((n, match.group(1).casefold()))
            elif not (block and line.cells and line.cells[0][0] > 0 and not line.in_table):
                self._mark_records(block, n)
                block = []
        self._mark_records(block, len(self._lines))

    def _mark_records(self, block: Sequence[tuple[int, str]], end: int) -> None:
        if len(block) < 2:
            return
        first, first_key = block[0]
        self._mark_table(range(first, end), None)
        starts = {n for n, key in block if key == first_key}
        for n in range(first + 1, end):
            self._lines[n].continues = n not in starts

    # --- columns ------------------------------------------------------------------------------

    def _find_columns(self) -> None:
        table: _Table | None = None
        words: list[int] = []
        """The latest lines, without others between them, whose cells have no numbers."""
        above: list[int] = []
        """Such lines above rows that they do not fit, which may be the header of a later row."""
        n_others = 0  # Since the last row.
        has_gap = False  # A blank line since the last line in columns.
        for n, line in enumerate(self._lines):
            if not line.cells:
                has_gap = True
                continue
            if line.in_table:
                self._finish_table(table)
                table, words, has_gap = None, [], True
                continue
            if self._is_rule(line):
                words += [n] if words and not has_gap else []
                continue
            if len(line.cells) < 2:
                n_others += 1
                continue
            is_row = not self._has_only_words(n)
            if not is_row and not has_gap and table is not None and table.rows:
                # It may be a row without numbers among rows with numbers.
                is_sure = table.header is not None or len(table.rows) >= _MIN_ROWS
                is_row = is_sure and table.lines_up(line, self._lines[table.rows[-1]])
            if not is_row:
                if words and has_gap:
                    table, n_others = self._table_of_words(table, words, n_others)
                    words = []
                words.append(n)
                has_gap = False
                continue
            if not words and above and n - above[-1] > _MAX_OTHER_LINES:
                above = []
            header = self._header(words or above, line)
            if header is None:
                table, n_others = self._table_of_words(table, words, n_others)
            above = (words or above) if header is None else []
            words = []
            is_over = table is None or n_others > _MAX_OTHER_LINES
            fits = table is not None and (
                not table.rows or table.lines_up(line, self._lines[table.rows[-1]])
            )
            is_chance = table is not None and table.header is None and len(table.rows) < 2
            if header is not None or is_over or (is_chance and not fits):
                self._finish_table(table)
                lines = range(header[0], header[1] + 1) if header else ()
                table = _Table(header, [cell for i in lines for cell in self._lines[i].cells], [])
                fits = True
            if fits and table is not None:
                table.rows.append(n)
                n_others = 0
            else:
                n_others += 1
            has_gap = False
        table, _ = self._table_of_words(table, words, n_others)
        self._finish_table(table)

    def _has_only_words(self, n: int) -> bool:
        """Return whether the cells of a line have no numbers, except years as in headers."""
        cells = self._cells(self._lines[n])
        if any(map(_KEY_AND_VALUE.search, cells)):
            return False
        with_digits = [cell for cell in cells if _DIGIT.search(cell)]
        if len(with_digits) > 1 and all(map(_YEAR.fullmatch, with_digits)):
            return True
        return not any(map(_NUMERIC.match, cells)) and 3 * len(with_digits) <= len(cells)

    def _header(self, words: Sequence[int], row: _TextLine) -> tuple[int, int] | None:
        """Return the header of a row: the last of these lines that fit its columns."""
        if not words or len(words) > MAX_HEADER_LINES:
            return None
        first = None
        for n in reversed(words):
            cells = self._lines[n].cells
            # Signs of a currency may be beside the numbers.
            own = self._text[self._lines[n].start : self._lines[n].end]
            is_rule = self._is_rule(self._lines[n]) or not any(map(str.isalnum, own))
            if not (is_rule or _line_up(row.cells, cells) or len(cells) == len(row.cells)):
                break
            first = first if is_rule else n
        return None if first is None else (first, words[-1])

    def _table_of_words(
        self, table: _Table | None, words: Sequence[int], n_others: int
    ) -> tuple[_Table | None, int]:
        """Return the table to continue and the lines since its end; these may form a new table."""
        if len(words) <= MAX_HEADER_LINES:
            return table, n_others + len(words)
        self._finish_table(table)
        first, *rows = words
        return _Table((first, first), list(self._lines[first].cells), rows), 0

    def _finish_table(self, table: _Table | None) -> None:
        """Mark the rows of a table, and the lines on which they continue."""
        if table is None or len(table.rows) < (1 if table.header else 2):
            return
        if table.header is not None:
            self._mark_table(range(table.header[0], table.header[1] + 1), None)
            for n in range(table.header[0] + 1, table.header[1] + 1):
                self._lines[n].continues = True
            # A header stays with the row below it.
            self._lines[table.rows[0]].continues = True
        self._mark_table(table.rows, table.header)
        rows = [self._lines[n] for n in table.rows]
        left = min(row.cells[0][0] for row in rows)
        firsts = [self._cells(row)[0] for row in rows]
        n_numbered = sum(_DIGIT.search(first) is not None for first in firsts)
        is_numbered = n_numbered >= _MIN_ROWS and 3 * n_numbered >= len(rows)
        for row, first in zip(rows, firsts, strict=True):
            is_unnumbered = is_numbered and not _DIGIT.search(first)
            row.continues |= row.cells[0][0] >= left + 2 or is_unnumbered
        before = [table.header[1]] if table.header else []
        ends = [*before, *table.rows, len(self._lines)]
        has_lead = len(self._lines[max(0, table.rows[0] - 1)].cells) == 1
        tails = [
            n for n in table.rows if n + 1 < len(self._lines) and len(self._lines[n + 1].cells) == 1
        ]
        # If most rows are followed by a line of one cell, but none precedes the first row, such a
        # line ends its row.
        ends_rows = not has_lead and 2 * len(tails) > len(rows)
        for n, following in itertools.pairwise(ends):
            self._mark_continuations(n, following, 0 if ends_rows else left + 2)

    def _mark_continuations(self, n: int, following: int, indent: int) -> None:
        """Mark the lines directly after a row, before the following one, as parts of the row.

        A line that is indented by less than ``indent`` may be the head of the following row.
        """
        end = n + 1
        while end < following and end - n <= _MAX_ROW_LINES and self._lines[end].cells:
            end += 1
        is_last = following == len(self._lines)
        if end < following and (end - n > _MAX_ROW_LINES or is_last):
            return  # Other text.
        for line in self._lines[n + 1 : end]:
            line.in_table = line.continues = True
        if n + 1 < end == following < len(self._lines):
            self._lines[following].continues |= self._lines[end - 1].cells[0][0] < indent


def _line_up(columns: Sequence[Cell], cells: Sequence[Cell]) -> bool:
    """Return whether at least half of the cells, and at least two, line up with a column."""
    n = sum(any(start <= b + 1 and a <= end + 1 for a, b in columns) for start, end in cells)
    return n >= 2 and 2 * n >= len(cells)
