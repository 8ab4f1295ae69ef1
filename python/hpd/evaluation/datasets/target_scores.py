"""Rows with ``target_scores``: OA-Mine and AE-110k as ExtractGPT has them, and WDC-PAVE.

A row names its attributes, and for each the values that count as right: ``{"Brand": {"Nike": 1}}``,
with ``n/a`` where the document states none. OA-Mine and AE-110k have a title in ``input``;
WDC-PAVE has ``input_title`` and ``input_description``, an ``id``, and often several values.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any, BinaryIO

from hpd.errors import InputError
from hpd.evaluation.datasets.document import DatasetDocument, Row
from hpd.evaluation.datasets.json_rows import read_json_rows
from hpd.evaluation.outcomes import gold_values
from hpd.files.reader import row_id, row_text
from hpd.files.streams import kind, listed

TITLE_FIELDS = ("input",)
PAVE_FIELDS = ("input_title", "input_description")


def read_titles(file: BinaryIO, name: str) -> Iterator[Row]:
    """The rows of OA-Mine and AE-110k."""
    return read_json_rows(file, name, partial(_document, TITLE_FIELDS))


def read_pave(file: BinaryIO, name: str) -> Iterator[Row]:
    """The rows of WDC-PAVE."""
    return read_json_rows(file, name, partial(_document, PAVE_FIELDS))


def _document(
    text_fields: tuple[str, ...], row: Mapping[str, Any], number: int, line: int
) -> DatasetDocument:
    text = row_text(row, text_fields)
    if not text.strip():
        raise InputError(f"{listed(text_fields)}: no text")
    category = row.get("category")
    if not isinstance(category, str) or not category.strip():
        raise InputError(f"the category should be text, and is {kind(category)}")
    targets = row.get("target_scores")
    if not isinstance(targets, Mapping):
        raise InputError(f"target_scores should be an object, and is {kind(targets)}")
    gold = {}
    for attribute, values in targets.items():
        if not isinstance(values, Mapping):
            raise InputError(
                f"target_scores[{attribute!r}] should be an object of values, and is {kind(values)}"
            )
        gold[attribute] = gold_values(values)
    return DatasetDocument(row_id(row) or str(number), text, line, category, gold)
