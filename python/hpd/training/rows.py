"""A prompt with its fields as one row of tokens, and rows as the tensors of a batch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hpd.training.masks import Mask, Roles, RowLayout
from hpd.training.packing import NO_TARGET


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt's tokens and its fields' keys.

    With ``branch`` a key is all that stands between the prompt and its value; with ``paper`` and
    ``skeleton`` it is the part behind the key before it, in the first wave. In later ones it is
    always the whole key.
    """

    tokens: Sequence[int]
    keys: Sequence[Sequence[int]]
    mask: Mask = "branch"
    n_first: int | None = None
    """Keys of the first wave, which come first; None: all."""

    def layout(self, k_max: int) -> RowLayout:
        """The layout of the tokens, with gaps of ``k_max`` in the paper's mask."""
        n_keys = [len(key) for key in self.keys]
        return RowLayout(self.mask, len(self.tokens), n_keys, k_max, self.n_first)


@dataclass(frozen=True, slots=True)
class TrainingRow:
    """The tokens of a row, the role of each, and the tokens that should come next."""

    tokens: NDArray[np.int64]
    targets: NDArray[np.int64]
    """`NO_TARGET` where nothing is taught."""
    roles: Roles
    mask: Mask

    def __len__(self) -> int:
        return len(self.tokens)


def training_row(prompt: Prompt, values: Sequence[Sequence[int] | None], k_max: int) -> TrainingRow:
    """A prompt with the right values, in natural order; None where nothing is taught.

    Values are cut at ``k_max`` tokens, as decoding cuts them. The last token of a value is a
    target and never fed: when it is decoded, the field is done.
    """
    tokens = list(prompt.tokens)
    targets = [NO_TARGET] * len(tokens)
    n_values = []
    for key, value in zip(prompt.keys, values, strict=True):
        tokens += key
        targets += [NO_TARGET] * len(key)
        if value is None:
            n_values.append(0)
            continue
        wanted = list(value[:k_max])
        if not wanted:
            raise ValueError("a value has a token, if only that of null")
        # Without a key the value follows the prompt.
        targets[len(tokens) - 1 if key else len(prompt.tokens) - 1] = wanted[0]
        tokens += wanted[:-1]
        targets += wanted[1:]
        n_values.append(len(wanted) - 1)
    roles = prompt.layout(k_max).whole(n_values)
    return TrainingRow(np.array(tokens), np.array(targets), roles, prompt.mask)
