"""Documents that are too long: the error, the cut, and chunks whose values are put together."""

import itertools
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hpd.documents import Document
from hpd.errors import ContextOverflowError, OptionError
from hpd.options import Options
from hpd.pipeline.chunking import Chunk, add_pass, fitting_length, merge_chunks, split_text
from hpd.pipeline.document_values import DocumentValues
from hpd.pipeline.long_documents import ContextLimit
from hpd.pipeline.prompts import Prompt
from hpd.results import FieldValue
from hpd.schema import load_schema
from hpd.schema.attributes import Attribute, Schema
from hpd.values.words import is_joined
from small_extractor import SmallExtractor as Extractor
from small_extractor import give_answers


def n_words(text):
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
def test_parts_cover_the_text_and_fit(text, room):
    parts = split_text(text, room, len)
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
def test_the_beginning_that_fits(text, room):
    length = fitting_length(text, room, len)
    assert length <= room or not text
    assert (length == len(text)) == (len(text) <= room)


def test_parts_end_with_sentences_and_overlap():
    sentences = [f"Sentence {n} has some words in it, as many as nine." for n in range(12)]
    text = " ".join(sentences)
    parts = split_text(text, 35, n_words)
    assert len(parts) >= 4
    for part in parts:
        assert text[part.start : part.end].endswith(".")
    for part, following in itertools.pairwise(parts):
        assert following.start < part.end
        assert 1 <= len(text[following.start : part.end].split()) <= 35 // 8
    by_sentence = split_text(text, 100, n_words)
    assert [text[part.start :].lstrip()[:8] for part in by_sentence] == ["Sentence"] * len(
        by_sentence
    )
    assert by_sentence[1].start < by_sentence[0].end


def test_scripts_without_blanks_and_lines_without_full_stops():
    japanese = "これは文です。" * 10 + "終わり"
    parts = split_text(japanese, 30, len)
    assert all(japanese[part.start : part.end].endswith(("。", "終わり")) for part in parts)
    lines = "\n".join(f"line {n} of a list" for n in range(20))
    for part in split_text(lines, 23, n_words)[:-1]:
        assert lines[part.end] == "\n"


@given(texts, st.integers(1, 60), st.integers(1, 60))
def test_a_shorter_first_part_moves_the_cuts(text, room, first):
    parts = split_text(text, room, len, min(first, room))
    if text:
        assert (parts[0].start, parts[-1].end) == (0, len(text))
        is_whole = parts[0].end <= min(first, room)
        assert is_whole or len(re.findall(r"\S+", text[: parts[0].end])) <= 1
    for part, following in itertools.pairwise(parts):
        assert part.start < following.start <= part.end < following.end


def test_a_short_text_is_one_part():
    assert split_text("A short text.", 10, n_words) == [Chunk(0, 13)]
    assert split_text("", 10, n_words) == []


# --- what chunks say, put together -----------------------------------------------------------


def known(**fields):
    """Values by dotted path with their confidences and places: ``(value, confidence[, start])``."""
    made = DocumentValues()
    for name, (value, confidence, *start) in fields.items():
        path = tuple(name.split("__"))
        made.fields[path] = FieldValue(confidence, value=value)
        if value is not None:
            places = (start[0], start[0] + len(str(value))) if start else (None, None)
            match = "exact" if start else "none"
            made.fields[path] = FieldValue(confidence, *places, match, value=value)
    return made


def merged(schema, *parts):
    loaded = schema if isinstance(schema, Schema) else load_schema(schema)
    return dict(
        merge_chunks(loaded, parts)
        .extraction(loaded, None, None, Options(on_invalid="record"))
        .data
    )


