"""Tables made from the lines of a run: CSV, TSV and Parquet."""

from __future__ import annotations

import csv
import json
from base64 import b64decode
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time
from decimal import Decimal
from pathlib import Path
from typing import Any, Final

from hpd.errors import HpdError
from hpd.files.rows import parquet_module
from hpd.schema.attributes import Attribute, Schema

Line = Mapping[str, Any]
"""A line of output."""
Schemas = Schema | Mapping[str, Schema]


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table."""

    name: str
    attribute: Attribute
    """The kind of its values, which is an attribute's for the input's columns, too."""
    value: Callable[[Line], Any]
    """The value of a line of output, None where it has none."""
    type: Any = None
    """The Arrow type, if it is another than that of the attribute."""


def table_columns(
    lines: Iterable[Line], schemas: Schemas, types: Mapping[str, Any] | None = None
) -> list[Column]:
    """The columns of a table of lines: id, input, attributes, error.

    Args:
        lines: all lines, which tell the columns of the input and their kinds.
        schemas: one schema, or one for each category.
        types: the Arrow types of columns of the input, as far as they are known.
    """
    has_source = False
    kinds: dict[str, str] = {}
    kept = {name: kind for name, kind in (types or {}).items() if kind is not None}
    for row in lines:
        has_source = has_source or "source" in row
        if "text" in row:
            kinds.setdefault("text", "string")
        for name, value in row.get("input", {}).items():
            kinds[name] = _joined_kind(kinds.get(name), value)
            if name in kept and not _fits(value, kept[name]):
                del kept[name]  # a date beyond the year 9999, for example, which is a text
    columns = [Column("id", Attribute("id"), lambda row: as_text(row.get("id")))]
    if has_source:
        columns.append(Column("source", Attribute("source"), lambda row: row.get("source")))
    names = {column.name for column in columns}
    for name, kind in kinds.items():
        if name in names:
            continue
        attribute = Attribute(name, "string" if kind == "json" else kind)  # type: ignore[arg-type]
        typed = kept.get(name)
        value = _input_value(name, kind if typed is None else "")
        columns.append(Column(name, attribute, value, typed))
        names.add(name)
    for attribute in attributes_of(schemas):
        shown = attribute.name
        while shown in names:
            shown = f"extracted.{shown}"
        columns.append(Column(shown, attribute, data_value(attribute)))
        names.add(shown)
    error = "error"
    while error in names:
        error = f"extraction.{error}"
    columns.append(Column(error, Attribute(error), error_text))
    return columns


def attributes_of(schemas: Schemas) -> list[Attribute]:
    """The attributes of all categories; one that differs between them holds JSON."""
    by_name: dict[str, Attribute] = {}
    for schema in [schemas] if isinstance(schemas, Schema) else schemas.values():
        for attribute in schema:
            known = by_name.setdefault(attribute.name, attribute)
            if _shape(known) != _shape(attribute):
                by_name[attribute.name] = Attribute(attribute.name, "enum", choices=("", 0))
    return list(by_name.values())


def _shape(attribute: Attribute) -> object:
    inner = None if attribute.item is None else _shape(attribute.item)
    parts = tuple((part.name, _shape(part)) for part in attribute.attributes)
    return scalar_kind(attribute), inner, parts


def scalar_kind(attribute: Attribute) -> str:
    """The kind of the values of a column: an attribute's type, or ``json`` for mixed choices."""
    if attribute.type in ("date", "date-time"):
        return "string"
    if attribute.type != "enum":
        return attribute.type
    kinds = {_kind(choice) for choice in attribute.choices}
    if kinds <= {"integer", "number"} and len(kinds) == 2:
        return "number"
    return kinds.pop() if len(kinds) == 1 else "json"


def _kind(value: Any) -> str:
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int):
        return "integer" if -(2**63) <= value < 2**63 else "json"
    if isinstance(value, float):
        return "number"
    return "string" if isinstance(value, str) else "json"


