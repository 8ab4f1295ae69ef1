"""The loop that all formats with one JSON object a line share."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, BinaryIO

from hpd.errors import InputError
from hpd.evaluation.datasets.document import DatasetDocument, Row
from hpd.files.rows import ROWS
from hpd.files.streams import kind

Make = Callable[[Mapping[str, Any], int, int], DatasetDocument]
"""Makes a document of an object, the number of its row and its line."""


def read_json_rows(file: BinaryIO, name: str, make: Make) -> Iterator[Row]:
    """The documents that ``make`` makes; what it raises gets file and line, and is yielded."""
    for number, (line, row) in enumerate(ROWS["jsonl"](file, name), start=1):
        if isinstance(row, InputError):
            yield row
            continue
        try:
            if not isinstance(row, Mapping):
                raise InputError(f"expected a JSON object, found {kind(row)}")
            yield make(row, number, line)
        except InputError as error:
            yield InputError(f"{name}:{line}: {error}")
