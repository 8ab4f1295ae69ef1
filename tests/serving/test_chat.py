"""Chat completions: what is read of messages and bodies, what is refused, what is answered."""

import json
import re
from dataclasses import replace

import pytest

from hpd.documents import Document
from hpd.errors import ContextOverflowError, DecodeError, InputError, InvalidDataError
from hpd.options import Options
from hpd.results import Extraction, Failure, FieldValue, Usage
from hpd.schema import load_schema
from hpd.schema.data_checks import CheckResult
from hpd.serving.bodies import ChatBody, HttpError
from hpd.serving.chat import ServedModel, parse_chat
from hpd.serving.messages import langextract_prompt, schema_in
from hpd.serving.messages import read_messages as read_parsed
from request_plans import parsed, plans_with


def read_messages(messages):
    return read_parsed(parsed(ChatBody, {"messages": messages}).messages)


def system(text):
    return {"role": "system", "content": text}


def user(text):
    return {"role": "user", "content": text}


def assistant(text):
    return {"role": "assistant", "content": text}


def call(arguments):
    function = {"name": "f", "arguments": arguments}
    calls = [{"id": "1", "type": "function", "function": function}]
    return {"role": "assistant", "content": None, "tool_calls": calls}


def test_the_last_message_of_the_user_is_the_document():
    said = read_messages([system("Be terse."), user(" A lamp,\nblack ")])
    assert said.document == " A lamp,\nblack "
    assert said.instructions == ("Be terse.",)
    assert said.examples == ()


@pytest.mark.parametrize(
    ("texts", "whole"),
    [(["A ", "lamp"], "A lamp"), (["A", "lamp"], "A\nlamp"), (["A", "\nlamp", ""], "A\nlamp\n")],
)
def test_parts_of_text_are_one_text_of_whole_words(texts, whole):
    parts = [{"type": "text", "text": text} for text in texts]
    assert read_messages([user(parts)]).document.rstrip() == whole.rstrip()


def test_what_was_answered_is_an_example_and_what_was_not_is_an_instruction():
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
def test_a_fault_that_was_found_is_an_instruction(again):
    said = read_messages([system("Be terse."), user("A hat"), *again])
    assert said.document == "A hat"
    assert said.instructions[0] == "Be terse."
    assert said.instructions[1] == 'An earlier answer was: {"kind": 5}'
    assert FAULT in said.instructions[2]
    assert said.examples == ()


@pytest.mark.parametrize(
    ("messages", "message"),
    [
        (None, "'messages' must be a list"),
        ([], "no user message"),
        (["hello"], r"'messages\[0\]' must be a JSON object"),
        ([{"role": "robot", "content": "x"}], r"'messages\[0\].role' must be 'system',"),
        ([{"role": "user"}], r"'messages\[0\].content' is missing"),
        ([{"role": "user", "content": 5}], "content': neither a string nor a list"),
        (
            [user([{"type": "image_url", "image_url": {}}])],
            "content': images are not supported: send text",
        ),
        ([user([{"type": "file"}])], "'file' is not supported: send text"),
        ([user(["x"])], r"content\[0\]' must be a"),
        ([system("x")], "no user message"),
        ([user("a"), assistant("a lamp"), user("b")], r"messages\[1\].* must be a JSON object"),
        ([assistant('{"a": 1}'), user("b")], "must follow the user message"),
        ([user("a"), {**call("{}"), "tool_calls": [5]}, user("b")], r"tool_calls\[0\]' must be"),
    ],
)
def test_what_is_wrong_is_said(messages, message):
    with pytest.raises(HttpError, match=message) as caught:
        read_messages(messages)
    assert caught.value.status == 400


def test_a_schema_that_stands_in_a_text_is_found_there():
    schema = {"type": "object", "properties": {"a": {"type": "string"}}}
    text = f"Match {{this}} schema:\n\n{json.dumps(schema, indent=2)}\n\nNot the schema itself."
    found, texts = schema_in(['Be {"terse": 1}.', f"Prices are in euros.\n{text}", "More."])
    assert found == schema
    # What is said about the form of the answer goes with it.
    assert texts == ('Be {"terse": 1}.', "Prices are in euros.", "More.")
    assert schema_in(["no {schema} here"]) == (None, ("no {schema} here",))


