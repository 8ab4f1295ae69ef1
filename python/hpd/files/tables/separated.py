"""CSV and TSV: objects are columns of their own, and lists are JSON."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from hpd.files.tables.columns import Column, Line, as_text


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
