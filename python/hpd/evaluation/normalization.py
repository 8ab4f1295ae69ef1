"""The normalized form of a value: the same for values that differ only in how they are written.

Evened out are, in this order, on the gold side and on the predicted one alike:

1. Unicode, case and white space, as grounding does it (``hpd.values.places``): full-width
   letters, ligatures, composed accents, kinds of quotes and dashes, invisible characters, runs of
   blanks.
2. Fractions of halves to sixty-fourths: ``5½``, ``5 1/2`` and ``5-1/2`` become ``5.5``.
3. Numbers: ``1,299.00``, ``1.299,00``, ``1 299`` and ``1'299`` become ``1299``, ``.50`` becomes
   ``0.5``. A lone comma before three digits separates thousands, a lone point is a decimal one.
   Numbers that begin with a zero before other digits (``007``) stay as they are.
4. Units after a number: ``8oz``, ``8-ounce`` and ``8 Ounces`` become ``8 oz``, ``10"`` becomes
   ``10 in``, ``10x20`` becomes ``10 x 20``. Units are spelled alike, never converted: ``1 kg``
   and ``1000 g`` stay different.

Nothing else is: words keep their order, their plural and their punctuation. The form is for
comparing, not for showing.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import Final

from hpd.values.numbers import MAX_DIGITS, readings
from hpd.values.places import normalized_text

UNITS: Final = {
    "mm": "mm millimeter millimetre",
    "cm": "cm centimeter centimetre",
    "m": "m meter metre",
    "km": "km kilometer kilometre",
    "in": "in inch inches",
    "ft": "ft foot feet",
    "yd": "yd yard",
    "mg": "mg milligram",
    "g": "g gr gram gramme",
    "kg": "kg kilo kilogram kilogramme",
    "oz": "oz ounce",
    "lb": "lb pound",
    "ml": "ml milliliter millilitre",
    "cl": "cl centiliter centilitre",
    "l": "l liter litre ltr",
    "gal": "gal gallon",
    "qt": "qt quart",
    "pt": "pt pint",
    "v": "v volt",
    "w": "w watt",
    "kw": "kw kilowatt",
    "a": "a amp ampere",
    "mah": "mah",
    "hz": "hz hertz",
    "khz": "khz kilohertz",
    "mhz": "mhz megahertz",
    "ghz": "ghz gigahertz",
    "kb": "kb kilobyte",
    "mb": "mb megabyte",
    "gb": "gb gigabyte",
    "tb": "tb terabyte",
    "s": "s sec second",
    "min": "min minute",
    "h": "h hr hour",
    "ct": "ct count",
    "pk": "pk pack",
    "pc": "pc piece",
    "%": "percent",
}
"""The spellings of each unit; each may have an ``s`` behind it, and a point."""

_FLUID_OUNCE = re.compile(r"(?<=\d)[ -]?(?:fl|fluid)\.?[ -]?(?:oz|ounce)s?\b\.?")
_SYMBOL_OF: Final = {
    spelling + plural: symbol
    for symbol, spellings in UNITS.items()
    for spelling in spellings.split()
    for plural in ("", "s")
}
_UNIT = re.compile(
    r"(?<=\d)[ -]?(" + "|".join(sorted(_SYMBOL_OF, key=len, reverse=True)) + r")\b\.?(?!\d)"
)
_INCHES = re.compile(r'(?<=\d) ?"')
_FEET = re.compile(r"(?<=\d) ?'(?![a-z])")
_PERCENT = re.compile(r"(?<=\d) ?%")
_TIMES = re.compile(r"(?<=[\d ])[x\u00d7] ?(?=\d)")
_FRACTION = re.compile(r"(?<![\d/.,])(?:(\d+)[ -])?(\d{1,2})/(2|4|8|16|32|64)(?![\d/])")
_NUMBER = re.compile(
    r"(?<![\d.,'])\d{1,3}(?: \d{3})+(?!\d)(?:[.,]\d+)?(?![.,]?\d)"  # in groups: 1 299,00
    r"|\d+(?:[.,]\d+|'\d{3}(?!\d))*"
    r"|(?<![\d.])\.\d+(?![\d.])"
)


@lru_cache(maxsize=1 << 16)
def normalized(text: str) -> str:
    """The normalized form of a value, as this module's page describes it.

    Depends on nothing but the text.
    """
    text = normalized_text(_fractions_apart(text))
    text = _FRACTION.sub(_decimal, text)
    text = _NUMBER.sub(_plain_number, text)
    text = _FLUID_OUNCE.sub(" fl_oz ", text)
    text = _UNIT.sub(lambda match: f" {_SYMBOL_OF[match[1]]} ", text)
    for pattern, symbol in ((_INCHES, "in"), (_FEET, "ft"), (_PERCENT, "%")):
        text = pattern.sub(f" {symbol} ", text)
    text = _TIMES.sub(" x ", text)
    return " ".join(text.replace("fl_oz", "fl oz").split())


def _fractions_apart(text: str) -> str:
    """``5½`` as ``5 1/2``: Unicode's compatible form would be ``51/2``."""
    if text.isascii():
        return text
    pieces = []
    for char in text:
        if unicodedata.decomposition(char).startswith("<fraction>"):
            char = " " + unicodedata.normalize("NFKC", char)
        pieces.append(char)
    return "".join(pieces).replace("\u2044", "/")


def _decimal(match: re.Match[str]) -> str:
    whole, part, parts = int(match[1] or 0), int(match[2]), int(match[3])
    # Halves to sixty-fourths are exact in binary, and so in the decimals that are printed.
    return match[0] if part >= parts else f"{whole + part / parts:.6f}".rstrip("0")


def _plain_number(match: re.Match[str]) -> str:
    written = match[0]
    if len(written) > MAX_DIGITS or re.match(r"0\d", written):
        return written
    values = readings(written)
    if not values:
        return written
    # 1,299 could be either; so could 1.299.
    groups = "," in written and "." not in written and not written.startswith("0")
    return f"{(max if groups else min)(values).normalize():f}"
