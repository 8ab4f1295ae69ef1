"""Values that a model bends to fit the schema, of what the document states."""

import pytest

from hpd.pipeline.document_values import ConfidenceLimits, DocumentValues
from hpd.results import FieldValue
from hpd.schema.attributes import Attribute
from hpd.values.grounding import Grounder

SCORE = Attribute("score", "integer")


def stored(text, value, confidence, attribute=SCORE):
    values = DocumentValues()
    result = FieldValue(value=value, confidence=confidence, raw=str(value))
    values.store(("score",), attribute, result, ConfidenceLimits(0.0), None, Grounder(text))
    return values.fields["score",]


@pytest.mark.parametrize(
    ("text", "value", "stated"),
    [
        ("Score: 12.5. Team: Wrens.", 12, "12.5"),
        ("Score: 12.5. Team: Wrens.", 13, "12.5"),
        ("Gewicht: 82,4 kg", 82, "82,4"),
        ("身高172.5厘米", 172, "172.5"),
        ("Loss: -3.7 points", -3, "-3.7"),
    ],
)
def test_it_is_null_unless_the_model_is_sure(text, value, stated):
    field = stored(text, value, 0.8)
    assert (field.value, field.raw, field.confidence) == (None, str(value), None)
    assert field.reason == f"the document states {stated}, not a whole number"
    assert stored(text, value, 0.97).value == value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("12 points, on average 12.5", 12),
        ("twelve points, on average 12.5", 12),
        ("Score: 12.0", 12),
        ("Score: 1,200", 1200),
        ("Score: 1.200", 1200),
        ("Score: 12.5", 14),
        ("no number", 3),
    ],
)
def test_a_number_that_is_stated_or_is_no_part_of_another_is_kept(text, value):
    assert stored(text, value, 0.4).value == value


def test_a_required_one_is_an_error():
    required = Attribute("score", "integer", required=True, nullable=False)
    field = stored("Score: 12.5", 12, 0.8, required)
    assert field.value is None
    assert "12.5" in field.error


def test_numbers_with_fractions_are_left_alone():
    assert stored("Score: 12.5", 12, 0.8, Attribute("score", "number")).value == 12


CODE = Attribute("code", "string", max_length=3)


@pytest.mark.parametrize(
    ("text", "value"), [("Country: USAX.", "USA"), ("No. 12345", "123"), ("Code xAB7", "AB7")]
)
def test_a_text_that_is_cut_from_a_longer_word_is_null_unless_the_model_is_sure(text, value):
    field = stored(text, value, 0.8, CODE)
    assert (field.value, field.reason) == (None, "the document has it in longer words alone")
    assert stored(text, value, 0.97, CODE).value == value
    assert stored(text, value, 0.8, Attribute("code", "string")).value == value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("Country: USA.", "USA"), ("USAX, USA", "USA"), ("500ml", "500"), ("在中国北京", "中国"),
        ("Country: United States", "USA"), ("AB-123", "AB"),
    ],
)  # fmt: skip
def test_a_text_that_stands_alone_or_nowhere_is_kept(text, value):
    assert stored(text, value, 0.8, CODE).value == value
