"""The nested data of one document, put together from its parsed fields by their paths."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from hpd.prompt.text import COUNT_KEY, Path
from hpd.schema.attributes import MAP_NAME, MAP_VALUE, SCALARS, WHICH_KEY, Attribute, Schema
from hpd.schema.validation import schema_faults
from hpd.values.parsing import LACKING, ParsedValue

ABSENT = f"{LACKING} the document does not hold it"
"""The error of a required value for which the model says null."""


@dataclass(frozen=True, slots=True)
class Assembled:
    """The data of one document, with the errors and the places of its fields."""

    data: dict[str, Any]
    errors: dict[str, str] = field(default_factory=dict)
    """The reason why a value is null, or an item left out, by its dotted path in the data."""
    places: dict[Path, str] = field(default_factory=dict)
    """The dotted path in the data (``lines[0].qty``) of each field that is there. The count of an
    array has the path of the array; items that were left out have none."""
    violations: tuple[str, ...] = ()
    """The paths among ``errors`` at which the data breaks the schema."""
    faults: Mapping[Path, str] = field(default_factory=dict)
    """The errors by the fields that are to blame for them. Where an item was left out, they are its
    own fields."""
    missing: frozenset[str] = frozenset()
    """The paths in the data at which a required value is absent, and nothing else is wrong."""
    lacking: frozenset[Path] = frozenset()
    """The fields without whose values the data lacks required ones, or too short a list's items."""


def assemble(
    schema: Schema,
    values: Mapping[Path, ParsedValue],
    *,
    as_answer: bool = False,
    allows_null: bool = False,
) -> Assembled:
    """The nested data of all fields; those that ``values`` lacks count as absent.

    The data obeys the schema, except where ``errors`` says that it does not. An absent value is
    null if the schema allows null; it is left out if it is optional; else it is null with an
    error, or without one if ``allows_null`` says so. Items that are null, invalid or, with
    ``uniqueItems``, repeated are left out.

    With ``as_answer`` it is the answer as far as it has been given, for later questions: a map is a
    list of names and values, and a union has its variant's name.
    """
    assembly = _Assembly(values, as_answer=as_answer, allows_null=allows_null)
    data: dict[str, Any] = {}
    for attribute in schema.attributes:
        place = "" if schema.has_unwrapped_root else attribute.name
        value, _ = assembly.build(attribute, (attribute.name,), place)
        _put(data, attribute, value)
    if not as_answer and schema.document is not None and not assembly.violations:
        assembly.check(schema.document, bare_data(schema, data))
    return Assembled(
        data,
        assembly.errors,
        assembly.places,
        tuple(sorted(assembly.violations)),
        {path: message for path, (_, message) in assembly.faults.items()},
        frozenset(assembly.missing),
        frozenset(assembly.absent | assembly.too_few),
    )


def bare_data(schema: Schema, data: Mapping[str, Any]) -> Any:
    """The data for the user: of a schema whose root is no object, the value itself."""
    return data.get(schema.attributes[0].name) if schema.has_unwrapped_root else data


def is_empty(value: Any) -> bool:
    """Whether a value is null, an empty list, or an object of nothing but such values."""
    if isinstance(value, dict):
        return all(is_empty(part) for part in value.values())
    return value is None or value == []


