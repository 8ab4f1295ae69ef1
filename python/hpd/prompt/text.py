"""The text of a prompt: the instruction and the keys.

This is pure text and needs no model; ``hpd.prompt.tokens`` converts it to tokens.

First comes the *instruction*, the rules and the attributes, which is the same for every document of
a schema, so that its KV cells are shared. The *documents* follow, and then, in the assistant's
turn, a *key* for each field. A key ends with a colon, and the model's next token begins the value.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from hpd.schema.attributes import MAP_NAME, MAP_VALUE, VARIANT_KEY, Attribute, Schema

Layout = Literal["branch", "skeleton", "label"]
NameLayout = Literal["branch", "skeleton"]
"""The layouts whose keys are attribute names."""
Lists = Literal["names", "numbers", "ar", "whole"]
"""How the rows of a list are asked for."""
FieldPath = tuple[str, ...]

_NAMES_RULE = "Answer with one JSON object whose keys are the names of the attributes."

_LABEL_RULE = (
    "Answer with the letter of an attribute, as it stands before its name, and its value in JSON."
)

_TASK_RULES = (
    "You read a document and fill in the attributes that are asked for. "
    "Copy every value from the document, in its own words and as short as possible: "
    "a few words at most. Keep names, numbers and units as they are written; where there are "
    "several numbers or units, keep them all and do not calculate. Never guess or explain. "
    "Where the document does not state an attribute, write null. "
)

SYSTEM_PROMPT = _TASK_RULES + _NAMES_RULE

STACK_RULE = (
    " There are several documents: answer with one JSON object whose keys are the numbers of the"
    " documents and whose values are their objects."
)

_LABEL_STACK_RULE = (
    " There are several documents: the number of the document stands before the letter."
)

COUNT_KEY = "count"
"""Key of an array's number of items; its items have the keys 1, 2, ..."""

REASON_KEY = "wrong because"
"""Key of the reason why a value was rejected, when the field is asked again."""

MAX_CHOICES = 300
"""Maximum number of choices in the prompt; longer lists are only enforced by the constraint."""

_N_SHOWN_CHOICES = 5

_MIN_REPEATED = 400
"""Minimum length of the lines of an object's parts that are listed only once."""

_TYPE_HINTS = {
    "integer": "whole number",
    "number": "number",
    "boolean": "true or false",
    "date": "date as YYYY-MM-DD",
    "date-time": "date and time as YYYY-MM-DDThh:mm:ss",
}


def system_text(
    n_stacked: int = 1, layout: Layout = "branch", system_prompt: str | None = None
) -> str:
    """Return the rules for a prompt of ``n_stacked`` documents.

    ``system_prompt`` replaces the default rules, which include the form of an answer.
    """
    if system_prompt is None and layout == "label":
        return _TASK_RULES + _LABEL_RULE + (_LABEL_STACK_RULE if n_stacked > 1 else "")
    return (system_prompt or SYSTEM_PROMPT) + (STACK_RULE if n_stacked > 1 else "")


def type_hint(attribute: Attribute) -> str:
    """Return an attribute's type as the prompt describes it; empty for plain text."""
    if attribute.type == "enum":
        shown = attribute.choices
        if len(shown) > MAX_CHOICES:
            some = ", ".join(map(_choice_text, shown[:_N_SHOWN_CHOICES]))
            return f"one of {len(shown)} values, such as {some}"
        return "one of: " + ", ".join(map(_choice_text, shown))
    if attribute.type == "array":
        item = attribute.item
        if item is None or item.type == "string":
            return "list"
        if item.type in ("object", "map"):
            return "list of objects"
        return "list, each: " + type_hint(item)
    if attribute.type == "map":
        return "list of names with values"
    if attribute.type == "tuple":
        return f"list of {len(attribute.attributes)} values"
    if attribute.type == "union" and attribute.is_scalar:
        return " or ".join(dict.fromkeys(type_hint(v) or "text" for v in attribute.attributes))
    if attribute.type == "union":
        return "one of: " + ", ".join(variant.name for variant in attribute.attributes)
    if attribute.type == "recursive" and attribute.recursion is not None:
        return f"as {attribute.recursion.name} above"
    return _TYPE_HINTS.get(attribute.type, "")


