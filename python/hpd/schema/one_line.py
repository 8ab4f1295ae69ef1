r"""The one-line form: ``brand: the maker, color [red|blue]?, tags [str], total float after lines``.

::

    schema      = entry { separator entry }
    entry       = name [type] ["?" | "!"] ["after" name { name }] [":" description]
    name        = word { word } | "quoted"         (in quotes, as in JSON, kept exactly)
    type        = str | int | float | bool | date | datetime
                | "[" choice "|" choice ... "]"    one of these values
                | "[" type "]"                     a list of these
                | "{" schema "}"                   an object
    separator   = "," or a line break
    description = text | "quoted"

Names may have several words: ``invoice number`` is one. The last word is the type if only
programmers use it, as in ``number of guests int``; ``due date``, ``date`` and ``date of birth`` are
dates of these names. If it is clear where the name ends, as it is quoted, has an underscore or is
followed by ``?`` or ``!``, the names of JSON Schema are types as well: ``"due" date``,
``weight_g number``. ``after`` is part of a name if no attribute follows it: ``price after tax``.
Ambiguous names get a note about how they were read.

``?`` (optional) is the default and may be omitted; ``!`` makes the attribute required.
An unquoted description ends at the next comma. Put a description with commas in quotes, or write
each attribute on its own line: then descriptions end at the end of the line.
A ``#`` at the start of a line makes it a comment.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Final

from hpd.errors import SchemaError
from hpd.messages import did_you_mean
from hpd.schema.attributes import Attribute, Type
from hpd.schema.checks import MAX_DEPTH, check_name, note, warn
from hpd.schema.scalars import typed_by_description

TYPE_WORDS: Final[dict[str, Type]] = {
    "str": "string",
    "string": "string",
    "text": "string",
    "int": "integer",
    "integer": "integer",
    "float": "number",
    "number": "number",
    "bool": "boolean",
    "boolean": "boolean",
    "date": "date",
    "datetime": "date-time",
    "date-time": "date-time",
}

PROGRAMMING_TYPES: Final = frozenset(
    {"str", "int", "integer", "float", "bool", "boolean", "datetime", "date-time"}
)
"""Words that are always types."""

_LIKELY_TYPES: Final = {
    "number": "float or int",
    "decimal": "float",
    "double": "float",
    "text": "str",
    "string": "str",
    "list": "[str]",
    "array": "[str]",
}
"""Last words of names that may be meant as a type, and how to write it."""
_MISTYPED_TYPES: Final = {
    "str": "str",
    "string": "str",
    "int": "int",
    "integer": "int",
    "float": "float",
    "number": "float",
    "bool": "bool",
    "boolean": "bool",
    "date": "date",
    "datetime": "datetime",
}
"""Types that are often misspelt, and how to write them."""
_NOT_MISTYPED: Final = ("flat", "sting", "numer", "boo")
"""Words that look like a misspelt type, but are not."""

_TYPE_AS_DESCRIPTION = re.compile(r"\[?\s*([a-z-]+)\s*\]?\s*[?!]?")
_OTHER_TYPE = re.compile(r"(?:decimal|double|(?:list|array|set|tuple|dict|optional)(?:\s*\[.*\])?)")
_WORD = re.compile(r"""[^\s,:\[\]{}"?!|]+""")
_GENERIC = re.compile(r"(?:list|set|tuple|dict|optional|union|literal|enum)", re.IGNORECASE)
_AFTER_QUOTED = re.compile(r'after\s*"')
_IDENTIFIER = re.compile(r"\w*(?:_|[a-z][A-Z])\w*")
_QUOTED = re.compile(r'"(?:[^"\\\n]|\\.)*"')
_BLANK = re.compile(r"[^\S\n]*")
_BREAK = re.compile(r"(?:[^\S\n]*(?:,|\n[^\S\n]*#[^\n]*(?=\n|\Z)|\n))*[^\S\n]*")
_COMMENT_OR_COMMA = re.compile(r"#[^\n]*|(,)")
# Anything longer is text: Python refuses numbers of thousands of digits.
_NUMBER = re.compile(r"-?(?:0|[1-9]\d{0,299})(?:\.\d{1,299})?")


