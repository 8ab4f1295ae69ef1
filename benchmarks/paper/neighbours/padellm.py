"""PaDeLLM-NER (Lu et al., 2024): the number of mentions of each label, then all mentions at once.

hpd asks for lists in the same way: a wave of counts, then a wave of items, each in its own
sequence. This module adds the paper's last step: a text found for several labels is kept only for
the one with the highest probability. For comparison, AR writes one object with all lists.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.harness.result import Finding, Rows, Table
from benchmarks.harness.workbench import MissingInputError, Workbench
from benchmarks.paper.neighbours.comparison import ALONE, EngineWay, WayResult, with_one_thread
from hpd.bench.workload import spread
from hpd.evaluation.rows import load_examples
from hpd.evaluation.statistics import Array
from hpd.results import Extraction
from hpd.schema import Schemas, load_schema
from hpd.schema.attributes import Attribute, Schema
from recipe.scores import entity_counts, f1

_N_SENTENCES = 10
"""Number of sentences per domain."""
_N_MENTIONS = 8
"""Maximum number of mentions per label in a sentence, so that AR has room for all of them."""


def mentions(extraction: Extraction[Any]) -> Iterator[tuple[str, str, float]]:
    """Yield the label, text and probability of each mention."""
    for path, found in extraction.fields.items():
        label, bracket, _ = path.rpartition("[")
        if bracket and isinstance(found.value, str):
            yield label, found.value, found.confidence or 0.0


def without_doubles(extraction: Extraction[Any]) -> dict[str, list[str]]:
    """Return the lists, keeping each text only for its most likely label."""
    best: dict[str, tuple[float, str]] = {}
    for label, text, probability in mentions(extraction):
        if text not in best or probability > best[text][0]:
            best[text] = probability, label
    lists: dict[str, list[str]] = {label: [] for label in extraction.data or ()}
    for label, text, _ in mentions(extraction):
        if best[text][1] == label:
            lists[label].append(text)
    return lists


def listed(schema: Schema) -> Schema:
    """Return the schema with a list of values for each attribute."""
    lists = (
        Attribute(each.name, "array", each.description, item=replace(each, description=""))
        for each in schema.attributes
    )
    return Schema(tuple(lists))


def first_mentions(extraction: Extraction[Any]) -> dict[str, str | None]:
    """Return one value for each attribute of a ``listed`` schema, as a title has."""
    return {label: next(iter(texts), None) for label, texts in without_doubles(extraction).items()}


TITLES = EngineWay(ALONE, listed, first_mentions)
"""The way in the table of titles."""

_SETTINGS = {**ALONE, "max_tokens": 16}
_WAYS = {
    "AR: one object of lists": EngineWay({**_SETTINGS, "method": "ar"}),
    "counts, then all mentions at once": EngineWay(_SETTINGS),
    "PaDeLLM: the same without doubles": EngineWay(_SETTINGS, read=without_doubles),
}


def entities(bench: Workbench) -> Finding:
    """Compare the ways on sentences of CrossNER's development halves."""
    with_one_thread(bench)
    domains = sorted((bench.data or Path()).glob("crossner/*.schema.json"))
    if not domains:
        raise MissingInputError("needs --data FOLDER with crossner/DOMAIN.jsonl and .schema.json")
    found = {name: WayResult() for name in _WAYS}
    counts: dict[str, list[Array]] = {name: [] for name in _WAYS}
    n = 0
    for path in domains:
        rows = list(load_examples(path.with_name(path.name.replace(".schema.json", ".jsonl"))))
        examples = [rows[i] for i in spread(len(rows), bench.count(_N_SENTENCES))]
        every = load_schema(json.loads(path.read_text(encoding="utf-8"))).attributes
        schema = Schema(tuple(replace(each, max_items=_N_MENTIONS) for each in every))
        for name, way in _WAYS.items():
            with way.opened(bench, Schemas.of(schema)) as run:
                run(examples[:1], WayResult())  # to warm up
                run(examples, found[name])
            pairs = zip(examples, found[name].answers[n:], strict=True)
            counts[name].append(np.sum([[*entity_counts(*pair)] for pair in pairs], axis=0))
        n += len(examples)
    ar = next(iter(found.values()))
    cells: Rows = [["way", "tokens a pass", "passes", "time / AR", "F1"]]
    for name, each in found.items():
        cells.append([name, *each.figures(n, ar), f"{f1(np.array(counts[name])).mean():.1f}"])
    _, (_, *first), _, (_, *last) = cells
    return Finding(
        [Table(f"{n} sentences of CrossNER, F1 as the mean of its domains", cells)],
        f"F1 {last[-1]} in {last[-2]} of AR's time, AR {first[-1]}",
        ["The model was trained on counts and items, but not on whole objects."],
    )
