"""``probabilities``: that of each value that a choice can have, beside the one that is chosen."""

import json
import math
from typing import Literal

import llama_cpp
import pytest
from pydantic import BaseModel

from hpd import Document, OptionError, Options, ValueOption, _native
from hpd.schema import load_schema
from hpd.values.choices import MAX_OPEN_SHARE
from reference import Reference
from scripted_model import ANY, Script, ScriptedAnswer, scripted_extractions
from small_extractor import SmallExtractor, extracted
from small_model import small_model
from vocabulary_models import SMALL, models

TEXTS = [
    "Diesel Men's Exposure High-Top Sneaker, Black",
    "Pinecrest leather wallet, brown, made in New York, 3 pockets. Sold out.",
    "Nothing at all",
]
PROPERTIES = {
    "color": {"enum": ["black", "brown", "blue", "light blue"]},
    "place": {"enum": ["New York", "New Jersey", "New Mexico"]},
    "sold_out": {"type": "boolean"},
    "pockets": {"enum": [1, 3, 30, "3"]},
    "brand": {"type": "string"},
}
SCHEMA = {"type": "object", "properties": PROPERTIES}
VALUES = {
    "color": ["black", "brown", "blue", "light blue", None],
    "place": ["New York", "New Jersey", "New Mexico", None],
    "sold_out": [True, False, None],
    "pockets": [1, 3, 30, "3", None],
}
EXACT = {"flash_attn": "off", "cache_type_k": "f32", "cache_type_v": "f32", "null_threshold": 0.0}


def named(options):
    """Probabilities by the text of the value, as 1, "1" and true are different."""
    return {json.dumps(own.value): own.probability for own in options}


def check(extraction):
    """Every choice has the probabilities of all of its values."""
    for name, values in VALUES.items():
        field = extraction.fields[name]
        found = named(field.options)
        assert found.keys() == {*map(json.dumps, values)}
        assert sum(found.values()) == pytest.approx(1, abs=2 * MAX_OPEN_SHARE)
        assert [*found.values()] == sorted(found.values(), reverse=True)
        if not field.nulled:
            assert found[json.dumps(field.value)] > field.confidence - 2e-3
    assert extraction.fields["brand"].options == ()


def test_each_choice_is_the_product_of_its_tokens(first_requests):
    path = small_model()
    settings = {"calibration": "none", **EXACT}
    with SmallExtractor(SCHEMA, path, probabilities=True, **settings) as extractor:
        found = extractor.extract(TEXTS[1])
        check(found)
        compiled = next(iter(extractor._pipeline._makers.values()))._compiled_schema
        leaves = {leaf.path[0]: leaf for leaf in compiled.leaves}
        given = {
            leaf.path[0]: [*first_requests[-1].prompt, *field.key]
            for leaf, field in zip(compiled.leaves, first_requests[-1].fields, strict=True)
        }
        ways = {
            name: [
                [*compiled._constraints._spellings(json.dumps(value))]
                for value in compiled.choices_of(leaves[name]).values
            ]
            for name in ("color", "place", "sold_out")
        }
        chosen = {name: found.fields[name] for name in ways}
    with Reference(path, kv_type=llama_cpp.GGML_TYPE_F32) as reference:
        for name in ways:
            expected = slow_probabilities(reference, given[name], ways[name])
            for option in chosen[name].options:
                own = expected[VALUES[name].index(option.value)]
                assert option.probability == pytest.approx(own, abs=5e-3), (name, option)
    for field in chosen.values():
        if not field.nulled:
            # Values are hardly ever written in another way than the likeliest.
            assert named(field.options)[json.dumps(field.value)] == pytest.approx(
                field.confidence, abs=1e-2
            )


