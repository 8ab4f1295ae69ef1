"""Extractions as lines of output, and as instances of Pydantic classes."""

from __future__ import annotations

import json
from datetime import date
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, Field, field_validator

from hpd.errors import ContextOverflowError
from hpd.results import Extraction, Failure, FieldValue, Usage, build_data, plain_data
from hpd.schema import load_schema


def test_a_line_of_output():
    extraction = Extraction(
        id="a1",
        data={"brand": "Diesel", "color": None},
        fields={
            "brand": FieldValue(0.97, 0, 6, "exact", raw=' "Diesel"', value="Diesel"),
            "color": FieldValue(0.88, raw=" null"),
        },
        usage=Usage(prompt_tokens=212, completion_tokens=9, steps=4),
    )
    assert extraction.to_json() == (
        '{"id": "a1", "data": {"brand": "Diesel", "color": null}, '
        '"fields": {"brand": {"confidence": 0.97, "start": 0, "end": 6, "match": "exact"}, '
        '"color": {"confidence": 0.88}}, '
        '"usage": {"prompt_tokens": 212, "completion_tokens": 9, "steps": 4}}'
    )


def test_an_attribute_has_its_own_name_and_its_alias():
    class Bill(BaseModel):
        total: float = Field(alias="amount")
        read: float = Field(validation_alias="shown")

    extraction = Extraction(data=Bill(amount=5, shown=6))
    assert [extraction[name] for name in ("total", "amount", "read", "shown")] == [5, 5, 6, 6]
    with pytest.raises(KeyError):
        extraction["sum"]


def test_a_failed_document():
    failure = Failure(ContextOverflowError("12 tokens over"))
    assert Extraction(id="a2", error=failure).to_json() == (
        '{"id": "a2", "error": {"type": "ContextOverflowError", "message": "12 tokens over"}}'
    )


@pytest.mark.parametrize(
    ("field", "expected"),
    [
        (FieldValue(), {}),
        (FieldValue(float("nan"), raw=" null"), {}),
        (FieldValue(0.123456, raw=" null,"), {"confidence": 0.1235}),
        (
            FieldValue(0.5, match="none", raw=' "x"', value="x"),
            {"confidence": 0.5, "match": "none"},
        ),
        (FieldValue(0.5, match="none", raw=' "x"'), {"confidence": 0.5, "raw": ' "x"'}),
        (FieldValue(0.5, raw=' "nullable"'), {"confidence": 0.5, "raw": ' "nullable"'}),
        (
            FieldValue(0.5, raw=' "x', error="it breaks off", truncated=True),
            {"confidence": 0.5, "error": "it breaks off", "raw": ' "x', "truncated": True},
        ),
        (FieldValue(None, error="required"), {"error": "required"}),
        (
            FieldValue(1.0, 3, 4, "exact", value="x"),
            {"confidence": 1.0, "start": 3, "end": 4, "match": "exact"},
        ),
    ],
)
def test_what_a_field_shows(field, expected):
    assert field.to_dict() == expected


def test_usage_tells_what_there_is():
    assert Usage(10, 8, 3, 2, 0.123456).to_dict() == {
        "prompt_tokens": 10,
        "cached_tokens": 8,
        "completion_tokens": 3,
        "steps": 2,
        "seconds": 0.1235,
    }


class Maker(BaseModel):
    name: str
    city: str | None = None


class Product(BaseModel):
    brand: str
    made: date | None = None
    price: Decimal | None = Field(None, alias="Price")
    parts: list[Maker] = []
    rank: int = 7

    @field_validator("brand")
    @classmethod
    def not_bad(cls, value):
        if value == "bad":
            raise ValueError("a bad brand")
        return value


def test_an_instance_of_the_class():
    schema = load_schema(Product)
    data, problems = build_data(
        schema,
        {"brand": "x", "made": "2024-02-03", "Price": 1.5, "parts": [{"name": "y", "city": None}]},
    )
    assert problems == {}
    assert isinstance(data, Product)
    assert data.made == date(2024, 2, 3)
    assert data.parts == [Maker(name="y")]
    assert data.rank == 7
    line = json.loads(Extraction(id=1, data=data).to_json())
    assert line["data"] == {
        "brand": "x",
        "made": "2024-02-03",
        "Price": 1.5,
        "parts": [{"name": "y", "city": None}],
        "rank": 7,
    }


def test_whole_numbers_are_written_in_their_shortest_form():
    """Also where a stream has sent them before they were floats."""
    assert repr(plain_data([{"a": [4.0, 0.5, 1e22, True]}])) == "[{'a': [4, 0.5, 1e+22, True]}]"


def test_data_that_the_class_refuses_stays_a_dict():
    schema = load_schema(Product)
    plain = {"brand": "bad", "parts": [{"name": None}]}
    data, problems = build_data(schema, plain)
    assert data is plain
    assert problems == {
        "brand": "Value error, a bad brand",
        "parts[0].name": "Input should be a valid string",
    }


@given(
    st.builds(
        FieldValue,
        st.none() | st.floats(),
        st.none() | st.integers(0, 99),
        st.none() | st.integers(0, 99),
        st.sampled_from([None, "exact", "normalized", "fuzzy", "none"]),
        error=st.none() | st.text(max_size=5),
        reason=st.none() | st.text(max_size=5),
        raw=st.text(max_size=5),
        truncated=st.booleans(),
        value=st.none() | st.text(max_size=5),
    )
)
def test_every_field_makes_valid_json(field):
    line = Extraction(data={"a": field.value}, fields={"a": field}).to_json()
    assert "\n" not in line
    shown = json.loads(line)["fields"]["a"]
    assert None not in shown.values()
    assert (field.value is not None) or "match" not in shown
