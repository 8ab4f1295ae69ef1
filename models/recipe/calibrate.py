"""Fit the calibration of a box to documents that were kept aside, and write it into the file.

    PYTHONPATH=python:models python models/recipe/calibrate.py models/hpd-box.gguf

Half of the documents are of the kinds with handwritten wordings, of wordings that are not trained
on, and half are listings. Each field counts, those of list items and the numbers of items, too.
What is printed is the expected calibration error before and after, on kinds of documents to which
the calibration was not fitted: the kinds are dealt out to five parts, each tried with what the
four others say; and how many of the fields at a confidence of 0.95 and more are right. From the
same answers comes the confidence below which null is the better answer, by a quarter of a point.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

from hpd.confidence import (
    COUNT,
    METADATA_KEY,
    NO_MAP,
    Judged,
    best_null_threshold,
    cross_fitted,
    fit,
)
from hpd.evaluation.calibration import Answer, reliability
from hpd.extractor import Extractor
from hpd.results import Extraction
from hpd.schema.attributes import Attribute, Schema
from hpd.training.conversion.metadata import set_metadata
from recipe.documents.questions import kinds, make_documents
from recipe.held_out import listings

# Others than those of the files for hpd eval, which recipe/held_out.py writes.
SEED = 991_001
SURE = 0.95
LISTINGS = "listings"
TOLERANCE = 0.0025
"""A quarter of a point of F1, which a thousand documents hardly tell, for values that are kept."""

_STEP = re.compile(r"\[(\d+)\]|([^.\[\]]+)")


def documents(count: int, seed: int) -> Iterator[tuple[str, Schema, str, Mapping[str, Any]]]:
    """The kind of each document, its schema, its text and the answer."""
    rng = Random(seed)
    every = kinds()
    titles = listings(rng)
    for number in range(count):
        if number % 2:
            kind = every[number // 2 % len(every)]
            schema, (text,), (answer,) = make_documents(rng, kept_aside=True, kind=kind)
            yield kind.name, schema, text, answer
        else:
            example = next(titles)
            # A fifth of the listings are one kind to be kept aside together.
            kind_name = f"{LISTINGS} {number // 2 % 5}"
            yield kind_name, Schema(tuple(example.schema)), example.documents[0], example.answers[0]


def judged_fields(
    kind: str, schema: Schema, extraction: Extraction[Any], answer: Mapping[str, Any]
) -> Iterator[tuple[Judged, bool]]:
    """Each field of an extraction with whether it is right, and whether the document states it."""
    for place, field in extraction.fields.items():
        attribute, gold = _at(schema.attributes, answer, place)
        # A value that the model rules out is null with any map.
        if attribute is None or field.confidence is None or field.nulled:
            continue
        kind_of_field: str = attribute.type
        value, is_null = field.value, field.value is None
        if attribute.type == "array":
            kind_of_field, value, gold = COUNT, value or 0, len(gold or [])
        judged = Judged(kind, kind_of_field, field.confidence, is_null, value == gold)
        yield judged, gold is not None


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


def judge(model: Path, count: int, seed: int) -> list[tuple[Judged, bool]]:
    """The fields of generated documents as the model extracts them, and whether they are stated."""
    made = list(documents(count, seed))
    judged: list[tuple[Judged, bool]] = []
    settings: dict[str, Any] = {
        "calibration": NO_MAP,
        "decide": True,  # As it will be by default, with the map.
        "on_invalid": "record",
        "quiet": True,
    }
    with Extractor("name", model, **settings) as extractor:
        for kind, schema, text, answer in made:
            (extraction,) = extractor.extract_many([text], schema=schema, on_error="record")
            judged += judged_fields(kind, schema, extraction, answer)
    return judged


def null_threshold(after: Sequence[Judged], stated: Sequence[bool]) -> float:
    """The confidence below which null is the better answer, by answers of a map not fitted to them.

    Listings and other documents count as much as each other, as one half is mostly right and the
    other mostly wrong. Numbers of items have no null.
    """
    halves: dict[bool, list[tuple[Judged, bool]]] = {True: [], False: []}
    for answer, is_stated in zip(after, stated, strict=True):
        if answer.kind != COUNT:
            halves[str(answer.document).startswith(LISTINGS)].append((answer, is_stated))
    return best_null_threshold(
        [([one for one, _ in half], sum(yes for _, yes in half)) for half in halves.values()],
        TOLERANCE,
    )


def report(judged: Sequence[Judged], after: Sequence[Judged]) -> None:
    """Print the errors without a calibration, and with one that has not seen the kind."""
    types = sorted({answer.kind for answer in judged})
    print(
        f"{'':24} {'n':>6} {'right':>6} {'error before':>13} {'after':>7} {'sure':>6} {'right':>6}"
    )
    for name in [None, *types]:
        for is_null, word in ((False, "values"), (True, "nulls")):
            chosen = [
                (one, two)
                for one, two in zip(judged, after, strict=True)
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
    print(f"{name:24} {n:6} {share:6.1%} {error} {len(sure):6} {right_of_sure:>6}")


def main() -> None:
    """Fit, print, and write the map into the model file."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("model", type=Path)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--dry-run", action="store_true", help="write nothing")
    arguments = parser.parse_args()
    judged, stated = zip(*judge(arguments.model, arguments.count, arguments.seed), strict=True)
    after = cross_fitted(judged)
    report(judged, after)
    threshold = null_threshold(after, stated)
    print(f"null is the better answer below {threshold:g}")
    fitted = replace(fit(judged), null_threshold=threshold)
    text = json.dumps(fitted.to_json(), separators=(",", ":"))
    if not arguments.dry_run:
        set_metadata(arguments.model, METADATA_KEY, text)
        print(f"{arguments.model}: {len(text)} characters under {METADATA_KEY}")


if __name__ == "__main__":
    main()
