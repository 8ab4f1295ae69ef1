"""Columns as Arrow has them: typed, lists and objects nested."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hpd.errors import HpdError
from hpd.files.tables.columns import Column, Line, as_text, scalar_kind
from hpd.schema.attributes import Attribute


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
