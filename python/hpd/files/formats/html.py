"""HTML: the visible text of a page, by inscriptis."""

from __future__ import annotations

import re
from copy import deepcopy
from html import escape
from typing import Any

from hpd.documents import Document
from hpd.errors import InputError
from hpd.extras import import_extra
from hpd.files.encodings import is_mostly_utf8, known_encoding
from hpd.files.streams import Source, decode

_DECLARED = re.compile(
    rb"""<(?:meta\b[^>]*?\bcharset\s*=\s*["']?|\?xml[^>]*?encoding=["'])\s*([\w.:-]+)""",
    re.IGNORECASE,
)
_CDATA = re.compile(r"<!\[CDATA\[(.*?)\]\]>", re.DOTALL)
_COMMENT = re.compile(rb"<!--.*?-->", re.DOTALL)
_MAX_DECLARATION_BYTES = 4096  # bytes of a page that are searched for its encoding
_BLOCK_TAGS = (
    *("center", "dd", "details", "dialog", "dir", "dl", "dt", "fieldset", "form", "hr", "legend"),
    *("menu", "optgroup", "option", "search", "section", "summary", "textarea"),
)
"""Block elements that inscriptis does not know."""
_INLINE_TAGS = ("a", "b", "em", "font", "i", "label", "small", "span", "strong", "u")
_VALUELESS_INPUTS = ("hidden", "password", "file", "image", "button", "submit", "reset")
"""Types of inputs that show no value."""
_MAX_COLUMNS = 200
_MAX_REPEATED_TEXT = 80
"""The longest text of a cell to repeat in each of its rows; a longer one lays out the page."""
_BLANK_ENDS = re.compile(r"[ \t]+$", re.MULTILINE)
"""What fills the last cells of tables."""
_INVISIBLE_TAGS = ("script", "style", "head", "noscript", "template")


def _read_page(source: Source) -> Document:
    data = source.read()
    declared = declared_encoding(data)
    try:
        html = decode(data, source, declared)
    except InputError:
        if source.encoding or declared != "utf-8" or not is_mostly_utf8(data):
            raise
        html = data.decode("utf-8", "replace")  # as browsers do; a note is there already
    text = text_of_html(html)
    if data and not text:
        source.notes.append("this page has no text that a browser would show")
    return Document(text)


def declared_encoding(html: bytes) -> str | None:
    """Return the encoding that a page declares; None if it declares no known one."""
    found = _DECLARED.search(_COMMENT.sub(b"", html[:_MAX_DECLARATION_BYTES]))
    encoding = known_encoding(found[1].decode("ascii")) if found is not None else None
    # A page of UTF-16 could not be searched for its declaration, so that is wrong.
    return None if encoding is not None and encoding.startswith("utf-16") else encoding


def text_of_html(html: str) -> str:
    """Return the visible text of a page.

    Raises:
        ValueError: the page cannot be read to its end.
        MissingPackageError: inscriptis is not installed.
    """
    inscriptis = import_extra("inscriptis.html_engine", "inscriptis", "html", "HTML")
    from lxml import etree
    from lxml.html import HTMLParser, document_fromstring

    if not html.strip():
        return ""
    if html.lstrip().startswith("<?xml"):  # elsewhere it is a comment
        html = _CDATA.sub(lambda found: escape(found[1]), html)
    # The usual parser stops, without an error, at 255 nested elements and at texts of 10 MB.
    parser = HTMLParser(huge_tree=True, encoding="utf-8")
    data = html.encode("utf-8", "replace")
    try:
        tree = document_fromstring(data, parser=parser)
    except (ValueError, etree.LxmlError):  # there is no element
        tree = document_fromstring(b"<pre>" + data + b"</pre>", parser=parser)
    if any(entry.level_name == "FATAL" for entry in parser.error_log):
        raise ValueError(f"not to its end: {parser.error_log[-1].message}")
    for below in [*tree.itersiblings("html")]:  # what follows the end of the page
        below.tag = "div"
        tree.append(below)
    for hidden in tree.xpath("//body//*[@hidden]"):
        hidden.drop_tree()
    _show_inputs(tree)
    _fill_spans(tree)
    for table in [*tree.iter("table")]:
        if _continues_line(table):
            table.addprevious(table.makeelement("br", {}))
    config = inscriptis.ParserConfig()
    config.css = config.css | dict.fromkeys(_BLOCK_TAGS, config.css["div"])
    config.css |= dict.fromkeys(_INVISIBLE_TAGS, config.css["head"])
    try:
        return _BLANK_ENDS.sub("", inscriptis.Inscriptis(tree, config).get_text()).strip()
    except RecursionError:  # elements that are nested deeper than Python's functions
        etree.strip_elements(tree, *_INVISIBLE_TAGS, etree.Comment, with_tail=False)
        lines = (text.strip() for text in tree.itertext())
        return "\n".join(line for line in lines if line)


