"""Stacked documents asked wave after wave, as decoding asks them, whoever answers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hpd.prompt import Layout, Path
from hpd.prompt.questions import Question, Waves
from hpd.schema.attributes import Schema
from hpd.values import Parsed, assemble


class Interview:
    """The questions that are due, and the values that have been given so far.

    Args:
        schema: the schema of all documents.
        layout: of the first wave's keys.
        n_stacked: documents in the prompt.
    """

    def __init__(self, schema: Schema, layout: Layout, n_stacked: int = 1) -> None:
        self._schema = schema
        self._waves = Waves(schema, layout, n_stacked)
        self._values: list[dict[Path, Parsed]] = [{} for _ in range(n_stacked)]
        self.questions: list[Question] = self._waves.first()
        """Those of the wave that is due; none when all has been asked."""
        self.is_first = True
        """Whether the first wave is due."""

    def take(self, values: Sequence[Parsed]) -> None:
        """Take in the values of the wave, in the order of its questions, and go on to the next."""
        for question, value in zip(self.questions, values, strict=True):
            self._values[question.document][question.leaf.path] = value
        self.questions = self._waves.next([value.value for value in values], self.data)
        self.is_first = False

    def data(self, document: int) -> dict[str, Any]:
        """The values of a document so far, nested as in the answer."""
        return assemble(self._schema, self._values[document]).data
