"""Counts outcomes of fields that contradict their schema, of their twins, and of other fields."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from benchmarks.contradictions.records import ContradictionRecord, leaves
from hpd.evaluation.outcomes import normalize_value, outcome
from hpd.evaluation.rows import gold_values
from hpd.results import Extraction, FieldValue

SURE = 0.9
"""Confidence from which a wrong value counts as sure."""

ContradictionOutcome = Literal["silently wrong", "null and why", "null"]
TwinOutcome = Literal["right", "wrong", "lost"]


@dataclass(frozen=True)
class FieldFinding:
    """The outcome of a field, with its contents; for a list, those of the item that decided it."""

    outcome: ContradictionOutcome | TwinOutcome
    value: Any = None
    confidence: float | None = None
    error: str | None = None
    raw: str = ""


@dataclass
class ContradictionTally:
    """Counts of some records, and all faults."""

    counts: Counter[str] = field(default_factory=Counter)
    faults: list[Mapping[str, Any]] = field(default_factory=list)


def tally(
    records: Sequence[ContradictionRecord],
    extractions: Sequence[tuple[Extraction[Any], Extraction[Any]]],
) -> dict[str, ContradictionTally]:
    """Count outcomes by kind and in total, given both extractions of each record."""
    by_kind: dict[str, ContradictionTally] = {}
    every = ContradictionTally()
    for record, (contradicting, fitting) in zip(records, extractions, strict=True):
        refused, accepted = refusal(record, contradicting), acceptance(record, fitting)
        counts = Counter(
            {"texts": 1, refused.outcome: 1, f"twin {accepted.outcome}": 1, "others right": 0}
        )
        is_sure = refused.confidence is not None and refused.confidence >= SURE
        counts["sure"] += refused.outcome == "silently wrong" and is_sure
        for side, extraction in ((record.contradicting, contradicting), (record.fitting, fitting)):
            others = [p for p, v in leaves(side.stated) if v is not None and p != record.field]
            counts["others"] += len(others)
            counts["others right"] += sum(
                _is_right(side.stated, extraction, path) for path in others
            )
        faults = [
            {"name": record.name, "text": side.text, "field": record.field, **asdict(found)}
            for side, found in ((record.contradicting, refused), (record.fitting, accepted))
            if found.outcome not in ("null and why", "right")
        ]
        for each in (by_kind.setdefault(record.kind, ContradictionTally()), every):
            each.counts.update(counts)
            each.faults += faults
    return {**by_kind, "all": every}


def refusal(record: ContradictionRecord, extraction: Extraction[Any]) -> FieldFinding:
    """Return the outcome of the contradicting field.

    The text states no value that the schema allows, except for other items of a list.
    """
    fitting = _stated(record.contradicting.stated, record.field)
    for path, value in _given(extraction, record.field):
        stated = next((each for each in fitting if equal(each, value)), None)
        if stated is None:
            return _finding("silently wrong", extraction, path, value)
        fitting.remove(stated)
    if extraction.error is not None:
        return FieldFinding("null and why", error=str(extraction.error))
    column = _column(record.field)
    for path, details in extraction.fields.items():
        why = details.error or details.reason
        if why is not None and _is_within(column, _column(path)):
            return _finding("null and why", extraction, path, error=why)
    return _finding("null", extraction, record.field)


def acceptance(record: ContradictionRecord, extraction: Extraction[Any]) -> FieldFinding:
    """Return the outcome of the twin's field."""
    if _is_right(record.fitting.stated, extraction, record.field):
        return FieldFinding("right")
    stated = _stated(record.fitting.stated, record.field)
    for path, value in _given(extraction, record.field):
        if not any(equal(each, value) for each in stated):
            return _finding("wrong", extraction, path, value)
    details = extraction.fields.get(record.field, FieldValue())
    error = details.error or (None if extraction.error is None else str(extraction.error))
    return _finding("lost", extraction, record.field, error=error)


def _finding(
    outcome: ContradictionOutcome | TwinOutcome,
    extraction: Extraction[Any],
    path: str,
    value: Any = None,
    error: str | None = None,
) -> FieldFinding:
    details = extraction.fields.get(path, FieldValue())
    return FieldFinding(outcome, value, details.confidence, error, details.raw)


def equal(stated: Any, value: Any) -> bool:
    """Return whether a value is one of the right ones, in hpd eval's normalized form."""
    texts = stated.split("||") if isinstance(stated, str) else [stated]
    return outcome(gold_values(texts), value, normalize_value) == "vc"


def _is_right(stated: Mapping[str, Any], extraction: Extraction[Any], path: str) -> bool:
    """Return whether a stated value was extracted; a list item may be anywhere in its list."""
    value = dict(leaves(stated))[path]
    times = _stated(stated, path).count(value)
    n_given = sum(equal(value, given) for _, given in _given(extraction, path))
    return n_given >= times


def _stated(stated: Mapping[str, Any], path: str) -> list[Any]:
    column = _column(path)
    return [v for p, v in leaves(stated) if v is not None and _column(p) == column]


def _given(extraction: Extraction[Any], path: str) -> Iterable[tuple[str, Any]]:
    """Yield the values without errors of a field, or of all items of a list, with their paths."""
    column = _column(path)
    for found, value in leaves(extraction.data):
        details = extraction.fields.get(found)
        is_marked = details is not None and details.error is not None
        if value is not None and _column(found) == column and not is_marked:
            yield found, value


def _column(path: str) -> str:
    return re.sub(r"\[\d+\]", "[]", path)


def _is_within(column: str, other: str) -> bool:
    """Return whether a column is within another: ``rows[].room`` in ``rows[]`` and ``rows``."""
    return column == other or column.startswith((f"{other}.", f"{other}["))
