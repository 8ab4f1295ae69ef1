"""Documents that are too long: the error, the cut, and chunks whose values are put together."""

import itertools
import re
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hpd.documents import Document
from hpd.errors import ContextOverflowError, OptionError
from hpd.models.gguf_files import read_gguf_header
from hpd.models.model_files import bundled_model
from hpd.options import Options
from hpd.pipeline import chunking
from hpd.pipeline.chunking import Chunk, TextSplitter, add_pass, fitting_length, merge_chunks
from hpd.pipeline.document_values import DocumentValues
from hpd.pipeline.prompt_maker import ContextLimit, finetuned_length
from hpd.pipeline.prompts import Prompt
from hpd.results import FieldValue
from hpd.schema import load_schema
from hpd.schema.attributes import Attribute, Schema
from hpd.values.words import is_joined
from small_extractor import SmallExtractor as Extractor
from small_extractor import give_answers


def n_words(text):
    return max(1, len(text.split()))


def split_text(text, room, count_tokens, first_room=None):
    return TextSplitter(text, count_tokens).chunks(room, first_room or room)


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


# --- tables ----------------------------------------------------------------------------------

HEADER = "Date      Description               Amount     Balance"
ROWS = [
    f"{n:02} May    Fresh Foods Co. No. {n:02}      -{n}.50      {900 - n}.00" for n in range(1, 31)
]
STATEMENT = "\n".join(["Bank of Nowhere", "", HEADER, *ROWS])


def lines_of(part, text):
    """The lines of a chunk without its head."""
    return text[part.start : part.end].strip("\n").split("\n")


@pytest.mark.parametrize(
    "rows",
    [
        ROWS,
        [f"2024-05-{n:02},Fresh Foods Co. Ltd. {n},{n}.50" for n in range(1, 31)],
        [f"{n};Fresh Foods Co. No. {n};{n},50" for n in range(1, 31)],
        [f"| {n} | Fresh Foods Co. No. {n} | {n}.50 |" for n in range(1, 31)],
        [f"{n}\tFresh Foods Co. No. {n}\t{n}.50" for n in range(1, 31)],
        [f"Shop {n}: Fresh Foods Co. No. {n} in Main St. {n}" for n in range(1, 31)],
    ],
)
@pytest.mark.parametrize("room", [14, 40, 75])
def test_no_row_is_cut(rows, room):
    text = "\n".join(rows)
    parts = split_text(text, room, n_words)
    assert len(parts) > 1
    for part in parts:
        assert set(lines_of(part, text)) <= set(rows)


@pytest.mark.parametrize("room", [40, 64])
@pytest.mark.parametrize(
    "second",
    ["          card 4711, terminal 12", "card 4711, terminal 12", "          to: A. B. Smith"],
)
def test_a_row_of_two_lines_is_not_cut(second, room):
    text = "\n".join([HEADER, *(f"{row}\n{second}" for row in ROWS)])
    for part in split_text(text, room, n_words):
        lines = lines_of(part, text)
        assert lines[-1] == second
        assert lines[0] in (HEADER, *ROWS)


def test_a_quoted_cell_of_two_lines_and_a_record_are_not_cut():
    rows = [f'{n},"Fresh Foods,\nMain St. {n}",{n}.50' for n in range(1, 31)]
    csv = "\n".join(["number,shop,amount", *rows])
    for part in split_text(csv, 31, n_words):
        assert lines_of(part, csv)[-1].startswith("Main St.")
    records = "\n".join(f"Name: Ada No. {n}\nRole: Clerk\nCity: St. Gallen" for n in range(30))
    for part in split_text(records, 31, n_words):
        lines = lines_of(part, records)
        assert (lines[0][:5], lines[-1]) == ("Name:", "City: St. Gallen")


def test_a_chunk_within_a_table_has_its_header():
    parts = split_text(STATEMENT, 80, n_words)
    assert len(parts) > 3
    assert parts[0].of(STATEMENT).startswith("Bank of Nowhere\n\nDate ")
    for part in parts:
        own = part.of(STATEMENT)
        assert n_words(own) <= 80
        assert own.count(HEADER) == 1
    for part in parts[1:]:
        title, header, row = part.of(STATEMENT).split("\n")[:3]
        assert (title, header) == ("Bank of Nowhere", HEADER)
        assert row in ROWS


