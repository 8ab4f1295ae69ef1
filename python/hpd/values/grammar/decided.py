"""Choices that are decided (``--decide``): null counts beside them, but the best one is taken.

A model that has hardly learnt to judge says null where a document leaves a choice to its sense, or
states a number under another name. The best of the choices is right more often than that null, and
how often, its confidence can tell.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from hpd.schema.attributes import Attribute

DECIDE_KEY: Final = "hpd.decide"
"""The key under which a GGUF file says ``on`` if choices are to be decided by default."""


def is_choice(attribute: Attribute) -> bool:
    """Whether a value is one of at least two that the schema names."""
    return attribute.type == "boolean" or (attribute.type == "enum" and len(attribute.choices) > 1)


def decided(attribute: Attribute, is_decided: Callable[[Attribute], bool] = is_choice) -> Attribute:
    """The same attribute, where what is decided, at any depth, is always answered."""
    item = attribute.item
    return replace(
        attribute,
        always_answered=attribute.always_answered or is_decided(attribute),
        item=None if item is None else decided(item, is_decided),
        attributes=tuple(decided(each, is_decided) for each in attribute.attributes),
    )
