"""Parquet, read and written by pyarrow, with typed columns."""

from __future__ import annotations

import io
from base64 import b64decode
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime, time
from decimal import Decimal
from pathlib import Path
from typing import Any, BinaryIO, Final

from hpd.errors import HpdError, InputError
from hpd.files.rows import Row, refuse_twice
from hpd.files.streams import Source, needed
from hpd.files.tables import (
    Column,
    Line,
    Schemas,
    as_text,
    input_value,
    scalar_kind,
    table_columns,
)
from hpd.schema.attributes import Attribute
from hpd.values.parsing import python_type, typed_value

_N_ROWS: Final = 1000
"""The rows of a batch that is written."""


def _parquet_rows(source: Source) -> Iterator[Row]:
    arrow = parquet_module()
    file = source.file
    seekable = file if file.seekable() else io.BytesIO(file.read())
    try:
        table = arrow.ParquetFile(seekable)
        names = table.schema_arrow.names
        refuse_twice(names, source.name)
        source.types.update(zip(names, table.schema_arrow.types, strict=True))
        if source.check_columns is not None:
            source.check_columns(names)
        batches = table.iter_batches(batch_size=256)
        rows = (row for batch in batches for row in _rows_of_batch(batch))
        yield from enumerate(rows, start=1)
    except InputError:
        raise
    except (ValueError, OSError, NotImplementedError) as error:  # pyarrow's derive from these
        raise InputError(f"{source.name}: cannot be read as Parquet: {error}") from error


def _rows_of_batch(batch: Any) -> Iterator[Mapping[str, Any]]:
    columns = [_python_values(column) for column in batch.columns]
    names = batch.schema.names
    return (dict(zip(names, values, strict=True)) for values in zip(*columns, strict=True))


def _python_values(column: Any) -> list[Any]:
    """The values of a column; those that Python has no type for, such as far dates, as text."""
    try:
        return list(column.to_pylist())
    except (ValueError, OverflowError, NotImplementedError):
        return [_python_value(value) for value in column]


def _python_value(value: Any) -> Any:
    try:
        return value.as_py()
    except (ValueError, OverflowError, NotImplementedError):
        return value.cast("string").as_py()


def parquet_module() -> Any:
    """pyarrow's module; ``InputError`` if it is not installed."""
    return needed("pyarrow.parquet", "pyarrow", "parquet", "Parquet")


def arrow_type(attribute: Attribute) -> Any:
    """The Arrow type of an attribute's values: dates, times and decimals have their own.

    Times are told in UTC; one without an offset is taken as that.
    """
    import pyarrow

    if attribute.type == "array" and attribute.item is not None:
        return pyarrow.list_(arrow_type(attribute.item))
    if attribute.type == "object":
        parts = [(part.name, arrow_type(part)) for part in attribute.attributes]
        return pyarrow.struct(parts)
    scalars = {
        "integer": pyarrow.int64(),
        "number": pyarrow.float64(),
        "boolean": pyarrow.bool_(),
        date: pyarrow.date32(),
        datetime: pyarrow.timestamp("us", "UTC"),
        time: pyarrow.time64("us"),
        Decimal: pyarrow.decimal128(38, 18),
    }
    return scalars.get(python_type(attribute) or scalar_kind(attribute), pyarrow.string())


def arrow_array(values: Iterable[Any], attribute: Attribute) -> Any:
    """The values of an attribute, as lines of output have them, as an Arrow array.

    Raises:
        ValueError: one does not fit the attribute's type; also TypeError and OverflowError.
    """
    import pyarrow

    return pyarrow.array([_fitting(each, attribute) for each in values], arrow_type(attribute))


def _fitting(value: Any, attribute: Attribute) -> Any:
    """A value as its column's type has it: numbers are floats, even where they are whole."""
    if value is None:
        return None
    if attribute.type == "array" and attribute.item is not None:
        return [_fitting(item, attribute.item) for item in value]
    if attribute.type == "object":
        return {part.name: _fitting(value.get(part.name), part) for part in attribute.attributes}
    if python_type(attribute) is not None:
        return typed_value(value, attribute)
    kind = scalar_kind(attribute)
    if kind == "json":
        return as_text(value)
    # A message may quote a text that is not UTF-8, which Arrow cannot have.
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode()
    return float(value) if kind == "number" else value


