"""The values of one document: checked, grounded, retried, and turned into an extraction.

A *near tie* is a value that might have been different with other documents in the same batch:
floating-point sums are rounded differently in another batch, so if a token's logit is only just
above that of the runner-up, either may be chosen. The margin of a value is the smallest margin of
its tokens and of the values on which it depends. It is None for values that are not near ties.
"""

from __future__ import annotations

import itertools
import json
import math
from collections import Counter
from collections.abc import Collection, Iterable, Sequence, Set
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Any

from hpd._native import near_tie_margin
from hpd.errors import InvalidDataError
from hpd.options import Options
from hpd.prompt.questions import Leaf, Question, Retry
from hpd.prompt.text import COUNT_KEY, FieldPath
from hpd.results import (
    Extraction,
    Failure,
    FieldValue,
    RejectedAnswer,
    Usage,
    build_data,
    iter_parts,
    replace_parts,
)
from hpd.schema.attributes import Attribute, Schema
from hpd.schema.checks import is_within
from hpd.schema.data_checks import checks_not_passed
from hpd.values.answers import answer_leaf
from hpd.values.assembly import NO_VALUE_ERROR, Assembly, assemble, unwrapped_data
from hpd.values.confidence import COUNT_KIND, ConfidenceMap, kind_of
from hpd.values.grounding import Grounder, assign_spans
from hpd.values.numbers import as_float, with_three_decimals, with_trailing_zeros, years_in
from hpd.values.parsing import MISSING_PREFIX, check_value, is_missing

MIN_PROBABILITY = 0.001
"""Choices and required values below this probability become null. It is the probability of the text
among all texts, not only the allowed ones. On titles of OA-Mine, 19 of 20 choices of the bundled
model below it were wrong (see docs/reliability.md)."""

MIN_ALLOWED_SHARE = 0.5
"""Minimum share of the model's probability that a constraint (a pattern, a date, choices) must
allow. Below it, the model wanted to write something else, and the constraint forced the value."""

MIN_CHOICE_SHARE = 0.65
"""The same for a choice; higher, as the model's text may begin with the same letter by chance."""

SURE_CHOICE_CONFIDENCE = 0.8
"""A choice of at least this confidence may be what another word of the document means: *closed* for
*shut*. Of 28 texts with such words, the bundled model's right choices were at 0.69 to 0.98, its
wrong ones at 0.62 to 0.79; in texts that contradict their schema, three of four were below 0.71."""

SURE_CONFIDENCE = 0.95
"""Values of at least this confidence are kept even if only their field's description has them."""

UNTRAINED_NULL_THRESHOLD = 0.25
"""The confidence below which an optional value becomes null, with a model that was not trained for
hpd and has no calibration. On 60 handwritten documents, Qwen2.5-Coder-1.5B has an F1 of 67.8 with
it, 63.5 without, 68.7 with 0.4 and 60.0 with 0.6: 124 of 345 wrong values become null, and 19 of
435 right ones."""

MAX_RETRIES = 2
"""Maximum number of further waves that ask for rejected values."""

RETRY_KEY_TOKENS = 96
"""The tokens reserved in a later key for a rejected value and the reason."""

_NOT_GROUNDED = "the document does not hold it"
"""Why a value is rejected with ``require_grounding``."""

_REASONS_FOR_MODEL = dict.fromkeys(
    (NO_VALUE_ERROR, f"{MISSING_PREFIX} {_NOT_GROUNDED}"), "a value is required"
)
"""Reasons reworded for the model, where the wording of the output would confirm its answer."""

DEFAULT_OPTIONS = Options()

_MAX_SHOWN_VALUE = 80
_MAX_SHOWN_REASON = 160


