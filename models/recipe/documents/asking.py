"""The ways to ask for a fact: names, descriptions, type, and the choices of a classification."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

Sort = Literal[
    "text",
    "number",
    "integer",
    "currency",
    "date",
    "time",
    "yes_no",
    "choice",
    "texts",
    "objects",
    "group",
]


@dataclass(frozen=True)
class Ask:
    """The names and descriptions under which users ask for one fact, and what its gold is."""

    sort: Sort
    names: tuple[str, ...]
    descriptions: tuple[str, ...] = ()
    local: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    choices: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Of a ``choice``: its golds and the spellings under which each may be offered."""
    parts: Mapping[str, Ask] = field(default_factory=dict)
    """Of ``objects``: what is asked for in each item, by its key."""
    members: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Of a ``group``: paths of other asked facts, and their names inside the object."""
    always: bool = False
    """Whether a document that does not state it leaves it open, so that it is not asked there."""


def split(bars: str) -> tuple[str, ...]:
    """The parts of ``"a|b|c"``."""
    return tuple(" ".join(part.split()) for part in bars.split("|") if part.strip())


def _ask(sort: Sort, names: str, descriptions: str, local: Mapping[str, str]) -> Ask:
    return Ask(
        sort,
        split(names),
        split(descriptions),
        {language: split(theirs) for language, theirs in local.items()},
    )


def text(names: str, descriptions: str = "", **local: str) -> Ask:
    """A word or phrase that is copied out of the text; names in other languages by ``de="..."``."""
    return _ask("text", names, descriptions, local)


def number(names: str, descriptions: str = "", **local: str) -> Ask:
    """An amount or a measure."""
    return _ask("number", names, descriptions, local)


def integer(names: str, descriptions: str = "", **local: str) -> Ask:
    """A whole number."""
    return _ask("integer", names, descriptions, local)


def currency(names: str, descriptions: str = "", **local: str) -> Ask:
    """A currency, whose gold is its code: EUR, also where the text writes €."""
    return _ask("currency", names, descriptions, local)


def date(names: str, descriptions: str = "", **local: str) -> Ask:
    """A date with its year."""
    return _ask("date", names, descriptions, local)


def time(names: str, descriptions: str = "", **local: str) -> Ask:
    """A time of day."""
    return _ask("time", names, descriptions, local)


def yes_no(names: str, descriptions: str = "", always: bool = False, **local: str) -> Ask:
    """A boolean: true, false, or null where the text says nothing about it."""
    ask = _ask("yes_no", names, descriptions, local)
    return Ask(ask.sort, ask.names, ask.descriptions, ask.local, always=always)


def choice(
    names: str, choices: str, descriptions: str = "", always: bool = False, **local: str
) -> Ask:
    """One of some classes: ``"refund/money back, delivery/shipping, other"``.

    Commas separate the classes, bars between spellings are slashes, and the first spelling is the
    gold that wordings state. With ``always`` it is asked only where a wording states it.
    """
    ask = _ask("choice", names, descriptions, local)
    classes = [
        tuple(" ".join(spelling.split()) for spelling in part.split("/"))
        for part in choices.split(",")
    ]
    return Ask(
        ask.sort,
        ask.names,
        ask.descriptions,
        ask.local,
        choices={spellings[0]: spellings for spellings in classes},
        always=always,
    )


def texts(names: str, descriptions: str = "", **local: str) -> Ask:
    """A list of words or phrases."""
    return _ask("texts", names, descriptions, local)


def objects(names: str, parts: Mapping[str, Ask], descriptions: str = "", **local: str) -> Ask:
    """A list of objects; ``parts`` says what may be asked for in each."""
    ask = _ask("objects", names, descriptions, local)
    return Ask(ask.sort, ask.names, ask.descriptions, ask.local, parts=parts)


def group(names: str, members: Mapping[str, str], descriptions: str = "", **local: str) -> Ask:
    """An object of facts that are asked for elsewhere as well: their paths and names inside it."""
    ask = _ask("group", names, descriptions, local)
    return Ask(
        ask.sort,
        ask.names,
        ask.descriptions,
        ask.local,
        members={path: split(inner) for path, inner in members.items()},
    )
