"""The numbers, dates, times, addresses and links that a document states."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from decimal import Decimal
from functools import cached_property

from hpd.schema.attributes import Attribute
from hpd.schema.formats import CHECKED_FORMATS
from hpd.values.numbers import dates_in, numbers_in, times_in, years_in

STATED_KEY = "hpd.stated"
"""The key of a GGUF file that says ``on`` if its model's values are to be held to documents."""

MOST = 5000
"""The most values to which a field is held: a document that states more is a table."""

_WORD_FORMATS = frozenset({"email", "ipv4", "ipv6", "uri", "url", "uuid"})
"""The formats of which a value is one word of the document."""

_WORD = re.compile(r"[^\s<>()\[\]{}|,;\"\u201c\u201d]+")
_TELEPHONE = re.compile(r"\+\d[\d ()/\u00a0.-]{6,30}\d")
_THOUSANDS = re.compile(r"\d{1,3}[.,]000", re.ASCII)
_LARGEST = Decimal(10) ** 18  # of which the grammar of a number has the digits
_SMALLEST = Decimal(10) ** -9


class Stated:
    """The numbers, dates and so on of a document, in the forms that a value can have.

    A number is stated in digits, with a word or letter for thousands, millions or billions behind
    it (``1.2 million``), or in words up to twelve. A day without a year is one in each year that
    the document names.
    """

    def __init__(self, document: str) -> None:
        self.document = document

    def texts(self, attribute: Attribute) -> list[str] | None:
        """The JSON texts of all values that the document states for an attribute.

        None if its type says nothing of what a document must hold, if the document has days
        without a year and names none, or if there are more than ``MOST`` of them.
        """
        texts: list[str] | None = None
        match attribute.type:
            case "integer":
                texts = self._whole
            case "number":
                texts = self._numbers
            case "date":
                texts = self._dates
            case "date-time":
                texts = self._date_times
            case "string" if attribute.format == "time":
                texts = self._times
            case "string" if attribute.format in _WORD_FORMATS:
                texts = self._words(CHECKED_FORMATS[attribute.format])
        return None if texts is None or len(texts) > MOST else texts

    def _words(self, is_one: Callable[[str], bool]) -> list[str]:
        words = {word.rstrip(".:!?'") for word in _WORD.findall(self.document)}
        return sorted(json.dumps(word, ensure_ascii=False) for word in words if is_one(word))

    @cached_property
    def _values(self) -> list[tuple[str, Decimal]]:
        """Each number with the text that states it, but for parts of telephone numbers."""
        telephone = {
            place for call in _TELEPHONE.finditer(self.document) for place in range(*call.span())
        }
        return [
            (self.document[start:end], value)
            for start, end, values in numbers_in(self.document)
            if start not in telephone
            for value in values
            # 58,000 may also be 58 with three decimals, but hardly ever is.
            if value % 1 or not _THOUSANDS.fullmatch(self.document[start:end]) or value >= 1000
        ]

    @cached_property
    def _whole(self) -> list[str]:
        whole = {int(value) for _, value in self._values if value % 1 == 0}
        return [str(value) for value in sorted(whole) if abs(value) < _LARGEST]

    @cached_property
    def _numbers(self) -> list[str]:
        numbers = {value for _, value in self._values if abs(value) < _LARGEST}
        return sorted({text for value in numbers for text in _forms(value)})

    @cached_property
    def _dates(self) -> list[str] | None:
        years = years_in(self.document)
        found: set[str | None] = set()
        days = {day for _, _, days in dates_in(self.document) for day in days}
        for day in days:
            if not (day.year or years) or len(found) > MOST:
                return None
            found |= {day.in_year(year) for year in ((day.year,) if day.year else years)}
        return sorted(json.dumps(day) for day in found if day is not None)

    @cached_property
    def _times(self) -> list[str]:
        times = {time for _, _, times in times_in(self.document) for time in times}
        return sorted(json.dumps(time) for time in times)

    @cached_property
    def _date_times(self) -> list[str] | None:
        # Midnight stands for no time at all.
        times = {*self._times, json.dumps("00:00:00")}
        if self._dates is None or len(self._dates) * len(times) > MOST:
            return None
        return [f"{day[:-1]}T{time[1:]}" for day in self._dates for time in sorted(times)]


def is_held(attribute: Attribute) -> bool:
    """Whether the type of an attribute says what a document must hold to state a value."""
    return _NOTHING.texts(attribute) is not None


_NOTHING = Stated("")


def _forms(value: Decimal) -> Iterator[str]:
    """A number as models write it: with as few decimals as it needs, with one, and with two."""
    if value % _SMALLEST:
        return
    shortest = f"{value.normalize():f}"
    yield shortest
    n_decimals = len(shortest.partition(".")[2])
    for n in range(n_decimals + 1, 3):
        yield f"{value:.{n}f}"
