"""Parquet: lists and objects are nested columns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from hpd.errors import HpdError
from hpd.records.rows import parquet_module
from hpd.schema.attributes import Attribute
from hpd.tables.columns import Column, Line, as_text, scalar_kind

_N_ROWS: Final = 1000
"""The rows of a batch."""


def write_parquet(path: Path, columns: Sequence[Column], lines: Iterable[Line]) -> None:
    """Write a typed table.

    Raises:
        HpdError: a value does not fit the type of its column.
        InputError: pyarrow is not installed.
    """
    parquet = parquet_module()
    import pyarrow

    schema = pyarrow.schema([(column.name, _arrow_type(column.attribute)) for column in columns])
    with parquet.ParquetWriter(path, schema) as writer:
        for batch in _batches(lines):
            arrays = [_array(column, batch, schema) for column in columns]
            writer.write_table(pyarrow.Table.from_arrays(arrays, schema=schema))


def _array(column: Column, batch: Sequence[Line], schema: Any) -> Any:
    import pyarrow

    kind = schema.field(column.name).type
    values = [_fitting(column.value(line), column.attribute) for line in batch]
    try:
        return pyarrow.array(values, kind)
    except (ValueError, TypeError, OverflowError) as error:
        raise HpdError(
            f"the column {column.name!r} cannot be written as {kind}: {error}; the values are in "
            "the lines beside the table"
        ) from error


def _fitting(value: Any, attribute: Attribute) -> Any:
    """A value as its column's type has it: numbers are floats, even where they are whole."""
    if value is None:
        return None
    if attribute.type == "array" and attribute.item is not None:
        return [_fitting(item, attribute.item) for item in value]
    if attribute.type == "object":
        return {part.name: _fitting(value.get(part.name), part) for part in attribute.attributes}
    kind = scalar_kind(attribute)
    return float(value) if kind == "number" else as_text(value) if kind == "json" else value


def _arrow_type(attribute: Attribute) -> Any:
    import pyarrow

    if attribute.type == "array" and attribute.item is not None:
        return pyarrow.list_(_arrow_type(attribute.item))
    if attribute.type == "object":
        parts = [(part.name, _arrow_type(part)) for part in attribute.attributes]
        return pyarrow.struct(parts)
    scalars = {"integer": pyarrow.int64, "number": pyarrow.float64, "boolean": pyarrow.bool_}
    return scalars.get(scalar_kind(attribute), pyarrow.string)()


def _batches(lines: Iterable[Line]) -> Iterator[list[Line]]:
    batch: list[Line] = []
    for line in lines:
        batch.append(line)
        if len(batch) == _N_ROWS:
            yield batch
            batch = []
    yield batch
