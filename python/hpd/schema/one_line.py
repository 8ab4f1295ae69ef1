r"""The one-line form: ``brand: the maker, color [red|blue]?, tags [str], total float after lines``.

::

    schema      = entry { separator entry }
    entry       = name [type] ["?" | "!"] ["after" name { name }] [":" description]
    name        = word | "quoted"                  (quotes, as in JSON, for names with spaces)
    type        = str | int | float | bool | date | datetime   (and JSON Schema's own names)
                | "[" choice "|" choice ... "]"    one of these values
                | "[" type "]"                     a list of these
                | "{" schema "}"                   an object
    separator   = "," or a line break
    description = text | "quoted"

``?`` (optional) is the default and may be left out; ``!`` makes the attribute required.
An unquoted description ends at the next comma. A description with commas is put in quotes; or the
schema is written with one attribute on each line, and a description runs to the end of its line.
A ``#`` at the start of a line makes it a comment.
"""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import Final

from hpd.errors import SchemaError
from hpd.schema.attributes import Attribute, Type
from hpd.schema.checks import MAX_DEPTH, check_name, warn

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

_TYPE_AS_DESCRIPTION = re.compile(r"\[?\s*([a-z-]+)\s*\]?\s*[?!]?")
_OTHER_TYPE = re.compile(r"(?:decimal|double|(?:list|array|set|tuple|dict|optional)(?:\s*\[.*\])?)")
_WORD = re.compile(r"""[^\s,:\[\]{}"?!|]+""")
_QUOTED = re.compile(r'"(?:[^"\\\n]|\\.)*"')
_BLANK = re.compile(r"[^\S\n]*")
_BREAK = re.compile(r"(?:[^\S\n]*(?:,|\n[^\S\n]*#[^\n]*(?=\n|\Z)|\n))*[^\S\n]*")
# Anything longer is text: Python reads no number of thousands of digits.
_NUMBER = re.compile(r"-?(?:0|[1-9]\d{0,299})(?:\.\d{1,299})?")


def parse_one_line(text: str) -> tuple[Attribute, ...]:
    """The attributes of a schema in the one-line form."""
    reader = _Reader(text)
    attributes = reader.entries(closing="")
    return tuple(attributes)


def warn_of_type(name: str, description: str, advice: str) -> None:
    """Warn of a description that is the name of a type, but for that of plain text."""
    match = _TYPE_AS_DESCRIPTION.fullmatch(description.lower())
    kind = TYPE_WORDS.get(match[1]) if match else None
    is_other = _OTHER_TYPE.fullmatch(description.lower()) is not None
    if is_other or (kind is not None and (kind != "string" or description.startswith("["))):
        warn(name, f"{description!r} is read as a description, and the type is text: {advice}")


class _Reader:
    """One pass over the text, left to right."""

    def __init__(self, text: str) -> None:
        # Comments are recognised by the line break before them; here the first line gets one.
        self.text = "\n" + text.replace("\r\n", "\n").replace("\r", "\n")
        self.position = 0
        self.depth = 0
        self.by_lines = "\n" in text.strip()

    def entries(self, closing: str) -> list[Attribute]:
        attributes = []
        self.skip(_BREAK)
        while not self.at_end(closing):
            attributes.append(self.entry(closing))
            self.skip(_BLANK)
            if not self.at_end(closing) and self.peek() not in ",\n":
                raise self.error(f"unexpected {self.peek()!r}", "a comma separates attributes")
            self.skip(_BREAK)
        if closing:
            self.expect(closing)
        return attributes

    def entry(self, closing: str) -> Attribute:
        attribute = Attribute(check_name(self.name("a name"), "the one-line schema"))
        attribute = self.mark(attribute)
        self.skip(_BLANK)
        if self.peek() in ("[", "{") or (self.word_ahead() and self.word_ahead() != "after"):
            attribute = replace(
                self.type(),
                name=attribute.name,
                nullable=attribute.nullable,
                required=attribute.required,
            )
            attribute = self.mark(attribute)
            self.skip(_BLANK)
        if self.word_ahead() == "after":
            self.skip(_WORD)
            attribute = replace(attribute, after=self.names())
        if self.peek() == ":":
            self.position += 1
            self.skip(_BLANK)
            is_quoted = self.peek() == '"'
            description = " ".join(self.description(closing).split())
            if attribute.type == "string" and not is_quoted:
                example = f"{attribute.name} number or {attribute.name} [str]"
                advice = f"a type stands before the colon, as in {example}"
                warn_of_type(attribute.name, description, advice)
            attribute = replace(attribute, description=description)
        return attribute

    def name(self, what: str) -> str:
        self.skip(_BLANK)
        if self.peek() == '"':
            return self.quoted()
        match = _WORD.match(self.text, self.position)
        if match is None:
            raise self.error(f"{what} is expected, not {self.ahead()}", "write name, or name type")
        self.position = match.end()
        return match.group()

    def names(self) -> tuple[str, ...]:
        names = [self.name("the name of an attribute after 'after'")]
        self.skip(_BLANK)
        while self.peek() == '"' or self.word_ahead():
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
        word = self.word_ahead()
        kind = TYPE_WORDS.get(word.lower())
        if kind is None:
            raise self.error(
                f"{word!r} is not a type",
                f"types are {', '.join(TYPE_WORDS)}, [a|b], [str], {{a, b}}; "
                f"a name with spaces is put in double quotes, a description follows ': '",
            )
        self.skip(_WORD)
        return Attribute("", kind)

    def object(self) -> Attribute:
        self.expect("{")
        attributes = tuple(self.entries("}"))
        if not attributes:
            raise self.error("the object is empty", "name the attributes it holds")
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
            raise self.error("null cannot be a choice", "write ? behind the brackets")
        values: list[str | int | float | bool] = []
        is_numeric = all(not quoted and _NUMBER.fullmatch(text) for text, quoted in choices)
        for text, _ in choices:
            value = json.loads(text) if is_numeric else text
            if value in values:
                raise self.error(f"the choice {text!r} is there twice", "name each value once")
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
            self.position = start  # It only begins with a quotation, and goes on behind it.
        ends = "\n" if self.by_lines else ","
        if closing:
            ends += ",\n" + closing
        start = self.position
        while self.position < len(self.text) and self.text[self.position] not in ends:
            self.position += 1
        text = self.text[start : self.position].strip()
        if self.by_lines:
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
            raise self.error(f"{match.group()} is not a JSON string", "mind the \\") from None
        return text

    def expect(self, char: str) -> None:
        if self.peek() != char:
            raise self.error(f"{char!r} is expected, not {self.ahead()}", "check the brackets")
        self.position += 1

    def word_ahead(self) -> str:
        match = _WORD.match(self.text, self.position)
        return match.group() if match else ""

    def ahead(self) -> str:
        return repr(self.peek()) if self.peek() else "the end"

    def peek(self) -> str:
        return self.text[self.position : self.position + 1]

    def at_end(self, closing: str) -> bool:
        return self.position >= len(self.text) or self.peek() == closing

    def skip(self, pattern: re.Pattern[str]) -> None:
        match = pattern.match(self.text, self.position)
        if match is not None:
            self.position = match.end()

    def error(self, what: str, advice: str) -> SchemaError:
        before = self.text[: self.position]
        line = before.count("\n")
        column = self.position - before.rfind("\n")
        where = f"line {line}, character {column}" if self.by_lines else f"character {column}"
        return SchemaError(f"schema, {where}: {what}. {advice[0].upper()}{advice[1:]}.")
