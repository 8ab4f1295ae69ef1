"""A model behind an endpoint: a real server with a real model, and a real one that fails."""

from dataclasses import replace

import pytest

from hpd.documents import NOT_YET, Document
from hpd.evaluation.endpoint import (
    KEY_VARIABLE,
    Endpoint,
    EndpointError,
    EndpointExtractor,
    RateLimiter,
    response_schema,
)
from hpd.schema import Schemas, load_schema, load_schemas
from hpd.schema.attributes import Attribute, Schema
from scripted_endpoint import answer_of, scripted

pytest.importorskip("openai")
pytest.importorskip("diskcache")

SNEAKER = Document("Diesel Men's Exposure Sneaker, Black", "s", "shoes")
SCHEMA = load_schemas("Brand, Color, Size float?")


RIGHT = (200, answer_of('{"Brand": "Diesel", "Color": "Black", "Size": 42}'))


# --- the real server ---


@pytest.mark.parametrize("response_format", ["json_object", "text"])
def test_a_model_answers(api_url, response_format):
    endpoint = Endpoint(api_url, "small", response_format=response_format, max_tokens=60)
    schemas = Schemas.of({"shoes": load_schema("Brand, Color")})
    with EndpointExtractor(schemas, endpoint) as extractor:
        ((place, extraction),) = extractor.iter_indexed([SNEAKER])
    assert (place, extraction.id) == (0, "s")
    assert extraction.data == {"Brand": "Diesel", "Color": "Black"}
    assert extraction.usage.prompt_tokens > 20
    assert extraction.usage.completion_tokens > 5


def test_a_format_that_the_server_does_not_know_ends_the_run(api_url):
    endpoint = Endpoint(api_url, "small", n_retries=0)
    with (
        EndpointExtractor(SCHEMA, endpoint) as extractor,
        pytest.raises(EndpointError, match="does not support the response format json_schema"),
    ):
        list(extractor.iter_indexed([SNEAKER], on_error="record"))


# --- what is sent and what is made of it ---


def test_the_request_has_the_prompt_and_the_schema(monkeypatch):
    monkeypatch.setenv(KEY_VARIABLE, "secret")
    with (
        scripted(RIGHT) as (server, endpoint),
        EndpointExtractor(SCHEMA, endpoint, system_prompt="Be brief.") as extractor,
    ):
        ((_, extraction),) = extractor.iter_indexed([SNEAKER])
    assert extraction.data == {"Brand": "Diesel", "Color": "Black", "Size": 42}
    (asked,) = server.asked
    assert asked["messages"][0] == {"role": "system", "content": "Be brief."}
    assert asked["messages"][1]["content"].endswith(f"Document:\n{SNEAKER.text}")
    assert "- Size (number)" in asked["messages"][1]["content"]
    form = asked["response_format"]["json_schema"]
    assert form["strict"] is True
    assert [*form["schema"]["properties"]] == ["Brand", "Color", "Size"]
    assert server.keys == ["Bearer secret"]


def test_only_keywords_of_json_schema_are_sent():
    inner = (Attribute("why"), Attribute("depends_on", after=("why",)))
    items = Attribute("list", "array", item=Attribute("item", "object", attributes=inner))
    sent = response_schema(Schema((Attribute("depends_on", "object", attributes=inner), items)))
    assert "$schema" not in sent
    nodes = (sent["properties"]["depends_on"], sent["properties"]["list"]["items"])
    for node in nodes:
        assert [*node["properties"]] == ["why", "depends_on"]
        assert "depends_on" not in node["properties"]["depends_on"]


def test_values_of_the_wrong_type_are_errors_of_their_fields():
    reply = (200, answer_of('Here it is: {"Brand": "Diesel", "Size": "large"}'))
    with scripted(reply) as (_, endpoint), EndpointExtractor(SCHEMA, endpoint) as extractor:
        ((_, extraction),) = extractor.iter_indexed([SNEAKER])
    assert extraction.data == {"Brand": "Diesel", "Color": None, "Size": None}
    assert extraction.fields["Size"].error is not None


def test_every_part_of_the_schema_has_a_type():
    choices = Attribute("a", "enum", choices=("x", "y"), nullable=False)
    sent = response_schema(Schema((choices, Attribute("b", "enum", choices=("x", True, 1)))))
    assert sent["properties"]["a"] == {"type": "string", "enum": ["x", "y"]}
    assert sent["properties"]["b"]["type"] == ["string", "boolean", "integer", "null"]


def test_parameters_that_a_model_refuses_are_left_out_or_renamed():
    def refusing(name):
        return 400, {"error": {"message": "unsupported", "param": name}}

    with (
        scripted(refusing("max_tokens"), refusing("temperature"), RIGHT) as (server, endpoint),
        EndpointExtractor(SCHEMA, endpoint) as extractor,
    ):
        results = list(extractor.iter_indexed([SNEAKER, SNEAKER], on_error="record"))
    assert [extraction.error for _, extraction in results] == [None, None]
    names = [
        sorted({"max_tokens", "max_completion_tokens", "temperature"} & {*asked})
        for asked in server.asked
    ]
    assert names == [
        ["max_tokens", "temperature"],
        ["max_completion_tokens", "temperature"],
        ["max_completion_tokens"],
        ["max_completion_tokens"],
    ]


def test_other_parameters_are_not_given_up():
    refusal = (400, {"error": {"message": "no such model", "param": "model"}})
    with scripted(refusal) as (server, endpoint), EndpointExtractor(SCHEMA, endpoint) as extractor:
        ((_, extraction),) = extractor.iter_indexed([SNEAKER], on_error="record")
    assert "no such model" in extraction.error.message
    assert len(server.asked) == 1


