"""Dates and times as documents write them: ``2 January 2024``, ``3. März``, ``02/01/24``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from typing import Final

from hpd.values.grounding.numbers import YEAR, folded

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


def find_date(value: str, document: str) -> Iterator[tuple[int, int]]:
    """The offsets of everything in a document that means the day ``value`` (YYYY-MM-DD).

    The time of a date-time must stand beside the day, unless it is midnight. Where a date is all
    numbers, day and month may come in either order. Days with their years come first, then those
    whose year the document names elsewhere.
    """
    wanted, _, time = value.partition("T")
    time = time[:8]
    year = int(wanted[:4])
    found = [
        (min(day.year == 0 for day in same), start, end)
        for start, end, days in dates_in(document)
        if (same := [day for day in days if day.in_year(year) == wanted])
    ]
    names_year = year in years_in(document)
    for has_no_year, start, end in sorted(found):
        if has_no_year and not names_year:
            continue
        if not time or time == "00:00:00":
            yield start, end
            continue
        gap = _BESIDE.match(document, end)
        assert gap, "it matches nothing at all, too"
        beside = _TIME.match(document, gap.end()) if gap.end() > end else None
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
