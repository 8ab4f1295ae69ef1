"""The keys of the layout `label`: the instruction letters the attributes, and a key is its letter.

A field then costs one token of key instead of the tokens of its name. Items of arrays add their
numbers to the letter of their attribute (``C2``), and stacked documents put theirs before it
(``2C``).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from hpd.prompt.text import COUNT_KEY, WRONG_KEY, Path, answer_text, attribute_line
from hpd.schema.attributes import Attribute, Schema

LABEL_KEY = "hpd.label"
"""The key of a GGUF file that says ``on`` if its model, or the adapter that it is, was taught this
layout."""

LABEL_SETTING = "hpd_label"
"""The setting of a checkpoint's ``config.json`` that is true if it was taught this layout."""


@dataclass(frozen=True, slots=True)
class _Node:
    """A labelled attribute, and those below it by name."""

    label: str
    attribute: Attribute
    below: dict[str, _Node]


class Labels:
    """The labels of a schema's attributes: A to Z, then AA, AB and so on, in the schema's order.

    Objects and arrays have labels, too; the key of an array's label is its number of items.
    """

    def __init__(self, schema: Schema) -> None:
        self.lines: list[str] = []
        """One line of the instruction per attribute: ``A. maker.city (…): description``."""
        self._names = _letters()
        self._roots = self._nodes(schema.attributes, "")

    def key(
        self,
        place: Path,
        path: Path,
        seen: Mapping[Path, object] | None = None,
        refused: Sequence[tuple[object, str]] = (),
    ) -> str:
        """The key of a field: its label alone.

        Args:
            place: the number of its document in a stack; empty for one document.
            path: the field's path in its document.
            seen: finished values that stand before the key, by their paths in the document.
            refused: values that the field had before, each with the reason why it cannot have it.
        """
        label = self._label(place, path)
        members = [
            f"{self._label(place, other)} {answer_text(value)}, "
            for other, value in (seen or {}).items()
        ]
        members += [
            f"{label} {answer_text(value)}, {WRONG_KEY} {answer_text(reason)}, "
            for value, reason in refused
        ]
        return "".join(members) + label

    def answer(self, answer: Mapping[str, object]) -> str:
        """An example's answer in this layout, one attribute of the schema after the other."""
        return ", ".join(
            f"{self._roots[name].label} {answer_text(value)}"
            for name, value in answer.items()
            if name in self._roots
        )

    def _nodes(self, attributes: Iterable[Attribute], prefix: str) -> dict[str, _Node]:
        nodes = {}
        for attribute in attributes:
            path = prefix + attribute.name
            label = next(self._names)
            self.lines.append(attribute_line(path, attribute, f"{label}."))
            inner: Attribute | None = attribute
            while inner is not None and inner.type == "array":
                inner, path = inner.item, path + "[]"
            children = inner.attributes if inner is not None else ()
            nodes[attribute.name] = _Node(label, attribute, self._nodes(children, path + "."))
        return nodes

    def _label(self, place: Path, path: Path) -> str:
        rest = list(path)
        label, numbers, nodes = "", [], self._roots
        while rest:
            node = nodes[rest.pop(0)]
            label, nodes = node.label, node.below
            inner: Attribute | None = node.attribute
            while rest and inner is not None and inner.type == "array":
                number = rest.pop(0)
                # Behind a count nothing follows.
                numbers += [number] * (number != COUNT_KEY)
                inner = inner.item
        return "".join(place) + label + ".".join(numbers)


def _letters() -> Iterator[str]:
    """A, B, ..., Z, AA, AB, ..., ZZ, AAA, ..."""
    endings = [""]
    while True:
        endings = [first + letter for first in endings for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZ"]
        yield from endings