def _joined_kind(known: str | None, value: Any) -> str:
    kind = "null" if value is None else _kind(value)
    if known in (None, "null", kind) or kind == "null":
        return kind if known in (None, "null") else str(known)
    return "number" if {known, kind} == {"integer", "number"} else "json"


def _input_value(name: str, kind: str) -> Callable[[Line], Any]:
    def value(row: Line) -> Any:
        given = row.get("input", {}).get(name, row.get("text") if name == "text" else None)
        return as_text(given) if kind == "json" else given

    return value


def data_value(attribute: Attribute) -> Callable[[Line], Any]:
    """The value of an attribute in a line of output."""

    def value(row: Line) -> Any:
        data = row.get("data") or {}
        # Where the root of the schema is no object, the data is the value itself.
        given = data.get(attribute.name) if isinstance(data, dict) else data
        return as_text(given) if scalar_kind(attribute) == "json" else given

    return value


def error_text(row: Line) -> str | None:
    """The error of a document that failed, as its column has it."""
    error = row.get("error")
    return None if error is None else f"{error['type']}: {error['message']}"


def as_text(value: Any) -> str | None:
    """A value as text: a text itself, everything else as JSON."""
    if value is None or isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False)


def arrow_type(attribute: Attribute) -> Any:
    """The Arrow type of an attribute's values."""
    import pyarrow

    if attribute.type == "array" and attribute.item is not None:
        return pyarrow.list_(arrow_type(attribute.item))
    if attribute.type == "object":
        parts = [(part.name, arrow_type(part)) for part in attribute.attributes]
        return pyarrow.struct(parts)
    scalars = {"integer": pyarrow.int64, "number": pyarrow.float64, "boolean": pyarrow.bool_}
    return scalars.get(scalar_kind(attribute), pyarrow.string)()


def arrow_array(column: Column, lines: Sequence[Line], where: str) -> Any:
    """The values of a column as an Arrow array.

    Args:
        column: the column.
        lines: the lines of output that have the values.
        where: the place at which the values are as they were written, for the message.

    Raises:
        HpdError: a value does not fit the column's type.
    """
    import pyarrow

    if column.type is not None:
        return pyarrow.array([_as(column.value(line), column.type) for line in lines], column.type)
    kind = arrow_type(column.attribute)
    values = [_fitting(column.value(line), column.attribute) for line in lines]
    try:
        return pyarrow.array(values, kind)
    except (ValueError, TypeError, OverflowError) as error:
        raise HpdError(
            f"the column {column.name!r} cannot be written as {kind}: {error}; the values are in "
            f"{where}"
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


def _as(value: Any, kind: Any) -> Any:
    """A value of a line, where it is plain JSON, as Python has it for an Arrow type."""
    from pyarrow import types

    if value is None:
        return None
    if types.is_date(kind):
        return date.fromisoformat(value[:10])
    if types.is_timestamp(kind):
        return datetime.fromisoformat(value.replace("Z", "+00:00"))
    if types.is_time(kind):
        return time.fromisoformat(value)
    if types.is_decimal(kind):
        return Decimal(value)
    if types.is_binary(kind) or types.is_large_binary(kind):
        return b64decode(value)
    if types.is_map(kind):
        return [tuple(pair) for pair in value]
    return value


def _fits(value: Any, kind: Any) -> bool:
    import pyarrow

    try:
        pyarrow.scalar(_as(value, kind), kind)
    except (ValueError, TypeError, ArithmeticError, NotImplementedError):
        return False
    return True


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

    schema = pyarrow.schema([(c.name, c.type or arrow_type(c.attribute)) for c in columns])
    with parquet.ParquetWriter(path, schema) as writer:
        for batch in _batches(lines):
            arrays = [
                arrow_array(column, batch, "the lines beside the table") for column in columns
            ]
            writer.write_table(pyarrow.Table.from_arrays(arrays, schema=schema))


def _batches(lines: Iterable[Line]) -> Iterator[list[Line]]:
    batch: list[Line] = []
    for line in lines:
        batch.append(line)
        if len(batch) == _N_ROWS:
            yield batch
            batch = []
    yield batch


def write_separated(
    path: Path, columns: Sequence[Column], lines: Iterable[Line], separator: str
) -> None:
    """Write a table of text, its header first."""
    flat = [part for column in columns for part in _flat(column)]
    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, delimiter=separator, lineterminator="\n")
        writer.writerow([column.name for column in flat])
        writer.writerows([as_text(column.value(line)) for column in flat] for line in lines)


