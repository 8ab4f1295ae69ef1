"""Rules for schemas of every form, and their errors and warnings."""

from __future__ import annotations

import re
import warnings
from collections import Counter
from collections.abc import Sequence
from graphlib import CycleError, TopologicalSorter

from hpd.errors import HpdWarning, SchemaError
from hpd.messages import caller_level
from hpd.schema.attributes import MAX_LEVELS, Attribute, Schema
from hpd.surrogates import LONE_SURROGATE, is_unicode

MAX_DEPTH = 16
"""Maximum nesting of objects and arrays; a deeper schema is considered a mistake."""


class SchemaWarning(HpdWarning):
    """A part of a schema that hpd cannot honour exactly."""


class SchemaNote(SchemaWarning):
    """A part of a schema that is ambiguous, and how it was read."""

    kind = "note"


def warn(where: str, message: str) -> None:
    """Warn about the part ``where`` of a schema."""
    warnings.warn(f"{where}: {message}", SchemaWarning, stacklevel=caller_level())


def note(where: str, message: str) -> None:
    """Note how the part ``where`` of a schema was interpreted."""
    warnings.warn(f"{where}: {message}", SchemaNote, stacklevel=caller_level())


def fail(where: str, message: str) -> SchemaError:
    """Return the error to raise about the part ``where`` of a schema."""
    return SchemaError(f"{where}: {message}" if where else message)


def n_waves(attribute: Attribute, where: str = "") -> int:
    """Return the number of waves from an attribute's start to its finished value."""
    if attribute.is_counted and attribute.item is not None:
        return 1 + n_waves(attribute.item, where + "[]")
    if attribute.type == "union" and not attribute.is_scalar:
        return 1 + max(n_waves(variant, where) for variant in attribute.attributes)
    if attribute.type == "recursive":
        return MAX_LEVELS * MAX_DEPTH  # An upper bound, as waves without questions are skipped.
    if attribute.type in ("object", "tuple"):
        starts = first_waves(attribute.attributes, where)
        return max(
            (
                starts[child.name] + n_waves(child, join_path(where, child.name))
                for child in attribute.attributes
            ),
            default=1,
        )
    return 1


def first_waves(attributes: Sequence[Attribute], where: str = "") -> dict[str, int]:
    """Return the wave in which each sibling starts, relative to their first wave.

    Raises ``SchemaError`` if an ``after`` names no sibling, or forms a circle with others.
    """
    by_name = {attribute.name: attribute for attribute in attributes}
    for name, attribute in by_name.items():
        for other in attribute.after:
            if other not in by_name:
                raise fail(
                    join_path(where, name),
                    f"it comes after {other!r}, which is not one of its siblings "
                    f"({', '.join(by_name)})",
                )
    starts = dict.fromkeys(by_name, 0)
    if not any(attribute.after for attribute in attributes):
        return starts
    try:
        order = [*TopologicalSorter({a.name: a.after for a in attributes}).static_order()]
    except CycleError as error:
        circle = error.args[1][::-1]
        shown = " -> ".join(circle)
        raise fail(
            join_path(where, circle[0]), f"the dependencies form a circle: {shown}"
        ) from None
    for name in order:
        ends = (starts[o] + n_waves(by_name[o], join_path(where, o)) for o in by_name[name].after)
        starts[name] = max(ends, default=0)
    return starts


def is_within(path: str, whole: str) -> bool:
    """Return whether a path in data is ``whole`` or a part of it; all are within the empty path."""
    return not whole or path == whole or path.startswith((f"{whole}.", f"{whole}["))


def join_path(where: str, part: str | int) -> str:
    """Return the path of a part of an object, by its name, or of a list, by its index."""
    if isinstance(part, int):
        return f"{where}[{part}]"
    return f"{where}.{part}" if where else part


def check(schema: Schema) -> Schema:
    """Return the schema itself; raise ``SchemaError`` if it cannot be extracted."""
    if not schema.attributes:
        raise fail("", "the schema is empty: it needs at least one attribute")
    _check_siblings(schema.attributes, "", 1)
    _check_paths(schema.attributes)
    return schema


