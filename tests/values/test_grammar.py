"""Grammars: read by llama.cpp, and everything they accept is a value of the attribute."""

import json
import unicodedata
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, assume, given
from hypothesis import strategies as st
from llama_cpp.llama_grammar import json_schema_to_gbnf

import strategies
from gbnf import Vocabulary, to_regex
from hpd.schema import to_json_schema
from hpd.schema.attributes import Attribute, Schema
from hpd.values.answers import split_answer
from hpd.values.grammar import answer_grammar, enum_texts, literal, value_grammar
from hpd.values.parsing import parse_value
from tools.types_page import unconstrained

FEW = strategies.part_of_examples(0.4, suppress_health_check=list(HealthCheck))


@pytest.fixture(scope="module")
def vocabulary(tiny_model):
    opened = Vocabulary(tiny_model("qwen3"))
    yield opened
    opened.close()


CASES = [
    (
        Attribute("a"),
        ['"Nike"', '"a \\"b\\" \\n \\u00e9"', '"日本 😀"', '""'],
        ["Nike", '"a'],
    ),
    (Attribute("a"), ["null"], ["nul", "true", "12,", '"line\nbreak"']),
    (Attribute("a"), [r'"C:\Users\bo\table.txt"', r'"\d+"', r'"C:\\Users"'], ['"\\"', '"a\\\t"']),
    (Attribute("a", min_length=2, max_length=3), ['"ab"', '"a"', '"abcd"', "null"], ["12,"]),
    (Attribute("a", "integer"), ["12,", "12]", "12\n", "12", "-3}", "1.5,", "null"], ['"1"']),
    (Attribute("a", "integer"), ["01067,", "0012345}", "-012,", "00,"], ["--1,", "0-1,"]),
    (Attribute("a", "integer", minimum=12, maximum=99), ["11,", "100,", "-12,"], []),
    (
        Attribute("a", "number"),
        ["12,", "-3.25}", "0.5 ", "34012345000000117.123456789012,"],
        ["1.,", "1e,"],
    ),
    (Attribute("a", "number", multiple_of=0.01), ["1.25,", "1.255,"], [".5,"]),
    (Attribute("a", "boolean"), ["true", "false,", "null"], ["True", '"true"', "1,"]),
    (Attribute("a", "enum", choices=("red", 'a"b')), ['"red"', '"a\\"b",'], ['"blue"', '"re"']),
    (Attribute("a", "enum", choices=(1, 10)), ["1,", "10}", "1"], ["100,", "2,"]),
    (Attribute("a", "date"), ['"2024-02-29"', '"2023-02-31"', '"2024-13-00"'], ['"2024-1-1"']),
    (Attribute("a", "date-time"), ['"2024-02-29T23:59:00"', '"2024-01-01T00:00:00Z"'], ['"2024"']),
    (Attribute("a", "date-time"), ['"2024-06-31T25:61:00"', '"2024-01-01T24:00:00+25:00"'], []),
    (Attribute("a", pattern="^[A-Z]{2}$"), ['"AB"', "null"], ['"AbC"', '"A"']),
    (Attribute("a", pattern=r"^\d+$"), ['"12"'], ['"1a"', '""']),
    (Attribute("a", pattern="b.d"), ['"abcde"', '"bad"', '"b\\"d"'], ['"bd"', '"b"d"']),
    (Attribute("a", pattern="^x$|^y$"), ['"x"', '"y"'], ['"xy"']),
    (Attribute("a", pattern='^"$'), ['"\\""'], ['"""', '"a"']),
    (Attribute("a", pattern="^(?!no)"), ['"no"', '"yes"'], []),
    (Attribute("a", format="uuid"), ['"123e4567-e89b-12d3-a456-426614174000"'], ['"123"']),
    (Attribute("a", format="time"), ['"10:20:30"', '"10:20:30Z"', '"25:61:00"'], ['"1:0:00"']),
    (Attribute("a", format="time"), ['"1:00"', '"4:30 pm"', '"04:30 a.m."'], ['"4 pm"', '"430"']),
    (
        Attribute("a", "date-time"),
        ['"2024-02-29T4:30"', '"2024-02-29T4:30 PM"'],
        ['"2024-02-29T4"'],
    ),
    (Attribute("a", format="email"), ['"a@b.c"', '"ä.b+c@d-e.f.g"'], ['"a@b"', '"a"', '"a b@c.d"']),
    (
        Attribute("a", format="duration"),
        ['"P1Y2DT3H4M5.5S"', '"PT0S"', '"-P3W"'],
        ['"P"', '"P1DT"'],
    ),
    (Attribute("a", format="hostname"), ['"a"', '"a-b.c1.de"'], ['"-a"', '"a-"', '"a..b"', '""']),
    (Attribute("a", format="ipv4"), ['"0.1.99.255"', '"1.2.3.256"'], ['"1.2.3"', '"1.2.3.2567"']),
    (Attribute("a", format="ipv6"), ['"::"', '"1:2::3"', '"::1.2.3.4"'], ['"1::2::3"', '"1:2"']),
    (Attribute("a", format="uri"), ['"https://a.b/c?d#e"', '"urn:x"'], ['"a.b"', '"a: b"']),
    (Attribute("a", forbids_null=True), ['"red"'], ["null"]),
]


