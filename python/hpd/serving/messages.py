"""The document, the instructions and the examples in the messages of a chat.

- The last message of the user is the document, whole and as it is.
- Messages of the system or the developer are instructions, wherever they stand.
- A message of the user that is answered by the assistant with a JSON object is an example. One
  that is not answered, before the document, is an instruction.
- Whatever comes after the document finds fault with an answer to it, as clients do that ask again
  where an answer is not valid: it is an instruction, too. Where such a client sends the fault as a
  message of the user, that is not mistaken for the document.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hpd.serving.bodies import part
from hpd.serving.refusals import bad_request

_FAULTS = ("Correct your JSON ONLY RESPONSE", "Validation Error found:")
"""The words with which instructor opens a message that finds fault with an answer."""

_ROLES = ("system", "developer", "user", "assistant", "tool")


@dataclass(frozen=True, slots=True)
class Conversation:
    """The parts of a chat, by what they are for."""

    document: str
    instructions: tuple[str, ...] = ()
    examples: tuple[tuple[str, object], ...] = ()


@dataclass(frozen=True, slots=True)
class _Message:
    role: str
    text: str
    """Its words; of a call of a function, the arguments."""


def read_messages(source: object) -> Conversation:
    """The parts of a chat.

    Raises:
        RefusedError: a message that can be none of them.
    """
    if not isinstance(source, list) or not source:
        raise bad_request("'messages' must be a list with a message of the user", "messages")
    messages = [_message(each, f"messages[{i}]") for i, each in enumerate(source)]
    places = [
        i
        for i, message in enumerate(messages)
        if message.role == "user" and not message.text.startswith(_FAULTS)
    ]
    if not places:
        raise bad_request(
            "there is no message of the user, which would be the document", "messages"
        )
    place = places[-1]
    instructions = []
    examples = []
    for i, message in enumerate(messages):
        if i == place or not message.text.strip():
            continue
        is_answered = i + 1 < place and messages[i + 1].role == "assistant"
        if message.role in ("system", "developer"):
            instructions.append(message.text)
        elif i > place:
            is_answer = message.role == "assistant"
            instructions.append(
                f"An earlier answer was: {message.text}" if is_answer else message.text
            )
        elif message.role == "user" and is_answered:
            examples.append((message.text, _answer(messages[i + 1], f"messages[{i + 1}]")))
        elif message.role == "user":
            instructions.append(message.text)
        elif message.role == "assistant" and (i == 0 or messages[i - 1].role != "user"):
            raise bad_request(
                f"messages[{i}]: an answer of the assistant must follow the message of the user "
                "for which it is an example",
                f"messages[{i}]",
            )
    return Conversation(messages[place].text, tuple(instructions), tuple(examples))


def _message(source: object, where: str) -> _Message:
    if not isinstance(source, dict):
        raise bad_request(f"{where} must be an object", where, "invalid_type")
    role = source.get("role")
    if role not in _ROLES:
        raise bad_request(f"{where}.role must be one of {', '.join(_ROLES)}", f"{where}.role")
    calls = part(source, "tool_calls", list, where)
    if calls:
        return _Message(role, "\n".join(_arguments(call, where) for call in calls))
    content = source.get("content")
    if isinstance(content, str):
        return _Message(role, content)
    if isinstance(content, list):
        return _Message(role, "".join(_text(each, f"{where}.content") for each in content))
    if content is None and role == "assistant":
        return _Message(role, "")
    raise bad_request(f"{where}.content must be text", f"{where}.content", "invalid_type")


def _text(source: object, where: str) -> str:
    if isinstance(source, dict) and source.get("type") == "text":
        text = part(source, "text", str, where)
        if text is not None:
            return text
    raise bad_request(f"{where}: only text can be read, no pictures, sound or files", where)


def _arguments(call: object, where: str) -> str:
    function = call.get("function") if isinstance(call, dict) else None
    arguments = function.get("arguments") if isinstance(function, dict) else None
    if isinstance(arguments, str):
        return arguments
    raise bad_request(f"{where}.tool_calls must have the arguments of a function", where)


def _answer(message: _Message, where: str) -> object:
    try:
        answer = json.loads(message.text)
    except (ValueError, RecursionError):
        answer = None
    if not isinstance(answer, dict):
        raise bad_request(
            f"{where}: an answer of the assistant that stands before the document must be a JSON "
            "object, as it is an example",
            where,
        )
    return answer


def schema_in(texts: Sequence[str]) -> tuple[Mapping[str, Any] | None, tuple[str, ...]]:
    """The JSON Schema that stands in some text, and the texts without it.

    Clients write it there for endpoints that know no better than ``json_object``.
    """
    decoder = json.JSONDecoder()
    for i, text in enumerate(texts):
        start = text.find("{")
        while start >= 0:
            try:
                found, end = decoder.raw_decode(text, start)
            except (ValueError, RecursionError):
                start = text.find("{", start + 1)
                continue
            if isinstance(found, dict) and isinstance(found.get("properties"), dict):
                rest = f"{text[:start].rstrip()}\n{text[end:].lstrip()}".strip()
                return found, (*texts[:i], rest, *texts[i + 1 :])
            start = text.find("{", end)
    return None, tuple(texts)
