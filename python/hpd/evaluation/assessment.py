"""The assessment of one file of predictions, the comparison of two, and their cost."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hpd.evaluation.json_form import JsonDataclass
from hpd.evaluation.outcomes import (
    AttributeNames,
    Normalizer,
    Outcome,
    PredictedData,
    category_attributes,
    field_outcomes,
    normalize_value,
    outcome,
    predicted_values,
)
from hpd.evaluation.rows import Example, Prediction
from hpd.evaluation.scores import (
    AGREEMENT_NAMES,
    DEFAULT_RESAMPLING,
    FORM_NAMES,
    SCOPES,
    SCORE_KEYS,
    Evaluation,
    FormName,
    Resampling,
    Scope,
    count_outcomes,
)
from hpd.evaluation.statistics import (
    Differences,
    EvaluationIntervals,
    evaluation_intervals,
    paired_differences,
)


@dataclass(frozen=True, slots=True)
class FieldPair(JsonDataclass):
    """The values of one field in two files."""

    example: Example
    attribute: str
    first: Any
    second: Any
    has_value: bool
    """Whether at least one of them has a value."""
    is_same: bool
    """Whether the values are equal, or both missing; the order of a list does not matter."""
    is_same_normalized: bool

    @property
    def outcomes(self) -> tuple[Outcome, Outcome] | None:
        """The outcome of each value, if the document has gold values."""
        if not self.example.gold:
            return None
        gold = self.example.gold.get(self.attribute)
        return outcome(gold, self.first), outcome(gold, self.second)

    def members(self) -> dict[str, Any]:
        """Return a line from which a person can decide which value is right."""
        example = self.example
        result: dict[str, Any] = {"id": example.id, "line": example.line}
        result |= {"category": example.category} if example.category else {}
        result |= {"attribute": self.attribute, "first": self.first, "second": self.second}
        if (outcomes := self.outcomes) is not None:
            gold = example.gold.get(self.attribute)
            result |= {"gold": gold, "first_outcome": outcomes[0], "second_outcome": outcomes[1]}
        result |= {"same_normalized": self.is_same_normalized}
        return result | ({"text": example.text} if example.text else {})


@dataclass(frozen=True, slots=True)
class Agreement(JsonDataclass):
    """The fields in which two files have the same value, with percentages."""

    n_fields: int
    n_same: int
    n_same_normalized: int
    same: float
    same_normalized: float
    n_filled: int
    """Fields for which at least one file has a value; counted apart, as two nulls agree easily."""
    n_filled_same: int
    n_filled_same_normalized: int
    filled_same: float
    filled_same_normalized: float


def field_pairs(
    examples: Sequence[Example],
    first: PredictedData,
    second: PredictedData,
    attributes: AttributeNames | None = None,
) -> Iterator[FieldPair]:
    """Yield the fields of two files in pairs, document by document.

    The fields are those of the strict form (``field_outcomes``); if a document has none, all fields
    in either file.
    """
    all_names = category_attributes(examples, attributes)
    for example, one, two in zip(examples, first, second, strict=True):
        names = {**example.gold, **all_names[example.category]}
        for attribute in names or {**(one or {}), **(two or {})}:
            own, other = ((data or {}).get(attribute) for data in (one, two))
            exact = [sorted(predicted_values(value)) for value in (own, other)]
            normal = [sorted(predicted_values(value, normalize_value)) for value in (own, other)]
            is_same, is_same_normalized = (each[0] == each[1] for each in (exact, normal))
            yield FieldPair(example, attribute, own, other, any(exact), is_same, is_same_normalized)


def agreement(pairs: Iterable[FieldPair]) -> Agreement:
    """Count the fields in which two files agree; without any field, they agree fully."""
    every = list(pairs)
    return Agreement(*_count_same(every), *_count_same([pair for pair in every if pair.has_value]))


def _count_same(pairs: Sequence[FieldPair]) -> tuple[int, int, int, float, float]:
    n = len(pairs)
    n_same = sum(pair.is_same for pair in pairs)
    n_normalized = sum(pair.is_same_normalized for pair in pairs)
    same, normal = (round(100 * each / n, 2) if n else 100.0 for each in (n_same, n_normalized))
    return n, n_same, n_normalized, same, normal


NORMALIZERS: Mapping[FormName, Normalizer | None] = {"exact": None, "normalized": normalize_value}


@dataclass(frozen=True, slots=True)
class Assessment(JsonDataclass):
    """The scores of one file, in each form of comparison, with intervals."""

    by_form: Mapping[FormName, tuple[Evaluation, EvaluationIntervals]]

    def named_scores(self) -> dict[str, float]:
        """Return the scores by name, rounded as printed."""
        return {
            name: getattr(getattr(getattr(self.by_form[form][0], scope), average), score)
            for name, (form, scope, average, score) in SCORE_KEYS.items()
        }

    def members(self) -> dict[str, Any]:
        """Return all results; the exact scores, which are the metric, come first."""
        exact, normalized = (
            {**evaluation.members(), "intervals": intervals}
            for evaluation, intervals in (self.by_form[form] for form in FORM_NAMES)
        )
        return {**exact, "normalized": normalized}


@dataclass(frozen=True, slots=True)
class Versus(JsonDataclass):
    """The comparison of two files of predictions for the same documents."""

    JSON = ("agreement", "n_disagreements", "differences")

    differences: Mapping[FormName, Mapping[Scope, Differences]]
    """The differences between their scores; empty if there is no gold."""
    agreement: Agreement
    disagreements: Sequence[FieldPair]

    def named_scores(self) -> dict[str, float]:
        """Return the percentages of fields with the same value."""
        return {name: getattr(self.agreement, share) for name, share in AGREEMENT_NAMES.items()}

    @property
    def n_disagreements(self) -> int:
        return len(self.disagreements)


def assess(
    examples: Sequence[Example],
    data: PredictedData,
    attributes: AttributeNames | None = None,
    resampling: Resampling = DEFAULT_RESAMPLING,
) -> Assessment:
    """Score one file; ``attributes`` as in ``field_outcomes``."""
    by_form: dict[FormName, tuple[Evaluation, EvaluationIntervals]] = {}
    for name, form in NORMALIZERS.items():
        fields = list(field_outcomes(examples, data, attributes, form))
        intervals = evaluation_intervals(fields, len(examples), resampling)
        by_form[name] = count_outcomes(fields), intervals
    return Assessment(by_form)


def versus(
    examples: Sequence[Example],
    first: PredictedData,
    second: PredictedData,
    attributes: AttributeNames | None = None,
    resampling: Resampling = DEFAULT_RESAMPLING,
) -> Versus:
    """Compare two files by agreement and, if any example has gold values, by scores."""
    pairs = list(field_pairs(examples, first, second, attributes))
    differences: dict[FormName, dict[Scope, Differences]] = {}
    if any(example.gold for example in examples):
        for name, form in NORMALIZERS.items():
            strict = [
                list(field_outcomes(examples, data, attributes, form)) for data in (first, second)
            ]
            plain = [[field for field in each if field.is_named] for each in strict]
            differences[name] = {
                scope: paired_differences(one, two, len(examples), resampling)
                for scope, (one, two) in zip(SCOPES, (plain, strict), strict=True)
            }
    return Versus(differences, agreement(pairs), [pair for pair in pairs if not pair.is_same])


@dataclass(frozen=True, slots=True)
class Throughput(JsonDataclass):
    """Sums over the lines that have a ``usage``."""

    n_documents: int
    prompt_tokens: int
    cached_tokens: int
    completion_tokens: int
    steps: int
    line_seconds: float
    """The sum of the lines' times. The run may have been shorter, because the times of documents in
    flight together overlap."""
    wall_seconds: float | None
    """The duration of the run, if it was measured."""
    documents_per_second: float | None
    """The rate of the run, or that of the lines' times if the run was not measured."""
    price_per_hour: float | None
    """The price of the machine per hour, in dollars."""
    dollars_per_1000: float | None
    is_bound: bool
    """Whether the throughput is a lower bound, and the price an upper bound."""


def throughput(
    predictions: Iterable[Prediction],
    wall_seconds: float | None = None,
    price_per_hour: float | None = None,
) -> Throughput | None:
    """Return the throughput of some lines; None if none has a ``usage``."""
    usages = [prediction.usage for prediction in predictions if prediction.usage]
    if not usages:
        return None
    sums = {
        name: sum(n for usage in usages if isinstance(n := usage.get(name), int | float))
        for name in ("prompt_tokens", "cached_tokens", "completion_tokens", "steps", "seconds")
    }
    line_seconds = sums.pop("seconds")
    seconds = line_seconds if wall_seconds is None else wall_seconds
    rate = len(usages) / seconds if seconds > 0 else None
    dollars = None
    if price_per_hour is not None and rate:
        dollars = price_per_hour / 3600 * 1000 / rate
    return Throughput(
        len(usages),
        **{name: int(n) for name, n in sums.items()},
        line_seconds=round(line_seconds, 4),
        wall_seconds=wall_seconds,
        documents_per_second=rate,
        price_per_hour=price_per_hour,
        dollars_per_1000=dollars,
        is_bound=wall_seconds is None,
    )
