"""Documents that are too long: the error, the cut, and chunks whose values are put together."""

from __future__ import annotations

import itertools
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hpd.documents import Document
from hpd.errors import ContextOverflowError
from hpd.grounding.search import is_joined
from hpd.pipeline.chunking import Chunk, chunks, fitting_length
from hpd.pipeline.findings import Findings
from hpd.pipeline.long_documents import Replay
from hpd.pipeline.merging import merge, shift
from hpd.results import FieldResult
from hpd.schema import load_schema
from hpd.schema.attributes import Attribute, Schema
from hpd.values import Parsed
from small_extractor import SmallExtractor as Extractor
from tiny_models import TinyModel


@pytest.fixture(scope="module")
def model(tiny_model: TinyModel) -> Path:
    return tiny_model("qwen3")


def n_words(text: str) -> int:
    return max(1, len(text.split()))


# --- where texts are cut ---------------------------------------------------------------------

texts = st.lists(
    st.one_of(
        st.text(max_size=12),
        st.sampled_from(
            ["One. ", "Two two! ", "three\n\n", "日本語。", "e\u0301" * 50, "👩\u200d👧" * 30]
        ),
        st.text("ab", min_size=30, max_size=100),
    ),
    max_size=20,
).map("".join)


@given(texts, st.integers(1, 60))
def test_parts_cover_the_text_and_fit(text: str, room: int) -> None:
    parts = chunks(text, room, len)
    assert [part.start for part in parts[:1]] == ([0] if text else [])
    if text:
        assert parts[-1].end == len(text)
    for part, following in itertools.pairwise(parts):
        assert part.start < following.start <= part.end < following.end
    for part in parts:
        # A single piece may be longer than the room: no part without a piece would get anywhere.
        is_whole = part.end - part.start <= room
        words = text[part.start : part.end]
        assert is_whole or len(re.findall(r"\S+", words)) <= 1
    for part in parts:
        if part.start > 0:
            assert not is_joined(text[part.start - 1], text[part.start])


@given(texts, st.integers(0, 60))
def test_the_beginning_that_fits(text: str, room: int) -> None:
    length = fitting_length(text, room, len)
    assert length <= room or not text
    assert (length == len(text)) == (len(text) <= room)


def test_parts_end_with_sentences_and_overlap() -> None:
    sentences = [f"Sentence {n} has some words in it, as many as nine." for n in range(12)]
    text = " ".join(sentences)
    parts = chunks(text, 35, n_words)
    assert len(parts) >= 4
    for part in parts:
        assert text[part.start : part.end].endswith(".")
    for part, following in itertools.pairwise(parts):
        assert following.start < part.end
        assert 1 <= len(text[following.start : part.end].split()) <= 35 // 8
    by_sentence = chunks(text, 100, n_words)
    assert [text[part.start :].lstrip()[:8] for part in by_sentence] == ["Sentence"] * len(
        by_sentence
    )
    assert by_sentence[1].start < by_sentence[0].end


def test_scripts_without_blanks_and_lines_without_full_stops() -> None:
    japanese = "これは文です。" * 10 + "終わり"
    parts = chunks(japanese, 30, len)
    assert all(japanese[part.start : part.end].endswith(("。", "終わり")) for part in parts)
    lines = "\n".join(f"line {n} of a list" for n in range(20))
    for part in chunks(lines, 23, n_words)[:-1]:
        assert lines[part.end] == "\n"


def test_a_short_text_is_one_part() -> None:
    assert chunks("A short text.", 10, n_words) == [Chunk(0, 13)]
    assert chunks("", 10, n_words) == []


# --- what chunks say, put together -----------------------------------------------------------


def known(**fields: Any) -> Findings:
    """Values by dotted path with their confidences and places: ``(value, confidence[, start])``."""
    made = Findings()
    for name, (value, confidence, *start) in fields.items():
        path = tuple(name.split("__"))
        made.values[path] = Parsed(value)
        made.results[path] = FieldResult(confidence, value=value)
        if value is not None:
            places = (start[0], start[0] + len(str(value))) if start else (None, None)
            match = "exact" if start else "none"
            made.results[path] = FieldResult(confidence, *places, match, value=value)
    return made


