"""Prompts that fit the context: documents that are too long are rejected, chunked or truncated."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from hpd.documents import Document
from hpd.errors import ContextOverflowError, HpdError, InputError
from hpd.pipeline.callbacks import OnChunk
from hpd.pipeline.chunking import (
    Chunk,
    ChunkedDocument,
    DocumentChunk,
    TextSplitter,
    fitting_length,
)
from hpd.pipeline.compiled_schema import CompiledSchema
from hpd.pipeline.prompts import AnswerPrompt, FieldsPrompt, Prompt
from hpd.pipeline.reuse import Reuse
from hpd.pipeline.schema_parts import DocumentInParts, split_schema
from hpd.prompt.text import LENGTH_KEY
from hpd.results import Extraction, Failure
from hpd.schema.attributes import Schema

if TYPE_CHECKING:
    from hpd._native import Model


@dataclass(frozen=True, slots=True)
class ContextLimit:
    """The KV cells that one request may take, and what limits them.

    Args:
        n_engine: the cells of the engine.
        n_trained: the context length the model was trained for, from its file; 0 if unknown.
        n_requested: the user's ``n_ctx``; 0 if hpd chose it.
        n_finetuned: the tokens of the longest prompt, with its answers, in the model's training for
            hpd; 0 if unknown.
    """

    n_engine: int
    n_trained: int
    n_requested: int
    n_finetuned: int = 0

    @property
    def n_cells(self) -> int:
        """The limit, which is never above the context length the model was trained for."""
        return min(self.n_engine, self.n_trained) if self.n_trained else self.n_engine

    @property
    def is_set_by_model(self) -> bool:
        """Whether the model sets the limit, not ``n_ctx``."""
        return 0 < self.n_trained <= self.n_engine

    @property
    def reason(self) -> str:
        """What set the limit and how far it can be raised, as a clause of an error message."""
        if self.is_set_by_model:
            return "the limit is the model's, which was trained for no more"
        who = "by n_ctx (-c)" if self.n_requested else "by hpd, as n_ctx (-c) is not"
        most = f", up to the {self.n_trained} of the model's training" if self.n_trained else ""
        return f"the limit is set {who}: it can be raised{most}"


MIN_CHUNK_TOKENS = 16
"""Minimum number of the document's tokens that a chunk or truncated document has room for."""

_ROOM_DIVISOR = 4
"""A schema is split until its parts leave the context divided by this for the document."""

_GOOD_CHUNK_TOKENS = 256
"""The tokens of a chunk that is long enough to keep related content together."""