ROMEO = {
    "extractions": [
        {"character": "ROMEO", "character_attributes": {"mood": "wonder"}},
        {"place": "window", "place_attributes": {}},
        {"character": "JULIET", "character_attributes": {"titles": ["sun", "east"]}},
    ]
}
EXAMPLE = f"Q: ROMEO. But soft! window, JULIET\nA: {json.dumps(ROMEO, indent=2)}\n"
PROMPT = f"Find characters.\n\nMore context.\n\nExamples\n{EXAMPLE}\nQ: Lady Juliet\ngazed\nA: "


def test_a_prompt_is_taken_apart():
    prompt = langextract_prompt(PROMPT)
    assert prompt.description == "Find characters.\n\nMore context."
    assert prompt.document == "Lady Juliet\ngazed"
    assert prompt.classes == {"character": {"mood": False, "titles": True}, "place": {}}
    ((text, answer),) = prompt.examples
    assert text == "ROMEO. But soft! window, JULIET"
    assert answer == {
        "character": [
            {"character": "ROMEO", "mood": "wonder", "titles": None},
            {"character": "JULIET", "mood": None, "titles": ["sun", "east"]},
        ],
        "place": ["window"],
    }
    schema = load_schema(prompt.schema)
    assert [attribute.type for attribute in schema] == ["array", "array"]


def test_answers_in_fences_and_several_examples():
    answer = '{"extractions": [{"place": "x", "place_attributes": {}}]}'
    fenced = f"Q: a\nA: ```json\n{answer}\n```\n"
    prompt = langextract_prompt(f"Find.\n\nExamples\n{fenced}\n{fenced}\nQ: b\nA:")
    assert [text for text, _ in prompt.examples] == ["a", "a"]
    assert prompt.document == "b"


def test_other_texts_are_none():
    assert langextract_prompt("A lamp") is None
    assert langextract_prompt("Examples\nQ: a\nA: ") is None
    assert langextract_prompt(PROMPT.replace("extractions", "values")) is None
    assert langextract_prompt(PROMPT.removesuffix("A: ")) is None


def test_an_answer_is_in_the_order_of_the_document():
    prompt = langextract_prompt(PROMPT)
    data = {
        "character": [{"character": "Juliet", "mood": "sad", "titles": None}, {"mood": "x"}],
        "place": ["Verona"],
    }
    fields = {
        "character[0].character": FieldValue(start=20, end=26),
        "place[0]": FieldValue(start=3, end=9),
    }
    assert prompt.answer(Extraction(None, data, fields)) == {
        "extractions": [
            {"place": "Verona", "place_attributes": {}},
            {"character": "Juliet", "character_attributes": {"mood": "sad"}},
        ]
    }


def test_an_attribute_with_the_name_of_its_class_is_left_out():
    item = {"place": "x", "place_attributes": {"place": "y", "size": "z"}}
    text = f"Examples\nQ: a\nA: {json.dumps({'extractions': [item]})}\n\nQ: b\nA: "
    prompt = langextract_prompt(text)
    assert prompt.classes == {"place": {"size": False}}


SERVED = ServedModel("box", Options().with_defaults(), 0)
SCHEMA = {
    "type": "object",
    "properties": {"brand": {"type": "string"}, "price": {"type": ["number", "null"]}},
    "required": ["brand", "price"],
    "additionalProperties": False,
}
FORMAT = {"type": "json_schema", "json_schema": {"name": "Product", "schema": SCHEMA}}
MESSAGES = [{"role": "user", "content": "A lamp by Luma, 5 dollars"}]
FOUND = Extraction(
    None,
    {"brand": "Luma", "price": None},
    {"brand": FieldValue(0.9, 10, 14, "exact", value="Luma")},
    Usage(40, 30, 5, 3),
)


def function(name="Product", **more):
    return {"type": "function", "function": {"name": name, "parameters": SCHEMA, **more}}


def read(plans, served=SERVED, **more):
    body = {"model": "box", "messages": MESSAGES, "response_format": FORMAT, **more}
    return parse_chat(parsed(ChatBody, body), plans, served)


def refusal(plans, **more):
    with pytest.raises(HttpError) as caught:
        read(plans, **more)
    return caught.value


def reply(asked, extraction=FOUND):
    assert asked.part is None
    return json.loads(asked.answer([extraction]))


