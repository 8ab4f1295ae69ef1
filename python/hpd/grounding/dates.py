"""Dates as documents write them: ``2 January 2024``, ``Jan. 2nd, 2024``, ``02/01/24``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

_MONTHS: Final = (
    ("january", "jan"),
    ("february", "feb"),
    ("march", "mar"),
    ("april", "apr"),
    ("may", "may"),
    ("june", "jun"),
    ("july", "jul"),
    ("august", "aug"),
    ("september", "sept", "sep"),
    ("october", "oct"),
    ("november", "nov"),
    ("december", "dec"),
)
_TIME: Final = r"[ \u00a0]{0,2}(?:T|,|at)?[ \u00a0]{0,2}"


def find_date(value: str, document: str) -> Iterator[tuple[int, int]]:
    """The offsets of everything in a document that means the day ``value`` (YYYY-MM-DD).

    The time of a date-time must stand beside the day, unless it is midnight. Where a date is all
    numbers, day and month may come in either order.
    """
    date, _, time = value.partition("T")
    year, month, day = date.split("-")
    pattern = _date_pattern(year, int(month), int(day))
    if time and not time.startswith("00:00:00"):
        pattern += _TIME + _time_pattern(time)
    for match in re.finditer(pattern, document, re.IGNORECASE):
        yield match.span()


def _date_pattern(year: str, month: int, day: int) -> str:
    if not 1 <= month <= 12:
        return r"(?!)"
    number, month_number = f"0?{day}", f"0?{month}"
    short_year = rf"(?:{year}|{year[2:]})"
    name = rf"(?:{'|'.join(_MONTHS[month - 1])})\.?"
    ordinal = rf"{number}(?:st|nd|rd|th)?\.?"
    gap = r"[ \u00a0,/-]{1,3}"
    forms = [
        rf"{year}(?P<a>[-/.]){month_number}(?P=a){number}",
        rf"{year}年{month_number}月{number}日",
        rf"{number}(?P<b>[-/.])[ ]?{month_number}(?P=b)[ ]?{short_year}",
        rf"{month_number}(?P<c>[-/.]){number}(?P=c){short_year}",
        rf"{ordinal}{gap}(?:of{gap})?{name}{gap}['\u2019]?{short_year}",
        rf"{name}{gap}{ordinal}{gap}['\u2019]?{short_year}",
        rf"{year}{gap}{name}{gap}{number}",
        rf"{year}{month:02}{day:02}",
    ]
    return rf"(?<!\d)(?<!\d[-/.])(?<![^\W\d_])(?:{'|'.join(forms)})(?!\d|[^\W\d_]{{2}})(?![-/.]\d)"


def _time_pattern(time: str) -> str:
    hour, minute, second = int(time[:2]), time[3:5], time[6:8]
    seconds = rf"(?::{second})?" if second == "00" else rf":{second}"
    minutes = rf"(?:[:.h]{minute}{seconds})"
    forms = [rf"0?{hour}{minutes}(?![ ]?[ap]\.?m)"]
    twelve = hour % 12 or 12
    half = "a" if hour < 12 else "p"
    optional = "?" if minute == "00" and second == "00" else ""
    forms.append(rf"0?{twelve}{minutes}{optional}[ ]?{half}\.?m\.?")
    return rf"(?:{'|'.join(forms)})(?!\d)"
