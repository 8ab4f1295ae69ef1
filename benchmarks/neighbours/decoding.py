"""Runs ways over documents, and counts their passes and the places where they leave AR's answer."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from benchmarks.neighbours import jacobi, ngrams
from benchmarks.neighbours.passes import Passes, Way, n_right, one_by_one
from benchmarks.published.result import Cell
from benchmarks.published.workbench import Workbench
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
from hpd.values.answers import split_answer

AR = "one token a pass (AR)"
WAYS: dict[str, Way] = {AR: one_by_one, **jacobi.WAYS, **ngrams.WAYS}


def with_one_thread(bench: Workbench) -> None:
    """Measure with one thread, unless it was said otherwise."""
    bench.n_threads = bench.n_threads or 1
    bench.using(bench.model)


def titles(bench: Workbench, n: int) -> tuple[dict[str, Schema], list[Example]]:
    """So many titles of OA-Mine's dev rows, drawn evenly, and the schemas of all categories."""
    data = bench.data_set("oa-mine")
    schemas = load_schemas(data.schema)
    assert isinstance(schemas, dict)
    rows = list(load_examples(data.gold))
    return schemas, [rows[i] for i in spread(len(rows), bench.count(n))]


@dataclass
class Found:
    """What a way has come to over the documents so far."""

    answers: list[dict[str, Any]] = field(default_factory=list)
    n_tokens: int = 0
    n_passes: int = 0
    seconds: float = 0.0


def _data(extraction: Extraction[Any]) -> dict[str, Any]:
    return extraction.data or {}


@dataclass(frozen=True)
class EngineWay:
    """A way of hpd's own engine: its options, what it asks, and how an answer is read."""

    settings: Mapping[str, Any]
    asked: Callable[[Schema], Schema] = lambda schema: schema
    read: Callable[[Extraction[Any]], dict[str, Any]] = _data

    def extractor(self, bench: Workbench, schemas: Schema | Mapping[str, Schema]) -> Extractor[Any]:
        """What answers in this way."""
        if isinstance(schemas, Mapping):
            asked: Any = {name: self.asked(schema) for name, schema in schemas.items()}
        else:
            asked = self.asked(schemas)
        settings = {"n_ctx": 4096, "null_threshold": 0.0, "dedupe": False, **self.settings}
        return Extractor(asked, bench.model, n_threads=bench.n_threads, **settings)


class Decoding:
    """Runs ways of ``WAYS`` in one context, and notes where they do not write what AR writes.

    Args:
        bench: names the model.
        schemas: by category.
        whole: whether an answer is one object, and not a value for each attribute.
    """

    def __init__(self, bench: Workbench, schemas: Mapping[str, Schema], whole: bool) -> None:
        vocabulary = load_vocabulary(bench.model)
        self._tokenizers = {
            name: PromptTokenizer(vocabulary, system_text(), instruction_text(schema))
            for name, schema in schemas.items()
        }
        self._schemas = schemas
        self._whole = whole
        self._passes = Passes(bench.model, n_threads=bench.n_threads)
        self._greedy: dict[tuple[int, ...], tuple[list[int], dict[int, float]]] = {}
        self.final: dict[str, list[list[int]]] = {}
        """By way: the passes after which the tokens of each answer were final."""
        self.differences: dict[str, list[float]] = {}
        """By way: at each first token that AR did not write, how close AR's two best ones were."""

    def run(self, name: str, examples: Sequence[Example], found: Found) -> None:
        """Answer some documents in one way."""
        for example in examples:
            schema = self._schemas[example.category]
            keys = [""] if self._whole else [key_text((a.name,)) for a in schema.attributes]
            tokens = self._tokenizers[example.category].tokenize([example.text], keys)
            texts = [self._answer(name, [*tokens.prompt, *key], found) for key in tokens.keys]
            data: dict[str, Any] = {}
            for key, text in zip(keys, texts, strict=True):
                split = split_answer(schema, key + text)
                named = [a for a in schema.attributes if key in ("", key_text((a.name,)))]
                data |= {a.name: split[a.name,].parse(a).value for a in named}
            found.answers.append(data)

    def _answer(self, name: str, tokens: Sequence[int], found: Found) -> str:
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
            place = n_right(answer, greedy)
            self.differences.setdefault(name, []).append(margins[place])
        return self._passes.text(answer)

    def close(self) -> None:
        """Give the model's memory back."""
        self._passes.close()


def engine_run(
    extractor: Extractor[Any],
    examples: Sequence[Example],
    found: Found,
    read: Callable[[Extraction[Any]], dict[str, Any]],
) -> None:
    """Answer some documents with hpd's engine."""
    before, start = extractor.stats.n_batches, time.process_time()
    documents = [Document(each.text, category=each.category or None) for each in examples]
    extractions = list(extractor.extract_many(documents))
    found.seconds += time.process_time() - start
    found.n_passes += extractor.stats.n_batches - before
    found.n_tokens += sum(each.usage.completion_tokens for each in extractions if each.usage)
    found.answers += map(read, extractions)


def compared(
    examples: Sequence[Example], schemas: Mapping[str, Schema], found: Mapping[str, Found]
) -> list[list[Cell]]:
    """A row for each way, of which the first is one token a pass."""
    attributes = {name: [each.name for each in s.attributes] for name, s in schemas.items()}
    ar = next(iter(found.values()))
    cells: list[list[Cell]] = [
        ["way", "tokens a pass", "passes", "time / AR", "F1", "differ from AR"]
    ]
    for name, each in found.items():
        scores = evaluate(examples, each.answers, attributes)
        cells.append([
            name,
            f"{each.n_tokens / each.n_passes:.2f}",
            f"{each.n_passes / len(examples):.1f}",
            f"{each.seconds / ar.seconds:.2f}",
            f"{scores.plain.micro.f1:.1f}",
            str(sum(a != b for a, b in zip(each.answers, ar.answers, strict=True))),
        ])  # fmt: skip
    return cells
