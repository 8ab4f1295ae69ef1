"""Where the references of a schema point, in every draft; nothing else is opened."""

import pytest

from hpd.errors import SchemaError
from hpd.schema import load_schema
from hpd.schema.validation import schema_violations

TEXT = {"type": "string"}
NUMBER = {"type": "number"}
INTEGER = {"type": "integer"}
DRAFT_7 = "http://json-schema.org/draft-07/schema#"


def of(**properties):
    return {"type": "object", "properties": properties, "required": [*properties]}


def types_of(attributes):
    return {each.name: types_of(each.attributes) or each.type for each in attributes}


INNER = {"$ref": "#/$defs/n"}
"""One object in two places, where it points to different definitions."""


@pytest.mark.parametrize(
    ("source", "types"),
    [
        (
            {
                **of(a={"$ref": "sub/t.json"}),
                "$id": "http://x.example/s.json",
                "$defs": {
                    "t": {"$id": "sub/t.json", **of(b={"$ref": "n.json"})},
                    "n": {"$id": "sub/n.json", **NUMBER},
                },
            },
            {"a": {"b": "number"}},
        ),
        (
            {
                **of(a={"$ref": "t.json"}, c={"$ref": "u.json"}),
                "$defs": {
                    "t": {"$id": "t.json", **of(b=INNER), "$defs": {"n": NUMBER}},
                    "u": {"$id": "u.json", **of(b=INNER), "$defs": {"n": INTEGER}},
                    "n": TEXT,
                },
            },
            {"a": {"b": "number"}, "c": {"b": "integer"}},
        ),
        (
            {
                **of(a={"$ref": "t.json#in"}),
                "$defs": {"t": {"$id": "t.json", "$defs": {"y": {"$anchor": "in", **NUMBER}}}},
            },
            {"a": "number"},
        ),
        (
            {**of(a={"$ref": "#t"}), "$defs": {"x": {"$dynamicAnchor": "t", **NUMBER}}},
            {"a": "number"},
        ),
        # A value that looks like a part of a schema is none.
        (
            {
                **of(b={"$ref": "#t"}, a={"const": {"$anchor": "t"}}),
                "$defs": {"x": {"$anchor": "t", **NUMBER}},
            },
            {"b": "number", "a": {'{"$anchor": "t"}': "enum"}},
        ),
        (
            {
                **of(b={"$ref": "#t"}, a={"enum": [{"$ref": "#t"}, {"c": 1}]}),
                "$defs": {"x": {"$anchor": "t", **NUMBER}},
            },
            {"b": "number", "a": {'{"$ref": "#t"}': "enum", '{"c": 1}': "enum"}},
        ),
        (
            {**of(a={"$ref": "#/$defs/a~0b~1c%25d"}), "$defs": {"a~b/c%d": NUMBER, "a": TEXT}},
            {"a": "number"},
        ),
        ({**of(a={"$ref": "#/$defs/a~01"}), "$defs": {"a~1": NUMBER, "a/": TEXT}}, {"a": "number"}),
        ({**of(a={"$ref": "#/$defs/a%2Fb"}), "$defs": {"a/b": NUMBER}}, {"a": "number"}),
        (
            {**of(a={"$ref": "#/$defs/n", "maximum": 5}), "$defs": {"n": NUMBER}},
            {"a": "number"},
        ),
        # Up to draft 7, nothing beside a reference counts.
        (
            {
                **of(a={"$id": "http://y.example/z.json", "$ref": "t.json"}),
                "$schema": DRAFT_7,
                "$id": "http://x.example/s.json",
                "definitions": {"t": {"$id": "t.json", **NUMBER}},
            },
            {"a": "number"},
        ),
        # Ids and anchors of older drafts, which schemas often do not name.
        (
            {
                **of(a={"$ref": "#t"}),
                "$schema": DRAFT_7,
                "definitions": {"x": {"$id": "#t", **NUMBER}},
            },
            {"a": "number"},
        ),
        ({**of(a={"$ref": "#t"}), "definitions": {"x": {"$id": "#t", **NUMBER}}}, {"a": "number"}),
        (
            {
                "id": "http://x.example/s.json",
                **of(a={"$ref": "t.json"}),
                "definitions": {"x": {"id": "t.json", **NUMBER}},
            },
            {"a": "number"},
        ),
        (
            of(a={"type": "array", "items": [{"$anchor": "t", **NUMBER}, {"$ref": "#t"}]}),
            {"a": {"1": "number", "2": "number"}},
        ),
        (
            {
                **of(a={"$ref": "t.json"}),
                "$defs": {
                    "t": {
                        "$id": "t.json",
                        **of(b={"$ref": "#/$defs/any"}),
                        "$defs": {"any": True},
                    }
                },
            },
            {"a": {"b": "string"}},
        ),
        # In some schemas with ids, pointers nevertheless start at the root.
        (
            {
                "$id": "http://x.example/s.json",
                **of(a={"$id": "t.json", **of(b=INNER)}),
                "$defs": {"n": NUMBER},
            },
            {"a": {"b": "number"}},
        ),
        # Definitions that nothing refers to may be anything.
        ({**of(a=NUMBER), "$defs": {"x": {"$ref": "#/$defs/y"}}}, {"a": "number"}),
        (
            {**of(a=INNER), "$id": 5, "$defs": {"n": NUMBER, "x": {"properties": 5}}},
            {"a": "number"},
        ),
    ],
)
def test_a_reference_points_where_the_standard_says(source, types):
    before = repr(source)
    assert types_of(load_schema(source).attributes) == types
    assert repr(source) == before


@pytest.mark.parametrize(
    ("part", "reason"),
    [
        ({"$ref": "y.json"}, r"^\$.properties.a: .*'y.json' points outside .* into \$defs"),
        ({"$ref": 5}, r"^\$.properties.a: the reference 5 points outside"),
        ({"$ref": "#t"}, r"^\$.properties.a: .*'#t' points to nothing"),
        ({"$ref": "#/title/x"}, "points to nothing"),
        ({"$ref": "#/required"}, "does not point to a schema"),
        ({"$dynamicRef": "#t"}, r"\$dynamicRef cannot be honoured: use \$ref into \$defs"),
        ({**NUMBER, "not": {"$ref": "file:///y.json"}}, "^#/properties/a/not: .*points outside"),
        ({**NUMBER, "if": {"$ref": "#/$defs/y"}}, "^#/properties/a/if: .*points to nothing"),
    ],
)
def test_a_reference_to_nothing_is_named(part, reason):
    with pytest.raises(SchemaError, match=reason):
        load_schema({**of(a=part), "title": "t"})


@pytest.mark.parametrize("keyword", ["$ref", "$dynamicRef"])
def test_checking_data_opens_nothing(keyword, monkeypatch):
    opened = []
    monkeypatch.setattr("urllib.request.urlopen", lambda *request: opened.append(request))
    ((_, reason),) = schema_violations({"not": {keyword: "http://x.example/y.json"}}, {})
    assert "cannot be checked" in reason
    assert not opened
