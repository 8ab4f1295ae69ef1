"""Documents with their answers, in every form in which they may be given, and in no other."""

import pytest
from pydantic import BaseModel, computed_field

from hpd import Extractor
from hpd.errors import OptionError
from hpd.pipeline.examples import read_examples
from hpd.schema import load_schemas
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
        ((TEXT, DATA), r"examples: a list is expected, not a single pair: \[\(text, data\)\]"),
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


ORDER = load_schemas(
    {
        "type": "object",
        "properties": {
            "number": {"type": "string"},
            "day": {"type": "string", "format": "date"},
            "currency": {"enum": ["EUR", "USD"]},
            "customer": {"type": "object", "properties": {"name": {"type": "string"}}},
            "lines": {
                "type": "array",
                "items": {"type": "object", "properties": {"qty": {"type": "integer"}}},
            },
            "rates": {"type": "object", "additionalProperties": {"type": "number"}},
            "pair": {"type": "array", "prefixItems": [{"type": "string"}, {"type": "boolean"}]},
            "pay": {
                "anyOf": [
                    {"type": "object", "properties": {"iban": {}}, "title": "Bank"},
                    {"type": "array", "items": {"type": "number"}},
                ]
            },
            "any": {},
        },
        "required": ["number"],
    }
)
ANSWER = {
    "number": "1",
    "day": "2026-03-03",
    "currency": "EUR",
    "customer": {"name": None},
    "lines": [{"qty": 2}, {}],
    "rates": {"a": 1.5},
    "pair": ["a", True],
    "pay": {"iban": "x"},
    "any": [1],
}


def test_an_answer_may_leave_out_what_is_optional():
    for answer in (ANSWER, {"number": "1"}, {"number": None}):
        assert read_examples([(TEXT, answer)], ORDER) == [(TEXT, answer)]


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"day": "yesterday"}, "day: 'yesterday': a date as YYYY-MM-DD is expected"),
        ({"currency": "CHF"}, "currency: 'CHF' is not one of EUR, USD"),
        ({"customer": {"nam": "Al"}}, "customer: 'nam' is not an .*: did you mean name"),
        ({"customer": "Al"}, "customer: an object is expected, not text"),
        ({"lines": {}}, "lines: a list is expected, not an object"),
        ({"lines": [{}, {"qty": "two"}]}, r"lines\[1\].qty: 'two': a whole number"),
        ({"rates": {"a": "much"}}, "rates.a: 'much': a number is expected"),
        ({"rates": []}, "rates: an object is expected, not a list"),
        ({"pair": ["a", "b"]}, r"pair\[1\]: 'b': true or false is expected"),
        ({"pay": "cash"}, "pay: it is none of Bank, .*an object is expected, not text"),
        ({"day": 10**5000}, "day: an unprintable int: a date"),
        ({"nr": "1"}, "'nr' is not an attribute of the schema: it has number, day, "),
    ],
)
def test_values_that_do_not_fit_the_schema_are_refused(wrong, message):
    with pytest.raises(OptionError, match=f"^example 1: {message}"):
        read_examples([(TEXT, ANSWER | wrong)], ORDER)


def test_an_answer_needs_what_is_required():
    with pytest.raises(OptionError, match="example 1: number: required, but not in the answer"):
        read_examples([(TEXT, {"currency": "EUR"})], ORDER)


def test_instances_fit_their_own_class_only():
    class Priced(BaseModel):
        price: float

        @computed_field
        def double(self) -> float:
            return 2 * self.price

    assert read_examples([(TEXT, Priced(price=1))], load_schemas(Priced))
    with pytest.raises(OptionError, match="example 1: 'brand' is not an attribute"):
        read_examples([(TEXT, Shoe(brand="Nike"))], load_schemas(Priced))
    with pytest.raises(OptionError, match="example 1: a list is expected, not an object"):
        read_examples([(TEXT, Shoe(brand="Nike"))], load_schemas(list[Shoe]))


@pytest.mark.parametrize(
    ("examples", "schemas", "message"),
    [
        ([(TEXT, {"brnd": "Nike"})], BRAND, "example 1: 'brnd' .*: did you mean brand?"),
        ([(TEXT, DATA), (TEXT, {**DATA, "x": 1})], BRAND, "example 2: 'x' .*: it has brand"),
        ({"tea": [(TEXT, DATA)]}, BY_CATEGORY, "category 'tea': example 1: 'brand' "),
        ([(TEXT, {"taste": "mild"})], BY_CATEGORY, "example 1: 'taste' is not"),
    ],
)
def test_names_that_the_schema_does_not_have_are_refused(examples, schemas, message):
    with pytest.raises(OptionError, match=message):
        read_examples(examples, schemas)


def test_examples_for_all_categories_fit_one_of_them():
    assert read_examples([(TEXT, DATA), (TEXT, {"flavour": "mild"})], BY_CATEGORY)


def test_examples_of_a_category_without_a_schema_are_refused():
    with pytest.raises(OptionError, match="no schema for the category 'hat'"):
        read_examples({"hat": [(TEXT, DATA)]}, BY_CATEGORY)
    with pytest.raises(OptionError, match="category 'tea': example 1"):
        read_examples({"shoe": [(TEXT, DATA)], "tea": ["ab"]}, BY_CATEGORY)
