"""The time that the host of a virtual machine takes for others, and runs that it disturbed.

A figure that was measured while the host computed something else says nothing of the method. Linux
counts that time, so a run that lost much of it is measured again.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import TypeVar

T = TypeVar("T")

MOST = 0.03
"""The share of the processors' time that the host may take from a run that counts."""

N_TRIES = 3
"""Runs of a method in one round, if the host disturbs each of them."""

_STAT = Path("/proc/stat")
_STEAL = 8  # the column of the time that the host took, behind the word "cpu"


class StolenTime:
    """A stopwatch for the time that the host takes, which starts when it is made."""

    def __init__(self) -> None:
        self._stolen = _stolen_seconds()
        self._start = perf_counter()

    def share(self) -> float:
        """The part of the time of all processors that the host took; 0 if that is unknown."""
        whole = (perf_counter() - self._start) * (os.cpu_count() or 1)
        return max(0.0, (_stolen_seconds() - self._stolen) / whole) if whole > 0 else 0.0


def least_disturbed(measure: Callable[[], T], share: Callable[[T], float]) -> T:
    """The first measurement that the host left alone, or the best of ``N_TRIES``."""
    tries: list[T] = []
    while len(tries) < N_TRIES:
        tries.append(measure())
        if share(tries[-1]) <= MOST:
            return tries[-1]
    return min(tries, key=share)


def _stolen_seconds() -> float:
    """The seconds of all processors together since the start of the system."""
    try:
        columns = _STAT.read_text().partition("\n")[0].split()
        return int(columns[_STEAL]) / os.sysconf("SC_CLK_TCK")
    except (OSError, ValueError, IndexError, AttributeError):
        return 0.0
