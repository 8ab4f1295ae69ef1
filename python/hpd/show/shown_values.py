"""The values of one extraction for display: flat, with locations and colors."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import isfinite
from typing import Any, NamedTuple

from hpd.documents import Place
from hpd.schema.checks import join_path


@dataclass(frozen=True, slots=True)
class ShownValue:
    """A single value: a leaf of the data, or a field that failed and is not in the data."""

    path: str
    """The path in the data: ``maker.city``, ``lines[0].qty``."""
    attribute: str
    """The attribute of the schema that it belongs to: the first part of its path."""
    text: str | None
    """The displayed value; None if there is none."""
    confidence: float | None = None
    spans: tuple[tuple[int, int], ...] = ()
    """The spans in the document, in Python characters; the best one first."""
    match: str | None = None
    error: str | None = None
    raw: str | None = None
    truncated: bool = False
    is_json: bool = False
    """Whether the text is JSON: the value is a number or boolean, not a string."""
    place: Place | None = None
    """The place of the best span in the file, if the line has it."""

    @property
    def is_ungrounded(self) -> bool:
        """Whether the document was searched for the value, and does not contain it."""
        return self.text is not None and self.match == "none"


def shown_values(
    data: Mapping[str, Any], fields: Mapping[str, Mapping[str, Any]]
) -> list[ShownValue]:
    """Return the values of an extraction in the order of its data, then the fields that failed.

    ``data`` and ``fields`` are those of a line of ``hpd extract``. An empty list or object is one
    absent value.
    """
    values = [
        _shown_value(path, str(attribute), value, fields.get(path, {}))
        for attribute, content in data.items()
        for path, value in _leaves(str(attribute), content)
    ]
    paths = {value.path for value in values}
    failed = [
        _shown_value(path, _attribute_of(path, data), None, field)
        for path, field in fields.items()
        if path not in paths and "error" in field
    ]
    return [*values, *failed]


def shown_id(own: Any, source: object) -> Any:
    """Return the id of a document; if it is a row of a known file, prefixed with the file."""
    if not isinstance(source, str) or str(own).startswith(source):
        return own
    return f"{source}: {own}"


def display_text(value: object) -> str | None:
    """Return a value for display: text unchanged, others as JSON; None if it is absent."""
    if value is None or value in ([], {}):
        return None
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _leaves(path: str, value: object) -> Iterator[tuple[str, object]]:
    if isinstance(value, Mapping) and value:
        for name, inner in value.items():
            yield from _leaves(join_path(path, name), inner)
    elif isinstance(value, list) and value:
        for i, inner in enumerate(value):
            yield from _leaves(join_path(path, i), inner)
    else:
        yield path, value


def _attribute_of(path: str, data: Mapping[str, Any]) -> str:
    """Return the attribute of a path that is not in the data; names may contain dots."""
    owners = [name for name in map(str, data) if path.startswith((f"{name}.", f"{name}["))]
    return max(owners, key=len, default=path.partition(".")[0].partition("[")[0])


def _shown_value(path: str, attribute: str, value: object, field: Mapping[str, Any]) -> ShownValue:
    return ShownValue(
        path,
        attribute,
        display_text(value),
        confidence=_probability(field.get("confidence")),
        spans=tuple(_read_spans(field)),
        match=_text(field.get("match")),
        error=_text(field.get("error")),
        raw=_text(field.get("raw")),
        truncated=field.get("truncated") is True,
        is_json=not isinstance(value, str) and display_text(value) is not None,
        place=_read_place(field),
    )


def _read_place(field: Mapping[str, Any]) -> Place | None:
    page = field.get("page")
    if type(page) is not int or page < 1:
        return None
    boxes = field.get("boxes")
    return Place(
        page,
        tuple(tuple(box) for box in boxes if _is_box(box)) if isinstance(boxes, list) else (),
        _text(field.get("cell")),
    )


def _is_box(box: object) -> bool:
    return (
        isinstance(box, list)
        and len(box) == 4
        and all(type(side) in (int, float) and isfinite(side) for side in box)
    )


def _read_spans(field: Mapping[str, Any]) -> Iterator[tuple[int, int]]:
    """Yield the span of the value, if it has one."""
    start, end = field.get("start"), field.get("end")
    if type(start) is int and type(end) is int and 0 <= start < end:
        yield start, end


def _probability(value: object) -> float | None:
    """Return a number from 0 to 1; None for anything else, including NaN."""
    if not isinstance(value, int | float) or isinstance(value, bool):
        return None
    return float(value) if 0 <= value <= 1 else None


def _text(value: object) -> str | None:
    return None if value is None else str(value)


class TextSegment(NamedTuple):
    """A segment of the document that the same values cover."""

    start: int
    end: int
    values: tuple[int, ...]
    """The indexes of the values that cover it (at least one), in the order of their starts."""
    ending: tuple[int, ...]
    """The indexes of those whose span ends with it."""


def covered_segments(values: Sequence[ShownValue], n_characters: int) -> list[TextSegment]:
    """Return the segments of a document that values cover, in order.

    Spans are clipped at the document's end: a line may have been made from a longer text.
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
            segments.append(TextSegment(start, end, tuple(numbers), tuple(ending)))
    return segments


def utf16_segments(segments: Iterable[TextSegment], text: str) -> list[TextSegment]:
    """Convert the offsets of segments to JavaScript's, which count UTF-16 code units."""
    if not text or max(text) <= "\uffff":
        return list(segments)
    converted = []
    n_units = n_characters = 0
    for start, end, values, ending in segments:
        n_units += _utf16_length(text[n_characters:start])
        width = _utf16_length(text[start:end])
        converted.append(TextSegment(n_units, n_units + width, values, ending))
        n_units += width
        n_characters = end
    return converted


def _utf16_length(text: str) -> int:
    return len(text) + sum(character > "\uffff" for character in text)


N_COLORS = 8
"""The number of colors in document.css, which color-blind people can distinguish."""
N_LINES = 3
"""Solid, dashed, dotted: each color is combined with each line."""


def color_slots(attributes: Mapping[str, Iterable[str]]) -> dict[str, int]:
    """Return a number for each attribute, which determines its color (modulo 8) and its line.

    An attribute has the same number in all categories. Attributes of one category, which are seen
    together, have different numbers, as low as possible; beyond 24 of them, numbers are repeated.
    """
    seen_with: dict[str, set[str]] = {}
    for names in attributes.values():
        together = list(names)
        for name in together:
            seen_with.setdefault(name, set()).update(together)
    slots: dict[str, int] = {}
    for name, others in seen_with.items():
        taken = {slots[other] for other in others if other in slots}
        free = (slot for slot in range(N_COLORS * N_LINES) if slot not in taken)
        slots[name] = next(free, len(slots) % (N_COLORS * N_LINES))
    return slots


def color_classes(slot: int) -> str:
    """Return the CSS classes of an element with an attribute's color."""
    return f"color-{slot % N_COLORS} line-{slot // N_COLORS}"
