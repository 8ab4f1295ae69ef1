"""``on_missing``: what becomes of a required value that the document does not state."""

from __future__ import annotations

import json

import jsonschema
import pytest
from pydantic import BaseModel, field_validator

from hpd import Options
from hpd.errors import OptionError
from hpd.models.model_files import bundled_model
from hpd.pipeline import prompts
from hpd.pipeline.document_values import DocumentValues
from hpd.results import FieldValue, Usage
from hpd.schema import load_schema
from hpd.values.assembly import NO_VALUE_ERROR
from small_extractor import extracted

SETTINGS = {"max_tokens": 40, "n_ctx": 2048}
TEXT = "Nothing to report."
SHIRT = "Diesel T-Shirt for Men, Black, XL"


def card(name):
    """An object with one required text."""
    part = {name: {"type": "string"}}
    return {"title": name, "type": "object", "properties": part, "required": [name]}


PARTS = {
    "name": {"type": "string"},
    "size": {"type": "integer", "minimum": 1, "maximum": 9},
    "color": {"enum": ["red", "blue"]},
    "tags": {"type": "array", "items": {"type": "integer"}, "minItems": 2, "maxItems": 3},
    "lines": {"type": "array", "items": card("item"), "minItems": 1, "maxItems": 1},
    "pay": {"oneOf": [card("card"), card("iban")]},
    "maker": {"type": ["object", "null"], "properties": {"city": {"type": "string"}}},
    "seller": {"anyOf": [card("shop"), {"type": "null"}]},
    "note": {"type": ["string", "null"]},
    "free": {"type": "array", "items": {"type": "string"}},
}
SHOP = {"type": "object", "properties": PARTS, "required": [*PARTS]}
"""All is required, as in OpenAI's strict schemas, and some of it may be null or empty."""

EMPTY = {"maker": None, "seller": None, "note": None, "free": []}


class Sized(BaseModel):
    """Two required values."""

    name: str
    size: int


@pytest.fixture
def null_model(tiny_model, monkeypatch):
    """A model that says null wherever it may."""
    for name in ("parse_value", "parse_truncated"):
        parse = getattr(prompts, name)

        def parsed(raw, attribute, document="", parse=parse):
            return parse(raw if attribute.forbids_null else " null", attribute, document)

        monkeypatch.setattr(prompts, name, parsed)
    return tiny_model()


def found(schema, model, **settings):
    (extraction,) = extracted(schema, model, [TEXT], **SETTINGS, **settings, on_error="record")
    return extraction


@pytest.mark.parametrize("layout", ["branch", "skeleton", "label"])
def test_force_gives_all_that_is_required(null_model, layout):
    # Of random weights, the text of an item in a list never ends.
    extraction = found(SHOP, null_model, on_missing="force", layout=layout, lists="numbers")
    assert extraction.error is None
    jsonschema.validate(extraction.data, SHOP)
    assert {name: extraction.data[name] for name in EMPTY} == EMPTY
    forced = {place for place, field in extraction.fields.items() if field.forced}
    assert {place.partition("[")[0].partition(".")[0] for place in forced} == {*PARTS} - {*EMPTY}
    assert extraction.to_dict()["fields"]["color"]["forced"] is True
    assert "forced" not in extraction.to_dict()["fields"]["note"]


def test_force_asks_only_for_what_is_missing(tiny_model):
    """Other values are as without it, and the confidence of forced ones is that beside null."""
    schema = {**SHOP, "properties": {"a": {"type": "boolean"}, "b": {"type": "boolean"}}}
    schema["required"] = ["a", "b"]
    n_forced = 0
    for seed in range(6):
        with_error = found(schema, tiny_model(seed=seed), on_missing="error")
        forced = found(schema, tiny_model(seed=seed), on_missing="force")
        for path, field in with_error.fields.items():
            other = forced.fields[path]
            assert other.forced == (field.value is None)
            if other.forced:
                n_forced += 1
                assert field.error == NO_VALUE_ERROR
                assert other.confidence <= 1 - (field.confidence or 0) + 1e-4
            else:
                assert other == field
    assert n_forced


AGED = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "age": {"type": "integer"}},
    "required": ["name", "age"],
}


@pytest.mark.parametrize(
    "array",
    [{"items": {"type": "string"}, "minItems": 2}, {"items": AGED, "minItems": 1}],
    ids=str,
)
def test_a_forced_list_has_its_items_which_are_no_likelier_than_any(array):
    schema = {"type": "object", "properties": {"witnesses": {"type": "array", **array}}}
    settings = {"lists": "ar", "calibration": "none"}
    (absent,) = extracted(json.dumps(schema), bundled_model(), [SHIRT], **settings)
    assert not absent.data.get("witnesses")
    schema["required"] = ["witnesses"]
    (forced,) = extracted(
        json.dumps(schema), bundled_model(), [SHIRT], on_missing="force", **settings
    )
    jsonschema.validate(forced.data, schema)
    first = next(field for path, field in forced.fields.items() if path.startswith("witnesses[0]"))
    assert first.forced
    assert first.confidence <= 1 - absent.fields["witnesses"].confidence + 1e-4


