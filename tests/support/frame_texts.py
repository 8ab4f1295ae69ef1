"""Documents of the tests of frames, and what an extractor itself makes of them."""

from functools import cache

from hpd.extractor import Extractor

SCHEMA = {
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
SETTINGS = {"deterministic": True, "quiet": True, "n_threads": 1}


@cache
def expected():
    """The extractions of ``TEXTS`` with the small model; None where there is no text."""
    with Extractor(SCHEMA, **SETTINGS) as extractor:
        extractions = extractor.extract_many([text for text in TEXTS if text is not None])
        return [None if text is None else next(extractions) for text in TEXTS]


def expected_rows():
    """The new columns of each row."""
    data = [{} if each is None else each.data for each in expected()]
    return [{name: row.get(name) for name in SCHEMA["properties"]} for row in data]
