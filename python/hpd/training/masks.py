"""Position ids and attention masks of hyper-parallel decoding.

A row is one prompt with all its fields: the *prompt* (instruction and document, or stack of
documents), then for each field its *key* and the tokens of its *value*. Three masks:

- ``paper``: one sequence with gaps of K_max positions in which the values grow (section 4.3 and
  algorithm 2). A value's k-th token sees the prompt, the keys before it, and the first k tokens of
  its own and earlier values; keys see no value.
- ``skeleton``: field n sees the prompt, the keys 1 to n and its own value. No gaps.
- ``branch``: a field sees the prompt, its own key and its own value. No gaps.

The engine uses the last two, which llama.cpp's sequences can express. The masks differ only in the
first wave of questions: fields of later waves (items of arrays, attributes that come after others)
are *lone*: each sees the prompt, its own key and its own value.

One rule, ``sees``, serves dense masks and FlexAttention, training (tokens in natural order) and
inference (values appended step by step): it depends on a token's role, never on its index.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from enum import IntEnum
from typing import Any, Literal, NamedTuple, get_args

import numpy as np

Mask = Literal["paper", "skeleton", "branch"]
MASKS: tuple[Mask, ...] = get_args(Mask)


class TokenKind(IntEnum):
    """The kind of a token."""

    PADDING = 0
    PROMPT = 1
    KEY = 2
    VALUE = 3
    LONE_KEY = 4
    LONE_VALUE = 5


class Roles(NamedTuple):
    """The role of each token of a row or batch: four integer arrays or tensors of one shape."""

    kind: Any
    field: Any
    """Number of the field that a key or value belongs to, over all stacked documents."""
    step: Any
    """k for a value's k-th token, from 1; else 0."""
    position: Any
    """The position id."""

    def at(self, index: Any) -> Roles:
        """Return the roles of some tokens; ``index`` is any index of an array."""
        return Roles(*(part[index] for part in self))


class RowLayout:
    """The positions of the tokens of a prompt and its fields.

    Args:
        mask: the mask.
        n_prompt: tokens in the prompt.
        n_keys: tokens in each field's key. With ``paper`` and ``skeleton`` that is the part between
            the value before it and its own value.
        k_max: maximum length of a value, in tokens; the gap of ``paper``.
        n_first: number of fields of the first wave, which come first; None: all.
    """

    def __init__(
        self,
        mask: Mask,
        n_prompt: int,
        n_keys: Sequence[int],
        k_max: int,
        n_first: int | None = None,
    ) -> None:
        if mask not in MASKS:
            raise ValueError(f"mask must be one of {', '.join(MASKS)}, not {mask!r}")
        if n_prompt < 1 or k_max < 1:
            raise ValueError("n_prompt and k_max must be at least 1")
        self.mask: Mask = mask
        self.n_prompt = n_prompt
        self.n_keys = list(n_keys)
        self.k_max = k_max
        self.n_first = len(self.n_keys) if n_first is None else n_first
        self.key_starts = [n_prompt] * len(self.n_keys)
        """The position of each key's first token."""
        start = n_prompt
        for field, n_key in enumerate(self.n_keys[: self.n_first]):
            self.key_starts[field] = start
            if mask == "paper":
                start += n_key + k_max
            elif mask == "skeleton":
                start += n_key

    def value_position(self, field: int, step: int) -> int:
        """Return the position of a value's ``step``-th token, counted from 1."""
        if not 1 <= step <= self.k_max:
            raise ValueError(f"step {step} of a value of at most {self.k_max} tokens")
        return self.key_starts[field] + self.n_keys[field] - 1 + step

    def prompt(self) -> Roles:
        n = self.n_prompt
        return _roles((TokenKind.PROMPT, -1, 0, position) for position in range(n))

    def key(self, field: int) -> Roles:
        start = self.key_starts[field]
        kind = TokenKind.KEY if field < self.n_first else TokenKind.LONE_KEY
        return _roles((kind, field, 0, start + i) for i in range(self.n_keys[field]))

    def values(self, positions: Iterable[tuple[int, int]]) -> Roles:
        """Return the roles of tokens of values, given by field and step."""
        kinds = (TokenKind.LONE_VALUE, TokenKind.VALUE)
        return _roles(
            (kinds[field < self.n_first], field, k, self.value_position(field, k))
            for field, k in positions
        )

    def first_step(self) -> Roles:
        """Return the roles of prompt and keys, which inference reads first (the paper's ``s``)."""
        return join([self.prompt(), *(self.key(field) for field in range(len(self.n_keys)))])

    def whole(self, n_values: Sequence[int]) -> Roles:
        """Return the roles of prompt, keys and values, in the order of training: each value after
        its key. Field n has ``n_values[n]`` value tokens."""
        parts = [self.prompt()]
        for field, n_value in enumerate(n_values):
            positions = [(field, k) for k in range(1, n_value + 1)]
            parts += [self.key(field), self.values(positions)]
        return join(parts)


