"""Counts the values that change with the settings, and those not marked as near ties.

    python -m benchmarks.margins gold.jsonl --schema attributes.json --category-field category

The same documents are extracted with one setting after another, and each run is compared with the
first. Margins are compared for values that both runs mark as near ties.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any

import hpd
from hpd.evaluation.rows import load_examples
from hpd.messages import format_table
from hpd.results import Extraction
from hpd.schema import load_schemas

SETTINGS: Sequence[Mapping[str, Any]] = (
    {"in_flight": 1, "drafts": False},
    {"in_flight": 4, "drafts": False},
    {"in_flight": 24, "drafts": False},
    {"in_flight": 24, "drafts": True},
    {"n_batch": 64, "drafts": False},
    {"cpu_attention": False, "drafts": False},
    {"flash_attn": "off", "drafts": False},
)


def compare(first: Sequence[Extraction[Any]], other: Sequence[Extraction[Any]]) -> list[str]:
    """Return the numbers of values, and of those marked, changed, and changed but not marked.

    The last cell is the largest change of a margin.
    """
    pairs = [
        (one.fields[path], two.fields[path])
        for one, two in zip(first, other, strict=True)
        for path in one.fields.keys() & two.fields.keys()
    ]
    changed = [one for one, two in pairs if one.value != two.value]
    n_unmarked = sum(field.margin is None for field in changed)
    gaps = [
        abs(one.margin - two.margin)
        for one, two in pairs
        if one.value == two.value and one.margin is not None and two.margin is not None
    ]
    n_marked = sum(one.margin is not None for one, _ in pairs)
    largest = f"{max(gaps):.3f}" if gaps else ""
    return [str(len(pairs)), str(n_marked), str(len(changed)), str(n_unmarked), largest]


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("documents")
    parser.add_argument("--schema", required=True)
    parser.add_argument("--category-field")
    parser.add_argument("-m", "--model", help="a GGUF file (else the bundled one)")
    parser.add_argument("-t", "--threads", type=int, default=0)
    parser.add_argument("--limit", type=int)
    options = parser.parse_args(arguments)
    examples = islice(
        load_examples(options.documents, category_field=options.category_field), options.limit
    )
    has_categories = load_schemas(options.schema).single is None
    documents = [
        hpd.Document(each.text, category=each.category if has_categories else None)
        for each in examples
    ]
    first: Sequence[Extraction[Any]] = ()
    rows = [["setting", "values", "near ties", "changed", "unmarked", "margins differ by"]]
    for setting in SETTINGS:
        with hpd.Extractor(
            options.schema, options.model, n_threads=options.threads, **setting
        ) as extractor:
            made = list(extractor.extract_many(documents))
        first = first or made
        rows.append([json.dumps(setting), *compare(first, made)])
    print(format_table(rows))


if __name__ == "__main__":
    main()
