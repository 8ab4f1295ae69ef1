"""Bodies of ``POST /extract``, and requests on their way through the queue."""

from __future__ import annotations

import asyncio
import json
import re
import threading
from base64 import b64encode
from dataclasses import replace
from pathlib import Path

import pytest

from hpd.documents import Document
from hpd.errors import (
    CallCancelledError,
    ContextOverflowError,
    EngineClosedError,
    InputError,
    MissingPackageError,
)
from hpd.options import Options
from hpd.pipeline.task import Task
from hpd.results import Extraction, Failure, FieldValue, Usage
from hpd.schema import load_schemas
from hpd.serving import ServerLimits, tracing
from hpd.serving.bodies import ExtractBody, HttpError
from hpd.serving.dispatcher import (
    MAX_PLANS,
    ClientGoneError,
    Dispatcher,
    ParsedRequest,
    RequestPlan,
    parse_extract,
)
from pdf_files import pdf_of
from request_plans import parsed

LIMITS = ServerLimits(texts=3)


INVALID = "invalid_value"
FILE = {"name": "a.txt", "data": "eA=="}


def read(plans, **body):
    return parse_extract(parsed(ExtractBody, body), plans, LIMITS)


def refusal(plans, body):
    with pytest.raises(HttpError) as caught:
        parse_extract(parsed(ExtractBody, body), plans, LIMITS)
    return caught.value


def test_one_text(plans):
    asked = read(plans, text="a lamp", id=7, category="c", schema={"c": ["brand"], "d": ["x"]})
    assert asked.documents == [Document("a lamp", 7, "c")]
    extraction = Extraction(
        7, {"brand": "A"}, {"brand": FieldValue(0.5, 0, 1, "exact", value="A")}, Usage(3, 0, 2, 1)
    )
    assert asked.answer([extraction]).decode() == extraction.to_json()


def test_several_texts(plans):
    asked = read(plans, texts=["a", {"text": "b", "id": "x", "category": "c"}], schema="brand")
    assert asked.documents == [Document("a"), Document("b", "x", "c")]
    failed = Extraction("x", error=Failure(InputError("no")))
    lines = [Extraction(None, {"brand": "é"}), failed]
    assert json.loads(asked.answer(lines)) == {"extractions": [e.to_dict() for e in lines]}


def as_file(name, data):
    return {"name": name, "data": b64encode(data).decode()}


def test_a_file_in_place_of_a_text(plans):
    pdf = as_file("Invoice.PDF", pdf_of("one", "Total 5"))
    (document,) = read(plans, file=pdf, id=7, category="c", schema={"c": ["total"]}).documents
    assert (document.text, document.id, document.category) == ("one\n\nTotal 5", 7, "c")
    assert document.places.of(5, 10).page == 2
    (table,) = read(plans, file=as_file("a.csv", b"a,b\n1,2\n"), schema="x").documents
    assert table.text == "a  b\n1  2"


def test_a_file_that_this_server_cannot_read(plans, monkeypatch, caplog):
    def lacking(*_, **__):
        raise MissingPackageError("PDF needs pypdfium2: run `pip install 'hpd-cpp[files]'`")

    monkeypatch.setattr("hpd.serving.dispatcher.RecordReader", lacking)
    refused = refusal(plans, {"file": as_file("invoice.pdf", b"%PDF"), "schema": "x"})
    assert (refused.status, refused.code) == (501, "unsupported_file")
    assert "'invoice.pdf': this server" in str(refused)
    assert "pip" not in str(refused), "which is for the operator"
    assert "pip install" in caplog.text


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
def test_a_schema_is_read_as_the_command_reads_it(plans, schema):
    asked = read(plans, text="x", schema=schema)
    assert asked.plan.task.schemas == load_schemas(schema)


