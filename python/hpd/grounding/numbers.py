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
_MINUS: Final = "-\u2212\u2013"


def find_number(value: int | float, document: str) -> Iterator[tuple[int, int]]:
    """The offsets of everything in a document that can be read as ``value``."""
    wanted = abs(Decimal(str(value)))
    for match in _RUN.finditer(document):
        start, end = match.span()
        for low, high in _parts_equal_to(document, start, end, wanted):
            before = document[low - 1 : low]
            # A hyphen before a positive number belongs to a range or a compound.
            if value < 0 and (not before or before not in _MINUS):
                continue
            yield (low - 1 if value < 0 else low), high


def _parts_equal_to(
    document: str, start: int, end: int, wanted: Decimal
) -> Iterator[tuple[int, int]]:
    """The whole run, if it can be read as the number; else those of its parts that can.

    A run with blanks may be several numbers (``size 10 200 mm``), and so may one that cannot be
    read as one number (``1,2,3``); but 91 is no part of ``91,400``, nor 22 of ``22,50``.
    """
    run = document[start:end]
    values = readings(run) if len(run) <= MAX_DIGITS else set()
    if wanted in values:
        yield start, end
        return
    if values and not _BLANKS.search(run):
        return
    for piece in _PIECE.finditer(run):
        low, high = start + piece.start(), start + piece.end()
        if high - low <= MAX_DIGITS and piece.group() != run and wanted in readings(piece.group()):
            yield low, high


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
