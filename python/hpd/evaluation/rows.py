"""Reads the rows of gold files and prediction files.

Both are JSON Lines or tables (CSV, TSV, Excel, Parquet). A line of gold has its values in
``target_scores`` (OA-Mine, AE-110k, WDC-PAVE), ``gold`` or ``data``; a line of predictions, as
``hpd extract`` writes it, in ``data``. A table has a column for each attribute. Invalid rows raise
``InputError`` with file and line.
"""

from __future__ import annotations

import json
import math
import re
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hpd.documents import Document
from hpd.errors import HpdWarning, InputError
from hpd.files.formats.any_format import rows_of
from hpd.files.reader import (
    default_text_fields,
    guess_format,
    open_source,
    row_id,
    row_text,
    source_name,
)
from hpd.files.rows import TABLE_FORMATS, WHOLE_FORMATS, Format, plain_value
from hpd.files.streams import Source, decompression_errors, error_reason, join_names, json_kind
from hpd.messages import counted

GOLD_NULL = "n/a"
"""Marks an attribute that a document does not state, in benchmarks."""

GOLD_FIELDS = ("target_scores", "gold", "data")
"""Fields with the values of a line of gold; the first one present counts."""


@dataclass(frozen=True, slots=True)
class Example:
    """A document and its gold: the right values of each attribute, or None."""

    id: str
    text: str
    category: str
    gold: Mapping[str, Sequence[str] | None] = field(default_factory=dict)
    line: int = field(default=0, compare=False)
    """Its first line in the file (in Parquet: its row), from 1."""
    is_numbered: bool = field(default=False, compare=False)
    """Whether its id is the row number, as the file has none."""
    file: str | None = field(default=None, compare=False)
    """The file from which its text was read, if known."""


@dataclass(frozen=True, slots=True)
class Prediction:
    """The prediction for one document, written by ``hpd extract`` or another program."""

    id: str | None
    data: Mapping[str, Any] | None
    """The values by attribute; None if the document failed."""
    fields: Mapping[str, Mapping[str, Any]] = field(default_factory=dict, compare=False)
    """Details by path in the data: ``confidence``, ``start``, ``end``, ..."""
    line: int = field(default=0, compare=False)
    """Its first line in the file (in Parquet: its row), from 1."""
    raw: Mapping[str, Any] = field(default_factory=dict, compare=False)
    """The whole line, including ``usage``, ``error`` and text."""
    number: int = field(default=1, compare=False)
    """Its row number, from 1."""

    @property
    def known_id(self) -> str:
        """Its id or, if it has none, its row number."""
        return str(self.number) if self.id is None else self.id

    @property
    def text(self) -> str | None:
        """The text of the document, if the line has it."""
        text = self.raw.get("text")
        return text if isinstance(text, str) else None

    def confidence(self, path: str, *, calibrated: bool = True) -> float | None:
        """Return the confidence of the value at a path, or None.

        If it is calibrated, the model's own is known too, and returned if ``calibrated`` is false.
        """
        stated = self.fields.get(path, {}).get("confidence" if calibrated else "uncalibrated")
        return float(stated) if isinstance(stated, int | float) else None

    def was_nulled(self, path: str) -> bool:
        """Return whether the value at a path was replaced with null (invalid, or unlikely).

        Its details then have the model's text, and its confidence is that of the text.
        """
        is_null = self.data is not None and self.data.get(path) is None
        return is_null and bool(self.fields.get(path, {}).get("raw"))

    @property
    def usage(self) -> Mapping[str, Any]:
        """The usage of the document; empty if the line has none."""
        usage = self.raw.get("usage")
        return usage if isinstance(usage, Mapping) else {}

    def category(self, category_field: str | None) -> str:
        """Return the document's category, from a column of its input or from the line."""
        name = category_field or "category"
        columns = self.raw.get("input")
        of_input = columns.get(name) if isinstance(columns, Mapping) else None
        stated = (of_input, self.raw.get(name))
        return next((str(each) for each in stated if each not in (None, "")), "")


