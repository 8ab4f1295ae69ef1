"""PDF, by pypdfium2."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from importlib.util import find_spec
from threading import Lock
from typing import Any

from hpd.documents import Box, Document
from hpd.errors import InputError
from hpd.extras import import_extra
from hpd.files.formats.page_layout import Letter, lines_of
from hpd.files.formats.pictures import MAX_SIDE, RECOGNISED, PagePicture, png_of, recognise_lines
from hpd.files.rows import RECOGNISER, PlacedText, whole_text
from hpd.files.streams import Source
from hpd.messages import counted
from hpd.version import install_command

_CAPITAL_MARGIN = 0.2
"""The part of a line's height that is above capital letters, and below them."""
_MAX_SLANT = 0.05
"""The largest slant of a line, in quarter turns, at which its letters have upright boxes."""
_CHARACTER_FOR = {
    **{code: bytes([code]).decode("cp1252", "ignore") for code in range(0x80, 0xA0)},
    **dict.fromkeys((0x02, 0xFFFE), "-"),
}
"""What stands for a character: fonts without Unicode have codes of Windows, such as 128 for a euro
sign, and pdfium has two of its own for a hyphen at the end of a line."""


_PIXELS_PER_POINT = 200 / 72
"""Pixels per point when a page is rendered for text recognition."""
_MAX_STAMP_LETTERS = 300
"""Maximum number of letters of a page that may be a scan with a stamp."""
_MIN_PICTURE_SHARE = 0.25
"""Minimum share of such a page that is covered by pictures."""
_MIN_RECOGNISED = 1.5
"""Minimum number of letters that are recognised, relative to those that are there already."""
_PDFIUM_LOCK = Lock()
"""pdfium is not thread-safe."""

_PICTURE_DPI = 110


def read_pdf(source: Source) -> Document:
    """Read the pages of a PDF, with the values of its form, in reading order."""
    raw = _pdfium().raw
    data = source.read()
    can_recognise = find_spec(RECOGNISER) is not None
    n_empty = n_scans = 0
    with _PDFIUM_LOCK:
        pdf = _open_pdf(data, source.name)
        n_pages = len(pdf)

        # One at a time: the letters of a page take some thirty times the memory of its text.
        def pages() -> Iterator[list[list[PlacedText]]]:
            nonlocal n_empty, n_scans
            for number in range(n_pages):
                lines = _lines_of_page(pdf, number)
                if _may_be_scan(pdf, number, lines):
                    n_scans += 1
                    if can_recognise:
                        lines = _recognise_page(pdf, number, lines, source)
                n_empty += not lines
                yield lines

        try:
            document = whole_text(pages())
            if n_files := raw.FPDFDoc_GetAttachmentCount(pdf):
                source.notes.append(f"files within it that are not read: {n_files}")
            if pdf.get_formtype() == raw.FORMTYPE_XFA_FULL:
                source.notes.append("its XFA form is not read: print it as a PDF without one")
        finally:
            pdf.close()
    how = "" if can_recognise else f": `{install_command('ocr')}` recognises it"
    if n_empty == n_pages:
        raise InputError(f"{source.name}: this PDF has no text layer (a scan?){how}")
    if n_empty:
        source.notes.append(f"{counted(n_empty, 'page', 'has', of=n_pages)} no text (scans?){how}")
    n_unread = 0 if can_recognise else n_scans - n_empty
    if n_unread:
        shown = counted(n_unread, "page", "is", of=n_pages)
        source.notes.append(f"{shown} a picture with little text (scans?){how}")
    return document


def page_pictures(source: Source, numbers: Iterable[int]) -> Iterator[PagePicture]:
    """Render some pages of a PDF, one at a time; those that it does not have are left out.

    Raises:
        InputError: the PDF cannot be read.
        MissingPackageError: pypdfium2 is not installed.
    """
    pdfium = _pdfium()
    data = source.read()
    try:
        with _PDFIUM_LOCK:
            pdf = _open_pdf(data, source.name)
            shown = [number for number in numbers if 1 <= number <= len(pdf)]
        try:
            for number in shown:
                with _PDFIUM_LOCK:
                    picture = _page_picture(pdf, number)
                yield picture
        finally:
            with _PDFIUM_LOCK:
                pdf.close()
    except pdfium.PdfiumError as error:
        raise InputError(f"{source.name}: cannot be rendered: {error}") from error


def _page_picture(pdf: Any, number: int) -> PagePicture:
    page = pdf[number - 1]
    width, height = page.get_size()
    scale = min(_PICTURE_DPI / 72, MAX_SIDE / max(width, height, 1))
    bitmap = page.render(scale=scale, grayscale=True)
    png = png_of(bitmap.to_numpy())
    bitmap.close()
    page.close()
    return PagePicture(number, round(width, 1), round(height, 1), png)


def _pdfium() -> Any:
    return import_extra("pypdfium2", "pypdfium2", "pdf", "PDF")


