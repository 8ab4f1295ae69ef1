"""Reads files of every format; the module of a format is imported on first use.

A module has functions of a ``Source``, by format: in ``ROW_READERS`` those that yield its rows, in
``TEXT_READERS`` those that return all of it as one text.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from importlib import import_module
from typing import Any

from hpd.documents import Document
from hpd.errors import InputError
from hpd.files.rows import WHOLE_FORMATS, Format, Row, attachment_format
from hpd.files.streams import Source

_MODULES: dict[str, tuple[str, str]] = {
    "html": ("html", "HTML"),
    "xml": ("xml", "XML"),
    "eml": ("mail", "an e-mail"),
    "msg": ("mail", "an Outlook message"),
    "pdf": ("pdf", "PDF"),
    "docx": ("office", "Word"),
    "pptx": ("office", "PowerPoint"),
    "odt": ("office", "OpenDocument"),
    "epub": ("office", "EPUB"),
    "xlsx": ("sheets", "a workbook"),
    "ods": ("sheets", "a workbook"),
    "parquet": ("parquet", "Parquet"),
    "image": ("pictures", "a picture"),
}
"""The module of each format, and the format's name in messages; all others are text."""
_TEXT = ("text", "text")


def rows_of(
    source: Source,
    format: Format,  # noqa: A002
    *,
    whole: bool = False,
) -> Iterator[Row]:
    """Yield the rows of an open file, reading each when it is needed.

    A file that is one document, as any is with ``whole``, has one row: its text, or the error in
    reading it. The rows of its parts follow if these are separate documents.
    """
    if not whole and format not in WHOLE_FORMATS:
        yield from _module(format).ROW_READERS[format](source)
        return
    try:
        text: Document = _module(format).TEXT_READERS[format](source)
    except InputError as error:
        yield 1, error
        return
    except Exception as error:  # a parser may raise anything if a file is damaged
        called = _MODULES.get(format, _TEXT)[1]
        yield 1, InputError(f"{source.name}: cannot be read as {called}: {error}")
        return
    yield 1, text
    for name, data in source.parts:
        kind = attachment_format(name)
        part = Source(io.BytesIO(data), f"{source.name}/{name}", has_parts=True, notes=source.notes)
        if kind is not None:
            for inner in rows_of(part, kind, whole=True):
                source.part = part.part or part.name
                yield inner


def _module(format: Format) -> Any:  # noqa: A002
    return import_module(f"hpd.files.formats.{_MODULES.get(format, _TEXT)[0]}")
