"""The five verdicts on a value, and which of them a value can get (paper, appendix E)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, get_args

from hpd.evaluation.outcomes import Outcome
from hpd.evaluation.rows import Prediction

Verdict = Literal["correct", "incorrect", "missing", "correct null", "hallucination"]
VERDICTS: Final[tuple[Verdict, ...]] = get_args(Verdict)

RIGHT: Final[frozenset[Verdict]] = frozenset({"correct", "correct null"})
"""The verdicts on values that are as they should be."""

VERDICT_OF_OUTCOME: Final[Mapping[Outcome, Verdict]] = {
    "vc": "correct",
    "vw": "incorrect",
    "vn": "missing",
    "nn": "correct null",
    "nv": "hallucination",
}
"""The verdict that gold gives, by the outcome of the field."""

ValueKind = Literal["null", "denial", "value"]
"""A value is null; or a *denial*, a text such as "none"; or anything else."""

CHOICES: Final[Mapping[ValueKind, tuple[Verdict, ...]]] = {
    "null": ("missing", "correct null"),
    "denial": ("correct", "incorrect", "correct null"),
    "value": ("correct", "incorrect", "hallucination"),
}
"""The verdicts that make sense; a judge has no others to choose from."""

_DENIALS = frozenset({"n/a", "na", "no", "none", "not applicable", "not specified", "unknown"})


@dataclass(frozen=True, slots=True)
class Judged:
    """The verdict on one value."""

    row: int
    """The number of the document, from 0, in the order of the predictions."""
    attribute: str
    verdict: Verdict
    reason: str


def value_kind(value: Any) -> ValueKind:
    """The kind of a value; an empty text, list or object is null."""
    if value is None or value in ("", [], {}):
        return "null"
    if isinstance(value, str) and value.strip().casefold() in _DENIALS:
        return "denial"
    return "value"


def judged_values(
    predictions: Sequence[Prediction], answers: Iterable[Prediction]
) -> Iterator[Judged]:
    """The verdicts in a judge's answers, each with the number of its document.

    Args:
        predictions: what was judged.
        answers: what the judge said, by the ids of ``inquiries``. An answer that failed, and a
            verdict that is none, are passed over.
    """
    rows = {prediction_id(prediction, row): row for row, prediction in enumerate(predictions)}
    for answer in answers:
        row = rows.get(str(answer.id))
        if row is None:
            continue
        for attribute, judged in (answer.data or {}).items():
            if isinstance(judged, Mapping) and judged.get("verdict") in VERDICTS:
                yield Judged(row, attribute, judged["verdict"], str(judged.get("reason") or ""))


def prediction_id(prediction: Prediction, row: int) -> str:
    """The id under which a prediction is judged: its own, or the number of its row, from 1."""
    return str(row + 1) if prediction.id is None else prediction.id