def _show_inputs(tree: Any) -> None:
    """Insert the values of a form (filled in, checked, chosen) as text."""
    for element in [*tree.iter("input", "select")]:
        shown = _selected_text(element) if element.tag == "select" else _input_text(element)
        for child in [*element]:
            element.remove(child)
        element.tag = "span"
        element.text = f" {shown} " if shown else None
    for button in [*tree.iter("button")]:
        button.text, button.tail = f" {button.text or ''}", f" {button.tail or ''}"


def _input_text(element: Any) -> str:
    kind = (element.get("type") or "text").lower()
    if kind in ("checkbox", "radio"):
        return "☒" if "checked" in element.attrib else "☐"
    return "" if kind in _VALUELESS_INPUTS else element.get("value") or ""


def _selected_text(element: Any) -> str:
    options = [*element.iter("option")]
    chosen = [option for option in options if "selected" in option.attrib]
    if not chosen and "multiple" not in element.attrib:
        chosen = options[:1]
    texts = (" ".join(str(option.text_content()).split()) for option in chosen)
    return ", ".join(text for text in texts if text)


def _fill_spans(tree: Any) -> None:
    """Give each row of a table all its cells: repeat a cell that spans rows in each of them, and
    add empty cells after one that spans columns."""
    for table in [*tree.iter("table")]:
        below: dict[int, tuple[int, Any]] = {}  # by column: the rows that a cell still spans
        rows = [row for row in table.iter("tr") if next(row.iterancestors("table")) is table]
        group = None
        for row in rows:
            if row.getparent() is not group:  # no cell spans rows of two groups
                below.clear()
                group = row.getparent()
            cells = [cell for cell in row if cell.tag in ("td", "th")]
            at = 0
            while cells or any(column >= at for column in below):
                if at in below:
                    n_rows, cell = below.pop(at)
                    is_short = len("".join(cell.itertext())) <= _MAX_REPEATED_TEXT
                    filled = deepcopy(cell) if is_short else row.makeelement("td", {})
                    filled.tail = None
                    row.insert(at, filled)
                elif not cells:
                    row.insert(at, filled := row.makeelement("td", {}))
                    n_rows, cell = 1, filled
                else:
                    cell = cells.pop(0)
                    n_rows = _take_span(cell, "rowspan", len(rows))
                    for n in range(1, _take_span(cell, "colspan", _MAX_COLUMNS)):
                        empty = row.makeelement("td", {})
                        cell.addnext(empty)
                        cells.insert(0, empty)
                        if n_rows > 1:
                            below[at + n] = n_rows - 1, row.makeelement("td", {})
                if n_rows > 1:
                    below[at] = n_rows - 1, cell
                at += 1


def _continues_line(table: Any) -> bool:
    """Return whether text or an inline element is before a table, which inscriptis would join."""
    before = table.getprevious()
    text = table.getparent().text if before is None else before.tail
    return bool(text and text.strip()) or (before is not None and before.tag in _INLINE_TAGS)


def _take_span(cell: Any, name: str, most: int) -> int:
    text = cell.attrib.pop(name, "1").strip()
    number = int(text) if text.isascii() and text.isdecimal() else 1
    if not number and name == "rowspan":
        return most  # to the end of its group
    return min(max(number, 1), most)


TEXT_READERS = {"html": _read_page}
