"""Extracted values judged by a model (paper, section 5 and appendix E).

A judge gets a document with its values and gives a verdict on each: an object of a reason and a
verdict. The reason comes first, so that the verdict follows from it. Only verdicts that make sense
for the value can be chosen. Any extractor can be the judge.

LLM-precision, LLM-recall and LLM-F1 sum up the verdicts. With C correct, CN correct null, I
incorrect, M missing and H hallucination:

    LLM-P = (C + CN) / (C + CN + H + I)
    LLM-R = (C + CN) / (C + CN + M + I)

and LLM-F1 is their harmonic mean. A correct null counts as much as a correct value.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final, Literal, get_args

import numpy as np

from hpd.documents import Document
from hpd.errors import InputError
from hpd.evaluation.json_form import JsonDataclass
from hpd.evaluation.outcomes import Outcome, outcome
from hpd.evaluation.rows import Example, Prediction
from hpd.evaluation.scores import (
    DEFAULT_RESAMPLING,
    SCORES,
    Resampling,
    precision_recall_f1,
)
from hpd.evaluation.statistics import Array, Interval, bootstrap, cohen_kappa
from hpd.schema.attributes import Attribute, Schema
from hpd.schema.schemas import Schemas
from hpd.show.page import render_text
from hpd.show.shown_values import display_text

Verdict = Literal["correct", "incorrect", "missing", "correct null", "hallucination"]
VERDICTS: Final[tuple[Verdict, ...]] = get_args(Verdict)

CORRECT_VERDICTS: Final[frozenset[Verdict]] = frozenset({"correct", "correct null"})
"""The verdicts on correct values."""

VERDICT_OF_OUTCOME: Final[Mapping[Outcome, Verdict]] = {
    "vc": "correct",
    "vw": "incorrect",
    "vn": "missing",
    "nn": "correct null",
    "nv": "hallucination",
}
"""The verdict according to gold, by the outcome of the field."""

ValueKind = Literal["null", "denial", "value"]
"""Null; a *denial*, a text such as "none"; or any other value."""

POSSIBLE_VERDICTS: Final[Mapping[ValueKind, tuple[Verdict, ...]]] = {
    "null": ("missing", "correct null"),
    "denial": ("correct", "incorrect", "correct null"),
    "value": ("correct", "incorrect", "hallucination"),
}
"""The verdicts that a judge may choose from, by the kind of value."""

_DENIALS = frozenset({"n/a", "na", "no", "none", "not applicable", "not specified", "unknown"})


@dataclass(frozen=True, slots=True)
class JudgedField:
    """The verdict on one value."""

    row: int
    """Index of the document among the predictions."""
    attribute: str
    verdict: Verdict


def value_kind(value: Any) -> ValueKind:
    """Return the kind of a value; an empty text, list or object is null."""
    if value is None or value in ("", [], {}):
        return "null"
    if isinstance(value, str) and value.strip().casefold() in _DENIALS:
        return "denial"
    return "value"


def judged_values(
    predictions: Sequence[Prediction], answers: Iterable[Prediction]
) -> Iterator[JudgedField]:
    """Yield the verdicts in a judge's answers, skipping failed answers and unknown verdicts."""
    rows = {prediction.known_id: row for row, prediction in enumerate(predictions)}
    for answer in answers:
        row = rows.get(str(answer.id))
        if row is None:
            continue
        for attribute, judged in (answer.data or {}).items():
            if isinstance(judged, Mapping) and judged.get("verdict") in VERDICTS:
                yield JudgedField(row, attribute, judged["verdict"])


_TEMPLATES = Path(__file__).parent / "templates"

JUDGE_SYSTEM_PROMPT = render_text(_TEMPLATES / "judge_rules.jinja")


def judge_questions(
    predictions: Sequence[Prediction],
    texts: Sequence[str | None],
    schemas: Schemas | None = None,
    category_field: str | None = None,
) -> tuple[list[Document], Schemas]:
    """Return the questions about all documents that have extracted values, for any model.

    A question is a record, whose category is the key of the schema of its answer. ``texts`` are
    those of the predictions' documents; None if unknown. Without the ``schemas`` of the extraction,
    a document has all attributes that the predictions of its category have.

    Raises ``InputError`` if an id is used twice, or a document has no text or no schema.
    """
    categories = [prediction.category(category_field) for prediction in predictions]
    seen: dict[str, dict[str, Attribute]] = {}
    for prediction, category in zip(predictions, categories, strict=True):
        names = seen.setdefault(category, {})
        names.update((name, Attribute(name)) for name in prediction.data or {})
    records: dict[str, Document] = {}
    asked: dict[str, Schema] = {}
    for prediction, category, text in zip(predictions, categories, texts, strict=True):
        if prediction.data is None:
            continue
        where = f"line {prediction.line}:"
        own_id = prediction.known_id
        if own_id in records:
            raise InputError(f"{where} the id {own_id!r} is used more than once: make ids unique")
        if schemas is None:
            attributes: Sequence[Attribute] = tuple(seen[category].values())
        elif category in schemas:
            attributes = schemas.for_category(category).attributes
        else:
            raise InputError(f"{where} there is no schema for the category {category!r}")
        if not attributes:
            continue
        if text is None:
            raise InputError(
                f"{where} the document {own_id!r} has no text: "
                "hpd extract --with-text writes it, --documents PATH adds it"
            )
        values = {each.name: prediction.data.get(each.name) for each in attributes}
        kinds = {name: value_kind(value) for name, value in values.items()}
        key = json.dumps([category, list(kinds.items())])
        if key not in asked:
            asked[key] = Schema(
                tuple(_judged_attribute(each, kinds[each.name]) for each in attributes)
            )
        shown = [(name, display_text(value) or "null") for name, value in values.items()]
        asked_text = render_text(_TEMPLATES / "judge_document.jinja", text=text, values=shown)
        records[own_id] = Document(asked_text, own_id, key, line=prediction.line)
    return [*records.values()], Schemas.of(asked)


