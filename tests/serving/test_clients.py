"""Clients of OpenAI's API against ``hpd serve``, as they are."""

from __future__ import annotations

import gc
import json
import warnings

import jsonschema
import pytest

for package in ("fastapi", "uvicorn", "httptools", "prometheus_client"):
    pytest.importorskip(package)
openai = pytest.importorskip("openai")
instructor = pytest.importorskip("instructor")
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    lx = pytest.importorskip("langextract")

from pydantic import BaseModel, Field, field_validator

TEXT = "Diesel T-Shirt for Men, Black, XL"
MODEL = "small"


class Product(BaseModel):
    """A product."""

    brand: str | None = Field(description="the maker")
    color: str | None


EXPECTED = Product(brand="Diesel", color="Black")


@pytest.fixture
def client(server):
    with openai.OpenAI(base_url=f"{server.url}/v1", api_key="none", max_retries=0) as client:
        yield client


def ask(client, **more):
    form = {"type": "json_schema", "json_schema": {"name": "p", "schema": SCHEMA}}
    body = {"messages": MESSAGES, "response_format": form, **more}
    return client.chat.completions.create(model=MODEL, **body)


SCHEMA = {"type": "object", "properties": {"brand": {"type": "string"}}}
MESSAGES = [{"role": "user", "content": TEXT}]


def test_openai_parses_into_a_class(client):
    completion = client.chat.completions.parse(
        model=MODEL,
        messages=[{"role": "system", "content": "Extract the product."}, *MESSAGES],
        response_format=Product,
        temperature=0,
    )
    assert completion.choices[0].message.parsed == EXPECTED
    assert completion.choices[0].finish_reason == "stop"
    assert completion.usage.completion_tokens > 0
    brand = completion.model_extra["hpd"]["fields"]["brand"]
    assert (brand["start"], brand["end"]) == (0, len("Diesel"))


def test_openai_s_required_values_always_come(client):
    own = {"brand": {"type": "string"}, "size": {"type": "integer"}, "kind": {"enum": ["a", "b"]}}
    schema = {"type": "object", "properties": own, "required": [*own]}
    form = {"type": "json_schema", "json_schema": {"name": "p", "schema": schema, "strict": True}}
    answered = ask(client, response_format=form)
    data = json.loads(answered.choices[0].message.content)
    jsonschema.validate(data, schema)
    size = answered.model_extra["hpd"]["fields"]["size"]
    assert size["forced"]
    assert size["confidence"] < 0.5


def test_openai_calls_a_function(client):
    tool = openai.pydantic_function_tool(Product)
    completion = client.chat.completions.create(
        model=MODEL, messages=MESSAGES, tools=[tool], tool_choice="required"
    )
    (call,) = completion.choices[0].message.tool_calls
    assert Product.model_validate_json(call.function.arguments) == EXPECTED


def test_what_is_passed_over_is_in_a_header(client):
    form = {"type": "json_schema", "json_schema": {"name": "p", "schema": SCHEMA}}
    raw = client.chat.completions.with_raw_response.create(
        model="any-name", messages=MESSAGES, response_format=form, temperature=0.7,
        extra_body={"top_k": 5},
    )  # fmt: skip
    assert raw.headers["x-hpd-warning"] == (
        "temperature is 0 here for all requests; top_k has no effect here"
    )
    assert json.loads(raw.parse().choices[0].message.content)["brand"] == "Diesel"


def test_openai_streams(client):
    with client.chat.completions.stream(
        model=MODEL, messages=MESSAGES, response_format=Product
    ) as stream:
        for _ in stream:
            pass
        assert stream.get_final_completion().choices[0].message.parsed == EXPECTED


LINES = {
    "type": "object",
    "properties": {
        "brand": {"type": "string"},
        "sizes": {"type": "array", "items": {"type": "string"}},
        "color": {"type": ["string", "null"]},
        "price": {"type": "number"},
    },
    "required": ["brand", "sizes", "color"],
}
FORM = {"type": "json_schema", "json_schema": {"name": "p", "schema": LINES}}
TOOL = {"type": "function", "function": {"name": "p", "parameters": LINES}}


def streamed(client, **more):
    """The parts of the answer's text, and the chunks."""
    chunks = list(ask(client, stream=True, **more))
    parts = []
    for chunk in chunks:
        for choice in chunk.choices:
            calls = choice.delta.tool_calls or []
            parts += [choice.delta.content, *(call.function.arguments for call in calls)]
    return [part for part in parts if part], chunks


