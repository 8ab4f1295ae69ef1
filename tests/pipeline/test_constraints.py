"""Constraints in the engine's form: choices as tokens, and quotes of a short document."""

import json
import re
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

import strategies
from gbnf import Vocabulary
from hpd.pipeline.compiled_schema import Constraints
from hpd.schema.attributes import Attribute
from hpd.schema.one_line import parse_one_line
from hpd.values.grammar import value_grammar
from hpd.values.quotes import ordered_list_grammar, ordered_part, quote_rule
from hpd.values.words import quotable_pieces


def no_values(_):
    """Let an attribute have any value of its type."""


class Tokens:
    """A model's vocabulary, as far as constraints ask for it: letters, and some longer tokens."""

    def __init__(self, *longer):
        self._pattern = re.compile("|".join([*map(re.escape, longer), "."]))

    def tokenize(self, text):
        return self._pattern.findall(text)

    def piece(self, token):
        return token.encode()


def spellings(schema, *longer):
    """The tokens of all choices, with a bar between two."""
    attribute = parse_one_line(schema)[0]
    choices = Constraints(Tokens(*longer)).constraint_for(attribute).choices
    return {"|".join(map(str, choice)) for choice in choices}


def test_a_choice_is_spelled_with_a_blank_and_without_and_with_what_its_last_token_may_hold():
    assert spellings("grade [A|B]!", '",', 'A"') == {
        ' |"|A"', '"|A"', " |n|u|l|l", "n|u|l|l",
        ' |"|B|"', '"|B|"', ' |"|B|",', '"|B|",',
    }  # fmt: skip


def test_tokens_that_do_not_cut_into_a_choice_add_no_spelling():
    assert len(spellings("color [red|red wine]!")) == 6  # with null


@pytest.fixture(scope="module")
def vocabulary(tiny_model):
    opened = Vocabulary(tiny_model("qwen3"))
    yield opened
    opened.close()


@strategies.part_of_examples(0.4, suppress_health_check=list(HealthCheck))
@given(st.text('ab "\\é-\x7f号ก\u0301', min_size=1, max_size=9).filter(str.strip), st.data())
def test_free_text_is_quoted_from_a_short_document(vocabulary, whole, data):
    grammar = (value_grammar(Attribute("a"), is_quoted=True) or "") + quote_rule(whole)
    places = quotable_pieces(whole)
    parts = {
        re.sub(" +", " ", whole[start:end])
        for start, _ in places
        for _, end in places
        if start < end
    }
    # The backslash before a quotation mark may be JSON's own.
    parts |= {part.replace('\\"', '"') for part in parts}
    for text in parts | {data.draw(st.text('ab "é-号ก', max_size=5))}:
        raw = f" {json.dumps(text, ensure_ascii=False)}"
        assert vocabulary.accepts(grammar, raw) == (text in parts), text
    assert vocabulary.accepts(grammar, " null")


@pytest.mark.parametrize(
    ("document", "value"),
    [
        ("订单号A1023已发货", "A1023"),
        ("姓名李明，电话13800001111", "李明"),  # noqa: RUF001
        ("姓名李明，电话13800001111", "13800001111"),  # noqa: RUF001
        ("担当は田中太郎です", "田中太郎"),
        ("製品ABC-12を出荷", "ABC-12"),
        ("서울에서 김민수가 주문", "김민수"),
        ("주문번호A77을", "A77"),
        ("สั่งโดยสมชายที่กรุงเทพ", "สมชาย"),
        ("ราคา๑๒๓บาท", "๑๒๓"),
        ("وصل بالقاهرة", "القاهرة"),
        ("הגיע לתל אביב", "תל אביב"),
        ("модельX500", "X500"),  # noqa: RUF001
        ("Mme Dupre\u0301 est", "Dupre\u0301"),
        ("Mme Dupre\u0301 est", "Dupr\u00e9"),
        ("Nguye\u0302\u0303n Va\u0306n", "Nguy\u1ec5n V\u0103n"),
        ("File C:\\Users\\bo\\table.txt is open", "C:\\Users\\bo\\table.txt"),
        ('{"name": "Ann \\"Annie\\" Lee"}', 'Ann "Annie" Lee'),
    ],
)
def test_a_quote_may_begin_and_end_within_what_a_script_writes_together(
    vocabulary, document, value
):
    grammar = (value_grammar(Attribute("a"), is_quoted=True) or "") + quote_rule(document)
    assert vocabulary.accepts(grammar, f" {json.dumps(value, ensure_ascii=False)}")


