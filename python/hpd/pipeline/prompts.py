"""Prompts: each makes one request after another until all of its values are known."""

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
from hpd.errors import ContextOverflowError, DecodeError
from hpd.messages import counted
from hpd.pipeline.chunking import DocumentChunk
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
from hpd.pipeline.reuse import KnownValue, KnownValues
from hpd.pipeline.schema_parts import DocumentInParts
from hpd.prompt.lists import WrittenList
from hpd.prompt.questions import Leaf, Question, Waves, count_attribute
from hpd.prompt.text import COUNT_KEY, FieldPath
from hpd.results import Extraction, Failure, FieldValue, Usage, ValueOption
from hpd.schema.attributes import Attribute, Schema
from hpd.schema.scalars import lacks_timezone
from hpd.values.answers import RawValue, answer_leaf, means_no_items, split_answer, split_list
from hpd.values.choices import ChoiceProbabilities
from hpd.values.confidence import kind_of
from hpd.values.grammar import is_constrained
from hpd.values.grounding import Grounder
from hpd.values.numbers import without_trailing_zeros
from hpd.values.parsing import joint_probability, parse_forced, parse_truncated, parse_value

_WORD = re.compile(r"[^\W\u2e80-\U0010ffff]+|[\u2e80-\U0010ffff]")
"""A word, or a character of a script without blanks between words."""

_MIN_CERTAINTY = 0.8
"""The certainty below which a value of a named row is asked for again. Of a table's 240 values,
Qwen2.5-Coder-1.5B gets 25 wrong without this, 17 with 0.6 and 11 with 0.8."""

_LINE_BEGINNING = re.compile(r"^[\W_]+")
"""Characters before the first word of a line, such as the bullet of a list."""

_MIN_ITEM_LIMIT = 100
"""How many items a list of a short document may have; in a longer one, as many as it has words."""

_TRUNCATION_ERRORS = {"truncated": "cut off after {}", "repeated": "the model goes on without end"}
"""The error of a value that ended early, by how it finished."""


