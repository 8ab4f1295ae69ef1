"""GBNF, the grammars of llama.cpp, for the raw text of one value.

``llama_cpp``'s converter from JSON Schema is not used: it does not support minimum, maximum,
``\\d`` and unanchored patterns, lets ``.`` in a pattern close the string, accepts lone surrogates,
and ends a number after 16 digits.

A value's text begins after the colon of its key: an optional blank, and the value. After a complete
value there may be a delimiter and the rest of the model's token, which can be ``",`` or ``"}``.

A grammar describes only a value's form; limits (``maximum``, ``maxLength``, ``multipleOf``) are
left to ``hpd.values.parsing``: a model that is not allowed to write 130 would write 13, which hides
the error.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final

from hpd.schema.attributes import Attribute, Schema
from hpd.schema.scalars import STRING_FORMATS
from hpd.values.patterns import STRING_CHAR, UnsupportedPattern, pattern_rule

Allowed = Callable[[Attribute], Sequence[str] | None]
"""The JSON texts of all values that an attribute can have; None: any that its type allows."""

_AFTER_VALUE: Final = "[,}\\] \\t\\r\\n] [^\\x00]*"
"""What may follow a value in the same token."""

BLANKS_RULE: Final = 'ws ::= " "? | "\\n" [ \\t]{0,40}'
"""What may separate the parts of an answer: some models write each on its own line."""
QUOTATION_MARK: Final = '"\\""'
_NUMBER: Final = '"-"? [0-9]+ ("." [0-9]+)? ([eE] [+-]? [0-9]{1,3})?'
# Also invalid escapes, as models copy the backslashes of paths.
_CHAR: Final = f'{STRING_CHAR} | "\\\\" [^\\x00-\\x1F\\x7F]'
# A model may write a day or hour that does not exist; the value is then refused. If the grammar
# allowed only real ones, the model would write a wrong one.
_DATE: Final = '[0-9]{4} "-" [0-9]{2} "-" [0-9]{2}'
# Models also write times as documents do: 9:30, 4:30 pm. Parsing makes them complete.
_TIME: Final = (
    '[0-9]{1,2} ":" [0-9]{2} (":" [0-9]{2} ("." [0-9]{1,9})?)? (" "? [AaPp] "."? [Mm] "."?)?'
)
_ZONE: Final = '("Z" | [+-] [0-9]{2} ":" [0-9]{2})'
_FORMAT_RULES: Final = {"time": f"{_TIME} {_ZONE}?", "ipv4": '[0-9]{1,3} ("." [0-9]{1,3}){3}'}
"""Formats with numbers whose bounds are checked in parsing, for the same reason."""
# A refused required value is asked for again, limited to dates and times that exist.
_REAL_TIME: Final = '([01] [0-9] | "2" [0-3]) ":" [0-5] [0-9] ":" [0-5] [0-9] ("." [0-9]{1,9})?'
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
    """Allow any value of the type."""


class _Rules(dict[str, str]):
    """The rules of a grammar, by name, and the allowed values of its attributes."""

    def __init__(self, allowed: Allowed, *, is_quoted: bool, must_exist: bool = False) -> None:
        super().__init__()
        self.allowed = allowed
        self.is_quoted = is_quoted
        self.must_exist = must_exist
        """Whether a date, time or address must exist."""


def value_grammar(
    attribute: Attribute, allowed: Allowed = _any_value, *, is_quoted: bool = False
) -> str | None:
    """Return the GBNF grammar of a raw value; None for arrays and objects.

    ``null`` is allowed, as a model would otherwise invent a value, unless the attribute has
    ``forbids_null``; then dates and the like must exist.

    Args:
        attribute: the attribute.
        allowed: returns the JSON texts of its allowed values; if empty, only ``null`` is allowed.
        is_quoted: whether free text is quoted from a document: the grammar then lacks the rule
            ``quote``, a text with its closing quotation mark, which the caller adds.
    """
    if not attribute.is_scalar:
        return None
    rules = _Rules(allowed, is_quoted=is_quoted, must_exist=attribute.forbids_null)
    return raw_grammar(attribute, _value_rule(attribute, rules), rules)


def list_grammar(
    array: Attribute, allowed: Allowed = _any_value, *, is_quoted: bool = False
) -> str:
    """Return the GBNF grammar of a list, or ``null`` unless it has ``forbids_null``.

    ``allowed`` and ``is_quoted`` are as in ``value_grammar``.
    """
    if array.item is None:
        raise ValueError(f"{array.name} has no items")
    rules = _Rules(allowed, is_quoted=is_quoted)
    return raw_grammar(array, _array_rule(array, array.item, rules), rules)


def raw_grammar(attribute: Attribute, value: str, rules: Mapping[str, str]) -> str:
    """Return the grammar of an attribute's raw text.

    Args:
        attribute: whose ``forbids_null`` says whether it may be ``null``.
        value: the GBNF expression for other values.
        rules: the rules of its names.
    """
    null = "" if attribute.forbids_null else ' | "null"'
    root = f'root ::= " "? ({value}{null}) end?'
    end = f"end ::= {_AFTER_VALUE}"
    return _grammar_text({"root": root, **rules, "end": end})


def rules_around(
    item: Attribute, part: Attribute, allowed: Allowed
) -> tuple[str, str, dict[str, str]]:
    """Return what stands before and after a part's value in an object of a list, and the rules.

    ``allowed`` is as in ``value_grammar``. Free text is quoted from a document, by the rule
    ``quote``.
    """
    rules = _Rules(allowed, is_quoted=True)
    n = item.attributes.index(part)
    before = [f'{member} "," ws ' for member in _members(item.attributes[:n], rules)]
    after = [f'"," ws {member} ' for member in _members(item.attributes[n + 1 :], rules)]
    start = f'"{{" ws {"".join(before)}{_key_rule(part)} ws'
    return start, f'{"".join(after)}ws "}}"', rules


def one_of(texts: Iterable[str]) -> str:
    """Return a GBNF expression for some texts, as a tree in which common prefixes occur once."""
    by_first: dict[str, list[str]] = {}
    if len(different := set(texts)) == 1:
        return literal(different.pop())
    for text in sorted(different):
        by_first.setdefault(text[:1], []).append(text)
    return " | ".join(_branch(alike) for alike in by_first.values())


def _branch(texts: Sequence[str]) -> str:
    """Return the expression for different, sorted texts with the same first character."""
    first, last = texts[0], texts[-1]
    # The common prefix of the first and the last is that of all.
    n = next(
        (n for n, pair in enumerate(zip(first, last, strict=False)) if pair[0] != pair[1]),
        len(first),
    )
    if first == last:
        return literal(first)
    return f"{literal(first[:n])} ({one_of(text[n:] for text in texts)})"


def choice_texts(attribute: Attribute) -> dict[str, str | float | bool | None] | None:
    """Return the choices of an enum or boolean by their JSON texts, null last if it is allowed.

    None for other types.
    """
    if attribute.type not in ("boolean", "enum"):
        return None
    choices = (True, False) if attribute.type == "boolean" else attribute.choices
    null = () if attribute.forbids_null else (None,)
    return {json.dumps(choice, ensure_ascii=False): choice for choice in (*choices, *null)}


def enum_texts(attribute: Attribute) -> list[str] | None:
    """Return all raw texts of an enum or boolean, ``null`` last if it is allowed.

    None for other types, and for an enum with numbers, which need a grammar, as only a delimiter
    ends a number.
    """
    texts = choice_texts(attribute)
    return None if texts is None or any(map(_is_numeric, texts.values())) else [*texts]


def is_constrained(attribute: Attribute) -> bool:
    """Return whether a value is a choice or has a form, such as a number's."""
    if attribute.type != "string":
        return attribute.is_scalar and all(map(is_constrained, attribute.attributes))
    if attribute.pattern is not None:
        return _pattern_is_supported(attribute.pattern)
    return attribute.format in STRING_FORMATS


