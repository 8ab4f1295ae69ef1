"""The metric of ExtractGPT and of the hyper-parallel decoding paper.

Each attribute of each document has one of five outcomes: ``nn`` neither gold nor prediction has a
value, ``nv`` a value where there is none, ``vn`` none where there is one, ``vc`` the value is right
(equal to one of the gold values, case and all), ``vw`` it is wrong.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from hpd.evaluation.datasets import ABSENT, Example, value_text

Outcome = Literal["nn", "nv", "vn", "vc", "vw"]
OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)
Cell = tuple[str, str]
"""A category and an attribute."""

_NONE_TEXTS = frozenset({ABSENT, "None"})


@dataclass(frozen=True, slots=True)
class Counts:
    """How often each outcome was; scores in percent, P and R rounded before F1, as published."""

    nn: int = 0
    nv: int = 0
    vn: int = 0
    vc: int = 0
    vw: int = 0

    @property
    def precision(self) -> float:
        """Of the predicted values, how many are right."""
        return _percent(self.vc, self.nv + self.vc + self.vw)

    @property
    def recall(self) -> float:
        """Of the gold values, how many were found."""
        return _percent(self.vc, self.vn + self.vc + self.vw)

    @property
    def f1(self) -> float:
        """The harmonic mean of the two, as they are rounded."""
        total = self.precision + self.recall
        return round(2 * self.precision * self.recall / total, 2) if total else 0.0

    def __add__(self, other: Counts) -> Counts:
        return Counts(
            self.nn + other.nn,
            self.nv + other.nv,
            self.vn + other.vn,
            self.vc + other.vc,
            self.vw + other.vw,
        )

    def to_json(self) -> dict[str, float]:
        """Scores and counts."""
        return {
            "precision": self.precision,
            "recall": self.recall,
            "f1": self.f1,
            **{name: getattr(self, name) for name in OUTCOMES},
        }


@dataclass(frozen=True, slots=True)
class Macro:
    """The mean of the cells' scores, those apart that neither gold nor prediction ever fills."""

    precision: float = 0.0
    recall: float = 0.0
    f1: float = 0.0
    n_cells: int = 0

    def to_json(self) -> dict[str, float]:
        """The three means, and over how many cells."""
        return {
            "precision": self.precision,
            "recall": self.recall,
            "f1": self.f1,
            "n_cells": self.n_cells,
        }


@dataclass(frozen=True, slots=True)
class Score:
    """The outcomes by category and attribute, and what they add up to."""

    cells: Mapping[Cell, Counts] = field(default_factory=dict)

    @property
    def micro(self) -> Counts:
        """The outcomes of every cell together."""
        return sum(self.cells.values(), Counts())

    @property
    def macro(self) -> Macro:
        """The mean over the cells."""
        used = [counts for counts in self.cells.values() if counts != Counts(nn=counts.nn)]
        if not used:
            return Macro()
        return Macro(
            _mean([counts.precision for counts in used]),
            _mean([counts.recall for counts in used]),
            _mean([counts.f1 for counts in used]),
            len(used),
        )

    def to_json(self, *, per_attribute: bool = False) -> dict[str, Any]:
        """Micro and macro, and each cell if asked for."""
        result: dict[str, Any] = {"micro": self.micro.to_json(), "macro": self.macro.to_json()}
        if per_attribute:
            result["attributes"] = [
                {"category": category, "attribute": attribute, **counts.to_json()}
                for (category, attribute), counts in sorted(self.cells.items())
            ]
        return result


@dataclass(frozen=True, slots=True)
class Evaluation:
    """One file of predictions against gold."""

    plain: Score
    """Attributes that a row does not name are skipped, as published."""
    strict: Score
    """Attributes of the category that a row does not name count as none."""
    n_rows: int
    n_missing: int
    """Rows without a prediction, all of whose values count as none."""

    def to_json(self, *, per_attribute: bool = False) -> dict[str, Any]:
        """Everything, ready for ``json.dumps``."""
        return {
            "n_rows": self.n_rows,
            "n_missing": self.n_missing,
            "plain": self.plain.to_json(per_attribute=per_attribute),
            "strict": self.strict.to_json(per_attribute=per_attribute),
        }


def outcome(gold: Sequence[str] | None, prediction: object) -> Outcome:
    """What became of one attribute of one document.

    A list is right if each of its items is a gold value.
    """
    values = predicted_values(prediction)
    if gold is None:
        return "nv" if values else "nn"
    if not values:
        return "vn"
    return "vc" if all(value in gold for value in values) else "vw"


def predicted_values(prediction: object) -> list[str]:
    """A predicted value as texts: none, one, or those of a list."""
    items = prediction if isinstance(prediction, (list, tuple)) else [prediction]
    texts = [value_text(item) for item in items if item is not None]
    return [text for text in texts if text not in _NONE_TEXTS]


def evaluate(
    examples: Sequence[Example],
    predictions: Sequence[Mapping[str, Any] | None],
    attributes: Mapping[str, Iterable[str]] | None = None,
) -> Evaluation:
    """Hold predictions, one for each example, against the gold values.

    ``attributes`` names each category's attributes for the strict form; else they are those that
    any row of the category names.
    """
    if len(examples) != len(predictions):
        raise ValueError(f"{len(examples)} examples, but {len(predictions)} predictions")
    every = category_attributes(examples)
    for category, names in (attributes or {}).items():
        every[category] = dict.fromkeys(names)
    plain: dict[Cell, Counter[Outcome]] = {}
    strict: dict[Cell, Counter[Outcome]] = {}
    for example, predicted in zip(examples, predictions, strict=True):
        data = predicted or {}
        for attribute in {**example.gold, **every[example.category]}:
            cell = (example.category, attribute)
            result = outcome(example.gold.get(attribute), data.get(attribute))
            strict.setdefault(cell, Counter())[result] += 1
            if attribute in example.gold:
                plain.setdefault(cell, Counter())[result] += 1
    n_missing = sum(predicted is None for predicted in predictions)
    return Evaluation(_score(plain), _score(strict), len(examples), n_missing)


def category_attributes(examples: Iterable[Example]) -> dict[str, dict[str, None]]:
    """The attributes that any row of each category names, in order of appearance."""
    names: dict[str, dict[str, None]] = {}
    for example in examples:
        names.setdefault(example.category, {}).update(dict.fromkeys(example.gold))
    return names


def lookup(train: Iterable[Example], examples: Iterable[Example]) -> list[dict[str, str | None]]:
    """The baseline that any model should beat: training values looked up in the text.

    For each attribute of the category the first value, in the order of the training rows of that
    category, that the document holds, letter by letter.
    """
    values: dict[str, dict[str, dict[str, None]]] = {}
    for example in train:
        attributes = values.setdefault(example.category, {})
        for attribute, gold in example.gold.items():
            attributes.setdefault(attribute, {}).update(dict.fromkeys(gold or ()))
    return [
        {
            attribute: next((value for value in known if value in example.text), None)
            for attribute, known in values.get(example.category, {}).items()
        }
        for example in examples
    ]


def _score(outcomes: Mapping[Cell, Counter[Outcome]]) -> Score:
    return Score({cell: Counts(*(n[name] for name in OUTCOMES)) for cell, n in outcomes.items()})


def _percent(part: int, whole: int) -> float:
    return round(100 * part / whole, 2) if whole else 0.0


def _mean(values: Sequence[float]) -> float:
    return round(sum(values) / len(values), 2)
