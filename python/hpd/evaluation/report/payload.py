"""The documents of a report as the page's script reads them: lists instead of objects, to be small.

``report.js`` names the parts of these lists in the same order.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from hpd.evaluation.outcomes import OUTCOMES
from hpd.evaluation.report.documents import ReportedAttribute, ReportedDocument
from hpd.evaluation.report.summary import LOW_CONFIDENCE
from hpd.pages.colors import color_slots
from hpd.pages.segments import covered_segments, utf16_segments
from hpd.pages.shown_values import ShownValue, value_text

MATCHES = ("exact", "normalized", "fuzzy", "none")


def payload(
    documents: Sequence[ReportedDocument], slots: Mapping[str, int], *, has_gold: bool
) -> dict[str, Any]:
    """Everything that the page's script is given; ``slots`` are the attributes' colors."""
    numbers = {name: number for number, name in enumerate(slots)}
    categories = list(dict.fromkeys(document.category for document in documents))
    category_numbers = {name: number for number, name in enumerate(categories)}
    return {
        "lowConfidence": LOW_CONFIDENCE,
        "hasGold": has_gold,
        "outcomes": OUTCOMES,
        "matches": MATCHES,
        "categories": categories,
        "attributes": [[name, slot] for name, slot in slots.items()],
        "documents": [
            _document(document, category_numbers[document.category], numbers)
            for document in documents
        ],
    }


def attribute_slots(documents: Iterable[ReportedDocument]) -> dict[str, int]:
    """The color of each attribute, in order of appearance."""
    by_category: dict[str, dict[str, None]] = {}
    for document in documents:
        names = by_category.setdefault(document.category, {})
        names.update(dict.fromkeys(attribute.name for attribute in document.attributes))
    return color_slots(by_category)


def _document(document: ReportedDocument, category: int, numbers: Mapping[str, int]) -> list[Any]:
    text = document.text
    segments = covered_segments(list(document.values), len(text)) if text is not None else []
    return _shortened(
        [
            document.id,
            category,
            text,
            [_attribute(each, numbers[each.name]) for each in document.attributes],
            utf16_segments(segments, text or ""),
            document.error,
            _columns(document.input),
        ]
    )


def _attribute(attribute: ReportedAttribute, number: int) -> list[Any]:
    return _shortened(
        [
            number,
            [_value(value) for value in attribute.values],
            None if attribute.outcome is None else OUTCOMES.index(attribute.outcome),
            attribute.gold,
        ]
    )


def _value(value: ShownValue) -> list[Any]:
    confidence = value.confidence
    return _shortened(
        [
            value.text,
            None if confidence is None else round(confidence, 4),
            MATCHES.index(value.match) if value.match in MATCHES else None,
            None if value.place == value.attribute else value.place,
            value.error,
            value.raw,
            value.truncated or None,
        ]
    )


def _columns(columns: Mapping[str, Any] | None) -> list[list[str]] | None:
    """The other columns of the input, as texts; those that hold nothing are left out."""
    texts = {str(name): value_text(value) for name, value in (columns or {}).items()}
    return [[name, text] for name, text in texts.items() if text is not None] or None


def _shortened(parts: list[Any]) -> list[Any]:
    """A list without the nothings at its end."""
    while parts and parts[-1] is None:
        parts.pop()
    return parts
