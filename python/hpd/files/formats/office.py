"""Word, PowerPoint, OpenDocument and EPUB.

Texts are read from the XML with the standard library, so that text boxes, notes, headers and
footers, which converters lose, are included.
"""

from __future__ import annotations

import io
import math
import posixpath
import re
import zipfile
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import date, timedelta
from urllib.parse import unquote
from xml.etree import ElementTree

from hpd.documents import Box, Document
from hpd.errors import InputError
from hpd.files.formats.html import declared_encoding, text_of_html
from hpd.files.formats.xml import local_name
from hpd.files.rows import whole_text
from hpd.files.streams import Source, decode
from hpd.files.text_tables import table_text

_MAX_UNPACKED_BYTES = 1 << 30  # of what is in an archive, which could be made to fill the memory
_OLD_OFFICE = b"\xd0\xcf\x11\xe0"


class Archive:
    """The XML files of an archive."""

    def __init__(self, data: bytes, max_bytes: int | None = _MAX_UNPACKED_BYTES) -> None:
        if data.startswith(_OLD_OFFICE):
            raise ValueError("it has a password, or is of an Office before 2007: save it again")
        self._zip = zipfile.ZipFile(io.BytesIO(data))
        self.read = self._zip.read
        self.open = self._zip.open
        self.names = self._zip.namelist()
        n_bytes = sum(info.file_size for info in self._zip.infolist())
        if max_bytes is not None and n_bytes > max_bytes:
            raise ValueError("more than a gigabyte when it is unpacked")

    def xml(self, name: str) -> ElementTree.Element:
        return ElementTree.fromstring(self.read(name))

    def relations(self, name: str) -> dict[str, tuple[str, str]]:
        """Return the kinds and names of related files by id, in Microsoft's formats; ``""`` gives
        those of the document itself."""
        folder, base = posixpath.split(name)
        relations = posixpath.join(folder, "_rels", f"{base}.rels")
        found = {}
        for each in self.xml(relations) if relations in self.names else ():
            target = posixpath.join("/", folder, each.get("Target", ""))
            target = posixpath.normpath(target).lstrip("/")
            if target in self.names and each.get("TargetMode") != "External":
                kind = each.get("Type", "").rpartition("/")[2]
                found[each.get("Id", "")] = (kind, target)
        return found

    def document(self) -> str | None:
        """Return the name of the main document, in Microsoft's formats."""
        kinds = self.relations("").values()
        return next((name for kind, name in kinds if kind == "officeDocument"), None)

    def texts_of(self, name: str, *kinds: str) -> list[str]:
        """Return the texts of related files, grouped by kind."""
        files = {file for file in self.relations(name).values() if file[0] in kinds}
        numbers = {file: [int(n) for n in re.findall(r"\d+", file[1])] for file in files}
        order = sorted(files, key=lambda file: (kinds.index(file[0]), numbers[file]))
        roots = [self.xml(target) for _, target in order]
        return [text for root in roots for text in [*_blocks(root), *_rows_of_chart(root)]]

    def note_unread(self, names: Sequence[str], source: Source) -> None:
        """Add a note on how many embedded files are not read."""
        kinds = [kind for name in names for kind, _ in self.relations(name).values()]
        n = sum(kind in _UNREAD_PARTS for kind in kinds)
        if n:
            source.notes.append(f"files within it that are not read: {n}")


def _attribute(element: ElementTree.Element, name: str) -> str | None:
    """Return an attribute by its local name."""
    return next((v for k, v in element.attrib.items() if k.rpartition("}")[2] == name), None)