@pytest.mark.parametrize("room", [60, 80, 120])
def test_a_table_goes_on_behind_a_page_break(room):
    foot = ["", "Page 1 of 2", "", "Bank of Nowhere            Account 12", ""]
    plain = "\n".join([HEADER, *ROWS[:15], *foot, *ROWS[15:]])
    assert all(part.of(plain).count(HEADER) == 1 for part in split_text(plain, room, n_words))
    # A page with its own header does not get another one.
    repeated = "\n".join([HEADER, *ROWS[:15], *foot, HEADER, *ROWS[15:]])
    for part in split_text(repeated, room, n_words):
        own = part.of(repeated).split("\n")
        first_row = next(n for n, line in enumerate(own) if line in ROWS)
        assert own[:first_row].count(HEADER) == 1


def test_the_commas_of_numbers_and_names_do_not_hide_a_header():
    rows = [f"Bank No. {n}, Inc.          $1,234,567.{n}" for n in range(10, 40)]
    text = "\n".join(["Lender                     Commitment", *rows])
    parts = split_text(text, 60, n_words)
    assert len(parts) > 1
    assert all(part.of(text).startswith("Lender  ") for part in parts)


def test_a_header_fits_rows_further_below():
    header = "                         31 May 2025      31 May 2024"
    signs = "                       €       €        €        €"
    rows = [
        f"{'No.' + ' of many items' * (n % 2):26}{n}.00            {n}.50" for n in range(10, 40)
    ]
    text = "\n".join([header, signs, "", "Assets", "Fixed assets   (1)", *rows])
    parts = split_text(text, 60, n_words)
    assert len(parts) > 1
    for part in parts[1:]:
        assert part.of(text).startswith(f"{header}\n{signs}\n")


def test_headers_of_two_lines_of_csv_and_of_tables_of_words():
    double = "\n".join(["Booking   Text                  In EUR", HEADER, *ROWS])
    csv = "\n".join(["date,shop,amount", *(f"2024-05-{n:02},Shop,{n}.5" for n in range(1, 31))])
    bars = "\n".join(["| a | b |", "|---|---|", *(f"| {n} | {n} |" for n in range(30))])
    words = "\n".join(["Name      Role      City", *["Ada       Clerk     Paris"] * 40])
    for text, n_lines in ((double, 2), (csv, 1), (bars, 2), (words, 1)):
        header = "\n".join(text.split("\n")[:n_lines]) + "\n"
        parts = split_text(text, 60, n_words)
        assert len(parts) > 1 or text is csv
        assert all(part.of(text).startswith(header) for part in parts)
    prose = "\n\n".join(["Ada said: it is 12.", "One, two, three. Four, five."] * 20)
    assert not any(part.head for part in split_text(prose, 30, n_words))


def test_a_header_that_takes_too_much_room_is_not_repeated():
    parts = split_text(STATEMENT, 14, n_words)
    assert not any(part.head for part in parts)


def test_spans_in_a_head_point_to_the_original():
    part = split_text(STATEMENT, 80, n_words)[1]
    own = part.of(STATEMENT)
    row = lines_of(part, STATEMENT)[0]
    for text in ("Bank of Nowhere", "Balance", row, own.split("\n")[-1]):
        start = own.index(text)
        low, high = part.origin(STATEMENT, start, start + len(text))
        assert STATEMENT[low:high] == text
    at = own.index("Nowhere")
    assert part.origin(STATEMENT, at, at + len("Nowhere\nDate")) is None


@given(texts, st.integers(1, 60))
def test_every_span_of_a_chunk_is_that_text(text, room):
    for part in split_text(text, room, len):
        own = part.of(text)
        for start in range(0, len(own), 7):
            span = part.origin(text, start, min(len(own), start + 3))
            assert span is None or text[slice(*span)] == own[start : start + 3]


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


def rows(*found):
    """Rows with a text and an amount, each by the text and where it stands."""
    fields = {"rows__count": (len(found), 0.9)}
    for n, (what, start) in enumerate(found, start=1):
        fields[f"rows__{n}__what"] = (what, 0.9, start)
        fields[f"rows__{n}__amount"] = (12.5, 0.9, start + 20)
    return known(**fields)


def whats(merged):
    return [merged.fields[path].value for path in sorted(merged.fields, key=str) if "what" in path]


def test_equal_rows_at_two_places_are_two_and_one_read_twice_is_one():
    schema = load_schema("rows [{what, amount float}]")
    first = rows(("tea", 0), ("cake", 50), ("tea", 100))
    second = rows(("tea", 100), ("tea", 150), ("jam", 200))
    found = merge_chunks(schema, [first, second], "x" * 300, [0, 90])
    assert whats(found) == ["tea", "cake", "tea", "tea", "jam"]
    starts = [found.fields["rows", str(n), "what"].start for n in range(1, 6)]
    assert starts == [0, 50, 100, 150, 200]