@dataclass(frozen=True, slots=True)
class ConfidenceLimits:
    """The limits below which a value is rejected."""

    threshold: float = 0.0
    """The share of values with the same confidence that must be right."""
    min_confidence: float = 0.0
    """The model's confidence at which that share is right."""
    min_probability: float = 0.0
    """Minimum probability of its text among all texts, unless the document states the value."""
    min_allowed_share: float = 0.0
    """Minimum share of the model's probability that the constraint allows, with the same
    exception."""

    choices_are_stated: bool = False
    """Whether an unsure choice that the document does not state is rejected if another word stands
    after the name of its field."""

    def rejection(self, likelihood: Likelihood) -> str | None:
        """Return why a value that the document does not state is rejected, or None if it is not."""
        if likelihood.probability < self.min_probability:
            return f"the model rules it out (less likely than {self.min_probability:g})"
        if likelihood.allowed_share < self.min_allowed_share:
            return "the model would write something else, which is not allowed here"
        return None

    def margins(self, likelihood: Likelihood) -> list[float | None]:
        """Return the margin of each decision of ``rejection``, or None if it is not a near tie."""
        return [
            log_distance(likelihood.probability, self.min_probability),
            log_distance(likelihood.allowed_share, self.min_allowed_share),
        ]


@dataclass(frozen=True, slots=True)
class Likelihood:
    """The probabilities of a value."""

    probability: float
    """The probability of its text among all texts, allowed or not."""
    share: float
    """The probability of its text among those that the constraint allows."""

    @property
    def allowed_share(self) -> float:
        """The share of the model's probability that the constraint allowed along the value."""
        return min(1.0, self.probability / self.share) if self.share > 0.0 else 0.0


