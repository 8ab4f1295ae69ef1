"""Parses the raw text of a field into a value of its attribute's type."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable
from datetime import date, datetime, time
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from typing import Any

from hpd.prompt.tokens import GERSHAYIM
from hpd.results import NULL_TEXT, FieldValue
from hpd.schema.attributes import Attribute
from hpd.schema.scalars import STRING_FORMATS, is_date, is_date_time, matches
from hpd.surrogates import is_unicode
from hpd.values.numbers import (
    MAX_DIGITS,
    iso_time,
    readings,
    restore_date,
    restore_decimals,
    restore_fraction,
    restore_sign,
    restore_thousands,
)

MAX_NESTING = 64
"""Maximum nesting of brackets; deeper JSON is not read."""

MISSING_PREFIX = "required, but"
"""Prefix of the error of a required value that is null."""

INCOMPLETE = "it breaks off before the value is complete"
"""The error of a truncated value other than free text."""

_BRACED = re.compile(r"\{[^{}]+\}")
_INTEGER = re.compile(r"[+-]?\d{1,400}", re.ASCII)
_DECIMAL = re.compile(
    r"[+-]?(?:\d{1,400}(?:\.\d{1,400})?|\.\d{1,400})(?:[eE][+-]?\d{1,3})?", re.ASCII
)
_MONEY = r"(?:[$€£¥₹₽₩₺₪฿₫]|[A-Z]{3})?"
_AMOUNT = re.compile(
    rf"{_MONEY}\s?(?P<sign>[+\u2212-]?){_MONEY}\s?(?P<amount>\d[\d.,'\u2019\s]*){_MONEY}"
)
_STRING_START = re.compile(r'"((?:[^"\\]|\\.)*)', re.DOTALL)
_HALF_ESCAPE = re.compile(r"(?<!\\)\\u[0-9a-fA-F]{0,3}$")
_ESCAPED = re.compile(r'\\(["\\])')
_NUMERAL = re.compile(r"-?\d[\d.eE+-]*", re.ASCII)
_ZEROS_BEFORE = re.compile(r"(-?)0+(?=\d)", re.ASCII)
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
_HALF_CHARACTER = re.compile("[\ufffd\ud800-\udbff]+$")
_NUMBER_AT_END = re.compile(r"\s*-?\d[\d.eE+-]*", re.ASCII)
_LOOSE_DATE = re.compile(r"(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})", re.ASCII)
_LOOSE_DATE_TIME = re.compile(
    r"(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2})(:\d{2}(?:\.\d+)?)?\s?(Z|[+-]\d{2}:\d{2})?", re.ASCII
)
_DAY_BEFORE_TIME = re.compile(r"\s*(\d{4}-\d{2}-\d{2})[T ]", re.ASCII)
_FRACTION = re.compile(r"\.\d+", re.ASCII)
_MINUS = "\u2212"
_BOOLEANS = {"true": True, "yes": True, "false": False, "no": False}


def is_missing(error: str | None) -> bool:
    """Return whether the only error is that a required value was rejected, and so is absent."""
    return error is not None and error.startswith(MISSING_PREFIX)


def parse_value(raw: str, attribute: Attribute, document: str = "") -> FieldValue:
    """Parse the raw text of a scalar field: `` "Nike"``, `` 12,``, `` null``.

    Anything after the first complete JSON value is ignored, as a number is followed by its
    delimiter.
    A value of another type is converted if its meaning is clear (``"3"`` for an integer). Null is
    not an error here (see ``assemble``). Never raises an exception.

    Args:
        raw: the model's text.
        attribute: the attribute.
        document: the document, to distinguish backslashes of a path from escapes, decimals from
            thousands, and afternoons from mornings.
    """
    text = raw.strip()
    try:
        value = _read_json(text, attribute, document)
    except RecursionError:
        return FieldValue(error="it is nested too deeply")
    except ValueError as error:
        return FieldValue(error=_json_error(text, str(error)))
    is_blank = isinstance(value, str) and not value.strip()
    if value is None or (is_blank and "" not in attribute.choices):
        return FieldValue()
    is_text = attribute.type == "string" and isinstance(value, str)
    if is_text and _BRACED.fullmatch(value) and value[1:-1] in document and value not in document:
        value = value[1:-1]  # The model took the text for an object.
    if is_text and NULL_TEXT.fullmatch(value) and not _contains_text(document, value):
        return FieldValue()
    if isinstance(value, str):
        value = _complete_time(value, attribute, document)
        if attribute.type == "date" and _DAY.fullmatch(value) and not is_date(value):
            value = restore_date(value, document)
    return check_value(value, attribute)


def _complete_time(text: str, attribute: Attribute, document: str) -> str:
    """Return a time, or a date and time, with the hour of 24 that the document means."""
    if attribute.type == "union":
        forms = (_complete_time(text, each, document) for each in attribute.attributes)
        return next((form for form in forms if form != text), text)
    if attribute.type == "string" and attribute.format == "time":
        return iso_time(text, document)
    day = _DAY_BEFORE_TIME.match(text) if attribute.type == "date-time" else None
    return text if day is None else f"{day[1]}T{iso_time(text[day.end() :], document)}"


def _contains_text(document: str, text: str) -> bool:
    """Return whether a document contains a text, in any case; true if the document is unknown."""
    return not document or text.casefold() in document.casefold()


def _read_json(text: str, attribute: Attribute, document: str) -> Any:
    """Return the JSON value at the start of a text, or what the model means by invalid JSON."""
    written = _STRING_START.match(text)
    if written and text[written.end() :][:1] == '"':
        return _unescape(written[1], document)
    zeros, numeral = _ZEROS_BEFORE.match(text), _NUMERAL.match(text)
    if zeros and numeral:
        # JSON does not allow leading zeros; a string keeps them, as it may be a code.
        if attribute.type == "string":
            return numeral.group()
        text = zeros[1] + text[zeros.end() :]
    elif numeral and attribute.type in ("integer", "number"):
        number = numeral.group()
        meant = restore_thousands(number, document)
        if meant is None and attribute.type == "number":
            meant = restore_decimals(number, document) or restore_fraction(number, document)
        number = meant or number
        if may_be_negative(attribute):
            number = restore_sign(number, document) or number
        text = number + text[numeral.end() :]
    value, _ = _DECODER.raw_decode(text)
    return value


def may_be_negative(attribute: Attribute) -> bool:
    """Return whether no limit of a number forbids negative ones."""
    lower = (attribute.minimum, attribute.exclusive_minimum)
    return all(limit is None or limit < 0 for limit in lower)


def _unescape(written: str, document: str) -> str:
    """Return the text of a JSON string, as the model means it.

    Models copy the backslashes of paths: ``C:\\new`` is a path, not two lines, if the document
    contains it. In a string with an invalid escape, no backslash is an escape. Gershayim that the
    document does not have are the quotation marks that the prompt shows as such.
    """
    if document and GERSHAYIM not in document:
        written = written.replace(GERSHAYIM, r"\"")
    if "\\" not in written:
        return written
    bare = _ESCAPED.sub(lambda match: match[1] if match[1] == '"' else match[0], written)
    once = _ESCAPED.sub(r"\1", written)
    try:
        forms = [str(_DECODER.decode(f'"{written}"')), bare, once]
    except ValueError:
        forms = [bare, once]
    return next((form for form in forms if form.strip(" ") in document), forms[0])


def parse_forced(raw: str, attribute: Attribute, document: str = "") -> FieldValue:
    """Parse the raw text of a value that must exist.

    A number outside its limits becomes the closest one within them, with the reason; a truncated
    text is accepted if it obeys the schema.
    """
    parsed = parse_value(raw, attribute, document)
    if parsed.error is None:
        return parsed
    if attribute.type in ("integer", "number"):
        numeral = _NUMERAL.match(raw.strip())
        nearest = None if numeral is None else _nearest_valid(Fraction(numeral.group()), attribute)
        return parsed if nearest is None else FieldValue(value=nearest, reason=parsed.error)
    beginning = _partial_text(raw, document) if attribute.type == "string" else None
    cut = check_value(beginning, attribute) if beginning else parsed
    return parsed if cut.error else cut


def _nearest_valid(number: Fraction, attribute: Attribute) -> int | float | None:
    lower = (attribute.minimum, attribute.exclusive_minimum)
    upper = (attribute.maximum, attribute.exclusive_maximum)
    low = [Fraction(str(limit)) for limit in lower if limit is not None]
    high = [Fraction(str(limit)) for limit in upper if limit is not None]
    if attribute.multiple_of is not None:
        step = Fraction(str(attribute.multiple_of))
    elif attribute.type == "number" and low and high:
        step = (min(high) - max(low)) / 2 or Fraction(1)
    else:
        step = Fraction(1)
    exact = min([max([number, *low]), *high])
    first = round(exact / step)
    for n in sorted(range(first - 9, first + 10), key=lambda n: abs(n * step - exact)):
        other = n * step
        found = int(other) if other.denominator == 1 else float(other)
        if check_value(found, attribute).error is None:
            return found
    return None


def parse_truncated(raw: str, attribute: Attribute, document: str = "") -> FieldValue:
    """Parse the raw text of a truncated value; free text is cut short, not rejected."""
    if _NUMBER_AT_END.fullmatch(raw):
        return FieldValue(error=INCOMPLETE)  # It may have lost its last digits.
    parsed = parse_value(raw, attribute, document)
    is_free = attribute.type == "string" and not (attribute.pattern or attribute.format)
    beginning = _partial_text(raw, document) if parsed.error is not None and is_free else None
    return check_value(beginning, attribute) if beginning else parsed


def _partial_text(raw: str, document: str) -> str | None:
    """Return the beginning of a truncated text."""
    beginning = _STRING_START.match(raw.strip())
    if beginning is None:
        return None
    # The last character may be incomplete.
    written = _HALF_ESCAPE.sub("", beginning[1])
    return _HALF_CHARACTER.sub("", _unescape(written, document)).strip()


def check_value(value: Any, attribute: Attribute) -> FieldValue:
    """Convert a value read from JSON to a scalar attribute's type, and check its limits."""
    match attribute.type:
        case "string":
            return _check_string(value, attribute)
        case "integer" | "number":
            return _check_number(value, attribute)
        case "boolean":
            return _check_boolean(value)
        case "enum":
            return _check_choice(value, attribute)
        case "date":
            return _check_date(value)
        case "date-time":
            return _check_date_time(value)
        case "union" if attribute.is_scalar:
            return _union_value(value, attribute)
    return FieldValue(error=f"a single value is expected, not {type_in_words(value)}")


