"""The findings on a document's chunks, merged into those on the whole document.

A value is taken from the chunk with the highest confidence, preferably from one whose text holds
the value; it is null only if every chunk says so. Attributes that depend on one another come from
the same chunk. An array is the union of the chunks' items, without repeated ones.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace

from hpd.pipeline.findings import Findings
from hpd.pipeline.near_ties import between, least
from hpd.prompt import COUNT_KEY, Path
from hpd.results import FieldResult
from hpd.schema.attributes import Attribute, Schema
from hpd.values import Parsed


def shift(findings: Findings, offset: int) -> None:
    """Move the spans of a chunk to where they are in the whole document."""
    for path, result in findings.results.items():
        if result.start is not None and result.end is not None:
            findings.results[path] = replace(
                result,
                start=result.start + offset,
                end=result.end + offset,
                occurrences=tuple(
                    (low + offset, high + offset) for low, high in result.occurrences
                ),
            )


def merge(schema: Schema, parts: Sequence[Findings]) -> Findings:
    """One document's fields from those of its chunks, in the order of the text."""
    merger = _Merger(parts)
    merger.siblings(schema.attributes, ())
    return merger.whole


class _Merger:
    def __init__(self, parts: Sequence[Findings]) -> None:
        self.parts = parts
        self.whole = Findings()

    def siblings(self, attributes: Sequence[Attribute], prefix: Path) -> None:
        for group in dependent_groups(attributes):
            first = group[0]
            path = (*prefix, first.name)
            if len(group) > 1:
                paths = [(*prefix, attribute.name) for attribute in group]
                self.take_surest(paths)
            elif first.type == "object":
                self.siblings(first.attributes, path)
            elif first.type == "array":
                self.array(first, path)
            else:
                self.take_surest([path])
                self.gather_occurrences(path)

    def take_surest(self, roots: Sequence[Path]) -> None:
        """Take the best values below some paths, all from one chunk."""
        ranks = [_rank(part, roots) for part in self.parts]
        best = max(range(len(ranks)), key=ranks.__getitem__)
        # Of chunks that are as good otherwise, the confidence decides.
        decided = [
            between(abs(rank[-1]), abs(ranks[best][-1]))
            for part, rank in zip(self.parts, ranks, strict=True)
            if rank[:-1] == ranks[best][:-1] and part is not self.parts[best]
        ]
        for path, parsed in self.parts[best].values.items():
            if is_below(path, roots):
                self.whole.values[path] = parsed
        for path, result in self.parts[best].results.items():
            if is_below(path, roots):
                same = [part.results[path] for part in self.parts if path in part.results]
                margins = [other.margin for other in same]
                if any(other.value != result.value for other in same):
                    margins += decided
                self.whole.results[path] = replace(result, margin=least(margins))

    def gather_occurrences(self, path: Path) -> None:
        """Note all places of a value in the whole document."""
        taken = self.whole.results.get(path)
        if taken is None or not taken.occurrences:
            return
        same = [part.results[path] for part in self.parts if path in part.results]
        places = {
            place
            for result in same
            if result.value == taken.value and result.match == taken.match
            for place in result.occurrences
        }
        self.whole.results[path] = replace(taken, occurrences=tuple(sorted(places)))

    def array(self, array: Attribute, path: Path) -> None:
        items: list[tuple[Findings, Path, float]] = []
        seen: dict[str, int] = {}  # the chunk in which each was first
        for n, part in enumerate(self.parts):
            count = part.values.get((*path, COUNT_KEY), Parsed())
            n_items = count.value if isinstance(count.value, int) else 0
            for number in range(1, n_items + 1):
                root = (*path, str(number))
                identity = item_identity(part, root)
                if identity is not None and seen.setdefault(identity, n) == n:
                    items.append((part, root, _confidence(part, root)))
        if array.max_items is not None and len(items) > array.max_items:
            limit = sorted((item[2] for item in items), reverse=True)[array.max_items - 1]
            items = [item for item in items if item[2] >= limit][: array.max_items]
        self.count(path, len(items))
        for number, (part, root, _) in enumerate(items, start=1):
            self.move(part, root, (*path, str(number)))

    def count(self, path: Path, n_items: int) -> None:
        count_path = (*path, COUNT_KEY)
        results = [part.results[count_path] for part in self.parts if count_path in part.results]
        if not results:
            return
        # An item that might be another one might also be the same as one of another chunk.
        margin = least(
            result.margin
            for part in self.parts
            for below, result in part.results.items()
            if is_below(below, [path])
        )
        least_sure = min(results, key=lambda result: result.confidence or 0.0)
        if n_items:
            self.whole.values[count_path] = Parsed(n_items)
            self.whole.results[count_path] = FieldResult(
                least_sure.confidence, raw=f" {n_items}", value=n_items, margin=margin
            )
            return
        errors = [result.error for result in results if result.error]
        nothing = Parsed(error=errors[0]) if len(errors) == len(results) else Parsed(0)
        if all(result.value is None for result in results):
            nothing = Parsed(error=errors[0] if errors else None)
        self.whole.values[count_path] = nothing
        self.whole.results[count_path] = replace(
            least_sure, value=nothing.value, error=nothing.error, margin=margin
        )

    def move(self, part: Findings, root: Path, to: Path) -> None:
        """Take an item of a chunk, with a new number."""
        for path, parsed in part.values.items():
            if is_below(path, [root]):
                self.whole.values[to + path[len(root) :]] = parsed
        for path, result in part.results.items():
            if is_below(path, [root]):
                self.whole.results[to + path[len(root) :]] = result


def dependent_groups(attributes: Sequence[Attribute]) -> list[list[Attribute]]:
    """Groups of siblings that come after one another, directly or not, in the schema's order."""
    group_of: dict[str, set[str]] = {attribute.name: {attribute.name} for attribute in attributes}
    for attribute in attributes:
        for other in attribute.after:
            together = group_of[attribute.name] | group_of[other]
            for name in together:
                group_of[name] = together
    groups: list[list[Attribute]] = []
    done: set[str] = set()
    for attribute in attributes:
        if attribute.name not in done:
            members = group_of[attribute.name]
            groups.append([other for other in attributes if other.name in members])
            done |= members
    return groups


def _rank(part: Findings, roots: Sequence[Path]) -> tuple[int, int, int, float]:
    """The quality of a chunk's values below some paths, to be compared with that of others."""
    results = [result for path, result in part.results.items() if is_below(path, roots)]
    filled = [result for result in results if result.value is not None]
    n_grounded = sum(result.match not in (None, "none") for result in filled)
    n_errors = sum(result.error is not None for result in results)
    # Where all values are null, the least confident chunk is taken.
    sign = 1 if filled else -1
    mean = sum(result.confidence or 0.0 for result in filled or results)
    return n_grounded, len(filled), -n_errors, sign * mean / max(1, len(filled or results))


def is_below(path: Path, roots: Sequence[Path]) -> bool:
    """Whether a path leads to one of the roots, or to a part of it."""
    return any(path[: len(root)] == root for root in roots)


def item_identity(part: Findings, root: Path) -> str | None:
    """A key that is the same for items with the same values; None if all values are null."""
    values = {
        path[len(root) :]: parsed.value
        for path, parsed in part.values.items()
        if path[: len(root)] == root
    }
    if all(value is None for value in values.values()):
        return None
    return json.dumps(sorted((path, repr(value)) for path, value in values.items()))


def _confidence(part: Findings, root: Path) -> float:
    below = [
        result.confidence
        for path, result in part.results.items()
        if path[: len(root)] == root and result.confidence is not None
    ]
    return min(below, default=0.0)
