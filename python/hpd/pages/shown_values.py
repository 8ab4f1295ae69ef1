"""The values of one extraction, flat, with what is known of each."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class ShownValue:
    """A single value: a leaf of the data, or a field that failed and is not in the data."""

    place: str
    """The place in the data: ``maker.city``, ``lines[0].qty``."""
    attribute: str
    """The attribute of the schema that it belongs to: the first part of its place."""
    text: str | None
    """The value for people; None where there is none."""
    confidence: float | None = None
    spans: tuple[tuple[int, int], ...] = ()
    """The places in the document, in characters as Python counts; the best one first."""
    match: str | None = None
    error: str | None = None
    raw: str | None = None
    truncated: bool = False

    @property
    def is_ungrounded(self) -> bool:
        """Whether the document was searched for the value, and does not hold it."""
        return self.text is not None and self.match == "none"


def shown_values(
    data: Mapping[str, Any], fields: Mapping[str, Mapping[str, Any]]
) -> list[ShownValue]:
    """The values of an extraction in the order of its data, then the fields that failed.

    ``data`` and ``fields`` are those of a line of ``hpd extract``. An empty list or object is
    shown as one value that is not there.
    """
    values = [
        _shown(place, str(attribute), value, fields.get(place, {}))
        for attribute, content in data.items()
        for place, value in _leaves(str(attribute), content)
    ]
    places = {value.place for value in values}
    failed = [
        _shown(place, _attribute_of(place, data), None, field)
        for place, field in fields.items()
        if place not in places and "error" in field
    ]
    return [*values, *failed]


def value_text(value: object) -> str | None:
    """A value for people: text as it is, anything else as JSON; None for what is not there."""
    if value is None or value in ([], {}):
        return None
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _leaves(place: str, value: object) -> Iterator[tuple[str, object]]:
    if isinstance(value, Mapping) and value:
        for name, inner in value.items():
            yield from _leaves(f"{place}.{name}", inner)
    elif isinstance(value, list) and value:
        for i, inner in enumerate(value):
            yield from _leaves(f"{place}[{i}]", inner)
    else:
        yield place, value


def _attribute_of(place: str, data: Mapping[str, Any]) -> str:
    """The attribute of a place that is not in the data; names may hold dots themselves."""
    owners = [name for name in map(str, data) if place.startswith((f"{name}.", f"{name}["))]
    return max(owners, key=len, default=place.partition(".")[0].partition("[")[0])


def _shown(place: str, attribute: str, value: object, field: Mapping[str, Any]) -> ShownValue:
    return ShownValue(
        place,
        attribute,
        value_text(value),
        confidence=_probability(field.get("confidence")),
        spans=tuple(_spans(field)),
        match=_text(field.get("match")),
        error=_text(field.get("error")),
        raw=_text(field.get("raw")),
        truncated=field.get("truncated") is True,
    )


def _spans(field: Mapping[str, Any]) -> Iterator[tuple[int, int]]:
    """The place of the value, unless it has none."""
    start, end = field.get("start"), field.get("end")
    if type(start) is int and type(end) is int and 0 <= start < end:
        yield start, end


def _probability(value: object) -> float | None:
    """A number from 0 to 1; anything else is none, be it NaN."""
    if not isinstance(value, int | float) or isinstance(value, bool):
        return None
    return float(value) if 0 <= value <= 1 else None


def _text(value: object) -> str | None:
    return None if value is None else str(value)