def test_a_json_schema(plans):
    asked = read(plans)
    assert asked.documents == [Document(MESSAGES[0]["content"])]
    assert [each.name for each in asked.plan.task.schemas.single] == ["brand", "price"]
    answered = reply(asked)
    (choice,) = answered["choices"]
    assert json.loads(choice["message"]["content"]) == FOUND.data
    assert choice["finish_reason"] == "stop"
    assert answered["model"] == "box"
    assert answered["object"] == "chat.completion"
    assert answered["usage"]["total_tokens"] == 45
    assert answered["usage"]["prompt_tokens_details"] == {"cached_tokens": 30}
    assert answered["hpd"] == {"fields": FOUND.to_dict()["fields"]}
    checked = replace(FOUND, checks=(CheckResult("price > 1", False, 0.5, 1),))
    assert reply(asked, checked)["hpd"]["checks"] == [checked.checks[0].to_dict()]


def test_strict_is_what_the_schema_says(plans):
    def is_strict(**more):
        return read(plans, **more).plan.task.options.on_invalid == "raise"

    strict = {**FORMAT, "json_schema": {**FORMAT["json_schema"], "strict": True}}
    assert not is_strict()
    assert is_strict(response_format=strict)
    assert is_strict(response_format=None, tools=[function(strict=True)])
    assert not is_strict(response_format=strict, hpd={"on_invalid": "record"})


def test_a_server_that_asks_again_does_so_for_every_request():
    options = Options(on_invalid="retry")
    task = read(plans_with(options), ServedModel("box", options.with_defaults(), 0)).plan.task
    assert task.options.on_invalid == "retry"


def test_a_required_value_comes_unless_that_is_not_wanted_or_cannot_be_had():
    def missing(options, **own):
        served = ServedModel("box", options.with_defaults(), 0)
        return read(plans_with(options), served, hpd=own).plan.task.options.on_missing

    assert missing(Options()) == "force"
    assert missing(Options(on_missing="null")) == "null"
    assert missing(Options(), on_missing="error") == "error"
    assert missing(Options(), require_grounding=True) == "error"
    assert missing(Options(on_overflow="chunk")) == "error"


def test_a_function(plans):
    asked = read(plans, response_format=None, tools=[function()])
    (choice,) = reply(asked)["choices"]
    (call,) = choice["message"]["tool_calls"]
    assert choice["message"]["content"] is None
    assert call["function"]["name"] == "Product"
    assert json.loads(call["function"]["arguments"]) == FOUND.data
    assert choice["finish_reason"] == "tool_calls"


def test_one_function_of_several_must_be_named(plans):
    two = [function("Other"), function()]
    named = {"type": "function", "function": {"name": "Product"}}
    asked = read(plans, response_format=None, tools=two, tool_choice=named)
    (choice,) = reply(asked)["choices"]
    assert choice["message"]["tool_calls"][0]["function"]["name"] == "Product"
    assert choice["finish_reason"] == "stop"
    assert "must name one of Other, Product" in str(
        refusal(plans, response_format=None, tools=two, tool_choice="required")
    )


def test_a_json_object_has_its_schema_beside_it_or_in_a_message(plans):
    beside = {"type": "json_object", "schema": SCHEMA}
    names = ["brand", "price"]
    asked = read(plans, response_format=beside)
    assert [each.name for each in asked.plan.task.schemas.single] == names
    said = {"role": "system", "content": f"Match this schema: {json.dumps(SCHEMA)}"}
    asked = read(plans, response_format={"type": "json_object"}, messages=[said, *MESSAGES])
    assert [each.name for each in asked.plan.task.schemas.single] == names
    # What is said about the form of the answer would only lead a small model astray.
    assert asked.plan.task.options.instructions == Options().instructions
    asked = read(plans, response_format=None, messages=[said, *MESSAGES])
    assert [each.name for each in asked.plan.task.schemas.single] == names
    assert "schema is missing" in str(refusal(plans, response_format={"type": "json_object"}))


def test_messages_of_the_system_are_instructions(plans):
    said = [{"role": "system", "content": "Prices are in dollars."}, *MESSAGES]
    form = {**FORMAT, "json_schema": {**FORMAT["json_schema"], "description": "A product."}}
    task = read(plans, messages=said, response_format=form).plan.task
    assert task.options.instructions == "A product.\n\nPrices are in dollars."
    task = read(plans, messages=said, hpd={"instructions": "Own."}).plan.task
    assert task.options.instructions == "Prices are in dollars.\n\nOwn."


