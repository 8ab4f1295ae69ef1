"""The questions to a judge: a document with its extracted values, and a verdict on each.

The answer to an attribute is an object of a reason and a verdict. The reason comes first: so it is
what the verdict follows from, and not an excuse for it. Of the verdicts only those can be chosen
that a value of its kind can get.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hpd.errors import InputError
from hpd.evaluation.judging.verdicts import CHOICES, ValueKind, prediction_id, value_kind
from hpd.evaluation.rows import Prediction
from hpd.files import Record
from hpd.prompt.templates import render_text
from hpd.schema.attributes import Attribute, Schema

_FOLDER = Path(__file__).parent

RULES = render_text(_FOLDER / "rules.jinja")
"""The system's text for a judge."""

Schemas = Schema | Mapping[str, Schema]


@dataclass(frozen=True, slots=True)
class Inquiries:
    """The questions about a file of predictions, ready for an extractor of either kind."""

    records: tuple[Record, ...]
    """One for each document; ``category`` leads to its schema."""
    schemas: Mapping[str, Schema]


def inquiries(
    predictions: Sequence[Prediction],
    texts: Sequence[str | None],
    schemas: Schemas | None = None,
    category_field: str | None = None,
) -> Inquiries:
    """The questions about all documents that have extracted values.

    Args:
        predictions: what is judged, each with an id of its own or none.
        texts: their documents; None where one is not known.
        schemas: that of the extraction, for what it says of its attributes, or one for each
            category. Without it a document has the attributes that any document of its category
            has values of.
        category_field: the name of the category, in the line or in the columns of its input;
            ``category`` if it is not said.

    Raises:
        InputError: an id comes twice, or a document has no text or no schema.
    """
    attributes = _Attributes(predictions, schemas, category_field or "category")
    records: dict[str, Record] = {}
    asked: dict[str, Schema] = {}
    for row, prediction in enumerate(predictions):
        if prediction.data is None:
            continue
        own_id = prediction_id(prediction, row)
        if own_id in records:
            raise InputError(
                f"line {prediction.line}: the id {own_id!r} comes again: make the ids unique"
            )
        own = attributes.of(prediction)
        if not own:
            continue
        text = texts[row]
        if text is None:
            raise InputError(
                f"line {prediction.line}: the document {own_id!r} has no text: "
                "hpd extract --with-text writes it, --documents FILE adds it"
            )
        values = {attribute.name: prediction.data.get(attribute.name) for attribute in own}
        kinds = {name: value_kind(value) for name, value in values.items()}
        key = json.dumps([attributes.category(prediction), list(kinds.items())])
        if key not in asked:
            asked[key] = verdict_schema(own, kinds)
        records[own_id] = Record(own_id, document_text(text, values), key, prediction.line)
    return Inquiries(tuple(records.values()), asked)


def verdict_schema(attributes: Iterable[Attribute], kinds: Mapping[str, ValueKind]) -> Schema:
    """The schema of a judge's answer: a reason and a verdict for each attribute."""
    return Schema(tuple(_judged_attribute(each, kinds[each.name]) for each in attributes))


def document_text(text: str, values: Mapping[str, Any]) -> str:
    """A document with its extracted values below it."""
    shown = [
        (name, value if isinstance(value, str) and value else _json(value))
        for name, value in values.items()
    ]
    return render_text(_FOLDER / "document.jinja", text=text, values=shown)


def _judged_attribute(attribute: Attribute, kind: ValueKind) -> Attribute:
    reason = Attribute("reason", nullable=False, required=True, always_answered=True)
    verdict = Attribute(
        "verdict",
        "enum",
        choices=CHOICES[kind],
        nullable=False,
        required=True,
        always_answered=True,
        after=("reason",),
    )
    return Attribute(
        attribute.name,
        "object",
        description=attribute.description,
        nullable=False,
        required=True,
        attributes=(reason, verdict),
    )


class _Attributes:
    """The attributes of each document."""

    def __init__(
        self, predictions: Iterable[Prediction], schemas: Schemas | None, category_field: str
    ) -> None:
        self._schemas = schemas
        self._category_field = category_field
        self._seen: dict[str, dict[str, Attribute]] = {}
        for prediction in predictions:
            names = self._seen.setdefault(self.category(prediction), {})
            names.update((name, Attribute(name)) for name in prediction.data or {})

    def of(self, prediction: Prediction) -> Sequence[Attribute]:
        category = self.category(prediction)
        if self._schemas is None:
            return tuple(self._seen[category].values())
        if isinstance(self._schemas, Schema):
            return self._schemas.attributes
        if category not in self._schemas:
            raise InputError(
                f"line {prediction.line}: there is no schema for the category {category!r}"
            )
        return self._schemas[category].attributes

    def category(self, prediction: Prediction) -> str:
        columns = prediction.raw.get("input")
        for row in (prediction.raw, columns if isinstance(columns, Mapping) else {}):
            if row.get(self._category_field) is not None:
                return str(row[self._category_field])
        return ""


def _json(value: Any) -> str:
    return "null" if value_kind(value) == "null" else json.dumps(value, ensure_ascii=False)
