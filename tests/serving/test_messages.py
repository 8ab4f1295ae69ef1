"""The document, the instructions and the examples in the messages of a chat."""

from __future__ import annotations

import json
from typing import Any

import pytest

from hpd.serving.bodies import ChatBody, RefusedError
from hpd.serving.messages import Conversation, schema_in
from hpd.serving.messages import read_messages as read_parsed
from request_plans import parsed


def read_messages(messages: Any) -> Conversation:
    return read_parsed(parsed(ChatBody, {"messages": messages}).messages)


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


@pytest.mark.parametrize(
    ("texts", "whole"),
    [(["A ", "lamp"], "A lamp"), (["A", "lamp"], "A\nlamp"), (["A", "\nlamp", ""], "A\nlamp\n")],
)
def test_parts_of_text_are_one_text_of_whole_words(texts: list[str], whole: str) -> None:
    parts = [{"type": "text", "text": text} for text in texts]
    assert read_messages([user(parts)]).document.rstrip() == whole.rstrip()


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
        (None, "messages: .*valid list"),
        ([], "no message of the user"),
        (["hello"], r"messages\[0\]: "),
        ([{"role": "robot", "content": "x"}], r"messages\[0\].role: .*'system'"),
        ([{"role": "user"}], r"messages\[0\].content is missing"),
        ([{"role": "user", "content": 5}], r"messages\[0\].content: .*list"),
        ([user([{"type": "image_url", "image_url": {}}])], r"content\[0\].type: .*'text'"),
        ([user(["x"])], r"content\[0\]: "),
        ([system("x")], "no message of the user"),
        ([user("a"), assistant("a lamp"), user("b")], r"messages\[1\].* must be a JSON object"),
        ([assistant('{"a": 1}'), user("b")], "must follow the message"),
        ([user("a"), {**call("{}"), "tool_calls": [5]}, user("b")], r"tool_calls\[0\]: "),
    ],
)
def test_what_is_wrong_is_said(messages: Any, message: str) -> None:
    with pytest.raises(RefusedError, match=message) as caught:
        read_messages(messages)
    assert caught.value.status == 400


def test_a_schema_that_stands_in_a_text_is_found_there() -> None:
    schema = {"type": "object", "properties": {"a": {"type": "string"}}}
    text = f"Match {{this}} schema:\n\n{json.dumps(schema, indent=2)}\n\nNot the schema itself."
    found, texts = schema_in(['Be {"terse": 1}.', f"Prices are in euros.\n{text}", "More."])
    assert found == schema
    # What is said about the form of the answer goes with it.
    assert texts == ('Be {"terse": 1}.', "Prices are in euros.", "More.")
    assert schema_in(["no {schema} here"]) == (None, ("no {schema} here",))