@dataclass(slots=True)
class DocumentValues:
    """The values of one document with their details, by field path."""

    fields: dict[FieldPath, FieldValue] = field(default_factory=dict)
    attributes: dict[FieldPath, Attribute] = field(default_factory=dict)
    """The attributes of stored fields. Fields merged from chunks are looked up in the schema."""

    def store(
        self,
        path: FieldPath,
        attribute: Attribute,
        result: FieldValue,
        limits: ConfidenceLimits | None = None,
        likelihood: Likelihood | None = None,
        grounder: Grounder | None = None,
    ) -> Any:
        """Store a value, or null if it is too unlikely; return what was stored.

        Args:
            path: the field.
            attribute: its attribute.
            result: the value, with its confidence.
            limits: when to reject it; None never does.
            likelihood: its probabilities.
            grounder: finds out whether the document states it.
        """
        if result.nulled:  # The confidence is that of the written text, not of null.
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
                margin = min_margin([margin, *limits.margins(likelihood)])
                why = limits.rejection(likelihood)
                if why is not None and grounder is not None:
                    # Each item of a list needs a statement of its own.
                    n_times = 1 + self._n_items_with(path, result.value)
                    is_stated = grounder.is_stated(result.value, n_times) or (
                        n_times == 1
                        and grounder.abbreviates(attribute.name, result.value, attribute.choices)
                    )
                    why = None if is_stated else why
                if why is not None:
                    confidence = None
            if why is None and grounder is not None and not result.forced:
                why = (
                    self._repeated_item_error(path, result.value, grounder)
                    or _misstatement(result, attribute, grounder)
                    or (
                        _other_choice(result, attribute, grounder)
                        if limits.choices_are_stated
                        else None
                    )
                )
                confidence = None if why is not None else confidence
            if why is not None:
                result = _reject(result, attribute, why, confidence)
            if margin != result.margin:  # Copying is the most expensive step here.
                result = replace(result, margin=margin)
        self.fields[path] = result
        self.attributes[path] = attribute
        return result.value

    def drop_below(self, path: FieldPath) -> None:
        """Drop the fields below a path, such as the items of a list that is stored again."""
        for each in [each for each in self.fields if is_below(each, [path])]:
            del self.fields[each]

    def reject_repeated_rows(self, array: FieldPath, grounder: Grounder) -> None:
        """Reject the values of rows that equal an earlier one more often than the document can.

        The document can have as many as it has their first text.
        """
        rows: dict[FieldPath, dict[FieldPath, FieldValue]] = {}
        for path, result in self.fields.items():
            n = len(array)
            if path[:n] == array and path[n].isdecimal() and len(path) > n + 1:
                rows.setdefault(path[: n + 1], {})[path[n + 1 :]] = result
        n_equal: Counter[str] = Counter()
        for row, parts in rows.items():
            values = {part: result.value for part, result in parts.items()}
            name = next((value for value in values.values() if isinstance(value, str)), None)
            n_equal[repr(values)] += 1
            why = self._repetition_error(name, n_equal[repr(values)], grounder)
            if why is not None:
                for part, result in parts.items():
                    path = (*row, *part)
                    self.fields[path] = _reject(result, self.attributes[path], why)

    @staticmethod
    def _repetition_error(value: Any, n_times: int, grounder: Grounder) -> str | None:
        """Return why a text is given too often, or None if it is not."""
        if n_times < 2 or not isinstance(value, str):
            return None
        if not grounder.is_stated(value) or grounder.is_stated(value, n_times):
            return None
        return "the document has it only " + ("once" if n_times == 2 else f"{n_times - 1} times")

    def _repeated_item_error(self, path: FieldPath, value: Any, grounder: Grounder) -> str | None:
        """Return why an item of a list of texts repeats an earlier one, or None.

        Items that are asked for by number are found independently of each other.
        """
        is_item = path[-1].isdecimal()
        return (
            self._repetition_error(value, 1 + self._n_items_with(path, value), grounder)
            if is_item
            else None
        )

    def _n_items_with(self, path: FieldPath, value: Any) -> int:
        """Return how many other items of the same list, or parts of them, have a value."""
        field = _without_numbers(path)
        return sum(
            result.value == value and other != path and _without_numbers(other) == field
            for other, result in self.fields.items()
        )

    def value_at(self, path: FieldPath) -> Any:
        """Return the value of a field, or None."""
        return self.fields[path].value if path in self.fields else None

    def _attribute(self, schema: Schema, path: FieldPath) -> Attribute | None:
        return self.attributes.get(path) or answer_leaf(schema, path)

    def inherited_margin(self, leaf: Leaf) -> float | None:
        """Return the smallest margin of the values on which a leaf depends, or None.

        These are the values that it comes ``after`` and the item counts of the arrays around it.
        """
        if len(leaf.path) == 1 and not leaf.after:
            return None
        seen = _enclosing_counts(leaf.path)
        if leaf.after:
            seen += [path for path in self.fields if is_below(path, leaf.after)]
        return min_margin(self.fields[path].margin for path in seen if path in self.fields)

    def ground(self, schema: Schema, grounder: Grounder, options: Options) -> None:
        """Find every value in the document; with ``require_grounding``, reject those not found."""
        parents = {path[:-1] for path in self.fields if path[-1] == COUNT_KEY}
        arrays = {path for path in parents if (one := answer_leaf(schema, path)) and one.is_counted}
        given = [
            path
            for path, result in self.fields.items()
            if result.value is not None and not (path[-1] == COUNT_KEY and path[:-1] in arrays)
        ]
        found = {path: self._attribute(schema, path) for path in given}
        attributes = {path: one for path, one in found.items() if one is not None}
        values = {path: self.fields[path].value for path in attributes}
        fixed = {path for path, one in attributes.items() if one.type in ("enum", "boolean")}
        spans = assign_spans(grounder, values, arrays, fixed.__contains__)
        for path, attribute in attributes.items():
            result, span = self.fields[path], spans.get(path)
            is_found = span is not None and span.match != "fuzzy"
            if not is_found and _is_copied(result, attribute, grounder):
                why = "it is in the description of the field, not in the document"
                self.fields[path] = _reject(result, attribute, why)
            elif span is not None:
                self.fields[path] = replace(
                    result,
                    start=span.start,
                    end=span.end,
                    text=grounder.document[span.start : span.end],
                    match=span.match,
                )
            elif path in fixed or not options.require_grounding:
                self.fields[path] = replace(result, match="none")
            else:
                self.fields[path] = _reject(result, attribute, _NOT_GROUNDED)

    def calibrate(self, schema: Schema, confidence_map: ConfidenceMap) -> None:
        """Replace the model's confidence in each field by a calibrated one.

        Forced values are left alone, as the map was not fitted to them.

        Args:
            schema: the fields.
            confidence_map: the calibration.
        """
        found = {path: self._attribute(schema, path) for path in self.fields}
        kinds = {
            path: COUNT_KIND if is_count(schema, path) else attribute.type
            for path, attribute in found.items()
            if attribute is not None
            and self.fields[path].confidence is not None
            and not self.fields[path].forced
        }
        for path, kind in kinds.items():
            own = self.fields[path]
            kind, confidence = kind_of(kind, path), own.confidence or 0.0
            if own.nulled:  # Below the threshold: null is as likely as the value is unlikely.
                share = 1.0 - confidence_map(kind, 1.0 - confidence, is_null=False)
            else:
                share = confidence_map(kind, confidence, is_null=own.value is None)
            self.fields[path] = replace(own, confidence=share, uncalibrated=own.confidence)

    def data(self, schema: Schema) -> dict[str, Any]:
        """Return the values found so far, nested as in the answer."""
        return self._assemble(schema, as_answer=True).data

    def settled_data(self, schema: Schema, options: Options, unsettled: Set[str]) -> dict[str, Any]:
        """Return the data of the attributes before the first ``unsettled`` one."""
        data = self._assemble(schema, options).data
        names = itertools.takewhile(
            lambda name: name not in unsettled, (each.name for each in schema.attributes)
        )
        return {name: data[name] for name in names if name in data}

    def missing_fields(self, schema: Schema) -> set[FieldPath]:
        """Return the fields that need an answer so that no required value is missing or invalid."""
        assembled = self._assemble(schema)
        invalid = {
            path
            for path in assembled.faults
            if (result := self.fields.get(path)) and result.error
            if (attribute := self._attribute(schema, path)) and attribute.needs_value
        }
        return assembled.missing_fields | invalid

    def faults(
        self, schema: Schema, options: Options = DEFAULT_OPTIONS, *, is_chunk: bool = False
    ) -> dict[FieldPath, str]:
        """Return the rejected fields, by path, with the reasons.

        If the user's class rejects an object, all of its fields are included. In a chunk of a
        document, nothing counts as missing: other chunks may have it.
        """
        if is_chunk:
            return {path: result.error for path, result in self.fields.items() if result.error}
        assembled = self._assemble(schema, options)
        faults = {path: message for path, (_, message) in assembled.faults.items()}
        plain = self._plain_data(schema, assembled)
        for data_path, message in self._user_data(schema, assembled, options, plain)[1].items():
            for path, own in assembled.data_paths.items():
                if is_within(own, data_path):
                    faults.setdefault(path, message)
        # A rejected count is asked for again first, and its items after it.
        counts = [path for path in faults if is_count(schema, path)]
        return {
            path: message
            for path, message in faults.items()
            if not any(path != count and path[: len(count) - 1] == count[:-1] for count in counts)
        }

    def extraction(
        self, schema: Schema, id_: Any, usage: Usage, options: Options = DEFAULT_OPTIONS
    ) -> Extraction[Any]:
        """Return the extraction, with nested data or an instance of the user's class.

        Data that the class rejects is an error of the document; unless ``on_invalid`` is
        ``record``, so is data that violates the schema in another way.
        """
        assembled = self._assemble(schema, options)
        data_paths = assembled.data_paths
        plain = self._plain_data(schema, assembled)
        data, problems = self._user_data(schema, assembled, options, plain)
        parts = dict(iter_parts(plain))
        fields = {
            data_path: _with_whole_value(self.fields[path], parts.get(data_path))
            for path, data_path in data_paths.items()
            if path in self.fields
        }
        for path, result in self.fields.items():
            if result.margin is not None and path not in data_paths:
                # A near tie in a dropped item is reported by its array.
                data_path = next(
                    (data_paths[p] for p in _enclosing_counts(path) if p in data_paths), None
                )
                if data_path in fields:
                    margin = min_margin([result.margin, fields[data_path].margin])
                    fields[data_path] = replace(fields[data_path], margin=margin)
        # The reason for a missing value says more than that a class rejects null.
        for errors in (problems, assembled.errors):
            for data_path, message in errors.items():
                fields[data_path] = replace(fields.get(data_path, FieldValue()), error=message)
        for data_path, result in fields.items():
            if is_missing(result.error) and data_path not in assembled.errors:
                fields[data_path] = replace(result, error=None)  # It may be missing after all.
        is_strict = options.on_invalid != "record"
        violations = {*problems, *(assembled.violations if is_strict else ())}
        reasons = [
            f"{data_path}: {result.error}" if data_path else str(result.error)
            for data_path, result in fields.items()
            if data_path in violations
        ]
        checks = checks_not_passed(schema, plain)
        if not reasons:
            return Extraction(id_, data, fields, usage, checks=checks)
        rejected, data = (data, None) if problems else (None, data)
        failure = Failure(InvalidDataError("; ".join(reasons)), rejected)
        return Extraction(id_, data, fields, usage, failure, checks)

    def _plain_data(self, schema: Schema, assembled: Assembly) -> Any:
        """Return the data for the user as plain JSON types, with floats for numbers."""
        floats = {
            data_path: as_float(self.fields[path].value)
            for path, data_path in assembled.data_paths.items()
            if path in self.fields and type(self.fields[path].value) is int
            if (one := self._attribute(schema, path)) and one.type == "number"
        }
        return replace_parts(unwrapped_data(schema, assembled.data), floats)

    def _user_data(
        self, schema: Schema, assembled: Assembly, options: Options, plain: Any
    ) -> tuple[Any, dict[str, str]]:
        """Return the data for the user, and the problems that the user's class has with it."""
        if schema.model is None:
            return plain, {}
        decimals = {
            data_path: with_trailing_zeros(own.value, own.text or own.raw)
            for path, data_path in assembled.data_paths.items()
            if (own := self.fields.get(path)) and isinstance(own.value, int | float)
            if (one := self._attribute(schema, path)) and one.format == "decimal"
        }
        data, problems = build_data(schema, plain, decimals)
        if options.on_missing == "null":
            nulls = assembled.missing_paths & problems.keys()
            problems |= dict.fromkeys(nulls, "null, which the schema's class does not allow")
        return data, problems

    def _assemble(
        self, schema: Schema, options: Options = DEFAULT_OPTIONS, *, as_answer: bool = False
    ) -> Assembly:
        allows_null = options.on_missing == "null"
        return assemble(schema, self.fields, as_answer=as_answer, allows_null=allows_null)


