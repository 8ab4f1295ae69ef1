"""``POST /v1/systemone``: typed questions, and the probabilities of their options."""

import json
import math

import pytest

from hpd.documents import Document
from hpd.errors import ContextOverflowError
from hpd.options import Options
from hpd.results import Extraction, Failure, FieldValue, Usage, ValueOption
from hpd.serving.bodies import HttpError, SystemOneBody
from hpd.serving.chat import ServedModel
from hpd.serving.systemone import choice_confidence, parse_systemone, score_confidence
from request_plans import parsed

SERVED = ServedModel("hpd-box", Options(), 0)
QUESTIONS = {
    "urgent": {
        "type": "noul",
        "instructions": "Is it urgent?",
        "criteria": {"true": "money is moving"},
    },
    "team": {
        "type": "choice",
        "instructions": "Who handles it?",
        "criteria": {"billing": "payments and refunds", "shipping": None, "true": {"a": 1}},
    },
    "tone": {
        "type": "score",
        "instructions": {"question": "How upset?"},
        "criteria": ["calm", "annoyed", ["very", "angry"]],
    },
}
OPTIONS = {
    "urgent": {True: 0.25, False: 0.75},
    "team": {"shipping": 0.5, "billing": 0.3, "true": 0.2},
    "tone": {"annoyed": 0.6, '["very", "angry"]': 0.3, "calm": 0.1},
}


def read(plans, served=SERVED, **body):
    body = {"state": "My card was charged twice", "questions": QUESTIONS} | body
    return parse_systemone(parsed(SystemOneBody, body), plans, served)


def extraction(options):
    fields = {
        name: FieldValue(options=tuple(ValueOption(*pair) for pair in own.items()))
        for name, own in options.items()
    }
    return Extraction(None, {}, fields, Usage(prompt_tokens=142, completion_tokens=7))


def test_questions_become_attributes(plans):
    asked = read(plans)
    assert asked.documents == [Document("My card was charged twice")]
    options = asked.plan.task.options
    assert options.probabilities
    urgent, team, tone = asked.plan.task.schemas.single
    assert (urgent.type, urgent.description) == ("boolean", "Is it urgent?; true: money is moving")
    assert team.choices == ("billing", "shipping", "true")
    expected = 'Who handles it?; billing: payments and refunds; true: {"a": 1}'
    assert team.description == expected
    assert tone.choices == ("calm", "annoyed", '["very", "angry"]')
    assert tone.description == '{"question": "How upset?"}'
    assert all(each.forbids_null for each in (urgent, team, tone))


def test_a_state_of_json_is_its_text(plans):
    assert read(plans, state={"a": ["é"]}).documents == [Document('{"a": ["é"]}')]


def test_instructions_stand_before_the_questions(plans):
    asked = read(plans, instructions="You route tickets.")
    assert asked.plan.task.options.instructions == "You route tickets."


def test_the_answer(plans):
    assert json.loads(read(plans).answer([extraction(OPTIONS)])) == {
        "model": "hpd-box",
        "answers": {
            "urgent": {"type": "noul", "noul": 0.25},
            "team": {
                "type": "choice",
                "choice": "shipping",
                "probabilities": {"billing": 0.3, "shipping": 0.5, "true": 0.2},
                "confidence": 0.25,
            },
            "tone": {
                "type": "score",
                "score": 1.2,
                "legend": {"0": "calm", "1": "annoyed", "2": ["very", "angry"]},
                "probabilities": {"0": 0.1, "1": 0.6, "2": 0.3},
                "confidence": 0.4,
            },
        },
        "usage": {"input_tokens": 142, "output_tokens": 7},
    }


def test_confidence_is_1_if_certain_and_0_if_even():
    for confidence in (choice_confidence, score_confidence):
        assert confidence([0.0, 1.0, 0.0]) == 1
    assert choice_confidence([0.25] * 4) == 0
    assert score_confidence([0.5, 0.0, 0.5]) == 0
    assert math.isclose(score_confidence([0.1, 0.8, 0.1]), 1 - 0.2 / (2 / 3))


