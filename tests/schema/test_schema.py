"""Schema forms: all equal in the end, and nothing that cannot be honoured passes in silence."""

from __future__ import annotations

import enum
import json
import warnings
from dataclasses import replace
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Any, Literal

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, Field

import strategies
from hpd.errors import SchemaError
from hpd.schema import SchemaWarning, describe, load_schema, load_schemas, to_json_schema
from hpd.schema.attributes import Attribute, Schema


class Color(enum.Enum):
    RED = "red"
    BLUE = "blue"


class Maker(BaseModel):
    """Who made it."""

    name: str
    city: str | None = None


class Product(BaseModel):
    brand: str = Field(description="the maker")
    color: Color | None = None
    size: Literal["S", "M"] = "S"
    grams: Annotated[float, Field(gt=0, le=5000)] | None = None
    count: int = Field(ge=1, multiple_of=2)
    price: Decimal | None = None
    in_stock: bool | None = None
    made: date | None = None
    seen: datetime | None = None
    code: str | None = Field(None, pattern="^[A-Z]+$", max_length=4)
    tags: set[str] = Field(default_factory=set, max_length=3)
    maker: Maker | None = None
    parts: list[Maker] = Field(default_factory=list)
    total: float | None = Field(None, json_schema_extra={"depends_on": ["parts", "count"]})


def attribute_of(node: dict[str, Any] | bool, **more: Any) -> Attribute:
    schema = load_schema({"type": "object", "properties": {"a": node}, **more})
    return schema.attributes[0]


# --- one meaning, many forms --------------------------------------------------------------------


def test_all_forms_of_plain_names_are_equal(tmp_path: Path) -> None:
    expected = Schema((Attribute("brand"), Attribute("Net content")))
    file = tmp_path / "names.json"
    file.write_text('["brand", "Net content"]')
    lines = tmp_path / "names.txt"
    lines.write_text('# a comment\nbrand\n"Net content"\n')
    nullable = {"type": ["string", "null"]}
    for source in (
        ["brand", "Net content"],
        ("brand", "Net content"),
        {"brand": "", "Net content": ""},
        {"brand": None, "Net content": None},
        'brand, "Net content"',
        'brand\n"Net content"',
        'brand str?, "Net content" text,',
        '["brand", "Net content"]',
        str(file),
        file,
        str(lines),
        lines,
        {"properties": {"brand": nullable, "Net content": nullable}},
        expected,
    ):
        assert load_schema(source) == expected, source


def test_one_line_form() -> None:
    schema = load_schema(
        "brand: the maker, color [red|blue|black]?, weight_g float?, tags [str], "
        "lines [{item!: what, qty int}], size [36 | 38], maker {name, city}, sold date!, "
        "total float after lines weight_g: the sum"
    )
    lines = Attribute(
        "item",
        "object",
        nullable=False,
        attributes=(
            Attribute("item", description="what", nullable=False, required=True),
            Attribute("qty", "integer"),
        ),
    )
    assert schema.attributes == (
        Attribute("brand", description="the maker"),
        Attribute("color", "enum", choices=("red", "blue", "black")),
        Attribute("weight_g", "number"),
        Attribute("tags", "array", item=Attribute("item", nullable=False)),
        Attribute("lines", "array", item=lines),
        Attribute("size", "enum", choices=(36, 38)),
        Attribute("maker", "object", attributes=(Attribute("name"), Attribute("city"))),
        Attribute("sold", "date", nullable=False, required=True),
        Attribute("total", "number", description="the sum", after=("lines", "weight_g")),
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('a: "x, y", b', [("a", "x, y"), ("b", "")]),
        ('a: "x" and y, b', [("a", '"x" and y'), ("b", "")]),
        ("a: x, y\nb, c: z, and w,", [("a", "x, y"), ("b", ""), ("c", "z, and w")]),
        ("a: see http://x.y/z, b", [("a", "see http://x.y/z"), ("b", "")]),
        ("date date: when", [("date", "when")]),
        (
            "after, str: a name that is also a word",
            [("after", ""), ("str", "a name that is also a word")],
        ),
        ("file: its name ends in .json", [("file", "its name ends in .json")]),
        ("größe, 色: カラー", [("größe", ""), ("色", "カラー")]),
    ],
)
def test_names_and_descriptions_on_one_line(text: str, expected: list[tuple[str, str]]) -> None:
    assert [(a.name, a.description) for a in load_schema(text)] == expected