def test_the_surest_value_that_the_text_holds_is_taken():
    first = known(a=("x", 0.6, 3), b=(None, 0.99), c=("made up", 0.99), d=(None, 0.9))
    second = known(a=("y", 0.8, 5), b=("z", 0.2, 7), c=("held", 0.3, 9), d=(None, 0.4))
    assert merged("a, b, c, d", first, second) == {"a": "y", "b": "z", "c": "held", "d": None}
    whole = merge_chunks(load_schema("a, b, c, d"), [first, second])
    # That all say null is as sure as the least sure of them.
    assert whole.fields["d",].confidence == 0.4


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("closing_balance", "Closing balance 286.00"),
        ("closingBalance", "CLOSING BALANCE: EUR 286.00"),
        ("balance (closing)", "Balance, closing\n286.00"),
        ("solde de clôture", "Solde de clôture : 286.00"),
    ],
)
def test_the_chunk_that_names_a_field_wins_over_a_guess(name, line):
    text = f"12 May card 146.00\n13 May transfer 140.00\n\n{line}"
    guess = known(**{name: (146.0, 0.9, text.index("146"))})
    named = known(**{name: (286.0, 0.6, text.index("286"))})
    schema = Schema((Attribute(name, "number"),))
    for parts in ([guess, named], [named, guess]):
        assert merge_chunks(schema, parts, text).fields[name,].value == 286.0
    assert merge_chunks(schema, [guess, named], "1 " * 99).fields[name,].value == 146.0


def test_attributes_that_depend_on_each_other_come_from_one_chunk():
    first = known(price=("10", 0.9, 0), currency=("EUR", 0.5, 3))
    second = known(price=("20", 0.6, 0), currency=("USD", 0.7, 3))
    assert merged("price, currency after price", first, second) == {
        "price": "10",
        "currency": "EUR",
    }
    assert merged("price, currency", first, second) == {"price": "10", "currency": "USD"}


def test_arrays_are_the_union_of_their_items():
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


# --- what later passes add -------------------------------------------------------------------


def added(schema, first, *later):
    loaded = schema if isinstance(schema, Schema) else load_schema(schema)
    for findings in later:
        add_pass(loaded, first, findings)
    return dict(first.extraction(loaded, None, None, Options(on_invalid="record")).data)


def test_a_later_pass_gives_what_is_null_and_changes_nothing_else():
    first = known(a=("x", 0.2, 3), b=(None, 0.99), c=(None, 0.9), maker__city=(None, 0.9))
    second = known(a=("y", 0.9, 5), b=("z", 0.4, 7), c=(None, 0.9), maker__city=("Rome", 0.5, 9))
    third = known(a=("w", 0.9, 5), b=("v", 0.9, 7), c=("u", 0.1, 9), maker__city=(None, 0.5))
    assert added("a, b, c, maker {city}", first, second, third) == {
        "a": "x", "b": "z", "c": "u", "maker": {"city": "Rome"}
    }  # fmt: skip


def test_attributes_that_depend_on_each_other_are_filled_together():
    half = known(price=("10", 0.9, 0), currency=(None, 0.5))
    other = known(price=("20", 0.6, 0), currency=("USD", 0.7, 3))
    assert added("price, currency after price", half, other) == {"price": "10", "currency": None}
    none = known(price=(None, 0.9), currency=(None, 0.5))
    assert added("price, currency after price", none, other) == {"price": "20", "currency": "USD"}


def test_items_that_stand_elsewhere_are_added():
    def tags(*items):
        fields = {f"tags__{n}": item for n, item in enumerate(items, start=1)}
        return known(tags__count=(len(items) or None, 0.9), **fields)

    first = tags(("a", 0.9, 0), ("made up", 0.9))
    # "ab" overlaps "a"; the same text elsewhere is another item; "made up" is nowhere, and known.
    second = tags(("ab", 0.9, 0), ("b", 0.9, 10), ("a", 0.9, 50), ("made up", 0.8), ("new", 0.8))
    assert added("tags [str]", first, second) == {"tags": ["a", "made up", "b", "a", "new"]}
    assert added("tags [str]", tags(), tags(("b", 0.9, 10))) == {"tags": ["b"]}
    assert added("tags [str]", tags(), tags()) == {"tags": None}
    most = Schema(
        (Attribute("tags", "array", item=Attribute("item", nullable=False), max_items=2),)
    )
    assert added(most, tags(("a", 0.9, 0)), tags(("b", 0.9, 10), ("c", 0.9, 20))) == {
        "tags": ["a", "b"]
    }


def test_an_item_is_known_if_half_of_its_values_stand_in_one_of_before():
    def lines(*items):
        fields = {"lines__count": (len(items), 0.9)}
        for n, starts in enumerate(items, start=1):
            for name, start in zip(("what", "qty", "unit"), starts, strict=True):
                fields[f"lines__{n}__{name}"] = (f"{name}{start}", 0.9, start)
        return known(**fields)

    schema = "lines [{what, qty, unit}]"
    first = lines((0, 10, 20))
    second = lines((0, 10, 90), (50, 60, 20))
    data = added(schema, first, second)
    assert [line["what"] for line in data["lines"]] == ["what0", "what50"]


