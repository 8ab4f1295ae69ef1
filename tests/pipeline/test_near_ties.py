"""Near ties are marked: whatever company may change about a value, its field says so."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import pytest

from company import SCHEMA, titles
from hpd import _native
from hpd.options import Options
from hpd.pipeline.chunking import merge_chunks
from hpd.pipeline.compiled_schema import CompiledSchema
from hpd.pipeline.document_values import ConfidenceLimits, DocumentValues
from hpd.pipeline.prompts import FieldsPrompt
from hpd.prompt.questions import Leaf
from hpd.prompt.text import COUNT_KEY
from hpd.results import Extraction, FieldValue, Usage
from hpd.schema import load_schema
from hpd.schema.attributes import Attribute
from small_extractor import SmallExtractor

TITLES = titles(16)
ALONE = {"in_flight": 1, "drafts": False}
COMPANY = [{}, {"in_flight": 5, "drafts": False}, {"n_batch": 64, "n_ubatch": 64}]
OTHER_KERNELS = [{"cpu_attention": False}, {"flash_attn": "off"}]


@dataclass
class Run:
    """The extractions of all titles, and the margins of each value's tokens."""

    extractions: list[Extraction] = field(default_factory=list)
    values: dict[tuple[Any, ...], tuple[list[int], list[float]]] = field(default_factory=dict)


@cache
def run(settings):
    made = Run()
    make, take = CompiledSchema.request, FieldsPrompt.next_request
    asked = {}

    def noting_questions(schema, texts, questions, **named):
        asked[tuple(texts)] = questions
        return make(schema, texts, questions, **named)

    def noting_values(prompt, answer):
        questions = asked.pop(tuple(document.text for _, document in prompt.documents))
        for question, value in zip(questions, answer.values, strict=True):
            key = (prompt.documents[0][0], question.leaf.path, question.key)
            made.values[key] = (value.tokens, value.margins)
        return take(prompt, answer)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(CompiledSchema, "request", noting_questions)
        patch.setattr(FieldsPrompt, "next_request", noting_values)
        with SmallExtractor(SCHEMA, None, **json.loads(settings)) as extractor:
            made.extractions += extractor.extract_many(TITLES)
    return made


def pairs(settings):
    """The extractions of each title alone, and with other settings."""
    runs = [run(json.dumps(each)) for each in (ALONE, settings)]
    return zip(runs[0].extractions, runs[1].extractions, strict=True)


def marked(extraction, place):
    """Whether a field, or an array in which it is, is a near tie."""
    above = [place[:i] for i, letter in enumerate(place) if letter == "["]
    results = [extraction.fields.get(name) for name in (place, *above)]
    return any(result is not None and result.near_tie for result in results)


def differing(one, other):
    for place in {**one.fields, **other.fields}:
        values = [e.fields[place].value if place in e.fields else None for e in (one, other)]
        if values[0] != values[1]:
            yield place


@pytest.mark.parametrize("settings", COMPANY, ids=str)
def test_a_value_that_company_changes_is_a_near_tie(settings):
    for one, other in pairs(settings):
        for place in differing(one, other):
            for extraction in (one, other):
                assert place not in extraction.fields or marked(extraction, place), (one, other)
            assert marked(one, place) or marked(other, place)


@pytest.mark.parametrize("settings", OTHER_KERNELS, ids=str)
def test_a_value_that_other_kernels_change_is_a_near_tie_of_one_of_them(settings):
    """Kernels differ by more than company does, so one of the margins may be above the bound."""
    for one, other in pairs(settings):
        for place in differing(one, other):
            assert marked(one, place) or marked(other, place), (place, one, other)


def test_company_moves_margins_by_less_than_a_near_tie():
    """The measurement behind near_tie_margin, for the small model."""
    moved = []
    for settings in COMPANY:
        other = run(json.dumps(settings)).values
        for key, (tokens, before) in run(json.dumps(ALONE)).values.items():
            again, now = other.get(key, ([], []))
            for i, token in enumerate(tokens[: len(again)]):
                if token != again[i]:
                    break
                # Far above the bound, only the bound may be known.
                one, two = (min(margin, 1.0) for margin in (before[i], now[i]))
                moved.append(abs(one - two))
    assert len(moved) > 1000
    assert 0.0 < max(moved) < _native.near_tie_margin()


