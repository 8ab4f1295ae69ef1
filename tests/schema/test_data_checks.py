"""The checks of a schema: which are refused, and what they say of data."""

import json
import pickle
from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict

from hpd.errors import SchemaError
from hpd.evaluation.endpoint import response_schema
from hpd.schema import SchemaWarning, describe, load_schema, load_schemas, to_json_schema
from hpd.schema.data_checks import check_expression, check_text, checks_not_passed, evaluate_check

NUMBER, TEXT, BOOLEAN = ({"type": kind} for kind in ("number", "string", "boolean"))
DATE = {"type": "string", "format": "date"}
LINE = {"type": "object", "properties": {"n": NUMBER, "price": NUMBER, "amount": NUMBER}}
PROPERTIES = {
    "total": NUMBER,
    "net amount": NUMBER,
    "issued": DATE,
    "due": DATE,
    "sent": {"type": "string", "format": "date-time"},
    "kind": {"enum": ["bill", "credit"]},
    "paid": BOOLEAN,
    "note": TEXT,
    "maker": {"type": "object", "properties": {"city": TEXT}},
    "days": {"type": "array", "items": DATE},
    "lines": {"type": "array", "items": LINE},
    "groups": {"type": "array", "items": {"type": "object", "properties": {"tags": {
        "type": "array", "items": NUMBER}}}},
    "price_of": {"type": "object", "additionalProperties": NUMBER},
}  # fmt: skip


def schema_of(*checks, **properties):
    return {"type": "object", "properties": properties or PROPERTIES, "checks": [*checks]}


DATA = {
    "total": 100.0,
    "net amount": 84.03,
    "issued": "2024-05-01",
    "due": "2024-05-31",
    "sent": "2024-05-31T09:30:00",
    "kind": "bill",
    "paid": False,
    "note": None,
    "maker": {"city": "Oslo"},
    "days": ["2024-05-03", "2024-05-02"],
    "lines": [{"n": 2, "price": 0.335, "amount": 0.67}, {"n": 1, "price": 89.33, "amount": 89.33}],
    "groups": [{"tags": [1, 2]}, {"tags": [3]}],
    "price_of": {"tea": 1.5},
}


@pytest.mark.parametrize(
    ("check", "passed"),
    [
        ("sum(lines.amount) == 90", True),
        ("sum(lines.amount) == total", False),
        ("sum(lines.amount) + 10 == total", True),
        ("due >= issued", True),
        ("due < issued", False),
        ("due == sent", True),
        ("issued > '2024-04-30'", True),
        ("maker.city == 'Oslo'", True),
        ("`net amount` <= total", True),
        ("round(total / 1.19, 2) == `net amount`", True),
        ("total == 100.005", True),
        ("total == 100.0051", False),
        ("total != 100.005", False),
        ("total < 100.001", True),
        ("total <= 99.996", True),
        ("abs(-total) == total", True),
        ("round(0.5) == 1 and round(1.5) == 2", True),
        ("0 < total <= 100", True),
        ("len(lines) == 2 and len(groups.tags) == 3", True),
        ("sum(groups.tags) == 6 and min(groups.tags) == 1", True),
        ("min(days) == '2024-05-02' and max(due, issued) == due", True),
        ("kind == 'credit' or not paid", True),
        ("price_of.tea == 1.5", True),
        ("paid", False),
        ("note == 'x'", None),
        ("note == 'x' or total > 0", True),
        ("note == 'x' and total < 0", False),
        ("not (note == 'x')", None),
        ("total / 0 == 1", None),
        ("price_of.cocoa == 1", None),
        ("price_of.tea == 'x'", None),
    ],
)
def test_a_check_of_data(check, passed):
    check_expression(check, load_schema(schema_of()).attributes)
    assert evaluate_check(check, DATA)[0] is passed


def test_a_null_among_the_items_is_unknown():
    data = {"lines": [{"amount": 1}, {"amount": None}, {}], "total": 1}
    for check in ("sum(lines.amount) == total", "max(lines.amount) == total"):
        assert evaluate_check(check, data) == (None, None, 1)
    assert evaluate_check("len(lines) == 3", data) == (True, 3, 3)
    assert evaluate_check("sum(lines.amount) == total", {"lines": [], "total": 1}) == (False, 0, 1)
    assert evaluate_check("sum(lines.amount) == total", {"lines": None, "total": 1})[0] is None
    assert evaluate_check("min(lines.amount) == total", {"lines": [], "total": 1})[0] is None


