"""Regular expressions as GBNF, for the text of a JSON string.

The grammar accepts no string that the pattern refuses. Where a pattern means different things in
Python and in JavaScript (``\\w``), it accepts the strings that match in both.
Characters that JSON must escape are left out of classes.
"""

from __future__ import annotations

import re
import warnings
from functools import lru_cache
from typing import Any, Final

try:
    from re import _constants as _c  # type: ignore[attr-defined]
    from re import _parser  # type: ignore[attr-defined]
except ImportError:  # Python 3.10 has them elsewhere, and later versions warn about that place.
    import sre_constants as _c
    import sre_parse as _parser

STRING_CHAR: Final = r'[^"\\\x00-\x1F\x7F]'
"""The characters that a JSON string holds unescaped."""

MAX_REPETITION: Final = 200
MAX_RULE_LENGTH: Final = 20_000

_MAX_CODE: Final = 0x10FFFF
# What JSON escapes, DEL, and surrogates, which are no characters.
_NOT_PLAIN: Final = ((0, 0x1F), (0x22, 0x22), (0x5C, 0x5C), (0x7F, 0x7F), (0xD800, 0xDFFF))
_ESCAPES: Final = {0x22: r'"\\\""', 0x5C: r'"\\\\"', 0x0A: r'"\\n"', 0x0D: r'"\\r"', 0x09: r'"\\t"'}

Ranges = list[tuple[int, int]]

_DIGIT: Final[Ranges] = [(0x30, 0x39)]
_WORD: Final[Ranges] = [(0x30, 0x39), (0x41, 0x5A), (0x5F, 0x5F), (0x61, 0x7A)]
_SPACE: Final[Ranges] = [(0x20, 0x20)]
# The complements leave out what another dialect may call a digit, a letter or a space.
_ASCII: Final[Ranges] = [(0x20, 0x7E)]


class UnsupportedPattern(Exception):  # noqa: N818 - it never leaves hpd
    """A regular expression that cannot be written as a grammar."""