@pytest.mark.parametrize(("attribute", "good", "bad"), CASES)
def test_what_a_grammar_accepts(vocabulary, attribute, good, bad):
    grammar = value_grammar(attribute)
    for text in good:
        assert vocabulary.accepts(grammar, " " + text), text
        assert vocabulary.accepts(grammar, text), f"{text} without its blank"
        assert to_regex(grammar).fullmatch(" " + text), text
    for text in bad:
        assert not vocabulary.accepts(grammar, " " + text), text
        assert not to_regex(grammar).fullmatch(" " + text), text


def test_a_token_may_bring_more_than_the_end_of_the_value(vocabulary):
    for attribute, text in [
        (Attribute("a"), ' "Nike", "'),
        (Attribute("a"), " null}\n"),
        (Attribute("a", "integer"), ' 12, "b"'),
    ]:
        assert vocabulary.accepts(value_grammar(attribute), text, whole=False)


@FEW
@given(st.sets(st.from_regex("[0-2.]{1,4}", fullmatch=True), max_size=9), st.data())
def test_a_value_that_is_one_of_a_few_is_one_of_them(vocabulary, allowed, data):
    grammar = value_grammar(Attribute("a", "integer"), lambda _: sorted(allowed))
    tried = data.draw(st.sets(st.from_regex("[0-2.]{1,4}", fullmatch=True), max_size=9))
    for text in allowed | tried:
        assert vocabulary.accepts(grammar, f" {text},") == (text in allowed)
    assert vocabulary.accepts(grammar, " null")


def test_what_must_be_there_is_null_if_nothing_is_allowed(vocabulary):
    attribute = Attribute("a", "date", forbids_null=True)
    for allowed, text, good in (
        ([], " null", True),
        ([], ' "2026-03-03"', False),
        (['"2026-03-03"'], ' "2026-03-03"', True),
        (['"2026-03-03"'], " null", False),
    ):
        grammar = value_grammar(attribute, lambda _, allowed=allowed: allowed)
        assert vocabulary.accepts(grammar, text) == good


def test_a_whole_answer_is_held_to_the_same(vocabulary):
    schema = Schema(
        (Attribute("a", "integer"), Attribute("b", "array", item=Attribute("item", "integer")))
    )
    grammar = answer_grammar(
        schema, lambda attribute: ["12", "15"] if attribute.type == "integer" else None
    )
    for text, good in (
        ('{"a": 12, "b": [15, 12]}', True),
        ('{"a": null, "b": []}', True),
        ('{"a": 1, "b": []}', False),
        ('{"a": 12, "b": [2]}', False),
    ):
        assert vocabulary.accepts(grammar, text) == good


def test_arrays_and_objects_have_no_value_grammar():
    assert value_grammar(Attribute("a", "array", item=Attribute("item"))) is None
    assert value_grammar(Attribute("a", "object", attributes=(Attribute("b"),))) is None


def test_equal_looking_choices_have_their_own_grammars():
    one = value_grammar(Attribute("a", "enum", choices=(1,)))
    true = value_grammar(Attribute("a", "enum", choices=(True,)))
    assert to_regex(one).fullmatch(" 1,")
    assert to_regex(true).fullmatch(" true")
    assert not to_regex(true).fullmatch(" 1,")


def test_enum_texts():
    assert enum_texts(Attribute("a", "enum", choices=("red", 'ü"'))) == [
        '"red"',
        '"ü\\""',
        "null",
    ]
    assert enum_texts(Attribute("a", "boolean")) == ["true", "false", "null"]
    assert enum_texts(Attribute("a", "boolean", forbids_null=True)) == ["true", "false"]
    assert enum_texts(Attribute("a", "enum", choices=("a", 1))) is None
    assert enum_texts(Attribute("a")) is None