# --- end to end ------------------------------------------------------------------------------

LONG = " ".join(
    f"Paragraph {n} is about nothing much, but it is here."
    + (" The maker is Nike." if n == 31 else "")
    + (f" There is a red thing{n}." if n % 10 == 5 else "")
    for n in range(40)
)


def test_the_error_says_how_many_tokens_over(model):
    with Extractor("maker", model, n_ctx=512, max_tokens=8) as extractor:
        with pytest.raises(ContextOverflowError, match=r"^document 1: (\d+) tokens over") as caught:
            extractor.extract(LONG)
        words = re.findall(r"\d+", str(caught.value))
        n_over, n_document, n_ctx, room = map(int, words[1:5])
        assert "set by n_ctx (-c)" in str(caught.value)
        assert "--on-overflow chunk" in str(caught.value)
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


def test_no_room_for_any_document_is_an_error_whatever_the_choice(model):
    for on_overflow in ("error", "chunk", "truncate"):
        with pytest.raises(ContextOverflowError, match="leaves none of the context of 256"):
            Extractor(
                [f"attribute{n}" for n in range(30)], model, n_ctx=256, on_overflow=on_overflow
            )


def test_a_document_beyond_the_models_training_is_too_long(tiny_model):
    short = tiny_model("qwen3", n_ctx_train=512)
    with (
        Extractor("maker", short, n_ctx=4096, max_tokens=8) as extractor,
        pytest.raises(ContextOverflowError, match="the context of 512") as caught,
    ):
        extractor.extract(LONG)
    assert "the model's, which was trained for no more" in str(caught.value)


@pytest.mark.parametrize(
    ("limit", "n_cells", "reason"),
    [
        (ContextLimit(8192, 32768, 0), 8192, "by hpd, as n_ctx (-c) is not: it can be raised, up"),
        (ContextLimit(4096, 32768, 4096), 4096, "by n_ctx (-c): it can be raised, up to the 32768"),
        (ContextLimit(4096, 0, 4096), 4096, "set by n_ctx (-c): it can be raised"),
        (ContextLimit(4096, 2048, 4096), 2048, "the model's, which was trained for no more"),
        (ContextLimit(2048, 2048, 0), 2048, "the model's, which was trained for no more"),
    ],
)
def test_the_limit_says_whose_it_is(limit, n_cells, reason):
    assert limit.n_cells == n_cells
    assert reason in limit.reason


def test_truncate_reads_the_beginning_and_says_so(model):
    with Extractor("maker", model, n_ctx=512, max_tokens=8, on_overflow="truncate") as extractor:
        long, short = extractor.extract_many([Document(LONG, "long"), Document("Nike", "short")])
        assert 100 < long.truncated_at < len(LONG)
        assert long.to_dict()["truncated_at"] == long.truncated_at
        assert "truncated_at" not in short.to_dict()
        assert 450 < long.usage.prompt_tokens <= 512 - 8
        assert long.data == extractor.extract(LONG[: long.truncated_at]).data
        # Not within a word.
        assert LONG[long.truncated_at] == " "


def test_chunks_are_put_together_with_spans_in_the_whole_document(model):
    n_requested = 0

    def known(text):
        nonlocal n_requested
        n_requested += 1
        return {
            "maker": "Nike" if "Nike" in text else None,
            "things": re.findall(r"thing\d+", text),
        }

    settings = {"n_ctx": 1024, "on_overflow": "chunk"}
    with Extractor("maker, things [str]", model, **settings) as extractor:
        give_answers(extractor, known)
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
    assert found.usage.n_chunks >= 2
    assert found.to_dict()["usage"]["chunks"] == found.usage.n_chunks
    assert n_requested > found.usage.n_chunks


def test_a_stack_that_is_too_long_is_taken_apart(model):
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
        assert long.usage.n_chunks > 1


def test_a_text_without_any_blank_is_cut_as_well(model):
    with Extractor("maker", model, n_ctx=512, max_tokens=8, on_overflow="chunk") as extractor:
        assert extractor.extract("日本語" * 800).error is None
        assert extractor.extract("\n" * 5000).error is None
        assert extractor.extract("x" * 5000).error is None


