"""One prompt on its way: its documents, the values known so far, the fields still to be asked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from hpd._native import Field, Model, Result, Value
from hpd.errors import ContextOverflowError, DecodeError
from hpd.options import Options
from hpd.pipeline.findings import Known, seen_values
from hpd.pipeline.questions import Plan
from hpd.prompt import Path
from hpd.prompt.tokens import TokenizedPrompt
from hpd.questions import Leaf, item_leaves, stack_places
from hpd.results import Extraction, Failure, FieldResult, Usage
from hpd.schema.attributes import Attribute, Schema
from hpd.values import (
    Parsed,
    answer_leaf,
    assemble,
    confidence,
    parse_value,
    split_answer,
)


@dataclass(frozen=True, slots=True)
class Document:
    """A text to extract from; ``id`` is carried through, ``category`` chooses the schema."""

    text: str
    id: Any = None
    category: str | None = None


@dataclass(frozen=True, slots=True)
class Ask:
    """A request to the engine, but for its number."""

    prompt: list[int]
    fields: list[Field]
    n_instruction: int
    """Leading tokens that every prompt of the schema begins with."""
    n_cached: int
    """Leading tokens that other requests have, too."""
    keep_prompt: bool = False
    """More will be asked of the same documents."""

    @property
    def n_cells(self) -> int:
        """KV cells that it takes at the very least: its prompt and its longest field."""
        return len(self.prompt) + max(len(field.key) + field.max_tokens for field in self.fields)


class Job:
    """Extracts from one prompt's documents, wave after wave.

    ``first()`` gives the first request, ``take()`` takes a result in and gives the next one.
    """

    def __init__(
        self, plan: Plan, model: Model, options: Options, documents: Sequence[Document]
    ) -> None:
        self.documents = documents
        self.failure: Failure | None = None
        self._plan = plan
        self._model = model
        self._options = options
        self._places = stack_places(len(documents))
        self._known = [Known() for _ in documents]
        self._first: Ask | None = None
        self._leaves: list[tuple[int, Leaf]] = []  # of the request under way, with its document
        self._waiting = [
            (d, leaf) for d in range(len(documents)) for leaf in plan.leaves if leaf.wave > 0
        ]
        self._wave = 0
        self._usage = Usage()
        self.kept_prompt: list[int] | None = None
        """The prompt whose cells the engine keeps, for what may still be asked."""

    def first(self) -> Ask:
        """The first request: the documents with every field that waits for none."""
        if self._first is None:
            self._first = self._open()
        return self._first

    def _open(self) -> Ask:
        texts = [document.text for document in self.documents]
        tokenizer = self._plan.tokenizer(len(texts))
        if self._options.method == "ar":
            tokens = tokenizer.tokenize(texts, [""])
            answer = self._plan.answer_field(tokens, len(texts))
            return Ask(tokens.prompt, [answer], tokens.n_shared, tokens.n_shared)
        leaves = [leaf for leaf in self._plan.leaves if leaf.wave == 0]
        self._leaves = [(d, leaf) for d in range(len(texts)) for leaf in leaves]
        tokens = tokenizer.tokenize(texts, self._plan.first_keys(leaves, len(texts)))
        fields = self._plan.fields(tokens, [leaf for _, leaf in self._leaves])
        return self._ask(tokens, tokens.n_shared, fields)

    def take(self, result: Result) -> Ask | None:
        """Take in a finished request; the next one, or None if all is known."""
        self._first = None  # It is not asked again, and its tokens are many.
        self._count(result)
        if result.error:
            kind = ContextOverflowError if result.error_is_overflow else DecodeError
            self.failure = Failure.of(kind(result.error))
            return None
        if self._options.method == "ar":
            self._take_answer(result.values[0])
            return None
        found: list[tuple[int, Leaf]] = []
        for (d, leaf), value in zip(self._leaves, result.values, strict=True):
            parsed = self._take_value(d, leaf, value)
            if leaf.array is not None and isinstance(parsed.value, int):
                items = item_leaves(leaf, parsed.value, wave=self._wave + 1)
                found += [(d, item) for item in items]
        self._waiting += found
        self._wave += 1
        return self._next()

    def extractions(self) -> Iterator[Extraction]:
        """The finished documents, in the order of the prompt."""
        n = len(self.documents)
        for i, (document, known) in enumerate(zip(self.documents, self._known, strict=True)):
            usage = share_usage(self._usage, i, n)
            if self.failure is not None:
                yield Extraction(document.id, usage=usage, error=self.failure)
            else:
                known.ground(self._plan.schema, document.text, self._options)
                yield known.extraction(self._plan.schema, document.id, usage)

    def _next(self) -> Ask | None:
        while self._waiting:
            due = [(d, leaf) for d, leaf in self._waiting if leaf.wave <= self._wave]
            self._waiting = [(d, leaf) for d, leaf in self._waiting if leaf.wave > self._wave]
            if due:
                return self._ask_again(due)
            self._wave += 1
        return None

    def _ask_again(self, due: list[tuple[int, Leaf]]) -> Ask:
        self._leaves = due
        texts = [document.text for document in self.documents]
        data = [assemble(self._plan.schema, known.values).data for known in self._known]
        keys = [
            self._plan.later_key(self._places[d], leaf, seen_values(data[d], leaf.after))
            for d, leaf in due
        ]
        tokens = self._plan.tokenizer(len(texts)).tokenize(texts, keys)
        fields = self._plan.fields(tokens, [leaf for _, leaf in due])
        # The documents themselves are in the cache by now, not only the instruction.
        return self._ask(tokens, len(tokens.prompt), fields)

    def _ask(self, tokens: TokenizedPrompt, n_cached: int, fields: list[Field]) -> Ask:
        more = bool(self._waiting) or any(leaf.array for _, leaf in self._leaves)
        self.kept_prompt = tokens.prompt if more else None
        return Ask(tokens.prompt, fields, tokens.n_shared, n_cached, more)

    def _take_value(self, d: int, leaf: Leaf, value: Value) -> Parsed:
        raw = value.text.decode("utf-8", "replace")
        truncated = value.finish == "truncated"
        parsed = parse_value(raw, leaf.attribute)
        if parsed.error and truncated:
            parsed = Parsed(error=f"cut off after {len(value.tokens)} tokens")
        return self._store(
            d, leaf.path, leaf.attribute, parsed, confidence(value.logprobs), raw, truncated
        )

    def _take_answer(self, value: Value) -> None:
        text = value.text.decode("utf-8", "replace")
        schema = self._plan.schema
        if len(self.documents) > 1:
            # A stack's answer is an object of objects, by the documents' numbers.
            schema = Schema(
                tuple(
                    Attribute(place[0], "object", attributes=schema.attributes)
                    for place in self._places
                )
            )
        ends = _piece_ends(self._model, value.tokens)
        for path, raw in split_answer(schema, text).items():
            attribute = answer_leaf(schema, path)
            if attribute is None:
                continue
            d = 0 if len(self.documents) == 1 else int(path[0]) - 1
            own = path if len(self.documents) == 1 else path[1:]
            probability = None
            if raw.start is not None and raw.end is not None:
                start, end = (len(text[:at].encode()) for at in (raw.start, raw.end))
                probability = confidence(
                    p
                    for p, before, after in zip(value.logprobs, [0, *ends], ends, strict=False)
                    if before < end and after > start
                )
            self._store(
                d, own, attribute, raw.parse(attribute), probability, raw.text, raw.truncated
            )

    def _store(
        self,
        d: int,
        path: Path,
        attribute: Attribute,
        parsed: Parsed,
        probability: float | None,
        raw: str,
        truncated: bool,
    ) -> Parsed:
        result = FieldResult(confidence=probability, raw=raw, truncated=truncated)
        return self._known[d].store(path, attribute, parsed, result, self._options.null_threshold)

    def _count(self, result: Result) -> None:
        before = self._usage
        n_prompt = result.n_prompt_tokens if self._wave == 0 else 0
        self._usage = Usage(
            prompt_tokens=before.prompt_tokens + n_prompt,
            cached_tokens=before.cached_tokens + (result.n_cached_tokens if n_prompt else 0),
            completion_tokens=before.completion_tokens + result.n_completion_tokens,
            steps=before.steps + result.n_steps,
            seconds=before.seconds + result.seconds,
        )


def share_usage(usage: Usage, i: int, n: int) -> Usage:
    """Document ``i``'s part of what a stack of ``n`` cost; steps and time are those of all."""

    def part(total: int) -> int:
        return total // n + (i < total % n)

    return Usage(
        prompt_tokens=part(usage.prompt_tokens),
        cached_tokens=part(usage.cached_tokens),
        completion_tokens=part(usage.completion_tokens),
        steps=usage.steps,
        seconds=usage.seconds,
    )


def _piece_ends(model: Model, tokens: Sequence[int]) -> list[int]:
    """For each token, how many bytes of text there are up to its end."""
    ends = []
    n = 0
    for token in tokens:
        n += len(model.piece(token))
        ends.append(n)
    return ends
