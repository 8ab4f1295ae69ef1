"""PDF, by pypdfium2, in the order of reading."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from hpd.errors import InputError
from hpd.files.rows import WholeText
from hpd.files.streams import Source, needed

_LOW_LINE_SHARE = 0.5
"""Of the smaller of two pieces of text: so much of its height is beside the other on one line."""
_N_COLUMN_LINES = 5
_N_COLUMN_LETTERS = 25


@dataclass(slots=True)
class _Piece:
    """Letters beside each other on a page; its left, bottom, right and top, in points."""

    text: str
    left: float
    bottom: float
    right: float
    top: float
    angle: float = 0.0
    """In radians; 0 for what is written from left to right."""


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
        if n_files := pdfium.raw.FPDFDoc_GetAttachmentCount(pdf):
            source.notes.append(f"files within it that are not read: {n_files}")
        if pdf.get_formtype() == pdfium.raw.FORMTYPE_XFA_FULL:
            source.notes.append("its XFA form is not read: print it as a PDF without one")
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
            pieces = [*_pieces(letters)]
            upright = (piece for piece in pieces if not piece.angle)
            turned = [piece.text.strip() for piece in pieces if piece.angle]
            text = "\n".join([*_lines_of_pieces(upright), *turned])
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
        angle = round(pdfium.FPDFText_GetCharAngle(letters, i), 1)
        angle = angle if 0 < angle < 6.2 else 0.0
        if piece is not None and (
            angle != piece.angle
            or (left.value - piece.right > 1.5 * height and not angle)
            or (left.value < piece.right - height and not angle)
        ):
            yield piece
            piece = None
        if piece is None:
            piece = _Piece("", left.value, bottom.value, right.value, top.value, angle)
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


READERS = {"pdf": read_pdf}
