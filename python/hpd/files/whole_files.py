"""Files that are one document each: plain text, Markdown, pages, e-mails, PDF, office files."""

from __future__ import annotations

import email
import email.policy
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from email.message import Message
from typing import Any, Literal, get_args

from hpd.errors import InputError
from hpd.files.streams import Source, decoded, known_encoding, lenient_text, needed

WholeFormat = Literal["txt", "md", "html", "eml", "pdf", "docx", "pptx", "odt", "epub", "msg"]
WHOLE_FORMATS: tuple[WholeFormat, ...] = get_args(WholeFormat)

_LONGEST_HEADER = 10_000
"""Characters; the parser's time grows with their square."""
_HEADERS = ("From", "To", "Cc", "Date", "Subject")
_BARE_BOUNDARY = re.compile(r'(boundary=)(?!")([^\s;]+)', re.IGNORECASE)
_DECLARED = re.compile(
    rb"""<(?:meta\b[^>]*?\bcharset\s*=\s*["']?|\?xml[^>]*?encoding=["'])\s*([\w.:-]+)""",
    re.IGNORECASE,
)
_AT_MOST_DECLARED = 4096  # bytes at the beginning of a page in which its encoding stands
_SCRIPTS = ("script", "style", "head", "noscript", "template")


@dataclass(frozen=True, slots=True)
class WholeText:
    """The text of a whole file."""

    text: str
    columns: Mapping[str, Any] = field(default_factory=dict)
    """The other columns of it: the headers of an e-mail."""
    page_starts: tuple[int, ...] = ()
    """The character at which each page begins, for formats that have pages."""


def _plain(source: Source) -> WholeText:
    return WholeText(source.text())


def _page(source: Source) -> WholeText:
    data = source.read()
    return WholeText(text_of_html(decoded(data, source, _declared_encoding(data)), source.name))


def _declared_encoding(html: bytes) -> str | None:
    found = _DECLARED.search(html[:_AT_MOST_DECLARED])
    encoding = known_encoding(found[1].decode("ascii")) if found is not None else None
    # A page of UTF-16 could not be searched for its declaration, so that is wrong.
    return None if encoding is not None and encoding.startswith("utf-16") else encoding


def text_of_html(html: str, name: str) -> str:
    """The text of a page as a reader sees it.

    Raises:
        InputError: it cannot be read to its end, or inscriptis is not installed.
    """
    inscriptis = needed("inscriptis.html_engine", "inscriptis", "html", "HTML")
    from lxml import etree
    from lxml.html import HTMLParser, document_fromstring

    if not html.strip():
        return ""
    # The usual parser stops, without an error, at 255 nested elements and at texts of 10 MB.
    parser = HTMLParser(huge_tree=True, encoding="utf-8")
    data = html.encode("utf-8", "replace")
    try:
        tree = document_fromstring(data, parser=parser)
    except (ValueError, etree.LxmlError) as error:
        try:
            tree = document_fromstring(b"<pre>" + data + b"</pre>", parser=parser)
        except (ValueError, etree.LxmlError):
            raise InputError(f"{name}: cannot be read as HTML: {error}") from error
    if any(entry.level_name == "FATAL" for entry in parser.error_log):
        raise InputError(
            f"{name}: cannot be read as HTML to its end: {parser.error_log[-1].message}"
        )
    try:
        return str(inscriptis.Inscriptis(tree).get_text()).strip()
    except RecursionError:  # elements that are nested deeper than Python's functions
        etree.strip_elements(tree, *_SCRIPTS, etree.Comment, with_tail=False)
        lines = (text.strip() for text in tree.itertext())
        return "\n".join(line for line in lines if line)


class _Policy(email.policy.EmailPolicy):
    """The default policy, but for headers that it reads badly."""

    def header_fetch_parse(self, name: str, value: str) -> Any:
        if len(value) > _LONGEST_HEADER:
            return "".join(value.splitlines())
        if not value.isascii():  # bytes that no header should have
            value = lenient_text(value.encode("utf-8", "surrogateescape"))
        if name.lower() == "content-type":
            value = _BARE_BOUNDARY.sub(r'\1"\2"', value)
        return super().header_fetch_parse(name, value)