def parse_one_line(text: str) -> tuple[Attribute, ...]:
    """Read a schema in the one-line form."""
    reader = _LineReader(text)
    attributes = reader.entries(closing="")
    reader.note_readings(attributes)
    return tuple(attributes)


def warn_of_type(name: str, description: str, advice: str) -> None:
    """Warn if a description is the name of a type other than text."""
    match = _TYPE_AS_DESCRIPTION.fullmatch(description.lower())
    kind = TYPE_WORDS.get(match[1]) if match else None
    is_other = _OTHER_TYPE.fullmatch(description.lower()) is not None
    if is_other or (kind is not None and (kind != "string" or description.startswith("["))):
        warn(name, f"{description!r} is read as a description, and the type is text: {advice}")


@dataclass(frozen=True)
class _Name:
    """A name, and the type according to its last word."""

    text: str
    type: Type | None = None
    format: str | None = None
    includes_date: bool = False
    """Whether the word for the type is also part of the name."""
    likely_type: str = ""
    """The type that may have been meant by the name's last word."""
    hint: str = ""
    """What may have been meant, if the last word resembles a type."""


@dataclass
class _Entry:
    """An attribute as written, before all names are known."""

    attribute: Attribute
    name: _Name
    after: Sequence[str] = ()
    """The words after ``after``; a quoted name is one word."""
    with_after: _Name | None = None
    """The name if ``after`` and the words after it are part of it."""


