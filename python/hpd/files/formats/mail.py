"""E-mails: standard messages (.eml) and Outlook's (.msg)."""

from __future__ import annotations

import email
import email.policy
import io
import quopri
import re
from base64 import b64decode
from collections import Counter
from collections.abc import Mapping, Sequence
from email.errors import HeaderParseError, StartBoundaryNotFoundDefect
from email.header import decode_header
from email.message import Message
from encodings.aliases import aliases
from typing import Any

from hpd.documents import Document
from hpd.errors import InputError
from hpd.extras import import_extra
from hpd.files.encodings import is_mostly_utf8, is_utf8, known_encoding, n_as_utf8, n_beyond_ascii
from hpd.files.formats.html import declared_encoding, text_of_html
from hpd.files.rows import attachment_format
from hpd.files.streams import Source
from hpd.messages import counted

_MAX_HEADER_LENGTH = 10_000
"""Characters; the parser's time grows with their square."""
_HEADERS = ("From", "To", "Cc", "Date", "Subject")
_BARE_BOUNDARY = re.compile(r'(boundary=)(?!")([^\s;]+)', re.IGNORECASE)
_CODING = re.compile(r"(quoted.?printable)|base.?64", re.IGNORECASE)
_RTF = 0x1009
"""The property of an Outlook message that holds its text as RTF."""
aliases.update(windows_874="cp874", windows_950="cp950")  # so oxmsg names Thai and Chinese
_AttachedFile = tuple[str, bytes]
"""A name and the file's content."""
_BASE64 = re.compile(r"(?:[A-Za-z0-9+/]+={0,2}[ \t]*(?:\r?\n|$)|[ \t]*\r?\n)*")


class _Policy(email.policy.EmailPolicy):
    """The default policy, with a lenient reading of malformed headers."""

    def header_fetch_parse(self, name: str, value: str) -> Any:
        value = _lenient_text(value.encode("utf-8", "surrogateescape"))
        if name.lower() == "content-transfer-encoding" and (coding := _CODING.search(value)):
            return "quoted-printable" if coding[1] else "base64"
        if not name.lower().startswith("content-") or len(value) > _MAX_HEADER_LENGTH:
            return _decode_header(value)
        return super().header_fetch_parse(name, _BARE_BOUNDARY.sub(r'\1"\2"', value))


def _read_mail(source: Source) -> Document:
    data = source.read().removeprefix(b"\xef\xbb\xbf").lstrip(b"\r\n")
    mail = _text_of_mail(_parse_mail(data), source)
    if not mail.row:
        raise InputError(
            f"{source.name}: not an e-mail: it has none of the headers {', '.join(_HEADERS)}"
        )
    return mail


def _text_of_mail(message: Message, source: Source) -> Document:
    headers = {name: str(message[name]) for name in _HEADERS if message[name] is not None}
    attached: list[_AttachedFile] = []
    texts = _texts_of_part(message, attached, source)
    return _join_mail(headers, texts, attached, source)


def _join_mail(
    headers: Mapping[str, str],
    texts: Sequence[str],
    attached: Sequence[tuple[str, bytes | None]],
    source: Source,
) -> Document:
    """Join headers, texts and names of attachments with blank lines."""
    if not source.has_parts:
        n = sum(data is not None and _is_document(name) for name, data in attached)
        if n:
            source.notes.append(f"{counted(n, 'attachment')} not read (--attachments)")
    else:
        source.parts = _with_unique_names(attached)
        n = sum(attachment_format(name) is None for name, _ in source.parts)
        if n:
            source.notes.append(f"{counted(n, 'attachment')} not read, of no known format")
    names = ", ".join(name for name, _ in attached)
    parts = (_header_text(headers), *texts, f"Attachments: {names}" if attached else "")
    return Document(
        "\n\n".join(filter(None, parts)),
        row={name.lower(): value for name, value in headers.items()},
    )


def _is_document(name: str) -> bool:
    """Return whether an attachment may be a document; a picture is mostly a logo."""
    kind = attachment_format(name)
    return kind is not None and kind != "image"