def _mail(source: Source) -> WholeText:
    try:
        data = source.read().removeprefix(b"\xef\xbb\xbf").lstrip(b"\r\n")
        message = email.message_from_bytes(data, policy=_Policy())
        text, headers = _text_of_mail(message, source)
    except InputError:
        raise
    except Exception as error:  # mangled ones raise whatever the parser comes to
        raise InputError(f"{source.name}: cannot be read as an e-mail: {error}") from error
    if not headers:
        raise InputError(
            f"{source.name}: no e-mail: it has none of the headers {', '.join(_HEADERS)}"
        )
    return WholeText(text, {header.lower(): value for header, value in headers.items()})


def _text_of_mail(message: Message, source: Source) -> tuple[str, dict[str, str]]:
    """The headers, the texts and the names of the attachments of a message; and the headers."""
    found = {header: _header(message, header) for header in _HEADERS}
    headers = {header: value for header, value in found.items() if value is not None}
    attached: list[str] = []
    texts = _texts_of_part(message, attached, source)
    if attached:
        texts.append("Attachments: " + ", ".join(attached))
    head = "\n".join(f"{header}: {value}" for header, value in headers.items())
    return "\n\n".join([part for part in (head, *texts) if part]), headers


def _texts_of_part(part: Message, attached: list[str], source: Source) -> list[str]:
    """The texts of a part of a message, in their order; names of attachments are collected."""
    kind = part.get_content_type()
    if kind == "multipart/alternative":
        choices = []
        for inner in _inner(part):
            choices.append((inner.get_content_type(), _texts_of_part(inner, attached, source)))
        full = [choice for choice in choices if choice[1]]
        plain = [texts for inner_kind, texts in full if inner_kind == "text/plain"]
        return plain[0] if plain else full[-1][1] if full else []
    if part.is_multipart() and part.get_content_maintype() != "message":
        inner_parts = _inner(part)
        return [t for inner in inner_parts for t in _texts_of_part(inner, attached, source)]
    if part.is_multipart():  # a message that was forwarded, or the report of a mail server
        return [_text_of_mail(inner, source)[0] for inner in _inner(part)]
    is_attached = part.get_content_disposition() == "attachment"
    if is_attached or (part.get_content_maintype() != "text"):
        attached.append(_file_name(part))
        return []
    data = part.get_payload(decode=True)
    text = _decoded_part(data if isinstance(data, bytes) else b"", part, source)
    if kind == "text/html":
        text = text_of_html(text, source.name)
    return [text.strip()] if text.strip() else []


def _inner(part: Message) -> list[Message]:
    return [inner for inner in part.get_payload() if isinstance(inner, Message)]


def _decoded_part(data: bytes, part: Message, source: Source) -> str:
    """A part's text: in UTF-8 if that is valid, as most mailers write it, whatever they say."""
    label = part.get_param("charset")
    encoding = known_encoding(label if isinstance(label, str) else None)
    if encoding is None and part.get_content_type() == "text/html":
        encoding = _declared_encoding(data)
    if encoding in (None, "utf-8", "cp1252"):
        text = lenient_text(data)
    else:
        text = data.decode(encoding, "replace")
        if "\ufffd" in text:
            source.notes.append(f"letters of a part are not valid {label}")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _header(message: Message, name: str) -> str | None:
    """The value of a header, as it stands there if it cannot be parsed; None if there is none."""
    try:
        value = message[name]
        return None if value is None else str(value)
    except Exception:  # of a mangled address, for example
        values = (str(value) for key, value in message.raw_items() if key.lower() == name.lower())
        return next(values, None)


def _file_name(part: Message) -> str:
    try:
        return part.get_filename() or "unnamed"
    except Exception:  # of a mangled header
        return "unnamed"


def _office(source: Source, format: str) -> WholeText:  # noqa: A002
    from hpd.files import office

    return office.READERS[format](source)


_READERS: dict[WholeFormat, Callable[[Source], WholeText]] = {
    "txt": _plain,
    "md": _plain,
    "html": _page,
    "eml": _mail,
}


def whole_file(format: WholeFormat) -> Callable[[Source], Iterator[tuple[int, Any]]]:  # noqa: A002
    """A reader of one row, which is the file's text, or the error in reading it."""
    read = _READERS.get(format) or (lambda source: _office(source, format))

    def rows(source: Source) -> Iterator[tuple[int, WholeText | InputError]]:
        try:
            yield 1, read(source)
        except InputError as error:
            yield 1, error

    return rows


def page_of(character: int, page_starts: tuple[int, ...]) -> int:
    """The number, from 1, of the page on which a character stands."""
    return sum(1 for start in page_starts if start <= character)
