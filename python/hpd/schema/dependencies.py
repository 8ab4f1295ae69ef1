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
    by_name = {attribute.name: attribute for attribute in attributes}
    starts: dict[str, int] = {}
    waiting: list[str] = []

    def start(name: str) -> int:
        if name in starts:
            return starts[name]
        if name in waiting:
            circle = " -> ".join([*waiting[waiting.index(name) :], name])
            raise fail(_join(where, name), f"the dependencies form a circle: {circle}")
        waiting.append(name)
        wave = 0
        for other in by_name[name].after:
            if other not in by_name:
                raise fail(
                    _join(where, name),
                    f"it comes after {other!r}, which is not one of its siblings "
                    f"({', '.join(by_name)})",
                )
            wave = max(wave, start(other) + n_waves(by_name[other], _join(where, other)))
        waiting.pop()
        starts[name] = wave
        return wave

    for name in by_name:
        start(name)
    return starts


def _join(where: str, name: str) -> str:
    return f"{where}.{name}" if where else name
