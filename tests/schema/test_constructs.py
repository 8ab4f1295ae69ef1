"""Unions, maps, tuples, recursion and bare roots: what is asked, and the data made of it."""

from __future__ import annotations

import datetime
import decimal
import enum
import random
import warnings
from typing import Annotated, Literal

import jsonschema
import pytest
from pydantic import BaseModel, ConfigDict, Field, RootModel, SecretBytes, SecretStr

import strategies
from hpd.pipeline.document_values import DocumentValues
from hpd.prompt.questions import Waves, value_at
from hpd.prompt.text import to_answer
from hpd.results import FieldValue, Usage, plain_data
from hpd.schema import SchemaWarning, load_schema, to_json_schema
from hpd.values.parsing import check_value

TEXT = {"type": "string"}
NUMBER = {"type": "number"}
NODE = {
    "type": "object",
    "properties": {"name": TEXT, "children": {"type": "array", "items": {"$ref": "#/$defs/node"}}},
    "required": ["name"],
}


def of(**properties):
    return {"type": "object", "properties": properties, "required": [*properties]}


CARD = of(kind={"const": "card"}, number=TEXT)
BANK = of(kind={"const": "bank"}, iban=TEXT)


def read(source):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SchemaWarning)
        return load_schema(source)


def extraction(schema, answer):
    """The extraction of a document, if each question has the answer that is known for its path."""
    found_values = DocumentValues()
    waves = Waves(schema)
    asked = waves.first()
    while asked:
        values = []
        for question in asked:
            path, attribute = question.leaf.path, question.leaf.attribute
            value = answer(path)
            parsed = FieldValue() if value is None else check_value(value, attribute)
            result = FieldValue(0.9, value=parsed.value, error=parsed.error)
            values.append(found_values.store(path, attribute, result))
        asked = waves.next(values, lambda _: found_values.data(schema))
    return found_values.extraction(schema, None, Usage())


def replayed(source, data):
    """The data that comes out where all questions are answered from it."""
    schema = read(source)
    known = to_answer(schema, data)
    found = extraction(schema, lambda path: value_at(known, path))
    assert found.error is None, found.error
    return plain_data(found.data)


ROUND = [
    (of(pay={"oneOf": [CARD, BANK]}), {"pay": {"kind": "card", "number": "4111"}}),
    (of(pay={"oneOf": [CARD, BANK]}), {"pay": {"kind": "bank", "iban": "DE1"}}),
    (of(to={"anyOf": [TEXT, {"type": "array", "items": TEXT}]}), {"to": ["ann", "bob"]}),
    (of(to={"anyOf": [TEXT, {"type": "array", "items": TEXT}]}), {"to": "ann"}),
    (of(n={"type": ["string", "integer"]}), {"n": 7}),
    (of(n={"type": ["string", "integer"]}), {"n": "seven"}),
    (of(a={"type": ["object", "string"], "properties": {"x": TEXT}}), {"a": {"x": "y"}}),
    (of(a={"enum": ["x", {"b": 1}, [2]]}), {"a": {"b": 1}}),
    (of(p={"type": "object", "additionalProperties": NUMBER}), {"p": {"ham": 1.5, "egg": 2.0}}),
    (of(p={"type": "object", "patternProperties": {"^x": of(q=NUMBER)},
        "additionalProperties": False}), {"p": {"x1": {"q": 1.0}}}),
    (of(at={"type": "array", "prefixItems": [NUMBER, TEXT], "minItems": 2}), {"at": [1.5, "m"]}),
    (of(at={"type": "array", "items": [NUMBER, TEXT]}), {"at": [1.5]}),
    ({"$ref": "#/$defs/node", "$defs": {"node": NODE}},
     {"name": "a", "children": [{"name": "b", "children": [{"name": "c", "children": []}]}]}),
    ({"type": "object", "properties": {"name": TEXT, "next": {"$ref": "#"}}},
     {"name": "a", "next": {"name": "b", "next": {"name": "c"}}}),
    ({"type": "array", "items": of(a=TEXT)}, [{"a": "x"}, {"a": "y"}]),
    ({"enum": ["red", "blue"]}, "red"),
    ({"type": "integer"}, 3),
    ({"oneOf": [CARD, BANK]}, {"kind": "card", "number": "1"}),
    ({"type": "object", "additionalProperties": NUMBER}, {"a": 1.0}),
    (of(a={"type": "object"}, b=TEXT), {"a": {}, "b": "x"}),
    (of(a={"type": "null"}, b=TEXT), {"a": None, "b": "x"}),
    ({"type": "object", "required": ["a"], "additionalProperties": NUMBER}, {"a": 1.0}),
    ({"properties": {"a": {"description": "x"}, "b": {"minimum": 5}}}, {"a": "x", "b": 6.0}),
    (of(a={"items": {"properties": {"b": {"format": "date"}}}}), {"a": [{"b": "2024-05-31"}]}),
    (of(a={"type": "array"}), {"a": ["x"]}),
    ({"type": "object"}, {"a": "x"}),
    ({"type": ["object", "null"], "properties": {"a": TEXT}}, {"a": "x"}),
    (of(p={"type": "object", "patternProperties": {"^x": TEXT}}), {"p": {"x1": "a"}}),
    ({**of(x={"type": "array", "items": TEXT}), "patternProperties": {"^x": {"maxItems": 1}}},
     {"x": ["a"]}),
    ({**of(a={"$ref": "t.json"}, b={"$ref": "deep/n.json#/$defs/n"}, c={"$ref": "#t"}),
      "$id": "http://x.example/s.json",
      "$defs": {"t": {"$id": "t.json", "$anchor": "t", "type": "string"},
                "d": {"$id": "deep/n.json", "$ref": "#/$defs/n", "$defs": {"n": NUMBER}},
                "u": {"$anchor": "t", "type": "integer"}}}, {"a": "x", "b": 1.5, "c": 2}),
    ({**of(a={"$ref": "http://x.example/s.json#/$defs/t%25~1"}), "$id": "http://x.example/s.json",
      "$defs": {"t%/": TEXT}}, {"a": "x"}),
    ({**of(a={"$ref": "urn:x:list"}), "$defs": {"l": {
        "$id": "urn:x:list", "type": "array", "items": {"$ref": "urn:x:t"}},
        "t": {"$id": "urn:x:t", "type": "string"}}}, {"a": ["x"]}),
    (of(**{"": TEXT, "a": {"type": "array", "items": of(**{"": NUMBER})}}),
     {"": "x", "a": [{"": 1.0}]}),
]  # fmt: skip


