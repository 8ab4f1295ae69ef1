"""Schemas that leave no room for a document: they are asked in parts."""

import pytest

from hpd import ContextOverflowError
from hpd.pipeline.schema_parts import partial_answer, split_schema
from hpd.schema import load_schema
from small_extractor import SmallExtractor, give_answers

N = 60
NAMES = [f"part{n}" for n in range(N)]
FLAT = {"properties": {name: {"type": "string", "description": "as stated"} for name in NAMES}}
NESTED = {"properties": {"form": {**FLAT, "type": "object"}, "sum": {"type": "integer"}}}
TEXT = " ".join(f"{name} value{n}" for n, name in enumerate(NAMES[:20]))
FOUND = {name: f"value{n}" if n < 20 else None for n, name in enumerate(NAMES)}


@pytest.fixture(scope="module")
def model(tiny_model):
    return tiny_model("qwen3", n_ctx_train=4096)


@pytest.mark.parametrize(
    ("schema", "answer", "settings"),
    [
        (FLAT, FOUND, {"max_tokens": 8}),
        (NESTED, {"form": FOUND, "sum": 5}, {"max_tokens": 8}),
        (FLAT, dict.fromkeys(NAMES), {"max_tokens": 600, "method": "ar"}),
    ],
    ids=["flat", "deep", "ar"],
)
def test_the_values_of_all_parts_are_those_of_one_prompt(schema, answer, settings, model):
    found = []
    for n_ctx in (8192, 768 + settings["max_tokens"]):
        settings |= {"answers": {TEXT: answer, "x": answer}, "n_ctx": n_ctx}
        with SmallExtractor(schema, model, **settings) as extractor:
            found.append(list(extractor.extract_many([TEXT, "x"], on_error="record")))
    for one, other in zip(*found, strict=True):
        assert one.error is None
        assert other.data == one.data
        assert list(other.fields) == list(one.fields)
        assert [f.start for f in other.fields.values()] == [f.start for f in one.fields.values()]
        assert other.usage.prompt_tokens != one.usage.prompt_tokens
        assert other.usage.n_chunks == 1


def test_a_list_that_leaves_no_room_is_named(model):
    schema = {"properties": {"sum": {}, "rows": {"items": FLAT}}}
    with pytest.raises(ContextOverflowError, match="fewer attributes in the list 'rows' "):
        SmallExtractor(schema, model, n_ctx=900, max_tokens=8)


def test_checks_compare_the_data_of_all_parts(model):
    checks = {"checks": ["part1 == part59", "part1 == 'value1'"], **FLAT}
    with SmallExtractor(checks, model, n_ctx=900, max_tokens=8, answers={TEXT: FOUND}) as extractor:
        found = extractor.extract(TEXT)
    assert [check.check for check in found.checks] == ["part1 == part59"]


def test_long_documents_are_cut_for_each_part(model):
    text = TEXT + " and so on" * 300
    settings = {"n_ctx": 900, "max_tokens": 8}
    with SmallExtractor(FLAT, model, on_overflow="chunk", **settings) as extractor:
        give_answers(extractor, lambda _: FOUND)
        assert extractor.extract(text).data == {n: v for n, v in FOUND.items() if v}
    with SmallExtractor(FLAT, model, answers={TEXT: FOUND}, **settings) as extractor:
        first, failed, last = extractor.extract_many([TEXT, text, TEXT], on_error="record")
    assert isinstance(failed.error.exception, ContextOverflowError)
    assert first.data == last.data


def test_what_cannot_be_split_is_refused(model):
    rows = {"properties": {"rows": {"type": "array", "items": {"type": "object", **FLAT}}}}
    with pytest.raises(ContextOverflowError, match="leaves none of the context of 768"):
        SmallExtractor(rows, model, n_ctx=768, max_tokens=8)


def test_halves_keep_together_what_depends_on_each_other():
    schema = load_schema("a, b, c after a, d after c, e")
    names = [[attribute.name for attribute in half] for half in split_schema(schema)]
    assert names == [["a", "c", "d"], ["b", "e"]]
    assert split_schema(load_schema("a")) == []
    assert split_schema(load_schema({"type": "array", "items": {"type": "string"}})) == []


def test_examples_show_only_the_part():
    schema = load_schema({"properties": {"a": {"properties": {"x": {}, "y": {}}}}})
    (first, _) = split_schema(schema)
    assert partial_answer(first.attributes, {"a": {"x": 1, "y": 2}, "b": 3}) == {"a": {"x": 1}}
    assert partial_answer(first.attributes, {"a": None}) == {"a": None}