@pytest.mark.parametrize(
    ("check", "message"),
    [
        ("total = 3", "two values are compared with =="),
        ("sum(lines.amont) == total", "there is no 'amont' in lines, only n, price, amount"),
        ("totl == 1", "there is no 'totl', only total, net amount"),
        ("total.x == 1", "total has no parts"),
        ("lines.amount == total", "lines.amount is a list and total is a number"),
        ("lines == total", "lines is a list"),
        ("maker == 'x'", "maker is an object"),
        ("sum(total) == 1", r"sum\(total\) cannot be computed: total is a number"),
        ("sum(days) == 1", "days is a list"),
        ("max(total, due) == 1", "total is a number and due is a date"),
        ("total", "neither true nor false"),
        ("paid or total", "paid is true or false and total is a number"),
        ("due > total", "due is a date and total is a number"),
        ("due > 'soon'", "'soon' is a text"),
        ("kind < 'c'", "kind is a text and 'c' is a text"),
        ("1 < total < note", "total is a number and note is a text"),
        ("total == None", "None is not allowed"),
        ("total == True", "True is not allowed"),
        ("total ** 2 == 1", r"total \*\* 2 is not allowed"),
        ("lines[0].amount == 1", r"lines\[0\] is not allowed"),
        ("max(*lines.amount) == 1", "is not allowed"),
        ("abs(x=total) == 1", "is not allowed"),
        ("round(total, 10) == 1", "is not allowed"),
        ("__import__('os')", r"__import__\('os'\) is not allowed"),
        ("note.__class__ == 'x'", "note has no parts"),
        ("(lambda: total)() == 1", "is not allowed"),
        ("f'{total}' == 'x'", "is not allowed"),
        ("total == 1 if paid else paid", "is not allowed"),
        ("total in lines.amount", "is not allowed"),
        ("note == '\\x41'", "no backslashes"),
        ("-" * 300 + "1 == 1", "nested more than 50 levels"),
        ("(" + "-" * 900 + "1) ** 2 == 1", "nested more than 50 levels"),
        ("(" * 300, "not an expression"),
        ("1 == 1 and " * 100 + "1 == 1", "more than 1000 characters"),
        ("", "not an expression"),
        ("total == 1e999", "is not allowed"),
    ],
)
def test_what_is_no_check_is_refused_when_the_schema_is_read(check, message):
    with pytest.raises(SchemaError, match=rf"\$\.checks: .*{message}"):
        load_schema(schema_of(check))


def test_checks_that_are_no_list_are_refused():
    with pytest.raises(SchemaError, match="a list of expressions"):
        load_schema({**schema_of(), "checks": "total == 1"})
    with pytest.raises(SchemaError, match="no properties that a check could name"):
        load_schema({"type": "object", "additionalProperties": NUMBER, "checks": ["a == 1"]})
    with pytest.warns(SchemaWarning, match="'checks' has no effect on a value of type string"):
        load_schema(schema_of(a={"type": "string", "checks": ["a == 1"]}))


def test_what_does_not_pass_is_told_with_both_sides():
    schema = load_schema(
        schema_of("sum(lines.amount) == total", "note == 'x'", "paid", "total > 1")
    )
    found = [check.to_dict() for check in checks_not_passed(schema, DATA)]
    assert found == [
        {"check": "sum(lines.amount) == total", "passed": False, "left": 90, "right": 100},
        {"check": "note == 'x'", "passed": None, "left": None, "right": "x"},
        {"check": "paid", "passed": False},
    ]
    assert [*map(check_text, found)] == [
        "sum(lines.amount) == total (90 and 100)",
        "note == 'x' (unknown and x)",
        "paid",
    ]
    assert json.loads(json.dumps(found)) == found


