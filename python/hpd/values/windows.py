"""Chooses a window of the text for each item of a list, for all items together.

A value such as 12 may have many spans in a text. The text is assumed to state the items in the
order of the list: each item gets a window in which its parts are close together, after the window
of the previous item.
The solution with the least cost is chosen:

- each character between the parts of an item that belongs to none of them: 1,
- a span in a different notation from the value's (12.00 for the number of saws): ``MISMATCH_COST``,
- a part outside the window of its item: ``APART_COST``,
- an item out of order: ``APART_COST`` for each of its parts, plus one.

The window of an item contains its *anchor*: the part with the fewest spans. Equal parts of one item
get different spans.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from hpd.prompt.text import FieldPath
from hpd.results import Match

MISMATCH_COST: Final = 4
APART_COST: Final = 200

MAX_ANCHORS: Final = 20_000
"""Maximum number of anchor spans to try in one list. If there are more, only the first ones after
the previous item are tried, but at least ``MIN_ANCHORS`` per item."""
MIN_ANCHORS: Final = 16


@dataclass(frozen=True, slots=True)
class Span:
    """The characters of a document that state a value."""

    start: int
    end: int
    match: Match
    score: float = 100.0
    """The similarity, from 0 to 100; below 100 only for fuzzy matches."""


@dataclass(frozen=True, slots=True)
class CandidateSpans:
    """All spans of a value in the text, from left to right."""

    spans: Sequence[Span]
    starts: Sequence[int]
    mismatches: Sequence[int]
    """How much each span differs from the value's notation, 0 to 2."""

    @property
    def size(self) -> int:
        """The number of characters of the first span, which cost nothing."""
        return self.spans[0].end - self.spans[0].start


@dataclass(frozen=True, slots=True)
class ItemPart:
    """A value of a list item, with its spans."""

    path: FieldPath
    candidates: CandidateSpans


NearSpans = Sequence[tuple[int, int, int, int]]
"""Spans near an anchor: start, end, index and unlikeness of each."""


class PartGroup:
    """The parts of an item that have the same spans; mostly just one."""

    def __init__(self, parts: list[ItemPart]) -> None:
        self.parts = parts
        self.candidates = parts[0].candidates
        self.apart = APART_COST * len(parts)
        """The cost if no part is in the window."""
        self.size = self.candidates.size
        self._is_single = len(parts) == 1

    def near(self, anchor: Span, reach: int) -> NearSpans:
        """Return the spans that a window around the anchor may need.

        On each side, spans that are farther away than one per part are returned only if their
        notation is more similar.
        """
        candidates, n_parts = self.candidates, len(self.parts)
        spans, starts = candidates.spans, candidates.starts
        middle = bisect_left(starts, anchor.start)
        found = []
        for numbers in (range(middle - 1, -1, -1), range(middle, len(spans))):
            n_free = [n_parts, n_parts, n_parts]
            max_mismatch = 2
            for n in numbers:
                start, end = spans[n].start, spans[n].end
                if start < anchor.start - reach or end > anchor.end + reach:
                    break
                # Equal values of several parts need several spans.
                mismatch = candidates.mismatches[n]
                if mismatch <= max_mismatch and n_free[mismatch]:
                    found.append((start, end, n, mismatch))
                    n_free[mismatch] -= 1
                    if self._is_single:
                        max_mismatch = mismatch - 1
                        if max_mismatch < 0:
                            break
                    elif not any(n_free):
                        break
        return found

    def cost(self, near: NearSpans, start: int, end: int) -> int:
        """Return the cost of the parts in a window."""
        if self._is_single:
            min_mismatch = 3
            for s, e, _, mismatch in near:
                if mismatch < min_mismatch and start <= s and e <= end:
                    min_mismatch = mismatch
            return self.apart if min_mismatch == 3 else MISMATCH_COST * min_mismatch - self.size
        chosen = self.chosen(near, start, end)
        cost = sum(MISMATCH_COST * part.candidates.mismatches[n] - self.size for part, n in chosen)
        return cost + APART_COST * (len(self.parts) - len(chosen))

    def chosen(self, near: NearSpans, start: int, end: int) -> list[tuple[ItemPart, int]]:
        """Return the parts in a window, each with the index of its span."""
        pairs = sorted(
            (part.candidates.mismatches[n], n, p)
            for s, e, n, _ in near
            if start <= s and e <= end
            for p, part in enumerate(self.parts)
        )
        chosen: dict[int, int] = {}
        taken: set[int] = set()
        for _, n, p in pairs:
            if p not in chosen and n not in taken:
                chosen[p] = n
                taken.add(n)
        return [(self.parts[p], n) for p, n in chosen.items()]


