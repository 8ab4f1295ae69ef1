"""Grounding: finds the spans of values in their document.

A value is searched for in four ways, in this order: as exact text; as normalized text (case,
blanks, quotes, dashes and Unicode forms); by meaning (a number, date or time in another notation,
an account number in other groups); as similar text. Offsets are characters of the original
document.

The spans of a list's items are chosen together (``windows``). Values outside of all windows are
assigned last, to a span that is still free if there is one.
"""

from __future__ import annotations

import itertools
import re
import unicodedata
from bisect import bisect_left
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property, lru_cache
from typing import Any, Final

from rapidfuzz import fuzz

from hpd.prompt.text import FieldPath
from hpd.prompt.tokens import INVISIBLE, decode_blanks
from hpd.schema.scalars import STRING_FORMATS
from hpd.values.numbers import (
    PERCENT_AFTER,
    Clock,
    DocumentDates,
    impossible_time,
    numbers_in,
    ordinals_in,
    short_years_in,
    strip_accents,
    times_in,
)
from hpd.values.windows import (
    MIN_ANCHORS,
    CandidateSpans,
    ItemPart,
    ListItem,
    Span,
    Window,
    choose_windows,
)
from hpd.values.words import (
    COMMON_WORD,
    FALSE_WORD,
    TRUE_WORD,
    extends_previous,
    is_word_border,
)

FUZZY_THRESHOLD: Final = 85.0
"""Minimum similarity of a fuzzy match, from 0 to 100 (rapidfuzz's ratio)."""
MIN_FUZZY_LENGTH: Final = 4
"""Minimum length of a value that is matched fuzzily: shorter ones resemble too many others."""
MAX_FUZZY_LENGTH: Final = 256
"""Maximum length of a value that is matched fuzzily: longer ones take too long, and are more often
invented than misspelt."""

_SEPARATORS = "[ ./-]{0,2}"
_SIGN = re.compile(r"[./-]")
_CHOICE = re.compile(r"[^\W\d_]+(?:[ _-]+[^\W\d_]+)*")
MAX_SMALL_WORD: Final = 3
"""Maximum length of a word in small letters that is taken for a part of a sentence (*is*, *of*)."""
MIN_CODE_LENGTH: Final = 6
MAX_CODE_LENGTH: Final = 64
"""Bounds for the letters and digits of a code whose groups may be separated differently; at least
half must be digits."""

MAX_SPANS: Final = 1000
"""Maximum number of spans of one value to compare: more carry no information."""