# --- sizes, passes and progress --------------------------------------------------------------

CHUNKS = {"n_ctx": 4096, "max_tokens": 8, "on_overflow": "chunk"}


def test_chunks_have_the_size_that_is_asked_for(model):
    n_tokens = []

    def known(text):
        n_tokens.append(len(text.split()))
        return {"maker": None}

    with Extractor("maker", model, **CHUNKS) as extractor:
        tokens = len(extractor.native_model.tokenize(LONG))
        assert extractor.extract(LONG).usage.n_chunks == 1
    for size in (100, 300):
        n_tokens.clear()
        with Extractor("maker", model, chunk_size=size, **CHUNKS) as extractor:
            give_answers(extractor, known)
            long, short = extractor.extract_many([LONG, "Nike"])
            # The overlap is an eighth, and a chunk ends with a sentence in its second half.
            assert tokens / size <= long.usage.n_chunks <= 2 * tokens / size / (7 / 8) + 1
            assert short.usage.n_chunks == 1


def test_the_pieces_are_no_longer_than_asked_for(model, monkeypatch):
    texts = []
    with Extractor("maker", model, chunk_size=100, **CHUNKS) as extractor:
        make = Prompt.__init__

        def noting(own, compiled_schema, documents, **rest):
            texts.extend(document.text for _, document in documents)
            make(own, compiled_schema, documents, **rest)

        monkeypatch.setattr(Prompt, "__init__", noting)
        extractor.extract(LONG)
        sizes = [len(extractor.native_model.tokenize(text)) for text in texts if text != LONG]
    assert len(sizes) > 5
    assert max(sizes) <= 100


@pytest.mark.parametrize(("n_ctx", "whose"), [(512, "by n_ctx"), (4096, "the model's")])
def test_chunks_that_cannot_fit_are_refused(tiny_model, n_ctx, whose):
    short = tiny_model("qwen3", n_ctx_train=1024)
    settings = {"max_tokens": 8, "on_overflow": "chunk", "n_ctx": n_ctx}
    with pytest.raises(
        ContextOverflowError, match=r"chunks of 2000 tokens .* do not fit"
    ) as caught:
        Extractor("maker", short, chunk_size=2000, **settings)
    assert whose in str(caught.value)
    by_category = {"a": ["maker"], "b": ["brand"]}
    with (
        Extractor(by_category, short, chunk_size=2000, **settings) as extractor,
        pytest.raises(ContextOverflowError, match="chunks of 2000 tokens"),
    ):
        extractor.extract(LONG * 20, category="a")


@pytest.mark.parametrize("settings", [{}, {"on_overflow": "truncate"}])
@pytest.mark.parametrize("option", [{"chunk_size": 100}, {"passes": 2}])
def test_without_chunks_their_options_are_refused(settings, option):
    with pytest.raises(OptionError, match=r"does nothing unless on_overflow"):
        Options(**settings, **option)


def test_a_later_pass_finds_what_a_cut_tore_apart(model):
    """The model finds a thing only in a chunk that has it with what stands before and behind it."""

    def known(text):
        whole = r"(?<=word )thing\d+(?= word word word word)"
        return {"things": re.findall(whole, text)}

    text = " ".join("word " * 5 + f"thing{n}" for n in range(80)) + " word word word word"
    found = {}
    for passes in (1, 2, 3):
        settings = {**CHUNKS, "chunk_size": 60, "passes": passes}
        with Extractor("things [str]", model, **settings) as extractor:
            give_answers(extractor, known)
            extraction = extractor.extract(text)
        found[passes] = extraction.data["things"]
        assert len(set(found[passes])) == len(found[passes])
        for n, thing in enumerate(found[passes]):
            field = extraction.fields[f"things[{n}]"]
            assert text[field.start : field.end] == thing
    assert len(found[1]) < len(found[2]) <= len(found[3])
    assert found[2][: len(found[1])] == found[1]


def test_progress_is_told_by_chunk(model):
    told = []
    settings = {**CHUNKS, "chunk_size": 100, "passes": 2}
    with Extractor("maker", model, **settings) as extractor:
        found = dict(
            extractor.iter_indexed(["Nike", LONG], on_chunk=lambda *progress: told.append(progress))
        )
    n = found[1].usage.n_chunks
    assert told == [(1, done, n) for done in range(n + 1)]