def merged(schema: str | Schema, *parts: Findings) -> dict[str, Any]:
    loaded = schema if isinstance(schema, Schema) else load_schema(schema)
    return dict(merge(loaded, parts).extraction(loaded, None, None, strict=False).data)  # type: ignore[arg-type]


def test_the_surest_value_that_the_text_holds_is_taken() -> None:
    first = known(a=("x", 0.6, 3), b=(None, 0.99), c=("made up", 0.99), d=(None, 0.9))
    second = known(a=("y", 0.8, 5), b=("z", 0.2, 7), c=("held", 0.3, 9), d=(None, 0.4))
    assert merged("a, b, c, d", first, second) == {"a": "y", "b": "z", "c": "held", "d": None}
    whole = merge(load_schema("a, b, c, d"), [first, second])
    # That all say null is as sure as the least sure of them.
    assert whole.results["d",].confidence == 0.4


def test_attributes_that_depend_on_each_other_come_from_one_chunk() -> None:
    first = known(price=("10", 0.9, 0), currency=("EUR", 0.5, 3))
    second = known(price=("20", 0.6, 0), currency=("USD", 0.7, 3))
    assert merged("price, currency after price", first, second) == {
        "price": "10",
        "currency": "EUR",
    }
    assert merged("price, currency", first, second) == {"price": "10", "currency": "USD"}


def test_arrays_are_the_union_of_their_items() -> None:
    first = known(tags__count=(2, 0.9), tags__1=("a", 0.9, 0), tags__2=("b", 0.3, 4))
    second = known(
        tags__count=(3, 0.8), tags__1=("b", 0.9, 4), tags__2=("c", 0.8, 9), tags__3=("c", 0.5, 20)
    )
    none = known(tags__count=(None, 0.7))
    # Twice in one chunk is twice in the document; twice because of the overlap is not.
    assert merged("tags [str]", first, none, second) == {"tags": ["a", "b", "c", "c"]}
    assert merged("tags [str]", none, none) == {"tags": None}
    tags = Attribute("tags", "array", item=Attribute("item", nullable=False), max_items=2)
    assert merged(Schema((tags,)), first, second) == {"tags": ["a", "c"]}
    lines = load_schema("lines [{what, qty int?}]")
    one = known(lines__count=(1, 0.9), lines__1__what=("shoe", 0.9, 0), lines__1__qty=(2, 0.8))
    other = known(lines__count=(2, 0.9), lines__1__what=("shoe", 0.9, 0), lines__1__qty=(2, 0.8),
                  lines__2__what=("shoe", 0.9, 0), lines__2__qty=(3, 0.8))  # fmt: skip
    data = merged(lines, one, other)
    assert data == {"lines": [{"what": "shoe", "qty": 2}, {"what": "shoe", "qty": 3}]}


def test_spans_are_moved_to_the_whole_document() -> None:
    part = Findings(results={("a",): FieldResult(0.5, 3, 5, "exact", occurrences=((3, 5), (7, 9)))})
    shift(part, 100)
    result = part.results["a",]
    assert (result.start, result.end, result.occurrences) == (103, 105, ((103, 105), (107, 109)))


# --- end to end ------------------------------------------------------------------------------

LONG = " ".join(
    f"Paragraph {n} is about nothing much, but it is here."
    + (" The maker is Nike." if n == 31 else "")
    + (f" There is a red thing{n}." if n % 10 == 5 else "")
    for n in range(40)
)


def test_the_error_says_how_many_tokens_over(model: Path) -> None:
    with Extractor("maker", model, n_ctx=512, max_tokens=8) as extractor:
        with pytest.raises(ContextOverflowError, match=r"^document 1: (\d+) tokens over") as caught:
            extractor.extract(LONG)
        words = re.findall(r"\d+", str(caught.value))
        n_over, n_document, n_ctx, room = map(int, words[1:])
        assert (n_ctx, n_document - room) == (512, n_over)
        tokens = extractor.native_model.tokenize
        # Cut by that many tokens it fits, and by less it does not.
        fitting = len(LONG)
        while len(tokens(LONG[:fitting])) > room:
            fitting -= 1
        assert extractor.extract(LONG[:fitting]).error is None
        longer = LONG[: fitting + 12]
        assert len(tokens(longer)) > room + 1
        with pytest.raises(ContextOverflowError, match=r"[1-9]\d* tokens over"):
            extractor.extract(longer)


