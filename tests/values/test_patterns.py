"""Patterns that no text may keep busy."""

import json
import random
import re
import warnings

import pytest
import regex

import hpd
from gbnf import Vocabulary, to_regex
from hpd.schema import load_schema, scalars
from hpd.schema.attributes import Attribute
from hpd.schema.scalars import matches
from hpd.values.grammar import value_grammar
from hpd.values.parsing import parse_value
from tools.types_page import unconstrained


@pytest.mark.parametrize("pattern", ["^(a+)+$", "^(a|a)*$", "^(.*a){20}$", r"^(\w+\s?)*$"])
def test_a_pattern_that_explodes_is_an_error_of_its_value(pattern, monkeypatch):
    monkeypatch.setattr(scalars, "PATTERN_SECONDS", 0.1)
    schema = load_schema(
        {"type": "object", "properties": {"code": {"type": "string", "pattern": pattern}}}
    )
    parsed = parse_value('"' + "a" * 60 + '!"', schema.attributes[0])
    assert parsed.value is None
    assert parsed.error is not None


def test_repetitions_within_each_other_are_no_grammar():
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
def test_patterns_mean_what_they_mean_in_python(pattern, text, is_match):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert (re.search(pattern, text) is not None) == is_match
    assert matches(pattern, text) == is_match


@pytest.mark.parametrize(("char", "is_match"), [("²", False), ("½", False), ("\u0301", True)])
def test_a_word_character_is_the_one_of_unicode(char, is_match):
    assert (re.search(r"^\w$", char) is not None) != is_match
    assert matches(r"^\w$", char) == is_match


PATTERNS = re.split(
    " {2}|\n",  # two blanks, or the end of a line
    r"""
^\S+ Coat$  \S  ^\D+$  ^\W*$  ^[^\s]+$  ^[^\d]{1,4}$  ^\w+$  ^\d+$  ^[\w.-]+$  ^[^\w]+$
^[\W\d]+$  ^\s*\w\s*$  ^\p{L}+$  ^\p{Lu}\p{Ll}*$  ^[\p{L}\p{N}' -]+$  ^\P{L}+$  ^[^\p{L}]$
^\pL\pN?$  ^\p{Script=Greek}+$  ^\p{Han}  ^(?<year>\d{4})-(?<month>\d\d)$  ^.{1,3}$  .
a.b  ^[^,]+$  ^[^a-zé]*$  ^["\\]+$  \\  "  ^\d+" x \d+"$  ^(a|é|日)+$  ^x|y$
^(?:[A-Z]{2}|\d)-?$  ^[A-ZÄÖÜ][a-zäöüß]+$  \t  ^[ -~]+$  ^[\u0400-\u04ff]+$
^[\u3040-\u30ff]+$  [^ -~]  ^$  ^[\S\s]$
""".strip(),
)
ALPHABETS = [
    *"""
aZ09_ -.,'"
ab.x yÖéßñçÅØ
абвЖЯё
αβΩή
日本語カナ한글
אבגعربي٣٤
हिन्दी१
ไทย๒
½²ⅫǅʰªⅣ
😀👩🏽𝒜𐍈𑄶
12" x-
AB-12é
""".strip().split("\n"),
    *['"\\/\t\n\r\b', "\u00a0\u2003\u3000\u200b\u0301\u0308"],
]


def written_as_json(text):
    return f" {json.dumps(text, ensure_ascii=False)}"


def compared(pattern, n_texts, rng):
    """How many made texts have been tried, of which the grammar accepts just those it should."""
    attribute = Attribute("a", pattern=pattern)
    assert "pattern" not in unconstrained(attribute), pattern
    accepted, wanted = to_regex(value_grammar(attribute)), regex.compile(pattern)
    for _ in range(n_texts):
        alphabet = "".join(rng.sample(ALPHABETS, rng.choice((1, 1, 2))))
        text = "".join(rng.choices(alphabet, k=rng.choice((0, 1, 1, 2, 3, 4, 7))))
        if rng.random() < 0.1:
            text = rng.choice(("Öhlins Coat", '12" x 8"', "2024-05", "Grün", "Ωμέγα", text))
        if text.endswith("\n"):
            continue  # $ is before it, too, but not in JavaScript
        is_accepted = accepted.fullmatch(written_as_json(text)) is not None
        assert is_accepted == (wanted.search(text) is not None), (pattern, text)
    return n_texts


def test_a_grammar_accepts_what_its_pattern_is_found_in():
    rng = random.Random(1)
    assert sum(compared(pattern, 60, rng) for pattern in PATTERNS) > 2000


def test_letters_of_all_scripts_and_what_json_escapes_can_be_written(tiny_model):
    vocabulary = Vocabulary(tiny_model("qwen3"))
    for pattern, text in (
        (r"^\S+ Coat$", "Öhlins Coat"),
        (r"^[^,]+$", '12" x 8"'),
        (r"^\W+$", "。"),
        (r"^\w+$", "日本語"),
        (r"^\p{L}+$", "Ελλάδα"),
        (r"^(?<a>[^/]+)$", "C:\\x"),
    ):
        grammar = value_grammar(Attribute("a", pattern=pattern))
        assert vocabulary.accepts(grammar, written_as_json(text)), pattern
    vocabulary.close()
