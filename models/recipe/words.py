"""Make up values of the same form, which a model can only copy.

The handwritten documents have a few thousand values. A model that reads them again and again in
lists and short texts learns them by heart, and writes one of them in place of what a text says.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable
from functools import lru_cache
from random import Random

_MAX_WORD = 14
"""Longest word, in letters."""
_PIECES = re.compile(r"[^\W\d_]+|\d+")
_STARTS = (
    *"bdfghjklmnprstvwz", "br", "ch", "dr", "gl", "kr", "pl", "sch", "sh", "st", "th", "tr", "",
)  # fmt: skip
_VOWELS = ("a", "e", "i", "o", "u", "a", "e", "i", "o", "ai", "ee", "ie", "ou", "y")
_ENDS = ("", "", "", "n", "r", "l", "s", "t", "nd", "rk", "ck", "ll", "x", "m")


class Words:
    """The words of texts, from which others are made up.

    Args:
        texts: the texts.
    """

    def __init__(self, texts: Iterable[str]) -> None:
        by_form: defaultdict[str, set[str]] = defaultdict(set)
        for text in texts:
            for word in _PIECES.findall(text):
                if 2 < len(word) <= _MAX_WORD and not word.isdecimal():
                    by_form[_form(word)].add(word)
        self._by_form = {form: sorted(words) for form, words in by_form.items()}

    def like(self, text: str, rng: Random) -> str:
        """Return a text of the same form with other words and digits.

        Words of one or two letters stay: they are units and articles more often than names.
        """
        return _PIECES.sub(lambda match: self._another(match[0], rng), text)

    def _another(self, word: str, rng: Random) -> str:
        if word.isdecimal():
            if not word.isascii():
                return word
            first = "0" if word[0] == "0" else rng.choice("123456789")
            return first + "".join(rng.choices("0123456789", k=len(word) - 1))
        if len(word) < 3 and word.isascii():
            return word
        if word.isascii() and rng.random() < 0.3:
            return _in_case_of(word, _syllables(rng))
        return rng.choice(self._by_form.get(_form(word), [word]))


@lru_cache(1 << 16)
def _form(word: str) -> str:
    """Return the script and the case of a word, and whether it is short."""
    script = "LATIN" if word.isascii() else unicodedata.name(word[0], "?").split()[0]
    case = (
        "upper" if word.isupper() else "lower" if word.islower() else
        "capitalised" if word[1:].islower() else "other"
    )  # fmt: skip
    return f"{script} {case} {len(word) < 5}"


def _syllables(rng: Random) -> str:
    n = rng.choice((1, 2, 2, 2, 3))
    made = (rng.choice(_STARTS) + rng.choice(_VOWELS) + rng.choice(_ENDS) for _ in range(n))
    return "".join(made)[:_MAX_WORD]


def _in_case_of(word: str, made: str) -> str:
    if word.isupper():
        return made.upper()
    return made if word[0].islower() else made.capitalize()
