"""Schemas that are refused, with an error that says where and what to do."""

from __future__ import annotations

import socket
import sys
import warnings
from typing import TypedDict

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict

import strategies
from hpd.errors import SchemaError
from hpd.schema import SchemaNote, SchemaWarning, load_schema, load_schemas, to_json_schema
from hpd.schema.attributes import Schema
from hpd.schema.references import ALL_KEYWORDS, ANNOTATIONS, CHECKED_AFTERWARDS
from hpd.schema.validation import schema_violations


class Named(BaseModel):
    name: str


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("", "empty"),
        ("  \n ", "empty"),
        ([], "empty"),
        ({}, "empty"),
        ("{}", "empty"),
        ({"type": "object", "additionalProperties": False}, "nothing to extract"),
        (["a", "b", "a"], "'a' occurs twice"),
        ("a, b, a", "'a' occurs twice"),
        ('{"a": "x", "a": "y"}', "'a' occurs twice"),
        (["a", ""], "empty name"),
        (["a", " "], "empty name"),
        ([1], r"\[0\]: a name must be text, not int"),
        (["\ud800"], "half of a surrogate pair"),
        ('""', "empty"),
        ("weight? flaot", "'flaot' is not a type.*a comma separates"),
        ('"weight" flaot', "'flaot' is not a type"),
        ("tags list[str]", r"list\[ is not a type.*\[str\] for a list"),
        ("brand, kind Literal[a|b]", r"Literal\[ is not a type.*\[a\|b\] for one of"),
        ("a [x]", r"\[str\] for a list"),
        ("a [x|y", "'\\]' is expected, not the end"),
        ("a [x||y]", "empty choice"),
        ("a [x|x]", "twice"),
        ("a [str|int]", "choice of types"),
        ("a [x|null]", r"Write \? after"),
        ("a {b, c", "'}' is expected"),
        ("a {}", "the object is empty"),
        ('"a', "double quote is never closed"),
        ("a ] b", r"unexpected '\]'"),
        ("brand,, color", "character 7: a name is missing before the comma"),
        (",brand", "character 1: a name is missing before the comma"),
        ("a {b,\n # c,\n, d}", "line 3, character 1: a name is missing before the comma"),
        ("a,\nb! flaot", "line 2, character 4"),
        ("a int after b", "comes after 'b', which is not one of its siblings"),
        ("a after a", "circle: a -> a"),
        ("a after c, b after a, c after b", "circle: a -> c -> b -> a"),
        ("a {x after y, y after x}", r"a\.x: the dependencies form a circle"),
        ("names.json", "cannot be read"),
        ("{'a': 1}", "not valid JSON.*line 1"),
        (3, "int is not a schema: a class .*one-line form is expected$"),
        (int, "int is not a schema: .*; for a single value of this type, give a class with one"),
        (dict[str, int], r"dict\[str, int\] is not a schema.* class with one field"),
        (Named | None, r"Named \| None is not a schema.* class with one field"),
        (Named(name="x"), "an instance of Named is not a schema: give the class itself"),
        (
            {"type": "object", "proprties": {"a": {"type": "string"}}},
            "names no properties; 'proprties': did you mean properties?",
        ),
        ({"a": {"type": "string"}}, "properties of a JSON Schema"),
        ({"a": "text", "b": ["c"]}, "'b' is a list, but 'a' is a str"),
        ({"a": 3}, "a description must be text, not int"),
        ({"properties": {"a": {}}, "Shoes": ["b"]}, "rename that category"),
        ({"Shoes": []}, "category 'Shoes': the schema is empty"),
        ({"": ["a"]}, "a category must have a name"),
        ({"properties": {"a": {"type": "text"}}}, "'text' is not a type"),
        ({"properties": {"a": 3}}, "must be an object"),
        ({"properties": {"a": {"enum": []}}}, "at least one value"),
        ({"properties": {"a": {"type": "string", "pattern": "("}}}, "not a regular expression"),
        ({"properties": {"a": {"type": "string", "minLength": -1}}}, "a whole number from 0"),
        (
            {"properties": {"a": {"type": "string", "minLength": float("inf")}}},
            "number is expected",
        ),
        ({"properties": {"a": {"type": "number", "maximum": float("nan")}}}, "number is expected"),
        ({"properties": {"a": {"type": "string", "format": []}}}, r"format: text is expected"),
        ({"properties": {"a": {"type": "number", "format": {}}}}, r"format: text is expected"),
        ({"properties": {"a": {"type": "integer", "minimum": 3, "maximum": 2}}}, "no value fits"),
        ({"properties": {"a": {"type": "integer", "multipleOf": 0}}}, "above 0"),
        ({"properties": {"a": {"$ref": "#/$defs/b"}}}, "points to nothing"),
        ({"properties": {"a": {"$ref": "https://x/y"}}}, "points outside the schema"),
        (
            {"properties": {"a": {"allOf": [{"type": "string"}, {"type": "integer"}]}}},
            "'type' has two conflicting values",
        ),
        ({"properties": {"a.b": {}, "a": {"properties": {"b": {}}}}}, "this same path"),
    ],
)
def test_errors_say_where_and_what_to_do(source, message):
    with pytest.raises(SchemaError, match=message):
        load_schemas(source)