class Retries:
    """Decides which fields of stacked documents are asked for again.

    With ``on_missing="force"``, fields without a required value are asked for again without
    allowing null. With ``on_invalid="retry"``, fields with rejected values are asked for again with
    the reason: the new key shows the rejected values as part of the answer, as in ``{"size": 0,
    "wrong because": "below the minimum 1", "size":``, so that the engine can keep the prompt.

    Args:
        schema: the schema of the documents.
        options: with ``on_missing`` and ``on_invalid``.
        is_chunk: whether the documents are chunks of longer ones.
    """

    def __init__(self, schema: Schema, options: Options, *, is_chunk: bool) -> None:
        self._schema = schema
        self._options = options
        self._is_chunk = is_chunk
        self._forces = options.on_missing == "force"
        self._n_left = MAX_RETRIES if options.on_invalid == "retry" else 0
        self._leaves: dict[tuple[int, FieldPath], Leaf] = {}
        self._last_values: dict[tuple[int, FieldPath], str] = {}
        """The last values, as text: values that differ may be equal, such as 1 and True."""
        self._rejected: dict[tuple[int, FieldPath], tuple[RejectedAnswer, ...]] = {}

    @property
    def may_continue(self) -> bool:
        """Whether fields may be asked for again."""
        return self._n_left > 0 or self._forces

    def record(
        self, questions: Sequence[Question], values: Sequence[Any]
    ) -> list[tuple[int, Leaf]]:
        """Record the questions of a wave and their values.

        Returns the leaves to ask again because they come ``after`` one whose value has changed.
        """
        changed = []
        for question, value in zip(questions, values, strict=True):
            key = question.document, question.leaf.path
            self._leaves[key] = question.leaf
            if self._last_values.get(key) != repr(value):
                self._last_values[key] = repr(value)
                changed.append(key)
        return self._dependants(changed)

    def due(self, documents: Sequence[DocumentValues]) -> list[Retry]:
        """Return the questions to ask again; none once the limit of waves is reached."""
        lacking = dict.fromkeys(
            key
            for d, own in enumerate(documents if self._forces else ())
            for path in own.missing_fields(self._schema)
            if (key := self._leaf_key(d, path)) and not self._leaves[key].is_forced
        )
        if lacking or not self._n_left:
            return [Retry(key[0], self._leaves[key].as_forced, ()) for key in lacking]
        self._n_left -= 1
        due = []
        for d, own in enumerate(documents):
            faults = own.faults(self._schema, self._options, is_chunk=self._is_chunk)
            reasons = {
                key: reason
                for path, reason in reversed(faults.items())
                if (key := self._leaf_key(d, path))
            }
            for key, reason in reversed(reasons.items()):
                before = own.fields.get(key[1], FieldValue())
                texts = (*self._rejected.get(key, ()), RejectedAnswer(before.raw, reason))
                self._rejected[key] = texts
                values = [(_shorten_value(text.raw), _shorten_reason(text.error)) for text in texts]
                due.append(Retry(d, self._leaves[key], values))
        return due

    def _leaf_key(self, d: int, path: FieldPath) -> tuple[int, FieldPath] | None:
        """Return the key of the leaf that wrote a field, perhaps as part of a list, or None."""
        if (d, path) in self._leaves:
            return d, path
        for n in range(len(path) - 1, 0, -1):
            key = d, (*path[:n], COUNT_KEY)
            if key in self._leaves:
                return key if self._leaves[key].written is not None else None
        return None

    def has_dependants(self, questions: Sequence[Question]) -> bool:
        """Return whether a leaf that was asked comes ``after`` one of these."""
        return bool(self._dependants([(each.document, each.leaf.path) for each in questions]))

    def rejected(self, question: Question) -> tuple[RejectedAnswer, ...]:
        """Return the earlier answers of a question that were rejected."""
        return self._rejected.get((question.document, question.leaf.path), ())

    def _dependants(self, keys: Sequence[tuple[int, FieldPath]]) -> list[tuple[int, Leaf]]:
        """Return the leaves that were asked and come ``after`` one of these."""
        return [
            (d, leaf)
            for (d, _), leaf in self._leaves.items()
            if any(d == other and is_below(path, leaf.after) for other, path in keys)
        ]


