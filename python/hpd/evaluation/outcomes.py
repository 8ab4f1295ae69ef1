"""The outcome of each field, that is, of one attribute of one document.

There are five: ``nn``, neither gold nor prediction has a value; ``nv``, only the prediction has
one; ``vn``, only the gold has one; ``vc``, both have one, and it is right (equal to one of the gold
values); ``vw``, it is wrong. Values are compared as text, including case, unless
``normalize_value`` is applied to both.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final, Literal, get_args

from hpd.evaluation.rows import GOLD_NULL, Example, compared_text, is_null_value
from hpd.values.grounding import normalized_text
from hpd.values.numbers import MAX_DIGITS, readings

Outcome = Literal["nn", "nv", "vn", "vc", "vw"]
OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)

OUTCOME_WORDS: Final[Mapping[Outcome, str]] = {
    "vc": "right",
    "vw": "wrong",
    "vn": "missed",
    "nv": "invented",
    "nn": "correctly empty",
}
"""The outcomes in words, in display order; in JSON they keep their names."""

CategoryAttribute = tuple[str, str]
"""A category and an attribute."""

Normalizer = Callable[[str], str]
"""Normalizes a value for comparison; an empty result means no value."""

AttributeNames = Mapping[str, Iterable[str]]
"""The attributes of each category."""

PredictedData = Sequence[Mapping[str, Any] | None]
"""The predicted data for each example; None if there is none."""

_NONE_TEXTS = frozenset({GOLD_NULL, "None"})
_NONE_FORMS = frozenset({"", "n/a", "none", "null"})


@dataclass(frozen=True, slots=True)
class FieldOutcome:
    """The outcome of one field, with its document and attribute."""

    row: int
    """The document's index in the gold file, from 0."""
    cell: CategoryAttribute
    outcome: Outcome
    is_named: bool
    """Whether the gold row names the attribute; if not, it counts in the strict form only."""


def field_outcomes(
    examples: Sequence[Example],
    predictions: PredictedData,
    attributes: AttributeNames | None = None,
    form: Normalizer | None = None,
) -> Iterator[FieldOutcome]:
    """Yield the outcome of every field, document by document.

    ``attributes`` defaults to all in a category's rows. ``form`` normalizes both values before they
    are compared.

    Raises ``ValueError`` if ``examples`` and ``predictions`` have different lengths.
    """
    all_names = category_attributes(examples, attributes)
    for row, (example, data) in enumerate(zip(examples, predictions, strict=True)):
        for attribute in {**example.gold, **all_names[example.category]}:
            result = outcome(example.gold.get(attribute), (data or {}).get(attribute), form)
            cell = (example.category, attribute)
            yield FieldOutcome(row, cell, result, attribute in example.gold)


def category_attributes(
    examples: Iterable[Example], attributes: AttributeNames | None = None
) -> dict[str, dict[str, None]]:
    """Return the attributes of each category: the given ones, else those in its rows, in order."""
    names: dict[str, dict[str, None]] = {}
    for example in examples:
        names.setdefault(example.category, {}).update(dict.fromkeys(example.gold))
    given = {category: dict.fromkeys(each) for category, each in (attributes or {}).items()}
    return {**names, **given}


def outcome(
    gold: Sequence[str] | None, prediction: object, form: Normalizer | None = None
) -> Outcome:
    """Return the outcome of a field; a list is right if each item is a gold value."""
    values = predicted_values(prediction, form)
    if form is not None and gold is not None:
        gold = [normal for value in gold if (normal := form(value)) not in _NONE_FORMS]
    if not gold:
        return "nv" if values else "nn"
    if not values:
        return "vn"
    return "vc" if all(value in gold for value in values) else "vw"


def predicted_values(prediction: object, form: Normalizer | None = None) -> list[str]:
    """Return the texts of a predicted value: none, one, or those of a list."""
    items = prediction if isinstance(prediction, (list, tuple)) else [prediction]
    texts = [compared_text(item) for item in items if not is_null_value(item)]
    if form is None:
        return [text for text in texts if text not in _NONE_TEXTS]
    return [normal for text in texts if (normal := form(text)) not in _NONE_FORMS]


