"""A prompt on its way through the engine, request after request, with the documents in it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from hpd._native import Result, Value
from hpd.documents import Document
from hpd.errors import ContextOverflowError, DecodeError
from hpd.pipeline.findings import Bound, Findings, Retries, is_count, least, near_tie
from hpd.pipeline.questionnaire import Answers, Questionnaire, Request
from hpd.pipeline.reuse import Decoded, KnownValues
from hpd.prompt import Path
from hpd.prompt.questions import Question, Waves
from hpd.results import Extraction, Failure, FieldResult, Usage
from hpd.schema.attributes import Attribute
from hpd.values import Parsed, answer_leaf, joint_probability, parse_value, split_answer
from hpd.values.confidence import kind_of
from hpd.values.grammar import is_closed

LEAST_LIKELY = 0.001
"""The probability under which a choice, or any required value, becomes null: that of its text among
all texts, not among those allowed. Of the choices that the model in the box made under it on titles
of OA-Mine, 19 of 20 were wrong (docs/reliability.md says how this was measured)."""

Placed = tuple[int, Document]
"""A document and its place in the input."""

AnyValue = Value | Decoded
"""A value that was decoded now, or earlier."""


@dataclass(frozen=True, slots=True)
class FinishedJob:
    """A finished job: the findings on each of its documents, or the error for all of them."""

    questionnaire: Questionnaire
    documents: Sequence[Placed]
    findings: Sequence[Findings]
    usage: Usage
    failure: Failure | None = None


class Delivery:
    """Turns a finished job into extractions, one for each document of its prompt."""

    is_part = False
    """Whether the prompt has only a part of a document."""

    def extractions(self, finished: FinishedJob) -> Iterator[tuple[int, Extraction[Any]]]:
        """The place of each document in the input, and its extraction."""
        n = len(finished.documents)
        for i, (place, document) in enumerate(finished.documents):
            usage = finished.usage.share(i, n)
            if finished.failure is not None:
                yield place, Extraction(document.id, usage=usage, error=finished.failure)
                continue
            findings = finished.findings[i]
            schema = finished.questionnaire.schema
            findings.ground(schema, document.text, finished.questionnaire.options)
            if finished.questionnaire.confidence_map is not None:
                findings.calibrate(schema, document.text, finished.questionnaire.confidence_map)
            strict = finished.questionnaire.options.on_invalid != "record"
            yield place, findings.extraction(schema, document.id, usage, strict=strict)


class Job(ABC):
    """One prompt on its way: request after request, until all its values are known.

    ``first()`` gives the first request, ``take()`` takes a result in and gives the next request.

    Args:
        questionnaire: makes the requests.
        documents: the documents in the prompt.
        delivery: turns findings into extractions.
        answers: known answers, to be decoded in place of the model's own.
        known: the values of the document, if it is alone, that need not be decoded again.
        n_most_cells: the KV cells that a request may take.
    """

    def __init__(
        self,
        questionnaire: Questionnaire,
        documents: Sequence[Placed],
        delivery: Delivery | None = None,
        answers: Answers = (),
        known: KnownValues | None = None,
        n_most_cells: int = 0,
    ) -> None:
        self.documents = documents
        self.kept_prompt: list[int] | None = None
        """The prompt whose KV cells the engine keeps for a wave that may still come."""
        self._questionnaire = questionnaire
        self._texts = [document.text for _, document in documents]
        self._delivery = delivery or Delivery()
        self._answers = answers
        self._known = known
        self._n_most_cells = n_most_cells
        self._findings = [Findings() for _ in documents]
        self._usage = Usage()
        self._failure: Failure | None = None
        self._first: Request | None = None
        self._is_open = False
        self._n_requests = 0

    def first(self) -> Request | None:
        """The first request, which is made only once; None if all values are known."""
        if not self._is_open:
            self._first = self._open()
            self._is_open = True
        return self._first

    def take(self, result: Result) -> Request | None:
        """Take in the result of a request; returns the next one, None if the job is finished."""
        self._first = None  # The last request is not sent again, and its tokens take much memory.
        self._usage += usage_of(result, is_first=self._n_requests == 0)
        self._n_requests += 1
        if result.error:
            kind = ContextOverflowError if result.error_is_overflow else DecodeError
            self._failure = Failure.of(kind(result.error))
            return None
        request = self._take(result)
        if request is None and self._known is not None:
            self._known.store()
        return request

    def fail(self, error: Exception) -> None:
        """Give up; all extractions get the error."""
        self._failure = Failure.of(error)

    def extractions(self) -> Iterator[tuple[int, Extraction[Any]]]:
        """The extractions with their places; none while other chunks are under way."""
        finished = FinishedJob(
            self._questionnaire, self.documents, self._findings, self._usage, self._failure
        )
        yield from self._delivery.extractions(finished)

    @abstractmethod
    def _open(self) -> Request | None: ...

    @abstractmethod
    def _take(self, result: Result) -> Request | None: ...

    def _store(
        self,
        d: int,
        path: Path,
        attribute: Attribute,
        parsed: Parsed,
        evidence: FieldResult,
        probability: float | None,
    ) -> Parsed:
        """Store a value, unless it is below a bound.

        Args:
            d: the document, by its place in the stack.
            path: the field.
            attribute: its attribute, or that of a number of items, for which there is no bound.
            parsed: the value.
            evidence: its details, with the confidence.
            probability: that of its text among all texts, allowed or not.
        """
        bounds: list[Bound] = []
        if not is_count(path):
            bounds = self._bounds(d, attribute, evidence.confidence, probability)
        return self._findings[d].store(path, attribute, parsed, evidence, bounds)

    def _found(self, earlier: Decoded | None) -> Decoded | None:
        """The same value, counted if there is one."""
        if earlier is not None:
            self._usage += Usage(reused_values=1)
        return earlier

    def _bounds(
        self, d: int, attribute: Attribute, confidence: float | None, probability: float | None
    ) -> list[Bound]:
        """The bounds that a value must reach so as not to become null."""
        bounds = []
        # A part of a document is no short document.
        is_part = self._delivery.is_part
        kind = attribute.type if is_part else kind_of(attribute.type, self._texts[d])
        threshold = self._null_threshold(attribute, kind)
        confidence_map = self._questionnaire.confidence_map
        if confidence is not None:
            least = threshold
            if confidence_map is not None:
                least = confidence_map.least(kind, threshold)
            bounds.append(
                Bound(
                    confidence,
                    least,
                    f"less likely than {threshold:g}",
                    leaves_null=self._questionnaire.decides(attribute)
                    and not attribute.needs_a_value,
                )
            )
        if probability is not None and self._may_be_ruled_out(attribute):
            reason = f"the model rules it out (less likely than {LEAST_LIKELY:g})"
            bounds.append(Bound(probability, LEAST_LIKELY, reason))
        return bounds

    def _null_threshold(self, attribute: Attribute, kind: str) -> float:
        """The confidence below which a value becomes null.

        That of the calibration, unless another was asked for, is about values that need not be
        there. Known answers say nothing about a model.
        """
        asked = self._questionnaire.options.null_threshold
        if asked is not None:
            return asked
        confidence_map = self._questionnaire.confidence_map
        if confidence_map is None or attribute.needs_a_value or self._answers:
            return 0.0
        return confidence_map.null_threshold_of(kind)

    def _may_be_ruled_out(self, attribute: Attribute) -> bool:
        """Whether the model may write a value only because it may write nothing else.

        That is as it should be if there is always an answer. Known answers say nothing about a
        model.
        """
        if attribute.always_answered or self._answers:
            return False
        # Of a choice that is decided, the threshold tells whether it is too unlikely.
        is_decided = self._questionnaire.decides(attribute)
        return attribute.needs_a_value or (attribute.type == "enum" and not is_decided)


def usage_of(result: Result, *, is_first: bool) -> Usage:
    """The usage of one request; the prompt counts in the first wave only."""
    return Usage(
        prompt_tokens=result.n_prompt_tokens if is_first else 0,
        cached_tokens=result.n_cached_tokens if is_first else 0,
        completion_tokens=result.n_completion_tokens,
        steps=result.n_steps,
        seconds=result.seconds,
        drafted_tokens=result.n_drafted,
        accepted_tokens=result.n_accepted,
    )


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
