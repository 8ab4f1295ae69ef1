"""Hyper-parallel decoding of a prompt: all fields of a wave at once (paper, section 4.2)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hpd._native import Result
from hpd.pipeline.job import AnyValue, Job
from hpd.pipeline.near_ties import least, near_tie
from hpd.pipeline.request import Request
from hpd.questions import Question, Waves
from hpd.results import FieldResult
from hpd.reuse import Decoded
from hpd.values import Parsed, joint_probability, parse_value


class FieldsJob(Job):
    """A job whose requests are waves of fields."""

    _waves: Waves
    _questions: list[Question]
    _earlier: list[Decoded | None]
    """The values of the questions that were decoded before."""

    def _open(self) -> Request | None:
        self._waves = self._questionnaire.waves(len(self.documents))
        self._questions = self._waves.first()
        return self._ask()

    def _take(self, result: Result) -> Request | None:
        decoded = iter(result.values)
        values: list[AnyValue] = []
        for question, earlier in zip(self._questions, self._earlier, strict=True):
            if earlier is None:
                value = next(decoded)
                if self._known is not None:
                    self._known.add(self._questionnaire.fingerprint(question), value)
                values.append(value)
            else:
                values.append(earlier)
        self._end_wave(values)
        return self._ask()

    def _ask(self) -> Request | None:
        """The request for the next wave that has a question to decode; None if none has."""
        while self._questions:
            self._earlier = [self._earlier_value(question) for question in self._questions]
            if None in self._earlier:
                return self._request()
            self._end_wave([value for value in self._earlier if value is not None])
        return None

    def _earlier_value(self, question: Question) -> Decoded | None:
        if self._known is None:
            return None
        return self._found(self._known.find(self._questionnaire.fingerprint(question)))

    def _end_wave(self, values: Sequence[AnyValue]) -> None:
        found: list[Any] = [
            self._take_value(question, value).value
            for question, value in zip(self._questions, values, strict=True)
        ]
        schema = self._questionnaire.schema
        self._questions = self._waves.next(found, lambda d: self._findings[d].data(schema))

    def _request(self) -> Request:
        open_questions = [
            question
            for question, earlier in zip(self._questions, self._earlier, strict=True)
            if earlier is None
        ]
        request = self._questionnaire.request(
            self._texts,
            open_questions,
            first=self._n_requests == 0,
            keep_prompt=self._waves.may_go_on,
            answers=self._answers,
        )
        self.kept_prompt = request.prompt if request.keep_prompt else None
        return request

    def _take_value(self, question: Question, value: AnyValue) -> Parsed:
        leaf = question.leaf
        raw = value.text.decode("utf-8", "replace")
        truncated = value.finish == "truncated"
        parsed = parse_value(raw, leaf.attribute)
        if parsed.error and truncated:
            parsed = Parsed(error=f"cut off after {len(value.tokens)} tokens")
        inherited = self._findings[question.document].inherited_margin(leaf)
        evidence = FieldResult(
            confidence=joint_probability(value.log_shares),
            raw=raw,
            truncated=truncated,
            margin=least([near_tie([value.margin]), inherited]),
        )
        return self._store(
            question.document,
            leaf.path,
            leaf.attribute,
            parsed,
            evidence,
            joint_probability(value.logprobs),
        )
