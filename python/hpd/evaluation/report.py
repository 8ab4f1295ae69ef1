"""Makes a page that shows extractions: each document with its values, and their statistics."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

from hpd.evaluation.calibration import N_BINS, Calibration, bin_of
from hpd.evaluation.outcomes import OUTCOME_WORDS, OUTCOMES, Outcome, outcome
from hpd.evaluation.rows import Example, Prediction
from hpd.evaluation.scores import Counts
from hpd.schema.data_checks import check_text
from hpd.show.page import render_page
from hpd.show.shown_values import (
    ShownValue,
    color_classes,
    color_slots,
    covered_segments,
    display_text,
    shown_id,
    shown_values,
    utf16_segments,
)


@dataclass(frozen=True, slots=True)
class ReportedAttribute:
    """One attribute of one document: its values and, where gold is given, its outcome."""

    name: str
    values: tuple[ShownValue, ...]
    """At least one; if the attribute is absent, one without a text."""
    gold: Sequence[str] | None = None
    outcome: Outcome | None = None
    """None if the gold does not have the attribute."""
    form: Any = 0
    """The structure of its data, with the index of each value: 0 for a single value, ``[0, 1]`` for
    a list of two."""


ReportedPage = tuple[int, float, float, str]
"""A page as a picture: its number, from 1; its width and height in points, like the boxes of
places; and a ``data:`` URL, or the path of the picture relative to the report."""


@dataclass(frozen=True, slots=True)
class ReportedDocument:
    id: str
    category: str
    text: str | None
    attributes: tuple[ReportedAttribute, ...]
    error: str | None = None
    """Why the document failed; it then has no values, not even nulls."""
    input: Mapping[str, Any] | None = None
    """The other columns of the input."""
    file: str | None = None
    """The file from which its text was read, if known."""
    pages: tuple[ReportedPage, ...] = ()
    checks: tuple[str, ...] = ()
    """The checks of the schema that its data did not pass."""
    own_id: str | None = None
    """The id in its line; ``id`` may also name the file in which it is a row."""

    @property
    def values(self) -> Iterator[ShownValue]:
        return (value for attribute in self.attributes for value in attribute.values)


def reported_documents(
    predictions: Sequence[Prediction],
    examples: Sequence[Example | None],
    sources: Sequence[Example | None],
    category_field: str | None = None,
) -> list[ReportedDocument]:
    """Return the documents of a report, one for each prediction.

    ``examples`` has the gold of each prediction and ``sources`` its document, if known
    (``hpd.evaluation.matching``). The text is that of the source, else the line's own, else that of
    the gold.
    """
    documents = []
    for prediction, example, source in zip(predictions, examples, sources, strict=True):
        line = prediction.raw
        columns, checks = line.get("input"), line.get("checks")
        checks = checks if isinstance(checks, list) else []
        of_source, of_gold = ("" if each is None else each.category for each in (source, example))
        documents.append(
            ReportedDocument(
                str(shown_id(prediction.known_id, line.get("source"))),
                of_source or prediction.category(category_field) or of_gold,
                _document_text(prediction, example, source),
                tuple(_reported_attributes(prediction, example)),
                _error_text(line.get("error")),
                columns if isinstance(columns, Mapping) else None,
                None if source is None else source.file,
                checks=tuple(check_text(each) for each in checks if isinstance(each, Mapping)),
                own_id=prediction.id,
            )
        )
    return documents


def _document_text(
    prediction: Prediction, example: Example | None, source: Example | None
) -> str | None:
    if source is not None:
        return source.text
    if prediction.text is not None or example is None:
        return prediction.text
    return example.text or None


def _error_text(error: object) -> str | None:
    if isinstance(error, Mapping):
        return ": ".join(str(error[key]) for key in ("type", "message") if key in error)
    return None if error is None else str(error)


def _reported_attributes(
    prediction: Prediction, example: Example | None
) -> Iterator[ReportedAttribute]:
    values: dict[str, list[ShownValue]] = {}
    for value in shown_values(prediction.data or {}, prediction.fields):
        values.setdefault(value.attribute, []).append(value)
    gold = {} if example is None else example.gold
    for name in {**values, **gold}:
        shown = tuple(values.get(name) or [ShownValue(name, name, None)])
        predicted = (prediction.data or {}).get(name)
        result = outcome(gold[name], predicted) if name in gold else None
        yield ReportedAttribute(name, shown, gold.get(name), result, _structure(predicted, count()))


def _structure(value: object, indexes: Iterator[int]) -> Any:
    """Return the structure of a value, with an index for each leaf; an empty list has one."""
    if isinstance(value, Mapping) and value:
        return {name: _structure(inner, indexes) for name, inner in value.items()}
    if isinstance(value, list):
        return [_structure(inner, indexes) for inner in value or [None]]
    return next(indexes)


LOW_CONFIDENCE = 0.5
"""Confidences below this are low; readers can choose another bound in the page."""


@dataclass(slots=True)
class Totals:
    """The number of values of each kind, in all documents or of one attribute."""

    n_values: int = 0
    n_nulls: int = 0
    n_ungrounded: int = 0
    n_low: int = 0
    """Values and nulls with a low confidence."""
    n_failed: int = 0
    """Fields with an error and, in all documents, failed documents."""
    value_confidences: list[float] = field(default_factory=list)
    null_confidences: list[float] = field(default_factory=list)
    outcomes: Counter[str] = field(default_factory=Counter)
    """The outcomes of the attribute, in documents whose gold has it."""

    def add(self, value: ShownValue, *, of_failed_document: bool) -> None:
        """Count one value; absent values of a failed document do not count as null."""
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
    def mean_confidence(self) -> float | None:
        """The mean confidence of the values; None if none has one."""
        known = self.value_confidences
        return sum(known) / len(known) if known else None

    @property
    def histogram(self) -> list[tuple[int, int]]:
        """The values and the nulls in each bin of confidence; empty if there are no confidences."""
        each_kind = (self.value_confidences, self.null_confidences)
        values, nulls = (Counter(map(bin_of, confidences)) for confidences in each_kind)
        return [(values[i], nulls[i]) for i in range(N_BINS)] if values or nulls else []

    @property
    def counts(self) -> Counts | None:
        """The outcomes; None if no gold has the attribute."""
        return Counts(**self.outcomes) if self.outcomes else None


def summarize(documents: Sequence[ReportedDocument]) -> tuple[Totals, dict[str, Totals]]:
    """Return the totals of all documents, and of each attribute in order of appearance."""
    totals = Totals(n_failed=sum(document.error is not None for document in documents))
    by_name: dict[str, Totals] = {}
    for document in documents:
        for attribute in document.attributes:
            of_attribute = by_name.setdefault(attribute.name, Totals())
            if attribute.outcome is not None:
                of_attribute.outcomes[attribute.outcome] += 1
            for value in attribute.values:
                for each in (totals, of_attribute):
                    each.add(value, of_failed_document=document.error is not None)
    return totals, by_name


MATCHES = ("exact", "normalized", "fuzzy", "none")


def payload(
    documents: Sequence[ReportedDocument], *, has_gold: bool, source: str = ""
) -> dict[str, Any]:
    """Return the data for the page's script."""
    by_category: dict[str, dict[str, None]] = {}
    for document in documents:
        names = by_category.setdefault(document.category, {})
        names.update(dict.fromkeys(attribute.name for attribute in document.attributes))
    slots = color_slots(by_category)
    categories = {name: number for number, name in enumerate(by_category)}
    numbers = {name: number for number, name in enumerate(slots)}
    return {
        "lowConfidence": LOW_CONFIDENCE,
        "hasGold": has_gold,
        "outcomes": OUTCOMES,
        "outcomeWords": OUTCOME_WORDS,
        "matches": MATCHES,
        "source": source,
        "categories": [*categories],
        "attributes": [[name, slot] for name, slot in slots.items()],
        "documents": [
            _document_row(each, categories[each.category], numbers) for each in documents
        ],
    }


