"""The values of one document on their way: checked, placed, asked again, and made an extraction.

A *near tie* is a value that might be another one, had other documents been decoded beside its own:
sums of floating-point numbers are rounded in another way in another batch, so if a token's logit is
only just above that of the runner-up, either may be taken. The margin of a value is the smallest of
its tokens' margins, and of those of the values on which it depends. It is a number for near ties
only, otherwise None.
"""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass, field, replace
from typing import Any

from hpd._native import near_tie_margin
from hpd.errors import InvalidDataError
from hpd.options import Options
from hpd.prompt.questions import Leaf, Question, Retry
from hpd.prompt.text import COUNT_KEY, Path
from hpd.results import (
    Extraction,
    Failure,
    FieldValue,
    RejectedAnswer,
    Usage,
    build_data,
    parts_of,
    with_parts,
)
from hpd.schema.attributes import Attribute, Schema
from hpd.values.answers import answer_leaf
from hpd.values.assembly import ABSENT, Assembled, assemble, bare_data
from hpd.values.confidence import COUNT, ConfidenceMap, kind_of
from hpd.values.numbers import as_float, stated_decimal
from hpd.values.parsing import LACKING, ParsedValue
from hpd.values.places import Grounder, place_values

MIN_PROBABILITY = 0.001
"""The probability under which a choice, or any required value, becomes null: that of its text among
all texts, not among those allowed. Of the choices that the bundled model made under it on titles
of OA-Mine, 19 of 20 were wrong (docs/reliability.md says how this was measured)."""

MIN_KEPT_SHARE = 0.3
"""The share of the model's own probability that a constraint (a pattern, a date, choices) must
leave it: below it, the value is what the constraint made of another one, which the model would have
written."""

N_RETRIES = 2
"""The waves in which fields are asked again, at most."""

N_REFUSED_TOKENS = 96
"""The tokens for which a later key has room, for each value that is refused and the reason."""

_REASONS = {ABSENT: "a value is required"}
"""Reasons in other words, where those of the output would only confirm the model."""

USUAL = Options()

_MAX_SHOWN_VALUE = 80
_MAX_SHOWN_REASON = 160


@dataclass(frozen=True, slots=True)
class ConfidenceLimits:
    """How likely a value must be, so that it is kept."""

    threshold: float = 0.0
    """The least share of such values that is right."""
    min_confidence: float = 0.0
    """The confidence of the model at which that share is right."""
    probability: float = 0.0
    """The least probability of its text among all texts, unless the document states it."""
    kept: float = 0.0
    """The least share of the model's own probability that its constraint leaves, likewise."""

    def reason(self, likelihood: Likelihood) -> str | None:
        """Why a value is refused that the document does not state; None: it is not."""
        if likelihood.probability < self.probability:
            return f"the model rules it out (less likely than {self.probability:g})"
        if likelihood.kept < self.kept:
            return "the model would write something else, which is not allowed here"
        return None

    def distances(self, likelihood: Likelihood) -> list[float | None]:
        """The margins of these decisions, if they are near ties."""
        return [
            log_distance(likelihood.probability, self.probability),
            log_distance(likelihood.kept, self.kept),
        ]


@dataclass(frozen=True, slots=True)
class Likelihood:
    """The probabilities of a value."""

    probability: float
    """That of its text among all texts, allowed or not."""
    share: float
    """That among the texts that its constraint allows."""

    @property
    def kept(self) -> float:
        """The probability of what the constraint allows, on the way of the value."""
        return min(1.0, self.probability / self.share) if self.share > 0.0 else 0.0


