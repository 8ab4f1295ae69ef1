"""Word, PowerPoint, OpenDocument and EPUB.

Texts are read from their XML with the standard library, so that nothing is left out: text boxes,
notes, headers and footers, which converters lose.
"""

from __future__ import annotations

import io
import posixpath
import re
import zipfile
from collections.abc import Iterator, Sequence
from xml.etree import ElementTree

from hpd.errors import InputError
from hpd.external.html import text_of_html
from hpd.files.rows import WholeText
from hpd.files.streams import Source

_MOST_BYTES = 1 << 30  # of what is in an archive, which could be made to fill the memory
_OLD_OFFICE = b"\xd0\xcf\x11\xe0"


class _Archive:
    """The XML files of an archive."""

    def __init__(self, source: Source, kind: str) -> None:
        self._problem = f"{source.name}: cannot be read as {kind}"
        try:
            data = source.read()
            if data.startswith(_OLD_OFFICE):
                raise InputError("it has a password, or is of an Office before 2007: save it anew")
            self._zip = zipfile.ZipFile(io.BytesIO(data))
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


READERS = {
    "docx": read_docx,
    "pptx": read_pptx,
    "odt": read_odt,
    "epub": read_epub,
}
