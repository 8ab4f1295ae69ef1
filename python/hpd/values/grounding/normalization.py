"""Text in a normal form, in which ways of writing it do not differ, and the way back.

Case, runs of blanks, kinds of quotes and dashes, invisible characters, and all that Unicode calls
compatible (full-width letters, ligatures, composed and decomposed accents) are evened out; each
character of the result knows its offsets in the original.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

MAX_CLUSTER: Final = 32
"""The most characters that are normalised together: only an attacker stacks more accents."""

_ALIKE: Final = str.maketrans(
    {
        **dict.fromkeys("\u2018\u2019\u201a\u201b\u2032\u2035\u00b4\u0060\u02bc", "'"),
        **dict.fromkeys("\u201c\u201d\u201e\u201f\u2033\u2036\u00ab\u00bb", '"'),
        **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212\u00ad\ufe63\uff0d", "-"),
    }
)
_INVISIBLE: Final = frozenset("\u00ad\u200b\u200c\u200d\u2060\ufeff\ufe0e\ufe0f")


@dataclass(frozen=True, slots=True)
class Normalized:
    """A normalised text; character i stands for ``original[starts[i]:ends[i]]``."""

    text: str
    starts: list[int]
    ends: list[int]

    def is_edge(self, position: int) -> bool:
        """Whether the text can be cut here, and not within one original character (a ligature)."""
        if position <= 0 or position >= len(self.text):
            return True
        return self.starts[position] != self.starts[position - 1]


def normalize(text: str) -> Normalized:
    """The normal form of a text, with offsets."""
    pieces: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    after_blank = True  # Blanks at the start are dropped, as all but one in a run.
    for start, end in _clusters(text):
        piece = _even_out(text[start:end])
        if not piece:
            if ends:
                ends[-1] = end  # An invisible character belongs to the one before it.
            continue
        if piece.isspace():
            if not after_blank:
                pieces.append(" ")
                starts.append(start)
                ends.append(end)
            after_blank = True
            continue
        after_blank = False
        pieces.append(piece)
        starts.extend([start] * len(piece))
        ends.extend([end] * len(piece))
    if pieces and pieces[-1] == " ":
        pieces.pop()
        starts.pop()
        ends.pop()
    return Normalized("".join(pieces), starts, ends)


def normalized_text(text: str) -> str:
    """The normal form of a text alone."""
    return normalize(text).text


def extends(char: str) -> bool:
    """Whether a character belongs to the one before it (accents, variation selectors, joiners)."""
    return char > "\u02ff" and (
        unicodedata.category(char)[0] == "M"
        or char in "\u200d\uff9e\uff9f"
        or "\U0001f3fb" <= char <= "\U0001f3ff"
        # Vowels and final consonants of decomposed Hangul.
        or "\u1160" <= char <= "\u11ff"
    )


def _clusters(text: str) -> Iterator[tuple[int, int]]:
    """The stretches of a text that can be normalised one by one, with the same result."""
    if text.isascii():
        for index in range(len(text)):
            yield index, index + 1
        return
    start = 0
    for index in range(1, len(text)):
        if not extends(text[index]) or index - start >= MAX_CLUSTER:
            yield start, index
            start = index
    if text:
        yield start, len(text)


@lru_cache(maxsize=4096)
def _even_out(cluster: str) -> str:
    if len(cluster) == 1 and cluster.isascii():
        return " " if cluster.isspace() else cluster.lower().translate(_ALIKE)
    seen = "".join(char for char in cluster if char not in _INVISIBLE)
    # Translated before NFKC, which would take some quotes apart, and after it, which makes others.
    even = unicodedata.normalize("NFKC", seen.translate(_ALIKE)).casefold()
    even = unicodedata.normalize("NFKC", even).translate(_ALIKE)
    return " " if even.isspace() else even