def test_the_reason_why_pydantic_refuses_a_class_is_told():
    class Odd(BaseModel):
        model_config = ConfigDict(arbitrary_types_allowed=True)
        a: socket.socket

    with pytest.raises(SchemaError, match=r"IsInstanceSchema .*; give the attribute a plain"):
        load_schema(Odd)


def test_the_typed_dict_of_an_old_python_is_named():
    class Row(TypedDict):
        a: str

    if sys.version_info >= (3, 12):
        assert [each.name for each in load_schema(Row)] == ["a"]
        return
    with pytest.raises(SchemaError, match=r"^Row: Python before 3\.12 needs typing_extensions"):
        load_schema(Row)


def test_a_schema_as_deep_as_the_stack_is_an_error():
    node = {"type": "string"}
    for _ in range(400):
        node = {"type": "object", "properties": {"a": node}}
    with pytest.raises(SchemaError, match="levels deep"):
        load_schema(node)
    with pytest.raises(SchemaError, match="levels deep"):
        load_schema("a {" * 400)
    with pytest.raises(SchemaError, match="too deeply"):
        load_schema("[" * 100_000)


def schema_or_none(source):
    """The schema, unless it is refused with a ``SchemaError``: any other error passes."""
    try:
        return load_schemas(source)
    except SchemaError:
        return None


@given(st.text(max_size=60))
def test_any_text_is_a_schema_or_an_error(text):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SchemaNote)
        schema = schema_or_none(text)
    if isinstance(schema, Schema):
        assert load_schema(to_json_schema(schema)) == schema


# "nullable" is OpenAPI's: data that obeys it may be null, whatever JSON Schema says.
KEYWORDS = sorted(
    (ALL_KEYWORDS | CHECKED_AFTERWARDS | ANNOTATIONS | {"$ref", "anyOf", "oneOf", "allOf"})
    - {"nullable"}
)
json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=8)
    | st.sampled_from(["string", "object", "array", "#/$defs/a", "null"]),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from([*KEYWORDS, "a"]), inner, max_size=4)
    ),
    max_leaves=20,
)

usual_values = st.one_of(
    st.sampled_from([0, 2, 1.5, True, False, "a", ["a"], ["integer", "null"], [1, "a", None]]),
    st.sampled_from([{"type": "integer"}, {"required": ["a"]}, {"enum": [1]}, {"a": ["b"]}]),
    st.sampled_from([[[], {}], [{"type": "integer"}, {"maxLength": 3}], {"a": {"maximum": 2}}]),
)
"""What the keywords usually say, each of some."""


@given(strategies.schemas(), st.sampled_from(KEYWORDS), json_values | usual_values, st.data())
def test_any_value_of_a_keyword_is_honoured_or_an_error(schema, keyword, value, data):
    document = to_json_schema(schema)
    data.draw(st.sampled_from(list(nodes(document))))[keyword] = value
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", SchemaWarning)
        changed = schema_or_none(document)
    if not isinstance(changed, Schema):
        return
    rendered = to_json_schema(changed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SchemaWarning)
        load_schema(rendered)
    try:
        jsonschema.Draft202012Validator.check_schema(document)
    except jsonschema.SchemaError:
        return  # It says nothing of data.
    # A part that names no type is read as text, or as what its other keywords are about.
    is_all_named = not caught and not isinstance(value, list | dict)
    answer = data.draw(strategies.answers_of(schema))
    draw = data.draw(st.randoms(use_true_random=False))
    for instance in [answer, *(strategies.changed(answer, draw) for _ in range(5))]:
        before, after = (not schema_violations(each, instance) for each in (document, rendered))
        assert before >= after
        assert before == after or not is_all_named


def test_a_choice_of_nothing_comes_back_as_it_was():
    node = {"type": "object", "properties": {"a": {"type": "integer", "enum": ["0"]}}}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SchemaWarning)
        schema = load_schema(node)
        again = load_schema(to_json_schema(schema))
    assert again.attributes == schema.attributes
    assert schema.attributes[0].choices == ()
    node["properties"]["a"]["enum"] = None
    with pytest.raises(SchemaError, match=r"a\.enum: a list with at least one value"):
        load_schema(node)
    node["properties"]["a"]["type"] = []
    with pytest.raises(SchemaError, match=r"a\.type: \[\] is not a type"):
        load_schema(node)


def nodes(node):
    """Every object in a JSON Schema that is a schema itself."""
    yield node
    for inner in [*node.get("properties", {}).values(), node.get("items")]:
        if isinstance(inner, dict):
            yield from nodes(inner)


@given(json_values)
def test_any_json_is_a_schema_or_an_error(source):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SchemaWarning)
        schema = schema_or_none(source)
    if isinstance(schema, Schema):
        assert load_schema(to_json_schema(schema)).attributes == schema.attributes
