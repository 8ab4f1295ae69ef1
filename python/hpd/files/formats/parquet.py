"""Parquet, read and written by pyarrow, with typed columns."""

from __future__ import annotations

import io
import re
from base64 import b64decode
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime, time
from decimal import Decimal
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, Final
from uuid import UUID

from hpd.documents import Document
from hpd.errors import HpdError, InputError
from hpd.extras import import_extra
from hpd.files.columns import Column, OutputLine, as_text, input_value, scalar_kind
from hpd.files.rows import cell_text, check_unique
from hpd.files.streams import Source
from hpd.files.text_tables import table_text
from hpd.schema.attributes import Attribute
from hpd.values.parsing import python_type, typed_value

_N_ROWS: Final = 1000
"""The number of rows in a batch when writing."""
_CLOCK = re.compile(r"(?:P?(-?\d+)(?:DT| days?, ))?(\d+)[:H](\d+)[:M](\d+)(?:\.(\d+))?S?")


def _parquet_rows(source: Source) -> Iterator[tuple[int, Mapping[str, Any]]]:
    arrow = parquet_module()
    file = source.file
    seekable = file if file.seekable() else io.BytesIO(file.read())
    try:
        table = arrow.ParquetFile(seekable)
        names = table.schema_arrow.names
        check_unique(names, source.name)
        source.types.update(zip(names, table.schema_arrow.types, strict=True))
        for name, kind in source.types.items():
            if "tz=" in str(kind) and _readable_type(kind) != kind:
                source.notes.append(f"{name} is read in UTC: its time zone is not known here")
        source.take_columns(names)
        batches = table.iter_batches(batch_size=256)
        rows = (row for batch in batches for row in _rows_of_batch(batch))
        yield from enumerate(rows, start=1)
    except InputError:
        raise
    except (ValueError, OSError, NotImplementedError) as error:  # pyarrow's derive from these
        raise InputError(f"{source.name}: cannot be read as Parquet: {error}") from error


def _parquet_text(source: Source) -> Document:
    table: list[list[str]] = []
    for _, row in _parquet_rows(source):
        table += [] if table else [[*row]]
        table.append([*map(cell_text, row.values())])
    return Document(table_text(table))


def _rows_of_batch(batch: Any) -> Iterator[Mapping[str, Any]]:
    columns = [_python_values(column) for column in batch.columns]
    names = batch.schema.names
    return (dict(zip(names, values, strict=True)) for values in zip(*columns, strict=True))


def _python_values(column: Any) -> list[Any]:
    """Return the values of a column; those without a Python type, such as far dates, as text."""
    if (kind := _readable_type(column.type)) != column.type:
        column = column.cast(kind)
    try:
        return list(column.to_pylist())
    except (ValueError, OverflowError, NotImplementedError):
        return [_python_value(value) for value in column]


def _readable_type(kind: Any) -> Any:
    """Return the Arrow type to cast to, so that Python can hold all values.

    Python has no nanoseconds, and does not know all time zones.
    """
    import pyarrow
    from pyarrow import types

    if types.is_struct(kind):
        return pyarrow.struct([part.with_type(_readable_type(part.type)) for part in kind])
    if types.is_map(kind):
        return pyarrow.map_(_readable_type(kind.key_type), _readable_type(kind.item_type))
    if types.is_nested(kind):
        inner = _readable_type(kind.value_type)
        return kind if inner == kind.value_type else pyarrow.list_(inner)
    if types.is_timestamp(kind) and kind.tz:
        try:
            pyarrow.scalar(0, kind).as_py()
        except (ValueError, KeyError):
            return pyarrow.timestamp(kind.unit, "UTC")
    return pyarrow.string() if kind == pyarrow.time64("ns") else kind


def _python_value(value: Any) -> Any:
    try:
        return value.as_py()
    except (ValueError, OverflowError, NotImplementedError):
        return value.cast("string").as_py()


def parquet_module() -> Any:
    """Import pyarrow's Parquet module, or raise ``MissingPackageError``."""
    return import_extra("pyarrow.parquet", "pyarrow", "parquet", "Parquet")


def arrow_type(attribute: Attribute) -> Any:
    """Return the Arrow type of an attribute's values: dates, times and decimals have types of their
    own.

    Times are stored in UTC; those without an offset are taken as UTC.
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


def arrow_array(column: Column, lines: Iterable[OutputLine]) -> Any:
    """Return the values of a column of output lines as an Arrow array.

    Raises:
        HpdError: a value does not fit the type of the column's attribute.
    """
    import pyarrow

    kind = arrow_type(column.attribute)
    try:
        return pyarrow.array(
            [_to_column_type(column.value(each), column.attribute) for each in lines], kind
        )
    except (ValueError, TypeError, OverflowError) as error:
        raise HpdError(
            f"the column {column.name!r} cannot have the type {kind}: {error}; the lines of output "
            "(a table's .jsonl, or Extractor.extract_many) have its values as they are"
        ) from error


def _to_column_type(value: Any, attribute: Attribute) -> Any:
    """Convert a value to its column's type: numbers become floats, even if they are whole."""
    if value is None:
        return None
    if attribute.type == "array" and attribute.item is not None:
        return [_to_column_type(item, attribute.item) for item in value]
    if attribute.type == "object":
        return {
            part.name: _to_column_type(value.get(part.name), part) for part in attribute.attributes
        }
    if python_type(attribute) is not None:
        return typed_value(value, attribute)
    kind = scalar_kind(attribute)
    if kind == "json" or isinstance(value, str):
        return as_text(value)
    return float(value) if kind == "number" else value


