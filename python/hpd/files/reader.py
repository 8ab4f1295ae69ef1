"""Reads the records of a file or stream one by one."""

from __future__ import annotations

import json
import math
import os
import re
import sys
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Any, BinaryIO

from hpd.documents import Document, Places
from hpd.errors import InputError
from hpd.files.encodings import check_encoding
from hpd.files.formats.any_format import rows_of
from hpd.files.places import PartPlaces
from hpd.files.rows import (
    EXTENSIONS,
    FORMATS,
    TABLE_FORMATS,
    TEXT_FORMATS,
    WHOLE_FORMATS,
    Format,
    cell_text,
    plain_value,
)
from hpd.files.streams import (
    Source,
    decompression_errors,
    error_reason,
    is_compressed,
    is_url,
    join_names,
    json_kind,
    open_binary,
    without_compression,
)
from hpd.surrogates import replace_surrogates

TEXT_FIELDS: tuple[tuple[str, ...], ...] = (
    ("text",),
    ("input",),
    ("document",),
    ("content",),
    ("title", "description"),
    ("input_title", "input_description"),
)
"""The fields that hold a record's text by default; the first of these that exists is used. The
parts of a pair are joined by a line break; one of them is enough."""

_BESIDE_A_TEXT = re.compile(
    r"(.*[\s_.-])?id|uuid|sku|key|index|idx|labels?|class|category|target|split|lang|language"
    r"|source|url|sheet|gold|data|target_scores|schema|(column |unnamed: )\d+|",
    re.IGNORECASE,
)
"""What else a table of texts has. With any other column, such as a date or an amount, the text is
one cell of its row, so the row is the document."""


