"""GBNF, the grammars of llama.cpp, for the raw text of one value.

The rules are written here rather than by ``llama_cpp``'s converter from JSON Schema, which
knows neither minimum nor maximum, neither ``\\d`` nor unanchored patterns, lets ``.`` in a
pattern close the string, accepts lone surrogates, and ends a number after 16 digits.

A value's text begins right after the colon of its key: an optional blank, and the value. Behind a
complete value there may be a delimiter and whatever else the model's token holds, because a token
can be ``",`` or ``"}``.

A grammar says what a value looks like, and leaves limits (``maximum``, ``maxLength``,
``multipleOf``) to ``hpd.values.parsing``: a model that must not write 130 writes 13, and nobody
sees that it meant another number.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from typing import Final

from hpd.schema.attributes import Attribute, Schema
from hpd.schema.scalars import FORMATS
from hpd.values.patterns import STRING_CHAR, UnsupportedPattern, pattern_rule

Allowed = Callable[[Attribute], Sequence[str] | None]
"""The JSON texts of all values that an attribute can have; None: whatever its type allows."""

_AFTER_VALUE: Final = "[,}\\] \\t\\r\\n] [^\\x00]*"
"""What may stand behind a value in the same token."""

_BLANKS: Final = '" "? | "\\n" [ \\t]{0,40}'
"""What may stand between the parts of an answer: some models write each on a line of its own."""
_NUMBER: Final = '"-"? [0-9]+ ("." [0-9]+)?'
# Escapes that JSON does not know, too: models write the backslashes of a path as they stand.
_CHAR: Final = f'{STRING_CHAR} | "\\\\" [^\\x00-\\x1F\\x7F]'
# A model that reads of a day or an hour that does not exist can say so, and is refused: held to the
# calendar it would have to say another one.
_DATE: Final = '[0-9]{4} "-" [0-9]{2} "-" [0-9]{2}'
_TIME: Final = '[0-9]{2} ":" [0-9]{2} ":" [0-9]{2}'
_ZONE: Final = '("Z" | [+-] [0-9]{2} ":" [0-9]{2})'
_FORMAT_RULES: Final = {
    "time": f'{_TIME} ("." [0-9]{{1,9}})? {_ZONE}?',
    "ipv4": '[0-9]{1,3} ("." [0-9]{1,3}){3}',
}
"""Formats with numbers whose bounds are checked when a value is parsed, for the same reason."""
# What there must be is asked again when it was refused: then it is held to what exists.
_REAL_TIME: Final = '([01] [0-9] | "2" [0-3]) ":" [0-5] [0-9] ":" [0-5] [0-9]'
_REAL_ZONE: Final = '("Z" | [+-] ([01] [0-9] | "2" [0-3]) ":" [0-5] [0-9])'
_LEAP: Final = (
    '([12] [0-9] ("0" [48] | [2468] [048] | [13579] [26]) | "1" [26] "00" | "2" [048] "00")'
)
_REAL_DATE: Final = (
    '([12] [0-9] [0-9] [0-9] "-" ('
    '("0" [13578] | "1" [02]) "-" ("0" [1-9] | [12] [0-9] | "3" [01])'
    ' | ("0" [469] | "11") "-" ("0" [1-9] | [12] [0-9] | "30")'
    ' | "02-" ("0" [1-9] | "1" [0-9] | "2" [0-8]))'
    f' | {_LEAP} "-02-29")'
)


def _any_value(_: Attribute) -> None:
    """The values of its type."""


class _Rules(dict[str, str]):
    """The rules of a grammar, by name, and the values to which its attributes are held."""

    def __init__(self, allowed: Allowed, *, is_quoted: bool, must_exist: bool = False) -> None:
        super().__init__()
        self.allowed = allowed
        self.is_quoted = is_quoted
        self.must_exist = must_exist
        """Whether a date, a time or an address must be one that exists."""


def value_grammar(
    attribute: Attribute, allowed: Allowed = _any_value, *, is_quoted: bool = False
) -> str | None:
    """The GBNF grammar of one raw value; None for arrays and objects, which are not one value.

    ``null`` is allowed unless the attribute is ``forbids_null``: without it a model could only
    make something up. Then its dates and the like are only those that exist.

    Args:
        attribute: whose value it is.
        allowed: the JSON texts of the only values that it can have; where there are none, it is
            ``null`` in any case.
        is_quoted: whether free text is quoted from a document: the grammar then lacks the rule
            ``quote``, a text with the quotation mark behind it, which the caller adds.
    """
    if not attribute.is_scalar:
        return None
    rules = _Rules(allowed, is_quoted=is_quoted, must_exist=attribute.forbids_null)
    null = "" if attribute.forbids_null else ' | "null"'
    root = f'root ::= " "? ({_value_rule(attribute, rules)}{null}) end?'
    return _grammar_text({"root": root, **rules, "end": f"end ::= {_AFTER_VALUE}"})


def list_grammar(
    array: Attribute, allowed: Allowed = _any_value, *, is_quoted: bool = False
) -> str:
    """The GBNF grammar of a list by itself, or ``null`` unless it is ``forbids_null``.

    ``allowed`` and ``is_quoted`` are as in ``value_grammar``.
    """
    if array.item is None:
        raise ValueError(f"{array.name} has no items")
    rules = _Rules(allowed, is_quoted=is_quoted)
    null = "" if array.forbids_null else ' | "null"'
    root = f'root ::= " "? ({_array_rule(array, array.item, rules)}{null}) end?'
    return _grammar_text({"root": root, **rules, "end": f"end ::= {_AFTER_VALUE}"})


def one_of(texts: Iterable[str]) -> str:
    """A GBNF expression for some texts, as a tree: what begins alike is tried only once."""
    by_first: dict[str, list[str]] = {}
    if len(different := set(texts)) == 1:
        return literal(different.pop())
    for text in sorted(different):
        by_first.setdefault(text[:1], []).append(text)
    return " | ".join(_branch(alike) for alike in by_first.values())


def _branch(texts: Sequence[str]) -> str:
    """The expression for different texts with the same first character, in order."""
    first, last = texts[0], texts[-1]
    # What the first and the last begin with, all those between them begin with, too.
    n = next(
        (n for n, pair in enumerate(zip(first, last, strict=False)) if pair[0] != pair[1]),
        len(first),
    )
    if first == last:
        return literal(first)
    return f"{literal(first[:n])} ({one_of(text[n:] for text in texts)})"


def choice_texts(attribute: Attribute) -> dict[str, str | float | bool | None] | None:
    """The choices of an enum or a boolean by their JSON texts, null last if it is allowed.

    None for other types.
    """
    if attribute.type not in ("boolean", "enum"):
        return None
    choices = (True, False) if attribute.type == "boolean" else attribute.choices
    null = () if attribute.forbids_null else (None,)
    return {json.dumps(choice, ensure_ascii=False): choice for choice in (*choices, *null)}


def enum_texts(attribute: Attribute) -> list[str] | None:
    """All raw texts that an enum or a boolean can have, ``null`` last if it is allowed.

    None for other types, and for an enum with numbers: only a delimiter shows that a number has
    ended, so these need a grammar.
    """
    texts = choice_texts(attribute)
    return None if texts is None or any(map(_is_numeric, texts.values())) else [*texts]


def is_free_text(attribute: Attribute) -> bool:
    """Whether a value can be any text at all."""
    held = (attribute.pattern, attribute.format, attribute.min_length, attribute.max_length)
    return attribute.type == "string" and held == (None, None, None, None)


def is_constrained(attribute: Attribute) -> bool:
    """Whether a value is one of a few or has a form, as a number has: it is not free text."""
    if attribute.type != "string":
        return attribute.is_scalar and all(map(is_constrained, attribute.attributes))
    if attribute.pattern is not None:
        return _pattern_is_supported(attribute.pattern)
    return attribute.format in FORMATS


def holds_constrained(attribute: Attribute) -> bool:
    """Whether an attribute is constrained, or one that it holds at any depth."""
    if attribute.is_counted:
        return attribute.item is not None and holds_constrained(attribute.item)
    if not attribute.is_scalar:
        return any(map(holds_constrained, attribute.attributes))
    return is_constrained(attribute)


def answer_grammar(
    schema: Schema, allowed: Allowed = _any_value, *, is_quoted: bool = False
) -> str:
    """The GBNF grammar of a whole answer: one JSON object with every attribute, in order.

    ``allowed`` and ``is_quoted`` are as in ``value_grammar``.
    """
    rules = _Rules(allowed, is_quoted=is_quoted)
    root = _object_rule(schema.attributes, rules)
    return _grammar_text({"root": f"root ::= ws {root}", **rules})


def literal(text: str) -> str:
    """``text`` as a GBNF string."""
    escaped = "".join(
        f"\\x{ord(char):02X}" if char < " " or char == "\x7f" else char
        for char in text.replace("\\", "\\\\").replace('"', '\\"')
    )
    return f'"{escaped}"'


def _grammar_text(rules: dict[str, str]) -> str:
    return "\n".join(rules.values()) + "\n"


def _value_rule(attribute: Attribute, rules: _Rules) -> str:
    texts = rules.allowed(attribute)
    if texts is not None:
        return one_of(texts) or '"null"'
    real = (_REAL_DATE, _REAL_TIME, _REAL_ZONE)
    date, time, zone = real if rules.must_exist else (_DATE, _TIME, _ZONE)
    match attribute.type:
        case "enum":
            return " | ".join(
                literal(json.dumps(choice, ensure_ascii=False)) for choice in attribute.choices
            )
        case "boolean":
            return '"true" | "false"'
        case "union":
            return " | ".join(
                f"({_value_rule(variant, rules)})" for variant in attribute.attributes
            )
        case "integer" | "number":
            return _NUMBER
        case "date":
            return f'"\\"" {date} "\\""'
        case "date-time":
            return f'"\\"" {date} "T" {time} ("." [0-9]{{1,6}})? {zone}? "\\""'
    return _string_rule(attribute, rules)


def _string_rule(attribute: Attribute, rules: _Rules) -> str:
    if rules.is_quoted and is_free_text(attribute):
        return '"\\"" quote'
    pattern = attribute.pattern
    if pattern is None and attribute.format in _FORMAT_RULES and not rules.must_exist:
        return f'"\\"" {_FORMAT_RULES[attribute.format]} "\\""'
    if pattern is None and attribute.format in FORMATS:
        pattern = f"^(?:{FORMATS[attribute.format].pattern})$"
    if pattern is not None:
        try:
            rule, classes = pattern_rule(pattern)
        except UnsupportedPattern:
            pass  # It is checked when the value is parsed.
        else:
            rules.update(classes)
            return f'"\\"" {rule} "\\""'
    rules["char"] = f"char ::= {_CHAR}"
    # An empty or blank string says no more than null, which is allowed anyway.
    return '"\\"" char* "\\""'


def _pattern_is_supported(pattern: str) -> bool:
    try:
        pattern_rule(pattern)
    except UnsupportedPattern:
        return False
    return True


def _is_numeric(choice: str | float | bool | None) -> bool:
    return isinstance(choice, int | float) and not isinstance(choice, bool)


def _object_rule(attributes: tuple[Attribute, ...], rules: _Rules) -> str:
    members = [
        f"{literal(json.dumps(attribute.name, ensure_ascii=False) + ':')} ws "
        f"{_member_rule(attribute, rules, nullable=not attribute.forbids_null)}"
        for attribute in attributes
    ]
    rules["ws"] = f"ws ::= {_BLANKS}"
    separated = ' "," ws '.join(members)
    return f'"{{" ws {separated} ws "}}"'


def _member_rule(attribute: Attribute, rules: _Rules, *, nullable: bool = True) -> str:
    if attribute.type == "object":
        rule = _object_rule(attribute.attributes, rules)
    elif attribute.type == "array" and attribute.item is not None:
        rule = _array_rule(attribute, attribute.item, rules)
    else:
        rule = _value_rule(attribute, rules)
    # A rule of its own, so that people who read the grammar find each member on one line.
    name = f"v{len(rules)}"
    rules[name] = f'{name} ::= ({rule}) | "null"' if nullable else f"{name} ::= {rule}"
    return name


def _array_rule(array: Attribute, item: Attribute, rules: _Rules) -> str:
    rule = _member_rule(item, rules, nullable=item.nullable and not item.forbids_null)
    rules["ws"] = f"ws ::= {_BLANKS}"
    items = f'{rule} ("," ws {rule})* ws'
    return f'"[" ws {items} "]"' if array.forbids_null else f'"[" ws ({items})? "]"'
