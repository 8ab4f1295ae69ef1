"""Waves of decoding: an attribute waits for the siblings that it comes ``after``.

A scalar takes one wave. An array takes one for the number of its items, and then as many as one
of its items. An object takes as many as its slowest chain of attributes.
"""

from __future__ import annotations

from collections.abc import Sequence

from hpd.schema.attributes import Attribute
from hpd.schema.notices import fail


def n_waves(attribute: Attribute, where: str = "") -> int:
    """The number of waves from an attribute's start to its finished value."""
    if attribute.type == "array" and attribute.item is not None:
        return 1 + n_waves(attribute.item, where + "[]")
    if attribute.type == "object":
        starts = first_waves(attribute.attributes, where)
        return max(
            (
                starts[child.name] + n_waves(child, _join(where, child.name))
                for child in attribute.attributes
            ),
            default=1,
        )
    return 1


def first_waves(attributes: Sequence[Attribute], where: str = "") -> dict[str, int]:
    """The wave in which each of some siblings starts; 0 is the first wave of them all.

    Raises ``SchemaError`` for an ``after`` that names no sibling, or that leads in a circle.
    """
    siblings = _Siblings(attributes, where)
    return {attribute.name: siblings.start(attribute.name) for attribute in attributes}


class _Siblings:
    """The first waves of siblings, each found once."""

    def __init__(self, attributes: Sequence[Attribute], where: str) -> None:
        self._by_name = {attribute.name: attribute for attribute in attributes}
        self._where = where
        self._starts: dict[str, int] = {}
        self._waiting: list[str] = []

    def start(self, name: str) -> int:
        """The first wave of the one of this name."""
        if name in self._starts:
            return self._starts[name]
        place = _join(self._where, name)
        if name in self._waiting:
            circle = " -> ".join([*self._waiting[self._waiting.index(name) :], name])
            raise fail(place, f"the dependencies form a circle: {circle}")
        self._waiting.append(name)
        wave = 0
        for other in self._by_name[name].after:
            if other not in self._by_name:
                raise fail(
                    place,
                    f"it comes after {other!r}, which is not one of its siblings "
                    f"({', '.join(self._by_name)})",
                )
            n_other = n_waves(self._by_name[other], _join(self._where, other))
            wave = max(wave, self.start(other) + n_other)
        self._waiting.pop()
        self._starts[name] = wave
        return wave


def _join(where: str, name: str) -> str:
    return f"{where}.{name}" if where else name
