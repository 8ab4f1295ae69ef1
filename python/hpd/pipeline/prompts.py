"""A prompt on its way through the engine: request after request, until its values are known."""

from __future__ import annotations

import itertools
import re
import time
from abc import ABC, abstractmethod
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from hpd._native import Answer, Value
from hpd.documents import Document
from hpd.errors import ContextOverflowError, DecodeError, InputError
from hpd.pipeline import OnChunk
from hpd.pipeline.chunking import DocumentPart
from hpd.pipeline.compiled_schema import CompiledSchema, Request
from hpd.pipeline.document_values import (
    ConfidenceLimits,
    DocumentValues,
    Likelihood,
    Retries,
    is_count,
    min_margin,
    near_tie,
)
from hpd.pipeline.long_documents import (
    ContextLimit,
    IndexedDocument,
    IndexedExtraction,
    cut,
    failed,
)
from hpd.pipeline.reuse import KnownValue, KnownValues, Reuse
from hpd.prompt.lists import Written
from hpd.prompt.questions import Question, Waves, count_attribute
from hpd.prompt.text import COUNT_KEY, Path
from hpd.results import Extraction, Failure, FieldValue, Usage
from hpd.schema.attributes import Attribute, Schema
from hpd.schema.scalars import lacks_timezone
from hpd.values.answers import RawValue, answer_leaf, split_answer, split_list
from hpd.values.confidence import kind_of
from hpd.values.grammar import is_constrained
from hpd.values.parsing import joint_probability, parse_cut, parse_forced, parse_value
from hpd.values.places import Grounder

AnyValue = Value | KnownValue
"""A value that was decoded now, or earlier."""

_WORD = re.compile(r"[^\W\u2e80-\U0010ffff]+|[\u2e80-\U0010ffff]")
"""A word; where words have no blanks between them, a character."""

_N_ITEMS = 100
"""The items that a list can have, however short its document is."""

_CUT = {"truncated": "cut off after {} tokens", "repeated": "the model repeats itself"}
"""The ways in which a value ends before its time, and what its error says."""


