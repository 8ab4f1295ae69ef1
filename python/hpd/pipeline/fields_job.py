"""Hyper-parallel decoding of a prompt: all fields of a wave at once (paper, section 4.2)."""

from __future__ import annotations

from typing import Any

from hpd._native import Result, Value
from hpd.pipeline.job import Job
from hpd.pipeline.near_ties import least, near_tie
from hpd.pipeline.request import Request
from hpd.questions import Question, Waves
from hpd.results import FieldResult
from hpd.values import Parsed, confidence, parse_value


class FieldsJob(Job):
    """A job whose requests are waves of fields."""

    _waves: Waves
    _questions: list[Question]

    def _open(self) -> Request:
        self._waves = self._questionnaire.waves(len(self.documents))
        self._questions = self._waves.first()
        return self._request(first=True)

    def _take(self, result: Result) -> Request | None:
        values: list[Any] = [
            self._take_value(question, value).value
            for question, value in zip(self._questions, result.values, strict=True)
        ]
        schema = self._questionnaire.schema
        self._questions = self._waves.next(values, lambda d: self._findings[d].data(schema))
        return self._request(first=False) if self._questions else None

    def _request(self, *, first: bool) -> Request:
        request = self._questionnaire.request(
            self._texts,
            self._questions,
            first=first,
            keep_prompt=self._waves.may_go_on,
            answers=self._answers,
        )
        self.kept_prompt = request.prompt if request.keep_prompt else None
        return request

    def _take_value(self, question: Question, value: Value) -> Parsed:
        leaf = question.leaf
        raw = value.text.decode("utf-8", "replace")
        truncated = value.finish == "truncated"
        parsed = parse_value(raw, leaf.attribute)
        if parsed.error and truncated:
            parsed = Parsed(error=f"cut off after {len(value.tokens)} tokens")
        inherited = self._findings[question.document].inherited_margin(leaf)
        evidence = FieldResult(
            confidence=confidence(value.logprobs),
            raw=raw,
            truncated=truncated,
            margin=least([near_tie([value.margin]), inherited]),
        )
        return self._store(question.document, leaf.path, leaf.attribute, parsed, evidence)