@lru_cache(maxsize=1024)
def pattern_rule(pattern: str) -> str:
    """A GBNF expression for the inside of a JSON string in which ``pattern`` matches."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = _parser.parse(pattern)
    except (re.error, RecursionError, OverflowError) as error:
        raise UnsupportedPattern(str(error)) from error
    if tree.state.flags & ~re.UNICODE:
        raise UnsupportedPattern("flags")
    rule = _anchored(list(tree))
    if len(rule) > MAX_RULE_LENGTH:
        raise UnsupportedPattern("too long")
    return rule


def _anchored(items: list[Any]) -> str:
    """A whole pattern; anything may stand before or behind it where it is not anchored."""
    for edge in (0, -1):
        if items and _holds_anchor(items[edge : edge + 1 or None]):
            op, arg = items[edge]
            branches = arg[1] if op is _c.BRANCH else [arg[3]] if op is _c.SUBPATTERN else []
            if branches:
                before, after = (items[:-1], []) if edge else ([], items[1:])
                forms = [_anchored([*before, *branch, *after]) for branch in branches]
                return f"({' | '.join(forms)})"
    before_all = after_all = f"{STRING_CHAR}*"
    if items and items[0][0] is _c.AT and items[0][1] in (_c.AT_BEGINNING, _c.AT_BEGINNING_STRING):
        before_all, items = "", items[1:]
    if items and items[-1][0] is _c.AT and items[-1][1] in (_c.AT_END, _c.AT_END_STRING):
        after_all, items = "", items[:-1]
    return f"({' '.join(part for part in (before_all, _sequence(items), after_all) if part)})"


def _holds_anchor(items: Any) -> bool:
    return any(
        op is _c.AT
        or (op is _c.SUBPATTERN and _holds_anchor(arg[3]))
        or (op is _c.BRANCH and any(_holds_anchor(branch) for branch in arg[1]))
        for op, arg in items
    )


def _sequence(items: Any) -> str:
    return " ".join(_item(op, arg) for op, arg in items) or '""'


def _item(op: Any, arg: Any) -> str:
    if op is _c.LITERAL:
        return _character(arg)
    if op is _c.NOT_LITERAL:
        return _class(_complement([(arg, arg)]))
    if op is _c.ANY:
        return _class([(0, _MAX_CODE)])
    if op is _c.IN:
        return _set(arg)
    if op is _c.BRANCH:
        return f"({' | '.join(_sequence(branch) for branch in arg[1])})"
    if op is _c.SUBPATTERN:
        _, add_flags, del_flags, inside = arg
        if add_flags or del_flags:
            raise UnsupportedPattern("flags within the pattern")
        return f"({_sequence(inside)})"
    if op in (_c.MAX_REPEAT, _c.MIN_REPEAT):
        low, high, inside = arg
        if _n_repetitions([(op, arg)]) > MAX_REPETITION:
            raise UnsupportedPattern("many repetitions")
        return f"({_sequence(inside)}){_times(low, high)}"
    raise UnsupportedPattern(f"{str(op).lower()}")


def _n_repetitions(items: Any) -> int:
    """The most rules that llama.cpp makes of an item, as repetitions in each other multiply."""
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


def _times(low: int, high: Any) -> str:
    is_open = high is _c.MAXREPEAT
    if is_open and low in (0, 1):
        return "+" if low else "*"
    return f"{{{low},{'' if is_open else high}}}"


def _set(members: Any) -> str:
    ranges: Ranges = []
    is_negated = False
    for op, arg in members:
        if op is _c.NEGATE:
            is_negated = True
        elif op is _c.LITERAL:
            ranges.append((arg, arg))
        elif op is _c.RANGE:
            ranges.append(tuple(arg))
        elif op is _c.CATEGORY:
            ranges.extend(_category(arg, is_negated=is_negated))
        else:
            raise UnsupportedPattern(str(op))
    return _class(_complement(ranges) if is_negated else ranges)


def _category(category: Any, *, is_negated: bool) -> Ranges:
    """The characters of a class such as ``\\d``, or, negated, those of any dialect's class."""
    plain = {
        _c.CATEGORY_DIGIT: _DIGIT,
        _c.CATEGORY_WORD: _WORD,
        _c.CATEGORY_SPACE: _SPACE,
    }
    opposite = {
        _c.CATEGORY_NOT_DIGIT: _DIGIT,
        _c.CATEGORY_NOT_WORD: _WORD,
        _c.CATEGORY_NOT_SPACE: _SPACE,
    }
    beyond_ascii: Ranges = [(0x80, _MAX_CODE)]
    if category in plain:
        return plain[category] + (beyond_ascii if is_negated else [])
    if category in opposite:
        rest = _complement(opposite[category])
        return rest if is_negated else _intersect(rest, _ASCII)
    raise UnsupportedPattern(str(category))


def _character(code: int) -> str:
    if code in _ESCAPES:
        return _ESCAPES[code]
    if _subtract([(code, code)], _NOT_PLAIN):
        return f"[{_code(code)}]"
    raise UnsupportedPattern(f"the character {code:#x}")


def _class(ranges: Ranges) -> str:
    plain = _subtract(ranges, _NOT_PLAIN)
    if not plain:
        # All that is left are characters that JSON escapes, so each stands as its escape.
        escapes = [
            text
            for code, text in _ESCAPES.items()
            if any(first <= code <= last for first, last in ranges)
        ]
        if not escapes:
            raise UnsupportedPattern("an empty class")
        return f"({' | '.join(escapes)})"
    inside = "".join(
        _code(first) if first == last else f"{_code(first)}-{_code(last)}" for first, last in plain
    )
    return f"[{inside}]"


def _code(code: int) -> str:
    if code < 0x7F and chr(code).isalnum():
        return chr(code)
    if code <= 0xFF:
        return f"\\x{code:02X}"
    return f"\\u{code:04X}" if code <= 0xFFFF else f"\\U{code:08X}"


def _complement(ranges: Ranges) -> Ranges:
    return _subtract([(0, _MAX_CODE)], ranges)


def _intersect(ranges: Ranges, others: Ranges) -> Ranges:
    return _subtract(ranges, _complement(others))


def _subtract(ranges: Any, others: Any) -> Ranges:
    rest = sorted(ranges)
    for low, high in sorted(others):
        cut: Ranges = []
        for first, last in rest:
            if high < first or low > last:
                cut.append((first, last))
                continue
            if first < low:
                cut.append((first, low - 1))
            if last > high:
                cut.append((high + 1, last))
        rest = cut
    return rest
