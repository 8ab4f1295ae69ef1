"""Extractions: the data of a document, the details of its fields, and its usage."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Any, Generic, Literal, TypeVar

from hpd.documents import Place, Places
from hpd.errors import HpdError
from hpd.schema.attributes import Schema
from hpd.schema.sources import dumped, validated

Match = Literal["exact", "normalized", "fuzzy", "none"]

T_co = TypeVar("T_co", covariant=True)


@dataclass(frozen=True, slots=True)
class RejectedAnswer:
    """The text of a field before it was asked again, and the fault in that."""

    raw: str
    error: str


@dataclass(frozen=True, slots=True)
class FieldValue:
    """The details of one value."""

    confidence: float | None = None
    """The probability that the value, or the null, is right: by the model or, if it is calibrated,
    by how often such values were right."""
    start: int | None = None
    """The offset of the value in the document, in characters as Python counts them."""
    end: int | None = None
    match: Match | None = None
    """The kind of match in the document: ``"none"`` if there is none, None if the value is null."""
    place: Place | None = None
    """Where it stands in the file, if the document has ``places``: the page and its boxes there, or
    the cell of a sheet."""
    error: str | None = None
    """The reason why a value that should be there is not, or was left out."""
    reason: str | None = None
    """The reason why what the model wrote was turned into null, where null is allowed; or into
    another number, where there must be one (``on_missing="force"``)."""
    raw: str = ""
    """The text that the model wrote."""
    truncated: bool = False
    """Whether the text was cut off at the limit of tokens for a value."""
    forced: bool = False
    """Whether the model said null first, or what is not likely enough, and had to answer all the
    same (``on_missing="force"``)."""
    repeated: bool = False
    """Whether the model repeated itself without end: the text is cut after the first turn."""
    lacks_timezone: bool = False
    """Whether a date and time has no time zone, as the document states none; RFC 3339 wants one."""
    value: Any = None
    """The value as it is in the data; of an array all of its items, whose own details have paths
    such as ``tags[0]``."""
    margin: float | None = None
    """The margin of a near tie: the smallest difference between the logit of a token that was taken
    and that of the runner-up. None if no token was nearly another one."""
    uncalibrated: float | None = None
    """The model's own confidence, where that in ``confidence`` is calibrated."""
    rejected: tuple[RejectedAnswer, ...] = ()
    """The texts that were refused before, with ``on_invalid="retry"``."""
    text: str | None = None
    """The characters of the document from ``start`` to ``end``, as they are stated there."""

    def at(self, places: Places) -> FieldValue:
        """The same, with its place in the file that the document was read from."""
        if self.start is None or self.end is None or self.value is None:
            return self
        return replace(self, place=places.of(self.start, self.end))

    @property
    def span(self) -> tuple[int, int] | None:
        """The place of the value in the document, so that ``text[slice(*span)]`` is it."""
        return None if self.start is None or self.end is None else (self.start, self.end)

    @property
    def near_tie(self) -> bool:
        """Whether the value might be another one if other documents were decoded beside its own.

        For an array, which has the details of the number of its items, that goes for the items as
        well.
        """
        return self.margin is not None

    @property
    def nulled(self) -> bool:
        """Whether the model wrote a value that was turned into null."""
        text = self.raw.strip()
        return self.value is None and bool(text) and not text.startswith("null")

    def to_dict(self) -> dict[str, Any]:
        """The object in the output, without what says nothing: a null has only its confidence."""
        result: dict[str, Any] = {}
        if self.confidence is not None and math.isfinite(self.confidence):
            result["confidence"] = round(self.confidence, 4)
        if self.uncalibrated is not None and math.isfinite(self.uncalibrated):
            result["uncalibrated"] = round(self.uncalibrated, 4)
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
        if self.truncated:
            result["truncated"] = True
        if self.forced:
            result["forced"] = True
        if self.repeated:
            result["repeated"] = True
        if self.lacks_timezone:
            result["lacks_timezone"] = True
        if self.rejected:
            result["rejected"] = [{"raw": text.raw, "error": text.error} for text in self.rejected]
        if self.margin is not None:
            result |= {"near_tie": True, "margin": round(self.margin, 4)}
        return result


_SHARED = (
    "prompt_tokens",
    "cached_tokens",
    "completion_tokens",
    "drafted_tokens",
    "accepted_tokens",
    "reused_values",
)
"""The parts of a usage that stacked documents share."""