def _check_paths(attributes: Sequence[Attribute]) -> None:
    paths = Counter(_paths(attributes, ""))
    for path, n in paths.items():
        # The path a[0] may be an item of a, or an attribute of that name.
        with_any_item = re.sub(r"\[\d+\]", "[]", path)
        if n > 1 or (with_any_item != path and with_any_item in paths):
            raise fail(path, "two attributes have this same path: rename one of them")


def check_name(name: object, where: str, *, may_be_empty: bool = False) -> str:
    """Return the name itself; raise ``SchemaError`` if no attribute can have it."""
    if not isinstance(name, str):
        raise fail(where, f"a name must be text, not {type(name).__name__} ({name!r})")
    if not (may_be_empty or name.strip()):
        raise fail(where, "an attribute has an empty name")
    if not is_unicode(name):
        raise fail(where, f"the name {name!r}: {LONE_SURROGATE}")
    return name


def check_names(names: Sequence[str], where: str) -> None:
    """Raise ``SchemaError`` if a name is used twice."""
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise fail(where, f"the attribute {name!r} occurs twice")
        seen.add(name)


def _check_siblings(attributes: Sequence[Attribute], where: str, depth: int) -> None:
    if depth > MAX_DEPTH:
        raise fail(where, f"the schema is nested more than {MAX_DEPTH} levels deep")
    for attribute in attributes:
        check_name(attribute.name, where or "schema", may_be_empty=True)
    check_names([attribute.name for attribute in attributes], where or "schema")
    first_waves(attributes, where)
    for attribute in attributes:
        _check_attribute(attribute, join_path(where, attribute.name), depth)


def _check_attribute(attribute: Attribute, where: str, depth: int) -> None:
    if attribute.type in ("object", "tuple"):
        _check_siblings(attribute.attributes, where, depth + 1)
    elif attribute.type == "union":
        check_names([variant.name for variant in attribute.attributes], where)
        for variant in attribute.attributes:
            _check_attribute(variant, where, depth)
            _check_paths((variant,))
    elif attribute.is_counted:
        if attribute.item is None:
            raise fail(where, "the array does not say what its items are")
        if depth > MAX_DEPTH:
            raise fail(where, f"the schema is nested more than {MAX_DEPTH} levels deep")
        _check_attribute(attribute.item, where + "[]", depth + 1)
    elif attribute.type == "enum" and not attribute.choices and not attribute.is_constant:
        raise fail(where, "the enum has no values to choose from")
    _check_bounds(attribute, where)


def _check_bounds(attribute: Attribute, where: str) -> None:
    minimum = ("minimum", attribute.minimum)
    above = ("exclusiveMinimum", attribute.exclusive_minimum)
    maximum = ("maximum", attribute.maximum)
    below = ("exclusiveMaximum", attribute.exclusive_maximum)
    for (low_name, low), (high_name, high), may_be_equal in (
        (("minLength", attribute.min_length), ("maxLength", attribute.max_length), True),
        (("minItems", attribute.min_items), ("maxItems", attribute.max_items), True),
        (minimum, maximum, True),
        (minimum, below, False),
        (above, maximum, False),
        (above, below, False),
    ):
        if low is None or high is None or low < high or (may_be_equal and low == high):
            continue
        raise fail(where, f"no value fits: {low_name} {low} and {high_name} {high}")


def _paths(attributes: Sequence[Attribute], prefix: str) -> list[str]:
    paths = []
    for attribute in attributes:
        path = prefix + attribute.name
        paths.append(path)
        inner: Attribute | None = attribute
        while inner is not None and inner.is_counted:
            inner, path = inner.item, path + "[]"
            paths.append(path)
        if inner is not None and inner.type in ("object", "tuple"):
            paths.extend(_paths(inner.attributes, path + "."))
    return paths
