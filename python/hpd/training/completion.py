"""The rules that tell when a value is complete, in plain Python; they are those of the engine."""

from __future__ import annotations

import json
import re
from typing import Literal

Status = Literal["complete", "incomplete", "invalid"]

_STRING = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)
_DELIMITERS = frozenset(" \t\r\n,]}")
_LITERALS = ("null", "true", "false")
_DECODER = json.JSONDecoder(strict=False)


def status(raw: bytes) -> Status:
    """Whether the text holds one whole JSON value, whatever comes after it.

    A string ends at its first unescaped quote, be its escapes valid or not; a number needs a
    delimiter, as more digits could follow. ``invalid``: the text can become no JSON value. Only
    beginnings are judged, not what is inside objects and arrays.
    """
    text = raw.decode("utf-8", "replace").lstrip(" \t\r\n")
    if not text:
        return "incomplete"
    if text[0] == '"':
        return "complete" if _STRING.match(text) else "incomplete"
    if text[0] in "tfn":
        if any(text.startswith(literal) for literal in _LITERALS):
            return "complete"
        return "incomplete" if any(word.startswith(text) for word in _LITERALS) else "invalid"
    if text[0] not in "{[-0123456789":
        return "invalid"
    try:
        value, end = _DECODER.raw_decode(text)
    except (ValueError, RecursionError):
        return "incomplete"
    if isinstance(value, (int, float)):
        return "complete" if text[end : end + 1] in _DELIMITERS else "incomplete"
    return "complete"
