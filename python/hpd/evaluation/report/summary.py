"""The figures of a report: totals, confidences, and each attribute."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from hpd.evaluation.calibration import N_BINS
from hpd.evaluation.outcomes import OUTCOMES, Outcome
from hpd.evaluation.report.documents import ReportedDocument
from hpd.evaluation.scores import Counts
from hpd.pages.shown_values import ShownValue

LOW_CONFIDENCE = 0.5
"""A confidence below this counts as low; the page lets its reader choose another bound."""


@dataclass(slots=True)
class Totals:
    """The number of values of each kind, in all documents or of one attribute."""

    n_values: int = 0
    n_nulls: int = 0
    n_ungrounded: int = 0
    n_low: int = 0
    """Values and nulls with a low confidence."""
    n_failed: int = 0
    """Fields with an error."""
    value_confidences: list[float] = field(default_factory=list)
    null_confidences: list[float] = field(default_factory=list)

    def add(self, value: ShownValue, *, of_failed_document: bool) -> None:
        """Count one value; what a failed document lacks is not null, it is not there at all."""
        is_null = value.text is None
        self.n_values += not is_null
        self.n_nulls += is_null and not of_failed_document
        self.n_ungrounded += value.is_ungrounded
        self.n_failed += value.error is not None
        if value.confidence is not None:
            self.n_low += value.confidence < LOW_CONFIDENCE
            confidences = self.null_confidences if is_null else self.value_confidences
            confidences.append(value.confidence)

    @property
    def null_share(self) -> float:
        """The share of nulls, between 0 and 1."""
        n = self.n_values + self.n_nulls
        return self.n_nulls / n if n else 0.0

    @property
    def mean_confidence(self) -> float | None:
        """The mean confidence of the values; None if none has one."""
        known = self.value_confidences
        return sum(known) / len(known) if known else None


@dataclass(frozen=True, slots=True)
class AttributeSummary:
    """One attribute in all documents and categories."""

    name: str
    totals: Totals
    counts: Counts | None
    """The outcomes; None where no gold names the attribute."""


@dataclass(frozen=True, slots=True)
class Bar:
    """A bar of the histogram: the values and nulls with a confidence between two bounds."""

    low: float
    high: float
    n_values: int
    n_nulls: int


@dataclass(frozen=True, slots=True)
class Summary:
    """The figures of a whole file."""

    n_documents: int
    n_failed: int
    """Documents that failed."""
    n_without_text: int
    totals: Totals
    attributes: tuple[AttributeSummary, ...]
    """In order of appearance."""
    histogram: tuple[Bar, ...]
    """Of all confidences, the lowest first; empty if there are none."""


def summarize(documents: Sequence[ReportedDocument]) -> Summary:
    """Count what the documents hold."""
    totals = Totals()
    by_name: dict[str, Totals] = {}
    outcomes: dict[str, Counter[Outcome]] = {}
    for document in documents:
        for attribute in document.attributes:
            of_attribute = by_name.setdefault(attribute.name, Totals())
            if attribute.outcome is not None:
                outcomes.setdefault(attribute.name, Counter())[attribute.outcome] += 1
            for value in attribute.values:
                for each in (totals, of_attribute):
                    each.add(value, of_failed_document=document.error is not None)
    return Summary(
        len(documents),
        sum(document.error is not None for document in documents),
        sum(document.text is None for document in documents),
        totals,
        tuple(
            AttributeSummary(name, each, _counts(outcomes.get(name)))
            for name, each in by_name.items()
        ),
        _histogram(totals.value_confidences, totals.null_confidences),
    )


def _counts(outcomes: Counter[Outcome] | None) -> Counts | None:
    return None if outcomes is None else Counts(*(outcomes[name] for name in OUTCOMES))


def _histogram(of_values: Sequence[float], of_nulls: Sequence[float]) -> tuple[Bar, ...]:
    if not of_values and not of_nulls:
        return ()
    values, nulls = _binned(of_values), _binned(of_nulls)
    return tuple(Bar(i / N_BINS, (i + 1) / N_BINS, values[i], nulls[i]) for i in range(N_BINS))


def _binned(confidences: Iterable[float]) -> list[int]:
    counts = [0] * N_BINS
    for confidence in confidences:
        counts[min(int(confidence * N_BINS), N_BINS - 1)] += 1
    return counts
