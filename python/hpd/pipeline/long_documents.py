"""Documents that are too long for the context: an error, chunks, or a cut."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from hpd.documents import Document
from hpd.errors import ContextOverflowError, HpdError
from hpd.pipeline import OnChunk
from hpd.pipeline.chunking import Chunk, ChunkedDocument, DocumentPart, chunks, fitting_length
from hpd.results import Extraction, Failure

if TYPE_CHECKING:
    from hpd.pipeline.prompts import Prompt, PromptMaker

IndexedExtraction = tuple[int, Extraction[Any]]
"""An extraction, with the place of its document in the input."""

IndexedDocument = tuple[int, Document]
"""A document, with its place in the input."""


@dataclass(frozen=True, slots=True)
class ContextLimit:
    """The KV cells that one request may take, and who limits them.

    Args:
        n_engine: the cells of the engine.
        n_trained: the tokens for which the model was trained, as its file says; 0 if it does not.
        n_asked: the ``n_ctx`` of the user; 0 if hpd chose it.
    """

    n_engine: int
    n_trained: int
    n_asked: int

    @property
    def n_cells(self) -> int:
        """The limit. A model knows no positions beyond those of its training."""
        return min(self.n_engine, self.n_trained) if self.n_trained else self.n_engine

    @property
    def is_the_models(self) -> bool:
        """Whether the model sets the limit."""
        return 0 < self.n_trained <= self.n_engine

    @property
    def reason(self) -> str:
        """The one who set it, and how far it can be raised; in a clause of an error message."""
        if self.is_the_models:
            return "the limit is the model's, which was trained for no more"
        who = "by n_ctx (-c)" if self.n_asked else "by hpd, as n_ctx (-c) is not"
        most = f", up to the {self.n_trained} of the model's training" if self.n_trained else ""
        return f"the limit is set {who}: it can be raised{most}"


MIN_CHUNK_TOKENS = 16
"""The fewest tokens of a document that must fit for a cut or a chunk to make sense."""

_COMFORTABLE_CHUNK = 256
"""The tokens that a chunk should have, so that it keeps together what belongs together."""


def check_room(maker: PromptMaker) -> int:
    """The tokens that a document may have.

    Raises:
        ContextOverflowError: there is no room for any; or the chunks that the user wants are too
            long.
    """
    n_fixed = maker.n_fixed()
    room = maker.n_ctx - n_fixed
    if room < MIN_CHUNK_TOKENS:
        n_own = maker.n_tokens(maker.options.instructions)
        own = f" ({n_own} of them your instructions)" if n_own else ""
        remedies = ["shorter instructions"] * bool(n_own) + ["fewer attributes"]
        remedies += ["a larger n_ctx (-c)"] * (not maker.limit.is_the_models)
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


def cut(
    maker: PromptMaker, placed: IndexedDocument, prompt: Prompt, on_chunk: OnChunk | None
) -> Iterator[Prompt | IndexedExtraction]:
    """The prompts of a document that is too long, or its error, as ``on_overflow`` says."""
    try:
        room = check_room(maker)
    except ContextOverflowError as error:
        yield failed(placed, error)
        return
    if maker.options.on_overflow == "error":
        n_own = maker.n_needed(prompt) - maker.n_fixed()
        message = (
            f"{maker.n_over(prompt)} tokens over: the document has {n_own}, and the context "
            f"of {maker.n_ctx} has room for {room} beside the instruction and the longest "
            f"value; {maker.limit.reason}; or have long documents cut: "
            'on_overflow="chunk" (--on-overflow chunk)'
        )
        yield failed(placed, ContextOverflowError(message))
    elif maker.options.on_overflow == "truncate":
        yield _truncated(maker, placed, room)
    else:
        yield from _chunked(maker, placed, room, on_chunk)


def _truncated(
    maker: PromptMaker, placed: IndexedDocument, room: int
) -> Prompt | IndexedExtraction:
    place, document = placed
    while True:
        length = fitting_length(document.text, room, maker.n_tokens)
        beginning = replace(document, text=document.text[:length])
        prompt = maker.prompt([(place, beginning)], truncated_at=length)
        # Words that are tokenised one by one may have fewer tokens than together.
        n_over = maker.n_over(prompt)
        if length == 0 and document.text:
            message = f"not one word fits the room for {room} tokens of the document"
            return failed(placed, ContextOverflowError(message))
        if n_over <= 0:
            return prompt
        room -= n_over


def _chunked(
    maker: PromptMaker, placed: IndexedDocument, room: int, on_chunk: OnChunk | None
) -> Iterator[Prompt]:
    place, document = placed
    # Several chunks are decoded together, if they are not too short for that.
    wanted = maker.options.chunk_size or max(min(room, _COMFORTABLE_CHUNK), room // 4)
    while True:
        passes = _passes(maker, document.text, wanted)
        whole = ChunkedDocument(document.text, [len(parts) for parts in passes], place, on_chunk)
        prompts = [
            maker.prompt(
                [(place, replace(document, text=document.text[part.start : part.end]))],
                DocumentPart(whole, n_pass, part.start),
            )
            for n_pass, parts in enumerate(passes)
            for part in parts
        ]
        n_over = max(maker.n_over(prompt) for prompt in prompts)
        if n_over <= 0 or wanted <= 1:
            whole.announce()
            yield from prompts
            return
        wanted = max(1, wanted - n_over)


def _passes(maker: PromptMaker, text: str, size: int) -> list[list[Chunk]]:
    """The chunks of each pass, whose cuts are in the midst of other passes' chunks.

    A pass that would read the same chunks once more is left out.
    """
    n_passes = maker.options.passes
    passes: list[list[Chunk]] = []
    for n in range(n_passes):
        first = max(1, size * (n_passes - n) // n_passes)
        parts = chunks(text, size, maker.n_tokens, first)
        if parts not in passes:
            passes.append(parts)
    return passes


def failed(placed: IndexedDocument, error: HpdError) -> IndexedExtraction:
    """The extraction of a document that failed before it was asked anything."""
    place, document = placed
    return place, Extraction(document.id, error=Failure.of(error))