class _LineReader:
    """Reads the text in one pass, left to right."""

    def __init__(self, text: str) -> None:
        # Comments are recognised by the line break before them, so the first line needs one.
        self.text = "\n" + text.replace("\r\n", "\n").replace("\r", "\n")
        self.position = 0
        self.depth = 0
        self.is_multiline = "\n" in text.strip()
        self.includes_date: list[str] = []
        self.likely_type: dict[str, list[str]] = {}
        self.hints: dict[str, str] = {}

    def note_readings(self, attributes: Sequence[Attribute]) -> None:
        """Note how ambiguous names were read."""
        if self.includes_date:
            first = self.includes_date[0]
            short = first[: -len(" date")]
            other = f'for a date named {short!r}, write "{short}" date'
            if not first.lower().endswith(" date"):
                other = f'for a text, write "{first}" str'
            note(_quoted_list(self.includes_date), f"read as a date of this name; {other}")
        for likely_type, names in self.likely_type.items():
            note(
                _quoted_list(names), f"read as a text of this name; the type is spelt {likely_type}"
            )
        for name, hint in self.hints.items():
            note(repr(name), f"read as a text of this name; {hint}")
        if len(attributes) == 1 and " " in attributes[0].name and self.text.strip()[0] != '"':
            note(_quoted_list([attributes[0].name]), "one attribute; a comma separates several")

    def entries(self, closing: str) -> list[Attribute]:
        entries: list[_Entry] = []
        self.skip_break(n_commas=0)
        while not self.at_end(closing):
            entries.append(self.entry(closing))
            self.skip(_BLANK)
            if not self.at_end(closing) and self.peek() not in ",\n":
                raise self.error(f"unexpected {self.peek()!r}", "a comma separates attributes")
            self.skip_break(n_commas=1)
        if closing:
            self.expect(closing)
        return self.resolve(entries)

    def resolve(self, entries: Sequence[_Entry]) -> list[Attribute]:
        """Return the attributes, matching the words after ``after`` with names."""
        names = Counter(entry.name.text for entry in entries)
        whole = {entry.with_after.text for entry in entries if entry.with_after is not None}
        attributes = []
        for entry in entries:
            name, after = entry.name, _match_names(entry.after, {*names, *whole})
            if entry.with_after is not None and (
                names[name.text] > 1 or any(other not in names for other in after)
            ):
                name, after = entry.with_after, ()
            if name.includes_date:
                self.includes_date.append(name.text)
            if name.likely_type and entry.attribute.type == "string":
                self.likely_type.setdefault(name.likely_type, []).append(name.text)
            if name.hint and entry.attribute.type == "string":
                self.hints[name.text] = name.hint
            check_name(name.text, "the one-line schema")
            kind = name.type or entry.attribute.type
            own = replace(entry.attribute, name=name.text, type=kind, after=after)
            own = replace(own, format=name.format) if name.format else own
            attributes.append(typed_by_description(own))
        return attributes

    def entry(self, closing: str) -> _Entry:
        entry, ends = self.name_and_after()
        attribute = self.mark(entry.attribute)
        self.skip(_BLANK)
        ends = ends or (attribute is not entry.attribute and entry.name.type is None)
        if self.peek() in ("[", "{") or (ends and self.peek_word() and self.peek_word() != "after"):
            attribute = replace(
                self.type(), nullable=attribute.nullable, required=attribute.required
            )
            attribute = self.mark(attribute)
            self.skip(_BLANK)
            entry.name = _Name(entry.name.text)
        if entry.after:
            entry.after = (*entry.after, *self.names())
        elif self.peek_word() == "after":
            self.skip(_WORD)
            entry.after = (self.name("the name of an attribute after 'after'"), *self.names())
        if self.peek() == ":":
            self.position += 1
            self.skip(_BLANK)
            is_quoted = self.peek() == '"'
            description = " ".join(self.description(closing).split())
            name = entry.name.text
            if attribute.type == "string" and entry.name.type is None and not is_quoted:
                advice = f"a type stands before the colon, as in {name} float or {name} [str]"
                warn_of_type(name, description, advice)
            attribute = replace(attribute, description=description)
        entry.attribute = attribute
        return entry

    def name_and_after(self) -> tuple[_Entry, bool]:
        """Read a name and ``after``; return the entry, and whether the name clearly ends here."""
        self.skip(_BLANK)
        if self.peek() == '"':
            return _Entry(Attribute(""), _Name(self.quoted())), True
        words = self.words()
        if self.peek() in ("[", "{"):
            is_joined = not self.text[self.position - 1].isspace()
            if len(words) > 1 and is_joined and _GENERIC.fullmatch(words[-1]):
                raise self.error(
                    f"{words[-1]}{self.peek()} is not a type",
                    "write [str] for a list, [a|b] for one of several values",
                )
            return _Entry(Attribute(""), _Name(" ".join(words))), True
        at = max((i for i in range(1, len(words) - 1) if words[i] == "after"), default=0)
        if not at:
            return _Entry(Attribute(""), _split_type(words)), False
        name, with_after = _split_type(words[:at]), _split_type(words)
        # "total float after lines" is hardly a name.
        is_certain = (name.type is not None and not name.includes_date) or self.peek() == '"'
        entry = _Entry(Attribute(""), name, words[at + 1 :], None if is_certain else with_after)
        return entry, False

    def words(self) -> list[str]:
        """Read words up to the end of the name."""
        words = [self.name("a name")]
        self.skip(_BLANK)
        while self.peek_word() and not _AFTER_QUOTED.match(self.text, self.position):
            words.append(self.name("a name"))
            self.skip(_BLANK)
        return words

    def name(self, what: str) -> str:
        self.skip(_BLANK)
        if self.peek() == '"':
            return self.quoted()
        match = _WORD.match(self.text, self.position)
        if match is None:
            raise self.error(
                f"{what} is expected, not {self.peek_text()}", "write name, or name type"
            )
        self.position = match.end()
        return match.group()

    def names(self) -> tuple[str, ...]:
        names = []
        self.skip(_BLANK)
        while self.peek() == '"' or self.peek_word():
            names.append(self.name("a name"))
            self.skip(_BLANK)
        return tuple(names)

    def mark(self, attribute: Attribute) -> Attribute:
        self.skip(_BLANK)
        if self.peek() == "?":
            self.position += 1
            return replace(attribute, nullable=True, required=False)
        if self.peek() == "!":
            self.position += 1
            return replace(attribute, nullable=False, required=True)
        return attribute

    def type(self) -> Attribute:
        if self.peek() in ("[", "{"):
            self.depth += 1
            if self.depth > MAX_DEPTH:
                raise self.error(f"nested more than {MAX_DEPTH} levels deep", "simplify it")
            attribute = self.bracket() if self.peek() == "[" else self.object()
            self.depth -= 1
            return attribute
        word = self.peek_word()
        kind = TYPE_WORDS.get(word.lower())
        if kind is None:
            raise self.error(
                f"{word!r} is not a type",
                "types are str, int, float, bool, date, datetime, [a|b], [str], {a, b}; "
                "a comma separates attributes, and a description follows ': '",
            )
        self.skip(_WORD)
        return Attribute("", kind)

    def object(self) -> Attribute:
        self.expect("{")
        attributes = tuple(self.entries("}"))
        if not attributes:
            raise self.error("the object is empty", "name its attributes")
        return Attribute("", "object", attributes=attributes)

    def bracket(self) -> Attribute:
        self.expect("[")
        self.skip(_BLANK)
        if self.peek() in ("[", "{"):
            item = replace(self.type(), name="item", nullable=False)
            self.skip(_BLANK)
            self.expect("]")
            return Attribute("", "array", item=item)
        choices = [self.choice()]
        while self.peek() == "|":
            self.position += 1
            choices.append(self.choice())
        self.expect("]")
        return self.list_or_enum(choices)

    def list_or_enum(self, choices: list[tuple[str, bool]]) -> Attribute:
        plain = [text.lower() for text, is_quoted in choices if not is_quoted]
        if len(choices) == 1 and plain:
            if plain[0] not in TYPE_WORDS:
                raise self.error(
                    f"[{choices[0][0]}] is not a list of a known type",
                    "write [str] for a list, [a|b] for one of several values, "
                    '["a"] for a single possible value',
                )
            item = Attribute("item", TYPE_WORDS[plain[0]], nullable=False)
            return Attribute("", "array", item=item)
        if plain and all(text in TYPE_WORDS for text in plain):
            raise self.error(
                f"[{'|'.join(plain)}] is a choice of types, which hpd cannot extract",
                "choose one type; values that look like types are put in double quotes",
            )
        if "null" in plain:
            raise self.error("null cannot be a choice", "write ? after the brackets")
        values: list[str | int | float | bool] = []
        is_numeric = all(not quoted and _NUMBER.fullmatch(text) for text, quoted in choices)
        for text, _ in choices:
            value = json.loads(text) if is_numeric else text
            if value in values:
                raise self.error(f"the choice {text!r} occurs twice", "name each value once")
            values.append(value)
        return Attribute("", "enum", choices=tuple(values))

    def choice(self) -> tuple[str, bool]:
        self.skip(_BLANK)
        if self.peek() == '"':
            text = self.quoted()
            self.skip(_BLANK)
            return text, True
        match = re.compile(r"[^|\]\n\[{]*").match(self.text, self.position)
        text = match.group() if match else ""
        if not text.strip():
            raise self.error("an empty choice between [ and ]", "write [a|b]")
        self.position += len(text)
        return text.strip(), False

    def description(self, closing: str) -> str:
        self.skip(_BLANK)
        if self.peek() == '"':
            start = self.position
            text = self.quoted()
            self.skip(_BLANK)
            if self.at_end(closing) or self.peek() in ",\n":
                return text
            self.position = start  # It only begins with a quotation.
        ends = "\n" if self.is_multiline else ","
        if closing:
            ends += ",\n" + closing
        start = self.position
        while self.position < len(self.text) and self.text[self.position] not in ends:
            self.position += 1
        text = self.text[start : self.position].strip()
        if self.is_multiline:
            text = text.rstrip(",").rstrip()
        return text

    def quoted(self) -> str:
        match = _QUOTED.match(self.text, self.position)
        if match is None:
            raise self.error("a double quote is never closed", 'write "..."')
        self.position = match.end()
        try:
            text: str = json.loads(match.group())
        except ValueError:
            raise self.error(
                f"{match.group()} is not a JSON string", "check the backslashes"
            ) from None
        return text

    def expect(self, char: str) -> None:
        if self.peek() != char:
            raise self.error(f"{char!r} is expected, not {self.peek_text()}", "check the brackets")
        self.position += 1

    def peek_word(self) -> str:
        match = _WORD.match(self.text, self.position)
        return match.group() if match else ""

    def peek_text(self) -> str:
        return repr(self.peek()) if self.peek() else "the end"

    def peek(self) -> str:
        return self.text[self.position : self.position + 1]

    def at_end(self, closing: str) -> bool:
        return self.position >= len(self.text) or self.peek() == closing

    def skip(self, pattern: re.Pattern[str]) -> None:
        match = pattern.match(self.text, self.position)
        if match is not None:
            self.position = match.end()

    def skip_break(self, n_commas: int) -> None:
        """Skip line breaks, comments and at most ``n_commas`` commas."""
        start = self.position
        self.skip(_BREAK)
        found = _COMMENT_OR_COMMA.finditer(self.text, start, self.position)
        commas = [match.start() for match in found if match[1]]
        if len(commas) > n_commas:
            self.position = commas[n_commas]
            raise self.error("a name is missing before the comma", "remove the comma")

    def error(self, what: str, advice: str) -> SchemaError:
        before = self.text[: self.position]
        line = before.count("\n")
        column = self.position - before.rfind("\n")
        where = f"line {line}, character {column}" if self.is_multiline else f"character {column}"
        return SchemaError(f"schema, {where}: {what}. {advice[0].upper()}{advice[1:]}.")