def _flat(column: Column) -> Iterator[Column]:
    """The columns for the parts of an object, or the column itself."""
    if column.attribute.type != "object":
        yield column
        return
    for part in column.attribute.attributes:
        yield from _flat(Column(f"{column.name}.{part.name}", part, _part(column.value, part.name)))


def _part(value: Callable[[Line], Any], name: str) -> Callable[..., Any]:
    return lambda row: (value(row) or {}).get(name)


_SEPARATORS: Final = {".csv": ",", ".tsv": "\t"}
_PARQUET: Final = (".parquet", ".pq")
_JSON: Final = ".json"


def is_table(path: str | Path) -> bool:
    """Whether an output is made of lines when they are all there, by its extension: a table, or
    an array of JSON."""
    return Path(path).suffix.lower() in (*_SEPARATORS, *_PARQUET, _JSON)


def keeps_input(path: str | Path) -> bool:
    """Whether an output has the columns of the input, if nobody names some: as a table has."""
    return is_table(path) and Path(path).suffix.lower() != _JSON


def lines_path(table: Path) -> Path:
    """The lines from which a table is made; they have every detail, and a run goes on with them."""
    return table.with_name(table.name + ".jsonl")


def write_table(
    lines: Path, table: Path, schemas: Schemas, types: Mapping[str, Any] | None = None
) -> None:
    """Make a table of a file of lines; a table that is there is replaced when the new one is whole.

    The columns are the id, the file of the input (where lines tell it), the columns of the input,
    the attributes, and the error of a document that failed. An attribute with the name of a column
    that is there already gets ``extracted.`` before its own. In Parquet, lists and objects are
    nested columns, and columns of an input that was Parquet keep their ``types``; in CSV and TSV
    objects are columns ``maker.city``, and lists are JSON. In JSON the lines are an array.

    Raises:
        InputError: pyarrow is not installed, which Parquet needs.
        HpdError: a value does not fit the type of its column.
        OSError: the table cannot be written.
    """
    unfinished = table.with_name(table.name + ".new")
    try:
        if table.suffix.lower() == _JSON:
            _write_array(unfinished, lines)
        elif table.suffix.lower() in _PARQUET:
            columns = table_columns(_lines(lines), schemas, types)
            write_parquet(unfinished, columns, _lines(lines))
        else:
            columns = table_columns(_lines(lines), schemas)
            separator = _SEPARATORS[table.suffix.lower()]
            write_separated(unfinished, columns, _lines(lines), separator)
        unfinished.replace(table)
    except BaseException:
        # Where the disk is full, its room is needed.
        unfinished.unlink(missing_ok=True)
        raise


def _write_array(path: Path, lines: Path) -> None:
    with open(lines, encoding="utf-8") as source, open(path, "w", encoding="utf-8") as file:
        between = "["
        for line in source:
            file.write(f"{between}\n{line.rstrip()}")
            between = ","
        file.write("[]\n" if between == "[" else "\n]\n")


def _lines(path: Path) -> Iterator[Line]:
    with open(path, encoding="utf-8") as file:
        for line in file:
            yield json.loads(line)


def check_writable(table: Path) -> None:
    """Refuse a table that could not be made at the end of the run.

    Raises:
        InputError: pyarrow is not installed, which Parquet needs.
    """
    if table.suffix.lower() in _PARQUET:
        parquet_module()
