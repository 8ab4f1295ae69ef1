"""The box's network: Qwen3's architecture, written to train packed rows on a CPU.

`to_transformers` gives the weights their usual names.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional

from recipe.batches import N_LONGEST

EPS = 1e-6


@dataclass(frozen=True)
class Shape:
    """The sizes of the network."""

    n_vocab: int
    n_embd: int = 256
    n_layer: int = 6
    n_head: int = 4
    n_head_kv: int = 2
    head_dim: int = 64
    n_ff: int = 768
    rope_theta: float = 10_000.0
    n_ctx: int = N_LONGEST
    """The longest text that it learns, so hpd cuts longer ones into chunks."""

    def as_config(self) -> dict[str, object]:
        """The settings of transformers' ``Qwen3Config``."""
        return {
            "architectures": ["Qwen3ForCausalLM"],
            "model_type": "qwen3",
            "vocab_size": self.n_vocab,
            "hidden_size": self.n_embd,
            "num_hidden_layers": self.n_layer,
            "num_attention_heads": self.n_head,
            "num_key_value_heads": self.n_head_kv,
            "head_dim": self.head_dim,
            "intermediate_size": self.n_ff,
            "rope_theta": self.rope_theta,
            "rms_norm_eps": EPS,
            "max_position_embeddings": self.n_ctx,
            "tie_word_embeddings": True,
            "hidden_act": "silu",
            "attention_bias": False,
            "torch_dtype": "float32",
        }

    def as_dict(self) -> dict[str, object]:
        """The sizes in the form that a checkpoint stores."""
        return asdict(self)


SIZES: dict[str, dict[str, int]] = {
    "tiny": {"n_embd": 256, "n_layer": 3, "n_head": 2, "n_head_kv": 1, "n_ff": 256},
    "small": {"n_embd": 256, "n_layer": 6, "n_head": 4, "n_head_kv": 2, "n_ff": 768},
    "medium": {"n_embd": 384, "n_layer": 6, "n_head": 6, "n_head_kv": 3, "n_ff": 1152},
    "large": {"n_embd": 512, "n_layer": 7, "n_head": 8, "n_head_kv": 4, "n_ff": 1536},
}
"""Boxes of about 8, 16 and 30 MB as Q8_0, and a tiny one, which drafts for larger models."""