@dataclass(slots=True)
class DocumentValues:
    """The values of one document with the evidence for each, by the paths of their fields."""

    fields: dict[Path, FieldValue] = field(default_factory=dict)
    attributes: dict[Path, Attribute] = field(default_factory=dict)
    """Of the fields that were stored; those put together from chunks are found in the schema."""

    def store(
        self,
        path: Path,
        attribute: Attribute,
        result: FieldValue,
        limits: ConfidenceLimits | None = None,
        likelihood: Likelihood | None = None,
        grounder: Grounder | None = None,
    ) -> Any:
        """Store a value, or null if it is not likely enough; returns what was stored.

        Args:
            path: the field.
            attribute: its attribute.
            result: the value, with its confidence.
            limits: how likely it must be; None: it is kept.
            likelihood: its probabilities.
            grounder: knows whether the document states it.
        """
        if result.nulled:  # The confidence is that of what was written, not of the null.
            result = replace(result, confidence=None)
        if limits is not None and result.value is not None:
            margin = result.margin
            confidence = result.confidence
            why = None
            if confidence is not None:
                margin = min_margin([margin, log_distance(confidence, limits.min_confidence)])
                if confidence < limits.min_confidence:
                    why = f"less likely than {limits.threshold:g}"
                    confidence = 1.0 - confidence
            if likelihood is not None and why is None:
                margin = min_margin([margin, *limits.distances(likelihood)])
                why = limits.reason(likelihood)
                if why is not None and grounder is not None and grounder.states(result.value):
                    why = None
                if why is not None:
                    confidence = None
            if why is not None:
                result = _refused(result, attribute, why, confidence)
            if margin != result.margin:  # A copy costs more than all the rest.
                result = replace(result, margin=margin)
        self.fields[path] = result
        self.attributes[path] = attribute
        return result.value

    def part(self, path: Path) -> Any:
        """The value at a path; of a row, those of its fields so far, but for lists in it."""
        if path in self.fields:
            return self.fields[path].value
        row: dict[str, Any] = {}
        for own, result in self.fields.items():
            inner = own[len(path) :]
            if own[: len(path)] == path and not any(n.isdecimal() or n == COUNT_KEY for n in inner):
                at = row
                for name in inner[:-1]:
                    at = at.setdefault(name, {})
                at[inner[-1]] = result.value
        return row or None

    def _attribute(self, schema: Schema, path: Path) -> Attribute | None:
        return self.attributes.get(path) or answer_leaf(schema, path)

    def inherited_margin(self, leaf: Leaf) -> float | None:
        """The margin of the values on which a leaf depends, if one of them is a near tie.

        A leaf depends on the values that it comes after, and on the numbers of items of the arrays
        in which it is.
        """
        if len(leaf.path) == 1 and not leaf.after:
            return None
        seen = _counts_above(leaf.path)
        if leaf.after:
            seen += [path for path in self.fields if is_below(path, leaf.after)]
        return min_margin(self.fields[path].margin for path in seen if path in self.fields)

    def ground(self, schema: Schema, grounder: Grounder, options: Options) -> None:
        """Look up every value in the document, and drop those that must be there but are not."""
        above = {path[:-1] for path in self.fields if path[-1] == COUNT_KEY}
        arrays = {path for path in above if (one := answer_leaf(schema, path)) and one.is_counted}
        given = [
            path
            for path, result in self.fields.items()
            if result.value is not None and not (path[-1] == COUNT_KEY and path[:-1] in arrays)
        ]
        found = {path: self._attribute(schema, path) for path in given}
        attributes = {path: one for path, one in found.items() if one is not None}
        values = {path: self.fields[path].value for path in attributes}
        of_set = {path for path, one in attributes.items() if one.type in ("enum", "boolean")}
        spans = place_values(grounder, values, arrays, of_set.__contains__)
        for path, attribute in attributes.items():
            result, span = self.fields[path], spans.get(path)
            if span is not None:
                self.fields[path] = replace(
                    result,
                    start=span.start,
                    end=span.end,
                    text=grounder.document[span.start : span.end],
                    match=span.match,
                )
            elif path in of_set or not options.require_grounding:
                self.fields[path] = replace(result, match="none")
            else:
                self.fields[path] = _refused(result, attribute, "the document does not hold it")

    def calibrate(self, schema: Schema, text: str, confidence_map: ConfidenceMap) -> None:
        """Turn the model's confidence in each field into the share of such that is right.

        Forced values are none of those on which the map was fitted, and stay as they are.

        Args:
            schema: the fields.
            text: the whole document.
            confidence_map: says the share.
        """
        found = {path: self._attribute(schema, path) for path in self.fields}
        kinds = {
            path: COUNT if is_count(schema, path) else attribute.type
            for path, attribute in found.items()
            if attribute is not None
            and self.fields[path].confidence is not None
            and not self.fields[path].forced
        }
        for path, kind in kinds.items():
            own = self.fields[path]
            kind, confidence = kind_of(kind, text), own.confidence or 0.0
            if own.nulled:  # Under the threshold: it is as sure as the value was not.
                share = 1.0 - confidence_map(kind, 1.0 - confidence, is_null=False)
            else:
                share = confidence_map(kind, confidence, is_null=own.value is None)
            self.fields[path] = replace(own, confidence=share, uncalibrated=own.confidence)

    def data(self, schema: Schema) -> dict[str, Any]:
        """The values found so far, nested as in the answer."""
        return self._assembled(schema, as_answer=True).data

    def settled(self, schema: Schema, options: Options, unsettled: Set[str]) -> dict[str, Any]:
        """The data of the attributes before the first one that is ``unsettled``."""
        data = self._assembled(schema, options).data
        names = itertools.takewhile(
            lambda name: name not in unsettled, (each.name for each in schema.attributes)
        )
        return {name: data[name] for name in names if name in data}

    def lacking(self, schema: Schema) -> frozenset[Path]:
        """The fields that must be answered, so that no required value is missing or invalid."""
        assembled = self._assembled(schema)
        invalid = {
            path
            for path in assembled.faults
            if (result := self.fields.get(path)) and result.error and self._is_needed(schema, path)
        }
        return assembled.lacking | invalid

    def _is_needed(self, schema: Schema, path: Path) -> bool:
        attribute = self._attribute(schema, path)
        return attribute is not None and attribute.needs_a_value

    def faults(
        self, schema: Schema, options: Options = USUAL, *, is_part: bool = False
    ) -> dict[Path, str]:
        """The fields whose values are refused, by path, each with the reason.

        If the user's class refuses a whole, all its fields are to blame. Of a part of a document,
        nothing is missing: the rest may have it.
        """
        if is_part:
            return {path: result.error for path, result in self.fields.items() if result.error}
        assembled = self._assembled(schema, options)
        faults = dict(assembled.faults)
        plain = self._plain(schema, assembled)
        for place, message in self._built(schema, assembled, options, plain)[1].items():
            for path, own in assembled.places.items():
                if not place or own == place or own.startswith((f"{place}.", f"{place}[")):
                    faults.setdefault(path, message)
        # Items are asked again once their number is.
        counts = [path for path in faults if is_count(schema, path)]
        return {
            path: message
            for path, message in faults.items()
            if not any(path != count and path[: len(count) - 1] == count[:-1] for count in counts)
        }

    def extraction(
        self, schema: Schema, id_: Any, usage: Usage, options: Options = USUAL
    ) -> Extraction[Any]:
        """The extraction for the user: nested data, or an instance of the user's class.

        Data that the user's class refuses is an error of the document; unless ``on_invalid`` is
        ``record``, so is data that breaks the schema otherwise.
        """
        assembled = self._assembled(schema, options)
        places = assembled.places
        plain = self._plain(schema, assembled)
        data, problems = self._built(schema, assembled, options, plain)
        parts = dict(parts_of(plain))
        fields = {
            place: _with_value_of(self.fields[path], parts.get(place))
            for path, place in places.items()
            if path in self.fields
        }
        for path, result in self.fields.items():
            if result.margin is not None and path not in places:
                # An array tells that an item which was left out is a near tie.
                place = next((places[p] for p in _counts_above(path) if p in places), None)
                if place in fields:
                    margin = min_margin([result.margin, fields[place].margin])
                    fields[place] = replace(fields[place], margin=margin)
        # Why there is no value says more than that a class refuses null.
        for errors in (problems, assembled.errors):
            for place, message in errors.items():
                fields[place] = replace(fields.get(place, FieldValue()), error=message)
        for place, result in fields.items():
            if _is_lacking(result.error) and place not in assembled.errors:
                fields[place] = replace(result, error=None)  # It may be missing after all.
        is_strict = options.on_invalid != "record"
        violations = {*problems, *(assembled.violations if is_strict else ())}
        reasons = [
            f"{place}: {result.error}" if place else str(result.error)
            for place, result in fields.items()
            if place in violations
        ]
        if not reasons:
            return Extraction(id_, data, fields, usage)
        refused, data = (data, None) if problems else (None, data)
        failure = Failure(InvalidDataError.__name__, "; ".join(reasons), refused)
        return Extraction(id_, data, fields, usage, failure)

    def _plain(self, schema: Schema, assembled: Assembled) -> Any:
        """The data for the user as a plain dict, in which a number is a float."""
        floats = {
            place: as_float(self.fields[path].value)
            for path, place in assembled.places.items()
            if path in self.fields and type(self.fields[path].value) is int
            if (one := self._attribute(schema, path)) and one.type == "number"
        }
        return with_parts(bare_data(schema, assembled.data), floats)

    def _built(
        self, schema: Schema, assembled: Assembled, options: Options, plain: Any
    ) -> tuple[Any, dict[str, str]]:
        """The data for the user, and why the user's class refuses it."""
        if schema.model is None:
            return plain, {}
        decimals = {
            place: stated_decimal(own.value, own.text or own.raw)
            for path, place in assembled.places.items()
            if (own := self.fields.get(path)) and isinstance(own.value, int | float)
            if (one := self._attribute(schema, path)) and one.format == "decimal"
        }
        data, problems = build_data(schema, plain, decimals)
        if options.on_missing == "null":
            problems = {p: why for p, why in problems.items() if p not in assembled.missing}
        return data, problems

    def _assembled(
        self, schema: Schema, options: Options = USUAL, *, as_answer: bool = False
    ) -> Assembled:
        parsed = {
            path: ParsedValue(result.value, result.error, _is_lacking(result.error), result.reason)
            for path, result in self.fields.items()
        }
        allows_null = options.on_missing == "null"
        return assemble(schema, parsed, as_answer=as_answer, allows_null=allows_null)