class PromptMaker:
    """Makes prompts that fit into the context, for documents of one category.

    Args:
        compiled_schema: makes the requests of the prompts.
        limit: the KV cells that one request may take.
        compile_part: compiles a part of the schema.
        reuse: keeps values of earlier documents; None decodes all.
    """

    def __init__(
        self,
        compiled_schema: CompiledSchema,
        limit: ContextLimit,
        compile_part: Callable[[Schema], CompiledSchema],
        reuse: Reuse | None = None,
    ) -> None:
        self._compiled_schema = compiled_schema
        self._compile_part = compile_part
        self.options = compiled_schema.options
        self.limit = limit
        self.n_ctx = limit.n_cells
        self._kind = AnswerPrompt if self.options.method == "ar" else FieldsPrompt
        self._unscoped_reuse = reuse
        self._reuse = reuse and reuse.within(
            compiled_schema.context(include_schema=not reuse.by_field)
        )

    def prompts(
        self, documents: Sequence[tuple[int, Document]], on_chunk: OnChunk | None = None
    ) -> Iterator[Prompt | tuple[int, Extraction[Any]]]:
        """Yield the prompts of a stack; ``on_chunk`` is called for documents that are split."""
        try:
            prompt = self.prompt(documents)
            n_over = self.n_over(prompt)
        except InputError as error:
            if len(documents) == 1:
                yield _failed_extraction(documents[0], error)
                return
            n_over = 1
        if n_over <= 0 and not any(self._must_be_split(document.text) for _, document in documents):
            yield prompt
        elif len(documents) == 1 and self.parts:
            yield from self._prompts_of_parts(documents[0], on_chunk)
        elif len(documents) == 1:
            yield from _handle_overflow(self, documents[0], prompt, on_chunk)
        else:
            # Too long together, or one cannot be tokenized: each gets its own prompt.
            for document in documents:
                yield from self.prompts([document], on_chunk)

    @cached_property
    def parts(self) -> list[PromptMaker]:
        """Makers for the parts of a schema that leaves no room for a document; else none."""
        if self.n_ctx - self.n_fixed >= MIN_CHUNK_TOKENS:
            return []
        return self._make_halves()

    @property
    def remedy(self) -> str:
        """What to do about too many attributes; only those of one list are asked together."""
        attributes = self._compiled_schema.schema.attributes
        item = attributes[0].item if len(attributes) == 1 else None
        if item is None or not item.attributes:
            return "fewer attributes"
        return f"fewer attributes in the list {attributes[0].name!r} (two lists may share them)"

    def _make_halves(self) -> list[PromptMaker]:
        found = []
        for half in split_schema(self._compiled_schema.schema):
            compiled = self._compile_part(half)
            maker = PromptMaker(compiled, self.limit, self._compile_part, self._unscoped_reuse)
            has_room = maker.n_ctx - maker.n_fixed >= self.n_ctx // _ROOM_DIVISOR
            found += [maker] if has_room else maker._make_halves() or [maker]
        return found

    def _prompts_of_parts(
        self, indexed: tuple[int, Document], on_chunk: OnChunk | None
    ) -> Iterator[Prompt | tuple[int, Extraction[Any]]]:
        """Yield the prompts that ask for the parts of the schema, or an error of one of them."""
        whole = DocumentInParts(self._compiled_schema.schema, len(self.parts))
        prompts: list[Prompt] = []
        for part in self.parts:
            for prompt in part.prompts([indexed], on_chunk):
                if not isinstance(prompt, Prompt):
                    yield prompt
                    return
                prompt.in_parts = whole
                prompts.append(prompt)
        yield from prompts

    @cached_property
    def longest_whole(self) -> int:
        """Maximum number of tokens of a document that is not cut with ``on_overflow="chunk"``.

        0 means as many as fit the context.
        """
        if self.options.on_overflow != "chunk":
            return 0
        if self.options.chunk_size or not self.limit.n_finetuned:
            return self.options.chunk_size
        return max(_GOOD_CHUNK_TOKENS, self.limit.n_finetuned - self.n_fixed)

    def _must_be_split(self, text: str) -> bool:
        """Return whether a document is cut even if it fits the context."""
        size = self.longest_whole
        # A token has at least one byte.
        return 0 < size < len(text.encode()) and self.n_tokens(text) > size

    def prompt(
        self,
        documents: Sequence[tuple[int, Document]],
        chunk: DocumentChunk | None = None,
        truncated_at: int | None = None,
    ) -> Prompt:
        """Return the prompt of documents, even if it is too long."""
        known = self._reuse.known_values(documents[0][1].text) if self._reuse else None
        return self._kind(
            self._compiled_schema,
            documents,
            known=known,
            max_cells=self.n_ctx,
            chunk=chunk,
            truncated_at=truncated_at,
        )

    def n_needed(self, prompt: Prompt) -> int:
        """Return the KV cells that a prompt needs, with its longest value."""
        request = prompt.first_request()
        # Fields of later waves have longer keys.
        return request.n_cells + self._compiled_schema.n_later_tokens if request else 0

    @cached_property
    def n_fixed(self) -> int:
        """The tokens that a prompt needs in addition to its document."""
        return self.n_needed(self._kind(self._compiled_schema, [(0, Document(""))]))

    def n_over(self, prompt: Prompt) -> int:
        """Return by how many KV cells a prompt exceeds the context."""
        return self.n_needed(prompt) - self.n_ctx

    def n_tokens(self, text: str) -> int:
        """Return the number of tokens of a text on its own."""
        return self._compiled_schema.n_tokens(text)


def check_room(maker: PromptMaker) -> int:
    """Return how many tokens a document may have.

    Raises:
        ContextOverflowError: there is no room for a document, or for chunks of ``chunk_size``.
    """
    if maker.parts:
        return min(check_room(part) for part in maker.parts)
    n_fixed = maker.n_fixed
    room = maker.n_ctx - n_fixed
    if room < MIN_CHUNK_TOKENS:
        n_own = maker.n_tokens(maker.options.instructions)
        own = f" ({n_own} of them your instructions)" if n_own else ""
        remedies = ["shorter instructions"] * bool(n_own) + [maker.remedy]
        remedies += ["a larger n_ctx (-c)"] * (not maker.limit.is_set_by_model)
        raise ContextOverflowError(
            f"the instruction and the longest value may take {n_fixed} tokens{own}, which "
            f"leaves {'none' if room <= 0 else room} of the context of {maker.n_ctx} "
            f"for the document ({maker.limit.reason}): {', '.join(remedies)} or a smaller "
            "max_tokens (--max-tokens) are needed"
        )
    if maker.options.chunk_size > room:
        raise ContextOverflowError(
            f"chunks of {maker.options.chunk_size} tokens (chunk_size, --chunk-size) do not "
            f"fit: beside the instruction and the longest value, the context of {maker.n_ctx} "
            f"has room for {room}; {maker.limit.reason}"
        )
    return room