class RecordReader:
    """Iterates once over the documents of one file or stream: its records, or all of it.

    Args:
        source: a path, ``"-"`` for standard input, or a binary stream.
        format: its format (default: by extension).
        text_field: the fields with the text (default: the first of ``TEXT_FIELDS``).
        id_field: the field with the id (default: ``id``).
        category_field: the field with the category.
        id_prefix: prefix of the number of a record without an id.
        encoding: the encoding of the text, in a format that has one (default: detected).
        delimiter: the delimiter of CSV or TSV (default: detected).
        attachments: whether attachments of e-mails, and messages within them, become separate
            documents.
        whole: whether a file of rows is read as one document.
        needs_columns: whether a table without a column for the text or for a named field is
            rejected as a whole instead of row by row.

    Raises:
        InputError: the file cannot be opened or, while reading, is of the wrong kind.
    """

    def __init__(
        self,
        source: str | Path | BinaryIO,
        *,
        format: Format | None = None,  # noqa: A002
        text_field: str | Sequence[str] | None = None,
        id_field: str | None = None,
        category_field: str | None = None,
        id_prefix: str = "",
        encoding: str | None = None,
        delimiter: str | None = None,
        attachments: bool = False,
        whole: bool = False,
        needs_columns: bool = False,
    ) -> None:
        self.name = source_name(source)
        self.format = format or guess_format(source)
        self._is_whole = whole or self.format in WHOLE_FORMATS
        if not (has_fields(self.format) and not whole) and (
            text_field or id_field or category_field
        ):
            raise InputError(f"{self.name}: plain text has no fields, so none can be named")
        self._text_fields = (
            (text_field,) if isinstance(text_field, str) else tuple(text_field or ())
        )
        self._id_field = id_field
        self._category_field = category_field
        self._id_prefix = id_prefix
        check_encoding(encoding)
        self._file = open_source(source)
        self._source = Source(
            self._file,
            self.name,
            encoding if self.format in TEXT_FORMATS else None,
            delimiter,
            self._check_columns if self.format in TABLE_FORMATS and needs_columns else None,
            attachments,
        )
        # A stream that the caller opened may be shared with others, so it is left open.
        self._owned = self._file is not source and (
            str(source) != "-" or self._file is not sys.stdin.buffer
        )
        self._rows = self._read()

    def __iter__(self) -> Iterator[Document]:
        return self

    def __next__(self) -> Document:
        try:
            return next(self._rows)
        except OSError as error:
            self.close()
            raise InputError(f"{self.name}: cannot be read: {error_reason(error)}") from error
        except decompression_errors() as error:
            self.close()
            raise InputError(f"{self.name}: cannot be decompressed: {error}") from error
        except (StopIteration, InputError):
            self.close()
            raise

    def __enter__(self) -> RecordReader:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._rows.close()
        if self._owned:
            self._file.close()

    def _read(self) -> Generator[Document, None, None]:
        rows = rows_of(self._source, self.format, whole=self._is_whole)
        for number, (line, row) in enumerate(rows, start=1):
            record = self._record(number, line, row)
            self._source.notes.clear()
            yield record

    @property
    def types(self) -> Mapping[str, Any]:
        """The types of typed columns, once a record has been read."""
        return self._source.types

    @property
    def text_columns(self) -> tuple[str, ...]:
        """The columns of a table that are taken for its texts, because of the columns' names."""
        if (named := self._named_as_text) and self._is_table_of_texts(named):
            return named
        return ()

    @property
    def passed_over_columns(self) -> tuple[str, ...]:
        """The columns named like texts that are only a part of their rows."""
        return () if self.text_columns else self._named_as_text

    @property
    def _named_as_text(self) -> tuple[str, ...]:
        if self._is_whole or self._text_fields or self.format not in TABLE_FORMATS:
            return ()
        return default_text_fields(dict.fromkeys(self._source.columns, ""))

    def _is_table_of_texts(self, texts: Sequence[str]) -> bool:
        besides = {*self._source.columns} - {*texts, self._id_field, self._category_field}
        return all(_is_beside_a_text(name) for name in besides)

    @property
    def unread_columns(self) -> tuple[str, ...]:
        """The other columns, except for the id and the category."""
        if not (texts := self.text_columns):
            return ()
        named = {*texts, self._id_field, self._category_field, ""}
        return tuple(
            name
            for name in self._source.columns
            if name not in named and name.strip().lower() not in ("id", "category")
        )

    def _record(
        self, number: int, line: int, row: Mapping[str, Any] | str | Document | InputError
    ) -> Document:
        # By default, the id is the document's number, from 1, or the name of a whole file.
        record_id = f"{self._id_prefix}{number}"
        if self._is_whole:
            record_id = self._source.part or self.name
        error: InputError | None = None
        text, category = "", None
        columns: Mapping[str, Any] = {}
        places: Places | None = None
        if isinstance(row, InputError):
            error = row
        elif isinstance(row, str):
            text = clean_text(row)
        elif isinstance(row, Document):
            text, columns, places = clean_text(row.text), row.row, row.places
        else:
            columns = row
            try:
                record_id = row_id(row, self._id_field) or record_id
                if self._category_field is not None:
                    value = _required_value(row, self._category_field)
                    category = _scalar_text(value, self._category_field)
                text, places = self._text(line, row)
            except InputError as failure:
                error = InputError(f"{self.name}:{line}: {failure}")
                category = None
        notes = (*dict.fromkeys(self._source.notes),)
        if error is None and not (text.strip() or notes):
            notes = ("it has no text",)
        return Document(text, record_id, category, places, self.name, line, columns, notes, error)

    def _text(self, line: int, row: Mapping[str, Any]) -> tuple[str, Places | None]:
        """Return the text of a row, and the locations of its parts in the sheet."""
        if self.format in TABLE_FORMATS and not (self._text_fields or self.text_columns):
            text_of = self._source.text_of or (lambda _, __, value: cell_text(value))
            cells = ((name, clean_text(text_of(line, name, value))) for name, value in row.items())
            lines = [(f"{name}: ", name, text) for name, text in cells if text]
        else:
            lines = [("", name, text) for name, text in row_parts(row, self._text_fields)]
        text = "\n".join(before + part for before, _, part in lines)
        if self._source.cell_of is None:
            return text, None
        parts = []
        at = 0
        for before, name, part in lines:
            at += len(before)
            cell = self._source.cell_of(line, name)
            if cell is not None and part:
                parts.append((at, at + len(part), cell))
            at += len(part) + 1
        return text, PartPlaces(parts)

    def _check_columns(self, columns: Sequence[str]) -> None:
        """Check that a table has the columns that every row needs."""
        record = self._record(1, 1, dict.fromkeys(columns, ""))
        if record.error is not None:
            raise record.error


