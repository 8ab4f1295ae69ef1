"""The findings on one document while it is under way, and the extraction made of them."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from hpd._native import near_tie_margin
from hpd.errors import InvalidDataError
from hpd.options import Options
from hpd.prompt import COUNT_KEY, Path
from hpd.prompt.questions import Leaf, Question, Refused
from hpd.results import Extraction, Failure, FieldResult, RefusedText, Usage, build_data
from hpd.schema.attributes import Attribute, Schema
from hpd.values import ABSENT, Parsed, answer_leaf, assemble
from hpd.values.confidence import COUNT, ConfidenceMap, kind_of
from hpd.values.placement import place_values
from hpd.values.places import Grounder


def near_tie(margins: Iterable[float]) -> float | None:
    """The smallest margin, if it is that of a near tie.

    Args:
        margins: differences of logits, or of log-probabilities.
    """
    margin = min(margins, default=math.inf)
    return margin if margin < near_tie_margin() else None


def least(margins: Iterable[float | None]) -> float | None:
    """The smallest margin of near ties, None if there are none."""
    return min((margin for margin in margins if margin is not None), default=None)


def between(probability: float, other: float) -> float | None:
    """The margin of a decision that compares two probabilities, if it is a near tie."""
    if probability <= 0.0 or not 0.0 < other < math.inf:
        return None
    return near_tie([abs(math.log(probability / other))])


@dataclass(frozen=True, slots=True)
class Bound:
    """The least probability with which a value is kept."""

    probability: float
    least: float
    reason: str
    """The reason for which a value below it is refused."""
    leaves_null: bool = False
    """Whether null was kept back for the value's sake: where that is no likelier than all else
    together, the model has said null, and with what the value leaves to it."""


@dataclass(slots=True)
class Findings:
    """The values of one document's fields and the evidence for each, by path."""

    values: dict[Path, Parsed] = field(default_factory=dict)
    results: dict[Path, FieldResult] = field(default_factory=dict)

    def store(
        self,
        path: Path,
        attribute: Attribute,
        parsed: Parsed,
        result: FieldResult,
        bounds: Sequence[Bound] = (),
    ) -> Parsed:
        """Store a value; it becomes null if it is below one of the bounds."""
        margin = result.margin
        for bound in bounds if parsed.value is not None else ():
            if bound.probability < bound.least:
                if bound.leaves_null and bound.probability <= 0.5:
                    result = replace(result, raw="null", confidence=1 - bound.probability)
                    parsed = Parsed()
                else:
                    parsed = Parsed(error=refusal(attribute, bound.reason))
            margin = least([margin, between(bound.probability, bound.least)])
        # A copy costs more than all the rest, and mostly nothing has changed.
        if (
            result.value is not parsed.value
            or result.error != parsed.error
            or result.margin != margin
        ):
            result = replace(result, error=parsed.error, value=parsed.value, margin=margin)
        self.values[path] = parsed
        self.results[path] = result
        return parsed

    def inherited_margin(self, leaf: Leaf) -> float | None:
        """The margin of the values on which a leaf depends, if one of them is a near tie.

        A leaf depends on the values that it comes after, and on the numbers of items of the arrays
        in which it is.
        """
        if len(leaf.path) == 1 and not leaf.after:
            return None
        seen = _counts_above(leaf.path)
        if leaf.after:
            seen += [p for p in self.results if any(p[: len(root)] == root for root in leaf.after)]
        return least(self.results[path].margin for path in seen if path in self.results)

    def ground(self, schema: Schema, text: str, options: Options) -> None:
        """Look up every value in the document, and drop those that must be there but are not."""
        grounder = Grounder(text)
        values: dict[Path, Any] = {}
        arrays: set[Path] = set()
        attributes: dict[Path, Attribute] = {}
        for path, result in self.results.items():
            attribute, array = answer_leaf(schema, path), answer_leaf(schema, path[:-1])
            if array is not None and array.type == "array" and is_count(path):
                arrays.add(path[:-1])
            elif attribute is not None and result.value is not None:
                attributes[path], values[path] = attribute, result.value
        spans = place_values(grounder, values, arrays, lambda path: is_of_set(attributes[path]))
        for path in values:
            attribute, result = attributes[path], self.results[path]
            is_fixed = is_of_set(attribute)
            span = spans.get(path)
            if span is not None:
                self.results[path] = replace(
                    result,
                    start=span.start,
                    end=span.end,
                    match=span.match,
                )
            elif is_fixed or not options.require_grounding:
                self.results[path] = replace(result, match="none")
            else:
                refused = Parsed(error=refusal(attribute, "the document does not hold it"))
                self.values[path] = refused
                self.results[path] = replace(result, value=None, error=refused.error)

    def calibrate(self, schema: Schema, text: str, confidence_map: ConfidenceMap) -> None:
        """Turn the model's confidence in each field into the share of such that is right.

        Args:
            schema: the fields.
            text: the whole document.
            confidence_map: says the share.
        """
        for path, result in self.results.items():
            attribute = answer_leaf(schema, path)
            if attribute is None or result.confidence is None:
                continue
            # A value that was refused is no null of the model's.
            is_null = result.value is None and not result.nulled
            kind = kind_of(COUNT if is_count(path) else attribute.type, text)
            confidence = confidence_map(kind, result.confidence, is_null=is_null)
            self.results[path] = replace(
                result, confidence=confidence, uncalibrated=result.confidence
            )

    def data(self, schema: Schema) -> dict[str, Any]:
        """The values found so far, nested as in the answer."""
        return assemble(schema, self.values).data

    def faults(self, schema: Schema, *, is_part: bool = False) -> dict[Path, str]:
        """The fields whose values are refused, by path, each with the reason.

        If the user's class refuses a whole, all its fields are to blame. Of a part of a document,
        nothing is missing: the rest may have it.
        """
        if is_part:
            return {
                path: parsed.error
                for path, parsed in self.values.items()
                if parsed.error and not parsed.missing
            }
        assembled = assemble(schema, self.values)
        faults = dict(assembled.faults)
        for place, message in build_data(schema, assembled.data)[1].items():
            for path, own in assembled.places.items():
                if not place or own == place or own.startswith((f"{place}.", f"{place}[")):
                    faults.setdefault(path, message)
        # Items are asked anew once their number is.
        counts = [path for path in faults if is_count(path)]
        return {
            path: message
            for path, message in faults.items()
            if not any(path != count and path[: len(count) - 1] == count[:-1] for count in counts)
        }

    def extraction(
        self, schema: Schema, id_: Any, usage: Usage, *, strict: bool
    ) -> Extraction[Any]:
        """The extraction for the user: nested data, or an instance of the user's class.

        Data that the user's class refuses is an error of the document; with ``strict``, so is
        data that breaks the schema otherwise.
        """
        assembled = assemble(schema, self.values)
        data, problems = build_data(schema, assembled.data)
        fields = {
            assembled.places[path]: result
            for path, result in self.results.items()
            if path in assembled.places
        }
        self._mark_arrays(fields, assembled.places)
        for errors in (assembled.errors, problems):
            for place, message in errors.items():
                fields[place] = replace(fields.get(place, FieldResult()), error=message)
        violations = {*problems, *(assembled.violations if strict else ())}
        reasons = [
            f"{place}: {result.error}" if place else str(result.error)
            for place, result in fields.items()
            if place in violations
        ]
        failure = Failure(InvalidDataError.__name__, "; ".join(reasons)) if reasons else None
        return Extraction(id_, data, fields, usage, failure)

    def _mark_arrays(self, fields: dict[str, FieldResult], places: Mapping[Path, str]) -> None:
        """Have an array tell that an item which was left out is a near tie."""
        for path, result in self.results.items():
            if result.margin is None or path in places:
                continue
            place = next((places[p] for p in _counts_above(path) if p in places), None)
            if place in fields:
                margin = least([result.margin, fields[place].margin])
                fields[place] = replace(fields[place], margin=margin)