def test_pydantic_is_read_like_the_json_schema_it_writes() -> None:
    schema = load_schema(Product)
    assert schema.model is Product
    by_name = {attribute.name: attribute for attribute in schema}
    assert by_name["brand"] == Attribute(
        "brand", description="the maker", nullable=False, required=True
    )
    assert by_name["color"] == Attribute("color", "enum", choices=("red", "blue"))
    assert by_name["size"] == Attribute("size", "enum", choices=("S", "M"), nullable=False)
    assert by_name["grams"] == Attribute("grams", "number", exclusive_minimum=0, maximum=5000)
    assert by_name["count"] == Attribute(
        "count", "integer", minimum=1, multiple_of=2, nullable=False, required=True
    )
    assert by_name["price"].type == "number"
    assert by_name["in_stock"] == Attribute("in_stock", "boolean")
    assert by_name["made"] == Attribute("made", "date")
    assert by_name["seen"] == Attribute("seen", "date-time")
    assert by_name["code"] == Attribute("code", pattern="^[A-Z]+$", max_length=4)
    assert by_name["tags"] == Attribute(
        "tags",
        "array",
        item=Attribute("item", nullable=False),
        max_items=3,
        unique_items=True,
        nullable=False,
    )
    maker = by_name["maker"]
    assert (maker.type, maker.nullable, maker.description) == ("object", True, "Who made it.")
    assert [(a.name, a.required, a.nullable) for a in maker.attributes] == [
        ("name", True, False),
        ("city", False, True),
    ]
    assert by_name["parts"].item == replace(maker, name="item", nullable=False, required=False)
    assert by_name["total"].after == ("parts", "count")


