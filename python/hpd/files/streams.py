"""Opens files as streams of bytes or text, and names their contents in messages."""

from __future__ import annotations

import codecs
import gzip
import os
import re
import sys
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, Final, cast

from hpd.documents import Place
from hpd.errors import InputError, MissingPackageError
from hpd.extras import import_extra
from hpd.files import remote_files
from hpd.files.encodings import (
    OTHER_ENCODING,
    byte_order_mark,
    encoding_name,
    guess_encoding,
    guess_note,
    is_utf8,
    marked_encoding,
    western_encoding,
)

COMPRESSED_SUFFIXES: Final = (".gz", ".zst")

ColumnCheck = Callable[[Sequence[str]], None]
"""Called with the names in a header; raises ``InputError`` if one is missing."""

_N_NAMES_SHOWN = 12
_BLOCK = 1 << 16
_BAD_BYTE = re.compile("[\udc80-\udcff]")


CellOf = Callable[[int, str], "Place | None"]
"""Returns the place of a cell, given its row number and the name of its column."""
TextOf = Callable[[int, str, Any], str]
"""Returns the text of such a cell, also given its value."""


@dataclass
class Source:
    """An open file, and how to read it."""

    file: BinaryIO
    name: str
    """The file's name in messages."""
    encoding: str | None = None
    """The encoding of a text; detected if None."""
    delimiter: str | None = None
    """The delimiter of CSV or TSV; detected if None."""
    check_columns: ColumnCheck | None = None
    """Called with the columns of a table, before its first row."""
    has_parts: bool = False
    """Whether attachments of an e-mail, and messages within it, are separate documents."""
    parts: Sequence[tuple[str, bytes]] = ()
    """The names and contents of these documents, once the e-mail was read."""
    part: str = ""
    """The name of such a document while it is being read."""
    notes: list[str] = field(default_factory=list)
    """Notes for the user on how it was read, such as what was left out."""
    columns: Sequence[str] = ()
    """The names of a table's columns, set before its first row."""
    types: dict[str, Any] = field(default_factory=dict)
    """The types of the columns, if the file has them."""
    cell_of: CellOf | None = None
    """Returns the places of a sheet's cells while its rows are being read."""
    text_of: TextOf | None = None
    """Returns their texts."""
    _head: bytes | None = None
    _detected_encoding: str = "utf-8"

    def take_columns(self, names: Sequence[str]) -> None:
        """Set the names of a table's columns, and check them if required."""
        self.columns = names
        if self.check_columns is not None:
            self.check_columns(names)

    @property
    def head(self) -> bytes:
        """The beginning of the file, as much as one read returns; ``read`` includes it."""
        if self._head is None:
            read = getattr(self.file, "read1", None)
            self._head = self.file.readline() if read is None else read(_BLOCK)
        return self._head

    def read(self) -> bytes:
        return self.head + self.file.read()

    def text(self) -> str:
        """Return the whole text, with line feeds as line ends."""
        return decode(self.read(), self)

    def lines(self) -> Iterator[str]:
        """Return an iterator over lines with their ends; undecodable bytes become surrogates.

        Lines end only at line feeds, as in JSON Lines, or at carriage returns if the beginning of
        the file has no line feeds.
        """
        encoding = self.encoding or marked_encoding(self.head)
        encoding = "utf-8" if encoding == "utf-8-sig" else encoding
        has_cr = b"\r" in self.head and b"\n" not in self.head
        if encoding is not None and (has_cr or "\n".encode(encoding) != b"\n"):
            if self.encoding is None and byte_order_mark(self.head) is None:
                self.notes.append(guess_note(encoding))
            return self._other_lines(encoding)
        if has_cr:
            return self._other_lines(
                "utf-8" if is_utf8(self.head, final=False) else self.guess(self.head)
            )
        return self._byte_lines(encoding)

    def _byte_lines(self, encoding: str | None) -> Iterator[str]:
        """Yield the lines in an encoding that includes ASCII; detect it at the first other byte."""
        for raw in self._raw_lines():
            if raw.isascii():
                yield raw.decode("ascii")
                continue
            if encoding is None:
                encoding = "utf-8" if is_utf8(raw) else self.guess(self._sample(raw))
                self._detected_encoding = encoding
            yield raw.decode(encoding, "surrogateescape")

    def _raw_lines(self) -> Iterator[bytes]:
        *whole, rest = self.head.removeprefix(codecs.BOM_UTF8).split(b"\n")
        yield from (line + b"\n" for line in whole)
        rest += self.file.readline()
        if rest:
            yield rest
        yield from self.file

    def _other_lines(self, encoding: str) -> Iterator[str]:
        decoder = codecs.getincrementaldecoder(encoding)("strict")
        end, rest, block = "", "", self.head
        while True:
            try:
                rest += decoder.decode(block, final=not block)
            except UnicodeError as error:
                raise InputError(
                    f"{self.name}: not valid {encoding_name(encoding)}: {error}"
                ) from error
            end = end or ("\n" if "\n" in rest or "\r" not in rest else "\r")
            *lines, rest = rest.split(end)
            yield from (f"{line}\n" for line in lines)
            if not block:
                break
            block = self.file.read(_BLOCK)
        if rest:
            yield rest

    def _sample(self, line: bytes) -> bytes:
        """Return the lines around a line that have already been read."""
        whole, end, _ = self.head.rpartition(b"\n")
        return whole + end if line in whole + end else line

    def guess(self, data: bytes) -> str:
        """Guess the encoding of bytes that are not UTF-8, and add a note; UTF-8 if unknown."""
        encoding = western_encoding(data) or guess_encoding(data)
        if encoding is None:
            return "utf-8"
        self.notes.append(guess_note(encoding))
        return encoding

    def bad_byte(self, text: str) -> str | None:
        """Return the error if a text has undecodable bytes, or None."""
        if text.isascii():
            return None
        bad = _BAD_BYTE.search(text)
        if bad is None:
            return None
        encoding = self.encoding or self._detected_encoding
        n = len(text[: bad.start()].encode(encoding, "surrogateescape"))
        return f"not valid {encoding_name(encoding)} at byte {n + 1}"


