"""Detects the encoding of texts, from what a file declares, from its bytes, or by guessing."""

from __future__ import annotations

import codecs
import re
from typing import Final

from hpd.errors import InputError, MissingPackageError
from hpd.extras import import_extra

_ASCII_LETTER = re.compile(rb"[A-Za-z]")
_NOT_WESTERN = re.compile(
    rb"[\x80-\xff]{4,}|[\x81\x8d\x8f\x90\x9d\xff]|[A-Za-z][\xb3\xb9\xbe\xbf][a-z]"
)
"""What is rare in Windows-1252: runs of letters beyond ASCII, bytes that it does not define and,
within words, symbols that are Polish letters in other encodings."""
_BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),  # before UTF-16, whose mark begins like this
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_BROWSER_ENCODINGS = {
    **dict.fromkeys(("ascii", "iso8859-1"), "cp1252"),
    "shift_jis": "cp932",
    **dict.fromkeys(("gb2312", "gbk"), "gb18030"),
    "euc_kr": "cp949",
    "iso8859-9": "cp1254",
}
"""Texts declared with these names often need the letters of a larger encoding."""
_CODE_PAGE = re.compile(r"(?:cp|dos|ibm|windows)[-_ ]?(\d{3,})")
_AFFIXES = re.compile(r"^(?:x-|cn-)+|(?<=8859-[68])-[ie]$")
"""Affixes that mailers add to encoding names known to Python."""
_CANDIDATES = (
    *("cp932", "euc_jp", "gb18030", "big5", "cp949", "koi8_r", "cp1250", "cp1251", "cp1253"),
    *("cp1255", "cp1256", "cp874", "cp866", "iso8859_2", "iso8859_5"),
)
"""Rare encodings are left out, as most of their letters also make sense in others."""
_MIN_SAMPLE_BYTES = 48
"""Minimum number of bytes beyond ASCII. In a trial, one in three texts with fewer of them was
misdetected, but only one in fifty with more."""
MAX_SAMPLE_BYTES = 100_000
"""Maximum number of bytes to examine, if the text has several lines."""
_TAG = re.compile(rb"<[^<>]*>")

OTHER_ENCODING: Final = "convert it to UTF-8, or name its encoding (hpd extract --encoding)"


def known_encoding(label: str | None) -> str | None:
    """Return the encoding of a name in a file, as browsers interpret it; None if unknown."""
    name = _AFFIXES.sub("", (label or "").strip().strip("\"'").lower())
    name = _CODE_PAGE.sub(r"cp\1", name)
    try:
        codec = codecs.lookup({"windows-31j": "cp932"}.get(name, name))
    except (LookupError, ValueError):
        return None
    return _BROWSER_ENCODINGS.get(codec.name, codec.name) if codec._is_text_encoding else None


def check_encoding(name: str | None) -> None:
    """Raise ``InputError`` if an encoding is unknown."""
    if name is not None and known_encoding(name) is None:
        raise InputError(
            f"{name!r} is not an encoding that Python knows, such as utf-8, windows-1252, utf-16, "
            "shift_jis, gb18030 or koi8-r"
        )


def encoding_name(encoding: str) -> str:
    """Return the display name of an encoding."""
    name = {"utf-8-sig": "utf-8", "cp932": "shift-jis"}.get(encoding, encoding).upper()
    return name.replace("_", "-").replace("CP125", "Windows-125")


def guess_note(encoding: str) -> str:
    """Return the note that an encoding was guessed."""
    return f"read as {encoding_name(encoding)}, which is a guess (--encoding names another)"


def byte_order_mark(data: bytes) -> str | None:
    """Return the encoding of the byte order mark, if there is one."""
    return next((name for mark, name in _BYTE_ORDER_MARKS if data.startswith(mark)), None)


def marked_encoding(data: bytes) -> str | None:
    """Return the encoding if a byte order mark, or zeros in every second byte, identify it."""
    marked = byte_order_mark(data)
    if marked is not None:
        return marked
    sample = data[:1024]
    n_pairs = len(sample) // 2
    for first, encoding in ((1, "utf-16-le"), (0, "utf-16-be")):
        n_zeros = sample[first::2].count(0)
        if n_pairs and n_zeros > 0.6 * n_pairs and sample[1 - first :: 2].count(0) == 0:
            return encoding
    return None


def is_utf8(data: bytes, *, final: bool = True) -> bool:
    """Return whether bytes are UTF-8; if not ``final``, they may end within a character."""
    try:
        codecs.getincrementaldecoder("utf-8")().decode(data, final)
    except UnicodeDecodeError:
        return False
    return True


def n_beyond_ascii(data: bytes) -> int:
    """Count the bytes that are not ASCII."""
    return len(data) - len(data.decode("ascii", "ignore"))


def n_as_utf8(data: bytes) -> int:
    """Count the bytes that are part of valid UTF-8 characters beyond ASCII."""
    return n_beyond_ascii(data.decode("utf-8", "ignore").encode("utf-8"))


def is_mostly_utf8(data: bytes) -> bool:
    """Return whether most bytes beyond ASCII are valid UTF-8, so that only a few were damaged."""
    return 2 * n_as_utf8(data) > n_beyond_ascii(data)


def western_encoding(data: bytes) -> str | None:
    """Return Windows-1252, or 1254 for Turkish, if bytes that are not UTF-8 look like it, or None.

    In Western texts, letters beyond ASCII occur alone or in pairs; in other scripts, in long runs.
    Valid UTF-8 characters indicate UTF-8 with some wrong bytes.
    """
    n_odd = sum(map(len, _NOT_WESTERN.findall(data))) + n_as_utf8(data)
    n_high = n_beyond_ascii(data)
    if n_high > len(_ASCII_LETTER.findall(data)) or 10 * n_odd >= n_high:
        return None
    # These bytes are frequent letters in Turkish and in Icelandic, which also has accented vowels.
    # Other Western texts have few of them.
    n_turkish = sum(map(data.count, "ğışĞİŞ".encode("cp1254")))
    n_icelandic = sum(map(data.count, "áæíóú".encode("cp1252")))
    return "cp1254" if 3 * n_turkish > n_high and not n_icelandic else "cp1252"


def guess_encoding(text: bytes) -> str | None:
    """Return the most likely encoding; None if the text is too short, or a package is missing."""
    text = text[: text.rfind(b"\n", 0, MAX_SAMPLE_BYTES) + 1] or text
    if n_beyond_ascii(text) < _MIN_SAMPLE_BYTES or is_mostly_utf8(text):
        return None
    try:
        detector = import_extra(
            "charset_normalizer", "charset-normalizer", "files", "such encodings"
        )
    except MissingPackageError:
        return None
    found = detector.from_bytes(
        _TAG.sub(b" ", text),
        cp_isolation=[*_CANDIDATES],
        preemptive_behaviour=False,
        enable_fallback=False,
    ).best()
    return None if found is None else str(found.encoding)