@pytest.mark.parametrize(("source", "data"), ROUND)
def test_known_data_comes_out_again(source, data):
    assert replayed(source, data) == data
    assert replayed(to_json_schema(read(source)), data) == data


@pytest.mark.parametrize(("source", "data"), ROUND)
def test_rendering_accepts_the_same(source, data):
    """On an instance, and on those with one part replaced, added or left out."""
    both = (_modern(source), to_json_schema(read(source)))
    one, other = (jsonschema.Draft202012Validator(each) for each in both)
    draw = random.Random(0)
    for _ in range(150):
        instance = strategies.changed(data, draw)
        assert one.is_valid(instance) == other.is_valid(instance), instance


def _modern(source):
    """The schema with draft 4's tuples as they are written today."""
    if isinstance(source, dict):
        items = {"prefixItems": source["items"]} if isinstance(source.get("items"), list) else {}
        kept = {k: v for k, v in source.items() if not (items and k == "items")}
        return {k: _modern(v) for k, v in {**kept, **items}.items()}
    return [_modern(v) for v in source] if isinstance(source, list) else source


def test_a_union_is_asked_for_in_two_waves():
    waves = Waves(read(of(pay={"oneOf": [CARD, BANK]})))
    (which,) = waves.first()
    assert which.key == '{"pay": {"which":'
    assert which.leaf.attribute.choices == ("card", "bank")
    assert [each.key for each in waves.next(["card"], lambda _: {})] == [
        '{"pay": {"card": {"number":'
    ]


def test_the_names_of_a_map_come_before_its_values():
    schema = read(of(p={"type": "object", "additionalProperties": NUMBER}))
    waves = Waves(schema)
    keys = [[each.key for each in waves.first()]]
    keys.append([each.key for each in waves.next([1], lambda _: {})])
    seen = {"p": [{"name": "ham", "value": None}]}
    keys.append([each.key for each in waves.next(["ham"], lambda _: seen)])
    assert keys == [
        ['{"p": {"count":'],
        ['{"p": {"1": {"name":'],
        ['{"p": {"1": {"name": "ham", "value":'],
    ]


@pytest.mark.parametrize(
    ("limit", "data"),
    [
        ({"not": {"required": ["a", "b"]}}, {"a": "x", "b": "y"}),
        ({"if": {"required": ["a"]}, "then": {"required": ["b"]}}, {"a": "x"}),
        ({"dependentRequired": {"a": ["b"]}}, {"a": "x"}),
        ({"anyOf": [{"required": ["a"]}, {"required": ["b"]}]}, {}),
        ({"minProperties": 2}, {"a": "x"}),
    ],
)
def test_what_no_attribute_says_is_checked_afterwards(limit, data):
    schema = read({"type": "object", "properties": {"a": TEXT, "b": TEXT}, **limit})
    assert extraction(schema, lambda path: data.get(path[0])).error is not None
    assert extraction(schema, lambda path: {"b": "y"}.get(path[0])).error is None or "min" in str(
        limit
    )


def test_what_is_left_out_does_not_hide_what_else_is_wrong():
    maker = {"type": "object", "properties": {"name": TEXT, "city": TEXT}, "required": ["name"]}
    properties = {"a": TEXT, "maker": maker}
    branches = [{"required": ["a"]}, {"required": ["maker"]}]
    schema = read({"type": "object", "properties": properties, "anyOf": branches})
    found = extraction(schema, lambda path: "Oslo" if path[-1] == "city" else None)
    assert found.data == {"maker": {"name": None, "city": "Oslo"}}
    assert found.fields["maker.name"].error == "required, but the model found no value"
    assert found.error is not None
    found = extraction(schema, lambda path: None)
    assert found.data == {}
    assert "not valid under any of the given schemas" in found.fields[""].error


