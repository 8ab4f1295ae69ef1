"""PDF and the files of office programs, loaded when such a file comes.

Texts of office files are read from their XML with the standard library, so that nothing is left
out: text boxes, notes, headers and footers, which converters lose.
"""

from __future__ import annotations

import ctypes
import io
import posixpath
import re
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from xml.etree import ElementTree

from hpd.errors import InputError
from hpd.files.rows import Row, refuse_twice
from hpd.files.streams import Source, needed
from hpd.files.whole_files import WholeText, text_of_html

_MOST_BYTES = 1 << 30  # of what is in an archive, which could be made to fill the memory
_LOW_LINE_SHARE = 0.5
"""Of the smaller of two pieces of text: so much of its height is beside the other on one line."""
_N_COLUMN_LINES = 5
_N_COLUMN_LETTERS = 25


# --- PDF ---


@dataclass(slots=True)
class _Piece:
    """Letters beside each other on a page; its left, bottom, right and top, in points."""

    text: str
    left: float
    bottom: float
    right: float
    top: float


def read_pdf(source: Source) -> WholeText:
    """The pages of a PDF, with the values of its form, in the order of reading."""
    pdfium = needed("pypdfium2", "pypdfium2", "pdf", "PDF")
    try:
        pdf = pdfium.PdfDocument(source.read())
    except pdfium.PdfiumError as error:
        if "password" in str(error).lower():
            raise InputError(f"{source.name}: this PDF is locked with a password") from error
        raise InputError(f"{source.name}: cannot be read as PDF: {error}") from error
    try:
        pdf.init_forms()
        pages = [_text_of_page(pdf, number) for number in range(len(pdf))]
    except pdfium.PdfiumError as error:
        raise InputError(f"{source.name}: cannot be read as PDF: {error}") from error
    finally:
        pdf.close()
    n_empty = pages.count("")
    if n_empty == len(pages):
        raise InputError(
            f"{source.name}: this PDF has no text layer (a scan?): recognise its text first"
        )
    if n_empty:
        source.notes.append(f"{n_empty} of {len(pages)} pages have no text (scans?)")
    starts = []
    n = 0
    for page in pages:
        starts.append(n)
        n += len(page) + 2
    return WholeText("\n\n".join(pages), page_starts=tuple(starts))


def _text_of_page(pdf: Any, number: int) -> str:
    import pypdfium2.raw as pdfium

    page = pdf[number]
    chosen = _chosen_fields(pdf, page) if pdf.formenv is not None else []
    # What stands in a form, and notes on the page, become parts of the page.
    if pdfium.FPDFPage_GetAnnotCount(page) and (
        pdfium.FPDFPage_Flatten(page, pdfium.FLAT_NORMALDISPLAY) == pdfium.FLATTEN_SUCCESS
    ):
        page.close()
        page = pdf[number]
    letters = page.get_textpage()
    try:
        if page.get_rotation() == 0:
            text = "\n".join(_lines_of_pieces(_pieces(letters)))
        else:
            text = letters.get_text_range().replace("\r\n", "\n")
    finally:
        letters.close()
        page.close()
    return "\n".join([text, *chosen]).replace("\ufffe", "-").replace("\x02", "-").strip()