def _union_value(value: Any, attribute: Attribute) -> FieldValue:
    """Convert a value to the first variant that accepts it; variants of its own type come first."""
    alike = [variant for variant in attribute.attributes if _has_type_of(value, variant)]
    others = [variant for variant in attribute.attributes if variant not in alike]
    found = [check_value(value, variant) for variant in (*alike, *others)]
    return next((parsed for parsed in found if parsed.error is None), found[0])


def _has_type_of(value: Any, attribute: Attribute) -> bool:
    if isinstance(value, bool):
        kinds: tuple[str, ...] = ("boolean", "enum")
    elif isinstance(value, int | float):
        kinds = ("integer", "number", "enum")
    else:
        kinds = ("string", "date", "date-time", "enum")
    return attribute.type in kinds


def joint_probability(log_probabilities: Iterable[float]) -> float | None:
    """Return a value's probability from its tokens' log probabilities; None without tokens."""
    total = 0.0
    n_tokens = 0
    for log_probability in log_probabilities:
        total += log_probability
        n_tokens += 1
    if n_tokens == 0 or math.isnan(total):
        return None
    return math.exp(min(total, 0.0))


def typed_value(value: Any, attribute: Attribute) -> Any:
    """Convert an extraction's value to Python's own type: date, datetime, time or Decimal.

    Lists and objects are converted recursively. Values of other types are unchanged, as are those
    that Python's type cannot represent, such as a time with a leap second.

    Args:
        value: a value of ``data``, in JSON's types.
        attribute: its attribute, possibly an array or object.
    """
    if attribute.type == "array" and attribute.item is not None and isinstance(value, list):
        return [typed_value(item, attribute.item) for item in value]
    if attribute.type == "object" and isinstance(value, dict):
        parts = {part.name: part for part in attribute.attributes}
        return {
            name: typed_value(part, parts[name]) if name in parts else part
            for name, part in value.items()
        }
    make = python_type(attribute)
    if value is None or make is None:
        return value
    try:
        if make is Decimal:
            return Decimal(str(value))
        # Python before 3.11 reads neither Z nor fractions of lengths other than 3 and 6.
        text = _FRACTION.sub(lambda match: match.group().ljust(7, "0")[:7], str(value))
        return make.fromisoformat(text.replace("Z", "+00:00"))
    except (ValueError, ArithmeticError):
        return value


