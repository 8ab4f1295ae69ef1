"""Fields that are asked again, with the reason why what they had is refused.

A field's new key shows its refused values as a part of the answer, as in ``{"size": 0, "wrong
because": "below the minimum 1", "size":``. So it goes on from the prompt that the engine still has.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from hpd.pipeline.findings import Findings
from hpd.prompt import Path
from hpd.prompt.questions import Leaf, Question, Refused
from hpd.results import FieldResult, RefusedText
from hpd.schema.attributes import Schema
from hpd.values import ABSENT

N_RETRIES = 2
"""The waves in which fields are asked again, at most."""

N_REFUSED_TOKENS = 96
"""The tokens for which a later key has room, for each value that is refused and the reason."""

_REASONS = {ABSENT: "a value is required"}
"""Reasons in other words, where those of the output would only confirm the model."""

_LONGEST_VALUE = 80
_LONGEST_REASON = 160


class Retries:
    """The refused values of stacked documents.

    Args:
        schema: of the documents.
        n_stacked: how many they are.
        is_part: whether they are parts of longer ones.
    """

    def __init__(self, schema: Schema, n_stacked: int, *, is_part: bool) -> None:
        self._schema = schema
        self._n_stacked = n_stacked
        self._is_part = is_part
        self._n_left = N_RETRIES
        self._leaves: dict[tuple[int, Path], Leaf] = {}
        self._said: dict[tuple[int, Path], str] = {}
        """The last values, as text: those that differ may be equal, as 1 and True are."""
        self._refused: dict[tuple[int, Path], tuple[RefusedText, ...]] = {}

    @property
    def may_go_on(self) -> bool:
        """Whether fields may be asked again."""
        return self._n_left > 0

    def note(self, questions: Sequence[Question], values: Sequence[Any]) -> list[tuple[int, Leaf]]:
        """Remember what has been asked, and the values.

        Returns the leaves that have been asked, and came ``after`` one that has another value now.
        """
        changed = []
        for question, value in zip(questions, values, strict=True):
            place = question.document, question.leaf.path
            self._leaves[place] = question.leaf
            if self._said.get(place) != repr(value):
                self._said[place] = repr(value)
                changed.append(place)
        return self._followers(changed)

    def due(self, findings: Sequence[Findings]) -> list[Refused]:
        """The questions to be asked again; none after as many waves as there may be."""
        if not self._n_left:
            return []
        self._n_left -= 1
        due = []
        for d, own in enumerate(findings):
            for path, reason in own.faults(self._schema, is_part=self._is_part).items():
                place = d, path
                if place not in self._leaves:
                    continue
                before = own.results.get(path, FieldResult())
                texts = (*self._refused.get(place, ()), RefusedText(before.raw, reason))
                self._refused[place] = texts
                values = [(_value(text.raw), _reason(text.error)) for text in texts]
                due.append(Refused(d, self._leaves[place], values))
        return due

    def has_followers(self, questions: Sequence[Question]) -> bool:
        """Whether a leaf that has been asked comes ``after`` one of these."""
        return bool(self._followers([(each.document, each.leaf.path) for each in questions]))

    def refused(self, question: Question) -> tuple[RefusedText, ...]:
        """The text that the model wrote before for the field of a question."""
        return self._refused.get((question.document, question.leaf.path), ())

    def _followers(self, places: Sequence[tuple[int, Path]]) -> list[tuple[int, Leaf]]:
        """The leaves that have been asked, and came ``after`` one at these places."""
        return [
            (d, leaf)
            for (d, _), leaf in self._leaves.items()
            if leaf.after and any(d == other and _sees(leaf, path) for other, path in places)
        ]


def _sees(leaf: Leaf, path: Path) -> bool:
    """Whether a leaf's key shows the value at a path, alone or as a part of what it shows."""
    return any(path[: len(seen)] == seen for seen in leaf.after)


def _value(raw: str) -> Any:
    """The value that the model wrote, in short; its text, if it is none."""
    text = raw.strip()
    try:
        value, _ = json.JSONDecoder(strict=False).raw_decode(text)
    except (ValueError, RecursionError):
        value = text.lstrip('"')
    if isinstance(value, str):
        return _shortened(value, _LONGEST_VALUE)
    return value if isinstance(value, int | float | None) else _shortened(text, _LONGEST_VALUE)


def _reason(error: str) -> str:
    return _shortened(_REASONS.get(error, error), _LONGEST_REASON)


def _shortened(text: str, longest: int) -> str:
    return text if len(text) <= longest else f"{text[:longest]}..."
