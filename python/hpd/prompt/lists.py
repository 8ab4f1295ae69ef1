"""Lists that are decoded in one branch, and the names of their rows.

Models that are not trained for it find the wrong item when asked for "item 3". So a list is decoded
as a JSON array, beside all other values; most of its tokens can be drafted, as its rows are in the
document in order. Or only the parts that identify its rows are decoded as a list, their names, and
all other parts are then asked for at once, each by the name of its row.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from hpd.prompt.text import FieldPath, Lists
from hpd.schema.attributes import Attribute

LISTS_KEY = "hpd.lists"
"""GGUF key of a model or adapter for how it was trained to answer lists."""


@dataclass(frozen=True, slots=True)
class ListRow:
    """A named row of a list."""

    path: FieldPath
    names: tuple[str, ...]
    """The parts that name it."""

    @property
    def path_before(self) -> FieldPath:
        """The path of the row before."""
        return (*self.path[:-1], str(int(self.path[-1]) - 1))


@dataclass(frozen=True, slots=True)
class WrittenList:
    """The part of an array that is decoded as a list."""

    array: Attribute
    names: tuple[str, ...] = ()
    """The parts that are decoded and name the items; if empty, whole items are decoded."""
    added: tuple[str, ...] = ()
    """Those of ``names`` that were added because the others were not unique; they may be null."""
    precedes_whole_list: bool = False
    """Whether the names only tell if there are items, and the whole list is decoded next."""
    n_expected: int = 0
    """The least number of items to expect after the names that were decoded before: a whole list
    with fewer lacks some, and no list is null if there are any."""

    @property
    def name(self) -> str:
        """The part that names the items without any that was added, or the first of several."""
        return next(name for name in self.names if name not in self.added)

    @property
    def longer(self) -> WrittenList | None:
        """The list with more parts, for items with equal names; None if there are no more parts.

        One part is added first, and then all others.
        """
        parts = [part.name for part in self._object.attributes]
        free = [part for part in self.rest.attributes if part.is_scalar and not part.after]
        free = [part for part in free if not part.is_constant]
        if not self.names or not free:
            return None
        last = parts.index(self.name)
        # After the last part, if it is a text, models write the rest of the row, too. So a number,
        # say, that follows the name is the best part to add.
        free.sort(key=lambda part: (parts.index(part.name) < last, part.type == "string"))
        added = (*self.added, *(part.name for part in (free if self.added else free[:1])))
        names = sorted((*self.names, *added), key=parts.index)
        return replace(self, names=tuple(dict.fromkeys(names)), added=added, n_expected=1)

    @property
    def attribute(self) -> Attribute:
        """The attribute of the decoded list."""
        own = replace(self.array, type="array", item=self._item, min_items=None, max_items=None)
        return replace(own, min_items=1, forbids_null=True) if self.n_expected else own

    @property
    def as_forced(self) -> Attribute:
        """The list with at least one item, and items with all that they require."""
        least = max(1, self.array.min_items or 0)
        item = _forbid_null(self._item)
        return replace(self.attribute, item=item, min_items=least, forbids_null=True)

    @property
    def has_whole_rows(self) -> bool:
        """Whether its items are objects that are decoded with all their parts."""
        return not self.names and self._object.type == "object"

    @property
    def has_rest(self) -> bool:
        """Whether its items have parts that are asked for later."""
        return bool(self.names) and any(
            part.name not in self.names and not part.is_constant for part in self._object.attributes
        )

    @property
    def rest(self) -> Attribute:
        """The items without the decoded parts."""
        return replace(
            self._object,
            attributes=tuple(
                # The names are already known.
                replace(part, after=tuple(name for name in part.after if name not in self.names))
                for part in self._object.attributes
                if part.name not in self.names
            ),
        )

    def shown_path(self, path: FieldPath) -> FieldPath:
        """Return the path in the key for the array at ``path``.

        For a list of names it ends with ``all the lines[].sku values``: after ``lines[].sku``,
        models expect one text, and unlikely tokens would decide whether there is a list at all.
        """
        if len(self.names) != 1:
            return path
        return (*path[:-1], f"all the {path[-1]}[].{self.names[0]} values")

    def list_value(self, items: Any) -> Any:
        """Return the list that is to be decoded for an array whose items are known."""
        if not self.names or not isinstance(items, list):
            return items
        rows = [row if isinstance(row, Mapping) else {} for row in items]
        if len(self.names) == 1:
            return [row.get(self.names[0]) for row in rows]
        return [{name: row.get(name) for name in self.names} for row in rows]

    @property
    def _object(self) -> Attribute:
        return self.array.item or Attribute("item")

    @property
    def _item(self) -> Attribute:
        item = self._object
        if not self.names:
            # Missing items are not written.
            return replace(item, forbids_null=not item.nullable)
        named = [
            part if part.name in self.added else replace(part, forbids_null=True)
            for part in item.attributes
            if part.name in self.names
        ]
        if len(named) == 1:
            return named[0]
        return replace(item, attributes=tuple(named), forbids_null=True)


def list_to_write(array: Attribute, lists: Lists) -> WrittenList | None:
    """Return the part of an array that is decoded as a list; None if its items are counted instead.

    Items such as choices between objects cannot be decoded at once, and are always counted.
    """
    item = array.item
    if lists == "numbers" or item is None:
        return None
    if item.type == "object":
        names = array.named_by or row_names(item)
        # After the key of a list of objects with one part, models write only the parts.
        has_one_part = sum(not part.is_constant for part in item.attributes) == 1
        is_whole = lists == "ar" and not has_one_part and _is_writable(item)
        if names and (is_whole or has_one_part or lists == "names"):
            return WrittenList(array, names, precedes_whole_list=is_whole)
    return WrittenList(array) if _is_writable(item) else None


def row_names(item: Attribute) -> tuple[str, ...]:
    """Return the parts that identify an object in a list; none if unknown.

    This is the first text, preferably a required one; else the first date, time or formatted text.
    """
    parts = [part for part in item.attributes if not part.is_constant]
    texts = [part for part in parts if part.type == "string" and part.format is None]
    formed = [part for part in parts if part.type in ("string", "date", "date-time")]
    for some in (texts, formed):
        if some:
            return (next((part for part in some if part.required), some[0]).name,)
    return ()


def _is_writable(attribute: Attribute) -> bool:
    if attribute.is_constant or attribute.type in ("map", "tuple", "recursive"):
        return False
    if attribute.type == "union":
        return attribute.is_scalar
    parts = (*attribute.attributes, *(() if attribute.item is None else (attribute.item,)))
    return all(map(_is_writable, parts))


def _forbid_null(attribute: Attribute) -> Attribute:
    """Return an attribute in which no required value can be null."""
    return replace(
        attribute,
        forbids_null=attribute.forbids_null or attribute.needs_value,
        attributes=tuple(map(_forbid_null, attribute.attributes)),
        item=None if attribute.item is None else _forbid_null(attribute.item),
    )
