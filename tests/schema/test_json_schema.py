"""JSON Schema: what its keywords become, and that none passes in silence that is not honoured."""

import pytest

from hpd.schema import SchemaWarning, load_schema
from hpd.schema.attributes import Attribute
from hpd.schema.validation import schema_violations


def attribute_of(node, **more):
    schema = load_schema({"type": "object", "properties": {"a": node}, **more})
    return schema.attributes[0]


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
def test_json_schema_nodes(node, expected):
    definitions = {"x/y": {"type": "string", "format": "date", "description": "theirs"}}
    assert attribute_of(node, **{"$defs": definitions}) == expected


def test_all_of_merges_objects():
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
        ({"type": "object"}, "names no properties"),
        ({"type": "array"}, "read as text"),
        ({"type": "string", "format": "color"}, "'color' is not known"),
        ({"type": "string", "minimum": 3}, "'minimum' has no effect"),
        (
            {"type": "string", "desciption": "x"},
            "'desciption' is not a keyword .*: ignored; did you mean description?",
        ),
        (
            {"type": "object", "properties": {"name": {}}, "required": ["nmae"]},
            "'nmae' is required, but not one of the .*: read as text; did you mean name?",
        ),
        ({"type": "integer", "enum": [1, "x"]}, "'x' is not of the type integer"),
        (
            {"type": "object", "properties": {"b": {}}, "additionalProperties": {"type": "string"}},
            "only the named properties",
        ),
        (
            {"type": "object", "properties": {"b": {}}, "patternProperties": {"^x": {}}},
            "patternProperties: only the named",
        ),
        ({"type": "string", "format": "date", "pattern": "^2"}, "beside the format date"),
    ],
)
def test_what_is_not_honoured_is_a_warning(node, message):
    with pytest.warns(SchemaWarning, match=message) as caught:
        attribute_of(node)
    assert all("$.properties.a" in str(warning.message) for warning in caught)


LETTERS = {
    "type": "object",
    "properties": {"code": {"type": "string", "pattern": r"^(?<first>\p{Lu})\p{L}*$"}},
    "patternProperties": {r"^\p{Lu}$": {"type": "integer"}},
    "additionalProperties": False,
    "required": ["\xc4"],
}


def test_patterns_know_properties_of_unicode_and_names_of_groups():
    with pytest.warns(SchemaWarning, match="only the named"):
        schema = load_schema(LETTERS)
    assert [attribute.type for attribute in schema.attributes] == ["string", "integer"]
    assert schema_violations(LETTERS, {"code": "\xc4b", "\xc4": 1}) == []
    faults = schema_violations(LETTERS, {"code": "\xe4b", "\xc4": "x", "\xe4": 1})
    assert {place for place, _ in faults} == {"code", "\xc4", ""}
    assert any("('\xe4' was unexpected)" in message for _, message in faults)


@pytest.mark.parametrize(
    "description",
    [
        "the due date in YYYY-MM-DD format",
        "YYYY-MM-DD",
        "invoice or order date, yyyy-mm-dd (e.g. '2024-12-31')",
        "the vendor's date 'as of', in YYYY-MM-DD, or null if there is none",
        "Datum (JJJJ-MM-TT)",
        "date d'émission, AAAA-MM-JJ",
    ],
)
def test_text_described_as_year_month_and_day_is_a_date(description):
    assert attribute_of({"type": "string", "description": description}).type == "date"
    assert load_schema({"a": description}).attributes[0].type == "date"
    assert load_schema(f'a: "{description}"').attributes[0].type == "date"


@pytest.mark.parametrize(
    "node",
    [
        {"description": "the date as YYYY-MM-DD or 'present'"},
        {"description": "'present' or the date as YYYY-MM-DD"},
        {"description": "YYYY-MM-DD, else as it is printed"},
        {"description": "YYYY-MM-DD, with 'approx.' if it is unsure"},
        {"description": "YYYY-MM-DD; YYYY-MM if the day is missing"},
        {"description": "YYYY-MM-DD to YYYY-MM-DD"},
        {"description": "YYYY-MM-DDThh:mm"},
        {"description": "YYYY-MM-DD hh:mm"},
        {"description": "YYYY-MM-DD 09:30"},
        {"description": "a code XYYYY-MM-DDX"},
        {"description": "YYYY-MM-DD", "maxLength": 30},
        {"description": "YYYY-MM-DD", "format": "email"},
        {"description": "YYYY-MM-DD", "enum": ["2024-05-06"]},
        {"description": "the due date"},
    ],
)
def test_text_that_may_have_another_form_is_no_date(node):
    assert attribute_of({"type": "string", **node}).type != "date"