class Prompt(ABC):
    """A prompt with its documents: one, a stack of several, or a chunk of a long one.

    ``first_request()`` returns the first request, and ``next_request()`` each one after it.

    Args:
        compiled_schema: makes the requests.
        documents: the documents in the prompt, with their indices in the input.
        known: the known values of a single document, which need not be decoded again.
        max_cells: the KV cells that a request may take.
        chunk: which part of the document this is, if the document was split.
        truncated_at: the offset at which the document was truncated, if it was.
    """

    def __init__(
        self,
        compiled_schema: CompiledSchema,
        documents: Sequence[tuple[int, Document]],
        *,
        known: KnownValues | None = None,
        max_cells: int = 0,
        chunk: DocumentChunk | None = None,
        truncated_at: int | None = None,
    ) -> None:
        self.documents = documents
        self.kept_tokens: list[int] | None = None
        """The prompt whose KV cells the engine keeps for another wave."""
        self.in_parts: DocumentInParts | None = None
        """The document and its values so far, if this prompt asks for a part of the schema."""
        self._compiled_schema = compiled_schema
        self._texts = [document.text for _, document in documents]
        self._grounders = [Grounder(text, compiled_schema.years) for text in self._texts]
        self._known = known
        self._max_cells = max_cells
        self._chunk = chunk
        self._truncated_at = truncated_at
        self._values = [DocumentValues() for _ in documents]
        self._usage = Usage()
        self._started_at: float | None = None
        """When the engine started on this prompt."""
        self._failure: Failure | None = None
        self._first: Request | None = None
        self._has_started = False
        self._n_requests = 0

    def first_request(self) -> Request | None:
        """Return the first request, which is made only once, or None if all values are known."""
        if not self._has_started:
            self._first = self._first_request()
            self._has_started = True
        return self._first

    def answer_without_text(self) -> bool:
        """Store nulls if no document has text, unless values are forced; return whether it did so.

        Otherwise a model that must choose from a few answers would make one up.
        """
        is_forced = self._compiled_schema.options.on_missing == "force"
        if is_forced or self._chunk is not None or "".join(self._texts).strip():
            return False
        for values in self._values:
            for leaf in self._compiled_schema.leaves:
                attribute = leaf.attribute
                if leaf.array is not None:
                    values.store(leaf.path, count_attribute(leaf.array), FieldValue(value=0))
                elif attribute.needs_value and len(attribute.choices) == 1:
                    values.store(leaf.path, attribute, FieldValue(value=attribute.choices[0]))
                else:
                    null = FieldValue(reason="the document has no text")
                    values.store(leaf.path, attribute, null)
        return True

    def next_request(self, answer: Answer) -> Request | None:
        """Store the answer to a request; return the next request, or None if none is left."""
        self._first = None  # It is not sent again, and its tokens take much memory.
        self._started_at = self._started_at or time.perf_counter() - answer.seconds
        self._usage += usage_of_answer(answer, is_first=self._n_requests == 0)
        self._n_requests += 1
        if answer.error:
            kind = ContextOverflowError if answer.error_is_overflow else DecodeError
            self._failure = Failure(kind(answer.error))
            return None
        request = self._next_request(answer)
        if request is None and self._known is not None:
            self._known.store()
        return request

    def store_early(self, values: Mapping[int, Value]) -> tuple[int, dict[str, Any]] | None:
        """Store values of a request, by field index, before its answer is complete.

        Returns the document's index and the data of its leading attributes that can no longer
        change, or None if that cannot be known.
        """
        return None

    def fail(self, error: Exception) -> None:
        """Make all extractions fail with an error."""
        self._failure = Failure(error)

    def extractions(self) -> Iterator[tuple[int, Extraction[Any]]]:
        """Yield indices and extractions; none until the whole document is finished."""
        schema, options = self._compiled_schema.schema, self._compiled_schema.options
        confidence_map = self._compiled_schema.confidence_map
        n = len(self.documents)
        for i, (index, document) in enumerate(self.documents):
            usage = self._usage if n == 1 else self._usage.share(i, n)
            values, failure = self._values[i], self._failure
            if failure is None:
                values.ground(schema, self._grounders[i], options)
            if self._chunk is not None:
                whole = self._chunk.whole
                whole.count(usage, failure, self._started_at)
                whole.store(self._chunk, values)
                if whole.n_left:
                    return
                values, usage, failure = whole.merge(schema), whole.usage, whole.failure
            if self.in_parts is not None:
                in_parts = self.in_parts
                in_parts.count(usage, failure, self._started_at)
                in_parts.store(values, usage.n_chunks)
                if in_parts.n_left:
                    return
                schema, values = in_parts.schema, in_parts.values
                usage, failure = in_parts.usage, in_parts.failure
            if failure is not None:
                yield index, Extraction(document.id, usage=usage, error=failure)
                continue
            if confidence_map is not None:
                values.calibrate(schema, confidence_map)
            extraction = values.extraction(schema, document.id, usage, options)
            if self._truncated_at is not None:
                extraction = replace(extraction, truncated_at=self._truncated_at)
            yield index, extraction

    @abstractmethod
    def _first_request(self) -> Request | None: ...

    @abstractmethod
    def _next_request(self, answer: Answer) -> Request | None: ...

    def _values_in_text(
        self,
        value: Value | KnownValue,
        text: str,
        raws: Mapping[FieldPath, RawValue],
        schema: Schema,
        document_of: Callable[[FieldPath], int],
        n_uncounted: int = 0,
    ) -> Iterator[tuple[FieldPath, Attribute, FieldValue, Likelihood | None]]:
        """Yield the fields that are written in one value, with attributes and probabilities.

        Args:
            value: a list or a whole answer.
            text: its text.
            raws: the text of each field in it.
            schema: the schema to which the paths belong.
            document_of: returns the index in the stack of the document that has a path.
            n_uncounted: how many first tokens of a field do not count in its likelihood.
        """
        ends = self._compiled_schema.token_ends(value.tokens)
        starts = [0, *ends[:-1]]
        byte_spans = {
            path: (len(text[: raw.start].encode()), len(text[: raw.end].encode()))
            for path, raw in raws.items()
            if raw.start is not None and raw.end is not None
        }
        # A near tie in a token also affects all tokens after it.
        margins = [*itertools.accumulate(value.margins, min)]
        is_inner = [False] * len(ends)
        for path, (start, end) in byte_spans.items():
            if path[-1] != COUNT_KEY:
                for n in range(bisect_left(starts, start), bisect_right(ends, end)):
                    is_inner[n] = True
        for path, raw in raws.items():
            attribute = answer_leaf(schema, path)
            if attribute is None:
                continue
            confidence = likelihood = margin = None
            if path in byte_spans:
                start, end = byte_spans[path]
                if attribute.type in ("integer", "number"):
                    end -= len(raw.text) - len(without_trailing_zeros(raw.text))
                own = range(bisect_right(ends, start), bisect_left(starts, end))
                # The number of items is decided by the tokens between them.
                is_item_count = path[-1] == COUNT_KEY and is_count(schema, path)
                own_tokens = [n for n in own if not (is_item_count and is_inner[n])]
                likelihood = _likelihood_of_tokens(value, own_tokens)
                if likelihood is not None:
                    is_free = not is_constrained(attribute)
                    confidence = likelihood.probability if is_free else likelihood.share
                if n_uncounted:
                    likelihood = _likelihood_of_tokens(value, own_tokens[n_uncounted:])
                margin = near_tie(margins[own.stop - 1 : own.stop])
            parsed = raw.parse(attribute, self._texts[document_of(path)])
            result = replace(
                parsed,
                confidence=confidence,
                raw=raw.text,
                truncated=raw.truncated and value.finish != "repeated",
                repeated=raw.truncated and value.finish == "repeated",
                margin=margin,
            )
            yield path, attribute, result, likelihood

    def _limits(
        self, attributes: Sequence[Attribute], paths: Sequence[FieldPath]
    ) -> list[ConfidenceLimits]:
        kinds = [kind_of(a.type, path) for a, path in zip(attributes, paths, strict=True)]
        return self._compiled_schema.limits(attributes, kinds)


