"""What a spreadsheet program shows of a workbook: hidden parts, and numbers in their formats."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import ROUND_HALF_UP, Context, Decimal
from functools import lru_cache
from typing import IO, Final
from xml.etree import ElementTree

from hpd.files.formats.office import Archive
from hpd.files.formats.xml import local_name

_EXACT: Final = Context(prec=400)
"""Enough digits for any number of a cell."""
_TOKEN = re.compile(
    r'"(?P<quoted>[^"]*)"|\\(?P<escaped>.)|\[\$(?P<currency>[^\]-]*)[^\]]*\]'
    r"|(?P<condition>\[[<>=][^\]]*\])|\[[^\]]*\]|[_*].|(?P<digits>[0#?][0#?.,]*|\.[0#?]+|General)"
    r"|(?P<end>;)|(?P<power>[Ee][+-])|(?P<other>.)",
    re.DOTALL,
)
"""The parts of a number format; colors, and blanks as wide as a letter, belong to no group."""
_SIGN = re.compile(r"[-()]")
_OFFICE: Final = "{urn:oasis:names:tc:opendocument:xmlns:office:1.0}"
_TABLE: Final = "{urn:oasis:names:tc:opendocument:xmlns:table:1.0}"
_MAX_REPEATED: Final = 1 << 14
"""The most columns or rows in which a cell of ODF is repeated."""


@dataclass(slots=True)
class SheetView:
    """How a sheet is shown; rows and columns are counted from 0."""

    hidden_rows: set[int] = field(default_factory=set)
    hidden_columns: set[int] = field(default_factory=set)
    formats: dict[int, Mapping[int, str]] = field(default_factory=dict)
    """The number formats of cells, by row and column."""
    texts: dict[tuple[int, int], str] = field(default_factory=dict)
    """The texts of numbers, in formats that have them."""
    n_unknown: int = 0
    """The number of formulas whose result is not stored."""

    def text(self, row: int, column: int, number: float) -> str | None:
        """Return a number as it is shown; None if that is the number as such."""
        form = self.formats.get(row, {}).get(column)
        return self.texts.get((row, column)) if form is None else format_number(number, form)


def sheet_views(data: bytes) -> Iterator[tuple[str, SheetView]]:
    """Yield the names and views of the sheets of a workbook of Excel (since 2007) or
    OpenDocument."""
    archive = Archive(data, max_bytes=None)  # sheets are not kept in memory
    if "content.xml" in archive.names:
        with archive.open("content.xml") as file:
            yield from _open_document_views(file)
        return
    book = archive.document()
    if book is None or not book.endswith(".xml"):
        return
    related = archive.relations(book)
    forms = [
        form
        for kind, name in related.values()
        if kind == "styles"
        for form in _cell_formats(archive.xml(name))
    ]
    for sheet in archive.xml(book).iter():
        if local_name(sheet) == "sheet":
            for kind, file_name in (related[i] for i in sheet.attrib.values() if i in related):
                if kind == "worksheet":
                    with archive.open(file_name) as file:
                        yield sheet.get("name", ""), _excel_view(file, forms)


def _cell_formats(styles: ElementTree.Element) -> list[str | None]:
    """Return the number format of each style of cells; None for dates, texts and plain numbers."""
    from openpyxl.styles.numbers import BUILTIN_FORMATS, is_date_format

    codes = {str(number): code for number, code in BUILTIN_FORMATS.items()}
    codes |= {e.get("numFmtId", ""): e.get("formatCode", "") for e in styles.iter()
              if local_name(e) == "numFmt"}  # fmt: skip
    lists = (e for e in styles if local_name(e) == "cellXfs")
    used = [codes.get(e.get("numFmtId", "0"), "General") for each in lists for e in each]
    return [None if code in ("General", "@", "") or is_date_format(code) else code for code in used]


def _excel_view(file: IO[bytes], forms: Sequence[str | None]) -> SheetView:
    view = SheetView()
    same: dict[tuple[tuple[int, str], ...], Mapping[int, str]] = {}
    rows: ElementTree.Element | None = None
    number = -1
    for event, element in ElementTree.iterparse(file, ("start", "end")):
        name = local_name(element)
        if event == "start":
            rows = element if name == "sheetData" else rows
        elif name == "col" and _is_true(element.get("hidden")):
            first, last = int(element.get("min", 1)), int(element.get("max", 1))
            view.hidden_columns.update(range(first - 1, last))
        elif name == "row":
            number = int(element.get("r", number + 2)) - 1
            if _is_true(element.get("hidden")):
                view.hidden_rows.add(number)
            elif found := (*_formats_of_row(element, forms),):
                view.formats[number] = same.setdefault(found, dict(found))
            view.n_unknown += sum(map(_is_unknown, element))
            if rows is not None:
                rows.clear()  # which would fill the memory
    return view


def _formats_of_row(
    row: ElementTree.Element, forms: Sequence[str | None]
) -> Iterator[tuple[int, str]]:
    column = -1
    for cell in row:
        column = _column_number(cell.get("r")) if cell.get("r") else column + 1
        style = int(cell.get("s", 0))
        form = forms[style] if style < len(forms) else None
        if form is not None:
            yield column, form


def _is_unknown(cell: ElementTree.Element) -> bool:
    texts = {local_name(part): part.text for part in cell}
    return "f" in texts and not texts.get("v") and cell.get("t") != "str"


def _column_number(place: str | None) -> int:
    number = 0
    for letter in place or "":
        if letter.isalpha():
            number = 26 * number + ord(letter.upper()) - ord("A") + 1
    return number - 1


def _is_true(value: str | None) -> bool:
    return value in ("1", "true")


def _open_document_views(file: IO[bytes]) -> Iterator[tuple[str, SheetView]]:
    view, row, column = SheetView(), 0, 0
    for event, element in ElementTree.iterparse(file, ("start", "end")):
        name = local_name(element)
        if event == "start":
            if name == "table":
                view, row, column = SheetView(), 0, 0
        elif name == "table":
            yield element.get(f"{_TABLE}name", ""), view
            element.clear()
        elif name == "table-column":
            n = int(element.get(f"{_TABLE}number-columns-repeated", 1))
            if _is_collapsed(element):
                view.hidden_columns.update(_repeated_range(column, n))
            column += n
        elif name == "table-row":
            n = int(element.get(f"{_TABLE}number-rows-repeated", 1))
            if _is_collapsed(element):
                view.hidden_rows.update(_repeated_range(row, n))
            for at, text in _texts_of_row(element):
                view.texts |= {(each, at): text for each in _repeated_range(row, n)}
            row += n
            element.clear()


def _texts_of_row(row: ElementTree.Element) -> Iterator[tuple[int, str]]:
    """Yield the columns and texts of shares and amounts of money."""
    column = 0
    for cell in row:
        n = int(cell.get(f"{_TABLE}number-columns-repeated", 1))
        if cell.get(f"{_OFFICE}value-type") in ("percentage", "currency"):
            text = " ".join("".join(p.itertext()) for p in cell if local_name(p) == "p")
            yield from ((each, text) for each in _repeated_range(column, n) if text)
        column += n


def _repeated_range(first: int, n: int) -> range:
    return range(first, first + min(n, _MAX_REPEATED))


def _is_collapsed(element: ElementTree.Element) -> bool:
    return element.get(f"{_TABLE}visibility") in ("collapse", "filter")


def format_number(number: float, form: str) -> str | None:
    """Return a number in a format of Excel; None if it is shown as it is.

    Thousands are not separated, as Excel does so by the country, and negative numbers have a minus
    sign rather than brackets.
    """
    sections = _sections(form)
    if sections is None:
        return None
    is_negative = number < 0 and len(sections) > 1
    section = sections[1 if is_negative else 0]
    if number == 0 and len(sections) > 2:
        text = "".join(text for _, text in sections[2]).strip()
        if not sections[2] or text.isalpha():
            return text
        if any(map(str.isdigit, text)):  # and not a dash, as in accounts
            section = sections[2]
    at = next((i for i, (name, _) in enumerate(section) if name == "digits"), None)
    if at is None:
        return None
    texts = [text for _, text in section]
    before, digits, after = "".join(texts[:at]), texts[at], "".join(texts[at + 1 :])
    exact = Decimal(repr(abs(number))).scaleb(2 * (before + after).count("%"), _EXACT)
    if is_negative:
        before, after = _SIGN.sub("", before), _SIGN.sub("", after)
    shown = _format_digits(exact, digits)
    sign = "-" if number < 0 and shown.strip("0.") else ""
    return f"{sign}{before.lstrip()}{shown}{after.rstrip()}"


@lru_cache(maxsize=1024)
def _sections(form: str) -> list[list[tuple[str, str]]] | None:
    """Return the parts of a format for positive numbers, negative ones, zero and texts.

    None if there are conditions, fractions, powers or digits in groups.
    """
    sections: list[list[tuple[str, str]]] = [[]]
    for token in _TOKEN.finditer(form):
        name = token.lastgroup
        if name == "end":
            sections.append([])
        elif name in ("condition", "power"):
            return None
        elif name is not None:
            sections[-1].append((name, token[name]))
    if any([name for name, _ in section].count("digits") > 1 for section in sections):
        return None
    return sections


def _format_digits(number: Decimal, digits: str) -> str:
    if digits == "General":
        return f"{number:f}"
    whole, _, decimals = digits.rstrip(",").partition(".")
    number = number.scaleb(-3 * (len(digits) - len(digits.rstrip(","))), _EXACT)
    decimals = decimals.replace(",", "")
    rounded = number.quantize(Decimal(1).scaleb(-len(decimals)), ROUND_HALF_UP, _EXACT)
    before, _, after = f"{rounded:f}".partition(".")
    after = after[: decimals.count("0")] + after[decimals.count("0") :].rstrip("0")
    if "," not in whole:
        before = before.zfill(whole.count("0"))
    return f"{before}.{after}" if after else before
