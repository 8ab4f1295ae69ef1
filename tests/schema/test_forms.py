"""The forms in which a schema may be written, all equal in the end."""

import json
import warnings
from dataclasses import replace

import pytest

import hpd
from hpd.cli import main
from hpd.errors import SchemaError
from hpd.prompt.text import instruction_text
from hpd.schema import (
    SchemaNote,
    SchemaWarning,
    as_schemas,
    load_schema,
    load_schemas,
    to_json_schema,
)
from hpd.schema.attributes import Attribute, Schema
from product_model import Product


def test_all_forms_of_plain_names_are_equal(tmp_path):
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
        "brand, Net content",
        "brand str\nNet content str\n",
        '["brand", "Net content"]',
        str(file),
        file,
        str(lines),
        lines,
        {"properties": {"brand": nullable, "Net content": nullable}},
        {"type": ["object", "null"], "properties": {"brand": nullable, "Net content": nullable}},
        expected,
    ):
        assert load_schema(source) == expected, source


def test_one_line_form():
    schema = load_schema(
        "brand: the maker, color [red|blue|black]?, weight_g float?, tags [str], "
        "lines [{item!: what, qty int}], size [36 | 38], maker {name, city}, sold_on date!, "
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
        Attribute("sold_on", "date", nullable=False, required=True),
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
def test_names_and_descriptions_on_one_line(text, expected):
    assert [(a.name, a.description) for a in load_schema(text)] == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("invoice number, paid bool", {"invoice number": "string", "paid": "boolean"}),
        ("Phone Number\nDue Date", {"Phone Number": "string", "Due Date": "date"}),
        ("alt text, query string, price list", dict.fromkeys(
            ("alt text", "query string", "price list"), "string")),
        ("number of guests int, price (EUR) float!", {
            "number of guests": "integer", "price (EUR)": "number"}),
        ("Date, due date, date of birth date, start datetime", {
            "Date": "date", "due date": "date", "date of birth": "date", "start": "date-time"}),
        ("date of issue, date str, b", {"date of issue": "date", "date": "string", "b": "string"}),
        # Where a name ends for certain, what follows is its type.
        ('"due" date, "phone" number, order_date date, weightKg number, size? text', {
            "due": "date", "phone": "number", "order_date": "date", "weightKg": "number",
            "size": "string"}),
        ("payment terms [net 30|net 60], line items [{unit price float}]", {
            "payment terms": "enum", "line items": "array"}),
    ],
)  # fmt: skip
def test_names_are_as_people_write_them_and_types_are_words_of_programmers(text, expected):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SchemaNote)
        assert {a.name: a.type for a in load_schema(text)} == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("unit price float, total float after unit price", {"total": ("unit price",)}),
        ("a, b c, d float after b c a", {"d": ("b c", "a")}),
        ('a, b c, d after "b c" a', {"d": ("b c", "a")}),
        ("lines, total after lines", {"total": ("lines",)}),
        ("tax, price after discount float", {"price after discount": ()}),
        ("price, discount, price after discount", {"price after discount": ()}),
        ("due date after delivery, brand", {"due date after delivery": ()}),
    ],
)
def test_after_is_a_word_of_a_name_where_no_attribute_is_behind_it(text, expected):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SchemaNote)
        found = {a.name: a.after for a in load_schema(text)}
    assert {name: found.get(name) for name in expected} == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "invoice number, phone number, b",
            "'invoice number', 'phone number': .* spelt float or int",
        ),
        ("alt text, b", "'alt text': read as a text of this name; the type is spelt str"),
        ("price decimal, b", "is spelt float"),
        ("weight flaot, b", "'weight flaot': read as a .* did you mean 'weight float'?"),
        ("invoice number strng, b", "did you mean 'invoice number str'?"),
        ("total nubmer, b", "did you mean 'total float'?"),
        ("due dat, b", "did you mean 'due date'?"),
        ("n intt, b", "did you mean 'n int'?"),
        ("due date, b", "read as a date of this name; for a date named 'due', write \"due\" date"),
        ("date, due date", "'date', 'due date': read as .*; for a text, write \"date\" str"),
        ("date of birth, b", 'for a text, write "date of birth" str'),
        ("lines [{unit number, qty int}], b", "'unit number'"),
        ("brand color size", "'brand color size': one attribute; a comma separates several"),
    ],
)
def test_a_note_says_which_reading_was_taken(text, message, capsys):
    with pytest.warns(SchemaNote, match=message):
        load_schema(text)
    assert main(["schema", text]) == 0
    assert "note: " in capsys.readouterr().err


