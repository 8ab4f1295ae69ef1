"""The assessment of one file of predictions, and the comparison of two."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hpd.evaluation.agreement import Agreement, FieldPair, agreement, field_pairs
from hpd.evaluation.intervals import EvaluationIntervals, evaluation_intervals
from hpd.evaluation.normalization import normalized
from hpd.evaluation.outcomes import Form, field_outcomes
from hpd.evaluation.paired import Differences, paired_differences
from hpd.evaluation.resampling import USUAL, Resampling
from hpd.evaluation.rows import Example
from hpd.evaluation.score_names import AGREEMENT_NAMES, SCOPES, SCORE_PLACES, FormName, Scope
from hpd.evaluation.scores import Evaluation, count_outcomes

FORMS: Mapping[FormName, Form | None] = {"exact": None, "normalized": normalized}

Attributes = Mapping[str, Iterable[str]]
"""The attributes of each category."""

Data = Sequence[Mapping[str, Any] | None]
"""The predicted data for each example; None if there is none."""


@dataclass(frozen=True, slots=True)
class Assessment:
    """The scores of one file, in each form of comparison, with their intervals."""

    evaluations: Mapping[FormName, Evaluation]
    intervals: Mapping[FormName, EvaluationIntervals]

    def named_scores(self) -> dict[str, float]:
        """Every score by ``ScorePlace.name``, rounded as it is printed."""
        return {
            place.name: getattr(
                getattr(getattr(self.evaluations[place.form], place.scope), place.average),
                place.score,
            )
            for place in SCORE_PLACES
        }

    def to_json(self) -> dict[str, Any]:
        """All results, ready for ``json.dumps``; first the exact scores, which are the metric."""
        return {
            **self.evaluations["exact"].to_json(),
            "intervals": self.intervals["exact"].to_json(),
            "normalized": {
                **self.evaluations["normalized"].to_json(),
                "intervals": self.intervals["normalized"].to_json(),
            },
        }


@dataclass(frozen=True, slots=True)
class Versus:
    """The comparison of two files of predictions for the same documents."""

    differences: Mapping[FormName, Mapping[Scope, Differences]]
    """The differences between their scores; empty if there is no gold."""
    agreement: Agreement
    disagreements: Sequence[FieldPair]
    """The fields whose values are not exactly the same."""

    def named_scores(self) -> dict[str, float]:
        """The shares of fields with the same value, in percent."""
        shares = self.agreement.to_json()
        return {name: shares[share] for name, share in AGREEMENT_NAMES.items()}

    def to_json(self) -> dict[str, Any]:
        """Everything but the disagreements themselves, ready for ``json.dumps``."""
        return {
            "agreement": self.agreement.to_json(),
            "n_disagreements": len(self.disagreements),
            "differences": {
                form: {scope: differences.to_json() for scope, differences in by_scope.items()}
                for form, by_scope in self.differences.items()
            },
        }


def assess(
    examples: Sequence[Example],
    data: Data,
    attributes: Attributes | None = None,
    resampling: Resampling = USUAL,
) -> Assessment:
    """The scores of one file; ``attributes`` as in ``field_outcomes``."""
    fields = {
        name: list(field_outcomes(examples, data, attributes, form)) for name, form in FORMS.items()
    }
    return Assessment(
        {name: count_outcomes(own) for name, own in fields.items()},
        {
            name: evaluation_intervals(own, len(examples), resampling)
            for name, own in fields.items()
        },
    )


def versus(
    examples: Sequence[Example],
    first: Data,
    second: Data,
    attributes: Attributes | None = None,
    resampling: Resampling = USUAL,
) -> Versus:
    """Compare two files: the differences between their scores, and their agreement.

    If no example has gold values, there is only the agreement.
    """
    pairs = list(field_pairs(examples, first, second, attributes))
    differences: dict[FormName, dict[Scope, Differences]] = {}
    if any(example.gold for example in examples):
        for name, form in FORMS.items():
            one, two = (
                list(field_outcomes(examples, data, attributes, form)) for data in (first, second)
            )
            differences[name] = {
                scope: paired_differences(
                    [field for field in one if field.is_named or scope == "strict"],
                    [field for field in two if field.is_named or scope == "strict"],
                    len(examples),
                    resampling,
                )
                for scope in SCOPES
            }
    disagreements = [pair for pair in pairs if not pair.is_same]
    return Versus(differences, agreement(pairs), disagreements)
