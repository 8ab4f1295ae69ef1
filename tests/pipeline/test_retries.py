"""``on_invalid="retry"``: what is refused is asked again, with the reason why."""

from __future__ import annotations

import json
from dataclasses import dataclass

import pytest
from pydantic import BaseModel, Field, field_validator, model_validator

import shop
from decoding import engine_options, open_model
from hpd import _native
from hpd.cli import main
from hpd.errors import InvalidDataError, OptionError
from hpd.models.model_files import bundled_model
from hpd.options import Options
from hpd.pipeline.compiled_schema import CompiledSchema, Request
from hpd.pipeline.document_values import MAX_RETRIES, DocumentValues
from hpd.pipeline.prompts import FieldsPrompt
from hpd.prompt.text import Labels, key_text
from hpd.results import FieldValue
from hpd.schema import load_schema
from jsonl import read_lines, write_texts
from small_extractor import SmallExtractor, extracted

EXACT = {**shop.EXACT, "max_tokens": 12, "n_ctx": 2048}


class Picky(BaseModel):
    """Refuses all brands."""

    brand: str
    size: bool | None

    @field_validator("brand")
    @classmethod
    def refuse(cls, brand):
        raise ValueError(f"no brand has {len(brand)} letters")


class Followed(BaseModel):
    """Refuses all brands; others come after the brand, and after one another."""

    brand: str
    line: str | None = Field(json_schema_extra={"depends_on": ["brand"]})
    made_in: str | None = Field(json_schema_extra={"depends_on": ["line"]})
    tags: list[str] = Field([], json_schema_extra={"depends_on": ["brand"]})

    @field_validator("brand")
    @classmethod
    def refuse(cls, brand):
        raise ValueError("another brand")


class Torn(BaseModel):
    """Refuses itself as a whole."""

    brand: str | None
    size: int | None

    @model_validator(mode="after")
    def refuse(self):
        raise ValueError("brand and size do not go together")


@dataclass
class Asked:
    """A request, with the texts of its keys."""

    request: Request
    keys: list[str]


@pytest.fixture
def asked(monkeypatch):
    """The requests of the test, in their order."""
    noted, made = [], {}
    make, first = CompiledSchema.request, FieldsPrompt.first_request
    following = FieldsPrompt.next_request

    def making(schema, texts, questions, **named):
        request = make(schema, texts, questions, **named)
        made[id(request)] = Asked(request, [question.key for question in questions])
        return request

    def noting(request):
        # Some are only made to see whether they are too long.
        if id(request) in made:
            noted.append(made.pop(id(request)))
        return request

    monkeypatch.setattr(CompiledSchema, "request", making)
    monkeypatch.setattr(FieldsPrompt, "first_request", lambda prompt: noting(first(prompt)))
    monkeypatch.setattr(
        FieldsPrompt, "next_request", lambda prompt, answer: noting(following(prompt, answer))
    )
    return noted


def alone(path, request):
    """The reference: the value of each field, decoded by itself in an engine of its own."""
    model = open_model(path)
    for field in request.fields:
        engine = _native.Engine(model, engine_options(drafts=False))
        engine.submit(0, list(request.prompt), [field], n_instruction=0)
        results = []
        while not engine.idle:
            results += engine.step()
        yield results[0].values[0]


def shown(text):
    """A refused value as a key shows it: without the mark at the start of one that breaks off."""
    if text.raw == " null":
        return None, "a value is required"
    try:
        return json.loads(text.raw), text.error
    except ValueError:
        return text.raw.strip()[1:], text.error


@pytest.mark.parametrize("layout", ["branch", "skeleton", "label"])
def test_a_refused_value_is_asked_again_with_the_reason(model, asked, layout):
    settings = {**EXACT, "layout": layout, "on_invalid": "retry"}
    with SmallExtractor(Picky, model, **settings) as extractor:
        asked.clear()  # of the check that there is room for documents
        (extraction,) = extractor.extract_many(["Nike shoe, 44"], on_error="record")
        native = extractor.native_model
        brand = extraction.fields["brand"]
        assert len(brand.rejected) == MAX_RETRIES
        assert not extraction.fields["size"].rejected
        first, *again = asked
        assert [len(each.keys) for each in again] == [1] * MAX_RETRIES
        # Each key shows what was refused so far, and the prompt is the first one.
        labels = Labels(load_schema(Picky))
        for n, each in enumerate(again, start=1):
            refused = [shown(text) for text in brand.rejected[:n]]
            assert each.keys == [
                labels.key((), ("brand",), None, refused)
                if layout == "label"
                else key_text(("brand",), None, refused)
            ]
            assert all(reason in each.keys[0] for _, reason in refused)
            assert each.request.prompt == first.request.prompt
            assert each.request.n_cached == len(first.request.prompt)
            key = b"".join(native.piece(t) for t in each.request.fields[0].key).decode()
            assert each.keys[0].endswith(key)
    # What the engine decoded after each key is what it would have said alone.
    texts = [*(text.raw for text in brand.rejected), brand.raw]
    place = [key.endswith(('"brand":', "A")) for key in first.keys].index(True)
    for n, (each, text) in enumerate(zip([first, *again], texts, strict=True)):
        values = list(alone(model, each.request))
        assert values[place if n == 0 else 0].text.decode("utf-8", "replace") == text


