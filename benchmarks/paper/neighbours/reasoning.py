"""Parallel reasoning within one sequence (Yu, 2025): fields think before their values, all at once.

A thought is a text of its own, which only its value sees: all thoughts are written side by side,
then all values. Beside it, AR writes one thought as long, and then the whole answer. A token is
reckoned as four characters, so a thought of R tokens has at most 4 R of them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from benchmarks.harness.result import Cell, Finding, Table
from benchmarks.harness.workbench import Workbench
from benchmarks.paper.neighbours.comparison import (
    EngineWay,
    WayResult,
    attribute_names,
    engine_run,
    titles,
    with_one_thread,
)
from hpd.evaluation.scores import evaluate
from hpd.results import Extraction
from hpd.schema.attributes import Attribute, Schema

_N_TITLES = 16
_LENGTHS = (0, 8, 32)
_THOUGHT = "Thought"
"""What the names of thoughts begin with."""


def _thought(name: str, n_tokens: int) -> Attribute:
    return Attribute(name, max_length=4 * n_tokens, forbids_null=True)


def side_by_side(schema: Schema, n_tokens: int) -> Schema:
    """Each attribute behind a thought of its own; the schema itself, if that has no tokens."""
    if not n_tokens:
        return schema
    named = [(each, f"{_THOUGHT} on {each.name}") for each in schema.attributes]
    thoughts = [_thought(name, n_tokens) for _, name in named]
    return Schema((*thoughts, *(replace(each, after=(name,)) for each, name in named)))


def one_chain(schema: Schema, n_tokens: int) -> Schema:
    """All attributes behind one thought; the schema itself, if that has no tokens."""
    thoughts = [_thought(_THOUGHT, n_tokens)] if n_tokens else []
    return Schema((*thoughts, *schema.attributes))


def values(extraction: Extraction[Any]) -> dict[str, Any]:
    """The data without thoughts."""
    data = extraction.data or {}
    return {name: value for name, value in data.items() if not name.startswith(_THOUGHT)}


# A thought need not stand in the document.
_FREE: dict[str, Any] = {"verbatim": False}

TITLES = EngineWay(
    {"in_flight": 1, "drafts": False, **_FREE}, partial(side_by_side, n_tokens=8), values
)
"""A row of the table of titles."""

_Thinking = Callable[[Schema, int], Schema]
_WAYS: dict[str, tuple[str, _Thinking]] = {
    "a thought for each field": ("hpd", side_by_side),
    "one thought, then the whole answer (AR)": ("ar", one_chain),
}


def reasoning(bench: Workbench) -> Finding:
    """Both ways with thoughts of several lengths, many titles in flight."""
    schemas, examples = titles(bench, _N_TITLES)
    with_one_thread(bench)
    names = attribute_names(schemas)
    n = len(examples)
    head = ["way", *(f"F1, R = {r}" for r in _LENGTHS), *(f"ms, R = {r}" for r in _LENGTHS)]
    cells: list[list[Cell]] = [[*head]]
    for title, (method, thinking) in _WAYS.items():
        scores, times = [], []
        for r in _LENGTHS:
            way = EngineWay({**_FREE, "method": method}, partial(thinking, n_tokens=r), values)
            found = WayResult()
            with way.extractor(bench, schemas) as extractor:
                engine_run(extractor, examples[:1], WayResult(), way.read)
                engine_run(extractor, examples, found, way.read)
            scores.append(f"{evaluate(examples, found.answers, names).plain.micro.f1:.1f}")
            times.append(f"{1000 * found.seconds / n:.0f}")
        cells.append([title, *scores, *times])
    return Finding(
        [Table(f"{n} titles of OA-Mine, {bench.model.name}, R tokens to think", cells)],
        "; ".join(f"{row[0]}: F1 {', '.join(map(str, row[1:4]))}" for row in cells[1:]),
    )
