"""Ways to write more than one token at a time beside each other, on one model.

    python -m benchmarks.neighbours --data DATA -m model.gguf
    python -m benchmarks.reproduce --pages

DATA is as for benchmarks.reproduce; the answers to 100 titles of OA-Mine's dev rows are written
value by value, each behind its key, and in another part as whole objects, for models that were
taught these. All ways take turns over the same few documents, with one thread, and times are those
of the processor. What a way writes is held to greedy decoding, one token a pass. Named entities,
thoughts before values and the picture have parts of their own.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from typing import Any

from benchmarks.neighbours import padellm, picture, reasoning
from benchmarks.neighbours.decoding import (
    WAYS,
    Decoding,
    EngineWay,
    Found,
    compared,
    engine_run,
    titles,
    with_one_thread,
)
from benchmarks.published import command
from benchmarks.published.part import Part
from benchmarks.published.result import Finding, Table
from benchmarks.published.workbench import Workbench
from hpd.evaluation.rows import Example
from hpd.schema.attributes import Schema

N_ROWS = 100
_N_TOGETHER = 8
"""Documents that a way gets at a time, before the next way has its turn."""

_ALONE: dict[str, Any] = {"in_flight": 1, "drafts": False}
VALUES = {
    "skeleton: all keys, then all values": EngineWay({**_ALONE, "layout": "skeleton"}),
    "stacking: HPD, 4 in a prompt": EngineWay({**_ALONE, "stack": 4}),
    "PaDeLLM: counts, then all mentions": padellm.TITLES,
    "reasoning: HPD, 8 tokens before each value": reasoning.TITLES,
    "HPD": EngineWay(_ALONE),
    "HPD, drafts": EngineWay({"in_flight": 1}),
}
WHOLE = {
    "hpd's engine: AR": EngineWay({"method": "ar", **_ALONE}),
    "speculation: AR, hpd's drafts": EngineWay({"method": "ar", "in_flight": 1, "drafts": True}),
    "batch prompting: AR, 8 in flight": EngineWay(
        {"method": "ar", "drafts": False, "in_flight": 8}
    ),
}
"""What hpd's engine has of its own, by the part to which it belongs."""

_NOTE = (
    "Nothing was trained for this table: the model knows HPD's prompts, not stacks and skeletons. "
    "Times are of the processor, and those of HPD are of another program than the others."
)


def neighbours(bench: Workbench, whole: bool) -> Finding:
    """All ways over the same documents."""
    schemas, examples = titles(bench, N_ROWS)
    with_one_thread(bench)
    engine = WHOLE if whole else VALUES
    found = {name: Found() for name in (*WAYS, *engine)}
    with ExitStack() as stack:
        decoding = Decoding(bench, schemas, whole)
        stack.callback(decoding.close)
        extractors = {
            name: stack.enter_context(way.extractor(bench, schemas)) for name, way in engine.items()
        }
        for name in WAYS:
            decoding.run(name, examples[:1], Found())
        decoding.differences.clear()
        for name, extractor in extractors.items():
            engine_run(extractor, examples[:1], Found(), engine[name].read)
        for start in range(0, len(examples), _N_TOGETHER):
            some = examples[start : start + _N_TOGETHER]
            for name in WAYS:
                decoding.run(name, some, found[name])
            for name, extractor in extractors.items():
                engine_run(extractor, some, found[name], engine[name].read)
            print(f"{start + len(some)} of {len(examples)} documents", file=sys.stderr, flush=True)
    return _finding(examples, schemas, found, decoding.differences)


def _finding(
    examples: Sequence[Example],
    schemas: Mapping[str, Schema],
    found: Mapping[str, Found],
    differences: Mapping[str, Sequence[float]],
) -> Finding:
    cells = compared(examples, schemas, found)
    far = [margin for margins in differences.values() for margin in margins]
    told = ""
    if far:
        told = f"Where guesses changed an answer, AR's two best tokens were {min(far):.2f} to "
        told += f"{max(far):.2f} apart in their logits."
    title = (
        f"{len(examples)} titles of OA-Mine; passes of a document, that over its prompt included"
    )
    return Finding(
        [Table(title, cells)],
        "tokens a pass: " + ", ".join(f"{name} {rate}" for name, rate, *_ in cells[1:]),
        [_NOTE, *([told] if told else [])],
    )


def _blocks(bench: Workbench) -> Finding:
    from benchmarks.neighbours.blocks_on_titles import blocks  # with PyTorch

    return blocks(bench)


_TITLES = {
    "neighbours": "Other ways to break the chain, on one model",
    "neighbours-whole": "The same for whole answers",
}
PARTS = [
    Part(name, title, 10, partial(neighbours, whole=name != "neighbours"))
    for name, title in _TITLES.items()
] + [
    Part("blocks", "Lexical units and masked diffusion", 45, _blocks),
    Part("passes", "What waits for what", 1, picture.passes),
    Part("entities", "PaDeLLM: named entities", 4, padellm.entities),
    Part("reasoning", "Parallel reasoning", 5, reasoning.reasoning),
    Part(
        "reasoning-untaught",
        "The same with a model that was taught nothing",
        5,
        reasoning.reasoning,
    ),
]


def main(arguments: Sequence[str] | None = None) -> int:
    return command.run(PARTS, "benchmarks.neighbours", __doc__, arguments)


if __name__ == "__main__":
    sys.exit(main())