@pytest.mark.parametrize("settings", [{"null_threshold": 1.0}, {"verbatim": True}])
def test_force_is_stronger_than_what_makes_values_null(tiny_model, settings):
    extraction = found(Sized, tiny_model(), on_missing="force", **settings)
    assert isinstance(extraction.data, Sized)


def test_an_error_or_null(null_model):
    extraction = found(SHOP, null_model)
    assert "size: required, but the model found no value" in extraction.error.message
    extraction = found(SHOP, null_model, on_missing="null")
    assert extraction.error is None
    assert extraction.data == {**dict.fromkeys(PARTS), "free": []}
    assert not any(field.error for field in extraction.fields.values())
    extraction = found(SHOP, null_model, on_missing="null", on_invalid="retry")
    assert not any(field.rejected for field in extraction.fields.values())


@pytest.mark.parametrize("method", ["hpd", "ar"])
def test_no_value_is_made_up_where_there_is_no_text(tiny_model, method):
    settings = {**SETTINGS, "method": method, "on_error": "record"}
    schema = "paid bool, color [red|blue], n int, tags [str], lines [{sku, qty int}]"
    texts = ["", " \n\u3000", "x"]
    *blank, other = extracted(schema, tiny_model(), texts, **settings)
    for extraction in blank:
        assert extraction.data == {"paid": None, "color": None, "n": None, "tags": [], "lines": []}
        assert extraction.fields["paid"].reason == "the document has no text"
        assert extraction.usage.steps == 0
    assert other.usage.steps > 0
    (needed,) = extracted(Sized, tiny_model(), [""], **settings)
    assert "size: required" in needed.error.message
    (only,) = extracted({"enum": ["a"]}, tiny_model(), [""], **settings)
    assert only.data == "a"
    (forced,) = extracted({"enum": ["a", "b"]}, tiny_model(), [""], on_missing="force", **SETTINGS)
    assert forced.data in ("a", "b")


def test_null_in_a_class_that_does_not_allow_it_is_an_error(null_model):
    extraction = found(Sized, null_model, on_missing="null")
    assert extraction.data is None
    assert "size: null, which the schema's class does not allow" in extraction.error.message
    assert extraction.error.data == {"name": None, "size": None}


def test_null_in_a_class_that_allows_it_makes_an_instance(null_model):
    class Lenient(Sized):
        @field_validator("*", mode="before")
        @classmethod
        def given(cls, value):
            return "0" if value is None else value

    extraction = found(Lenient, null_model, on_missing="null")
    assert (extraction.error, extraction.data) == (None, Lenient(name="0", size=0))


def test_null_hides_no_other_fault():
    """What only finished data can be checked for is checked beside nulls, too."""
    schema = load_schema(
        {
            "type": "object",
            "properties": {"a": {"type": "string"}, "b": {"type": "string"}, "pay": PARTS["pay"]},
            "required": ["a", "b", "pay"],
            "not": {"properties": {"b": {"const": "bad"}}},
        }
    )
    for b, is_valid in (("bad", False), ("good", True)):
        values = {("b",): b, ("pay", "which"): "card"}
        results = {path: FieldValue(0.9, value=value) for path, value in values.items()}
        own = DocumentValues(results).extraction(schema, None, Usage(), Options(on_missing="null"))
        assert own.data == {"a": None, "b": b, "pay": {"card": None}}
        assert (own.error is None) == is_valid


def test_what_may_be_missing_after_all_has_no_error():
    """The required part of an object that need not be there."""
    schema = load_schema({"properties": {"a": {}, "b": card("c")}})
    own = DocumentValues({("b", "c"): FieldValue(0.9, error=NO_VALUE_ERROR)})
    extraction = own.extraction(schema, None, Usage())
    assert extraction.error is None
    assert extraction.fields["b.c"].error is None


@pytest.mark.parametrize(
    "settings", [{"method": "ar"}, {"require_grounding": True}, {"on_overflow": "chunk"}]
)
def test_force_is_refused_where_it_cannot_be_had(settings):
    (name,) = settings
    with pytest.raises(OptionError, match=rf"on_missing \(--on-missing\) 'force' cannot .* {name}"):
        Options(on_missing="force", **settings)