_DIGITS = re.compile(r"\d+")
_IPV6: Final = STRING_FORMATS["ipv6"]
_GROUP_BEFORE = re.compile("[0-9a-fA-F:]:")
_GROUP_AFTER = re.compile(":[0-9a-fA-F:]")
"""What continues an IPv6 address, even if it makes it none."""
_LETTERS: Final = frozenset("abcdefghijklmnopqrstuvwxyz")
_ISO_TIME = re.compile(r"(\d{2}:\d{2}:\d{2})(\.\d+)?(Z|[+-]\d{2}:\d{2})?", re.ASCII)
_ISO_DATE_TIME = re.compile(r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\S*", re.ASCII)
_ISO_DATE = re.compile(r"\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}:\d{2}\S*)?", re.ASCII)
_MAX_GAP = 3
_GAP = re.compile(rf"[^\w\n,;|.!?]{{0,{_MAX_GAP}}}")
"""What may stand between the name of a field and its number."""


_WORD = re.compile(r"\w+")
_MAX_TEAR = 200
"""How many characters may stand between two words of a text that is torn by columns."""

_MAX_DISTANCE = 60
"""How many characters before a value its field's name may stand."""


class Grounder:
    """Finds values in one document, which is analysed only once.

    Args:
        document: its text.
        years: the years that the rest of the prompt states.
    """

    def __init__(self, document: str, years: Collection[int] = ()) -> None:
        self.document = document
        self._years = years
        self._candidates: dict[tuple[type, Any, bool], list[Span]] = {}
        self._numbers_by_name: dict[str, list[tuple[str, set[Decimal]]]] = {}

    @cached_property
    def normalized(self) -> NormalizedText:
        """The normalized document, with the original offsets."""
        return normalize(self.document)

    @cached_property
    def _numbers(self) -> dict[Decimal, list[tuple[int, int]]]:
        """The spans of everything that can be read as a number, by the number."""
        numbers: dict[Decimal, list[tuple[int, int]]] = {}
        numerals = numbers_in(self.document, loose=True)
        others = (*ordinals_in(self.document), *short_years_in(self.document))
        for start, end, values in itertools.chain(numerals, others):
            for value in values:
                numbers.setdefault(value, []).append((start, end))
        return numbers

    @cached_property
    def _days(self) -> DocumentDates:
        return DocumentDates(self.document, self._years)

    @cached_property
    def _clocks(self) -> dict[str, list[Clock]]:
        """The times of day in the document, by the time."""
        clocks: dict[str, list[Clock]] = {}
        for clock in times_in(self.document):
            for time in clock.times:
                clocks.setdefault(time, []).append(clock)
        return clocks

    def candidate_spans(self, value: Any, *, fuzzy: bool = True) -> list[Span]:
        """Return all spans that may mean a value, exactly or not, from left to right."""
        key = type(value), value, fuzzy
        known = self._candidates.get(key)
        if known is None:
            self._candidates[key] = known = self._find_candidates(value, fuzzy)[:MAX_SPANS]
        return known

    def _find_candidates(self, value: Any, fuzzy: bool) -> list[Span]:
        if isinstance(value, int | float) and not isinstance(value, bool):
            return sorted(self._number_spans(value), key=lambda span: (span.start, span.end))
        text = ("false", "true")[value] if isinstance(value, bool) else value
        if not isinstance(text, str):
            return []
        text = text.strip()
        whole = []
        for span in self._normal_spans(text, only_whole=True):
            if self._is_whole(span, text):
                is_exact = self.document[span.start : span.end] == text
                whole.append(Span(span.start, span.end, "exact") if is_exact else span)
                if len(whole) == MAX_SPANS:
                    break
        return whole or self.best_spans(value, fuzzy=fuzzy)

    def is_stated(self, value: Any, n_times: int = 1) -> bool:
        """Return whether the document states a value, and not just as part of a longer one.

        ``PX-310-22`` does not state ``PX-310``, nor ``500ml`` the text ``500``.

        Args:
            value: the value.
            n_times: how often the document must state it.
        """
        text, is_text = self.document, isinstance(value, str)
        is_moment = is_text and (_ISO_DATE.fullmatch(value) or _ISO_TIME.fullmatch(value))
        for span in self.best_spans(value, fuzzy=False):
            before, after = text[: span.start][-2:], text[span.end :][:2]
            if not self._is_whole(span, value):
                continue
            is_whole = not (_continues_word(before[::-1]) or _continues_word(after))
            # A range such as 08:15-09:45 states both of its ends.
            if is_whole or not is_text or (is_moment and self._is_end_of_range(span)):
                n_times -= 1
                if not n_times:
                    return True
        if is_text and _ISO_DATE_TIME.fullmatch(value):
            return all(self.is_stated(part, n_times) for part in value.split("T"))
        return False

    def is_torn(self, value: Any) -> bool:
        """Return whether the words of a text follow each other with others between them.

        So it is with the lines of a cell in a table: beside each stand those of other cells.
        """
        words = [] if not isinstance(value, str) else _WORD.findall(value.casefold())
        document = self.document.casefold()
        if len(words) < 2:
            return False
        for first in re.finditer(rf"(?<!\w){re.escape(words[0])}(?!\w)", document):
            end = first.end()
            for word in words[1:]:
                pattern = re.compile(rf"(?<!\w){re.escape(word)}(?!\w)")
                following = pattern.search(document, end, end + _MAX_TEAR)
                if following is None:
                    break
                end = following.end()
            else:
                return True
        return False

    def _is_end_of_range(self, span: Span) -> bool:
        """Return whether a date or time has another one beside it, or is part of a range."""
        return any(
            start == span.end + 1 or end == span.start - 1 or start < span.start < span.end <= end
            for start, end in self._moments
        )

    @cached_property
    def _moments(self) -> list[tuple[int, int]]:
        """The spans of dates, of ranges of them, and of times."""
        clocks = itertools.chain.from_iterable(self._clocks.values())
        return [*self._days.spans, *((clock.start, clock.end) for clock in clocks)]

    def year_error(self, value: str) -> str | None:
        """Return why the year of a date is made up, or None if the document may state it."""
        return self._days.year_error(value)

    def midnight_error(self, value: str) -> str | None:
        """Return why a date's midnight is made up, or None.

        Midnight means that no time is stated, but the document may state an impossible one: 36:00.
        """
        time = impossible_time(self.document) if value[11:19] == "00:00:00" else None
        return time and f"the document states {time}, which is no time"

    def fraction_instead_of(self, value: int) -> str | None:
        """Return what the document states in place of a whole number: 12.5 for 12 or 13.

        Return None if it states the number itself, or no fraction that is less than 1 away.
        """
        if Decimal(value) in self._numbers:
            return None
        for number, spans in self._numbers.items():
            if number != number.to_integral_value() and abs(number - value) < 1:
                start, end = spans[0]
                return self.document[start:end]
        return None

    def numbers_beside(self, name: str) -> list[tuple[str, set[Decimal]]]:
        """Return the numbers that stand beside a field's name, as text and with all readings.

        For ``rooms`` these are 4.5 of ``Rooms: 4.5``, and 3 of ``3 rooms``.
        """
        if name not in self._numbers_by_name:
            words = _words_of(name)
            self._numbers_by_name[name] = [*self._find_numbers_beside(words)] if words else []
        return self._numbers_by_name[name]

    def other_word_after(self, name: str, choices: Collection[str]) -> str | None:
        """Return the word after a field's name if it is none of the choices.

        For ``continent`` it is Africa in ``Continent: Africa``. Short words in small letters are
        left out, as they may begin a sentence about the choice, and words such as yes.
        """
        for word in self._words_after(name):
            is_small = word.islower() and len(word) <= MAX_SMALL_WORD
            folded = _folded(word)
            stands_for_one = any(
                (choice := _folded(each)).startswith(folded) or folded.startswith(choice)
                for each in choices
            )
            if word.isalpha() and not (is_small or stands_for_one or COMMON_WORD.fullmatch(word)):
                return word
        return None

    def abbreviates(self, name: str, value: Any, choices: Collection[Any]) -> bool:
        """Return whether the word after a field's name stands for a choice, and for no other.

        For ``sex`` it is M in ``Sex: M``, which stands for *male*; for booleans, it is yes or no.
        """
        if isinstance(value, bool):
            pattern = TRUE_WORD if value else FALSE_WORD
            return any(map(pattern.fullmatch, self._words_after(name)))
        texts = [each for each in choices if isinstance(each, str)]
        beginnings = map(_folded, self._words_after(name))
        return any([t for t in texts if _folded(t).startswith(b)] == [value] for b in beginnings)

    def _words_after(self, name: str) -> Iterator[str]:
        """Yield the words that follow a field's name in the document."""
        words = _words_of(name)
        if not words:
            return
        pattern = rf"(?<![^\W_]){_pattern_of(words)}(?:[ \t]*[:=][ \t]*|[ \t]+)([^\W_]+)"
        for match in re.finditer(pattern, self.document, re.IGNORECASE):
            yield match[1]

    def distance_after(self, name: str, span: Span) -> int:
        """Return the sum of the distances from the words of a field's name to a span after them."""
        before = self.document[max(0, span.start - _MAX_DISTANCE) : span.start].casefold()
        distance = 0
        for word in _words_of(name):
            ends = [m.end() for m in re.finditer(rf"(?<!\w){re.escape(word.casefold())}", before)]
            distance += len(before) - ends[-1] if ends else _MAX_DISTANCE
        return distance

    def _find_numbers_beside(self, words: Sequence[str]) -> Iterator[tuple[str, set[Decimal]]]:
        pattern = rf"(?<![^\W\d_]){_pattern_of(words)}(?![^\W\d_])"
        for match in re.finditer(pattern, self.document, re.IGNORECASE):
            low, high = match.span()
            for start, end, values in self._numbers_between(low - 1, high + _MAX_GAP):
                is_after = high <= start and _GAP.fullmatch(self.document, high, start)
                is_before = end <= low and self.document[end:low] in ("", " ", "-", "\u00a0")
                if is_after or is_before:
                    if PERCENT_AFTER.match(self.document, end):
                        values = values | {value / 100 for value in values}
                    yield self.document[start:end], values

    def _numbers_between(self, low: int, high: int) -> Iterator[tuple[int, int, set[Decimal]]]:
        """Yield the numbers that end at ``low`` or later and start at ``high`` or earlier."""
        numbers, starts, longest = self._numbers_in_order
        first = bisect_left(starts, low - longest)
        for number in itertools.islice(numbers, first, None):
            if number[0] > high:
                return
            if number[1] >= low:
                yield number

    @cached_property
    def _numbers_in_order(self) -> tuple[list[tuple[int, int, set[Decimal]]], list[int], int]:
        """The numbers that the document states, their starts, and the length of the longest."""
        numbers = sorted(numbers_in(self.document), key=lambda number: number[:2])
        longest = max((end - start for start, end, _ in numbers), default=0)
        return numbers, [start for start, _, _ in numbers], longest

    def cuts_a_word(self, value: str) -> bool:
        """Return whether a text is in the document only as part of longer words or numbers.

        ``USAX`` cuts ``USA``; ``500ml`` does not cut ``500``.
        """
        found = [match.span() for match in re.finditer(re.escape(value), self.document)]
        return bool(found) and all(any(map(self._is_cut, span)) for span in found)

    def _is_cut(self, position: int) -> bool:
        beside = self.document[max(0, position - 1) : position + 1]
        is_inside = len(beside) == 2 and (beside.isdecimal() or beside.isalpha())
        return is_inside and not self._is_border(position)

    def best_span(self, value: Any, *, fuzzy: bool = True) -> Span | None:
        """Return the best span of a value, or None if the document does not have it.

        Whole words are preferred to parts of words, and earlier spans to later ones. Use
        ``fuzzy=False`` for values of a fixed set, where similarity means nothing, nor does a part
        of a word that is not the beginning of it: ``vendeur`` does not state ``EUR``.
        """
        spans = self.best_spans(value, fuzzy=fuzzy, only_first=True)
        return spans[0] if spans else None

    def best_spans(self, value: Any, *, fuzzy: bool = True, only_first: bool = False) -> list[Span]:
        """Return all spans that match as well as the best one, or the first of them."""
        if isinstance(value, bool):
            value, fuzzy = "true" if value else "false", False
        if isinstance(value, int | float):
            return _leading_spans(self._number_spans(value), only_first)
        if not isinstance(value, str) or not value.strip():
            return []
        value = value.strip()
        spans = self._text_spans(value, only_first)
        if not fuzzy:
            spans = [span for span in spans if self._is_word_or_beginning(span)]
        if not (spans or fuzzy):
            spans = [*self._choice_spans(value)]
        if spans:
            return spans[:1] if only_first else spans
        if _ISO_DATE.fullmatch(value):
            days = (Span(start, end, "normalized") for start, end in self._days.find(value))
            return _leading_spans(days, only_first)
        time = _ISO_TIME.fullmatch(value)
        spans = [*(self._time_spans(time) if time else self._code_spans(value))]
        if spans:
            return spans[:1] if only_first else spans
        span = self._similar_span(value) if fuzzy else None
        return [span] if span is not None else []

    def _text_spans(self, value: str, only_first: bool) -> list[Span]:
        """Return exact or else normalized matches; whole words come before parts of words."""
        parts: list[Span] = []
        for find in (self._exact_spans, self._normal_spans):
            whole: list[Span] = []
            inside: list[Span] = []
            for span in find(value):
                if None in (self._is_border(span.start), self._is_border(span.end)):
                    continue
                alike = whole if self._is_whole(span, value) else inside
                if not alike or span.start >= alike[-1].end:
                    alike.append(span)
                if only_first and whole:
                    return whole
            if whole:
                return whole
            parts = parts or inside
        return parts[:1] if only_first else parts

    def _is_whole(self, span: Span, value: Any) -> bool:
        """Return whether a span has whole words, and not just the start of another address."""
        if not (self._is_border(span.start) and self._is_border(span.end)):
            return False
        if not (isinstance(value, str) and _IPV6.fullmatch(value)):
            return True
        before = self.document[max(0, span.start - 2) : span.start]
        after = self.document[span.end : span.end + 2]
        return not (_GROUP_BEFORE.fullmatch(before) or _GROUP_AFTER.fullmatch(after))

    def _is_word_or_beginning(self, span: Span) -> bool:
        if not self._is_border(span.start):
            return False
        return self._is_border(span.end) is True or span.end - span.start >= MIN_FUZZY_LENGTH

    def _exact_spans(self, value: str) -> Iterator[Span]:
        at = self.document.find(value)
        while at >= 0:
            end = at + len(value)
            yield Span(at, end, "exact")
            at = self.document.find(value, self._next_start(at, end))

    def _normal_spans(self, value: str, *, only_whole: bool = False) -> Iterator[Span]:
        """Yield the spans of a normalized text; ``only_whole`` skips most parts of words."""
        wanted = normalized_text(value)
        if not wanted:
            return
        normalized = self.normalized
        text = normalized.text
        before = _LETTERS if only_whole and wanted[0] in _LETTERS else ()
        after = _LETTERS if only_whole and wanted[-1] in _LETTERS else ()
        at = text.find(wanted)
        while at >= 0:
            end = at + len(wanted)
            if text[at - 1 : at] in before or text[end : end + 1] in after:
                at = text.find(wanted, at + 1)
                continue
            low, high = normalized.starts[at], normalized.ends[end - 1]
            if normalized.is_edge(at) and normalized.is_edge(end):
                yield Span(low, high, "normalized")
            onward = bisect_left(normalized.starts, self._next_start(low, high), at + 1)
            at = text.find(wanted, onward)

    def _next_start(self, start: int, end: int) -> int:
        """Return the offset at which to continue after a match.

        This is the end of a match that is a whole word; else the start of the next word within it,
        as a whole word may overlap the match.
        """
        if self._is_border(start) and self._is_border(end):
            return end
        return next((at for at in range(start + 1, end) if self._is_border(at)), end)

    def _is_border(self, position: int) -> bool | None:
        return is_word_border(self.document, position)

    def _number_spans(self, value: int | float) -> Iterator[Span]:
        written = {str(value), repr(value)}
        if isinstance(value, float) and value == int(value):
            written.add(str(int(value)))
        inexact: list[Span] = []
        number = Decimal(str(value))
        for start, end in self._numbers.get(number, ()) or self._percentages(number):
            if self.document[start:end] in written:
                yield Span(start, end, "exact")
            else:
                inexact.append(Span(start, end, "normalized"))
        yield from inexact

    def _percentages(self, share: Decimal) -> list[tuple[int, int]]:
        """Return the spans of a share that is written as a percentage: 35 for 0.35."""
        spans = self._numbers.get(share * 100, ())
        return [span for span in spans if PERCENT_AFTER.match(self.document, span[1])]

    def _time_spans(self, wanted: re.Match[str]) -> Iterator[Span]:
        """Yield the spans of a time of day, with or without its zone."""
        time, fraction, zone = wanted.groups()
        for clock in self._clocks.get(time + (fraction or ""), ()):
            if clock.zone in (None, "", zone):
                yield Span(clock.start, clock.end, "normalized")

    def _code_spans(self, value: str) -> Iterator[Span]:
        """Yield the spans of an account number or the like, however its groups are separated."""
        text = normalized_text(value)
        letters = [char for char in text if char.isalnum()]
        n_digits = sum(char.isdigit() for char in letters)
        if not (MIN_CODE_LENGTH <= len(letters) <= min(MAX_CODE_LENGTH, 2 * n_digits)):
            return
        normalized = self.normalized
        pattern = _SEPARATORS.join(map(re.escape, letters))
        if _SIGN.search(text):
            # The groups must then be those of the value: 10.0.0.12 is not 10.0.0.1.2.
            pattern = _SEPARATORS.join(map(re.escape, re.findall(r"[^\W_]+", text)))
        for match in re.finditer(pattern, normalized.text):
            low, high = normalized.starts[match.start()], normalized.ends[match.end() - 1]
            if self._is_border(low) and self._is_border(high):
                yield Span(low, high, "normalized")

    def _choice_spans(self, value: str) -> Iterator[Span]:
        """Yield the spans of a choice's words: *très bon* for ``tres_bon`` or ``TresBon``."""
        if not _CHOICE.fullmatch(value):
            return
        words = [strip_accents(word) for word in _words_of(value)]
        pattern = r"[\W_]+".join(words)
        for match in re.finditer(rf"(?<![^\W_]){pattern}(?![^\W_])", self._unaccented):
            low = self.normalized.starts[match.start()]
            yield Span(low, self.normalized.ends[match.end() - 1], "normalized")

    @cached_property
    def _unaccented(self) -> str:
        """The normalized text without accents, of the same length."""
        text = self.normalized.text
        return text.translate({ord(char): strip_accents(char)[:1] or char for char in {*text}})

    def _similar_span(self, value: str) -> Span | None:
        wanted = normalized_text(value)
        text = self.normalized.text
        if not MIN_FUZZY_LENGTH <= len(wanted) <= MAX_FUZZY_LENGTH or len(wanted) > 2 * len(text):
            return None
        if len(wanted) > len(text):
            start, end = 0, len(text)
        else:
            match = fuzz.partial_ratio_alignment(wanted, text, score_cutoff=FUZZY_THRESHOLD)
            if match is None or match.dest_end <= match.dest_start:
                return None
            start, end = match.dest_start, match.dest_end
        best: Span | None = None
        # With a blank more than the value, the text found may lack its last letter.
        longer = max(start - 1, 0), min(end + 1, len(text))
        for low, high in ((start, end), self._whole_words(start, end), self._whole_words(*longer)):
            candidate = self._fuzzy_span(wanted, low, high)
            if candidate is not None and (best is None or candidate.score >= best.score):
                best = candidate
        return best

    def _fuzzy_span(self, wanted: str, start: int, end: int) -> Span | None:
        """Return the span of some normalized text, if it is similar enough to the value."""
        normalized = self.normalized
        while start < end and normalized.text[start] == " ":
            start += 1
        while end > start and normalized.text[end - 1] == " ":
            end -= 1
        if start >= end:
            return None
        low, high = normalized.starts[start], normalized.ends[end - 1]
        while low > 0 and self._is_border(low) is None:
            low -= 1
        while high < len(self.document) and self._is_border(high) is None:
            high += 1
        similar = normalized_text(self.document[low:high])
        if _DIGITS.findall(similar) != _DIGITS.findall(wanted):
            return None  # 1298 is not a misspelling of 1299.
        score = fuzz.ratio(wanted, similar)
        return Span(low, high, "fuzzy", score) if score >= FUZZY_THRESHOLD else None

    def _whole_words(self, start: int, end: int) -> tuple[int, int]:
        text = self.normalized.text
        while start > 0 and text[start - 1].isalnum() and text[start].isalnum():
            start -= 1
        while end < len(text) and text[end - 1].isalnum() and text[end].isalnum():
            end += 1
        return start, end


def _folded(text: str) -> str:
    """Return a text without case and accents."""
    return strip_accents(text.casefold())


def _words_of(name: str) -> list[str]:
    """Return the words of a field's name: those of ``invoiceNumber`` and ``invoice_number``."""
    return re.findall(r"[^\W_]+", re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name))


