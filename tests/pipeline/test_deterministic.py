"""Deterministic: a document's result is the same bits, whatever came before it and beside it."""

import random
from dataclasses import replace
from functools import cache

import pytest

from company import SCHEMA, titles
from decoding import engine_options, make_requests, open_model
from decoding import run as run_engine
from hpd import _native
from hpd.documents import Document
from hpd.schema import load_schema
from nightly import nightly
from reference import Reference
from small_extractor import SmallExtractor

TITLES = titles(57)
# Each of the last ones is there three times, side by side.
DOCUMENTS = [
    Document(title, str(i))
    for i, title in enumerate([*TITLES, *[TITLES[-1]] * 2, *[TITLES[0]] * 2])
]
FEW = DOCUMENTS[:12]


def without_timings(extractions):
    """The extractions by their ids; floats are compared bit by bit."""
    return {e.id: replace(e, usage=replace(e.usage, seconds=0.0)) for e in extractions}


def extract(documents, **settings):
    settings = {"deterministic": True} | settings
    with SmallExtractor(SCHEMA, None, **settings) as extractor:
        return without_timings(list(extractor.extract_many(documents)))


def shuffled(documents):
    return random.Random(7).sample(documents, len(documents))


@cache
def undisturbed():
    return extract(DOCUMENTS)


def test_the_titles_have_values_in_several_waves():
    values = undisturbed().values()
    assert any(extraction.data["parts"] for extraction in values)
    assert len({len(extraction.fields) for extraction in values}) > 3
    assert any(extraction.usage.accepted_tokens for extraction in values if extraction.usage)


@pytest.mark.parametrize("settings", [{}, {"in_flight": 3}], ids=str)
def test_the_order_of_documents_changes_nothing(settings):
    assert extract(shuffled(DOCUMENTS), **settings) == undisturbed()


def test_shards_put_together_are_the_whole():
    shards = [DOCUMENTS[i::3] for i in range(3)]
    together = {}
    for shard in shards:
        together |= extract(shard)
    assert together == undisturbed()


def test_equal_documents_have_equal_results():
    for i, document in enumerate(DOCUMENTS):
        first = undisturbed()[str(TITLES.index(document.text))]
        assert replace(undisturbed()[str(i)], id=first.id) == first


def test_a_run_that_was_left_in_the_middle_leaves_no_trace():
    with SmallExtractor(SCHEMA, None, deterministic=True) as extractor:
        for n_taken in (1, 4, 6):
            left = extractor.iter_indexed(DOCUMENTS[20:])
            for _ in range(n_taken):
                next(left)
            left.close()
        again = without_timings(list(extractor.extract_many(FEW)))
    assert again == {document.id: undisturbed()[document.id] for document in FEW}


def test_other_schemas_in_between_change_nothing():
    schemas = {"a": load_schema(SCHEMA), "b": load_schema("name, price float, tags [str]")}
    mixed = [
        replace(document, category="ab"[i % 3 == 1]) for i, document in enumerate(DOCUMENTS[:24])
    ]
    with SmallExtractor(schemas, None, deterministic=True) as extractor:
        extractions = without_timings(list(extractor.extract_many(mixed)))
    for document in mixed:
        if document.category == "a":
            assert extractions[document.id] == undisturbed()[document.id]


@pytest.mark.parametrize(
    "settings",
    [
        {"cpu_attention": False},
        {"n_ctx": 288, "max_tokens": 64},
        {"temperature": 1.0, "seed": 3},
        *nightly(
            {"flash_attn": "off"},
            {"drafts": False},
            {"n_batch": 32, "n_ubatch": 16},
            {"layout": "skeleton"},
            {"n_threads": 2},
        ),
    ],
    ids=str,
)
def test_with_other_options_the_order_changes_nothing_either(settings):
    assert extract(shuffled(FEW), **settings) == extract(FEW, **settings)


def test_the_whole_answer_token_after_token():
    def answers(documents):
        with SmallExtractor(
            "brand, color, size", None, method="ar", deterministic=True
        ) as extractor:
            return without_timings(list(extractor.extract_many(documents)))

    assert answers(shuffled(FEW)) == answers(FEW)


def test_company_does_change_bits_otherwise():
    """Else the tests above would show nothing."""
    assert extract(shuffled(FEW), deterministic=False) != extract(FEW, deterministic=False)


@pytest.mark.parametrize("kind", ["qwen3", "gemma3", "mamba"])
def test_all_kinds_of_models(tiny_model, kind):
    path = tiny_model(kind)
    with Reference(path) as reference:
        requests = make_requests(reference, 8)
    model = open_model(path)

    def bits(order):
        engine = _native.Engine(model, engine_options(deterministic=True))
        results = run_engine(engine, [requests[i] for i in order])
        return {
            i: [(v.tokens, v.logprobs, v.margins) for v in result.values]
            for i, result in zip(order, results, strict=True)
        }

    assert bits([5, 2, 7, 0, 1, 6, 3, 4]) == bits(list(range(8)))
