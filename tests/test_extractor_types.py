"""Every type and every limit: whatever a model says, the result parses, validates, and is grounded
where it says so."""

from __future__ import annotations

import json
import os
import random
import re
from datetime import date, datetime
from decimal import Decimal
from typing import Annotated, Literal

import jsonschema
import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st
from pydantic import BaseModel, Field
from rapidfuzz import fuzz

import strategies
from hpd.documents import Document
from hpd.errors import ContextOverflowError
from hpd.extractor import Extractor
from hpd.options import Options
from hpd.schema import check, load_schema, to_json_schema
from hpd.values.grounding import normalized_text
from nightly import nightly
from small_extractor import extracted

N_DOCUMENTS = int(os.environ.get("HPD_TEST_DOCUMENTS", "40"))
"""Documents under the schema with every type; the figure to go by is 1000."""

FORMATS = jsonschema.FormatChecker({*jsonschema.FormatChecker.checkers} - {"date-time", "time"})
"""A time may lack its zone, as it does in many documents."""


class Address(BaseModel):
    street: str | None = None
    zip: Annotated[str, Field(pattern=r"^[0-9]{4,5}$")] | None = None
    city: str | None = None


class Line(BaseModel):
    what: str
    qty: Annotated[int, Field(ge=0, le=99)] | None = None
    price: Annotated[Decimal, Field(ge=0)] | None = None
    notes: list[str] = []


class Everything(BaseModel):
    """Every type, every limit."""

    name: str | None = None
    code: Annotated[str, Field(pattern=r"^[A-Z]{2}-[0-9]{3}$")] | None = None
    short: Annotated[str, Field(min_length=2, max_length=8)] | None = None
    uuid: Annotated[str, Field(json_schema_extra={"format": "uuid"})] | None = None
    email: Annotated[str, Field(json_schema_extra={"format": "email"})] | None = None
    ipv4: Annotated[str, Field(json_schema_extra={"format": "ipv4"})] | None = None
    time: Annotated[str, Field(json_schema_extra={"format": "time"})] | None = None
    size: int | None = None
    rating: Annotated[int, Field(ge=1, le=5)] | None = None
    weight: float | None = None
    share: Annotated[float, Field(gt=0, lt=1)] | None = None
    price: Annotated[float, Field(ge=0, multiple_of=0.01)] | None = None
    is_new: bool | None = None
    color: Literal["red", "blue", "dark green"] | None = None
    level: Literal[1, 2, 3] | None = None
    made: date | None = None
    sent: datetime | None = None
    address: Address | None = None
    tags: list[str] | None = None
    sizes: Annotated[list[Annotated[int, Field(ge=30, le=50)]], Field(max_length=4)] | None = None
    colors: list[Literal["red", "blue"]] | None = Field(
        None, json_schema_extra={"uniqueItems": True}
    )
    lines: Annotated[list[Line], Field(max_length=3)] | None = None
    why: str | None = Field(None, json_schema_extra={"depends_on": ["name", "tags"]})


def exact(document):
    """With decimal numbers: as floats, 17.9 is no multiple of 0.01."""
    return json.loads(json.dumps(document), parse_float=Decimal)


def validate(schema, extraction):
    """The line obeys the schema, but for what it says itself."""
    line = json.loads(extraction.to_json())
    errors = {place for place, field in line["fields"].items() if "error" in field}
    validator = jsonschema.Draft202012Validator(
        exact(to_json_schema(schema)), format_checker=FORMATS
    )
    for problem in validator.iter_errors(exact(line["data"])):
        place = ""
        for step in problem.absolute_path:
            place += f"[{step}]" if isinstance(step, int) else f".{step}" if place else str(step)
        assert any(
            error == place or error.startswith((f"{place}.", f"{place}[")) or not place
            for error in errors
        ), f"{problem.message} at {place!r}, but errors are told of {sorted(errors)}: {line}"


def check_spans(text, extraction):
    """Each span holds what its kind of match says."""
    for path, field in extraction.fields.items():
        if field.match is None or field.value is None:
            continue
        if field.match == "none":
            assert (field.start, field.end) == (None, None), path
            continue
        assert 0 <= field.start < field.end <= len(text)
        held, value = text[field.start : field.end], field.value
        if isinstance(value, bool):
            value = "true" if value else "false"
        if isinstance(value, int | float):
            assert any(char.isnumeric() for char in held) or field.match == "normalized"
            if field.match == "exact":
                assert float(held) == value
        elif field.match == "exact":
            assert held == value.strip()
        elif field.match == "normalized":
            same = normalized_text(held) == normalized_text(value)
            assert same or re.match(r"\d{4}-\d\d-\d\d", value)
        else:
            assert fuzz.ratio(normalized_text(held), normalized_text(value)) >= 85
        assert 0 <= (field.confidence or 0) <= 1


