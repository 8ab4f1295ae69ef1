"""Fit the calibration of a model to held-out documents, and write it into the file.

    PYTHONPATH=python:models python models/recipe/calibrate.py models/hpd-box.gguf [--limit N]

The documents are handwritten ones that are not trained on (``recipe.handwritten``), and as many
short texts of their fields (``recipe.short``). Ten fields of each count, including those of list
items and numbers of items. Prints the expected calibration error before and after, cross-validated
in five parts, and how many fields at a confidence of at least 0.95 are right.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from random import Random

from hpd.bench.workload import spread
from hpd.cli.arguments import integer
from hpd.evaluation.calibration import reliability
from hpd.evaluation.calibration_documents import GoldDocument, scored_fields
from hpd.evaluation.confidence_fit import ScoredConfidence, cross_validate, fit, limit_per_document
from hpd.extractor import Extractor
from hpd.messages import format_table
from hpd.options import Options
from hpd.training.weights import set_metadata
from hpd.values.confidence import METADATA_KEY, NO_CALIBRATION
from hpd.values.stated import STATED_KEY
from recipe.calibration_documents import gold_document
from recipe.handwritten import Handwritten, kept_aside
from recipe.short import short_row

SURE = 0.95


def gold_documents(chosen: Iterable[Handwritten]) -> Iterator[GoldDocument]:
    """Yield each document, and a short text of its fields."""
    rng = Random(1)
    for each in chosen:
        yield gold_document(each)
        if short := short_row(each, rng):
            yield GoldDocument(f"{each.name}/short", *short)


def judge(model: Path, documents: Iterable[GoldDocument]) -> list[ScoredConfidence]:
    """Score the fields that the model extracts from documents."""
    fields: list[ScoredConfidence] = []
    options = Options(
        calibration=NO_CALIBRATION, null_threshold=0.0, on_invalid="record", quiet=True
    )
    with Extractor("name", model, options=options) as extractor:
        for document in documents:
            (extraction,) = extractor.extract_many(
                [document.text], schema=document.schema, on_error="record"
            )
            fields += scored_fields(document, extraction)
    return fields


def report(pairs: Sequence[tuple[ScoredConfidence, ScoredConfidence]]) -> None:
    """Print the errors without a calibration, and with a cross-validated one."""
    types = sorted({one.kind for one, _ in pairs})
    rows = [["", "n", "right", "error before", "after", "sure", "right"]]
    for name in [None, *types]:
        for is_null, word in ((False, "values"), (True, "nulls")):
            chosen = [
                (one, two)
                for one, two in pairs
                if name in (None, one.kind) and one.is_null == is_null
            ]
            if chosen:
                figures = _figures(*zip(*chosen, strict=True))
                rows.append([f"{word} {name or 'of all types'}", *figures])
    print(format_table(rows))


def _figures(before: Sequence[ScoredConfidence], after: Sequence[ScoredConfidence]) -> list[str]:
    n = len(before)
    errors = [reliability(state).ece for state in (before, after)]
    sure = [answer.is_right for answer in after if answer.confidence >= SURE]
    right_of_sure = f"{sum(sure) / len(sure):.1%}" if sure else ""
    share = sum(answer.is_right for answer in before) / n
    return [
        str(n),
        f"{share:.1%}",
        *(f"{each:.3f}" for each in errors),
        str(len(sure)),
        right_of_sure,
    ]


def main() -> None:
    """Fit, print, and write the map into the model file."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("model", type=Path)
    parser.add_argument(
        "--limit", type=integer(1), metavar="N", help="number of documents, evenly spread"
    )
    parser.add_argument("--dry-run", action="store_true", help="write nothing")
    arguments = parser.parse_args()
    if not arguments.dry_run:
        # On, as it will be by default.
        set_metadata(arguments.model, STATED_KEY, "on")
    documents = kept_aside()
    chosen = [documents[i] for i in spread(len(documents), arguments.limit)]
    before = limit_per_document(judge(arguments.model, gold_documents(chosen)))
    report(list(zip(before, cross_validate(before), strict=True)))
    text = json.dumps(fit(before).to_json(), separators=(",", ":"))
    if not arguments.dry_run:
        set_metadata(arguments.model, METADATA_KEY, text)
        print(f"{arguments.model}: {len(text)} characters under {METADATA_KEY}")


if __name__ == "__main__":
    main()
