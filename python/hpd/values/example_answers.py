"""Checks the answers of examples against the schema."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from hpd.messages import did_you_mean, short_repr
from hpd.schema.attributes import Attribute, Schema
from hpd.schema.checks import join_path
from hpd.values.parsing import check_value, type_in_words

_MAX_SHOWN = 20


def answer_fault(schema: Schema, answer: Any) -> str | None:
    """Return what is wrong with an answer, after the path of the value; None if it is valid.

    Any value may be null, as the document need not state it.
    """
    if schema.has_unwrapped_root:
        faults = _faults(schema.attributes[0], answer, "")
    else:
        faults = _object_faults(schema.attributes, answer, "")
    path, fault = next(faults, ("", None))
    return f"{path}: {fault}" if path and fault else fault


def _object_faults(
    attributes: Iterable[Attribute], value: Any, path: str
) -> Iterator[tuple[str, str]]:
    if not isinstance(value, Mapping):
        yield path, f"an object is expected, not {type_in_words(value)}"
        return
    by_name = {attribute.name: attribute for attribute in attributes}
    for name in value:
        if name not in by_name:
            hint = did_you_mean(str(name), by_name) or f"it has {', '.join(by_name) or 'none'}"
            yield path, f"{short_repr(name)} is not an attribute of the schema: {hint}"
    for name, attribute in by_name.items():
        if name in value:
            yield from _faults(attribute, value[name], join_path(path, name))
        elif attribute.needs_value and not attribute.is_constant:
            yield join_path(path, name), "required, but not in the answer"


def _faults(attribute: Attribute, value: Any, path: str) -> Iterator[tuple[str, str]]:
    attribute = attribute.expanded
    takes_anything = attribute.type == "string" and not attribute.has_type
    if value is None or attribute.is_constant or takes_anything:
        return
    if attribute.is_scalar:
        fault = check_value(value, attribute).error
        if fault and attribute.type == "enum":
            shown = [*map(str, attribute.choices[:_MAX_SHOWN])]
            others = ", ..." if len(attribute.choices) > _MAX_SHOWN else ""
            yield path, f"{short_repr(value)} is not one of {', '.join(shown)}{others}"
        elif fault:
            yield path, f"{short_repr(value)}: {fault}"
    elif attribute.type == "object":
        yield from _object_faults(attribute.attributes, value, path)
    elif attribute.type == "map" and attribute.item is not None:
        if isinstance(value, Mapping):
            for name, part in value.items():
                yield from _faults(attribute.item.attributes[1], part, join_path(path, str(name)))
        else:
            yield path, f"an object is expected, not {type_in_words(value)}"
    elif attribute.type == "union":
        found = [next(_faults(each, value, path), None) for each in attribute.attributes]
        if None not in found:
            names = ", ".join(each.name for each in attribute.attributes)
            yield path, f"it is none of {names} ({found[0][1] if found[0] else ''})"
    elif not isinstance(value, list):
        yield path, f"a list is expected, not {type_in_words(value)}"
    else:
        items = [attribute.item] * len(value) if attribute.item else attribute.attributes
        for number, (item, part) in enumerate(zip(items, value, strict=False)):
            yield from _faults(item, part, join_path(path, number))