_UNITS = """
mm millimeter millimetre, cm centimeter centimetre, m meter metre, km kilometer kilometre
in inch inches, ft foot feet, yd yard
mg milligram, g gr gram gramme, kg kilo kilogram kilogramme, oz ounce, lb pound
ml milliliter millilitre, cl centiliter centilitre, l liter litre ltr, gal gallon, qt quart, pt pint
v volt, w watt, kw kilowatt, a amp ampere, mah
hz hertz, khz kilohertz, mhz megahertz, ghz gigahertz
kb kilobyte, mb megabyte, gb gigabyte, tb terabyte
s sec second, min minute, h hr hour
ct count, pk pack, pc piece
"""
UNITS: Final = tuple(tuple(unit.split()) for unit in re.split(r"[,\n]", _UNITS.strip()))
"""The spellings of each unit, its symbol first, to which an ``s`` and a dot may be added."""

_FLUID_OUNCE = re.compile(r"(?<=\d)[ -]?(?:fl|fluid)\.?[ -]?(?:oz|ounce)s?\b\.?")
_SYMBOL_OF: Final = {
    spelling + plural: unit[0] for unit in UNITS for spelling in unit for plural in ("", "s")
}
_UNIT = re.compile(
    r"(?<=\d)[ -]?(" + "|".join(sorted(_SYMBOL_OF, key=len, reverse=True)) + r")\b\.?(?!\d)"
)
_INCHES = re.compile(r'(?<=\d) ?"')
_FEET = re.compile(r"(?<=\d) ?'(?![a-z])")
_PERCENT = re.compile(r"(?<=\d)(?: ?%|[ -]?percents?\b\.?(?!\d))")
_TIMES = re.compile(r"(?<=[\d ])[x\u00d7] ?(?=\d)")
_FRACTION = re.compile(r"(?<![\d/.,])(?:(\d+)[ -])?(\d{1,2})/(2|4|8|16|32|64)(?![\d/])")
_NUMBER = re.compile(
    r"(?<![\d.,'])\d{1,3}(?: \d{3})+(?!\d)(?:[.,]\d+)?(?![.,]?\d)"  # in groups: 1 299,00
    r"|\d+(?:[.,]\d+|'\d{3}(?!\d))*"
    r"|(?<![\d.])\.\d+(?![\d.])"
)


@lru_cache(maxsize=1 << 16)
def normalize_value(text: str) -> str:
    """Return the normalized form of a value, which depends only on its text."""
    text = normalized_text(_separate_fractions(text))
    text = _FRACTION.sub(_fraction_text, text)
    text = _NUMBER.sub(_plain_number, text)
    text = _FLUID_OUNCE.sub(" fl_oz ", text)
    text = _UNIT.sub(lambda match: f" {_SYMBOL_OF[match[1]]} ", text)
    for pattern, symbol in ((_INCHES, "in"), (_FEET, "ft"), (_PERCENT, "%")):
        text = pattern.sub(f" {symbol} ", text)
    text = _TIMES.sub(" x ", text)
    return " ".join(text.replace("fl_oz", "fl oz").split())


def _separate_fractions(text: str) -> str:
    """Convert ``5½`` to ``5 1/2``: Unicode's compatibility form would be ``51/2``."""
    if text.isascii():
        return text
    fractions = {c for c in text if unicodedata.decomposition(c).startswith("<fraction>")}
    for char in fractions:
        text = text.replace(char, " " + unicodedata.normalize("NFKC", char))
    return text.replace("\u2044", "/")


def _fraction_text(match: re.Match[str]) -> str:
    whole, part, parts = int(match[1] or 0), int(match[2]), int(match[3])
    # Halves to sixty-fourths are exact in binary, and in six decimals.
    return match[0] if part >= parts else f"{whole + part / parts:.6f}".rstrip("0")


def _plain_number(match: re.Match[str]) -> str:
    written = match[0]
    if len(written) > MAX_DIGITS or re.match(r"0\d", written):
        return written
    values = readings(written)
    if not values:
        return written
    # Both are ambiguous: 1,299 is read as 1299, and 1.299 as a decimal fraction.
    groups = "," in written and "." not in written and not written.startswith("0")
    return f"{(max if groups else min)(values).normalize():f}"