def _with_whole_value(result: FieldValue, part: Any) -> FieldValue:
    """Return the field of a list or object with its whole value instead of a count or a name."""
    is_other = isinstance(part, list | dict) or type(part) is float
    return replace(result, value=part) if is_other and result.value is not None else result


def _shorten_value(raw: str) -> Any:
    """Return the value that the model wrote, shortened; its text if it is not JSON."""
    text = raw.strip()
    try:
        value, end = json.JSONDecoder(strict=False).raw_decode(text)
        if text[end : end + 1].isalnum():  # 01067 is not 0.
            value = text
    except (ValueError, RecursionError):
        value = text.lstrip('"')
    if isinstance(value, str):
        return _shorten(value, _MAX_SHOWN_VALUE)
    return value if isinstance(value, int | float | None) else _shorten(text, _MAX_SHOWN_VALUE)


def _shorten_reason(error: str) -> str:
    return _shorten(_REASONS_FOR_MODEL.get(error, error), _MAX_SHOWN_REASON)


def _shorten(text: str, longest: int) -> str:
    return text if len(text) <= longest else f"{text[:longest]}..."


def near_tie(margins: Iterable[float]) -> float | None:
    """Return the smallest margin if it is a near tie, else None."""
    margin = min(margins, default=math.inf)
    return margin if margin < near_tie_margin() else None


