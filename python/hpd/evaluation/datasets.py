"""Documents with gold values, and predictions to hold against them.

The rows of OA-Mine, AE-110k and WDC-PAVE (``input`` or ``input_title`` and ``input_description``,
``category``, ``target_scores``), and plain rows of one's own (text, and ``gold`` or ``data``).
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hpd.errors import InputError
from hpd.records import Format, Record, RecordReader

ABSENT = "n/a"
"""How the benchmarks write that a document does not state an attribute."""

_GOLD_FIELDS = ("target_scores", "gold", "data")


@dataclass(frozen=True, slots=True)
class Example:
    """A document and what it says: for each attribute the values that count as right, or None."""

    id: str
    text: str
    category: str
    gold: Mapping[str, Sequence[str] | None] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Prediction:
    """One line that ``hpd extract`` wrote; no data if the document failed."""

    id: str | None
    data: Mapping[str, Any] | None
    confidences: Mapping[str, float] = field(default_factory=dict, compare=False)
    """Of each value that has one, by its place in the data."""


def load_examples(
    path: str | Path,
    *,
    format: Format | None = None,  # noqa: A002
    text_field: str | Sequence[str] | None = None,
    id_field: str | None = None,
    category_field: str | None = None,
) -> Iterator[Example]:
    """The rows of a gold file, lazily; one that cannot be read raises ``InputError``."""
    reader = RecordReader(path, format=format, text_field=text_field, id_field=id_field)
    with reader:
        for record in reader:
            if record.error is not None:
                raise record.error
            yield _example(record, reader.name, category_field)


def load_predictions(path: str | Path) -> Iterator[Prediction]:
    """The lines of ``hpd extract``'s output, lazily."""
    # The text is not in them: any field that every line has will do for a text.
    with RecordReader(path, format="jsonl") as reader:
        for record in reader:
            row = record.raw
            if not row and record.error is not None:
                raise record.error
            data = row.get("data")
            if not isinstance(data, Mapping) and "error" not in row:
                raise InputError(
                    f"{reader.name}:{record.line}: neither 'data' nor 'error': "
                    "not a line that hpd extract wrote"
                )
            number = row.get("id")
            yield Prediction(
                None if number is None else str(number),
                data if isinstance(data, Mapping) else None,
                _confidences(row.get("fields")),
            )


def _confidences(fields: object) -> dict[str, float]:
    if not isinstance(fields, Mapping):
        return {}
    found = {
        str(place): told.get("confidence")
        for place, told in fields.items()
        if isinstance(told, Mapping)
    }
    return {place: float(c) for place, c in found.items() if isinstance(c, int | float)}


def match_predictions(
    examples: Sequence[Example], predictions: Iterable[Prediction]
) -> list[Mapping[str, Any] | None]:
    """For each example the data predicted for it; None where there is none.

    By id; by order if no prediction has an id, and then there must be one for each example.
    """
    found = list(predictions)
    if found and all(prediction.id is None for prediction in found):
        if len(found) != len(examples):
            raise InputError(
                f"{len(found)} predictions without ids for {len(examples)} documents: "
                "cannot tell which belongs to which"
            )
        return [prediction.data for prediction in found]
    # Ids that come twice are taken in order.
    by_id: dict[str | None, deque[Mapping[str, Any] | None]] = {}
    for prediction in found:
        by_id.setdefault(prediction.id, deque()).append(prediction.data)
    matched: list[Mapping[str, Any] | None] = []
    n_matched = 0
    for example in examples:
        queue = by_id.get(example.id)
        n_matched += bool(queue)
        matched.append(queue.popleft() if queue else None)
    if found and examples and not n_matched:
        raise InputError(
            f"no prediction has the id of a document: {found[0].id!r} and the like "
            f"against {examples[0].id!r}"
        )
    return matched


def value_text(value: object) -> str:
    """A value as the metric compares it: text as it is, all else as JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def gold_values(values: object) -> list[str] | None:
    """The values that count as right, stripped; None if the document has none.

    The first one decides: ``n/a`` there means that the document does not state the attribute.
    """
    if values is None:
        return None
    if isinstance(values, (Mapping, list, tuple)):
        stripped = [value_text(value).strip() for value in values]
    else:
        stripped = [value_text(values).strip()]
    if not stripped or stripped[0] == ABSENT:
        return None
    return [value for value in stripped if value != ABSENT]


def _example(record: Record, name: str, category_field: str | None) -> Example:
    row = record.raw
    gold = next((row[key] for key in _GOLD_FIELDS if isinstance(row.get(key), Mapping)), None)
    if gold is None:
        fields = ", ".join(_GOLD_FIELDS)
        raise InputError(f"{name}:{record.line}: no gold values: looked for {fields}")
    category = row.get(category_field or "category")
    if category is None and category_field is not None:
        raise InputError(f"{name}:{record.line}: no field {category_field!r}")
    return Example(
        record.id,
        record.text,
        "" if category is None else str(category),
        {str(attribute): gold_values(values) for attribute, values in gold.items()},
    )
