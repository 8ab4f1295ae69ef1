"""Tables made from the lines of a run: CSV, TSV and Parquet."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from hpd.files.rows import parquet_module
from hpd.files.tables.columns import Line, Schemas, table_columns
from hpd.files.tables.parquet import write_parquet
from hpd.files.tables.separated import write_separated

_SEPARATORS: Final = {".csv": ",", ".tsv": "\t"}
_PARQUET: Final = (".parquet", ".pq")


def is_table(path: str | Path) -> bool:
    """Whether an output is a table, by its extension."""
    return Path(path).suffix.lower() in (*_SEPARATORS, *_PARQUET)


def lines_path(table: Path) -> Path:
    """The lines from which a table is made; they have every detail, and a run goes on with them."""
    return table.with_name(table.name + ".jsonl")


def write_table(lines: Path, table: Path, schemas: Schemas) -> None:
    """Make a table of a file of lines; a table that is there is replaced when the new one is whole.

    The columns are the id, the file of the input (where lines tell it), the columns of the input,
    the attributes, and the error of a document that failed. An attribute with the name of a column
    that is there already gets ``extracted.`` before its own. In Parquet, lists and objects are
    nested columns; in CSV and TSV objects are columns ``maker.city``, and lists are JSON.

    Raises:
        InputError: pyarrow is not installed, which Parquet needs.
        HpdError: a value does not fit the type of its column.
        OSError: the table cannot be written.
    """
    columns = table_columns(_lines(lines), schemas)
    unfinished = table.with_name(table.name + ".new")
    try:
        if table.suffix.lower() in _PARQUET:
            write_parquet(unfinished, columns, _lines(lines))
        else:
            separator = _SEPARATORS[table.suffix.lower()]
            write_separated(unfinished, columns, _lines(lines), separator)
        unfinished.replace(table)
    except BaseException:
        # Where the disk is full, its room is needed.
        unfinished.unlink(missing_ok=True)
        raise


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