def _with_unique_names(files: Sequence[tuple[str, bytes | None]]) -> list[_AttachedFile]:
    """Give files unique names; those that are not read are left out."""
    seen: Counter[str] = Counter()
    named = []
    for name, data in files:
        if data is not None:
            seen[name] += 1
            named.append((f"{seen[name]}-{name}" if seen[name] > 1 else name, data))
    return named


def _header_text(headers: Mapping[str, Any]) -> str:
    return "\n".join(f"{name}: {value}" for name, value in headers.items())


def _texts_of_part(part: Message, attached: list[_AttachedFile], source: Source) -> list[str]:
    """Return the texts of a part in order, and collect attachments."""
    kind = part.get_content_type()
    above, below = _text_around_parts(part.preamble), _text_around_parts(part.epilogue)
    if part.is_multipart() and kind in _MESSAGES:  # forwarded, or in the report of a mail server
        if source.has_parts:
            messages = _subparts(part)
            attached += [(f"{i['Subject'] or 'message'}.eml", i.as_bytes()) for i in messages]
            return []
        return [_text_of_mail(inner, source).text for inner in _subparts(part)]
    if part.is_multipart() and part.get_content_maintype() == "message":  # the report itself
        fields = [
            "\n".join([_header_text(dict(i.items())), _part_text(i, source)])
            for i in _subparts(part)
        ]
        return ["\n".join(fields).strip()]
    if part.is_multipart():
        inner_parts = [
            (inner.get_content_type(), _texts_of_part(inner, attached, source))
            for inner in _subparts(part)
        ]
        if kind == "multipart/alternative":
            inner_parts = _choose_alternative([each for each in inner_parts if each[1]])
        # The text above the parts is for programs without MIME, unless it is the only text.
        return ([text for _, texts in inner_parts for text in texts] or above) + below
    is_attached = part.get_content_disposition() == "attachment"
    # A multipart message without parts is text.
    if is_attached or part.get_content_maintype() not in ("text", "multipart"):
        attached.append((_file_name(part), _bytes_of(part, source)[0]))
        return []
    text = _part_text(part, source)
    if kind == "text/html":
        text = text_of_html(text)
    return [text.strip(), *below] if text.strip() else below


def _text_around_parts(text: str | None) -> list[str]:
    text = _lenient_text((text or "").encode("utf-8", "surrogateescape")).strip()
    return [text] if text else []


_MESSAGES = ("message/rfc822", "message/global", "message/partial", "message/news")
_Texts = tuple[str, list[str]]
"""The content type and texts of a part."""


def _choose_alternative(choices: list[_Texts]) -> list[_Texts]:
    """Choose the plain text of alternatives, unless another one has twice as many words."""
    plain = [each for each in choices if each[0] == "text/plain"]
    others = [each for each in choices if each[0] not in ("text/plain", "text/calendar")]
    if not others or 2 * _n_words(plain) >= _n_words(others[-1:]):
        return plain or choices[-1:]
    return others[-1:]


def _n_words(parts: list[_Texts]) -> int:
    return sum(len(text.split()) for _, texts in parts for text in texts)


def _subparts(part: Message) -> list[Message]:
    inner = [each for each in part.get_payload() if isinstance(each, Message)]
    # Against the standards, some mailers encode whole messages like this.
    if _transfer_encoding(part) == "base64":
        return [_parse_mail(b64decode(each.as_bytes())) for each in inner]
    if _transfer_encoding(part) == "quoted-printable":
        return [_parse_mail(quopri.decodestring(each.as_bytes())) for each in inner]
    return inner


def _transfer_encoding(part: Message) -> str:
    return str(part.get("Content-Transfer-Encoding")).strip().lower()


def _parse_mail(data: bytes) -> Message:
    message = email.message_from_bytes(data, policy=_Policy())
    for part in message.walk():
        end = f"--{part.get_boundary()}--".encode("utf-8", "surrogateescape")
        is_empty = any(isinstance(each, StartBoundaryNotFoundDefect) for each in part.defects)
        if is_empty and end in data:  # The parser drops the text after it.
            return _parse_mail(data.replace(end, b""))
    return message


