"""Documents with gold values that come with hpd, to calibrate a model without other data.

They are short texts of many kinds, written by hand for hpd. No model of hpd is trained on them.
``models/recipe/calibration_documents.py`` writes the file.
"""

from __future__ import annotations

import json
import re
import warnings
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from hpd.documents import Document
from hpd.evaluation.confidence_fit import ScoredConfidence
from hpd.evaluation.outcomes import normalize_value, outcome
from hpd.evaluation.rows import gold_values
from hpd.extractor import Extractor
from hpd.options import Options
from hpd.prompt.text import FieldPath
from hpd.results import Extraction, iter_parts
from hpd.schema import SchemaWarning, load_schema
from hpd.schema.attributes import Attribute, Schema
from hpd.values.answers import answer_leaf
from hpd.values.confidence import COUNT_KIND, NO_CALIBRATION, kind_of

DOCUMENTS_FILE = Path(__file__).with_name("calibration_documents.jsonl")
_PATH_STEP = re.compile(r"[^.\[\]]+")


@dataclass(frozen=True)
class GoldDocument:
    """A document with its schema and gold values."""

    name: str
    text: str
    schema: Schema
    answer: Mapping[str, Any]
    """The gold values; a list where several are right."""


@cache
def gold_documents() -> tuple[GoldDocument, ...]:
    """Return the documents that come with hpd."""
    found = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SchemaWarning)
        for row in map(json.loads, DOCUMENTS_FILE.read_text(encoding="utf-8").splitlines()):
            schema = load_schema(row["schema"])
            found.append(GoldDocument(row["id"], row["text"], schema, row["gold"]))
    return tuple(found)


def scored_extractions(
    model: Path, documents: Iterable[GoldDocument], options: Options
) -> Iterator[tuple[Extraction[Any], list[ScoredConfidence]]]:
    """Extract documents with a model; yield each extraction with its scored fields.

    Neither a calibration nor a threshold is applied.
    """
    by_name = {document.name: document for document in documents}
    schemas = {name: document.schema for name, document in by_name.items()}
    texts = [Document(each.text, id=name, category=name) for name, each in by_name.items()]
    plain = replace(
        options, calibration=NO_CALIBRATION, null_threshold=0.0, on_invalid="record", quiet=True
    )
    with Extractor(schemas, model, options=plain) as extractor:
        for extraction in extractor.iter_extract(texts, on_error="record"):
            yield extraction, [*scored_fields(by_name[extraction.id], extraction)]


def attribute_at(schema: Schema, path: str) -> Attribute | None:
    """Return the attribute of a field, by its path in ``Extraction.fields``."""
    return answer_leaf(schema, _steps(path))


def scored_fields(
    document: GoldDocument, extraction: Extraction[Any]
) -> Iterator[ScoredConfidence]:
    """Yield each field of an extraction."""
    answers = dict(iter_parts(document.answer))
    for path, field in extraction.fields.items():
        attribute, gold = attribute_at(document.schema, path), answers.get(path)
        # A value with confidence 0 becomes null with any map.
        if attribute is None or field.confidence is None or field.nulled:
            continue
        kind: str = attribute.type
        value, is_null = field.value, field.value is None
        if attribute.type == "array":
            # The confidence of a list is that of its length.
            kind, value, gold = COUNT_KIND, len(value or []), len(gold or [])
        result = outcome(gold_values(gold), value, normalize_value)
        yield ScoredConfidence(
            document.name,
            kind_of(kind, _steps(path)),
            field.confidence,
            is_null,
            is_right=result in ("vc", "nn"),
            is_stated=result in ("vc", "vw", "vn"),
        )


def _steps(path: str) -> FieldPath:
    return (*_PATH_STEP.findall(path),)
