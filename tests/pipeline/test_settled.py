"""Values that are told before their document is finished: the extraction never takes one back."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hpd import Document
from small_extractor import SmallExtractor as Extractor
from strategies import answers_of, part_of_examples, schemas

SCHEMA = {
    "type": "object",
    "properties": {
        "number": {"type": "string"},
        "lines": {
            "type": "array",
            "items": {"type": "object", "properties": {"item": {"type": "string"}}},
        },
        "note": {"type": ["string", "null"]},
        "total": {"type": ["number", "null"]},
    },
    "required": ["number", "lines", "total"],
}
TEXT = "Invoice A 17: a lamp, a frying pan; 5.50"
ANSWER = {
    "number": "A 17",
    "lines": [{"item": "lamp"}, {"item": "frying pan of steel"}],
    "note": None,
    "total": 5.5,
}


def told(extractor, text=TEXT):
    """What is told of a document, and its extraction."""
    steps = []
    settled = iter(
        extractor.iter_indexed(
            [Document(text)],
            on_error="record",
            on_settled=lambda place, data: steps.append({"place": place, **data}),
        )
    )
    ((place, extraction),) = settled
    assert all(step.pop("place") == place for step in steps)
    return steps, extraction


def assert_kept(steps, data):
    """Each step has the first attributes of the data, and no fewer than the one before."""
    for step in steps:
        assert list(step.items()) == list(data.items())[: len(step)]
    assert sorted(steps, key=len) == steps


def test_values_are_told_in_the_order_of_the_schema(model):
    with Extractor(SCHEMA, model, answers={TEXT: ANSWER}) as extractor:
        steps, extraction = told(extractor)
        assert extraction.data == ANSWER
        assert_kept(steps, ANSWER)
        # The items come in a wave of their own, and what stands after them waits for them.
        assert {"number": "A 17"} in steps
        assert not any(
            list(step) == ["number", "lines"] and len(step["lines"]) < 2 for step in steps
        )
        assert steps[-1] == ANSWER


def test_nobody_is_told_of_the_values_of_others(model):
    with Extractor(SCHEMA, model, answers={TEXT: ANSWER}) as extractor:
        steps, _ = told(extractor)
        assert extractor.extract(TEXT).data == ANSWER
        assert told(extractor)[0][-1] == steps[-1] == ANSWER


@pytest.mark.parametrize(
    "settings", [{"require_grounding": True}, {"on_invalid": "retry"}, {"method": "ar"}]
)
def test_where_all_values_are_judged_together_none_is_told(model, settings):
    with Extractor(SCHEMA, model, answers={TEXT: ANSWER}, **settings) as extractor:
        steps, _ = told(extractor)
        assert not any(steps)


def test_a_required_value_that_is_asked_again_is_not_told_before(model):
    answers = {TEXT: {**ANSWER, "number": None}}
    with Extractor(SCHEMA, model, answers=answers, on_missing="force", max_tokens=6) as extractor:
        steps, extraction = told(extractor)
        assert extraction.fields["number"].forced
        assert_kept(steps, extraction.data)


@part_of_examples(0.1)
@given(data=st.data(), schema=schemas())
def test_whatever_is_told_stays(model, data, schema):
    missing = data.draw(st.sampled_from(["error", "null", "force"]))
    answers = {TEXT: data.draw(answers_of(schema))}
    with Extractor(
        schema, model, answers=answers, on_missing=missing, on_invalid="record", max_tokens=6
    ) as extractor:
        steps, extraction = told(extractor)
        assert_kept(steps, extraction.data or {})