def test_module_and_class(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "shop_schemas.py").write_text(
        "from pydantic import BaseModel\n"
        "class Shoe(BaseModel):\n    brand: str | None = None\n"
        "NAMES = ['brand']\nclass Shelf:\n    inner = {'Shoes': NAMES}\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    assert load_schema("shop_schemas:Shoe") == Schema((Attribute("brand"),), title="Shoe")
    assert load_schema("shop_schemas:Shoe").model.__name__ == "Shoe"
    assert load_schema("shop_schemas:NAMES") == Schema((Attribute("brand"),))
    assert isinstance(load_schemas("shop_schemas:Shelf.inner"), dict)
    with pytest.raises(SchemaError, match="has no 'Boot'"):
        load_schema("shop_schemas:Boot")
    with pytest.raises(SchemaError, match="put a blank after the colon"):
        load_schema("brand:maker")


def test_by_category(tmp_path: Path) -> None:
    source = {
        "Shoes": ["Brand", "Size"],
        "Tea": {"Brand": "the maker"},
        "Mask": {"type": "object", "properties": {"Layer": {"type": "integer"}}},
    }
    file = tmp_path / "attributes.json"
    file.write_text(json.dumps(source))
    expected = {
        "Shoes": Schema((Attribute("Brand"), Attribute("Size"))),
        "Tea": Schema((Attribute("Brand", description="the maker"),)),
        "Mask": Schema((Attribute("Layer", "integer", nullable=False),)),
    }
    assert load_schemas(source) == expected
    assert load_schemas(str(file)) == expected
    assert load_schemas({"P": Product, "S": expected["Tea"]}) == {
        "P": load_schema(Product),
        "S": expected["Tea"],
    }
    with pytest.raises(SchemaError, match=r"3 categories .Shoes, Tea, Mask.*--category-field"):
        load_schema(source)


# --- JSON Schema --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("node", "expected"),
    [
        ({"type": "string"}, Attribute("a", nullable=False)),
        ({}, Attribute("a")),
        (True, Attribute("a")),
        ({"description": " two\n words"}, Attribute("a", description="two words")),
        ({"type": ["integer", "null"]}, Attribute("a", "integer")),
        ({"type": "integer", "nullable": True}, Attribute("a", "integer")),
        ({"type": ["integer", "number"]}, Attribute("a", "number", nullable=False)),
        ({"minimum": 3}, Attribute("a", "number", minimum=3)),
        (
            {"type": "number", "minimum": 1, "exclusiveMinimum": True},
            Attribute("a", "number", exclusive_minimum=1, nullable=False),
        ),
        ({"const": "x"}, Attribute("a", "enum", choices=("x",), nullable=False)),
        ({"enum": ["x", 1, None]}, Attribute("a", "enum", choices=("x", 1))),
        ({"enum": [1, True, 1.0]}, Attribute("a", "enum", choices=(1, True), nullable=False)),
        (
            {"type": "string", "enum": ["x", None]},
            Attribute("a", "enum", choices=("x",), nullable=False),
        ),
        ({"type": "string", "format": "date"}, Attribute("a", "date", nullable=False)),
        ({"type": "string", "format": "email"}, Attribute("a", format="email", nullable=False)),
        ({"anyOf": [{"type": "null"}, {"type": "boolean"}]}, Attribute("a", "boolean")),
        (
            {"anyOf": [{"type": "integer"}, {"const": None}], "maximum": 4, "title": "A"},
            Attribute("a", "integer", maximum=4),
        ),
        (
            {"oneOf": [{"const": "x", "title": "X"}, {"const": "y"}]},
            Attribute("a", "enum", choices=("x", "y"), nullable=False),
        ),
        (
            {"anyOf": [{"type": "integer"}, {"type": "number"}]},
            Attribute("a", "number", nullable=False),
        ),
        (
            {"allOf": [{"type": "number", "minimum": 1}, {"type": "integer", "minimum": 3}]},
            Attribute("a", "integer", minimum=3, nullable=False),
        ),
        (
            {"$ref": "#/$defs/x~1y", "description": "own"},
            Attribute("a", "date", description="own", nullable=False),
        ),
        (
            {"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": 2},
            Attribute(
                "a",
                "array",
                item=Attribute("item", nullable=False),
                min_items=1,
                max_items=2,
                nullable=False,
            ),
        ),
        (
            {"type": "array", "items": {"type": "array", "items": {"type": "integer"}}},
            Attribute(
                "a",
                "array",
                item=Attribute(
                    "item",
                    "array",
                    item=Attribute("item", "integer", nullable=False),
                    nullable=False,
                ),
                nullable=False,
            ),
        ),
        (
            {"type": "string", "examples": ["x", 3], "default": "y", "deprecated": True, "x-ui": 1},
            Attribute("a", examples=("x", "3"), nullable=False),
        ),
    ],
)
def test_json_schema_nodes(node: Any, expected: Attribute) -> None:
    definitions = {"x/y": {"type": "string", "format": "date", "description": "theirs"}}
    assert attribute_of(node, **{"$defs": definitions}) == expected


def test_all_of_merges_objects() -> None:
    schema = load_schema(
        {
            "allOf": [
                {"properties": {"a": {"type": "string"}, "b": {}}, "required": ["a"]},
                {"properties": {"a": {"maxLength": 3}}, "required": ["b"]},
            ]
        }
    )
    assert schema.attributes == (
        Attribute("a", max_length=3, nullable=False, required=True),
        Attribute("b", required=True),
    )


