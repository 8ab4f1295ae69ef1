"""The ways that fill blocks beside each other, on titles, with weights that are taught it here."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any

import torch

from benchmarks.neighbours.blocks import WAYS, Blocks, Taken
from benchmarks.neighbours.decoding import Found, compared, titles, with_one_thread
from benchmarks.neighbours.taught_blocks import N_BLOCK
from benchmarks.published.result import Finding, Table
from benchmarks.published.workbench import Workbench
from hpd.evaluation.rows import Example
from hpd.prompt.text import key_text
from hpd.schema.attributes import Schema
from hpd.training.network import GgufVocabulary, load_network
from hpd.training.rows import Prompter
from hpd.values.answers import split_answer

_N_TITLES = 100
_MINUTES = 30.0


def _answer(blocks: Blocks, prompter: Prompter, schema: Schema, text: str, taken: Taken) -> Any:
    keys = [key_text((each.name,)) for each in schema.attributes]
    prompt = prompter.fields([text], keys)
    blocks.begin(prompt.tokens)
    data: dict[str, Any] = {}
    for attribute, key, own in zip(schema.attributes, keys, prompt.keys, strict=True):
        split = split_answer(schema, key + blocks.value(own, taken))
        data[attribute.name] = split[attribute.name,].parse(attribute).value
    return data


def blocks(bench: Workbench) -> Finding:
    """All ways on the same titles, with weights that were taught to fill blocks."""
    minutes = _MINUTES if bench.limit is None else 0.01
    weights = bench.folder("blocks") / "weights.pt"
    command = ["-m", "benchmarks.neighbours.taught_blocks", str(bench.model), str(weights)]
    bench.make(weights, [*command, "--minutes", str(minutes)])
    schemas, examples = titles(bench, _N_TITLES)
    with_one_thread(bench)
    vocabulary, network = GgufVocabulary(bench.model), load_network(bench.model)
    network.load_state_dict(torch.load(weights, weights_only=True))
    torch.set_num_threads(bench.n_threads)
    filled = Blocks(network, vocabulary)
    found = {name: Found() for name in WAYS}
    for example in examples:
        schema = schemas[example.category]
        prompter = Prompter(vocabulary, schema, "branch")
        for name, each in found.items():
            n_passes, n_tokens, start = filled.n_passes, filled.n_tokens, time.process_time()
            each.answers.append(_answer(filled, prompter, schema, example.text, WAYS[name]))
            each.seconds += time.process_time() - start
            each.n_passes += filled.n_passes - n_passes
            each.n_tokens += filled.n_tokens - n_tokens
    return _finding(examples, schemas, found, minutes)


def _finding(
    examples: Sequence[Example],
    schemas: Mapping[str, Schema],
    found: Mapping[str, Found],
    minutes: float,
) -> Finding:
    title = f"{len(examples)} titles of OA-Mine; blocks of {N_BLOCK} tokens, taken from 0.9 on"
    cells = compared(examples, schemas, found)
    return Finding(
        [Table(title, cells)],
        "tokens a pass: " + ", ".join(f"{name} {rate}" for name, rate, *_ in cells[1:]),
        [f"The model was taught to fill blocks for {minutes:g} minutes, on handwritten titles."],
    )