def slow_probabilities(reference, given, ways):
    """Of each choice, the product of its tokens' shares, over all ways to write it.

    Args:
        reference: the model.
        given: the prompt and the key.
        ways: the tokens of each choice, in all ways to write it. Any token that begins with the
            closing quote of a choice may end it, too.
    """
    pieces = [reference.piece(token) for token in range(reference.n_vocab)]
    closing = [(token, piece) for token, piece in enumerate(pieces) if b'"' in piece]
    found = [0.0] * len(ways)

    def text_of(tokens):
        return b"".join(pieces[token] for token in tokens)

    def visit(tokens, probability):
        begun = [
            (number, way)
            for number, own in enumerate(ways)
            for way in {*own}
            if way[: len(tokens)] == tokens
        ]
        ends = {}
        for number, way in begun:
            rest = text_of(way[len(tokens) :])
            if rest.count(b'"') == 1 and len(way) - len(tokens) <= 3:
                rest = rest[: rest.index(b'"') + 1]
                for token, piece in closing:
                    behind = piece[len(rest) : len(rest) + 1]
                    if piece.startswith(rest) and not (behind.isalnum() or behind >= b"\x80"):
                        ends[token] = number
        nexts = {way[len(tokens)]: number for number, way in begun}
        llama_cpp.llama_memory_clear(llama_cpp.llama_get_memory(reference.context), True)
        row = reference.logits_after([*given, *tokens])
        weights = {token: math.exp(row[token] - row.max()) for token in {*nexts, *ends}}
        total = sum(weights.values())
        for token, weight in weights.items():
            own, p = (*tokens, token), probability * weight / total
            if token in ends or own in ways[nexts[token]]:
                found[ends.get(token, nexts.get(token))] += p
            elif p > 1e-5:
                visit(own, p)

    visit((), 1.0)
    return found


SETTINGS = [
    {},
    {"stack": 3},
    {"layout": "skeleton"},
    {"on_missing": "force"},
    {"on_invalid": "retry"},
    {"deterministic": True},
    {"temperature": 1.0},
    {"on_overflow": "chunk", "chunk_size": 12},
    {"drafts": False, "in_flight": 1},
]


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_all_values_of_a_choice_have_a_probability(settings):
    found = extracted(
        SCHEMA, small_model(), TEXTS, probabilities=True, on_error="record", **settings
    )
    for extraction in found:
        assert extraction.error is None
        check(extraction)


def test_the_values_are_those_without():
    with_, without = (
        extracted(SCHEMA, small_model(), TEXTS, probabilities=on, **EXACT) for on in (True, False)
    )
    for one, other in zip(with_, without, strict=True):
        assert one.data == other.data
        assert {*one.fields} == {*other.fields}
        for name, field in other.fields.items():
            assert field.options == ()
            assert one.fields[name].confidence == pytest.approx(field.confidence, abs=1e-3)


def test_forced_values_are_measured_beside_null():
    schema = {**SCHEMA, "required": ["color", "pockets"]}
    (found,) = extracted(schema, small_model(), TEXTS[2:], probabilities=True, on_missing="force")
    for name in ("color", "pockets"):
        assert found.fields[name].forced
        assert found.data[name] is not None
        assert "null" in named(found.fields[name].options)
    check(found)


def test_a_variant_is_chosen_by_its_name():
    class Card(BaseModel):
        card: str

    class Transfer(BaseModel):
        iban: str

    class Order(BaseModel):
        pay: Card | Transfer | None = None
        size: Literal["s", "m"] | None = None

    (found,) = extracted(Order, small_model(), ["Paid by card 1234"], probabilities=True)
    names = {option.value for option in found.fields["pay"].options}
    assert names == {"Card", "Transfer", None}


def test_items_of_rows_have_them(tmp_path):
    kind = {"enum": ["tea", "coffee"]}
    row = {"type": "object", "properties": {"name": {"type": "string"}, "kind": kind}}
    schema = {"properties": {"lines": {"type": "array", "items": row}}}
    answer = {"lines": [{"name": "Green tea", "kind": "tea"}, {"name": "Mocha", "kind": "coffee"}]}
    for lists in ("numbers", "names"):
        found = scripted(tmp_path, "merged", schema, answer, lists=lists)
        for n, own in enumerate(("tea", "coffee")):
            best, *others = found.fields[f"lines[{n}].kind"].options
            assert (best.value, best.probability > 0.99, len(others)) == (own, True, 2)