def _pattern_of(words: Sequence[str]) -> str:
    """Return the pattern of a name's words, with blanks, hyphens or underscores between them."""
    return r"[\s_-]+".join(map(re.escape, words))


def _continues_word(beside: str) -> bool:
    """Return whether a word continues with these characters, from its end outwards."""
    joiner = beside[:1] in "-./_:@#&+" and beside[1:]
    return (joiner or beside[:1]).isalnum() and beside.isascii()


def _leading_spans(spans: Iterator[Span], only_first: bool) -> list[Span]:
    """Return the leading spans of the same kind of match, or only the first span."""
    chosen: list[Span] = []
    for span in spans:
        if chosen and (only_first or span.match != chosen[0].match):
            break
        chosen.append(span)
    return chosen


MAX_CLUSTER: Final = 32
"""Maximum number of characters normalized together: only an attacker stacks more accents."""

_EQUIVALENTS: Final = str.maketrans(
    {
        **dict.fromkeys("\u2018\u2019\u201a\u201b\u2032\u2035\u00b4\u0060\u02bc\u05f3", "'"),
        **dict.fromkeys("\u201c\u201d\u201e\u201f\u2033\u2036\u00ab\u00bb\u05f4", '"'),
        **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212\u00ad\ufe63\uff0d", "-"),
    }
)
_PLAIN = re.compile(r"[!-~]+(?: [!-~]+)*(?![^\x00-\x7f])")
"""Words and single blanks that no following character can change."""
_INVISIBLE: Final = frozenset(INVISIBLE + "\u200c\u200d\ufe0e\ufe0f")
"""Includes joiners and variation selectors, which the prompt keeps."""