def _to_arrow(value: Any, kind: Any) -> Any:
    """Convert a JSON value to what ``pyarrow.array`` accepts for an Arrow type."""
    import pyarrow
    from pyarrow import types

    if value is None:
        return None
    if types.is_struct(kind):
        return {part.name: _to_arrow(value.get(part.name), part.type) for part in kind}
    if types.is_map(kind):
        return [
            (_to_arrow(name, kind.key_type), _to_arrow(each, kind.item_type))
            for name, each in value
        ]
    if types.is_nested(kind):
        return [_to_arrow(each, kind.value_type) for each in value]
    if "uuid" in str(kind):
        return UUID(value).bytes
    if types.is_decimal(kind):
        return Decimal(value)
    if types.is_floating(kind):
        return float(value)  # NaN is a text
    # Python's own times have no nanoseconds.
    if types.is_time(kind) or types.is_duration(kind):
        return _n_units(value, kind.unit)
    if types.is_timestamp(kind):
        zone = kind.tz and "UTC"  # its own may be unknown, and an instant is one in each
        finest = pyarrow.timestamp("ns" if kind.unit == "ns" else "us", zone)
        instant = pyarrow.scalar(value).cast(finest)  # from 0.001000 to ms is an error
        return instant.cast(pyarrow.timestamp(kind.unit, zone)).value
    if types.is_date(kind):
        return pyarrow.scalar(value).cast(kind).value
    if "binary" in str(kind):  # of any size, or a view
        return b64decode(value)
    return value


def _n_units(text: str, unit: str) -> int:
    """Parse a time or duration as written by Python or pandas, in units of ``s``, ``ms``, ``us`` or
    ``ns``.

    ``-1 day, 23:59:59.5``, ``P-1DT23H59M59.5S``
    """
    match = _CLOCK.fullmatch(text)
    if match is None:
        raise ValueError(f"{text} is no duration")
    days, hours, minutes, seconds, fraction = match.groups(default="0")
    n = ((int(days) * 24 + int(hours)) * 60 + int(minutes)) * 60 + int(seconds)
    n = n * 10**9 + int(fraction.ljust(9, "0"))
    return int(n // 10 ** {"s": 9, "ms": 6, "us": 3, "ns": 0}[unit])


def _is_convertible(value: Any, kind: Any) -> bool:
    import pyarrow

    try:
        pyarrow.scalar(_to_arrow(value, kind), kind)
    except (ValueError, TypeError, ArithmeticError, AttributeError, NotImplementedError):
        return False
    return True


def n_rows(file: BinaryIO) -> int:
    """Return the number of rows of an open file."""
    return int(parquet_module().ParquetFile(file).metadata.num_rows)


def write_table(
    path: Path,
    columns: Sequence[Column],
    lines: Callable[[], Iterator[OutputLine]],
    types: Mapping[str, Any],
) -> None:
    """Write a typed table.

    Args:
        path: of the new file.
        columns: the columns to write.
        lines: returns an iterator over all output lines; it may be called several times.
        types: the known types of the input's columns: Arrow's or Python's.

    Raises:
        HpdError: a value does not fit the type of its column.
    """
    import pyarrow
    from pyarrow import parquet

    kept = _convertible_types(lines(), types)
    kinds = [kept.get(column.of_input) or arrow_type(column.attribute) for column in columns]
    schema = pyarrow.schema(list(zip((c.name for c in columns), kinds, strict=True)))
    with parquet.ParquetWriter(path, schema) as writer:
        rows = lines()
        while batch := list(islice(rows, _N_ROWS)):
            arrays = [
                pyarrow.array(
                    [_to_arrow(input_value(line, column.of_input), kind) for line in batch], kind
                )
                if column.of_input in kept
                else arrow_array(column, batch)
                for column, kind in zip(columns, kinds, strict=True)
            ]
            writer.write_table(pyarrow.Table.from_arrays(arrays, schema=schema))


def _convertible_types(lines: Iterable[OutputLine], types: Mapping[str, Any]) -> dict[str, Any]:
    """Return types that fit all values of their columns: a date beyond the year 9999 becomes
    text."""
    import pyarrow

    of_sheets = {
        date: pyarrow.date32(),
        datetime: pyarrow.timestamp("us"),
        time: pyarrow.time64("us"),
    }
    kept = {name: of_sheets.get(kind, kind) for name, kind in types.items() if kind is not None}
    for line in lines if kept else ():
        for name, value in line.get("input", {}).items():
            if name in kept and not _is_convertible(value, kept[name]):
                del kept[name]
    return kept


ROW_READERS = {"parquet": _parquet_rows}
TEXT_READERS = {"parquet": _parquet_text}
