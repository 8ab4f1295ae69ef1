"""Text of the kinds that tokenizers trip over."""

from __future__ import annotations

import unicodedata
from random import Random

_ALPHABETS = (
    "abcXYZ",
    "0123456789",
    " \t\n\r",
    "\"'\\/{}[]()<>|&%$#@!?.,:;-_=+*~`^",
    "äöüßéèñçåøğş\u0130\u0131",
    "ЖдйшТовар",
    "日本製新款女装",
    "한국어",
    "عربي",
    "हिन्दी",
    "👍🏽🇩🇪👩\u200d👩\u200d👧",
    "\u00a0\u200b\u2009\u3000\ufeff",
    "™®°½²µ№",
    "\ufb01\u01c5\u0301\u0308",
)
_STRINGS = [
    *("", " ", "  ", "\n\n", "\r\n", "a  b", " a", "I'LL we'Ve", "10.5 oz (Pack of 6)"),
    *("<|end|", "\ud7ff", "null", ' "x"', "<|end|>"[:-1], " leather", "\n\n\n\n", "a\n\n b"),
    *('{"Brand": "Nike", "Größe": null}', "weiß, grün", "  indented\n  text", "------", "   "),
]


def awkward_strings(n_strings: int) -> list[str]:
    """Strings, always the same, in Unicode's composed form.

    Qwen's tokenizers bring text into that form themselves; llama.cpp does not.
    """
    rng = Random(3)
    strings = list(_STRINGS)
    while len(strings) < n_strings:
        alphabets = rng.choices(_ALPHABETS, k=rng.randint(1, 5))
        parts = ["".join(rng.choices(alphabet, k=rng.randint(1, 6))) for alphabet in alphabets]
        strings.append("".join(parts))
    return [unicodedata.normalize("NFC", text) for text in strings]