def test_a_prompt_of_langextract(plans):
    example = '{"extractions": [{"maker": "Luma", "maker_attributes": {}}]}'
    prompt = f"Find makers.\n\nExamples\nQ: Luma lamp\nA: {example}\n\nQ: Bosch drill\nA: "
    listed = {"type": "object", "properties": {"extractions": {"type": "array"}}}
    for form in (
        {"type": "json_object"},
        {"type": "json_schema", "json_schema": {"name": "x", "schema": listed}},
    ):
        asked = read(plans, response_format=form, messages=[{"role": "user", "content": prompt}])
        assert asked.documents == [Document("Bosch drill")]
        assert asked.plan.task.options.instructions == "Find makers."
        assert list(asked.plan.task.examples) == [("Luma lamp", {"maker": ["Luma"]})]
        (choice,) = reply(asked, Extraction(None, {"maker": ["Bosch"]}))["choices"]
        content = json.loads(choice["message"]["content"])
        assert content == {"extractions": [{"maker": "Bosch", "maker_attributes": {}}]}


def test_an_answer_that_is_too_long_says_so(plans):
    asked = read(plans, max_tokens=4)
    assert asked.plan.task.options.max_tokens == 4
    assert reply(asked)["choices"][0]["finish_reason"] == "length"
    assert reply(read(plans, max_completion_tokens=5))["choices"][0]["finish_reason"] == "stop"
    cut = Extraction(None, {"brand": "Lu"}, {"brand": FieldValue(truncated=True)})
    assert reply(read(plans), cut)["choices"][0]["finish_reason"] == "length"
    # More than a value may have here is no reason for another plan.
    assert read(plans, max_tokens=10_000).plan is read(plans).plan


def events(asked, *steps):
    """The events of a stream: what is sent of each of ``steps``, and of the extraction."""
    sent = b"".join([*map(asked.part, steps), asked.answer([FOUND])])
    *parts, last = sent.decode().removesuffix("\n\n").split("\n\n")
    assert last == "data: [DONE]"
    return [json.loads(part.removeprefix("data: ")) for part in parts]


def test_a_stream_has_value_after_value(plans):
    steps = {}, {"brand": "Luma"}, {"brand": "Luma"}
    first, *middle, last = events(read(plans, stream=True), *steps)
    assert first["choices"][0]["delta"] == {"role": "assistant", "content": ""}
    parts = [each["choices"][0]["delta"]["content"] for each in middle]
    assert parts == ['{"brand": "Luma"', ', "price": null}']
    assert {each["choices"][0]["finish_reason"] for each in (first, *middle)} == {None}
    assert (last["choices"][0]["delta"], last["choices"][0]["finish_reason"]) == ({}, "stop")
    assert last["hpd"]["fields"]
    assert {each["object"] for each in (first, *middle, last)} == {"chat.completion.chunk"}
    assert len({(each["id"], each["created"]) for each in (first, *middle, last)}) == 1
    *_, usage = events(read(plans, stream=True, stream_options={"include_usage": True}))
    assert (usage["choices"], usage["usage"]["completion_tokens"]) == ([], 5)


@pytest.mark.parametrize("form", [{}, {"response_format": None, "tools": [function()]}])
def test_a_stream_is_the_answer_in_parts(plans, form):
    def text(message):
        calls = message.get("tool_calls") or [{"function": {"arguments": ""}}]
        return (message.get("content") or "") + calls[0]["function"]["arguments"]

    whole = text(reply(read(plans, **form))["choices"][0]["message"])
    steps = [{}, {"brand": "Luma"}, FOUND.data]
    for n in range(len(steps) + 1):
        parts = events(read(plans, stream=True, **form), *steps[:n])
        assert "".join(text(each["choices"][0]["delta"]) for each in parts) == whole


def test_a_value_that_was_sent_is_never_taken_back(plans):
    asked = read(plans, stream=True)
    asked.part({"brand": "Lu"})
    with pytest.raises(HttpError, match="send the request again"):
        asked.answer([FOUND])


