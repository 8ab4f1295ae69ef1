"""Strings, numbers and choices in JSON Schema, with their limits, formats and patterns."""

from __future__ import annotations

import datetime
import math
import re
import warnings
from dataclasses import replace
from functools import lru_cache
from typing import Any, Final

from hpd.schema.attributes import Attribute, Type
from hpd.schema.checks import fail, warn
from hpd.schema.references import NUMBER_FORMATS
from hpd.schema.targets import Node

_DATE = re.compile(r"(\d{4})-(\d{2})-(\d{2})", re.ASCII)
_OCTET = "(?:25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])"
_IPV4 = rf"{_OCTET}(?:\.{_OCTET}){{3}}"
_GROUP = "[0-9a-fA-F]{1,4}"
_LABEL = "[A-Za-z0-9_](?:[A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?"
_SECONDS = r"[0-9]{1,9}(?:\.[0-9]{1,9})?S"
_MINUTES = f"(?:[0-9]{{1,9}}M(?:{_SECONDS})?|{_SECONDS})"
_HOURS = f"T(?:[0-9]{{1,9}}H{_MINUTES}?|{_MINUTES})"
_DAYS = "(?:[0-9]{1,9}Y(?:[0-9]{1,9}M)?(?:[0-9]{1,9}D)?|[0-9]{1,9}M(?:[0-9]{1,9}D)?|[0-9]{1,9}D)"
_URI = r"[A-Za-z][A-Za-z0-9+.-]*:[^\s<>\"{}|\\^`]+"

_FORMATS: Final = {
    "time": r"(?:[01][0-9]|2[0-3])(?::[0-5][0-9]){2}(?:\.[0-9]{1,9})?"
    r"(?:Z|[+-](?:[01][0-9]|2[0-3]):[0-5][0-9])?",
    "duration": f"[+-]?P(?:[0-9]{{1,9}}W|{_DAYS}(?:{_HOURS})?|{_HOURS})",
    "email": r"[^\s@<>()\[\],;:\"]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63})+",
    "hostname": rf"{_LABEL}(?:\.{_LABEL})*",
    "ipv4": _IPV4,
    "ipv6": "|".join(
        [
            f"(?:{_GROUP}:){{7}}{_GROUP}",
            f"(?:{_GROUP}:){{1,7}}:",
            *[f"(?:{_GROUP}:){{1,{7 - n}}}(?::{_GROUP}){{1,{n}}}" for n in range(1, 7)],
            f":(?::{_GROUP}){{1,7}}|::",
            f"(?:(?:{_GROUP}:){{6}}|(?:{_GROUP}:){{1,5}}:|::(?:{_GROUP}:){{0,5}}){_IPV4}",
            *[f"(?:{_GROUP}:){{1,{5 - n}}}(?::{_GROUP}){{1,{n}}}:{_IPV4}" for n in range(1, 5)],
        ]
    ),
    "uri": _URI,
    "url": _URI,
    "uuid": r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}",
}
STRING_FORMATS: Final = {name: re.compile(pattern) for name, pattern in _FORMATS.items()}
"""Formats of texts, each with a pattern for the whole text."""

_DATE_FORM = re.compile(r"\b(?:YYYY-MM-DD|JJJJ-MM-TT|AAAA-MM-(?:DD|JJ))\b", re.IGNORECASE)
_OR = r"\b(?:or|oder|ou|o)\b"
_QUOTE = "['\"`\u2018\u2019\u201c\u201d]"
_ANOTHER_FORM_BEFORE = re.compile(rf"{_QUOTE}\s*{_OR}|{_OR}\s*{_QUOTE}", re.IGNORECASE)
_ANOTHER_FORM_AFTER = re.compile(
    rf"{_OR}(?! (?:null|empty|blank|none)\b)|\b(?:else|otherwise|unless|sonst|sinon|hh|time)\b"
    rf"|[YJA]{{4}}-|\d\d:\d\d|(?<!\w){_QUOTE}(?!\d{{4}}-\d\d-\d\d\b)",
    re.IGNORECASE,
)


def is_date(text: str) -> bool:
    """Return whether a text is an existing day, as YYYY-MM-DD."""
    match = _DATE.fullmatch(text)
    if match is None:
        return False
    try:
        datetime.date(*map(int, match.groups()))
    except ValueError:
        return False
    return True