def load_examples(
    source: str | Path,
    *,
    text_field: str | Sequence[str] | None = None,
    id_field: str | None = None,
    category_field: str | None = None,
    needs_text: bool = True,
) -> Iterator[Example]:
    """Yield the rows of a gold file.

    ``text_field`` etc. name fields or columns; defaults are ``id``, ``category``, and the first of
    ``TEXT_FIELDS`` (``hpd.files.reader``) in the row. Without ``needs_text`` a row's text may be
    missing, and is then empty.

    If the gold is an output of ``hpd extract``, failed documents are skipped, with a
    ``FailedRowsWarning``, unless their values were filled in by hand.
    """
    text_fields = (text_field,) if isinstance(text_field, str) else tuple(text_field or ())
    is_table = guess_format(source) in TABLE_FORMATS
    failed: list[str] = []
    for number, (line, row) in enumerate(read_rows(source), start=1):
        if _has_failed(row, GOLD_FIELDS):
            failed.append(str(row.get(id_field or "id") or number))
            continue
        try:
            given_id = _id(row, id_field)
            category = row_category(row, category_field)
            own = _added_columns(row)
            # In a table of hpd extract, a column ``title`` before the error is a value.
            is_own = is_table and not text_fields and _attribute_columns(row) is not None
            of_input = {name: row[name] for name in row if name in own} if is_own else row
            text = _text(of_input, text_fields, needs_text=needs_text)
            # The text, the id and the category are not attributes.
            non_attributes = {id_field or "id", category_field or "category", *own}
            non_attributes.update(text_fields or default_text_fields(of_input))
            values = _values(row, GOLD_FIELDS, non_attributes if is_table else None)
            if values is None:
                raise InputError(f"no gold values: looked for {', '.join(GOLD_FIELDS)}")
        except InputError as error:
            raise InputError(f"{source_name(source)}:{line}: {error}") from error
        is_scores = isinstance(row.get("target_scores"), Mapping)
        gold = {
            str(attribute): gold_values(
                [value] if isinstance(value, Mapping) and not is_scores else value
            )
            for attribute, value in values.items()
        }
        yield Example(
            given_id or str(number), text, category, gold, line, is_numbered=given_id is None
        )
    if failed:
        named = f"{counted(len(failed), 'failed document')} without values: {join_names(failed)}"
        message = f"{source_name(source)}: skipped {named}"
        warnings.warn(message, FailedRowsWarning, stacklevel=2)


def load_predictions(
    source: str | Path, *, id_field: str | None = None, category_field: str | None = None
) -> Iterator[Prediction]:
    """Yield the rows of a prediction file.

    The id is in ``id_field`` or, if a row lacks it, in ``id``. Every other column of a table except
    the category is an attribute, even one named ``title`` or ``text``.
    """
    is_table = guess_format(source) in TABLE_FORMATS
    for number, (line, row) in enumerate(read_rows(source), start=1):
        try:
            id_name = id_field if id_field in row else None
            given_id = _id(row, id_name)
            non_attributes = {id_name or "id", category_field or "category", *_added_columns(row)}
            data = None
            if not _has_failed(row, ("data",)):
                data = _values(row, ("data",), non_attributes if is_table else None)
            if data is None and "error" not in row:
                raise InputError("neither 'data' nor 'error': not a line of hpd extract")
        except InputError as error:
            raise InputError(f"{source_name(source)}:{line}: {error}") from error
        fields = row.get("fields")
        known = fields.items() if isinstance(fields, Mapping) else ()
        details = {str(path): each for path, each in known if isinstance(each, Mapping)}
        yield Prediction(given_id, data, details, line, row, number)


class FailedRowsWarning(HpdWarning):
    """Rows of failed documents, which have no values, were skipped."""


def _has_failed(row: Mapping[str, Any], names: Sequence[str]) -> bool:
    """Return whether a row, possibly of a table, is of a failed document."""
    if isinstance(row.get("error"), Mapping):
        return not any(isinstance(row.get(name), Mapping) for name in names)
    error = row.get(_error_column(row))
    if not isinstance(error, str) or _ERROR.match(error) is None:
        return False
    is_filled = any(row[name] is not None for name in _attribute_columns(row) or ())
    # A line with this error has data, which violates the schema.
    return not (is_filled or error.startswith("InvalidDataError"))


def _added_columns(row: Mapping[str, Any]) -> set[str]:
    """Return the columns of a table that ``hpd extract`` adds to the attributes."""
    own = {each for each in row if each.removesuffix("_confidence") in row.keys() - {each}}
    name = _error_column(row)
    error = row.get(name)
    if error is not None and not _ERROR.match(str(error)):
        return own
    attributes = _attribute_columns(row)
    # The error column and all after it: those are the columns of the input.
    return own | ({name} if attributes is None else {*row} - {"id", *attributes})


def _attribute_columns(row: Mapping[str, Any]) -> list[str] | None:
    """Return the attributes of a row of a table of ``hpd extract``: the columns between its id and
    its error, or None if it has other columns."""
    names, error = [*row], _error_column(row)
    is_own = names[:1] == ["id"] and error in names[2:]
    return names[1 : names.index(error)] if is_own else None


def _nest_columns(columns: Mapping[str, Any]) -> dict[str, Any]:
    """Return the data of a row of ``hpd extract``, in which ``maker.city`` is in ``maker``."""
    data: dict[str, Any] = {}
    for column, value in columns.items():
        column = column.removeprefix("extracted.")
        *outer, name = column.split(".")
        if any(part != part.strip() or not part for part in (*outer, name)):
            outer, name = [], column  # a name with a dot, such as "No."
        inside: Any = data
        for part in outer:
            inside = inside.setdefault(part, {}) if isinstance(inside, dict) else None
        if isinstance(inside, dict):
            inside[name] = value
        else:
            data[column] = value
    return data


def _error_column(row: Mapping[str, Any]) -> str:
    """Return the name of the error column, which differs if an attribute has that name."""
    return "extraction.error" if "extraction.error" in row else "error"


_ERROR = re.compile(r"\w+Error: ")


