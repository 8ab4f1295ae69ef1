"""Measures how fast this processor multiplies with weights of each type."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from hpd.models.gguf_files import read_gguf_header
from hpd.models.hardware import use_amx

TYPES = ("IQ4_XS", "Q4_0", "Q4_K", "Q5_K", "Q6_K", "Q8_0", "BF16")
"""The types of published files, smallest first; a Q4_K_M file is mostly Q4_K, and so on."""

N_READING = 512
"""The tokens of a batch of documents."""
N_DECODING = 16
"""The tokens of a batch of values."""
N_ALONE = 1

_MIN_GAIN = 1.2

_N_COLUMNS, _N_ROWS = 1024, 3072
_N_MATRICES = {N_READING: 7, N_DECODING: 28, N_ALONE: 28}
"""Together too large for the processor's caches; with many tokens, this does not matter."""

_MAIN_TYPES = {
    2: "Q4_0",
    7: "Q8_0",
    14: "Q4_K",
    15: "Q4_K",
    16: "Q5_K",
    17: "Q5_K",
    18: "Q6_K",
    30: "IQ4_XS",
    32: "BF16",
}
"""The type of most weights in a file, by llama.cpp's number of the file type."""


@dataclass(frozen=True, slots=True)
class WeightSpeed:
    """The times of products with weights of one type."""

    type: str
    n_bits: float
    """Bits per weight, including the scales."""
    seconds: dict[int, float]
    """By number of tokens, the seconds for a matrix of 1,024 by 3,072."""


def weight_speeds(
    n_threads: int,
    types: Sequence[str] = TYPES,
    sizes: Sequence[int] = (N_READING, N_DECODING, N_ALONE),
    limit: float = 0.2,
) -> list[WeightSpeed]:
    """Time products on the processor, each for ``limit`` seconds.

    Args:
        n_threads: the number of threads.
        types: types of weights, by llama.cpp's names.
        sizes: numbers of tokens.
        limit: seconds for each type and size, after a warm-up that is not counted.

    Raises:
        InputError: there is no such type.
        DecodeError: a product is wrong.
    """
    use_amx()  # or disable it, as when a model is loaded
    return [_weight_speed(name, n_threads, sizes, limit) for name in types]


def _weight_speed(name: str, n_threads: int, sizes: Sequence[int], limit: float) -> WeightSpeed:
    from hpd import _native

    seconds, n_bits = {}, 0.0
    for n_tokens in sizes:
        n_matrices = _N_MATRICES[n_tokens]
        taken, n_bytes = _native.time_products(
            name,
            n_columns=_N_COLUMNS,
            n_rows=_N_ROWS,
            n_matrices=n_matrices,
            n_tokens=n_tokens,
            n_threads=n_threads,
            seconds=limit,
        )
        seconds[n_tokens] = taken / n_matrices
        n_bits = 8 * n_bytes / (n_matrices * _N_COLUMNS * _N_ROWS)
    return WeightSpeed(name, n_bits, seconds)


def faster_to_read(model: Path, n_threads: int) -> str:
    """Suggest the type that this processor reads fastest; empty if the file's own is at most a
    fifth slower, or is not timed.

    Raises:
        ModelLoadError: the file's header cannot be read.
    """
    own = main_type(model)
    if own is None:
        return ""
    seconds = {
        speed.type: speed.seconds[N_READING]
        for speed in weight_speeds(n_threads, sizes=(N_READING,))
    }
    best = min(seconds, key=seconds.__getitem__)
    gain = seconds[own] / seconds[best]
    if gain < _MIN_GAIN:
        return ""
    return (
        f"weights of type {best} are read {gain:.1f} times as fast as this file's {own} by this "
        "processor: another quantisation of the model may be faster (hpd models --speed)"
    )


def main_type(model: Path) -> str | None:
    """Return the type of most weights of a GGUF file; None if it is not one of the timed types.

    Raises:
        ModelLoadError: the file's header cannot be read.
    """
    file_type = read_gguf_header(model).metadata.get("general.file_type")
    return _MAIN_TYPES.get(file_type) if isinstance(file_type, int) else None