def is_count(path: Path) -> bool:
    """Whether a field is the number of an array's items."""
    return path[-1:] == (COUNT_KEY,)


def _counts_above(path: Path) -> list[Path]:
    """The paths of the numbers of items of all arrays in which a field may be."""
    return [(*path[:n], COUNT_KEY) for n in range(1, len(path))]


def is_of_set(attribute: Attribute) -> bool:
    """Whether a value is one of a fixed set, so that the document need not hold its text."""
    return attribute.type in ("enum", "boolean")


def refusal(attribute: Attribute, why: str) -> str | None:
    """A refused value: null, with an error if the field must have a value."""
    return f"required, but {why}" if attribute.needs_a_value else None


N_RETRIES = 2
"""The waves in which fields are asked again, at most."""

N_REFUSED_TOKENS = 96
"""The tokens for which a later key has room, for each value that is refused and the reason."""

_REASONS = {ABSENT: "a value is required"}
"""Reasons in other words, where those of the output would only confirm the model."""

_LONGEST_VALUE = 80
_LONGEST_REASON = 160


class Retries:
    """The refused values of stacked documents.

    Args:
        schema: of the documents.
        n_stacked: how many they are.
        is_part: whether they are parts of longer ones.
    """

    def __init__(self, schema: Schema, n_stacked: int, *, is_part: bool) -> None:
        self._schema = schema
        self._n_stacked = n_stacked
        self._is_part = is_part
        self._n_left = N_RETRIES
        self._leaves: dict[tuple[int, Path], Leaf] = {}
        self._said: dict[tuple[int, Path], str] = {}
        """The last values, as text: those that differ may be equal, as 1 and True are."""
        self._refused: dict[tuple[int, Path], tuple[RefusedText, ...]] = {}

    @property
    def may_go_on(self) -> bool:
        """Whether fields may be asked again."""
        return self._n_left > 0

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

    def due(self, findings: Sequence[Findings]) -> list[Refused]:
        """The questions to be asked again; none after as many waves as there may be."""
        if not self._n_left:
            return []
        self._n_left -= 1
        due = []
        for d, own in enumerate(findings):
            for path, reason in own.faults(self._schema, is_part=self._is_part).items():
                place = d, path
                if place not in self._leaves:
                    continue
                before = own.results.get(path, FieldResult())
                texts = (*self._refused.get(place, ()), RefusedText(before.raw, reason))
                self._refused[place] = texts
                values = [(_value(text.raw), _reason(text.error)) for text in texts]
                due.append(Refused(d, self._leaves[place], values))
        return due

    def has_followers(self, questions: Sequence[Question]) -> bool:
        """Whether a leaf that has been asked comes ``after`` one of these."""
        return bool(self._followers([(each.document, each.leaf.path) for each in questions]))

    def refused(self, question: Question) -> tuple[RefusedText, ...]:
        """The text that the model wrote before for the field of a question."""
        return self._refused.get((question.document, question.leaf.path), ())

    def _followers(self, places: Sequence[tuple[int, Path]]) -> list[tuple[int, Leaf]]:
        """The leaves that have been asked, and came ``after`` one at these places."""
        return [
            (d, leaf)
            for (d, _), leaf in self._leaves.items()
            if leaf.after and any(d == other and _sees(leaf, path) for other, path in places)
        ]


def _sees(leaf: Leaf, path: Path) -> bool:
    """Whether a leaf's key shows the value at a path, alone or as a part of what it shows."""
    return any(path[: len(seen)] == seen for seen in leaf.after)


def _value(raw: str) -> Any:
    """The value that the model wrote, in short; its text, if it is none."""
    text = raw.strip()
    try:
        value, _ = json.JSONDecoder(strict=False).raw_decode(text)
    except (ValueError, RecursionError):
        value = text.lstrip('"')
    if isinstance(value, str):
        return _shortened(value, _LONGEST_VALUE)
    return value if isinstance(value, int | float | None) else _shortened(text, _LONGEST_VALUE)


def _reason(error: str) -> str:
    return _shortened(_REASONS.get(error, error), _LONGEST_REASON)


def _shortened(text: str, longest: int) -> str:
    return text if len(text) <= longest else f"{text[:longest]}..."
