"""A document cut where values begin and end, so that values that overlap can be shown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple

from hpd.pages.shown_values import ShownValue


class Segment(NamedTuple):
    """A stretch of the document that the same values cover."""

    start: int
    end: int
    values: tuple[int, ...]
    """The numbers of the values that cover it, at least one, the one that begins first first."""
    ending: tuple[int, ...]
    """Those of them whose span ends with it."""


def covered_segments(values: Sequence[ShownValue], n_characters: int) -> list[Segment]:
    """The stretches of a document that values cover, in order; what is between them is left out.

    Spans are cut at the document's end: a line may have been made from a longer text.
    """
    spans = sorted(
        (start, min(end, n_characters), number)
        for number, value in enumerate(values)
        for start, end in value.spans
        if start < n_characters
    )
    bounds = sorted({at for start, end, _ in spans for at in (start, end)})
    segments = []
    upcoming = iter(spans)
    span = next(upcoming, None)
    open_spans: list[tuple[int, int, int]] = []
    for start, end in pairwise(bounds):
        while span is not None and span[0] == start:
            open_spans.append(span)
            span = next(upcoming, None)
        open_spans = [each for each in open_spans if each[1] > start]
        if open_spans:
            numbers = dict.fromkeys(number for _, _, number in open_spans)
            ending = dict.fromkeys(number for _, last, number in open_spans if last == end)
            segments.append(Segment(start, end, tuple(numbers), tuple(ending)))
    return segments


def utf16_segments(segments: Iterable[Segment], text: str) -> list[Segment]:
    """The same segments with offsets as JavaScript counts them: in UTF-16 code units."""
    if not text or max(text) <= "\uffff":
        return list(segments)
    converted = []
    n_units = n_characters = 0
    for start, end, values, ending in segments:
        n_units += _utf16_length(text[n_characters:start])
        width = _utf16_length(text[start:end])
        converted.append(Segment(n_units, n_units + width, values, ending))
        n_units += width
        n_characters = end
    return converted


def _utf16_length(text: str) -> int:
    return len(text) + sum(character > "\uffff" for character in text)