def python_type(attribute: Attribute) -> Any:
    """Return the class to which ``typed_value`` converts an attribute's values, or None."""
    if attribute.type == "date":
        return date
    if attribute.type == "date-time":
        return datetime
    return {"time": time, "decimal": Decimal}.get(attribute.format or "")


def _reject_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


def _parse_integer(text: str) -> int:
    if len(text) > 400:
        raise ValueError("a number with hundreds of digits")
    return int(text)


class _ExactFloat(float):
    """A number with its original digits."""

    __slots__ = ("text",)
    text: str

    def __new__(cls, text: str) -> _ExactFloat:
        number = super().__new__(cls, text)
        number.text = text
        return number


# strict=False: a line break inside a string is invalid JSON, but its meaning is clear.
_DECODER = json.JSONDecoder(
    strict=False, parse_constant=_reject_constant, parse_int=_parse_integer, parse_float=_ExactFloat
)


def _json_error(text: str, message: str) -> str:
    if not text:
        return "there is no text"
    literals = ("null", "true", "false")
    if message.startswith(("Unterminated string", "Invalid \\u", "Expecting ',' delimiter")):
        return INCOMPLETE
    if text in ("-", "{", "[") or any(word.startswith(text) for word in literals):
        return INCOMPLETE
    return "it is not valid JSON"


