"""The documents from which predictions were made, to be shown beside them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from hpd.evaluation.matching import Matching
from hpd.evaluation.rows import Example, Prediction
from hpd.files import RecordReader


def load_sources(
    path: str | Path,
    *,
    text_field: str | Sequence[str] | None = None,
    id_field: str | None = None,
    category_field: str | None = None,
) -> Iterator[Example]:
    """The documents of a file that ``hpd extract`` reads, lazily, as examples without gold.

    Raises ``InputError`` where one cannot be read.
    """
    with RecordReader(
        path, text_field=text_field, id_field=id_field, category_field=category_field
    ) as reader:
        for record in reader:
            if record.error is not None:
                raise record.error
            category = record.raw.get(category_field or "category")
            yield Example(
                record.id,
                record.text,
                "" if category is None else str(category),
                line=record.line,
                is_numbered=id_field is None and record.raw.get("id") is None,
            )


def for_predictions(
    predictions: Sequence[Prediction], examples: Sequence[Example], matching: Matching
) -> list[Example | None]:
    """The example of each prediction: a matching, seen from the other side."""
    owners = {
        id(prediction): example
        for example, prediction in zip(examples, matching.predictions, strict=True)
        if prediction is not None
    }
    return [owners.get(id(prediction)) for prediction in predictions]
