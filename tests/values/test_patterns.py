"""Patterns that no text may keep busy."""

from __future__ import annotations

import re
import warnings

import pytest

import hpd
from hpd.schema import load_schema
from hpd.schema.formats import matches
from hpd.values import parse_value


@pytest.mark.outcome(
    "schemas",
    "a pattern would take for ever on a value, as `^(a+)+$` does",
    "an error of that field, soon",
)
@pytest.mark.parametrize("pattern", ["^(a+)+$", "^(a|a)*$", "^(.*a){20}$", r"^(\w+\s?)*$"])
def test_a_pattern_that_explodes_is_an_error_of_its_value(pattern: str) -> None:
    schema = load_schema(
        {"type": "object", "properties": {"code": {"type": "string", "pattern": pattern}}}
    )
    parsed = parse_value('"' + "a" * 60 + '!"', schema.attributes[0])
    assert parsed.value is None
    assert parsed.error is not None


def test_repetitions_within_each_other_are_no_grammar() -> None:
    """llama.cpp refuses such a grammar, so the value is checked when it is there."""
    pattern = "^((a{1,50}){1,50})$"
    schema = {"type": "object", "properties": {"code": {"type": "string", "pattern": pattern}}}
    with hpd.Extractor(schema) as extractor:
        assert extractor.extract("The code is aaaa.").error is None


@pytest.mark.parametrize(
    ("pattern", "text", "is_match"),
    [
        ("^[A-Z]{2}-\\d+$", "AB-12", True),
        ("^[A-Z]{2}-\\d+$", "ab-12", False),
        ("(?<=a)b", "ab", True),
        ("(?i)straße", "STRASSE", False),
        ("[[a]", "[", True),
        ("a||b", "", True),
        ("[a&&b]", "&", True),
        ("\\bfoo\\b", "a foo.", True),
    ],
)
def test_patterns_mean_what_they_mean_in_python(pattern: str, text: str, is_match: bool) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert (re.search(pattern, text) is not None) == is_match
    assert matches(pattern, text) == is_match


@pytest.mark.parametrize(("char", "is_match"), [("²", False), ("½", False), ("\u0301", True)])
def test_a_word_character_is_the_one_of_unicode(char: str, is_match: bool) -> None:
    assert (re.search(r"^\w$", char) is not None) != is_match
    assert matches(r"^\w$", char) == is_match
