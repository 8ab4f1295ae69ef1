"""Sentences made from patterns: named entities in plain text, and messages of a few facts.

A pattern holds ``{word}`` (a rule, or a type, which is what is asked for), ``[left out half the
time]`` and ``<one|or another>``. The rules and the patterns are in ``wording``.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

from babel import Locale

from hpd.schema.attributes import Attribute, Schema
from recipe import lists, makeup
from recipe.examples import Example
from recipe.facts import World
from recipe.forms import common
from recipe.lists import words
from recipe.names import restyle

_HERE = Path(__file__).parent / "wording"
_TYPE = re.compile(r"%(\w+)(?: (text|date|time|number|integer))?(?: < (\S+))?(?: \? (\S+))?: (.+)")


@dataclass(frozen=True)
class Type:
    """What can be asked for: its sort, more general types, doubtful ones, names in schemas."""

    sort: str
    general: tuple[str, ...]
    doubtful: tuple[str, ...]
    names: tuple[str, ...]


@dataclass
class Grammar:
    """Types, rules and patterns of some text files."""

    types: dict[str, Type] = field(default_factory=dict)
    rules: dict[str, tuple[str, ...]] = field(default_factory=dict)
    domains: list[tuple[list[str], list[str]]] = field(default_factory=list)

    def read(self, name: str) -> Grammar:
        """Take in a text file beside this one."""
        for line in (_HERE / name).read_text(encoding="utf-8").splitlines():
            if not line or line.startswith("#"):
                continue
            if match := _TYPE.fullmatch(line):
                type_, sort, general, doubtful, names = match.groups("")
                self.types[type_] = Type(
                    sort or "text", _split(general), _split(doubtful), tuple(names.split("|"))
                )
            elif line.startswith("== "):
                self.domains.append((line.split(": ")[1].split(), []))
            elif " = " in line and self.domains == []:
                rule, _, options = line.partition(" = ")
                self.rules[rule] = tuple(_options(options))
            else:
                self.domains[-1][1].append(line)
        return self


def _split(text: str) -> tuple[str, ...]:
    return tuple(text.split(",")) if text else ()


@cache
def entity_grammar() -> Grammar:
    """Entities of sentences."""
    return Grammar().read("entities.txt").read("sentences.txt")


@cache
def message_grammar() -> Grammar:
    """Facts of messages; their rules may use those of the entities."""
    grammar = Grammar().read("messages.txt").read("messages_patterns.txt")
    return replace(grammar, rules=Grammar().read("entities.txt").rules | grammar.rules)


@cache
def _countries() -> tuple[str, ...]:
    names = Locale("en").territories
    return tuple(name for code, name in sorted(names.items()) if len(code) == 2 and "(" not in name)


def _digits(n: int) -> Callable[[Random], str]:
    return lambda rng: makeup.digits(rng, n, n)


_GOODS = words(
    """desk lamp|office chair|coffee machine|kettle|blender|toaster|printer|monitor|keyboard|router|
    headset|vacuum cleaner|dishwasher|mattress|bookshelf|garden hose|lawn mower|drill|ladder|tent|
    backpack|suitcase|bicycle helmet|water bottle|rain jacket|wall clock|mirror|rug|fish tank|
    dental mirror|centrifuge|stethoscope|label maker|projector|whiteboard|paper shredder|heater|
    fan|baby monitor|stroller|car seat|guitar stand|microphone|camera lens|tripod|battery pack|
    phone case|charger|smart watch|speaker|turntable|oven|fridge|freezer|hand mixer|frying pan"""
)


def _rank(rng: Random) -> str:
    return str(rng.choice((rng.randint(2, 9), rng.randint(10, 99), rng.randint(2, 30))))


def _initialled(rng: Random) -> str:
    return f"{rng.choice('ABCDEFGHJKLMNPRSTW')}. {rng.choice(makeup.SURNAMES)}"


def _personname(rng: Random) -> str:
    kind = rng.random()
    if kind < 0.72:
        return common.person(rng)
    name = str(World(rng, rng.choice(("de", "fr", "es", "it", "pt", "nl"))).person().name)
    if kind < 0.9:
        return name
    if kind < 0.95:
        return _initialled(rng)
    first, *rest = name.split()
    return f"{first} {rng.choice('ABCDEFGHJKLMNPRSTW')}. {' '.join(rest)}"


_MAKERS: dict[str, Callable[[Random], str]] = {
    "personname": _personname,
    "givenname": lambda rng: (
        rng.choice(makeup.GIVEN) if rng.random() < 0.5 else common.person(rng).split()[0]
    ),
    "surname": lambda rng: (
        rng.choice(makeup.SURNAMES) if rng.random() < 0.4 else common.person(rng).split()[-1]
    ),
    "companyname": common.company,
    "companyshort": makeup.brand,
    "countryname": lambda rng: rng.choice(_countries()),
    "fakecity": lambda rng: str(World(rng).city()),
    "fakeaddress": lambda rng: str(World(rng).address().street),
    "madename": makeup.name,
    "madeplace": lambda rng: makeup.name(rng) + rng.choice(("", "", "ville", "burg", " Falls")),
    "productname": makeup.product_name,
    "acronym": lambda rng: makeup.letters(rng, 2, 5),
    "LETTERS": lambda rng: makeup.letters(rng, 6, 6),
    "LETTERS3": lambda rng: makeup.letters(rng, 3, 3),
    "LETTERS2": lambda rng: makeup.letters(rng, 2, 2),
    "code": makeup.model_number,
    "year4": lambda rng: str(rng.randint(1870, 2026)),
    "n1": lambda rng: str(rng.randint(2, 9)),
    "n2": _rank,
    "n3": lambda rng: str(rng.randint(100, 999)),
    "n4": lambda rng: str(rng.randint(100, 7999)),
    "n5": lambda rng: str(rng.randint(10000, 299999)),
    **{f"d{n}": _digits(n) for n in (4, 5, 6, 7)},
    "phone": common.phone,
    "email": lambda rng: str(World(rng).email()),
    "color": lambda rng: rng.choice(lists.COLORS).lower(),
    "material": lambda rng: rng.choice(lists.MATERIALS).lower(),
    "good": lambda rng: rng.choice(_GOODS) if rng.random() < 0.8 else common.items(rng, 1)[0],
    "trouble": lambda rng: rng.choice(common.TROUBLES),
}

Found = tuple[str, str, Any]
"""A type, its words in the text, and its value."""


class _Writer:
    """Expands patterns and takes down what they state."""

    def __init__(self, grammar: Grammar, rng: Random) -> None:
        self.grammar, self.rng = grammar, rng
        self.found: list[Found] = []
        self.unclear: set[str] = set()
        self.quotes = "{}"
        self._inside = False

    def write(self, pattern: str) -> str:
        text, place = [], 0
        while place < len(pattern):
            char = pattern[place]
            if char in "{[<":
                end = _closing(pattern, place)
                inner = pattern[place + 1 : end]
                if char == "{":
                    text.append(self._symbol(inner))
                elif char == "[":
                    text.append(self.write(inner) if self.rng.random() < 0.5 else "")
                else:
                    text.append(self.write(self.rng.choice(_options(inner))))
                place = end + 1
            else:
                text.append(char)
                place += 1
        return "".join(text)

    def _symbol(self, symbol: str) -> str:
        if symbol.startswith("q:"):
            written = self._symbol(symbol[2:])
            return self.quotes.format(written)
        made, _, name = symbol.rpartition(":")
        if name in self.grammar.types and not self._inside:
            self._inside = True
            written, value = self._value(made or name, name)
            self._inside = False
            self.found.append((name, written, value))
            return written
        if not self._inside and name in ("year4", "y"):
            self.unclear.add("date")
        return self._made(name)

    def _value(self, made: str, name: str) -> tuple[str, Any]:
        rng = self.rng
        sort = self.grammar.types[name].sort
        if name == "date" or sort == "date":
            written, iso = common.date(rng)
            return written, iso if sort == "date" else written
        if sort == "time":
            hour, minute = rng.randint(7, 21), rng.choice((0, 0, 15, 30, 45))
            gold = f"{hour:02}:{minute:02}"
            half = "am" if hour < 12 else "pm"
            return rng.choice((gold, gold, f"{(hour - 1) % 12 + 1}:{minute:02} {half}")), gold
        if made == "money" or sort == "number":
            written, number, _ = common.money(rng)
            return written, number if sort == "number" else written
        if sort == "integer":
            number = rng.choice((rng.randint(2, 9), rng.randint(2, 60)))
            if name == "guests":
                number = rng.randint(2, 12)
            return str(number), number
        written = self._made(made)
        return written, written

    def _made(self, name: str) -> str:
        if name in self.grammar.rules:
            return self.write(self.rng.choice(self.grammar.rules[name]))
        return _MAKERS[name](self.rng)


def _closing(pattern: str, place: int) -> int:
    opened, closing = pattern[place], {"{": "}", "[": "]", "<": ">"}[pattern[place]]
    depth = 0
    for at in range(place, len(pattern)):
        depth += (pattern[at] == opened) - (pattern[at] == closing)
        if depth == 0:
            return at
    raise ValueError(f"no {closing} in {pattern!r}")


def _options(text: str) -> list[str]:
    options, depth = [""], 0
    for char in text:
        depth += (char in "{[<") - (char in "}]>")
        if char == "|" and depth == 0:
            options.append("")
        else:
            options[-1] += char
    return options


_LOOSE = re.compile(r"\s+([,;:.)?!])")
_ARTICLE = re.compile(r"\b([Aa])~? (?=[aeiouAEIO])|~")


def _tidy(text: str) -> str:
    text = _ARTICLE.sub(lambda m: f"{m[1]}n " if m[1] else "", text)
    text = _LOOSE.sub(r"\1", text).replace("( ", "(").replace("he the ", "he ")
    return re.sub(r"[ ]{2,}", " ", text).replace("..", ".").lstrip(" ,").strip()


def _tokenised(text: str) -> str:
    """The text with a space around each mark, as data sets have it."""
    text = re.sub(r"([,;:()?!\"“”])(?!\d)", r" \1 ", text)
    text = re.sub(r"(?<=\w{3})\.(?=\s|$)", " .", text)
    text = re.sub(r"(\w)(['\u2019]s)\b", r"\1 \2", text)
    return re.sub(r"[ ]{2,}", " ", text).strip()


_JOINTS = (", and ", ", while ", ", but ", "; ", ", whereas ", " and ", " - ")
_DESCRIPTIONS = (
    "every {} named in the text", "all {} in the order of the text", "{} that the text mentions",
    "names exactly as written", "{}, empty if there is none", "as written, without the article",
)  # fmt: skip


def make_entities(rng: Random) -> Example:
    """A sentence or a few, and lists of the entities of each type."""
    grammar = entity_grammar()
    while True:
        writer = _Writer(grammar, rng)
        writer.quotes = rng.choice(("{}", "{}", '"{}"', "“{}”", "'{}'"))
        asked, patterns = rng.choice(grammar.domains)
        n = rng.choice((1, 1, 1, 1, 2, 2, 2, 3, 3, rng.randint(3, 9)))
        said: list[str] = []
        for pattern in rng.sample(patterns, min(n, len(patterns))):
            if rng.random() < 0.07:
                pattern = rng.choice(rng.choice(grammar.domains)[1])
            sentence = _tidy(writer.write(pattern))
            if said and rng.random() < 0.35 and said[-1].endswith("."):
                if not any(sentence.startswith(written) for _, written, _ in writer.found):
                    sentence = sentence[:1].lower() + sentence[1:]
                said[-1] = said[-1][:-1] + rng.choice(_JOINTS) + sentence
            else:
                if not any(sentence.startswith(written) for _, written, _ in writer.found):
                    sentence = sentence[:1].upper() + sentence[1:]
                said.append(sentence)
        text = rng.choice((" ", " ", " ", "\n")).join(said)
        texts = [written for _, written, _ in writer.found]
        if _overlapping(texts, text):
            continue
        example = _asked_entities(text, writer, asked, rng)
        if example is not None:
            return example


def _overlapping(texts: list[str], text: str) -> bool:
    low = text.lower()
    return any(
        len(re.findall(rf"(?<!\w){re.escape(one.lower())}(?!\w)", low)) != 1 for one in texts
    )


def _asked_entities(text: str, writer: _Writer, domain: list[str], rng: Random) -> Example | None:
    types = writer.grammar.types
    present = list(dict.fromkeys(type_ for type_, _, _ in writer.found))
    n_asked = rng.choice((2, 3, 4, 6, 8, 10, 12, 14))
    pool = [type_ for type_ in present if rng.random() < 0.85]
    others = [type_ for type_ in domain if type_ not in pool]
    pool += rng.sample(others, min(len(others), max(1, n_asked - len(pool))))
    if len(pool) < n_asked or rng.random() < 0.3:
        more = sorted(types.keys() - {*pool} - {"occupation", "date", "nationality"})
        pool += rng.sample(more, rng.randint(1, 3))
    if rng.random() < 0.5:
        more = sorted({g for type_ in present for g in types[type_].general} - {*pool})
        pool += more
    asked = {*pool} - writer.unclear
    changed = True
    while changed:
        changed = False
        for type_ in present:
            chain = (type_, *types[type_].general)
            holder = next((t for t in chain if t in asked), None)
            # A type that a reader may count here is asked only where the entity has its own.
            doubtful = {d for t in chain for d in types[t].doubtful} & asked
            wrong = doubtful if holder is None or holder != type_ else set()
            if holder == type_ and type_ in ("person", "organisation", "location", "event"):
                wrong = doubtful
            if wrong:
                asked -= wrong
                changed = True
    if not asked:
        return None
    answers: dict[str, list[str]] = {type_: [] for type_ in asked}
    for type_, written, _ in writer.found:
        holder = next((t for t in (type_, *types[type_].general) if t in asked), None)
        if holder is not None:
            answers[holder].append(_clean(written))
    order = sorted(asked)
    if rng.random() < 0.7:
        rng.shuffle(order)
    kind = rng.random()
    if kind < 0.3:
        change: Callable[[str], str] = _tokenised
    elif kind < 0.32:
        change = str.upper
    elif kind < 0.34:
        change = str.lower
    else:
        change = str
    style = rng.random() if rng.random() < 0.5 else None
    attributes, answer = [], {}
    single = rng.random() < 0.12
    for type_ in order:
        name = rng.choice(types[type_].names)
        if style is not None:
            name = restyle(name, Random(style))
        if name in answer:
            continue
        description = ""
        if rng.random() < 0.08:
            description = rng.choice(_DESCRIPTIONS).format(rng.choice(types[type_].names))
        values = [change(value).removesuffix(" .") for value in answers[type_]]
        if single and len(values) < 2:
            attributes.append(Attribute(name, description=description))
            answer[name] = values[0] if values else None
        else:
            item = Attribute("item")
            attributes.append(Attribute(name, "array", description, item=item))
            answer[name] = values
    text = change(text)
    if not all(part in text for values in answer.values() for part in _texts(values)):
        return None
    return Example(Schema(tuple(attributes)), [text], [answer])


def _texts(value: Any) -> list[str]:
    if value is None:
        return []
    return value if isinstance(value, list) else [value]


def _clean(written: str) -> str:
    """Without the article: "the Danube" is the Danube."""
    return written.removeprefix("the ").removeprefix("The ") if written[:4] == "the " else written


def make_message(rng: Random) -> Example:
    """A message of a sentence or two, and questions about what it states and does not."""
    grammar = message_grammar()
    types = grammar.types
    while True:
        writer = _Writer(grammar, rng)
        asked, patterns = rng.choice(grammar.domains)
        pattern = rng.choice(patterns)
        if rng.random() < 0.3:
            pattern = rng.choice(("{chat} " + pattern, pattern + " {chat}"))
        text = _tidy(writer.write(pattern))
        if rng.random() < 0.9 and not any(text.startswith(one) for _, one, _ in writer.found):
            text = text[:1].upper() + text[1:]
        found = {type_: (written, value) for type_, written, value in writer.found}
        written = [one for _, one, _ in writer.found]
        if len(found) < len(writer.found) or not found or _overlapping(written, text):
            continue
        keys = [type_ for type_ in found if rng.random() < 0.9] or list(found)[:1]
        taken = {d for type_ in found for d in types[type_].doubtful}
        absent = [type_ for type_ in asked if type_ not in found and type_ not in taken]
        keys += rng.sample(absent, min(len(absent), rng.choice((0, 1, 1, 2, 3))))
        rng.shuffle(keys)
        style = rng.random() if rng.random() < 0.5 else None
        change = rng.choices((str, str.lower, str.upper), (94, 4, 2))[0]
        attributes, answer = [], {}
        for type_ in keys:
            name = rng.choice(types[type_].names)
            name = name if style is None else restyle(name, Random(style))
            if name in answer:
                continue
            shown, value = found.get(type_, (None, None))
            if isinstance(value, str) and types[type_].sort == "text":
                value = change(_bare(type_, value))
            attribute, value = _typed(types[type_].sort, name, shown, value, change, rng)
            attributes.append(attribute)
            answer[name] = value
        return Example(Schema(tuple(attributes)), [change(text)], [answer])


def _bare(type_: str, value: str) -> str:
    return value.strip('"') if type_ == "error" else value.lstrip("#")


def _typed(
    sort: str,
    name: str,
    shown: str | None,
    value: Any,
    change: Callable[[str], str],
    rng: Random,
) -> tuple[Attribute, Any]:
    if sort == "date" and rng.random() < 0.75:
        return Attribute(name, "date"), value
    if sort == "time" and rng.random() < 0.5:
        return Attribute(name, description="HH:MM"), value
    if sort in ("number", "integer") and rng.random() < 0.8:
        return Attribute(name, sort), value  # type: ignore[arg-type]
    return Attribute(name), None if shown is None else change(
        _bare("", str(value if sort == "text" else shown))
    )