@dataclass(frozen=True, slots=True)
class Window:
    """A range of the text that contains parts of an item, including one of its anchor spans."""

    start: int
    end: int
    cost: int
    anchor: Span


class ListItem:
    """A list item, with those of its parts that occur in the text."""

    def __init__(self, parts: Sequence[ItemPart]) -> None:
        groups: dict[tuple[int, int, int], list[ItemPart]] = {}
        for part in parts:
            # Values with the same meaning have the same spans.
            first = part.candidates.spans[0]
            key = len(part.candidates.spans), first.start, first.end
            groups.setdefault(key, []).append(part)
        self.groups = [PartGroup(parts) for parts in groups.values()]
        self.unordered = APART_COST * (len(parts) + 1)
        """The cost if the item is out of order."""
        self.anchors = min((g.candidates for g in self.groups), key=lambda c: len(c.spans))
        self._size = sum(g.size * len(g.parts) for g in self.groups)
        self._reach = sum(g.apart + g.size for g in self.groups)
        self._is_single = len(parts) == 1

    def windows(self, anchor: Span, n: int) -> list[Window]:
        """Return the windows around an anchor span, without those that contain a cheaper one."""
        if self._is_single:
            cost = MISMATCH_COST * self.anchors.mismatches[n]
            return [Window(anchor.start, anchor.end, cost, anchor)]
        near = [(group, group.near(anchor, self._reach)) for group in self.groups]
        lefts = {s for _, spans in near for s, _, _, _ in spans if s < anchor.start}
        rights = {e for _, spans in near for _, e, _, _ in spans if e > anchor.end}
        windows: list[Window] = []
        for start in (anchor.start, *sorted(lefts, reverse=True)):
            for end in (anchor.end, *sorted(rights)):
                min_cost = end - start - self._size
                if any(w.cost <= min_cost and w.end <= end for w in windows):
                    break
                cost = end - start
                for group, spans in near:
                    cost += group.cost(spans, start, end)
                if not any(w.cost <= cost and w.end <= end for w in windows):
                    windows.append(Window(start, end, cost, anchor))
        return windows

    def spans(self, window: Window) -> list[tuple[ItemPart, Span]]:
        """Return the parts in a window, with their spans."""
        return [
            (part, part.candidates.spans[n])
            for group in self.groups
            for part, n in group.chosen(
                group.near(window.anchor, self._reach), window.start, window.end
            )
        ]


@dataclass(frozen=True, slots=True)
class _PartialOrder:
    """A choice of windows for some of the items so far; the others are out of order."""

    end: int
    cost: int
    """Relative to the cost of all items being out of order."""
    item: int = -1
    window: Window | None = None
    before: _PartialOrder | None = None


def choose_windows(items: Sequence[ListItem]) -> list[Window | None]:
    """Return the cheapest windows of a list's items, None for those that are out of order."""
    states = [_PartialOrder(0, 0)]  # Sorted: the ends rise and the costs fall.
    ends = [0]
    for number, item in enumerate(items):
        n_anchors = max(MIN_ANCHORS, MAX_ANCHORS // (len(items) * len(item.groups) ** 2))
        anchors = item.anchors.spans
        first = 0
        if len(anchors) > n_anchors:
            first = min(bisect_left(item.anchors.starts, ends[-1]), len(anchors) - n_anchors)
        new: list[_PartialOrder] = []
        for n in range(first, min(first + n_anchors, len(anchors))):
            for window in item.windows(anchors[n], n):
                before = states[bisect_right(ends, window.start) - 1]
                cost = before.cost + window.cost - item.unordered
                new.append(_PartialOrder(window.end, cost, number, window, before))
        for state in new:
            at = bisect_right(ends, state.end)
            if states[at - 1].cost <= state.cost:
                continue
            at = bisect_left(ends, state.end)
            beyond = at
            while beyond < len(states) and states[beyond].cost >= state.cost:
                beyond += 1
            states[at:beyond] = [state]
            ends[at:beyond] = [state.end]
    chosen: list[Window | None] = [None] * len(items)
    last: _PartialOrder | None = states[-1]
    while last is not None and last.window is not None:
        chosen[last.item] = last.window
        last = last.before
    return chosen
