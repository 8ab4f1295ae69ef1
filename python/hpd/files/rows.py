"""The formats of files, and what is read from a file: its rows, or its whole text."""

from __future__ import annotations

import json
import math
import os
from base64 import b64encode
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, get_args

from hpd.documents import Box, Document
from hpd.errors import InputError
from hpd.files.places import PagePlaces
from hpd.files.streams import join_names

RowFormat = Literal["jsonl", "json", "csv", "tsv", "lines", "parquet", "xlsx", "ods"]
WholeFormat = Literal[
    "txt", "md", "html", "xml", "eml", "pdf", "docx", "pptx", "odt", "epub", "msg", "image"
]
Format = RowFormat | WholeFormat
WHOLE_FORMATS: tuple[WholeFormat, ...] = get_args(WholeFormat)
"""The formats in which a file is one document."""
FORMATS: tuple[Format, ...] = (*get_args(RowFormat), *WHOLE_FORMATS)

EXTENSIONS: dict[str, Format] = {
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "json",
    ".csv": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".txt": "txt",
    ".text": "txt",
    ".md": "md",
    ".markdown": "md",
    ".html": "html",
    ".htm": "html",
    ".xhtml": "html",
    ".xml": "xml",
    ".eml": "eml",
    ".pdf": "pdf",
    ".docx": "docx",
    ".pptx": "pptx",
    ".odt": "odt",
    ".epub": "epub",
    ".msg": "msg",
    ".xlsx": "xlsx",
    ".xlsm": "xlsx",
    ".xlsb": "xlsx",
    ".xls": "xlsx",
    ".ods": "ods",
    ".parquet": "parquet",
    ".pq": "parquet",
    **dict.fromkeys((".png", ".jpg", ".jpeg", ".tif", ".tiff", ".bmp", ".gif", ".webp"), "image"),
}
"""The format of each file extension."""

DELIMITED_FORMATS: tuple[Format, ...] = ("csv", "tsv")
"""The formats with a delimiter between columns."""

TABLE_FORMATS: tuple[Format, ...] = (*DELIMITED_FORMATS, "parquet", "xlsx", "ods")
"""The formats with column names before the first row."""

ATTACHMENT_FORMATS: tuple[Format, ...] = (*WHOLE_FORMATS, *DELIMITED_FORMATS, "xlsx", "ods")
"""The formats of attachments that are read, each as one document."""

MAIL_FORMATS: tuple[Format, ...] = ("eml", "msg")
"""The formats that may contain other documents."""

TEXT_FORMATS = ("jsonl", "json", *DELIMITED_FORMATS, "lines", "txt", "md", "html")
"""The formats that are text in one encoding."""

RECOGNISER = "rapidocr_onnxruntime"
"""The module that reads pictures, if it is installed."""


PlacedText = tuple[str, "Box | None"]
"""A text, and its box on the page; blanks between words have none."""


def whole_text(pages: Iterable[Sequence[Sequence[PlacedText]]]) -> Document:
    """Join the lines of pages into the text of a file, with the places of its letters."""
    parts: list[str] = []
    places = PagePlaces()
    n = 0
    for number, lines in enumerate(pages):
        if number:
            parts.append("\n\n")
            n += 2
        places.page_starts.append(n)
        for i, line in enumerate(lines):
            if i:
                parts.append("\n")
                n += 1
            for text, box in line:
                if box is not None:
                    places.add(n, n + len(text), box)
                parts.append(text)
                n += len(text)
    places.text = "".join(parts)
    return Document(places.text, places=places)


Row = tuple[int, "Mapping[str, Any] | str | Document | InputError"]
"""The number of its first line, and the row: a mapping, a text, or the error in reading it."""


def attachment_format(name: str) -> Format | None:
    """Return the format of an attachment by its extension; None if it is not read."""
    kind = EXTENSIONS.get(os.path.splitext(name)[1].lower())
    return kind if kind in ATTACHMENT_FORMATS else None


def check_unique(names: Sequence[str], table: str) -> None:
    """Reject a table with two columns of the same name, as one would be lost."""
    twice = [name for name, n in Counter(names).items() if n > 1 and name]
    if twice:
        numbers = [str(n) for n, name in enumerate(names, start=1) if name == twice[0]]
        raise InputError(
            f"{table}: the header names {join_names(twice)} more than once (columns "
            f"{', '.join(numbers)}): rename one of them"
        )


def plain_value(value: Any) -> Any:
    """Convert a column's value to plain JSON; types that JSON lacks, and NaN, become text."""
    if isinstance(value, float):
        return value if math.isfinite(value) else json.dumps(value)
    if value is None or isinstance(value, str | int):
        return value
    if isinstance(value, Mapping):
        return {str(name): plain_value(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [plain_value(inner) for inner in value]
    if isinstance(value, bytes):
        return b64encode(value).decode()
    iso = getattr(value, "isoformat", None)
    return iso() if callable(iso) else str(value)


def cell_text(value: Any) -> str:
    """Return the value of a cell as text, which is empty for null."""
    plain = plain_value(value)
    if plain is None:
        return ""
    return plain if isinstance(plain, str) else json.dumps(plain, ensure_ascii=False)
