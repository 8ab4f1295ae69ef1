"""Counts right values that constraints replace with null, in held-out handwritten documents."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hpd.bench.workload import spread
from hpd.evaluation.calibration_documents import (
    GoldDocument,
    attribute_at,
    scored_extractions,
)
from hpd.evaluation.outcomes import normalize_value, outcome
from hpd.evaluation.rows import gold_values
from hpd.options import Options
from hpd.results import Extraction, FieldValue, iter_parts
from hpd.schema.attributes import SCALAR_TYPES
from recipe.calibration_documents import gold_document
from recipe.handwritten import kept_aside

COUNTS = ("documents", "stated", "right", "rejected", "lost")
"""What is counted: documents, fields of which they state a value, those that are right, those that
are null with a reason although a value is stated, and those whose rejected text was right."""


@dataclass
class LossTally:
    """Counts by name, and all rejected values."""

    counts: Counter[str] = field(default_factory=Counter)
    faults: list[Mapping[str, Any]] = field(default_factory=list)


def losses(model: Path, n_threads: int, limit: int | None) -> LossTally:
    """Extract held-out documents and count; values are not rejected for a low confidence."""
    documents = kept_aside()
    chosen = [gold_document(documents[i]) for i in spread(len(documents), limit)]
    by_name = {document.name: document for document in chosen}
    found = LossTally()
    for extraction, _ in scored_extractions(model, chosen, Options(n_threads=n_threads)):
        count_losses(found, by_name[extraction.id], extraction)
    return found


def count_losses(found: LossTally, document: GoldDocument, extraction: Extraction[Any]) -> None:
    """Count the fields of which a document states one value."""
    found.counts["documents"] += 1
    answers = dict(iter_parts(document.answer))
    for path, details in extraction.fields.items():
        attribute = attribute_at(document.schema, path)
        golds = gold_values(answers.get(path))
        if attribute is None or attribute.type not in SCALAR_TYPES or golds is None:
            continue
        found.counts["stated"] += 1
        if details.value is not None:
            found.counts["right"] += outcome(golds, details.value, normalize_value) == "vc"
        elif why := details.error or details.reason:
            found.counts["rejected"] += 1
            is_lost = outcome(golds, _written(details), normalize_value) == "vc"
            found.counts["lost"] += is_lost
            fault = {"name": document.name, "field": path, "stated": golds, "raw": details.raw}
            found.faults.append({**fault, "why": why, "lost": is_lost})


def _written(details: FieldValue) -> Any:
    """Return what the model wrote, as a value."""
    try:
        return json.loads(details.raw)
    except ValueError:
        return details.raw.strip(' "')
