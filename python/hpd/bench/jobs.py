"""Jobs as the extractor runs them, with known answers put in the model's mouth."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from hpd._native import Field, Model, Result
from hpd.options import Options
from hpd.pipeline.job import Ask, Document, Job
from hpd.pipeline.questions import Plan
from hpd.prompt import COUNT_KEY, Path, answer_text
from hpd.prompt.tokens import TokenizedPrompt


class TimedJob(Job):
    """A job that counts drafts and, given answers, replays them.

    All logits are computed and read as always; only the token that is then taken is the known
    one. Grammars are left out of a replay: a model with random weights would break every one at
    every token, which a real one does not.
    """

    def __init__(
        self,
        plan: Plan,
        model: Model,
        options: Options,
        documents: Sequence[Document],
        answers: Sequence[Mapping[str, Any]] | None,
    ) -> None:
        super().__init__(plan, model, options, documents)
        self.n_drafted = 0
        self.n_accepted = 0
        self._answers = answers

    def first(self) -> Ask:
        """The first request."""
        ask = super().first()
        if self._answers is None or self._options.method != "ar":
            return ask
        whole = (
            self._answers[0]
            if len(self._answers) == 1
            else {str(n): answer for n, answer in enumerate(self._answers, start=1)}
        )
        return replace(ask, fields=[self._replayed(ask.fields[0], answer_text(whole))])

    def take(self, result: Result) -> Ask | None:
        """Take in a finished request."""
        self.n_drafted += result.n_drafted
        self.n_accepted += result.n_accepted
        return super().take(result)

    def _ask(self, tokens: TokenizedPrompt, n_cached: int, fields: list[Field]) -> Ask:
        if self._answers is not None:
            fields = [
                self._replayed(field, value_text(look_up(self._answers[d], leaf.path)))
                for field, (d, leaf) in zip(fields, self._leaves, strict=True)
            ]
        return super()._ask(tokens, n_cached, fields)

    def _replayed(self, field: Field, text: str) -> Field:
        return Field(field.key, max_tokens=field.max_tokens, replay=self._model.tokenize(text))


def value_text(value: object) -> str:
    """What the model writes for one value, with the delimiter that ends a number."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return f" {json.dumps(value, ensure_ascii=False)}" + ("}" if is_number else "")


def look_up(answer: object, path: Path) -> object:
    """The value at a field's path; arrays are counted from 1, and counted at ``COUNT_KEY``."""
    for name in path:
        if isinstance(answer, Mapping):
            answer = answer.get(name)
        elif isinstance(answer, Sequence) and not isinstance(answer, str):
            answer = len(answer) if name == COUNT_KEY else answer[int(name) - 1]
    return answer
