"""Runs ways to decode on titles, and compares their passes and answers with AR's."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from benchmarks.harness.result import Cell, Rows
from benchmarks.harness.workbench import Workbench
from benchmarks.paper.neighbours.ways import AR, WAYS, Passes, n_right
from hpd import Document, Extractor
from hpd.bench.workload import spread
from hpd.evaluation.rows import Example, load_examples
from hpd.evaluation.scores import evaluate
from hpd.models.settings import load_vocabulary
from hpd.prompt.text import instruction_text, key_text, system_text
from hpd.prompt.tokens import PromptTokenizer
from hpd.results import Extraction
from hpd.schema import load_schemas
from hpd.schema.attributes import Schema
from hpd.schema.schemas import Schemas
from hpd.values.answers import split_answer


def with_one_thread(bench: Workbench) -> None:
    """Measure with one thread, unless a number was given."""
    bench.n_threads = bench.n_threads or 1
    bench.using(bench.model)


def titles(bench: Workbench, n: int) -> tuple[Schemas, list[Example]]:
    """Return the schemas of OA-Mine, and ``n`` titles spread evenly over its dev rows."""
    data = bench.data_set("oa-mine")
    schemas = load_schemas(data.schema)
    rows = list(load_examples(data.gold))
    return schemas, [rows[i] for i in spread(len(rows), bench.count(n))]


def attribute_names(schemas: Schemas) -> dict[str, list[str]]:
    """Return the names of each category's attributes."""
    return {name: [each.name for each in schemas.for_category(name)] for name in schemas.categories}


@dataclass
class WayResult:
    """The answers and totals of a way for the documents so far."""

    answers: list[dict[str, Any]] = field(default_factory=list)
    n_tokens: int = 0
    n_passes: int = 0
    seconds: float = 0.0

    def figures(self, n: int, ar: WayResult) -> list[str]:
        """Return tokens per pass, passes per document, and the time as a multiple of AR's."""
        rates = self.n_tokens / self.n_passes, self.n_passes / n, self.seconds / ar.seconds
        return [f"{rates[0]:.2f}", f"{rates[1]:.1f}", f"{rates[2]:.2f}"]


Run = Callable[[Sequence[Example], WayResult], None]
"""Answers some documents, adding to a result."""


ALONE: dict[str, Any] = {"in_flight": 1, "drafts": False}
"""The settings of a way that decodes one prompt at a time and guesses nothing."""


@dataclass(frozen=True)
class EngineWay:
    """A way of hpd's engine: its options, its schemas, and how its extractions are read."""

    settings: Mapping[str, Any]
    asked: Callable[[Schema], Schema] = lambda schema: schema
    read: Callable[[Extraction[Any]], dict[str, Any]] = lambda extraction: extraction.data or {}

    def extractor(self, bench: Workbench, schemas: Schemas) -> Extractor[Any]:
        """Return an extractor that answers in this way."""
        asked = Schemas({name: self.asked(each) for name, each in schemas.by_category.items()})
        settings = {"n_ctx": 4096, "null_threshold": 0.0, "dedupe": False, **self.settings}
        return Extractor(asked, bench.model, n_threads=bench.n_threads, **settings)

    @contextmanager
    def opened(self, bench: Workbench, schemas: Schemas) -> Iterator[Run]:
        """Yield the function that answers documents in this way."""
        with self.extractor(bench, schemas) as extractor:

            def run(examples: Sequence[Example], found: WayResult) -> None:
                before, start = extractor.stats.n_batches, time.process_time()
                documents = [Document(each.text, category=each.category) for each in examples]
                extractions = list(extractor.extract_many(documents))
                found.seconds += time.process_time() - start
                found.n_passes += extractor.stats.n_batches - before
                found.n_tokens += sum(e.usage.completion_tokens for e in extractions if e.usage)
                found.answers += map(self.read, extractions)

            yield run


class Decoding:
    """Runs the ways of ``WAYS`` in one context, and records where they differ from AR."""

    def __init__(self, bench: Workbench, schemas: Schemas) -> None:
        vocabulary = load_vocabulary(bench.model)
        self._tokenizers = {
            name: PromptTokenizer(vocabulary, system_text(), instruction_text(schema))
            for name, schema in schemas.by_category.items()
        }
        self._schemas = schemas
        self._passes = Passes(bench.model, n_threads=bench.n_threads)
        self._greedy: dict[tuple[int, ...], tuple[list[int], dict[int, float]]] = {}
        self.final: dict[str, list[list[int]]] = {}
        """By way: the pass after which each token of each answer was final."""
        self.differences: dict[str, list[float]] = {}
        """By way: the margin of AR's best token where an answer first differs from AR's."""

    def run(self, name: str, examples: Sequence[Example], found: WayResult) -> None:
        """Answer some documents in one way, adding to its result."""
        for example in examples:
            schema = self._schemas.for_category(example.category)
            keys = [key_text((each.name,)) for each in schema.attributes]
            tokens = self._tokenizers[example.category].tokenize([example.text], keys)
            texts = [self._answer(name, [*tokens.prompt, *key], found) for key in tokens.keys]
            found.answers.append(parsed(schema, keys, texts))

    def _answer(self, name: str, tokens: Sequence[int], found: WayResult) -> str:
        before, start = self._passes.n_passes, time.process_time()
        answer = WAYS[name](self._passes, tokens)
        found.seconds += time.process_time() - start
        found.n_passes += self._passes.n_passes - before
        found.n_tokens += len(answer)
        self.final.setdefault(name, []).append(self._passes.final)
        if name == AR:
            self._greedy[tuple(tokens)] = answer, self._passes.margins
        greedy, margins = self._greedy[tuple(tokens)]
        if answer != greedy:
            index = n_right(answer, greedy)
            self.differences.setdefault(name, []).append(margins[index])
        return self._passes.text(answer)

    def close(self) -> None:
        """Free the model's memory."""
        self._passes.close()


def parsed(schema: Schema, keys: Sequence[str], texts: Sequence[str]) -> dict[str, Any]:
    """Return the values in the texts that follow the attributes' keys."""
    return {
        each.name: split_answer(schema, key + text)[each.name,].parse(each).value
        for each, key, text in zip(schema.attributes, keys, texts, strict=True)
    }


def compared(examples: Sequence[Example], schemas: Schemas, found: Mapping[str, WayResult]) -> Rows:
    """Return the heading and a row for each way, the first of which must be AR."""
    attributes = attribute_names(schemas)
    ar = next(iter(found.values()))
    cells: Rows = [["way", "tokens a pass", "passes", "time / AR", "F1", "differ from AR"]]
    for name, each in found.items():
        scores = evaluate(examples, each.answers, attributes)
        n_differing = sum(a != b for a, b in zip(each.answers, ar.answers, strict=True))
        figures = each.figures(len(examples), ar)
        cells.append([name, *figures, f"{scores.plain.micro.f1:.1f}", str(n_differing)])
    return cells


def tokens_a_pass(cells: Sequence[Sequence[Cell]]) -> str:
    """Return the headline of a comparison."""
    return "tokens a pass: " + ", ".join(f"{name} {rate}" for name, rate, *_ in cells[1:])
