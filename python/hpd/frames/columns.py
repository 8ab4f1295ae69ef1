"""Makes the columns that are added to a frame."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, Final

from hpd.documents import Document
from hpd.errors import InputError
from hpd.extractor import Extractor, OnError, check_on_error, error_of, should_raise
from hpd.files.columns import (
    Column,
    OutputLine,
    attributes_of,
    checks_text,
    data_value,
    error_text,
    has_checks,
)
from hpd.files.formats.parquet import arrow_array, arrow_type
from hpd.frames.kinds import Frame, arrow_module, texts_of
from hpd.schema.attributes import Attribute
from hpd.schema.checks import join_path
from hpd.schema.schemas import Schemas

CHUNK_ROWS: Final = 1000
"""Number of rows per chunk of the new columns."""

_CONFIDENCE: Final = Attribute("confidence", "number")
_SPAN: Final = Attribute(
    "span", "object", attributes=(Attribute("start", "integer"), Attribute("end", "integer"))
)


@dataclass(frozen=True, slots=True)
class ColumnSettings:
    """Which columns of a frame are read, and which are added."""

    text: str
    category: str | None = None
    """The column with the categories, if there is a schema per category."""
    prefix: str = ""
    """Prepended to the names of all new columns."""
    confidence: bool = False
    spans: bool = False
    on_error: OnError = "raise"

    def __post_init__(self) -> None:
        check_on_error(self.on_error)

    def new_columns(self, schemas: Schemas, names: Iterable[Any]) -> list[Column]:
        """Return the columns to add to a frame with columns of these names.

        Raises:
            InputError: a new column would have the name of another one.
        """
        columns: list[Column] = []
        for attribute in attributes_of(schemas):
            name = f"{self.prefix}{attribute.name}"
            columns.append(Column(name, attribute, data_value(attribute)))
            if self.confidence:
                columns.append(
                    _detail_column(f"{name}_confidence", attribute, _CONFIDENCE, _confidence)
                )
            if self.spans:
                columns.append(_detail_column(f"{name}_span", attribute, _SPAN, _span))
        if has_checks(schemas):
            name = f"{self.prefix}checks"
            columns.append(Column(name, Attribute(name), checks_text))
        if self.on_error == "record":
            name = f"{self.prefix}error"
            columns.append(Column(name, Attribute(name), error_text))
        taken = set(names)
        for column in columns:
            if column.name in taken:
                raise InputError(
                    f"there would be two columns {column.name!r}: rename the existing one, or "
                    "give all new names a prefix (prefix='hpd_')"
                )
            taken.add(column.name)
        return columns


def add_columns(
    frame: Frame,
    new_columns: list[Column],
    extractor: Extractor[Any],
    schema: object,
    columns: ColumnSettings,
) -> Any:
    """Return the frame with the new columns, which are null in rows without a text.

    The schema, unless None, is used instead of the extractor's own.

    Raises:
        InputError: a column is missing or does not hold text.
        HpdError: a document failed, with ``on_error="raise"``; or a value does not fit its column.
    """
    pyarrow = arrow_module()
    kinds = {column.name: arrow_type(column.attribute) for column in new_columns}
    chunks: dict[str, list[Any]] = {column.name: [] for column in new_columns}
    lines = _output_lines(frame, extractor, schema, columns)
    while batch := list(islice(lines, CHUNK_ROWS)):
        for column in new_columns:
            chunks[column.name].append(arrow_array(column, batch))
    return frame.with_columns(
        {name: pyarrow.chunked_array(chunks[name], kind) for name, kind in kinds.items()}
    )


def _output_lines(
    frame: Frame, extractor: Extractor[Any], schema: object, columns: ColumnSettings
) -> Iterator[OutputLine]:
    """Yield the output line of each row, in order; an empty one for a row without a text."""
    is_text = [text is not None for text in texts_of(frame, columns.text)]
    extractions = extractor.extract_many(  # type: ignore[call-overload]
        _documents(frame, columns), schema=schema, on_error="record"
    )
    try:
        for row, has_text in enumerate(is_text):
            if not has_text:
                yield {}
                continue
            extraction = next(extractions)
            if should_raise(extraction, columns.on_error, extractor.options):
                raise error_of(extraction, f"row {row} (the first is 0)")
            yield extraction.to_dict()
    finally:
        extractions.close()


def _documents(frame: Frame, columns: ColumnSettings) -> Iterator[Document]:
    texts = texts_of(frame, columns.text)
    if columns.category is None:
        yield from (Document(text) for text in texts if text is not None)
        return
    for text, category in zip(texts, texts_of(frame, columns.category), strict=True):
        if text is not None:
            yield Document(text, category=category)


def _confidence(field: Mapping[str, Any]) -> Any:
    return field.get("confidence")


def _span(field: Mapping[str, Any]) -> Any:
    return {"start": field["start"], "end": field["end"]} if "start" in field else None


def _detail_column(
    name: str, attribute: Attribute, leaf: Attribute, detail: Callable[[Mapping[str, Any]], Any]
) -> Column:
    """Return the column with a detail of each value, nested like the values; ``leaf`` is the
    attribute of one."""
    value = data_value(attribute)

    def details(line: OutputLine) -> Any:
        fields = line.get("fields", {})
        return _nested_details(value(line), attribute, attribute.name, fields, detail)

    return Column(name, _same_shape(attribute, leaf), details)


def _same_shape(attribute: Attribute, leaf: Attribute) -> Attribute:
    """Return an attribute of the same shape, with ``leaf`` in place of each scalar."""
    if attribute.type == "array" and attribute.item is not None:
        return Attribute(attribute.name, "array", item=_same_shape(attribute.item, leaf))
    if attribute.type == "object":
        parts = tuple(_same_shape(part, leaf) for part in attribute.attributes)
        return Attribute(attribute.name, "object", attributes=parts)
    return replace(leaf, name=attribute.name)


def _nested_details(
    value: Any,
    attribute: Attribute,
    path: str,
    fields: Mapping[str, Any],
    detail: Callable[[Mapping[str, Any]], Any],
) -> Any:
    item = attribute.item
    if item is None and attribute.type != "object":
        return detail(fields.get(path, {}))
    if value is None:
        return None
    if item is not None:
        return [
            _nested_details(each, item, join_path(path, i), fields, detail)
            for i, each in enumerate(value)
        ]
    return {
        part.name: _nested_details(
            value.get(part.name), part, join_path(path, part.name), fields, detail
        )
        for part in attribute.attributes
    }