class Prompt(ABC):
    """One prompt with its documents: several are a stack, or one is a part of a longer one.

    ``first()`` gives the first request, ``take()`` takes an answer in and gives the next request.

    Args:
        compiled_schema: makes the requests.
        documents: the documents in the prompt, with their places in the input.
        known: the values of the document, if it is alone, that need not be decoded again.
        n_most_cells: the KV cells that a request may take.
        part: the place of the document, if it is a part of a longer one.
        truncated_at: the length of the document, if that is no more than its beginning.
    """

    def __init__(
        self,
        compiled_schema: CompiledSchema,
        documents: Sequence[IndexedDocument],
        *,
        known: KnownValues | None = None,
        n_most_cells: int = 0,
        part: DocumentPart | None = None,
        truncated_at: int | None = None,
    ) -> None:
        self.documents = documents
        self.kept_tokens: list[int] | None = None
        """The prompt whose KV cells the engine keeps for a wave that may still come."""
        self._compiled_schema = compiled_schema
        self._texts = [document.text for _, document in documents]
        self._grounders = [Grounder(text) for text in self._texts]
        self._known = known
        self._n_most_cells = n_most_cells
        self._part = part
        self._truncated_at = truncated_at
        self._values = [DocumentValues() for _ in documents]
        self._usage = Usage()
        self._began: float | None = None
        """When the engine began with it."""
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

    def take(self, answer: Answer) -> Request | None:
        """Take in the answer to a request; returns the next one, None if nothing is left to ask."""
        self._first = None  # The last request is not sent again, and its tokens take much memory.
        self._began = self._began or time.perf_counter() - answer.seconds
        usage = usage_of(answer, is_first=self._n_requests == 0)
        self._usage = self._usage + usage if self._n_requests else self._with_reused(usage)
        self._n_requests += 1
        if answer.error:
            kind = ContextOverflowError if answer.error_is_overflow else DecodeError
            self._failure = Failure.of(kind(answer.error))
            return None
        request = self._take(answer)
        if request is None and self._known is not None:
            self._known.store()
        return request

    def note(self, values: Mapping[int, Value]) -> tuple[int, dict[str, Any]] | None:
        """Take in some values of a request, by the places of their fields, before its answer.

        Returns the place of the document, and the data of its leading attributes whose values
        nothing changes any more; None if that cannot be told.
        """
        return None

    def fail(self, error: Exception) -> None:
        """Give up; all extractions get the error."""
        self._failure = Failure.of(error)

    def extractions(self) -> Iterator[tuple[int, Extraction[Any]]]:
        """The extractions with their places; none while other parts of a document are under way."""
        schema, options = self._compiled_schema.schema, self._compiled_schema.options
        confidence_map = self._compiled_schema.confidence_map
        n = len(self.documents)
        for i, (place, document) in enumerate(self.documents):
            usage = self._usage if n == 1 else self._usage.share(i, n)
            values, failure, text = self._values[i], self._failure, document.text
            if failure is None:
                values.ground(schema, self._grounders[i], options)
            if self._part is not None:
                whole = self._part.whole
                whole.take(self._part, values, usage, failure, self._began)
                if not whole.is_finished:
                    return
                values, usage, failure = whole.merged(schema)
                text = whole.text
            if failure is not None:
                yield place, Extraction(document.id, usage=usage, error=failure)
                continue
            if confidence_map is not None:
                values.calibrate(schema, text, confidence_map)
            extraction = values.extraction(schema, document.id, usage, options)
            if self._truncated_at is not None:
                extraction = replace(extraction, truncated_at=self._truncated_at)
            yield place, extraction

    @abstractmethod
    def _open(self) -> Request | None: ...

    @abstractmethod
    def _take(self, answer: Answer) -> Request | None: ...

    def _with_reused(self, usage: Usage) -> Usage:
        n_reused = self._usage.reused_values
        return replace(usage, reused_values=n_reused) if n_reused else usage

    def _count_reused(self, n: int) -> None:
        if n:
            self._usage = replace(self._usage, reused_values=self._usage.reused_values + n)

    def _spelled(
        self,
        value: AnyValue,
        text: str,
        raws: Mapping[Path, RawValue],
        schema: Schema,
        document_at: Callable[[Path], int],
    ) -> Iterator[tuple[Path, Attribute, FieldValue, Likelihood | None]]:
        """The fields that are written in one value, with their attributes and probabilities.

        Args:
            value: that of the list or the answer.
            text: its text.
            raws: the part of each field in it.
            schema: to which their paths belong.
            document_at: the place of the document to which a path belongs.
        """
        ends = self._compiled_schema.piece_ends(value.tokens)
        starts = [0, *ends[:-1]]
        places = {
            path: (len(text[: raw.start].encode()), len(text[: raw.end].encode()))
            for path, raw in raws.items()
            if raw.start is not None and raw.end is not None
        }
        # Each token sees those before it.
        margins = [*itertools.accumulate(value.margins, min)]
        is_inner = [False] * len(ends)
        for path, (start, end) in places.items():
            if path[-1] != COUNT_KEY:
                for n in range(bisect_left(starts, start), bisect_right(ends, end)):
                    is_inner[n] = True
        for path, raw in raws.items():
            attribute = answer_leaf(schema, path)
            if attribute is None:
                continue
            likelihood = margin = None
            if path in places:
                start, end = places[path]
                own = range(bisect_right(ends, start), bisect_left(starts, end))
                # How many items there are is said between them.
                log_distance = path[-1] == COUNT_KEY and is_count(schema, path)
                own_tokens = [n for n in own if not (log_distance and is_inner[n])]
                likelihood = likelihood_of(
                    [value.logprobs[n] for n in own_tokens],
                    [value.log_shares[n] for n in own_tokens],
                )
                margin = near_tie(margins[own.stop - 1 : own.stop])
            parsed = raw.parse(attribute, self._texts[document_at(path)])
            if likelihood is not None and not is_constrained(attribute):
                likelihood = Likelihood(likelihood.probability, likelihood.probability)
            result = FieldValue(
                confidence=None if likelihood is None else likelihood.share,
                error=parsed.error,
                value=parsed.value,
                reason=parsed.reason,
                raw=raw.text,
                truncated=raw.truncated and value.finish != "repeated",
                repeated=raw.truncated and value.finish == "repeated",
                margin=margin,
            )
            yield path, attribute, result, likelihood

    def _limits(
        self, attributes: Sequence[Attribute], documents: Sequence[int]
    ) -> list[ConfidenceLimits]:
        """How likely values must be; a part of a document does not count as a short one."""
        kinds = [
            attribute.type if self._part is not None else kind_of(attribute.type, self._texts[d])
            for attribute, d in zip(attributes, documents, strict=True)
        ]
        return self._compiled_schema.limits(attributes, kinds)


