"""Print the tables of the model card in Markdown: scores on data sets not trained on.

    PYTHONPATH=python:models python -m recipe.scores DATA [-m MODEL] [--limit N] [--ar N]
        [--only PART...] [--set NAME=VALUE]

DATA has a folder for each data set; missing ones are skipped: oa-mine and ae-110k
with dev.jsonl and attributes.json, wdc-pave with train.jsonl, and crossner with DOMAIN.jsonl and
DOMAIN.schema.json, as hpd data convert makes them of CrossNER's development halves.

F1 is micro, values are compared exactly, and 95% intervals are bootstrapped over documents. Plain
counts the attributes that a row names; strict counts all those of its category. A named entity is
right if its text is in the list of its type; the type misc is ignored. For CrossNER, F1 is the mean
over domains.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import hpd
from hpd.bench.workload import spread
from hpd.cli.arguments import add_option_arguments, parsed_options
from hpd.documents import Document
from hpd.evaluation.datasets import find_format, read_dataset
from hpd.evaluation.outcomes import category_attributes, field_outcomes
from hpd.evaluation.rows import Example, load_examples
from hpd.evaluation.scores import count_outcomes, precision_recall_f1
from hpd.evaluation.statistics import Array, Interval, bootstrap, evaluation_intervals
from hpd.models.model_files import resolve_model
from hpd.schema import load_schemas
from recipe import written
from recipe.handwritten import kept_aside

TITLES = {"oa-mine": "dev.jsonl", "ae-110k": "dev.jsonl", "wdc-pave": "train.jsonl"}
DOMAINS = ("ai", "literature", "music", "politics", "science")
LEFT_OUT = "misc"
PARTS = ("written", "handwritten", *TITLES, "crossner")

Row = tuple[str, ...]
Settings = Mapping[str, Any]


def extracted(examples: Sequence[Example], schema: object, settings: Settings) -> list[Any]:
    """Return the data that the model extracts from each example."""
    texts = [Document(each.text, category=each.category or None) for each in examples]
    with hpd.Extractor(schema, **settings) as extractor:  # type: ignore[call-overload]
        return [each.data for each in extractor.extract_many(texts, on_error="record")]


def held_out(limit: int | None) -> list[written.Written]:
    """Return up to ``limit`` handwritten documents that are not trained on, evenly spread."""
    documents = kept_aside()
    return [
        written.Written(
            each.name,
            each.text,
            each.schema,
            # If the attribute is no list, a list in the gold has several right values.
            {
                question.attributes[0].name: question.golds[0]
                if len(question.golds) == 1 or question.kind.item is not None
                else list(question.golds)
                for question in each.questions
            },
        )
        for each in (documents[i] for i in spread(len(documents), limit))
    ]


def titles(folder: Path, limit: int | None, settings: Settings) -> Row:
    """Score a data set of products: its documents, and F1 in both scopes."""
    source = folder / TITLES[folder.name]
    rows = read_dataset(source, find_format(source))
    examples = [row for row in rows if isinstance(row, Example)]
    names: Mapping[str, Sequence[str]] = {
        category: list(each) for category, each in category_attributes(examples).items()
    }
    if (folder / "attributes.json").exists():
        schemas = load_schemas(str(folder / "attributes.json"))
        names = {
            each: [a.name for a in schema.attributes]
            for each, schema in schemas.by_category.items()
        }
    examples = [examples[i] for i in spread(len(examples), limit)]
    fields = list(field_outcomes(examples, extracted(examples, names, settings), names))
    found, around = count_outcomes(fields), evaluation_intervals(fields, len(examples))
    return (
        str(len(examples)),
        _with_interval(found.plain.micro.f1, around.plain.micro["f1"]),
        _with_interval(found.strict.micro.f1, around.strict.micro["f1"]),
    )


def entities(folder: Path, limit: int | None, settings: Settings) -> tuple[int, float, Interval]:
    """Score CrossNER: its sentences, and the mean of the domains' F1."""
    n_documents = 0
    means: list[float] = []
    samples = []
    for domain in DOMAINS:
        every = list(load_examples(folder / f"{domain}.jsonl"))
        examples = [every[i] for i in spread(len(every), limit)]
        found = extracted(examples, folder / f"{domain}.schema.json", settings)
        counts = np.array(
            [list(entity_counts(*pair)) for pair in zip(examples, found, strict=True)]
        )
        n_documents += len(examples)
        means.append(float(f1(counts.sum(axis=0))))
        samples.append(bootstrap(lambda weights, own=counts: f1(weights @ own), len(examples)))
    return n_documents, float(np.mean(means)), Interval.of(np.mean(samples, axis=0))


def entity_counts(example: Example, data: Mapping[str, Any] | None) -> Iterator[int]:
    """Count a sentence's right, predicted and gold entities."""
    gold, given = (
        Counter((kind, text) for kind, texts in each.items() if kind != LEFT_OUT
                for text in texts or ())
        for each in (example.gold, data or {})
    )  # fmt: skip
    yield from ((gold & given).total(), given.total(), gold.total())


def f1(counts: Array) -> Array:
    """Return F1 in percent from right, predicted and gold counts: (..., 3) to (...)."""
    return precision_recall_f1(*np.moveaxis(counts, -1, 0))[..., -1]


def _with_interval(score: float, interval: Interval) -> str:
    return f"{score:.1f} ({interval:.1f})"


def _data_sets(
    data: Path, only: Sequence[str], limit: int | None, settings: Settings
) -> Iterator[Row]:
    for name in TITLES:
        if name in only and (data / name).is_dir():
            yield name, *titles(data / name, limit, settings)
    # An object of fourteen lists does not fit into the context.
    if "crossner" in only and (data / "crossner").is_dir() and settings.get("method") != "ar":
        n_documents, mean, interval = entities(data / "crossner", limit, settings)
        yield "crossner", str(n_documents), _with_interval(mean, interval), ""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the program; return its exit code."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", type=Path, metavar="DATA")
    parser.add_argument("--limit", type=int, metavar="N", help="documents of each file")
    parser.add_argument("--ar", type=int, metavar="N", help="also both methods on so many of each")
    parser.add_argument(
        "--only", nargs="+", choices=PARTS, default=PARTS, metavar="PART", help=", ".join(PARTS)
    )
    add_option_arguments(parser, leave_out=("method",))
    asked = parser.parse_args(arguments)
    try:
        settings: Settings = {
            "model": resolve_model(asked.model, asked.hf_repo),
            "options": parsed_options(asked),
        }
        runs = [("HPD", asked.limit, settings)]
        if asked.ar:
            runs += [("HPD", asked.ar, settings), ("AR", asked.ar, {**settings, "method": "ar"})]
        if "written" in asked.only:
            print(f"Written:\n\n{written.report(settings, written.read_written())}\n", flush=True)
        if "handwritten" in asked.only:
            table = written.report(settings, held_out(asked.limit))
            print(f"Handwritten, not trained on:\n\n{table}\n", flush=True)
        print("| set | method | documents | F1, plain | F1, strict |\n|---|---|---:|---:|---:|")
        for method, limit, its in runs:
            for name, *cells in _data_sets(asked.data, asked.only, limit, its):
                print(f"| {' | '.join([name, method, *cells])} |", flush=True)
    except hpd.HpdError as error:
        print(f"scores: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
