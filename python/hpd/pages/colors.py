"""The colors of attributes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

N_COLORS = 8
"""The colors in document.css, which people who do not see all colors can tell apart, too."""
N_LINES = 3
"""Solid, dashed, dotted: each color comes with each of these lines."""


def color_slots(attributes: Mapping[str, Iterable[str]]) -> dict[str, int]:
    """A number for each attribute, which says its color (modulo 8) and its line.

    An attribute has one number everywhere. Those of one category, which are seen together, have
    different ones, the lowest there are; beyond 24 attributes in a category they come again.
    """
    seen_with: dict[str, set[str]] = {}
    for names in attributes.values():
        together = list(names)
        for name in together:
            seen_with.setdefault(name, set()).update(together)
    slots: dict[str, int] = {}
    for name, others in seen_with.items():
        taken = {slots[other] for other in others if other in slots}
        free = (slot for slot in range(N_COLORS * N_LINES) if slot not in taken)
        slots[name] = next(free, len(slots) % (N_COLORS * N_LINES))
    return slots


def color_classes(slot: int) -> str:
    """The classes of an element that shows an attribute's color."""
    return f"color-{slot % N_COLORS} line-{slot // N_COLORS}"
