"""Constraints in the engine's form: choices as tokens."""

from __future__ import annotations

import re
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hpd.pipeline.questionnaire import Constraints, _continued
from hpd.schema.one_line import parse_one_line


class Tokens:
    """A model's vocabulary, as far as constraints ask for it: letters, and some longer tokens."""

    def __init__(self, *longer: str) -> None:
        self._pattern = re.compile("|".join([*map(re.escape, longer), "."]))

    def tokenize(self, text: str) -> list[str]:
        return self._pattern.findall(text)


def spellings(schema: str, *longer: str) -> set[str]:
    """The tokens of all choices, with a bar between two."""
    attribute = parse_one_line(schema)[0]
    choices = Constraints(cast(Any, Tokens(*longer))).of(attribute).choices
    return {"|".join(map(str, choice)) for choice in choices}


def test_a_choice_that_goes_on_as_another_may_end_with_its_delimiter() -> None:
    assert {' |"|r|e|d|"', ' |"|r|e|d|",', ' |"|r|e|d|"}'} <= spellings(
        "color [red|red wine]!", '",', '"}'
    )


@pytest.mark.parametrize("schema", ["color [red|blue]!", "is_new bool!"])
def test_other_choices_have_one_spelling(schema: str) -> None:
    assert len(spellings(schema, '",', '"}')) == 3  # with null


def test_a_delimiter_that_is_a_token_of_its_own_adds_no_spelling() -> None:
    assert len(spellings("color [red|red wine]!")) == 3  # with null


@given(
    st.lists(st.text("ab ", max_size=4).map(lambda text: f'"{text}"') | st.just("1"), max_size=9)
)
def test_choices_that_go_on_are_those_of_the_obvious_way(texts: list[str]) -> None:
    assert _continued(texts) == {
        text
        for text in texts
        if text.endswith('"')
        and any(other != text and other.startswith(text[:-1]) for other in texts)
    }