def test_in_an_answer_written_token_after_token_a_near_tie_reaches_all_that_follows():
    # A threshold decides after the whole answer is written, so that no other value follows from it.
    settings = {"method": "ar", "null_threshold": 0}
    with SmallExtractor("brand, color, size, material", None, **settings) as extractor:
        all_margins = [
            [result.margin for result in extraction.fields.values()]
            for extraction in extractor.extract_many(TITLES)
        ]
    assert any(margin is not None for margins in all_margins for margin in margins)
    for margins in all_margins:
        known = [1.0 if margin is None else margin for margin in margins]
        assert known == sorted(known, reverse=True)


def near(margin, confidence=0.5, value="x"):
    return FieldValue(confidence, raw=' "x"', value=value, margin=margin)


def text(name):
    return Attribute(name, "string")


def test_a_value_inherits_the_margins_of_what_it_sees():
    values = DocumentValues(
        fields={
            ("tags", COUNT_KEY): near(0.1),
            ("tags", "1"): near(0.05),
            ("color",): near(0.02),
            ("brand",): near(0.01),
        }
    )
    assert values.inherited_margin(Leaf(("size",), text("size"))) is None
    assert values.inherited_margin(Leaf(("tags", "2"), text("tags"))) == 0.1
    assert values.inherited_margin(Leaf(("line",), text("line"), after=(("color",),))) == 0.02
    assert values.inherited_margin(Leaf(("line",), text("line"), after=(("tags",),))) == 0.05


def test_an_array_tells_of_items_that_were_left_out():
    schema = load_schema("tags [str]")
    values = DocumentValues(
        fields={
            ("tags", COUNT_KEY): near(None, value=2),
            ("tags", "1"): near(None, value="a"),
            ("tags", "2"): near(0.03, value=None),
        }
    )
    extraction = values.extraction(schema, None, Usage(), Options(on_invalid="record"))
    assert extraction.data == {"tags": ["a"]}
    assert {path: f.margin for path, f in extraction.fields.items()} == {
        "tags": 0.03,
        "tags[0]": None,
    }
    assert extraction.n_near_ties == 1


@pytest.mark.parametrize(
    ("confidence", "is_near"), [(0.5, True), (0.47, True), (0.9, False), (0.2, False)]
)
def test_a_value_near_the_threshold_below_which_it_is_null_is_a_near_tie(confidence, is_near):
    values = DocumentValues()
    values.store(("a",), text("a"), near(None, confidence), ConfidenceLimits(0.5, 0.5))
    assert values.fields[("a",)].near_tie == is_near


def test_chunks_whose_values_are_as_good_are_near_ties():
    schema = load_schema("brand")

    def chunk(value, confidence, margin=None):
        path = ("brand",)
        return DocumentValues({path: near(margin, confidence, value)})

    def margin(*parts):
        return merge_chunks(schema, parts).fields[("brand",)].margin

    assert margin(chunk("Nike", 0.9), chunk("Puma", 0.3)) is None
    assert margin(chunk("Nike", 0.9), chunk("Puma", 0.88)) == pytest.approx(0.0225, abs=1e-3)
    assert margin(chunk("Nike", 0.9), chunk("Nike", 0.88)) is None
    assert margin(chunk("Nike", 0.9), chunk("Puma", 0.3, 0.04)) == 0.04


def test_near_ties_are_in_the_line_of_output():
    result = FieldValue(0.5, match="none", value="x", margin=0.01234)
    assert result.to_dict() == {
        "confidence": 0.5,
        "match": "none",
        "near_tie": True,
        "margin": 0.0123,
    }
    assert "near_tie" not in FieldValue(0.5, match="none", value="x").to_dict()
