"""Regular expressions as GBNF, for the text of a JSON string.

Like ``hpd.schema``, the grammar accepts strings that contain a match of the pattern, with Unicode's
letters and digits. Quotation marks and other characters that JSON must escape are escaped. Other
control characters and unassigned ones are excluded.
"""

from __future__ import annotations

import re
import sys
import warnings
import zlib
from array import array
from functools import lru_cache
from typing import Any, Final

try:
    from re import _constants as _c  # type: ignore[attr-defined]
    from re import _parser  # type: ignore[attr-defined]
except ImportError:  # Python 3.10 has them here, which later versions deprecate.
    import sre_constants as _c
    import sre_parse as _parser

STRING_CHAR: Final = r'[^"\\\x00-\x1F\x7F]'
"""Unescaped characters of a JSON string."""

MAX_REPETITION: Final = 200
MAX_RULE_LENGTH: Final = 20_000
MAX_INLINE_LENGTH: Final = 60
"""Maximum length of an inline class; longer ones become separate rules."""

_MAX_CODE: Final = 0x10FFFF
# What JSON escapes, DEL, and surrogates.
_ESCAPED_RANGES: Final = ((0, 0x1F), (0x22, 0x22), (0x5C, 0x5C), (0x7F, 0x7F), (0xD800, 0xDFFF))
_ESCAPES: Final = {
    0x22: r'"\\\""',
    0x5C: r'"\\\\"',
    **{code: f'"\\\\{letter}"' for code, letter in zip(b"\n\r\t\b\f", "nrtbf", strict=True)},
}

Ranges = list[tuple[int, int]]

_PROPERTY = re.compile(
    r"\\([pP])(?:\{(\^?[\w=: -]{1,60})\}|([A-Z]))|\\.|\(\?<(?=[A-Za-z_])", re.DOTALL
)
_FIRST_STAND_IN: Final = 0xF0000
"""Private use characters stand for properties, which Python's parser does not support."""
_CLASSES: Final = {
    _c.CATEGORY_DIGIT: r"\d",
    _c.CATEGORY_WORD: r"\w",
    _c.CATEGORY_SPACE: r"\s",
    _c.CATEGORY_NOT_DIGIT: r"\D",
    _c.CATEGORY_NOT_WORD: r"\W",
    _c.CATEGORY_NOT_SPACE: r"\S",
}


class UnsupportedPattern(Exception):  # noqa: N818 - it never leaves hpd
    """A regular expression that cannot be written as a grammar."""


@lru_cache(maxsize=1024)
def pattern_rule(pattern: str) -> tuple[str, dict[str, str]]:
    """Return a GBNF expression for a JSON string's content in which ``pattern`` is found.

    Also returns the rules that it uses, by name.
    """
    stand_ins: list[str] = []

    def readable(match: re.Match[str]) -> str:
        if match[0] == "(?<":
            return "(?P<"
        if match[1] is None:
            return match[0]
        stand_ins.append(f"\\{match[1]}{{{match[2] or match[3]}}}")
        return chr(_FIRST_STAND_IN + len(stand_ins) - 1)

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = _parser.parse(_PROPERTY.sub(readable, pattern))
    except (re.error, RecursionError, OverflowError) as error:
        raise UnsupportedPattern(str(error)) from error
    if tree.state.flags & ~re.UNICODE:
        raise UnsupportedPattern("flags")
    builder = _GrammarBuilder(stand_ins)
    rule = builder.anchor(list(tree))
    if len(rule) > MAX_RULE_LENGTH:
        raise UnsupportedPattern("too long")
    return rule, builder.rules


@lru_cache(maxsize=1)
def _all_characters() -> str:
    codes = array("I", (*range(0xD800), *range(0xE000, _MAX_CODE + 1)))
    return codes.tobytes().decode(f"utf-32-{sys.byteorder[0]}e")


