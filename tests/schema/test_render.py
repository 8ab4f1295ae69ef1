"""A schema written out again: as JSON Schema, and as a table."""

import json
import warnings

import jsonschema
from hypothesis import given

import strategies
from hpd.schema import describe, load_schema, to_json_schema
from product_model import Product


@given(strategies.schemas())
def test_a_schema_survives_its_json_schema(schema):
    document = to_json_schema(schema)
    jsonschema.Draft202012Validator.check_schema(document)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert load_schema(document) == schema
        assert load_schema(json.dumps(document)) == schema


def test_describe():
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
