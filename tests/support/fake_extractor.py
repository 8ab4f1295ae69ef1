"""A stand-in for the extractor, which answers without a model."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import ClassVar

from hpd.documents import Document
from hpd.errors import HpdError, ModelLoadError
from hpd.options import Options
from hpd.results import Extraction, Failure

N_AHEAD = 3
"""How many documents the stand-in has in flight."""


class FakeExtractor:
    """Answers each document with its own text; some texts make it misbehave."""

    made: ClassVar[list[FakeExtractor]] = []
    tuned: ClassVar[dict[str, int]] = {}

    def __init__(
        self, schema: object, model: str | None = None, *, hf: str | None, options: Options,
        examples: Sequence[tuple[str, object]],
    ) -> None:  # fmt: skip
        if model == "gone.gguf":
            raise ModelLoadError("there is no model gone.gguf")
        self.schema, self.model, self.hf = schema, model, hf
        self.options, self.examples = options, examples
        self.documents: list[Document] = []
        self.closed = False
        self.made.append(self)

    def extract_many(self, documents: Iterable[Document], *, on_error: str) -> Iterator[Extraction]:
        assert on_error == "record"
        waiting: list[Document] = []
        for document in documents:
            self.documents.append(document)
            waiting.append(document)
            if len(waiting) == N_AHEAD:
                yield self._answer(waiting.pop(0))
        for document in waiting:
            yield self._answer(document)

    def _answer(self, document: Document) -> Extraction:
        if document.text == "interrupt":
            raise KeyboardInterrupt
        if document.text == "crash":
            raise HpdError("the engine broke")
        if document.text == "too long":
            return Extraction(document.id, error=Failure("ContextOverflowError", "9 tokens over"))
        return Extraction(document.id, {"text": document.text, "category": document.category})

    def __enter__(self) -> FakeExtractor:
        return self

    def __exit__(self, *_: object) -> None:
        self.closed = True
