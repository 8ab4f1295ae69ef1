"""The parts of a program that measures."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from benchmarks.published.result import Finding
from benchmarks.published.workbench import Workbench


@dataclass(frozen=True, slots=True)
class Part:
    """One thing to measure, which makes one result."""

    name: str
    title: str
    minutes: float
    """A guess at its time on two idle cores, for ``--list``."""
    measure: Callable[[Workbench], Finding]
