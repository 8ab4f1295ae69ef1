"""Ranges of numbers as GBNF: the texts of all integers or decimals between two bounds."""

from __future__ import annotations

from decimal import ROUND_FLOOR, Decimal
from typing import Final

N_DIGITS: Final = 16
"""The most digits before the decimal point, as many as llama_cpp's converter allows."""
LIMIT: Final = 10**N_DIGITS - 1
N_FRACTION: Final = 9
"""The most digits behind the decimal point."""


def integers(low: int | None, high: int | None) -> str | None:
    """The texts of all integers from ``low`` to ``high``; None if there are none."""
    low = -LIMIT if low is None else max(low, -LIMIT)
    high = LIMIT if high is None else min(high, LIMIT)
    forms = []
    if low < 0:
        forms += [f'"-" {form}' for form in _naturals(max(1, -high), -low)]
    if high >= 0:
        forms += _naturals(max(0, low), high)
    return " | ".join(forms) or None


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


def _naturals(low: int, high: int) -> list[str]:
    """An expression for each stretch of numbers that differ in their last digits only."""
    forms = []
    while low <= high:
        # Where no bound is near, all numbers of several lengths are one expression.
        length = len(str(low))
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
    last = LIMIT + 1 if high is None else int(high)
    if high is not None and first == last:
        tail = _between(above, _fraction(high)[:n_fraction], n_fraction)
        return [f'"{first}" {tail}'.rstrip()] if tail is not None else []
    forms = [f'"{first}" {_at_least(above, n_fraction)}'.rstrip()]
    middle = _naturals(first + 1, last - 1)
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