def test_no_room_for_any_document_is_an_error_whatever_the_choice(model: Path) -> None:
    for on_overflow in ("error", "chunk", "truncate"):
        with pytest.raises(ContextOverflowError, match="leaves none of the context of 256"):
            Extractor(
                [f"attribute{n}" for n in range(30)], model, n_ctx=256, on_overflow=on_overflow
            )


def test_a_document_beyond_the_models_training_is_too_long(tiny_model: TinyModel) -> None:
    short = tiny_model("qwen3", n_ctx_train=512)
    with (
        Extractor("maker", short, n_ctx=4096, max_tokens=8) as extractor,
        pytest.raises(ContextOverflowError, match="the context of 512"),
    ):
        extractor.extract(LONG)


def test_truncate_reads_the_beginning_and_says_so(model: Path) -> None:
    with Extractor("maker", model, n_ctx=512, max_tokens=8, on_overflow="truncate") as extractor:
        long, short = extractor.extract_many([Document(LONG, "long"), Document("Nike", "short")])
        assert long.truncated_at is not None
        assert 100 < long.truncated_at < len(LONG)
        assert long.to_dict()["truncated_at"] == long.truncated_at
        assert "truncated_at" not in short.to_dict()
        assert long.usage is not None
        assert 450 < long.usage.prompt_tokens <= 512 - 8
        assert long.data == extractor.extract(LONG[: long.truncated_at]).data
        # Not within a word.
        assert LONG[long.truncated_at] == " "


def test_chunks_are_put_together_with_spans_in_the_whole_document(
    model: Path,
) -> None:
    n_asked = 0

    def replay(document: Document) -> dict[str, Any]:
        nonlocal n_asked
        n_asked += 1
        return {
            "maker": "Nike" if "Nike" in document.text else None,
            "things": re.findall(r"thing\d+", document.text),
        }

    settings = {"n_ctx": 1024, "on_overflow": "chunk", "all_occurrences": True}
    with Extractor("maker, things [str]", model, replay=Replay(replay), **settings) as extractor:
        documents = [Document("thing1", "a"), Document(LONG, "b"), Document("Nike", "c")]
        before, found, after = extractor.extract_many(documents)
    assert [extraction.id for extraction in (before, found, after)] == ["a", "b", "c"]
    assert before.data == {"maker": None, "things": ["thing1"]}
    assert after.data == {"maker": "Nike", "things": []}
    assert found.data == {"maker": "Nike", "things": ["thing5", "thing15", "thing25", "thing35"]}
    for place, value in (("maker", "Nike"), ("things[0]", "thing5"), ("things[3]", "thing35")):
        field = found.fields[place]
        assert field.match == "exact"
        assert (field.start, field.end) == (LONG.index(value), LONG.index(value) + len(value))
        assert field.occurrences == ((field.start, field.end),)
    assert found.usage is not None
    assert found.usage.n_chunks >= 2
    assert found.to_dict()["usage"]["chunks"] == found.usage.n_chunks
    assert n_asked > found.usage.n_chunks


def test_a_stack_that_is_too_long_is_taken_apart(model: Path) -> None:
    half = LONG[: len(LONG) // 6]
    with Extractor("maker", model, n_ctx=768, max_tokens=8, stack=2) as extractor:
        found = list(extractor.extract_many([half, half]))
        assert all(extraction.error is None for extraction in found)
        with pytest.raises(ContextOverflowError, match="document 2"):
            list(extractor.extract_many([half, LONG]))
    with Extractor(
        "maker", model, n_ctx=768, max_tokens=8, stack=2, on_overflow="chunk"
    ) as extractor:
        short, long = extractor.extract_many([Document("Nike", 1), Document(LONG, 2)])
        assert (short.id, long.id) == (1, 2)
        assert long.usage is not None
        assert long.usage.n_chunks > 1


def test_a_text_without_any_blank_is_cut_as_well(model: Path) -> None:
    with Extractor("maker", model, n_ctx=512, max_tokens=8, on_overflow="chunk") as extractor:
        assert extractor.extract("日本語" * 800).error is None
        assert extractor.extract("\n" * 5000).error is None
        assert extractor.extract("x" * 5000).error is None
