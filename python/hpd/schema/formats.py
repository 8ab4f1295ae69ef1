"""The formats of strings that hpd checks; date and date-time are not among them but types."""

from __future__ import annotations

import datetime
import ipaddress
import re
from collections.abc import Callable
from typing import Final

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