@dataclass(frozen=True, slots=True)
class NormalizedText:
    """A normalized text; its character ``i`` stands for ``original[starts[i]:ends[i]]``."""

    text: str
    starts: list[int]
    ends: list[int]

    def is_edge(self, position: int) -> bool:
        """Return whether a position is not within one original character, such as a ligature."""
        if position <= 0 or position >= len(self.text):
            return True
        return self.starts[position] != self.starts[position - 1]


def normalize(text: str) -> NormalizedText:
    """Normalize a text and keep the original offsets."""
    decoded, offsets = decode_blanks(text)
    if decoded != text:
        found = normalize(decoded)
        original = ([offsets[at] for at in each] for each in (found.starts, found.ends))
        return NormalizedText(found.text, *original)
    pieces: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    after_blank = True  # Leading blanks are dropped, and all but one of a run.
    position = 0
    while position < len(text):
        plain = _PLAIN.match(text, position)
        if plain is not None:
            end = plain.end()
            pieces.append(plain.group().lower().translate(_EQUIVALENTS))
            starts.extend(range(position, end))
            ends.extend(range(position + 1, end + 1))
            position, after_blank = end, False
            continue
        start, end = position, _cluster_end(text, position)
        position = end
        piece = _normalize_cluster(text[start:end])
        if not piece:
            if ends:
                ends[-1] = end  # An invisible character belongs to the one before it.
        elif not piece.isspace():
            pieces.append(piece)
            starts.extend([start] * len(piece))
            ends.extend([end] * len(piece))
            after_blank = False
        elif not after_blank:
            pieces.append(" ")
            starts.append(start)
            ends.append(end)
            after_blank = True
    if pieces and pieces[-1] == " ":
        pieces.pop()
        starts.pop()
        ends.pop()
    return NormalizedText("".join(pieces), starts, ends)