class Retries:
    """The fields of stacked documents that are asked again.

    With ``on_missing="force"``, those that lack a required value are, and null is no answer
    then. With
    ``on_invalid="retry"``, those whose values are refused are, with the reason: a field's new key
    shows its refused values as a part of the answer, as in ``{"size": 0, "wrong because": "below
    the minimum 1", "size":``. So it goes on from the prompt that the engine has.

    Args:
        schema: of the documents.
        options: which of the two is wanted.
        is_part: whether they are parts of longer ones.
    """

    def __init__(self, schema: Schema, options: Options, *, is_part: bool) -> None:
        self._schema = schema
        self._options = options
        self._is_part = is_part
        self._forces = options.on_missing == "force"
        self._n_left = N_RETRIES if options.on_invalid == "retry" else 0
        self._leaves: dict[tuple[int, Path], Leaf] = {}
        self._said: dict[tuple[int, Path], str] = {}
        """The last values, as text: those that differ may be equal, as 1 and True are."""
        self._rejected: dict[tuple[int, Path], tuple[RejectedAnswer, ...]] = {}

    @property
    def may_go_on(self) -> bool:
        """Whether fields may be asked again."""
        return self._n_left > 0 or self._forces

    def note(self, questions: Sequence[Question], values: Sequence[Any]) -> list[tuple[int, Leaf]]:
        """Remember what has been asked, and the values.

        Returns the leaves that have been asked, and came ``after`` one that has another value now.
        """
        changed = []
        for question, value in zip(questions, values, strict=True):
            place = question.document, question.leaf.path
            self._leaves[place] = question.leaf
            if self._said.get(place) != repr(value):
                self._said[place] = repr(value)
                changed.append(place)
        return self._followers(changed)

    def due(self, documents: Sequence[DocumentValues]) -> list[Retry]:
        """The questions to be asked again; none after as many waves as there may be."""
        lacking = dict.fromkeys(
            place
            for d, own in enumerate(documents if self._forces else ())
            for path in own.lacking(self._schema)
            if (place := self._asked(d, path)) and not self._leaves[place].is_forced
        )
        if lacking or not self._n_left:
            return [Retry(place[0], self._leaves[place].forced, ()) for place in lacking]
        self._n_left -= 1
        due = []
        for d, own in enumerate(documents):
            faults = own.faults(self._schema, self._options, is_part=self._is_part)
            reasons = {
                place: reason
                for path, reason in reversed(faults.items())
                if (place := self._asked(d, path))
            }
            for place, reason in reversed(reasons.items()):
                before = own.fields.get(place[1], FieldValue())
                texts = (*self._rejected.get(place, ()), RejectedAnswer(before.raw, reason))
                self._rejected[place] = texts
                values = [(_value(text.raw), _reason(text.error)) for text in texts]
                due.append(Retry(d, self._leaves[place], values))
        return due

    def _asked(self, d: int, path: Path) -> tuple[int, Path] | None:
        """The place of the leaf that gave a field, which may be a whole list; None if none did."""
        if (d, path) in self._leaves:
            return d, path
        for n in range(len(path) - 1, 0, -1):
            place = d, (*path[:n], COUNT_KEY)
            if place in self._leaves:
                return place if self._leaves[place].written is not None else None
        return None

    def has_followers(self, questions: Sequence[Question]) -> bool:
        """Whether a leaf that has been asked comes ``after`` one of these."""
        return bool(self._followers([(each.document, each.leaf.path) for each in questions]))

    def rejected(self, question: Question) -> tuple[RejectedAnswer, ...]:
        """The text that the model wrote before for the field of a question."""
        return self._rejected.get((question.document, question.leaf.path), ())

    def _followers(self, places: Sequence[tuple[int, Path]]) -> list[tuple[int, Leaf]]:
        """The leaves that have been asked, and came ``after`` one at these places."""
        return [
            (d, leaf)
            for (d, _), leaf in self._leaves.items()
            if any(d == other and is_below(path, leaf.after) for other, path in places)
        ]


