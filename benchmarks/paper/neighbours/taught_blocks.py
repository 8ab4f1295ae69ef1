"""Trains a model to fill blocks of masked tokens with the values of handwritten titles.

The value after each key is a block of ``N_BLOCK`` tokens that see each other, some of which are
masked: random ones, as in diffusion, or all from some token on, as in lexical units.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import torch

from hpd.training import masks
from hpd.training.data import LabelledDocument, RowMaker
from hpd.training.network import (
    AttentionSegment,
    GgufVocabulary,
    PackedRows,
    TrainedWeights,
    load_network,
    loss_sum,
)
from hpd.training.rows import NO_TARGET, TrainingRow
from tools.docs import ROOT

N_BLOCK = 12
"""Tokens in a block; longer values, which are rare, are truncated."""
_BATCH_TOKENS = 768
_RATE = 2e-4


def mask_token(vocabulary: GgufVocabulary) -> int:
    """Return a token that occurs in no text, to use as the mask."""
    return max(token for token, *_ in vocabulary.control_tokens if token != vocabulary.eos)


def masked(value: Sequence[int], mask: int, end: int, rng: Random) -> tuple[Any, Any]:
    """Return the input tokens and the targets of a value as a block.

    Each token is predicted at the position of the one before it, the first at that of the key's
    last; the last token is never an input.
    """
    block = np.full(N_BLOCK, end)
    value = value[:N_BLOCK]
    block[: len(value)] = value
    offsets = np.arange(N_BLOCK)
    if rng.random() < 0.5:
        is_masked = offsets >= rng.randrange(1, N_BLOCK)
    else:
        share = rng.random()
        is_masked = np.array([rng.random() < share for _ in offsets])
    # The first token is decoded before the block is read.
    read = np.where(is_masked & (offsets > 0), mask, block)[:-1]
    is_masked[[0, -1]] = True
    # There are no targets after the end of the value.
    return read, np.where(is_masked & (offsets <= len(value)), block, NO_TARGET)


def segment(
    row: TrainingRow, mask: int, end: int, rng: Random, start: int
) -> tuple[Any, Any, AttentionSegment]:
    """Return the tokens, targets and segment of a ``branch`` row with blocks as values."""
    kind, field, position = row.roles.kind, row.roles.field, row.roles.position
    n_prompt = int((kind == masks.TokenKind.PROMPT).sum())
    is_key = np.isin(kind, (masks.TokenKind.KEY, masks.TokenKind.LONE_KEY))
    tokens, targets = [row.tokens[:n_prompt]], [np.full(n_prompt, NO_TARGET)]
    # For each token: its field, its position, and whether it is in a block.
    roles = [np.stack([np.full(n_prompt, -1), position[:n_prompt], np.zeros(n_prompt, int)])]
    for own in range(field.max() + 1):
        key = np.nonzero(is_key & (field == own))[0]
        said = np.nonzero(~is_key & (field == own))[0]
        read, wanted = masked(row.targets[[key[-1], *said]], mask, end, rng)
        tokens += [row.tokens[key], read]
        targets += [np.full(len(key) - 1, NO_TARGET), wanted]
        n = len(key) + len(read)
        positions = position[key[0]] + np.arange(n)
        roles.append(np.stack([np.full(n, own), positions, np.arange(n) >= len(key)]))
    owner, positions, is_block = torch.from_numpy(np.concatenate(roles, 1))
    before = positions <= positions[:, None]
    together = before | (is_block & is_block[:, None]).bool()
    visible = (before & (owner == -1)) | (together & (owner == owner[:, None]))
    made = AttentionSegment(start, start + len(positions), 0, visible, positions)
    return np.concatenate(tokens), np.concatenate(targets), made


def batches(vocabulary: GgufVocabulary, seed: int = 0) -> Iterator[PackedRows]:
    """Yield endless batches of handwritten titles."""
    sys.path.append(str(ROOT / "models"))
    from recipe.handwritten import taught
    from recipe.write import row as asked

    titles = [each for each in taught() if each.name.startswith("titles")]
    rng, mask = Random(seed), mask_token(vocabulary)
    maker = RowMaker(vocabulary, N_BLOCK)
    while True:
        parts: list[tuple[Any, Any, AttentionSegment]] = []
        n_tokens = 0
        while n_tokens < _BATCH_TOKENS:
            row = maker.fields([LabelledDocument(*asked(rng.choice(titles), rng))])
            if row is not None:
                parts.append(segment(row, mask, vocabulary.eos, rng, n_tokens))
                n_tokens = parts[-1][2].end
        tokens, targets, segments = zip(*parts, strict=True)
        wanted = np.concatenate(targets)
        indexes = np.nonzero(wanted != NO_TARGET)[0]
        yield PackedRows(
            torch.from_numpy(np.concatenate(tokens))[None],
            torch.cat([each.positions for each in segments])[None],
            torch.from_numpy(wanted[indexes]),
            torch.from_numpy(indexes),
            [*segments],
        )


def teach(model: Path, output: Path, minutes: float) -> None:
    """Train a model to fill blocks, and write its weights."""
    vocabulary = GgufVocabulary(model)
    network = load_network(model).train()
    weights = TrainedWeights(network)
    optimizer = torch.optim.AdamW(list(weights), lr=_RATE, betas=(0.9, 0.95), fused=True)
    begun, n_tokens = time.monotonic(), 0
    for number, batch in enumerate(batches(vocabulary), start=1):
        done = (time.monotonic() - begun) / (60 * minutes)
        loss = loss_sum(network, batch) / len(batch.targets)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(list(weights), 1.0)
        optimizer.param_groups[0]["lr"] = _RATE * max(0.0, min(number / 20, 4 * (1 - done), 1.0))
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        n_tokens += batch.n_tokens
        print(f"{done:.0%}, {n_tokens} tokens, loss {loss.item():.3f}", flush=True)
        if done >= 1:
            break
    torch.save(network.state_dict(), output)
