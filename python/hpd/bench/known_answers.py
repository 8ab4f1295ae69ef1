"""Questions with known answers, which are decoded instead of the model's own.

The model computes as usual, then its token is replaced with the known one. So every method decodes
the same values, whatever the weights are.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from hpd._native import Field
from hpd.pipeline.compiled_schema import CompiledSchema, Request, attribute_id
from hpd.pipeline.document_values import ConfidenceLimits
from hpd.prompt.questions import UNKNOWN, Question, known_answer
from hpd.prompt.text import answer_text, written_value
from hpd.schema.attributes import Attribute

KnownAnswer = Mapping[str, Any]


class KnownAnswers(CompiledSchema):
    """A compiled schema with known answers.

    Args:
        known: returns the answer for a document's text, or None for the model's own.
        has_grammar: whether known tokens are checked against the field's grammar; if not, fields
            with known values have no grammar.
    """

    def __init__(
        self,
        *args: Any,
        known: Callable[[str], KnownAnswer | None],
        has_grammar: bool = False,
        **settings: Any,
    ) -> None:
        super().__init__(*args, **settings)
        self._known = known
        self._has_grammar = has_grammar
        # Known answers need not be in the document.
        self._is_restricted = self._is_restricted and not has_grammar

    def request(
        self, texts: Sequence[str], questions: Sequence[Question], *, first: bool, keep_prompt: bool
    ) -> Request:
        """Return the request for a wave of questions, with known values."""
        request = super().request(texts, questions, first=first, keep_prompt=keep_prompt)
        answers = [self._known(text) for text in texts]
        for i, question in enumerate(questions):
            answer, leaf = answers[question.document], question.leaf
            if answer is not None:
                known = known_answer(answer, leaf)
                text = written_value(None if known is UNKNOWN else known)
                max_tokens = self._max_tokens(leaf.attribute)
                if leaf.written is not None:
                    max_tokens = request.fields[i].max_tokens
                request.fields[i] = self._with(
                    request.fields[i], text, max_tokens, attribute_id(leaf)
                )
        return request

    def answer_request(self, texts: Sequence[str]) -> Request:
        """Return the request for ``method="ar"``, with the known answer."""
        request = super().answer_request(texts)
        answers = [answer for answer in map(self._known, texts) if answer is not None]
        if answers:
            by_number = {str(number): answer for number, answer in enumerate(answers, start=1)}
            text = answer_text(answers[0] if len(texts) == 1 else by_number)
            request.fields[0] = self._with(request.fields[0], text, request.fields[0].max_tokens)
        return request

    def limits(
        self, attributes: Sequence[Attribute], kinds: Sequence[str]
    ) -> list[ConfidenceLimits]:
        """Return no limits, as known answers depend on no model."""
        return [ConfidenceLimits()] * len(attributes)

    def _with(self, field: Field, text: str, max_tokens: int, attribute: int = 0) -> Field:
        """Return a field with its known value."""
        if not self._has_grammar:
            field = Field(field.key, max_tokens=max_tokens, attribute=attribute)
        field.replay = self._model.tokenize(text)
        field.normalizes = False
        return field