def test_probabilities_that_are_not_known_are_an_error(plans):
    known = {**OPTIONS, "team": {"shipping": 0.5}}
    with pytest.raises(HttpError, match="too many options begin alike") as caught:
        read(plans).answer([extraction(known)])
    assert (caught.value.status, caught.value.code) == (422, "too_many_options")


def test_a_state_that_is_too_long_is_an_error(plans):
    failed = Extraction(None, error=Failure(ContextOverflowError("too long")))
    with pytest.raises(HttpError, match="too long") as caught:
        read(plans).answer([failed])
    assert (caught.value.status, caught.value.param) == (400, "state")


def test_parameters_that_change_nothing_are_named(plans):
    body = {"chat_template_kwargs": {"enable_thinking": False}, "cache_salt": "", "model": "any"}
    assert read(plans, **body).warnings == ("chat_template_kwargs has no effect here",)


CHOICE = QUESTIONS["team"]


@pytest.mark.parametrize(
    ("body", "param", "message"),
    [
        ({"questions": {}}, "questions", r"has too few entries \(0; at least 1\)"),
        ({"questions": []}, "questions", "'questions' must be a JSON object"),
        ({"questions": {"": CHOICE}}, "questions", "a question has an empty name"),
        ({"questions": {"str": 5}}, "questions.str", "must be a JSON object"),
        ({"state": None}, "state", "'state' must be a string, a JSON object or a list"),
        ({"images": ["data:image/png;base64,AA=="]}, "images", "cannot be read here"),
        ({"questions": {"a": {"type": "noul"}}}, "questions.a.instructions", "is missing"),
        (
            {"questions": {"a": {**CHOICE, "criteria": {"b": None}}}},
            "questions.a.criteria",
            "at least 2",
        ),
        ({"questions": {"a": {**CHOICE, "weight": 1}}}, "questions.a.weight", "unknown field"),
        (
            {"questions": {"a": {**CHOICE, "type": "box"}}},
            "questions.a",
            "unknown type 'box'; there are 'noul'",
        ),
        (
            {"questions": {"a": {"type": "score", "instructions": "?", "criteria": ["x", "x"]}}},
            "questions.a",
            "two levels are the same",
        ),
    ],
)
def test_refusals(plans, body, param, message):
    with pytest.raises(HttpError, match=message) as caught:
        read(plans, **body)
    assert caught.value.status == 400
    assert caught.value.param == param


def test_another_model_is_refused_if_the_server_is_strict(plans):
    with pytest.raises(HttpError) as caught:
        read(plans, ServedModel("hpd-box", Options(), 0, is_strict=True), model="jev-latest")
    assert caught.value.status == 404


def test_a_server_answers(server):
    body = {"state": "Diesel sneaker, black", "questions": QUESTIONS}
    reply = server.post("/v1/systemone", body)
    assert reply.status == 200, reply.body
    answers = reply.json["answers"]
    assert [*answers] == [*QUESTIONS]
    assert 0 <= answers["urgent"]["noul"] <= 1
    for name in ("team", "tone"):
        assert sum(answers[name]["probabilities"].values()) == pytest.approx(1, abs=5e-4)
        assert 0 <= answers[name]["confidence"] <= 1
    best = max(answers["team"]["probabilities"].items(), key=lambda pair: pair[1])
    assert answers["team"]["choice"] == best[0]
    assert reply.json["usage"]["input_tokens"] > 0


def test_extract_has_options_if_asked(server):
    body = {"text": "Diesel sneaker, black", "schema": "color [black|red], is_new bool"}
    plain = server.post("/extract", body).json["fields"]
    assert "options" not in plain["color"]
    fields = server.post("/extract", {**body, "options": {"probabilities": True}}).json["fields"]
    assert {own["value"] for own in fields["color"]["options"]} == {"black", "red", None}
    assert {own["value"] for own in fields["is_new"]["options"]} == {True, False, None}