@pytest.mark.parametrize(
    "text",
    [
        '"phone number", "due" date, "alt text" str',
        "invoice no, order_date date, weight (g) float, number, dat",
        '"date", date of birth date, due date str',
        "price flat, check in, mail it, customer data, opening dates, hotel star, file datei",
        '"brand color size"',
        "phone number [a|b], list",
    ],
)
def test_nothing_is_noted_where_there_is_one_reading(text, recwarn):
    load_schema(text)
    assert not recwarn.list


def test_pydantic_is_read_like_the_json_schema_it_writes():
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
    assert (maker.type, maker.nullable) == ("object", True)
    assert maker.description == "The maker of a product."
    assert [(a.name, a.required, a.nullable) for a in maker.attributes] == [
        ("name", True, False),
        ("city", False, True),
    ]
    assert by_name["parts"].item == replace(maker, name="item", nullable=False, required=False)
    assert by_name["total"].after == ("parts", "count")


def test_module_and_class(tmp_path, monkeypatch):
    (tmp_path / "shop_schemas.py").write_text(
        "from pydantic import BaseModel\n"
        "class Shoe(BaseModel):\n    brand: str | None = None\n"
        "NAMES = ['brand']\nclass Shelf:\n    inner = {'Shoes': NAMES}\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    assert load_schema("shop_schemas:Shoe") == Schema((Attribute("brand"),), title="Shoe")
    assert load_schema("shop_schemas:Shoe").model.__name__ == "Shoe"
    assert load_schema("shop_schemas:NAMES") == Schema((Attribute("brand"),))
    assert load_schemas("shop_schemas:Shelf.inner").single is None
    with pytest.raises(SchemaError, match="has no 'Boot'"):
        load_schema("shop_schemas:Boot")
    with pytest.raises(SchemaError, match="put a blank after the colon"):
        load_schema("brand:maker")


def test_text_is_no_name_of_a_file_or_a_class(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "s.json").write_text('["secret"]')
    (tmp_path / "made_up_module.py").write_text("raise AssertionError")
    for name in ("s.json", str(tmp_path / "s.json"), "missing.txt", "made_up_module:Model"):
        with pytest.raises(SchemaError, match=r"hpd\.load_schemas"):
            as_schemas(name)
    assert as_schemas('"s.json"').single == Schema((Attribute("s.json"),))
    assert as_schemas(hpd.load_schemas("s.json")).single == load_schema("s.json")
    assert as_schemas(tmp_path / "s.json").single == load_schema("s.json")


def test_by_category(tmp_path):
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
    assert load_schemas(source).by_category == expected
    assert load_schemas(str(file)).by_category == expected
    assert load_schemas({"P": Product, "S": expected["Tea"]}).by_category == {
        "P": load_schema(Product),
        "S": expected["Tea"],
    }
    with pytest.raises(SchemaError, match=r"3 categories .Shoes, Tea, Mask.*--category-field"):
        load_schema(source)


@pytest.mark.parametrize(
    "source",
    ["price: float", "price:Float!", "a, tags: [str], b", {"price": "number"}, "o {n: int, m}"],
)
def test_a_type_in_the_place_of_a_description_is_a_warning(source):
    with pytest.warns(SchemaWarning, match="is read as a description, and the type is text"):
        load_schema(source)


@pytest.mark.parametrize(
    "source",
    ['price: "float"', "price float: number", "name: str", "price: float, as printed\n b", "a: of"],
)
def test_a_description_that_cannot_be_meant_as_a_type_is_no_warning(source, recwarn):
    load_schema(source)
    assert not recwarn.list


@pytest.mark.parametrize("name", ["schema.yaml", "folder/schema", "folder/"])
def test_a_file_that_is_no_schema_is_not_taken_for_the_name_of_an_attribute(
    name, tmp_path, monkeypatch
):
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "schema").write_text("a, b")
    (tmp_path / "schema.yaml").write_text("a: str")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SchemaError, match="is a file or a folder; the file of a schema has a name"):
        load_schema(name)
    assert load_schema("folder").attributes[0].name == "folder"