def test_a_row_that_was_cut_gives_way_to_the_whole_one_and_order_is_that_of_the_text():
    schema = load_schema("rows [{what, amount float}]")
    first = rows(("jam", 0), ("tea", 100))
    first.fields["rows", "2", "amount"] = FieldValue(0.9)
    second = rows(("tea", 100), ("cake", 60))
    found = merge_chunks(schema, [first, second], "x" * 300, [0, 55])
    assert whats(found) == ["jam", "cake", "tea"]
    assert found.fields["rows", "3", "amount"].value == 12.5


def test_a_row_that_stands_only_in_the_repeated_header_is_not_one_of_the_chunk():
    schema = load_schema("rows [{what, amount float}]")
    found = merge_chunks(schema, [rows(("tea", 0)), rows(("tea", 0), ("jam", 90))], "", [0, 80])
    assert whats(found) == ["tea", "jam"]


def test_names_in_running_text_are_listed_once_but_not_those_of_rows():
    names = known(names__count=(1, 0.9), names__1=("Ada", 0.9, 0))
    again = known(names__count=(1, 0.9), names__1=("Ada", 0.9, 60))
    text = "Ada met Bob there, and they talked about all of it. Then he left. Ada stayed."
    assert (
        len(whole_list(merge_chunks(load_schema("names [str]"), [names, again], text, [0, 50])))
        == 1
    )
    table = "\n".join([f"Ada             {n}.00     {n}.50" for n in range(9)])
    at = table.index("Ada", 60)
    again = known(names__count=(1, 0.9), names__1=("Ada", 0.9, at))
    found = merge_chunks(load_schema("names [str]"), [names, again], table, [0, at - 1])
    assert len(whole_list(found)) == 2


def whole_list(values):
    return [path for path in values.fields if path[-1].isdecimal()]


def test_a_label_beside_a_value_is_surer_than_one_somewhere_before_it():
    text = "Balance, opening and closing, in May 100.00 or 146.00\n\nClosing balance EUR 286.00"
    far = known(closing_balance=(146.0, 0.9, text.index("146")))
    beside = known(closing_balance=(286.0, 0.5, text.index("286")))
    schema = Schema((Attribute("closing_balance", "number"),))
    for parts in ([far, beside], [beside, far]):
        assert merge_chunks(schema, parts, text).fields["closing_balance",].value == 286.0


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
        with pytest.raises(ContextOverflowError, match=r"^(\d+) tokens over") as caught:
            extractor.extract(LONG)
        words = re.findall(r"\d+", str(caught.value))
        n_over, n_document, n_ctx, room = map(int, words[:4])
        assert "set by n_ctx (-c)" in str(caught.value)
        assert "; or have long documents cut" in str(caught.value)
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
    assert "the model's, which was trained for no more; have long" in str(caught.value)


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
    assert set(found[1]) < set(found[2])
    assert all(things == sorted(things, key=text.index) for things in found.values())


def test_a_value_in_a_repeated_header_stands_in_the_original_one(model):
    asked = []

    def known(text):
        asked.append(text)
        rows = re.findall(r"(\d\d May) +(Fresh.*?)  +-(\S+) ", text)
        return {
            "balance_column": "Balance" if "Balance" in text else None,
            "rows": [{"day": d, "what": w, "amount": float(a)} for d, w, a in rows],
        }

    # The header is only in the first chunk, but the others have it as well.
    text = "\n".join(["Bank of Nowhere", "", HEADER, *ROWS, *ROWS])
    schema = "balance_column, rows [{day str, what, amount float}]"
    with Extractor(schema, model, chunk_size=300, **CHUNKS) as extractor:
        give_answers(extractor, known)
        found = extractor.extract(text)
    assert found.usage.n_chunks > 3
    assert all(HEADER in part for part in asked if "May" in part)
    field = found.fields["balance_column"]
    assert (field.start, field.end) == (text.index("Balance"), text.index("Balance") + 7)
    starts = [found.fields[f"rows[{n}].day"].start for n in range(len(found.data["rows"]))]
    assert starts == [match.start() for match in re.finditer(r"\d\d May", text)]


class File:
    """What a model file says."""

    def __init__(self, said, adapter=""):
        self.said = said
        self.adapter = adapter

    def metadata(self, key):
        return self.said.get(key, "")

    def lora_metadata(self, key):
        return [self.adapter] if self.adapter and key == "hpd.length" else []


