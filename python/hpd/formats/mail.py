"""E-mails, as they are sent (.eml) and as Outlook stores them (.msg)."""

from __future__ import annotations

import email
import email.policy
import io
import re
from base64 import b64decode
from email.message import Message
from typing import Any

from hpd.errors import InputError
from hpd.files.rows import WholeText
from hpd.files.streams import Source, known_encoding, needed
from hpd.formats.html import declared_encoding, text_of_html

_LONGEST_HEADER = 10_000
"""Characters; the parser's time grows with their square."""
_HEADERS = ("From", "To", "Cc", "Date", "Subject")
_BARE_BOUNDARY = re.compile(r'(boundary=)(?!")([^\s;]+)', re.IGNORECASE)


class _Policy(email.policy.EmailPolicy):
    """The default policy, but for headers that it reads badly."""

    def header_fetch_parse(self, name: str, value: str) -> Any:
        if len(value) > _LONGEST_HEADER:
            return "".join(value.splitlines())
        if not value.isascii():  # bytes that no header should have
            value = _lenient_text(value.encode("utf-8", "surrogateescape"))
        if name.lower() == "content-type":
            value = _BARE_BOUNDARY.sub(r'\1"\2"', value)
        return super().header_fetch_parse(name, value)


def _read_mail(source: Source) -> WholeText:
    try:
        data = source.read().removeprefix(b"\xef\xbb\xbf").lstrip(b"\r\n")
        message = _parsed(data)
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
    if kind == "message/delivery-status":
        return ["\n".join(f"{name}: {value}" for name, value in i.items()) for i in _inner(part)]
    if kind == "multipart/alternative" and part.is_multipart():
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
    # What says that it has parts, and has none, is text.
    if is_attached or part.get_content_maintype() not in ("text", "multipart"):
        attached.append(_file_name(part))
        return []
    data = part.get_payload(decode=True)
    text = _decoded_part(data if isinstance(data, bytes) else b"", part, source)
    if kind == "text/html":
        text = text_of_html(text, source.name)
    return [text.strip()] if text.strip() else []


def _inner(part: Message) -> list[Message]:
    inner = [each for each in part.get_payload() if isinstance(each, Message)]
    if str(part.get("Content-Transfer-Encoding")).strip().lower() == "base64":
        # No standard allows it, but some mailers pack whole messages so.
        return [_parsed(b64decode(each.as_bytes())) for each in inner]
    return inner


def _parsed(data: bytes) -> Message:
    return email.message_from_bytes(data, policy=_Policy())


def _decoded_part(data: bytes, part: Message, source: Source) -> str:
    """A part's text: in UTF-8 if that is valid, as most mailers write it, whatever they say."""
    label = part.get_param("charset")
    encoding = known_encoding(label if isinstance(label, str) else None)
    if encoding is None and part.get_content_type() == "text/html":
        encoding = declared_encoding(data)
    if encoding in (None, "utf-8", "cp1252"):
        text = _lenient_text(data)
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


def _read_msg(source: Source) -> WholeText:
    """An e-mail as Outlook stores it: headers, text, names of the attachments."""
    oxmsg = needed("oxmsg", "python-oxmsg", "office", "Outlook's .msg")
    try:
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
            text = text_of_html(message.html_body, source.name)
        attached = [file.file_name or "unnamed" for file in message.attachments]
    except InputError:
        raise
    except Exception as error:  # damaged ones raise whatever the parser comes to
        raise InputError(f"{source.name}: cannot be read as an Outlook message: {error}") from error
    headers = {name: value for name, value in found.items() if value}
    parts = ["\n".join(f"{name}: {value}" for name, value in headers.items())]
    parts.append(text.replace("\r\n", "\n").strip())
    if attached:
        parts.append("Attachments: " + ", ".join(attached))
    columns = {name.lower(): value for name, value in headers.items()}
    return WholeText("\n\n".join(part for part in parts if part), columns)


READERS = {"eml": _read_mail, "msg": _read_msg}


def _lenient_text(data: bytes) -> str:
    """A text of unknown encoding: UTF-8 if it is valid, else Windows-1252."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("cp1252", "replace")
