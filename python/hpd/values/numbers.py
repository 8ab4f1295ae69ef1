"""Numbers, dates and times as documents write them: ``1.299,00``, ``1 299``, ``3. März``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
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


# In the order of the months, and of English, German, French, Spanish, Italian, Portuguese, Dutch.
_MONTHS: Final = (
    "january januar janvier enero gennaio janeiro januari jan jänner janv ene gen",
    "february februar février fevrier febrero febbraio fevereiro februari feb févr fev",
    "march märz maerz mars marzo março marco maart mar mrz mrt",
    "april avril abril aprile apr avr abr",
    "may mai mayo maggio maio mei mag",
    "june juni juin junio giugno junho jun giu",
    "july juli juillet julio luglio julho jul juil lug",
    "august août aout agosto augustus aug ago",
    "september septembre septiembre setiembre settembre setembro sept sep set",
    "october oktober octobre octubre ottobre outubro oct okt ott out",
    "november novembre noviembre novembro nov",
    "december dezember décembre decembre diciembre dicembre dezembro dec dez déc dic",
)
_MONTH_OF: Final = {
    name: month for month, names in enumerate(_MONTHS, start=1) for name in names.split()
}
_NAME: Final = "|".join(sorted(_MONTH_OF, key=len, reverse=True))
_GAP: Final = r"[ \u00a0,/-]{1,3}"
_OF: Final = rf"(?:(?:of|den|del|de|di|do){_GAP})?"
_ORDINAL: Final = r"(?:st|nd|rd|th|er|[ºª°])?\.?"
_YEAR: Final = r"['\u2019]?(?:\d{4}|\d{2})"

_DATE = re.compile(
    r"(?<!\d)(?<!\d[-/.])(?<![^\W\d_])(?:"
    r"(?P<year_first>\d{4}(?P<a>[-/.])\d{1,2}(?P=a)\d{1,2})"
    r"|(?P<ideographs>\d{4}年\d{1,2}月\d{1,2}日)"
    r"|(?P<year_last>\d{1,2}(?P<b>[-/.])[ ]?\d{1,2}(?P=b)[ ]?(?:\d{4}|\d{2}))"
    rf"|(?P<day_name>\d{{1,2}}{_ORDINAL}{_GAP}{_OF}(?:{_NAME})\b\.?(?:{_GAP}{_OF}{_YEAR})?)"
    rf"|(?P<name_day>(?:{_NAME})\b\.?{_GAP}\d{{1,2}}{_ORDINAL}(?:{_GAP}{_YEAR})?)"
    rf"|(?P<year_name>\d{{4}}{_GAP}(?:{_NAME})\b{_GAP}\d{{1,2}})"
    r"|(?P<compact>\d{8})"
    r")(?!\d|[^\W\d_]{2})(?![-/.]\d)",
    re.IGNORECASE,
)
_FIELD = re.compile(r"\d+|[^\W\d_]{3,}")

_BESIDE = re.compile(
    r"[ \u00a0]{0,2}(?:T|,|at|um|à|alle|a las|às|om)?[ \u00a0]{0,2}", re.IGNORECASE
)
_TIME = re.compile(
    r"(?<![\d:.,])(?P<hour>\d{1,2})"
    r"(?:[:.h](?P<minute>[0-5]\d)(?::(?P<second>[0-5]\d))?)?"
    r"(?:[ ]?(?P<half>[ap])\.?m\b\.?|[ ]?(?P<mark>h|uhr|heures?|uur)\b)?(?![\d:])",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Day:
    """A day as a text can be read: a year of 0 if the text does not say it."""

    year: int
    month: int
    day: int

    def in_year(self, year: int) -> str | None:
        """It as ISO 8601 writes it, in a year if it has none; None if there is no such day."""
        try:
            return date(self.year or year, self.month, self.day).isoformat()
        except ValueError:
            return None


class DaysOf:
    """The days that a document states, read once, for many searches."""

    def __init__(self, document: str) -> None:
        self.document = document
        self._years = years_in(document)
        self._by_day: dict[tuple[int, int], list[tuple[int, int, set[Day]]]] = {}
        for start, end, days in dates_in(document):
            for month, day in {(day.month, day.day) for day in days}:
                self._by_day.setdefault((month, day), []).append((start, end, days))

    def find(self, value: str) -> Iterator[tuple[int, int]]:
        """The offsets of everything in the document that means the day ``value`` (YYYY-MM-DD).

        The time of a date-time must stand beside the day, unless it is midnight. Where a date is
        all numbers, day and month may come in either order. Days with their years come first, then
        those whose year the document names elsewhere.
        """
        wanted, _, time = value.partition("T")
        time = time[:8]
        year, month, day = (int(part) for part in wanted.split("-"))
        found = [
            (min(day.year == 0 for day in same), start, end)
            for start, end, days in self._by_day.get((month, day), ())
            if (same := [day for day in days if day.in_year(year) == wanted])
        ]
        for has_no_year, start, end in sorted(found):
            if has_no_year and year not in self._years:
                continue
            if not time or time == "00:00:00":
                yield start, end
                continue
            gap = _BESIDE.match(self.document, end)
            assert gap, "it matches nothing at all, too"
            beside = _TIME.match(self.document, gap.end()) if gap.end() > end else None
            if beside and time in _times(beside):
                yield start, beside.end()


def years_in(document: str) -> set[int]:
    """The years that a document names."""
    return {int(year) for year in YEAR.findall(document)}


def dates_in(document: str) -> Iterator[tuple[int, int, set[Day]]]:
    """The dates that a document states, with their offsets and all that each can be read as."""
    for match in _DATE.finditer(document):
        yield *match.span(), {*_days(match.lastgroup or "", match.group())}


def times_in(document: str) -> Iterator[tuple[int, int, set[str]]]:
    """The times of day that a document states (HH:MM:SS), with their offsets."""
    for match in _TIME.finditer(document):
        times = _times(match)
        if times:
            yield *match.span(), times


def _days(form: str, text: str) -> Iterator[Day]:
    found = (_MONTH_OF.get(folded(field), field) for field in _FIELD.findall(text))
    fields = [str(field) for field in found if str(field).isdigit()]
    numbers = [int(field) for field in fields]
    match form:
        case "year_first" | "ideographs" | "year_name":
            yield Day(*numbers)
        case "compact":
            yield Day(int(text[:4]), int(text[4:6]), int(text[6:]))
        case "year_last":
            first, second = numbers[:2]
            for year in _years(fields[2]):
                yield Day(year, second, first)
                yield Day(year, first, second)
        case "day_name" | "name_day":
            first, second = numbers[:2]
            day, month = (first, second) if form == "day_name" else (second, first)
            years = [*_years(fields[2])] if len(fields) > 2 else [0]
            for year in years:
                yield Day(year, month, day)


def _years(text: str) -> Iterator[int]:
    """A year of two digits can be one of this century or of the last."""
    if len(text) == 4:
        yield int(text)
    else:
        yield from (2000 + int(text), 1900 + int(text))


def _times(match: re.Match[str]) -> set[str]:
    if not (match["minute"] or match["half"] or match["mark"]):
        return set()  # A number alone is no time.
    hour, half = int(match["hour"]), (match["half"] or "").lower()
    if half:
        if not 1 <= hour <= 12:
            return set()
        hour = hour % 12 + (12 if half == "p" else 0)
    if hour > 23:
        return set()
    return {f"{hour:02}:{match['minute'] or '00'}:{match['second'] or '00'}"}
