"""Counts silently wrong values in texts that contradict their schema in one field.

    python -m benchmarks.contradictions -m MODEL [MODEL ...] [--limit N] [-o RESULT.json]

Where a text states a value that its schema does not allow, the field should be null, with an error
that says why. A value without an error is silently wrong: it was cut, rounded or made up to fit.
Each text has a twin with a value that fits, to count the right values that are rejected or lost.

With ``--held-out N`` and ``PYTHONPATH=models``, right values lost are also counted in N handwritten
documents that no model of hpd was trained on.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import hpd
from benchmarks.contradictions.counting import ContradictionTally, tally
from benchmarks.contradictions.records import read_records
from benchmarks.harness.part import conditions
from benchmarks.harness.result import Finding, Result, Table
from hpd.bench.workload import spread
from hpd.cli.arguments import integer
from hpd.messages import format_table
from hpd.models.model_files import resolve_model
from hpd.results import Extraction

TITLE = "Texts that contradict their schema"
LOSSES = "Values of held-out documents"
_COUNTS = (
    "texts", "silently wrong", "sure", "null and why", "null", "twin right", "twin wrong",
    "twin lost",
)  # fmt: skip
_EVERY = 50
"""Number of texts between two lines of progress."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the program; return its exit code."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("-m", "--model", nargs="+", help="GGUF files (else the bundled one)")
    parser.add_argument(
        "--limit", type=integer(1), metavar="N", help="number of texts, spread over the kinds"
    )
    parser.add_argument(
        "--held-out", type=integer(1), metavar="N", help="number of handwritten documents"
    )
    parser.add_argument("-t", "--threads", type=int, default=0, help="(0: automatic)")
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", help="the result as JSON")
    parser.add_argument("--faults", action="store_true", help="print each fault")
    words = sys.argv[1:] if arguments is None else arguments
    asked = parser.parse_args(words)
    start = time.monotonic()
    tables: list[Table] = []
    headlines: list[str] = []
    faults: dict[str, Any] = {}
    try:
        models = {path.name: path for path in map(resolve_model, asked.model or [None])}
        for name, path in models.items():
            counted = contradictions(path, asked.threads, asked.limit)
            tables.append(Table(f"{TITLE}: {name}", rows(counted)))
            headlines.append(f"{name}: {headline(counted['all'])}")
            faults[name] = counted["all"].faults
            shown = format_table(map(str, row) for row in tables[-1].rows)
            print(f"{name}\n{shown}", flush=True)
            if asked.held_out:
                # Needs models/ on PYTHONPATH.
                from benchmarks.contradictions.losses import COUNTS, losses

                lost = losses(path, asked.threads, asked.held_out)
                numbers = [lost.counts[count] for count in COUNTS]
                tables.append(Table(f"{LOSSES}: {name}", [COUNTS, numbers]))
                print(format_table(map(str, row) for row in tables[-1].rows), flush=True)
                faults[name] += lost.faults
            for fault in faults[name] if asked.faults else ():
                print(json.dumps(fault, ensure_ascii=False), flush=True)
    except hpd.HpdError as error:
        print(f"contradictions: {error}", file=sys.stderr)
        return 1
    if asked.output:
        seconds = time.monotonic() - start
        finding = Finding(tables, "; ".join(headlines))
        made_under = conditions(models, seconds, n_threads=asked.threads, limit=asked.limit)
        # Without the machine's paths.
        command = " ".join(["python -m benchmarks.contradictions", *(Path(w).name for w in words)])
        row = asdict(Result("contradictions", TITLE, (command,), finding, made_under))
        text = json.dumps({**row, "faults": faults}, ensure_ascii=False, indent=1)
        asked.output.write_text(f"{text}\n", encoding="utf-8")
    return 0


def contradictions(model: Path, n_threads: int, limit: int | None) -> dict[str, ContradictionTally]:
    """Count the outcomes of the texts and twins, extracted with default options, by kind."""
    every = read_records()
    records = [every[i] for i in spread(len(every), limit)]
    schemas = {record.name: record.schema for record in records}
    documents = [
        hpd.Document(side.text, category=record.name)
        for record in records
        for side in (record.contradicting, record.fitting)
    ]
    found: list[Extraction[Any]] = []
    with hpd.Extractor(schemas, model, n_threads=n_threads, quiet=True) as extractor:
        for extraction in extractor.extract_many(documents, on_error="record"):
            found.append(extraction)
            if len(found) % _EVERY == 0 or len(found) == len(documents):
                print(f"{len(found)} of {len(documents)} texts", file=sys.stderr, flush=True)
    return tally(records, list(zip(found[::2], found[1::2], strict=True)))


def rows(counted: Mapping[str, ContradictionTally]) -> list[Sequence[str | int]]:
    """Return the table of the counts."""
    made: list[Sequence[str | int]] = [("kind", *_COUNTS, "other fields right")]
    for kind, each in counted.items():
        n = each.counts
        others = f"{n['others right']} of {n['others']}"
        made.append((kind, *(n[name] for name in _COUNTS), others))
    return made


def headline(every: ContradictionTally) -> str:
    """Return the share of silently wrong values and the outcomes of the twins, in words."""
    n = every.counts
    share = n["silently wrong"] / n["texts"]
    return (
        f"{share:.1%} of {n['texts']} silently wrong; of their twins {n['twin right']} right, "
        f"{n['twin wrong']} wrong, {n['twin lost']} lost"
    )


if __name__ == "__main__":
    sys.exit(main())
