"""The documents of a report: a line of extractions each, with its text and its gold, if any."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hpd.evaluation.outcomes import Outcome, outcome
from hpd.evaluation.rows import Example, Prediction
from hpd.pages.shown_values import ShownValue, shown_values


@dataclass(frozen=True, slots=True)
class ReportedAttribute:
    """One attribute of one document: its values and, where gold is given, its outcome."""

    name: str
    values: tuple[ShownValue, ...]
    """At least one, even if it says that there is none."""
    gold: Sequence[str] | None = None
    outcome: Outcome | None = None
    """None where the gold does not name the attribute."""


@dataclass(frozen=True, slots=True)
class ReportedDocument:
    """A document as the report shows it."""

    id: str
    category: str
    text: str | None
    attributes: tuple[ReportedAttribute, ...]
    error: str | None = None
    """The error of a document that failed; it has no values, not even nulls."""
    input: Mapping[str, Any] | None = None
    """The other columns of the input."""

    @property
    def values(self) -> Iterator[ShownValue]:
        """The values of all attributes, in order."""
        return (value for attribute in self.attributes for value in attribute.values)


def reported_documents(
    predictions: Sequence[Prediction],
    examples: Sequence[Example | None],
    sources: Sequence[Example | None],
    category_field: str | None = None,
) -> list[ReportedDocument]:
    """The documents of a report, one for each prediction.

    ``examples`` has the gold of each prediction and ``sources`` the document it was made from, as
    far as they are known (``hpd.evaluation.sources``). A text of ``sources`` is taken before the
    line's own, and that before the text of the gold.
    """
    return [
        _document(number, *parts, category_field=category_field)
        for number, parts in enumerate(zip(predictions, examples, sources, strict=True), start=1)
    ]


def _document(
    number: int,
    prediction: Prediction,
    example: Example | None,
    source: Example | None,
    *,
    category_field: str | None,
) -> ReportedDocument:
    line = prediction.raw
    columns = line.get("input")
    return ReportedDocument(
        prediction.id if prediction.id is not None else str(number),
        _category(line, example, source, category_field or "category"),
        _text(prediction.raw.get("text"), example, source),
        tuple(_attributes(prediction, example)),
        _error(line.get("error")),
        columns if isinstance(columns, Mapping) else None,
    )


def _text(own: object, example: Example | None, source: Example | None) -> str | None:
    if source is not None:
        return source.text
    if isinstance(own, str):
        return own
    return example.text or None if example is not None else None


def _category(
    line: Mapping[str, Any], example: Example | None, source: Example | None, field: str
) -> str:
    columns = line.get("input")
    own = columns.get(field) if isinstance(columns, Mapping) else None
    stated = (source and source.category, own, line.get(field), example and example.category)
    return next((str(each) for each in stated if each not in (None, "")), "")


def _error(error: object) -> str | None:
    if isinstance(error, Mapping):
        return ": ".join(str(error[key]) for key in ("type", "message") if key in error)
    return None if error is None else str(error)


def _attributes(prediction: Prediction, example: Example | None) -> Iterator[ReportedAttribute]:
    values: dict[str, list[ShownValue]] = {}
    for value in shown_values(prediction.data or {}, prediction.fields):
        values.setdefault(value.attribute, []).append(value)
    gold = {} if example is None else example.gold
    for name in {**values, **gold}:
        shown = tuple(values.get(name) or [ShownValue(name, name, None)])
        if name in gold:
            predicted = (prediction.data or {}).get(name)
            yield ReportedAttribute(name, shown, gold[name], outcome(gold[name], predicted))
        else:
            yield ReportedAttribute(name, shown)
