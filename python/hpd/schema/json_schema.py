"""JSON Schema read into attributes.

Keywords that attributes cannot express (``not``, ``if``, ``contains``, ...) are checked on the
finished data. Parts that cannot be asked for, such as an object without names, cause a
``SchemaWarning``. Contradictions are errors.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, Final

from hpd.messages import did_you_mean
from hpd.schema.attributes import (
    MAP_NAME,
    MAP_VALUE,
    MAX_LEVELS,
    MAX_RECURSIVE,
    VARIANT_KEY,
    Attribute,
    Recursion,
    Schema,
    Type,
)
from hpd.schema.checks import MAX_DEPTH, check_name, fail, warn
from hpd.schema.data_checks import check_expression
from hpd.schema.references import (
    ALL_KEYWORDS,
    ANNOTATIONS,
    CHECKED_AFTERWARDS,
    JSON_TYPES,
    KEYWORDS,
    NodeMerger,
    RecursiveReference,
    Refs,
)
from hpd.schema.scalars import (
    bool_of,
    check_pattern,
    contains,
    count_of,
    examples_of,
    matches,
    names_of,
    read_enum,
    read_number,
    read_string,
    text_of,
)
from hpd.schema.targets import Node, References, why_lost

_SHAPE_KEYWORDS: Final = frozenset(
    {"$ref", "type", "enum", "const", "properties", "items", "prefixItems", "patternProperties"}
    | {"allOf", "anyOf", "oneOf", "additionalProperties"}
) | (ALL_KEYWORDS - {"required", "checks"})
"""Keywords that describe a value's form, rather than other conditions."""

_KNOWN_KEYWORDS: Final = sorted(
    _SHAPE_KEYWORDS | ANNOTATIONS | CHECKED_AFTERWARDS | {"required", "checks"}
)

_REFERENCE_KEYWORDS: Final = frozenset({"$ref", "description", "title", "default", "$comment"})

MAX_ATTRIBUTES = 2000
"""Maximum number of attributes listed in the prompt; others are asked for level by level."""

SMALL_SCHEMA = 10
_ROOT_NAMES: Final = {"array": "items", "tuple": "items", "map": "entries"}
_MAX_LABEL = 60
_TYPE_LABELS: Final = {
    "string": "text",
    "integer": "whole number",
    "boolean": "true or false",
    "array": "list",
    "tuple": "list",
    "map": "named values",
}


def read_json_schema(root: Node) -> Schema:
    """Read a JSON Schema; if it is not an object, its only attribute is the data."""
    try:
        reader = _SchemaReader(References(root))
        attribute = reader.attribute(reader.root, "$", "value", frozenset({"#"}), required=True)
        reader.finish(attribute)
    except RecursionError:
        raise fail("$", f"the schema is nested more than {MAX_DEPTH} levels deep") from None
    for keyword, paths in reader.unknown.items():
        others = f", here and in {len(paths) - 1} other places" if len(paths) > 1 else ""
        hint = did_you_mean(keyword, _KNOWN_KEYWORDS)
        said = f"{keyword!r} is not a keyword of JSON Schema: ignored{others}"
        warn(paths[0], f"{said}; {hint}" if hint else said)
    if not reader.is_exact:
        for pointer, reference in reader.references.lost.values():
            raise fail(pointer, why_lost(reference))
    title = root.get("title")
    schema = Schema(
        attribute.attributes,
        title=title if isinstance(title, str) else "",
        description=attribute.description if attribute.type == "object" else "",
        document=None if reader.is_exact else root,
        checks=attribute.checks,
        has_checks=reader.has_checks,
        root=replace(attribute, attributes=()),
    )
    if attribute.type == "object" and attribute.attributes:
        return schema
    if attribute.type == "object":
        if attribute.forbids_others:
            raise fail("$", "the object may have no attributes: there is nothing to extract")
        attribute = _map(attribute, Attribute(MAP_NAME), Attribute(MAP_VALUE, has_type=False))
    if attribute.is_constant or attribute.type == "recursive":
        raise fail("$", "there is nothing to extract: no value, or only one, is allowed")
    name = _ROOT_NAMES.get(attribute.type, "value")
    return replace(schema, attributes=(replace(attribute, name=name),), has_unwrapped_root=True)