def finetuned_length(model: Model) -> int:
    """Return the tokens of the longest prompt in a model's training for hpd, or 0."""
    said = [model.metadata(LENGTH_KEY), *model.lora_metadata(LENGTH_KEY)]
    lengths = [int(text) for text in said if text.isdecimal()]
    return lengths[-1] if lengths else 0  # An adapter was trained last.


def _handle_overflow(
    maker: PromptMaker, indexed: tuple[int, Document], prompt: Prompt, on_chunk: OnChunk | None
) -> Iterator[Prompt | tuple[int, Extraction[Any]]]:
    """Yield the prompts of a document that is too long, or its error, as ``on_overflow`` says."""
    try:
        room = check_room(maker)
    except ContextOverflowError as error:
        yield _failed_extraction(indexed, error)
        return
    if maker.options.on_overflow == "error":
        n_own = maker.n_needed(prompt) - maker.n_fixed
        remedy = "have" if maker.limit.is_set_by_model else "or have"
        message = (
            f"{maker.n_over(prompt)} tokens over: the document has {n_own}, and the context "
            f"of {maker.n_ctx} has room for {room} beside the instruction and the longest "
            f"value; {maker.limit.reason}; {remedy} long documents cut: "
            'on_overflow="chunk" (--on-overflow chunk)'
        )
        yield _failed_extraction(indexed, ContextOverflowError(message))
    elif maker.options.on_overflow == "truncate":
        yield _truncate(maker, indexed, room)
    else:
        yield from _split(maker, indexed, room, on_chunk)


def _truncate(
    maker: PromptMaker, indexed: tuple[int, Document], room: int
) -> Prompt | tuple[int, Extraction[Any]]:
    index, document = indexed
    while True:
        length = fitting_length(document.text, room, maker.n_tokens)
        beginning = replace(document, text=document.text[:length])
        prompt = maker.prompt([(index, beginning)], truncated_at=length)
        # Words may have fewer tokens one by one than together.
        n_over = maker.n_over(prompt)
        if length == 0 and document.text:
            message = f"not one word fits the room for {room} tokens of the document"
            return _failed_extraction(indexed, ContextOverflowError(message))
        if n_over <= 0:
            return prompt
        room -= n_over


def _split(
    maker: PromptMaker, indexed: tuple[int, Document], room: int, on_chunk: OnChunk | None
) -> Iterator[Prompt]:
    index, document = indexed
    # Smaller chunks are decoded together, but must not become too short.
    size = min(room, maker.longest_whole or room)
    wanted = maker.options.chunk_size or max(min(size, _GOOD_CHUNK_TOKENS), size // 4)
    splitter = TextSplitter(document.text, maker.n_tokens)
    while True:
        passes = _chunks_of_passes(splitter, wanted, maker.options.passes)
        whole = ChunkedDocument(
            document.text, [len(pass_chunks) for pass_chunks in passes], index, on_chunk
        )
        prompts = [
            maker.prompt(
                [(index, replace(document, text=chunk.of(document.text)))],
                DocumentChunk(whole, pass_index, chunk),
            )
            for pass_index, pass_chunks in enumerate(passes)
            for chunk in pass_chunks
        ]
        n_over = max(maker.n_over(prompt) for prompt in prompts)
        if n_over <= 0 or wanted <= 1:
            whole.report_progress()
            yield from prompts
            return
        wanted = max(1, wanted - n_over)


def _chunks_of_passes(splitter: TextSplitter, size: int, n_passes: int) -> list[list[Chunk]]:
    """Return the chunks of each pass, with boundaries inside the chunks of the other passes.

    A pass with the same chunks as an earlier one is left out.
    """
    passes: list[list[Chunk]] = []
    for n in range(n_passes):
        pass_chunks = splitter.chunks(size, max(1, size * (n_passes - n) // n_passes))
        if pass_chunks not in passes:
            passes.append(pass_chunks)
    return passes


def _failed_extraction(
    indexed: tuple[int, Document], error: HpdError
) -> tuple[int, Extraction[Any]]:
    """Return the extraction of a document that failed before anything was decoded."""
    index, document = indexed
    return index, Extraction(document.id, error=Failure(error.with_traceback(None)))
