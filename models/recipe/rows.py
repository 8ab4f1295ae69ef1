"""The texts of an example: its prompt, the keys and values of its fields, its whole answer."""

from __future__ import annotations

import json
from typing import Any

from hpd import prompt
from hpd.schema.attributes import Attribute
from hpd.training.packing import FieldText
from recipe.examples import Example

Leaf = tuple[tuple[str, ...], Any]


def prompt_text(example: Example) -> str:
    """The prompt as the box's chat template renders it."""
    user = prompt.instruction_text(
        example.schema, example.shots, example.layout
    ) + prompt.documents_text(example.documents)
    return f"<|user|>{user}<|assistant|>"


def answer(example: Example) -> dict[str, Any]:
    """The whole answer; of several documents, an object with each one's answer by its number."""
    if len(example.documents) == 1:
        return example.answers[0]
    return {str(number): part for number, part in enumerate(example.answers, start=1)}


def leaves(example: Example) -> list[Leaf]:
    """The path and the value of every field."""
    fields: list[Leaf] = []
    for number, part in enumerate(example.answers, start=1):
        prefix = (str(number),) if len(example.documents) > 1 else ()
        for attribute in example.schema:
            fields.extend(_leaves(attribute, (*prefix, attribute.name), part[attribute.name]))
    return fields


def _leaves(attribute: Attribute, path: tuple[str, ...], value: Any) -> list[Leaf]:
    if attribute.type == "object":
        return [
            leaf
            for child in attribute.attributes
            for leaf in _leaves(child, (*path, child.name), value[child.name])
        ]
    if attribute.type == "array":
        item = attribute.item or Attribute("item")
        fields: list[Leaf] = [((*path, prompt.COUNT_KEY), len(value or []))]
        for number, part in enumerate(value or [], start=1):
            fields.extend(_leaves(item, (*path, str(number)), part))
        return fields
    return [(path, value)]


def field_texts(example: Example) -> list[FieldText]:
    """The key and the value of every field, in the example's layout."""
    fields = leaves(example)
    paths = [path for path, _ in fields]
    if example.layout == "label":
        labels, n_place = prompt.Labels(example.schema), int(len(example.documents) > 1)
        keys = [labels.key(path[:n_place], path[n_place:]) for path in paths]
    else:
        keys = prompt.key_texts(paths, example.layout)
    return [
        FieldText(key, " " + json.dumps(value, ensure_ascii=False))
        for key, (_, value) in zip(keys, fields, strict=True)
    ]


def answer_text(example: Example) -> str:
    """The whole answer as autoregressive decoding writes it, end of turn included."""
    return prompt.answer_text(answer(example)) + "<|end|>"