class _SchemaReader:
    def __init__(self, references: References) -> None:
        self.root = references.root
        self.references = references
        self.merger = NodeMerger(references)
        self.is_complete = True
        self.has_checks = False
        self.recursions: dict[str, Recursion] = {}
        self.n_attributes = 0
        self.unknown: dict[str, list[str]] = {}
        """The paths of unknown keywords."""
        self.known: dict[str, tuple[Attribute, int]] = {}
        """The targets of references, and the number of their parts."""

    @property
    def is_exact(self) -> bool:
        """Whether the attributes express the whole schema."""
        return self.is_complete and self.merger.is_exact

    def finish(self, root: Attribute) -> None:
        """Read the targets of recursive attributes that have not been read yet."""
        if "#" in self.recursions:
            self.recursions["#"].attribute = root
        waiting = [name for name, each in self.recursions.items() if each.attribute is None]
        while waiting:
            for name in waiting:
                if name in self.known:
                    self.recursions[name].attribute = self.known[name][0]
                    continue
                self.attribute({"$ref": name}, "$", "value", frozenset(), required=True)
                if self.recursions[name].attribute is None:
                    raise fail("$", f"{name} only refers to itself")
            waiting = [name for name, each in self.recursions.items() if each.attribute is None]

    def attribute(
        self, node: object, where: str, name: str, refs: Refs, *, required: bool
    ) -> Attribute:
        """Read a schema node; ``refs`` are the references that led to it."""
        if node is True:
            node = {}
        if not isinstance(node, Mapping):
            reason = "false accepts no value" if node is False else "a schema must be an object"
            raise fail(where, f"{reason} (found {node!r})")
        parts = node.get("allOf")
        only = parts[0] if isinstance(parts, list) and len(parts) == 1 else None
        if isinstance(only, Mapping) and {*node, *only} <= _REFERENCE_KEYWORDS | {"allOf"}:
            node = {
                **{key: node[key] for key in node if key != "allOf"},
                **only,
                **_descriptions(node),
            }
        reference = node.get("$ref")
        is_plain = isinstance(reference, str) and {*node} <= _REFERENCE_KEYWORDS
        if is_plain and reference in self.known:
            known, n_parts = self.known[reference]
            if self.n_attributes > MAX_ATTRIBUTES and n_parts > SMALL_SCHEMA:
                # So large a schema is asked for level by level, like a recursive one.
                return self.recursive(reference, node, where, name, required=required)
            self.n_attributes += n_parts
            words = text_of(node, "description", where) or known.description
            return replace(known, name=name, required=required, description=words)
        n_before = self.n_attributes
        self.n_attributes += 1
        try:
            merged, refs = self.merger.resolve(node, where, refs)
        except RecursiveReference as found:
            return self.recursive(found.reference, node, where, name, required=required)
        attribute = self.merge_node(merged, where, name, refs, required=required)
        if isinstance(reference, str):
            if reference in self.recursions and self.recursions[reference].attribute is None:
                self.recursions[reference].attribute = attribute
            if is_plain and reference not in self.known:
                own = self.references.look_up(reference, where).get("description", "")
                plain = replace(attribute, description=" ".join(str(own).split()))
                self.known[reference] = plain, self.n_attributes - n_before
        return attribute

    def recursive(
        self, reference: str, node: Node, where: str, name: str, *, required: bool
    ) -> Attribute:
        """Read a recursive reference, which is asked for level by level."""
        if reference not in self.recursions:
            plain = reference.rsplit("/", 1)[-1].strip("#") or str(self.root.get("title", "root"))
            warn(
                where,
                f"{plain} is a part of itself: up to {MAX_LEVELS} levels of it are asked for, and "
                f"{MAX_RECURSIVE} values in all",
            )
            used = {each.name for each in self.recursions.values()}
            self.recursions[reference] = Recursion(_unique_name(plain, used))
        return Attribute(
            name,
            "recursive",
            description=text_of(node, "description", where),
            nullable=False,
            required=required,
            recursion=self.recursions[reference],
        )

    def part(self, node: object, where: str, name: str, refs: Refs, *, required: bool) -> Attribute:
        """Read a part of an object; of a recursive one, it is first asked whether it exists."""
        attribute = self.attribute(node, where, name, refs, required=required)
        if attribute.type != "recursive" or attribute.recursion is None:
            return attribute
        inner = replace(attribute, name=attribute.recursion.name, required=True, description="")
        return replace(attribute, type="union", attributes=(inner,), recursion=None)

    def merge_node(
        self, node: Node, where: str, name: str, refs: Refs, *, required: bool
    ) -> Attribute:
        """Read a node whose references have been resolved."""
        if "anyOf" in node and "oneOf" in node:
            keep = "anyOf" if _any_has_shape(node["anyOf"]) else "oneOf"
            node = {
                key: value for key, value in node.items() if key in (keep, *_without_unions(node))
            }
            self.is_complete = False
        keyword = next((word for word in ("anyOf", "oneOf") if word in node), None)
        if (
            keyword
            and not _any_has_shape(node[keyword])
            and _SHAPE_KEYWORDS & {*_without_unions(node)}
        ):
            # The branches are only conditions, such as an object with one of two names.
            node, keyword = _without_unions(node), None
            self.is_complete = False
        if keyword:
            attribute = self.union(node, keyword, where, name, refs, required=required)
        else:
            attribute = self.plain(node, where, name, refs, required=required)
        if node.get("nullable") is True:
            attribute = replace(attribute, nullable=True)
        if "depends_on" in node:
            after = names_of(node["depends_on"], where)
            attribute = replace(attribute, after=after)
        return attribute

    def union(
        self, node: Node, keyword: str, where: str, name: str, refs: Refs, *, required: bool
    ) -> Attribute:
        """Read an ``anyOf`` or ``oneOf``, which may also allow null."""
        branches = node[keyword]
        if not isinstance(branches, list) or not branches:
            raise fail(f"{where}.{keyword}", "a list of schemas is expected")
        rest = _without_unions(node)
        nullable = False
        real: list[Attribute] = []
        labels: list[str] = []
        faults: list[Exception] = []
        for index, branch in enumerate(branches):
            path = f"{where}.{keyword}[{index}]"
            if branch is False:
                continue
            if branch is True:
                branch = {}
            if not isinstance(branch, Mapping):
                raise fail(path, f"a schema must be an object (found {branch!r})")
            if "$ref" in branch and {*branch, *rest} <= _REFERENCE_KEYWORDS:
                # A fast path for the usual case.
                attribute = self.attribute(
                    {**branch, **_descriptions(rest)}, path, name, refs, required=required
                )
                nullable = nullable or attribute.nullable
                if not attribute.is_constant or attribute.choices:
                    real.append(attribute)
                    target = self.references.look_up(branch["$ref"], path)
                    labels.append(str(target.get("title", "")) or _reference_name(branch))
                continue
            try:
                full, inner = self.merger.resolve(branch, path, refs)
            except RecursiveReference as found:
                real.append(self.recursive(found.reference, branch, path, name, required=required))
                labels.append(self.recursions[found.reference].name)
                continue
            if _is_null(full):
                nullable = True
                continue
            try:
                # Keywords beside the union apply to each branch, and override its descriptions.
                title = text_of(full, "title", path) or _reference_name(branch)
                full = self.merger.merge(full, rest, path)
            except ValueError as fault:  # the branch contradicts them
                faults.append(fault)
                continue
            attribute = self.merge_node(full, path, name, inner, required=required)
            nullable = nullable or attribute.nullable
            if attribute.is_constant and not attribute.choices:
                continue
            real.append(attribute)
            labels.append(title)
        if not real:
            if faults and not nullable:
                raise faults[0]
            return Attribute(name, "enum", required=required, nullable=nullable, is_constant=True)
        if keyword == "oneOf" and _overlap(real):
            self.is_complete = False
        chosen = _one_attribute(real, labels, name)
        n_others = sum(not variant.is_scalar for variant in chosen.attributes)
        if chosen.type == "union" and n_others > 1 and any(map(_has_checks, chosen.attributes)):
            raise fail(
                where,
                "one of several variants cannot have checks: put them on the object around it",
            )
        if chosen.type == "union" and rest.get("description"):
            chosen = replace(chosen, description=text_of(rest, "description", where))
        return replace(chosen, nullable=nullable, required=required)

    def plain(self, node: Node, where: str, name: str, refs: Refs, *, required: bool) -> Attribute:
        types, nullable = _types(node, where)
        common = Attribute(
            name,
            description=text_of(node, "description", where),
            examples=examples_of(node),
            nullable=nullable,
            required=required,
            has_type="type" in node,
        )
        if "enum" in node or "const" in node:
            return self.choice(common, node, types, where)
        if not types:
            return replace(common, type="enum", is_constant=True, nullable=True)
        if {*types} == {"integer", "number"}:
            types = ["number"]
        if len(types) == 1:
            self.report(node, where, KEYWORDS.get(types[0], frozenset()), kind=types[0])
            return self.of_type(types[0], common, node, where, refs)
        self.report(node, where, ALL_KEYWORDS, kind=" or ".join(types))
        bare = replace(common, description="", examples=())
        variants = [
            self.of_type(kind, bare, _keywords_of_type(node, kind), where, refs)
            for kind in types
            if kind != "integer" or "number" not in types
        ]
        chosen = replace(_one_attribute(variants, [""] * len(variants), name), nullable=nullable)
        words = {"description": common.description, "examples": common.examples}
        return replace(chosen, required=required, **words)  # type: ignore[arg-type]

    def of_type(
        self, kind: str, common: Attribute, node: Node, where: str, refs: Refs
    ) -> Attribute:
        """Read a node of one type."""
        if kind == "object":
            return self.object(common, node, where, refs)
        if kind == "array":
            return self.array(common, node, where, refs)
        if kind in ("integer", "number"):
            number_type: Type = "integer" if kind == "integer" else "number"
            return read_number(replace(common, type=number_type), node, where)
        if kind == "boolean":
            return replace(common, type="boolean")
        return read_string(common, node, where)

    def choice(self, common: Attribute, node: Node, types: list[str], where: str) -> Attribute:
        """Read an enumeration."""
        self.report(node, where, ALL_KEYWORDS, kind="enum")
        if ALL_KEYWORDS & {*node}:
            self.is_complete = False
        values = node["enum"] if "enum" in node else [node["const"]]
        if not isinstance(values, list):
            return read_enum(common, node, types, where)  # raises the error
        nested = [value for value in values if isinstance(value, list | dict)]
        if not nested or not {"array", "object"} & {*types}:
            if nested:
                plain = [value for value in values if value not in nested]
                node = {**{k: v for k, v in node.items() if k != "const"}, "enum": plain or [None]}
            return read_enum(common, node, types, where)
        variants = []
        for value in values:
            if value is not None:
                label = json.dumps(value, ensure_ascii=False)
                fixed = Attribute(label, "enum", choices=(value,), nullable=False, is_constant=True)
                variants.append(replace(fixed, required=True))
        nullable = common.nullable or None in values
        return _union(common, variants, [v.name for v in variants], nullable=nullable)

    def object(self, common: Attribute, node: Node, where: str, refs: Refs) -> Attribute:
        properties = node.get("properties", {})
        if not isinstance(properties, Mapping):
            raise fail(f"{where}.properties", "an object of schemas by name is expected")
        extra = node.get("additionalProperties", True)
        patterns = node.get("patternProperties", {})
        if not isinstance(patterns, Mapping):
            raise fail(f"{where}.patternProperties", "an object of schemas by pattern is expected")
        required = names_of(node.get("required", []), f"{where}.required")
        unknown = [name for name in required if name not in properties]
        is_open = bool(patterns) or isinstance(extra, Mapping)
        if not properties and not unknown and is_open:
            return self.map(common, node, where, refs)
        if isinstance(extra, Mapping) and extra:
            warn(where, "additionalProperties: only the named properties are extracted")
            self.is_complete = False
        if patterns:
            warn(where, "patternProperties: only the named properties are extracted")
            self.is_complete = False
        if {"minProperties", "maxProperties", "propertyNames"} & {*node}:
            self.is_complete = False
        attributes = []
        for name, child in properties.items():
            path = f"{where}.properties.{name}"
            if child is False and name not in required:
                continue
            check_name(name, f"{where}.properties", may_be_empty=True)
            if child is False:
                child = {"enum": [None], "type": "string"}
            attributes.append(self.part(child, path, name, refs, required=name in required))
        for name in unknown:
            child = next((s for pattern, s in patterns.items() if _matches(pattern, name)), extra)
            path = f"{where}.required"
            if child is False:
                warn(path, f"{name!r} is required, but not allowed: no data can obey the schema")
                child = {"enum": [None], "type": "string"}
            if child in (True, {}):
                hint = did_you_mean(name, properties)
                said = f"{name!r} is required, but not one of the properties: read as text"
                warn(path, f"{said}; {hint}" if hint else said)
            check_name(name, path, may_be_empty=True)
            attributes.append(self.part(child, path, name, refs, required=True))
        forbids_others = extra is False and not patterns
        if not attributes and not forbids_others:
            self.warn_of_no_properties(where)
        return replace(
            common,
            type="object",
            attributes=tuple(attributes),
            forbids_others=forbids_others,
            checks=self.checks(node, where, attributes),
        )

    def warn_of_no_properties(self, where: str) -> None:
        """Warn of an object without properties; at the root, a misspelt keyword is an error."""
        if where != "$":
            warn(where, "the object names no properties: where it is required, it is empty")
            return
        for keyword in self.unknown:
            if hint := did_you_mean(keyword, _KNOWN_KEYWORDS):
                raise fail(where, f"the object names no properties; {keyword!r}: {hint}")
        warn(where, "the object names no properties: any names and values are asked for")

    def checks(self, node: Node, where: str, attributes: list[Attribute]) -> tuple[str, ...]:
        """Read the expressions that should be true of an object with some attributes."""
        texts = node.get("checks", [])
        where = f"{where}.checks"
        if not isinstance(texts, list | tuple) or not all(isinstance(text, str) for text in texts):
            raise fail(where, f"a list of expressions is expected, not {texts!r}")
        for text in texts:
            try:
                check_expression(text, attributes)
            except ValueError as error:
                raise fail(where, f"{text!r}: {error}") from None
        self.has_checks = self.has_checks or bool(texts)
        return tuple(dict.fromkeys(texts))

    def map(self, common: Attribute, node: Node, where: str, refs: Refs) -> Attribute:
        """Read an object whose names come from the document."""
        if "checks" in node:
            raise fail(f"{where}.checks", "the object has no properties that a check could name")
        patterns = dict(node.get("patternProperties", {}))
        extra = node.get("additionalProperties", True)
        names = node.get("propertyNames", {})
        # An empty pattern matches every name.
        shown = {pattern: schema for pattern, schema in patterns.items() if schema is not False}
        if shown:
            pattern, value = next(iter(shown.items()))
            if len(shown) > 1:
                warn(where, f"patternProperties: only names like {pattern} are asked for")
            path = f"{where}.patternProperties.{pattern}"
        else:
            pattern, value, path = "", extra, f"{where}.additionalProperties"
        if len(patterns) > 1 or (patterns and (names or extra is not False)):
            self.is_complete = False
        name = Attribute(MAP_NAME, nullable=False, required=True)
        if isinstance(names, Mapping) and names:
            names = {"type": "string", **{k: v for k, v in names.items() if k != "description"}}
            name = self.attribute(names, f"{where}.propertyNames", MAP_NAME, refs, required=True)
            if not name.is_scalar:
                raise fail(f"{where}.propertyNames", "a name must be text")
        if pattern and name.type == "string" and name.pattern is None:
            name = read_string(name, {"pattern": pattern}, path)
        if value is False:
            return replace(common, type="object", forbids_others=True)
        item = self.attribute(value, path, MAP_VALUE, refs, required=True)
        return replace(
            _map(common, name, item),
            min_items=count_of(node, "minProperties", where),
            max_items=count_of(node, "maxProperties", where),
        )

    def array(self, common: Attribute, node: Node, where: str, refs: Refs) -> Attribute:
        items = node.get("items", True)
        minimum = count_of(node, "minItems", where)
        maximum = count_of(node, "maxItems", where)
        if "prefixItems" in node or isinstance(items, list):
            return self.tuple(common, node, where, refs)
        if items is False:
            maximum, items = 0, True
        if items is True or items == {}:
            warn(where, "the array does not say what its items are: they are read as text")
            item = Attribute("item", nullable=False, has_type=False)
        else:
            item = self.attribute(items, f"{where}.items", "item", refs, required=False)
            # Formally an item without a type may be null, but that is never meant.
            if isinstance(items, Mapping) and not (
                {"type", "enum", "const", "anyOf", "oneOf", "allOf", "$ref", "nullable"} & {*items}
            ):
                item = replace(item, nullable=False)
        return replace(
            common,
            type="array",
            item=item,
            named_by=self.named_by(node, where, item),
            min_items=minimum,
            max_items=maximum,
            unique_items=bool_of(node, "uniqueItems", where),
        )

    def named_by(self, node: Node, where: str, item: Attribute) -> tuple[str, ...]:
        """Return the parts that identify the items of an array, if the schema names them."""
        if "named_by" not in node:
            return ()
        names = names_of(node["named_by"], f"{where}.named_by")
        parts = [part.name for part in item.attributes if part.is_scalar and not part.is_constant]
        unknown = [name for name in names if item.type != "object" or name not in parts]
        if unknown:
            raise fail(
                f"{where}.named_by",
                f"{unknown[0]!r} is not a single value of its items ({', '.join(parts) or 'none'})",
            )
        return names

    def tuple(self, common: Attribute, node: Node, where: str, refs: Refs) -> Attribute:
        """Read an array whose items differ by position."""
        keyword = "prefixItems" if "prefixItems" in node else "items"
        item_schemas = node[keyword]
        rest = node.get("items" if keyword == "prefixItems" else "additionalItems", True)
        minimum = count_of(node, "minItems", where)
        maximum = count_of(node, "maxItems", where)
        if not isinstance(item_schemas, list):
            raise fail(f"{where}.{keyword}", "a list of schemas is expected")
        n_asked = max(len(item_schemas), min(minimum or 0, MAX_TUPLE_ITEMS))
        parts = []
        for index in range(n_asked if maximum is None else min(n_asked, maximum)):
            own = item_schemas[index] if index < len(item_schemas) else rest
            if own is False:
                break
            path, is_needed = f"{where}.{keyword}[{index}]", index < (minimum or 0)
            parts.append(self.part(own, path, str(index + 1), refs, required=is_needed))
        if not parts:
            warn(where, "the array can only be empty")
        self.is_complete = self.is_complete and not bool_of(node, "uniqueItems", where)
        forbids_others = rest is False or (maximum is not None and maximum <= len(parts))
        return replace(
            common,
            type="tuple",
            attributes=tuple(parts),
            min_items=minimum,
            forbids_others=forbids_others,
        )

    def report(self, node: Node, where: str, understood: frozenset[str], *, kind: str) -> None:
        """Warn of keywords without effect, and note that others are checked on the data."""
        for keyword in node:
            if keyword in ANNOTATIONS or keyword in understood or keyword.startswith("x-"):
                continue
            if keyword in CHECKED_AFTERWARDS:
                if keyword not in _MAP_KEYWORDS:
                    self.is_complete = False
            elif keyword in ALL_KEYWORDS:
                warn(where, f"{keyword!r} has no effect on a value of type {kind}: ignored")
            elif keyword not in ("prefixItems", "required"):
                self.unknown.setdefault(keyword, []).append(where)