class FieldsPrompt(Prompt):
    """Hyper-parallel decoding: all fields of a wave at once (paper, section 4.2)."""

    _waves: Waves
    _questions: list[Question]
    _earlier: list[KnownValue | None]
    """The values of the questions that were decoded before."""
    _retries: Retries | None = None

    def _open(self) -> Request | None:
        self._waves = self._compiled_schema.waves(len(self.documents))
        self._questions = self._waves.first()
        options = self._compiled_schema.options
        if options.on_invalid == "retry" or options.on_missing == "force":
            schema, is_part = self._compiled_schema.schema, self._part is not None
            self._retries = Retries(schema, options, is_part=is_part)
        return self._ask()

    def _take(self, answer: Answer) -> Request | None:
        if self._known is not None:
            new = [q for q, known in zip(self._questions, self._earlier, strict=True) if not known]
            self._known.add(
                dict(zip(self._compiled_schema.fingerprints(new), answer.values, strict=True))
            )
        decoded = iter(answer.values)
        self._end_wave([known or next(decoded) for known in self._earlier])
        return self._ask()

    def note(self, values: Mapping[int, Value]) -> tuple[int, dict[str, Any]] | None:
        """Take in some values of the wave under way."""
        asked = [q for q, known in zip(self._questions, self._earlier, strict=True) if not known]
        self._store([asked[i] for i in values], list(values.values()))
        schema, options = self._compiled_schema.schema, self._compiled_schema.options
        is_judged_whole = options.on_invalid == "retry" or options.require_grounding
        if (
            is_judged_whole
            or schema.has_unwrapped_root
            or self._part is not None
            or len(self.documents) > 1
        ):
            return None
        own = self._values[0]
        unsettled = {
            q.leaf.path[0] for q in self._questions if q.leaf.opens or q.leaf.path not in own.fields
        }
        unsettled |= self._waves.waiting | {path[0] for path in own.lacking(schema)}
        if self._retries is not None:
            # What is asked again may change what comes after it.
            unsettled |= {leaf.path[0] for leaf in self._compiled_schema.leaves if leaf.after}
        return self.documents[0][0], own.settled(schema, options, unsettled)

    def _ask(self) -> Request | None:
        """The request for the next wave that has a question to decode; None if none has."""
        while self._questions:
            self._earlier = [None] * len(self._questions)
            if self._known is not None:
                names = self._compiled_schema.fingerprints(self._questions)
                self._earlier = self._known.find(names)
                self._count_reused(len(names) - self._earlier.count(None))
            pairs = zip(self._questions, self._earlier, strict=True)
            unknown = [question for question, known in pairs if known is None]
            if unknown:
                request = self._request(unknown)
                self.kept_tokens = request.prompt if request.keep_prompt else None
                return request
            self._end_wave([value for value in self._earlier if value is not None])
        return None

    def _request(self, questions: Sequence[Question]) -> Request:
        may_retry = self._retries is not None and (
            self._retries.may_go_on or self._retries.has_followers(questions)
        )
        return self._compiled_schema.request(
            self._texts,
            questions,
            first=self._n_requests == 0,
            keep_prompt=may_retry or self._waves.may_go_on,
        )

    def _end_wave(self, decoded: Sequence[AnyValue]) -> None:
        """Take in the values of a wave, and find the questions of the next one."""
        questions = self._questions
        found = self._store(questions, decoded)
        if self._retries is not None:
            self._waves.put_back(self._retries.note(questions, found))
        self._questions = self._waves.next(found, self._data, self._part_of)
        if not self._questions and self._retries is not None:
            self._questions = self._questions_again(self._retries)

    def _store(self, questions: Sequence[Question], decoded: Sequence[AnyValue]) -> list[Any]:
        """Store the values of questions; returns what is left of them."""
        attributes = [
            question.leaf.attribute
            if question.leaf.written is None
            else count_attribute(question.leaf.written.array)
            for question in questions
        ]
        limits = self._limits(attributes, [question.document for question in questions])
        found = []
        for i, (question, value) in enumerate(zip(questions, decoded, strict=True)):
            path = question.leaf.path
            values = self._values[question.document]
            if question.leaf.written is not None:
                found.append(self._store_list(question, question.leaf.written, value))
                continue
            document = self._texts[question.document]
            raw = value.text.decode("utf-8", "replace")
            parse = parse_cut if value.finish in _CUT else parse_value
            own = parse(raw, attributes[i], document)
            likelihood = likelihood_of(value.logprobs, value.log_shares)
            confidence = None if likelihood is None else likelihood.share
            is_forced = question.leaf.is_forced
            if is_forced:
                # It may be the only one allowed, and still be what the model rules out.
                confidence = (
                    None if likelihood is None else min(likelihood.share, likelihood.probability)
                )
                if own.error:
                    own = parse_forced(raw, attributes[i], document)
                    confidence = 0.0 if own.reason else confidence
            error = own.error
            if error and value.finish in _CUT:
                error = _CUT[value.finish].format(len(value.tokens))
            inherited = values.inherited_margin(question.leaf)
            rejected = self._retries.rejected(question) if self._retries is not None else ()
            if rejected or is_forced:
                # Had it been another value, the field might not have been asked again.
                inherited = min_margin([inherited, values.fields[path].margin])
            result = FieldValue(
                confidence=confidence,
                error=error,
                value=own.value,
                reason=own.reason,
                raw=raw,
                truncated=value.finish == "truncated",
                forced=is_forced,
                repeated=value.finish == "repeated",
                lacks_timezone=attributes[i].type == "date-time" and lacks_timezone(own.value),
                margin=min_margin([near_tie([value.margin]), inherited]),
                rejected=rejected,
            )
            array = question.leaf.array
            if array is not None and array.max_items is None and result.value is not None:
                most = self._most_items(question.document)
                if result.value > most:
                    result = replace(result, value=most, truncated=True)
            own_limits = None if array is not None else limits[i]
            grounder = self._grounders[question.document]
            found.append(
                values.store(path, attributes[i], result, own_limits, likelihood, grounder)
            )
        return found

    def _store_list(self, question: Question, written: Written, value: AnyValue) -> int | None:
        """Store a list and what is written of its items; returns the number of them."""
        leaf, schema = question.leaf, self._compiled_schema.schema
        values = self._values[question.document]
        text = value.text.decode("utf-8", "replace")
        raws = split_list(leaf.attribute, text, leaf.path[:-1])
        if len(written.names) == 1:
            # An item is its name.
            raws = {p if p == leaf.path else (*p, *written.names): raw for p, raw in raws.items()}
        d = question.document
        spelled = self._spelled(value, text, raws, schema, lambda _: d)
        inherited = values.inherited_margin(leaf)
        rejected = self._retries.rejected(question) if self._retries is not None else ()
        n_items: int | None = None
        for path, attribute, own, likelihood in spelled:
            result = replace(own, forced=leaf.is_forced, margin=min_margin([own.margin, inherited]))
            if leaf.is_forced and likelihood is not None:
                result = replace(result, confidence=min(likelihood.share, likelihood.probability))
            if path == leaf.path:
                n_items = result.value
                result = replace(result, raw=text, rejected=rejected)
                values.store(path, attribute, result)
                continue
            limits = self._limits([attribute], [d])[0]
            # Beside whole rows, that which names them is never what a model expects.
            ruled = None if written.names else likelihood
            values.store(path, attribute, result, limits, ruled, self._grounders[d])
        return n_items

    def _most_items(self, d: int) -> int:
        """The most items that a list of a document can have, if no schema says how many."""
        return max(_N_ITEMS, len(_WORD.findall(self._texts[d])))

    def _questions_again(self, retries: Retries) -> list[Question]:
        """The questions whose values are refused, unless they were asked often enough.

        One whose key has become too long for the context is not asked again.
        """
        options, schema = self._compiled_schema.options, self._compiled_schema.schema
        if options.require_grounding and self._part is None:
            for values, grounder in zip(self._values, self._grounders, strict=True):
                values.ground(schema, grounder, options)
        due = retries.due(self._values)
        if not due:
            return []
        request = self._request(self._waves.again(due, self._data, self._part_of))
        n_room = self._n_most_cells - len(request.prompt)
        fitting = [
            rejected
            for rejected, field in zip(due, request.fields, strict=True)
            if len(field.key) + field.max_tokens <= n_room
        ]
        return self._waves.again(fitting, self._data, self._part_of)

    def _data(self, d: int) -> dict[str, Any]:
        return self._values[d].data(self._compiled_schema.schema)

    def _part_of(self, d: int, path: Path) -> Any:
        return self._values[d].part(path)


