"""Whole answers, split into the raw texts of their fields."""

import json

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

import strategies
from hpd.prompt.questions import schema_leaves
from hpd.results import FieldValue
from hpd.schema import load_schema, to_json_schema
from hpd.schema.attributes import Attribute, Schema
from hpd.values.answers import answer_leaf, split_answer
from hpd.values.assembly import assemble


def from_answer(schema, text):
    """As ``method="ar"`` does it."""
    values = {}
    for path, raw in split_answer(schema, text).items():
        values[path] = raw.parse(answer_leaf(schema, path))
    return assemble(schema, values)


def test_an_answer_is_split_with_its_offsets():
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
def test_what_can_be_read_of_an_answer(text, data, errors):
    assembled = from_answer(load_schema("a, b int, t [str]"), text)
    assert assembled.data == data
    assert list(assembled.errors) == errors


def test_what_was_cut_off_is_marked():
    split = split_answer(load_schema("a, b, c"), '{"a": "x", "b": "y')
    assert [split[name,].truncated for name in "abc"] == [False, True, True]


def test_an_object_where_a_value_belongs_and_the_other_way_round():
    schema = load_schema("maker {name, city}, brand")
    assembled = from_answer(schema, '{"maker": "Nike", "brand": {"name": "Nike"}}')
    assert assembled.data == {"maker": None, "brand": None}
    assert list(assembled.errors) == ["maker.name", "maker.city", "brand"]


@given(strategies.schemas(), st.data())
def test_a_whole_answer_comes_back(schema, data):
    answer = data.draw(strategies.answers_of(schema))
    assembled = from_answer(schema, json.dumps(answer, ensure_ascii=False))
    if jsonschema.Draft202012Validator(to_json_schema(schema)).is_valid(answer):
        # What is empty may come back as null; everything else comes back as it was.
        def check(was, now):
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


@given(strategies.schemas(), st.data())
def test_what_was_complete_before_the_break_is_kept(schema, data):
    answer = data.draw(strategies.answers_of(schema))
    text = json.dumps(answer, ensure_ascii=False)
    cut = data.draw(st.integers(0, len(text)))
    whole, part = split_answer(schema, text), split_answer(schema, text[:cut])
    for path, raw in part.items():
        if not raw.truncated and raw.error is None and path[-1] != "count":
            assert raw == whole[path]
            # No place: the object around it is null.
            assert raw.end is None or raw.end <= cut


@given(strategies.schemas(), st.text(st.sampled_from('{}[]",:\\ truenl1.x\n'), max_size=80))
def test_no_text_is_too_broken_to_split(schema, text):
    split = split_answer(schema, text)
    assert {leaf.path for leaf in schema_leaves(schema)} <= set(split)
    from_answer(schema, text)


def test_free_text_at_which_an_answer_breaks_off_is_kept():
    schema = Schema((Attribute("a"), Attribute("n", "integer")))
    raws = split_answer(schema, '{"a": "a long te')
    assert raws[("a",)].truncated
    assert raws[("a",)].parse(schema.attributes[0]) == FieldValue(value="a long te")
    assert split_answer(schema, '{"a": "b", "n": 12')[("n",)].parse(schema.attributes[1]).error
