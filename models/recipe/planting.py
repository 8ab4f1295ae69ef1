"""Heads that copy, planted in the model before training.

Copying takes two heads in turn. The first notes at each token the token before it; the second looks
for the place where the current token stood before, and brings the token that followed it there.
Left to itself, a model learns this pair late, after millions of tokens; with the pair planted, all
of its training is about *what* to copy. Training is free to change every planted weight.

For this the residual stream is divided up: the first dimensions hold the token itself, the next
ones the token before it, and the last one is always on, as heads that go by position alone need a
constant.
"""

from __future__ import annotations

import torch
from torch import Tensor

from recipe.model import Box

TOKEN = slice(0, 64)
BEFORE = slice(64, 128)
ALWAYS = 255
LOOK_BACK_LAYER = 0
COPY_LAYER = 2
N_FAST = 8  # rotary pairs that turn fast enough to tell one position from the next
FIRST_SLOW = (
    18  # pairs from here on hardly turn within a document, so they compare tokens, not places
)


@torch.no_grad()
def plant_copying(model: Box) -> None:
    """Set the weights of a new model so that it copies from the first step on."""
    shape = model.shape
    half = shape.head_dim // 2
    model.base.normal_(std=0.05)
    model.base[:, TOKEN].normal_(std=0.35)
    model.base[:, BEFORE] = 0.0
    model.own.normal_(std=0.02)
    model.own[:, TOKEN].normal_(std=0.2)
    for table in (model.base, model.own, model.space, model.case):
        table[:, ALWAYS] = 0.0
        table[:, BEFORE] = 0.0
    model.space[:, ALWAYS] = 2.0
    model.out_norm.fill_(0.25)
    model.o.zero_()
    model.down.zero_()
    _look_back(model, half)
    _copy(model, COPY_LAYER, half)


def _look_back(model: Box, half: int) -> None:
    """Heads 0 and 1 of a layer see one and two tokens back, and nothing else."""
    layer = LOOK_BACK_LAYER
    fast = torch.arange(N_FAST)
    angles = model.shape.rope_theta ** (-fast.float() / half)
    dim = model.shape.head_dim
    for head, distance in ((0, 1), (1, 2)):
        rows = torch.zeros(dim)
        rows[fast], rows[half + fast] = torch.cos(distance * angles), -torch.sin(distance * angles)
        _set_head(model.q, layer, head, dim, _only(rows, ALWAYS, model))
    rows = torch.zeros(dim)
    rows[fast] = 1.0
    _set_head(model.k, layer, 0, dim, _only(rows, ALWAYS, model))
    _set_head(model.v, layer, 0, dim, _copy_of(TOKEN, dim, model))
    model.o[layer][BEFORE, :dim] = 0.5 * torch.eye(dim)
    for weights in (model.q_norm, model.k_norm):
        weights[layer][fast] = 2.5
        weights[layer][half + fast] = 2.5


def _copy(model: Box, layer: int, half: int) -> None:
    """Head 0 of a layer brings the token that followed the current one where it stood before."""
    dim = model.shape.head_dim
    slow = torch.cat([torch.arange(FIRST_SLOW, half), half + torch.arange(FIRST_SLOW, half)])
    look, offer = (torch.zeros(dim, model.shape.n_embd) for _ in range(2))
    look[slow, TOKEN.start + torch.arange(len(slow))] = 1.0
    offer[slow, BEFORE.start + torch.arange(len(slow))] = 1.0
    _set_head(model.q, layer, 0, dim, look)
    _set_head(model.k, layer, 0, dim, offer)
    _set_head(model.v, layer, 0, dim, _copy_of(TOKEN, dim, model))
    model.o[layer][TOKEN, :dim] = 1.0 * torch.eye(dim)
    for weights in (model.q_norm, model.k_norm):
        weights[layer][slow] = 2.0


def _set_head(matrices: Tensor, layer: int, head: int, dim: int, rows: Tensor) -> None:
    matrices[layer][head * dim : (head + 1) * dim] = rows


def _only(rows: Tensor, column: int, model: Box) -> Tensor:
    """The matrix of a head that reads one dimension of the stream."""
    matrix = torch.zeros(len(rows), model.shape.n_embd)
    matrix[:, column] = rows
    return matrix


def _copy_of(part: slice, dim: int, model: Box) -> Tensor:
    """The matrix of a head that passes a part of the stream on unchanged."""
    matrix = torch.zeros(dim, model.shape.n_embd)
    matrix[:, part] = torch.eye(dim)
    return matrix