INNER = {"type": "object", "properties": {"brand": {"type": "string"}}}


@pytest.mark.parametrize(
    "wrapped",
    [
        {"name": "x", "schema": INNER},
        {"name": "x", "strict": True, "description": "shoes", "schema": INNER},
        {"type": "json_schema", "json_schema": {"name": "x", "schema": INNER}},
        {"type": "json_schema", "schema": INNER},
        {"name": "x", "description": "shoes", "schema_definition": INNER},
        {"type": "function", "function": {"name": "x", "parameters": INNER}},
        {"name": "x", "description": "shoes", "input_schema": INNER},
        {"schema": INNER},
    ],
)
def test_a_schema_of_another_tool_is_taken_out_of_its_wrapping(wrapped, recwarn):
    schema = load_schema(wrapped)
    assert schema.attributes == load_schema(INNER).attributes
    assert schema.description == wrapped.get("description", "")
    assert load_schema(json.dumps(wrapped)) == schema
    assert not recwarn.list


def test_what_only_looks_like_a_wrapping_stays_as_it_is():
    # An attribute, and categories, of that name.
    (attribute,) = load_schema({"schema": "what the text calls a schema"})
    assert attribute.name == "schema"
    schemas = load_schemas({"schema": ["brand"], "function": ["name"]})
    assert schemas.categories == ["schema", "function"]
    properties = {"type": "object", "properties": {"schema": INNER, "name": {"type": "string"}}}
    assert [attribute.name for attribute in load_schema(properties)] == ["schema", "name"]


def test_the_description_of_a_schema_stands_in_its_prompt():
    described = load_schema({**INNER, "description": "Ads for shoes."})
    assert described != load_schema(INNER)
    assert described.key != load_schema(INNER).key
    assert instruction_text(described).startswith("Instructions:\nAds for shoes.\n\nAttributes:")
    both = instruction_text(described, instructions="Be exact.")
    assert both.startswith("Instructions:\nBe exact.\nAds for shoes.\n\n")
    assert instruction_text(load_schema(INNER)).startswith("Attributes:")
    assert to_json_schema(described)["description"] == "Ads for shoes."


def test_a_note_names_the_line_that_gave_the_schema():
    with pytest.warns(SchemaNote) as caught:
        load_schema("due date")
    assert [each.filename for each in caught] == [__file__] * 2


def test_an_unknown_keyword_is_told_once():
    names = {name: {"type": "string", "score": 1} for name in "abcd"}
    with pytest.warns(SchemaWarning) as caught:
        load_schema({"type": "object", "score": 2, "properties": names})
    (said,) = (str(each.message) for each in caught)
    assert "'score' is not a keyword of JSON Schema: ignored, here and in 4 other places" in said


def test_date_and_time_are_types_behind_themselves():
    schema = load_schema("date date, time time, leaving time time!")
    assert [(a.name, a.type, a.format) for a in schema] == [
        ("date", "date", None), ("time", "string", "time"), ("leaving time", "string", "time")
    ]  # fmt: skip


def test_time_is_a_type_behind_an_identifier():
    schema = load_schema("start_time time, endTime time!, time, delivery time")
    assert {a.name: a.format for a in schema} == {
        "start_time": "time", "endTime": "time", "time": None, "delivery time": None
    }  # fmt: skip


def test_the_schema_of_a_category():
    one = load_schemas("brand")
    assert one.for_category(None) is one.for_category("tea") is one.single
    assert one.categories == []
    several = load_schemas({"tea": ["flavor"], "shoes": ["size"]})
    assert several.single is None
    assert several.categories == ["tea", "shoes"]
    assert [name in several for name in ("tea", "hats", None)] == [True, False, False]
    assert several.for_category("tea") == load_schema(["flavor"])
    with pytest.raises(KeyError):
        several.for_category(None)
    assert several.key != one.key == one.single.key