# --- failures ---


def test_what_may_pass_is_tried_again():
    failure = {"error": {"message": "too many"}}
    with (
        scripted((429, failure), (503, failure), RIGHT) as (server, endpoint),
        EndpointExtractor(SCHEMA, replace(endpoint, n_retries=2)) as extractor,
    ):
        ((_, extraction),) = extractor.iter_indexed([SNEAKER])
    assert len(server.asked) == 3
    assert extraction.data["Brand"] == "Diesel"


def test_every_attempt_keeps_the_pace(monkeypatch):
    turns = []
    monkeypatch.setattr(RateLimiter, "wait", lambda pace: turns.append(pace))
    failure = {"error": {"message": "too many"}}
    with (
        scripted((429, failure), RIGHT) as (_, endpoint),
        EndpointExtractor(SCHEMA, endpoint) as extractor,
    ):
        list(extractor.iter_indexed([SNEAKER]))
    assert len(turns) == 2


def test_after_the_last_attempt_the_document_fails():
    failure = {"error": {"message": "too many"}}
    with (
        scripted((429, failure), (429, failure), RIGHT) as (server, endpoint),
        EndpointExtractor(SCHEMA, replace(endpoint, n_retries=1)) as extractor,
    ):
        first, second = extractor.iter_indexed([SNEAKER, SNEAKER], on_error="record")
    assert len(server.asked) == 3
    assert first[1].error.type == "EndpointError"
    assert second[1].data["Brand"] == "Diesel"


@pytest.mark.parametrize(
    ("status", "says"),
    [(401, "rejects the key in OPENAI_API_KEY"), (404, "has no model 'm'")],
)
def test_what_would_fail_all_documents_ends_the_run(status, says):
    with (
        scripted((status, {"error": {"message": "no"}})) as (server, endpoint),
        EndpointExtractor(SCHEMA, endpoint) as extractor,
        pytest.raises(EndpointError, match=says),
    ):
        list(extractor.iter_indexed([SNEAKER] * 5, on_error="record"))
    assert len(server.asked) < 5


def test_an_endpoint_that_is_not_there_is_named():
    with scripted(RIGHT) as (_, endpoint):
        gone = replace(endpoint, n_retries=0)
    with (
        EndpointExtractor(SCHEMA, gone) as extractor,
        pytest.raises(EndpointError, match=f"{gone.url} cannot be reached"),
    ):
        list(extractor.iter_indexed([SNEAKER], on_error="record"))


@pytest.mark.parametrize("text", ["", "I cannot tell."])
def test_an_answer_without_an_object_is_a_failure(text):
    with (
        scripted((200, answer_of(text))) as (_, endpoint),
        EndpointExtractor(SCHEMA, endpoint) as extractor,
    ):
        ((_, extraction),) = extractor.iter_indexed([SNEAKER], on_error="record")
        assert extraction.error is not None
        with pytest.raises(EndpointError):
            list(extractor.iter_indexed([SNEAKER]))


def test_what_is_there_is_handed_out_while_documents_are_awaited():
    with (
        scripted(RIGHT) as (_, endpoint),
        EndpointExtractor(SCHEMA, replace(endpoint, n_parallel=4)) as extractor,
    ):
        handed_out = []

        def documents():
            yield SNEAKER
            # More come only once the first is out.
            while not handed_out:
                yield NOT_YET
            yield SNEAKER

        for place, _ in extractor.iter_indexed(documents()):
            handed_out.append(place)
    assert handed_out == [0, 1]


def test_an_answer_that_takes_too_long_costs_one_document_only():
    with scripted(RIGHT) as (server, endpoint):
        server.may_answer.clear()
        hurried = replace(endpoint, seconds=0.5, n_retries=0)
        with EndpointExtractor(SCHEMA, hurried) as extractor:
            results = list(extractor.iter_indexed([SNEAKER], on_error="record"))
    ((_, extraction),) = results
    assert "gave no answer in 0.5 s" in extraction.error.message


# --- kept answers ---


def test_an_answer_is_asked_for_once(tmp_path):
    with scripted(RIGHT) as (server, endpoint):
        keeping = replace(endpoint, cache=tmp_path / "answers")
        usages = []
        for _ in range(2):
            with EndpointExtractor(SCHEMA, keeping) as extractor:
                ((_, extraction),) = extractor.iter_indexed([SNEAKER])
            assert extraction.data["Brand"] == "Diesel"
            usages.append((extraction.usage.prompt_tokens, extraction.usage.completion_tokens))
        assert len(server.asked) == 1
        assert usages == [(10, 5), (0, 0)]
        for other in (replace(keeping, model="n"), replace(keeping, response_format="text")):
            with EndpointExtractor(SCHEMA, other) as extractor:
                list(extractor.iter_indexed([SNEAKER]))
        assert len(server.asked) == 3


@pytest.mark.parametrize(
    "failure", [(500, {"error": {"message": "broken"}}), (200, answer_of("I cannot tell."))]
)
def test_a_failure_is_not_kept(tmp_path, failure):
    with scripted(failure, RIGHT) as (server, endpoint):
        keeping = replace(endpoint, cache=tmp_path / "answers", n_retries=0)
        with EndpointExtractor(SCHEMA, keeping) as extractor:
            results = list(extractor.iter_indexed([SNEAKER, SNEAKER], on_error="record"))
    assert [extraction.error is None for _, extraction in results] == [False, True]
    assert len(server.asked) == 2
