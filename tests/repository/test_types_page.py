"""docs/types.md says of every type what holds now."""

import json
from decimal import Decimal
from typing import get_args

import jsonschema
import pytest

from hpd.schema import load_schema, to_json_schema
from hpd.schema.attributes import Type
from tools import types_page

pytestmark = pytest.mark.filterwarnings("ignore:.* is a part of itself")  # so is an example
HOW = "run: python -m tools.types_page"


def shown_rows():
    """The rows of the page's table, as lists of cells."""
    text = types_page.PAGE.read_text(encoding="utf-8").partition("\n## Whole")[0]
    lines = [line for line in text.splitlines() if line.startswith("| ")]
    split = [line[2:-2].replace("\\|", "\0").split(" | ") for line in lines]
    return [[cell.replace("\0", "|") for cell in row] for row in split[2:]]


ROWS = shown_rows()


def test_the_table_is_current():
    assert [tuple(row[:4]) for row in ROWS] == list(types_page.rows()), HOW


@pytest.mark.parametrize(
    ("example", "row"),
    [
        pytest.param(example, row, id=example.name)
        for example, row in zip(types_page.EXAMPLES, ROWS, strict=False)
    ],
)
def test_what_came_out_validates(example, row):
    # With decimal numbers: as floats, 17.9 is no multiple of 0.01.
    schema = to_json_schema(load_schema(example.source()))
    exact = json.loads(json.dumps(schema), parse_float=Decimal)
    if "error: " not in row[4]:
        # A time may lack its zone, as it does in many documents.
        formats = {*jsonschema.FormatChecker.checkers} - {"date-time"}
        jsonschema.Draft202012Validator(
            exact, format_checker=jsonschema.FormatChecker(formats)
        ).validate(json_of(row[4]))


def test_every_type_is_there():
    def types(attribute):
        inner = [*attribute.attributes, *([attribute.item] if attribute.item else [])]
        return {attribute.type}.union(*map(types, inner))

    shown = set().union(*(types(example.attribute()) for example in types_page.EXAMPLES))
    assert shown == set(get_args(Type))


def json_of(cell):
    return json.loads(cell.split("; error: ")[0].strip("`").strip(), parse_float=Decimal)
