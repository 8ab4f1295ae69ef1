"""Compares ways to write more than one token at a time, with one model.

The model, which was trained for this, writes the answers for 100 titles of OA-Mine's dev rows value
by value, each after its key. The ways take turns on a few documents at a time, with one thread, and
times are processor times. Their answers are compared with those of greedy decoding, one token a
pass. Named entities, thoughts before values, and the passes after which tokens are final are
separate parts.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import ExitStack, closing
from functools import partial
from itertools import accumulate

from benchmarks.harness.part import Part
from benchmarks.harness.result import Finding, Table
from benchmarks.harness.workbench import Workbench
from benchmarks.paper.neighbours import padellm, reasoning
from benchmarks.paper.neighbours.comparison import (
    ALONE,
    Decoding,
    EngineWay,
    Run,
    WayResult,
    compared,
    titles,
    tokens_a_pass,
    with_one_thread,
)
from benchmarks.paper.neighbours.ways import AR, WAYS

N_ROWS = 100
_N_TOGETHER = 8
"""Number of documents in each turn of a way."""

ENGINE_WAYS = {
    "skeleton: all keys, then all values": EngineWay({**ALONE, "layout": "skeleton"}),
    "stacking: HPD, 4 in a prompt": EngineWay({**ALONE, "stack": 4}),
    "PaDeLLM: counts, then all mentions": padellm.TITLES,
    "reasoning: HPD, 8 tokens before each value": reasoning.TITLES,
    "HPD": EngineWay(ALONE),
    "HPD, drafts": EngineWay({"in_flight": 1}),
}
"""The ways that hpd's engine implements."""

_NOTE = (
    "The model was not trained for this table: it knows HPD's prompts, but not stacks and "
    "skeletons. Times are processor times; HPD's were measured in another program."
)


def neighbours(bench: Workbench) -> Finding:
    """Compare all ways on the same documents."""
    schemas, examples = titles(bench, N_ROWS)
    with_one_thread(bench)
    found = {name: WayResult() for name in (*WAYS, *ENGINE_WAYS)}
    with ExitStack() as stack:
        decoding = stack.enter_context(closing(Decoding(bench, schemas)))
        runs: dict[str, Run] = {name: partial(decoding.run, name) for name in WAYS}
        for name, way in ENGINE_WAYS.items():
            runs[name] = stack.enter_context(way.opened(bench, schemas))
        for run in runs.values():  # to warm up
            run(examples[:1], WayResult())
        decoding.differences.clear()
        for start in range(0, len(examples), _N_TOGETHER):
            some = examples[start : start + _N_TOGETHER]
            for name, run in runs.items():
                run(some, found[name])
            print(f"{start + len(some)} of {len(examples)} documents", file=sys.stderr, flush=True)
    notes = [_NOTE]
    margins = [margin for each in decoding.differences.values() for margin in each]
    if margins:
        notes.append(
            f"Where guesses changed an answer, AR's two best tokens were {min(margins):.2f} to "
            f"{max(margins):.2f} apart in their logits."
        )
    cells = compared(examples, schemas, found)
    n = len(examples)
    title = f"{n} titles of OA-Mine; passes per document, including the one over its prompt"
    return Finding([Table(title, cells)], tokens_a_pass(cells), notes)


def passes(bench: Workbench) -> Finding:
    """Return the pass after which each token of the first title's values is final."""
    schemas, (example,) = titles(bench, 1)
    with_one_thread(bench)
    with closing(Decoding(bench, schemas)) as decoding:
        for name in WAYS:
            decoding.run(name, [example], WayResult())
    lines = {name: chained(values) for name, values in decoding.final.items()}
    # All values of HPD begin in the first pass.
    lines["HPD"] = [n for each in decoding.final[AR] for n in each]
    rows = [["way", "the pass after which each token is final"]]
    rows += [[name, " ".join(map(str, line))] for name, line in lines.items()]
    return Finding(
        [Table("The values of one title of OA-Mine, beside each other", rows)],
        ", ".join(f"{name}: {max(line)} passes" for name, line in lines.items()),
    )


def chained(values: Sequence[Sequence[int]]) -> list[int]:
    """Return the passes of values that are written one after another."""
    starts = accumulate((each[-1] for each in values), initial=0)
    return [start + n for start, each in zip(starts, values, strict=False) for n in each]


def _blocks(bench: Workbench) -> Finding:
    from benchmarks.paper.neighbours.blocks import blocks  # needs PyTorch

    return blocks(bench)


PARTS: Sequence[Part] = (
    Part("neighbours", "Other ways to break the chain, on one model", 10, neighbours),
    Part("blocks", "Lexical units and masked diffusion", 45, _blocks),
    Part("passes", "What waits for what", 1, passes),
    Part("entities", "PaDeLLM: named entities", 4, padellm.entities),
    Part("reasoning", "Parallel reasoning", 5, reasoning.reasoning),
)