def test_objects_within_the_data_have_checks_of_their_own():
    line = {**LINE, "checks": ["n * price == amount"]}
    source = schema_of("total == 1", total=NUMBER, lines={"type": "array", "items": line})
    schema = load_schema(source)
    lines = [{"n": 2, "price": 3, "amount": amount} for amount in (6, 5)]
    data = {"total": 1, "lines": lines}
    (found,) = checks_not_passed(schema, data)
    assert found.to_dict() == {
        "check": "n * price == amount",
        "path": "lines[1]",
        "passed": False,
        "left": 6,
        "right": 5,
    }
    assert checks_not_passed(pickle.loads(pickle.dumps(schema)), data) == (found,)
    rows = load_schema({"type": "array", "items": line})
    assert [check.path for check in checks_not_passed(rows, data["lines"])] == ["[1]"]
    named = load_schema({"type": "object", "additionalProperties": line})
    assert [c.path for c in checks_not_passed(named, {"a": data["lines"][1]})] == ["a"]
    pair = load_schema(schema_of(pair={"type": "array", "prefixItems": [NUMBER, line]}))
    assert [c.path for c in checks_not_passed(pair, {"pair": [1, data["lines"][1]]})] == ["pair[1]"]
    maybe = load_schema(schema_of(line={"anyOf": [line, {"type": "string"}, {"type": "null"}]}))
    assert [c.path for c in checks_not_passed(maybe, {"line": data["lines"][1]})] == ["line"]
    assert not checks_not_passed(maybe, {"line": "none"})
    with pytest.raises(SchemaError, match="one of several variants"):
        load_schema(
            schema_of(line={"anyOf": [line, {"type": "object", "properties": {"x": TEXT}}]})
        )


def test_each_level_of_a_recursive_object_is_checked():
    node = {
        "properties": {"total": NUMBER, "parts": {"type": "array", "items": {"$ref": "#"}}},
        "checks": ["total >= 0"],
    }
    with pytest.warns(SchemaWarning):
        schema = load_schema({"type": "object", **node})
    data = {"total": 1, "parts": [{"total": 2, "parts": [{"total": -1}]}]}
    assert [check.path for check in checks_not_passed(schema, data)] == ["parts[0].parts[0]"]


def test_checks_beside_properties_alone_make_a_json_schema():
    schema = load_schema({"checks": ["a > 0"], "properties": {"a": NUMBER}})
    assert schema.checks == ("a > 0",)
    categories = load_schemas({"checks": ["a"], "others": {"a": "", "b": ""}})
    assert categories.categories == ["checks", "others"]


def test_checks_of_references_and_allof_are_joined():
    base = {"properties": {"a": NUMBER}, "checks": ["a > 0"]}
    source = {"$defs": {"base": base}, "properties": {"b": NUMBER}, "checks": ["b > 0", "a < b"]}
    schema = load_schema({**source, "type": "object", "allOf": [{"$ref": "#/$defs/base"}]})
    assert {*schema.checks} == {"a > 0", "b > 0", "a < b"}


def test_a_class_has_checks():
    class Bill(BaseModel):
        model_config = ConfigDict(json_schema_extra={"checks": ["net <= total"]})
        net: float | None = None
        total: float | None = None

    schema = load_schema(Bill)
    assert schema.checks == ("net <= total",)
    assert checks_not_passed(schema, {"net": 2.0, "total": 1.0})[0].passed is False


def test_checks_are_shown_and_written_and_are_no_part_of_what_a_model_is_sent():
    schema = load_schema(schema_of("total > 0"))
    assert "check total > 0" in describe(schema).splitlines()
    assert to_json_schema(schema)["checks"] == ["total > 0"]
    assert load_schema(to_json_schema(schema)) == schema
    assert "checks" not in response_schema(schema)
    assert schema.key != load_schema(schema_of("total > 1")).key
    assert not checks_not_passed(replace(schema, has_checks=False), {"total": -1})


# --- the slow reference: expressions as nested tuples, with fractions ---

NAMES = ("a", "b", "c")