@dataclass(frozen=True, slots=True)
class Usage:
    """The tokens, steps and time of one document."""

    prompt_tokens: int = 0
    cached_tokens: int = 0
    """The tokens of the prompt that were in the KV cells already."""
    completion_tokens: int = 0
    steps: int = 0
    """The batches after the prefill in which values of the document were decoded."""
    seconds: float = 0.0
    n_chunks: int = 1
    """The number of parts into which a long document was cut; their usage is added up."""
    drafted_tokens: int = 0
    """The tokens that were guessed and verified by the model."""
    accepted_tokens: int = 0
    """The guessed tokens that were right."""
    reused_values: int = 0
    """The values that were known from an equal document, or from the folder of ``cache``."""

    def __add__(self, other: Usage) -> Usage:
        """The usage of both together; ``n_chunks`` is taken from the first."""
        added = (*_SHARED, "steps", "seconds")
        return replace(self, **{n: getattr(self, n) + getattr(other, n) for n in added})

    def share(self, i: int, n: int) -> Usage:
        """The part of document ``i`` in a stack of ``n``; steps and time are the whole stack's."""
        totals = {name: getattr(self, name) for name in _SHARED}
        return replace(
            self, **{name: total // n + (i < total % n) for name, total in totals.items()}
        )

    def to_dict(self) -> dict[str, Any]:
        """The object in the output, without zeros that say nothing."""
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


@dataclass(frozen=True, slots=True)
class Failure:
    """The error for which a document has no extraction."""

    type: str
    message: str
    data: Any = None
    """The data that the class which is the schema refuses, as a plain dict."""

    @classmethod
    def of(cls, error: BaseException) -> Failure:
        """The failure of an exception."""
        return cls(type(error).__name__, str(error))

    def __str__(self) -> str:
        return f"{self.type}: {self.message}"

    def to_dict(self) -> dict[str, Any]:
        """The object in the output."""
        return {"type": self.type, "message": self.message}


@dataclass(frozen=True, slots=True, repr=False)
class Extraction(Generic[T_co]):
    """The result for one document; ``extraction["maker"]`` is ``extraction.data["maker"]``."""

    id: Any = None
    data: T_co = None  # type: ignore[assignment]
    """A plain dict, or an instance of the class that is the schema; None where there is an error
    and nothing was decoded, or the class refuses what was: that is ``error.data``."""
    fields: Mapping[str, FieldValue] = field(default_factory=dict)
    """The details of each value by dotted path: ``maker.city``, ``lines[0].qty``, ``tags[1]``."""
    usage: Usage | None = None
    error: Failure | None = None
    """The error of a document that failed. Where data breaks a schema that is no class, it is there
    all the same."""
    truncated_at: int | None = None
    """The character from which on the document was not read, with ``on_overflow="truncate"``."""
    text: str | None = field(default=None, repr=False, compare=False)
    """The document, for showing it; it is no part of ``to_dict``."""

    def __getitem__(self, name: str) -> Any:
        """The value of an attribute, whatever kind of data there is.

        Raises:
            KeyError: the schema has no such attribute.
            HpdError: the document failed, and there is no data.
        """
        if self.data is None:
            reason = "there is no data" if self.error is None else self.error.message
            raise HpdError(f"no value of {name!r}: {reason}")
        if isinstance(self.data, Mapping):
            return self.data[name]
        try:
            return getattr(self.data, name)
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
        """The line of output, the data first; empty parts are left out."""
        result: dict[str, Any] = {}
        if self.id is not None:
            result["id"] = self.id
        data = self.error.data if self.data is None and self.error is not None else self.data
        if data is not None:
            result["data"] = plain_data(data)
        if self.error is not None:
            result["error"] = self.error.to_dict()
        if self.truncated_at is not None:
            result["truncated_at"] = self.truncated_at
        if self.fields:
            result["fields"] = {path: field.to_dict() for path, field in self.fields.items()}
        if self.usage is not None:
            result["usage"] = self.usage.to_dict()
        return result

    def to_json(self, *, indent: int | None = None) -> str:
        """``to_dict`` as JSON, on one line unless ``indent`` is given."""
        text = json.dumps(self.to_dict(), ensure_ascii=False, allow_nan=False, indent=indent)
        # Half of a surrogate pair, as an id may have it, is written as its escape.
        return text.encode("utf-8", "backslashreplace").decode()

    def _repr_html_(self) -> str:
        """The document with its values marked, and their table, in a notebook."""
        from hpd.show.page import extraction_html

        return extraction_html(self.to_dict(), self.text)


def plain_data(data: Any) -> Any:
    """The data as it is written in JSON, also if it is an instance of a class."""
    return _with_short_numbers(data if _is_json(data) else _with_numbers(*dumped(data)))


_MAX_PLAIN = 1e21
"""The number from which on JavaScript, too, writes an exponent."""


def _with_short_numbers(data: Any) -> Any:
    """The data with 4 for 4.0: JSON has one kind of number, of which that is the shortest form."""
    if type(data) is float and data.is_integer() and abs(data) < _MAX_PLAIN:
        return int(data)
    if type(data) is dict:
        return {name: _with_short_numbers(part) for name, part in data.items()}
    return [*map(_with_short_numbers, data)] if type(data) is list else data


def _is_json(data: Any) -> bool:
    if type(data) is dict:  # A TypedDict is one, too, and may hold dates.
        return all(_is_json(value) for value in data.values())
    if type(data) is list:
        return all(map(_is_json, data))
    return data is None or type(data) in (str, int, float, bool)


def _with_numbers(plain: Any, typed: Any) -> Any:
    """Turn decimals into numbers: Pydantic writes them as text, but the schema has numbers."""
    if callable(getattr(typed, "get_secret_value", None)):
        return plain_data(typed.get_secret_value())  # Pydantic would write stars in its place.
    if isinstance(typed, Decimal):
        return int(typed) if typed == typed.to_integral_value() else float(typed)
    if isinstance(plain, dict) and isinstance(typed, dict):
        return {name: _with_numbers(value, typed.get(name)) for name, value in plain.items()}
    if isinstance(plain, list) and isinstance(typed, list | tuple):
        return [_with_numbers(*pair) for pair in zip(plain, typed, strict=True)]
    return [*map(plain_data, typed)] if isinstance(typed, set | frozenset) else plain


def parts_of(data: Any, place: str = "") -> Iterator[tuple[str, Any]]:
    """All parts of some data, lists and objects included, each behind its dotted path."""
    yield place, data
    if isinstance(data, dict):
        for name, part in data.items():
            yield from parts_of(part, f"{place}.{name}" if place else name)
    elif isinstance(data, list):
        for i, part in enumerate(data):
            yield from parts_of(part, f"{place}[{i}]")


def with_parts(data: Any, parts: Mapping[str, Any], place: str = "") -> Any:
    """The data with other values at some dotted paths."""
    if not parts or place in parts:
        return parts.get(place, data)
    if isinstance(data, dict):
        return {
            name: with_parts(part, parts, f"{place}.{name}" if place else name)
            for name, part in data.items()
        }
    if isinstance(data, list):
        return [with_parts(part, parts, f"{place}[{i}]") for i, part in enumerate(data)]
    return data


def build_data(
    schema: Schema, data: Any, decimals: Mapping[str, str] | None = None
) -> tuple[Any, dict[str, str]]:
    """``data`` as an instance of the schema's class.

    ``decimals`` are numbers with the digits that the document states, by dotted path.

    If the class refuses the data (a required value is absent, or a validator of its own raises),
    the data stays a dict, and the second part of the result has the reasons by dotted path.
    Anything else that its own code raises is a reason, too.
    """
    from pydantic import ValidationError

    if decimals:
        # JSON has no 235.60; as text it has. A validator of the user's own may want a number.
        with suppress(Exception):
            return validated(schema.model, with_parts(data, decimals)), {}
    try:
        return validated(schema.model, data), {}
    except ValidationError as error:
        problems: dict[str, str] = {}
        for problem in error.errors(include_url=False, include_context=False, include_input=False):
            place = _place(problem["loc"], data)
            message = problem["msg"]
            problems[place] = f"{problems[place]}; {message}" if place in problems else message
        return data, problems
    except Exception as error:  # Whatever a validator of the user's own raises.
        return data, {"": f"{schema.model.__name__} raised {type(error).__name__}: {error}"}


def _place(location: tuple[int | str, ...], data: Any) -> str:
    """The dotted path of a Pydantic location, as far as that leads through the data.

    The rest of a location are names of validators, and of types in a union.
    """
    place = ""
    for step in location:
        if isinstance(step, int) and isinstance(data, list):
            place += f"[{step}]"
            data = data[step] if step < len(data) else None
        elif isinstance(step, str) and isinstance(data, dict):
            place += f".{step}" if place else step
            data = data.get(step)
        else:
            break
    return place