def columns_of(
    record: Document, id_field: str | None = None, text_fields: Sequence[str] = ()
) -> dict[str, Any]:
    """Return the text of a record and its columns other than the id, as in an output line.

    The keys are ``text`` and ``input``; missing parts are left out.
    """
    columns: dict[str, Any] = {} if record.error is not None else {"text": record.text}
    others = plain_columns(record)
    others.pop(id_field or "id", None)
    names = text_fields or default_text_fields(record.row)
    # In a row that is a document of all its columns, a text is one of them.
    if record.error is not None or (names and row_text(record.row, names) == record.text):
        for name in names:
            others.pop(name, None)
    return {**columns, "input": others} if others else columns


def plain_columns(record: Document, names: Sequence[str] | None = None) -> dict[str, Any]:
    """Return some or all columns of a record as plain JSON values."""
    columns = {str(name): plain_value(value) for name, value in record.row.items()}
    return columns if names is None else {name: columns.get(name) for name in names}


def row_id(row: Mapping[str, Any], id_field: str | None = None) -> str | None:
    """Return the id of a row: the given field, which must exist, or else ``id`` if there is one.

    Raises ``InputError`` if it is neither text nor a number.
    """
    name = id_field or _name_in_row(row, "id") or "id"
    value = row.get(name) if id_field is None else _required_value(row, name)
    if value is None and id_field is None:
        return None
    if isinstance(value, bool) or not isinstance(value, str | bytes | int | float):
        raise InputError(f"the id ({name!r}) should be text or a number, but is {json_kind(value)}")
    return _scalar_text(value, name)


def row_text(row: Mapping[str, Any], text_fields: Sequence[str] = ()) -> str:
    """Return the text of a row: of the given fields, or else of the first of ``TEXT_FIELDS``.

    Raises ``InputError`` if the row has no text.
    """
    return "\n".join(text for _, text in row_parts(row, text_fields))


def row_parts(row: Mapping[str, Any], text_fields: Sequence[str] = ()) -> list[tuple[str, str]]:
    """Return the fields that make up the text of a row, with their texts.

    Raises ``InputError`` if the row has no text.
    """
    names = text_fields or _find_text_fields(row)
    if len(names) == 1:
        return [(names[0], _scalar_text(_required_value(row, names[0]), names[0]))]
    parts = [(name, _scalar_text(row[name], name)) for name in names if row.get(name) is not None]
    if not parts:
        raise InputError(f"no field {join_names(names)}; the record has {join_names(row)}")
    return parts


def count_records(
    path: str | Path,
    format: Format | None = None,  # noqa: A002
    *,
    whole: bool = False,
) -> int | None:
    """Count the records of a regular file in one quick pass.

    None for pipes, compressed files and remote files.
    """
    if not (is_url(path) or os.path.isfile(path)):
        return None
    kind = format or guess_format(path)
    if whole or kind in WHOLE_FORMATS:
        return 1
    if is_compressed(path) or is_url(path):
        return None
    n = 0
    try:
        with open_source(path) as file:
            if kind == "parquet":
                from hpd.files.formats.parquet import n_rows

                return n_rows(file)
            if kind in ("jsonl", "lines"):
                return sum(1 for line in file if not line.isspace())
            for _ in rows_of(Source(file, str(path)), kind):
                n += 1
    except InputError:
        return n + 1  # What cannot be read is a record with an error.
    return n


def guess_format(source: str | Path | BinaryIO) -> Format:
    """Return the format of a file by its extension; JSON Lines for standard input and streams."""
    if not isinstance(source, (str, Path)) or str(source) == "-":
        return "jsonl"
    extension = without_compression(source).suffix.lower()
    if extension not in EXTENSIONS:
        if not (is_url(source) or os.path.exists(source)):
            raise InputError(f"{source}: cannot be opened: no such file or folder")
        known = ", ".join(EXTENSIONS)
        raise InputError(
            f"{source}: unsupported file type {extension!r} (known: {known}); "
            f"say which of {', '.join(FORMATS)} it is (--format)"
        )
    return EXTENSIONS[extension]