@lru_cache(maxsize=256)
def _ranges_of_class(name: str) -> tuple[tuple[int, int], ...]:
    """Return the characters of ``\\d``, ``\\p{L}`` and the like, including unassigned ones."""
    import regex

    characters = _all_characters()
    try:
        with_gaps = regex.compile(rf"(?:{name}|\p{{Cn}})+")
        inside = regex.compile(name)
    except regex.error as error:
        raise UnsupportedPattern(str(error)) from error
    ranges = []
    for match in with_gaps.finditer(characters):
        first = inside.search(characters, match.start(), match.end())
        if first:
            end = match.end()
            while not inside.match(characters, end - 1, end):
                end -= 1
            ranges.append((ord(first[0]), ord(characters[end - 1])))
    return tuple(ranges)


class _GrammarBuilder:
    """Builds the grammar of a pattern."""

    def __init__(self, stand_ins: list[str]) -> None:
        self.rules: dict[str, str] = {}
        self._stand_ins = stand_ins

    def anchor(self, items: list[Any]) -> str:
        """Return the expression for a whole pattern, with any text around it unless anchored."""
        for edge in (0, -1):
            if items and _holds_anchor(items[edge : edge + 1 or None]):
                op, arg = items[edge]
                branches = arg[1] if op is _c.BRANCH else [arg[3]] if op is _c.SUBPATTERN else []
                if branches:
                    before, after = (items[:-1], []) if edge else ([], items[1:])
                    forms = [self.anchor([*before, *branch, *after]) for branch in branches]
                    return f"({' | '.join(forms)})"
        before_all = after_all = True
        if items and items[0][0] is _c.AT and items[0][1] in _BEGINNINGS:
            before_all, items = False, items[1:]
        if items and items[-1][0] is _c.AT and items[-1][1] in _ENDS:
            after_all, items = False, items[:-1]
        anything = f"{self.one_of([(0, _MAX_CODE)])}*" if before_all or after_all else ""
        parts = [before_all and anything, self.sequence(items), after_all and anything]
        return f"({' '.join(part for part in parts if part)})"

    def sequence(self, items: Any) -> str:
        return " ".join(self.item(op, arg) for op, arg in items) or '""'

    def item(self, op: Any, arg: Any) -> str:
        if op is _c.LITERAL:
            return self.character(arg)
        if op is _c.NOT_LITERAL:
            return self.one_of(_complement(self.characters(arg)))
        if op is _c.ANY:
            return self.one_of(_complement([(0x0A, 0x0A)]))
        if op is _c.IN:
            return self.set(arg)
        if op is _c.BRANCH:
            return f"({' | '.join(self.sequence(branch) for branch in arg[1])})"
        if op is _c.SUBPATTERN:
            _, add_flags, del_flags, inside = arg
            if add_flags or del_flags:
                raise UnsupportedPattern("flags within the pattern")
            return f"({self.sequence(inside)})"
        if op in (_c.MAX_REPEAT, _c.MIN_REPEAT):
            low, high, inside = arg
            if _n_repetitions([(op, arg)]) > MAX_REPETITION:
                raise UnsupportedPattern("many repetitions")
            return f"({self.sequence(inside)}){_quantifier(low, high)}"
        raise UnsupportedPattern(f"{str(op).lower()}")

    def characters(self, code: int) -> Ranges:
        """Return the range of one character, or the ranges of the property for which it stands."""
        number = code - _FIRST_STAND_IN
        if 0 <= number < len(self._stand_ins):
            return list(_ranges_of_class(self._stand_ins[number]))
        return [(code, code)]

    def set(self, members: Any) -> str:
        ranges: Ranges = []
        is_negated = False
        for op, arg in members:
            if op is _c.NEGATE:
                is_negated = True
            elif op is _c.LITERAL:
                ranges.extend(self.characters(arg))
            elif op is _c.RANGE:
                ranges.append(tuple(arg))
            elif op is _c.CATEGORY and arg in _CLASSES:
                ranges.extend(_ranges_of_class(_CLASSES[arg]))
            else:
                raise UnsupportedPattern(str(op))
        return self.one_of(_complement(ranges) if is_negated else ranges)

    def character(self, code: int) -> str:
        return _ESCAPES.get(code) or self.one_of(self.characters(code))

    def one_of(self, ranges: Ranges) -> str:
        """Return an expression for one character of the ranges, escaped where JSON requires it."""
        forms = [
            text
            for code, text in _ESCAPES.items()
            if any(first <= code <= last for first, last in ranges)
        ]
        plain = _merge(_subtract(ranges, _ESCAPED_RANGES))
        if plain:
            others = _merge(_complement(plain))
            # Surrogates need not be excluded, as no text has them.
            others = [pair for pair in others if pair != (0xD800, 0xDFFF)]
            # If a class excludes more than ASCII, llama.cpp rejects tokens that end within a
            # character that may be in the class.
            is_short = len(plain) <= len(others) or not others or others[-1][1] >= 0x80
            written = f"[{'' if is_short else '^'}{_ranges_text(plain if is_short else others)}]"
            forms.insert(0, written)
        if not forms:
            raise UnsupportedPattern("an empty class")
        rule = forms[0] if len(forms) == 1 else f"({' | '.join(forms)})"
        if len(rule) <= MAX_INLINE_LENGTH:
            return rule
        name = f"one-{zlib.crc32(rule.encode()):08x}"
        self.rules[name] = f"{name} ::= {rule}"
        return name