def is_time(text: str) -> bool:
    """Return whether a text is a time hh:mm:ss, with an optional fraction and time zone."""
    return STRING_FORMATS["time"].fullmatch(text) is not None


def is_date_time(text: str) -> bool:
    """Return whether a text is a date, a T, and a time."""
    date, separator, time = text.partition("T")
    return separator == "T" and is_date(date) and is_time(time)


def lacks_timezone(value: str | None) -> bool:
    """Return whether a date and time has no time zone."""
    return value is not None and value[-1] != "Z" and value[-6] not in "+-"


PATTERN_SECONDS: Final = 1.0
"""Time limit for a pattern on one value; only catastrophic backtracking takes so long."""


def check_pattern(pattern: object) -> None:
    """Raise ``ValueError`` if a pattern is not a regular expression."""
    if not isinstance(pattern, str):
        raise ValueError("it is not text")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            _compile(pattern)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    except (re.error, OverflowError, MemoryError) as error:
        raise ValueError(str(error) or "it is too large") from None
    except Exception as error:  # anything else that ``regex`` raises
        raise ValueError(str(error)) from None


def matches(pattern: str, text: str) -> bool:
    """Return whether a pattern matches anywhere in a text.

    Raises:
        TimeoutError: it takes longer than ``PATTERN_SECONDS``.
    """
    return _compile(pattern).search(text, timeout=PATTERN_SECONDS) is not None


@lru_cache(maxsize=1024)
def _compile(pattern: str) -> Any:
    import regex

    with warnings.catch_warnings():
        # ``regex`` warns of syntax that it may read differently in future.
        warnings.simplefilter("ignore")
        return regex.compile(pattern)


def is_limited(attribute: Attribute) -> bool:
    """Return whether a string has limits."""
    limits = (attribute.pattern, attribute.format, attribute.min_length, attribute.max_length)
    return any(limit is not None for limit in limits)


def read_enum(common: Attribute, node: Node, types: list[str], where: str) -> Attribute:
    """Read an ``enum`` or ``const`` of scalar values."""
    values = node["enum"] if "enum" in node else [node["const"]]
    if not isinstance(values, list) or not values:
        raise fail(f"{where}.enum", "a list with at least one value is expected")
    if "enum" in node and "const" in node:
        values = [value for value in values if contains([node["const"]], value)]
    nullable = None in values and ("type" not in node or common.nullable)
    choices: dict[tuple[bool, object], str | int | float | bool] = {}  # true is not 1
    for value in values:
        if value is None:
            continue
        if not any(_has_type(value, kind) for kind in types):
            warn(f"{where}.enum", f"{value!r} is not of the type {' or '.join(types)}: left out")
            continue
        choices.setdefault((isinstance(value, bool), value), value)
    if not choices:
        if not nullable:
            warn(where, "no value is allowed here")
        return replace(common, type="enum", is_constant=True, nullable=nullable)
    return replace(common, type="enum", choices=tuple(choices.values()), nullable=nullable)


def contains(values: list[Any], value: object) -> bool:
    """Return whether a value is among others by JSON's comparison: true is not 1."""
    return any(
        value == other and isinstance(value, bool) == isinstance(other, bool) for other in values
    )


def _has_type(value: str | int | float | bool, kind: str) -> bool:
    if isinstance(value, bool):
        return kind == "boolean"
    if isinstance(value, str):
        return kind == "string"
    return kind == "number" or (kind == "integer" and value == int(value))


def read_string(common: Attribute, node: Node, where: str) -> Attribute:
    """Read a text or a date."""
    pattern = node.get("pattern")
    if pattern is not None:
        try:
            check_pattern(pattern)
        except ValueError as error:
            raise fail(
                f"{where}.pattern",
                f"{pattern!r} is not a regular expression that Python reads ({error})",
            ) from None
    attribute = replace(
        common,
        pattern=pattern,
        min_length=count_of(node, "minLength", where),
        max_length=count_of(node, "maxLength", where),
    )
    kind = text_of(node, "format", where) or None
    if kind in ("date", "date-time"):
        if is_limited(attribute):
            warn(where, f"pattern, minLength and maxLength beside the format {kind} are ignored")
        date_type: Type = "date" if kind == "date" else "date-time"
        return replace(common, type=date_type)
    if kind is not None and kind not in STRING_FORMATS:
        warn(f"{where}.format", f"the format {kind!r} is not known here: values are not checked")
        kind = None
    return typed_by_description(replace(attribute, format=kind))


