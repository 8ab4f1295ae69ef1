"""Measures how fast this processor multiplies with weights of each type."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hpd.models.hardware import use_amx

FILE_TYPES = ("IQ4_XS", "Q4_0", "Q4_K", "Q5_K", "Q6_K", "Q8_0", "BF16")
"""The types of published files, smallest first; a Q4_K_M file is mostly Q4_K, and so on."""

N_READING = 512
"""The tokens of a batch of documents."""
N_DECODING = 16
"""The tokens of a batch of values."""
N_ALONE = 1

SHAPE = (1024, 3072)
"""The columns and rows of a matrix."""
_N_MATRICES = {N_READING: 7, N_DECODING: 28, N_ALONE: 28}
"""Together too large for the processor's caches; with many tokens, this does not matter."""


@dataclass(frozen=True, slots=True)
class WeightSpeed:
    """The times of products with weights of one type."""

    type: str
    n_bits: float
    """Bits per weight, including the scales."""
    seconds: dict[int, float]
    """By number of tokens, the seconds for a matrix."""


def weight_speeds(
    n_threads: int,
    types: Sequence[str] = FILE_TYPES,
    sizes: Sequence[int] = (N_READING, N_DECODING, N_ALONE),
    limit: float = 0.2,
    shape: tuple[int, int] = SHAPE,
) -> list[WeightSpeed]:
    """Time products on the processor, each for ``limit`` seconds.

    Args:
        n_threads: the number of threads.
        types: types of weights, by llama.cpp's names.
        sizes: numbers of tokens.
        limit: seconds for each type and size, after a warm-up that is not counted.
        shape: the columns and rows of a matrix.

    Raises:
        InputError: there is no such type.
        DecodeError: a product is wrong.
    """
    use_amx()  # or disable it, as when a model is loaded
    return [_weight_speed(name, n_threads, sizes, limit, *shape) for name in types]


def _weight_speed(
    name: str, n_threads: int, sizes: Sequence[int], limit: float, n_columns: int, n_rows: int
) -> WeightSpeed:
    from hpd import _native

    seconds, n_bits = {}, 0.0
    for n_tokens in sizes:
        n_matrices = _N_MATRICES[n_tokens]
        taken, n_bytes = _native.time_products(
            name,
            n_columns=n_columns,
            n_rows=n_rows,
            n_matrices=n_matrices,
            n_tokens=n_tokens,
            n_threads=n_threads,
            seconds=limit,
        )
        seconds[n_tokens] = taken / n_matrices
        n_bits = 8 * n_bytes / (n_matrices * n_columns * n_rows)
    return WeightSpeed(name, n_bits, seconds)
