"""Finds the document, instructions, examples and schema in the messages of a chat.

- The last user message is the document, unchanged.
- System and developer messages are instructions, wherever they are.
- A user message that the assistant answers with a JSON object is an example. An unanswered one
  before the document is an instruction.
- Messages after the document criticise an answer: clients send them to have an invalid one
  corrected. They are instructions as well, even if the user wrote them.

langextract has the examples and the document in one message, which is split. Its answers are a list
of extractions, each with its class, text and attributes. The schema has a list for each class, with
the classes and attributes of the examples.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hpd.results import Extraction
from hpd.schema.checks import join_path
from hpd.serving.bodies import ChatMessage, bad_request

_CRITICISMS = ("Correct your JSON ONLY RESPONSE", "Validation Error found:")
"""How instructor begins a message that criticises an answer."""

_ABOUT_FORM = re.compile(r"\b(json|schema|markdown)", re.IGNORECASE)
"""Matches lines near a schema that are about the form of the answer. The form is guaranteed, and as
instructions these lines would only confuse a small model."""


@dataclass(frozen=True, slots=True)
class Conversation:
    """The parts of a chat, by role."""

    document: str
    instructions: tuple[str, ...] = ()
    examples: tuple[tuple[str, object], ...] = ()


def read_messages(messages: Sequence[ChatMessage]) -> Conversation:
    """Split a chat into its parts; raise ``HttpError`` if a message fits none of them."""
    user_turns = [
        i
        for i, message in enumerate(messages)
        if message.role == "user" and not message.text.startswith(_CRITICISMS)
    ]
    if not user_turns:
        raise bad_request("there is no user message to be the document", "messages")
    index = user_turns[-1]
    if not messages[index].content:
        where = f"messages[{index}].content"
        raise bad_request(f"'{where}' is missing", where)
    instructions = []
    examples = []
    for i, message in enumerate(messages):
        if i == index or not message.text.strip():
            continue
        is_answered = i + 1 < index and messages[i + 1].role == "assistant"
        if message.role in ("system", "developer"):
            instructions.append(message.text)
        elif i > index:
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
                f"messages[{i}]: an assistant message must follow the user message for which it "
                "is an example",
                f"messages[{i}]",
            )
    return Conversation(messages[index].text, tuple(instructions), tuple(examples))


def _answer(message: ChatMessage, where: str) -> object:
    try:
        answer = json.loads(message.text)
    except (ValueError, RecursionError):
        answer = None
    if not isinstance(answer, dict):
        raise bad_request(
            f"{where}: an assistant message before the document must be a JSON object, as it is "
            "an example",
            where,
        )
    return answer


def schema_in(texts: Sequence[str]) -> tuple[Mapping[str, Any] | None, tuple[str, ...]]:
    """Return the first JSON Schema in the texts, and the texts without it and the lines about it.

    Clients put a schema there for endpoints that only support ``json_object``.
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
                lines = f"{text[:start]}\n{text[end:]}".splitlines()
                rest = [line for line in lines if line.strip("` ") and not _ABOUT_FORM.search(line)]
                return found, (*texts[:i], "\n".join(rest), *texts[i + 1 :])
            start = text.find("{", end)
    return None, tuple(texts)


_LIST = "extractions"
_SUFFIX = "_attributes"
_HEADING = "Examples\n"
_QUESTION = "Q: "
_ANSWER = "\nA: "
_FENCE = re.compile(r"```(?:json)?\s*")
_LAST = re.compile(r"\nA:\s*\Z")

Classes = Mapping[str, Mapping[str, bool]]
"""The attributes of each class, and whether each is a list."""


