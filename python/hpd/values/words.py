"""Words and their boundaries, in scripts with and without blanks between words."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from typing import Final

_ASCII_PIECE = re.compile(r"\w+|[^\w\s]")
COMMON_WORD = re.compile(
    "yes|no|not|none|other|unknown|any|all|both|same|true|false|on|off|ja|nein|nicht|keine?|andere"
    "|oui|non|autre|aucun|sí|si|otro|não|sim|nee|geen|niet|altro",
    re.IGNORECASE,
)
"""Words that documents have for other reasons than to state a choice."""

TRUE_WORD = re.compile("yes|y|true|ja|oui|sí|si|sim|sì|tak|да|是", re.IGNORECASE)
FALSE_WORD = re.compile("no|n|false|nein|non|não|nee|nej|nie|нет|否", re.IGNORECASE)
"""Words that forms have after the name of a field that is true or false."""

_ZERO_WIDTH_JOINER = "\u200d"
_TONES: Final = range(0x1F3FB, 0x1F400)

# The first characters of Latin, Greek, Cyrillic, Armenian, and of the scripts after them.
_RANGE_STARTS: Final = (0x0000, 0x0370, 0x0400, 0x0530, 0x0590, 0x1E00, 0x1F00, 0x2000)
_SCRIPTS: Final = ("Latin", "Greek", "Cyrillic", "Armenian", "", "Latin", "Greek", "")


def extends_previous(char: str) -> bool:
    """Return whether a character extends the previous one (accents, joiners, ...)."""
    return char > "\u02ff" and (
        unicodedata.category(char)[0] == "M"
        or char in "\u200d\uff9e\uff9f"
        or ord(char) in _TONES
        # Vowels and final consonants of decomposed Hangul.
        or "\u1160" <= char <= "\u11ff"
    )


def is_joined(before: str, after: str) -> bool:
    """Return whether two adjacent characters are displayed as one."""
    return extends_previous(after) or before == _ZERO_WIDTH_JOINER


def is_word_border(text: str, position: int) -> bool | None:
    """Return whether a position is a word boundary; None if the text must not be cut there."""
    if position in (0, len(text)):
        return True
    before, after = text[position - 1], text[position]
    if is_joined(before, after):
        return None
    before = _base_character(text, position - 1)
    if before.isdigit() and after.isdigit():
        return None  # A part of a number would be another number.
    if not (before.isalnum() and after.isalnum()):
        return True
    # 500ml is two words, and so are letters of two scripts. In a script without blanks, each
    # character is a word.
    return (
        before.isdigit() != after.isdigit()
        or _is_ideograph(before)
        or _is_ideograph(after)
        or _script(before) != _script(after)
    )


def quotable_pieces(text: str) -> list[tuple[int, int]]:
    """Return the spans of a text's pieces, at whose edges quotations can begin and end.

    In Latin and similar scripts, a piece is a word with its digits (``A1023``). In others it is a
    single character: Arabic, Hebrew and Korean words contain particles, and Thai has no blanks.
    Each sign is a piece; blanks belong to none. No piece ends before an accent or within a number.
    """
    if text.isascii():
        return [match.span() for match in _ASCII_PIECE.finditer(text)]
    pieces: list[tuple[int, int]] = []
    for position, char in enumerate(text):
        if char.isspace():
            continue
        if pieces and pieces[-1][1] == position and not _may_cut(text, position):
            pieces[-1] = pieces[-1][0], position + 1
        else:
            pieces.append((position, position + 1))
    return pieces


def _may_cut(text: str, position: int) -> bool:
    before, after = text[position - 1], text[position]
    if is_joined(before, after):
        return False
    before = _base_character(text, position - 1)
    if not (_is_word_character(before) and _is_word_character(after)):
        return True
    if before.isdigit() or after.isdigit():
        return not (before.isdigit() and after.isdigit()) and not (
            _script(before) and _script(after)
        )
    return not _script(before) or _script(before) != _script(after)


def _is_word_character(char: str) -> bool:
    return char.isalnum() or char == "_"


def _base_character(text: str, position: int) -> str:
    """Return the character at a position, or the base character that it extends."""
    while position > 0 and extends_previous(text[position]):
        position -= 1
    return text[position]


def _script(char: str) -> str:
    """Return the script of a letter if it is one of ``_SCRIPTS``, or else an empty text."""
    return _SCRIPTS[bisect_right(_RANGE_STARTS, ord(char)) - 1]


def _is_ideograph(char: str) -> bool:
    """Return whether a character's script has no blanks between words (Han, kana, Thai, ...)."""
    return (
        "\u3040" <= char <= "\u9fff"
        or "\u0e00" <= char <= "\u0eff"
        or "\u1000" <= char <= "\u109f"
        or "\u1780" <= char <= "\u17ff"
        or char >= "\U00020000"
    )
