"""A later pass over a document's chunks, added to what earlier ones found.

What an earlier pass found stays. A later one gives values that are still null, and items of arrays
that stand elsewhere in the document than all items so far.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from hpd.pipeline.findings import Findings, is_count
from hpd.pipeline.merging import dependent_groups, is_below, item_identity
from hpd.pipeline.near_ties import least
from hpd.prompt import COUNT_KEY, Path
from hpd.results import FieldResult
from hpd.schema.attributes import Attribute, Schema
from hpd.values import Parsed


def add_pass(schema: Schema, whole: Findings, later: Findings) -> None:
    """Add the findings of a later pass on the whole document to those of the passes before it.

    Of an item, a value counts that the document holds. It is another item than one of before if
    more than half of these stand where the same attribute of the other has nothing of its value,
    and new if it is another one than all of them. An item with no such value is new if no other
    has the same values. Attributes that depend on one another are taken together, if all of them
    are null.
    """
    _Adder(whole, later).siblings(schema.attributes, ())


class _Adder:
    def __init__(self, whole: Findings, later: Findings) -> None:
        self.whole = whole
        self.later = later

    def siblings(self, attributes: Sequence[Attribute], prefix: Path) -> None:
        for group in dependent_groups(attributes):
            first = group[0]
            if len(group) == 1 and first.type == "object":
                self.siblings(first.attributes, (*prefix, first.name))
            elif len(group) == 1 and first.type == "array":
                self.array(first, (*prefix, first.name))
            else:
                self.fill([(*prefix, attribute.name) for attribute in group])

    def fill(self, roots: Sequence[Path]) -> None:
        """Take the values below some paths, if there are none so far."""
        if not _is_filled(self.whole, roots) and _is_filled(self.later, roots):
            for root in roots:
                self.move(root, root)

    def array(self, array: Attribute, path: Path) -> None:
        known = list(_items(self.whole, path))
        identities = {item_identity(self.whole, root) for root in known}
        spans = [_spans(self.whole, root) for root in known]
        n_items = len(known)
        for root in _items(self.later, path):
            if array.max_items is not None and n_items >= array.max_items:
                break
            own = _spans(self.later, root)
            is_known = item_identity(self.later, root) in identities
            if any(_is_same(own, others) for others in spans) or (is_known and not own):
                continue
            n_items += 1
            self.move(root, (*path, str(n_items)))
        if n_items > len(known):
            self.count((*path, COUNT_KEY), n_items)

    def count(self, path: Path, n_items: int) -> None:
        results = [
            findings.results[path]
            for findings in (self.whole, self.later)
            if path in findings.results
        ]
        self.whole.values[path] = Parsed(n_items)
        self.whole.results[path] = FieldResult(
            min((r.confidence for r in results if r.confidence is not None), default=None),
            raw=f" {n_items}",
            value=n_items,
            margin=least(result.margin for result in results),
        )

    def move(self, root: Path, to: Path) -> None:
        for path, parsed in self.later.values.items():
            if is_below(path, [root]):
                self.whole.values[to + path[len(root) :]] = parsed
        for path, result in self.later.results.items():
            if is_below(path, [root]):
                target = to + path[len(root) :]
                before = self.whole.results.get(target, FieldResult())
                margin = least([before.margin, result.margin])
                self.whole.results[target] = replace(result, margin=margin)


_Spans = dict[Path, tuple[int, int]]
"""The place of each value of an item, by its path in the item."""


def _is_filled(findings: Findings, roots: Sequence[Path]) -> bool:
    return any(
        parsed.value is not None and not is_count(path)
        for path, parsed in findings.values.items()
        if is_below(path, roots)
    )


def _items(findings: Findings, path: Path) -> Iterator[Path]:
    count = findings.values.get((*path, COUNT_KEY), Parsed()).value
    for number in range(1, (count if isinstance(count, int) else 0) + 1):
        yield (*path, str(number))


def _spans(findings: Findings, root: Path) -> _Spans:
    return {
        path[len(root) :]: (result.start, result.end)
        for path, result in findings.results.items()
        if is_below(path, [root]) and result.start is not None and result.end is not None
    }


def _is_same(one: _Spans, other: _Spans) -> bool:
    """Whether at least half of the values of one item overlap the same attribute of another."""
    n_shared = sum(
        path in other and start < other[path][1] and other[path][0] < end
        for path, (start, end) in one.items()
    )
    return bool(one) and 2 * n_shared >= len(one)