def _as(value: Any, kind: Any) -> Any:
    """A value of a line, which is plain JSON, as ``pyarrow.array`` takes it for an Arrow type."""
    import pyarrow
    from pyarrow import types

    if value is None:
        return None
    if types.is_struct(kind):
        return {part.name: _as(value.get(part.name), part.type) for part in kind}
    if types.is_map(kind):
        return [(_as(name, kind.key_type), _as(each, kind.item_type)) for name, each in value]
    if types.is_nested(kind):
        return [_as(each, kind.value_type) for each in value]
    if types.is_decimal(kind):
        return Decimal(value)
    if types.is_time(kind):
        return time.fromisoformat(value)
    if types.is_temporal(kind) and isinstance(value, str):
        return pyarrow.scalar(value).cast(kind).value  # Python's own have no nanoseconds
    if "binary" in str(kind):  # of any size, or a view
        return b64decode(value)
    return value


def _fits(value: Any, kind: Any) -> bool:
    import pyarrow

    try:
        pyarrow.scalar(_as(value, kind), kind)
    except (ValueError, TypeError, ArithmeticError, AttributeError, NotImplementedError):
        return False
    return True


def n_rows(file: BinaryIO) -> int:
    """The number of rows of an open file."""
    return int(parquet_module().ParquetFile(file).metadata.num_rows)


def check_writable() -> None:
    """Refuse to write where pyarrow is not installed: ``InputError``."""
    parquet_module()


def write_table(
    path: Path,
    lines: Callable[[], Iterator[Line]],
    schemas: Schemas,
    types: Mapping[str, Any],
) -> None:
    """Write a typed table.

    Args:
        path: of the new file.
        lines: gives all lines of output, as often as it is called.
        schemas: one schema, or one for each category.
        types: the types of columns of the input, as far as they are known: Arrow's or Python's.

    Raises:
        HpdError: a value does not fit the type of its column.
        InputError: pyarrow is not installed.
    """
    parquet = parquet_module()
    import pyarrow

    columns = table_columns(lines(), schemas)
    kept = _fitting_types(lines(), types)
    kinds = [kept.get(column.of_input) or arrow_type(column.attribute) for column in columns]
    schema = pyarrow.schema(list(zip((c.name for c in columns), kinds, strict=True)))
    with parquet.ParquetWriter(path, schema) as writer:
        for batch in _batches(lines()):
            arrays = [
                _array(column, batch, kind, is_kept=column.of_input in kept)
                for column, kind in zip(columns, kinds, strict=True)
            ]
            writer.write_table(pyarrow.Table.from_arrays(arrays, schema=schema))


def _fitting_types(lines: Iterable[Line], types: Mapping[str, Any]) -> dict[str, Any]:
    """The types that all values of their columns fit: a date beyond the year 9999 is a text."""
    import pyarrow

    of_sheets = {
        date: pyarrow.date32(),
        datetime: pyarrow.timestamp("us"),
        time: pyarrow.time64("us"),
    }
    kept = {name: of_sheets.get(kind, kind) for name, kind in types.items() if kind is not None}
    for line in lines if kept else ():
        for name, value in line.get("input", {}).items():
            if name in kept and not _fits(value, kept[name]):
                del kept[name]
    return kept


def _array(column: Column, lines: Sequence[Line], kind: Any, *, is_kept: bool) -> Any:
    """The values of a column, whose type is kept from the input or that of its attribute."""
    import pyarrow

    if is_kept:
        return pyarrow.array(
            [_as(input_value(line, column.of_input), kind) for line in lines], kind
        )
    try:
        return arrow_array((column.value(line) for line in lines), column.attribute)
    except (ValueError, TypeError, OverflowError) as error:
        raise HpdError(
            f"the column {column.name!r} cannot be written as {kind}: {error}; the values are in "
            "the lines beside the table"
        ) from error


def _batches(lines: Iterable[Line]) -> Iterator[list[Line]]:
    batch: list[Line] = []
    for line in lines:
        batch.append(line)
        if len(batch) == _N_ROWS:
            yield batch
            batch = []
    yield batch


READERS = {"parquet": _parquet_rows}
