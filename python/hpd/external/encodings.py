"""A guess at the encoding of a text that is neither UTF-8 nor Western, by charset-normalizer."""

from __future__ import annotations

import re

from hpd.errors import InputError
from hpd.files.streams import import_extra, is_mostly_utf8, n_beyond_ascii

_CANDIDATES = (
    *("cp932", "euc_jp", "gb18030", "big5", "cp949", "koi8_r", "cp1250", "cp1251", "cp1253"),
    *("cp1255", "cp1256", "cp874", "cp866", "iso8859_2", "iso8859_5"),
)
"""All that are known would be too many: of rare ones, most letters make sense in several."""
_MIN_SAMPLE_BYTES = 48
"""Bytes beyond ASCII. Of made texts with fewer one in three was taken for another encoding's, of
those with more one in fifty."""
MAX_SAMPLE_BYTES = 100_000
"""Bytes that are looked at, if there are lines."""
_TAG = re.compile(rb"<[^<>]*>")


def guessed_encoding(text: bytes) -> str | None:
    """The encoding that fits best; None if too little tells it, or the package is missing."""
    text = text[: text.rfind(b"\n", 0, MAX_SAMPLE_BYTES) + 1] or text
    if n_beyond_ascii(text) < _MIN_SAMPLE_BYTES or is_mostly_utf8(text):
        return None
    try:
        detector = import_extra(
            "charset_normalizer", "charset-normalizer", "files", "such encodings"
        )
    except InputError:
        return None
    found = detector.from_bytes(
        _TAG.sub(b" ", text),
        cp_isolation=[*_CANDIDATES],
        preemptive_behaviour=False,
        enable_fallback=False,
    ).best()
    return None if found is None else str(found.encoding)
