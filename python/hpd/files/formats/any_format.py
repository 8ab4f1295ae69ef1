"""Reads files of every format; the module of a format is imported on first use.

A module has its formats' readers in ``READERS``, each a function of a ``Source``, and in
``WHOLE_READERS`` those that read a table as one document, if it has its own.
"""

from __future__ import annotations

import io
import os
from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Any, cast

from hpd.errors import InputError
from hpd.files.encodings import OTHER_ENCODING
from hpd.files.formats.text import Cells, separated_cells
from hpd.files.rows import (
    EXTENSIONS,
    SEPARATED,
    TABLES,
    WHOLE_FORMATS,
    Format,
    Row,
    WholeText,
    cell_text,
)
from hpd.files.streams import Source
from hpd.files.text_tables import table_text

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
        yield from _module(format).READERS[format](source)
        return
    try:
        text = _read_whole(source, format)
    except InputError as error:
        yield 1, error
        return
    except Exception as error:  # a parser may raise anything if a file is damaged
        called = _MODULES.get(format, _TEXT)[1]
        yield 1, InputError(f"{source.name}: cannot be read as {called}: {error}")
        return
    yield 1, text
    for name, data in text.parts:
        kind = EXTENSIONS.get(os.path.splitext(name)[1].lower())
        part = Source(io.BytesIO(data), f"{source.name}/{name}", has_parts=True, notes=source.notes)
        if kind in WHOLE_FORMATS:
            for inner in rows_of(part, kind):
                source.part = part.part or part.name
                yield inner


def _read_whole(source: Source, format: Format) -> WholeText:  # noqa: A002
    """Read a file as one document."""
    readers = "READERS" if format in WHOLE_FORMATS else "WHOLE_READERS"
    read = getattr(_module(format), readers, {}).get(format)
    if read is not None:
        return cast(WholeText, read(source))
    return _table_as_document(source, format) if format in TABLES else WholeText(source.text())


def _table_as_document(source: Source, format: Format) -> WholeText:  # noqa: A002
    """Return a whole table as one text, including anything above its header."""
    table: list[list[str]] = []
    for _, cells in _all_cells(source, format):
        if isinstance(cells, InputError):
            raise cells
        bad = source.bad_byte("".join(cells))
        if bad is not None:
            raise InputError(f"{source.name}: {bad.partition(' at ')[0]}; {OTHER_ENCODING}")
        table.append(cells)
    return WholeText(table_text(table))


def _all_cells(source: Source, format: Format) -> Iterator[Cells]:  # noqa: A002
    if format in SEPARATED:
        yield from separated_cells(source, format)
        return
    names: list[str] = []
    for line, row in rows_of(source, format):
        if isinstance(row, Mapping):
            if not names:
                yield 0, (names := [*row])
            yield line, [cell_text(row.get(name)) for name in names]


def _module(format: Format) -> Any:  # noqa: A002
    return import_module(f"hpd.files.formats.{_MODULES.get(format, _TEXT)[0]}")