def test_what_is_left_to_the_check_after_decoding():
    assert unconstrained(Attribute("a", pattern="^(?!no)")) == ["pattern"]
    assert unconstrained(Attribute("a", pattern="^a+$", max_length=3)) == ["maxLength"]
    assert unconstrained(Attribute("a", pattern="^a", format="email")) == ["format"]
    assert unconstrained(Attribute("a", "number", multiple_of=5)) == ["multipleOf"]
    assert unconstrained(Attribute("a", "date")) == ["calendar"]
    assert unconstrained(Attribute("a", format="ipv4")) == ["format"]
    assert unconstrained(Attribute("a", pattern="^[A-Z]{2}$")) == []


@FEW
@given(strategies.scalars(), st.data())
def test_every_accepted_text_is_a_value(vocabulary, attribute, data):
    grammar = value_grammar(attribute)
    text = data.draw(st.from_regex(to_regex(grammar), fullmatch=True))
    # What is no character yet to Python may be one to the module that makes up texts.
    assume(not any(unicodedata.category(char) in ("Cs", "Cn") or char == "\0" for char in text))
    assume("\\ud" not in text.lower())
    assert vocabulary.accepts(grammar, text)
    parsed = parse_value(text, replace(attribute, required=False))
    assert parsed.error is None or unconstrained(attribute), (text, parsed.error)


@FEW
@given(strategies.scalars(), st.data())
def test_every_plain_value_is_accepted(vocabulary, attribute, data):
    value = data.draw(strategies.values_of(attribute))
    text = f" {json.dumps(value, ensure_ascii=False)},"
    # JSON has escapes that patterns are not offered, and DEL is left out of strings.
    assume("\x7f" not in text and "e-" not in text)
    assume(attribute.pattern is None or "\\" not in text)
    if attribute.pattern == r"^\d+(\.\d+)?$" or attribute.pattern == r"^\w+@\w+$":
        assume(text.isascii())
    if isinstance(value, str) and attribute.pattern:
        assume(not value.endswith("\n"))
    assert vocabulary.accepts(value_grammar(attribute), text, whole=False), text


@FEW
@given(strategies.schemas(), st.data())
def test_an_answer_grammar_accepts_whole_answers(vocabulary, schema, data):
    grammar = answer_grammar(schema)
    assert vocabulary.parses(grammar)
    answer = data.draw(strategies.answers_of(schema))
    text = json.dumps(answer, ensure_ascii=False)
    accepted = vocabulary.accepts(grammar, text)
    if accepted:
        assert all(
            not raw.truncated and not raw.error for raw in split_answer(schema, text).values()
        )


def test_an_answer_grammar_holds_every_attribute(vocabulary):
    schema = Schema(
        (
            Attribute("a b"),
            Attribute("n", "integer"),
            Attribute("t", "array", item=Attribute("item", nullable=False), max_items=2),
            Attribute("o", "object", attributes=(Attribute('q"'),)),
        )
    )
    grammar = answer_grammar(schema)
    assert vocabulary.accepts(grammar, '{"a b": "x", "n": 1, "t": ["u", "v"], "o": {"q\\"": null}}')
    assert vocabulary.accepts(grammar, '{"a b": null, "n": null, "t": [], "o": null}')
    assert vocabulary.accepts(grammar, '{"a b": "x", "n": 1, "t": ["u", "v", "w"], "o": null}')
    assert not vocabulary.accepts(grammar, '{"n": 1}')


@FEW
@given(
    strategies.scalars(nullable=False).filter(
        lambda a: a.pattern is None and a.format != "email" and a.format != "ipv4"
    ),
    st.data(),
)
def test_accepted_by_llama_cpp_s_converter_too(vocabulary, attribute, data):
    node = to_json_schema(Schema((attribute,)))["properties"]["value"]
    converted = json_schema_to_gbnf(json.dumps(node))
    value = data.draw(strategies.values_of(attribute))
    text = json.dumps(value, ensure_ascii=False)
    # The converter writes dates with three decimals of a second or none, and with a zone.
    assume(attribute.type != "date-time" and attribute.format != "time")
    # Its constants are escaped as ASCII, without escaping the backslash of the escapes.
    texts = [text, *(json.dumps(choice, ensure_ascii=False) for choice in attribute.choices)]
    assume(all(each.isascii() and not {"\\", "\x7f"} & {*each} for each in texts))
    assume("e-" not in text)
    if vocabulary.accepts(value_grammar(attribute), text + ","):
        assert vocabulary.accepts(converted, text), (converted, text)


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=10))
def test_literals(text):
    assert to_regex(f"root ::= {literal(text)}").fullmatch(text)
