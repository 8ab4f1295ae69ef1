"""Autoregressive decoding of a prompt: the whole answer, token after token (paper, section 4.1)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hpd._native import Result
from hpd.pipeline.job import AnyValue, Job
from hpd.pipeline.near_ties import near_tie
from hpd.pipeline.request import Request
from hpd.results import FieldResult
from hpd.values import answer_leaf, joint_probability, split_answer
from hpd.values.grammar import is_closed


class AnswerJob(Job):
    """A job with one request, whose one field is the answer as a JSON object."""

    def _open(self) -> Request | None:
        if self._known is not None:
            earlier = self._found(self._known.find(self._questionnaire.answer_fingerprint))
            if earlier is not None:
                self._take_value(earlier)
                return None
        return self._questionnaire.answer_request(self._texts, self._answers)

    def _take(self, result: Result) -> None:
        (value,) = result.values
        if self._known is not None:
            self._known.add(self._questionnaire.answer_fingerprint, value)
        self._take_value(value)

    def _take_value(self, value: AnyValue) -> None:
        text = value.text.decode("utf-8", "replace")
        n_stacked = len(self.documents)
        schema = self._questionnaire.stack_schema(n_stacked)
        ends = self._questionnaire.piece_ends(value.tokens)
        for path, raw in split_answer(schema, text).items():
            attribute = answer_leaf(schema, path)
            if attribute is None:
                continue
            d = 0 if n_stacked == 1 else int(path[0]) - 1
            probability = share = margin = None
            if raw.start is not None and raw.end is not None:
                start, end = (len(text[:at].encode()) for at in (raw.start, raw.end))
                probability = _probability(value.logprobs, ends, start, end)
                share = _probability(value.log_shares, ends, start, end)
                margin = near_tie(_margins_before(value, ends, end))
            parsed = raw.parse(attribute)
            evidence = FieldResult(
                confidence=share if is_closed(attribute) else probability,
                error=parsed.error,
                value=parsed.value,
                raw=raw.text,
                truncated=raw.truncated,
                margin=margin,
            )
            own_path = path if n_stacked == 1 else path[1:]
            self._store(d, own_path, attribute, parsed, evidence, probability)


def _probability(
    log_probabilities: Sequence[float], ends: list[int], start: int, end: int
) -> float | None:
    """The probability of the tokens that overlap bytes ``start`` to ``end`` of the answer."""
    return joint_probability(
        logprob
        for logprob, before, after in zip(log_probabilities, [0, *ends], ends, strict=False)
        if before < end and after > start
    )


def _margins_before(answer: AnyValue, ends: list[int], end: int) -> Iterator[float]:
    """The margins of all tokens up to byte ``end``: each one sees those before it."""
    for margin, before in zip(answer.margins, [0, *ends], strict=False):
        if before < end:
            yield margin
