"""Long texts cut into parts of limited length, where sentences end. Pure text."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from hpd.values.places import is_joined

CountTokens = Callable[[str], int]

_OVERLAP = 8
"""The denominator of the share of a part with which the next part begins once more."""
_MAX_WORD = 40
"""The longest word; longer ones, such as sentences without blanks, are cut into pieces."""

# Blanks go with the word behind them, as they do in most tokenizers.
_WORD = re.compile(r"\s*\S+|\s+\Z")
_SENTENCE_END = re.compile(r"[.!?…]+[\"'’”»)\]]*\Z|[。！？｡]+[」』”）]*\Z")  # noqa: RUF001
_INNER_END = re.compile(r"(?<=[。！？｡])(?![。！？｡」』”）])")  # noqa: RUF001


@dataclass(frozen=True, slots=True)
class Chunk:
    """A part of a text: its characters from ``start`` to ``end``."""

    start: int
    end: int


@dataclass(slots=True)
class _Piece:
    start: int
    end: int
    n_tokens: int
    ends_sentence: bool = False


def chunks(
    text: str, room: int, count_tokens: CountTokens, first_room: int | None = None
) -> list[Chunk]:
    """Parts of at most ``room`` tokens, which overlap each other and cover all of ``text``.

    A part ends with a sentence if one ends in its second half, else with a word; only very long
    words are cut. A part holds at least one piece, however small the room is. The first part has
    ``first_room`` tokens at most, if that is given, which moves all cuts.
    """
    pieces = _pieces(text, count_tokens)
    parts: list[Chunk] = []
    first = end = 0
    while end < len(pieces):
        least, end = end, _fill(pieces, first, room if parts else first_room or room)
        if end < len(pieces):
            end = _last_sentence(pieces, max(least, first + (end - first) // 2), end)
        parts.append(Chunk(pieces[first].start, pieces[end - 1].end))
        if end < len(pieces):
            # The next part must have room for its overlap and for new text.
            overlap = min(room // _OVERLAP, room - pieces[end].n_tokens)
            first = _overlap(pieces, first, end, overlap)
    return parts


def fitting_length(text: str, room: int, count_tokens: CountTokens) -> int:
    """The number of leading characters, in whole words, that have at most ``room`` tokens."""
    pieces = _pieces(text, count_tokens)
    n_tokens = 0
    for piece in pieces:
        n_tokens += piece.n_tokens
        if n_tokens > room:
            return piece.start
    return len(text)


def _pieces(text: str, count_tokens: CountTokens) -> list[_Piece]:
    counts: dict[str, int] = {}
    pieces: list[_Piece] = []
    for match in _WORD.finditer(text):
        if pieces and "\n" in match.group()[: len(match.group()) - len(match.group().lstrip())]:
            pieces[-1].ends_sentence = True
        for start, end in _cut_word(text, match.start(), match.end()):
            part = text[start:end]
            if part not in counts:
                counts[part] = count_tokens(part)
            is_end = _SENTENCE_END.search(part) is not None
            pieces.append(_Piece(start, end, counts[part], is_end))
    return pieces


def _cut_word(text: str, start: int, end: int) -> list[tuple[int, int]]:
    if end - start <= _MAX_WORD:
        return [(start, end)]
    sentence_ends = (start + match.start() for match in _INNER_END.finditer(text[start:end]))
    cuts = [at for at in sentence_ends if at < end and not is_joined(text[at - 1], text[at])]
    parts = []
    for low, high in zip([start, *cuts], [*cuts, end], strict=True):
        while high - low > _MAX_WORD:
            cut = low + _MAX_WORD
            # Characters that a reader sees as one stay in one piece.
            while cut < high and is_joined(text[cut - 1], text[cut]):
                cut += 1
            parts.append((low, cut))
            low = cut
        if high > low:
            parts.append((low, high))
    return parts


def _fill(pieces: list[_Piece], first: int, room: int) -> int:
    """The end of the longest run of pieces from ``first`` on that fits."""
    n_tokens = pieces[first].n_tokens
    end = first + 1
    while end < len(pieces) and n_tokens + pieces[end].n_tokens <= room:
        n_tokens += pieces[end].n_tokens
        end += 1
    return end


def _last_sentence(pieces: list[_Piece], least: int, end: int) -> int:
    """The last end of a sentence between ``least`` and ``end``; ``end`` if there is none."""
    return next((at for at in range(end, least, -1) if pieces[at - 1].ends_sentence), end)


def _overlap(pieces: list[_Piece], first: int, end: int, room: int) -> int:
    """The start of the next part: that of a sentence within the overlap, or of a word."""
    n_tokens = 0
    at = end
    while at - 1 > first and n_tokens + pieces[at - 1].n_tokens <= room:
        at -= 1
        n_tokens += pieces[at].n_tokens
    return next((i for i in range(at, end) if i > 0 and pieces[i - 1].ends_sentence), at)
