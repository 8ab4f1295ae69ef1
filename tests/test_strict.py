"""Data that breaks the schema: an error of its document, which is never left unsaid."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass

import pytest
from pydantic import BaseModel, field_validator

import hpd
from hpd.cli import main
from hpd.errors import InvalidDataError
from hpd.pipeline.document_values import MIN_PROBABILITY
from hpd.results import build_data
from hpd.schema import load_schema
from jsonl import read_lines, write_texts
from small_extractor import SmallExtractor, extracted

BROWN = "Color: brown. Size 8"


class Shoe(BaseModel):
    brand: str
    size: int


def test_a_missing_required_value_is_an_error_that_names_it(model):
    answers = {"a": {"brand": "Nike", "size": 44}, "b": {"brand": "Nike", "color": "red"}}
    with SmallExtractor("brand!, size int!, color", model, answers=answers) as extractor:
        assert extractor.extract("a").data == {"brand": "Nike", "size": 44, "color": None}
        with pytest.raises(InvalidDataError, match="size: required, but") as caught:
            extractor.extract("b")
        whole, broken = extractor.extract_many(["a", "b"], on_error="record")
    assert caught.value.extraction.data == broken.data
    assert whole.error is None
    assert broken.error.type == "InvalidDataError"
    assert broken.error.message.startswith("size: required, but")
    assert broken.data == {"brand": "Nike", "size": None, "color": "red"}
    line = broken.to_dict()
    assert list(line)[:2] == ["data", "error"]


def test_without_strict_the_field_alone_has_the_error(model):
    answers = {"b": {"brand": "Nike"}}
    settings = {"answers": answers, "on_invalid": "record"}
    (extraction,) = extracted("brand!, size int!", model, ["b"], **settings)
    assert extraction.error is None
    assert extraction.fields["size"].error is not None


def test_what_may_be_absent_is_no_error(model):
    schema = {
        "type": "object",
        "properties": {
            "code": {"type": "string", "pattern": "^[A-Z]+$"},
        },
    }
    (extraction,) = extracted(schema, model, ["a"], answers={"a": {"code": "abc"}})
    assert extraction.error is None
    assert extraction.data == {}
    assert "pattern" in str(extraction.fields["code"].error)


def test_an_optional_object_is_kept_without_its_required_part(model):
    maker = {
        "type": "object",
        "properties": {"name": {"type": "string"}, "city": {"type": "string"}},
        "required": ["name"],
    }
    schema = {"type": "object", "properties": {"maker": maker}}
    answers = {"a": {"maker": {"city": "Rome"}}}
    (extraction,) = extracted(schema, model, ["a"], answers=answers, on_error="record")
    assert extraction.error is not None
    assert extraction.data == {"maker": {"name": None, "city": "Rome"}}
    assert extraction.error.message.startswith("maker.name: required")


def test_a_required_value_may_be_in_any_chunk(model):
    text = " ".join(f"word{n}" for n in range(400))
    settings = {"n_ctx": 512, "on_overflow": "chunk", "max_tokens": 8}
    (extraction,) = extracted("brand!", model, [text], answers={}, **settings, on_error="record")
    assert extraction.usage.n_chunks > 1
    assert (extraction.error is None) == (extraction.data["brand"] is not None)


@pytest.mark.parametrize("on_invalid", ["raise", "record"])
def test_a_class_gives_an_instance_or_an_error(model, on_invalid):
    answers = {"a": {"brand": "Nike", "size": 44}, "b": {"brand": "Nike"}}
    whole, broken = extracted(
        Shoe, model, ["a", "b"], answers=answers, on_invalid=on_invalid, on_error="record"
    )
    assert whole.data == Shoe(brand="Nike", size=44)
    assert broken.error.message == "size: required, but the model found no value"
    assert broken.data is None
    assert broken.error.data == {"brand": "Nike", "size": None}
    assert broken.to_dict()["data"] == broken.error.data
    with pytest.raises(hpd.HpdError, match="size: required"):
        broken["brand"]


class Part(BaseModel):
    name: str
    qty: int


class Order(BaseModel):
    part: Part
    total: float


class Even(BaseModel):
    n: int | None

    @field_validator("n")
    @classmethod
    def must_be_even(cls, n):
        if n is not None and n % 2:
            raise ValueError("odd")
        return n


@dataclass
class Cup:
    size: int


@pytest.mark.parametrize(
    ("schema", "answer", "raw"),
    [
        (
            Order,
            {"part": {"name": "nut"}, "total": 3},
            {"part": {"name": "nut", "qty": None}, "total": 3.0},
        ),
        (Even, {"n": 3}, {"n": 3}),
        (Cup, {}, {"size": None}),
    ],
)
def test_data_is_an_instance_or_none_and_never_a_dict(model, schema, answer, raw):
    (broken,) = extracted(schema, model, ["a"], answers={"a": answer}, on_error="record")
    assert broken.data is None
    assert broken.error.data == raw
    with SmallExtractor(schema, model, answers={"a": answer}) as extractor:
        with pytest.raises(InvalidDataError) as caught:
            extractor.extract("a")
        assert caught.value.extraction.data is None
        assert caught.value.extraction.error.data == raw


@pytest.mark.parametrize(
    ("kind", "answer"),
    [(Part, [{"name": "nut", "qty": 2}, {"name": "bolt", "qty": 3}]), (Cup, [{"size": 4}])],
)
def test_a_list_of_a_class_is_a_schema(kind, answer):
    schema = load_schema(list[kind])
    assert schema.has_unwrapped_root
    data, problems = build_data(schema, answer)
    assert not problems
    assert data == [kind(**each) for each in answer]
    assert hpd.Extraction(data=data).to_dict()["data"] == answer


def test_one_document_may_be_a_document_and_its_error_recorded(model):
    answers = {"a": {"brand": "Nike", "size": 44}, "b": {}}
    with SmallExtractor(Shoe, model, answers=answers) as extractor:
        extraction = extractor.extract(hpd.Document("a", id="x7"))
        assert (extraction.id, extraction.data) == ("x7", Shoe(brand="Nike", size=44))
        failed = extractor.extract("b", on_error="record")
        assert (failed.data, failed.error.type) == (None, "InvalidDataError")
        failed = asyncio.run(extractor.aextract(hpd.Document("b", "x8"), on_error="record"))
        assert (failed.id, failed.data) == ("x8", None)


def test_a_span_is_the_place_of_a_value():
    assert hpd.results.FieldValue(start=2, end=5).span == (2, 5)
    assert hpd.results.FieldValue().span is None


@pytest.mark.parametrize("method", ["hpd", "ar"])
def test_a_choice_that_the_model_rules_out_is_no_value(method):
    schema = "color [red|blue]!, other [red|blue]"
    with hpd.Extractor(schema, method=method) as extractor:
        brown, red = extractor.extract_many([BROWN, "Color: red"], on_error="record")
    assert brown.data == {"color": None, "other": None}
    assert brown.error.message.startswith("color: required, but")
    assert "other" not in brown.error.message
    assert red.data["color"] == "red"
    confidence = red.fields["color"].confidence
    assert confidence > MIN_PROBABILITY


def test_the_command_writes_the_data_and_exits_with_3(tmp_path, capfd):
    source = write_texts(tmp_path / "in.jsonl", BROWN, "Color: red")
    command = ["extract", str(source), "--schema", "color [red|blue]!", "--quiet"]
    assert main(command) == 3
    brown, red = read_lines(capfd.readouterr().out)
    assert brown["data"] == {"color": None}
    assert brown["error"]["type"] == "InvalidDataError"
    assert brown["error"]["message"].startswith("color: ")
    assert "error" not in red
    assert main([*command, "--on-invalid", "record"]) == 0
    lenient = json.loads(capfd.readouterr().out.splitlines()[0])
    assert "error" not in lenient
    assert lenient["fields"] == brown["fields"]