class _Assembly:
    def __init__(
        self, values: Mapping[Path, ParsedValue], *, as_answer: bool, allows_null: bool
    ) -> None:
        self.values = values
        self.as_answer = as_answer
        self.allows_null = allows_null
        self.errors: dict[str, str] = {}
        self.places: dict[Path, str] = {}
        # The places where no more is wrong than that a required value is absent; nothing is, if the
        # whole object around it is absent and optional.
        self.missing: set[str] = set()
        # The places at which the data breaks the schema.
        self.violations: set[str] = set()
        # Why values are null that need not be there, by their places.
        self.reasons: dict[str, str] = {}
        # The place of each field's error, and the error.
        self.faults: dict[Path, tuple[str, str]] = {}
        # The fields that a list with too few items needs.
        self.too_few: set[Path] = set()

    @property
    def absent(self) -> set[Path]:
        """The fields whose required values are absent."""
        return {path for path, (place, _) in self.faults.items() if place in self.missing}

    def build(self, attribute: Attribute, path: Path, place: str) -> tuple[Any, bool]:
        """The value at a path, and whether it obeys the schema there."""
        if attribute.is_constant:
            value = attribute.choices[0] if attribute.choices else None
            return (value, True) if attribute.choices else self.nothing(attribute, place, path)
        if attribute.type not in SCALARS:
            attribute = attribute.expanded
            if attribute.type == "object":
                return self.object(attribute, path, place)
            if attribute.type == "tuple":
                return self.sequence(attribute, path, place)
            if attribute.is_counted:
                return self.array(attribute, path, place)
            if attribute.type == "union" and not attribute.is_scalar:
                return self.union(attribute, path, place)
        parsed = self.values.get(path, ParsedValue())
        self.places[path] = place
        if parsed.reason:
            self.reasons[place] = parsed.reason
        if parsed.value is None and (not parsed.error or parsed.missing):
            return self.nothing(attribute, place, path, parsed.error)
        if parsed.error:
            self.fail(place, parsed.error, path)
        return self.lacking(attribute, place) if parsed.value is None else (parsed.value, True)

    def object(self, attribute: Attribute, path: Path, place: str) -> tuple[Any, bool]:
        data: dict[str, Any] = {}
        is_valid = True
        missing_before = set(self.missing)
        violations_before = set(self.violations)
        for child in attribute.attributes:
            below = f"{place}.{child.name}" if place else child.name
            value, is_child_valid = self.build(child, (*path, child.name), below)
            _put(data, child, value)
            is_valid = is_valid and is_child_valid
        if is_empty(data) and _may_lack(attribute):
            for withdrawn in self.missing - missing_before:
                self.errors.pop(withdrawn, None)
                self.faults = {p: f for p, f in self.faults.items() if f[0] != withdrawn}
            self.missing = missing_before
            self.violations = violations_before
            return None, True
        return data, is_valid

    def sequence(self, attribute: Attribute, path: Path, place: str) -> tuple[Any, bool]:
        """The places up to the first one that lacks a value."""
        items: list[Any] = []
        before = set(self.violations)
        is_whole = is_valid = True
        for index, part in enumerate(attribute.attributes):
            value, is_part_valid = self.build(part, (*path, part.name), f"{place}[{index}]")
            is_valid = is_valid and (is_part_valid or not is_whole)
            is_whole = is_whole and (value is not None or part.nullable)
            if is_whole or part.required:
                items.append(value)
        while items and items[-1] is None and len(items) > (attribute.min_items or 0):
            items.pop()
        if _may_lack(attribute) and all(map(is_empty, items)):
            self.violations = before
            return None, True
        return items, is_valid

    def union(self, attribute: Attribute, path: Path, place: str) -> tuple[Any, bool]:
        which_path = (*path, WHICH_KEY)
        which = self.values.get(which_path, ParsedValue())
        self.places[which_path] = place
        variant = next((v for v in attribute.attributes if v.name == which.value), None)
        if which.error and not which.missing:
            self.fail(place, f"which it is: {which.error}", which_path)
            return self.lacking(attribute, place)
        if variant is None:
            return self.nothing(attribute, place, which_path)
        value, is_valid = self.build(variant, (*path, variant.name), place)
        if self.as_answer:
            return {WHICH_KEY: variant.name, variant.name: value}, True
        return value, is_valid

    def check(self, document: Any, data: Any) -> None:
        """Check what attributes cannot say, by the schema as it was written."""
        # Without these, what is still missing is so in a part that was left out as a whole.
        missing = self.missing if self.allows_null else ()
        for place, message in schema_faults(document, data, missing):
            self.fail(place, message)
            self.violations.add(place)
            for path, own in self.places.items():
                if not place or own == place or own.startswith((f"{place}.", f"{place}[")):
                    self.faults.setdefault(path, (place, message))

    def array(self, attribute: Attribute, path: Path, place: str) -> tuple[Any, bool]:
        count_path = (*path, COUNT_KEY)
        count = self.values.get(count_path, ParsedValue())
        self.places[count_path] = place
        if count.error and not count.missing:
            self.fail(place, f"the number of items: {count.error}", count_path)
            return self.lacking(attribute, place)
        if count.value is None or attribute.item is None:
            if attribute.nullable or attribute.min_items:
                return self.nothing(attribute, place, count_path)
            return ({} if attribute.type == "map" and not self.as_answer else []), True
        n_items = min(count.value, attribute.most_items)
        if count.value > n_items:
            message = f"the model counts {count.value} items, of which these are the first"
            self.fail(place, message, count_path)
        items, lost = self.items(attribute, attribute.item, path, place, n_items)
        if self.as_answer and attribute.type == "map":
            return items, True
        if len(items) < (attribute.min_items or 0):
            if not items and count.value == 0:
                return self.nothing(attribute, place, count_path)
            self.too_few |= lost if count.value >= (attribute.min_items or 0) else {count_path}
            message = f"at least {attribute.min_items} items are needed, not {len(items)}"
            self.fail(place, message, count_path)
            self.violations.add(place)
        if attribute.type == "map":
            return {item[MAP_NAME]: item[MAP_VALUE] for item in items}, True
        return items, True

    def items(
        self, array: Attribute, item: Attribute, path: Path, place: str, n_items: int
    ) -> tuple[list[Any], set[Path]]:
        """The items, and the fields whose values others lack."""
        # An item that was counted should be there: if nothing of it is, it is left out below.
        item = replace(item, required=True)
        items: list[Any] = []
        lost: set[Path] = set()
        seen: set[str] = set()
        for number in range(1, n_items + 1):
            here = f"{place}[{len(items)}]"
            inner = _Assembly(self.values, as_answer=self.as_answer, allows_null=self.allows_null)
            if array.type == "map":
                here, value, is_valid = self.entry(item, (*path, str(number)), place, inner)
                identity = _identity(value[MAP_NAME])
            else:
                value, is_valid = inner.build(item, (*path, str(number)), here)
                identity = _identity(value)
            is_needed = item.nullable or not is_empty(value)
            if array.type == "map":
                is_needed = is_valid or self.as_answer
            is_unique = array.unique_items or (array.type == "map" and not self.as_answer)
            self.too_few |= inner.too_few
            if is_needed and not (is_unique and identity in seen):
                seen.add(identity)
                items.append(value)
                self.errors.update(inner.errors)
                self.faults.update(inner.faults)
                self.violations |= inner.violations
                self.missing |= inner.missing
                self.places.update(inner.places)
            elif not is_needed:
                # An absent item was counted by mistake, unless it is not null when it is asked for
                # again; a malformed one is reported.
                lost |= inner.faults.keys()
                self.too_few |= inner.absent
                self.faults.update(inner.faults)
                for error_place, message in (*inner.errors.items(), *inner.reasons.items()):
                    if message != ABSENT:
                        part = error_place.removeprefix(here).lstrip(".")
                        self.fail(place, f"item {number}{f', {part}' if part else ''}: {message}")
                        self.faults |= {
                            p: (place, m)
                            for p, (at, m) in inner.faults.items()
                            if at == error_place
                        }
        return items, lost

    def entry(
        self, item: Attribute, path: Path, place: str, inner: _Assembly
    ) -> tuple[str, dict[str, Any], bool]:
        """A name of a map and its value: the value's place, both, and whether they are valid."""
        own, value = item.attributes
        name_path = (*path, MAP_NAME)
        name, is_named = inner.build(own, name_path, place)
        here = f"{place}.{name}" if place else str(name)
        inner.places[name_path] = here
        found, is_valid = inner.build(value, (*path, MAP_VALUE), here)
        is_valid = is_valid and is_named and name is not None
        return here, {MAP_NAME: name, MAP_VALUE: found}, is_valid

    def nothing(
        self, attribute: Attribute, place: str, path: Path, reason: str | None = None
    ) -> tuple[None, bool]:
        if _may_lack(attribute):
            return None, True
        if self.allows_null:
            self.missing.add(place)
            return None, True
        self.fail(place, reason or ABSENT, path, missing=True)
        return self.lacking(attribute, place)

    def lacking(self, attribute: Attribute, path: str) -> tuple[None, bool]:
        """Null in place of a value, and whether the schema allows that."""
        if not _may_lack(attribute):
            self.violations.add(path)
        return None, _may_lack(attribute)

    def fail(
        self, place: str, message: str, path: Path | None = None, *, missing: bool = False
    ) -> None:
        if path is not None:
            self.faults[path] = (place, message)
        if missing and place not in self.errors:
            self.missing.add(place)
        elif not missing:
            self.missing.discard(place)
        if place in self.errors:
            message = f"{self.errors[place]}; {message}"
        self.errors[place] = message


def _may_lack(attribute: Attribute) -> bool:
    return attribute.nullable or not attribute.required


def _put(data: dict[str, Any], attribute: Attribute, value: Any) -> None:
    """Set a key, unless its value is null and the attribute can be left out but not be null."""
    if value is not None or attribute.nullable or attribute.required:
        data[attribute.name] = value


def _identity(value: Any) -> str:
    """A text that is the same for values equal in JSON Schema: 1 and 1.0, but not 1 and true."""
    return json.dumps(_whole(value), sort_keys=True)


def _whole(value: Any) -> Any:
    if isinstance(value, float) and value == int(value):
        return int(value)
    if isinstance(value, list):
        return [_whole(part) for part in value]
    if isinstance(value, dict):
        return {name: _whole(part) for name, part in value.items()}
    return value