def _open_pdf(data: bytes, name: str) -> Any:
    pdfium = _pdfium()
    try:
        pdf = pdfium.PdfDocument(data)
    except pdfium.PdfiumError as error:
        if "password" in str(error).lower():
            raise InputError(f"{name}: this PDF is locked with a password") from error
        raise
    pdf.init_forms()
    return pdf


def _lines_of_page(pdf: Any, number: int) -> list[list[PlacedText]]:
    import pypdfium2.raw as pdfium

    page = pdf[number]
    chosen = _checked_fields(pdf, page) if pdf.formenv is not None else []
    # Form fields and notes on the page become parts of the page.
    if pdfium.FPDFPage_GetAnnotCount(page) and (
        pdfium.FPDFPage_Flatten(page, pdfium.FLAT_NORMALDISPLAY) == pdfium.FLATTEN_SUCCESS
    ):
        page.close()
        page = pdf[number]
    letters = page.get_textpage()
    lines = lines_of(_letters(page, letters))
    letters.close()
    page.close()
    return lines + [[(text, None)] for text in chosen]


def _n_letters(lines: Iterable[Iterable[PlacedText]]) -> int:
    return sum(box is not None for line in lines for _, box in line)


def _may_be_scan(pdf: Any, number: int, lines: Sequence[Sequence[PlacedText]]) -> bool:
    """Return whether a page has no text, or little beside a picture, such as a stamp on a scan."""
    import pypdfium2.raw as pdfium

    if not lines or _n_letters(lines) > _MAX_STAMP_LETTERS:
        return not lines
    page = pdf[number]
    width, height = page.get_size()
    covered = 0.0
    for picture in page.get_objects([pdfium.FPDF_PAGEOBJ_IMAGE]):
        left, bottom, right, top = picture.get_bounds()
        covered += (right - left) * (top - bottom)
    page.close()
    return bool(covered > _MIN_PICTURE_SHARE * width * height)


def _recognise_page(
    pdf: Any, number: int, known: list[list[PlacedText]], source: Source
) -> list[list[PlacedText]]:
    """Return the recognised lines of a page; those that are known if they have most letters."""
    page = pdf[number]
    bitmap = page.render(scale=_PIXELS_PER_POINT)
    lines = recognise_lines(bitmap.to_numpy(), _PIXELS_PER_POINT)
    bitmap.close()
    page.close()
    if _n_letters(lines) <= _MIN_RECOGNISED * _n_letters(known):
        return known
    source.notes.append(RECOGNISED)
    return lines


def _checked_fields(pdf: Any, page: Any) -> list[str]:
    """Return the checked boxes of a form, which have no text of their own."""
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


def _letters(page: Any, letters: Any) -> Iterator[Letter]:
    """Return the letters of a page in pdfium's order, which is logical within a line."""
    import pypdfium2.raw as pdfium

    shown = _box_converter(page)
    first_half = ""
    for i in range(letters.count_chars()):
        code = pdfium.FPDFText_GetUnicode(letters, i)
        text = first_half + (_CHARACTER_FOR.get(code) or chr(code))
        first_half = ""
        if 0xD800 <= code < 0xDC00:
            first_half = text
            continue
        if len(text) == 2:
            text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        if not text.isprintable() or text.isspace():
            yield Letter(" ", (0, 0, 0, 0))
            continue
        left, bottom, right, top = _box(letters, i, is_sign=not text.isalnum())
        # Letters without a width are those of a font that has none, or signs over others.
        yield Letter(text, shown(left, bottom, max(left, right), top))


def _box(letters: Any, i: int, *, is_sign: bool) -> Sequence[float]:
    """Return the box of a letter, as wide as its advance and as high as it is drawn.

    A sign is at least as high as a capital letter, even if it is drawn as a dot, so that it stands
    on the line of the letters beside it.
    """
    import pypdfium2.raw as pdfium

    drawn: Sequence[float] = letters.get_charbox(i)
    turns = pdfium.FPDFText_GetCharAngle(letters, i) / (math.pi / 2)
    if abs(turns - round(turns)) > _MAX_SLANT:
        return drawn
    box = [*letters.get_charbox(i, loose=True)]
    low, high = (0, 2) if round(turns) % 2 else (1, 3)
    above = _CAPITAL_MARGIN * (box[high] - box[low])
    box[low] = min(drawn[low], box[low] + above) if is_sign else drawn[low]
    box[high] = max(drawn[high], box[high] - above) if is_sign else drawn[high]
    return box


def _box_converter(page: Any) -> Callable[[float, float, float, float], Box]:
    """Return a function that converts pdfium's boxes to boxes on the displayed page, from its top
    left."""
    # A crop box may be larger than the paper.
    x0, y0, x1, y1 = page.get_bbox()
    quarters = page.get_rotation() // 90

    def shown(left: float, bottom: float, right: float, top: float) -> Box:
        if quarters == 0:
            return left - x0, y1 - top, right - x0, y1 - bottom
        if quarters == 1:
            return bottom - y0, left - x0, top - y0, right - x0
        if quarters == 2:
            return x1 - right, bottom - y0, x1 - left, top - y0
        return y1 - top, x1 - right, y1 - bottom, x1 - left

    return shown


TEXT_READERS = {"pdf": read_pdf}
