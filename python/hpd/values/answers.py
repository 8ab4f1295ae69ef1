"""Splits a whole answer, one JSON object, into the raw texts of its fields.

The text may break off anywhere, or not be JSON. Unlike with ``json``, complete values are kept,
with their offsets.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from json import JSONDecoder

from hpd.prompt.questions import count_attribute, variant_attribute
from hpd.prompt.text import COUNT_KEY, FieldPath
from hpd.results import NULL_TEXT, FieldValue
from hpd.schema.attributes import VARIANT_KEY, Attribute, Schema
from hpd.values.parsing import INCOMPLETE, MAX_NESTING, parse_truncated, parse_value

NOT_AN_OBJECT = "the answer is not a JSON object"

_SCALAR = re.compile(r"null|true|false|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?", re.ASCII)
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)
_NO_ITEM = re.compile(rf'\s*\[\s*"{NULL_TEXT.pattern}"\s*\]\s*', re.IGNORECASE)
_DECODER = JSONDecoder(strict=False)
_DELIMITERS = tuple(",]} \t\r\n")
_BLANK = re.compile(r"[ \t\r\n]*")


@dataclass(frozen=True, slots=True)
class RawValue:
    """One field's part of an answer."""

    text: str = "null"
    start: int | None = None
    """The offset of the text in the answer; None if it is missing."""
    end: int | None = None
    truncated: bool = False
    """Whether the answer broke off in this value, or before it."""
    error: str | None = None

    def parse(self, attribute: Attribute, document: str = "") -> FieldValue:
        """Parse the value as ``attribute``'s type."""
        if self.error and self.error != INCOMPLETE:
            return FieldValue(error=self.error)
        parse = parse_truncated if self.error else parse_value
        return parse(self.text, attribute, document)


def split_answer(schema: Schema, text: str) -> dict[FieldPath, RawValue]:
    """Return the raw text of each field in an answer such as ``{"brand": "Nike", "tags": ["a"]}``.

    The paths are those of ``schema_leaves`` and ``item_leaves``; an array's count is the number of
    its complete items. A missing attribute has the text ``null``.
    """
    start = text.find("{")
    if start < 0:
        root = _JsonNode("scalar", 0, 0)
        error: str | None = NOT_AN_OBJECT
    else:
        root, _ = _JsonReader(text).value(start, 0)
        error = None
    values: dict[FieldPath, RawValue] = {}
    _Splitter(text, values).members(schema.attributes, root, (), error)
    return values


def split_list(array: Attribute, text: str, path: FieldPath) -> dict[FieldPath, RawValue]:
    """Return the raw text of each field in a separate list such as ``["a", "b"]``.

    Args:
        array: the array.
        text: the list.
        path: the array's path.
    """
    node, _ = _JsonReader(text).value(0, 0)
    if node.kind == "scalar" and not node.complete:
        # The text broke off before the list began.
        return {(*path, COUNT_KEY): RawValue(text, truncated=True, error=INCOMPLETE)}
    values: dict[FieldPath, RawValue] = {}
    _Splitter(text, values).split(array, node, path, None, is_truncated=False)
    return values


def is_complete(text: str) -> bool:
    """Return whether a text begins with a complete JSON value.

    A string ends at its first unescaped quote, even if its escapes are invalid. A number needs a
    delimiter, as more digits could follow.
    """
    node, _ = _JsonReader(text).value(0, 0)
    return node.complete


def means_no_items(array: Attribute, text: str) -> bool:
    """Return whether a list contains only ``"none"`` or the like, and so no item."""
    is_text = array.item is not None and array.item.type == "string"
    return is_text and _NO_ITEM.fullmatch(text) is not None


def answer_leaf(schema: Schema, path: FieldPath) -> Attribute | None:
    """Return the attribute at a path of ``split_answer``, or None."""
    siblings = schema.attributes
    attribute: Attribute | None = None
    for name in path:
        if attribute is not None and attribute.is_counted:
            if name == COUNT_KEY:
                return count_attribute(attribute)
            attribute = attribute.item
        elif attribute is not None and attribute.type == "union" and name == VARIANT_KEY:
            return variant_attribute(attribute)
        else:
            attribute = next((child for child in siblings if child.name == name), None)
        if attribute is None:
            return None
        attribute = attribute.expanded
        siblings = attribute.attributes
    return attribute


@dataclass(slots=True)
class _JsonNode:
    """A JSON value and its offsets; ``complete`` unless the text breaks off within it."""

    kind: str
    start: int
    end: int
    complete: bool = False
    members: dict[str, _JsonNode] = field(default_factory=dict)
    items: list[_JsonNode] = field(default_factory=list)