def test_what_comes_after_a_value_that_is_asked_again_sees_the_last_one(tiny_model, asked):
    model = tiny_model("qwen3", seed=2)
    settings = {**EXACT, "on_invalid": "retry", "lists": "numbers"}
    with SmallExtractor(Followed, model, **settings) as extractor:
        asked.clear()
        (extraction,) = extractor.extract_many(["Nike shoe, 44"], on_error="record")
    fields = extraction.fields
    texts = [text.raw for text in fields["brand"].rejected]
    assert len({*texts, fields["brand"].raw}) == 1 + MAX_RETRIES
    followers = ((("line",), "brand"), (("made_in",), "line"), (("tags", "count"), "brand"))
    for path, seen in followers:
        last = [each for each in asked if any(_asks(key, path) for key in each.keys)][-1]
        (place,) = [n for n, key in enumerate(last.keys) if _asks(key, path)]
        assert last.keys[place] == key_text(path, {(seen,): fields[seen].value})
        # Whichever wave asks, the prompt is still there.
        assert last.request.n_cached == len(asked[0].request.prompt)
        if ".".join(path) in fields:
            value = list(alone(model, last.request))[place]
            assert value.text.decode("utf-8", "replace") == fields[".".join(path)].raw
    assert not fields["line"].rejected


def _asks(key, path):
    """Whether a key is that of a path, whatever values it shows."""
    return key.endswith(key_text(path).removeprefix("{"))


def test_the_extraction_tells_what_was_refused(model):
    with SmallExtractor(Picky, model, **EXACT, on_invalid="retry") as extractor:
        with pytest.raises(InvalidDataError, match="brand: "):
            extractor.extract("Nike shoe, 44")
        (extraction,) = extractor.extract_many(["Nike shoe, 44"], on_error="record")
    assert extraction.data is None
    line = extraction.to_dict()
    assert line["data"] == extraction.error.data
    refused = line["fields"]["brand"]["rejected"]
    assert [set(each) for each in refused] == [{"raw", "error"}] * MAX_RETRIES
    assert line["error"]["message"].startswith("brand: ")


def test_a_value_that_is_right_at_last_leaves_no_error(model, monkeypatch):
    """The class changes its mind after the first answer, as a model would."""
    seen = []

    class Lenient(BaseModel):
        brand: str | None

        @field_validator("brand")
        @classmethod
        def refuse_once(cls, brand: str | None) -> str | None:
            seen.append(brand)
            if len(seen) == 1:
                raise ValueError("not this one")
            return brand

    (extraction,) = extracted(Lenient, model, ["Nike shoe"], **EXACT, on_invalid="retry")
    assert isinstance(extraction.data, Lenient)
    assert extraction.error is None
    (refused,) = extraction.fields["brand"].rejected
    assert "not this one" in refused.error


def test_a_fault_of_the_whole_asks_for_all_its_fields(model, asked):
    with SmallExtractor(Torn, model, **EXACT, on_invalid="retry") as extractor:
        asked.clear()
        (extraction,) = extractor.extract_many(["Nike shoe"], on_error="record")
    assert [len(each.keys) for each in asked] == [2, 2, 2]
    assert all("do not go together" in key for each in asked[1:] for key in each.keys)
    assert all(
        len(field.rejected) == MAX_RETRIES for field in extraction.fields.values() if field.raw
    )


@pytest.mark.parametrize("on_invalid", ["raise", "record"])
def test_otherwise_nothing_is_asked_again(model, asked, on_invalid):
    with SmallExtractor(Picky, model, **EXACT, on_invalid=on_invalid) as extractor:
        asked.clear()
        (extraction,) = extractor.extract_many(["Nike shoe"], on_error="record")
    assert len(asked) == 1
    assert extraction.error is not None
    assert "rejected" not in json.dumps(extraction.to_dict()["fields"])