_BREAKS = {"tab": "\t", "br": "\n", "cr": "\n", "line-break": "\n", "noBreakHyphen": "-"}
_SYMBOLS = {
    **dict.fromkeys(("F06F", "F0A8", "F071", "F072"), "☐"),
    **dict.fromkeys(("F0FD", "F0FE", "F078"), "☒"),
    "F0FB": "✗",
    "F0FC": "✓",
}
"""Boxes and marks of Wingdings, by their codes."""
_IGNORED_ELEMENTS = {
    *("del", "moveFrom", "instrText", "delText", "Fallback", "pPr", "rPr", "sectPr", "tblPr"),
    *("tracked-changes", "bookmark", "forms", "sequence-decls", "binary-data", "script"),
}
"""Elements with invisible text: deletions, settings, copies."""
_ODF = "{urn:oasis:names:tc:opendocument:"
_FORMULA = "{http://www.w3.org/1998/Math/MathML}annotation"
_UNREAD_PARTS = ("package", "oleObject", "aFChunk", "chartEx")
_BLOCKS = {"tbl", "table"}
_CELLS = {"tc", "table-cell", "covered-table-cell"}
_PARAGRAPHS = {"p", "h"}
_MAX_SPAN_CELLS = 200
"""The most repetitions of a cell; sheets repeat an empty one to their end."""


def _blocks(elements: Iterable[ElementTree.Element]) -> Iterator[str]:
    """Iterate over the paragraphs and tables of elements; a table has one line per row."""
    for child in elements:
        name = local_name(child)
        if _is_left_out(child):
            continue
        if name in _PARAGRAPHS or _is_comment(child):
            inside: list[str] = []
            text = _inline(child, inside).strip()
            if text:
                yield text
            yield from inside
        elif name in _BLOCKS:
            yield table_text(_rows(child))
        else:
            yield from _blocks(child)


def _rows(table: ElementTree.Element) -> list[list[str]]:
    """Return the rows of a table with all their cells: a cell that spans rows is repeated in each
    of them, and one that spans columns is followed by empty cells."""
    rows: list[list[str]] = []
    below: dict[int, tuple[int, str]] = {}  # by column: the rows that a cell of ODF still spans
    for row in _own_elements(table, ("tr", "table-row")):
        settings = [each for child in row if local_name(child) == "trPr" for each in child]
        before = next((each for each in settings if local_name(each) == "gridBefore"), None)
        texts = [""] * (0 if before is None else _number(before, "val"))
        for cell in _own_elements(row, _CELLS):
            at = len(texts)
            text = " ".join(" ".join(_blocks(cell)).split())
            above = rows[-1][at] if rows and at < len(rows[-1]) else ""
            n_rows, covered = below.pop(at, (0, ""))
            if n_rows > 1:
                below[at] = n_rows - 1, covered
            if local_name(cell) == "covered-table-cell":
                text = covered
            elif _continues_above(cell):
                text = above
            if (n_rows := _number(cell, "number-rows-spanned")) > 1:
                below[at] = n_rows - 1, text
            texts.append(text)
            texts += [text] * (_number(cell, "number-columns-repeated") - 1)
            if local_name(cell) == "tc" and "wordprocessingml" in str(cell.tag):
                texts += [""] * (_number(_cell_property(cell, "gridSpan"), "val") - 1)
        rows.append(texts)
    return rows


def _own_elements(
    element: ElementTree.Element, names: Collection[str]
) -> Iterator[ElementTree.Element]:
    """Return the rows of a table or the cells of a row, without those of nested tables."""
    for child in element:
        if local_name(child) in names:
            yield child
        elif local_name(child) not in _BLOCKS:
            yield from _own_elements(child, names)


def _continues_above(cell: ElementTree.Element) -> bool:
    """Return whether a cell in Word continues the one above it."""
    merge = _cell_property(cell, "vMerge")
    return cell.get("vMerge") == "1" or (
        merge is not None and _attribute(merge, "val") in (None, "continue")
    )


def _cell_property(cell: ElementTree.Element, name: str) -> ElementTree.Element | None:
    settings = next((child for child in cell if local_name(child) == "tcPr"), ())
    return next((each for each in settings if local_name(each) == name), None)


