"""Write short texts of labels and values, out of the handwritten documents' own fields.

Handwritten documents are hard ones. A model that sees nothing else becomes shy, and answers null to
``Order number: 007812``. So some rows are plain: a few fields of one document, each as a label
with its value, in the forms of notes, tables and messages.
"""

from __future__ import annotations

import json
import re
from dataclasses import replace
from datetime import date
from random import Random
from typing import Any

from hpd.schema.attributes import Attribute, Schema
from recipe.handwritten import Handwritten, Question
from recipe.words import Words

Row = tuple[str, Schema, dict[str, Any]]
"""A text, its schema, and the right answers."""

MAX_TEXT = 80
"""Longest text of a value, in characters."""

_NO_VALUES = ("-", "\u2013", "n/a", "unknown", "none", "to be agreed", "pending", "?", "see below")
_CURRENCIES = ("$", "€", "£", "USD ", "EUR ")
_UNITS = (" kg", " pcs", " km", " €", " EUR", " days", " cm", " people", " %")
_YES = ("yes", "Yes", "YES", "ja", "oui", "sí", "true", "✓", "[x]")
_NO = ("no", "No", "NO", "nein", "non", "false", "✗", "[ ]")
_MONTHS = "January February March April May June July August September October November December"
_SENTENCES = ("{} is {}", "{} was {}", "The {} is {}", "{} - {}")
SPACELESS = re.compile(r"[\u3040-\u30ff\u4e00-\u9fff]")
"""Characters of Chinese and Japanese, which have no blanks between words."""
SEPARATORS = ("\n", "\n", ". ", ", ", "; ", " | ", "   ")
"""What may stand between the lines of a short text."""
_COLONS = ("\uff1a", "\uff1a", ":", " ", "")


def usable(question: Question) -> bool:
    """Return whether a label and a value can ask and answer a question."""
    return not question.description and (
        question.golds[0] in (None, []) or _is_short(question.kind, question.golds[0])
    )


def short_row(document: Handwritten, rng: Random, words: Words | None = None) -> Row | None:
    """Return a short text, its schema and its answer; None if the document has no such fields.

    With ``words``, most of its values are made up.
    """
    questions = [question for question in document.questions if usable(question)]
    stated = [question for question in questions if question.golds[0] not in (None, [])]
    if not stated:
        return None
    written = rng.sample(stated, min(len(stated), rng.choice((1, 1, 2, 2, 3, 4, 5))))
    others = [question for question in questions if question not in written]
    absent = rng.sample(others, min(len(others), rng.choice((0, 1, 2, 3, 4, 5))))
    form = Random(rng.random())
    lines: list[str] = []
    asked: dict[str, Attribute] = {}
    answer: dict[str, Any] = {}
    for question in written:
        attribute = rng.choice(question.attributes)
        if attribute.name in asked:
            continue
        value = question.golds[0]
        if words is not None and rng.random() < 0.7:
            value = _invent_value(attribute, value, words, rng)
        text = spelled(attribute, value, rng)
        chance = rng.random()
        if chance < 0.06:
            text, value = rng.choice(_NO_VALUES), [] if attribute.type == "array" else None
        elif chance < 0.14 and len(attribute.choices) > 2:
            # The text names a value that is not a choice.
            kept = tuple(choice for choice in attribute.choices if choice != value)
            attribute, value = replace(attribute, choices=kept), None
        elif chance < 0.10 and attribute.type == "date":
            text, value = f"{rng.choice((30, 31))}.02.{rng.randint(2019, 2027)}", None
        label = label_of(rng.choice((attribute.name, *question.names)))
        lines.append(labelled_line(label, text, form, rng))
        if len(lines) < 3 or rng.random() < 0.85:
            asked[attribute.name], answer[attribute.name] = attribute, value
    for question in absent:
        attribute = rng.choice(question.attributes)
        if attribute.name not in asked:
            asked[attribute.name] = attribute
            answer[attribute.name] = [] if attribute.type == "array" else None
    names = list(asked)
    if rng.random() < 0.5:
        rng.shuffle(names)
    schema = Schema(tuple(asked[name] for name in names))
    separator = rng.choice(SEPARATORS)
    end = "." if separator == ". " else ""
    return separator.join(lines) + end, schema, {name: answer[name] for name in names}


