"""Lone surrogates: halves of characters, which Python's strings can have and UTF-8 cannot."""

from __future__ import annotations

import re
from typing import Final

LONE_SURROGATE: Final = (
    "half of a surrogate pair is not text: a character was cut in two, or badly decoded"
)
"""Why text with a lone surrogate is rejected."""

_SURROGATE = re.compile("[\ud800-\udfff]")


def find_surrogate(text: str) -> int | None:
    """Return the position of the first lone surrogate, or None."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        return error.start
    return None


def is_unicode(text: str) -> bool:
    """Return whether a string has no lone surrogates, so that it can be encoded as UTF-8."""
    return find_surrogate(text) is None


def replace_surrogates(text: str) -> str:
    """Replace each lone surrogate by one U+FFFD, so that offsets stay the same."""
    return _SURROGATE.sub("\ufffd", text)


def escape_surrogates(text: str) -> str:
    """Write each lone surrogate as its escape (``\\\\ud83d``), which JSON reads as itself."""
    return escaped_utf8(text).decode()


def escaped_utf8(text: str) -> bytes:
    """Encode a text as UTF-8, with lone surrogates as their escapes."""
    return text.encode("utf-8", "backslashreplace")
