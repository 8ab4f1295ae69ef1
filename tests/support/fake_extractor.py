"""A stand-in for the extractor, which answers without a model."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

import pytest

import hpd.extractor
import hpd.pipeline.plan
from hpd.documents import NOT_YET
from hpd.errors import ContextOverflowError, HpdError, ModelLoadError
from hpd.results import Extraction, Failure, FieldValue

ASKED = []
"""The models that were asked for in this test."""


def resolve_model(model, hf_repo, *, progress):
    """A stand-in for the search for a model; ``gone.gguf`` is not found."""
    ASKED.append((model, hf_repo))
    if model == "gone.gguf":
        raise ModelLoadError("there is no model gone.gguf")
    # Something to take a fingerprint of, whatever was asked for.
    return Path(__file__)


N_AHEAD = 3
"""The number of documents that the stand-in has in flight."""


class FakeExtractor:
    """Answers each document with its own text; some texts make it misbehave."""

    made: ClassVar[list[FakeExtractor]] = []
    tuned: ClassVar[dict[str, int]] = {}

    @classmethod
    def from_plan(cls, plan):
        made = cls()
        task = plan.task
        made.schemas, made.options, made.examples = task.schemas, task.options, task.examples
        made.documents = []
        made.closed = False
        cls.made.append(made)
        return made

    def iter_indexed(self, documents, *, on_error, on_chunk):
        assert on_error == "record"
        waiting = []
        given = (document for document in documents if document is not NOT_YET)
        for place, document in enumerate(given):
            self.documents.append(document)
            waiting.append((place, document))
            if len(waiting) == N_AHEAD:
                yield self.answer(*waiting.pop(0))
        for place, document in waiting:
            yield self.answer(place, document)

    def answer(self, place, document):
        if document.text == "interrupt":
            raise KeyboardInterrupt
        if document.text == "crash":
            raise HpdError("the engine broke")
        if document.text == "too long":
            failure = Failure(ContextOverflowError("9 tokens over"))
            return place, Extraction(document.id, error=failure)
        data = {"text": document.text, "category": document.category}
        fields = {}
        if document.places is not None:
            field = FieldValue(value=document.text, match="exact", start=0, end=len(document.text))
            fields["text"] = field.with_place(document.places)
        return place, Extraction(document.id, data, fields)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.closed = True


@pytest.fixture
def fake(monkeypatch):
    monkeypatch.setattr(hpd.extractor, "Extractor", FakeExtractor)
    monkeypatch.setattr(hpd.pipeline.plan, "resolve_model", resolve_model)
    FakeExtractor.made.clear()
    ASKED.clear()
    yield FakeExtractor.made
    assert all(extractor.closed for extractor in FakeExtractor.made)