def _number(element: ElementTree.Element | None, name: str) -> int:
    """Return a number of columns or rows, 1 if it is not given."""
    text = "" if element is None else _attribute(element, name) or ""
    return min(max(int(text), 1), _MAX_SPAN_CELLS) if text.isascii() and text.isdecimal() else 1


def _is_left_out(element: ElementTree.Element) -> bool:
    if local_name(element) == "r":
        settings = (each for child in element if local_name(child) == "rPr" for each in child)
        vanish = next((each for each in settings if local_name(each) == "vanish"), None)
        return vanish is not None and _attribute(vanish, "val") not in ("0", "false", "off")
    # The title of a picture is not shown, that of a chart is.
    return local_name(element) in _IGNORED_ELEMENTS or "svg-compatible" in str(element.tag)


def _own_text(element: ElementTree.Element) -> str:
    """Return the text of an element before its first child, if its format shows it."""
    if str(element.tag).startswith(_ODF):  # any, as fields have names of their own
        return _collapse_blanks(element.text)
    return element.text or "" if local_name(element) == "t" or _is_comment(element) else ""


def _is_comment(element: ElementTree.Element) -> bool:
    return local_name(element) == "text" and "presentationml" in str(element.tag)


def _inline(element: ElementTree.Element, inside: list[str]) -> str:
    """Return the text of a paragraph; blocks inside it, such as text boxes, are collected
    separately."""
    parts = [_own_text(element)]
    for child in element:
        name = local_name(child)
        if name in _BREAKS:
            parts.append(_BREAKS[name])
        elif name == "s":
            parts.append(" " * int(_attribute(child, "c") or 1))
        elif name == "sym":
            parts.append(_SYMBOLS.get((_attribute(child, "char") or "").upper(), ""))
        elif name == "ffData":
            parts.append(_form_field(child))
        elif name in ("txbxContent", "text-box", "annotation", "note-body"):
            inside.extend(_blocks(child))
        elif name in _PARAGRAPHS:
            inside.append(_inline(child, inside).strip())
        elif not _is_left_out(child) and name != "note-citation":
            parts.append(_inline(child, inside))
        if str(element.tag).startswith(_ODF):
            parts.append(_collapse_blanks(child.tail))
    return "".join(parts)


def _collapse_blanks(text: str | None) -> str:
    return re.sub(r"[ \t\r\n]+", " ", text or "")


def _form_field(data: ElementTree.Element) -> str:
    """Return what a form field without text shows: a check mark, or the chosen entry of a list."""
    field = next((e for e in data if local_name(e) in ("checkBox", "ddList")), None)
    if field is None:
        return ""
    values = [(local_name(e), _attribute(e, "val") or "1") for e in field]
    entries = [value for name, value in values if name == "listEntry"]
    settings = dict(values)
    chosen = settings.get("result") or settings.get("checked") or settings.get("default") or "0"
    if local_name(field) == "checkBox":
        return "☐" if chosen in ("0", "false", "off") else "☒"
    return "".join(entries[int(chosen) :][:1])


def _rows_of_chart(chart: ElementTree.Element) -> Iterator[str]:
    """Return a line for each series of a chart in Microsoft's formats: ``Sales: 2023 4.5 | 2024
    5.1``."""
    for series in (e for e in chart.iter() if local_name(e) == "ser"):
        name, points = "", defaultdict[int, list[str]](list)
        for part in series:
            texts = {kind: [e for e in part.iter() if local_name(e) == kind]
                     for kind in ("v", "pt", "formatCode")}  # fmt: skip
            if local_name(part) == "tx":
                name = " ".join(e.text or "" for e in texts["v"])
            elif local_name(part) in ("cat", "val", "xVal", "yVal", "bubbleSize"):
                form = next((e.text for e in texts["formatCode"]), None)
                for point in texts["pt"]:
                    text = "".join(point.itertext()).strip()
                    points[int(point.get("idx", 0))].append(_format_point(text, form))
        yield f"{name}: " + " | ".join(" ".join(points[i]) for i in sorted(points))