def _is_short(kind: Attribute, value: Any) -> bool:
    if kind.type == "array":
        assert kind.item is not None
        is_scalar = kind.item.type in ("string", "integer", "number", "enum")
        return is_scalar and len("; ".join(map(str, value))) <= MAX_TEXT
    return kind.type not in ("object", "map", "tuple", "union") and len(str(value)) <= MAX_TEXT


def _invent_value(attribute: Attribute, value: Any, words: Words, rng: Random) -> Any:
    """Return a made-up value of the same kind, or the value if its kind allows no other."""
    if attribute.type == "array":
        assert attribute.item is not None
        made = [_invent_value(attribute.item, each, words, rng) for each in value]
        return made if len(set(made)) == len(made) else value
    if attribute.type == "date":
        day = date(rng.randint(1985, 2029), rng.randint(1, 12), rng.randint(1, 28))
        return day.isoformat()
    if isinstance(value, str) and attribute.type == "string" and attribute.pattern is None:
        made = words.like(value, rng)
        return value if "; " in made or attribute.format == "uri" else made
    if isinstance(value, bool) or attribute.type not in ("integer", "number"):
        return value
    if attribute.minimum is not None or attribute.maximum is not None or attribute.choices:
        return value
    made = json.loads(words.like(json.dumps(abs(value)), rng))
    return -made if value < 0 else made


def label_of(name: str) -> str:
    """Return the name of a field as a text has it."""
    words = re.sub(r"(?<=[a-z])(?=[A-Z])|[_]+", " ", name).strip()
    return words[:1].upper() + words[1:]


def labelled_line(label: str, text: str, form: Random, rng: Random) -> str:
    """Return a label and its text in one of the forms of notes, tables and sentences.

    Three in ten lines draw their form from a source of their own, not the text's ``form``.
    """
    rng = Random(form.random()) if rng.random() < 0.3 else form
    kind = rng.random()
    if SPACELESS.search(label):
        return f"{label}{rng.choice(_COLONS)}{text}"
    if kind < 0.5:
        return f"{label}: {text}"
    if kind < 0.68:
        return f"{label} {text}"
    if kind < 0.76:
        return f"{label.lower()}={text}" if rng.random() < 0.5 else f"{label.upper()}  {text}"
    if kind < 0.82:
        return f"{text} {label.lower()}"
    sentence = rng.choice(_SENTENCES).format(label.lower(), text)
    return sentence[:1].upper() + sentence[1:]


def spelled(attribute: Attribute, value: Any, rng: Random) -> str:
    """Return how a text may write the value."""
    if attribute.type == "array":
        assert attribute.item is not None
        item = attribute.item
        separator: str = rng.choice((", ", "; ", " / "))
        return separator.join(spelled(item, each, rng) for each in value)
    if isinstance(value, bool):
        return rng.choice(_YES if value else _NO)
    if attribute.type == "date":
        return _date(date.fromisoformat(value[:10]), rng)
    if attribute.type == "date-time":
        day = _date(date.fromisoformat(value[:10]), rng)
        between = rng.choice((" ", ", ", " at "))
        return f"{day}{between}{value[11:16]}"
    if isinstance(value, int | float) and attribute.type in ("integer", "number"):
        return _number(attribute, value, rng)
    return str(value)


def _date(day: date, rng: Random) -> str:
    month = _MONTHS.split()[day.month - 1]
    forms = [
        day.isoformat(),
        f"{day:%d.%m.%Y}",
        f"{day.day} {month} {day.year}",
        f"{month} {day.day}, {day.year}",
        f"{day.day} {month[:3]} {day.year}",
    ]
    if day.day > 12:
        forms += [f"{day:%d/%m/%Y}", f"{day:%m/%d/%Y}"]
    return rng.choice(forms)


def _number(attribute: Attribute, value: float, rng: Random) -> str:
    whole = isinstance(value, int) or value == int(value)
    text = rng.choice((f"{value:,}", f"{value}")) if whole else f"{value:,}"
    if not isinstance(value, int) and rng.random() < 0.25:
        text = text.translate(str.maketrans(",.", ".,"))
    if value < 0 and rng.random() < 0.5:
        return f"({text[1:]})"
    kind = rng.random()
    if kind < 0.2 and attribute.type == "number":
        return rng.choice(_CURRENCIES) + text
    return text + (rng.choice(_UNITS) if kind < 0.4 else "")
