"""One extraction as a piece of HTML without a script, for notebooks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from hpd.pages.colors import color_classes, color_slots
from hpd.pages.page import SHARED, render
from hpd.pages.segments import Segment, covered_segments
from hpd.pages.shown_values import shown_values


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of the text, marked or not."""

    text: str
    classes: str | None = None
    """None: no value stands here."""
    label: str | None = None
    """The places of the values that end here."""


def extraction_html(line: Mapping[str, Any], text: str | None) -> str:
    """The HTML of a line of ``hpd extract``: the text with its values marked, and their table.

    Args:
        line: as ``Extraction.to_dict`` gives it.
        text: the document; None shows the values alone.
    """
    values = shown_values(line.get("data") or {}, line.get("fields") or {})
    slots = color_slots({"": dict.fromkeys(value.attribute for value in values)})
    colors = [color_classes(slots[value.attribute]) for value in values]
    pieces = None
    if text is not None:
        segments = covered_segments(values, len(text))
        pieces = list(_pieces(text, segments, colors, [value.place for value in values]))
    return render(
        SHARED / "extraction.html",
        styles=Markup((SHARED / "document.css").read_text(encoding="utf-8")),
        pieces=pieces,
        rows=list(zip(values, colors, strict=True)),
        has_confidence=any(value.confidence is not None for value in values),
        error=line.get("error"),
    )


def _pieces(
    text: str, segments: Sequence[Segment], colors: Sequence[str], places: Sequence[str]
) -> Iterator[Piece]:
    at = 0
    for start, end, values, ending in segments:
        yield Piece(text[at:start])
        inside = " inside" if len(values) > 1 else ""
        label = " · ".join(places[value] for value in ending)
        yield Piece(text[start:end], colors[values[-1]] + inside, label or None)
        at = end
    yield Piece(text[at:])
