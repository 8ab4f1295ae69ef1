"""The names of scores, in JSON and on the command line."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, get_args

FormName = Literal["exact", "normalized"]
"""Values are compared letter by letter, or evened out (``hpd.evaluation.normalization``)."""

Scope = Literal["plain", "strict"]
"""Attributes of the category that a row does not name: skipped, or counted as none."""

Average = Literal["micro", "macro"]
ScoreName = Literal["precision", "recall", "f1"]

FORM_NAMES: tuple[FormName, ...] = get_args(FormName)
SCOPES: tuple[Scope, ...] = get_args(Scope)
AVERAGES: tuple[Average, ...] = get_args(Average)
SCORES: tuple[ScoreName, ...] = get_args(ScoreName)
"""Also their order in arrays."""


@dataclass(frozen=True, slots=True)
class ScorePlace:
    """The place of a score among all the others."""

    form: FormName
    scope: Scope
    average: Average
    score: ScoreName

    @property
    def name(self) -> str:
        """Its name, without what is usual: ``f1``, ``strict_recall``, ``normalized_macro_f1``."""
        usual = (FORM_NAMES[0], SCOPES[0], AVERAGES[0])
        parts = [part for part in (self.form, self.scope, self.average) if part not in usual]
        return "_".join([*parts, self.score])


SCORE_PLACES: Final = tuple(
    ScorePlace(form, scope, average, score)
    for form in FORM_NAMES
    for scope in SCOPES
    for average in AVERAGES
    for score in SCORES
)

AGREEMENT_NAMES: Final = {
    "agreement": "same",
    "agreement_filled": "filled_same",
    "normalized_agreement": "same_normalized",
    "normalized_agreement_filled": "filled_same_normalized",
}
"""The names of shares that can be typed, and those of ``Agreement.to_json``."""