def _chosen_fields(pdf: Any, page: Any) -> list[str]:
    """The boxes of a form that are checked, which have no text of their own."""
    import pypdfium2.raw as pdfium

    found = []
    for number in range(pdfium.FPDFPage_GetAnnotCount(page)):
        annotation = pdfium.FPDFPage_GetAnnot(page, number)
        kinds = (pdfium.FPDF_FORMFIELD_CHECKBOX, pdfium.FPDF_FORMFIELD_RADIOBUTTON)
        kind = pdfium.FPDFAnnot_GetFormFieldType(pdf.formenv, annotation)
        if kind in kinds and pdfium.FPDFAnnot_IsChecked(pdf.formenv, annotation):
            texts = []
            for get in (
                pdfium.FPDFAnnot_GetFormFieldName,
                pdfium.FPDFAnnot_GetFormFieldExportValue,
            ):
                n_bytes = get(pdf.formenv, annotation, None, 0)
                buffer = (ctypes.c_ushort * (n_bytes // 2 + 1))()
                get(pdf.formenv, annotation, buffer, n_bytes)
                texts.append(bytes(buffer).decode("utf-16-le", "replace").rstrip("\x00"))
            found.append(": ".join(text for text in texts if text))
        pdfium.FPDFPage_CloseAnnot(annotation)
    return found


def _pieces(letters: Any) -> Iterator[_Piece]:
    """The pieces of a page in the order in which they were written."""
    import pypdfium2.raw as pdfium

    sides = [ctypes.c_double() for _ in range(4)]
    left, right, bottom, top = sides
    at = [ctypes.byref(side) for side in sides]
    text = letters.get_text_range()
    piece: _Piece | None = None
    n_chars = letters.count_chars()
    if len(text) != n_chars:  # letters beyond the first 65,536 are two in pdfium
        text = "".join(chr(pdfium.FPDFText_GetUnicode(letters, i)) for i in range(n_chars))
    for i, letter in enumerate(text):
        if letter in "\r\n":
            if piece is not None:
                yield piece
            piece = None
            continue
        pdfium.FPDFText_GetCharBox(letters, i, *at)
        if letter == " " or right.value <= left.value:
            if piece is not None:
                piece.text += letter
            continue
        height = max(top.value - bottom.value, 4.0)
        if piece is not None and (
            left.value - piece.right > 1.5 * height or left.value < piece.right - height
        ):
            yield piece
            piece = None
        if piece is None:
            piece = _Piece("", left.value, bottom.value, right.value, top.value)
        piece.text += letter
        piece.right = max(piece.right, right.value)
        piece.bottom, piece.top = min(piece.bottom, bottom.value), max(piece.top, top.value)
    if piece is not None:
        yield piece


def _lines_of_pieces(pieces: Iterator[_Piece]) -> list[str]:
    """The lines of a page from top to bottom; columns of prose one after another."""
    lines: list[list[_Piece]] = []
    for piece in sorted((p for p in pieces if p.text.strip()), key=lambda p: -p.top):
        for line in reversed(lines[-3:]):
            first = line[0]
            shared = min(first.top, piece.top) - max(first.bottom, piece.bottom)
            smaller = min(first.top - first.bottom, piece.top - piece.bottom)
            if shared > _LOW_LINE_SHARE * smaller:
                line.append(piece)
                break
        else:
            lines.append([piece])
    for line in lines:
        line.sort(key=lambda piece: piece.left)
    return ["  ".join(piece.text.strip() for piece in line) for line in _columns_apart(lines)]


def _columns_apart(lines: list[list[_Piece]]) -> Iterator[list[_Piece]]:
    """Lines of prose in columns as those of one column after those of another."""
    at = 0
    while at < len(lines):
        gap = next(
            (x for x in _gaps(lines[at]) if len(_beside(lines[at:], x)) >= _N_COLUMN_LINES), None
        )
        if gap is None:
            yield lines[at]
            at += 1
            continue
        beside = _beside(lines[at:], gap)
        sides = [[[p for p in line if (p.right <= gap) is is_left] for line in beside]
                 for is_left in (True, False)]  # fmt: skip
        for side in sides:
            yield from _columns_apart([line for line in side if line])
        at += len(beside)


def _gaps(line: Sequence[_Piece]) -> Iterator[float]:
    return (piece.left - 1 for piece in line[1:])


def _beside(lines: Sequence[list[_Piece]], gap: float) -> list[list[_Piece]]:
    """The first lines between which a gap goes down, if there is prose on either side."""
    beside: list[list[_Piece]] = []
    for line in lines:
        if any(piece.left < gap < piece.right for piece in line):
            break
        beside.append(line)
    for is_left in (True, False):
        texts = [p.text for line in beside for p in line if (p.right <= gap) is is_left]
        letters = [sum(map(str.isalpha, text)) for text in texts]
        if len(texts) < _N_COLUMN_LINES or sum(letters) < _N_COLUMN_LETTERS * len(texts):
            return []
    return beside


# --- Word, PowerPoint, OpenDocument, EPUB: archives of XML ---


class _Archive:
    """The XML files of an archive."""

    def __init__(self, source: Source, kind: str) -> None:
        self._problem = f"{source.name}: cannot be read as {kind}"
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(source.read()))
        except Exception as error:  # a damaged archive raises whatever it comes to
            raise InputError(f"{self._problem}: {error}") from error
        self.names = self._zip.namelist()
        if sum(info.file_size for info in self._zip.infolist()) > _MOST_BYTES:
            raise InputError(f"{self._problem}: more than a gigabyte when it is unpacked")

    def bytes_of(self, name: str) -> bytes:
        try:
            return self._zip.read(name)
        except Exception as error:  # a damaged archive raises whatever it comes to
            raise InputError(f"{self._problem}: {error}") from error

    def xml(self, name: str) -> ElementTree.Element:
        data = self.bytes_of(name)
        try:
            return ElementTree.fromstring(data)
        except ElementTree.ParseError as error:
            raise InputError(f"{self._problem}: {name}: {error}") from error

    def matching(self, pattern: str) -> list[str]:
        """The names that match, by the number in them."""
        found = [name for name in self.names if re.fullmatch(pattern, name)]
        return sorted(found, key=lambda name: [int(n) for n in re.findall(r"\d+", name)])


def _local(element: ElementTree.Element) -> str:
    return str(element.tag).rpartition("}")[2]


def _attribute(element: ElementTree.Element, name: str) -> str | None:
    """An attribute, whatever its namespace."""
    return next((v for k, v in element.attrib.items() if k.rpartition("}")[2] == name), None)


_BREAKS = {"tab": "\t", "br": "\n", "cr": "\n", "line-break": "\n", "noBreakHyphen": "-"}
_LEFT_OUT = {
    *("del", "moveFrom", "instrText", "delText", "Fallback", "pPr", "rPr", "sectPr", "tblPr"),
    *("tracked-changes", "bookmark", "title", "desc", "forms", "sequence-decls"),
}
"""Elements whose text a reader does not see: what was deleted, settings, copies."""
_BLOCKS = {"tbl", "table"}
_PARAGRAPHS = {"p", "h"}


def _blocks(element: ElementTree.Element) -> Iterator[str]:
    """The paragraphs and tables of an element, in their order; a row of a table is a line."""
    for child in element:
        name = _local(child)
        if name in _LEFT_OUT:
            continue
        if name in _PARAGRAPHS:
            inside: list[str] = []
            text = _inline(child, inside).strip()
            if text:
                yield text
            yield from inside
        elif name in _BLOCKS:
            rows = [_cells(row) for row in child.iter() if _local(row) in ("tr", "table-row")]
            yield "\n".join(row for row in rows if row.strip(" |"))
        else:
            yield from _blocks(child)


def _cells(row: ElementTree.Element) -> str:
    cells = [c for c in row.iter() if _local(c) in ("tc", "table-cell")]
    inner = {id(c) for cell in cells for c in cell.iter() if c is not cell}
    texts = [" ".join(" ".join(_blocks(cell)).split()) for cell in cells if id(cell) not in inner]
    while texts and not texts[-1]:
        texts.pop()
    return " | ".join(texts)


def _inline(element: ElementTree.Element, inside: list[str]) -> str:
    """The text of a paragraph; what stands in it as a block, a text box for example, goes apart."""
    name = _local(element)
    own = element.text or "" if name in ("t", "p", "h", "span", "a") else ""
    parts = [own]
    for child in element:
        name = _local(child)
        if name in _BREAKS:
            parts.append(_BREAKS[name])
        elif name == "s":
            parts.append(" " * int(_attribute(child, "c") or 1))
        elif name in ("txbxContent", "text-box", "annotation", "note-body"):
            inside.extend(_blocks(child))
        elif name not in _LEFT_OUT and name != "note-citation":
            parts.append(_inline(child, inside))
        if own or _local(element) in ("p", "h", "span", "a"):
            parts.append((child.tail or "") if "wordprocessingml" not in str(child.tag) else "")
    return "".join(parts)


def _joined(blocks: Sequence[str], source: Source, kind: str) -> WholeText:
    text = "\n".join(block for block in blocks if block)
    if not text.strip():
        raise InputError(f"{source.name}: this {kind} file has no text (only pictures?)")
    return WholeText(text)


def read_docx(source: Source) -> WholeText:
    """Word: headers, the body, notes and comments, footers."""
    archive = _Archive(source, "Word")
    body = ["word/document.xml"] if "word/document.xml" in archive.names else []
    body = body or archive.matching(r"word/document\d*\.xml")
    if not body:
        raise InputError(f"{source.name}: cannot be read as Word: it has no document.xml")
    others = [
        archive.matching(rf"word/{part}\d*\.xml")
        for part in ("footnotes", "endnotes", "comments", "footer")
    ]
    names = [
        *archive.matching(r"word/header\d*\.xml"),
        *body,
        *(n for part in others for n in part),
    ]
    blocks = [block for name in names for block in _blocks(archive.xml(name))]
    return _joined(blocks, source, "Word")


def read_pptx(source: Source) -> WholeText:
    """PowerPoint: each slide, and the notes on it."""
    archive = _Archive(source, "PowerPoint")
    slides = archive.matching(r"ppt/slides/slide\d+\.xml")
    if not slides:
        raise InputError(f"{source.name}: cannot be read as PowerPoint: it has no slides")
    texts, starts, n = [], [], 0
    for name in slides:
        blocks = list(_blocks(archive.xml(name)))
        relations = f"ppt/slides/_rels/{posixpath.basename(name)}.rels"
        for relation in archive.xml(relations) if relations in archive.names else ():
            kind = relation.get("Type", "").rpartition("/")[2]
            target = posixpath.normpath(posixpath.join("ppt/slides", relation.get("Target", "")))
            if kind in ("notesSlide", "diagramData", "chart") and target in archive.names:
                blocks += _blocks(archive.xml(target))
        starts.append(n)
        texts.append("\n".join(block for block in blocks if block))
        n += len(texts[-1]) + 2
    return WholeText(_joined(["\n\n".join(texts)], source, "PowerPoint").text, {}, tuple(starts))


def read_odt(source: Source) -> WholeText:
    """OpenDocument: headers, the body with its notes, footers."""
    archive = _Archive(source, "OpenDocument")
    body = [e for e in archive.xml("content.xml").iter() if _local(e) == "body"]
    styles = archive.xml("styles.xml").iter() if "styles.xml" in archive.names else ()
    around = [e for e in styles if _local(e) in ("header", "footer")]
    order = [e for e in around if _local(e) == "header"] + body
    order += [e for e in around if _local(e) == "footer"]
    return _joined([block for e in order for block in _blocks(e)], source, "OpenDocument")


def read_epub(source: Source) -> WholeText:
    """EPUB: its chapters in the order of the book."""
    archive = _Archive(source, "EPUB")
    container = archive.xml("META-INF/container.xml")
    package = next(
        (_attribute(e, "full-path") for e in container.iter() if _local(e) == "rootfile"), None
    )
    if package is None:
        raise InputError(f"{source.name}: cannot be read as EPUB: it names no package")
    root = archive.xml(package)
    hrefs = {e.get("id"): e.get("href", "") for e in root.iter() if _local(e) == "item"}
    chapters = [hrefs.get(e.get("idref"), "") for e in root.iter() if _local(e) == "itemref"]
    folder = posixpath.dirname(package)
    texts = []
    for href in filter(None, chapters):
        data = archive.bytes_of(posixpath.normpath(posixpath.join(folder, href)))
        texts.append(text_of_html(data.decode("utf-8", "replace"), source.name))
    return _joined(["\n\n".join(text for text in texts if text)], source, "EPUB")


# --- Outlook ---


def read_msg(source: Source) -> WholeText:
    """An e-mail as Outlook stores it: headers, text, names of the attachments."""
    oxmsg = needed("oxmsg", "python-oxmsg", "office", "Outlook's .msg")
    try:
        message = oxmsg.Message.load(io.BytesIO(source.read()))
        received = {name.lower(): value for name, value in (message.message_headers or {}).items()}
        to = ", ".join(f"{r.name} <{r.email_address}>" for r in message.recipients)
        date = message.sent_date
        found = {
            "From": message.sender or received.get("from"),
            "To": received.get("to") or to,
            "Cc": received.get("cc"),
            "Date": received.get("date") or (None if date is None else date.isoformat()),
            "Subject": message.subject or received.get("subject"),
        }
        text = message.body or ""
        if not text.strip() and message.html_body:
            text = text_of_html(message.html_body, source.name)
        attached = [file.file_name or "unnamed" for file in message.attachments]
    except InputError:
        raise
    except Exception as error:  # damaged ones raise whatever the parser comes to
        raise InputError(f"{source.name}: cannot be read as an Outlook message: {error}") from error
    headers = {name: value for name, value in found.items() if value}
    parts = ["\n".join(f"{name}: {value}" for name, value in headers.items())]
    parts.append(text.replace("\r\n", "\n").strip())
    if attached:
        parts.append("Attachments: " + ", ".join(attached))
    columns = {name.lower(): value for name, value in headers.items()}
    return WholeText("\n\n".join(part for part in parts if part), columns)


READERS: Mapping[str, Callable[[Source], WholeText]] = {
    "pdf": read_pdf,
    "docx": read_docx,
    "pptx": read_pptx,
    "odt": read_odt,
    "epub": read_epub,
    "msg": read_msg,
}


# --- Excel and OpenDocument sheets ---


def sheet_rows(source: Source) -> Iterator[Row]:
    """The rows of every sheet, by the names in its first row that is not empty."""
    calamine = needed(
        "python_calamine", "python-calamine", "office", "Excel and OpenDocument sheets"
    )
    try:
        book = calamine.CalamineWorkbook.from_filelike(io.BytesIO(source.read()))
        sheets = [(name, book.get_sheet_by_name(name).to_python()) for name in book.sheet_names]
    except Exception as error:  # damaged ones raise whatever calamine comes to
        raise InputError(f"{source.name}: cannot be read as a workbook: {error}") from error
    filled = [(name, rows) for name, rows in sheets if any(_is_filled(row) for row in rows)]
    if not filled:
        raise InputError(f"{source.name}: empty; expected a header with the names of the columns")
    for name, rows in filled:
        numbered = [(n, row) for n, row in enumerate(rows, start=1) if _is_filled(row)]
        header = [_column_name(cell, n) for n, cell in enumerate(numbered[0][1], start=1)]
        refuse_twice(header, f"{source.name}, sheet {name!r}" if len(filled) > 1 else source.name)
        if source.check_columns is not None:
            source.check_columns(header)
        for line, row in numbered[1:]:
            cells = dict(zip(header, map(_cell, row), strict=False))
            yield line, {"sheet": name, **cells} if len(filled) > 1 else cells


def _is_filled(row: Sequence[Any]) -> bool:
    return any(cell not in ("", None) for cell in row)


def _column_name(cell: Any, number: int) -> str:
    return str(_cell(cell) or "").strip() or f"column {number}"


def _cell(cell: Any) -> Any:
    """The value of a cell; a whole number is one, though Excel knows only one kind of numbers."""
    if isinstance(cell, float) and cell.is_integer() and abs(cell) < 1e15:
        return int(cell)
    return None if cell == "" else cell
