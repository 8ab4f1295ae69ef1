"""JSON Schema read into attributes.

Whatever limits values in a way that cannot be honoured is a ``SchemaWarning``; whatever leaves no
fixed list of attributes, such as an object that contains itself, is an error.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from hpd.schema.attributes import Attribute, Schema, Type
from hpd.schema.checks import MAX_DEPTH, check_name, fail, warn
from hpd.schema.formats import CHECKED_FORMATS, check_pattern
from hpd.schema.references import (
    ALL_KEYWORDS,
    ANNOTATIONS,
    JSON_TYPES,
    KEYWORDS,
    NOT_HONOURED,
    NUMBER_FORMATS,
    Node,
    Refs,
    merge,
    resolve,
)


def read_json_schema(root: Node) -> Schema:
    """The attributes of a JSON Schema whose root is an object."""
    reader = _Reader(root)
    try:
        attribute = reader.attribute(root, "$", "", frozenset(), required=True)
    except RecursionError:
        raise fail("$", f"the schema is nested more than {MAX_DEPTH} levels deep") from None
    if attribute.type == "array":
        raise fail(
            "$",
            "the schema is an array, but a document gives one object: "
            'wrap it, as in {"type": "object", "properties": {"items": <your schema>}}',
        )
    if attribute.type != "object":
        raise fail(
            "$", f"the schema must describe an object with properties, not a {attribute.type}"
        )
    title = root.get("title")
    return Schema(attribute.attributes, title=title if isinstance(title, str) else "")


class _Reader:
    def __init__(self, root: Node) -> None:
        self.root = root

    def attribute(
        self, node: object, where: str, name: str, refs: Refs, *, required: bool
    ) -> Attribute:
        """One schema node as an attribute; ``refs`` are the references that led here."""
        if node is True:
            node = {}
        if not isinstance(node, Mapping):
            reason = "false accepts no value" if node is False else "a schema must be an object"
            raise fail(where, f"{reason} (found {node!r})")
        merged, refs = resolve(self.root, node, where, refs)
        if "anyOf" in merged or "oneOf" in merged:
            attribute = self.union(merged, where, name, refs, required=required)
        else:
            attribute = self.plain(merged, where, name, refs, required=required)
        if merged.get("nullable") is True:
            attribute = replace(attribute, nullable=True)
        if "depends_on" in merged:
            attribute = replace(attribute, after=_names(merged["depends_on"], where))
        return attribute

    def union(self, node: Node, where: str, name: str, refs: Refs, *, required: bool) -> Attribute:
        """An ``anyOf`` or ``oneOf`` as an attribute of one type, which may also be null."""
        keyword = "anyOf" if "anyOf" in node else "oneOf"
        if "anyOf" in node and "oneOf" in node:
            raise fail(where, "anyOf and oneOf in one place cannot be honoured: keep one of them")
        branches = node[keyword]
        if not isinstance(branches, list) or not branches:
            raise fail(f"{where}.{keyword}", "a list of schemas is expected")
        rest = {key: value for key, value in node.items() if key != keyword}
        nullable = False
        real: list[Attribute] = []
        for index, branch in enumerate(branches):
            branch_where = f"{where}.{keyword}[{index}]"
            if not isinstance(branch, Mapping):
                raise fail(branch_where, f"a schema must be an object (found {branch!r})")
            full, branch_refs = resolve(self.root, branch, branch_where, refs)
            if _is_null(full):
                nullable = True
                continue
            # Keywords beside the union hold for each of its branches, and override its words.
            full = merge(full, rest, branch_where)
            attribute = self.attribute(full, branch_where, name, branch_refs, required=required)
            nullable = nullable or attribute.nullable
            real.append(attribute)
        if not real:
            raise fail(where, "only null is allowed here: there is nothing to extract")
        chosen = _choose(real, keyword, where)
        return replace(chosen, nullable=nullable)

    def plain(self, node: Node, where: str, name: str, refs: Refs, *, required: bool) -> Attribute:
        types, nullable = _types(node, where)
        common = Attribute(
            name,
            description=_text(node, "description", where),
            examples=_examples(node),
            nullable=nullable,
            required=required,
        )
        if "enum" in node or "const" in node:
            _report_keywords(node, where, frozenset(), kind="enum")
            return _enum(common, node, types, where)
        if not types:
            raise fail(where, "only null is allowed here: there is nothing to extract")
        kind = _one_type(types, node, where)
        _report_keywords(node, where, KEYWORDS.get(kind, frozenset()), kind=kind)
        if kind == "object":
            return replace(common, type="object", attributes=self.properties(node, where, refs))
        if kind == "array":
            return self.array(common, node, where, refs)
        if kind in ("integer", "number"):
            number_type: Type = "integer" if kind == "integer" else "number"
            return _number(replace(common, type=number_type), node, where)
        if kind == "boolean":
            return replace(common, type="boolean")
        return _string(common, node, where)

    def properties(self, node: Node, where: str, refs: Refs) -> tuple[Attribute, ...]:
        properties = node.get("properties", {})
        if not isinstance(properties, Mapping):
            raise fail(f"{where}.properties", "an object of schemas by name is expected")
        extra = node.get("additionalProperties", False)
        if not properties:
            hint = (
                "its names are not fixed (additionalProperties): name the ones to extract"
                if extra
                else "name at least one attribute in properties"
            )
            raise fail(where, f"the object is empty: {hint}")
        if isinstance(extra, Mapping) and extra:
            warn(where, "additionalProperties: only the named properties are extracted")
        required = _names(node.get("required", []), f"{where}.required")
        unknown = [name for name in required if name not in properties]
        if unknown:
            raise fail(
                f"{where}.required",
                f"{', '.join(map(repr, unknown))} is required, but not among the properties",
            )
        return tuple(
            self.attribute(
                child,
                f"{where}.properties.{name}",
                check_name(name, f"{where}.properties"),
                refs,
                required=name in required,
            )
            for name, child in properties.items()
        )

    def array(self, common: Attribute, node: Node, where: str, refs: Refs) -> Attribute:
        items = node.get("items", True)
        if "prefixItems" in node or isinstance(items, list):
            raise fail(
                where,
                "items that differ by position (a tuple) cannot be honoured: "
                "use an object with one property for each position",
            )
        if items is False:
            raise fail(where, "the array may hold nothing: there is nothing to extract")
        if items is True or items == {}:
            warn(where, "the array does not say what its items are: they are read as text")
            item = Attribute("item", nullable=False)
        else:
            item = self.attribute(items, f"{where}.items", "item", refs, required=False)
            # By the letter an item without a type may be null, but nobody means that.
            if isinstance(items, Mapping) and not (
                {"type", "enum", "const", "anyOf", "oneOf", "allOf", "$ref", "nullable"} & {*items}
            ):
                item = replace(item, nullable=False)
        return replace(
            common,
            type="array",
            item=item,
            min_items=_count(node, "minItems", where),
            max_items=_count(node, "maxItems", where),
            unique_items=_flag(node, "uniqueItems", where),
        )


def _types(node: Node, where: str) -> tuple[list[str], bool]:
    """The types that a node allows without null, and whether it allows null."""
    declared = node.get("type")
    if declared is None:
        if "enum" in node or "const" in node:
            return list(JSON_TYPES), False
        for kind, keywords in KEYWORDS.items():
            if keywords & {*node}:
                return [kind], True
        return ["string"], True
    types = [declared] if isinstance(declared, str) else declared
    if not isinstance(types, list) or not all(kind in JSON_TYPES for kind in types):
        raise fail(f"{where}.type", f"{declared!r} is not a type ({', '.join(JSON_TYPES)})")
    return [kind for kind in types if kind != "null"], "null" in types


def _one_type(types: list[str], node: Node, where: str) -> str:
    if len(types) == 1:
        return types[0]
    if {*types} == {"integer", "number"}:
        return "number"
    scalars = [kind for kind in types if kind not in ("array", "object")]
    if not scalars:
        raise fail(where, f"a choice between {' and '.join(types)} cannot be honoured: keep one")
    limited = {"pattern", "format", "minLength", "maxLength"} & {*node}
    kind = "string" if "string" in scalars and not limited else scalars[0]
    warn(where, f"of the types {', '.join(types)}, only {kind} is extracted")
    return kind


def _choose(real: list[Attribute], keyword: str, where: str) -> Attribute:
    """The one of several real types that is extracted."""
    first = real[0]
    if len(real) == 1:
        return first
    if all(attribute.type == "enum" for attribute in real):
        choices: list[str | int | float | bool] = []
        for attribute in real:
            choices.extend(c for c in attribute.choices if not _contains(choices, c))
        description = "; ".join(dict.fromkeys(a.description for a in real if a.description))
        return replace(first, choices=tuple(choices), description=description)
    kinds = [attribute.type for attribute in real]
    if any(kind in ("array", "object") for kind in kinds):
        raise fail(
            f"{where}.{keyword}",
            f"a choice between {' and '.join(kinds)} cannot be honoured: keep one of them, "
            "or give each its own attribute",
        )
    overlap = len({*kinds}) < len(kinds) or {*kinds} >= {"integer", "number"}
    if keyword == "oneOf" and overlap:
        raise fail(
            f"{where}.oneOf",
            f"one value can fit several of {', '.join(kinds)}, which oneOf forbids: "
            "keep one of them, or use anyOf",
        )
    if kinds in (["integer", "number"], ["number", "integer"]):
        return real[kinds.index("number")]
    plain = [a for a in real if a.type == "string" and not _is_limited(a)]
    numbers = [a for a in real if a.type in ("number", "integer")]
    chosen = (plain or numbers or real)[0]
    warn(f"{where}.{keyword}", f"of the types {', '.join(kinds)}, only {chosen.type} is extracted")
    return chosen


def _is_limited(attribute: Attribute) -> bool:
    limits = (attribute.pattern, attribute.format, attribute.min_length, attribute.max_length)
    return any(limit is not None for limit in limits)


def _is_null(node: Node) -> bool:
    return (
        node.get("type") in ("null", ["null"])
        or ("const" in node and node["const"] is None)
        or node.get("enum") == [None]
    )


def _enum(common: Attribute, node: Node, types: list[str], where: str) -> Attribute:
    values = node["enum"] if "enum" in node else [node["const"]]
    if not isinstance(values, list) or not values:
        raise fail(f"{where}.enum", "a list with at least one value is expected")
    if "enum" in node and "const" in node:
        values = [value for value in values if _contains([node["const"]], value)]
    nullable = None in values and ("type" not in node or common.nullable)
    choices: list[str | int | float | bool] = []
    for value in values:
        if value is None:
            continue
        if not isinstance(value, str | int | float) or (
            isinstance(value, float) and not math.isfinite(value)
        ):
            raise fail(f"{where}.enum", f"{value!r} cannot be a choice: only text and numbers can")
        if not any(_is_of(value, kind) for kind in types):
            warn(f"{where}.enum", f"{value!r} is not of the type {' or '.join(types)}: left out")
            continue
        if not _contains(choices, value):
            choices.append(value)
    if not choices:
        raise fail(f"{where}.enum", "no value is left to choose from")
    return replace(common, type="enum", choices=tuple(choices), nullable=nullable)


def _contains(values: list[Any], value: object) -> bool:
    """Whether a value is among others as JSON compares them: true is not 1."""
    return any(
        value == other and isinstance(value, bool) == isinstance(other, bool) for other in values
    )


def _is_of(value: str | int | float | bool, kind: str) -> bool:
    if isinstance(value, bool):
        return kind == "boolean"
    if isinstance(value, str):
        return kind == "string"
    return kind == "number" or (kind == "integer" and value == int(value))


def _string(common: Attribute, node: Node, where: str) -> Attribute:
    pattern = node.get("pattern")
    if pattern is not None:
        try:
            check_pattern(pattern)
        except ValueError as error:
            raise fail(
                f"{where}.pattern",
                f"{pattern!r} is not a regular expression that Python reads ({error})",
            ) from None
    attribute = replace(
        common,
        pattern=pattern,
        min_length=_count(node, "minLength", where),
        max_length=_count(node, "maxLength", where),
    )
    kind = _text(node, "format", where) or None
    if kind in ("date", "date-time"):
        if _is_limited(attribute):
            warn(where, f"pattern, minLength and maxLength beside the format {kind} are ignored")
        date_type: Type = "date" if kind == "date" else "date-time"
        return replace(common, type=date_type)
    if kind is not None and kind not in CHECKED_FORMATS:
        warn(f"{where}.format", f"the format {kind!r} is not known here: values are not checked")
        kind = None
    return replace(attribute, format=kind)


def _number(attribute: Attribute, node: Node, where: str) -> Attribute:
    minimum = _limit(node, "minimum", where)
    maximum = _limit(node, "maximum", where)
    above, below = node.get("exclusiveMinimum"), node.get("exclusiveMaximum")
    # In draft 4 these two are booleans, which make minimum and maximum exclusive.
    if isinstance(above, bool):
        exclusive_minimum, minimum = (minimum, None) if above else (None, minimum)
    else:
        exclusive_minimum = _limit(node, "exclusiveMinimum", where)
    if isinstance(below, bool):
        exclusive_maximum, maximum = (maximum, None) if below else (None, maximum)
    else:
        exclusive_maximum = _limit(node, "exclusiveMaximum", where)
    multiple_of = _limit(node, "multipleOf", where)
    if multiple_of is not None and multiple_of <= 0:
        raise fail(f"{where}.multipleOf", f"a number above 0 is expected, not {multiple_of}")
    kind = _text(node, "format", where) or None
    if kind is not None and kind not in NUMBER_FORMATS:
        warn(f"{where}.format", f"the format {kind!r} says nothing about a number: ignored")
    return replace(
        attribute,
        minimum=minimum,
        maximum=maximum,
        exclusive_minimum=exclusive_minimum,
        exclusive_maximum=exclusive_maximum,
        multiple_of=multiple_of,
    )


def _report_keywords(node: Node, where: str, understood: frozenset[str], *, kind: str) -> None:
    for keyword in node:
        if keyword in ANNOTATIONS or keyword in understood or keyword.startswith("x-"):
            continue
        if keyword in NOT_HONOURED:
            warn(where, f"{keyword!r} is not honoured: a value may go against it")
        elif keyword in ALL_KEYWORDS:
            warn(where, f"{keyword!r} says nothing about a value of type {kind}: ignored")
        elif keyword != "prefixItems":
            warn(where, f"{keyword!r} is not a keyword of JSON Schema: ignored")


def _text(node: Node, keyword: str, where: str) -> str:
    text = node.get(keyword, "")
    if not isinstance(text, str):
        raise fail(f"{where}.{keyword}", f"text is expected, not {text!r}")
    return " ".join(text.split())


def _examples(node: Node) -> tuple[str, ...]:
    examples = node.get("examples", [])
    if not isinstance(examples, list):
        examples = [examples]
    return tuple(
        text if isinstance(text, str) else repr(text)
        for text in examples
        if isinstance(text, str | int | float) and not isinstance(text, bool)
    )


def _names(names: object, where: str) -> tuple[str, ...]:
    if isinstance(names, str):
        return (names,)
    if not isinstance(names, list | tuple) or not all(isinstance(name, str) for name in names):
        raise fail(where, f"a list of names is expected, not {names!r}")
    return tuple(dict.fromkeys(names))


def _limit(node: Node, keyword: str, where: str) -> float | None:
    number = node.get(keyword)
    if number is None:
        return None
    if isinstance(number, int) and not isinstance(number, bool):
        return number
    if isinstance(number, float) and math.isfinite(number):
        return number
    raise fail(f"{where}.{keyword}", f"a number is expected, not {number!r}")


def _count(node: Node, keyword: str, where: str) -> int | None:
    number = _limit(node, keyword, where)
    if number is None:
        return None
    if number < 0 or number != int(number):
        raise fail(f"{where}.{keyword}", f"a whole number from 0 is expected, not {number!r}")
    return int(number)


def _flag(node: Node, keyword: str, where: str) -> bool:
    flag = node.get(keyword, False)
    if not isinstance(flag, bool):
        raise fail(f"{where}.{keyword}", f"true or false is expected, not {flag!r}")
    return flag
