"""Compares the throughput of one process with that of Ray workers that share the cores.

    python benchmarks/ray_workers.py catalogue.jsonl --schema catalogue.schema.json -m model.gguf
    python benchmarks/ray_workers.py more.jsonl --schema s.json -m model.gguf --ray auto -w 4 -w 8

Prints a Markdown table with the medians of the rounds, in which the configurations take turns. Each
model is loaded and answers some documents before it is timed. Counts documents whose values differ
from those of the single process; with another number of threads, rounding differs, so near ties may
flip.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from statistics import median

from hpd.documents import Document
from hpd.extractor import Extractor
from hpd.files.reader import RecordReader
from hpd.models.hardware import n_cores, processor
from hpd.models.model_files import resolve_model
from hpd.options import Options
from hpd.ray.cluster import LOCAL, check_address
from hpd.ray.workers import RayExtractor
from hpd.schema import Schemas, load_schemas

Answers = dict[int, object]


def timed(extractor: Extractor[object] | RayExtractor, documents: list[Document]) -> Answers:
    """Return the data of each document, by its index."""
    pairs = extractor.iter_indexed(documents, on_error="record")
    return {index: extraction.data for index, extraction in pairs}


def main(argv: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("input")
    parser.add_argument("--schema", required=True)
    parser.add_argument("-m", "--model")
    parser.add_argument("--ray", default=LOCAL, type=check_address, metavar="ADDRESS")
    parser.add_argument("-w", "--workers", type=int, action="append", help="[default: 1, 2]")
    parser.add_argument("--limit", type=int, default=256)
    parser.add_argument("--warm-up", type=int, default=32)
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args(argv)
    schemas = load_schemas(arguments.schema)
    model = resolve_model(arguments.model, None)
    with RecordReader(arguments.input) as reader:
        records = list(islice(reader, arguments.limit))
    documents = [Document(record.text, record.id) for record in records]
    workers = arguments.workers or [1, 2]
    print(f"{len(documents)} documents, {model.name}, {processor()} ({n_cores()} cores)\n")
    rates: dict[str, list[float]] = {}
    n_different: dict[str, int] = {}
    for _ in range(arguments.rounds):
        expected: Answers = {}
        for name, extractor in ways(schemas, model, arguments.ray, workers):
            timed(extractor, documents[: arguments.warm_up])
            start = time.perf_counter()
            answers = timed(extractor, documents)
            rates.setdefault(name, []).append(len(documents) / (time.perf_counter() - start))
            expected = expected or answers
            n_different[name] = sum(answers[i] != expected[i] for i in expected)
    print("| | documents a second | x one process | spread | other answers |")
    print("|---|---:|---:|---:|---:|")
    one = median(next(iter(rates.values())))
    for name, found in rates.items():
        rate = median(found)
        spread = (max(found) - min(found)) / rate
        print(f"| {name} | {rate:.1f} | {rate / one:.2f} | {spread:.0%} | {n_different[name]} |")


def ways(
    schemas: Schemas, model: Path, address: str, workers: list[int]
) -> Iterator[tuple[str, Extractor[object] | RayExtractor]]:
    """Yield each configuration with its extractor, which is closed before the next is opened."""
    options = Options(quiet=True)
    with Extractor(schemas, model, options=options) as extractor:
        yield "one process", extractor
    for n in workers:
        with RayExtractor(
            schemas, str(model), path=model, options=options, address=address, n_workers=n
        ) as there:
            yield f"Ray, {n} worker{'s' * (n > 1)}", there


if __name__ == "__main__":
    main()