class FieldsPrompt(Prompt):
    """Hyper-parallel decoding: all fields of a wave at once (paper, section 4.2)."""

    _waves: Waves
    _questions: list[Question]
    _earlier: list[KnownValue | None]
    """The known value of each question, or None."""
    _retries: Retries | None = None
    _sorted_lines: dict[int, list[str]]
    """The lines of documents, sorted when they are first needed."""
    _decoded: list[Value | KnownValue]
    """The values of the wave."""
    _choices: dict[int, ChoiceProbabilities]
    """The probabilities of the choices of the wave, by the index of the question."""
    _continued: Sequence[tuple[int, Sequence[int]]] = ()
    """The questions and first tokens of the values that the last request continues."""

    def _first_request(self) -> Request | None:
        self._sorted_lines = {}
        self._waves = self._compiled_schema.waves(len(self.documents))
        self._questions = self._waves.first()
        options = self._compiled_schema.options
        if options.on_invalid == "retry" or options.on_missing == "force":
            schema, is_chunk = self._compiled_schema.schema, self._chunk is not None
            self._retries = Retries(schema, options, is_chunk=is_chunk)
        return self._ask()

    def _next_request(self, answer: Answer) -> Request | None:
        if self._continued:
            for (i, _), value in zip(self._continued, answer.values, strict=True):
                self._choices[i].add(value.tokens, value.branches)
        else:
            decoded = iter(answer.values)
            self._decoded = [known or next(decoded) for known in self._earlier]
            self._choices = {}
            for i, (question, own) in enumerate(zip(self._questions, self._decoded, strict=True)):
                choices = self._compiled_schema.choices_of(question.leaf)
                if choices is not None and not isinstance(own, KnownValue):
                    self._choices[i] = ChoiceProbabilities(choices)
                    self._choices[i].add(own.tokens, own.branches)
        self._continued = [(i, due) for i, each in self._choices.items() for due in each.due()]
        if self._continued:
            beginnings = [(self._questions[i], tokens) for i, tokens in self._continued]
            return self._compiled_schema.continuing_request(self._texts, beginnings)
        for i, each in self._choices.items():
            self._decoded[i] = KnownValue.of(self._decoded[i], each.known())
        if self._known is not None:
            names = self._compiled_schema.fingerprints(self._questions)
            new = zip(names, self._decoded, self._earlier, strict=True)
            self._known.add({name: value for name, value, known in new if known is None})
        self._end_wave(self._decoded)
        return self._ask()

    def store_early(self, values: Mapping[int, Value]) -> tuple[int, dict[str, Any]] | None:
        """Store values of the current wave; see ``Prompt.store_early``."""
        if self._continued:
            return None
        asked = [q for q, known in zip(self._questions, self._earlier, strict=True) if not known]
        self._store([asked[i] for i in values], list(values.values()))
        schema, options = self._compiled_schema.schema, self._compiled_schema.options
        is_judged_whole = options.on_invalid == "retry" or options.require_grounding
        if (
            is_judged_whole
            or schema.has_unwrapped_root
            or self._chunk is not None
            or self.in_parts is not None
            or len(self.documents) > 1
        ):
            return None
        own = self._values[0]
        unsettled = {
            q.leaf.path[0]
            for q in self._questions
            # An unsure value of a row may be asked for again.
            if q.leaf.opens_leaves or q.leaf.rows or q.leaf.path not in own.fields
        }
        unsettled |= self._waves.waiting | {path[0] for path in own.missing_fields(schema)}
        if self._retries is not None:
            # Asking again may change the attributes that depend on the answer.
            unsettled |= {leaf.path[0] for leaf in self._compiled_schema.leaves if leaf.after}
        return self.documents[0][0], own.settled_data(schema, options, unsettled)

    def _ask(self) -> Request | None:
        """Return the request for the next wave with a question to decode, or None."""
        while self._questions:
            self._earlier = [None] * len(self._questions)
            if self._known is not None:
                names = self._compiled_schema.fingerprints(self._questions)
                self._earlier = self._known.find(names)
                self._usage += Usage(reused_values=len(names) - self._earlier.count(None))
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
            self._retries.may_continue or self._retries.has_dependants(questions)
        )
        has_choices = any(self._compiled_schema.choices_of(each.leaf) for each in questions)
        may_recheck = any(map(_may_recheck, (each.leaf for each in questions)))
        return self._compiled_schema.request(
            self._texts,
            questions,
            first=self._n_requests == 0,
            keep_prompt=may_retry or has_choices or may_recheck or self._waves.may_continue,
        )

    def _end_wave(self, decoded: Sequence[Value | KnownValue]) -> None:
        """Store the values of a wave and set the questions of the next one."""
        questions = self._questions
        found = self._store(questions, decoded)
        self._waves.reopen(self._rechecks(questions))
        if self._retries is not None:
            self._waves.reopen(self._retries.record(questions, found))
        self._questions = self._waves.next(found, self._data, self._value_at, self._n_times)
        if not self._questions and self._retries is not None:
            self._questions = self._retry_questions(self._retries)

    def _rechecks(self, questions: Sequence[Question]) -> list[tuple[int, Leaf]]:
        """Return the unsure values of named rows, to be asked for again after the sure ones before.

        A value that is asked for by its row's name alone may come from another row or column. Each
        leaf comes with its document's index.
        """
        rechecks = []
        sure: dict[tuple[int, FieldPath], list[FieldPath]] = {}
        for leaf, d in ((each.leaf, each.document) for each in questions):
            if not _may_recheck(leaf):
                continue
            result = self._values[d].fields[leaf.path]
            before = sure.setdefault((d, leaf.rows[-1].path), [])
            if result.value is None and not result.nulled:
                continue
            if _certainty(result) >= _MIN_CERTAINTY:
                before.append(leaf.path)
            elif before:
                after = (*leaf.after, *before)
                rechecks.append((d, replace(leaf, after=after, is_recheck=True)))
        return rechecks

    def _store(
        self, questions: Sequence[Question], decoded: Sequence[Value | KnownValue]
    ) -> list[Any]:
        """Store the values of questions; return them as stored, null where one was rejected."""
        attributes = [
            question.leaf.attribute
            if question.leaf.written is None
            else count_attribute(question.leaf.written.array)
            for question in questions
        ]
        limits = self._limits(attributes, [question.leaf.path for question in questions])
        found = []
        for i, (question, value) in enumerate(zip(questions, decoded, strict=True)):
            path = question.leaf.path
            values = self._values[question.document]
            if question.leaf.written is not None:
                found.append(self._store_list_value(question, question.leaf.written, value))
                continue
            document = self._texts[question.document]
            raw = value.text.decode("utf-8", "replace")
            parse = parse_truncated if value.finish in _TRUNCATION_ERRORS else parse_value
            parsed = parse(raw, attributes[i], document)
            likelihood = _likelihood_of_tokens(value, self._decisive_tokens(value, attributes[i]))
            confidence = None if likelihood is None else likelihood.share
            is_forced = question.leaf.is_forced
            if is_forced:
                # The share may be high only because nothing else was allowed.
                confidence = (
                    None if likelihood is None else min(likelihood.share, likelihood.probability)
                )
                if parsed.error:
                    parsed = parse_forced(raw, attributes[i], document)
                    confidence = 0.0 if parsed.reason else confidence
            error = parsed.error
            if error and value.finish in _TRUNCATION_ERRORS:
                n_tokens = counted(len(value.tokens), "token")
                error = _TRUNCATION_ERRORS[value.finish].format(n_tokens)
            inherited = values.inherited_margin(question.leaf)
            rejected = self._retries.rejected(question) if self._retries is not None else ()
            if rejected or is_forced:
                # With another earlier value, the field might not have been asked again.
                inherited = min_margin([inherited, values.fields[path].margin])
            result = replace(
                parsed,
                confidence=confidence,
                error=error,
                raw=raw,
                truncated=value.finish == "truncated",
                forced=is_forced,
                repeated=value.finish == "repeated",
                lacks_timezone=attributes[i].type == "date-time" and lacks_timezone(parsed.value),
                margin=min_margin([near_tie([value.margin]), inherited]),
                rejected=rejected,
                options=self._value_options(question.leaf, value),
            )
            array = question.leaf.array
            if array is not None and array.max_items is None and result.value is not None:
                max_items = max(_MIN_ITEM_LIMIT, len(_WORD.findall(document)))
                if result.value > max_items:
                    result = replace(result, value=max_items, truncated=True)
            own_limits = None if array is not None else limits[i]
            grounder = self._grounders[question.document]
            if question.leaf.is_recheck:
                first = values.fields[path]
                if _certainty(result) <= _certainty(first):
                    found.append(first.value)
                    continue
            found.append(
                values.store(path, attributes[i], result, own_limits, likelihood, grounder)
            )
        return found

    def _decisive_tokens(self, value: Value | KnownValue, attribute: Attribute) -> range:
        """Return the tokens that decide a value: not the ``.00`` of a number, nor what ends it."""
        if attribute.type in ("integer", "number"):
            text = value.text.decode("utf-8", "replace")
            decisive = without_trailing_zeros(text)
            if decisive != text:
                ends = self._compiled_schema.token_ends(value.tokens)
                return range(bisect_left([0, *ends[:-1]], len(decisive.encode())))
        return range(len(value.tokens))

    def _value_options(self, leaf: Leaf, value: Value | KnownValue) -> tuple[ValueOption, ...]:
        choices = self._compiled_schema.choices_of(leaf)
        if choices is None or not isinstance(value, KnownValue):
            return ()
        return tuple(ValueOption(choices.values[n], p) for n, p in value.choices)

    def _store_list_value(
        self, question: Question, written: WrittenList, value: Value | KnownValue
    ) -> int | None:
        """Store a list and the fields that are written in it; return its number of items."""
        leaf, schema = question.leaf, self._compiled_schema.schema
        values = self._values[question.document]
        text = value.text.decode("utf-8", "replace")
        raws = split_list(leaf.attribute, text, leaf.path[:-1])
        if means_no_items(leaf.attribute, text):
            raws = {leaf.path: RawValue()}
        elif len(written.names) == 1:
            # The items are plain names, not objects.
            raws = {p if p == leaf.path else (*p, *written.names): raw for p, raw in raws.items()}
        d = question.document
        values.drop_below(leaf.path[:-1])  # The list may have been asked for before.
        # A model expects whole rows, so the first token of a name is always unlikely, and does not
        # count. In a forced list it does: that name is what the model did not want to write.
        n_uncounted = 1 if written.names and not leaf.is_forced else 0
        written_fields = self._values_in_text(value, text, raws, schema, lambda _: d, n_uncounted)
        inherited = values.inherited_margin(leaf)
        rejected = self._retries.rejected(question) if self._retries is not None else ()
        item = leaf.attribute.item
        has_scalar_items = item is not None and item.is_scalar
        allowed_share = 1.0
        n_items: int | None = None
        for path, attribute, own, likelihood in written_fields:
            result = replace(own, forced=leaf.is_forced, margin=min_margin([own.margin, inherited]))
            if leaf.is_forced and likelihood is not None:
                result = replace(result, confidence=min(likelihood.share, likelihood.probability))
            if path == leaf.path:
                n_items = result.value
                confidence = result.confidence
                if not n_items:
                    confidence = self._compiled_schema.null_confidence(leaf, confidence)
                result = replace(result, raw=text, rejected=rejected, confidence=confidence)
            if is_count(schema, path):
                values.store(path, attribute, result)
                continue
            limits = self._limits([attribute], [path])[0]
            if self._compiled_schema.options.null_threshold is None:
                # A list of names cannot begin with null, so its first name is never likely: the
                # default threshold does not apply.
                limits = replace(limits, threshold=0.0, min_confidence=0.0)
            if written.names:  # The beginning of a name rules nothing out.
                limits = replace(limits, min_probability=0.0)
            if likelihood is not None and has_scalar_items:
                # If the model would not have written an item, it would not have written the next.
                likelihood = replace(likelihood, probability=likelihood.probability * allowed_share)
            stored = values.store(path, attribute, result, limits, likelihood, self._grounders[d])
            if likelihood is not None and stored is None and limits.rejection(likelihood):
                allowed_share = likelihood.allowed_share
        if not written.names:
            values.reject_repeated_rows(leaf.path[:-1], self._grounders[d])
        return n_items

    def _retry_questions(self, retries: Retries) -> list[Question]:
        """Return the questions to ask again because their values were rejected.

        A question is left out if its key has become too long for the context.
        """
        options, schema = self._compiled_schema.options, self._compiled_schema.schema
        if options.require_grounding and self._chunk is None:
            for values, grounder in zip(self._values, self._grounders, strict=True):
                values.ground(schema, grounder, options)
        due = retries.due(self._values)
        if not due:
            return []
        request = self._request(self._waves.ask_again(due, self._data, self._value_at))
        n_room = self._max_cells - len(request.prompt)
        fitting = [
            rejected
            for rejected, field in zip(due, request.fields, strict=True)
            if len(field.key) + field.max_tokens <= n_room
        ]
        return self._waves.ask_again(fitting, self._data, self._value_at)

    def _data(self, d: int) -> dict[str, Any]:
        return self._values[d].data(self._compiled_schema.schema)

    def _value_at(self, d: int, path: FieldPath) -> Any:
        return self._values[d].value_at(path)

    def _n_times(self, d: int, text: str, begins_line: bool) -> int:
        """Return how often a document has some words, or how many of its lines begin with them."""
        if not begins_line:
            words = r"\s+".join(map(re.escape, text.split()))
            return len(re.findall(rf"(?<!\w){words}(?!\w)", self._texts[d], re.IGNORECASE))
        if d not in self._sorted_lines:
            lines = map(_LINE_BEGINNING.sub, itertools.repeat(""), self._texts[d].splitlines())
            self._sorted_lines[d] = sorted(
                f"{' '.join(line.casefold().split())} " for line in lines
            )
        words = f"{' '.join(text.casefold().split())} "
        first = bisect_left(self._sorted_lines[d], words)
        return bisect_left(self._sorted_lines[d], f"{words}\U0010ffff") - first