class AnswerPrompt(Prompt):
    """Autoregressive decoding: one field, the whole answer as a JSON object (section 4.1)."""

    def _open(self) -> Request | None:
        if self._known is not None:
            (earlier,) = self._known.find([self._compiled_schema.answer_fingerprint])
            if earlier is not None:
                self._count_reused(1)
                self._store(earlier)
                return None
        return self._compiled_schema.answer_request(self._texts)

    def _take(self, answer: Answer) -> None:
        (value,) = answer.values
        if self._known is not None:
            self._known.add({self._compiled_schema.answer_fingerprint: value})
        self._store(value)

    def _store(self, value: AnyValue) -> None:
        text = value.text.decode("utf-8", "replace")
        n_stacked = len(self.documents)
        schema = self._compiled_schema.stack_schema(n_stacked)
        raws = split_answer(schema, text)

        def place(path: Path) -> int:
            return 0 if n_stacked == 1 else int(path[0]) - 1

        spelled = self._spelled(value, text, raws, schema, place)
        for path, attribute, result, likelihood in spelled:
            has_limits = not is_count(schema, path)
            d, path = place(path), path if n_stacked == 1 else path[1:]
            limits = self._limits([attribute], [d])[0] if has_limits else None
            grounder = self._grounders[d]
            self._values[d].store(path, attribute, result, limits, likelihood, grounder)