def _format_point(text: str, form: str | None) -> str:
    """Format a text or number as the chart shows it."""
    try:
        number = float(text) if form else math.nan
        if not form or not math.isfinite(number):
            return text
        if "yy" in form.lower():
            return str(date(1899, 12, 30) + timedelta(number))
    except (ValueError, OverflowError):
        return text
    return f"{100 * number:.13g}%" if form.endswith("%") else f"{number:.15g}"


def _join_blocks(blocks: Iterable[str], source: Source) -> Document:
    text = "\n".join(block for block in blocks if block)
    if not text.strip():
        raise InputError(f"{source.name}: this file has no text (only pictures?)")
    return Document(text)


def read_docx(source: Source) -> Document:
    """Word: headers, the body, charts, notes and comments, footers."""
    archive = Archive(source.read())
    body = archive.document()
    if body is None:
        raise ValueError("it has no document.xml")
    blocks = [
        *archive.texts_of(body, "header"),
        *_blocks(archive.xml(body)),
        *archive.texts_of(
            *(body, "chart", "diagramData", "footnotes", "endnotes", "comments", "footer")
        ),
    ]
    archive.note_unread([body], source)
    return _join_blocks(blocks, source)


def read_pptx(source: Source) -> Document:
    """PowerPoint: each slide, with its charts, and the notes and comments on it."""
    archive = Archive(source.read())
    show = archive.document()
    related = {} if show is None else archive.relations(show)
    listed = (
        [] if show is None else [e for e in archive.xml(show).iter() if local_name(e) == "sldId"]
    )
    slides = [related[i][1] for each in listed for i in each.attrib.values() if i in related]
    if not slides:
        raise ValueError("it has no slides")
    pages = [
        [
            *_slide_blocks(archive.xml(name), _placeholders(archive, name)),
            *((text, None) for text in archive.texts_of(name, *_SLIDE_PARTS)),
        ]
        for name in slides
    ]
    archive.note_unread(slides, source)
    _join_blocks((text for page in pages for text, _ in page), source)
    return whole_text([[[block] for block in page if block[0]] for page in pages])


_EMU = 12_700  # in a point
_SHAPES = {"sp", "graphicFrame", "pic", "cxnSp"}
_SLIDE_PARTS = ("notesSlide", "diagramData", "chart", "comments")


def _slide_blocks(
    element: ElementTree.Element, inherited: Mapping[str, Box], group: Box = (0, 0, 1, 1)
) -> Iterator[tuple[str, Box | None]]:
    """Return the blocks of a slide, each with the box of its shape.

    Args:
        element: the slide, or a part of it.
        inherited: the boxes of placeholders, which slides may inherit from their layout.
        group: the transform from a group to the slide: the shift in points and the scale, in both
            directions.
    """
    for child in element:
        name = local_name(child)
        if _is_left_out(child):
            continue
        if name in _SHAPES:
            box = _box(child, group) or inherited.get(_placeholder(child))
            yield from ((text, box) for text in _blocks(child))
        elif name == "grpSp":
            yield from _slide_blocks(child, inherited, _compose(child, group))
        elif name in _PARAGRAPHS or name in _BLOCKS or _is_comment(child):
            yield from ((text, None) for text in _blocks([child]))
        else:
            yield from _slide_blocks(child, inherited, group)


def _read_pair(element: ElementTree.Element | None, *names: str) -> tuple[float, float] | None:
    """Return two attributes of an element, in points."""
    try:
        x, y = (int("" if element is None else element.get(name, "")) / _EMU for name in names)
    except ValueError:
        return None
    return x, y