def type_in_words(value: Any) -> str:
    """Return what a value read from JSON is, in words."""
    if isinstance(value, bool):
        return "true or false"
    names = {str: "text", int: "a number", float: "a number", list: "a list", dict: "an object"}
    return names.get(type(value), "null")


def _check_string(value: Any, attribute: Attribute) -> FieldValue:
    if isinstance(value, bool | int | float):
        value = value.text if isinstance(value, _ExactFloat) else json.dumps(value)
    if not isinstance(value, str):
        return FieldValue(error=f"text is expected, not {type_in_words(value)}")
    if not is_unicode(value):
        return FieldValue(error="it is not valid Unicode text")
    if attribute.pattern is None:
        # Models write the blank of a word's token after the quotation mark.
        value = value.strip()
    if attribute.min_length is not None and len(value) < attribute.min_length:
        return FieldValue(error=f"shorter than {attribute.min_length} characters")
    if attribute.max_length is not None and len(value) > attribute.max_length:
        return FieldValue(error=f"longer than {attribute.max_length} characters")
    if attribute.pattern is not None:
        try:
            if not matches(attribute.pattern, value):
                return FieldValue(error=f"it does not match the pattern {attribute.pattern}")
        except TimeoutError:
            return FieldValue(error=f"the pattern {attribute.pattern} takes too long to try on it")
    if attribute.format is not None:
        form = STRING_FORMATS.get(attribute.format)
        if form is not None and form.fullmatch(value) is None:
            return FieldValue(error=f"it is not of the format {attribute.format}")
    return FieldValue(value=value)


def _check_number(value: Any, attribute: Attribute) -> FieldValue:
    if isinstance(value, str):
        value = _number_in_text(value.strip(), attribute.type)
    if isinstance(value, bool) or not isinstance(value, int | float):
        kind = "a whole number" if attribute.type == "integer" else "a number"
        return FieldValue(error=f"{kind} is expected")
    if isinstance(value, float) and not math.isfinite(value):
        return FieldValue(error="the number is too large")
    if isinstance(value, float):
        try:
            exact = Decimal(value.text if isinstance(value, _ExactFloat) else repr(value))
        except InvalidOperation:  # an exponent of dozens of digits
            return FieldValue(error="it has more digits than a number can hold")
        if attribute.type == "integer":
            if exact != exact.to_integral_value():
                return FieldValue(error="a whole number is expected")
            value = int(exact)
        elif exact != Decimal(repr(float(value))):
            return FieldValue(error="it has more digits than a number can hold")
        else:
            value = float(value)
    error = _limit_error(value, attribute)
    return FieldValue(error=error) if error else FieldValue(value=value)


