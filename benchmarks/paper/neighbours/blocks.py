"""Fills blocks of masks in parallel: lexical units (LUD) and masked diffusion (Fast-dLLM).

A value is a block of masked tokens after its key, all of which see each other. Each pass predicts
all of them, and some of the predictions are kept:

- lexical units (Sun et al., 2024): the next tokens, up to the first that is uncertain;
- masked diffusion (Fast-dLLM; Wu et al., 2025): all tokens that are certain, wherever they are, and
  at least the most certain one. What comes before a block is cached.

Both need a model that was trained to fill blocks (``taught_blocks``).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import torch
from transformers import DynamicCache

from benchmarks.harness.result import Finding, Table
from benchmarks.harness.workbench import Workbench
from benchmarks.paper.neighbours.comparison import (
    WayResult,
    compared,
    parsed,
    titles,
    tokens_a_pass,
    with_one_thread,
)
from benchmarks.paper.neighbours.taught_blocks import N_BLOCK, mask_token, teach
from hpd.prompt.text import key_text
from hpd.schema.attributes import Schema
from hpd.training.decode import cache_argument, has_ended
from hpd.training.network import GgufVocabulary, load_network, use_attention
from hpd.training.rows import Prompter

Taken = Callable[[Sequence[float]], list[int]]
"""Returns the masked tokens of a block to keep, given the probability of each."""


def lexical_unit(sure: Sequence[float], least: float = 0.9) -> list[int]:
    """Return the next token, and those after it up to the first that is uncertain."""
    n = next((i for i, p in enumerate(sure) if p < least), len(sure))
    return list(range(max(1, n)))


def confident(sure: Sequence[float], least: float = 0.9) -> list[int]:
    """Return all tokens that are certain, or the most certain one."""
    return [i for i, p in enumerate(sure) if p >= least] or [int(np.argmax(sure))]


_N_TITLES = 100
_MINUTES = 30.0

WAYS: Mapping[str, Taken] = {
    "one token a pass": partial(lexical_unit, least=2.0),
    "lexical units (LUD)": lexical_unit,
    "masked diffusion (Fast-dLLM)": confident,
}


class Blocks:
    """Writes values in blocks after a prompt, which is read once."""

    def __init__(self, network: Any, vocabulary: GgufVocabulary) -> None:
        self._decoder, self._output = network.get_decoder(), network.get_output_embeddings()
        self._vocabulary, self._mask = vocabulary, mask_token(vocabulary)
        self._cache = DynamicCache()
        self.n_passes = self.n_tokens = 0
        use_attention(network, "sdpa")

    def begin(self, prompt: Sequence[int]) -> None:
        """Read a prompt; it counts as one pass together with the first key."""
        self._cache = DynamicCache()
        self._say(prompt, is_block=False)

    def first(self, key: Sequence[int]) -> int:
        """Return the first token after a key, which stays in the cache."""
        (token,), _ = self._say(key, is_block=False)
        self.n_passes += 1
        return token

    def value(self, key: Sequence[int], taken: Taken) -> str:
        """Return the text of the value after a key."""
        block = [self.first(key), *[self._mask] * (N_BLOCK - 1)]
        while not self._is_over(block):
            # A token is predicted at the position of the one before it.
            tokens, sure = self._say(block[:-1], is_block=True)
            self._cache.crop(1 - N_BLOCK)  # negative: the number to drop from the end
            self.n_passes += 1
            masked = [i for i, token in enumerate(block) if token == self._mask]
            for i in taken([sure[i - 1] for i in masked]):
                block[masked[i]] = tokens[masked[i] - 1]
        self._cache.crop(-len(key))
        self.n_tokens += len(self._written(block))
        return self.text(block)

    def text(self, block: Sequence[int]) -> str:
        """Return the text of a block's tokens up to the first that is masked."""
        return self._bytes(block).decode("utf-8", "replace")

    def _is_over(self, block: Sequence[int]) -> bool:
        n = len(self._written(block))
        is_over = n == len(block) or block[n] != self._mask
        return is_over or has_ended(self._bytes(block))

    def _written(self, block: Sequence[int]) -> Sequence[int]:
        """Return the tokens before the first that is masked, or that ends the value."""
        ends = {self._mask, *self._vocabulary.end_tokens}
        return block[: next((i for i, token in enumerate(block) if token in ends), len(block))]

    def _bytes(self, block: Sequence[int]) -> bytes:
        return b"".join(map(self._vocabulary.piece, self._written(block)))

    def _say(self, tokens: Sequence[int], *, is_block: bool) -> tuple[list[int], list[float]]:
        """Return the likeliest token after each token of a block, or only after the last token."""
        n, n_before = len(tokens), self._cache.get_seq_length()
        visible = torch.ones(1, 1, n, n_before + n, dtype=torch.bool)
        with torch.no_grad():
            hidden = self._decoder(
                input_ids=torch.tensor([tokens]),
                position_ids=torch.arange(n_before, n_before + n)[None],
                attention_mask=visible if is_block else visible.tril(n_before),
                use_cache=True,
                **{cache_argument(self._decoder): self._cache},
            ).last_hidden_state[0]
            logits = self._output(hidden if is_block else hidden[-1:])
            logits[:, self._mask] = -torch.inf
            best = torch.softmax(logits, -1).max(-1)
        return best.indices.tolist(), best.values.tolist()


def blocks(bench: Workbench) -> Finding:
    """Compare all ways on the same titles, with weights trained to fill blocks."""
    with_one_thread(bench)
    torch.set_num_threads(bench.n_threads)
    minutes = _MINUTES if bench.limit is None else 0.01
    weights = bench.folder("blocks") / "weights.pt"
    bench.made(weights, lambda output: teach(bench.model, output, minutes))
    schemas, examples = titles(bench, _N_TITLES)
    vocabulary, network = GgufVocabulary(bench.model), load_network(bench.model)
    network.load_state_dict(torch.load(weights, weights_only=True))
    filled = Blocks(network, vocabulary)
    found = {name: WayResult() for name in WAYS}
    for example in examples:
        schema = schemas.for_category(example.category)
        prompter = Prompter(vocabulary, schema, "branch")
        for name, each in found.items():
            n_passes, n_tokens, start = filled.n_passes, filled.n_tokens, time.process_time()
            each.answers.append(_answer(filled, prompter, schema, example.text, WAYS[name]))
            each.seconds += time.process_time() - start
            each.n_passes += filled.n_passes - n_passes
            each.n_tokens += filled.n_tokens - n_tokens
    cells = compared(examples, schemas, found)
    title = f"{len(examples)} titles of OA-Mine; blocks of {N_BLOCK} tokens, certain from a "
    title += "probability of 0.9"
    note = f"The model was trained for {minutes:g} minutes to fill blocks of handwritten titles."
    return Finding([Table(title, cells)], tokens_a_pass(cells), [note])


def _answer(blocks: Blocks, prompter: Prompter, schema: Schema, text: str, taken: Taken) -> Any:
    keys = [key_text((each.name,)) for each in schema.attributes]
    prompt = prompter.fields([text], keys)
    blocks.begin(prompt.tokens)
    return parsed(schema, keys, [blocks.value(own, taken) for own in prompt.keys])
