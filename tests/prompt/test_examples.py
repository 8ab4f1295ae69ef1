"""Documents with their answers, in every form in which they may be given, and in no other."""

import pytest
from pydantic import BaseModel

from hpd import Extractor
from hpd.errors import OptionError
from hpd.pipeline import read_examples
from hpd.schema import SchemaWarning, load_schemas
from small_extractor import SmallExtractor

TEXT, DATA = "A red Nike", {"brand": "Nike"}
BRAND = load_schemas("brand")
BY_CATEGORY = load_schemas({"shoe": ["brand"], "tea": ["flavour"]})


class Shoe(BaseModel):
    brand: str | None


@pytest.mark.parametrize(
    "example",
    [
        (TEXT, DATA),
        [TEXT, DATA],
        {"text": TEXT, "data": DATA},
        {"id": "a1", "text": TEXT, "category": "shoe", "data": DATA},
        (TEXT, Shoe(brand="Nike")),
    ],
)
def test_dicts_and_pairs_are_the_same(example):
    assert read_examples([example], BRAND) == [(TEXT, DATA)]
    assert read_examples({"shoe": [example]}, BY_CATEGORY) == {"shoe": [(TEXT, DATA)]}


def test_of_a_schema_without_an_object_the_answer_is_the_value():
    names = load_schemas({"type": "array", "items": {"type": "string"}})
    assert read_examples([(TEXT, ["Nike"])], names) == [(TEXT, ["Nike"])]


@pytest.mark.parametrize(
    ("examples", "message"),
    [
        (["ab"], "example 1: a document with its answer is expected"),
        ([(TEXT, DATA), TEXT], "example 2: a document with its answer"),
        ([(TEXT, DATA, 1)], "example 1: a document"),
        ([{"text": TEXT}], r"example 1: .*not \['text'\]"),
        ([{"text": TEXT, "answer": DATA}], r"example 1: .*not \['answer', 'text'\]"),
        ([{"text": TEXT, "data": DATA, "gold": DATA}], "example 1"),
        ([(DATA, TEXT)], "example 1: the document must be text, not dict"),
        ([(b"bytes", DATA)], "example 1: the document must be text, not bytes"),
        ([(TEXT, "Nike")], "example 1: the answer must be an object of the schema's attributes"),
        ([(TEXT, ["Nike"])], "example 1: the answer must be an object"),
        ([(TEXT, {"brand": object()})], "example 1: the answer is not data"),
        ({"text": TEXT, "data": DATA}, "examples: a list is expected"),
        (TEXT, "examples: a list is expected, not str"),
        (iter([(TEXT, DATA)]), "examples: a list is expected"),
    ],
)
def test_anything_else_is_refused_everywhere(examples, message, model):
    with pytest.raises(OptionError, match=message):
        Extractor("brand", model, examples=examples)
    with (
        SmallExtractor("brand", model) as extractor,
        pytest.raises(OptionError, match=message),
    ):
        extractor.prepare("brand", examples=examples)


@pytest.mark.parametrize(
    ("examples", "schemas", "message"),
    [
        ([(TEXT, {"brnd": "Nike"})], BRAND, "example 1: 'brnd', .*: did you mean brand?"),
        ([(TEXT, DATA), (TEXT, {**DATA, "x": 1})], BRAND, "example 2: 'x', .*: it has brand"),
        ({"tea": [(TEXT, DATA)]}, BY_CATEGORY, "category 'tea': example 1: 'brand', "),
    ],
)
def test_names_that_the_schema_does_not_have_are_a_warning(examples, schemas, message):
    with pytest.warns(SchemaWarning, match=message):
        read_examples(examples, schemas)


def test_examples_of_a_category_without_a_schema_are_refused():
    with pytest.raises(OptionError, match="no schema for the category 'hat'"):
        read_examples({"hat": [(TEXT, DATA)]}, BY_CATEGORY)
    with pytest.raises(OptionError, match="category 'tea': example 1"):
        read_examples({"shoe": [(TEXT, DATA)], "tea": ["ab"]}, BY_CATEGORY)