MAX_TUPLE_ITEMS: Final = 100
"""Maximum number of a tuple's items that are asked for because of ``minItems``."""

_MAP_KEYWORDS: Final = ("patternProperties", "propertyNames", "minProperties", "maxProperties")


def _map(common: Attribute, name: Attribute, value: Attribute) -> Attribute:
    name = replace(name, name=MAP_NAME, nullable=False, required=True)
    value = replace(value, name=MAP_VALUE, required=True, after=(MAP_NAME,))
    item = Attribute("item", "object", nullable=False, attributes=(name, value))
    return replace(common, type="map", item=item)


def _descriptions(node: Node) -> dict[str, Any]:
    return {key: node[key] for key in ("title", "description") if key in node}


def _without_unions(node: Node) -> dict[str, Any]:
    return {key: value for key, value in node.items() if key not in ("anyOf", "oneOf")}


def _any_has_shape(branches: object) -> bool:
    """Return whether a branch describes a value's form."""
    return isinstance(branches, list) and any(
        isinstance(branch, Mapping) and _SHAPE_KEYWORDS & {*branch} for branch in branches
    )


def _keywords_of_type(node: Node, kind: str) -> Node:
    """Return a node without the keywords of other types."""
    own = KEYWORDS.get(kind, frozenset()) | {"prefixItems", *_MAP_KEYWORDS}
    others = ALL_KEYWORDS - own
    return {key: value for key, value in node.items() if key not in others}


