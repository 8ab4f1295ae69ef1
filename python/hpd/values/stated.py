"""The numbers, dates, times, addresses and links that a document states."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterator
from decimal import Decimal
from functools import cached_property
from typing import Final

from hpd.prompt.tokens import INVISIBLE
from hpd.schema.attributes import Attribute
from hpd.schema.scalars import STRING_FORMATS
from hpd.values.numbers import (
    MAX_DIGITS,
    PERCENT_AFTER,
    Clock,
    dates_in,
    has_unread_days,
    has_unread_numbers,
    has_unread_times,
    numbers_in,
    ordinals_in,
    restore_fraction,
    short_years_in,
    times_in,
    unit_in_name,
    without_sign,
    years_in,
)
from hpd.values.parsing import may_be_negative
from hpd.values.words import COMMON_WORD

STATED_KEY = "hpd.stated"
"""GGUF key that is ``on`` if the model may only write values that the document states."""

MAX_LISTED = 5000
"""Maximum number of values listed for a field: a document with more is a table."""

MAX_LINK_LENGTH = 2000
"""Maximum length of a link, in characters."""

_MAX_PLAIN: Final = 15
"""Maximum length of a whole number that is only written out."""
_INVISIBLE: Final = dict.fromkeys(map(ord, INVISIBLE))
_LABEL: Final = r"[^\W_](?:[\w-]*[^\W_])?"
_AUTHORITY: Final = r"[^\s<>\"{}|\\^`\u3000-\u303f\uff00-\uff60\u201c\u201d\u00bb]"
_FORMAT_PATTERNS: Final = {
    "email": re.compile(rf"[\w.!#$%&'*+/?^`{{|}}~-]{{1,64}}@+{_LABEL}(?:\.{_LABEL})+"),
    "ipv4": re.compile(r"(?<![\w.])\d{1,3}(?:\.\d{1,3}){3}(?![\w]|\.\d)", re.ASCII),
    "ipv6": re.compile(r"(?<![\w:.])[0-9a-fA-F:]{0,40}:[0-9a-fA-F:.]{0,40}(?![\w:])", re.ASCII),
    "uri": re.compile(
        r"(?:(?<![A-Za-z0-9])[A-Za-z][A-Za-z0-9+.-]{0,30}://"
        rf"|\b(?:mailto|tel|urn|doi|data|geo|sms|sip|magnet):)"
        rf"(?:(?![,;|]\w+://){_AUTHORITY})+"
    ),
    "uuid": re.compile(
        r"(?<![0-9a-zA-Z])[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}(?![0-9a-zA-Z])"
    ),
}
_FORMAT_PATTERNS["url"] = _FORMAT_PATTERNS["uri"]
"""Patterns that find values of a format within a text."""

_OTHER_SCRIPT_AROUND = re.compile(r"^[^\x00-\x7f]+|(?<=[\x00-\x7f])[^\x00-\x7f]+$")
_BRACKETS: Final = {")": "(", "]": "[", "}": "{"}
_TELEPHONE = re.compile(r"\+\d[\d ()/\u00a0.-]{6,30}\d")
_TELEPHONE_NAME = re.compile(r"phone|(?<![a-z])tel(?![a-z])|telef|fax|mobile", re.IGNORECASE)
_ENDS_WITH_FACTOR = re.compile(r"\d[^\d]*[^\W\d]$")
_THOUSANDS = re.compile(r"\D*\d{1,3}[.,]000\D*", re.ASCII)
_FRACTION_START = re.compile(r"(\d+)[^\d/\u2044]?\d*[/\u2044]")
_TIME = re.compile(r"(?<![\d:.,])\d{1,2}:\d{2}(?::\d{2})?(?![\d:])", re.ASCII)
_PADDED = re.compile(r"0+[1-9]\d*")
_NUMBER_LIMIT = Decimal(10) ** MAX_DIGITS
_WORD = re.compile(r"[^\W_]+")


class StatedValues:
    """The numbers, dates and so on of a document, as values.

    Numbers are written in digits, with an optional word or letter for thousands, millions or
    billions (``1.2 million``), or in words (in English, or up to twelve). If an attribute names
    such a factor, like ``price_million``, its numbers are in that unit. A day without a year is
    listed in each year that the document states.
    """

    def __init__(self, document: str) -> None:
        # The model sees neither soft hyphens nor the like, which may be within a number.
        self.document = document.translate(_INVISIBLE)

    def texts_for(self, attribute: Attribute) -> list[str] | None:
        """Return the JSON texts of all values that the document states for an attribute.

        None if they cannot be listed: the attribute has another type, there are more than
        ``MAX_LISTED``, or the document states one in a form that is not read (a day without any
        year, a time zone by name, a number in other words).
        """
        texts: list[str] | None = None
        match attribute.type:
            case "integer" | "number":
                texts = self._numbers(attribute)
            case "date":
                texts = self._dates
            case "date-time":
                texts = self._date_times
            case "string" if attribute.format == "time":
                texts = self._times
            case "string" if attribute.format in _FORMAT_PATTERNS:
                texts = self._texts_of_format(attribute.format)
        return None if texts is None or len(texts) > MAX_LISTED else texts

    @cached_property
    def _folded(self) -> str:
        return self.document.casefold()

    def choices_of(self, attribute: Attribute) -> tuple[str, ...]:
        """Return the choices that the document has as whole words.

        Choices that it has only as a part of longer ones are left out. Empty if it has none or may
        have one by chance (a letter, or a word such as yes or no), or if others are like them:
        ``unpaid`` may be written as ``not paid``.
        """
        choices = [choice for choice in attribute.choices if isinstance(choice, str)]
        words = {choice: _WORD.findall(choice.casefold()) for choice in choices}
        patterns = {
            choice: rf"(?<!\w){r'[^a-z0-9]+'.join(map(re.escape, words[choice]))}(?!\w)"
            for choice in choices
            if words[choice]
        }
        stated = [choice for choice in patterns if re.search(patterns[choice], self._folded)]
        others = [choice for choice in choices if choice not in stated]
        found, text = [], self._folded
        for choice in sorted(stated, key=len, reverse=True):
            rest = re.sub(patterns[choice], "|", text)
            if rest != text:
                found.append(choice)
            text = rest
        are_like = any(
            not set(words[choice]).isdisjoint(words[other]) or choice.casefold() in other.casefold()
            for choice in stated
            for other in others
        )
        is_chance = any(len(choice) < 2 or COMMON_WORD.fullmatch(choice) for choice in found)
        is_text = len(choices) == len(attribute.choices)
        if not is_text or is_chance or are_like:
            return ()
        return tuple(choice for choice in choices if choice in found)

    def _texts_of_format(self, name: str) -> list[str]:
        found: set[str] = set()
        for match in _FORMAT_PATTERNS[name].finditer(self.document):
            if len(match.group()) <= MAX_LINK_LENGTH:
                texts = {*_strip_surroundings(match.group())}
                valid = {text for text in texts if STRING_FORMATS[name].fullmatch(text)}
                if name == "ipv6":  # or else a time or a MAC address, which have no empty group
                    texts = {text for text in texts if "::" in text}
                found |= valid or texts
        return sorted(json.dumps(text, ensure_ascii=False) for text in found)

    @cached_property
    def _values(self) -> list[tuple[int, str, Decimal]] | None:
        """Each number with its offset and text, except parts of telephone numbers.

        None if some are unread.
        """
        if has_unread_numbers(self.document):
            return None
        telephone = {
            index for call in _TELEPHONE.finditer(self.document) for index in range(*call.span())
        }
        found = itertools.chain(numbers_in(self.document), short_years_in(self.document))
        return [
            (start, self.document[start:end], value)
            for start, end, values in found
            if start not in telephone
            for value in values
            # 58,000 could be 58 with three decimals, but rarely is.
            if abs(value) >= 1000 or value % 1 or not _THOUSANDS.fullmatch(self.document[start:end])
        ]

    def _numbers(self, attribute: Attribute) -> list[str] | None:
        if self._values is None:
            return None
        meaning = f"{attribute.name} {attribute.description}"
        unit = unit_in_name(meaning)
        padded = {
            str(int(text)).zfill(len(text))
            for _, text, _ in self._values
            if _PADDED.fullmatch(text)
        }
        found = [
            # For ``price_million``, 310 million is 310, and half a million 0.5.
            (start, value / unit)
            if unit and (abs(value) >= unit or _ENDS_WITH_FACTOR.search(text))
            else (start, value)
            for start, text, value in self._values
        ]
        numbers = {value for _, value in found}
        # Of ordinals, only those before a word of the attribute: the third floor, not week, of
        # ``floor``.
        words = set(_WORD.findall(meaning.casefold()))
        for _, end, values in ordinals_in(self.document):
            following = _WORD.search(self.document, end)
            if following and following.group().casefold() in words:
                numbers |= values
        highest = (attribute.maximum, attribute.exclusive_maximum)
        if any(limit is not None and limit <= 1 for limit in highest):
            numbers |= {
                value / 100
                for _, end, values in numbers_in(self.document)
                if PERCENT_AFTER.match(self.document, end)
                for value in values
            }
        if _TELEPHONE_NAME.search(meaning):
            calls = _TELEPHONE.findall(self.document)
            numbers |= {Decimal(re.sub(r"\D", "", call)) for call in calls}
        if may_be_negative(attribute):
            numbers |= without_sign(self.document)
        if attribute.type == "number":
            texts = {text for value in numbers for text in _number_texts(value)} | self._fractions
        else:
            small = {value for value in numbers if abs(value) < _NUMBER_LIMIT}
            whole = {value for value in small if value == value.to_integral_value()}
            # 1.299 may be 1299, but 4.5 is no whole number, and is rejected when it is parsed.
            has_whole = {start for start, value in found if value in whole}
            others = {value for start, value in found if start not in has_whole}
            texts = {text for value in others for text in _number_texts(value)}
            texts |= {str(int(value)) for value in whole}
        return sorted(texts | padded)

    @cached_property
    def _fractions(self) -> set[str]:
        """The beginnings of fractions, which models copy for the whole of them."""
        found = [_FRACTION_START.match(text) for _, text, _ in self._values or ()]
        numerals = {match[1] for match in found if match}
        return {numeral for numeral in numerals if restore_fraction(numeral, self.document)}

    @cached_property
    def _dates(self) -> list[str] | None:
        if has_unread_days(self.document):
            return None
        years = years_in(self.document)
        found: set[str] = set()
        for _, _, days in dates_in(self.document):
            if len(found) > MAX_LISTED or not (years or all(day.year for day in days)):
                return None
            readings = [
                (day, year) for day in days for year in ((day.year,) if day.year else years)
            ]
            dates = {date for day, year in readings if (date := day.iso_date(year))}
            found |= dates or {day.iso_form(year) for day, year in readings}
        return sorted(map(json.dumps, found))

    @cached_property
    def _clocks(self) -> list[Clock] | None:
        return None if has_unread_times(self.document) else list(times_in(self.document))

    @property
    def _times(self) -> list[str] | None:
        if self._clocks is None:
            return None
        times = {t + zone for c in self._clocks for t in c.times for zone in ("", c.zone or "")}
        read = {index for clock in self._clocks for index in range(clock.start, clock.end)}
        times |= {m.group() for m in _TIME.finditer(self.document) if m.start() not in read}
        return sorted(map(json.dumps, times))

    @property
    def _date_times(self) -> list[str] | None:
        days, clocks = self._dates, self._clocks
        if days is None or clocks is None or any(clock.zone is None for clock in clocks):
            return None
        # A day without a time is written with midnight.
        times = {"00:00:00", *(t + (c.zone or "") for c in clocks for t in c.times)}
        if len(days) * len(times) > MAX_LISTED:
            return None
        return [f'{day[:-1]}T{time}"' for day in days for time in sorted(times)]


def can_list(attribute: Attribute) -> bool:
    """Return whether all values that a document states for an attribute can be listed."""
    return _EMPTY_DOCUMENT.texts_for(attribute) is not None


_EMPTY_DOCUMENT = StatedValues("")


def _strip_surroundings(text: str) -> Iterator[str]:
    """Yield a link or address without the punctuation of its sentence.

    It is yielded with and without letters of another script at its ends, and with and without
    leading marks, which may belong to an address.
    """
    while text and (text[-1] in ".,:;!?'*" or text[-1] in _BRACKETS):
        if text[-1] in _BRACKETS and text.count(_BRACKETS[text[-1]]) >= text.count(text[-1]):
            break
        text = text[:-1]
    for each in (text, text.lstrip("!#$%&'*+/=?^_`{|}~-")):
        yield each
        yield _OTHER_SCRIPT_AROUND.sub("", each)


def _number_texts(value: Decimal) -> Iterator[str]:
    """Yield a number as models write it: with as few decimals as possible, with one, with two."""
    if abs(value) >= _NUMBER_LIMIT:
        return
    whole, _, decimals = f"{value:f}".partition(".")
    decimals = decimals.rstrip("0")
    if len(decimals) > MAX_DIGITS:
        return
    yield f"{whole}.{decimals}" if decimals else whole
    digits = value.normalize().as_tuple()
    if digits.exponent and (len(whole) > _MAX_PLAIN or decimals.startswith("00000")):
        # Models copy 6.02e23, in one of two forms.
        mantissa, _, power = f"{value.normalize():e}".partition("e")
        yield from {f"{mantissa}{e}{n}" for e in "eE" for n in (power, str(int(power)))}
    for n in range(len(decimals) + 1, 3 if len(whole) < 14 else 0):
        yield f"{whole}.{decimals:0<{n}}"
