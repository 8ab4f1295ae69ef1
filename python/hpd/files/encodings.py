"""The encodings of texts: what a file says, what its bytes tell, and a guess where neither does."""

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
"""What Windows-1252 hardly has: rows of letters beyond ASCII, bytes that it lacks, and in the midst
of words the signs that are Polish letters elsewhere."""
_BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),  # begins like that of UTF-16
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_AS_BROWSERS_READ = {
    **dict.fromkeys(("ascii", "iso8859-1"), "cp1252"),
    "shift_jis": "cp932",
    **dict.fromkeys(("gb2312", "gbk"), "gb18030"),
    "euc_kr": "cp949",
    "iso8859-9": "cp1254",
}
"""What is written under these names today needs more letters than the names allow."""
_CODE_PAGE = re.compile(r"(?:cp|dos|ibm|windows)[-_ ]?(\d{3,})")
_AROUND = re.compile(r"^(?:x-|cn-)+|(?<=8859-[68])-[ie]$")
"""What mailers add to the names of encodings that Python knows."""
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

OTHER_ENCODING: Final = "convert it to UTF-8, or name its encoding (hpd extract --encoding)"


def known_encoding(label: str | None) -> str | None:
    """The encoding that a file means by a name, as browsers read it; None if it is unknown."""
    name = _AROUND.sub("", (label or "").strip().strip("\"'").lower())
    name = _CODE_PAGE.sub(r"cp\1", name)
    try:
        codec = codecs.lookup({"windows-31j": "cp932"}.get(name, name))
    except (LookupError, ValueError):
        return None
    return _AS_BROWSERS_READ.get(codec.name, codec.name) if codec._is_text_encoding else None


def check_encoding(name: str | None) -> None:
    """Refuse an unknown encoding.

    Raises:
        InputError: it names some that are known.
    """
    if name is not None and known_encoding(name) is None:
        raise InputError(
            f"{name!r} is not an encoding that Python knows, such as utf-8, windows-1252, utf-16, "
            "shift_jis, gb18030 or koi8-r"
        )


def encoding_name(encoding: str) -> str:
    """The name of an encoding for people."""
    name = {"utf-8-sig": "utf-8", "cp932": "shift-jis"}.get(encoding, encoding).upper()
    return name.replace("_", "-").replace("CP125", "Windows-125")


def guess_note(encoding: str) -> str:
    """A note that an encoding was guessed."""
    return f"read as {encoding_name(encoding)}, which is a guess (--encoding names another)"


def byte_order_mark(data: bytes) -> str | None:
    """The encoding that a byte order mark stands for, if there is one."""
    return next((name for mark, name in _BYTE_ORDER_MARKS if data.startswith(mark)), None)


def marked_encoding(data: bytes) -> str | None:
    """The encoding that a byte order mark tells, or zeros in every second byte."""
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
    """Whether bytes are UTF-8; if they are not final, they may end within a letter."""
    try:
        codecs.getincrementaldecoder("utf-8")().decode(data, final)
    except UnicodeDecodeError:
        return False
    return True


def n_beyond_ascii(data: bytes) -> int:
    """The number of bytes that are not ASCII."""
    return len(data) - len(data.decode("ascii", "ignore"))


def n_as_utf8(data: bytes) -> int:
    """The number of those bytes that are letters of UTF-8 as they stand there."""
    return n_beyond_ascii(data.decode("utf-8", "ignore").encode("utf-8"))


def is_mostly_utf8(data: bytes) -> bool:
    """Whether most bytes beyond ASCII are valid UTF-8; a few are of letters that were cut."""
    return 2 * n_as_utf8(data) > n_beyond_ascii(data)


def western_encoding(data: bytes) -> str | None:
    """Windows-1252, or 1254 for Turkish, if bytes that are not UTF-8 look like one; else None.

    Its letters beyond ASCII stand alone or in pairs among others; those of other scripts stand in
    rows, and valid letters of UTF-8 tell that there are only some wrong bytes.
    """
    n_odd = sum(map(len, _NOT_WESTERN.findall(data))) + n_as_utf8(data)
    n_high = n_beyond_ascii(data)
    if n_high > len(_ASCII_LETTER.findall(data)) or 10 * n_odd >= n_high:
        return None
    # Where Turkish has these, Icelandic has others that are its own, and Western texts few.
    n_turkish = sum(map(data.count, "ğışĞİŞ".encode("cp1254")))
    n_icelandic = sum(map(data.count, "áæíóú".encode("cp1252")))
    return "cp1254" if 3 * n_turkish > n_high and not n_icelandic else "cp1252"


def guessed_encoding(text: bytes) -> str | None:
    """The encoding that fits best; None if too little tells it, or the package is missing."""
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