def _with_value_of(result: FieldValue, part: Any) -> FieldValue:
    """The field of a list or an object with the whole of it, in place of a count or a name."""
    is_other = isinstance(part, list | dict) or type(part) is float
    return replace(result, value=part) if is_other and result.value is not None else result


def _is_lacking(error: str | None) -> bool:
    return error is not None and error.startswith(LACKING)


def _value(raw: str) -> Any:
    """The value that the model wrote, in short; its text, if it is none."""
    text = raw.strip()
    try:
        value, end = json.JSONDecoder(strict=False).raw_decode(text)
        if text[end : end + 1].isalnum():  # 01067 is not 0.
            value = text
    except (ValueError, RecursionError):
        value = text.lstrip('"')
    if isinstance(value, str):
        return _shortened(value, _MAX_SHOWN_VALUE)
    return value if isinstance(value, int | float | None) else _shortened(text, _MAX_SHOWN_VALUE)


def _reason(error: str) -> str:
    return _shortened(_REASONS.get(error, error), _MAX_SHOWN_REASON)


def _shortened(text: str, longest: int) -> str:
    return text if len(text) <= longest else f"{text[:longest]}..."


def near_tie(margins: Iterable[float]) -> float | None:
    """The smallest of differences of logits, or of log-probabilities, if it is a near tie's."""
    margin = min(margins, default=math.inf)
    return margin if margin < near_tie_margin() else None