def attribute_lines(
    attributes: Iterable[Attribute],
    prefix: str = "",
    known: dict[tuple[Attribute, ...], str] | None = None,
) -> list[str]:
    """Return a line per attribute, nested ones by path: ``- maker.city (…): description``.

    Parts that take many lines are listed once: ``- buyer (as seller above)``.

    Args:
        attributes: the attributes.
        prefix: their path.
        known: the paths of objects above, by their parts.
    """
    known = {} if known is None else known
    lines = []
    for attribute in attributes:
        if attribute.is_constant:
            continue
        path = prefix + attribute.name
        inner = attribute.item if attribute.is_counted else attribute
        children = () if inner is None or inner.is_scalar else inner.attributes
        nested = attribute_lines(children, path + ("[]." if attribute.is_counted else "."), known)
        first = known.setdefault(children, path) if inner and inner.type == "object" else path
        if first != path and sum(map(len, nested)) >= _MIN_REPEATED:
            lines.append(attribute_line(path, attribute, first=first))
            continue
        # The parts of an object have lines; the object itself has one only for its description.
        if attribute.type != "object" or attribute.description:
            lines.append(attribute_line(path, attribute))
        lines.extend(nested)
    return lines


def complete_value(attribute: Attribute, value: Any) -> Any:
    """Return a value with every part of its attribute; missing parts are null."""
    if attribute.type == "object":
        known = value if isinstance(value, Mapping) else {}
        return {own.name: complete_value(own, known.get(own.name)) for own in attribute.attributes}
    if attribute.type == "array":
        item = attribute.item or Attribute("item")
        items = [] if value is None else value if isinstance(value, list | tuple) else [value]
        return [complete_value(item, own) for own in items]
    return value


def to_answer(schema: Schema, answer: Mapping[str, object]) -> Mapping[str, object]:
    """Convert known data to the form of an answer.

    In an answer, a map is a list of names and values, and a union has its variant's name.
    """
    if schema.has_unwrapped_root:
        root = schema.attributes[0]
        return {root.name: _to_answer(root, answer)}
    if all(attribute.is_scalar for attribute in schema.attributes):
        return answer
    return {**answer, **{a.name: _to_answer(a, answer[a.name]) for a in schema if a.name in answer}}


def _to_answer(attribute: Attribute, value: object) -> object:
    attribute = attribute.expanded
    if attribute.type == "object" and isinstance(value, Mapping):
        own = {
            a.name: _to_answer(a, value[a.name]) for a in attribute.attributes if a.name in value
        }
        return {**value, **own}
    if attribute.type == "map" and isinstance(value, Mapping) and attribute.item is not None:
        inner = attribute.item.attributes[1]
        return [{MAP_NAME: name, MAP_VALUE: _to_answer(inner, own)} for name, own in value.items()]
    if attribute.type == "array" and isinstance(value, list) and attribute.item is not None:
        return [_to_answer(attribute.item, own) for own in value]
    if attribute.type == "tuple" and isinstance(value, list):
        pairs = zip(attribute.attributes, value, strict=False)
        return [_to_answer(part, own) for part, own in pairs]
    if attribute.type == "union" and not attribute.is_scalar and value is not None:
        variant = max(attribute.attributes, key=lambda each: _variant_score(each, value))
        return {VARIANT_KEY: variant.name, variant.name: _to_answer(variant, value)}
    return value


def _variant_score(attribute: Attribute, value: object) -> float:
    """Return how well a value matches an attribute, to choose the best variant."""
    attribute = attribute.expanded
    if attribute.type in ("object", "map"):
        if not isinstance(value, Mapping):
            return -1
        parts = {part.name: part for part in attribute.attributes}
        if any(
            part.is_constant and value.get(name) not in part.choices for name, part in parts.items()
        ):
            return -1
        unknown = len({*value} - {*parts}) if attribute.type == "object" else 0
        return len({*parts} & {*value}) - unknown + 0.5 * (not unknown)
    if attribute.type in ("array", "tuple"):
        return 1 if isinstance(value, list) else -1
    if attribute.type == "enum":
        return 2 if value in attribute.choices else -1
    if isinstance(value, bool) or attribute.type == "boolean":
        return 1 if isinstance(value, bool) and attribute.type == "boolean" else -1
    if attribute.type == "union":
        return max(_variant_score(variant, value) for variant in attribute.attributes)
    if isinstance(value, list | Mapping):
        return -1
    is_number = isinstance(value, int | float)
    return 1 if is_number == (attribute.type in ("integer", "number")) else 0


