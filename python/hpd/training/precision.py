"""The floating-point type in which a device computes faster: bfloat16, or float32."""

from __future__ import annotations

import functools
import time

import torch

_SIZE = 256
_N_TRIES = 3


@functools.cache
def bf16_is_faster(device: str) -> bool:
    """Whether products of matrices are faster in bfloat16 on a device, such as ``cpu`` or ``cuda``.

    Processors without instructions for bfloat16 take many times as long for it, so on a processor
    both are timed, which takes milliseconds, or tenths of a second where bfloat16 is slow.
    Other devices that training is worth its while on have such instructions.
    """
    if device != "cpu":
        return True
    # The first product of a type makes its kernel, and is not counted.
    return _seconds(torch.bfloat16) < _seconds(torch.float32)


def _seconds(dtype: torch.dtype) -> float:
    """The least time of some products of square matrices."""
    matrix = torch.ones(_SIZE, _SIZE, dtype=dtype)
    times = []
    for _ in range(1 + _N_TRIES):
        start = time.perf_counter()
        matrix @ matrix
        times.append(time.perf_counter() - start)
    return min(times[1:])
