"""Reads files of every format; the module of a format is imported on first use.

A module has its formats' readers in ``READERS``, each a function of a ``Source``, and in
``WHOLE_READERS`` those that read a table as one document, if it has its own.
"""

from __future__ import annotations

import io
import os
from collections.abc import Iterator, Mapping
from typing import Any, cast

from hpd.errors import InputError
from hpd.files.encodings import OTHER_ENCODING
from hpd.files.formats.text import Cells, separated_cells
from hpd.files.rows import (
    EXTENSIONS,
    MAILS,
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
    row: WholeText | InputError
    try:
        row = _read_whole(source, format)
    except InputError as error:
        row = error
    yield 1, row
    for name, data in () if isinstance(row, InputError) else row.parts:
        kind = EXTENSIONS.get(os.path.splitext(name)[1].lower())
        part = Source(io.BytesIO(data), f"{source.name}/{name}", has_parts=True, notes=source.notes)
        if kind in WHOLE_FORMATS:
            for inner in rows_of(part, kind):
                source.part = part.part or part.name
                yield inner


def _read_whole(source: Source, format: Format) -> WholeText:  # noqa: A002
    """Read a file as one document."""
    module = _module(format)
    if format in WHOLE_FORMATS:
        read = module.READERS[format]
    else:
        read = getattr(module, "WHOLE_READERS", {}).get(format)
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
    module: Any
    if format == "html":
        from hpd.files.formats import html as module
    elif format == "xml":
        from hpd.files.formats import xml as module
    elif format in MAILS:
        from hpd.files.formats import mail as module
    elif format == "pdf":
        from hpd.files.formats import pdf as module
    elif format in ("docx", "pptx", "odt", "epub"):
        from hpd.files.formats import office as module
    elif format in ("xlsx", "ods"):
        from hpd.files.formats import sheets as module
    elif format == "parquet":
        from hpd.files.formats import parquet as module
    elif format == "image":
        from hpd.files.formats import pictures as module
    else:
        from hpd.files.formats import text as module
    return module