def has_fields(format: Format | None) -> bool:  # noqa: A002
    """Return whether rows of a format have named columns; those of an unknown one have none."""
    return format not in (None, "lines", *WHOLE_FORMATS)


def is_known(path: str | Path) -> bool:
    """Return whether a file's format is known from its extension."""
    return without_compression(path).suffix.lower() in EXTENSIONS


def source_name(source: str | Path | BinaryIO) -> str:
    """Return the name of an input for messages."""
    if isinstance(source, (str, Path)):
        return "<stdin>" if str(source) == "-" else str(source)
    return str(getattr(source, "name", "<stream>"))


def clean_text(text: str) -> str:
    """Replace characters that UTF-8 or a tokenizer rejects.

    Each lone surrogate or NUL becomes one U+FFFD, so that offsets stay the same.
    """
    return replace_surrogates(text).replace("\0", "\ufffd")


def default_text_fields(row: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the first of ``TEXT_FIELDS`` that a row has; empty if it has none of them."""
    for names in TEXT_FIELDS:
        found = tuple(_name_in_row(row, name) or name for name in names)
        has_value = [row.get(name) is not None for name in found]
        # A description without a title may describe anything, such as a payment.
        is_one_of_many = len(row.keys() - {*found, _name_in_row(row, "id")}) > 0
        if any(has_value) and (has_value[0] or found[0] in row or not is_one_of_many):
            return found
    return ()


@lru_cache(maxsize=256)
def _is_beside_a_text(column: str) -> bool:
    return _BESIDE_A_TEXT.fullmatch(column.strip()) is not None


def _name_in_row(row: Mapping[str, Any], name: str) -> str | None:
    """Return the name of a field as the row spells it, for example in capitals."""
    if row.get(name) is not None:
        return name
    return next((key for key in row if key.strip().lower() == name and row[key] is not None), None)


def _find_text_fields(row: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the first of ``TEXT_FIELDS`` that a row has; raise ``InputError`` if it has none."""
    names = default_text_fields(row)
    if names:
        return names
    looked_for = [name for names in TEXT_FIELDS for name in names]
    null = next((name for name in looked_for if name in row and row[name] is None), None)
    if null is not None:
        raise InputError(f"no text: the field {null!r} is null")
    raise InputError(
        f"no text: none of the fields {join_names(looked_for)}; the record has {join_names(row)}; "
        "say which one it is (--text-field)"
    )


def _required_value(row: Mapping[str, Any], name: str) -> Any:
    if name not in row:
        raise InputError(f"no field {name!r}; the record has {join_names(row)}")
    return row[name]


def _scalar_text(value: object, name: str) -> str:
    """Return a cell as text; numbers and booleans are written as in JSON."""
    if isinstance(value, bytes):
        with suppress(UnicodeDecodeError):
            value = value.decode("utf-8")
    if isinstance(value, str):
        return clean_text(value)
    if isinstance(value, int) or (isinstance(value, float) and math.isfinite(value)):
        return json.dumps(value)
    raise InputError(f"the field {name!r} should be text, but is {json_kind(value)}")


def open_source(source: str | Path | BinaryIO) -> BinaryIO:
    """Open an input as a binary stream; raise ``InputError`` if this fails."""
    if not isinstance(source, (str, Path)):
        return source
    if str(source) == "-":
        try:
            # Not the file object of sys.stdin, which cannot be closed if the process ends while a
            # thread still waits for a line.
            return os.fdopen(os.dup(sys.stdin.fileno()), "rb")
        except OSError:  # or io.UnsupportedOperation, if it is not a file
            return sys.stdin.buffer
    try:
        return open_binary(source)
    except OSError as error:
        raise InputError(f"{source}: cannot be opened: {error_reason(error)}") from error