def min_margin(margins: Iterable[float | None]) -> float | None:
    """The smallest margin of near ties, None if there are none."""
    return min((margin for margin in margins if margin is not None), default=None)


def log_distance(probability: float, other: float) -> float | None:
    """The margin of a decision that compares two probabilities, if it is a near tie."""
    if probability <= 0.0 or not 0.0 < other < math.inf:
        return None
    return near_tie([abs(math.log(probability / other))])


def is_count(schema: Schema, path: Path) -> bool:
    """Whether a field is the number of an array's items, and no attribute of that name."""
    if path[-1:] != (COUNT_KEY,):
        return False
    above = answer_leaf(schema, path[:-1])
    return above is not None and above.is_counted


def is_below(path: Path, roots: Iterable[Path]) -> bool:
    """Whether a path leads to one of the roots, or to a part of it."""
    return any(path[: len(root)] == root for root in roots)


def _counts_above(path: Path) -> list[Path]:
    """The paths of the counts of all arrays in which a field may be; items have numbers."""
    return [(*path[:n], COUNT_KEY) for n in range(1, len(path)) if path[n].isdecimal()]


def _refused(
    result: FieldValue, attribute: Attribute, why: str, confidence: float | None = None
) -> FieldValue:
    """The result of a refused value: null, with an error if the field must have a value.

    Args:
        result: the value.
        attribute: its attribute.
        why: the reason.
        confidence: that of the null.
    """
    result = replace(result, value=None, confidence=confidence)
    if attribute.needs_a_value:
        return replace(result, error=f"{LACKING} {why}")
    return replace(result, reason=why)
