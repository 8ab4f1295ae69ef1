"""GBNF, the grammars of llama.cpp, for the raw text of one value.

The rules are written here rather than by ``llama_cpp``'s converter from JSON Schema, which
knows neither minimum nor maximum, neither ``\\d`` nor unanchored patterns, lets ``.`` in a
pattern close the string, accepts lone surrogates, and ends a number after 16 digits.

A value's text begins right after the colon of its key: an optional blank, and the value. Behind a
complete value there may be a delimiter and whatever else the model's token holds, because a token
can be ``",`` or ``"}``. Behind a number there must be one: without it the number could go on.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from typing import Final

from hpd.schema.attributes import Attribute, Schema
from hpd.schema.scalars import FORMATS
from hpd.values.patterns import STRING_CHAR, UnsupportedPattern, pattern_rule

LIMIT: Final = 10**40
"""The largest bound that a grammar has; a number without bounds can have any number of digits."""
N_FRACTION: Final = 40
"""The most digits behind the decimal point."""
MAX_REPETITION: Final = 1000
"""The longest repetition in a grammar, as llama.cpp writes out each as rules of its own; longer
bounds are checked after decoding."""

Allowed = Callable[[Attribute], Sequence[str] | None]
"""The JSON texts of all values that an attribute can have; None: whatever its type allows."""

_HEX: Final = "[0-9a-fA-F]"
_CHAR: Final = (
    f'{STRING_CHAR} | "\\\\" (["\\\\/bfnrt] | "u" '
    # Without surrogates, one of which alone is not text.
    f"([0-9abcefABCEF] {_HEX} {_HEX} {_HEX} | [dD] [0-7] {_HEX} {_HEX}))"
)
_TIME: Final = '([01] [0-9] | "2" [0-3]) ":" [0-5] [0-9] ":" [0-5] [0-9]'
_ZONE: Final = '("Z" | [+-] ([01] [0-9] | "2" [0-3]) ":" [0-5] [0-9])'
_LEAP: Final = (
    '([12] [0-9] ("0" [48] | [2468] [048] | [13579] [26]) | "1" [26] "00" | "2" [048] "00")'
)
_DATE: Final = (
    '([12] [0-9] [0-9] [0-9] "-" ('
    '("0" [13578] | "1" [02]) "-" ("0" [1-9] | [12] [0-9] | "3" [01])'
    ' | ("0" [469] | "11") "-" ("0" [1-9] | [12] [0-9] | "30")'
    ' | "02-" ("0" [1-9] | "1" [0-9] | "2" [0-8]))'
    f' | {_LEAP} "-02-29")'
)


def _all(_: Attribute) -> None:
    """The values of its type."""


class _Rules(dict[str, str]):
    """The rules of a grammar, by name, and the values to which its attributes are held."""

    def __init__(self, allowed: Allowed, *, is_quoted: bool) -> None:
        super().__init__()
        self.allowed = allowed
        self.is_quoted = is_quoted


def value_grammar(
    attribute: Attribute, allowed: Allowed = _all, *, is_quoted: bool = False
) -> str | None:
    """The GBNF grammar of one raw value; None for arrays and objects, which are not one value.

    ``null`` is allowed unless the attribute is ``always_answered``: without it a model could only
    make something up. Limits that a grammar cannot express (a pattern with a look-ahead,
    ``multipleOf``) are checked when the value is parsed.

    Args:
        attribute: whose value it is.
        allowed: the JSON texts of the only values that it can have; where there are none, it is
            ``null`` in any case.
        is_quoted: whether free text is quoted from a document: the grammar then lacks the rule
            ``quote``, a text with the quotation mark behind it, which the caller adds.
    """
    if not attribute.is_scalar:
        return None
    rules = _Rules(allowed, is_quoted=is_quoted)
    value = _value(attribute, rules)
    end = _end(attribute)
    if attribute.type == "union":
        ends = (f"({_value(v, rules)}) {_end(v)}" for v in attribute.attributes)
        value, end = " | ".join(ends), ""
    null = "" if attribute.always_answered else ' | "null" end?'
    root = f'root ::= " "? (({value}) {end}{null})'.replace(") )", "))")
    return _text({"root": root, **rules, "end": "end ::= [,}] [^\\x00]*"})


def list_grammar(array: Attribute, allowed: Allowed = _all, *, is_quoted: bool = False) -> str:
    """The GBNF grammar of a list by itself, or ``null`` unless it is ``always_answered``.

    ``allowed`` and ``is_quoted`` are as in ``value_grammar``.
    """
    if array.item is None:
        raise ValueError(f"{array.name} has no items")
    rules = _Rules(allowed, is_quoted=is_quoted)
    null = "" if array.always_answered else ' | "null" end?'
    root = f'root ::= " "? ({_array(array, array.item, rules)} end?{null})'
    return _text({"root": root, **rules, "end": "end ::= [,}] [^\\x00]*"})


def one_of(texts: Iterable[str]) -> str:
    """A GBNF expression for some texts, as a tree: what begins alike is tried only once."""
    by_first: dict[str, list[str]] = {}
    for text in sorted(set(texts)):
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


def enum_texts(attribute: Attribute) -> list[str] | None:
    """All raw texts that an enum or a boolean can have, ``null`` last if it is allowed.

    None for other types, and for an enum with numbers: only a delimiter shows that a number has
    ended, so these need a grammar.
    """
    choices: tuple[str | int | float | bool, ...]
    if attribute.type == "boolean":
        choices = (True, False)
    elif attribute.type == "enum":
        choices = attribute.choices
    else:
        return None
    if any(_is_numeric(choice) for choice in choices):
        return None
    null = () if attribute.always_answered else (None,)
    return [" " + json.dumps(choice, ensure_ascii=False) for choice in (*choices, *null)]


def is_free_text(attribute: Attribute) -> bool:
    """Whether a value can be any text at all."""
    held = (attribute.pattern, attribute.format, attribute.min_length, attribute.max_length)
    return attribute.type == "string" and held == (None, None, None, None)


def is_closed(attribute: Attribute) -> bool:
    """Whether a value is one of a few or has a form, as a number has: it is not free text."""
    if attribute.type != "string":
        return attribute.is_scalar and all(map(is_closed, attribute.attributes))
    if attribute.pattern is not None:
        return _pattern_is_supported(attribute.pattern)
    return attribute.format in FORMATS


def has_closed(attribute: Attribute) -> bool:
    """Whether an attribute is closed, or one that it holds at any depth."""
    if attribute.is_counted:
        return attribute.item is not None and has_closed(attribute.item)
    if not attribute.is_scalar:
        return any(map(has_closed, attribute.attributes))
    return is_closed(attribute)


def answer_grammar(schema: Schema, allowed: Allowed = _all, *, is_quoted: bool = False) -> str:
    """The GBNF grammar of a whole answer: one JSON object with every attribute, in order.

    ``allowed`` and ``is_quoted`` are as in ``value_grammar``.
    """
    rules = _Rules(allowed, is_quoted=is_quoted)
    root = _object(schema.attributes, rules)
    return _text({"root": f'root ::= " "? {root}', **rules})


def literal(text: str) -> str:
    """``text`` as a GBNF string."""
    escaped = "".join(
        f"\\x{ord(char):02X}" if char < " " or char == "\x7f" else char
        for char in text.replace("\\", "\\\\").replace('"', '\\"')
    )
    return f'"{escaped}"'


def _text(rules: dict[str, str]) -> str:
    return "\n".join(rules.values()) + "\n"


def _value(attribute: Attribute, rules: _Rules) -> str:
    texts = rules.allowed(attribute)
    if texts is not None:
        return one_of(texts) or '"null"'
    match attribute.type:
        case "enum":
            return " | ".join(
                literal(json.dumps(choice, ensure_ascii=False)) for choice in attribute.choices
            )
        case "boolean":
            return '"true" | "false"'
        case "union":
            return " | ".join(f"({_value(variant, rules)})" for variant in attribute.attributes)
        case "integer" | "number":
            return _number(attribute)
        case "date":
            return f'"\\"" {_DATE} "\\""'
        case "date-time":
            return f'"\\"" {_DATE} "T" {_TIME} ("." [0-9]{{1,6}})? {_ZONE}? "\\""'
    return _string(attribute, rules)


def _string(attribute: Attribute, rules: _Rules) -> str:
    if rules.is_quoted and is_free_text(attribute):
        return '"\\"" quote'
    pattern = attribute.pattern
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
    low, high = attribute.min_length or 0, attribute.max_length
    if attribute.pattern is not None or low > MAX_REPETITION or (high or 0) > MAX_REPETITION:
        return '"\\"" char* "\\""'
    if low == 0 and high is None:
        return '"\\"" char* "\\""'
    return f'"\\"" char{{{low},{"" if high is None else high}}} "\\""'


def _pattern_is_supported(pattern: str) -> bool:
    try:
        pattern_rule(pattern)
    except UnsupportedPattern:
        return False
    return True


def _is_numeric(choice: str | int | float | bool) -> bool:
    return isinstance(choice, int | float) and not isinstance(choice, bool)


def _is_number(attribute: Attribute) -> bool:
    if attribute.type == "enum":
        return any(_is_numeric(choice) for choice in attribute.choices)
    return attribute.type in ("integer", "number")


def _end(attribute: Attribute) -> str:
    return "end" if _is_number(attribute) else "end?"


def _number(attribute: Attribute) -> str:
    low = max(_bounds(attribute.minimum, attribute.exclusive_minimum), default=None)
    high = min(_bounds(attribute.maximum, attribute.exclusive_maximum), default=None)
    if attribute.type == "integer":
        rule = integers(
            None if low is None else int(_whole_above(low, attribute.exclusive_minimum)),
            None if high is None else int(_whole_below(high, attribute.exclusive_maximum)),
        )
    else:
        places = _decimal_places(attribute)
        rule = decimals(low, high, N_FRACTION if places is None else places)
    # If no number fits, or none with so many digits, it is checked after decoding.
    return rule or '"-"? ("0" | [1-9] [0-9]*) ("." [0-9]+)?'


def _bounds(*limits: float | None) -> list[Decimal]:
    return [Decimal(str(limit)) for limit in limits if limit is not None]


def _whole_above(bound: Decimal, exclusive: float | None) -> Decimal:
    whole = bound.to_integral_value(ROUND_CEILING)
    return whole + 1 if exclusive is not None and whole == Decimal(str(exclusive)) else whole


def _whole_below(bound: Decimal, exclusive: float | None) -> Decimal:
    whole = bound.to_integral_value(ROUND_FLOOR)
    return whole - 1 if exclusive is not None and whole == Decimal(str(exclusive)) else whole


def _decimal_places(attribute: Attribute) -> int | None:
    """The most decimals of a number, if that is all that its ``multipleOf`` says (as 0.01)."""
    if attribute.multiple_of is None:
        return None
    sign, digits, exponent = Decimal(str(attribute.multiple_of)).normalize().as_tuple()
    if sign or digits != (1,) or not isinstance(exponent, int) or not -N_FRACTION <= exponent <= 0:
        return None
    return -exponent


def _object(attributes: tuple[Attribute, ...], rules: _Rules) -> str:
    members = [
        f"{literal(json.dumps(attribute.name, ensure_ascii=False) + ': ')} "
        f"{_member(attribute, rules, nullable=not attribute.always_answered)}"
        for attribute in attributes
    ]
    separated = ' ", " '.join(members)
    return f'"{{" {separated} "}}"'


def _member(attribute: Attribute, rules: _Rules, *, nullable: bool = True) -> str:
    if attribute.type == "object":
        rule = _object(attribute.attributes, rules)
    elif attribute.type == "array" and attribute.item is not None:
        rule = _array(attribute, attribute.item, rules)
    else:
        rule = _value(attribute, rules)
    # A rule of its own, so that people who read the grammar find each member on one line.
    name = f"v{len(rules)}"
    rules[name] = f'{name} ::= ({rule}) | "null"' if nullable else f"{name} ::= {rule}"
    return name


def _array(array: Attribute, item: Attribute, rules: _Rules) -> str:
    rule = _member(item, rules, nullable=item.nullable and not item.always_answered)
    low, high = array.min_items or 0, array.max_items
    if high == 0:
        return '"[]"'
    if low > MAX_REPETITION or (high or 0) > MAX_REPETITION:
        low, high = 0, None
    more = f"{{{max(low - 1, 0)},{'' if high is None else high - 1}}}"
    filled = f'{rule} (", " {rule}){more}'
    return f'"[" {filled} "]"' if low else f'"[" ({filled})? "]"'


def integers(low: int | None, high: int | None) -> str | None:
    """The texts of all integers from ``low`` to ``high``; None if there are none."""
    low, high = _within_limit(low), _within_limit(high)
    forms = []
    if low is None or low < 0:
        least = 1 if high is None else max(1, -high)
        forms += [f'"-" {form}' for form in _naturals(least, None if low is None else -low)]
    if high is None or high >= 0:
        forms += _naturals(max(0, low or 0), high)
    return " | ".join(forms) or None


def _within_limit(bound: int | None) -> int | None:
    """A bound, unless it is too large for a grammar; then it is checked after decoding."""
    return None if bound is None or abs(bound) > LIMIT else bound


def decimals(low: Decimal | None, high: Decimal | None, n_fraction: int = N_FRACTION) -> str | None:
    """The texts of numbers from ``low`` to ``high`` with up to so many decimals, no exponent."""
    zero = Decimal(0)
    forms = []
    if low is None or low < 0:
        least = zero if high is None else max(zero, -high)
        forms += [f'"-" {form}' for form in _positives(least, low and -low, n_fraction)]
    if high is None or high >= 0:
        forms += _positives(max(zero, low or zero), high, n_fraction)
    return " | ".join(forms) or None


def _naturals(low: int, high: int | None) -> list[str]:
    """An expression for each stretch of numbers that differ in their last digits only."""
    forms: list[str] = []
    last_of_all = high
    while last_of_all is None or low <= last_of_all:
        # Where no bound is near, all numbers of several lengths are one expression.
        length = len(str(low))
        if last_of_all is None and low == 10 ** (length - 1):
            return [*forms, f"[1-9] [0-9]{{{length - 1},}}"]
        high = 10**length - 1 if last_of_all is None else last_of_all
        longest = len(str(high + 1)) - 1
        if low == 10 ** (length - 1) and longest > length:
            forms.append(f"[1-9] [0-9]{{{length - 1},{longest - 1}}}")
            low = 10**longest
            continue
        # The largest power of ten that low is a multiple of, and that stays within high.
        n_free = 0
        while low and low % 10 ** (n_free + 1) == 0 and low + 10 ** (n_free + 1) - 1 <= high:
            n_free += 1
        unit = 10**n_free
        # As many of these as fit before the next digit would change.
        last = min(low // unit + (9 - low // unit % 10), (high + 1) // unit - 1)
        if low == 0:
            last = min(9, high)
        forms.append(_stretch(low // unit, last, n_free))
        low = (last + 1) * unit
    return forms


def _stretch(first: int, last: int, n_free: int) -> str:
    """The numbers ``first`` to ``last``, which differ in one digit, and any digits behind them."""
    prefix = str(first)[:-1]
    parts = [f'"{prefix}"'] if prefix else []
    parts.append(_digit(int(str(first)[-1]), int(str(last)[-1])))
    if n_free:
        parts.append("[0-9]" if n_free == 1 else f"[0-9]{{{n_free}}}")
    return " ".join(parts)


def _digit(first: int, last: int) -> str:
    return f"[{first}-{last}]" if first < last else f"[{first}]"


def _positives(low: Decimal, high: Decimal | None, n_fraction: int) -> list[str]:
    """The texts of decimals from ``low`` to ``high``, both at least 0, by their whole part."""
    if low > LIMIT or (high is not None and low > high):
        return []
    if high is not None and high > LIMIT:
        high = None
    # A bound with more decimals than are allowed is cut, which makes the range a little wider; the
    # value is checked again when it is parsed.
    above = _fraction(low)[:n_fraction]
    first = int(low)
    last = None if high is None else int(high)
    if high is not None and first == last:
        tail = _between(above, _fraction(high)[:n_fraction], n_fraction)
        return [f'"{first}" {tail}'.rstrip()] if tail is not None else []
    forms = [f'"{first}" {_at_least(above, n_fraction)}'.rstrip()]
    middle = _naturals(first + 1, None if last is None else last - 1)
    if middle:
        whole = middle[0] if len(middle) == 1 else f"({' | '.join(middle)})"
        forms.append(f"{whole} {_at_least('', n_fraction)}".rstrip())
    if high is not None:
        forms.append(f'"{last}" {_at_most(_fraction(high)[:n_fraction], n_fraction)}'.rstrip())
    return forms


def _fraction(number: Decimal) -> str:
    """The digits behind the point, without zeros at the end."""
    whole = number.to_integral_value(ROUND_FLOOR)
    return format(number - whole, "f").partition(".")[2].rstrip("0")


def _at_least(digits: str, n: int) -> str:
    """The point and digits of all fractions from 0.``digits``."""
    if n == 0:
        return ""
    return f'("." {_any(n, 1)})?' if not digits else f'"." {_digits_from(digits, n)}'


def _at_most(digits: str, n: int) -> str:
    """The point and digits of all fractions up to 0.``digits``."""
    if n == 0:
        return ""
    if not digits:
        return f'("." {_zeros(n, 1)})?'
    return f'("." {_digits_to(digits, n, must_have=True)})?'


def _between(low: str, high: str, n: int) -> str | None:
    if not low:
        return _at_most(high, n)
    if n == 0:
        return None
    size = max(len(low), len(high))
    return f'"." {_digits_between(low.ljust(size, "0"), high.ljust(size, "0"), n)}'


def _any(n: int, least: int = 0) -> str:
    return f"[0-9]{{{least},{n}}}" if n else '""'


def _zeros(n: int, least: int = 0) -> str:
    return f'"0"{{{least},{n}}}' if n else '""'


def _digits_from(digits: str, n: int) -> str:
    """Digits, at most ``n``, whose fraction is at least that of ``digits``."""
    if not digits.strip("0"):
        return _any(n)
    first = int(digits[0])
    forms = [f'"{first}" {_digits_from(digits[1:], n - 1)}']
    if first < 9:
        forms.append(f"{_digit(first + 1, 9)} {_any(n - 1)}")
    return f"({' | '.join(forms)})"


def _digits_to(digits: str, n: int, *, must_have: bool = False) -> str:
    """Digits, at most ``n``, whose fraction is at most that of ``digits``."""
    if not digits:
        return _zeros(n)
    first = int(digits[0])
    forms = [f'"{first}" {_digits_to(digits[1:], n - 1)}']
    if first > 0:
        forms.append(f"{_digit(0, first - 1)} {_any(n - 1)}")
    return f"({' | '.join(forms)}){'' if must_have else '?'}"


def _digits_between(low: str, high: str, n: int) -> str:
    if not low.strip("0"):
        return _digits_to(high, n)
    first, last = int(low[0]), int(high[0])
    if first == last:
        return f'"{first}" {_digits_between(low[1:], high[1:], n - 1)}'
    forms = [
        f'"{first}" {_digits_from(low[1:], n - 1)}',
        f'"{last}" {_digits_to(high[1:], n - 1)}',
    ]
    if last - first > 1:
        forms.append(f"{_digit(first + 1, last - 1)} {_any(n - 1)}")
    return f"({' | '.join(forms)})"
