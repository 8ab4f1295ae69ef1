"""The formats and the patterns of strings; date and date-time are no formats here but types."""

from __future__ import annotations

import datetime
import ipaddress
import re
import warnings
from collections.abc import Callable
from functools import lru_cache
from typing import Any, Final

_DATE = re.compile(r"(\d{4})-(\d{2})-(\d{2})", re.ASCII)
_TIME = re.compile(
    r"([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d)(?:\.\d{1,9})?)?(Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)?",
    re.ASCII,
)
_EMAIL = re.compile(r"[^\s@<>()\[\],;:\"]{1,64}@[\w-]+(?:\.[\w-]+)+")
_HOSTNAME = re.compile(r"(?!-)[\w-]{1,63}(?<!-)(?:\.(?!-)[\w-]{1,63}(?<!-))*", re.ASCII)
_URI = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:[^\s<>\"{}|\\^`]+")
_UUID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_DURATION = re.compile(
    r"[+-]?P(?=.)(?:\d+W|(?:\d+Y)?(?:\d+M)?(?:\d+D)?(?:T(?=.)(?:\d+H)?(?:\d+M)?(?:\d+(?:\.\d+)?S)?)?)",
    re.ASCII,
)


def is_date(text: str) -> bool:
    """Whether a text is a day that exists, as YYYY-MM-DD."""
    match = _DATE.fullmatch(text)
    if match is None:
        return False
    try:
        datetime.date(*map(int, match.groups()))
    except ValueError:
        return False
    return True


def is_time(text: str) -> bool:
    """Whether a text is a time of day, hh:mm:ss, with or without a fraction and a time zone."""
    match = _TIME.fullmatch(text)
    return match is not None and match.group(3) is not None


def is_date_time(text: str) -> bool:
    """Whether a text is a date, a T, and a time."""
    date, separator, time = text.partition("T")
    return separator == "T" and is_date(date) and is_time(time)


def _is_ip(kind: Callable[[str], object]) -> Callable[[str], bool]:
    def check(text: str) -> bool:
        try:
            kind(text)
        except ValueError:
            return False
        return True

    return check


def _matches(pattern: re.Pattern[str]) -> Callable[[str], bool]:
    return lambda text: pattern.fullmatch(text) is not None


CHECKED_FORMATS: Final[dict[str, Callable[[str], bool]]] = {
    "time": is_time,
    "duration": _matches(_DURATION),
    "email": _matches(_EMAIL),
    "hostname": _matches(_HOSTNAME),
    "ipv4": _is_ip(ipaddress.IPv4Address),
    "ipv6": _is_ip(ipaddress.IPv6Address),
    "uri": _matches(_URI),
    "url": _matches(_URI),
    "uuid": _matches(_UUID),
}


PATTERN_SECONDS: Final = 1.0
"""The time that a pattern may take on one value; all but those that explode take microseconds."""


def check_pattern(pattern: object) -> None:
    """Refuse what is not a regular expression.

    Raises:
        ValueError: with the reason.
    """
    if not isinstance(pattern, str):
        raise ValueError("it is not text")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            _compiled(pattern)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    except (re.error, OverflowError, MemoryError) as error:
        raise ValueError(str(error) or "it is too large") from None
    except Exception as error:  # whatever the other engine raises
        raise ValueError(str(error)) from None


def matches(pattern: str, text: str) -> bool:
    """Whether a pattern matches anywhere in a text.

    Raises:
        TimeoutError: that is not known after ``PATTERN_SECONDS``.
    """
    return _compiled(pattern).search(text, timeout=PATTERN_SECONDS) is not None


@lru_cache(maxsize=1024)
def _compiled(pattern: str) -> Any:
    import regex

    with warnings.catch_warnings():
        # About signs that the other engine may once read differently.
        warnings.simplefilter("ignore")
        return regex.compile(pattern)
