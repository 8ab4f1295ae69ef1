"""Raw texts into values, values into data, and back from whole answers."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from typing import Any

import jsonschema
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import strategies
from hpd.questions import item_leaves, schema_leaves
from hpd.schema import load_schema, to_json_schema
from hpd.schema.attributes import Attribute, Schema
from hpd.values import (
    Assembled,
    Parsed,
    absent,
    answer_leaf,
    assemble,
    confidence,
    parse_value,
    split_answer,
)

Path = tuple[str, ...]


def pieces(schema: Schema) -> dict[str, Any]:
    """The JSON Schema of each attribute, for jsonschema to judge by."""
    properties: dict[str, Any] = to_json_schema(schema)["properties"]
    return properties


def from_answer(schema: Schema, text: str) -> Assembled:
    """As ``method="ar"`` does it."""
    values = {}
    for path, raw in split_answer(schema, text).items():
        leaf = answer_leaf(schema, path)
        assert leaf is not None
        values[path] = raw.parse(leaf)
    return assemble(schema, values)


# --- one value ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("attribute", "raw", "value"),
    [
        (Attribute("a"), ' "Nike"', "Nike"),
        (Attribute("a"), ' "say \\"hi\\" \\u00e9"', 'say "hi" é'),
        (Attribute("a"), ' "Nike", "', "Nike"),
        (Attribute("a"), ' "two\nlines"', "two\nlines"),
        (Attribute("a"), " 10.50,", "10.5"),
        (Attribute("a"), " null", None),
        (Attribute("a"), ' ""', None),
        (Attribute("a"), ' "  "', None),
        (Attribute("a", "integer"), " 12,", 12),
        (Attribute("a", "integer"), " 12.0}", 12),
        (Attribute("a", "integer"), ' "12"', 12),
        (Attribute("a", "integer"), " -0,", 0),
        (Attribute("a", "number"), " 1.5e2,", 150.0),
        (Attribute("a", "number"), ' "1.5"', 1.5),
        (Attribute("a", "number", multiple_of=0.1), " 0.3,", 0.3),
        (Attribute("a", "boolean"), " true", True),
        (Attribute("a", "boolean"), ' "No"', False),
        (Attribute("a", "enum", choices=("red", "blue")), ' "RED "', "red"),
        (Attribute("a", "enum", choices=("", "x")), ' ""', ""),
        (Attribute("a", "enum", choices=(36, 38)), ' "36"', 36),
        (Attribute("a", "enum", choices=("36", "38")), " 36,", "36"),
        (Attribute("a", "enum", choices=(True, "x")), " true", True),
        (Attribute("a", "date"), ' "2024-02-29"', "2024-02-29"),
        (Attribute("a", "date"), ' "2024/2/9"', "2024-02-09"),
        (Attribute("a", "date-time"), ' "2024-02-29 10:30"', "2024-02-29T10:30:00"),
        (Attribute("a", "date-time"), ' "2024-02-29T10:30:00Z"', "2024-02-29T10:30:00Z"),
        (Attribute("a", format="ipv4"), ' "127.0.0.1"', "127.0.0.1"),
        (Attribute("a", pattern="^[A-Z]+$"), ' "ABC"', "ABC"),
    ],
)
def test_good_values(attribute: Attribute, raw: str, value: object) -> None:
    parsed = parse_value(raw, attribute)
    assert parsed == Parsed(value)
    assert type(parsed.value) is type(value)


@pytest.mark.parametrize(
    ("attribute", "raw", "error"),
    [
        (Attribute("a"), ' "Nik', "breaks off"),
        (Attribute("a"), ' "Nik\\u12', "breaks off"),
        (Attribute("a"), " nul", "breaks off"),
        (Attribute("a"), " Nike", "not valid JSON"),
        (Attribute("a"), "", "no text"),
        (Attribute("a"), ' "\\ud800"', "not valid Unicode"),
        (Attribute("a"), ' ["x"]', "text is expected, not a list"),
        (Attribute("a"), " [[[[[" * 3000, "too deeply|breaks off|not valid"),
        (Attribute("a", min_length=3), ' "ab"', "shorter than 3"),
        (Attribute("a", max_length=3), ' "abcd"', "longer than 3"),
        (Attribute("a", pattern="^[A-Z]+$"), ' "abc"', "does not match the pattern"),
        (Attribute("a", format="ipv4"), ' "1.2.3.400"', "not of the format ipv4"),
        (Attribute("a", "integer"), " 1.5,", "whole number"),
        (Attribute("a", "integer"), ' "1,299"', "whole number"),
        (Attribute("a", "integer"), " true", "whole number"),
        (Attribute("a", "integer"), " 1" + "0" * 5000, "not valid JSON"),
        (Attribute("a", "number"), " 1e999,", "too large"),
        (Attribute("a", "number"), " NaN", "not valid JSON"),
        (Attribute("a", "number"), ' "12 kg"', "a number is expected"),
        (Attribute("a", "number", minimum=2), " 1,", "below the minimum 2"),
        (Attribute("a", "number", exclusive_minimum=2), " 2,", "not above 2"),
        (Attribute("a", "number", maximum=2), " 3,", "above the maximum 2"),
        (Attribute("a", "number", exclusive_maximum=2), " 2,", "not below 2"),
        (Attribute("a", "integer", multiple_of=5), " 7,", "not a multiple of 5"),
        (Attribute("a", "boolean"), " 1,", "true or false"),
        (Attribute("a", "enum", choices=("red", "blue")), ' "green"', "none of the choices"),
        (Attribute("a", "enum", choices=("a", "A")), ' " a"', "none of the choices"),
        (Attribute("a", "enum", choices=(1,)), " true", "none of the choices"),
        (Attribute("a", "date"), ' "2023-02-29"', "YYYY-MM-DD"),
        (Attribute("a", "date"), ' "02/03/2023"', "YYYY-MM-DD"),
        (Attribute("a", "date-time"), ' "2023-02-28"', "hh:mm:ss"),
        (Attribute("a", required=True, nullable=False), " null", "required"),
        (Attribute("a", required=True, nullable=False), ' ""', "required"),
    ],
)
def test_bad_values(attribute: Attribute, raw: str, error: str) -> None:
    parsed = parse_value(raw, attribute)
    assert parsed.value is None
    assert parsed.error is not None
    assert re.search(error, parsed.error), parsed.error


def test_absent_is_an_error_only_where_required_and_not_nullable() -> None:
    assert absent(Attribute("a", required=True, nullable=False)).missing
    assert absent(Attribute("a", required=True, nullable=True)) == Parsed()
    assert absent(Attribute("a", required=False, nullable=False)) == Parsed()


@settings(deadline=None)
@given(strategies.scalars(), strategies.raw_texts)
def test_whatever_the_text_the_value_obeys(attribute: Attribute, raw: str) -> None:
    parsed = parse_value(raw, attribute)
    if parsed.error is not None:
        assert parsed.value is None
    elif parsed.value is not None:
        node = pieces(Schema((attribute,)))["value"]
        jsonschema.validate(parsed.value, node)
        json.dumps(parsed.value, ensure_ascii=False, allow_nan=False).encode()


@settings(deadline=None)
@given(strategies.scalars(), st.data())
def test_every_value_of_the_type_is_read_as_it_is(
    attribute: Attribute, data: st.DataObject
) -> None:
    value = data.draw(strategies.values_of(attribute))
    assume(not isinstance(value, str) or value.strip() or attribute.type == "enum")
    for ensure_ascii in (True, False):
        raw = " " + json.dumps(value, ensure_ascii=ensure_ascii) + ","
        assert parse_value(raw, attribute) == Parsed(value)


def test_confidence() -> None:
    assert confidence([]) is None
    assert confidence([math.nan]) is None
    assert confidence([0.0, -0.0]) == 1.0
    assert confidence([math.log(0.5), math.log(0.5)]) == pytest.approx(0.25)
    assert confidence([1e-9]) == 1.0


# --- assembling ---------------------------------------------------------------------------------


def values(**raw: Any) -> dict[Path, Parsed]:
    """``lines__1__qty=3`` as the value at ("lines", "1", "qty")."""
    return {
        tuple(name.split("__")): value if isinstance(value, Parsed) else Parsed(value)
        for name, value in raw.items()
    }


def test_assembling_nested_data() -> None:
    schema = load_schema("brand, maker {name, city}, tags [str], lines [{item, qty int}]")
    assembled = assemble(
        schema,
        values(
            brand="Nike",
            maker__city="Rome",
            tags__count=2,
            tags__1="a",
            tags__2="b",
            lines__count=2,
            lines__1__item="x",
            lines__1__qty=3,
            lines__2__item="y",
        ),
    )
    assert assembled.data == {
        "brand": "Nike",
        "maker": {"name": None, "city": "Rome"},
        "tags": ["a", "b"],
        "lines": [{"item": "x", "qty": 3}, {"item": "y", "qty": None}],
    }
    assert assembled.errors == {}
    assert assembled.places == {
        ("brand",): "brand",
        ("maker", "name"): "maker.name",
        ("maker", "city"): "maker.city",
        ("tags", "count"): "tags",
        ("tags", "1"): "tags[0]",
        ("tags", "2"): "tags[1]",
        ("lines", "count"): "lines",
        ("lines", "1", "item"): "lines[0].item",
        ("lines", "1", "qty"): "lines[0].qty",
        ("lines", "2", "item"): "lines[1].item",
        ("lines", "2", "qty"): "lines[1].qty",
    }


def test_nothing_at_all() -> None:
    schema = load_schema("brand, maker {name}, tags [str]")
    assert assemble(schema, {}).data == {"brand": None, "maker": None, "tags": None}
    strict = load_schema(
        {
            "properties": {
                "a": {"type": "string"},
                "b": {"type": "string"},
                "c": {"type": "array", "items": {"type": "string"}},
                "d": {"type": "array", "items": {"type": "string"}, "minItems": 1},
                "e": {"properties": {"x": {"type": "string"}}, "required": ["x"], "type": "object"},
            },
            "required": ["a"],
        }
    )
    empty = assemble(strict, {})
    assert empty.data == {"a": None, "c": []}
    assert list(empty.errors) == ["a"]
    assert "required" in empty.errors["a"]


def test_a_required_part_matters_only_where_the_object_is_there() -> None:
    schema = load_schema("maker {name!, city}, place {name!, city}!")
    nothing = assemble(schema, {("maker", "name"): absent(schema.attributes[0].attributes[0])})
    assert nothing.data == {"maker": None, "place": {"name": None, "city": None}}
    assert list(nothing.errors) == ["place.name"]
    half = assemble(schema, values(maker__city="Rome", place__name="x"))
    assert half.data == {"maker": None, "place": {"name": "x", "city": None}}
    assert list(half.errors) == ["maker.name"]


def test_items_that_are_left_out() -> None:
    schema = load_schema("tags [str], lines [{item!, qty int}]")
    assembled = assemble(
        schema,
        values(
            tags__count=4,
            tags__1="a",
            tags__3=Parsed(error="it is not valid JSON"),
            tags__4="b",
            lines__count=3,
            lines__1__qty=1,
            lines__3__item="x",
        ),
    )
    assert assembled.data == {"tags": ["a", "b"], "lines": [{"item": "x", "qty": None}]}
    assert assembled.errors == {
        "tags": "item 3: it is not valid JSON",
        "lines": "item 1, item: required, but the document does not hold it",
    }
    assert assembled.places[("tags", "4")] == "tags[1]"
    assert ("tags", "3") not in assembled.places
    assert assembled.places[("lines", "3", "item")] == "lines[0].item"


def test_unique_items() -> None:
    number = {"type": "array", "items": {"type": "number"}, "uniqueItems": True}
    schema = load_schema({"properties": {"a": number}})
    assembled = assemble(schema, values(a__count=4, a__1=1, a__2=1.0, a__3=2, a__4=1))
    assert assembled.data == {"a": [1, 2]}
    assert assembled.places[("a", "3")] == "a[1]"


def test_too_few_items_and_a_bad_count() -> None:
    array = {"type": "array", "items": {"type": "string"}, "minItems": 2}
    schema = load_schema({"properties": {"a": array, "b": array}, "required": ["b"]})
    assembled = assemble(
        schema,
        values(a__count=1, a__1="x", b__count=Parsed(error="above the maximum 100")),
    )
    assert assembled.data == {"b": None}
    assert assembled.errors == {
        "a": "at least 2 items are needed, not 1",
        "b": "the number of items: above the maximum 100",
    }


def decode(schema: Schema, raws: Mapping[int, str], default: str) -> dict[Path, Parsed]:
    """Stands in for the model: each new field gets the next raw text."""
    found: dict[Path, Parsed] = {}
    waiting = schema_leaves(schema)
    n = 0
    while waiting and n < 200:
        leaf = waiting.pop(0)
        parsed = parse_value(raws.get(n, default), leaf.attribute)
        found[leaf.path] = parsed
        n += 1
        if leaf.array is not None and parsed.value:
            count = min(parsed.value, 5)
            found[leaf.path] = Parsed(count)
            waiting.extend(item_leaves(leaf, count))
    return found


@settings(deadline=None)
@given(
    strategies.schemas(),
    st.dictionaries(st.integers(0, 20), strategies.raw_texts),
    st.sampled_from([" null", " 2,", ' "x"']),
)
def test_whatever_the_model_writes_the_data_obeys(
    schema: Schema, raws: dict[int, str], default: str
) -> None:
    assembled = assemble(schema, decode(schema, raws, default))
    validator = jsonschema.Draft202012Validator(to_json_schema(schema))
    for problem in validator.iter_errors(assembled.data):
        # Only a required value that is not there may break the schema, and it is told.
        assert problem.instance is None, problem
        place = "".join(
            f"[{step}]" if isinstance(step, int) else f".{step}" for step in problem.absolute_path
        ).lstrip(".")
        assert place in assembled.errors
    for place in assembled.places.values():
        assert place.split("[")[0].split(".")[0] in {attribute.name for attribute in schema}


# --- whole answers ------------------------------------------------------------------------------


def test_an_answer_is_split_with_its_offsets() -> None:
    schema = load_schema("brand, maker {city}, tags [str], lines [{qty int}], size")
    text = 'So: {"brand": "Nike", "maker": {"city": "Rome"}, "tags": ["a"], "lines": [{"qty": 3}]}'
    split = split_answer(schema, text)
    assert {path: raw.text for path, raw in split.items()} == {
        ("brand",): '"Nike"',
        ("maker", "city"): '"Rome"',
        ("tags", "count"): "1",
        ("tags", "1"): '"a"',
        ("lines", "count"): "1",
        ("lines", "1", "qty"): "3",
        ("size",): "null",
    }
    for path, raw in split.items():
        assert not raw.truncated
        if raw.start is not None and path[-1] != "count":
            assert text[raw.start : raw.end] == raw.text
    assert split["size",].start is None


@pytest.mark.parametrize(
    ("text", "data", "errors"),
    [
        ('{"a": "x", "b": 3}', {"a": "x", "b": 3, "t": None}, []),
        ('{"a": "x", "b": 3', {"a": "x", "b": None, "t": None}, ["b"]),
        ('{"a": "x", "b":', {"a": "x", "b": None, "t": None}, ["b"]),
        ('{"a": "x", "t": ["u", "v', {"a": "x", "b": None, "t": ["u"]}, []),
        ('{"a": "x" "b": 3}', {"a": "x", "b": None, "t": None}, []),
        ('{"a": "x", b: 3}', {"a": "x", "b": None, "t": None}, []),
        ('{"a": "x", "a": "y"}', {"a": "y", "b": None, "t": None}, []),
        ('{"t": "u", "b": "3"}', {"a": None, "b": 3, "t": ["u"]}, []),
        ('{"a": ["x"], "b": {}}', {"a": None, "b": None, "t": None}, ["a", "b"]),
        ('{"a": {"a": 1}}', {"a": None, "b": None, "t": None}, ["a"]),
        ("no idea", {"a": None, "b": None, "t": None}, ["a", "b", "t"]),
        ("", {"a": None, "b": None, "t": None}, ["a", "b", "t"]),
        ('```json\n{"a": "x"}\n```', {"a": "x", "b": None, "t": None}, []),
        ('{"a": ' + "[" * 5000, {"a": None, "b": None, "t": None}, ["a"]),
    ],
)
def test_what_can_be_read_of_an_answer(text: str, data: dict[str, Any], errors: list[str]) -> None:
    assembled = from_answer(load_schema("a, b int, t [str]"), text)
    assert assembled.data == data
    assert list(assembled.errors) == errors


def test_what_was_cut_off_is_marked() -> None:
    split = split_answer(load_schema("a, b, c"), '{"a": "x", "b": "y')
    assert [split[name,].truncated for name in "abc"] == [False, True, True]


def test_an_object_where_a_value_belongs_and_the_other_way_round() -> None:
    schema = load_schema("maker {name, city}, brand")
    assembled = from_answer(schema, '{"maker": "Nike", "brand": {"name": "Nike"}}')
    assert assembled.data == {"maker": None, "brand": None}
    assert list(assembled.errors) == ["maker.name", "maker.city", "brand"]


@settings(deadline=None)
@given(strategies.schemas(), st.data())
def test_a_whole_answer_comes_back(schema: Schema, data: st.DataObject) -> None:
    answer = data.draw(strategies.answers_of(schema))
    assembled = from_answer(schema, json.dumps(answer, ensure_ascii=False))
    if jsonschema.Draft202012Validator(to_json_schema(schema)).is_valid(answer):
        # What is empty may come back as null; everything else comes back as it was.
        def check(was: Any, now: Any) -> None:
            if isinstance(was, dict) and now is not None:
                for name, part in was.items():
                    check(part, now.get(name))
            elif now is not None and was is not None:
                assert now == was or isinstance(was, list)

        check(answer, assembled.data)
    for attribute in schema:
        if (
            attribute.type in ("integer", "number", "boolean")
            and answer[attribute.name] is not None
        ):
            assert assembled.data[attribute.name] == answer[attribute.name]


@settings(deadline=None)
@given(strategies.schemas(), st.data())
def test_what_was_complete_before_the_break_is_kept(schema: Schema, data: st.DataObject) -> None:
    answer = data.draw(strategies.answers_of(schema))
    text = json.dumps(answer, ensure_ascii=False)
    cut = data.draw(st.integers(0, len(text)))
    whole, part = split_answer(schema, text), split_answer(schema, text[:cut])
    for path, raw in part.items():
        if not raw.truncated and raw.error is None and path[-1] != "count":
            assert raw == whole[path]
            # No place: the object around it is null.
            assert raw.end is None or raw.end <= cut


@settings(deadline=None)
@given(strategies.schemas(), st.text(st.sampled_from('{}[]",:\\ truenl1.x\n'), max_size=80))
def test_no_text_is_too_broken_to_split(schema: Schema, text: str) -> None:
    split = split_answer(schema, text)
    assert {leaf.path for leaf in schema_leaves(schema)} <= set(split)
    from_answer(schema, text)
