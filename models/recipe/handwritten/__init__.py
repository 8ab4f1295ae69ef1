"""Handwritten documents, with questions as people ask them, and the right answers.

A file has any number of documents::

    === parking-fine
    Penalty charge notice 8831-F. Vehicle KX19 ZRD, observed 14/03/2025 in Castle Street.
    ---
    notice number / pcn / reference = 8831-F
    registration / number plate: of the vehicle = KX19 ZRD
    observed / date_of_offence (date) = 2025-03-14
    paid (bool) =
    kind ([parking|speeding|bus lane]) = parking

A line below the dashes is a question: names to choose from, the type in brackets as in a one-line
schema, a description, and after ``=`` the answer: JSON for lists of objects, items separated by
``;`` for other lists, alternatives separated by ``||``, and nothing if the document states none.

    PYTHONPATH=python:models python -m recipe.handwritten.check [FILE ...]
"""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from hpd.schema.attributes import Attribute, Schema
from hpd.schema.one_line import parse_one_line

FOLDER = Path(__file__).parent
KEPT_ASIDE = 6
"""One of this many documents is held out, to calibrate confidence."""
_HEAD = re.compile(r"^=== *(\S+) *\n", re.MULTILINE)
_LINE = re.compile(
    r"(?P<names>[^(:=]+?) *(?:\((?P<type>.+?)\))? *(?:: *(?P<description>.*?))? +=(?P<gold>.*)"
)


class HandwrittenError(ValueError):
    """A document that cannot be read, with its file and name."""


@dataclass(frozen=True)
class Question:
    """A question with all its names, and its right answers."""

    kind: Attribute
    """Its type, as an attribute."""
    names: tuple[str, ...]
    description: str
    golds: tuple[Any, ...]

    # Made when needed: there are hundreds of thousands.
    @cached_property
    def attributes(self) -> tuple[Attribute, ...]:
        """The attribute under each of its names."""
        return tuple(
            replace(self.kind, name=name, description=self.description) for name in self.names
        )


@dataclass(frozen=True)
class Handwritten:
    """A document and its questions."""

    name: str
    text: str
    questions: tuple[Question, ...]

    @property
    def file(self) -> str:
        """The stem of the name of the file it stands in."""
        return self.name.partition("/")[0]

    @property
    def is_kept_aside(self) -> bool:
        """Whether it is held out from training."""
        return zlib.crc32(self.name.encode()) % KEPT_ASIDE == 0

    @property
    def schema(self) -> Schema:
        """Return the schema of all questions, by first name; the last one of a name is asked."""
        asked = {question.names[0]: question.attributes[0] for question in self.questions}
        return Schema(tuple(asked.values()))

    @property
    def answer(self) -> dict[str, Any]:
        """Return the gold answers, a list if several are right."""
        return {
            question.attributes[0].name: question.golds[0]
            if len(question.golds) == 1
            else list(question.golds)
            for question in self.questions
        }


def read_file(file: Path) -> Iterator[Handwritten]:
    """Read the documents of a file.

    Raises:
        HandwrittenError: a document has no dashes, or a line that is not a question.
    """
    _, *parts = _HEAD.split(file.read_text(encoding="utf-8"))
    for name, body in zip(parts[::2], parts[1::2], strict=True):
        text, dashes, asked = body.rpartition("\n---\n")
        if not dashes:
            raise HandwrittenError(f"{file.name}: {name}: there is no line of dashes")
        questions = tuple(
            _question(line, f"{file.name}: {name}: {line!r}")
            for line in asked.splitlines()
            if line.strip()
        )
        yield Handwritten(f"{file.stem}/{name}", text.strip("\n"), questions)


def _question(line: str, where: str) -> Question:
    match = _LINE.fullmatch(line.rstrip())
    if match is None:
        raise HandwrittenError(f"{where} is no question: names (type): description = answer")
    try:
        kind = _attribute(match["type"] or "")
        golds = tuple(_golds(kind, match["gold"].strip()))
        names = tuple(match["names"].split(" / "))
        return Question(kind, names, match["description"] or "", golds)
    except ValueError as error:
        raise HandwrittenError(f"{where}: {error}") from error


@cache
def _attribute(kind: str) -> Attribute:
    """An attribute of a type, of which many questions are."""
    (attribute,) = parse_one_line(f'"x" {kind}')
    return attribute


def _golds(attribute: Attribute, text: str) -> Iterator[Any]:
    if attribute.type == "array":
        item = attribute.item
        assert item is not None
        if text.startswith("["):
            yield json.loads(text)
        else:
            yield [_value(item, part.strip()) for part in text.split(";")] if text else []
    elif attribute.type == "object":
        yield json.loads(text)
    elif not text:
        yield None
    else:
        yield from (_value(attribute, part.strip()) for part in text.split("||"))


def _value(attribute: Attribute, text: str) -> Any:
    if attribute.type in ("integer", "number", "boolean"):
        return json.loads(text)
    if attribute.type == "enum" and not isinstance(attribute.choices[0], str):
        return json.loads(text)
    return text


@cache
def documents() -> tuple[Handwritten, ...]:
    """Return all documents, including held-out ones."""
    return tuple(each for file in sorted(FOLDER.glob("*.txt")) for each in read_file(file))


def taught() -> list[Handwritten]:
    """Return the documents for training."""
    return [each for each in documents() if not each.is_kept_aside]


def kept_aside() -> list[Handwritten]:
    """Return the held-out documents."""
    return [each for each in documents() if each.is_kept_aside]
