"""A trial as an annotator sees it: without names, and with nothing that could tell them.

Confidences and places that a system knows of its values are left out, as not every system knows
them. The values of both sides are searched for in the document in one plain way instead.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from hpd.evaluation.comparison.judgements import Verdict
from hpd.evaluation.comparison.systems import System
from hpd.evaluation.comparison.trials import Trial
from hpd.pages.colors import color_slots
from hpd.pages.segments import covered_segments, utf16_segments
from hpd.pages.shown_values import ShownValue, shown_values

Side = dict[str, dict[str, str | None]]
"""The values of one system as texts, by attribute and place."""


@dataclass(frozen=True, slots=True)
class Row:
    """One place in the data, and the values that the systems have there."""

    place: str
    attribute: str
    left: str | None
    right: str | None

    @property
    def differs(self) -> bool:
        """Whether the systems say different things."""
        return self.left != self.right


@dataclass(frozen=True, slots=True)
class ShownTrial:
    """A document and the values of two systems."""

    text: str
    rows: tuple[Row, ...]

    def to_json(self, verdict: Verdict | None) -> dict[str, Any]:
        """The trial for the page's script, and the verdict so far, as ``compare.js`` reads them.

        Each row is [place, color, left, right]. Value 2 i of the segments is the left one of row
        i, and 2 i + 1 the right one, if it is another.
        """
        slots = color_slots({"": dict.fromkeys(row.attribute for row in self.rows)})
        values = [
            ShownValue(row.place, row.attribute, text, spans=_places(self.text, text))
            for row in self.rows
            for text in (row.left, row.right if row.differs else None)
        ]
        segments = covered_segments(values, len(self.text))
        return {
            "text": self.text,
            "rows": [[row.place, slots[row.attribute], row.left, row.right] for row in self.rows],
            "segments": utf16_segments(segments, self.text),
            "verdict": verdict,
        }


def shown_trial(trial: Trial, text: str) -> ShownTrial:
    """A trial as an annotator sees it; ``text`` is the document's."""
    return ShownTrial(text, tuple(_rows(_side(trial.left, trial.id), _side(trial.right, trial.id))))


def _side(system: System, document_id: str) -> Side:
    prediction = system.predictions[document_id]
    side: Side = {}
    for value in shown_values(prediction.data or {}, {}):
        side.setdefault(value.attribute, {})[value.place] = value.text
    return side


def _rows(left: Side, right: Side) -> Iterator[Row]:
    for attribute in {**left, **right}:
        ours, theirs = left.get(attribute, {}), right.get(attribute, {})
        rows = [
            Row(place, attribute, ours.get(place), theirs.get(place))
            for place in {**ours, **theirs}
        ]
        # A list that is empty on one side stands beside the other side's items.
        filled = [row for row in rows if not row.left is row.right is None]
        yield from filled or rows[:1]


def _places(text: str, value: str | None) -> tuple[tuple[int, int], ...]:
    """The first place of a value: as words of its own if there is one, else within others."""
    if not value or not value.strip():
        return ()
    own_words = re.search(rf"(?<!\w){re.escape(value)}(?!\w)", text)
    start = own_words.start() if own_words else text.find(value)
    return () if start < 0 else ((start, start + len(value)),)