def _types(node: Node, where: str) -> tuple[list[str], bool]:
    """Return the types that a node allows except null, and whether it allows null."""
    declared = node.get("type")
    if declared is None:
        if "enum" in node or "const" in node:
            return list(JSON_TYPES), False
        if "prefixItems" in node:
            return ["array"], True
        for kind, keywords in KEYWORDS.items():
            if keywords & {*node}:
                return [kind], True
        if {*_MAP_KEYWORDS, "dependencies", "dependentRequired"} & {*node}:
            return ["object"], True
        return ["string"], True
    types = [declared] if isinstance(declared, str) else declared
    if not isinstance(types, list) or not types or not all(kind in JSON_TYPES for kind in types):
        raise fail(f"{where}.type", f"{declared!r} is not a type ({', '.join(JSON_TYPES)})")
    return [kind for kind in types if kind != "null"], "null" in types


def _is_null(node: Node) -> bool:
    return (
        node.get("type") in ("null", ["null"])
        or ("const" in node and node["const"] is None)
        or node.get("enum") == [None]
    )


def _has_checks(attribute: Attribute) -> bool:
    items = () if attribute.item is None else (attribute.item,)
    return bool(attribute.checks) or any(map(_has_checks, (*attribute.attributes, *items)))


def _overlap(real: list[Attribute]) -> bool:
    """Return whether a value may match several variants, which ``oneOf`` forbids."""
    kinds = [attribute.type for attribute in real]
    return len({*kinds}) < len(kinds) or not {*kinds} <= {"string", "boolean", "number", "array"}