def min_margin(margins: Iterable[float | None]) -> float | None:
    """Return the smallest margin, or None if there are none."""
    return min((margin for margin in margins if margin is not None), default=None)


def log_distance(probability: float, other: float) -> float | None:
    """Return the margin of a comparison of two probabilities if it is a near tie, else None."""
    if probability <= 0.0 or not 0.0 < other < math.inf:
        return None
    return near_tie([abs(math.log(probability / other))])


def is_count(schema: Schema, path: FieldPath) -> bool:
    """Return whether a path is an array's item count, and not an attribute called ``count``."""
    if path[-1:] != (COUNT_KEY,):
        return False
    parent = answer_leaf(schema, path[:-1])
    return parent is not None and parent.is_counted


def is_below(path: FieldPath, roots: Iterable[FieldPath]) -> bool:
    """Return whether a path is one of the roots or below one."""
    return any(path[: len(root)] == root for root in roots)


def _enclosing_counts(path: FieldPath) -> list[FieldPath]:
    """Return the paths of the item counts of all arrays that may contain a field."""
    return [(*path[:n], COUNT_KEY) for n in range(1, len(path)) if path[n].isdecimal()]


def _is_copied(result: FieldValue, attribute: Attribute, grounder: Grounder) -> bool:
    """Return whether a value of low confidence was copied from the description of its field."""
    if attribute.choices or attribute.type == "boolean":
        return False
    shown = "\n".join((attribute.description, *map(str, attribute.examples)))
    is_sure = result.confidence is not None and result.confidence >= SURE_CONFIDENCE
    is_shown = bool(shown) and not is_sure and Grounder(shown).is_stated(result.value)
    return is_shown and not grounder.is_torn(result.value)


