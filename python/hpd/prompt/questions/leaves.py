"""The leaves of a schema: one for each value to be decoded, and the wave in which it can start."""

from __future__ import annotations

from dataclasses import dataclass

from hpd.prompt.text import COUNT_KEY, Path
from hpd.schema.attributes import Attribute, Schema
from hpd.schema.dependencies import first_waves

MAX_ITEMS = 100
"""The most items that are asked for where the schema names no limit: a model that counts wildly
must not start a million fields."""


@dataclass(frozen=True, slots=True)
class Leaf:
    """One value to be decoded: its place in the answer, and its constraints."""

    path: Path
    attribute: Attribute
    array: Attribute | None = None
    """The array whose items this leaf counts; then the path ends in ``COUNT_KEY``."""
    wave: int = 0
    """The number of waves that must be over before the leaf can start."""
    after: tuple[Path, ...] = ()
    """The paths of attributes (not only leaves) whose finished values this leaf sees."""


def schema_leaves(schema: Schema) -> list[Leaf]:
    """The leaves that are known before anything is decoded, in the schema's order.

    An array is one leaf here, which counts its items; ``item_leaves`` gives the rest.
    """
    return _siblings(schema.attributes, (), 0, ())


def item_leaves(count: Leaf, n_items: int, *, wave: int | None = None) -> list[Leaf]:
    """The leaves of items 1 to ``n_items`` of the array that ``count`` counts.

    Args:
        count: a leaf with an ``array``.
        n_items: the number of items that the array turned out to have.
        wave: the first wave in which the items can start; one after that of the count, unless
            it is given.
    """
    if count.array is None or count.array.item is None:
        return []
    if wave is None:
        wave = count.wave + 1
    array_path = count.path[:-1]
    leaves = []
    for number in range(1, n_items + 1):
        leaves += _expand(count.array.item, (*array_path, str(number)), wave, count.after)
    return leaves


def count_attribute(array: Attribute) -> Attribute:
    """The attribute that stands for an array's number of items; null says that there are none."""
    maximum = MAX_ITEMS if array.max_items is None else array.max_items
    return Attribute(
        COUNT_KEY,
        "integer",
        description=f"how many items {array.name} has",
        minimum=0,
        maximum=maximum,
    )


def _siblings(
    attributes: tuple[Attribute, ...], prefix: Path, wave: int, after: tuple[Path, ...]
) -> list[Leaf]:
    starts = first_waves(attributes, ".".join(prefix))
    leaves = []
    for attribute in attributes:
        seen = (*after, *((*prefix, name) for name in attribute.after))
        path = (*prefix, attribute.name)
        leaves += _expand(attribute, path, wave + starts[attribute.name], seen)
    return leaves


def _expand(attribute: Attribute, path: Path, wave: int, after: tuple[Path, ...]) -> list[Leaf]:
    if attribute.type == "object":
        return _siblings(attribute.attributes, path, wave, after)
    if attribute.type == "array":
        count = count_attribute(attribute)
        return [Leaf((*path, COUNT_KEY), count, attribute, wave, after)]
    return [Leaf(path, attribute, None, wave, after)]