# --- schemas and documents that Hypothesis makes ---------------------------------------------


@strategies.part_of_examples(0.4, suppress_health_check=[HealthCheck.too_slow])
@given(
    strategies.schemas(),
    st.lists(strategies.documents, min_size=1, max_size=3),
    st.sampled_from([{}, {}, {"stack": 2}, {"method": "ar"}, {"layout": "skeleton"},
                     {"layout": "label"},
                     {"require_grounding": True}, {"null_threshold": 0.1}]),
)  # fmt: skip
def test_whatever_is_asked_the_result_validates_and_is_grounded(
    tiny_model, schema, documents, changed
):
    settings = {"n_ctx": 8192, "max_tokens": 24, **changed}
    try:
        found = extracted(
            check(schema), tiny_model("qwen3"), documents, **settings, on_error="record"
        )
    except ContextOverflowError:
        if changed != {"method": "ar"}:
            raise
        return  # Of arrays in arrays, the whole answer may be longer than the context.
    assert len(found) == len(documents)
    for text, extraction in zip(documents, found, strict=True):
        if extraction.data is None:
            # Of arrays in arrays, the whole answer may be longer than the context.
            assert changed == {"method": "ar"}, extraction.error
            assert "tokens over" in extraction.error.message
            continue
        validate(schema, extraction)
        check_spans(text, extraction)


# --- one schema with every type, many documents ----------------------------------------------


def nonsense(n, seed=0):
    """Documents of words, numbers, days and signs of all kinds."""
    words = re.findall(
        r"\S+|\s{2,}",
        "Nike red blue 44 1,299.00 3.5 2024-01-03 3 January 2024 12:30 AB-123 ﬁne café 日本語 👍🏽 "
        'e\u0301 a@b.com 10.0.0.1 true null " \\ { } [ ] : , <|im_end|> \t \n 0.5 -7 1e9 ½ ß',
    )
    chance = random.Random(seed)
    for _ in range(n):
        yield " ".join(chance.choice(words) for _ in range(chance.randrange(0, 30)))


@pytest.mark.parametrize("kind", ["qwen3", *nightly("llama-spm")])
def test_every_line_validates_under_every_type(tiny_model, kind, monkeypatch):
    """Half of them greedily, and half so hot that the constraints are all that holds it."""
    # A model with random weights rules out every choice, and would write nothing that has a form.
    for name in ("MIN_PROBABILITY", "MIN_ALLOWED_SHARE", "MIN_CHOICE_SHARE"):
        monkeypatch.setattr(f"hpd.pipeline.compiled_schema.{name}", 0.0)
    schema = load_schema(Everything)
    texts = list(nonsense(N_DOCUMENTS if kind == "qwen3" else N_DOCUMENTS // 4))
    documents = [Document(text, id=n) for n, text in enumerate(texts)]
    plain = jsonschema.Draft202012Validator(exact(to_json_schema(schema)), format_checker=FORMATS)
    n_values = {}
    hot = {"temperature": 4.0, "top_k": 0, "top_p": 1.0, "min_p": 0.0}
    half = len(documents) // 2
    found = []
    for part, sampling in ((documents[:half], {}), (documents[half:], hot)):
        options = Options(max_tokens=24, in_flight=8, n_threads=1, null_threshold=0.0, **sampling)
        with Extractor(schema, tiny_model(kind), options=options) as extractor:
            found += extractor.extract_many(part)
    assert [extraction.id for extraction in found] == list(range(len(texts)))
    for text, extraction in zip(texts, found, strict=True):
        line = json.loads(extraction.to_json())
        # Everything may be null, so nothing is excused.
        plain.validate(exact(line["data"]))
        Everything.model_validate(line["data"])
        assert isinstance(extraction.data, Everything), line
        check_spans(text, extraction)
        for name, value in line["data"].items():
            n_values[name] = n_values.get(name, 0) + (value not in (None, []))
    # It talks nonsense, but it talks: only what no grammar leads to (an address), or that chance
    # rarely meets (a day, a number between limits) stays away.
    silent = [name for name, n in n_values.items() if not n]
    assert len(silent) <= len(n_values) // 2, silent
