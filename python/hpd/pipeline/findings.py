"""The findings on one document while it is under way, and the extraction made of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from hpd.errors import InvalidDataError
from hpd.options import Options
from hpd.pipeline.near_ties import between, least
from hpd.prompt import COUNT_KEY, Path
from hpd.prompt.questions import Leaf
from hpd.results import Extraction, Failure, FieldResult, Usage, build_data
from hpd.schema.attributes import Attribute, Schema
from hpd.values import Parsed, answer_leaf, assemble
from hpd.values.confidence import COUNT, ConfidenceMap, kind_of
from hpd.values.places import Grounder


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
        for path, result in self.results.items():
            attribute = answer_leaf(schema, path)
            if attribute is None or is_count(path) or result.value is None:
                continue
            is_fixed = attribute.type in ("enum", "boolean")
            spans = grounder.ground_all(
                result.value, fuzzy=not is_fixed, only_first=not options.all_occurrences
            )
            if spans:
                self.results[path] = replace(
                    result,
                    start=spans[0].start,
                    end=spans[0].end,
                    match=spans[0].match,
                    occurrences=_places(spans) if options.all_occurrences else (),
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


def refusal(attribute: Attribute, why: str) -> str | None:
    """A refused value: null, with an error if the field must have a value."""
    return f"required, but {why}" if attribute.needs_a_value else None


def _places(spans: list[Any]) -> tuple[tuple[int, int], ...]:
    return tuple((span.start, span.end) for span in spans)
