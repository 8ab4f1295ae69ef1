"""Assembles the nested data of one document from its parsed fields."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from hpd.prompt.text import COUNT_KEY, FieldPath
from hpd.results import FieldValue
from hpd.schema.attributes import MAP_NAME, MAP_VALUE, SCALAR_TYPES, VARIANT_KEY, Attribute, Schema
from hpd.schema.checks import is_within, join_path
from hpd.schema.validation import schema_violations
from hpd.values.parsing import MISSING_PREFIX, is_missing

NO_VALUE_ERROR = f"{MISSING_PREFIX} the model found no value"
"""The error of a required value that is null."""


def assemble(
    schema: Schema,
    values: Mapping[FieldPath, FieldValue],
    *,
    as_answer: bool = False,
    allows_null: bool = False,
) -> Assembly:
    """Assemble the nested data of all fields; those missing in ``values`` are absent.

    The data obeys the schema except at the paths in ``errors``. An absent value is null if the
    schema allows it; otherwise it is omitted if optional; otherwise it is null with an error, or
    without one if ``allows_null``. Items that are null, invalid or, with ``uniqueItems``, repeated
    are omitted.

    With ``as_answer`` the result is the answer so far, for later questions: a map is a list of
    names and values, and a union has its variant's name.
    """
    assembly = Assembly(values, as_answer=as_answer, allows_null=allows_null)
    for attribute in schema.attributes:
        data_path = "" if schema.has_unwrapped_root else attribute.name
        value, _ = assembly.build(attribute, (attribute.name,), data_path)
        _set_key(assembly.data, attribute, value)
    if not as_answer and schema.document is not None and not assembly.violations:
        assembly.check(schema.document, unwrapped_data(schema, assembly.data))
    return assembly


def unwrapped_data(schema: Schema, data: Mapping[str, Any]) -> Any:
    """Return the user's data: the value itself if the schema's root is not an object."""
    return data.get(schema.attributes[0].name) if schema.has_unwrapped_root else data


def is_empty(value: Any) -> bool:
    """Return whether a value is null, an empty list, or an object of only such values."""
    if isinstance(value, dict):
        return all(is_empty(part) for part in value.values())
    return value is None or value == []


class Assembly:
    """The data of one document, with the errors and the data paths of its fields.

    Args:
        values: the values of the fields.
        as_answer: see ``assemble``.
        allows_null: see ``assemble``.
    """

    def __init__(
        self, values: Mapping[FieldPath, FieldValue], *, as_answer: bool, allows_null: bool
    ) -> None:
        self.values = values
        self.as_answer = as_answer
        self.allows_null = allows_null
        self.data: dict[str, Any] = {}
        self.errors: dict[str, str] = {}
        """Why a value is null or an item omitted, by its dotted path in the data."""
        self.data_paths: dict[FieldPath, str] = {}
        """The dotted path in the data (``lines[0].qty``) of each field. The count of an array has
        the path of the array; omitted items have none."""
        self.missing_paths: set[str] = set()
        """The paths whose only error is an absent required value. This is no error if the whole
        object around it is absent and optional."""
        self.violations: set[str] = set()
        """The paths in ``errors`` at which the data violates the schema."""
        # Why optional values are null, by path.
        self.reasons: dict[str, str] = {}
        self.faults: dict[FieldPath, tuple[str, str]] = {}
        """The paths in the data and the errors, by the fields that caused them; for an omitted
        item, its own fields."""
        # Fields that a list with too few items needs.
        self.too_few: set[FieldPath] = set()

    @property
    def absent_fields(self) -> set[FieldPath]:
        """The fields whose required values are absent."""
        return {
            path for path, (data_path, _) in self.faults.items() if data_path in self.missing_paths
        }

    @property
    def missing_fields(self) -> set[FieldPath]:
        """The required fields without values, and those that a list with too few items needs."""
        return self.absent_fields | self.too_few

    def build(self, attribute: Attribute, path: FieldPath, data_path: str) -> tuple[Any, bool]:
        """Return the value at a path, and whether it obeys the schema."""
        if attribute.is_constant:
            value = attribute.choices[0] if attribute.choices else None
            return (
                (value, True)
                if attribute.choices
                else self.absent_value(attribute, data_path, path)
            )
        if attribute.type not in SCALAR_TYPES:
            attribute = attribute.expanded
            if attribute.type == "object":
                return self.object(attribute, path, data_path)
            if attribute.type == "tuple":
                return self.sequence(attribute, path, data_path)
            if attribute.is_counted:
                return self.array(attribute, path, data_path)
            if attribute.type == "union" and not attribute.is_scalar:
                return self.union(attribute, path, data_path)
        parsed = self.values.get(path, FieldValue())
        self.data_paths[path] = data_path
        if parsed.reason:
            self.reasons[data_path] = parsed.reason
        if parsed.value is None and (not parsed.error or is_missing(parsed.error)):
            return self.absent_value(attribute, data_path, path, parsed.error)
        if parsed.error:
            self.fail(data_path, parsed.error, path)
        return self.null(attribute, data_path) if parsed.value is None else (parsed.value, True)

    def object(self, attribute: Attribute, path: FieldPath, data_path: str) -> tuple[Any, bool]:
        data: dict[str, Any] = {}
        is_valid = True
        missing_before = set(self.missing_paths)
        violations_before = set(self.violations)
        for child in attribute.attributes:
            below = join_path(data_path, child.name)
            value, is_child_valid = self.build(child, (*path, child.name), below)
            _set_key(data, child, value)
            is_valid = is_valid and is_child_valid
        if is_empty(data) and _allows_absence(attribute):
            for withdrawn in self.missing_paths - missing_before:
                self.errors.pop(withdrawn, None)
                self.faults = {p: f for p, f in self.faults.items() if f[0] != withdrawn}
            self.missing_paths = missing_before
            self.violations = violations_before
            return None, True
        return data, is_valid

    def sequence(self, attribute: Attribute, path: FieldPath, data_path: str) -> tuple[Any, bool]:
        """Return the items up to the first one without a value."""
        items: list[Any] = []
        before = set(self.violations)
        is_whole = is_valid = True
        for index, part in enumerate(attribute.attributes):
            value, is_part_valid = self.build(part, (*path, part.name), join_path(data_path, index))
            is_valid = is_valid and (is_part_valid or not is_whole)
            is_whole = is_whole and (value is not None or part.nullable)
            if is_whole or part.required:
                items.append(value)
        while items and items[-1] is None and len(items) > (attribute.min_items or 0):
            items.pop()
        if _allows_absence(attribute) and all(map(is_empty, items)):
            self.violations = before
            return None, True
        return items, is_valid

    def union(self, attribute: Attribute, path: FieldPath, data_path: str) -> tuple[Any, bool]:
        which_path = (*path, VARIANT_KEY)
        which = self.values.get(which_path, FieldValue())
        self.data_paths[which_path] = data_path
        variant = next((v for v in attribute.attributes if v.name == which.value), None)
        if which.error and not is_missing(which.error):
            self.fail(data_path, f"which it is: {which.error}", which_path)
            return self.null(attribute, data_path)
        if variant is None:
            return self.absent_value(attribute, data_path, which_path)
        value, is_valid = self.build(variant, (*path, variant.name), data_path)
        if self.as_answer:
            return {VARIANT_KEY: variant.name, variant.name: value}, True
        return value, is_valid

    def check(self, document: Any, data: Any) -> None:
        """Validate the data with the original schema, beyond what attributes express."""
        # Without ``allows_null``, these paths are in parts that were omitted as a whole.
        missing = self.missing_paths if self.allows_null else ()
        for data_path, message in schema_violations(document, data, missing):
            self.fail(data_path, message)
            self.violations.add(data_path)
            for path, own in self.data_paths.items():
                if is_within(own, data_path):
                    self.faults.setdefault(path, (data_path, message))

    def array(self, attribute: Attribute, path: FieldPath, data_path: str) -> tuple[Any, bool]:
        count_path = (*path, COUNT_KEY)
        count = self.values.get(count_path, FieldValue())
        self.data_paths[count_path] = data_path
        if count.error and not is_missing(count.error):
            self.fail(data_path, f"the number of items: {count.error}", count_path)
            return self.null(attribute, data_path)
        if count.value is None or attribute.item is None:
            if attribute.nullable or attribute.min_items:
                return self.absent_value(attribute, data_path, count_path)
            return ({} if attribute.type == "map" and not self.as_answer else []), True
        n_items = min(count.value, attribute.max_asked_items)
        if count.value > n_items:
            message = f"the model counts {count.value} items, of which these are the first"
            self.fail(data_path, message, count_path)
        items, lost = self.items(attribute, attribute.item, path, data_path, n_items)
        if self.as_answer and attribute.type == "map":
            return items, True
        if len(items) < (attribute.min_items or 0):
            if not items and count.value == 0:
                return self.absent_value(attribute, data_path, count_path)
            self.too_few |= lost if count.value >= (attribute.min_items or 0) else {count_path}
            message = f"at least {attribute.min_items} items are needed, not {len(items)}"
            self.fail(data_path, message, count_path)
            self.violations.add(data_path)
        if attribute.type == "map":
            return {item[MAP_NAME]: item[MAP_VALUE] for item in items}, True
        return items, True

    def items(
        self, array: Attribute, item: Attribute, path: FieldPath, data_path: str, n_items: int
    ) -> tuple[list[Any], set[FieldPath]]:
        """Return the items, and the missing fields of omitted ones."""
        # A counted item should exist; an empty one is omitted below.
        item = replace(item, required=True)
        items: list[Any] = []
        lost: set[FieldPath] = set()
        seen: set[str] = set()
        for number in range(1, n_items + 1):
            here = join_path(data_path, len(items))
            inner = Assembly(self.values, as_answer=self.as_answer, allows_null=self.allows_null)
            if array.type == "map":
                here, value, is_valid = self.entry(item, (*path, str(number)), data_path, inner)
                identity = _json_identity(value[MAP_NAME])
            else:
                value, is_valid = inner.build(item, (*path, str(number)), here)
                identity = _json_identity(value)
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
                self.missing_paths |= inner.missing_paths
                self.data_paths.update(inner.data_paths)
            elif not is_needed:
                # An absent item was miscounted, unless it has a value when asked for again; an
                # invalid one is reported.
                lost |= inner.faults.keys()
                self.too_few |= inner.absent_fields
                self.faults.update(inner.faults)
                for error_path, message in (*inner.errors.items(), *inner.reasons.items()):
                    if message != NO_VALUE_ERROR:
                        part = error_path.removeprefix(here).lstrip(".")
                        self.fail(
                            data_path, f"item {number}{f', {part}' if part else ''}: {message}"
                        )
                        self.faults |= {
                            p: (data_path, m)
                            for p, (at, m) in inner.faults.items()
                            if at == error_path
                        }
        return items, lost

    def entry(
        self, item: Attribute, path: FieldPath, data_path: str, inner: Assembly
    ) -> tuple[str, dict[str, Any], bool]:
        """Return a map's entry: the value's path, name, value, and whether they are valid."""
        name_attribute, value_attribute = item.attributes
        name_path = (*path, MAP_NAME)
        name, is_named = inner.build(name_attribute, name_path, data_path)
        here = join_path(data_path, str(name))
        inner.data_paths[name_path] = here
        value, is_valid = inner.build(value_attribute, (*path, MAP_VALUE), here)
        is_valid = is_valid and is_named and name is not None
        return here, {MAP_NAME: name, MAP_VALUE: value}, is_valid

    def absent_value(
        self, attribute: Attribute, data_path: str, path: FieldPath, reason: str | None = None
    ) -> tuple[None, bool]:
        if _allows_absence(attribute):
            return None, True
        if self.allows_null:
            self.missing_paths.add(data_path)
            return None, True
        self.fail(data_path, reason or NO_VALUE_ERROR, path, missing=True)
        return self.null(attribute, data_path)

    def null(self, attribute: Attribute, path: str) -> tuple[None, bool]:
        """Return null, and whether the schema allows it."""
        if not _allows_absence(attribute):
            self.violations.add(path)
        return None, _allows_absence(attribute)

    def fail(
        self, data_path: str, message: str, path: FieldPath | None = None, *, missing: bool = False
    ) -> None:
        if path is not None:
            self.faults[path] = (data_path, message)
        if missing and data_path not in self.errors:
            self.missing_paths.add(data_path)
        elif not missing:
            self.missing_paths.discard(data_path)
        if data_path in self.errors:
            message = f"{self.errors[data_path]}; {message}"
        self.errors[data_path] = message


def _allows_absence(attribute: Attribute) -> bool:
    return attribute.nullable or not attribute.required


def _set_key(data: dict[str, Any], attribute: Attribute, value: Any) -> None:
    """Set a key, unless its value is null and the attribute is optional but not nullable."""
    if value is not None or attribute.nullable or attribute.required:
        data[attribute.name] = value


def _json_identity(value: Any) -> str:
    """Return a key that is equal for equal JSON values: 1 and 1.0, but not 1 and true."""
    return json.dumps(_floats_to_integers(value), sort_keys=True)


def _floats_to_integers(value: Any) -> Any:
    if isinstance(value, float) and value == int(value):
        return int(value)
    if isinstance(value, list):
        return [_floats_to_integers(part) for part in value]
    if isinstance(value, dict):
        return {name: _floats_to_integers(part) for name, part in value.items()}
    return value