def _document_row(
    document: ReportedDocument, category: int, numbers: Mapping[str, int]
) -> list[Any]:
    text = document.text
    segments = covered_segments(list(document.values), len(text)) if text is not None else []
    columns = {str(name): display_text(value) for name, value in (document.input or {}).items()}
    return _drop_trailing_nulls(
        document.id,
        category,
        text,
        [_attribute_row(each, numbers[each.name]) for each in document.attributes],
        utf16_segments(segments, text or ""),
        document.error,
        [[name, column] for name, column in columns.items() if column is not None] or None,
        document.pages or None,
        # False: its line has no id; None: it is the id above.
        {None: False, document.id: None}.get(document.own_id, document.own_id),
        list(document.checks) or None,
    )


def _attribute_row(attribute: ReportedAttribute, number: int) -> list[Any]:
    return _drop_trailing_nulls(
        number,
        [_value_row(value) for value in attribute.values],
        None if attribute.outcome is None else OUTCOMES.index(attribute.outcome),
        attribute.gold,
        attribute.form or None,
    )


def _value_row(value: ShownValue) -> list[Any]:
    confidence = value.confidence
    return _drop_trailing_nulls(
        value.text,
        None if confidence is None else round(confidence, 4),
        MATCHES.index(value.match) if value.match in MATCHES else None,
        None if value.path == value.attribute else value.path,
        value.error,
        value.raw,
        value.truncated or None,
        value.is_json or None,
        None if value.place is None else value.place.page,
        None if value.place is None else value.place.boxes or value.place.cell,
    )


def _drop_trailing_nulls(*parts: Any) -> list[Any]:
    """Return a list of some parts, without the nulls at its end."""
    shown = [*parts]
    while shown and shown[-1] is None:
        shown.pop()
    return shown


_TEMPLATE = Path(__file__).parent / "templates" / "report.html"
_SCRIPTS = [_TEMPLATE.with_name(name) for name in ("report_pages.js", "report_gold.js")]


def report_html(
    documents: Sequence[ReportedDocument],
    *,
    title: str,
    source: str,
    scores: Counts | None = None,
    calibration: Calibration | None = None,
    notices: Sequence[str] = (),
    pictures_beside: bool = False,
) -> str:
    """Return a self-contained page that shows documents and their statistics.

    With gold, ``scores`` are those of all extractions. ``notices`` are what readers should know
    before they trust the figures, and ``source`` is the name of the file of extractions.
    """
    data = payload(documents, has_gold=scores is not None, source=source)
    totals, attributes = summarize(documents)
    return render_page(
        _TEMPLATE,
        data=data,
        pictures_beside=pictures_beside,
        scripts=_SCRIPTS,
        title=title,
        source=source,
        n_documents=len(documents),
        totals=totals,
        attributes=attributes,
        scores=scores,
        calibration=calibration,
        notices=notices,
        low_confidence=LOW_CONFIDENCE,
        colors={name: color_classes(slot) for name, slot in data["attributes"]},
        has_pages=any(document.pages for document in documents),
        has_categories=len(data["categories"]) > 1,
    )
