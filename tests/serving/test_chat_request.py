"""Bodies of ``POST /v1/chat/completions``: what is honoured, what is refused, what is answered."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from hpd.documents import Document
from hpd.options import Options
from hpd.results import Extraction, Failure, FieldResult, Usage
from hpd.serving.asked import EVENTS, JSON, Asked
from hpd.serving.chat_request import Served, read_chat_request
from hpd.serving.plans import Plans
from hpd.serving.refusals import RefusedError
from request_plans import plans_with

SERVED = Served("box", Options().filled(), 0)
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
    {"brand": FieldResult(0.9, 10, 14, "exact", value="Luma")},
    Usage(40, 30, 5, 3),
)


def function(name: str = "Product", **more: Any) -> dict[str, Any]:
    return {"type": "function", "function": {"name": name, "parameters": SCHEMA, **more}}


def read(plans: Plans, served: Served = SERVED, **more: Any) -> Asked:
    body = {"model": "box", "messages": MESSAGES, "response_format": FORMAT, **more}
    return read_chat_request(json.dumps(body).encode(), plans, served)


def refusal(plans: Plans, **more: Any) -> RefusedError:
    with pytest.raises(RefusedError) as caught:
        read(plans, **more)
    return caught.value


def reply(asked: Asked, extraction: Extraction[Any] = FOUND) -> Any:
    answer = asked.answer([extraction])
    assert answer.media_type == JSON
    return json.loads(answer.body)


def test_a_json_schema(plans: Plans) -> None:
    asked = read(plans)
    assert asked.documents == [Document(MESSAGES[0]["content"])]
    assert [each.name for each in asked.plan.task.schema(None)] == ["brand", "price"]
    answered = reply(asked)
    (choice,) = answered["choices"]
    assert json.loads(choice["message"]["content"]) == FOUND.data
    assert choice["finish_reason"] == "stop"
    assert answered["model"] == "box"
    assert answered["object"] == "chat.completion"
    assert answered["usage"]["total_tokens"] == 45
    assert answered["usage"]["prompt_tokens_details"] == {"cached_tokens": 30}
    assert answered["hpd"] == {"fields": FOUND.to_dict()["fields"]}


def test_strict_is_what_the_schema_says(plans: Plans) -> None:
    def is_strict(**more: Any) -> bool:
        return read(plans, **more).plan.task.options.on_invalid == "raise"

    strict = {**FORMAT, "json_schema": {**FORMAT["json_schema"], "strict": True}}  # type: ignore[dict-item]
    assert not is_strict()
    assert is_strict(response_format=strict)
    assert is_strict(response_format=None, tools=[function(strict=True)])
    assert not is_strict(response_format=strict, hpd={"on_invalid": "record"})


def test_a_server_that_asks_again_does_so_for_every_request() -> None:
    options = Options(on_invalid="retry")
    task = read(plans_with(options), Served("box", options.filled(), 0)).plan.task
    assert task.options.on_invalid == "retry"


def test_a_function(plans: Plans) -> None:
    asked = read(plans, response_format=None, tools=[function()])
    (choice,) = reply(asked)["choices"]
    (call,) = choice["message"]["tool_calls"]
    assert choice["message"]["content"] is None
    assert call["function"]["name"] == "Product"
    assert json.loads(call["function"]["arguments"]) == FOUND.data
    assert choice["finish_reason"] == "tool_calls"


def test_one_function_of_several_must_be_named(plans: Plans) -> None:
    two = [function("Other"), function()]
    named = {"type": "function", "function": {"name": "Product"}}
    asked = read(plans, response_format=None, tools=two, tool_choice=named)
    (choice,) = reply(asked)["choices"]
    assert choice["message"]["tool_calls"][0]["function"]["name"] == "Product"
    assert choice["finish_reason"] == "stop"
    assert "must name one of Other, Product" in str(
        refusal(plans, response_format=None, tools=two, tool_choice="required")
    )


def test_a_json_object_has_its_schema_beside_it_or_in_a_message(plans: Plans) -> None:
    beside = {"type": "json_object", "schema": SCHEMA}
    names = ["brand", "price"]
    asked = read(plans, response_format=beside)
    assert [each.name for each in asked.plan.task.schema(None)] == names
    said = {"role": "system", "content": f"Match this schema: {json.dumps(SCHEMA)}"}
    asked = read(plans, response_format={"type": "json_object"}, messages=[said, *MESSAGES])
    assert [each.name for each in asked.plan.task.schema(None)] == names
    assert asked.plan.task.options.instructions == "Match this schema:"
    assert "schema is missing" in str(refusal(plans, response_format={"type": "json_object"}))


def test_messages_of_the_system_are_instructions(plans: Plans) -> None:
    said = [{"role": "system", "content": "Prices are in dollars."}, *MESSAGES]
    form = {**FORMAT, "json_schema": {**FORMAT["json_schema"], "description": "A product."}}  # type: ignore[dict-item]
    task = read(plans, messages=said, response_format=form).plan.task
    assert task.options.instructions == "A product.\n\nPrices are in dollars."
    task = read(plans, messages=said, hpd={"instructions": "Own."}).plan.task
    assert task.options.instructions == "Prices are in dollars.\n\nOwn."


def test_a_prompt_of_langextract(plans: Plans) -> None:
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
        content = reply(asked, Extraction(None, {"maker": ["Bosch"]}))["choices"][0]["message"][
            "content"
        ]
        assert json.loads(content) == {"extractions": [{"maker": "Bosch", "maker_attributes": {}}]}


def test_an_answer_that_is_too_long_says_so(plans: Plans) -> None:
    asked = read(plans, max_tokens=4)
    assert asked.plan.task.options.max_tokens == 4
    assert reply(asked)["choices"][0]["finish_reason"] == "length"
    assert reply(read(plans, max_completion_tokens=5))["choices"][0]["finish_reason"] == "stop"
    cut = Extraction(None, {"brand": "Lu"}, {"brand": FieldResult(truncated=True)})
    assert reply(read(plans), cut)["choices"][0]["finish_reason"] == "length"
    # More than a value may have here is no reason for another plan.
    assert read(plans, max_tokens=10_000).plan is read(plans).plan


def events(asked: Asked) -> list[Any]:
    answer = asked.answer([FOUND])
    assert answer.media_type == EVENTS
    *parts, last = answer.body.decode().removesuffix("\n\n").split("\n\n")
    assert last == "data: [DONE]"
    return [json.loads(part.removeprefix("data: ")) for part in parts]


def test_a_stream(plans: Plans) -> None:
    first, last = events(read(plans, stream=True))
    assert json.loads(first["choices"][0]["delta"]["content"]) == FOUND.data
    assert first["choices"][0]["finish_reason"] is None
    assert (last["choices"][0]["delta"], last["choices"][0]["finish_reason"]) == ({}, "stop")
    assert last["hpd"]["fields"]
    assert {each["object"] for each in (first, last)} == {"chat.completion.chunk"}
    *_, usage = events(read(plans, stream=True, stream_options={"include_usage": True}))
    assert (usage["choices"], usage["usage"]["completion_tokens"]) == ([], 5)


def test_a_stream_of_a_call(plans: Plans) -> None:
    first, last = events(read(plans, stream=True, response_format=None, tools=[function()]))
    (call,) = first["choices"][0]["delta"]["tool_calls"]
    assert (call["index"], call["function"]["name"]) == (0, "Product")
    assert last["choices"][0]["finish_reason"] == "tool_calls"


@pytest.mark.parametrize(
    ("kind", "status", "code"),
    [
        ("ContextOverflowError", 400, "context_length_exceeded"),
        ("InvalidDataError", 422, "invalid_data"),
        ("InputError", 400, "invalid_document"),
        ("DecodeError", 500, "failed"),
    ],
)
def test_a_document_that_failed(plans: Plans, kind: str, status: int, code: str) -> None:
    failed = Extraction(None, error=Failure(kind, "that was it"))
    with pytest.raises(RefusedError, match="that was it") as caught:
        read(plans).answer([failed])
    assert (caught.value.status, caught.value.code) == (status, code)


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"n": 2}, "n cannot be honoured"),
        ({"n": True}, "n cannot be honoured"),
        ({"temperature": 0.7}, "temperature is 0 here for all requests"),
        ({"logprobs": True}, "logprobs cannot be honoured"),
        ({"top_logprobs": 3}, "top_logprobs cannot be honoured"),
        ({"stop": ["\n"]}, "stop cannot be honoured"),
        ({"logit_bias": {"5": 1}}, "logit_bias cannot be honoured"),
        ({"presence_penalty": 0.5}, "presence_penalty cannot be honoured"),
        ({"reasoning_effort": "high"}, "reasoning_effort cannot be honoured"),
        ({"functions": []}, "'functions' is not known here"),
        ({"max_tokens": 0}, "max_tokens must be a whole number above 0"),
        ({"max_tokens": "5"}, "max_tokens must be a whole number above 0"),
        ({"stream": 1}, "'stream' must be true or false"),
        ({"response_format": None}, "answers with values only"),
        ({"response_format": {"type": "text"}}, "answers with values only"),
        ({"response_format": {"type": "json_schema"}}, "json_schema.schema is missing"),
        ({"response_format": {"type": "json_schema", "json_schema": {"schem": 1}}}, "not known"),
        ({"tools": [function()]}, "response_format beside tools"),
        ({"tool_choice": "auto"}, "tool_choice without tools"),
        ({"response_format": None, "tools": [5]}, r"tools\[0\] must be a function"),
        (
            {"response_format": None, "tools": [function()], "tool_choice": "none"},
            "there would be no answer",
        ),
        (
            {"response_format": None, "tools": [function()], "tool_choice": {"function": {}}},
            "names none of Product",
        ),
        ({"hpd": {"n_ctx": 5}}, "cannot be set for a single call"),
        ({"hpd": []}, "'hpd' must be an object"),
        ({"messages": []}, "'messages' must be a list"),
    ],
)  # fmt: skip
def test_what_cannot_be_honoured_is_refused(
    plans: Plans, more: dict[str, Any], message: str
) -> None:
    refused = refusal(plans, **more)
    assert refused.status == 400
    assert re.search(message, str(refused))


@pytest.mark.parametrize(
    "more",
    [
        {"n": 1, "temperature": 0, "top_p": 0.5, "seed": 3, "user": "me", "stop": []},
        {"temperature": 0.0, "logprobs": False, "frequency_penalty": 0.0, "store": False},
        {"n": None, "temperature": None, "logit_bias": {}, "parallel_tool_calls": False},
    ],
)
def test_what_changes_nothing_is_taken(plans: Plans, more: dict[str, Any]) -> None:
    assert read(plans, **more).plan is read(plans).plan


def test_sampling_is_that_of_the_server(plans: Plans) -> None:
    warm = Served("box", Options(temperature=0.5, seed=3).filled(), 0)
    read(plans, warm, temperature=0.5, seed=3)
    for more in ({"temperature": 0}, {"seed": 4}, {"top_p": 0.1}):
        with pytest.raises(RefusedError, match=r"here for all requests"):
            read(plans, warm, **more)


def test_another_model_is_not_there(plans: Plans) -> None:
    for name in ("gpt-4o", None, 5):
        refused = refusal(plans, model=name)
        assert (refused.status, refused.code) == (404, "model_not_found")
        assert "only 'box'" in str(refused)
