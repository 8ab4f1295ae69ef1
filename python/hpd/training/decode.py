"""Hyper-parallel decoding as the paper runs it, on a transformers model: the reference.

One row per prompt: the first step reads the prompt and every field's key; each further step appends
one token per unfinished field to the row, whatever its position (algorithms 1 and 2). Rows of a
batch are padded on the right. Decoding is greedy.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
from transformers import DynamicCache

from hpd.training import masks
from hpd.training.masks import Mask, Roles
from hpd.training.network import attention_mask, use_attention
from hpd.training.rows import TrainingPrompt
from hpd.values.answers import is_complete


@dataclass(slots=True)
class DecodedValue:
    """The model's text after one key."""

    tokens: list[int] = field(default_factory=list)
    """The tokens, without the one that ended generation."""
    raw: bytes = b""

    @property
    def text(self) -> str:
        return self.raw.decode("utf-8", "replace")


@dataclass(frozen=True, slots=True)
class Decoder:
    """A model, and the parts of its vocabulary that decoding needs."""

    model: Any
    """A causal language model of transformers with ``attn_implementation="sdpa"``."""
    piece: Callable[[int], bytes]
    """Returns a token's bytes."""
    end_tokens: frozenset[int] = frozenset()
    """Tokens that end generation."""
    max_tokens: int = 64
    """Maximum length of a value: the paper's K_max."""

    def decode(
        self, prompts: Sequence[TrainingPrompt], batch_size: int = 16
    ) -> list[list[DecodedValue]]:
        """Return the values of each prompt's fields."""
        use_attention(self.model, "sdpa")
        lengths = [len(prompt.tokens) + sum(map(len, prompt.keys)) for prompt in prompts]
        # A batch has one mask, and rows of similar length.
        order = sorted(range(len(prompts)), key=lambda i: (prompts[i].mask, lengths[i]))
        results: list[list[DecodedValue]] = [[] for _ in prompts]
        start = 0
        with torch.no_grad():
            while start < len(order):
                mask = prompts[order[start]].mask
                batch = [i for i in order[start : start + batch_size] if prompts[i].mask == mask]
                start += len(batch)
                decoded = _Batch(self, mask, [prompts[i] for i in batch]).run()
                for i, values in zip(batch, decoded, strict=True):
                    results[i] = values
        return results


class _Row:
    """A prompt being decoded."""

    def __init__(self, prompt: TrainingPrompt, max_tokens: int) -> None:
        self.prompt = prompt
        self.layout = prompt.layout(max_tokens)
        self.values = [DecodedValue() for _ in prompt.keys]
        self.active = list(range(len(prompt.keys)))

    def first(self) -> tuple[list[int], Roles, list[int]]:
        """Return tokens, their roles, and the indexes at which the next tokens are read."""
        tokens = list(self.prompt.tokens)
        reads = []
        for key in self.prompt.keys:
            tokens += key
            # Without a key the value follows the prompt.
            reads.append(len(tokens) - 1 if key else len(self.prompt.tokens) - 1)
        return tokens, self.layout.first_step(), reads

    def next(self, step: int) -> tuple[list[int], Roles, list[int]]:
        tokens = [self.values[field].tokens[-1] for field in self.active]
        roles = self.layout.values([(field, step) for field in self.active])
        return tokens, roles, list(range(len(tokens)))


def cache_argument(decoder: Any) -> str:
    """Return the name of the cache argument, which depends on the release of transformers."""
    parameters = inspect.signature(decoder.forward).parameters
    return "cache" if "cache" in parameters else "past_key_values"


class _Batch:
    """Prompts of one mask, decoded together with one cache."""

    def __init__(self, decoder: Decoder, mask: Mask, prompts: Sequence[TrainingPrompt]) -> None:
        self.decoder = decoder
        self.mask = mask
        self.all_rows = [_Row(prompt, decoder.max_tokens) for prompt in prompts]
        self.rows = [row for row in self.all_rows if row.active]
        self.cache = DynamicCache()
        self.cached: Roles | None = None

    def run(self) -> list[list[DecodedValue]]:
        for step in range(self.decoder.max_tokens):
            if not self.rows:
                break
            inputs = [row.first() if step == 0 else row.next(step) for row in self.rows]
            for row, tokens in zip(self.rows, self._forward(inputs), strict=True):
                self._accept(row, tokens)
            self._prune()
        return [row.values for row in self.all_rows]

    def _forward(self, inputs: Sequence[tuple[list[int], Roles, list[int]]]) -> list[list[int]]:
        """Return the most likely next token at each position to read, row by row."""
        model = self.decoder.model
        device = model.device
        roles = masks.stack([roles for _, roles, _ in inputs])
        tokens = np.zeros(roles.kind.shape, dtype=np.int64)
        for index, (row_tokens, _, _) in enumerate(inputs):
            tokens[index, : len(row_tokens)] = row_tokens
        self.cached = roles if self.cached is None else masks.join([self.cached, roles])
        keys, queries = (masks.to_tensors(part, device) for part in (self.cached, roles))
        # The decoder has no output matrix: logits are only needed at the positions read.
        visible = masks.dense(self.mask, keys, queries)
        decoder = model.get_decoder()
        hidden = decoder(
            input_ids=torch.from_numpy(tokens).to(device),
            position_ids=queries.position,
            attention_mask=attention_mask(model, visible, queries.position, keys.position),
            use_cache=True,
            **{cache_argument(decoder): self.cache},
        ).last_hidden_state
        rows = [i for i, (_, _, reads) in enumerate(inputs) for _ in reads]
        columns = [read for _, _, reads in inputs for read in reads]
        logits = model.get_output_embeddings()(hidden[rows, columns])
        best = iter(logits.argmax(-1).tolist())
        return [[next(best) for _ in reads] for _, _, reads in inputs]

    def _accept(self, row: _Row, tokens: Sequence[int]) -> None:
        """Append one token to each active field, and drop the fields that are done."""
        active = []
        for number, token in zip(row.active, tokens, strict=True):
            value = row.values[number]
            if token in self.decoder.end_tokens:
                continue
            value.tokens.append(token)
            value.raw += self.decoder.piece(token)
            if not has_ended(value.raw):
                active.append(number)
        row.active = active

    def _prune(self) -> None:
        """Remove finished rows from the batch and the cache."""
        kept = [index for index, row in enumerate(self.rows) if row.active]
        if 0 < len(kept) < len(self.rows) and self.cached is not None:
            self.cached = self.cached.at(np.array(kept))
            device = self.decoder.model.device
            self.cache.batch_select_indices(torch.tensor(kept, device=device))
        self.rows = [self.rows[index] for index in kept]


_LITERALS = ("null", "true", "false")


def has_ended(raw: bytes) -> bool:
    """Return whether a text begins with a complete JSON value, or cannot become one."""
    text = raw.decode("utf-8", "replace").lstrip(" \t\r\n")
    if not text:
        return False
    can_begin = text[0] in '"{[-0123456789' or any(
        word.startswith(text[: len(word)]) for word in _LITERALS
    )
    return not can_begin or is_complete(text)