def test_a_stream_of_a_call(plans):
    asked = read(plans, stream=True, response_format=None, tools=[function()])
    first, *middle, last = events(asked)
    (call,) = first["choices"][0]["delta"]["tool_calls"]
    assert (call["index"], call["function"]["name"]) == (0, "Product")
    calls = [each["choices"][0]["delta"]["tool_calls"][0] for each in middle]
    assert json.loads("".join(call["function"]["arguments"] for call in calls)) == FOUND.data
    assert last["choices"][0]["finish_reason"] == "tool_calls"


@pytest.mark.parametrize(
    ("kind", "status", "code"),
    [
        (ContextOverflowError, 400, "context_length_exceeded"),
        (InvalidDataError, 422, "invalid_data"),
        (InputError, 400, "invalid_document"),
        (DecodeError, 500, "failed"),
    ],
)
def test_a_document_that_failed(plans, kind, status, code):
    failed = Extraction(None, error=Failure(kind("that was it")))
    with pytest.raises(HttpError, match="that was it") as caught:
        read(plans).answer([failed])
    assert (caught.value.status, caught.value.code) == (status, code)


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"n": 2}, "n must be 1"),
        ({"max_tokens": 0}, "'max_tokens' must be at least 1"),
        ({"max_tokens": "5"}, "'max_tokens' must be a whole number"),
        ({"stream": 1}, "'stream' must be true or false"),
        ({"response_format": None}, "only extracts values"),
        ({"response_format": {"type": "text"}}, "only extracts values"),
        ({"response_format": {"type": "json_schema"}}, "json_schema' is missing"),
        ({"response_format": {"type": "json_schema", "json_schema": {"schem": 1}}}, "is missing"),
        ({"tools": [function()]}, "either response_format or tools"),
        ({"tool_choice": "auto"}, "tool_choice without tools"),
        ({"response_format": None, "tools": [5]}, r"tools\[0\]' must be"),
        (
            {"response_format": None, "tools": [function()], "tool_choice": "none"},
            "there would be no answer",
        ),
        (
            {"response_format": None, "tools": [function()], "tool_choice": {"function": {}}},
            "names none of Product",
        ),
        ({"hpd": {"n_ctx": 5}}, "cannot be set for a single call"),
        ({"hpd": []}, "'hpd' must be a JSON object"),
        ({"messages": []}, "no user message"),
    ],
)  # fmt: skip
def test_what_cannot_be_honoured_is_refused(plans, more, message):
    refused = refusal(plans, **more)
    assert refused.status == 400
    assert re.search(message, str(refused))


@pytest.mark.parametrize(
    ("more", "warnings"),
    [
        ({"n": 1, "temperature": 0, "top_p": 0.5, "seed": 3, "user": "me", "stop": []}, 0),
        ({"temperature": 0.0, "logprobs": False, "frequency_penalty": 0.0, "store": True}, 0),
        ({"n": None, "temperature": None, "logit_bias": {}, "parallel_tool_calls": True}, 0),
        ({"temperature": 0.7}, 1),
        ({"top_k": 40, "min_p": 0.1, "chat_template_kwargs": {"enable_thinking": False}}, 3),
        ({"logprobs": True, "top_logprobs": 3, "stop": ["\n"], "reasoning_effort": "high"}, 4),
    ],
)
def test_what_changes_nothing_is_passed_over_with_a_warning(plans, more, warnings):
    asked = read(plans, **more)
    assert asked.plan is read(plans).plan
    assert len(asked.warnings) == warnings
    assert all(name in " ".join(asked.warnings) for name in more if warnings)
    assert reply(asked)["hpd"].get("warnings", []) == list(asked.warnings)


def test_sampling_is_that_of_the_server(plans):
    warm = ServedModel("box", Options(temperature=0.5, seed=3).with_defaults(), 0)
    assert read(plans, warm, temperature=0.5, seed=3).warnings == ()
    for more in ({"temperature": 0}, {"seed": 4}, {"top_p": 0.1}):
        (warning,) = read(plans, warm, **more).warnings
        assert "here for all requests" in warning


def test_any_model_s_name_is_taken_unless_the_server_is_strict(plans):
    for name in ("gpt-4o", None, 5):
        assert reply(read(plans, model=name))["model"] == "box"
        with pytest.raises(HttpError, match="only 'box'") as caught:
            read(plans, ServedModel("box", SERVED.options, 0, is_strict=True), model=name)
        assert (caught.value.status, caught.value.code) == (404, "model_not_found")
    read(plans, ServedModel("box", SERVED.options, 0, is_strict=True), model="box")