@pytest.mark.parametrize(
    ("node", "message"),
    [
        ({"type": "integer", "multipleOf": 2, "not": {"const": 4}}, "'not' is not honoured"),
        ({"type": ["integer", "string"]}, "only string is extracted"),
        ({"anyOf": [{"type": "integer"}, {"type": "boolean"}]}, "only integer is extracted"),
        ({"type": "array"}, "read as text"),
        ({"type": "string", "format": "color"}, "'color' is not known"),
        ({"type": "string", "minimum": 3}, "'minimum' says nothing"),
        ({"type": "string", "desciption": "x"}, "'desciption' is not a keyword"),
        ({"type": "integer", "enum": [1, "x"]}, "'x' is not of the type integer"),
        (
            {"type": "object", "properties": {"b": {}}, "additionalProperties": {"type": "string"}},
            "only the named properties",
        ),
        (
            {"type": "object", "properties": {"b": {}}, "patternProperties": {}},
            "'patternProperties'",
        ),
        ({"type": "array", "items": {"type": "string"}, "contains": {}}, "'contains'"),
        ({"type": "string", "format": "date", "pattern": "^2"}, "beside the format date"),
    ],
)
def test_what_is_not_honoured_is_a_warning(node: dict[str, Any], message: str) -> None:
    with pytest.warns(SchemaWarning, match=message) as caught:
        attribute_of(node)
    assert all("$.properties.a" in str(warning.message) for warning in caught)


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("", "empty"),
        ("  \n ", "empty"),
        ([], "empty"),
        ({}, "empty"),
        ("{}", "empty"),
        ({"type": "object"}, r"\$: the object is empty"),
        ({"type": "object", "properties": {}, "additionalProperties": True}, "names are not fixed"),
        ({"properties": {"a": {"type": "object"}}}, r"\$\.properties\.a: the object is empty"),
        (["a", "b", "a"], "'a' is there twice"),
        ("a, b, a", "'a' is there twice"),
        ('{"a": "x", "a": "y"}', "'a' is there twice"),
        (["a", ""], "empty name"),
        (["a", " "], "empty name"),
        ([1], r"\[0\]: a name must be text, not int"),
        (["\ud800"], "not valid Unicode"),
        ('""', "empty"),
        ("weight flaot", "'flaot' is not a type.*double quotes"),
        ("a [x]", r"\[str\] for a list"),
        ("a [x|y", "'\\]' is expected, not the end"),
        ("a [x||y]", "empty choice"),
        ("a [x|x]", "twice"),
        ("a [str|int]", "choice of types"),
        ("a [x|null]", r"Write \? behind"),
        ("a {b, c", "'}' is expected"),
        ("a {}", "a: the object is empty"),
        ('"a', "double quote is never closed"),
        ("a ] b", r"unexpected '\]'"),
        ("a,\nb flaot", "line 2, character 3"),
        ("a after b", "comes after 'b', which is not one of its siblings"),
        ("a after a", "circle: a -> a"),
        ("a after c, b after a, c after b", "circle: a -> c -> b -> a"),
        ("a {x after y, y after x}", r"a\.x: the dependencies form a circle"),
        ("names.json", "cannot be read"),
        ("{'a': 1}", "not valid JSON.*line 1"),
        (3, "int is not a schema"),
        (int, "int is not a schema"),
        ({"type": "array", "items": {"type": "string"}}, "wrap it"),
        ('{"type": "string"}', "either a JSON Schema of type 'string', or"),
        ({"a": {"type": "string"}}, "properties of a JSON Schema"),
        ({"a": "text", "b": ["c"]}, "'b' is a list, but 'a' is a str"),
        ({"a": 3}, "a description must be text, not int"),
        ({"properties": {"a": {}}, "Shoes": ["b"]}, "rename that category"),
        ({"Shoes": []}, "category 'Shoes': the schema is empty"),
        ({"": ["a"]}, "a category must have a name"),
        ({"properties": {"a": {"type": "text"}}}, "'text' is not a type"),
        ({"properties": {"a": {"type": "null"}}}, "only null is allowed"),
        ({"properties": {"a": False}}, "false accepts no value"),
        ({"properties": {"a": 3}}, "must be an object"),
        ({"properties": {"a": {"enum": []}}}, "at least one value"),
        ({"properties": {"a": {"enum": [[1]]}}}, "cannot be a choice"),
        ({"properties": {"a": {"type": "string", "pattern": "("}}}, "not a regular expression"),
        ({"properties": {"a": {"prefixItems": [{}], "type": "array"}}}, "differ by position"),
        ({"properties": {"a": {"type": "string", "minLength": -1}}}, "a whole number from 0"),
        ({"properties": {"a": {"type": "integer", "minimum": 3, "maximum": 2}}}, "no value fits"),
        ({"properties": {"a": {"type": "integer", "multipleOf": 0}}}, "above 0"),
        (
            {"properties": {"a": {}}, "type": "object", "required": ["b"]},
            "'b' is required, but not",
        ),
        ({"properties": {"a": {"$ref": "#"}}}, "contains itself"),
        ({"properties": {"a": {"$ref": "#/$defs/b"}}}, "leads nowhere"),
        ({"properties": {"a": {"$ref": "https://x/y"}}}, "out of the schema"),
        (
            {"properties": {"a": {"oneOf": [{"type": "integer"}, {"type": "number"}]}}},
            "which oneOf forbids",
        ),
        (
            {
                "properties": {
                    "a": {
                        "anyOf": [
                            {"type": "string"},
                            {"type": "array", "items": {"type": "string"}},
                        ]
                    }
                }
            },
            "a choice between string and array",
        ),
        (
            {"properties": {"a": {"allOf": [{"type": "string"}, {"type": "integer"}]}}},
            "'type' is asked for in two ways",
        ),
        ({"properties": {"a.b": {}, "a": {"properties": {"b": {}}}}}, "this same path"),
    ],
)
def test_errors_say_where_and_what_to_do(source: Any, message: str) -> None:
    with pytest.raises(SchemaError, match=message):
        load_schemas(source)