def read_rows(
    source: str | Path,
    format: Format | None = None,  # noqa: A002
) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Yield the line and columns of each row of a file (``-``: standard input)."""
    name = source_name(source)
    file_format = format or guess_format(source)
    if file_format == "lines" or file_format in WHOLE_FORMATS:
        raise InputError(f"{name}: plain text has no fields: expected JSON Lines or a table")
    with open_rows(source) as file:
        for line, row in rows_of(file, file_format):
            if isinstance(row, InputError):
                raise row
            if isinstance(row, str | Document):
                raise InputError(f"{name}:{line}: expected a JSON object, found {json_kind(row)}")
            if file_format in TABLE_FORMATS:
                row = {column: _cell_value(value) for column, value in row.items()}
            yield line, row


@contextmanager
def open_rows(source: str | Path) -> Iterator[Source]:
    """Open a file (``-``: standard input); raise ``InputError`` if it cannot be read."""
    name = source_name(source)
    with open_source(source) as file:
        try:
            yield Source(file, name)
        except OSError as error:
            raise InputError(f"{name}: cannot be read: {error_reason(error)}") from error
        except decompression_errors() as error:
            raise InputError(f"{name}: cannot be read: {error}") from error


def _id(row: Mapping[str, Any], id_field: str | None) -> str | None:
    """Return the row's id, which must be text or a number, or None."""
    value = row.get(id_field or "id")
    if id_field is None and (value is None or value == ""):
        return None
    if isinstance(value, bool | list | Mapping):
        raise InputError(f"the id should be text or a number, but is {json_kind(value)}")
    return row_id(row, id_field)


def row_category(row: Mapping[str, Any], category_field: str | None) -> str:
    """Return the row's category, empty if it has none; a field that is named must have one."""
    category = row.get(category_field or "category")
    if category is None and category_field is not None:
        raise InputError(f"no field {category_field!r}; the row has {join_names(row)}")
    return "" if category is None else str(category)


def _text(row: Mapping[str, Any], text_fields: Sequence[str], *, needs_text: bool) -> str:
    names = text_fields or default_text_fields(row)
    if not needs_text and all(name in row and row[name] is None for name in names):
        return ""
    # In a line of hpd extract, ``input`` has the other columns.
    if not needs_text and names == ("input",) and isinstance(row["input"], Mapping):
        return ""
    return row_text(row, text_fields)


def _values(
    row: Mapping[str, Any], names: Sequence[str], non_attributes: set[str] | None
) -> Mapping[str, Any] | None:
    """Return values by attribute, from the first field in ``names`` or from a table's columns.

    ``non_attributes`` names the columns of a table that are not attributes; None: not a table.
    """
    for name in names:
        if isinstance(row.get(name), Mapping):
            values: Mapping[str, Any] = row[name]
            return values
        # A nested field flattened into columns: data.brand, data.color.
        flat = {key: value for key, value in row.items() if key.startswith(f"{name}.")}
        if non_attributes is not None and flat:
            return {key.removeprefix(f"{name}."): value for key, value in flat.items()}
    if non_attributes is None:
        return None
    columns = {column: value for column, value in row.items() if column not in non_attributes}
    return columns if _attribute_columns(row) is None else _nest_columns(columns)


def _cell_value(value: Any) -> Any:
    """Convert a table's cell to JSON's types: empty is None, a list may be JSON text."""
    if value == "" or (isinstance(value, float) and math.isnan(value)):
        return None
    if isinstance(value, str) and value[0] in "[{":
        try:
            return json.loads(value)
        except (ValueError, RecursionError):
            return value
    if isinstance(value, Mapping):
        return {str(name): _cell_value(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_cell_value(inner) for inner in value]
    return plain_value(value)


def compared_text(value: object) -> str:
    """Return a value as the metric compares it: text unchanged, anything else as JSON with sorted
    keys and without nulls."""
    if isinstance(value, str):
        return value
    return json.dumps(_without_nulls(value), ensure_ascii=False, sort_keys=True)


def is_null_value(value: object) -> bool:
    """Return whether a value is null, or an object of nulls only."""
    return value is None or (isinstance(value, Mapping) and all(map(is_null_value, value.values())))


def _without_nulls(value: object) -> object:
    if isinstance(value, Mapping):
        return {name: _without_nulls(own) for name, own in value.items() if not is_null_value(own)}
    return [*map(_without_nulls, value)] if isinstance(value, list | tuple) else value


def gold_values(values: object) -> list[str] | None:
    """Return the values that count as right, stripped; None if the document states none.

    It states none if the first one is ``n/a``. The keys of a mapping are values, as in
    ``target_scores``.
    """
    if values is None:
        return None
    if isinstance(values, list | tuple):
        values = [value for value in values if value is None or not is_null_value(value)]
    elif not isinstance(values, Mapping):
        values = [values]
    stripped = [compared_text(value).strip() for value in values]
    if not stripped or stripped[0] == GOLD_NULL:
        return None
    return [value for value in stripped if value != GOLD_NULL]
