"""Numbers as documents write them: ``1,299.00``, ``1.299,00``, ``1 299``, ``1299``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal, InvalidOperation
from typing import Final

MAX_DIGITS: Final = 40
"""The longest run of digits that is an amount; longer ones are serial numbers."""

# Digits with single separators between them; a blank separates groups of three only.
_RUN = re.compile(
    r"(?<![\d.])\.\d+(?![\d.])"
    r"|\d+(?:[.,'\u2019]\d+|[ \u00a0\u202f\u2009]\d{3}(?!\d))*"
)
_PIECE = re.compile(r"[^,' \u2019\u00a0\u202f\u2009]+")
_BLANKS = re.compile(r"[ \u00a0\u202f\u2009'\u2019]")
YEAR = re.compile(r"(?<!\d)(?:1[89]|20)\d\d(?!\d)")
"""A year that stands by itself or in a date."""
_MINUS: Final = "-\u2212\u2013"

# In the order of the numbers, and of English, German, French, Spanish, Italian, Portuguese, Dutch.
_WORDS: Final = (
    "one ein eine einen einem einer un une una uno um uma een",
    "two zwei deux dos due dois duas twee",
    "three drei trois tres tre três drie",
    "four vier quatre cuatro quattro quatro",
    "five fünf cinq cinco cinque vijf",
    "six sechs seis sei zes",
    "seven sieben sept siete sette sete zeven",
    "eight acht huit ocho otto oito",
    "nine neun neuf nueve nove negen",
    "ten zehn dix diez dieci dez tien",
    "eleven elf onze once undici",
    "twelve zwölf douze doce dodici doze twaalf",
)
_VALUE_OF: Final = {
    word: Decimal(value) for value, words in enumerate(_WORDS, start=1) for word in words.split()
}
_WORD = re.compile(rf"\b(?:{'|'.join(_VALUE_OF)})\b", re.IGNORECASE)

_POWERS: Final = {
    3: "k thousand tausend tsd mille mil mila duizend",
    6: "million millions millionen mio mln millones millón milioni milione milhões milhão miljoen",
    9: "billion billions bn milliarde milliarden mrd milliard milliards miljard miliardi miliardo",
}
_FACTOR: Final = {
    word: Decimal(10) ** power for power, words in _POWERS.items() for word in words.split()
}
_TIMES = re.compile(rf"[ \u00a0-]?({'|'.join(map(re.escape, _FACTOR))})\b", re.IGNORECASE)


def folded(word: str) -> str:
    """A word in small letters, as a search that ignores case sees it: ``MİL`` is ``mil``."""
    return word.casefold().replace("\u0307", "").replace("\u0131", "i")


def find_number(value: int | float, document: str) -> Iterator[tuple[int, int]]:
    """The offsets of everything in a document that can be read as ``value``."""
    wanted = Decimal(str(value))
    for start, end, values in numbers_in(document):
        if wanted in values:
            yield start, end


def numbers_in(document: str) -> Iterator[tuple[int, int, set[Decimal]]]:
    """The numbers that a document states, with their offsets and all that each can be read as.

    Numbers in digits come first, from left to right, then those in words, up to twelve.
    """
    for match in _RUN.finditer(document):
        for start, end, values in _run_and_parts(document, *match.span()):
            yield start, end, values
            times = _TIMES.match(document, end)
            if times:
                factor = _FACTOR[folded(times[1])]
                yield start, times.end(), {value * factor for value in values}
            if document[start - 1 : start] in tuple(_MINUS):
                yield start - 1, end, {-value for value in values}
    for match in _WORD.finditer(document):
        yield *match.span(), {_VALUE_OF[folded(match.group())]}


def _run_and_parts(document: str, start: int, end: int) -> Iterator[tuple[int, int, set[Decimal]]]:
    """A run of digits and separators as one number, and its parts where they may be several.

    A run with blanks may be several numbers (``size 10 200 mm``), and so may one that cannot be
    read as one number (``1,2,3``); but 91 is no part of ``91,400``, nor 22 of ``22,50``.
    """
    run = document[start:end]
    values = readings(run) if len(run) <= MAX_DIGITS else set()
    if values:
        yield start, end, values
        if not _BLANKS.search(run):
            return
    for piece in _PIECE.finditer(run):
        low, high = start + piece.start(), start + piece.end()
        if high - low <= MAX_DIGITS and piece.group() != run:
            yield low, high, readings(piece.group())
    if not values:
        # The year of a date such as 12.05.2025.
        for year in YEAR.finditer(run):
            yield start + year.start(), start + year.end(), {Decimal(year.group())}


def readings(text: str) -> set[Decimal]:
    """All values that a written number can have: 1299 and 1.299 for ``1,299``."""
    text = _BLANKS.sub("", text)
    dots, commas = text.count("."), text.count(",")
    forms = []
    if dots and commas:
        # The last separator is the decimal one, so there can be only one of it.
        decimal, thousands = (".", ",") if text.rfind(".") > text.rfind(",") else (",", ".")
        if text.count(decimal) == 1 and _is_grouped(text.split(decimal)[0], thousands):
            forms.append(text.replace(thousands, "").replace(decimal, "."))
    elif dots or commas:
        separator = "." if dots else ","
        if text.count(separator) == 1:
            forms.append(text.replace(separator, "."))
        if _is_grouped(text, separator):
            forms.append(text.replace(separator, ""))
    else:
        forms.append(text)
    values = set()
    for form in forms:
        try:
            values.add(Decimal(form))
        except InvalidOperation:
            continue
    return values


def _is_grouped(text: str, separator: str) -> bool:
    first, *groups = text.split(separator)
    return 1 <= len(first) <= 3 and all(len(group) == 3 for group in groups)