def test_a_recursive_model_is_an_error() -> None:
    class Node(BaseModel):
        name: str
        children: list[Node] = []

    with pytest.raises(SchemaError, match=r"Node: .*contains itself"):
        load_schema(Node)


def test_a_schema_as_deep_as_the_stack_is_an_error() -> None:
    node: dict[str, Any] = {"type": "string"}
    for _ in range(400):
        node = {"type": "object", "properties": {"a": node}}
    with pytest.raises(SchemaError, match="levels deep"):
        load_schema(node)
    with pytest.raises(SchemaError, match="levels deep"):
        load_schema("a {" * 400)
    with pytest.raises(SchemaError, match="too deeply"):
        load_schema("[" * 100_000)


# --- back into text -----------------------------------------------------------------------------


@settings(deadline=None)
@given(strategies.schemas())
def test_a_schema_survives_its_json_schema(schema: Schema) -> None:
    document = to_json_schema(schema)
    jsonschema.Draft202012Validator.check_schema(document)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert load_schema(document) == schema
        assert load_schema(json.dumps(document)) == schema


def schema_or_none(source: Any) -> Schema | dict[str, Schema] | None:
    """The schema, unless it is refused with a ``SchemaError``: any other error passes."""
    try:
        return load_schemas(source)
    except SchemaError:
        return None


@settings(deadline=None)
@given(st.text(max_size=60))
def test_any_text_is_a_schema_or_an_error(text: str) -> None:
    schema = schema_or_none(text)
    if isinstance(schema, Schema):
        assert load_schema(to_json_schema(schema)) == schema


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.text(max_size=8)
    | st.sampled_from(["string", "object", "array", "#/$defs/a", "null"]),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(
                [
                    *(
                        "type",
                        "properties",
                        "items",
                        "enum",
                        "anyOf",
                        "oneOf",
                        "allOf",
                        "$ref",
                        "$defs",
                    ),
                    *(
                        "required",
                        "a",
                        "const",
                        "minimum",
                        "pattern",
                        "format",
                        "minItems",
                        "depends_on",
                    ),
                ]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=20,
)


@settings(deadline=None)
@given(json_values)
def test_any_json_is_a_schema_or_an_error(source: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SchemaWarning)
        schema = schema_or_none(source)
    if isinstance(schema, Schema):
        assert load_schema(to_json_schema(schema)).attributes == schema.attributes


def test_describe() -> None:
    schema = load_schema(
        "brand!: the maker, color [red|blue], lines [{qty int}], total float after lines"
    )
    assert describe(schema).splitlines() == [
        "PATH         TYPE             CONSTRAINT      ABSENT  DESCRIPTION",
        "brand        string                           error   the maker",
        'color        enum             "red" | "blue"  null',
        "lines        array of object                  null",
        "lines[].qty  integer                          null",
        "total        number           after lines     null",
    ]
    limits = describe(load_schema(Product))
    for part in (
        "> 0, <= 5000",
        "/^[A-Z]+$/, at most 4 characters",
        "at most 3 items, no duplicates",
    ):
        assert part in limits
