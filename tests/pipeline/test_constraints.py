"""Constraints in the engine's form: choices as tokens, and quotes of a short document."""

import json
import re

import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

import strategies
from gbnf import Vocabulary
from hpd.pipeline.questionnaire import Constraints, quote_rule
from hpd.schema.attributes import Attribute
from hpd.schema.one_line import parse_one_line
from hpd.values.grammar import value_grammar


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
    choices = Constraints(Tokens(*longer)).of(attribute).choices
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
@given(st.text('ab "\\é-\x7f', min_size=1, max_size=9).filter(str.strip), st.data())
def test_free_text_is_quoted_from_a_short_document(vocabulary, whole, data):
    grammar = (value_grammar(Attribute("a"), is_quoted=True) or "") + quote_rule(whole)
    places = [match.span() for match in re.finditer(r"\w+|[^\w\s]", whole)]
    parts = {
        re.sub(" +", " ", whole[start:end])
        for start, _ in places
        for _, end in places
        if start < end
    }
    for text in parts | {data.draw(st.text('ab "\\é-', max_size=5))}:
        raw = f" {json.dumps(text, ensure_ascii=False)}"
        assert vocabulary.accepts(grammar, raw) == (text in parts), text
    assert vocabulary.accepts(grammar, " null")