class AnswerPrompt(Prompt):
    """Autoregressive decoding: one field with the whole answer as a JSON object (section 4.1)."""

    def _first_request(self) -> Request | None:
        if self._known is not None:
            (earlier,) = self._known.find([self._compiled_schema.answer_fingerprint])
            if earlier is not None:
                self._usage += Usage(reused_values=1)
                self._store(earlier)
                return None
        return self._compiled_schema.answer_request(self._texts)

    def _next_request(self, answer: Answer) -> None:
        (value,) = answer.values
        if self._known is not None:
            self._known.add({self._compiled_schema.answer_fingerprint: value})
        self._store(value)

    def _store(self, value: Value | KnownValue) -> None:
        text = value.text.decode("utf-8", "replace")
        n_stacked = len(self.documents)
        schema = self._compiled_schema.stack_schema(n_stacked)
        raws = split_answer(schema, text)

        def document_of(path: FieldPath) -> int:
            return 0 if n_stacked == 1 else int(path[0]) - 1

        written_fields = self._values_in_text(value, text, raws, schema, document_of)
        for path, attribute, result, likelihood in written_fields:
            has_limits = not is_count(schema, path)
            d, path = document_of(path), path if n_stacked == 1 else path[1:]
            limits = self._limits([attribute], [path])[0] if has_limits else None
            grounder = self._grounders[d]
            self._values[d].store(path, attribute, result, limits, likelihood, grounder)


def _certainty(result: FieldValue) -> float:
    """Return the probability of what the model wrote."""
    if result.confidence is None:
        return 0.0
    return 1.0 - result.confidence if result.nulled else result.confidence


def _may_recheck(leaf: Leaf) -> bool:
    return bool(leaf.rows) and not leaf.is_recheck and not leaf.opens_leaves


def _likelihood_of_tokens(value: Value | KnownValue, tokens: Sequence[int]) -> Likelihood | None:
    """Return the probabilities of some of a value's tokens together, or None without tokens."""
    probability = joint_probability(value.logprobs[n] for n in tokens)
    share = joint_probability(value.log_shares[n] for n in tokens)
    return None if probability is None or share is None else Likelihood(probability, share)


def usage_of_answer(answer: Answer, *, is_first: bool) -> Usage:
    """Return the usage of one request; the prompt counts in the first wave only."""
    return Usage(
        prompt_tokens=answer.n_prompt_tokens if is_first else 0,
        cached_tokens=answer.n_cached_tokens if is_first else 0,
        completion_tokens=answer.n_completion_tokens,
        steps=answer.n_steps,
        seconds=answer.seconds,
        drafted_tokens=answer.n_drafted,
        accepted_tokens=answer.n_accepted,
    )
