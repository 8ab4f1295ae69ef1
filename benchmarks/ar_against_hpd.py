"""AR against HPD with one model, on files with gold values: is there a difference in quality?

    python benchmarks/ar_against_hpd.py DATA/oa-mine/dev.jsonl DATA/ae-110k/dev.jsonl --work WORK

Each file is in a format of ``hpd data list``. An ``attributes.json`` beside it says what each
category is asked for, else what its rows name. Both methods extract with ``hpd extract``, and are
compared as by ``hpd eval HPD GOLD --vs AR``. The output is Markdown. Extractions that WORK already
has, for as many rows, are not made again.
"""

from __future__ import annotations

import argparse
import datetime
import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from hpd.cli.eval.tables import p_text
from hpd.evaluation.assessment import Versus, versus
from hpd.evaluation.datasets.catalogue import find_format, read_dataset
from hpd.evaluation.datasets.conversion import schema_path, write_dataset
from hpd.evaluation.datasets.document import DatasetDocument
from hpd.evaluation.datasets.survey import survey
from hpd.evaluation.matching import match_rows
from hpd.evaluation.resampling import Resampling
from hpd.evaluation.rows import load_examples, load_predictions
from hpd.machine.hardware import n_cores, processor
from hpd.machine.model_files import box_model
from hpd.version import __version__

METHODS = ("hpd", "ar")


@dataclass(frozen=True)
class Comparison:
    """HPD minus AR on one file."""

    name: str
    n_documents: int
    versus: Versus


def prepare(source: Path, folder: Path, limit: int | None) -> tuple[Path, Path]:
    """The first rows of a file as hpd's own lines, and the schema to ask for."""
    folder.mkdir(parents=True, exist_ok=True)
    dataset = find_format(source)
    rows = list(islice(read_dataset(source, dataset), limit))
    problems = [row for row in rows if not isinstance(row, DatasetDocument)]
    if problems:
        raise problems[0]
    gold = folder / "gold.jsonl"
    write_dataset(rows, survey(rows, dataset, source.name), gold)
    attributes = source.with_name("attributes.json")
    return gold, attributes if attributes.exists() else schema_path(gold)


def extract(gold: Path, schema: Path, method: str, options: argparse.Namespace) -> Path:
    """The file of one method's extractions, which is made if it is missing."""
    output = gold.with_name(f"{method}.jsonl")
    if not output.exists():
        command = [sys.executable, "-m", "hpd.cli", "extract", str(gold), "--schema", str(schema)]
        command += ["--category-field", "category", "--method", method, "--quiet"]
        command += ["-m", str(options.model), "-t", str(options.threads), "-o", str(output)]
        subprocess.run(command, check=True)
    return output


def compare(source: Path, options: argparse.Namespace) -> Comparison:
    """Both methods on one file."""
    name = source.resolve().parent.name
    n_rows = "all" if options.limit is None else str(options.limit)
    gold, schema = prepare(source, options.work / f"{name}-{n_rows}", options.limit)
    examples = list(load_examples(gold, needs_text=False))
    hpd, ar = (
        match_rows(examples, load_predictions(extract(gold, schema, method, options))).data
        for method in METHODS
    )
    names = json.loads(schema.read_text(encoding="utf-8"))
    resampling = Resampling(options.resamples, options.seed)
    return Comparison(name, len(examples), versus(examples, hpd, ar, names, resampling))


def difference_rows(comparisons: Sequence[Comparison]) -> Iterator[list[str]]:
    yield ["data", "documents", "values", "scope", "AR", "HPD", "HPD - AR", "95% interval", "p"]
    for each in comparisons:
        for form, by_scope in each.versus.differences.items():
            for scope, differences in by_scope.items():
                f1 = differences.micro["f1"]
                interval = f"{f1.interval.low:+.2f} to {f1.interval.high:+.2f}"
                scores = [f"{f1.second:.2f}", f"{f1.first:.2f}", f"{f1.difference:+.2f}"]
                yield [
                    each.name,
                    str(each.n_documents),
                    form,
                    scope,
                    *scores,
                    interval,
                    p_text(f1.p_value),
                ]


def agreement_rows(comparisons: Sequence[Comparison]) -> Iterator[list[str]]:
    yield ["data", "fields", "same", "normalized", "with a value in either", "same", "normalized"]
    for each in comparisons:
        agreement = each.versus.agreement
        shares = agreement.to_json()
        yield [
            each.name,
            str(agreement.n_fields),
            f"{shares['same']:.2f}%",
            f"{shares['same_normalized']:.2f}%",
            str(agreement.n_filled),
            f"{shares['filled_same']:.2f}%",
            f"{shares['filled_same_normalized']:.2f}%",
        ]


def markdown(rows: Iterator[list[str]]) -> str:
    head, *rest = rows
    lines = [head, ["---"] * len(head), *rest]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def conditions(options: argparse.Namespace) -> str:
    """The conditions of the measurement, as a sentence."""
    today = datetime.datetime.now(datetime.timezone.utc).date()
    return (
        f"Model `{options.model.name}`, hpd {__version__}, {processor()}, "
        f"{options.threads or n_cores()} threads, {today}; {options.resamples} samples and "
        f"exchanges, seed {options.seed}."
    )


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("sources", metavar="FILE", nargs="+", type=Path)
    parser.add_argument("--work", type=Path, required=True, help="a folder for extractions")
    parser.add_argument("--model", type=Path, help="a GGUF file (else the one in the box)")
    parser.add_argument("--limit", type=int, metavar="N", help="the first N rows of each file")
    parser.add_argument("--threads", type=int, default=0, help="(0: chosen)")
    parser.add_argument("--resamples", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(arguments)
    options.model = options.model or box_model()
    comparisons = [compare(source, options) for source in options.sources]
    print(conditions(options))
    print(f"\n{markdown(difference_rows(comparisons))}")
    print(f"\n{markdown(agreement_rows(comparisons))}")


if __name__ == "__main__":
    main()
