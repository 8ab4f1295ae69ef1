"""The extractor: documents in, extractions out."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Generator, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import TracebackType
from typing import Literal

from hpd import _native
from hpd.errors import ContextOverflowError, DecodeError, HpdError, InputError
from hpd.machine.model_files import resolve_model
from hpd.machine.native_options import engine_options, model_options
from hpd.machine.tuned_settings import tuned_values
from hpd.options import Options, combined
from hpd.pipeline.job import Document
from hpd.pipeline.long_documents import Fitter
from hpd.pipeline.questions import Examples, Plan
from hpd.pipeline.runner import Run, Runner
from hpd.results import Extraction, Failure
from hpd.schema import load_schemas
from hpd.schema.attributes import Schema

OnError = Literal["raise", "record"]
_ERRORS: dict[str, type[HpdError]] = {
    error.__name__: error for error in (ContextOverflowError, DecodeError, InputError)
}


class Extractor:
    """Extracts the attributes of a schema from documents with one model.

    Use it as a context manager, or ``close()`` it. Several threads may use one extractor: what
    they ask for is decoded together.

    Args:
        schema: a Pydantic class, a JSON Schema, a list of names, a dict of name to description,
            a one-line schema, a file of one of these; or a dict of category to any of these.
        model: path of a GGUF file; None for the model in the box.
        hf: ``user/repo[:QUANT]`` on the Hugging Face Hub, in place of ``model``.
        options: how to read and decode. Single options may be given by name as well.
        examples: documents with their answers, shown in the prompt before every document; by
            category, if the schema is.
        progress: called with the share of the model that is loaded; False stops the loading.

    What ``hpd tune`` found for this model and machine takes the place of what is not set:
    ``options`` then has it, and ``tuned`` tells what it was. ``HPD_TUNED=0`` leaves it out.

    Raises:
        OptionError: there is no such option, or it cannot have that value.
        SchemaError: the schema cannot be read.
        ModelLoadError: the model cannot be found or loaded.
    """

    def __init__(
        self,
        schema: object,
        model: str | Path | None = None,
        *,
        hf: str | None = None,
        options: Options | None = None,
        examples: Examples | Mapping[str, Examples] = (),
        progress: Callable[[float], bool | None] | None = None,
        **settings: object,
    ) -> None:
        asked = combined(options, settings)
        self.schemas = schema if isinstance(schema, Schema) else load_schemas(schema)
        self._examples = examples
        _native.echo_log(asked.verbose)
        path = resolve_model(model, hf, progress=not asked.quiet)
        self._model = _native.Model([str(path)], model_options(asked), progress)
        self.tuned = tuned_values(self._model, path, asked)
        self.options = asked.filled(self.tuned)
        self._engine = _native.Engine(self._model, engine_options(self.options))
        self._runner = Runner(self._engine)
        # A position beyond those of its training says nothing to a model.
        self._n_ctx = min(self._engine.n_ctx, self._model.n_ctx_train or self._engine.n_ctx)
        self._fitters: dict[str | None, Fitter] = {}
        # A document must not wait forever for others of its category. What was tuned has no say
        # in this: which documents share a prompt must not depend on it.
        self._patience = 4 * asked.stack * asked.filled().most_in_flight
        self._threads: ThreadPoolExecutor | None = None

    def extract(self, document: str, *, category: str | None = None) -> Extraction:
        """The values of one document.

        Raises:
            ContextOverflowError: the document does not fit the context.
            InputError: there is no schema for its category.
        """
        (extraction,) = self.extract_many([Document(document, None, category)])
        return extraction

    async def aextract(self, document: str, *, category: str | None = None) -> Extraction:
        """``extract`` for asyncio: as many as ``in_flight`` at a time are decoded together."""
        if self._threads is None:
            # As many threads as asyncio has of its own may be fewer.
            self._threads = ThreadPoolExecutor(self.options.most_in_flight, "hpd")
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(
            self._threads, lambda: self.extract(document, category=category)
        )

    def extract_many(
        self, documents: Iterable[str | Document], *, on_error: OnError = "raise"
    ) -> Generator[Extraction, None, None]:
        """The values of each document, in the order of the documents; they are read lazily.

        Args:
            documents: texts, or ``Document`` where there is an id or a category.
            on_error: ``record``: a document that fails gives an extraction with ``error`` in its
                place, and the others go on.
        """
        early: dict[int, Extraction] = {}
        n_given = 0
        for i, extraction in self._run(documents, on_error):
            early[i] = extraction
            while n_given in early:
                yield early.pop(n_given)
                n_given += 1

    def iter_extract(
        self, documents: Iterable[str | Document], *, on_error: OnError = "raise"
    ) -> Iterator[tuple[int, Extraction]]:
        """Like ``extract_many``, each as soon as it is finished, with its place in the input."""
        return self._run(documents, on_error)

    async def aiter_extract(
        self, documents: Iterable[str | Document], *, on_error: OnError = "raise"
    ) -> AsyncIterator[Extraction]:
        """``extract_many`` for asyncio."""
        iterator = self.extract_many(documents, on_error=on_error)
        loop = asyncio.get_running_loop()
        # One thread, so that nothing is asked of the iterator while it works.
        with_it = ThreadPoolExecutor(1, "hpd")
        try:
            while True:
                extraction = await loop.run_in_executor(with_it, next, iterator, None)
                if extraction is None:
                    return
                yield extraction
        finally:
            with_it.submit(iterator.close)
            with_it.shutdown(wait=False)

    @property
    def stats(self) -> _native.EngineStats:
        """Batches, tokens and time since the engine was made."""
        return self._engine.stats

    def close(self) -> None:
        """Free the model. A call that is under way in another thread ends with an error."""
        self._runner.close()
        self._model.close()
        if self._threads is not None:
            self._threads.shutdown(wait=False)

    def __enter__(self) -> Extractor:
        """Itself."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Close it."""
        self.close()

    def _run(
        self, documents: Iterable[str | Document], on_error: OnError
    ) -> Iterator[tuple[int, Extraction]]:
        for i, extraction in self._runner.run(self._jobs(documents)):
            if extraction.error is not None and on_error == "raise":
                kind = _ERRORS.get(extraction.error.type, HpdError)
                name = "" if extraction.id is None else f" (id {extraction.id})"
                raise kind(f"document {i + 1}{name}: {extraction.error.message}")
            yield i, extraction

    def _jobs(self, documents: Iterable[str | Document]) -> Iterator[Run.Item]:
        """Documents of one category grouped into prompts, with their places in the input."""
        stacks: dict[str | None, list[tuple[int, Document]]] = {}
        for i, given in enumerate(documents):
            document = given if isinstance(given, Document) else Document(given)
            problem = self._problem(document)
            if problem is not None:
                yield [i], Extraction(document.id, error=problem)
                continue
            stack = stacks.setdefault(document.category, [])
            stack.append((i, document))
            late = [c for c, s in stacks.items() if s and i - s[0][0] >= self._patience]
            full = [document.category] if len(stack) >= self.options.stack else []
            for category in dict.fromkeys([*late, *full]):
                yield from self._fitted(category, stacks.pop(category))
        for category, stack in stacks.items():
            yield from self._fitted(category, stack)

    def _fitted(
        self, category: str | None, stack: list[tuple[int, Document]]
    ) -> Iterator[Run.Item]:
        documents = [document for _, document in stack]
        for places, job in self._fitter(category).jobs(documents):
            yield [stack[place][0] for place in places], job

    def _fitter(self, category: str | None) -> Fitter:
        key = None if isinstance(self.schemas, Schema) else category
        if key not in self._fitters:
            schema = self.schemas if isinstance(self.schemas, Schema) else self.schemas[str(key)]
            examples = examples_for(self._examples, key)
            plan = Plan(self._model, schema, self.options, examples)
            self._fitters[key] = Fitter(plan, self._model, self.options, self._n_ctx)
        return self._fitters[key]

    def _problem(self, document: Document) -> Failure | None:
        if not isinstance(document.text, str):
            kind = type(document.text).__name__
            return Failure("InputError", f"a document must be text, not {kind}")
        if isinstance(self.schemas, Mapping) and document.category not in self.schemas:
            names = ", ".join(sorted(self.schemas))
            what = "no category" if document.category is None else f"category {document.category!r}"
            return Failure("InputError", f"{what}: the schema has {names}")
        return None


def examples_for(examples: Examples | Mapping[str, Examples], category: str | None) -> Examples:
    """The examples of a category; those that are not by category are for all."""
    return examples.get(category or "", ()) if isinstance(examples, Mapping) else examples
