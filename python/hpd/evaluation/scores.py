"""Precision, recall and F1, as in ExtractGPT and the hyper-parallel decoding paper."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Any, Final, Generic, Literal, TypeVar, get_args

from hpd.evaluation.json_form import JsonDataclass, to_plain
from hpd.evaluation.outcomes import (
    OUTCOMES,
    AttributeNames,
    CategoryAttribute,
    FieldOutcome,
    Normalizer,
    Outcome,
    PredictedData,
    field_outcomes,
)
from hpd.evaluation.rows import Example

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

FormName = Literal["exact", "normalized"]
"""Values are compared exactly, or normalized (``hpd.evaluation.outcomes``)."""

Scope = Literal["plain", "strict"]
"""Attributes of the category that a row lacks are skipped (plain), or count as null (strict)."""

Average = Literal["micro", "macro"]
ScoreName = Literal["precision", "recall", "f1"]

FORM_NAMES: tuple[FormName, ...] = get_args(FormName)
SCOPES: tuple[Scope, ...] = get_args(Scope)
AVERAGES: tuple[Average, ...] = get_args(Average)
SCORES: tuple[ScoreName, ...] = get_args(ScoreName)
"""In the order of arrays."""


_USUAL = (FORM_NAMES[0], SCOPES[0], AVERAGES[0])

SCORE_KEYS: Final = {
    "_".join(part for part in key if part not in _USUAL): key
    for key in product(FORM_NAMES, SCOPES, AVERAGES, SCORES)
}
"""The form, scope, average and score by name, in which the first of each kind is left out: ``f1``,
``strict_recall``, ``normalized_macro_f1``."""

AGREEMENT_NAMES: Final = {
    "agreement": "same",
    "agreement_filled": "filled_same",
    "normalized_agreement": "same_normalized",
    "normalized_agreement_filled": "filled_same_normalized",
}
"""Names of percentages on the command line, and in the JSON of ``Agreement``."""


def precision_recall_f1(
    right: npt.ArrayLike, predicted: npt.ArrayLike, gold: npt.ArrayLike, undefined: float = 0.0
) -> npt.NDArray[np.float64]:
    """Return the scores of some counts, unrounded and in percent: (...) to (..., scores).

    Precision is ``undefined`` if nothing is predicted, recall if there is no gold, F1 if either is.
    """
    import numpy as np  # Not needed for ``hpd --help``.

    right, predicted, gold = np.asarray(right), np.asarray(predicted), np.asarray(gold)
    is_defined = (predicted > 0) & (gold > 0)
    parts = 100 * np.stack([right, right, 2 * right], axis=-1)
    wholes = np.stack([predicted, gold, (predicted + gold) * is_defined], axis=-1)
    scores: npt.NDArray[np.float64] = np.full(parts.shape, undefined)
    np.divide(parts, wholes, out=scores, where=wholes > 0)
    return scores


@dataclass(frozen=True, slots=True)
class Counts(JsonDataclass):
    """The number of each outcome, and the scores in percent, rounded.

    F1 is computed from rounded precision and recall, as in published results.
    """

    JSON = ("precision", "recall", "f1", *OUTCOMES)

    nn: int = 0
    nv: int = 0
    vn: int = 0
    vc: int = 0
    vw: int = 0

    @classmethod
    def of(cls, outcomes: Iterable[Outcome]) -> Counts:
        return cls(**Counter[str](outcomes))

    @property
    def precision(self) -> float:
        """Percentage of predicted values that are right."""
        return self._rounded("precision")

    @property
    def recall(self) -> float:
        """Percentage of gold values that were predicted."""
        return self._rounded("recall")

    @property
    def f1(self) -> float:
        """The harmonic mean of the rounded precision and recall."""
        total = self.precision + self.recall
        return round(2 * self.precision * self.recall / total, 2) if total else 0.0

    def _rounded(self, name: ScoreName) -> float:
        wrong = self.vc + self.vw
        scores = precision_recall_f1(self.vc, wrong + self.nv, wrong + self.vn)
        return round(float(scores[SCORES.index(name)]), 2)


@dataclass(frozen=True, slots=True)
class Macro(JsonDataclass):
    """The mean scores of all cells that have a gold or predicted value."""

    precision: float = 0.0
    recall: float = 0.0
    f1: float = 0.0
    n_cells: int = 0


T = TypeVar("T")
U = TypeVar("U")


@dataclass(frozen=True, slots=True)
class ByCell(JsonDataclass, Generic[T, U]):
    """Averages of scores, or intervals around them, and those of each category and attribute."""

    JSON = ("micro", "macro", "attributes")

    micro: T
    macro: U
    cells: Mapping[CategoryAttribute, T]

    @property
    def attributes(self) -> list[dict[str, Any]]:
        """A row for each category and attribute, in order."""
        return [
            {"category": category, "attribute": attribute, **to_plain(known)}
            for (category, attribute), known in sorted(self.cells.items())
        ]


@dataclass(frozen=True, slots=True)
class ByScope(JsonDataclass, Generic[T]):
    """Scores of one file, or intervals around them, in one form of comparison."""

    plain: T
    """Attributes that a row lacks are skipped, as published."""
    strict: T
    """Attributes of the category that a row lacks count as null."""


Score = ByCell[Counts, Macro]
Evaluation = ByScope[Score]


def evaluate(
    examples: Sequence[Example],
    predictions: PredictedData,
    attributes: AttributeNames | None = None,
    form: Normalizer | None = None,
) -> Evaluation:
    """Score predictions, one for each example, by their ``field_outcomes``."""
    return count_outcomes(field_outcomes(examples, predictions, attributes, form))


def count_outcomes(fields: Iterable[FieldOutcome]) -> Evaluation:
    every = list(fields)
    return ByScope(_score(field for field in every if field.is_named), _score(every))


def _score(fields: Iterable[FieldOutcome]) -> Score:
    by_cell: defaultdict[CategoryAttribute, list[Outcome]] = defaultdict(list)
    for each in fields:
        by_cell[each.cell].append(each.outcome)
    return average({cell: Counts.of(outcomes) for cell, outcomes in by_cell.items()})


def average(cells: Mapping[CategoryAttribute, Counts]) -> Score:
    """Return the averages of the counts of cells; macro ignores cells without any value."""
    every = cells.values()
    micro = Counts(*(sum(getattr(counts, name) for counts in every) for name in OUTCOMES))
    used = [counts for counts in every if counts != Counts(nn=counts.nn)]
    if not used:
        return ByCell(micro, Macro(), cells)
    # Summed in hundredths, so that order does not matter.
    sums = (sum(round(100 * getattr(counts, name)) for counts in used) for name in SCORES)
    precision, recall, f1 = (round(each / (100 * len(used)), 2) for each in sums)
    return ByCell(micro, Macro(precision, recall, f1, len(used)), cells)


INTERVAL_LEVEL: Final = 0.95
"""The share of samples within an interval."""


@dataclass(frozen=True, slots=True)
class Resampling(JsonDataclass):
    """The settings that reproduce intervals and p-values."""

    n: int = 2000
    """Samples of the bootstrap, and exchanges in the randomization test."""
    seed: int = 0

    def members(self) -> dict[str, Any]:
        method = {"method": "percentile bootstrap over documents", "level": INTERVAL_LEVEL}
        return {**method, "n_resamples": self.n, "seed": self.seed}


DEFAULT_RESAMPLING: Final = Resampling()
