"""Parquet: lists and objects are nested columns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final

from hpd.files.rows import parquet_module
from hpd.files.tables.arrow import arrow_array, arrow_type
from hpd.files.tables.columns import Column, Line

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

    schema = pyarrow.schema([(column.name, arrow_type(column.attribute)) for column in columns])
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