def typed_by_description(attribute: Attribute) -> Attribute:
    """Return a text attribute without limits as a date if its description says ``YYYY-MM-DD``.

    Many schemas state the form of a date only there. A description that allows another form, such
    as ``YYYY-MM-DD or 'present'``, leaves the attribute as it is.
    """
    if attribute.type != "string" or is_limited(attribute):
        return attribute
    before, *after = _DATE_FORM.split(attribute.description)
    has_one_form = len(after) == 1 and not (
        _ANOTHER_FORM_BEFORE.search(before) or _ANOTHER_FORM_AFTER.search(after[0])
    )
    return replace(attribute, type="date") if has_one_form else attribute


def read_number(attribute: Attribute, node: Node, where: str) -> Attribute:
    """Read the limits of a number."""
    minimum = limit_of(node, "minimum", where)
    maximum = limit_of(node, "maximum", where)
    above, below = node.get("exclusiveMinimum"), node.get("exclusiveMaximum")
    # In draft 4 these two are booleans, which make minimum and maximum exclusive.
    if isinstance(above, bool):
        exclusive_minimum, minimum = (minimum, None) if above else (None, minimum)
    else:
        exclusive_minimum = limit_of(node, "exclusiveMinimum", where)
    if isinstance(below, bool):
        exclusive_maximum, maximum = (maximum, None) if below else (None, maximum)
    else:
        exclusive_maximum = limit_of(node, "exclusiveMaximum", where)
    multiple_of = limit_of(node, "multipleOf", where)
    if multiple_of is not None and multiple_of <= 0:
        raise fail(f"{where}.multipleOf", f"a number above 0 is expected, not {multiple_of}")
    kind = text_of(node, "format", where) or None
    if kind is not None and kind not in NUMBER_FORMATS:
        warn(f"{where}.format", f"the format {kind!r} has no effect on a number: ignored")
    return replace(
        attribute,
        minimum=minimum,
        maximum=maximum,
        exclusive_minimum=exclusive_minimum,
        exclusive_maximum=exclusive_maximum,
        multiple_of=multiple_of,
        format="decimal" if kind == "decimal" else None,
    )


def text_of(node: Node, keyword: str, where: str) -> str:
    """Return the text of a keyword on one line, empty if it is missing."""
    text = node.get(keyword, "")
    if not isinstance(text, str):
        raise fail(f"{where}.{keyword}", f"text is expected, not {text!r}")
    return " ".join(text.split())


def examples_of(node: Node) -> tuple[str, ...]:
    """Return the examples that are text or numbers."""
    examples = node.get("examples", [])
    if not isinstance(examples, list):
        examples = [examples]
    return tuple(
        text if isinstance(text, str) else repr(text)
        for text in examples
        if isinstance(text, str | int | float) and not isinstance(text, bool)
    )


def names_of(names: object, where: str) -> tuple[str, ...]:
    """Read a list of names, or one name."""
    if isinstance(names, str):
        return (names,)
    if not isinstance(names, list | tuple) or not all(isinstance(name, str) for name in names):
        raise fail(where, f"a list of names is expected, not {names!r}")
    return tuple(dict.fromkeys(names))


def limit_of(node: Node, keyword: str, where: str) -> float | None:
    """Return the number of a keyword, or None."""
    number = node.get(keyword)
    if number is None:
        return None
    if isinstance(number, int) and not isinstance(number, bool):
        return number
    if isinstance(number, float) and math.isfinite(number):
        return number
    raise fail(f"{where}.{keyword}", f"a number is expected, not {number!r}")


def count_of(node: Node, keyword: str, where: str) -> int | None:
    """Return the integer of a keyword, or None."""
    number = limit_of(node, keyword, where)
    if number is None:
        return None
    if number < 0 or number != int(number):
        raise fail(f"{where}.{keyword}", f"a whole number from 0 is expected, not {number!r}")
    return int(number)


def bool_of(node: Node, keyword: str, where: str) -> bool:
    """Return whether a keyword is true."""
    flag = node.get(keyword, False)
    if not isinstance(flag, bool):
        raise fail(f"{where}.{keyword}", f"true or false is expected, not {flag!r}")
    return flag
