"""The baseline that any model should beat: training values looked up in the text."""

from __future__ import annotations

from collections.abc import Iterable

from hpd.evaluation.rows import Example


def lookup(train: Iterable[Example], examples: Iterable[Example]) -> list[dict[str, str | None]]:
    """Predict values by a search for training values.

    The value of an attribute is the first one in the training rows of the document's category that
    the document holds, letter by letter.
    """
    values: dict[str, dict[str, dict[str, None]]] = {}
    for example in train:
        attributes = values.setdefault(example.category, {})
        for attribute, gold in example.gold.items():
            attributes.setdefault(attribute, {}).update(dict.fromkeys(gold or ()))
    return [
        {
            attribute: next((value for value in known if value in example.text), None)
            for attribute, known in values.get(example.category, {}).items()
        }
        for example in examples
    ]
