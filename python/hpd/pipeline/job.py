"""A job: one prompt on its way through the engine, with the documents in its stack."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from hpd._native import Result, Value
from hpd.documents import Document
from hpd.errors import ContextOverflowError, DecodeError
from hpd.pipeline.findings import Bound, Findings, is_count
from hpd.pipeline.questionnaire import Answers, Questionnaire
from hpd.pipeline.request import Request
from hpd.pipeline.reuse import Decoded, KnownValues
from hpd.prompt import Path
from hpd.results import Extraction, Failure, FieldResult, Usage
from hpd.schema.attributes import Attribute
from hpd.values import Parsed
from hpd.values.confidence import kind_of

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