_BEGINNINGS: Final = (_c.AT_BEGINNING, _c.AT_BEGINNING_STRING)
_ENDS: Final = (_c.AT_END, _c.AT_END_STRING)


def _holds_anchor(items: Any) -> bool:
    return any(
        op is _c.AT
        or (op is _c.SUBPATTERN and _holds_anchor(arg[3]))
        or (op is _c.BRANCH and any(_holds_anchor(branch) for branch in arg[1]))
        for op, arg in items
    )


def _n_repetitions(items: Any) -> int:
    """Return the most rules that llama.cpp makes of an item; nested repetitions multiply."""
    most = 1
    for op, arg in items:
        if op is _c.BRANCH:
            most = max(most, *map(_n_repetitions, arg[1]))
        elif op is _c.SUBPATTERN:
            most = max(most, _n_repetitions(arg[3]))
        elif op in (_c.MAX_REPEAT, _c.MIN_REPEAT):
            low, high, inside = arg
            times = low if high is _c.MAXREPEAT else high
            most = max(most, max(1, times) * _n_repetitions(inside))
    return most


def _quantifier(low: int, high: Any) -> str:
    is_open = high is _c.MAXREPEAT
    if is_open and low in (0, 1):
        return "+" if low else "*"
    return f"{{{low},{'' if is_open else high}}}"


def _ranges_text(ranges: Ranges) -> str:
    return "".join(
        _character(first) if first == last else f"{_character(first)}-{_character(last)}"
        for first, last in ranges
    )


def _merge(ranges: Ranges) -> Ranges:
    """Return the same characters in as few sorted ranges as possible."""
    merged: Ranges = []
    for first, last in sorted(ranges):
        if merged and first <= merged[-1][1] + 1:
            merged[-1] = merged[-1][0], max(last, merged[-1][1])
        else:
            merged.append((first, last))
    return merged


def _character(code: int) -> str:
    if code < 0x7F and chr(code).isalnum():
        return chr(code)
    if code <= 0xFF:
        return f"\\x{code:02X}"
    return f"\\u{code:04X}" if code <= 0xFFFF else f"\\U{code:08X}"


def _complement(ranges: Ranges) -> Ranges:
    return _subtract([(0, _MAX_CODE)], ranges)


def _subtract(ranges: Any, others: Any) -> Ranges:
    rest: Ranges = []
    cuts = _merge(others)
    for first, last in ranges:
        for low, high in cuts:
            if high < first:
                continue
            if low > last:
                break
            if first < low:
                rest.append((first, low - 1))
            first = high + 1
        if first <= last:
            rest.append((first, last))
    return rest
