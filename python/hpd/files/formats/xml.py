"""XML: the names and values of elements, indented below their parents."""

from __future__ import annotations

from collections.abc import Iterator
from xml.etree import ElementTree

from hpd.documents import Document
from hpd.files.streams import Source


def local_name(element: ElementTree.Element) -> str:
    """Return the name of an element without its namespace."""
    return str(element.tag).rpartition("}")[2]


def _read_xml(source: Source) -> Document:
    root = ElementTree.fromstring(source.read())
    return Document("\n".join(_lines(root, 0)))


def _lines(element: ElementTree.Element, depth: int) -> Iterator[str]:
    """Return the lines of an element with its attributes and text, its children indented by two."""
    names = [_tag_text(element)]
    # Elements that only hold another one are a path.
    while len(element) == 1 and not (element.text or "").strip():
        (element,) = element
        names.append(_tag_text(element))
    text = " ".join((element.text or "").split())
    yield f"{'  ' * depth}{'/'.join(names)}{f': {text}' if text else ''}"
    for child in element:
        yield from _lines(child, depth + 1)
        after = " ".join((child.tail or "").split())
        if after:
            yield f"{'  ' * (depth + 1)}{after}"


def _tag_text(element: ElementTree.Element) -> str:
    given = (f'{name.rpartition("}")[2]}="{value}"' for name, value in element.attrib.items())
    return " ".join([local_name(element), *given])


TEXT_READERS = {"xml": _read_xml}
