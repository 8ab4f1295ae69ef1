"""Hyper-parallel decoding of a prompt: all fields of a wave at once (paper, section 4.2)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hpd._native import Result
from hpd.pipeline.job import AnyValue, Job
from hpd.pipeline.near_ties import least, near_tie
from hpd.pipeline.request import Request
from hpd.pipeline.retries import Retries
from hpd.pipeline.reuse import Decoded
from hpd.prompt.questions import Question, Waves
from hpd.results import FieldResult
from hpd.values import Parsed, joint_probability, parse_value


class FieldsJob(Job):
    """A job whose requests are waves of fields."""

    _waves: Waves
    _questions: list[Question]
    _earlier: list[Decoded | None]
    """The values of the questions that were decoded before."""
    _retries: Retries | None = None

    def _open(self) -> Request | None:
        n_stacked = len(self.documents)
        self._waves = self._questionnaire.waves(n_stacked)
        self._questions = self._waves.first()
        # A replayed answer would only be the same again.
        is_replay = any(answer is not None for answer in self._answers)
        if self._questionnaire.options.on_invalid == "retry" and not is_replay:
            schema = self._questionnaire.schema
            self._retries = Retries(schema, n_stacked, is_part=self._delivery.is_part)
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
        if self._retries is not None:
            self._waves.put_back(self._retries.note(self._questions, found))
        self._questions = self._waves.next(found, self._data) or self._questions_again()

    def _questions_again(self) -> list[Question]:
        """The questions whose values are refused, unless they were asked often enough.

        One whose key has become too long for the context is not asked again.
        """
        if self._retries is None:
            return []
        options, schema = self._questionnaire.options, self._questionnaire.schema
        if options.require_grounding and not self._delivery.is_part:
            for findings, text in zip(self._findings, self._texts, strict=True):
                findings.ground(schema, text, options)
        due = self._retries.due(self._findings)
        if not due:
            return []
        request = self._request_for(self._waves.again(due, self._data))
        n_room = self._n_most_cells - len(request.prompt)
        fitting = [
            refused
            for refused, field in zip(due, request.fields, strict=True)
            if len(field.key) + field.max_tokens <= n_room
        ]
        return self._waves.again(fitting, self._data)

    def _request(self) -> Request:
        open_questions = [
            question
            for question, earlier in zip(self._questions, self._earlier, strict=True)
            if earlier is None
        ]
        request = self._request_for(open_questions)
        self.kept_prompt = request.prompt if request.keep_prompt else None
        return request

    def _request_for(self, questions: Sequence[Question]) -> Request:
        may_retry = self._retries is not None and (
            self._retries.may_go_on or self._retries.has_followers(questions)
        )
        return self._questionnaire.request(
            self._texts,
            questions,
            first=self._n_requests == 0,
            keep_prompt=may_retry or self._waves.may_go_on,
            answers=self._answers,
        )

    def _data(self, d: int) -> dict[str, Any]:
        return self._findings[d].data(self._questionnaire.schema)

    def _take_value(self, question: Question, value: AnyValue) -> Parsed:
        leaf = question.leaf
        raw = value.text.decode("utf-8", "replace")
        truncated = value.finish == "truncated"
        parsed = parse_value(raw, leaf.attribute)
        if parsed.error and truncated:
            parsed = Parsed(error=f"cut off after {len(value.tokens)} tokens")
        findings = self._findings[question.document]
        inherited = findings.inherited_margin(leaf)
        refused = self._retries.refused(question) if self._retries is not None else ()
        if refused:  # Had it been another value, the field might not have been asked again.
            inherited = least([inherited, findings.results[leaf.path].margin])
        evidence = FieldResult(
            confidence=joint_probability(value.log_shares),
            error=parsed.error,
            value=parsed.value,
            raw=raw,
            truncated=truncated,
            margin=least([near_tie([value.margin]), inherited]),
            refused=refused,
        )
        return self._store(
            question.document,
            leaf.path,
            leaf.attribute,
            parsed,
            evidence,
            joint_probability(value.logprobs),
        )