def attribute_line(
    path: str, attribute: Attribute, bullet: str = "-", *, first: str | None = None
) -> str:
    """Return an attribute's line in the instruction: ``- brand (…): description``.

    ``first`` is the path of an object above with the same parts.
    """
    hint = type_hint(attribute)
    if first is not None:
        hint = ", ".join(filter(None, (hint, f"as {first} above")))
    line = f"{bullet} {path} ({hint})" if hint else f"{bullet} {path}"
    if attribute.description:
        line += f": {attribute.description}"
    if attribute.examples:
        line += f" (for example: {'; '.join(attribute.examples)})"
    return line


def answer_text(answer: object) -> str:
    """Return an answer as models are trained to write it, and as ``method="ar"`` reads it."""
    return json.dumps(answer, ensure_ascii=False)


def written_value(value: object) -> str:
    """Return a value as the model writes it; a number has its delimiter."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return f" {answer_text(value)}" + ("}" if is_number else "")


def key_text(
    path: FieldPath,
    seen: Mapping[FieldPath, object] | None = None,
    rejected: Sequence[tuple[object, str]] = (),
    rows: Mapping[FieldPath, Mapping[str, object]] | None = None,
    *,
    indents: bool = False,
) -> str:
    """Return the start of the answer up to a field's value: ``{"maker": {"city":``.

    Args:
        path: the field's path.
        seen: finished values before the field's own key, each in its object:
            ``{"brand": "Nike", "model":``.
        rejected: rejected values of the field, with reasons:
            ``{"size": 0, "wrong because": "below the minimum 1", "size":``.
        rows: the paths of rows without a number in the key, each with what is shown of the row
            before, if anything: ``{"lines": [{"sku": "A1"}, {"qty":``.
        indents: whether each member is on a line of its own.
    """
    text = ""
    for depth, name in enumerate(path):
        if text.endswith(":"):
            text += " "
        line = f"\n{'  ' * (depth + 1)}" if indents else ""
        comma = "," + (line or " ")
        before = (rows or {}).get(path[: depth + 1])
        if before is not None:
            text += f"[{line}{answer_text(before)}{comma}" if before else f"[{line}"
            continue
        members = [
            f"{answer_text(other[-1])}: {answer_text(value)}{comma}"
            for other, value in (seen or {}).items()
            if other[:-1] == path[:depth]
        ]
        if depth == len(path) - 1:
            members += [
                f"{answer_text(name)}: {answer_text(value)}{comma}"
                f"{answer_text(REASON_KEY)}: {answer_text(reason)}{comma}"
                for value, reason in rejected
            ]
        text += "{" + line + "".join(members) + answer_text(name) + ":"
    return text


def key_texts(paths: Sequence[FieldPath], layout: NameLayout) -> list[str]:
    """Return the text between the prompt and the value of each field.

    ``branch``: the field's own key. ``skeleton``: the keys of the fields before it, without values,
    and its own (the paper's order of keys, section 4.3.1).
    """
    if layout == "branch":
        return [key_text(path) for path in paths]
    texts = []
    text = ""
    previous: FieldPath = ()
    for path in paths:
        text += _key_after(previous, path)
        texts.append(text)
        previous = path
    return texts


def _key_after(previous: FieldPath, path: FieldPath) -> str:
    """Return the text between a blank value at ``previous`` and the value at ``path``."""
    if not previous:
        return key_text(path)
    n_common = 0
    while n_common < min(len(previous), len(path)) - 1 and previous[n_common] == path[n_common]:
        n_common += 1
    closing = "}" * (len(previous) - 1 - n_common)
    opened = key_text(path[n_common:])
    return f"{closing}, {opened[1:]}"


def _choice_text(choice: str | int | float | bool) -> str:
    return choice if isinstance(choice, str) else json.dumps(choice)


LENGTH_KEY = "hpd.length"
"""GGUF key of a model or adapter for the number of tokens of the longest prompt, answers included,
in its training for hpd."""
LABEL_KEY = "hpd.label"
"""GGUF key that is ``on`` if the model or adapter was trained on the layout ``label``."""


@dataclass(frozen=True, slots=True)
class _LabelNode:
    """A labelled attribute, and the attributes below it by name."""

    label: str
    attribute: Attribute
    below: dict[str, _LabelNode]


class Labels:
    """The labels of a schema's attributes: A to Z, then AA, AB and so on, in the schema's order.

    Objects and arrays also have labels; an array's is the key of its number of items.
    """

    def __init__(self, schema: Schema) -> None:
        self.lines: list[str] = []
        """One line of the instruction per attribute: ``A. maker.city (…): description``."""
        self._names = _label_names()
        self._roots = self._nodes(schema.attributes, "")

    def key(
        self,
        document_prefix: FieldPath,
        path: FieldPath,
        seen: Mapping[FieldPath, object] | None = None,
        rejected: Sequence[tuple[object, str]] = (),
    ) -> str:
        """Return the key of a field: its label.

        Args:
            document_prefix: the number of its document in a stack; empty for one document.
            path: the field's path in its document.
            seen: finished values before the key, by their paths in the document.
            rejected: rejected values of the field, with reasons.
        """
        label = self._label(document_prefix, path)
        members = [
            f"{self._label(document_prefix, other)} {answer_text(value)}, "
            for other, value in (seen or {}).items()
        ]
        members += [
            f"{label} {answer_text(value)}, {REASON_KEY} {answer_text(reason)}, "
            for value, reason in rejected
        ]
        return "".join(members) + label

    def answer(self, answer: Mapping[str, object]) -> str:
        """Return an example's answer in this layout."""
        return ", ".join(
            f"{self._roots[name].label} {answer_text(value)}"
            for name, value in answer.items()
            if name in self._roots
        )

    def _nodes(self, attributes: Iterable[Attribute], prefix: str) -> dict[str, _LabelNode]:
        nodes = {}
        for attribute in attributes:
            if attribute.is_constant:
                continue
            path = prefix + attribute.name
            label = next(self._names)
            self.lines.append(attribute_line(path, attribute, f"{label}."))
            inner: Attribute | None = attribute
            while inner is not None and inner.is_counted:
                inner, path = inner.item, path + "[]"
            children = () if inner is None or inner.is_scalar else inner.attributes
            nodes[attribute.name] = _LabelNode(label, attribute, self._nodes(children, path + "."))
        return nodes

    def _label(self, document_prefix: FieldPath, path: FieldPath) -> str:
        rest = list(path)
        label, numbers, nodes = "", [], self._roots
        while rest:
            name = rest.pop(0)
            if name == VARIANT_KEY and name not in nodes:
                break  # The label of a union is for its variant.
            node = nodes.get(name)
            if node is None:
                # Deeper levels of a recursive attribute have no labels.
                return "".join(document_prefix) + key_text(path)
            label, nodes = node.label, node.below
            inner: Attribute | None = node.attribute
            while rest and inner is not None and inner.is_counted:
                number = rest.pop(0)
                # A count is last in its path.
                numbers += [number] * (number != COUNT_KEY)
                inner = inner.item
        return "".join(document_prefix) + label + ".".join(numbers)


def _label_names() -> Iterator[str]:
    """Yield A, B, ..., Z, AA, AB, ..., ZZ, AAA, ..."""
    endings = [""]
    while True:
        endings = [first + letter for first in endings for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZ"]
        yield from endings


def instruction_text(
    schema: Schema,
    examples: Sequence[tuple[str, object]] = (),
    layout: Layout = "branch",
    instructions: str = "",
) -> str:
    """Return the user's text before the documents.

    Args:
        schema: the schema.
        examples: pairs of a document and its answer, which is shown as the model would write it.
        layout: layout of the keys, whose labels precede the attributes.
        instructions: the user's instructions. They come first, so that all categories share their
            cells; the schema's description follows.
    """
    labels = Labels(schema) if layout == "label" else None
    lines = labels.lines if labels else attribute_lines(schema)
    said = "\n".join(filter(None, (instructions, schema.description)))
    parts = [f"Instructions:\n{said}\n\n"] if said else []
    parts.append("Attributes:\n" + "\n".join(lines) + "\n\n")
    for document, answer in examples:
        if isinstance(answer, Mapping) or schema.has_unwrapped_root:
            answer = to_answer(schema, answer)  # type: ignore[arg-type]
        shown = answer_text(answer)
        if labels and isinstance(answer, Mapping):
            shown = labels.answer(answer)
        parts.append(f"Example document:\n{document}\nExample answer:\n{shown}\n\n")
    return "".join(parts)
