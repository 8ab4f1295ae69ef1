"""The document, the instructions and the examples in the messages of a chat."""

from __future__ import annotations

import json
from typing import Any

import pytest

from hpd.serving.messages import read_messages, schema_in
from hpd.serving.refusals import RefusedError


def system(text: str) -> dict[str, Any]:
    return {"role": "system", "content": text}


def user(text: Any) -> dict[str, Any]:
    return {"role": "user", "content": text}


def assistant(text: str) -> dict[str, Any]:
    return {"role": "assistant", "content": text}


def call(arguments: str) -> dict[str, Any]:
    function = {"name": "f", "arguments": arguments}
    calls = [{"id": "1", "type": "function", "function": function}]
    return {"role": "assistant", "content": None, "tool_calls": calls}


def test_the_last_message_of_the_user_is_the_document() -> None:
    said = read_messages([system("Be terse."), user(" A lamp,\nblack ")])
    assert said.document == " A lamp,\nblack "
    assert said.instructions == ("Be terse.",)
    assert said.examples == ()


def test_parts_of_text_are_one_text() -> None:
    parts = [{"type": "text", "text": "A "}, {"type": "text", "text": "lamp"}]
    assert read_messages([user(parts)]).document == "A lamp"


def test_what_was_answered_is_an_example_and_what_was_not_is_an_instruction() -> None:
    said = read_messages(
        [
            user("Here come listings."),
            {"role": "developer", "content": "Be terse."},
            user("A lamp"),
            assistant('{"kind": "lamp"}'),
            user("A shoe"),
            call('{"kind": "shoe"}'),
            user("A hat"),
        ]
    )
    assert said.document == "A hat"
    assert said.instructions == ("Here come listings.", "Be terse.")
    assert said.examples == (("A lamp", {"kind": "lamp"}), ("A shoe", {"kind": "shoe"}))


FAULT = "2 validation errors for Product"


@pytest.mark.parametrize(
    "again",
    [
        [
            call('{"kind": 5}'),
            {"role": "tool", "tool_call_id": "1", "content": f"Validation Error found:\n{FAULT}"},
        ],
        [
            assistant('{"kind": 5}'),
            user(f"Correct your JSON ONLY RESPONSE, based on the following errors:\n{FAULT}"),
        ],
    ],
    ids=["function", "json"],
)
def test_a_fault_that_was_found_is_an_instruction(again: list[Any]) -> None:
    said = read_messages([system("Be terse."), user("A hat"), *again])
    assert said.document == "A hat"
    assert said.instructions[0] == "Be terse."
    assert said.instructions[1] == 'An earlier answer was: {"kind": 5}'
    assert FAULT in said.instructions[2]
    assert said.examples == ()


@pytest.mark.parametrize(
    ("messages", "message"),
    [
        (None, "must be a list"),
        ([], "must be a list"),
        (["hello"], r"messages\[0\] must be an object"),
        ([{"role": "robot", "content": "x"}], "role must be one of"),
        ([{"role": "user"}], "content must be text"),
        ([{"role": "user", "content": 5}], "content must be text"),
        ([user([{"type": "image_url", "image_url": {}}])], "no pictures"),
        ([user(["x"])], "no pictures"),
        ([system("x")], "no message of the user"),
        ([user("a"), assistant("a lamp"), user("b")], r"messages\[1\].* must be a JSON object"),
        ([assistant('{"a": 1}'), user("b")], "must follow the message"),
        ([user("a"), {**call("{}"), "tool_calls": [5]}, user("b")], "arguments of a function"),
    ],
)
def test_what_is_wrong_is_said(messages: Any, message: str) -> None:
    with pytest.raises(RefusedError, match=message) as caught:
        read_messages(messages)
    assert caught.value.status == 400


def test_a_schema_that_stands_in_a_text_is_found_there() -> None:
    schema = {"type": "object", "properties": {"a": {"type": "string"}}}
    text = f"Match {{this}} schema:\n\n{json.dumps(schema, indent=2)}\n\nNot the schema itself."
    found, texts = schema_in(['Be {"terse": 1}.', text, "More."])
    assert found == schema
    assert texts[0] == 'Be {"terse": 1}.'
    assert texts[1] == "Match {this} schema:\nNot the schema itself."
    assert texts[2] == "More."
    assert schema_in(["no {schema} here"]) == (None, ("no {schema} here",))