@pytest.mark.parametrize(
    ("document", "value"),
    [
        ("Dupre\u0301", "Dupre"),
        ("น้ำ", "น"),
        ("价格12345元", "123"),
        ("ราคา๑๒๓", "๑๒"),
        ("A1023", "A1"),
        ("Москва", "Моск"),
    ],
)
def test_a_quote_ends_within_no_number_letter_or_word(vocabulary, document, value):
    grammar = (value_grammar(Attribute("a"), is_quoted=True) or "") + quote_rule(document)
    assert not vocabulary.accepts(grammar, f" {json.dumps(value, ensure_ascii=False)}")


@pytest.mark.parametrize("path", ["C:\\Users\\bo\\table.txt", "\\\\srv\\x", "a\\\n b", "D:\\ x"])
def test_a_path_may_be_quoted_with_its_own_backslashes(vocabulary, path):
    grammar = (value_grammar(Attribute("a"), is_quoted=True) or "") + quote_rule(f"at {path} now")
    for raw in (path.replace("\\", "\\\\"), path):
        text = re.sub(r"\s+", " ", raw)
        assert vocabulary.accepts(grammar, f' "{text}"')
    assert not vocabulary.accepts(grammar, ' "\\"')
    last = quote_rule('say "C:\\"')
    grammar = (value_grammar(Attribute("a"), is_quoted=True) or "") + last
    assert vocabulary.accepts(grammar, ' "C:\\\\"')
    assert not vocabulary.accepts(grammar, ' "C:\\"')


@strategies.part_of_examples(0.4, suppress_health_check=list(HealthCheck))
@given(
    st.lists(st.sampled_from(["a", "b", "ab", "é", "号", "1"]), min_size=1, max_size=6), st.data()
)
def test_listed_quotes_follow_each_other_in_the_document(vocabulary, words, data):
    whole = " ".join(words)
    (array,) = parse_one_line("tags [str]")
    items = data.draw(
        st.lists(st.sampled_from(["a", "b", "ab", "a b", "é", "号", "1", "x"]), max_size=4)
    )
    # The slow reference: each item is the first one behind the last.
    position, is_stated = 0, True
    for item in items:
        found = re.compile(rf"(?<!\S){re.escape(item)}(?!\S)").search(whole, position)
        position, is_stated = (found.end(), is_stated) if found else (position, False)
    grammar = ordered_list_grammar(array, array.item, whole, no_values)
    raw = f" {json.dumps(items, ensure_ascii=False)}"
    assert vocabulary.accepts(grammar, raw) == is_stated, (whole, items)
    assert vocabulary.accepts(grammar, " null")


def test_a_list_that_may_not_be_null_has_an_item(vocabulary):
    array = replace(*parse_one_line("tags [str]"), forbids_null=True)
    grammar = ordered_list_grammar(array, array.item, "a, b", no_values)
    assert vocabulary.accepts(grammar, ' ["a","b"]}')
    assert not vocabulary.accepts(grammar, " []")
    assert not vocabulary.accepts(grammar, " null")
    assert not ordered_list_grammar(array, array.item, " ", no_values)


@pytest.mark.parametrize(
    ("names", "is_ordered"),
    [
        (["Ann", "Bob", "Eva"], True),
        (["Ann", "Eva"], True),
        (["Bob", "Ann"], False),
        (["Ann", "Bob", "Ann"], False),
        (["Hot food", "Hot food", "Cold"], True),
        (["Hot food", "Cold", "Hot food"], False),
        (["Ann", None, "Bob", None], True),
        (["Bob", None, "Ann"], False),
        (["a very long heading over rows"] * 2, False),
        ([], True),
    ],
)
def test_the_first_texts_of_listed_objects_are_in_order(vocabulary, names, is_ordered):
    (array,) = parse_one_line("rows [{n int, name, size}]")
    document = "1 Ann S, 2 Bob M, 3 Eva L. Hot food: 1 2. Cold: 3. a very long heading over rows"
    grammar = ordered_list_grammar(array, ordered_part(array), document, no_values)
    rows = [{"n": 1, "name": name, "size": "S"} for name in names]
    assert vocabulary.accepts(grammar, f" {json.dumps(rows)}") == is_ordered
