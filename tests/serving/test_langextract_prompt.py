"""Prompts of langextract taken apart, and answers put together as it reads them."""

from __future__ import annotations

import json

from hpd.results import Extraction, FieldResult
from hpd.schema import load_schema
from hpd.serving.messages import langextract_prompt

ROMEO = {
    "extractions": [
        {"character": "ROMEO", "character_attributes": {"mood": "wonder"}},
        {"place": "window", "place_attributes": {}},
        {"character": "JULIET", "character_attributes": {"titles": ["sun", "east"]}},
    ]
}
EXAMPLE = f"Q: ROMEO. But soft! window, JULIET\nA: {json.dumps(ROMEO, indent=2)}\n"
PROMPT = f"Find characters.\n\nMore context.\n\nExamples\n{EXAMPLE}\nQ: Lady Juliet\ngazed\nA: "


def test_a_prompt_is_taken_apart() -> None:
    prompt = langextract_prompt(PROMPT)
    assert prompt is not None
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


def test_answers_in_fences_and_several_examples() -> None:
    answer = '{"extractions": [{"place": "x", "place_attributes": {}}]}'
    fenced = f"Q: a\nA: ```json\n{answer}\n```\n"
    prompt = langextract_prompt(f"Find.\n\nExamples\n{fenced}\n{fenced}\nQ: b\nA:")
    assert prompt is not None
    assert [text for text, _ in prompt.examples] == ["a", "a"]
    assert prompt.document == "b"


def test_other_texts_are_none() -> None:
    assert langextract_prompt("A lamp") is None
    assert langextract_prompt("Examples\nQ: a\nA: ") is None
    assert langextract_prompt(PROMPT.replace("extractions", "values")) is None
    assert langextract_prompt(PROMPT.removesuffix("A: ")) is None


def test_an_answer_is_in_the_order_of_the_document() -> None:
    prompt = langextract_prompt(PROMPT)
    assert prompt is not None
    data = {
        "character": [{"character": "Juliet", "mood": "sad", "titles": None}, {"mood": "x"}],
        "place": ["Verona"],
    }
    fields = {
        "character[0].character": FieldResult(start=20, end=26),
        "place[0]": FieldResult(start=3, end=9),
    }
    assert prompt.answer(Extraction(None, data, fields)) == {
        "extractions": [
            {"place": "Verona", "place_attributes": {}},
            {"character": "Juliet", "character_attributes": {"mood": "sad"}},
        ]
    }


def test_an_attribute_with_the_name_of_its_class_is_left_out() -> None:
    item = {"place": "x", "place_attributes": {"place": "y", "size": "z"}}
    text = f"Examples\nQ: a\nA: {json.dumps({'extractions': [item]})}\n\nQ: b\nA: "
    prompt = langextract_prompt(text)
    assert prompt is not None
    assert prompt.classes == {"place": {"size": False}}
