"""Parallel reasoning within one sequence (Yu, 2025): thoughts on all fields at once, then values.

A thought is a text that only its value sees: all thoughts are written in parallel, then all values.
For comparison, AR writes one thought of the same length, and then the whole answer. A token counts
as four characters, so a thought of R tokens has at most 4 R characters.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from benchmarks.harness.result import Finding, Rows, Table
from benchmarks.harness.workbench import Workbench
from benchmarks.paper.neighbours.comparison import (
    ALONE,
    EngineWay,
    WayResult,
    attribute_names,
    titles,
    with_one_thread,
)
from hpd.evaluation.scores import evaluate
from hpd.results import Extraction
from hpd.schema.attributes import Attribute, Schema

_N_TITLES = 16
_LENGTHS = (0, 8, 32)
_THOUGHT = "Thought"
"""Prefix of the names of thoughts."""


def _thought(name: str, n_tokens: int) -> Attribute:
    return Attribute(name, max_length=4 * n_tokens, forbids_null=True)


def side_by_side(schema: Schema, n_tokens: int) -> Schema:
    """Return the schema with a thought before each attribute, unless thoughts have no tokens."""
    if not n_tokens:
        return schema
    named = [(each, f"{_THOUGHT} on {each.name}") for each in schema.attributes]
    thoughts = [_thought(name, n_tokens) for _, name in named]
    return Schema((*thoughts, *(replace(each, after=(name,)) for each, name in named)))


def one_chain(schema: Schema, n_tokens: int) -> Schema:
    """Return the schema with one thought before all attributes, unless it has no tokens."""
    thoughts = [_thought(_THOUGHT, n_tokens)] if n_tokens else []
    return Schema((*thoughts, *schema.attributes))


def values(extraction: Extraction[Any]) -> dict[str, Any]:
    """Return the data without thoughts."""
    data = extraction.data or {}
    return {name: value for name, value in data.items() if not name.startswith(_THOUGHT)}


# A thought need not occur in the document.
_FREE: dict[str, Any] = {"verbatim": False}

TITLES = EngineWay({**ALONE, **_FREE}, partial(side_by_side, n_tokens=8), values)
"""The way in the table of titles."""

_Thinking = Callable[[Schema, int], Schema]
_WAYS: dict[str, tuple[str, _Thinking]] = {
    "a thought for each field": ("hpd", side_by_side),
    "one thought, then the whole answer (AR)": ("ar", one_chain),
}


def reasoning(bench: Workbench) -> Finding:
    """Compare both ways with thoughts of several lengths and many titles in flight."""
    schemas, examples = titles(bench, _N_TITLES)
    with_one_thread(bench)
    names = attribute_names(schemas)
    n = len(examples)
    cells: Rows = [["way", *(f"{figure}, R = {r}" for figure in ("F1", "ms") for r in _LENGTHS)]]
    for title, (method, thinking) in _WAYS.items():
        scores, times = [], []
        for r in _LENGTHS:
            way = EngineWay({**_FREE, "method": method}, partial(thinking, n_tokens=r), values)
            found = WayResult()
            with way.opened(bench, schemas) as run:
                run(examples[:1], WayResult())  # to warm up
                run(examples, found)
            scores.append(f"{evaluate(examples, found.answers, names).plain.micro.f1:.1f}")
            times.append(f"{1000 * found.seconds / n:.0f}")
        cells.append([title, *scores, *times])
    title = f"{n} titles of OA-Mine, {bench.model.name}, R tokens to think"
    heads = (f"{row[0]}: F1 {', '.join(map(str, row[1:4]))}" for row in cells[1:])
    return Finding([Table(title, cells)], "; ".join(heads))