class _JsonReader:
    """A JSON reader that records offsets; at an error it stops, and keeps what it has read."""

    def __init__(self, text: str) -> None:
        self.text = text

    def value(self, position: int, depth: int) -> tuple[_JsonNode, int]:
        position = self.skip_blank(position)
        char = self.text[position : position + 1]
        node = _JsonNode("scalar", position, position)
        if depth > MAX_NESTING:
            node.end = len(self.text)
        elif char == "{":
            node.kind = "object"
            self.object(node, depth)
        elif char == "[":
            node.kind = "array"
            self.array(node, depth)
        elif char == '"':
            # It may have invalid escapes.
            text = _STRING.match(self.text, position)
            node.end = text.end() if text else len(self.text)
            node.complete = text is not None
        else:
            match = _SCALAR.match(self.text, position)
            node.end = match.end() if match else len(self.text)
            # Without a delimiter, a number may have lost its last digits.
            node.complete = match is not None and (
                self.text[node.end : node.end + 1] in _DELIMITERS
                or match.group() in ("null", "true", "false")
            )
        return node, node.end

    def object(self, node: _JsonNode, depth: int) -> None:
        position = self.skip_blank(node.start + 1)
        node.end = len(self.text)
        while True:
            if self.text[position : position + 1] == "}":
                node.end, node.complete = position + 1, True
                return
            if self.text[position : position + 1] != '"':
                return
            try:
                key, position = _DECODER.raw_decode(self.text, position)
            except ValueError:
                return
            position = self.skip_blank(position)
            if self.text[position : position + 1] != ":":
                return
            value, position = self.value(position + 1, depth + 1)
            node.members[key] = value
            position = self.next(value, position, "}")
            if position < 0:
                return

    def array(self, node: _JsonNode, depth: int) -> None:
        position = self.skip_blank(node.start + 1)
        node.end = len(self.text)
        while True:
            if self.text[position : position + 1] == "]":
                node.end, node.complete = position + 1, True
                return
            if position >= len(self.text):
                return
            value, position = self.value(position, depth + 1)
            node.items.append(value)
            position = self.next(value, position, "]")
            if position < 0:
                return

    def next(self, value: _JsonNode, position: int, closing: str) -> int:
        """Return the offset of the next member or the closing bracket, or -1."""
        position = self.skip_blank(position)
        char = self.text[position : position + 1]
        if not value.complete or char not in (",", closing) or not char:
            return -1
        return self.skip_blank(position + 1) if char == "," else position

    def skip_blank(self, position: int) -> int:
        match = _BLANK.match(self.text, position)
        return match.end() if match else position


@dataclass(slots=True)
class _Splitter:
    text: str
    values: dict[FieldPath, RawValue]

    def members(
        self,
        attributes: tuple[Attribute, ...],
        node: _JsonNode | None,
        prefix: FieldPath,
        error: str | None,
        *,
        is_truncated: bool = False,
    ) -> None:
        """Store the fields of an object, which may be missing or not an object."""
        if node is not None and node.kind != "object" and error is None and not self.is_null(node):
            error = "an object is expected here"
        is_truncated = is_truncated or (
            node is not None and node.kind == "object" and not node.complete
        )
        for attribute in attributes:
            member = node.members.get(attribute.name) if node is not None else None
            self.split(
                attribute, member, (*prefix, attribute.name), error, is_truncated=is_truncated
            )

    def split(
        self,
        attribute: Attribute,
        node: _JsonNode | None,
        path: FieldPath,
        error: str | None,
        *,
        is_truncated: bool,
    ) -> None:
        if attribute.type == "object":
            self.members(attribute.attributes, node, path, error, is_truncated=is_truncated)
        elif attribute.type == "array":
            self.array(attribute, node, path, error, is_truncated=is_truncated)
        elif node is None:
            self.values[path] = RawValue(truncated=is_truncated, error=error)
        else:
            self.values[path] = self.raw(node, error)

    def array(
        self,
        attribute: Attribute,
        node: _JsonNode | None,
        path: FieldPath,
        error: str | None,
        *,
        is_truncated: bool,
    ) -> None:
        count_path = (*path, COUNT_KEY)
        if node is None or attribute.item is None:
            self.values[count_path] = RawValue(truncated=is_truncated, error=error)
            return
        if self.is_null(node):
            self.values[count_path] = self.raw(node, error)
            return
        # A single value instead of a list is a list of one.
        items = node.items if node.kind == "array" else [node]
        items = [item for item in items if item.complete or item.kind == "object"]
        self.values[count_path] = RawValue(
            str(len(items)), node.start, node.end, not node.complete, error
        )
        for number, item in enumerate(items, start=1):
            self.split(attribute.item, item, (*path, str(number)), error, is_truncated=False)

    def raw(self, node: _JsonNode, error: str | None) -> RawValue:
        text = self.text[node.start : node.end]
        if not node.complete:
            error = error or INCOMPLETE
        return RawValue(text, node.start, node.end, not node.complete, error)

    def is_null(self, node: _JsonNode) -> bool:
        return node.complete and self.text[node.start : node.end] == "null"
