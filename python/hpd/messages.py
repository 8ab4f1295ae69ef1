"""Parts of messages, and a check of text, that all rooms share."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable


def did_you_mean(
    name: str, names: Iterable[str], n: int = 1, show: Callable[[str], object] = str
) -> str:
    """Suggest at most ``n`` similar names; empty if there are none."""
    close = [str(show(each)) for each in difflib.get_close_matches(name, [*names], n=n)]
    return f"did you mean {' or '.join(close)}?" if close else ""


def is_unicode(text: str) -> bool:
    """Return whether a string has no lone surrogates, so that it can be encoded as UTF-8."""
    return text.isascii() or not any("\ud800" <= char <= "\udfff" for char in text)
