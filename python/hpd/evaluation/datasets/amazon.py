"""The item metadata of Amazon Reviews 2023: ``meta_*.jsonl``.

The text is what the paper's benchmark takes (appendix B.1): title, bullet points (``features``)
and ``description``. There is no gold. ``details`` holds what the seller filled in, which the text
need not say; its names are taken for the schema of a category, its values are not.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, BinaryIO

from hpd.errors import InputError
from hpd.evaluation.datasets.document import DatasetDocument, Row
from hpd.evaluation.datasets.json_rows import read_json_rows
from hpd.files.reader import clean_text
from hpd.files.streams import kind

TEXT_FIELDS = ("title", "features", "description")

_BOOKKEEPING = frozenset(
    {
        "ASIN",
        "Best Sellers Rank",
        "Customer Reviews",
        "Date First Available",
        "Domestic Shipping",
        "International Shipping",
        "Is Discontinued By Manufacturer",
        "Item model number",
        "Package Dimensions",
        "UPC",
    }
)
"""Names in ``details`` that are about the offer and not about the product."""


def read_amazon(file: BinaryIO, name: str) -> Iterator[Row]:
    """The items; one without any text is an error."""
    return read_json_rows(file, name, _document)


def _document(row: Mapping[str, Any], number: int, line: int) -> DatasetDocument:
    text = "\n".join(part for name in TEXT_FIELDS for part in _texts(row, name))
    if not text:
        raise InputError(f"no text in {', '.join(TEXT_FIELDS)}")
    item = row.get("parent_asin")
    if item is not None and not isinstance(item, str):
        raise InputError(f"parent_asin should be text, and is {kind(item)}")
    return DatasetDocument(
        item or str(number), text, line, _category(row), attributes=_detail_names(row)
    )


def _texts(row: Mapping[str, Any], name: str) -> list[str]:
    """The texts of a field, which is text, a list of texts, or nothing."""
    value = row.get(name)
    items = value if isinstance(value, list) else [] if value is None else [value]
    for item in items:
        if not isinstance(item, str):
            raise InputError(f"{name} should be text or a list of it, and has {kind(item)}")
    return [clean_text(item.strip()) for item in items if item.strip()]


def _category(row: Mapping[str, Any]) -> str:
    """The main category; where it is null, as it often is, the first of ``categories``."""
    main = row.get("main_category")
    if main is not None and not isinstance(main, str):
        raise InputError(f"main_category should be text, and is {kind(main)}")
    if main:
        return main
    first = _texts(row, "categories")[:1]
    return first[0] if first else ""


def _detail_names(row: Mapping[str, Any]) -> tuple[str, ...]:
    """The names in ``details``: an object, or the JSON text of one (as the Hub has it)."""
    details = row.get("details")
    if isinstance(details, str):
        try:
            details = json.loads(details) if details.strip() else None
        except ValueError as error:
            raise InputError(f"details is not valid JSON: {error}") from None
    if details is None:
        return ()
    if not isinstance(details, Mapping):
        raise InputError(f"details should be an object, and is {kind(details)}")
    return tuple(str(name) for name in details if name not in _BOOKKEEPING)