def text_of(tree):
    match tree:
        case str() | int() | float():
            return str(tree)
        case ("sum" | "min" | "max" | "len" | "abs" as name, part):
            return f"{name}({text_of(part)})"
        case ("not", part):
            return f"(not {text_of(part)})"
        case ("-", part):
            return f"(-{text_of(part)})"
        case (name, left, right):
            return f"({text_of(left)} {name} {text_of(right)})"


def reference(tree, data):
    """The value of an expression, by the obvious rules; None if it is unknown."""
    match tree:
        case int() | float():
            return Fraction(repr(tree))
        case "rows.x":
            return [row["x"] for row in data["rows"]]
        case str():
            return data[tree]
        case ("and" | "or" as name, left, right):
            sides = [reference(left, data), reference(right, data)]
            decides = name == "or"
            return decides if decides in sides else None if None in sides else not decides
    name, *parts = tree
    values = [reference(part, data) for part in parts]
    if name == "len":
        return Fraction(len(values[0]))
    if any(value is None or (isinstance(value, list) and None in value) for value in values):
        return None
    one, other = (*values, None)[:2]
    if name in ("min", "max") and not one:
        return None
    return {
        "sum": lambda: Fraction(sum(one)),
        "min": lambda: min(one),
        "max": lambda: max(one),
        "abs": lambda: abs(one),
        "not": lambda: not one,
        "+": lambda: one + other,
        "-": lambda: -one if other is None else one - other,
        "*": lambda: one * other,
        "/": lambda: one / other if other else None,
        "==": lambda: abs(one - other) <= Fraction("0.005"),
        "!=": lambda: abs(one - other) > Fraction("0.005"),
        "<": lambda: one < other,
        ">": lambda: one > other,
        "<=": lambda: one <= other or abs(one - other) <= Fraction("0.005"),
        ">=": lambda: one >= other or abs(one - other) <= Fraction("0.005"),
    }[name]()


CENTS = st.integers(-300, 300).map(lambda cents: cents / 100)
SINGLE = st.sampled_from(NAMES) | CENTS.map(abs) | st.integers(0, 3)
NUMBERS = st.recursive(
    SINGLE | st.tuples(st.sampled_from(("sum", "min", "max", "len")), st.just("rows.x")),
    lambda inner: (
        st.tuples(st.sampled_from(("+", "-", "*")), inner, inner)
        | st.tuples(st.just("/"), inner, st.sampled_from((0, 2, 4, 5)))
        | st.tuples(st.sampled_from(("abs", "-")), inner)
    ),
    max_leaves=5,
)
TRUTHS = st.recursive(
    st.tuples(st.sampled_from(("==", "!=", "<", "<=", ">", ">=")), NUMBERS, NUMBERS),
    lambda inner: st.tuples(st.sampled_from(("and", "or")), inner, inner)
    | st.tuples(st.just("not"), inner),
    max_leaves=4,
)  # fmt: skip
VALUES = st.none() | CENTS
OBJECTS = st.fixed_dictionaries(
    {
        **dict.fromkeys(NAMES, VALUES),
        "rows": st.lists(st.fixed_dictionaries({"x": VALUES}), max_size=4),
    }
)


def as_fractions(value):
    if isinstance(value, dict):
        return {name: as_fractions(part) for name, part in value.items()}
    if isinstance(value, list):
        return [*map(as_fractions, value)]
    return None if value is None else Fraction(repr(value))


@given(TRUTHS, OBJECTS)
def test_checks_equal_the_reference(tree, data):
    row = {"type": "object", "properties": {"x": NUMBER}}
    numbers = dict.fromkeys(NAMES, NUMBER)
    attributes = load_schema(schema_of(**numbers, rows={"type": "array", "items": row})).attributes
    check_expression(text_of(tree), attributes)
    assert evaluate_check(text_of(tree), data)[0] is reference(tree, as_fractions(data))


@given(
    st.text(st.sampled_from("ab.`'\"()+-*/<>=! 01,[]{}\\\n\x00é") | st.characters(), max_size=40)
)
def test_any_text_is_a_check_or_a_value_error(text):
    attributes = load_schema("a float, b [float]").attributes
    try:
        check_expression(text, attributes)
    except ValueError:
        return
    assert evaluate_check(text, {"a": 1.0, "b": [1.0]})[0] in (True, False, None)
