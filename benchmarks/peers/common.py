"""The questions for every peer: the prompts of `hpd bench` as tokens, and their answers."""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from hpd import _native, prompt
from hpd.bench.measure import StolenTime, least_disturbed
from hpd.bench.workload import Workload, load_workload
from hpd.cli.common import table
from hpd.prompt import value_text
from hpd.prompt.questions import answer_at, schema_leaves
from hpd.prompt.tokens import PromptTokenizer
from hpd.schema import load_schemas


@dataclass(frozen=True)
class Question:
    """One document as tokens, and its answer."""

    category: str | None
    prompt: list[int]
    answer: list[int]
    """The tokens of the whole object."""
    answer_text: str
    fields: list[tuple[list[int], list[int]]]
    """The tokens of each attribute's key and value, for one attribute a request."""


@dataclass(frozen=True)
class Asked:
    """The questions of a workload."""

    workload: Workload
    questions: list[Question]
    warm_up: list[Question]


def parser(description: str) -> argparse.ArgumentParser:
    """A parser with the arguments that all peers share, which are those of `hpd bench`."""
    made = argparse.ArgumentParser(description=description)
    made.add_argument("input", help="the documents")
    made.add_argument("--schema", required=True)
    made.add_argument("--replay", required=True, help="the answers")
    made.add_argument("-m", "--model", required=True, help="a GGUF file")
    made.add_argument("--limit", type=int, help="documents, spread over the file")
    made.add_argument("--rounds", type=int, default=3)
    made.add_argument("-t", "--threads", type=int, default=0)
    made.add_argument("-o", "--output", type=Path, help="figures as JSON lines")
    return made


def load(arguments: argparse.Namespace) -> Asked:
    """Read a workload, and tokenise its documents and answers for the model."""
    workload = load_workload(
        arguments.input, load_schemas(arguments.schema), arguments.replay, limit=arguments.limit
    )
    options = _native.ModelOptions()
    options.vocab_only = True
    model = _native.Model([arguments.model], options)
    tokenizers: dict[str | None, PromptTokenizer] = {}

    def question(item: Any) -> Question:
        schema = workload.schema(item.category)
        if item.category not in tokenizers:
            tokenizers[item.category] = PromptTokenizer(
                model, prompt.system_text(), prompt.instruction_text(schema)
            )
        tokenizer = tokenizers[item.category]
        leaves = schema_leaves(schema)
        keyed = tokenizer.tokenize(
            [item.text], prompt.key_texts([leaf.path for leaf in leaves], "branch")
        )
        text = prompt.answer_text(item.answer)
        values = [model.tokenize(value_text(answer_at(item.answer, leaf.path))) for leaf in leaves]
        return Question(
            item.category,
            tokenizer.tokenize([item.text], [""]).prompt,
            model.tokenize(text),
            text,
            [(keyed.prompt + key, value) for key, value in zip(keyed.keys, values, strict=True)],
        )

    return Asked(
        workload,
        [question(item) for item in workload.items],
        [question(item) for item in workload.warm_up],
    )


Method = Callable[[Sequence[Question]], int]
"""A method answers all questions, and returns the number of answers that are not as replayed."""


@dataclass(frozen=True)
class Run:
    """One run of a method."""

    seconds: float
    n_wrong: int
    stolen: float
    """The share of the processors' time that the host of a virtual machine took for others."""


def _run(method: Method, asked: Asked) -> Run:
    method(asked.warm_up)
    stolen = StolenTime()
    start = time.perf_counter()
    n_wrong = method(asked.questions)
    return Run(time.perf_counter() - start, n_wrong, stolen.share())


def measure(
    asked: Asked, methods: dict[str, Method], n_rounds: int, settings: dict[str, Any]
) -> list[dict[str, Any]]:
    """Time the methods in interleaved rounds, after a warm-up of each; a row for each method."""
    runs: dict[str, list[Run]] = {name: [] for name in methods}
    for number in range(n_rounds):
        for name in list(methods)[:: 1 if number % 2 == 0 else -1]:
            run = least_disturbed(partial(_run, methods[name], asked), lambda run: run.stolen)
            runs[name].append(run)
            print(f"round {number + 1}: {name}: {run.seconds:.1f} s", file=sys.stderr)
    n = len(asked.questions)
    rows = []
    for name, found in runs.items():
        times = [run.seconds for run in found]
        middle = statistics.median(times)
        rows.append(
            {
                "type": "peer",
                "workload": asked.workload.name,
                "method": name,
                "settings": settings,
                "n_documents": n,
                "n_rounds": n_rounds,
                "ms_per_document": 1000 * middle / n,
                "documents_per_second": n / middle,
                "spread": (max(times) - min(times)) / middle,
                "n_wrong": sum(run.n_wrong for run in found),
                "stolen": max(run.stolen for run in found),
            }
        )
    return rows


def report(rows: list[dict[str, Any]], output: Path | None) -> None:
    """Print the rows as a table, and write them to the output file, if there is one."""
    if output is not None:
        output.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    cells = [["method", "docs/s", "ms/doc", "spread"]]
    for row in rows:
        cells.append(
            [
                row["method"],
                f"{row['documents_per_second']:.2f}",
                f"{row['ms_per_document']:.0f}",
                f"{row['spread']:.0%}",
            ]
        )
    print(table(cells))