@pytest.mark.parametrize(
    ("schema", "values", "expected"),
    [
        ("size int", {("size",): FieldValue(error="a whole number is expected")}, {("size",)}),
        ("size int!", {("size",): FieldValue()}, {("size",)}),
        ("size int!, color", {("size",): FieldValue(value=3), ("color",): FieldValue()}, set()),
        ("maker {name!, city}", {("maker", "name"): FieldValue()}, set()),
        (
            "lines [{what!, qty int}]",
            {
                ("lines", "count"): FieldValue(value=2),
                ("lines", "1", "what"): FieldValue(value="shoe"),
                ("lines", "1", "qty"): FieldValue(error="a whole number is expected"),
                ("lines", "2", "what"): FieldValue(error="cut off after 4 tokens"),
                ("lines", "2", "qty"): FieldValue(value=2),
            },
            {("lines", "1", "qty"), ("lines", "2", "what")},
        ),
        (
            {"properties": {"tags": {"type": "array", "items": {"type": "string"}, "minItems": 2}}},
            {("tags", "count"): FieldValue(value=1), ("tags", "1"): FieldValue(value="a")},
            {("tags", "count")},
        ),
        (
            "tags [str]",
            {
                ("tags", "count"): FieldValue(error="it is not valid JSON"),
                ("tags", "1"): FieldValue(value="a"),
            },
            {("tags", "count")},
        ),
    ],
)
def test_the_fields_to_blame(schema, values, expected):
    results = {path: FieldValue(value=p.value, error=p.error) for path, p in values.items()}
    own = DocumentValues(results)
    faults = own.faults(load_schema(schema))
    assert faults.keys() == expected
    assert all(faults.values())
    parts = own.faults(load_schema(schema), is_chunk=True)
    assert parts == {p: v.error for p, v in values.items() if v.error}


def test_the_room_for_it_is_kept(model):
    """However long the document is that fits, its fields can be asked again."""
    settings = {**EXACT, "n_ctx": 1024, "on_overflow": "truncate", "on_invalid": "retry"}
    (extraction,) = extracted(
        Picky, model, ["Nike shoe, 44. " * 400], **settings, on_error="record"
    )
    assert extraction.truncated_at is not None
    assert len(extraction.fields["brand"].rejected) == MAX_RETRIES


def test_chunks_ask_again_for_what_is_malformed(model, asked):
    text = " ".join(f"word{n}" for n in range(400))
    settings = {**EXACT, "n_ctx": 1024, "on_overflow": "chunk", "on_invalid": "retry"}
    schema = {"properties": {"code": {"type": "string", "maxLength": 3}}, "required": ["code"]}
    (extraction,) = extracted(
        schema, model, [text], **{**settings, "max_tokens": 3}, on_error="record"
    )
    assert extraction.usage.n_chunks > 1
    again = [key for each in asked for key in each.keys if "wrong because" in key]
    assert not any("a value is required" in key for key in again)
    if extraction.fields["code"].error == "cut off after 3 tokens":
        assert len(extraction.fields["code"].rejected) == MAX_RETRIES


def test_one_answer_for_all_cannot_be_asked_again():
    with pytest.raises(
        OptionError, match=r"on_invalid \(--on-invalid\) 'retry' cannot be combined"
    ):
        Options(method="ar", on_invalid="retry")


def test_the_same_twice(model):
    settings = {**EXACT, "on_invalid": "retry", "deterministic": True, "in_flight": 2}
    lines = []
    for order in (1, -1):
        with SmallExtractor(Picky, model, **settings) as extractor:
            documents = ["Nike shoe", "Diesel sneaker", "Tavola pan"][::order]
            found = list(extractor.extract_many(documents, on_error="record"))
        lines.append(sorted(json.dumps(each.to_dict()["fields"]) for each in found))
    assert lines[0] == lines[1]


def test_on_the_command_line(tmp_path, model, capfd):
    source = write_texts(tmp_path / "in.jsonl", "Nike shoe", "Diesel")
    schema = {"properties": {"code": {"type": "string", "multipleOf": 3, "maxLength": 2}}}
    command = ["extract", str(source), "--schema", json.dumps(schema), "-m", str(model), "-t", "1"]
    command += ["--max-tokens", "2"]
    code = main([*command, "--on-invalid", "retry"])
    out, err = capfd.readouterr()
    fields = [line["fields"]["code"] for line in read_lines(out)]
    n_again = sum("rejected" in field for field in fields)
    assert code == 0
    assert (f"{n_again} value" in err and "asked again" in err) == (n_again > 0)
    assert n_again == sum("error" in field for field in fields)


@pytest.mark.parametrize(("n", "error"), [(1, "after 1 token"), (2, "after 2 tokens")])
def test_a_value_that_was_cut_off_says_where(n, error):
    schema = {"properties": {"code": {"type": "string", "pattern": "^[a-z]{3,9}$"}}}
    settings = {**EXACT, "max_tokens": n, "on_invalid": "record"}
    text = "Nordvik lamp of 2024-05-17, code abcdef"
    (extraction,) = extracted(schema, bundled_model(), [text], **settings)
    assert extraction.fields["code"].error == f"cut off {error}"