def _transform(shape: ElementTree.Element) -> dict[str, ElementTree.Element]:
    settings = [each for each in shape if local_name(each) in ("spPr", "grpSpPr", "xfrm")]
    found = [e for each in settings for e in each.iter() if local_name(e) == "xfrm"][:1]
    return {local_name(part): part for each in found for part in each}


def _box(shape: ElementTree.Element, group: Box) -> Box | None:
    parts = _transform(shape)
    at, size = _read_pair(parts.get("off"), "x", "y"), _read_pair(parts.get("ext"), "cx", "cy")
    if at is None or size is None:
        return None
    x, y, wide, high = group
    left, top = x + wide * at[0], y + high * at[1]
    return left, top, left + wide * size[0], top + high * size[1]


def _compose(group: ElementTree.Element, outer: Box) -> Box:
    """Compose the transform of a group with that of its parent."""
    box, parts = _box(group, outer), _transform(group)
    at, size = _read_pair(parts.get("chOff"), "x", "y"), _read_pair(parts.get("chExt"), "cx", "cy")
    if box is None or at is None or size is None or 0 in size:
        return outer
    wide, high = (box[2] - box[0]) / size[0], (box[3] - box[1]) / size[1]
    return box[0] - wide * at[0], box[1] - high * at[1], wide, high


def _placeholder(shape: ElementTree.Element) -> str:
    """Return the key of a placeholder: its index or, if it has none, its type."""
    found = next((each for each in shape.iter() if local_name(each) == "ph"), None)
    return "" if found is None else found.get("idx") or found.get("type") or "obj"


def _placeholders(archive: Archive, slide: str) -> dict[str, Box]:
    """Return the boxes of placeholders in the layout of a slide."""
    layouts = [name for kind, name in archive.relations(slide).values() if kind == "slideLayout"]
    shapes = (e for name in layouts for e in archive.xml(name).iter() if local_name(e) in _SHAPES)
    boxes = ((_placeholder(shape), _box(shape, (0, 0, 1, 1))) for shape in shapes)
    return {name: box for name, box in boxes if name and box is not None}


def read_odt(source: Source) -> Document:
    """OpenDocument: headers, the body with its notes, charts, footers, formulas."""
    archive = Archive(source.read())
    body = [e for e in archive.xml("content.xml").iter() if local_name(e) == "body"]
    styles = archive.xml("styles.xml").iter() if "styles.xml" in archive.names else ()
    objects = [archive.xml(n) for n in archive.names if re.fullmatch(r"Object \d+/content.xml", n)]
    around = [e for e in styles if local_name(e) in ("header", "footer")]
    order = [e for e in around if local_name(e) == "header"] + body + objects
    order += [e for e in around if local_name(e) == "footer"]
    formulas = [e.text or "" for o in objects for e in o.iter() if e.tag == _FORMULA]
    blocks = [block for e in order for block in _blocks(e)]
    return _join_blocks([*blocks, *formulas], source)


def read_epub(source: Source) -> Document:
    """EPUB: its chapters in the order of the book."""
    archive = Archive(source.read())
    container = archive.xml("META-INF/container.xml")
    package = next(
        (_attribute(e, "full-path") for e in container.iter() if local_name(e) == "rootfile"), None
    )
    if package is None:
        raise ValueError("it names no package")
    root = archive.xml(package)
    hrefs = {e.get("id"): e.get("href", "") for e in root.iter() if local_name(e) == "item"}
    chapters = [hrefs.get(e.get("idref"), "") for e in root.iter() if local_name(e) == "itemref"]
    folder = posixpath.dirname(package)
    texts = []
    for href in filter(None, chapters):
        data = archive.read(posixpath.normpath(posixpath.join(folder, unquote(href))))
        page = decode(data, source, declared_encoding(data))
        texts.append(text_of_html(page))
    return _join_blocks(["\n\n".join(text for text in texts if text)], source)


TEXT_READERS = {"docx": read_docx, "pptx": read_pptx, "odt": read_odt, "epub": read_epub}