def _part_text(part: Message, source: Source) -> str:
    """Return the text of a part without subparts."""
    data, below = _bytes_of(part, source)
    label = part.get_param("charset")
    encoding = known_encoding(label if isinstance(label, str) else None)
    if encoding is None and part.get_content_type() == "text/html":
        encoding = declared_encoding(data)
    is_unknown = encoding is None and not is_utf8(data)
    if is_unknown and not label:
        encoding = source.guess(data)
        is_unknown = encoding == "utf-8"
    text = _lenient_text(data, encoding)
    if is_unknown:
        named = f", {label}" if label else ""
        source.notes.append(f"a part is in an encoding that is not known{named}")
    elif "\ufffd" in text and "\ufffd".encode() not in data:
        source.notes.append(f"letters of a part are not valid {label or 'UTF-8'}")
    return (text + below).replace("\r\n", "\n").replace("\r", "\n")


def _bytes_of(part: Message, source: Source) -> tuple[bytes, str]:
    """Return a part's decoded content, and the undecoded text that follows it."""
    payload = part.get_payload()
    if _transfer_encoding(part) != "base64" or not isinstance(payload, str):
        data = part.get_payload(decode=True)
        return data if isinstance(data, bytes) else b"", ""
    end = _BASE64.match(payload).end()  # type: ignore[union-attr]  # it may match nothing
    data = b""
    for run in re.findall(r"[A-Za-z0-9+/]+", re.sub(r"\s", "", payload[:end])):
        if len(run) % 4 == 1:
            source.notes.append("a part is cut off")
        data += b64decode(run[: len(run) - (len(run) % 4 == 1)] + "===")
    return data, payload[end:] and f"\n{payload[end:]}"


def _decode_header(value: str) -> str:
    """Decode a header's encoded words, and leave the rest as it is."""
    value = "".join(value.splitlines())
    try:
        return "".join(
            chunk
            if isinstance(chunk, str)
            else chunk.decode("raw-unicode-escape")
            if charset is None
            else _lenient_text(chunk, known_encoding(charset.partition("*")[0]))
            for chunk, charset in decode_header(value)
        )
    except (HeaderParseError, UnicodeDecodeError):  # such as a word that is not base64
        return value


def _file_name(part: Message) -> str:
    try:
        return part.get_filename() or "unnamed"
    except Exception:  # a malformed header
        return "unnamed"


def _read_msg(source: Source) -> Document:
    """Read an Outlook message: headers, text, names of attachments."""
    oxmsg = import_extra("oxmsg", "python-oxmsg", "office", "Outlook's .msg")
    message = oxmsg.Message.load(io.BytesIO(source.read()))
    received = {name.lower(): value for name, value in (message.message_headers or {}).items()}
    to = ", ".join(f"{r.name} <{r.email_address}>" for r in message.recipients)
    date = message.sent_date
    found = {
        "From": message.sender or received.get("from"),
        "To": received.get("to") or to,
        "Cc": received.get("cc"),
        "Date": received.get("date") or (None if date is None else date.isoformat()),
        "Subject": message.subject or received.get("subject"),
    }
    text = message.body or ""
    if not text.strip() and message.html_body:
        text = text_of_html(message.html_body)
    if not text.strip() and message.properties.binary_prop_value(_RTF):
        source.notes.append("its text is RTF, which is not read")
    files = [(f.file_name or "unnamed", f.file_bytes) for f in message.attachments]
    headers = {name: value for name, value in found.items() if value}
    unread = [name for name, data in files if data is None]
    source.notes.extend(f"a message within it is not read: {name}" for name in unread)
    return _join_mail(headers, [text.replace("\r\n", "\n").strip()], files, source)


def _lenient_text(data: bytes, encoding: str | None = None) -> str:
    """Decode text in its declared encoding; without one, or with one that mailers often get wrong,
    as UTF-8 if most of it is valid, and else as Windows-1252."""
    declared = None if encoding in ("utf-8", "cp1252") else encoding
    try:
        return data.decode(declared or "utf-8")
    except UnicodeDecodeError:
        # A declared encoding is only wrong if all letters beyond ASCII are UTF-8.
        n = n_beyond_ascii(data)
        is_utf8 = n_as_utf8(data) == n > 0 if declared else is_mostly_utf8(data)
        return data.decode("utf-8" if is_utf8 else declared or "cp1252", "replace")


TEXT_READERS = {"eml": _read_mail, "msg": _read_msg}
