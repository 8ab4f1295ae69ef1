"""Extractions: a document's data, the details of its fields, and its usage."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Any, Generic, Literal, TypeVar

from hpd.documents import Place, Places
from hpd.errors import HpdError
from hpd.schema.attributes import Schema
from hpd.schema.checks import join_path
from hpd.schema.data_checks import CheckResult
from hpd.schema.sources import dump_data, validate_data
from hpd.surrogates import escape_surrogates

NULL_TEXT = re.compile(r"\s*(?:null|none|n/a)\.?\s*", re.IGNORECASE)
"""A word for null, which models write as a text."""

Match = Literal["exact", "normalized", "fuzzy", "none"]

T_co = TypeVar("T_co", covariant=True)


@dataclass(frozen=True, slots=True)
class RejectedAnswer:
    """What the model wrote before a field was asked again, and why that was rejected."""

    raw: str
    error: str


@dataclass(frozen=True, slots=True)
class ValueOption:
    """A value that a field could have, and the probability that the model gives it."""

    value: Any
    """A choice, ``True`` or ``False``, the name of a union's variant, or None for null."""
    probability: float


@dataclass(frozen=True, slots=True)
class FieldValue:
    """The details of one value."""

    confidence: float | None = None
    """The probability that the value (or null) is right, from the model or from a calibration."""
    start: int | None = None
    """The offset of the value in the document, in characters (Unicode code points)."""
    end: int | None = None
    """The offset of the character after the value."""
    match: Match | None = None
    """How the value matches the document; ``"none"`` if it does not, None if the value is null."""
    place: Place | None = None
    """Where the value stands in the file (page and boxes, or cell), if the document has
    ``places``."""
    error: str | None = None
    """Why the value is missing or was dropped, although the schema requires it."""
    reason: str | None = None
    """Why the model's text was replaced by null, where null is allowed, or by another number, where
    a value was forced (``on_missing="force"``)."""
    raw: str = ""
    """The text as the model wrote it."""
    truncated: bool = False
    """Whether the text was cut off at the token limit."""
    forced: bool = False
    """Whether null was disallowed after the model first answered null or something too unlikely
    (``on_missing="force"``)."""
    repeated: bool = False
    """Whether the model repeated itself or invented items without end, and was cut off."""
    lacks_timezone: bool = False
    """Whether a date-time has no time zone because the document states none (RFC 3339 requires
    one)."""
    value: Any = None
    """The value as it is in the data. For an array, all of its items, which have their own details
    at paths such as ``tags[0]``."""
    margin: float | None = None
    """The margin of a near tie: the smallest gap between the logits of a chosen token and of the
    runner-up. None if the value is not a near tie."""
    uncalibrated: float | None = None
    """The model's own confidence, if ``confidence`` is calibrated."""
    rejected: tuple[RejectedAnswer, ...] = ()
    """Earlier answers that were rejected, with ``on_invalid="retry"``."""
    text: str | None = None
    """The document's text from ``start`` to ``end``."""
    options: tuple[ValueOption, ...] = ()
    """With ``probabilities``, all values that an enum, a boolean or the choice of a union's variant
    can have, null included, the most probable first. The probabilities are the model's own, before
    any calibration or threshold, and sum to 1. They include every way to write a value, so that of
    the chosen value may be slightly above the model's confidence, which is for the way it wrote it.
    Options whose probability is not known (with more than about 100 that begin alike) are left
    out."""

    def with_place(self, places: Places) -> FieldValue:
        """Return a copy with the value's place in the file."""
        if self.start is None or self.end is None or self.value is None:
            return self
        return replace(self, place=places.of(self.start, self.end))

    @property
    def span(self) -> tuple[int, int] | None:
        """``(start, end)`` of the value, so that ``text[slice(*span)]`` is the matched text."""
        return None if self.start is None or self.end is None else (self.start, self.end)

    @property
    def near_tie(self) -> bool:
        """Whether the value could differ if other documents were decoded in the same batch.

        For an array, this covers the number of items and the items.
        """
        return self.margin is not None

    @property
    def nulled(self) -> bool:
        """Whether the model wrote a value that was replaced by null."""
        text = self.raw.strip()
        is_null = text.startswith("null") or NULL_TEXT.fullmatch(text.strip('"')) is not None
        return self.value is None and bool(text) and not is_null

    def to_dict(self) -> dict[str, Any]:
        """Return the field's object in the output, without empty keys."""
        result: dict[str, Any] = {}
        for name in ("confidence", "uncalibrated"):
            confidence = getattr(self, name)
            if confidence is not None and math.isfinite(confidence):
                result[name] = round(confidence, 4)
        if self.match is not None and self.value is not None:
            if self.start is not None and self.end is not None:
                result |= {"start": self.start, "end": self.end}
            result["match"] = self.match
        if self.place is not None:
            result |= self.place.to_dict()
        if self.error is not None:
            result["error"] = self.error
        if self.reason is not None:
            result["reason"] = self.reason
        if (self.error is not None and self.raw) or self.reason is not None or self.nulled:
            result["raw"] = self.raw
        for name in ("truncated", "forced", "repeated", "lacks_timezone"):
            if getattr(self, name):
                result[name] = True
        if self.rejected:
            result["rejected"] = [{"raw": text.raw, "error": text.error} for text in self.rejected]
        if self.options:
            result["options"] = [
                {"value": option.value, "probability": round(option.probability, 4)}
                for option in self.options
            ]
        if self.margin is not None:
            result |= {"near_tie": True, "margin": round(self.margin, 4)}
        return result


