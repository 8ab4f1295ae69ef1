"""A schema as the fields to decode: leaf paths, and the waves in which they are due."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from hpd.prompt import COUNT_KEY, Path
from hpd.schema.attributes import Attribute, Schema
from hpd.schema.dependencies import first_waves

MAX_ITEMS = 100
"""The most items that are asked for where the schema names no limit: a model that counts wildly
must not start a million fields."""


@dataclass(frozen=True, slots=True)
class Leaf:
    """One field: where its value belongs, and what it may be."""

    path: Path
    attribute: Attribute
    array: Attribute | None = None
    """The array whose items this field counts; then the path ends in ``COUNT_KEY``."""
    wave: int = 0
    """After how many waves the field can start."""
    after: tuple[Path, ...] = ()
    """The paths of attributes (not only leaves) whose finished values this field sees."""


def leaf_fields(schema: Schema) -> list[Leaf]:
    """The fields that are known before anything is decoded, in the schema's order.

    An array is one field here, which counts its items; ``item_fields`` has the rest.
    """
    return _siblings(schema.attributes, (), 0, ())


def item_fields(
    array_path: Path,
    array: Attribute,
    n_items: int,
    *,
    wave: int = 0,
    after: tuple[Path, ...] = (),
) -> list[Leaf]:
    """The fields of an array's items 1 to ``n_items``, once their number is known.

    ``wave`` is the one in which they can start (one more than that of the count), ``after`` what
    the count's leaf had there.
    """
    if array.item is None:
        return []
    leaves = []
    for number in range(1, n_items + 1):
        leaves.extend(_expand(array.item, (*array_path, str(number)), wave, after))
    return leaves


def waves(leaves: Iterable[Leaf]) -> list[list[Leaf]]:
    """Leaves grouped by wave. The items of arrays counted in one wave belong to the next one."""
    groups: list[list[Leaf]] = []
    for leaf in leaves:
        while len(groups) <= leaf.wave:
            groups.append([])
        groups[leaf.wave].append(leaf)
    return groups


def count_attribute(array: Attribute) -> Attribute:
    """The field that asks how many items an array has; null says that there are none."""
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
        leaves.extend(
            _expand(attribute, (*prefix, attribute.name), wave + starts[attribute.name], seen)
        )
    return leaves


def _expand(attribute: Attribute, path: Path, wave: int, after: tuple[Path, ...]) -> list[Leaf]:
    if attribute.type == "object":
        return _siblings(attribute.attributes, path, wave, after)
    if attribute.type == "array":
        count = count_attribute(attribute)
        return [Leaf((*path, COUNT_KEY), count, attribute, wave, after)]
    return [Leaf(path, attribute, None, wave, after)]
