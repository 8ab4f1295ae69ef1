"""Documents of the tests of frames, and what an extractor itself makes of them."""

from __future__ import annotations

from functools import cache
from typing import Any

from hpd.extractor import Extractor
from hpd.results import Extraction

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "brand": {"type": "string"},
        "colors": {"type": "array", "items": {"type": "string"}},
        "price": {
            "type": "object",
            "properties": {"amount": {"type": "number"}, "currency": {"type": "string"}},
        },
    },
}
TEXTS = [
    "Luma Cotton T-Shirt for Men, White and Blue, XL, price 12.50 EUR",
    None,
    "Tavola Frying Pan, black, price 28 USD",
    "Pinecrest Leather Wallet, Brown",
    "",
]
SETTINGS: dict[str, Any] = {"deterministic": True, "quiet": True, "n_threads": 1}


@cache
def expected() -> list[Extraction[Any] | None]:
    """The extractions of ``TEXTS`` with the small model; None where there is no text."""
    with Extractor(SCHEMA, **SETTINGS) as extractor:
        extractions = extractor.extract_many([text for text in TEXTS if text is not None])
        return [None if text is None else next(extractions) for text in TEXTS]


def expected_rows() -> list[dict[str, Any]]:
    """The new columns of each row."""
    data = [{} if each is None else each.data for each in expected()]
    return [{name: row.get(name) for name in SCHEMA["properties"]} for row in data]