_STACK_TOTALS = (
    "prompt_tokens",
    "cached_tokens",
    "completion_tokens",
    "drafted_tokens",
    "accepted_tokens",
    "reused_values",
)
"""The counts that are divided among the documents of a stack."""


@dataclass(frozen=True, slots=True)
class Usage:
    """The tokens, steps and time of one document."""

    prompt_tokens: int = 0
    cached_tokens: int = 0
    """The prompt tokens that were already in the KV cache."""
    completion_tokens: int = 0
    steps: int = 0
    """The batches after the prefill that decoded values of the document."""
    seconds: float = 0.0
    n_chunks: int = 1
    """The chunks into which a long document was split; the other counts are their sums."""
    drafted_tokens: int = 0
    """The drafted tokens that the model verified."""
    accepted_tokens: int = 0
    """The drafted tokens that were accepted."""
    reused_values: int = 0
    """The values taken from an identical document or from the ``cache`` folder."""

    def __add__(self, other: Usage) -> Usage:
        """Return the sum of both; ``n_chunks`` is that of ``self``."""
        added = (*_STACK_TOTALS, "steps", "seconds")
        return replace(self, **{n: getattr(self, n) + getattr(other, n) for n in added})

    def share(self, i: int, n: int) -> Usage:
        """Return document ``i``'s share in a stack of ``n``; steps and time are not divided."""
        totals = {name: getattr(self, name) for name in _STACK_TOTALS}
        return replace(
            self, **{name: total // n + (i < total % n) for name, total in totals.items()}
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the usage object in the output, without zeros."""
        result: dict[str, Any] = {"prompt_tokens": self.prompt_tokens}
        if self.cached_tokens:
            result["cached_tokens"] = self.cached_tokens
        result |= {"completion_tokens": self.completion_tokens, "steps": self.steps}
        if self.seconds:
            result["seconds"] = round(self.seconds, 4)
        if self.n_chunks > 1:
            result["chunks"] = self.n_chunks
        if self.reused_values:
            result["reused_values"] = self.reused_values
        return result


@dataclass(frozen=True, slots=True, eq=False)
class Failure:
    """Why a document has no extraction."""

    exception: BaseException
    """The original error, which is the cause of the error that is raised for the document."""
    data: Any = None
    """The data that the schema's class rejected, as a plain dict."""

    @property
    def type(self) -> str:
        """The name of the exception's class."""
        return type(self.exception).__name__

    @property
    def message(self) -> str:
        """The exception's message."""
        return str(self.exception)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Failure):
            return NotImplemented
        return (self.type, self.message, self.data) == (other.type, other.message, other.data)

    def __hash__(self) -> int:
        return hash((self.type, self.message))

    def __str__(self) -> str:
        return f"{self.type}: {self.message}"

    def to_dict(self) -> dict[str, Any]:
        """Return the error object in the output."""
        return {"type": self.type, "message": self.message}


@dataclass(frozen=True, slots=True, repr=False)
class Extraction(Generic[T_co]):
    """The result for one document; ``extraction["maker"]`` is ``extraction.data["maker"]``."""

    id: Any = None
    data: T_co = None  # type: ignore[assignment]
    """A dict, or an instance of the class given as the schema. None if nothing was decoded, or if
    the class rejected the data, which is then in ``error.data``."""
    fields: Mapping[str, FieldValue] = field(default_factory=dict)
    """The details of each value by its path: ``maker.city``, ``lines[0].qty``, ``tags[1]``."""
    usage: Usage | None = None
    error: Failure | None = None
    """Why the document failed. ``data`` may still be set, if it violates a schema that is not a
    class; that of a class is in ``error.data``."""
    checks: tuple[CheckResult, ...] = ()
    """The checks of the schema that the data does not pass, or whose outcome is unknown."""
    truncated_at: int | None = None
    """The offset at which the document was truncated, with ``on_overflow="truncate"``."""
    text: str | None = field(default=None, repr=False, compare=False)
    """The document's text, for display; not part of ``to_dict``."""

    def __getitem__(self, name: str) -> Any:
        """Return the value of an attribute, from a dict or an instance alike.

        An attribute with an alias has both names.

        Raises:
            KeyError: the schema has no such attribute.
            HpdError: the document failed and has no data.
        """
        if self.data is None:
            reason = "there is no data" if self.error is None else self.error.message
            raise HpdError(f"no value of {name!r}: {reason}")
        if isinstance(self.data, Mapping):
            return self.data[name]
        declared: Mapping[str, Any] = getattr(type(self.data), "model_fields", {})
        aliased = (own for own, each in declared.items() if each.validation_alias == name)
        try:
            return getattr(self.data, next(aliased, name))
        except AttributeError:
            raise KeyError(name) from None

    def __repr__(self) -> str:
        parts = [] if self.id is None else [f"id={self.id!r}"]
        if self.error is not None:
            parts.append(f"error={str(self.error)!r}")
        if self.data is not None:
            parts.append(f"data={self.data!r}")
        return f"Extraction({', '.join(parts)})"

    @property
    def n_near_ties(self) -> int:
        """The number of fields that are near ties."""
        return sum(result.near_tie for result in self.fields.values())

    def to_dict(self) -> dict[str, Any]:
        """Return the object that the command line writes, data first and without empty keys."""
        result: dict[str, Any] = {}
        if self.id is not None:
            result["id"] = self.id
        data = self.error.data if self.data is None and self.error is not None else self.data
        if data is not None:
            result["data"] = plain_data(data)
        if self.error is not None:
            result["error"] = self.error.to_dict()
        if self.checks:
            result["checks"] = [check.to_dict() for check in self.checks]
        if self.truncated_at is not None:
            result["truncated_at"] = self.truncated_at
        if self.fields:
            result["fields"] = {path: field.to_dict() for path, field in self.fields.items()}
        if self.usage is not None:
            result["usage"] = self.usage.to_dict()
        return result

    def to_json(self, *, indent: int | None = None) -> str:
        """Return ``to_dict`` as JSON, on one line unless ``indent`` is given."""
        text = json.dumps(self.to_dict(), ensure_ascii=False, allow_nan=False, indent=indent)
        return escape_surrogates(text)  # an id may have lone surrogates

    def _repr_html_(self) -> str:
        """Show the document with its values marked, and a table of them, in a notebook."""
        from hpd.show.page import extraction_html

        return extraction_html(self.to_dict(), self.text)


def plain_data(data: Any) -> Any:
    """Return the data as plain JSON values, with instances of classes converted."""
    plain = data if _is_json(data) else _decimals_to_numbers(*dump_data(data))
    return _shorten_numbers(plain)


_MAX_PLAIN = 1e21
"""The smallest number that JavaScript writes with an exponent."""


def _shorten_numbers(data: Any) -> Any:
    """Return the data with 4 for 4.0, the shortest form of a number in JSON."""
    if type(data) is float and data.is_integer() and abs(data) < _MAX_PLAIN:
        return int(data)
    if type(data) is dict:
        return {name: _shorten_numbers(part) for name, part in data.items()}
    return [*map(_shorten_numbers, data)] if type(data) is list else data


def _is_json(data: Any) -> bool:
    if type(data) is dict:  # A TypedDict is a dict as well, and may hold dates.
        return all(_is_json(value) for value in data.values())
    if type(data) is list:
        return all(map(_is_json, data))
    return data is None or type(data) in (str, int, float, bool)


def _decimals_to_numbers(plain: Any, typed: Any) -> Any:
    """Return ``plain`` with decimals as numbers: Pydantic writes them as text."""
    if callable(getattr(typed, "get_secret_value", None)):
        return plain_data(typed.get_secret_value())  # Pydantic would write asterisks.
    if isinstance(typed, Decimal):
        return int(typed) if typed == typed.to_integral_value() else float(typed)
    if isinstance(plain, dict) and isinstance(typed, dict):
        return {name: _decimals_to_numbers(value, typed.get(name)) for name, value in plain.items()}
    if isinstance(plain, list) and isinstance(typed, list | tuple):
        return [_decimals_to_numbers(*pair) for pair in zip(plain, typed, strict=True)]
    return [*map(plain_data, typed)] if isinstance(typed, set | frozenset) else plain


def iter_parts(data: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Yield each part of the data with its dotted path: the data itself, objects, lists, values."""
    yield path, data
    if isinstance(data, dict):
        for name, part in data.items():
            yield from iter_parts(part, join_path(path, name))
    elif isinstance(data, list):
        for i, part in enumerate(data):
            yield from iter_parts(part, join_path(path, i))


def replace_parts(data: Any, parts: Mapping[str, Any], path: str = "") -> Any:
    """Return the data with the parts at some dotted paths replaced."""
    if not parts or path in parts:
        return parts.get(path, data)
    if isinstance(data, dict):
        return {
            name: replace_parts(part, parts, join_path(path, name)) for name, part in data.items()
        }
    if isinstance(data, list):
        return [replace_parts(part, parts, join_path(path, i)) for i, part in enumerate(data)]
    return data


def build_data(
    schema: Schema, data: Any, decimals: Mapping[str, str] | None = None
) -> tuple[Any, dict[str, str]]:
    """Return ``data`` as an instance of the schema's class, and the problems by path.

    ``decimals`` are numbers with the digits that the document states, by dotted path.

    If the class rejects the data, because a required value is absent or a validator raises, the
    data is returned as a dict, together with the reasons by path.
    """
    from pydantic import ValidationError

    if decimals:
        # A number would lose the last digit of 235.60, and text keeps it. As a custom validator may
        # reject text, all errors are ignored here.
        with suppress(Exception):
            return validate_data(schema.model, replace_parts(data, decimals)), {}
    try:
        return validate_data(schema.model, data), {}
    except ValidationError as error:
        problems: dict[str, str] = {}
        for problem in error.errors(include_url=False, include_context=False, include_input=False):
            path = _data_path(problem["loc"], data)
            message = problem["msg"]
            problems[path] = f"{problems[path]}; {message}" if path in problems else message
        return data, problems
    except Exception as error:  # A custom validator may raise anything.
        return data, {"": f"{schema.model.__name__} raised {type(error).__name__}: {error}"}


def _data_path(location: tuple[int | str, ...], data: Any) -> str:
    """Convert a Pydantic error location to a path in the data.

    Location parts that do not occur in the data are names of validators or of union types.
    """
    path = ""
    for step in location:
        if isinstance(step, int) and isinstance(data, list):
            path = join_path(path, step)
            data = data[step] if step < len(data) else None
        elif isinstance(step, str) and isinstance(data, dict):
            path = join_path(path, step)
            data = data.get(step)
        else:
            break
    return path
