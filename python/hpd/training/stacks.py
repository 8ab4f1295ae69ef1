"""Documents gathered into the stacks that share a prompt."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence


def stacks(schemas: Sequence[Hashable], size: int) -> Iterator[list[int]]:
    """The places of documents in stacks of up to ``size``, each of one schema.

    Args:
        schemas: what tells each document's schema from others.
        size: documents in one prompt (paper, section 4.3.5).
    """
    by_schema: dict[Hashable, list[int]] = {}
    for place, schema in enumerate(schemas):
        by_schema.setdefault(schema, []).append(place)
    for places in by_schema.values():
        for start in range(0, len(places), size):
            yield places[start : start + size]