def _one_attribute(real: list[Attribute], labels: list[str], name: str) -> Attribute:
    """Return one attribute for several variants."""
    first = real[0]
    if len(real) == 1 and first.type != "recursive":
        return first
    if all(attribute.type == "enum" and not attribute.is_constant for attribute in real):
        choices: list[str | int | float | bool] = []
        for attribute in real:
            choices.extend(c for c in attribute.choices if not contains(choices, c))
        description = "; ".join(dict.fromkeys(a.description for a in real if a.description))
        return replace(first, choices=tuple(choices), description=description)
    kinds = [attribute.type for attribute in real]
    if {*kinds} == {"integer", "number"} and len(kinds) == 2:
        return real[kinds.index("number")]
    return _union(Attribute(name), real, labels, nullable=False)


def _union(
    common: Attribute, real: Iterable[Attribute], labels: list[str], *, nullable: bool
) -> Attribute:
    variants = [replace(each, nullable=False, required=True) for each in real]
    union = replace(common, type="union", attributes=tuple(variants), nullable=nullable)
    if union.is_scalar:
        named = (replace(v, name=str(n)) for n, v in enumerate(variants, start=1))
        return replace(union, attributes=tuple(named))
    mark = _discriminator(variants)
    used: set[str] = {VARIANT_KEY}
    made = []
    for variant, label in zip(variants, labels, strict=True):
        if variant.type == "object":
            variant = replace(variant, attributes=_mark_constants(variant.attributes, mark))
        marked = next((each for each in variant.attributes if each.name == mark), None)
        text = str(marked.choices[0]) if marked else label or _variant_label(variant)
        text = " ".join(text.split())[:_MAX_LABEL].strip() or "other"
        made.append(replace(variant, name=_unique_name(text, used)))
        used.add(made[-1].name)
    return replace(union, attributes=tuple(made))


