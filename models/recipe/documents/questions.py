"""Documents with questions about them, as users ask: any name, any type, present and absent."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from random import Random
from typing import Any

from hpd.schema.attributes import Attribute, Schema
from recipe.documents.asking import Ask
from recipe.documents.golds import gold
from recipe.documents.kind import Kind, kind_names, load_kind
from recipe.documents.rendering import Rendered, render
from recipe.documents.wording import Wording
from recipe.facts.fact import UNCLEAR, Statement
from recipe.names import restyle

KEPT_ASIDE = 12
"""One wording of so many is kept out of the training, for testing."""
MAX_FIELDS = 48
"""The most values that are asked of one document."""
CURRENCIES = ("EUR", "USD", "GBP", "CHF", "CAD", "AUD", "INR", "BRL", "MXN", "SEK", "PLN", "JPY")

Answer = Callable[[Mapping[str, Statement]], Any]
"""The answer to a question, from what a document states; ``UNCLEAR`` where nobody can tell."""


@dataclass(frozen=True)
class Question:
    """An attribute that is asked for, and its answer in any document of its kind."""

    attribute: Attribute
    answer: Answer


@cache
def kinds() -> tuple[Kind, ...]:
    """The kinds that have wordings."""
    return tuple(kind for kind in map(load_kind, kind_names()) if kind.wordings)


def is_kept_aside(wording: Wording) -> bool:
    """Whether the wording is kept out of the training."""
    return zlib.crc32(wording.body.encode()) % KEPT_ASIDE == 0


def make_documents(
    rng: Random, n_documents: int = 1, kept_aside: bool = False, kind: Kind | None = None
) -> tuple[Schema, list[str], list[dict[str, Any]]]:
    """Documents of one kind with one schema, and their answers.

    Args:
        rng: the source of all choices.
        n_documents: with the same questions.
        kept_aside: whether the wordings are those that are kept out of the training.
        kind: of the documents; any, unless it is given.
    """
    while True:
        chosen = kind or rng.choice(kinds())
        wordings = [w for w in chosen.wordings if is_kept_aside(w) == kept_aside]
        if not wordings:
            if kind is not None:
                raise ValueError(f"{kind.name} has no such wordings")
            continue
        drawn = [rng.choice(wordings) for _ in range(n_documents)]
        documents = [render(wording, chosen, rng) for wording in drawn]
        if rng.random() < 0.04:
            documents = [_in_capitals(chosen, document) for document in documents]
        questions = _questions(chosen, documents, drawn[0].language, rng)
        if questions:
            schema = Schema(tuple(question.attribute for question in questions))
            answers = [
                {question.attribute.name: question.answer(document.states)
                 for question in questions}
                for document in documents
            ]  # fmt: skip
            return schema, [document.text for document in documents], answers


def _in_capitals(kind: Kind, document: Rendered) -> Rendered:
    def changed(path: str, statement: Statement) -> Statement:
        gold = statement.gold
        ask = kind.ask_at(path)
        if ask is not None and ask.sort in ("text", "texts"):
            gold = [item.upper() for item in gold] if isinstance(gold, list) else gold
            gold = gold.upper() if isinstance(gold, str) else gold
        return replace(statement, gold=gold, written=statement.written.upper())

    states = {path: changed(path, statement) for path, statement in document.states.items()}
    return Rendered(document.text.upper(), states)


def _questions(
    kind: Kind, documents: Sequence[Rendered], language: str, rng: Random
) -> list[Question]:
    n_wanted = rng.choice((1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 16))
    stated, absent = [], []
    for path, ask in kind.asked.items():
        known = [(path, ask)]
        if ask.sort == "group":
            known = [(member, kind.asked[member]) for member in ask.members]
        values = [gold(part, at, document.states) for at, part in known for document in documents]
        if any(value is UNCLEAR for value in values):
            continue
        (absent if all(value in (None, []) for value in values) else stated).append(path)
    rng.shuffle(stated)
    rng.shuffle(absent)
    n_absent = sum(rng.random() < rng.choice((0.0, 0.1, 0.3)) for _ in range(n_wanted))
    paths = stated[: max(1, n_wanted - n_absent)] + absent[:n_absent]
    style_seed = rng.random() if rng.random() < 0.5 else None
    questions: dict[str, Question] = {}
    n_fields = 0
    rng.shuffle(paths)
    for path in paths:
        question = _question(kind.asked, path, kind.asked[path], language, style_seed, rng)
        name = question.attribute.name if question else ""
        if question is None or name in questions:
            continue
        answers = [question.answer(document.states) for document in documents]
        if any(answer is UNCLEAR for answer in answers):
            continue
        n_own = sum(_n_fields(answer) for answer in answers)
        if n_fields + n_own <= MAX_FIELDS:
            questions[name] = question
            n_fields += n_own
    if rng.random() < 0.2:
        for question in _foreign(kind, rng):
            questions.setdefault(question.attribute.name, question)
    return list(questions.values())


def _n_fields(answer: Any) -> int:
    if isinstance(answer, Mapping):
        return sum(map(_n_fields, answer.values()))
    if isinstance(answer, list):
        return 1 + sum(map(_n_fields, answer))
    return 1


def _foreign(kind: Kind, rng: Random) -> Iterator[Question]:
    """Questions of another kind whose words do not occur in any name of this one; all absent."""
    words = {word for ask in kind.asked.values() for name in ask.names for word in _words(name)}
    other = rng.choice(kinds())
    paths = [
        path
        for path, ask in other.asked.items()
        if ask.sort in ("text", "number", "date", "yes_no", "texts", "integer")
        and not any(_words(name) & words for name in ask.names)
    ]
    for path in rng.sample(paths, min(len(paths), rng.randint(1, 2))):
        question = _question(other.asked, path, other.asked[path], "en", None, rng)
        if question is not None:
            empty: list[Any] | None = [] if question.attribute.type == "array" else None
            yield Question(question.attribute, lambda _, empty=empty: empty)  # type: ignore[misc]


def _words(name: str) -> set[str]:
    return {word.rstrip("s") for word in name.lower().replace("_", " ").split() if len(word) > 2}


def _name(ask: Ask, language: str, style_seed: float | None, rng: Random) -> str:
    local = ask.local.get(language, ())
    name = rng.choice(local if local and rng.random() < 0.5 else ask.names)
    return name if style_seed is None else restyle(name, Random(style_seed))


def _question(
    asked: Mapping[str, Ask],
    path: str,
    ask: Ask,
    language: str,
    style_seed: float | None,
    rng: Random,
) -> Question | None:
    name = _name(ask, language, style_seed, rng)
    description = ""
    if ask.descriptions and rng.random() < 0.3:
        description = rng.choice(ask.descriptions)
    if ask.sort == "group":
        return _group(asked, ask, name, description, language, style_seed, rng)
    if ask.sort == "objects":
        return _objects(path, ask, name, description, language, style_seed, rng)
    attribute, convert = _typed(ask, name, description, path, rng)

    def answer(states: Mapping[str, Statement]) -> Any:
        value = gold(ask, path, states)
        if value is None or value is UNCLEAR:
            return value
        return convert(value, states.get(path))

    return Question(attribute, answer)


Convert = Callable[[Any, Statement | None], Any]


def _same(value: Any, _: Statement | None) -> Any:
    return value


def _as_written(value: Any, statement: Statement | None) -> Any:
    return statement.written if statement is not None and statement.written else UNCLEAR


def _typed(
    ask: Ask, name: str, description: str, path: str, rng: Random
) -> tuple[Attribute, Convert]:
    """An attribute of a type in which this may be asked for, and the way to its value."""
    chance = rng.random()
    plain = Attribute(name, description=description)
    is_end = path.endswith((".min", ".max"))
    if ask.sort in ("number", "integer"):
        if chance < 0.2 and not is_end:
            return plain, _as_written
        kind = ask.sort if chance < 0.85 or ask.sort == "number" else "number"
        return replace(plain, type=kind), _same  # type: ignore[arg-type]
    if ask.sort == "date":
        if chance < 0.2:
            return plain, _as_written
        if chance < 0.3:
            hint = rng.choice(("YYYY-MM-DD", "ISO 8601", "as YYYY-MM-DD", "in ISO format"))
            return replace(plain, description=f"{description}, {hint}".lstrip(", ")), _same
        return replace(plain, type="date"), _same
    if ask.sort == "time":
        if chance < 0.4:
            return plain, _as_written
        hint = rng.choice(("HH:MM", "24-hour time, HH:MM", "as HH:MM", "time in 24 hours"))
        return replace(plain, description=f"{description}, {hint}".lstrip(", ")), _same
    if ask.sort == "currency":
        if chance < 0.4:
            codes = tuple(rng.sample(CURRENCIES, rng.randint(3, len(CURRENCIES))))
            if set(CURRENCIES) - set(codes) and "EUR" not in codes:
                codes = (*codes, "EUR")

            def within(value: Any, _: Statement | None) -> Any:
                return value if value in codes else UNCLEAR

            return replace(plain, type="enum", choices=codes), within
        hint = rng.choice(("ISO code", "three-letter code", "as a code such as EUR", ""))
        return replace(plain, description=hint), _same
    if ask.sort == "yes_no":
        if chance < 0.12:
            yes, no = rng.choice((("yes", "no"), ("Yes", "No"), ("true", "false")))

            def worded(value: Any, _: Statement | None) -> Any:
                return yes if value else no

            return replace(plain, type="enum", choices=(yes, no)), worded
        return replace(plain, type="boolean"), _same
    if ask.sort == "choice":
        return _choice(ask, plain, rng)
    if ask.sort == "texts":
        return replace(plain, type="array", item=Attribute("item")), _same
    return plain, _same


def _choice(ask: Ask, plain: Attribute, rng: Random) -> tuple[Attribute, Convert]:
    classes = list(ask.choices)
    rng.shuffle(classes)
    if rng.random() < 0.4:
        classes = classes[: rng.randint(2, len(classes))] if len(classes) > 2 else classes
    change = rng.choice((str, str, str.capitalize, str.upper, _snake))
    spelled = {name: change(rng.choice(ask.choices[name])) for name in classes}

    def chosen(value: Any, _: Statement | None) -> Any:
        return spelled.get(value, UNCLEAR)

    return replace(plain, type="enum", choices=tuple(spelled.values())), chosen


def _snake(words: str) -> str:
    return words.replace(" ", "_").replace("-", "_").lower()


def _objects(
    path: str,
    ask: Ask,
    name: str,
    description: str,
    language: str,
    style_seed: float | None,
    rng: Random,
) -> Question:
    keys = rng.sample(list(ask.parts), rng.randint(1, min(4, len(ask.parts))))
    parts: dict[str, tuple[str, Attribute, Convert]] = {}
    for key in keys:
        part = ask.parts[key]
        own = _name(part, language, style_seed, rng)
        if part.sort in ("objects", "group", "texts") or own in parts:
            continue
        attribute, convert = _typed(part, own, "", key, rng)
        parts[own] = (key, attribute, convert)
    attributes = tuple(attribute for _, attribute, _ in parts.values())
    if len(parts) == 1 and rng.random() < 0.6:
        item = replace(attributes[0], name="item")
    else:
        item = Attribute("item", "object", attributes=attributes)

    def answer(states: Mapping[str, Statement]) -> Any:
        whole = gold(ask, path, states)
        if whole is UNCLEAR:
            return UNCLEAR
        items = []
        for number, drawn in enumerate(whole, start=1):
            converted = {}
            for own, (key, _, convert) in parts.items():
                value = drawn.get(key)
                if value is not None and value is not UNCLEAR:
                    value = convert(value, states.get(f"{path}.{number}.{key}"))
                if value is UNCLEAR:
                    return UNCLEAR
                converted[own] = value
            items.append(converted if item.type == "object" else next(iter(converted.values())))
        if item.type != "object" and None in items:
            return UNCLEAR
        return items

    return Question(Attribute(name, "array", description, item=item), answer)


def _group(
    asked: Mapping[str, Ask],
    ask: Ask,
    name: str,
    description: str,
    language: str,
    style_seed: float | None,
    rng: Random,
) -> Question | None:
    members = rng.sample(list(ask.members), rng.randint(min(2, len(ask.members)), len(ask.members)))
    parts: dict[str, Question] = {}
    for path in members:
        own = rng.choice(ask.members[path])
        if style_seed is not None:
            own = restyle(own, Random(style_seed))
        question = _question(
            asked, path, replace(asked[path], names=(own,), local={}), language, None, rng
        )
        if question is not None and own not in parts:
            parts[own] = question
    if not parts:
        return None

    def answer(states: Mapping[str, Statement]) -> Any:
        values = {own: question.answer(states) for own, question in parts.items()}
        return UNCLEAR if any(value is UNCLEAR for value in values.values()) else values

    attributes = tuple(question.attribute for question in parts.values())
    return Question(Attribute(name, "object", description, attributes=attributes), answer)
