"""The extractor, end to end, on models of random weights.

Where a test needs to know what the model says, answers are put into its mouth: all logits are
computed as always, and then the known token is taken.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import math
import threading
from typing import Literal

import pytest
from pydantic import BaseModel, Field, field_validator

from hpd.documents import Document
from hpd.errors import ContextOverflowError, HpdError, InputError, InvalidDataError, OptionError
from hpd.pipeline.prompts import Prompt
from hpd.prompt.questions import Waves
from hpd.prompt.text import written_value
from shop import EXACT, TEXTS
from small_extractor import SmallExtractor as Extractor
from small_extractor import extracted

SCHEMA = "brand: the maker, color [red|blue|black]?, weight_g float?, tags [str]"


@pytest.fixture(scope="module")
def extractor(model):
    with Extractor(SCHEMA, model, max_tokens=24, **EXACT) as extractor:
        yield extractor


@pytest.fixture
def results(monkeypatch):
    """Every result of the engine, with the text of the (first) document that it is for."""
    found = []
    take = Prompt.next_request

    def noting(own, result):
        found.append((own.documents[0][1].text, result))
        return take(own, result)

    monkeypatch.setattr(Prompt, "next_request", noting)
    return found


def data_of(extractions):
    return [extraction.data for extraction in extractions]


# --- order, laziness, ids, categories, errors ------------------------------------------------


def test_each_document_gets_its_own_answer_in_the_order_given(extractor):
    documents = [Document(text, id=f"d{n}") for n, text in enumerate(TEXTS * 3)]
    found = list(extractor.extract_many(documents))
    assert [extraction.id for extraction in found] == [document.id for document in documents]
    assert all(extraction.error is None for extraction in found)
    assert len({json.dumps(data, sort_keys=True) for data in data_of(found)}) >= 4
    alone = [extractor.extract(text).data for text in TEXTS]
    assert data_of(found) == alone * 3


def test_each_extraction_carries_its_document(model):
    options = {"stack": 2, "on_overflow": "truncate", "n_ctx": 512, "max_tokens": 4}
    texts = [*TEXTS[:3], "far too long " * 500]
    with Extractor("brand", model, **options) as extractor:
        made = list(extractor.extract_many([*texts, 7], on_error="record"))
    assert [extraction.text for extraction in made] == [*texts, None]
    assert "text" not in made[0].to_dict()
    assert texts[0] in made[0]._repr_html_()


def test_an_extractor_that_only_its_results_refer_to_is_not_closed(model):
    results = Extractor("brand", model, max_tokens=4).extract_many(["Luma Mug", "Nordvik Coat"])
    assert len(list(results)) == 2


@pytest.mark.parametrize("settings", [{}, {"stack": 3}, {"method": "ar"}], ids=str)
def test_documents_are_pulled_as_they_are_needed(model, settings):
    n_pulled = 0

    def endless():
        nonlocal n_pulled
        for n in itertools.count():
            n_pulled += 1
            yield f"{TEXTS[n % len(TEXTS)]} {n}"

    most_ahead = 0
    with Extractor("brand, color", model, in_flight=4, max_tokens=6, **settings) as extractor:
        documents = extractor.extract_many(endless())
        for n_given, _ in enumerate(itertools.islice(documents, 60)):
            most_ahead = max(most_ahead, n_pulled - n_given)
    # In flight, one more prompt waiting, and what finished before its turn.
    assert most_ahead <= 4 * 4 * settings.get("stack", 1)


def test_a_rare_category_does_not_wait_for_its_stack_forever(model):
    schemas = {"shoe": ["brand"], "tea": ["flavor"]}
    n_pulled = 0

    def documents():
        nonlocal n_pulled
        for n in itertools.count():
            n_pulled += 1
            yield Document(f"shoe {n}" if n else "mint tea", n, "shoe" if n else "tea")

    with Extractor(schemas, model, stack=2, in_flight=2, max_tokens=4) as extractor:
        first = next(extractor.extract_many(documents()))
    assert first.id == 0
    assert set(first.data) == {"flavor"}
    # Its patience, and prompts of two: in flight, prepared, and one that is being gathered.
    assert n_pulled <= 4 * 2 * 2 + 2 * (2 + 2 + 1)


def test_the_error_of_one_document_is_not_numbered(model):
    with Extractor("brand", model, max_tokens=4) as extractor:
        with pytest.raises(InputError, match=r"^a document must be text"):
            extractor.extract(7)
        with pytest.raises(InputError, match=r"^a document must be text"):
            asyncio.run(extractor.aextract(7))
        with pytest.raises(InputError, match=r"^document 1: a document must be text"):
            list(extractor.extract_many([7]))


def test_categories_have_their_own_schemas(model):
    schemas = {"shoe": ["brand", "size"], "tea": ["flavor"]}
    documents = [Document("Nike 44", 1, "shoe"), Document("Mint", 2, "tea")]
    with Extractor(schemas, model, max_tokens=8) as extractor:
        shoe, tea = extractor.extract_many(documents)
        assert (set(shoe.data), set(tea.data)) == ({"brand", "size"}, {"flavor"})
        assert set(extractor.extract("Mint", category="tea").data) == {"flavor"}
        with pytest.raises(InputError, match=r"^category 'car': the schema has shoe"):
            extractor.extract("Fiat", category="car")
        with pytest.raises(InputError, match=r"no category: the schema has shoe, tea"):
            extractor.extract("Fiat")
        with pytest.raises(
            OptionError, match="category 'tea' has no effect: there is one schema for"
        ):
            extractor.extract("Mint", category="tea", schema="flavor")


def test_on_error_record_keeps_the_others(model):
    documents = [TEXTS[0], Document("shoe " * 3000, "long"), Document(None, "x")]
    with Extractor(["brand"], model, n_ctx=512, max_tokens=6) as extractor:
        found = list(extractor.extract_many([*documents, TEXTS[1]], on_error="record"))
        assert [extraction.error is None for extraction in found] == [True, False, False, True]
        assert found[1].error.type == "ContextOverflowError"
        assert found[1].data is None
        assert found[2].error.message == "a document must be text, not NoneType"
        with pytest.raises(HpdError, match=r"document 2 \(id long\): \d+ tokens over") as caught:
            list(extractor.extract_many(documents))
        assert type(caught.value) is type(found[1].error.exception) is ContextOverflowError
        assert str(caught.value.__cause__) == found[1].error.message
        # The extractor goes on after that.
        assert extractor.extract(TEXTS[0]).error is None


def test_an_error_of_the_callers_iterator_is_the_callers(extractor):
    def documents():
        yield from TEXTS
        raise LookupError("no more")

    with pytest.raises(LookupError, match="no more"):
        list(extractor.extract_many(documents()))
    assert extractor.extract(TEXTS[0]).data is not None


def test_no_documents(extractor):
    assert list(extractor.extract_many([])) == []
    assert extractor.extract("").error is None


# --- methods ---------------------------------------------------------------------------------


@pytest.mark.parametrize("stack", [2, 3, 4])
@pytest.mark.parametrize("layout", ["branch", "skeleton", "label"])
def test_stacks_and_layouts(model, layout, stack):
    answers = {text: {"brand": f"b{n}", "tags": [f"t{n}"] * n} for n, text in enumerate(TEXTS)}
    found = extracted(
        "brand, tags [str]", model, TEXTS, stack=stack, layout=layout, answers=answers
    )
    assert data_of(found) == list(answers.values())
    # What they cost is shared out.
    usages = [extraction.usage for extraction in found]
    assert all(usage is not None and usage.prompt_tokens > 0 for usage in usages)


@pytest.mark.parametrize("stack", [1, 2])
def test_one_object_token_after_token(model, stack):
    settings = {"method": "ar", "stack": stack, "max_tokens": 16, "drafts": False}
    with Extractor("brand, color", model, **settings) as extractor:
        for extraction in extractor.extract_many(TEXTS[:4]):
            assert extraction.error is None
            assert set(extraction.data) == {"brand", "color"}
            # Nothing in parallel: a step for each token after the first.
            assert extraction.usage.steps >= extraction.usage.completion_tokens - 1


def test_confidence_in_an_answer_is_the_product_over_the_values_own_tokens(model, results):
    answer = '{"brand": "Nike shoe", "n": 12, "color": null}'
    answers = {TEXTS[0]: json.loads(answer)}
    with Extractor("brand, n int?, color", model, method="ar", answers=answers) as extractor:
        found = extractor.extract(TEXTS[0])
        pieces = [extractor.native_model.piece(t).decode() for t in results[0][1].values[0].tokens]
    assert found.data == {"brand": "Nike shoe", "n": 12, "color": None}
    logprobs = results[0][1].values[0].logprobs
    assert "".join(pieces).startswith(answer)
    for name, text in (("brand", '"Nike shoe"'), ("n", "12"), ("color", "null")):
        start = answer.index(text)
        at = 0
        total = 0.0
        for piece, logprob in zip(pieces, logprobs, strict=True):
            if at < start + len(text) and at + len(piece) > start:
                total += logprob
            at += len(piece)
        assert found.fields[name].confidence == pytest.approx(math.exp(total))


def test_confidence_of_a_field_is_the_product_over_its_tokens(extractor, results):
    found = extractor.extract(TEXTS[0])
    for name, value in zip(
        ("brand", "color", "weight_g", "tags"), results[0][1].values, strict=True
    ):
        # Among all texts, or among the numbers.
        is_free = name in ("brand", "tags")
        logs = value.logprobs if is_free else value.log_shares
        if found.fields[name].reason is None:
            assert found.fields[name].confidence == pytest.approx(math.exp(min(0, sum(logs))))
        else:
            assert found.fields[name].confidence is None
        assert (value.log_shares == value.logprobs) == is_free
        assert found.fields[name].raw == value.text.decode()


@pytest.mark.parametrize("method", ["hpd", "ar"])
def test_zeros_at_the_end_of_a_decimal_do_not_count_in_its_confidence(model, results, method):
    """``12``, ``12.0`` and ``12.00`` are one number, among which a model may hesitate."""
    answers = {TEXTS[0]: {"price": 12.0}}
    with Extractor("price float", model, method=method, answers=answers) as extractor:
        found = extractor.extract(TEXTS[0]).fields["price"]
        value = results[0][1].values[0]
        pieces = [extractor.native_model.piece(t).decode() for t in value.tokens]
    assert found.raw.strip() == "12.0"
    ends = list(itertools.accumulate(map(len, pieces)))
    start = "".join(pieces).index("12.0")
    own = [n for n, end in enumerate(ends) if start < end and end - len(pieces[n]) < start + 2]
    logs = value.log_shares if method == "hpd" else value.logprobs
    before = range(own[0]) if method == "hpd" else ()
    total = sum(logs[n] for n in (*before, *own))
    assert found.confidence == pytest.approx(math.exp(min(0, total)))
    assert sum(logs) < total - 1e-6


# --- arrays ----------------------------------------------------------------------------------


def test_arrays_cost_two_waves_however_long_they_are(model, results):
    """20 documents with 0 to 12 items each: one wave counts them, one fills them all."""
    n_items = [n % 13 for n in range(20)]
    answers = {
        f"order {n} of some things": {
            "lines": [{"what": f"shoe{i}", "qty": i} for i in range(1, count + 1)]
        }
        for n, count in enumerate(n_items)
    }
    schema = "lines [{what, qty int?}]"
    # A batch has room for all values, so none waits for a turn.
    with Extractor(
        schema, model, drafts=False, in_flight=4, lists="numbers", answers=answers
    ) as extractor:
        found = list(extractor.extract_many(list(answers)))
        tokenize = extractor.native_model.tokenize
        for extraction, (text, answer), count in zip(found, answers.items(), n_items, strict=True):
            assert extraction.data == answer
            waves = [result for other, result in results if other == text]
            assert len(waves) == (2 if count else 1)
            longest = [len(tokenize(written_value(count)))]
            if count:
                assert len(waves[1].values) == 2 * count
                values = [value for line in answer["lines"] for value in line.values()]
                longest.append(max(len(tokenize(written_value(value))) for value in values))
            # The first token of a value comes with the prefill: each wave takes as many steps as
            # its longest value has further tokens, whatever the number of items.
            assert [wave.n_steps for wave in waves] == [n - 1 for n in longest]
            assert extraction.usage.steps == sum(longest) - len(longest)


def test_the_second_wave_does_not_read_the_document_again(model, results):
    text = " ".join(TEXTS * 4)
    answers = {text: {"tags": ["red", "blue", "green"]}}
    with Extractor("tags [str]", model, lists="numbers", answers=answers) as extractor:
        assert extractor.extract(text).data == {"tags": ["red", "blue", "green"]}
        n_document = len(extractor.native_model.tokenize(text))
        (_, first), (_, second) = results
        assert first.n_prefill_tokens >= n_document
        # Its keys and, where the cells begin again, the last token of the prompt.
        assert second.n_prefill_tokens < 40 < n_document
        assert second.n_prompt_tokens >= n_document


def test_arrays_in_arrays_take_a_wave_for_each_level(model, results):
    data = {"orders": [{"id": "a", "lines": ["x", "y"]}, {"id": "b", "lines": ["z"]}]}
    answers = {"doc": data}
    schema = "orders [{id, lines [str]}]"
    with Extractor(schema, model, lists="numbers", answers=answers) as extractor:
        assert extractor.extract("doc").data == data
    assert [len(result.values) for _, result in results] == [1, 4, 3]


def test_what_comes_after_an_array_sees_its_items(model, monkeypatch):
    keys = []
    next_wave = Waves.next

    def noting(waves, *arguments):
        questions = next_wave(waves, *arguments)
        keys.extend(question.key for question in questions)
        return questions

    monkeypatch.setattr(Waves, "next", noting)
    answers = {"doc": {"tags": ["a", "b"], "best": "b", "why": "so"}}
    with Extractor(
        "tags [str], best after tags, why after best", model, answers=answers
    ) as extractor:
        assert extractor.extract("doc").data == {"tags": ["a", "b"], "best": "b", "why": "so"}
    assert '{"tags": ["a", "b"], "best":' in keys
    assert '{"best": "b", "why":' in keys


def test_a_dependent_field_costs_one_more_wave(model, results):
    answers = {"doc": {"maker": {"name": "N", "city": "C"}, "a": "1", "b": "2"}}
    schema = "maker {name, city after name}, a, b after a maker"
    with Extractor(schema, model, answers=answers) as extractor:
        assert extractor.extract("doc").data == answers["doc"]
    assert [len(result.values) for _, result in results] == [2, 1, 1]


# --- what becomes null -----------------------------------------------------------------------


def test_unlikely_values_become_null_and_keep_their_text(model):
    schema = "brand, n int!"
    with Extractor(schema, model, max_tokens=12, null_threshold=1.0) as extractor:
        (found,) = extractor.extract_many(TEXTS[:1], on_error="record")
        brand, n = found.fields["brand"], found.fields["n"]
        assert found.data == {"brand": None, "n": None}
        for field in (brand, n):
            if not field.raw.startswith(" null"):
                assert field.nulled
                assert field.confidence < 1.0
        assert n.error is not None
        assert "required" in n.error
    (found,) = extracted(schema, model, [TEXTS[0]], max_tokens=12, on_invalid="record")
    assert found.fields["brand"].raw == brand.raw
    assert found.data["brand"] == json.loads(brand.raw)


def test_values_that_the_document_does_not_hold_become_null(model):
    text = "Nike shoe in two colours, 300 g"
    answer = {
        "brand": "nike",
        "color": "red",
        "w": 300,
        "made": "Adidas",
        "tags": ["shoe", "zebra"],
    }
    answers = {text: answer}
    schema = "brand, color [red|blue], w int?, made, tags [str]"
    (found,) = extracted(schema, model, [text], require_grounding=True, answers=answers)
    assert found.data == {"brand": "nike", "color": "red", "w": 300, "made": None, "tags": ["shoe"]}
    fields = found.to_dict()["fields"]
    assert (fields["brand"]["match"], fields["brand"]["start"], fields["brand"]["end"]) == (
        "normalized", 0, 4,
    )  # fmt: skip
    # What is one of a fixed set need not stand there in so many words.
    assert fields["color"]["match"] == "none"
    assert fields["w"]["match"] == "exact"
    assert fields["made"]["raw"] == ' "Adidas"'
    (refused,) = extracted(
        "made!", model, [text], require_grounding=True, answers=answers, on_error="record"
    )
    assert refused.error.message.startswith("made: ")
    (found,) = extracted(schema, model, [text], answers=answers)
    assert found.data == answer
    assert found.fields["made"].match == "none"
    assert found.fields["tags[1]"].match == "none"


def test_a_value_that_is_too_long_is_cut_and_says_so(model):
    answers = {"doc": {"brand": "a long name of many words that never ends"}}
    with Extractor("brand", model, max_tokens=5, answers=answers) as extractor:
        field = extractor.extract("doc").fields["brand"]
    assert field.truncated
    assert field.error is None
    assert field.value == field.raw.strip()[1:]


def test_a_long_text_and_a_long_choice_are_kept_whole(model):
    long = " ".join(f"word{n}" for n in range(20))
    properties = {"summary": {"type": "string"}, "clause": {"enum": [long, "none"]}}
    answer = {"summary": long, "clause": long}
    schema = {"type": "object", "properties": properties}
    (extraction,) = extracted(schema, model, ["doc"], answers={"doc": answer})
    assert extraction.data == answer
    assert not any(field.truncated for field in extraction.fields.values())


# --- examples, Pydantic ----------------------------------------------------------------------


def test_examples_are_in_the_prompt_and_their_cells_are_shared(model):
    examples = [(f"{text} and more", {"brand": "Nike", "color": None}) for text in TEXTS]
    found = extracted("brand, color", model, TEXTS, examples=examples)
    plain = extracted("brand, color", model, TEXTS)
    usages = [extraction.usage for extraction in found]
    assert all(usage is not None for usage in usages)
    sizes = [(usage.prompt_tokens, usage.cached_tokens) for usage in usages if usage is not None]
    assert sizes[0][0] > plain[0].usage.prompt_tokens + 100
    # All but the first document read their own text only.
    assert sum(n_prompt - n_cached < 60 for n_prompt, n_cached in sizes) == len(TEXTS) - 1


def test_examples_by_category(model):
    schemas = {"shoe": ["brand"], "tea": ["flavor"]}
    examples = {"tea": [("Green tea with mint", {"flavor": "mint"})]}
    documents = [Document("A Nike", 1, "shoe"), Document("A black one", 2, "tea")]
    shoe, tea = extracted(schemas, model, documents, examples=examples, max_tokens=4)
    assert tea.usage.prompt_tokens > shoe.usage.prompt_tokens + 10


class Product(BaseModel):
    brand: str | None = Field(description="the maker")
    color: Literal["red", "blue"] | None = None
    size: int | None = None

    @field_validator("brand")
    @classmethod
    def no_zebra(cls, value):
        if value == "Zebra":
            raise ValueError("no zebra")
        if value == "Bug":
            raise RuntimeError("a bug of the user's own")
        return value


def test_values_have_places_of_their_own_in_the_order_of_the_text(model):
    met = "Alice met Bob. Later Alice called Carol, and Bob called Alice."
    order = "Order: 12 saws at 3.50, 2 hammers at 12.00, 1,200 nails."
    people = {"people": ["Alice", "Bob", "Alice", "Carol", "Bob", "Alice"]}
    lines = [
        {"name": "saws", "n": 12, "price": 3.5},
        {"name": "hammers", "n": 2, "price": 12.0},
        {"name": "nails", "n": 1200, "price": None},
    ]

    def places(schema, text, data):
        (extraction,) = extracted(schema, model, [text], answers={text: data})
        assert extraction.data == data
        return {
            path: (field.start, field.end)
            for path, field in extraction.fields.items()
            if field.start is not None
        }

    found = places("people [str]", met, people)
    assert [start for start, _ in found.values()] == [0, 10, 21, 34, 45, 56]
    found = places("lines [{name, n int, price float?}]", order, {"lines": lines})
    assert [order[slice(*span)] for span in found.values()] == [
        *("saws", "12", "3.50"),
        *("hammers", "2", "12.00"),
        *("nails", "1,200"),
    ]
    assert found["lines[1].price"] == (37, 42)


def test_a_pydantic_class_gives_instances(model):
    answers = {
        "a": {"brand": "Nike", "color": "red", "size": 44},
        "b": {"brand": "Zebra"},
        "c": {"brand": "Bug"},
    }
    with Extractor(Product, model, answers=answers) as extractor:
        found = extractor.extract("a")
        assert found.data == Product(brand="Nike", color="red", size=44)
        assert isinstance(found.data, Product)
        assert json.loads(found.to_json())["data"] == {"brand": "Nike", "color": "red", "size": 44}
        with pytest.raises(InvalidDataError, match="brand: Value error, no zebra"):
            extractor.extract("b")
        with pytest.raises(InvalidDataError, match="RuntimeError: a bug of the user's own"):
            extractor.extract("c")
        assert extractor.extract("a").data == found.data


def test_a_bug_in_one_callers_class_is_not_raised_in_another_thread(model):
    answers = {"a": {"brand": "Nike"}, "c": {"brand": "Bug"}}
    outcomes = {}

    def work(text):
        try:
            outcomes[text] = [e.data for e in extractor.extract_many([text] * 8)]
        except InvalidDataError as error:
            outcomes[text] = error

    with Extractor(Product, model, answers=answers) as extractor:
        threads = [threading.Thread(target=work, args=(text,)) for text in "ac"]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(timeout=60)
            assert not thread.is_alive()
    assert outcomes["a"] == [Product(brand="Nike")] * 8
    assert isinstance(outcomes["c"], InvalidDataError)
