"""Fit the calibration of a box to documents that were kept aside, and write it into the file.

    PYTHONPATH=python:models python models/recipe/calibrate.py models/hpd-box.gguf

Half of the documents are of the kinds with handwritten wordings, of wordings that are not trained
on, and half are of the other sources of the training. Each field counts, those
of list items and the numbers of items, too. Where null only counts beside the best choice (hpd's
--decide), that choice counts as a value, and the null that it may become as a null.
What is printed is the expected calibration error before and after, on kinds of documents to which
the calibration was not fitted: the kinds are dealt out to five parts, each tried with what the
four others say; and how many of the fields at a confidence of 0.95 and more are right.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import Any

from hpd.evaluation.calibration import Answer, reliability
from hpd.evaluation.confidence_fit import Judged, cross_fitted, fit
from hpd.evaluation.outcomes import gold_values, normalized, outcome
from hpd.extractor import Extractor
from hpd.pipeline.questionnaire import can_be_decided
from hpd.results import Extraction
from hpd.schema.attributes import Attribute, Schema
from hpd.training.weights import set_metadata
from hpd.values.confidence import COUNT, METADATA_KEY, NO_MAP, kind_of
from hpd.values.grammar import DECIDE_KEY
from hpd.values.stated import STATED_KEY
from recipe.documents.questions import kinds, make_documents
from recipe.write import SOURCES

SEED = 991_001
SURE = 0.95
_STEP = re.compile(r"\[(\d+)\]|([^.\[\]]+)")


def documents(count: int, seed: int) -> Iterator[tuple[str, Schema, str, Mapping[str, Any]]]:
    """The kind of each document, its schema, its text and the answer."""
    rng = Random(seed)
    every = kinds()
    others = [source for source in SOURCES if source != "documents"]
    for number in range(count):
        if number % 2:
            kind = every[number // 2 % len(every)]
            schema, (text,), (answer,) = make_documents(rng, kept_aside=True, kind=kind)
            yield kind.name, schema, text, answer
        else:
            source = others[number // 2 % len(others)]
            example = SOURCES[source](rng)
            kind_name = f"generated {source}"
            yield kind_name, example.schema, example.documents[0], example.answers[0]


@dataclass(frozen=True)
class Field:
    """A field of an extraction."""

    answer: Judged
    left_null: Judged | None
    """The null that it is if the answer is refused, where it was only counted beside that."""


def judged_fields(
    kind: str, schema: Schema, text: str, extraction: Extraction[Any], answer: Mapping[str, Any]
) -> Iterator[Field]:
    """Each field of an extraction with whether it is right."""
    for place, field in extraction.fields.items():
        attribute, gold = _at(schema.attributes, answer, place)
        # A value that the model rules out is null with any map.
        if attribute is None or field.confidence is None or field.nulled:
            continue
        name: str = attribute.type
        value, is_null = field.value, field.value is None
        if attribute.type == "array":
            name, value, gold = COUNT, value or 0, len(gold or [])
        is_right = outcome(gold_values(gold), value, normalized) in ("vc", "nn")
        judged = Judged(kind, kind_of(name, text), field.confidence, is_null, is_right)
        left_null = None
        is_decided = name != COUNT and can_be_decided(attribute, stated=True)
        if is_decided and not is_null and field.confidence <= 0.5:
            left = 1 - field.confidence
            left_null = replace(judged, confidence=left, is_null=True, is_right=gold is None)
        yield Field(judged, left_null)


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


def judge(model: Path, count: int, seed: int) -> list[Field]:
    """The fields of generated documents as the model extracts them."""
    made = list(documents(count, seed))
    fields: list[Field] = []
    settings: dict[str, Any] = {
        "calibration": NO_MAP,
        "decide": True,  # As it will be by default, with the map.
        "on_invalid": "record",
        "quiet": True,
    }
    with Extractor("name", model, **settings) as extractor:
        for kind, schema, text, answer in made:
            (extraction,) = extractor.extract_many([text], schema=schema, on_error="record")
            fields += judged_fields(kind, schema, text, extraction, answer)
    return fields


def all_answers(fields: Sequence[Field]) -> list[Judged]:
    """Those of the fields, and the nulls that they would be."""
    return [each for field in fields for each in (field.answer, field.left_null) if each]


def cross_fitted_fields(fields: Sequence[Field]) -> list[Field]:
    """The same fields with the confidence that a map gives them which has not seen their kind."""
    after = iter(cross_fitted(all_answers(fields)))
    return [
        replace(field, answer=next(after), left_null=field.left_null and next(after))
        for field in fields
    ]


def report(pairs: Sequence[tuple[Judged, Judged]]) -> None:
    """Print the errors without a calibration, and with one that has not seen the kind."""
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


def _print_row(name: str, before: Sequence[Judged], after: Sequence[Judged]) -> None:
    n = len(before)
    errors = [
        reliability([Answer(a.confidence, "vc" if a.is_right else "vw") for a in state]).ece
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
    parser.add_argument("--count", type=int, default=3000)
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--dry-run", action="store_true", help="write nothing")
    arguments = parser.parse_args()
    if not arguments.dry_run:
        # What the file asks for by default is on while its answers are judged.
        set_metadata(arguments.model, STATED_KEY, "on")
        set_metadata(arguments.model, DECIDE_KEY, "on")
    before = judge(arguments.model, arguments.count, arguments.seed)
    after = cross_fitted_fields(before)
    report([(one.answer, two.answer) for one, two in zip(before, after, strict=True)])
    text = json.dumps(fit(all_answers(before)).to_json(), separators=(",", ":"))
    if not arguments.dry_run:
        set_metadata(arguments.model, METADATA_KEY, text)
        print(f"{arguments.model}: {len(text)} characters under {METADATA_KEY}")


if __name__ == "__main__":
    main()