def likelihood_of(logprobs: Sequence[float], log_shares: Sequence[float]) -> Likelihood | None:
    """The probabilities of a value from those of its tokens; None if it has none."""
    probability, share = joint_probability(logprobs), joint_probability(log_shares)
    return None if probability is None or share is None else Likelihood(probability, share)


def usage_of(answer: Answer, *, is_first: bool) -> Usage:
    """The usage of one request; the prompt counts in the first wave only."""
    return Usage(
        prompt_tokens=answer.n_prompt_tokens if is_first else 0,
        cached_tokens=answer.n_cached_tokens if is_first else 0,
        completion_tokens=answer.n_completion_tokens,
        steps=answer.n_steps,
        seconds=answer.seconds,
        drafted_tokens=answer.n_drafted,
        accepted_tokens=answer.n_accepted,
    )


class PromptMaker:
    """Makes prompts that fit the context of documents of one category.

    Args:
        compiled_schema: makes their requests.
        limit: of the KV cells that one request may take.
        reuse: where values are known from earlier; None: they are all decoded.
    """

    def __init__(
        self, compiled_schema: CompiledSchema, limit: ContextLimit, reuse: Reuse | None = None
    ) -> None:
        self._compiled_schema = compiled_schema
        self.options = compiled_schema.options
        self.limit = limit
        self.n_ctx = limit.n_cells
        self._kind = AnswerPrompt if self.options.method == "ar" else FieldsPrompt
        self._reuse = reuse and reuse.within(
            compiled_schema.context(with_others=not reuse.by_field)
        )

    def prompts(
        self, documents: Sequence[IndexedDocument], on_chunk: OnChunk | None = None
    ) -> Iterator[Prompt | IndexedExtraction]:
        """The prompts of a stack of documents; ``on_chunk`` is told of those that are cut."""
        try:
            prompt = self.prompt(documents)
            n_over = self.n_over(prompt)
        except InputError as error:
            if len(documents) == 1:
                yield failed(documents[0], error)
                return
            n_over = 1
        if n_over <= 0 and not any(self._is_to_be_cut(document.text) for _, document in documents):
            yield prompt
        elif len(documents) == 1:
            yield from cut(self, documents[0], prompt, on_chunk)
        else:
            # They are too long together, or one cannot be tokenised: each gets a prompt of its own.
            for document in documents:
                yield from self.prompts([document], on_chunk)

    def _is_to_be_cut(self, text: str) -> bool:
        """Whether a document has more tokens than the user wants in a chunk."""
        size = self.options.chunk_size
        # A token has at least one byte.
        return 0 < size < len(text.encode()) and self.n_tokens(text) > size

    def prompt(
        self,
        documents: Sequence[IndexedDocument],
        part: DocumentPart | None = None,
        truncated_at: int | None = None,
    ) -> Prompt:
        """The prompt of some documents, however long it is."""
        known = self._reuse.known_values(documents[0][1].text) if self._reuse else None
        return self._kind(
            self._compiled_schema,
            documents,
            known=known,
            n_most_cells=self.n_ctx,
            part=part,
            truncated_at=truncated_at,
        )

    def n_needed(self, prompt: Prompt) -> int:
        """The KV cells that a prompt takes, with its longest value."""
        request = prompt.first()
        # Fields of later waves have longer keys.
        return request.n_cells + self._compiled_schema.n_later_tokens if request else 0

    def n_fixed(self) -> int:
        """The tokens that any document needs beside its own."""
        return self.n_needed(self._kind(self._compiled_schema, [(0, Document(""))]))

    def n_over(self, prompt: Prompt) -> int:
        """The KV cells that a prompt takes too many."""
        return self.n_needed(prompt) - self.n_ctx

    def n_tokens(self, text: str) -> int:
        """The number of tokens of a text by itself."""
        return self._compiled_schema.n_tokens(text)