def _misstatement(result: FieldValue, attribute: Attribute, grounder: Grounder) -> str | None:
    """Return why a value is not what the document states, or None.

    As a model knows what the schema allows, it may bend what it reads to fit, or take another
    value.
    """
    value = result.value
    is_number = attribute.type in ("integer", "number")
    if is_number and (beside := grounder.numbers_beside(attribute.name)):
        is_beside = any(Decimal(str(value)) in readings for _, readings in beside)
        if not is_beside and not any(_is_allowed(each, attribute) for _, each in beside):
            return f"the document states {beside[0][0]} there, which is not allowed"
    if attribute.type == "date-time" and (why := grounder.midnight_error(value)):
        return why
    if result.confidence is None or result.confidence >= SURE_CONFIDENCE:
        return None
    if is_number and (attribute.multiple_of or 1) < 1:
        # With cents, the model may read as thousands what would have too many decimals.
        decimal = with_three_decimals(value, grounder.document)
        if decimal is not None and not _is_allowed({Decimal(decimal)}, attribute):
            return f"the document states {decimal}, which is not allowed"
    if attribute.type == "integer":
        stated = grounder.fraction_instead_of(value)
        return None if stated is None else f"the document states {stated}, not a whole number"
    if attribute.type in ("date", "date-time"):
        is_given = int(value[:4]) in years_in(attribute.description)
        return None if is_given else grounder.year_error(value)
    if attribute.type == "string":
        if not any(map(str.isalnum, value)) and value not in grounder.document:
            return "the model wrote marks that are not in the document"
        has_form = attribute.pattern or attribute.max_length is not None
        if has_form and grounder.cuts_a_word(value):
            return "the document has it in longer words alone"
    return None


def _other_choice(result: FieldValue, attribute: Attribute, grounder: Grounder) -> str | None:
    """Return why a choice is not what the document states, or None."""
    choices = [choice for choice in attribute.choices if isinstance(choice, str)]
    is_sure = result.confidence is None or result.confidence >= SURE_CHOICE_CONFIDENCE
    if is_sure or result.value not in choices or grounder.is_stated(result.value):
        return None
    other = grounder.other_word_after(attribute.name, choices)
    return other and f"the document states {other} there, which is not allowed"


def _is_allowed(readings: Collection[Decimal], attribute: Attribute) -> bool:
    """Return whether the schema allows a number in any of its readings."""
    numbers = (int(n) if n == n.to_integral_value() else float(n) for n in readings)
    return any(check_value(number, attribute).error is None for number in numbers)


def _without_numbers(path: FieldPath) -> FieldPath:
    return tuple(name for name in path if not name.isdecimal())


def _reject(
    result: FieldValue, attribute: Attribute, why: str, confidence: float | None = None
) -> FieldValue:
    """Return a result with null in place of a rejected value.

    The reason is an error if the attribute is required and not nullable.

    Args:
        result: the value.
        attribute: its attribute.
        why: the reason.
        confidence: the confidence in null.
    """
    result = replace(result, value=None, confidence=confidence)
    if attribute.needs_value:
        return replace(result, error=f"{MISSING_PREFIX} {why}")
    return replace(result, reason=why)
