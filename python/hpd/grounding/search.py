"""Where in a document a value stands.

Tried in this order: the very text; the text but for case, blanks, kinds of quotes and dashes and
Unicode's ways to write the same; the number or the day that the text means; a similar text.
Offsets are those of the original document, as Python counts characters.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from rapidfuzz import fuzz

from hpd.grounding.dates import find_date
from hpd.grounding.normalization import Normalized, extends, normalize, normalized_text
from hpd.grounding.numbers import find_number
from hpd.results import Match

FUZZY_THRESHOLD: Final = 85.0
"""How similar, of 100, a text must be that is taken for the value (rapidfuzz's ratio)."""
MIN_FUZZY_LENGTH: Final = 4
"""Shorter values are similar to too much."""
MAX_FUZZY_LENGTH: Final = 256
"""Longer ones would take long, and are more often made up than misspelt."""

_DIGITS = re.compile(r"\d+")
_ISO_DATE = re.compile(r"\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}:\d{2}\S*)?", re.ASCII)
_ZERO_WIDTH_JOINER = "\u200d"


@dataclass(frozen=True, slots=True)
class Span:
    """A part of a document that holds a value."""

    start: int
    end: int
    match: Match
    score: float = 100.0
    """How similar the texts are, of 100; only a fuzzy match has less."""


def ground(value: Any, document: str, *, fuzzy: bool = True) -> Span | None:
    """The best place of a value in a document, or None if it holds none.

    Whole words are preferred, then the first place. ``fuzzy=False`` is for values that are one
    of a fixed set, where a similar text means nothing.
    """
    return Grounder(document).ground(value, fuzzy=fuzzy)


def ground_all(value: Any, document: str, *, fuzzy: bool = True) -> list[Span]:
    """All places of a value that match as well as the best one, from left to right."""
    return Grounder(document).ground_all(value, fuzzy=fuzzy)


class Grounder:
    """Finds values in one document, whose normalised text it keeps between them."""

    def __init__(self, document: str) -> None:
        self.document = document
        self._normalized: Normalized | None = None

    @property
    def normalized(self) -> Normalized:
        """The document's normalised text, with the way back to its offsets."""
        if self._normalized is None:
            self._normalized = normalize(self.document)
        return self._normalized

    def ground(self, value: Any, *, fuzzy: bool = True) -> Span | None:
        """As ``hpd.grounding.ground``."""
        spans = self.ground_all(value, fuzzy=fuzzy, only_first=True)
        return spans[0] if spans else None

    def ground_all(self, value: Any, *, fuzzy: bool = True, only_first: bool = False) -> list[Span]:
        """As ``hpd.grounding.ground_all``; ``only_first`` stops at the first of the best kind."""
        if isinstance(value, bool):
            return self._text("true" if value else "false", only_first)
        if isinstance(value, int | float):
            return _cut(self._number(value), only_first)
        if not isinstance(value, str) or not value.strip():
            return []
        value = value.strip()
        spans = self._text(value, only_first)
        if spans:
            return spans
        if _ISO_DATE.fullmatch(value):
            found = (
                Span(start, end, "normalized") for start, end in find_date(value, self.document)
            )
            return _cut(found, only_first)
        span = self._similar(value) if fuzzy else None
        return [span] if span is not None else []

    def _text(self, value: str, only_first: bool) -> list[Span]:
        """Exact and normalised matches: whole words of either kind before parts of words."""
        parts: list[Span] = []
        for find in (self._exact, self._normal):
            whole: list[Span] = []
            inside: list[Span] = []
            for span in find(value):
                border = self._border(span.start), self._border(span.end)
                if None in border:
                    continue
                if all(border):
                    whole.append(span)
                    if only_first:
                        return whole
                elif not (only_first and inside):
                    inside.append(span)
            if whole:
                return whole
            parts = parts or inside
        return parts

    def _exact(self, value: str) -> Iterator[Span]:
        start = self.document.find(value)
        while start >= 0:
            yield Span(start, start + len(value), "exact")
            start = self.document.find(value, start + len(value))

    def _normal(self, value: str) -> Iterator[Span]:
        wanted = normalized_text(value)
        if not wanted:
            return
        text = self.normalized
        start = text.text.find(wanted)
        while start >= 0:
            end = start + len(wanted)
            if text.is_edge(start) and text.is_edge(end):
                yield Span(text.starts[start], text.ends[end - 1], "normalized")
            start = text.text.find(wanted, end)

    def _border(self, position: int) -> bool | None:
        """Whether a word ends or begins here; None where nothing may be cut at all."""
        document = self.document
        if position in (0, len(document)):
            return True
        before, after = document[position - 1], document[position]
        if is_joined(before, after):
            return None
        if before.isdigit() and after.isdigit():
            return None  # Half a number is another number.
        if not (before.isalnum() and after.isalnum()):
            return True
        # 500ml has two words; scripts without blanks have one for each character.
        return before.isdigit() != after.isdigit() or _is_ideograph(before) or _is_ideograph(after)

    def _number(self, value: int | float) -> Iterator[Span]:
        written = {str(value), repr(value)}
        if isinstance(value, float) and value == int(value):
            written.add(str(int(value)))
        inexact: list[Span] = []
        for start, end in find_number(value, self.document):
            if self.document[start:end] in written:
                yield Span(start, end, "exact")
            else:
                inexact.append(Span(start, end, "normalized"))
        yield from inexact

    def _similar(self, value: str) -> Span | None:
        wanted = normalized_text(value)
        text = self.normalized.text
        if not MIN_FUZZY_LENGTH <= len(wanted) <= MAX_FUZZY_LENGTH or len(wanted) > 2 * len(text):
            return None
        if len(wanted) > len(text):
            start, end = 0, len(text)
        else:
            found = fuzz.partial_ratio_alignment(wanted, text, score_cutoff=FUZZY_THRESHOLD)
            if found is None or found.dest_end <= found.dest_start:
                return None
            start, end = found.dest_start, found.dest_end
        best: Span | None = None
        for low, high in ((start, end), self._whole_words(start, end)):
            candidate = self._fuzzy_span(wanted, low, high)
            if candidate is not None and (best is None or candidate.score >= best.score):
                best = candidate
        return best

    def _fuzzy_span(self, wanted: str, start: int, end: int) -> Span | None:
        """A stretch of the normalised text as a span, if it is similar enough as it stands."""
        normalized = self.normalized
        while start < end and normalized.text[start] == " ":
            start += 1
        while end > start and normalized.text[end - 1] == " ":
            end -= 1
        if start >= end:
            return None
        low, high = normalized.starts[start], normalized.ends[end - 1]
        while low > 0 and self._border(low) is None:
            low -= 1
        while high < len(self.document) and self._border(high) is None:
            high += 1
        held = normalized_text(self.document[low:high])
        if _DIGITS.findall(held) != _DIGITS.findall(wanted):
            return None  # 1298 is no misspelling of 1299.
        score = fuzz.ratio(wanted, held)
        return Span(low, high, "fuzzy", score) if score >= FUZZY_THRESHOLD else None

    def _whole_words(self, start: int, end: int) -> tuple[int, int]:
        text = self.normalized.text
        while start > 0 and text[start - 1].isalnum() and text[start].isalnum():
            start -= 1
        while end < len(text) and text[end - 1].isalnum() and text[end].isalnum():
            end += 1
        return start, end


def is_joined(before: str, after: str) -> bool:
    """Whether two neighbouring characters are parts of what a reader sees as one."""
    return extends(after) or before == _ZERO_WIDTH_JOINER


def _cut(spans: Iterator[Span], only_first: bool) -> list[Span]:
    """All spans of the first one's kind, or only that one."""
    chosen: list[Span] = []
    for span in spans:
        if chosen and (only_first or span.match != chosen[0].match):
            break
        chosen.append(span)
    return chosen


def _is_ideograph(char: str) -> bool:
    """Han, kana, Thai and the like: scripts that put no blanks between words."""
    return "\u3040" <= char <= "\u9fff" or "\u0e00" <= char <= "\u0eff" or char >= "\U00020000"