def _split_type(words: Sequence[str]) -> _Name:
    """Split words into a name and the type, if the last one is a type."""
    *before, last = words
    text, kind = " ".join(words), TYPE_WORDS.get(last.lower())
    if not before:
        return _Name(text, "date", includes_date=True) if kind == "date" else _Name(text)
    if last.lower() in PROGRAMMING_TYPES:
        return _Name(" ".join(before), kind)
    if len(before) == 1 and _IDENTIFIER.fullmatch(before[0]):
        if kind is not None:
            return _Name(before[0], kind)
        if last.lower() == "time":
            return _Name(before[0], "string", "time")
    # The "time" of "start time" belongs to the name, that of "start time time" does not.
    has_word = last.lower() in re.split(r"\W+", " ".join(before).lower())
    if kind == "date":
        return _Name(" ".join(before), kind) if has_word else _Name(text, kind, includes_date=True)
    if last.lower() == "time" and has_word:
        return _Name(" ".join(before), "string", "time")
    if text.lower().startswith("date of "):
        return _Name(text, "date", includes_date=True)
    likely_type = _LIKELY_TYPES.get(last.lower(), "")
    return _Name(text, likely_type=likely_type, hint="" if likely_type else _typo_hint(words))


def _typo_hint(words: Sequence[str]) -> str:
    """Return a hint if the last of some words is probably a misspelt type."""
    *before, last = words
    last = last.lower()
    near = [kind for kind in _MISTYPED_TYPES if last in _misspellings(kind)]
    return did_you_mean(
        last, near, show=lambda kind: repr(" ".join([*before, _MISTYPED_TYPES[kind]]))
    )


@cache
def _misspellings(word: str) -> frozenset[str]:
    """Return a word with one letter left out, doubled or swapped with the next."""
    wrong = set()
    # The first letter is seldom wrong.
    for i in range(1, len(word)):
        before, letter, after = word[:i], word[i], word[i + 1 :]
        wrong |= {before + 2 * letter + after, before + after[:1] + letter + after[1:]}
        if len(word) > 3:  # "in" is a word.
            wrong.add(before + after)
    return frozenset(wrong) - {word, *_NOT_MISTYPED}


def _match_names(words: Sequence[str], names: Collection[str]) -> tuple[str, ...]:
    """Match words with names, longest first; other words stay as they are."""
    found = []
    at = 0
    while at < len(words):
        ends = range(len(words), at, -1)
        end = next((e for e in ends if " ".join(words[at:e]) in names), at + 1)
        found.append(" ".join(words[at:end]))
        at = end
    return tuple(found)


def _quoted_list(names: Sequence[str]) -> str:
    return ", ".join(map(repr, names))
