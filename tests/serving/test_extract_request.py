"""Bodies of ``POST /extract``: what is read of them, and what is refused."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from hpd.documents import Document
from hpd.options import Options
from hpd.results import Extraction, Failure, FieldResult, Usage
from hpd.schema import load_schema, load_schemas
from hpd.serving import Limits
from hpd.serving.bodies import ExtractBody, RefusedError
from hpd.serving.dispatcher import N_KEPT, Asked, Plans, extract_asked
from request_plans import parsed, plans_with

LIMITS = Limits(texts=3)


def read(plans: Plans, **body: Any) -> Asked:
    return extract_asked(parsed(ExtractBody, body), plans, LIMITS)


def refusal(plans: Plans, body: Any) -> RefusedError:
    with pytest.raises(RefusedError) as caught:
        extract_asked(parsed(ExtractBody, body), plans, LIMITS)
    return caught.value


def test_one_text(plans: Plans) -> None:
    asked = read(plans, text="a lamp", id=7, category="c", schema={"c": ["brand"], "d": ["x"]})
    assert asked.documents == [Document("a lamp", 7, "c")]
    extraction = Extraction(
        7, {"brand": "A"}, {"brand": FieldResult(0.5, 0, 1, "exact", value="A")}, Usage(3, 0, 2, 1)
    )
    assert asked.answer([extraction]).body.decode() == extraction.to_json()


def test_several_texts(plans: Plans) -> None:
    asked = read(plans, texts=["a", {"text": "b", "id": "x", "category": "c"}], schema="brand")
    assert asked.documents == [Document("a"), Document("b", "x", "c")]
    failed = Extraction("x", error=Failure("InputError", "no"))
    lines = [Extraction(None, {"brand": "é"}), failed]
    assert json.loads(asked.answer(lines).body) == {"extractions": [e.to_dict() for e in lines]}


@pytest.mark.parametrize(
    "schema",
    [
        "brand: the maker, price float?",
        ["brand", "price"],
        {"brand": "the maker", "price": "in dollars"},
        {"type": "object", "properties": {"brand": {"type": "string"}}},
        '{"type": "object", "properties": {"brand": {"type": "string"}}}',
        {"shoes": ["brand"], "tea": ["flavour"]},
    ],
    ids=["one line", "list", "descriptions", "JSON Schema", "text of JSON", "categories"],
)
def test_a_schema_is_read_as_the_command_reads_it(plans: Plans, schema: Any) -> None:
    asked = read(plans, text="x", schema=schema)
    assert asked.plan.task.schemas == load_schemas(schema)


def test_no_schema_names_a_file_or_a_class(
    plans: Plans, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("s.json").write_text('["secret"]')
    Path("my schema.txt").write_text("secret")
    Path("made_up_module.py").write_text("raise AssertionError")
    names = ("s.json", str(tmp_path / "s.json"), "missing.txt", "made_up_module:Model", "os:path")
    for name in names:
        refused = refusal(plans, {"text": "x", "schema": name})
        assert (refused.status, refused.code) == (400, "invalid_schema")
        assert "names a file or a Python class" in str(refused)
    # With a blank in it, it may be the one-line form, and is never a file.
    spaced = refusal(plans, {"text": "x", "schema": "my schema.txt"})
    assert "secret" not in str(spaced)


def test_options_are_of_this_call(plans: Plans) -> None:
    asked = read(plans, text="x", schema="a", options={"on_invalid": "record", "max_tokens": 5})
    options = asked.plan.task.options
    assert (options.on_invalid, options.max_tokens) == ("record", 5)
    assert read(plans, text="x", schema="a").plan.task.options.on_invalid == "raise"


def test_examples_are_shown(plans: Plans) -> None:
    asked = read(plans, text="x", schema="a", examples=[{"text": "t", "data": {"a": "1"}}])
    assert list(asked.plan.task.examples) == [("t", {"a": "1"})]


def test_what_a_schema_cannot_have_honoured_is_said(plans: Plans) -> None:
    schema = {"type": "object", "properties": {"a": {"type": "string", "format": "made-up"}}}
    for _ in range(2):  # made, and kept
        asked = read(plans, text="x", schema=schema)
        (warning,) = json.loads(asked.answer([Extraction(None, {"a": "1"})]).body)["warnings"]
        assert "made-up" in warning


def test_the_same_request_is_prepared_once_and_others_for_themselves(plans: Plans) -> None:
    first = read(plans, text="x", schema="a")
    assert read(plans, text="y", schema="a").plan is first.plan
    assert (
        read(plans, text="x", schema="a", options={"on_invalid": "record"}).plan is not first.plan
    )
    # What is equal in Python may differ in JSON.
    one, true = ({"properties": {"a": {"enum": [each]}}} for each in (1, True))
    assert read(plans, text="x", schema=one).plan is not read(plans, text="x", schema=true).plan


def test_only_the_latest_plans_are_kept(plans: Plans) -> None:
    first = read(plans, text="x", schema="a")
    for i in range(N_KEPT - 1):
        read(plans, text="x", schema=f"b{i}")
    assert read(plans, text="x", schema="a").plan is first.plan
    for i in range(2 * N_KEPT):
        read(plans, text="x", schema=f"c{i}")
    assert len(plans) == N_KEPT
    assert read(plans, text="x", schema="a").plan is not first.plan


@pytest.mark.parametrize(
    ("body", "status", "code", "message"),
    [
        ({}, 400, "missing_parameter", "'text' is missing"),
        ({"text": 5}, 400, "invalid_type", "text: .* valid string"),
        ({"text": "x"}, 400, "missing_parameter", "the schema is missing"),
        ({"text": "x", "shema": "a"}, 400, "unknown_parameter", "'shema' is not known"),
        ({"text": "x", "texts": ["y"], "schema": "a"}, 400, None, "stands beside"),
        ({"texts": [], "schema": "a"}, 400, None, "is empty"),
        ({"texts": "ab", "schema": "a"}, 400, "invalid_type", "texts: .* valid list"),
        ({"texts": ["x", 5], "schema": "a"}, 400, "invalid_type", r"texts\[1\]: "),
        ({"texts": [{"txt": ""}], "schema": "a"}, 400, "unknown_parameter", r"texts\[0\]\.txt"),
        ({"texts": [{"id": 1}], "schema": "a"}, 400, "missing_parameter", r"texts\[0\]\.text"),
        ({"texts": ["x"] * 4, "schema": "a"}, 413, "too_many_texts", "4 texts .* 3 are allowed"),
        ({"text": "x", "schema": ""}, 400, "invalid_schema", "schema"),
        ({"text": "x", "schema": []}, 400, "invalid_schema", "at least one attribute"),
        ({"text": "x", "schema": 5}, 400, "invalid_schema", "not 5"),
        ({"text": "x", "schema": "a" * 5000}, 413, "schema_too_large", "4096 are allowed"),
        ({"text": "x", "schema": "a", "options": []}, 400, "invalid_type", "options: .*dictionary"),
        ({"text": "x", "schema": "a", "options": {"metod": 1}}, 400, "invalid_option", "method"),
        ({"text": "x", "schema": "a", "options": {"method": 1}}, 400, "invalid_option", "of hpd"),
        ({"text": "x", "schema": "a", "options": {"n_ctx": 9}}, 400, "invalid_option", "single"),
        ({"text": "x", "schema": "a", "options": {"loras": []}}, 400, "invalid_option", "single"),
        ({"text": "x", "schema": "a", "examples": [5]}, 400, "invalid_type", r"examples\[0\]"),
        (
            {"text": "x", "schema": "a", "examples": [{"text": "t"}]},
            400,
            "missing_parameter",
            r"examples\[0\].data' is missing",
        ),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said(
    plans: Plans, body: Any, status: int, code: str | None, message: str
) -> None:
    refused = refusal(plans, body)
    assert (refused.status, refused.code) == (status, code)
    assert re.search(message, str(refused))
    error = json.loads(refused.body)["error"]
    assert (error["message"], error["code"]) == (str(refused), code)
    assert error["type"] == "invalid_request_error"


def test_the_server_s_own_schema_is_for_requests_without_one() -> None:
    own = load_schema("brand")
    plans = plans_with(Options(), own)
    assert read(plans, text="x").plan.task.schemas is own
    assert read(plans, text="x", schema="color").plan.task.schemas == load_schemas("color")