def decode(data: bytes, source: Source, declared: str | None = None) -> str:
    """Decode a whole text, with line feeds as line ends.

    The encoding is the first one known of these: the source's, that of the byte order mark, the
    declared one, UTF-8 if the bytes are valid, a guess.

    Raises:
        InputError: the text is not valid in this encoding.
    """
    encoding = source.encoding or marked_encoding(data) or declared
    try:
        if encoding is not None:
            text = data.decode(encoding)
        elif is_utf8(data):
            text = data.decode("utf-8")
        else:
            encoding = source.guess(data)
            text = data.decode(encoding)
    except UnicodeDecodeError as error:
        if declared and encoding == declared and not source.encoding:
            source.notes.append(f"declared as {encoding_name(declared)}, but is not")
            return decode(data, source)
        raise InputError(
            f"{source.name}: not valid {encoding_name(str(encoding))} at byte {error.start + 1}; "
            + OTHER_ENCODING
        ) from error
    if source.encoding is None and declared is None and encoding in ("utf-16-le", "utf-16-be"):
        source.notes.append(guess_note(str(encoding)))
    text = text.removeprefix("\ufeff").replace("\r\n", "\n")
    return text if "\n" in text else text.replace("\r", "\n")


def is_url(name: str | Path) -> bool:
    """Return whether a name is a URL, such as ``s3://bucket/key``."""
    return "://" in str(name)


def absolute(name: str) -> str:
    """Return an absolute form of a name."""
    return name if name == "-" or is_url(name) else os.path.abspath(name)


def _path_of(name: str | Path) -> Path:
    """Return the path of a name or URL: ``/a.csv`` for ``https://host/a.csv?token=1``."""
    if not is_url(name):
        return Path(name)
    # For zip://a.csv::s3://bucket/b.zip it is that of the file in the archive.
    first = next(part for part in str(name).split("::") if "://" in part)
    path = first.partition("://")[2]
    return Path(path.partition("?")[0] if first.startswith("http") else path)


def without_compression(path: str | Path) -> Path:
    """Return the name of the file inside: ``a.csv`` for ``a.csv.gz``."""
    name = _path_of(path)
    return name.with_suffix("") if name.suffix.lower() in COMPRESSED_SUFFIXES else name


_PLACEHOLDERS = re.compile(r"\{(stem|name|folder)\}")


def is_pattern(name: str) -> bool:
    """Return whether a name has placeholders for a document's name, as in
    ``schemas/{stem}.json``."""
    return _PLACEHOLDERS.search(name) is not None and not any(map(str.isspace, name))


def fill_pattern(pattern: str, document: str) -> str:
    """Fill in a pattern for a document: for ``mails/a.eml``, ``{stem}`` is ``a``, ``{name}`` is
    ``a.eml`` and ``{folder}`` is ``mails``."""
    path = without_compression(document)
    parts = {"stem": path.stem, "name": path.name, "folder": path.parent.name}
    return _PLACEHOLDERS.sub(lambda found: parts[found[1]], pattern)


def fixed_folder(pattern: str) -> Path:
    """Return the folder that contains all names of a pattern."""
    return Path(_PLACEHOLDERS.split(pattern)[0] + "_").parent


def is_compressed(path: str | Path) -> bool:
    """Return whether a file is compressed, judging by its extension."""
    return _path_of(path).suffix.lower() in COMPRESSED_SUFFIXES


def open_binary(path: str | Path) -> BinaryIO:
    """Open a file as a binary stream, decompressed according to its extension.

    Raises:
        OSError: it cannot be opened.
        InputError: a package is not installed, or a remote file cannot be opened.
    """
    suffix = _path_of(path).suffix.lower()
    source = remote_files.open_file(str(path)) if is_url(path) else path
    if suffix == ".gz":
        return cast(BinaryIO, gzip.open(source, "rb"))
    if suffix == ".zst":
        return cast(BinaryIO, _zstandard().open(source, "rb"))
    return cast(BinaryIO, source) if is_url(path) else open(path, "rb")


def decompression_errors() -> tuple[type[Exception], ...]:
    """Return the exceptions, besides ``OSError``, that damaged compressed files raise."""
    try:
        return (EOFError, zlib.error, _zstandard().ZstdError)
    except MissingPackageError:
        return (EOFError, zlib.error)


def _zstandard() -> Any:
    name = "compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd"
    return import_extra(name, "backports.zstd", "zst", "a .zst file")


def json_kind(value: object) -> str:
    """Return a value's kind in words, such as ``an object``."""
    if value is None:
        return "null"
    if isinstance(value, (dict, list)):
        return "an object" if isinstance(value, dict) else "a list"
    return f"the {type(value).__name__} {value!r}"


def join_names(every: Iterable[str]) -> str:
    """Join names with commas, at most a dozen of them."""
    names = [repr(name) for name in every]
    if len(names) > _N_NAMES_SHOWN:
        names[_N_NAMES_SHOWN:] = [f"and {len(names) - _N_NAMES_SHOWN} more"]
    return ", ".join(names) or "none at all"


@contextmanager
def naming_file(path: Path) -> Iterator[None]:
    """Set the file name of each ``OSError``; it is missing if the disk is full."""
    try:
        yield
    except OSError as error:
        error.filename = str(path)
        raise


def error_reason(error: OSError) -> str:
    """Return the text of an error, without its number and path."""
    return error.strerror or str(error)
