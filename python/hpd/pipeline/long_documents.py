"""Prompts for documents that may be too long for the context: an error, chunks, or a cut."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from hpd.documents import Document
from hpd.errors import ContextOverflowError, HpdError, InputError
from hpd.pipeline import OnChunk
from hpd.pipeline.chunking import Chunk, ChunkedDocument, Part, chunks, fitting_length
from hpd.pipeline.prompts import AnswerPrompt, FieldsPrompt, Prompt
from hpd.pipeline.questionnaire import Questionnaire
from hpd.pipeline.reuse import Reuse
from hpd.results import Extraction, Failure

Finished = tuple[int, Extraction[Any]]
"""An extraction, with the place of its document in the input."""

Placed = tuple[int, Document]
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
        """Whether it is the model that has no room for more."""
        return 0 < self.n_trained <= self.n_engine

    @property
    def reason(self) -> str:
        """The one who set it, and how far it can be raised; in a clause of an error message."""
        if self.is_the_models:
            return "the limit is the model's, which was trained for no more"
        who = "by n_ctx (-c)" if self.n_asked else "by hpd, as n_ctx (-c) is not"
        most = f", up to the {self.n_trained} of the model's training" if self.n_trained else ""
        return f"the limit is set {who}: it can be raised{most}"


LEAST_ROOM = 16
"""The fewest tokens of a document that must fit for a cut or a chunk to make sense."""

_COMFORTABLE_CHUNK = 256
"""The tokens that a chunk should have, so that it keeps together what belongs together."""


class PromptMaker:
    """Makes prompts that fit the context of documents of one category.

    Args:
        questionnaire: makes their requests.
        limit: of the KV cells that one request may take.
        reuse: where values are known from earlier; None: they are all decoded.
    """

    def __init__(
        self,
        questionnaire: Questionnaire,
        limit: ContextLimit,
        reuse: Reuse | None = None,
    ) -> None:
        self._questionnaire = questionnaire
        self._options = questionnaire.options
        self._limit = limit
        self._n_ctx = limit.n_cells
        self._kind = AnswerPrompt if self._options.method == "ar" else FieldsPrompt
        self._reuse = reuse and reuse.within(questionnaire.context(with_others=not reuse.by_field))

    def prompts(
        self, documents: Sequence[Placed], on_chunk: OnChunk | None = None
    ) -> Iterator[Prompt | Finished]:
        """The prompts of a stack of documents; ``on_chunk`` is told of those that are cut."""
        try:
            prompt = self._prompt(documents)
            n_over = self._n_over(prompt)
        except InputError as error:
            if len(documents) == 1:
                yield _failed(documents[0], error)
                return
            n_over = 1
        if n_over <= 0 and not any(self._is_to_be_cut(document.text) for _, document in documents):
            yield prompt
        elif len(documents) == 1:
            yield from self._long(documents[0], prompt, on_chunk)
        else:
            # They are too long together, or one cannot be tokenised: each gets a prompt of its own.
            for document in documents:
                yield from self.prompts([document], on_chunk)

    def _is_to_be_cut(self, text: str) -> bool:
        """Whether a document has more tokens than the user wants in a chunk."""
        size = self._options.chunk_size
        # A token has at least one byte.
        return 0 < size < len(text.encode()) and self._questionnaire.n_tokens(text) > size

    def _prompt(
        self,
        documents: Sequence[Placed],
        part: Part | None = None,
        truncated_at: int | None = None,
    ) -> Prompt:
        known = self._reuse.known_values(documents[0][1].text) if self._reuse else None
        return self._kind(
            self._questionnaire,
            documents,
            known=known,
            n_most_cells=self._n_ctx,
            part=part,
            truncated_at=truncated_at,
        )

    def _n_needed(self, prompt: Prompt) -> int:
        request = prompt.first()
        # Fields of later waves have longer keys.
        return request.n_cells + self._questionnaire.n_later_tokens if request else 0

    def _n_fixed(self) -> int:
        """The tokens that any document needs beside its own."""
        return self._n_needed(self._kind(self._questionnaire, [(0, Document(""))]))

    def _n_over(self, prompt: Prompt) -> int:
        return self._n_needed(prompt) - self._n_ctx

    def check_room(self) -> None:
        """Refuse what leaves no room for any document.

        Raises:
            ContextOverflowError: with the numbers of tokens; or the chunks that the user wants are
                too long.
        """
        n_fixed = self._n_fixed()
        room = self._n_ctx - n_fixed
        if room < LEAST_ROOM:
            n_own = self._questionnaire.n_tokens(self._options.instructions)
            own = f" ({n_own} of them your instructions)" if n_own else ""
            remedies = ["shorter instructions"] * bool(n_own) + ["fewer attributes"]
            remedies += ["a larger n_ctx (-c)"] * (not self._limit.is_the_models)
            raise ContextOverflowError(
                f"the instruction and the longest value may take {n_fixed} tokens{own}, which "
                f"leaves {'none' if room <= 0 else room} of the context of {self._n_ctx} "
                f"for the document ({self._limit.reason}): {', '.join(remedies)} or a smaller "
                "max_tokens (--max-tokens) are needed"
            )
        if self._options.chunk_size > room:
            raise ContextOverflowError(
                f"chunks of {self._options.chunk_size} tokens (chunk_size, --chunk-size) do not "
                f"fit: beside the instruction and the longest value, the context of {self._n_ctx} "
                f"has room for {room}; {self._limit.reason}"
            )

    def _long(
        self, placed: Placed, prompt: Prompt, on_chunk: OnChunk | None
    ) -> Iterator[Prompt | Finished]:
        try:
            self.check_room()
        except ContextOverflowError as error:
            yield _failed(placed, error)
            return
        n_fixed = self._n_fixed()
        room = self._n_ctx - n_fixed
        if self._options.on_overflow == "error":
            n_own = self._n_needed(prompt) - n_fixed
            message = (
                f"{self._n_over(prompt)} tokens over: the document has {n_own}, and the context "
                f"of {self._n_ctx} has room for {room} beside the instruction and the longest "
                f"value; {self._limit.reason}; or have long documents cut: "
                'on_overflow="chunk" (--on-overflow chunk)'
            )
            yield _failed(placed, ContextOverflowError(message))
        elif self._options.on_overflow == "truncate":
            yield self._truncated(placed, room)
        else:
            yield from self._chunked(placed, room, on_chunk)

    def _truncated(self, placed: Placed, room: int) -> Prompt | Finished:
        place, document = placed
        while True:
            length = fitting_length(document.text, room, self._questionnaire.n_tokens)
            beginning = replace(document, text=document.text[:length])
            prompt = self._prompt([(place, beginning)], truncated_at=length)
            # Words that are tokenised one by one may have fewer tokens than together.
            n_over = self._n_over(prompt)
            if length == 0 and document.text:
                message = f"not one word fits the room for {room} tokens of the document"
                return _failed(placed, ContextOverflowError(message))
            if n_over <= 0:
                return prompt
            room -= n_over

    def _chunked(self, placed: Placed, room: int, on_chunk: OnChunk | None) -> Iterator[Prompt]:
        place, document = placed
        # Several chunks are decoded together, if they are not too short for that.
        wanted = self._options.chunk_size or max(min(room, _COMFORTABLE_CHUNK), room // 4)
        while True:
            passes = self._passes(document.text, wanted)
            whole = ChunkedDocument(
                document.text, [len(parts) for parts in passes], place, on_chunk
            )
            prompts = [
                self._prompt(
                    [(place, replace(document, text=document.text[part.start : part.end]))],
                    Part(whole, n_pass, part.start),
                )
                for n_pass, parts in enumerate(passes)
                for part in parts
            ]
            n_over = max(self._n_over(prompt) for prompt in prompts)
            if n_over <= 0 or wanted <= 1:
                whole.announce()
                yield from prompts
                return
            wanted = max(1, wanted - n_over)

    def _passes(self, text: str, size: int) -> list[list[Chunk]]:
        """The chunks of each pass, whose cuts are in the midst of other passes' chunks.

        A pass that would read the same chunks once more is left out.
        """
        n_passes = self._options.passes
        passes: list[list[Chunk]] = []
        for n in range(n_passes):
            first = max(1, size * (n_passes - n) // n_passes)
            parts = chunks(text, size, self._questionnaire.n_tokens, first)
            if parts not in passes:
                passes.append(parts)
        return passes


def _failed(placed: Placed, error: HpdError) -> tuple[int, Extraction[Any]]:
    place, document = placed
    return place, Extraction(document.id, error=Failure.of(error))