def test_no_schema_names_a_file_or_a_class(plans, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("s.json").write_text('["secret"]')
    Path("my schema.txt").write_text("secret")
    Path("made_up_module.py").write_text("raise AssertionError")
    names = ("s.json", str(tmp_path / "s.json"), "missing.txt", "made_up_module:Model", "os:path")
    for name in names:
        refused = refusal(plans, {"text": "x", "schema": name})
        assert (refused.status, refused.code) == (400, "invalid_schema")
        assert "names a file or a Python class" in str(refused)
    # With a blank in it, it is the one-line form, and never a file.
    spaced = read(plans, text="x", schema="my schema.txt")
    assert [attribute.name for attribute in spaced.plan.task.schemas.single] == ["my schema.txt"]


def test_options_are_of_this_call(plans):
    asked = read(plans, text="x", schema="a", options={"on_invalid": "record", "max_tokens": 5})
    options = asked.plan.task.options
    assert (options.on_invalid, options.max_tokens) == ("record", 5)
    assert read(plans, text="x", schema="a").plan.task.options.on_invalid == "raise"


def test_examples_are_shown(plans):
    asked = read(plans, text="x", schema="a", examples=[{"text": "t", "data": {"a": "1"}}])
    assert list(asked.plan.task.examples) == [("t", {"a": "1"})]


def test_what_a_schema_cannot_have_honoured_is_said(plans):
    schema = {"type": "object", "properties": {"a": {"type": "string", "format": "made-up"}}}
    for _ in range(2):  # made, and kept
        asked = read(plans, text="x", schema=schema)
        (warning,) = json.loads(asked.answer([Extraction(None, {"a": "1"})]))["warnings"]
        assert "made-up" in warning


def test_the_same_request_is_prepared_once_and_others_for_themselves(plans):
    first = read(plans, text="x", schema="a")
    assert read(plans, text="y", schema="a").plan is first.plan
    assert (
        read(plans, text="x", schema="a", options={"on_invalid": "record"}).plan is not first.plan
    )
    # What is equal in Python may differ in JSON.
    one, true = ({"properties": {"a": {"enum": [each]}}} for each in (1, True))
    assert read(plans, text="x", schema=one).plan is not read(plans, text="x", schema=true).plan


def test_only_the_latest_plans_are_kept(plans):
    first = read(plans, text="x", schema="a")
    for i in range(MAX_PLANS - 1):
        read(plans, text="x", schema=f"b{i}")
    assert read(plans, text="x", schema="a").plan is first.plan
    for i in range(2 * MAX_PLANS):
        read(plans, text="x", schema=f"c{i}")
    assert read(plans, text="x", schema="a").plan is not first.plan


@pytest.mark.parametrize(
    ("body", "status", "code", "message"),
    [
        ({}, 400, "missing_parameter", "'text' is missing"),
        ({"text": 5}, 400, "invalid_type", "'text' must be a string"),
        ({"text": "x"}, 400, "missing_parameter", "the schema is missing"),
        ({"text": "x", "shema": "a"}, 400, "unknown_parameter", "unknown field 'shema'"),
        ({"text": "x", "texts": ["y"], "schema": "a"}, 400, INVALID, "exclude each other"),
        ({"text": "x", "file": FILE, "schema": "a"}, 400, INVALID, "give either"),
        ({"texts": ["x"], "file": FILE, "schema": "a"}, 400, INVALID, "exclude each other"),
        ({"file": {"name": "a.zip", "data": ""}, "schema": "a"}, 400, INVALID, "unsupported f"),
        ({"file": {"name": "a.pdf", "data": "JVBE"}, "schema": "a"}, 400, INVALID, "read as PDF"),
        ({"file": {"name": "a.pdf", "data": "?"}, "schema": "a"}, 400, "invalid_type", "Base64"),
        ({"file": {"name": "a.pdf"}, "schema": "a"}, 400, "missing_parameter", "file.data"),
        ({"texts": [], "schema": "a"}, 400, INVALID, "is empty"),
        ({"texts": "ab", "schema": "a"}, 400, "invalid_type", "'texts' must be a list"),
        ({"texts": ["x", 5], "schema": "a"}, 400, "invalid_type", r"texts\[1\]': neither a"),
        ({"texts": [{"txt": ""}], "schema": "a"}, 400, "unknown_parameter", r"texts\[0\]\.txt"),
        ({"texts": [{"id": 1}], "schema": "a"}, 400, "missing_parameter", r"texts\[0\]\.text"),
        ({"texts": ["x"] * 4, "schema": "a"}, 413, "too_many_texts", "4 texts .* 3 are allowed"),
        ({"text": "x", "schema": "a [|]"}, 400, "invalid_schema", "^schema: character 4: "),
        ([], 400, "invalid_type", "the body must be a JSON object"),
        ({"text": "x", "schema": ""}, 400, "invalid_schema", "schema"),
        ({"text": "x", "schema": []}, 400, "invalid_schema", "at least one attribute"),
        ({"text": "x", "schema": 5}, 400, "invalid_schema", "int is not a schema"),
        ({"text": "x", "schema": "a" * 5000}, 413, "schema_too_large", "4096 are allowed"),
        ({"text": "x", "schema": "a", "options": []}, 400, "invalid_type", "must be a JSON object"),
        ({"text": "x", "schema": "a", "options": {"metod": 1}}, 400, "invalid_option", "method"),
        ({"text": "x", "schema": "a", "options": {"method": 1}}, 400, "invalid_option", "of hpd"),
        ({"text": "x", "schema": "a", "options": {"schema": 1}}, 400, "invalid_option", "schema"),
        ({"text": "x", "schema": "a", "options": {"examples": 1}}, 400, "invalid_option", "examp"),
        ({"text": "x", "schema": "a", "options": {"n_ctx": 9}}, 400, "invalid_option", "single"),
        ({"text": "x", "schema": "a", "options": {"adapters": []}}, 400, "invalid_option",
         "single"),
        ({"text": "x", "schema": "a", "examples": [5]}, 400, "invalid_type", r"examples\[0\]"),
        ({"text": "x", "schema": "a", "examples": [{"text": "t"}]}, 400,
         "missing_parameter", r"examples\[0\].data' is missing"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said(plans, body, status, code, message):
    refused = refusal(plans, body)
    assert (refused.status, refused.code) == (status, code)
    assert re.search(message, str(refused))
    error = json.loads(refused.body)["error"]
    assert (error["message"], error["code"]) == (str(refused), code)
    assert error["type"] == "invalid_request_error"


PLAN = RequestPlan(Task(load_schemas("a"), Options()))
SECONDS = 60.0


class Gate:
    """An extractor whose calls wait until they may go on, or are cancelled."""

    def __init__(self):
        self.is_open = threading.Event()
        self.begun = []
        self.cancelled = []

    def iter_indexed(self, documents, *, schema, on_error, cancellation, on_settled):
        assert (schema, on_error) == (PLAN.task, "record")
        self.begun.append(documents[0].text)
        if on_settled is not None:
            on_settled(0, {"first": 1})
        cancellation.attach(self.is_open.set)
        assert self.is_open.wait(SECONDS)
        if cancellation.is_cancelled:
            self.cancelled.append(documents[0].text)
            raise CallCancelledError("cancelled")
        # Not in their order.
        for index in reversed(range(len(documents))):
            yield index, Extraction(documents[index].text, {})


def asked(*texts):
    def answer(extractions):
        return " ".join(str(each.id) for each in extractions).encode()

    return ParsedRequest([Document(text) for text in texts], PLAN, answer)


async def never():
    await asyncio.Event().wait()


def run(test, gate=None, **limits):
    """Run a test with a dispatcher of its own; returns what it has noted."""
    gate = gate or Gate()
    noted = []

    async def whole():
        dispatcher = Dispatcher(gate, ServerLimits(**limits), 2, noted.append)
        try:
            await asyncio.wait_for(test(dispatcher, gate), SECONDS)
        finally:
            dispatcher.close()

    asyncio.run(whole())
    return noted


async def until(condition):
    while not condition():
        await asyncio.sleep(0.001)


def test_an_answer_has_the_documents_in_their_order():
    async def test(dispatcher, gate):
        gate.is_open.set()
        answer = await dispatcher.answer(asked("a", "b", "c"), never)
        assert answer == b"a b c"
        await until(lambda: dispatcher.n_pending == 0)

    assert {each.id for each in run(test)} == {"a", "b", "c"}


def test_an_answer_in_parts_comes_before_its_document_is_finished():
    async def test(dispatcher, gate):
        in_parts = replace(asked("a"), part=lambda data: repr(data).encode())
        parts = dispatcher.parts(in_parts, never)
        assert await anext(parts) == b"{'first': 1}"
        gate.is_open.set()
        assert [part async for part in parts] == [b"a"]

    run(test)


def collected(monkeypatch):
    """A provider of traces, and where its spans are kept."""
    sdk = pytest.importorskip("opentelemetry.sdk.trace")
    export = pytest.importorskip("opentelemetry.sdk.trace.export")
    memory = pytest.importorskip("opentelemetry.sdk.trace.export.in_memory_span_exporter")
    kept = memory.InMemorySpanExporter()
    provider = sdk.TracerProvider()
    provider.add_span_processor(export.SimpleSpanProcessor(kept))
    monkeypatch.setattr(tracing.trace, "get_tracer", provider.get_tracer)
    return provider, kept


def test_each_document_has_a_span_within_that_of_its_request(monkeypatch):
    provider, kept = collected(monkeypatch)

    async def test(dispatcher, gate):
        gate.is_open.set()
        with provider.get_tracer("caller").start_as_current_span("request"):
            await dispatcher.answer(asked("a", "b"), never)

    run(test)
    *documents, request = kept.get_finished_spans()
    assert {span.attributes["hpd.document"] for span in documents} == {"a", "b"}
    assert {span.parent.span_id for span in documents} == {request.context.span_id}
    assert all(span.end_time >= span.start_time >= request.start_time for span in documents)


def test_a_failed_document_has_an_error_in_its_span(monkeypatch):
    _, kept = collected(monkeypatch)
    tracing.record_span(Extraction("a", error=Failure(ContextOverflowError("a secret"))), 1)
    (span,) = kept.get_finished_spans()
    assert span.attributes["error.type"] == "ContextOverflowError"
    assert not span.status.is_ok
    assert "secret" not in span.to_json()


def test_a_request_that_has_no_thread_yet_never_gets_one():
    async def test(dispatcher, gate):
        async def at_once():
            return

        tasks = [asyncio.ensure_future(dispatcher.answer(asked(name), never)) for name in "ab"]
        await until(lambda: sorted(gate.begun) == ["a", "b"])
        with pytest.raises(ClientGoneError):
            await dispatcher.answer(asked("c"), at_once)
        await until(lambda: dispatcher.n_pending == 2)
        gate.is_open.set()
        for task in tasks:
            await task
        assert sorted(gate.begun) == ["a", "b"]

    run(test)


def test_a_server_that_ends_takes_on_no_more_and_cancels_what_is_left():
    async def test(dispatcher, gate):
        tasks = [asyncio.ensure_future(dispatcher.answer(asked(name), never)) for name in "abc"]
        await until(lambda: len(gate.begun) == 2)
        dispatcher.stop_accepting()
        assert dispatcher.is_stopping
        with pytest.raises(HttpError, match="is shutting down") as caught:
            await dispatcher.answer(asked("d"), never)
        assert (caught.value.status, caught.value.headers["Connection"]) == (503, "close")
        assert dispatcher.cancel_all() == 3
        for task in tasks:
            with pytest.raises(HttpError, match="is shutting down"):
                await task
        await until(lambda: dispatcher.n_pending == 0)

    run(test)


@pytest.mark.parametrize("error", [EngineClosedError("closed"), ValueError("odd")])
def test_an_error_frees_the_place_in_the_queue(error):
    class Broken(Gate):
        def iter_indexed(self, *_, **__):
            raise error

    async def test(dispatcher, gate):
        expected = HttpError if isinstance(error, EngineClosedError) else ValueError
        with pytest.raises(expected):
            await dispatcher.answer(asked("a"), never)
        await until(lambda: dispatcher.n_pending == 0)

    run(test, Broken())