@pytest.mark.parametrize(
    "form", [{"response_format": FORM}, {"response_format": None, "tools": [TOOL]}]
)
def test_a_stream_is_the_answer_in_parts(client, form):
    message = ask(client, **form).choices[0].message
    whole = message.content or message.tool_calls[0].function.arguments
    parts, chunks = streamed(client, stream_options={"include_usage": True}, **form)
    assert "".join(parts) == whole
    assert parts[0].startswith(f'{{"brand": "{json.loads(whole)["brand"]}"')
    assert chunks[-1].usage.completion_tokens > 0


def test_what_fails_midway_is_an_error_in_the_stream(client):
    own = {"brand": {"type": "string"}, "inventor": {"type": "string", "pattern": "^[0-9]{30}$"}}
    schema = {"type": "object", "properties": own, "required": [*own]}
    form = {"type": "json_schema", "json_schema": {"name": "p", "schema": schema, "strict": True}}
    stream = ask(
        client, stream=True, response_format=form, extra_body={"hpd": {"on_missing": "error"}}
    )
    parts = []
    with pytest.raises(openai.APIError, match="inventor"):
        parts.extend(chunk.choices[0].delta.content for chunk in stream)
    assert "".join(parts) == '{"brand": "Diesel"'


def test_openai_s_errors(client, server):
    assert [model.id for model in client.models.list()] == [MODEL]
    assert client.models.retrieve(MODEL).id == MODEL
    with pytest.raises(openai.NotFoundError, match="only 'small'"):
        client.models.retrieve("gpt-4o")
    with pytest.raises(openai.BadRequestError, match="n must be 1") as caught:
        ask(client, n=2)
    assert (caught.value.param, caught.value.code) == ("n", "unsupported_value")
    own = {"$defs": {"a": {"$ref": "#/$defs/a"}}, "$ref": "#/$defs/a"}
    with pytest.raises(openai.BadRequestError, match="only refers to itself"):
        ask(client, response_format={"type": "json_schema", "json_schema": {"schema": own}})


class Exacting(BaseModel):
    """A product whose brand is never right."""

    brand: str | None

    @field_validator("brand")
    @classmethod
    def refuse(cls, value):
        raise ValueError(f"{value} is not a brand")


@pytest.mark.parametrize("mode", ["TOOLS", "JSON", "JSON_SCHEMA"])
def test_instructor(server, mode):
    with openai.OpenAI(base_url=f"{server.url}/v1", api_key="none", max_retries=0) as plain:
        client = instructor.from_openai(plain, mode=instructor.Mode[mode])
        product = client.chat.completions.create(
            model=MODEL, response_model=Product, messages=MESSAGES
        )
        # Its class is instructor's own, made of this one.
        assert product.model_dump() == EXPECTED.model_dump()


@pytest.mark.parametrize("mode", ["TOOLS", "JSON"])
def test_instructor_asks_again_about_the_same_document(server, mode):
    with openai.OpenAI(base_url=f"{server.url}/v1", api_key="none", max_retries=0) as plain:
        client = instructor.from_openai(plain, mode=instructor.Mode[mode])
        with pytest.raises(Exception, match="Diesel is not a brand") as caught:
            client.chat.completions.create(
                model=MODEL, response_model=Exacting, messages=list(MESSAGES), max_retries=2
            )
    assert caught.value.n_attempts >= 2


@pytest.mark.filterwarnings("ignore:With 'config':UserWarning", "ignore:unclosed:ResourceWarning")
def test_langextract(server):
    examples = [
        lx.data.ExampleData(
            text="Luma T-shirt, red, cotton",
            extractions=[lx.data.Extraction("brand", "Luma"), lx.data.Extraction("color", "red")],
        )
    ]
    config = lx.factory.ModelConfig(
        model_id=MODEL,
        provider="OpenAILanguageModel",
        provider_kwargs={"base_url": f"{server.url}/v1", "api_key": "none"},
    )
    annotated = lx.extract(
        text_or_documents=TEXT,
        prompt_description="Extract the brand and the colour.",
        examples=examples,
        config=config,
        show_progress=False,
    )
    found = {each.extraction_class: each for each in annotated.extractions}
    assert found["brand"].extraction_text == "Diesel"
    assert found["brand"].char_interval.start_pos == 0
    assert "color" in found
    gc.collect()  # langextract does not close its client
