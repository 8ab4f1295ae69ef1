"""Files that are one document each: plain text, Markdown, pages, e-mails, PDF."""

from __future__ import annotations

import codecs
import email
import email.policy
import io
import logging
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from email.message import EmailMessage, MIMEPart
from typing import Any, BinaryIO, Literal, cast, get_args

from hpd.errors import InputError
from hpd.version import install_command

WholeFormat = Literal["txt", "md", "html", "eml", "pdf"]
WHOLE_FORMATS: tuple[WholeFormat, ...] = get_args(WholeFormat)

_LONGEST_HEADER = 10_000
"""Characters; the parser's time grows with their square."""
_HEADERS = ("From", "To", "Cc", "Date", "Subject")
_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


@dataclass(frozen=True, slots=True)
class WholeText:
    """The text of a whole file."""

    text: str
    columns: Mapping[str, Any] = field(default_factory=dict)
    """The other columns of it: the headers of an e-mail."""
    page_starts: tuple[int, ...] = ()
    """The character at which each page begins, for formats that have pages."""


def _plain(data: bytes, name: str) -> WholeText:
    return WholeText(_decoded(data, name))


def _page(data: bytes, name: str) -> WholeText:
    return WholeText(_text_of_page(_decoded(data, name), name))


class _BoundedPolicy(email.policy.EmailPolicy):
    """The default policy, but for headers that are long to parse: these stay as they are."""

    def header_fetch_parse(self, name: str, value: str) -> Any:
        if len(value) > _LONGEST_HEADER:
            return "".join(value.splitlines())
        return super().header_fetch_parse(name, value)


def _mail(data: bytes, name: str) -> WholeText:
    try:
        return _text_of_mail(data, name)
    except InputError:
        raise
    except Exception as error:  # mangled ones raise whatever the parser comes to
        raise InputError(f"{name}: cannot be read as an e-mail: {error}") from error


def _text_of_mail(data: bytes, name: str) -> WholeText:
    message = cast(EmailMessage, email.message_from_bytes(data, policy=_BoundedPolicy()))
    found = {header: _header(message, header) for header in _HEADERS}
    headers = {header: value for header, value in found.items() if value is not None}
    if not headers:
        raise InputError(f"{name}: no e-mail: it has none of the headers {', '.join(_HEADERS)}")
    parts = ["\n".join(f"{header}: {value}" for header, value in headers.items())]
    body = message.get_body(("plain", "html"))
    if body is not None:
        text = _mail_text(body, name)
        parts.append(_text_of_page(text, name) if body.get_content_subtype() == "html" else text)
    attached = [part.get_filename() or "unnamed" for part in message.iter_attachments()]
    if attached:
        parts.append("Attachments: " + ", ".join(attached))
    columns = {header.lower(): value for header, value in headers.items()}
    return WholeText("\n\n".join(part.strip() for part in parts), columns)


def _header(message: EmailMessage, name: str) -> str | None:
    """The value of a header, as it stands there if it cannot be parsed; None if there is none."""
    try:
        value = message[name]
        return None if value is None else str(value)
    except Exception:  # of a mangled address, for example
        values = (str(value) for key, value in message.raw_items() if key.lower() == name.lower())
        return next(values, None)


def _mail_text(body: MIMEPart, name: str) -> str:
    try:
        return str(body.get_content()).replace("\r\n", "\n")
    except (LookupError, ValueError):  # an encoding that nobody knows
        data = body.get_payload(decode=True)
        return _decoded(data if isinstance(data, bytes) else b"", name)


def _pdf(data: bytes, name: str) -> WholeText:
    pypdf = _pypdf()
    # pypdf mends what it can, and tells of each place in its log.
    logging.getLogger("pypdf").setLevel(logging.CRITICAL)
    try:
        reader = pypdf.PdfReader(io.BytesIO(data))
        if reader.is_encrypted and not reader.decrypt(""):
            raise InputError(f"{name}: this PDF is locked with a password")
        pages = [page.extract_text().strip() for page in reader.pages]
    except InputError:
        raise
    except Exception as error:  # damaged files raise whatever they come to, KeyError included
        raise InputError(f"{name}: cannot be read as PDF: {error}") from error
    if not any(pages):
        raise InputError(f"{name}: this PDF has no text layer (a scan?): recognise its text first")
    starts = []
    n = 0
    for page in pages:
        starts.append(n)
        n += len(page) + 2
    return WholeText("\n\n".join(pages), page_starts=tuple(starts))


_READERS: dict[WholeFormat, Callable[[bytes, str], WholeText]] = {
    "txt": _plain,
    "md": _plain,
    "html": _page,
    "eml": _mail,
    "pdf": _pdf,
}


def whole_file(
    format: WholeFormat,  # noqa: A002
) -> Callable[[BinaryIO, str], Iterator[tuple[int, WholeText | InputError]]]:
    """A reader of one row, which is the file's text, or the error in reading it."""
    read = _READERS[format]

    def rows(file: BinaryIO, name: str) -> Iterator[tuple[int, WholeText | InputError]]:
        try:
            yield 1, read(file.read(), name)
        except InputError as error:
            yield 1, error

    return rows


def page_of(character: int, page_starts: tuple[int, ...]) -> int:
    """The number, from 1, of the page on which a character stands."""
    return sum(1 for start in page_starts if start <= character)


def _decoded(data: bytes, name: str) -> str:
    """A text in UTF-8, or in UTF-16 with its mark."""
    encoding = "utf-16" if data.startswith(_UTF16) else "utf-8-sig"
    try:
        return data.decode(encoding).replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        raise InputError(
            f"{name}: not valid UTF-8 at byte {error.start + 1}; convert it, for example with iconv"
        ) from error


def _text_of_page(html: str, name: str) -> str:
    try:
        from inscriptis import get_text
    except ImportError as error:
        raise InputError(
            f"{name}: reading HTML needs inscriptis: run `{install_command('html')}`"
        ) from error
    try:
        return str(get_text(html)).strip()
    except (ValueError, SyntaxError) as error:  # lxml's errors derive from these
        raise InputError(f"{name}: cannot be read as HTML: {error}") from error


def _pypdf() -> Any:
    try:
        import pypdf
    except ImportError as error:
        raise InputError(f"reading PDF needs pypdf: run `{install_command('pdf')}`") from error
    return pypdf