def normalized_text(text: str) -> str:
    """Normalize a text."""
    return normalize(text).text


def _cluster_end(text: str, start: int) -> int:
    """Return the end of the characters from ``start`` that must be normalized together."""
    end = start + 1
    while end < len(text) and end - start < MAX_CLUSTER and extends_previous(text[end]):
        end += 1
    return end


@lru_cache(maxsize=4096)
def _normalize_cluster(cluster: str) -> str:
    if len(cluster) == 1 and cluster.isascii() and cluster not in _INVISIBLE:
        return " " if cluster.isspace() else cluster.lower().translate(_EQUIVALENTS)
    visible = "".join(char for char in cluster if char not in _INVISIBLE)
    # Translate before NFKC, which would decompose some quotes, and again after it, as it produces
    # others.
    folded = unicodedata.normalize("NFKC", visible.translate(_EQUIVALENTS)).casefold()
    folded = unicodedata.normalize("NFKC", folded).translate(_EQUIVALENTS)
    return " " if folded.isspace() else folded


_ItemPaths = tuple[FieldPath, list[FieldPath]]
"""The path of an item of a list, and those of the values in it."""


class SpanAssignment:
    """Assigns a span of the document to each value.

    Args:
        grounder: searches the document.
        values: the values by field path; none is null.
        arrays: the paths of all arrays.
        is_fixed: whether the value of a path is one of a fixed set, which is not matched fuzzily.
    """

    def __init__(
        self,
        grounder: Grounder,
        values: Mapping[FieldPath, Any],
        arrays: Collection[FieldPath],
        is_fixed: Callable[[FieldPath], bool] = lambda _: False,
    ) -> None:
        self._grounder = grounder
        self._values = values
        self._arrays = arrays
        self._is_fixed = is_fixed
        self._used_spans: set[tuple[int, int]] = set()
        self._known: dict[tuple[type, Any, bool], CandidateSpans] = {}
        self.spans: dict[FieldPath, Span] = {}
        """The span of each value that has one."""
        lists, objects, single = self._group_paths(values, 0)
        for items in lists:
            self._assign_list(items, 0, len(grounder.document))
        for paths in objects:
            self._assign_list([(paths[0][:1], paths)], 0, len(grounder.document))
        for path in single:
            self._assign_single(path)

    def _group_paths(
        self, paths: Iterable[FieldPath], depth: int
    ) -> tuple[list[list[_ItemPaths]], list[list[FieldPath]], list[FieldPath]]:
        """Group the paths below an object: in its lists, by item; in its objects; and its own."""
        lists: dict[FieldPath, dict[int, list[FieldPath]]] = {}
        objects: dict[str, list[FieldPath]] = {}
        own: list[FieldPath] = []
        for path in paths:
            ns = (n for n in range(depth + 1, len(path)) if path[:n] in self._arrays)
            n = next((n for n in ns if path[n].isdecimal()), None)
            if n is not None:
                lists.setdefault(path[:n], {}).setdefault(int(path[n]), []).append(path)
            elif len(path) > depth + 1:
                objects.setdefault(path[depth], []).append(path)
            else:
                own.append(path)
        in_order = [
            [((*prefix, str(number)), items[number]) for number in sorted(items)]
            for prefix, items in lists.items()
        ]
        return in_order, list(objects.values()), own

    def _find_part(self, path: FieldPath, low: int, high: int) -> ItemPart | None:
        """Return a value with its spans between two offsets, or with all if none is there."""
        value, is_fixed = self._values[path], self._is_fixed(path)
        key = type(value), value, is_fixed
        known = self._known.get(key)
        if known is None:
            spans = self._grounder.candidate_spans(value, fuzzy=not is_fixed)
            mismatches = [self._mismatch(value, span) for span in spans]
            known = self._known[key] = CandidateSpans(spans, [s.start for s in spans], mismatches)
        if not known.spans:
            return None
        first, last = bisect_left(known.starts, low), bisect_left(known.starts, high)
        if first < last and last - first < len(known.spans):
            known = CandidateSpans(
                known.spans[first:last], known.starts[first:last], known.mismatches[first:last]
            )
        return ItemPart(path, known)

    def _mismatch(self, value: Any, span: Span) -> int:
        """Return how much a span differs from the notation of a value: 0 to 2."""
        if isinstance(value, int | float) and not isinstance(value, bool):
            text = self._grounder.document[span.start : span.end]
            has_decimals = text[-3:-2] in (".", ",") or text[-2:-1] in (".", ",")
            before = self._grounder.document[max(0, span.start - 2) : span.start]
            is_in_name = before[:1].isalnum() and before[1:] in ("-", "/", "_")  # such as A-1
            if has_decimals != isinstance(value, float) or is_in_name:
                return 2
        return int(span.match != "exact")

    def _assign_list(self, items: Sequence[_ItemPaths], low: int, high: int) -> None:
        """Assign spans to the items of a list, given the path of each and those of its values."""
        sorted_ = [(path, *self._group_paths(paths, len(path))) for path, paths in items]
        parts: list[list[ItemPart]] = []
        for path, _, objects, own in sorted_:
            paths = [*own, *(inner for paths in objects for inner in paths)]
            if not paths and not own:
                paths = [p for p in (path,) if p in self._values]
            found = (self._find_part(p, low, high) for p in paths)
            parts.append([part for part in found if part is not None])
        found_items = [n for n, item_parts in enumerate(parts) if item_parts]
        windows: list[Window | None] = [None] * len(items)
        list_items = {n: ListItem(parts[n]) for n in found_items}
        for n, window in zip(found_items, choose_windows(list(list_items.values())), strict=True):
            windows[n] = window
            if window is not None:
                self._assign_window(list_items[n], window)
        segments = _item_segments(windows, low, high)
        last: dict[FieldPath, int] = {}
        for n in found_items:
            if windows[n] is None:
                self._assign_out_of_order(list_items[n])
            for part in parts[n]:
                name = part.path[len(items[n][0]) :]
                if part.path not in self.spans:
                    self._assign_outside_window(part, segments[n], last.get(name, 0))
                last[name] = self.spans[part.path].end
        self._assign_inner_lists([lists for _, lists, _, _ in sorted_], windows, segments)

    def _assign_inner_lists(
        self,
        lists: Sequence[list[list[tuple[FieldPath, list[FieldPath]]]]],
        windows: Sequence[Window | None],
        segments: Sequence[tuple[int, int]],
    ) -> None:
        together: dict[str, list[tuple[FieldPath, list[FieldPath]]]] = {}
        for inner, window, segment in zip(lists, windows, segments, strict=True):
            for items in inner:
                if window is None:
                    # The item has no window: search its lists together with those of the others
                    # without one.
                    together.setdefault(items[0][0][-2], []).extend(items)
                else:
                    # Lists follow the beginning of their item.
                    self._assign_list(items, window.start, segment[1])
        for items in together.values():
            self._assign_list(items, 0, len(self._grounder.document))

    def _assign_window(self, item: ListItem, window: Window) -> None:
        for part, span in item.spans(window):
            self._assign(part.path, span)

    def _assign(self, path: FieldPath, span: Span) -> None:
        self.spans[path] = span
        self._used_spans.add((span.start, span.end))

    def _assign_out_of_order(self, item: ListItem) -> None:
        """Assign an item to the window in which its parts are closest together."""

        def order(window: Window) -> tuple[int, int, int]:
            spans = (span for _, span in item.spans(window))
            n_used = sum((span.start, span.end) in self._used_spans for span in spans)
            return n_used, window.cost, window.start

        anchors = list(enumerate(item.anchors.spans))[:MIN_ANCHORS]
        self._assign_window(
            item, min((w for n, a in anchors for w in item.windows(a, n)), key=order)
        )

    def _assign_outside_window(self, part: ItemPart, segment: tuple[int, int], last: int) -> None:
        """Assign a part that is in no window: near its item, else to a free span."""
        candidates = part.candidates

        def order(n: int) -> tuple[bool, bool, bool, int, int]:
            span = candidates.spans[n]
            is_outside = span.start < segment[0] or span.end > segment[1]
            is_used = (span.start, span.end) in self._used_spans
            return is_outside, is_used, span.start < last, candidates.mismatches[n], span.start

        self._assign(part.path, candidates.spans[min(range(len(candidates.spans)), key=order)])

    def _assign_single(self, path: FieldPath) -> None:
        """Assign a value that is in no list or object to its best span.

        This is the one closest after its field's name. A number avoids the spans of other numbers,
        which may mean something else.
        """
        value, fuzzy = self._values[path], not self._is_fixed(path)
        if isinstance(value, str | bool):
            spans = self._grounder.best_spans(value, fuzzy=fuzzy)[:MAX_SPANS]
            candidates = CandidateSpans(spans, [s.start for s in spans], [0] * len(spans))
        else:
            part = self._find_part(path, 0, len(self._grounder.document))
            candidates = CandidateSpans([], [], []) if part is None else part.candidates
        if not candidates.spans:
            return

        def order(n: int) -> tuple[int, bool, int, int]:
            span = candidates.spans[n]
            is_used = (
                not isinstance(value, str | bool) and (span.start, span.end) in self._used_spans
            )
            distance = self._grounder.distance_after(path[-1], span)
            return distance, is_used, candidates.mismatches[n], n

        self._assign(path, candidates.spans[min(range(len(candidates.spans)), key=order)])


def assign_spans(
    grounder: Grounder,
    values: Mapping[FieldPath, Any],
    arrays: Collection[FieldPath] = (),
    is_fixed: Callable[[FieldPath], bool] = lambda _: False,
) -> dict[FieldPath, Span]:
    """Return the span of each value that has one; the arguments are those of ``SpanAssignment``."""
    spans = SpanAssignment(grounder, values, arrays, is_fixed).spans
    return {path: spans[path] for path in values if path in spans}


def _item_segments(windows: Sequence[Window | None], low: int, high: int) -> list[tuple[int, int]]:
    """Return the part of the text of each item: from the window before it to the next one."""
    segments = []
    start = low
    for n, window in enumerate(windows):
        end = next((w.start for w in windows[n + 1 :] if w is not None), high)
        segments.append((start, end))
        if window is not None:
            start = window.end
    return segments