def _judged_attribute(attribute: Attribute, kind: ValueKind) -> Attribute:
    asked = partial(Attribute, nullable=False, required=True)
    reason = asked("reason", forbids_null=True)
    verdict = asked(
        "verdict", "enum", forbids_null=True, choices=POSSIBLE_VERDICTS[kind], after=("reason",)
    )
    described = attribute.description
    return asked(attribute.name, "object", description=described, attributes=(reason, verdict))


@dataclass(frozen=True, slots=True)
class VerdictCounts(JsonDataclass):
    """The number of each verdict, and the scores in percent; None if undefined."""

    counts: tuple[int, ...]
    """In the order of ``VERDICTS``."""

    @property
    def scores(self) -> tuple[float | None, ...]:
        """The scores, in the order of ``SCORES``."""
        values = llm_scores(np.array(self.counts, float))
        return tuple(None if np.isnan(value) else round(float(value), 2) for value in values)

    def members(self) -> dict[str, Any]:
        return {
            **dict(zip(SCORES, self.scores, strict=True)),
            "verdicts": dict(zip(VERDICTS, self.counts, strict=True)),
        }


@dataclass(frozen=True, slots=True)
class JudgeScores(JsonDataclass):
    total: VerdictCounts
    attributes: dict[str, VerdictCounts]
    intervals: tuple[Interval | None, ...]
    """Intervals of the total's scores, in the order of ``SCORES``."""
    n_documents: int
    resampling: Resampling

    def members(self) -> dict[str, Any]:
        return {
            "n_documents": self.n_documents,
            **self.total.members(),
            "intervals": dict(zip(SCORES, self.intervals, strict=True)),
            "attributes": self.attributes,
            "resampling": self.resampling,
        }


def judge_scores(
    judged: Iterable[JudgedField], resampling: Resampling = DEFAULT_RESAMPLING
) -> JudgeScores:
    """Sum up verdicts, with intervals bootstrapped over documents."""
    judged = list(judged)
    rows = {row: i for i, row in enumerate(dict.fromkeys(each.row for each in judged))}
    by_document = np.zeros((len(rows), len(VERDICTS)))
    by_attribute: dict[str, list[int]] = {}
    for each in judged:
        column = VERDICTS.index(each.verdict)
        by_document[rows[each.row], column] += 1
        by_attribute.setdefault(each.attribute, [0] * len(VERDICTS))[column] += 1
    samples = bootstrap(
        lambda weights: llm_scores(weights @ by_document), *by_document.shape, resampling
    )
    return JudgeScores(
        VerdictCounts(tuple(int(n) for n in by_document.sum(axis=0))),
        {name: VerdictCounts(tuple(counts)) for name, counts in by_attribute.items()},
        tuple(Interval.of_known(samples[:, i]) for i in range(len(SCORES))),
        len(rows),
        resampling,
    )


def llm_scores(counts: Array) -> Array:
    """Return the scores, in percent, of (..., verdicts) counts: (..., 3), NaN if undefined."""
    correct, incorrect, missing, null, invented = (counts[..., i] for i in range(len(VERDICTS)))
    right = correct + null
    judged = right + incorrect
    return precision_recall_f1(right, judged + invented, judged + missing, undefined=np.nan)


@dataclass(frozen=True, slots=True)
class GoldAgreement(JsonDataclass):
    """A judge's verdicts compared with gold's."""

    n: int
    """The number of values with both verdicts."""
    n_equal: int
    kappa: float | None
    """Cohen's kappa of the five verdicts; None if undefined. It tends to be high, because most
    verdicts depend on whether a value is null, which the judge sees."""
    n_equally_right: int
    """The number of values that both, or neither, call right (correct or correct null)."""
    kappa_right: float | None
    """Cohen's kappa of right and not right."""
    confusion: Mapping[Verdict, Mapping[Verdict, int]]
    """The number of values by the judge's verdict, and gold's."""


def gold_agreement(
    judged: Iterable[JudgedField],
    predictions: Sequence[Prediction],
    examples: Sequence[Example | None],
) -> GoldAgreement | None:
    """Return the agreement on all values that have gold; None if there are none.

    ``examples`` has the gold of each prediction, or None.
    """
    pairs: list[tuple[Verdict, Verdict]] = []
    for each in judged:
        example = examples[each.row]
        if example is None or each.attribute not in example.gold:
            continue
        value = (predictions[each.row].data or {}).get(each.attribute)
        of_gold = VERDICT_OF_OUTCOME[outcome(example.gold[each.attribute], value)]
        pairs.append((each.verdict, of_gold))
    if not pairs:
        return None
    rights = [(ours in CORRECT_VERDICTS, gold in CORRECT_VERDICTS) for ours, gold in pairs]
    counts = Counter(pairs)
    return GoldAgreement(
        len(pairs),
        sum(ours == gold for ours, gold in pairs),
        cohen_kappa(pairs),
        sum(ours == gold for ours, gold in rights),
        cohen_kappa(rights),
        {ours: {gold: counts[ours, gold] for gold in VERDICTS} for ours in VERDICTS},
    )