def test_a_file_says_how_long_the_texts_were_that_its_model_was_taught():
    said = read_gguf_header(bundled_model()).metadata
    assert finetuned_length(File(said)) == 900
    assert finetuned_length(File({**said, "hpd.length": "1200"})) == 1200
    assert finetuned_length(File(said, adapter="2000")) == 2000
    assert finetuned_length(File({})) == 0


def test_what_is_longer_than_a_model_was_taught_is_cut_into_small_chunks(model, monkeypatch):
    monkeypatch.setattr("hpd.pipeline.pipeline.finetuned_length", lambda _: 500)
    with Extractor("maker", model, **CHUNKS) as extractor:
        n_tokens = len(extractor.native_model.tokenize(LONG))
        long, short = extractor.extract_many([LONG, LONG[: len(LONG) // 10]])
    assert long.usage.n_chunks >= n_tokens / 256
    assert short.usage.n_chunks == 1
    with Extractor("maker", model, n_ctx=4096, max_tokens=8) as extractor:
        assert extractor.extract(LONG).usage.n_chunks == 1


def pages(n, n_lines=3):
    """A table over some pages, with a number of its own in each row."""
    made = ["Bank of Nowhere", "", HEADER]
    for page in range(n):
        numbers = range(page * n_lines, (page + 1) * n_lines)
        made += [
            f"{1 + i % 28:02} May    Shop {i:05}                -5.50     {i}.25" for i in numbers
        ]
        made += ["", f"Page {page + 1}", ""]
    return "\n".join(made)


def work_for(model, schema, text, known):
    """What an extraction found, and the tokens and chunks that it took."""
    settings = {**CHUNKS, "chunk_size": 400, "max_tokens": 32}
    with Extractor(schema, model, **settings) as extractor:
        give_answers(extractor, known)
        found = extractor.extract(text)
    usage = found.usage
    return found, (usage.prompt_tokens, usage.completion_tokens, usage.n_chunks)


def test_the_work_for_a_needle_grows_with_the_length(model):
    work = {}
    for n in (50, 100):
        text = pages(n).replace("Page 40\n", "Page 40\n\nThe secret word is xylophone.\n")

        def known(part):
            return {"secret_word": "xylophone" if "xylophone" in part else None}

        found, work[n] = work_for(model, "secret_word", text, known)
        field = found.fields["secret_word"]
        assert (field.value, field.start) == ("xylophone", text.index("xylophone"))
    for half, whole in zip(work[50], work[100], strict=True):
        assert 1.6 * half < whole < 2.4 * half


def test_the_work_for_a_list_grows_with_its_length(model):
    def known(part):
        return {"rows": [{"shop": shop} for shop in re.findall(r"Shop \d+", part)]}

    work = {}
    for n in (10, 20):
        found, work[n] = work_for(model, "rows [{shop}]", pages(n, 8), known)
        assert [row["shop"] for row in found.data["rows"]] == [f"Shop {i:05}" for i in range(8 * n)]
    for half, whole in zip(work[10], work[20], strict=True):
        assert 1.6 * half < whole < 2.4 * half


def test_merging_compares_only_items_of_neighbouring_chunks(monkeypatch):
    n_compared = Counter()
    compare = chunking.spans_overlap

    def counting(one, other):
        n_compared[size] += 1
        return compare(one, other)

    monkeypatch.setattr(chunking, "spans_overlap", counting)
    schema = load_schema("rows [{what, amount float}]")
    for size in (50, 100):
        parts = [rows(*(("tea", 1000 * n + 100 * i) for i in range(11))) for n in range(size)]
        found = merge_chunks(schema, parts, "", [1000 * n for n in range(size)])
        assert len(whats(found)) == 10 * size + 1
        again = merge_chunks(schema, parts, "", [1000 * n for n in range(size)])
        add_pass(schema, found, again)
        assert len(whats(found)) == 10 * size + 1
    assert n_compared[100] < 2.2 * n_compared[50]


def test_progress_is_told_by_chunk(model):
    told = []
    settings = {**CHUNKS, "chunk_size": 100, "passes": 2}
    with Extractor("maker", model, **settings) as extractor:
        found = dict(
            extractor.iter_indexed(["Nike", LONG], on_chunk=lambda *progress: told.append(progress))
        )
    n = found[1].usage.n_chunks
    assert told == [(1, done, n) for done in range(n + 1)]