def test_what_is_checked_afterwards_is_no_category():
    rule = {"if": {"required": ["a"]}, "then": {"required": ["b"]}, "else": {"maxProperties": 0}}
    schema = read({"properties": {"a": TEXT, "b": TEXT}, **rule})
    found = extraction(schema, lambda path: "x" if path == ("a",) else None)
    assert found.data == {"a": "x"}
    assert found.error is not None


def test_many_choices_are_not_in_the_prompt():
    from hpd.prompt.text import attribute_lines

    schema = read(of(a={"enum": [f"value {n}" for n in range(5000)]}))
    assert len("".join(attribute_lines(schema))) < 200


def test_a_long_object_at_several_places_is_once_in_the_prompt():
    from hpd.prompt.text import attribute_lines

    said = "as it is written on the first page of the document, without what stands before it"
    names = ("street", "city", "country", "phone", "e_mail")
    parts = {name: {**TEXT, "description": said} for name in names}
    party = {"type": "object", "properties": parts, "description": "a party"}
    lines = attribute_lines(
        read(
            {
                "$defs": {"party": party},
                "properties": {
                    "seller": {"$ref": "#/$defs/party"},
                    "buyer": {"$ref": "#/$defs/party", "description": "who pays"},
                    "agents": {"type": "array", "items": {"$ref": "#/$defs/party"}},
                    "broker": {"properties": {"address": {"$ref": "#/$defs/party"}}},
                    # Short ones, and those of other parts, are told each time.
                    "a": {"properties": {"x": TEXT, "y": TEXT}},
                    "b": {"properties": {"x": TEXT, "y": TEXT}},
                    "c": {**party, "properties": {**parts, "city": {**TEXT, "description": "Z"}}},
                },
            }
        )
    )
    assert lines == [
        "- seller: a party",
        *(f"- seller.{name}: {said}" for name in names),
        "- buyer (as seller above): who pays",
        "- agents (list of objects, as seller above)",
        "- broker.address (as seller above): a party",
        *("- a.x", "- a.y", "- b.x", "- b.y"),
        "- c: a party",
        *(f"- c.{name}: {'Z' if name == 'city' else said}" for name in names),
    ]


def test_recursion_has_a_bound_that_is_told():
    with pytest.warns(SchemaWarning, match="up to 5 levels"):
        schema = load_schema({"$ref": "#/$defs/node", "$defs": {"node": NODE}})
    found = extraction(schema, lambda path: 2 if path[-1] == "count" else "x")
    assert str(found.data).count("name") == 2**6 - 1


def test_a_large_schema_is_read_within_a_second():
    """Definitions that refer to one another double with each level, if they are written out."""
    definitions = {
        f"d{n}": {
            "type": "object",
            "properties": {str(i): {"$ref": f"#/$defs/d{n + 1}"} for i in range(4)},
        }
        for n in range(10)
    }
    definitions["d10"] = {"type": "object", "properties": {"a": TEXT}}
    start = datetime.datetime.now()
    read({"$ref": "#/$defs/d0", "$defs": definitions})
    read(of(a={"enum": [f"value {n}" for n in range(20_000)]}))
    assert datetime.datetime.now() - start < datetime.timedelta(seconds=1)


class Color(enum.Enum):
    RED = "red"


class Cat(BaseModel):
    kind: Literal["cat"]
    lives: int


class Dog(BaseModel):
    kind: Literal["dog"]
    name: str = Field(alias="Name")


class Strict(BaseModel):
    model_config = ConfigDict(strict=True)
    color: Color
    when: datetime.datetime
    price: decimal.Decimal
    tags: set[str]


class Tree(BaseModel):
    name: str
    children: list[Tree] = []


class Holder(BaseModel):
    pet: Annotated[Cat | Dog, Field(discriminator="kind")]
    scores: dict[str, float]
    at: tuple[float, float]
    secret: SecretStr
    keys: list[SecretBytes]
    prices: set[decimal.Decimal]
    codes: frozenset[SecretStr]


@pytest.mark.parametrize(
    ("model", "data"),
    [
        (Strict, {"color": "red", "when": "2024-05-31T09:30:00", "price": 1.5, "tags": ["a"]}),
        (Tree, {"name": "a", "children": [{"name": "b", "children": []}]}),
        (
            Holder,
            {
                "pet": {"kind": "dog", "Name": "Rex"},
                "scores": {"a": 1.5},
                "at": [1.0, 2.5],
                "secret": "hush",
                "keys": ["k"],
                "prices": [1.5],
                "codes": ["c"],
            },
        ),
        (RootModel[list[int]], [1, 2]),
        (list[int], [1, 2]),
        (list[str], ["a"]),
    ],
)
def test_classes(model, data):
    assert replayed(model, data) == data


@pytest.mark.parametrize("text", ["price: decimal", "tags: list[str]"])
def test_a_type_as_a_description_is_a_warning(text):
    with pytest.warns(SchemaWarning, match="the type is text"):
        load_schema(text)
