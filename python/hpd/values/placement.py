"""The places of all values of a document, found together.

A value such as 12 may stand at many places of a text. The items of a list are placed in the order
of the text: each gets a window, behind that of the item before it, which holds its parts close to
each other. What costs least is taken:

- each character between the parts of an item that is no part of it: 1,
- a text that is not written as the value is (12.00 for the number of saws): ``UNLIKE``,
- a part that is not in the window of its item: ``APART``,
- an item that is not in the order of the text: ``APART`` for each of its parts, and one more.

The window of an item holds its *anchor*: the part with the fewest places. Parts of one item that
are equal have places of their own. What is not in a window is placed last, at a place that nothing
else has, if there is one.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from hpd.prompt import Path
from hpd.values.places import Grounder, Span

UNLIKE: Final = 4
APART: Final = 200

MAX_ANCHORS: Final = 20_000
"""The most places of anchors that are tried in one list. If there are more, they are the first of
each item behind the item before it, but at least ``MIN_ANCHORS``."""
MIN_ANCHORS: Final = 16


@dataclass(frozen=True, slots=True)
class Candidates:
    """All places of a value in the text, from left to right."""

    spans: Sequence[Span]
    starts: Sequence[int]
    unlike: Sequence[int]
    """How far each place is from the way in which the value is written: 0 to 2."""

    @property
    def size(self) -> int:
        """The characters of the value, which are not between the parts of its item."""
        return self.spans[0].end - self.spans[0].start


@dataclass(frozen=True, slots=True)
class Part:
    """A value of an item."""

    path: Path
    candidates: Candidates


Near = Sequence[tuple[int, int, int, int]]
"""The start, end and number of some places in the text, and how unlike the first part they are."""


class Group:
    """The parts of an item that have the same places, mostly one."""

    def __init__(self, parts: list[Part]) -> None:
        self.parts = parts
        self.candidates = parts[0].candidates
        self.apart = APART * len(parts)
        """The cost if none of the parts is in the window."""
        self.size = self.candidates.size
        self._is_single = len(parts) == 1

    def near(self, anchor: Span, reach: int) -> Near:
        """The places that a window around the anchor may need.

        Beyond as many as there are parts, only those that are written more alike.
        """
        candidates, n_parts = self.candidates, len(self.parts)
        spans, starts = candidates.spans, candidates.starts
        middle = bisect_left(starts, anchor.start)
        found = []
        for numbers in (range(middle - 1, -1, -1), range(middle, len(spans))):
            n_free = [n_parts, n_parts, n_parts]
            least = 2
            for n in numbers:
                start, end = spans[n].start, spans[n].end
                if start < anchor.start - reach or end > anchor.end + reach:
                    break
                # Of several equal values, one may want what another does not.
                unlike = candidates.unlike[n]
                if unlike <= least and n_free[unlike]:
                    found.append((start, end, n, unlike))
                    n_free[unlike] -= 1
                    if self._is_single:
                        least = unlike - 1
                        if least < 0:
                            break
                    elif not any(n_free):
                        break
        return found

    def cost(self, near: Near, start: int, end: int) -> int:
        """The cost of the parts in a window."""
        if self._is_single:
            least = 3
            for s, e, _, unlike in near:
                if unlike < least and start <= s and e <= end:
                    least = unlike
            return self.apart if least == 3 else UNLIKE * least - self.size
        chosen = self.chosen(near, start, end)
        cost = sum(UNLIKE * part.candidates.unlike[n] - self.size for part, n in chosen)
        return cost + APART * (len(self.parts) - len(chosen))

    def chosen(self, near: Near, start: int, end: int) -> list[tuple[Part, int]]:
        """The parts that are in a window, and the number of each one's place."""
        pairs = sorted(
            (part.candidates.unlike[n], n, p)
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
    """A stretch of the text that holds parts of an item, among them one of its anchors."""

    start: int
    end: int
    cost: int
    anchor: Span


class Item:
    """An item of a list, with those of its parts that are anywhere in the text."""

    def __init__(self, parts: Sequence[Part]) -> None:
        groups: dict[tuple[int, int, int], list[Part]] = {}
        for part in parts:
            # Values that mean the same have the same places.
            first = part.candidates.spans[0]
            key = len(part.candidates.spans), first.start, first.end
            groups.setdefault(key, []).append(part)
        self.groups = [Group(parts) for parts in groups.values()]
        self.unordered = APART * (len(parts) + 1)
        """The cost if the item is not in the order of the text."""
        self.anchors = min((g.candidates for g in self.groups), key=lambda c: len(c.spans))
        self._size = sum(g.size * len(g.parts) for g in self.groups)
        self._reach = sum(g.apart + g.size for g in self.groups)
        self._is_single = len(parts) == 1

    def windows(self, anchor: Span, n: int) -> list[Window]:
        """The windows around a place of the anchor, but for those that hold a cheaper one."""
        if self._is_single:
            cost = UNLIKE * self.anchors.unlike[n]
            return [Window(anchor.start, anchor.end, cost, anchor)]
        near = [(group, group.near(anchor, self._reach)) for group in self.groups]
        lefts = {s for _, places in near for s, _, _, _ in places if s < anchor.start}
        rights = {e for _, places in near for _, e, _, _ in places if e > anchor.end}
        windows: list[Window] = []
        for start in (anchor.start, *sorted(lefts, reverse=True)):
            for end in (anchor.end, *sorted(rights)):
                least = end - start - self._size
                if any(w.cost <= least and w.end <= end for w in windows):
                    break
                cost = end - start
                for group, places in near:
                    cost += group.cost(places, start, end)
                if not any(w.cost <= cost and w.end <= end for w in windows):
                    windows.append(Window(start, end, cost, anchor))
        return windows

    def places(self, window: Window) -> list[tuple[Part, Span]]:
        """The parts that are in a window, and their places."""
        return [
            (part, part.candidates.spans[n])
            for group in self.groups
            for part, n in group.chosen(
                group.near(window.anchor, self._reach), window.start, window.end
            )
        ]


@dataclass(frozen=True, slots=True)
class _State:
    """A way to have placed some of the items so far; the others are not in order."""

    end: int
    cost: int
    """Beside the cost of all items that are not in order."""
    item: int = -1
    window: Window | None = None
    before: _State | None = None


def windows_in_order(items: Sequence[Item]) -> list[Window | None]:
    """The windows of a list's items that cost least; None for those not in the text's order."""
    states = [_State(0, 0)]  # From state to state the end rises, and the cost falls.
    ends = [0]
    for number, item in enumerate(items):
        n_anchors = max(MIN_ANCHORS, MAX_ANCHORS // (len(items) * len(item.groups) ** 2))
        anchors = item.anchors.spans
        first = 0
        if len(anchors) > n_anchors:
            first = min(bisect_left(item.anchors.starts, ends[-1]), len(anchors) - n_anchors)
        new: list[_State] = []
        for n in range(first, min(first + n_anchors, len(anchors))):
            for window in item.windows(anchors[n], n):
                before = states[bisect_right(ends, window.start) - 1]
                cost = before.cost + window.cost - item.unordered
                new.append(_State(window.end, cost, number, window, before))
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
    last: _State | None = states[-1]
    while last is not None and last.window is not None:
        chosen[last.item] = last.window
        last = last.before
    return chosen


class Placement:
    """The places of the values of a document.

    Args:
        grounder: of the document.
        values: by the paths of their fields; none is null.
        arrays: the paths of all arrays.
        is_fixed: whether a value is one of a fixed set, where a similar text means nothing.
    """

    def __init__(
        self,
        grounder: Grounder,
        values: Mapping[Path, Any],
        arrays: Collection[Path],
        is_fixed: Callable[[Path], bool] = lambda _: False,
    ) -> None:
        self._grounder = grounder
        self._values = values
        self._arrays = arrays
        self._is_fixed = is_fixed
        self._used: set[tuple[int, int]] = set()
        self._known: dict[tuple[type, Any, bool], Candidates] = {}
        self.spans: dict[Path, Span] = {}
        """The place of each value that has one."""
        lists, objects, single = self._sorted(values, 0)
        for items in lists:
            self._list(items, 0, len(grounder.document))
        for paths in objects:
            self._list([(paths[0][:1], paths)], 0, len(grounder.document))
        for path in single:
            self._alone(path)

    def _sorted(
        self, paths: Iterable[Path], depth: int
    ) -> tuple[list[list[tuple[Path, list[Path]]]], list[list[Path]], list[Path]]:
        """The values of an object: those in its lists, by item; in its objects; and its own."""
        lists: dict[Path, dict[int, list[Path]]] = {}
        objects: dict[str, list[Path]] = {}
        own: list[Path] = []
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

    def _part(self, path: Path, low: int, high: int) -> Part | None:
        """A value with its places in a part of the text, or in all of it if it has none there."""
        value, is_fixed = self._values[path], self._is_fixed(path)
        key = type(value), value, is_fixed
        known = self._known.get(key)
        if known is None:
            spans = self._grounder.places(value, fuzzy=not is_fixed)
            unlike = [self._unlike(value, span) for span in spans]
            known = self._known[key] = Candidates(spans, [s.start for s in spans], unlike)
        if not known.spans:
            return None
        first, last = bisect_left(known.starts, low), bisect_left(known.starts, high)
        if first < last and last - first < len(known.spans):
            known = Candidates(
                known.spans[first:last], known.starts[first:last], known.unlike[first:last]
            )
        return Part(path, known)

    def _unlike(self, value: Any, span: Span) -> int:
        """How far a place is from the way in which a value is written: 0 to 2."""
        if isinstance(value, int | float) and not isinstance(value, bool):
            text = self._grounder.document[span.start : span.end]
            has_decimals = text[-3:-2] in (".", ",") or text[-2:-1] in (".", ",")
            if has_decimals != isinstance(value, float):
                return 2
        return int(span.match != "exact")

    def _list(self, items: Sequence[tuple[Path, list[Path]]], low: int, high: int) -> None:
        """Place the items of a list (the path of each, and those of its values)."""
        sorted_ = [(path, *self._sorted(paths, len(path))) for path, paths in items]
        parts: list[list[Part]] = []
        for path, _, objects, own in sorted_:
            paths = [*own, *(inner for paths in objects for inner in paths)]
            if not paths and not own:
                paths = [p for p in (path,) if p in self._values]
            found = (self._part(p, low, high) for p in paths)
            parts.append([part for part in found if part is not None])
        placed = [n for n, its in enumerate(parts) if its]
        windows: list[Window | None] = [None] * len(items)
        made = {n: Item(parts[n]) for n in placed}
        for n, window in zip(placed, windows_in_order(list(made.values())), strict=True):
            windows[n] = window
            if window is not None:
                self._take(made[n], window)
        segments = _segments(windows, low, high)
        last: dict[Path, int] = {}
        for n in placed:
            if windows[n] is None:
                self._out_of_order(made[n])
            for part in parts[n]:
                name = part.path[len(items[n][0]) :]
                if part.path not in self.spans:
                    self._rest(part, segments[n], last.get(name, 0))
                last[name] = self.spans[part.path].end
        self._inner_lists([lists for _, lists, _, _ in sorted_], windows, segments)

    def _inner_lists(
        self,
        lists: Sequence[list[list[tuple[Path, list[Path]]]]],
        windows: Sequence[Window | None],
        segments: Sequence[tuple[int, int]],
    ) -> None:
        together: dict[str, list[tuple[Path, list[Path]]]] = {}
        for inner, window, segment in zip(lists, windows, segments, strict=True):
            for items in inner:
                if window is None:
                    # Nothing says where the item is, so its lists are one with those of the others.
                    together.setdefault(items[0][0][-2], []).extend(items)
                else:
                    # Lists stand behind what their item begins with.
                    self._list(items, window.start, segment[1])
        for items in together.values():
            self._list(items, 0, len(self._grounder.document))

    def _take(self, item: Item, window: Window) -> None:
        for part, span in item.places(window):
            self._put(part.path, span)

    def _put(self, path: Path, span: Span) -> None:
        self.spans[path] = span
        self._used.add((span.start, span.end))

    def _out_of_order(self, item: Item) -> None:
        """Place an item wherever its parts are nearest to each other."""

        def order(window: Window) -> tuple[int, int, int]:
            spans = (span for _, span in item.places(window))
            n_used = sum((span.start, span.end) in self._used for span in spans)
            return n_used, window.cost, window.start

        anchors = list(enumerate(item.anchors.spans))[:MIN_ANCHORS]
        self._take(item, min((w for n, a in anchors for w in item.windows(a, n)), key=order))

    def _rest(self, part: Part, segment: tuple[int, int], last: int) -> None:
        """Place a part that is in no window: near its item, else where nothing else is."""
        candidates = part.candidates

        def order(n: int) -> tuple[bool, bool, bool, int, int]:
            span = candidates.spans[n]
            is_outside = span.start < segment[0] or span.end > segment[1]
            is_used = (span.start, span.end) in self._used
            return is_outside, is_used, span.start < last, candidates.unlike[n], span.start

        self._put(part.path, candidates.spans[min(range(len(candidates.spans)), key=order)])

    def _alone(self, path: Path) -> None:
        """Place a value of the document itself: at the best of its places, or the first of them.

        A number is not where another one is, which may mean something else, if it can be elsewhere.
        """
        value, fuzzy = self._values[path], not self._is_fixed(path)
        if isinstance(value, str | bool):
            span = self._grounder.ground(value, fuzzy=fuzzy)
            if span is not None:
                self._put(path, span)
            return
        part = self._part(path, 0, len(self._grounder.document))
        if part is None:
            return

        def order(n: int) -> tuple[bool, int, int]:
            span = candidates.spans[n]
            return (span.start, span.end) in self._used, candidates.unlike[n], n

        candidates = part.candidates
        self._put(path, candidates.spans[min(range(len(candidates.spans)), key=order)])


def place_values(
    grounder: Grounder,
    values: Mapping[Path, Any],
    arrays: Collection[Path] = (),
    is_fixed: Callable[[Path], bool] = lambda _: False,
) -> dict[Path, Span]:
    """The places of all values of a document that have one; the arguments are ``Placement``'s."""
    spans = Placement(grounder, values, arrays, is_fixed).spans
    return {path: spans[path] for path in values if path in spans}


def _segments(windows: Sequence[Window | None], low: int, high: int) -> list[tuple[int, int]]:
    """The stretch of the text that each item has: from the window before it to the one behind."""
    segments = []
    start = low
    for n, window in enumerate(windows):
        end = next((w.start for w in windows[n + 1 :] if w is not None), high)
        segments.append((start, end))
        if window is not None:
            start = window.end
    return segments
