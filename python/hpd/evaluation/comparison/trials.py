"""The trials of an annotator and their order: drawn from a seed, so that they can be repeated."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from hpd.evaluation.comparison.systems import System


@dataclass(frozen=True, slots=True)
class Trial:
    """One document with the values of two systems side by side."""

    id: str
    """The document's."""
    left: System
    right: System


def plan_trials(
    systems: Sequence[System], annotator: str, *, seed: int = 0, limit: int | None = None
) -> list[Trial]:
    """The trials of one annotator: one for each document that two systems or more have.

    The documents, their order, and which two systems of more than two are shown depend on the
    seed alone, so that all annotators judge the same pairs. Which system stands on the left is
    drawn anew for each annotator.

    Args:
        systems: two or more.
        annotator: their name.
        seed: another one gives other draws.
        limit: so many documents at most, the first ones in the order that was drawn.
    """
    owners: dict[str, list[System]] = {}
    for system in systems:
        for document_id in system.predictions:
            owners.setdefault(document_id, []).append(system)
    shared = [document_id for document_id, own in owners.items() if len(own) >= 2]
    _chance(seed).shuffle(shared)
    trials = []
    for document_id in shared[:limit]:
        pair = _chance(seed, "pair", document_id).sample(owners[document_id], 2)
        pair.sort(key=list(systems).index)
        _chance(seed, "sides", annotator, document_id).shuffle(pair)
        trials.append(Trial(document_id, *pair))
    return trials


def _chance(seed: int, *names: str) -> Random:
    """Random numbers for one purpose; the same on every machine and in every version."""
    return Random(repr((seed, *names)))
