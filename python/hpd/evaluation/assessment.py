"""Everything that can be said of one file of predictions, and of two that answer the same."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

from hpd.evaluation.agreement import Agreement, FieldPair, agreement, field_pairs
from hpd.evaluation.intervals import LEVEL, EvaluationIntervals, evaluation_intervals
from hpd.evaluation.normalization import normalized
from hpd.evaluation.outcomes import Form, field_outcomes
from hpd.evaluation.paired import AVERAGES, Average, Differences, paired_differences
from hpd.evaluation.resampling import N_RESAMPLES, SCORES
from hpd.evaluation.rows import Example
from hpd.evaluation.scores import Evaluation, count_outcomes

FormName = Literal["exact", "normalized"]
FORMS: Mapping[FormName, Form | None] = {"exact": None, "normalized": normalized}

Scope = Literal["plain", "strict"]
"""Attributes that a row does not name: skipped, or counted as none."""
SCOPES: tuple[Scope, ...] = get_args(Scope)

Attributes = Mapping[str, Iterable[str]]
"""The attributes of each category."""

Data = Sequence[Mapping[str, Any] | None]
"""For each example the data predicted for it; None where there is none."""


@dataclass(frozen=True, slots=True)
class Resampling:
    """How intervals and p-values are computed."""

    n: int = N_RESAMPLES
    seed: int = 0

    def to_json(self) -> dict[str, Any]:
        """What a reader must know to compute them again."""
        return {
            "method": "percentile bootstrap over documents",
            "level": LEVEL,
            "n_resamples": self.n,
            "seed": self.seed,
        }


@dataclass(frozen=True, slots=True)
class ScorePlace:
    """Where a score stands among all the others."""

    form: FormName
    scope: Scope
    average: Average
    score: str

    @property
    def name(self) -> str:
        """Its name, as it can be typed: ``f1``, ``strict_recall``, ``normalized_macro_f1``."""
        usual = ("exact", "plain", "micro")
        parts = [part for part in (self.form, self.scope, self.average) if part not in usual]
        return "_".join([*parts, self.score])


SCORE_PLACES = tuple(
    ScorePlace(form, scope, average, score)
    for form in FORMS
    for scope in SCOPES
    for average in AVERAGES
    for score in SCORES
)

AGREEMENT_NAMES = {
    "agreement": "same",
    "agreement_filled": "filled_same",
    "normalized_agreement": "same_normalized",
    "normalized_agreement_filled": "filled_same_normalized",
}
"""The names of shares that can be typed, and those of ``Agreement.to_json``."""


@dataclass(frozen=True, slots=True)
class Assessment:
    """The scores of one file, in each form of comparison, with their intervals."""

    evaluations: Mapping[FormName, Evaluation]
    intervals: Mapping[FormName, EvaluationIntervals]

    def named_scores(self) -> dict[str, float]:
        """Every score, rounded as it is printed, by ``ScorePlace.name``."""
        return {
            place.name: getattr(
                getattr(getattr(self.evaluations[place.form], place.scope), place.average),
                place.score,
            )
            for place in SCORE_PLACES
        }

    def to_json(self) -> dict[str, Any]:
        """Everything, ready for ``json.dumps``: exact scores at the top, as they are the metric."""
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
    """Two files that answer the same documents."""

    differences: Mapping[FormName, Mapping[Scope, Differences]]
    """Empty where there is no gold."""
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
    resampling: Resampling | None = None,
) -> Assessment:
    """The scores of one file; ``attributes`` as in ``field_outcomes``."""
    how = resampling or Resampling()
    fields = {
        name: list(field_outcomes(examples, data, attributes, form)) for name, form in FORMS.items()
    }
    return Assessment(
        {name: count_outcomes(own) for name, own in fields.items()},
        {
            name: evaluation_intervals(own, len(examples), how.n, how.seed)
            for name, own in fields.items()
        },
    )


def versus(
    examples: Sequence[Example],
    first: Data,
    second: Data,
    attributes: Attributes | None = None,
    resampling: Resampling | None = None,
) -> Versus:
    """The differences between two files, and where they agree.

    Where no example has gold values there is agreement alone.
    """
    how = resampling or Resampling()
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
                    how.n,
                    how.seed,
                )
                for scope in SCOPES
            }
    disagreements = [pair for pair in pairs if not pair.is_same]
    return Versus(differences, agreement(pairs), disagreements)