def contains_constrained(attribute: Attribute) -> bool:
    """Return whether an attribute is constrained, or contains one that is, at any depth."""
    if attribute.is_counted:
        return attribute.item is not None and contains_constrained(attribute.item)
    if not attribute.is_scalar:
        return any(map(contains_constrained, attribute.attributes))
    return is_constrained(attribute)


def answer_grammar(
    schema: Schema, allowed: Allowed = _any_value, *, is_quoted: bool = False
) -> str:
    """Return the GBNF grammar of a whole answer: a JSON object with all attributes, in order.

    ``allowed`` and ``is_quoted`` are as in ``value_grammar``.
    """
    rules = _Rules(allowed, is_quoted=is_quoted)
    root = _object_rule(schema.attributes, rules)
    return _grammar_text({"root": f"root ::= ws {root}", **rules})


def literal(text: str) -> str:
    """Return ``text`` as a GBNF string."""
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
            return _in_quotation_marks(date)
        case "date-time":
            return _in_quotation_marks(f'{date} "T" {time} {zone}?')
    return _string_rule(attribute, rules)


def _in_quotation_marks(rule: str) -> str:
    return f"{QUOTATION_MARK} {rule} {QUOTATION_MARK}"


def _string_rule(attribute: Attribute, rules: _Rules) -> str:
    if rules.is_quoted and attribute.is_free_text:
        return f"{QUOTATION_MARK} quote"
    pattern = attribute.pattern
    if pattern is None and attribute.format in _FORMAT_RULES and not rules.must_exist:
        return _in_quotation_marks(_FORMAT_RULES[attribute.format])
    if pattern is None and attribute.format in STRING_FORMATS:
        pattern = f"^(?:{STRING_FORMATS[attribute.format].pattern})$"
    if pattern is not None:
        try:
            rule, classes = pattern_rule(pattern)
        except UnsupportedPattern:
            pass  # It is checked in parsing.
        else:
            rules.update(classes)
            return _in_quotation_marks(rule)
    rules["char"] = f"char ::= {_CHAR}"
    # An empty string is equivalent to null, which is allowed anyway.
    return _in_quotation_marks("char*")