def _discriminator(variants: list[Attribute]) -> str | None:
    """Return the name of the attribute with a different constant in each object variant."""
    objects = [variant for variant in variants if variant.type == "object"]
    if len(objects) < 2:
        return None
    for candidate in objects[0].attributes:
        found = [
            each.choices
            for variant in objects
            for each in variant.attributes
            if each.name == candidate.name and each.type == "enum" and len(each.choices) == 1
        ]
        if len(found) == len({str(choices[0]) for choices in found}) == len(objects):
            return candidate.name
    return None


def _mark_constants(attributes: tuple[Attribute, ...], mark: str | None) -> tuple[Attribute, ...]:
    """Mark a variant's parts that can have only one value, which are not asked for."""
    return tuple(
        replace(each, is_constant=True, required=True)
        if each.type == "enum"
        and len(each.choices) == 1
        and not each.nullable
        and (each.required or each.name == mark)
        else each
        for each in attributes
    )


def _variant_label(variant: Attribute) -> str:
    """Return a label for a variant without a title."""
    if variant.type == "object":
        fixed = [
            str(each.choices[0]) for each in variant.attributes if each.is_constant and each.choices
        ]
        names = [each.name for each in variant.attributes if not each.is_constant]
        return ", ".join(fixed or names[:4]) or "object"
    if variant.type == "enum":
        return ", ".join(map(str, variant.choices[:3]))
    label = _TYPE_LABELS.get(variant.type, variant.type)
    if variant.type == "array" and variant.item is not None and variant.item.type != "string":
        return f"{label} of {_variant_label(variant.item)}"
    return label


def _unique_name(name: str, used: set[str]) -> str:
    """Return an unused name: itself, or with a number."""
    numbered = name
    number = 2
    while numbered in used:
        numbered, number = f"{name} {number}", number + 1
    return numbered


def _reference_name(branch: Node) -> str:
    reference = branch.get("$ref")
    return reference.rsplit("/", 1)[-1].strip("#") if isinstance(reference, str) else ""


def _matches(pattern: str, name: str) -> bool:
    try:
        check_pattern(pattern)
        return matches(pattern, name)
    except (ValueError, TimeoutError):
        return False