def join(parts: Sequence[Roles]) -> Roles:
    """Concatenate roles."""
    return Roles(*(np.concatenate(arrays, axis=-1) for arrays in zip(*parts, strict=True)))


def stack(rows: Sequence[Roles]) -> Roles:
    """Return a batch of rows, padded on the right to the longest row.

    Nothing sees padding. Padding sees the prompt's first token, so that no softmax is empty.
    """
    width = max(len(row.kind) for row in rows)
    batch = Roles(*(np.zeros((len(rows), width), dtype=np.int64) for _ in Roles._fields))
    for index, row in enumerate(rows):
        for part, values in zip(batch, row, strict=True):
            part[index, : len(values)] = values
    return batch


def sees(mask: Mask, query: Roles, key: Roles) -> Any:
    """Return whether a token may attend to another; the arrays are broadcast."""
    # By .value: under torch.compile a tensor never equals a member of an enumeration.
    is_key = key.kind == TokenKind.KEY.value
    is_value = key.kind == TokenKind.VALUE.value
    own = key.field == query.field
    is_lone = (key.kind >= TokenKind.LONE_KEY.value) | (query.kind >= TokenKind.LONE_KEY.value)
    if mask == "branch":
        answer = (is_key | is_value) & own
    elif mask == "skeleton":
        answer = (is_key & (key.field <= query.field)) | (is_value & own)
    else:
        # A key's step is 0, so it sees no value.
        answer = is_key | (is_value & (key.step <= query.step))
    answer = (is_lone & own) | (~is_lone & answer)
    return (key.position <= query.position) & ((key.kind == TokenKind.PROMPT.value) | answer)


def dense(mask: Mask, keys: Roles, queries: Roles | None = None) -> Any:
    """Return a batch's mask for scaled dot-product attention: (rows, 1, queries, keys), bool.

    ``queries`` are the tokens fed now, if the others are in a cache; None: all tokens.
    """
    keys = to_tensors(keys)
    queries = keys if queries is None else to_tensors(queries)
    return sees(mask, queries.at(np.s_[:, None, :, None]), keys.at(np.s_[:, None, None, :]))


def mask_mod(mask: Mask, roles: Roles) -> Callable[..., Any]:
    """Return FlexAttention's form of the mask: a function of batch, head, query and key index."""
    roles = to_tensors(roles)

    def mod(batch: Any, head: Any, query: Any, key: Any) -> Any:
        return sees(mask, roles.at((batch, query)), roles.at((batch, key)))

    return mod


def block_mask(mask: Mask, roles: Roles) -> Any:
    """Return the mask as FlexAttention's ``BlockMask``."""
    from torch.nn.attention.flex_attention import create_block_mask

    n_rows, n_tokens = roles.kind.shape
    device = to_tensors(roles).kind.device
    return create_block_mask(mask_mod(mask, roles), n_rows, None, n_tokens, n_tokens, device=device)


def to_tensors(roles: Roles, device: Any = None) -> Roles:
    import torch

    return Roles(*(torch.as_tensor(part, device=device) for part in roles))


def _roles(tokens: Iterable[tuple[int, int, int, int]]) -> Roles:
    table = np.array(list(tokens), dtype=np.int64).reshape(-1, 4)
    return Roles(*table.T)
