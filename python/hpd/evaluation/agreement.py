"""The agreement of two files of predictions, whether they are right or not."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hpd.evaluation.normalization import normalized
from hpd.evaluation.outcomes import Outcome, category_attributes, outcome, predicted_values
from hpd.evaluation.rows import Example


@dataclass(frozen=True, slots=True)
class FieldPair:
    """The values of one field in two files."""

    example: Example
    attribute: str
    first: Any
    second: Any
    has_value: bool
    """Whether at least one of the two has a value."""
    is_same: bool
    """Whether both have the same value, or none; the order of a list does not matter."""
    is_same_normalized: bool

    @property
    def outcomes(self) -> tuple[Outcome, Outcome] | None:
        """The outcome of each, if the document has gold values."""
        if not self.example.gold:
            return None
        gold = self.example.gold.get(self.attribute)
        return outcome(gold, self.first), outcome(gold, self.second)

    def to_json(self) -> dict[str, Any]:
        """A line for a person who wants to know which of the two is right."""
        example = self.example
        result: dict[str, Any] = {"id": example.id, "line": example.line}
        if example.category:
            result["category"] = example.category
        result |= {"attribute": self.attribute, "first": self.first, "second": self.second}
        if (outcomes := self.outcomes) is not None:
            gold = example.gold.get(self.attribute)
            result |= {"gold": gold, "first_outcome": outcomes[0], "second_outcome": outcomes[1]}
        result["same_normalized"] = self.is_same_normalized
        if example.text:
            result["text"] = example.text
        return result


@dataclass(frozen=True, slots=True)
class Agreement:
    """The number of fields in which two files have the same value."""

    n_fields: int
    n_same: int
    n_same_normalized: int
    n_filled: int
    """The number of fields in which at least one file has a value, as two nulls agree easily."""
    n_filled_same: int
    n_filled_same_normalized: int

    def to_json(self) -> dict[str, Any]:
        """The counts, and the shares in percent."""
        return {
            "n_fields": self.n_fields,
            "n_same": self.n_same,
            "n_same_normalized": self.n_same_normalized,
            "same": share(self.n_same, self.n_fields),
            "same_normalized": share(self.n_same_normalized, self.n_fields),
            "n_filled": self.n_filled,
            "n_filled_same": self.n_filled_same,
            "n_filled_same_normalized": self.n_filled_same_normalized,
            "filled_same": share(self.n_filled_same, self.n_filled),
            "filled_same_normalized": share(self.n_filled_same_normalized, self.n_filled),
        }


def field_pairs(
    examples: Sequence[Example],
    first: Sequence[Mapping[str, Any] | None],
    second: Sequence[Mapping[str, Any] | None],
    attributes: Mapping[str, Iterable[str]] | None = None,
) -> Iterator[FieldPair]:
    """The pairs of fields of two files, document by document.

    The fields are those of the strict form (``field_outcomes``); for documents without gold values,
    all that either file names.
    """
    every = category_attributes(examples)
    for category, names in (attributes or {}).items():
        every[category] = dict.fromkeys(names)
    for example, one, two in zip(examples, first, second, strict=True):
        names = {**example.gold, **every[example.category]}
        for attribute in names or {**(one or {}), **(two or {})}:
            yield _pair(example, attribute, (one or {}).get(attribute), (two or {}).get(attribute))


def agreement(pairs: Iterable[FieldPair]) -> Agreement:
    """Count the fields in which two files agree."""
    every = list(pairs)
    filled = [pair for pair in every if pair.has_value]
    return Agreement(
        len(every),
        sum(pair.is_same for pair in every),
        sum(pair.is_same_normalized for pair in every),
        len(filled),
        sum(pair.is_same for pair in filled),
        sum(pair.is_same_normalized for pair in filled),
    )


def share(part: int, whole: int) -> float:
    """A share in percent with two decimals; 100 for two empty files."""
    return round(100 * part / whole, 2) if whole else 100.0


def _pair(example: Example, attribute: str, first: Any, second: Any) -> FieldPair:
    exact = [sorted(predicted_values(value)) for value in (first, second)]
    even = [sorted(predicted_values(value, normalized)) for value in (first, second)]
    return FieldPair(
        example, attribute, first, second, any(exact), exact[0] == exact[1], even[0] == even[1]
    )