@dataclass(frozen=True, slots=True)
class LangextractPrompt:
    """The parts of a langextract prompt."""

    description: str
    examples: tuple[tuple[str, object], ...]
    """Texts with their answers, by class."""
    document: str
    classes: Classes

    @property
    def schema(self) -> dict[str, Any]:
        """The JSON Schema of an answer: a list for each class."""
        return {
            "type": "object",
            "properties": {name: _list_of(name, parts) for name, parts in self.classes.items()},
        }

    def answer(self, extraction: Extraction[Any]) -> dict[str, Any]:
        """Return the answer in langextract's format: extractions in the order of the document."""
        found: list[tuple[int, dict[str, Any]]] = []
        for name, parts in self.classes.items():
            for i, item in enumerate((extraction.data or {}).get(name) or []):
                text = item.get(name) if parts else item
                if not text:
                    continue
                attributes = {part: item.get(part) for part in parts} if parts else {}
                item_path = join_path(name, i)
                field = extraction.fields.get(join_path(item_path, name) if parts else item_path)
                start = field.start if field and field.start is not None else len(found)
                given = {part: value for part, value in attributes.items() if value is not None}
                found.append((start, {name: text, f"{name}{_SUFFIX}": given}))
        return {_LIST: [each for _, each in sorted(found, key=lambda pair: pair[0])]}


def langextract_prompt(text: str) -> LangextractPrompt | None:
    """Split a message; None if it is not a langextract prompt with examples."""
    end = _LAST.search(text)
    start = text.find(_HEADING + _QUESTION)
    if end is None or start < 0:
        return None
    examples: list[tuple[str, Sequence[Any]]] = []
    rest = text[start + len(_HEADING) : end.start()]
    while (example := _first_example(rest)) is not None:
        question, answer, rest = example
        examples.append((question, answer))
    if not examples or not rest.startswith(_QUESTION):
        return None
    classes = _classes([answer for _, answer in examples])
    if not classes:
        return None
    return LangextractPrompt(
        text[:start].strip(),
        tuple((question, _by_class(answer, classes)) for question, answer in examples),
        rest[len(_QUESTION) :],
        classes,
    )


def _first_example(text: str) -> tuple[str, Sequence[Any], str] | None:
    """Return the question and answer of the first example, and the rest."""
    question_end = text.find(_ANSWER)
    if not text.startswith(_QUESTION) or question_end < 0:
        return None
    start = question_end + len(_ANSWER)
    fence = _FENCE.match(text, start)
    try:
        answer, end = json.JSONDecoder().raw_decode(text, fence.end() if fence else start)
    except (ValueError, RecursionError):
        return None
    items = answer.get(_LIST) if isinstance(answer, dict) else None
    if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
        return None
    rest = text[end:].lstrip()
    rest = rest.removeprefix("```") if fence else rest
    return text[len(_QUESTION) : question_end], items, rest.lstrip()


def _classes(answers: Sequence[Sequence[Mapping[str, Any]]]) -> dict[str, dict[str, bool]]:
    classes: dict[str, dict[str, bool]] = {}
    for item in (item for items in answers for item in items):
        for name in _class_names(item):
            parts = classes.setdefault(name, {})
            for part, value in _attributes(item, name).items():
                parts[part] = parts.get(part, False) or isinstance(value, list)
    return classes


def _class_names(item: Mapping[str, Any]) -> list[str]:
    return [
        name for name in item if not (name.endswith(_SUFFIX) and name.removesuffix(_SUFFIX) in item)
    ]


def _attributes(item: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    attributes = item.get(f"{name}{_SUFFIX}")
    given = attributes if isinstance(attributes, dict) else {}
    # An attribute named like its class would replace the text.
    return {part: value for part, value in given.items() if part != name}


def _list_of(name: str, parts: Mapping[str, bool]) -> dict[str, Any]:
    text = {"type": "string"}
    if not parts:
        return {"type": "array", "items": text}
    kinds = {
        part: {"type": "array", "items": text} if many else text for part, many in parts.items()
    }
    return {"type": "array", "items": {"type": "object", "properties": {name: text, **kinds}}}


def _by_class(items: Sequence[Mapping[str, Any]], classes: Classes) -> dict[str, list[Any]]:
    answer: dict[str, list[Any]] = {name: [] for name in classes}
    for item in items:
        for name in _class_names(item):
            parts = classes[name]
            attributes = _attributes(item, name)
            values = {part: attributes.get(part) for part in parts}
            answer[name].append({name: item[name], **values} if parts else item[name])
    return answer
