"""Fit the calibration of a box to documents that were kept aside, and write it into the file.

    PYTHONPATH=python:models python models/recipe/calibrate.py models/hpd-box.gguf

The documents are handwritten ones that are not trained on (``recipe.handwritten``). Each field
counts, those of list items and the numbers of items, too. What is printed is the expected
calibration error before and after, on documents to which the calibration was not fitted: they are
dealt out to five parts, each tried with what the four others say; and how many of the fields at a
confidence of 0.95 and more are right.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from hpd.evaluation.calibration import ScoredAnswer, reliability
from hpd.evaluation.confidence_fit import ScoredConfidence, cross_fitted, fit
from hpd.evaluation.outcomes import normalized, outcome
from hpd.evaluation.rows import gold_values
from hpd.extractor import Extractor
from hpd.results import Extraction
from hpd.schema.attributes import Attribute, Schema
from hpd.training.weights import set_metadata
from hpd.values.confidence import COUNT, METADATA_KEY, NO_MAP, kind_of
from hpd.values.stated import STATED_KEY
from recipe.handwritten import Handwritten, kept_aside

SURE = 0.95
_STEP = re.compile(r"\[(\d+)\]|([^.\[\]]+)")


def judged_fields(
    name: str, schema: Schema, text: str, extraction: Extraction[Any], answer: Mapping[str, Any]
) -> Iterator[ScoredConfidence]:
    """Each field of an extraction with whether it is right."""
    for path, field in extraction.fields.items():
        attribute, gold = _at(schema.attributes, answer, path)
        # A value that the model rules out is null with any map.
        if attribute is None or field.confidence is None or field.nulled:
            continue
        kind: str = attribute.type
        value, is_null = field.value, field.value is None
        if attribute.type == "array":
            kind, value, gold = COUNT, value or 0, len(gold or [])
        is_right = outcome(gold_values(gold), value, normalized) in ("vc", "nn")
        yield ScoredConfidence(name, kind_of(kind, text), field.confidence, is_null, is_right)


def _at(
    attributes: Sequence[Attribute], answer: object, place: str
) -> tuple[Attribute | None, Any]:
    """The attribute at a dotted place, and the value of the answer there."""
    attribute: Attribute | None = None
    for number, name in _STEP.findall(place):
        if number:
            attribute = attribute.item if attribute is not None else None
            items = answer if isinstance(answer, Sequence) else ()
            answer = items[int(number)] if int(number) < len(items) else None
        else:
            attribute = next((each for each in attributes if each.name == name), None)
            answer = answer.get(name) if isinstance(answer, Mapping) else None
        if attribute is None:
            return None, None
        attributes = attribute.attributes
    return attribute, answer


def judge(model: Path, chosen: Sequence[Handwritten]) -> list[ScoredConfidence]:
    """The fields of documents as the model extracts them."""
    fields: list[ScoredConfidence] = []
    with Extractor("name", model, calibration=NO_MAP, on_invalid="record", quiet=True) as extractor:
        for each in chosen:
            (extraction,) = extractor.extract_many(
                [each.text], schema=each.schema, on_error="record"
            )
            fields += judged_fields(each.name, each.schema, each.text, extraction, each.answer)
    return fields


def report(pairs: Sequence[tuple[ScoredConfidence, ScoredConfidence]]) -> None:
    """Print the errors without a calibration, and with one that has not seen the document."""
    types = sorted({one.kind for one, _ in pairs})
    print(
        f"{'':40} {'n':>6} {'right':>6} {'error before':>13} {'after':>7} {'sure':>6} {'right':>6}"
    )
    for name in [None, *types]:
        for is_null, word in ((False, "values"), (True, "nulls")):
            chosen = [
                (one, two)
                for one, two in pairs
                if name in (None, one.kind) and one.is_null == is_null
            ]
            if chosen:
                _print_row(f"{word} {name or 'of all types'}", *zip(*chosen, strict=True))


def _print_row(
    name: str, before: Sequence[ScoredConfidence], after: Sequence[ScoredConfidence]
) -> None:
    n = len(before)
    errors = [
        reliability([ScoredAnswer(a.confidence, "vc" if a.is_right else "vw") for a in state]).ece
        for state in (before, after)
    ]
    sure = [answer.is_right for answer in after if answer.confidence >= SURE]
    right_of_sure = f"{sum(sure) / len(sure):6.1%}" if sure else ""
    share = sum(answer.is_right for answer in before) / n
    error = f"{errors[0]:13.3f} {errors[1]:7.3f}"
    print(f"{name:40} {n:6} {share:6.1%} {error} {len(sure):6} {right_of_sure:>6}")


def main() -> None:
    """Fit, print, and write the map into the model file."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("model", type=Path)
    parser.add_argument("--dry-run", action="store_true", help="write nothing")
    arguments = parser.parse_args()
    if not arguments.dry_run:
        # It is on while the answers are judged, as it will be by default.
        set_metadata(arguments.model, STATED_KEY, "on")
    before = judge(arguments.model, kept_aside())
    report(list(zip(before, cross_fitted(before), strict=True)))
    text = json.dumps(fit(before).to_json(), separators=(",", ":"))
    if not arguments.dry_run:
        set_metadata(arguments.model, METADATA_KEY, text)
        print(f"{arguments.model}: {len(text)} characters under {METADATA_KEY}")


if __name__ == "__main__":
    main()