def _pattern_is_supported(pattern: str) -> bool:
    try:
        pattern_rule(pattern)
    except UnsupportedPattern:
        return False
    return True


def _is_numeric(choice: str | float | bool | None) -> bool:
    return isinstance(choice, int | float) and not isinstance(choice, bool)


def _object_rule(attributes: tuple[Attribute, ...], rules: _Rules) -> str:
    separated = ' "," ws '.join(_members(attributes, rules))
    return f'"{{" ws {separated} ws "}}"'


def _members(attributes: tuple[Attribute, ...], rules: _Rules) -> list[str]:
    rules["ws"] = BLANKS_RULE
    return [
        f"{_key_rule(attribute)} ws "
        f"{_member_rule(attribute, rules, nullable=not attribute.forbids_null)}"
        for attribute in attributes
    ]


def _key_rule(attribute: Attribute) -> str:
    return literal(json.dumps(attribute.name, ensure_ascii=False) + ":")


def _member_rule(attribute: Attribute, rules: _Rules, *, nullable: bool = True) -> str:
    if attribute.type == "object":
        rule = _object_rule(attribute.attributes, rules)
    elif attribute.type == "array" and attribute.item is not None:
        rule = _array_rule(attribute, attribute.item, rules)
    else:
        rule = _value_rule(attribute, rules)
    # A separate rule, so that each member is on its own line of the grammar.
    name = f"v{len(rules)}"
    rules[name] = f'{name} ::= ({rule}) | "null"' if nullable else f"{name} ::= {rule}"
    return name


_MAX_FORCED_ITEMS = 32
"""A forced list of more items may end earlier: each of them makes the grammar longer."""


def _array_rule(array: Attribute, item: Attribute, rules: _Rules) -> str:
    rule = _member_rule(item, rules, nullable=item.nullable and not item.forbids_null)
    rules["ws"] = BLANKS_RULE
    if not array.forbids_null:
        return f'"[" ws ({rule} ("," ws {rule})* ws)? "]"'
    first = f'{rule} "," ws ' * (min(array.min_items or 1, _MAX_FORCED_ITEMS) - 1)
    return f'"[" ws {first}{rule} ("," ws {rule})* ws "]"'