class Box(nn.Module):
    """The network. Matrices of one kind are one tensor over the layers."""

    def __init__(self, shape: Shape, traits: Tensor) -> None:
        """``traits`` has a row for each token: base token, whether a space leads it, casing."""
        super().__init__()
        self.shape = shape
        n, d, dq, dkv, ff = (
            shape.n_layer,
            shape.n_embd,
            shape.n_head * shape.head_dim,
            shape.n_head_kv * shape.head_dim,
            shape.n_ff,
        )

        def matrix(rows: int, columns: int, scale: float = 1.0) -> nn.Parameter:
            return nn.Parameter(torch.randn(n, rows, columns) * scale / math.sqrt(columns))

        self.q, self.k, self.v = matrix(dq, d), matrix(dkv, d), matrix(dkv, d)
        self.o = matrix(d, dq, 0.3)
        self.gate, self.up, self.down = matrix(ff, d), matrix(ff, d), matrix(d, ff, 0.3)
        self.attn_norm, self.ffn_norm = (
            nn.Parameter(torch.ones(n, d)),
            nn.Parameter(torch.ones(n, d)),
        )
        self.q_norm, self.k_norm = (
            nn.Parameter(torch.ones(n, shape.head_dim)),
            nn.Parameter(torch.ones(n, shape.head_dim)),
        )
        self.out_norm = nn.Parameter(torch.ones(d))
        # An embedding is the sum of the token's own, its word's (whatever its space and casing),
        # its space's and its casing's. So a word met behind a space is known behind a quote, too.
        self.own = nn.Parameter(torch.randn(shape.n_vocab, d) * 0.01)
        self.base = nn.Parameter(torch.randn(shape.n_vocab, d) * 0.02)
        self.space = nn.Parameter(torch.randn(2, d) * 0.02)
        self.case = nn.Parameter(torch.randn(4, d) * 0.02)
        self.register_buffer("traits", traits)
        inverse = shape.rope_theta ** (-torch.arange(0, shape.head_dim, 2).float() / shape.head_dim)
        angles = torch.outer(torch.arange(shape.n_ctx).float(), inverse)
        self.register_buffer("cos", torch.cat([angles.cos()] * 2, -1), persistent=False)
        self.register_buffer("sin", torch.cat([angles.sin()] * 2, -1), persistent=False)

    def embeddings(self) -> Tensor:
        """The embedding matrix, with its four parts added up."""
        return (
            self.own
            + self.base[self.traits[:, 0]]
            + self.space[self.traits[:, 1]]
            + self.case[self.traits[:, 2]]
        )

    def compile(self) -> None:
        """Compile what is computed between two attentions, whose shapes are always the same."""
        for name in ("_queries_keys_values", "_after_attention", "_logits"):
            setattr(self, name, torch.compile(getattr(self, name), dynamic=False))

    def forward(
        self, tokens: Tensor, positions: Tensor, masks: Sequence[Tensor], picked: Tensor
    ) -> Tensor:
        """The logits at the indices ``picked``.

        The documents stand one behind the other from the first token on, and what is left behind
        the last is padding; the mask (L, L) of each says which of its tokens see which.
        """
        return self.states_and_logits(tokens, positions, masks, picked)[1]

    def states_and_logits(
        self, tokens: Tensor, positions: Tensor, masks: Sequence[Tensor], picked: Tensor
    ) -> tuple[list[Tensor], Tensor]:
        """The output of each layer at the indices ``picked``, and the logits there."""
        embeddings = self.embeddings()
        x = functional.embedding(tokens, embeddings)
        rotation = self.cos[positions][:, None], self.sin[positions][:, None]
        biases = [
            torch.zeros(mask.shape, dtype=_precision(mask.device), device=mask.device)
            .masked_fill_(~mask, -1e4)
            .expand(self.shape.n_head, -1, -1)
            for mask in masks
        ]
        # A layer's part of a tensor over all layers would have a gradient as large as the whole.
        inputs = (self.attn_norm, self.q, self.k, self.v, self.q_norm, self.k_norm)
        outputs = (self.o, self.ffn_norm, self.gate, self.up, self.down)
        states = []
        for before, after in zip(_by_layer(inputs), _by_layer(outputs), strict=True):
            parts = self._queries_keys_values(x, *before, *rotation)
            x = self._after_attention(x, _attention(*parts, biases), *after)
            states.append(x[picked])
        return states, self._logits(states[-1], self.out_norm, embeddings)

    def _queries_keys_values(
        self, x: Tensor, norm: Tensor, q: Tensor, k: Tensor, v: Tensor, q_norm: Tensor,
        k_norm: Tensor, cos: Tensor, sin: Tensor,
    ) -> tuple[Tensor, ...]:  # fmt: skip
        s = self.shape
        qkv = functional.linear(_norm(x, norm), torch.cat([q, k, v]))
        heads = qkv.view(len(x), -1, s.head_dim).split([s.n_head, s.n_head_kv, s.n_head_kv], 1)
        queries = _rotate(_norm(heads[0], q_norm), cos, sin)
        keys = _rotate(_norm(heads[1], k_norm), cos, sin)
        shared = (part.repeat_interleave(s.n_head // s.n_head_kv, 1) for part in (keys, heads[2]))
        return tuple(part.to(qkv.dtype).transpose(0, 1) for part in (queries, *shared))

    def _after_attention(
        self, x: Tensor, seen: Tensor, o: Tensor, norm: Tensor, gate: Tensor, up: Tensor,
        down: Tensor,
    ) -> Tensor:  # fmt: skip
        x = x + functional.linear(seen.transpose(0, 1).reshape(len(x), -1), o)
        opened, values = functional.linear(_norm(x, norm), torch.cat([gate, up])).chunk(2, -1)
        return x + functional.linear(functional.silu(opened) * values, down)

    def _logits(self, x: Tensor, norm: Tensor, embeddings: Tensor) -> Tensor:
        return functional.linear(_norm(x, norm), embeddings)


def _precision(device: torch.device) -> torch.dtype:
    """The type of a product's result: float32, or what the caller's autocast says."""
    if torch.is_autocast_enabled(device.type):
        return torch.get_autocast_dtype(device.type)
    return torch.float32


def _by_layer(tensors: Sequence[Tensor]) -> Iterator[tuple[Tensor, ...]]:
    return zip(*(tensor.unbind(0) for tensor in tensors), strict=True)


def _attention(queries: Tensor, keys: Tensor, values: Tensor, biases: Sequence[Tensor]) -> Tensor:
    """The attention of each document to itself; all of the shape (heads, tokens, head size).

    Matrix products for each document: no time goes into what documents cannot see of each other.
    """
    sizes = [bias.shape[-1] for bias in biases]
    sizes.append(queries.shape[1] - sum(sizes))
    parts = [tensor.split(sizes, 1) for tensor in (queries, keys, values)]
    scale = queries.shape[-1] ** -0.5
    seen = []
    for q, k, v, bias in zip(*parts, biases, strict=False):
        scores = torch.baddbmm(bias, q, k.mT, alpha=scale)
        seen.append(torch.bmm(torch.softmax(scores, -1, dtype=v.dtype), v))
    return torch.cat([*seen, torch.zeros_like(parts[0][-1])], 1)


def _norm(x: Tensor, weight: Tensor) -> Tensor:
    x = x.float()
    return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + EPS) * weight


def _rotate(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    first, second = x.chunk(2, -1)
    return x * cos + torch.cat([-second, first], -1) * sin


def traits_of(pieces: list[str]) -> Tensor:
    """The traits of each token: its word's base token, whether a space leads it, its casing."""
    index = {piece: number for number, piece in enumerate(pieces)}
    rows = []
    for number, piece in enumerate(pieces):
        word = piece.removeprefix("Ġ") if len(piece) > 1 else piece
        cased = (
            0
            if word.islower()
            else 2
            if word.isupper() and len(word) > 1
            else 1
            if word[:1].isupper()
            else 3
        )
        base = (
            index.get(word.lower(), index.get(word, number))
            if word.isascii() and word.isalpha()
            else index.get(word, number)
        )
        rows.append((base, int(word != piece), cased))
    return torch.tensor(rows, dtype=torch.long)


def transformers_names(model: Box) -> dict[str, nn.Parameter]:
    """The tensors over all layers, by their names in a layer of ``Qwen3ForCausalLM``."""
    return {
        "self_attn.q_proj": model.q,
        "self_attn.k_proj": model.k,
        "self_attn.v_proj": model.v,
        "self_attn.o_proj": model.o,
        "mlp.gate_proj": model.gate,
        "mlp.up_proj": model.up,
        "mlp.down_proj": model.down,
        "input_layernorm": model.attn_norm,
        "post_attention_layernorm": model.ffn_norm,
        "self_attn.q_norm": model.q_norm,
        "self_attn.k_norm": model.k_norm,
    }


def to_transformers(model: Box) -> dict[str, Tensor]:
    """The weights under the names of ``Qwen3ForCausalLM``."""
    weights = {"model.embed_tokens.weight": model.embeddings(), "model.norm.weight": model.out_norm}
    for name, tensor in transformers_names(model).items():
        for layer in range(model.shape.n_layer):
            weights[f"model.layers.{layer}.{name}.weight"] = tensor[layer]
    return {name: tensor.detach().float().clone().contiguous() for name, tensor in weights.items()}