def _number_in_text(text: str, kind: str) -> int | float | None:
    """Return the unambiguous number in a text such as ``1.249,90 EUR``; None for ``1,299``."""
    if _INTEGER.fullmatch(text):
        return int(text)
    if _DECIMAL.fullmatch(text):
        return _ExactFloat(text)
    amount = _AMOUNT.fullmatch(text)
    meant = readings(amount["amount"]) if amount and len(text) <= MAX_DIGITS else set()
    if amount is None or len(meant) != 1:
        return None
    (number,) = meant
    return _ExactFloat(f"{'-' if amount['sign'] in ('-', _MINUS) else ''}{number:f}")


def _limit_error(value: int | float, attribute: Attribute) -> str | None:
    if attribute.minimum is not None and value < attribute.minimum:
        return f"below the minimum {attribute.minimum}"
    if attribute.exclusive_minimum is not None and value <= attribute.exclusive_minimum:
        return f"not above {attribute.exclusive_minimum}"
    if attribute.maximum is not None and value > attribute.maximum:
        return f"above the maximum {attribute.maximum}"
    if attribute.exclusive_maximum is not None and value >= attribute.exclusive_maximum:
        return f"not below {attribute.exclusive_maximum}"
    if attribute.multiple_of is not None and not _is_multiple(value, attribute.multiple_of):
        return f"not a multiple of {attribute.multiple_of}"
    return None


def _is_multiple(value: int | float, unit: int | float) -> bool:
    """Return whether a number is a multiple of another in decimal, as 0.3 is of 0.1."""
    return Fraction(str(value)) % Fraction(str(unit)) == 0


def _check_boolean(value: Any) -> FieldValue:
    found = _BOOLEANS.get(value.strip().lower()) if isinstance(value, str) else value
    if isinstance(found, bool):
        return FieldValue(value=found)
    return FieldValue(error="true or false is expected")


def _check_choice(value: Any, attribute: Attribute) -> FieldValue:
    for choice in attribute.choices:
        if value == choice and isinstance(value, bool) == isinstance(choice, bool):
            return FieldValue(value=choice)
    if isinstance(value, str | int | float):
        # Ignore case, surrounding space and type, if only one choice matches.
        wanted = _comparable(value)
        alike = [choice for choice in attribute.choices if _comparable(choice) == wanted]
        if len(alike) == 1:
            return FieldValue(value=alike[0])
    return FieldValue(error="it is none of the choices")


def _comparable(value: str | int | float | bool) -> str:
    return value.strip().casefold() if isinstance(value, str) else json.dumps(value)


def _check_date(value: Any) -> FieldValue:
    text = value.strip() if isinstance(value, str) else ""
    match = _LOOSE_DATE.fullmatch(text)
    if match is not None:
        year, month, day = match.groups()
        text = f"{year}-{int(month):02}-{int(day):02}"
    if is_date(text):
        return FieldValue(value=text)
    is_day = _DAY.fullmatch(text) is not None
    return FieldValue(
        error=f"there is no day {text}" if is_day else "a date as YYYY-MM-DD is expected"
    )


def _check_date_time(value: Any) -> FieldValue:
    text = value.strip() if isinstance(value, str) else ""
    match = _LOOSE_DATE_TIME.fullmatch(text)
    if match is not None:
        date, minutes, seconds, zone = match.groups()
        text = f"{date}T{minutes}{seconds or ':00'}{zone or ''}"
    if is_date_time(text):
        return FieldValue(value=text)
    if match is not None:
        return FieldValue(error=f"there is no such day or time: {text}")
    return FieldValue(error="a date and time as YYYY-MM-DDThh:mm:ss is expected")
