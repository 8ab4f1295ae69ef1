"""A document and all its fields in one row: the prompt once, then a tree of keys and values.

Each field hangs from the prompt's end as its own branch, so a token sees the prompt and the tokens
that lead to it, nothing else. Branches with the same beginning share it (two fields share ``{"``;
the whole-object answer shares the first field's key and value): what a token sees is the same, and
a row costs fewer tokens. With `hpd.prompt`'s ``skeleton`` keys the tree is the paper's order of
keys by itself, because each key's text begins with the keys before it.

Plain NumPy: the row is the same for every framework.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

NO_TARGET = -100
"""The target of a token after which nothing is taught; cross entropies skip it."""

NO_PARENT = -1
"""The parent of a row's first token."""


class FieldText(NamedTuple):
    """A field as text: its key, up to the colon, and its value, from the space after it."""

    key: str
    value: str


class FieldTokens(NamedTuple):
    """A field as tokens, key and value tokenised apart, as inference sees them."""

    key: Sequence[int]
    value: Sequence[int]


@dataclass(frozen=True, slots=True)
class PackedRow:
    """One row: what is fed, where each token stands, what it follows and what should come next."""

    tokens: NDArray[np.int32]
    positions: NDArray[np.int32]
    parents: NDArray[np.int32]
    """Index of the token that each token follows; `NO_PARENT` for the first."""
    targets: NDArray[np.int32]
    """The token that should come after each; `NO_TARGET` where nothing is taught."""
    n_prompt: int

    def __len__(self) -> int:
        return len(self.tokens)


def pack(
    prompt: Sequence[int], fields: Sequence[FieldTokens], answer: Sequence[int] = ()
) -> PackedRow:
    """Pack a prompt, its fields and, if given, the whole answer as autoregression writes it.

    Only values are taught, and all of ``answer``. A value's last token is a target and never an
    input: at inference the field is done by then.
    """
    tree = _Tree(prompt)
    tree.add(answer, n_given=0)
    for field in fields:
        tree.add([*field.key, *field.value], n_given=len(field.key))
    return tree.row()


def pack_text(tokens: Sequence[int], n_given: int = 1) -> PackedRow:
    """A row of plain text in which every token after the first ``n_given`` is taught."""
    tree = _Tree(tokens[:n_given])
    tree.add(tokens[n_given:], n_given=0)
    return tree.row()


def visible(parents: NDArray[np.int32], n_padded: int = 0) -> NDArray[np.bool_]:
    """The row's mask: ``[i, j]`` is true where token i sees token j.

    With ``n_padded`` the mask is that many tokens wide; padding sees itself, so that no row of the
    softmax is empty.
    """
    n_tokens = len(parents)
    mask = np.eye(max(n_tokens, n_padded), dtype=np.bool_)
    for index, parent in enumerate(parents):
        if parent != NO_PARENT:
            mask[index] |= mask[parent]
    return mask


class _Tree:
    """Tokens by what they follow; a child that is there already is used again."""

    def __init__(self, prompt: Sequence[int]) -> None:
        if not prompt:
            raise ValueError("the prompt has no tokens: there is nothing that a field could follow")
        self.tokens = list(prompt)
        self.parents = [NO_PARENT, *range(len(prompt) - 1)]
        self.positions = list(range(len(prompt)))
        self.targets = [NO_TARGET] * len(prompt)
        self.children: dict[tuple[int, int], int] = {}
        self.n_prompt = len(prompt)

    def add(self, tokens: Sequence[int], n_given: int) -> None:
        """Hang a branch from the prompt's end; its first ``n_given`` tokens are not taught."""
        node = self.n_prompt - 1
        for index, token in enumerate(tokens):
            # Two branches that go different ways at a shared token cannot both be right there:
            # the whole answer comes first and is the one that is taught.
            if index >= n_given and self.targets[node] == NO_TARGET:
                self.targets[node] = token
            if index < len(tokens) - 1:
                node = self._child(node, token)

    def _child(self, node: int, token: int) -> int:
        key = (node, token)
        if key not in self.children:
            self.children[key] = len(self.tokens)
            self.tokens.append(token)
            self.parents.append(node)
            self.positions.append(self.positions[node] + 1)
            self.targets.append(NO_TARGET)
        return self.children[key]

    def row(self) -> PackedRow:
        return PackedRow(
            np.array(self.tokens, dtype=np.int32),
            np.array(self.positions, dtype=np.int32),
            np.array(self.parents, dtype=np.int32),
            np.array(self.targets, dtype=np.int32),
            self.n_prompt,
        )