def scripted(tmp_path, name, schema, answer, **settings):
    """The extraction of a model with a certain vocabulary that writes an answer."""
    model = _native.Model([str(models(tmp_path)[name]())])
    try:
        (found,) = scripted_extractions(
            Script(model),
            load_schema(schema),
            [Document("a")],
            lambda _: ScriptedAnswer(answer, ANY),
            probabilities=True,
            null_threshold=0.0,
            **settings,
        )
    finally:
        model.close()
    return found


@pytest.mark.parametrize("kept", ["memory", "folder"])
def test_reused_values_keep_them(kept, tmp_path):
    settings = {"cache": str(tmp_path)} if kept == "folder" else {"dedupe": True}
    with SmallExtractor(SCHEMA, small_model(), probabilities=True, **settings) as extractor:
        first = extractor.extract(TEXTS[0])
        again = extractor.extract(TEXTS[0])
        check(again)
        assert again.usage.reused_values
        assert [f.options for f in again.fields.values()] == [
            f.options for f in first.fields.values()
        ]
    if kept == "folder":
        with SmallExtractor(SCHEMA, small_model(), **settings) as extractor:
            assert extractor.extract(TEXTS[0]).fields["color"].options == ()


def test_a_call_may_ask_for_them():
    with SmallExtractor(SCHEMA, small_model(), dedupe=True) as extractor:
        assert extractor.extract(TEXTS[0]).fields["color"].options == ()
        task = extractor.prepare(SCHEMA, probabilities=True)
        (_, found), *_ = extractor.iter_indexed([Document(TEXTS[0])], schema=task)
        check(found)


@pytest.mark.parametrize("name", SMALL)
def test_a_right_answer_has_all_of_it(name, tmp_path):
    answer = {"color": "light blue", "place": None, "sold_out": True, "pockets": 30, "brand": "A"}
    found = scripted(tmp_path, name, SCHEMA, answer)
    check(found)
    for key in VALUES:
        best = found.fields[key].options[0]
        assert (best.value, best.value is True) == (answer[key], answer[key] is True)
        assert best.probability > 0.99


def test_output_lines_have_them():
    (found,) = extracted(SCHEMA, small_model(), TEXTS[:1], probabilities=True)
    line = found.to_dict()["fields"]["sold_out"]["options"]
    assert [{*option} for option in line] == 3 * [{"value", "probability"}]
    assert {option["value"] for option in line} == {True, False, None}
    assert [option["probability"] for option in line] == [
        round(option.probability, 4) for option in found.fields["sold_out"].options
    ]
    assert isinstance(found.fields["sold_out"].options[0], ValueOption)


def test_calibration_leaves_them_as_they_are(tmp_path):
    half = {"any": [[0.0, 0.5]]}
    path = tmp_path / "half.json"
    path.write_text(json.dumps({"form": 1, "null_threshold": 0, "values": half, "nulls": half}))
    plain, calibrated = (
        extracted(SCHEMA, small_model(), TEXTS[:1], probabilities=True, calibration=how)[0]
        for how in ("none", str(path))
    )
    assert {field.confidence for field in calibrated.fields.values()} <= {0.5, None}
    assert any(field.uncalibrated for field in calibrated.fields.values())
    for name in VALUES:
        for one, other in zip(
            plain.fields[name].options, calibrated.fields[name].options, strict=True
        ):
            assert one.value == other.value
            assert one.probability == pytest.approx(other.probability, abs=1e-3)


def test_a_whole_answer_has_none():
    with pytest.raises(OptionError, match="cannot be combined with method"):
        Options(probabilities=True, method="ar")
