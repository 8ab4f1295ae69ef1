"""The extractor: documents in, extractions out."""

from __future__ import annotations

import asyncio
import logging
import os
import time
import weakref
from collections.abc import (
    AsyncGenerator,
    AsyncIterable,
    Callable,
    Generator,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import TimeoutError as FutureTimeoutError
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar, overload

from hpd.documents import NOT_YET, Document, NotYet
from hpd.errors import (
    ContextOverflowError,
    DecodeError,
    EngineClosedError,
    HpdError,
    InputError,
    InvalidDataError,
)
from hpd.models.memory import warn_of_shortage
from hpd.models.model_files import resolve_model
from hpd.models.settings import engine_options, load_model, tuned_values
from hpd.options import Options, combined
from hpd.pipeline import (
    Cancellation,
    ExamplesForm,
    OnChunk,
    OnSettled,
    Task,
    check_task,
    prepared,
    read_examples,
    warn_of_layout,
)
from hpd.pipeline.pipeline import Pipeline
from hpd.pipeline.reuse import reuse_of
from hpd.results import Extraction
from hpd.schema import as_schemas
from hpd.schema.attributes import Schema
from hpd.values.confidence import METADATA_KEY, option_map, own_map

if TYPE_CHECKING:
    from typing_extensions import Self, Unpack

    from hpd._native import EngineStats, Model
    from hpd.options import Settings

T = TypeVar("T")
S = TypeVar("S")

SchemaForm = (
    str | os.PathLike[str] | Sequence[str] | Mapping[str, Any] | Schema | Mapping[str, Schema]
)
"""Any form of a schema but a class."""
OnError = Literal["raise", "record"]

_LOGGER = logging.getLogger("hpd")
"""Says which model is loaded and which documents fail (INFO), and which are finished (DEBUG)."""

_N_SECONDS = 0.02
"""The seconds that documents which come asynchronously are waited for before others go on."""

_ERRORS: dict[str, type[HpdError]] = {
    error.__name__: error
    for error in (ContextOverflowError, DecodeError, InputError, InvalidDataError)
}


class Extractor(Generic[T]):
    """Extracts the attributes of a schema from documents with one model.

    Use it as a context manager, or ``close()`` it. Several threads may use one extractor: what
    they ask for is decoded together.

    Args:
        schema: a class (Pydantic's, a dataclass, a TypedDict), a JSON Schema, a list of names, a
            dict of name to description, a one-line schema, a file of one of these; or a dict of
            category to any of these. The data of an extraction is an instance of the class, else a
            dict.
        model: path of a GGUF file; None for the bundled model.
        hf: ``user/repo[:QUANT]`` on the Hugging Face Hub, in place of ``model``.
        options: how to read and decode. Single options may be given by name as well.
        examples: documents with their answers, ``(text, data)`` or ``{"text": ..., "data": ...}``,
            shown in the prompt before every document; by category, if the schema is.
        system_prompt: the system's text, in place of the usual one: the task, and the form of
            the answer.
        progress: called with the share of the model that is loaded; False stops the loading.

    What ``hpd tune`` found for this model and machine takes the place of what is not set:
    ``options`` then has it, and ``tuned`` tells what it was. ``HPD_TUNED=0`` leaves it out. A model
    that will probably not fit into memory gives a ``MemoryWarning``, with what would fit, and one
    that was not taught the layout ``label`` an ``LayoutWarning`` if it is asked in it.

    Raises:
        OptionError: there is no such option, or it cannot have that value, or an example is none.
        SchemaError: the schema cannot be read.
        ModelLoadError: the model cannot be found or loaded.
        ContextOverflowError: the schema leaves no room for any document.
    """

    @overload
    def __init__(
        self,
        schema: type[T],
        model: str | Path | None = None,
        *,
        hf_repo: str | None = None,
        options: Options | None = None,
        examples: ExamplesForm | Mapping[str, ExamplesForm] = (),
        progress: Callable[[float], bool | None] | None = None,
        system_prompt: str | None = None,
        **settings: Unpack[Settings],
    ) -> None: ...

    @overload
    def __init__(
        self: Extractor[dict[str, Any]],
        schema: SchemaForm,
        model: str | Path | None = None,
        *,
        hf_repo: str | None = None,
        options: Options | None = None,
        examples: ExamplesForm | Mapping[str, ExamplesForm] = (),
        progress: Callable[[float], bool | None] | None = None,
        system_prompt: str | None = None,
        **settings: Unpack[Settings],
    ) -> None: ...

    def __init__(
        self,
        schema: object,
        model: str | Path | None = None,
        *,
        hf_repo: str | None = None,
        options: Options | None = None,
        examples: ExamplesForm | Mapping[str, ExamplesForm] = (),
        system_prompt: str | None = None,
        progress: Callable[[float], bool | None] | None = None,
        **settings: Unpack[Settings],
    ) -> None:
        asked = combined(options, settings)
        self.schemas = as_schemas(schema)
        shown = read_examples(examples, self.schemas)
        check_task(asked, self.schemas, system_prompt, shown)
        confidence_map = option_map(asked.calibration)
        path = resolve_model(model, hf_repo, progress=not asked.quiet)
        warn_of_shortage(path, asked)
        start = time.perf_counter()
        native = load_model(path, asked, progress)
        _LOGGER.info("loaded %s in %.1f s", path, time.perf_counter() - start)
        # An adapter makes another model of it, to which the file's calibration was not fitted.
        if not asked.calibration and not asked.adapters:
            confidence_map = own_map(native.metadata(METADATA_KEY))
        # What is fastest was measured, and may be something else the next time.
        self.tuned = {} if asked.deterministic else tuned_values(native, path, asked)
        self.options = asked.filled(self.tuned)
        warn_of_layout(native, self.options)
        self._pipeline = Pipeline(
            native,
            self.schemas,
            self.options,
            engine_options(self.options),
            examples=shown,
            system_prompt=system_prompt,
            # Which documents share a prompt must not depend on what was tuned.
            flush_after=4 * asked.stack * asked.filled().most_in_flight,
            reuse=reuse_of(path, self.options),
            confidence_map=confidence_map,
        )
        self._system_prompt = system_prompt
        self._threads: ThreadPoolExecutor | None = None
        self._pipeline.check_room()
        # An extractor that nobody closes is closed when it is collected, or at the end of the
        # process.
        self._closing = weakref.finalize(self, _close, self._pipeline, native, os.getpid())

    @overload
    def extract(
        self, document: str | Document, *, category: str | None = None, on_error: OnError = "raise"
    ) -> Extraction[T]: ...

    @overload
    def extract(
        self, document: str | Document, *, schema: type[S], on_error: OnError = "raise"
    ) -> Extraction[S]: ...

    @overload
    def extract(
        self,
        document: str | Document,
        *,
        category: str | None = None,
        schema: SchemaForm,
        on_error: OnError = "raise",
    ) -> Extraction[dict[str, Any]]: ...

    def extract(
        self,
        document: str | Document,
        *,
        category: str | None = None,
        schema: object = None,
        on_error: OnError = "raise",
    ) -> Extraction[Any]:
        """The values of one document; ``schema`` takes the place of the extractor's own.

        Args:
            document: the text, or a ``Document``.
            category: chooses the schema, where the document does not name it.
            schema: takes the place of the extractor's own.
            on_error: ``record``: a document that fails gives an extraction with ``error``.

        Raises:
            ContextOverflowError: the document does not fit the context.
            InputError: there is no schema for its category, or it is no text.
            InvalidDataError: a required value is missing or not valid, or the class that is the
                schema refuses the data; never with ``on_invalid="record"``, where ``error`` of the
                extraction says that the class refuses it.
            EngineClosedError: the extractor is closed.
        """
        return self._extract(document, category, schema, on_error)

    @overload
    async def aextract(
        self, document: str | Document, *, category: str | None = None, on_error: OnError = "raise"
    ) -> Extraction[T]: ...

    @overload
    async def aextract(
        self, document: str | Document, *, schema: type[S], on_error: OnError = "raise"
    ) -> Extraction[S]: ...

    @overload
    async def aextract(
        self,
        document: str | Document,
        *,
        category: str | None = None,
        schema: SchemaForm,
        on_error: OnError = "raise",
    ) -> Extraction[dict[str, Any]]: ...

    async def aextract(
        self,
        document: str | Document,
        *,
        category: str | None = None,
        schema: object = None,
        on_error: OnError = "raise",
    ) -> Extraction[Any]:
        """``extract`` for asyncio: as many as ``in_flight`` at a time are decoded together.

        Nothing more is decoded for a task that is cancelled.
        """
        self._check_open()
        if self._threads is None:
            # As many threads as asyncio has of its own may be fewer.
            self._threads = ThreadPoolExecutor(self.options.most_in_flight, "hpd")
        loop = asyncio.get_running_loop()
        cancellation = Cancellation()
        try:
            extract = partial(self._extract, document, category, schema, on_error, cancellation)
            return await loop.run_in_executor(self._threads, extract)
        finally:
            cancellation.cancel()

    @overload
    def extract_many(
        self, documents: Iterable[str | Document], *, on_error: OnError = "raise"
    ) -> Generator[Extraction[T], None, None]: ...

    @overload
    def extract_many(
        self,
        documents: Iterable[str | Document],
        *,
        schema: type[S],
        on_error: OnError = "raise",
    ) -> Generator[Extraction[S], None, None]: ...

    @overload
    def extract_many(
        self,
        documents: Iterable[str | Document],
        *,
        schema: SchemaForm,
        on_error: OnError = "raise",
    ) -> Generator[Extraction[dict[str, Any]], None, None]: ...

    def extract_many(
        self,
        documents: Iterable[str | Document],
        *,
        schema: object = None,
        on_error: OnError = "raise",
    ) -> Generator[Extraction[Any], None, None]:
        """The values of each document, in the order of the documents; they are read lazily.

        Args:
            documents: texts, or ``Document`` where there is an id or a category; a column of a
                table (a Series) is good, too.
            schema: takes the place of the extractor's own; examples are for that one only.
            on_error: ``record``: a document that fails gives an extraction with ``error`` in its
                place, and the others go on.

        Raises:
            InputError: ``documents`` is one text, a mapping or a table.
            EngineClosedError: the extractor is closed.
        """
        return _in_order(self.iter_indexed(documents, schema=schema, on_error=on_error))

    @overload
    def iter_extract(
        self, documents: Iterable[str | Document], *, on_error: OnError = "raise"
    ) -> Iterator[Extraction[T]]: ...

    @overload
    def iter_extract(
        self, documents: Iterable[str | Document], *, schema: type[S], on_error: OnError = "raise"
    ) -> Iterator[Extraction[S]]: ...

    @overload
    def iter_extract(
        self,
        documents: Iterable[str | Document],
        *,
        schema: SchemaForm,
        on_error: OnError = "raise",
    ) -> Iterator[Extraction[dict[str, Any]]]: ...

    def iter_extract(
        self,
        documents: Iterable[str | Document],
        *,
        schema: object = None,
        on_error: OnError = "raise",
    ) -> Iterator[Extraction[Any]]:
        """Like ``extract_many``, each as soon as it is finished: give the documents an ``id``."""
        placed = self.iter_indexed(documents, schema=schema, on_error=on_error)
        return (extraction for _, extraction in placed)

    def iter_indexed(
        self,
        documents: Iterable[str | Document | NotYet],
        *,
        schema: object = None,
        on_error: OnError = "raise",
        on_chunk: OnChunk | None = None,
        cancellation: Cancellation | None = None,
        on_settled: OnSettled | None = None,
    ) -> Iterator[tuple[int, Extraction[Any]]]:
        """Like ``iter_extract``, each with the place of its document in the input.

        ``documents`` may give ``hpd.documents.NOT_YET`` where they would keep the reader waiting;
        ``schema`` may be what ``prepare`` made; with ``cancellation`` another thread can end the
        call, which then raises ``CallCancelledError``. With ``on_overflow="chunk"``, ``on_chunk``
        is called with the place of a document that is cut, the chunks that are finished (0 at
        first), and how many it has. ``on_settled`` is called before a document is finished, with
        its place and the data of its leading attributes whose values nothing changes any more.
        """
        check_documents(documents)
        self._check_open()
        task = schema if isinstance(schema, Task) else None
        if schema is not None and task is None:
            schemas = as_schemas(schema)
            check_task(self.options, schemas, self._system_prompt)
            task = self._pipeline.task(schemas)
        return self._run(documents, task, on_error, on_chunk, cancellation, on_settled)

    def prepare(
        self,
        schema: object,
        *,
        examples: ExamplesForm | Mapping[str, ExamplesForm] = (),
        **settings: object,
    ) -> Task:
        """A schema with options of its own, for any number of calls of ``iter_indexed``.

        What is made of them for the model is kept with them, so prepare the same once.

        Args:
            schema: in any form that ``Extractor`` takes, or read already: one, or one for each
                category.
            examples: documents with their answers, shown in the prompt before every document.
            settings: options by name, for these calls only; others are the extractor's.

        Raises:
            OptionError: an option that a call cannot set for itself, or a value that it cannot
                have.
            SchemaError: the schema cannot be read.
        """
        schemas = as_schemas(schema)
        return prepared(self.options, schemas, examples, self._system_prompt, settings)

    @overload
    def aextract_many(
        self,
        documents: Iterable[str | Document] | AsyncIterable[str | Document],
        *,
        on_error: OnError = "raise",
    ) -> AsyncGenerator[Extraction[T], None]: ...

    @overload
    def aextract_many(
        self,
        documents: Iterable[str | Document] | AsyncIterable[str | Document],
        *,
        schema: type[S],
        on_error: OnError = "raise",
    ) -> AsyncGenerator[Extraction[S], None]: ...

    @overload
    def aextract_many(
        self,
        documents: Iterable[str | Document] | AsyncIterable[str | Document],
        *,
        schema: SchemaForm,
        on_error: OnError = "raise",
    ) -> AsyncGenerator[Extraction[dict[str, Any]], None]: ...

    async def aextract_many(
        self,
        documents: Iterable[str | Document] | AsyncIterable[str | Document],
        *,
        schema: object = None,
        on_error: OnError = "raise",
    ) -> AsyncGenerator[Extraction[Any], None]:
        """``extract_many`` for asyncio: ``async for``; documents may come asynchronously, too."""
        loop = asyncio.get_running_loop()
        given: Iterable[str | Document | NotYet]
        if isinstance(documents, AsyncIterable):
            given = _as_they_come(documents, loop)
        else:
            given = documents
        cancellation = Cancellation()
        iterator = _in_order(
            self.iter_indexed(given, schema=schema, on_error=on_error, cancellation=cancellation)
        )
        # One thread, so that nothing is asked of the iterator while it works.
        with_it = ThreadPoolExecutor(1, "hpd")
        try:
            while True:
                extraction = await loop.run_in_executor(with_it, next, iterator, None)
                if extraction is None:
                    return
                yield extraction
        finally:
            cancellation.cancel()
            with_it.submit(iterator.close)
            with_it.shutdown(wait=False)

    @property
    def stats(self) -> EngineStats:
        """Batches, tokens and time since the engine was made."""
        return self._pipeline.stats

    def close(self) -> None:
        """Free the model and its context.

        A call that is under way in another thread ends with ``EngineClosedError``.
        """
        self._closing()
        if self._threads is not None:
            self._threads.shutdown(wait=False)

    def _check_open(self) -> None:
        if not self._closing.alive:
            raise EngineClosedError("the extractor is closed")

    def __enter__(self) -> Self:
        """Itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close it."""
        self.close()

    async def __aenter__(self) -> Self:
        """Itself."""
        return self

    async def __aexit__(self, *_: object) -> None:
        """Close it, which may wait for a batch, in a thread."""
        await asyncio.to_thread(self.close)

    def _extract(
        self,
        document: str | Document,
        category: str | None,
        schema: object,
        on_error: OnError,
        cancellation: Cancellation | None = None,
    ) -> Extraction[Any]:
        if not isinstance(document, Document):
            document = Document(document, None, category)
        elif category is not None:
            document = replace(document, category=category)
        ((_, extraction),) = self.iter_indexed(
            [document], schema=schema, on_error=on_error, cancellation=cancellation
        )
        return extraction

    def _run(
        self,
        documents: Iterable[str | Document | NotYet],
        task: Task | None,
        on_error: OnError,
        on_chunk: OnChunk | None,
        cancellation: Cancellation | None,
        on_settled: OnSettled | None,
    ) -> Iterator[tuple[int, Extraction[Any]]]:
        options = self.options if task is None else task.options
        for index, extraction in self._pipeline.run(
            documents, task, on_chunk, cancellation, on_settled
        ):
            name = "" if extraction.id is None else f" (id {extraction.id})"
            where = f"document {index + 1}{name}"
            if is_raised(extraction, on_error, options):
                raise error_of(extraction, where)
            if extraction.error is not None:
                _LOGGER.info("%s failed: %s", where, extraction.error)
            else:
                _LOGGER.debug("%s is finished: %d fields", where, len(extraction.fields))
            yield index, extraction


def error_of(extraction: Extraction[Any], where: str) -> HpdError:
    """The error to raise for a document that failed; ``where`` it is, for people."""
    assert extraction.error is not None
    kind = _ERRORS.get(extraction.error.type, HpdError)
    error = kind(f"{where}: {extraction.error.message}")
    if isinstance(error, InvalidDataError):
        error.extraction = extraction
    return error


def is_raised(extraction: Extraction[Any], on_error: OnError, options: Options) -> bool:
    """Whether the extraction failed, with an error that a caller wants raised, not recorded."""
    if extraction.error is None or on_error == "record":
        return False
    return extraction.error.type != "InvalidDataError" or options.on_invalid != "record"


def _close(pipeline: Pipeline, model: Model, process: int) -> None:
    if os.getpid() == process:  # A forked process must leave its parent's model alone.
        pipeline.close()
        model.close()


def check_documents(documents: object) -> None:
    """Refuse what can be iterated over, but not as documents.

    Raises:
        InputError: with the remedy.
    """
    if isinstance(documents, str):
        raise InputError(
            "one text was given where several documents belong: use extract(text), or put it "
            "into a list: [text]"
        )
    if isinstance(documents, bytes | bytearray):
        raise InputError("documents must be text, not bytes: decode them first")
    if isinstance(documents, Mapping):
        raise InputError(
            "a dict was given where documents belong, and it iterates over its keys: give its "
            "values(), or make a list of hpd.Document"
        )
    if isinstance(documents, Document):
        raise InputError("one document was given where several belong: put it into a list")
    columns: Any = getattr(documents, "columns", None)
    if columns is not None and not callable(columns):
        names = ", ".join(map(str, list(columns)[:5]))
        raise InputError(
            f"a table (columns {names}) iterates over its columns, not over documents: give the "
            "column that has the texts, as in table['text']"
        )
    if not isinstance(documents, Iterable):
        raise InputError(f"documents must be an iterable of texts, not {type(documents).__name__}")


def _in_order(
    extractions: Iterator[tuple[int, Extraction[Any]]],
) -> Generator[Extraction[Any], None, None]:
    """Extractions by their place in the input; those that are early wait."""
    early: dict[int, Extraction[Any]] = {}
    n_given = 0
    for place, extraction in extractions:
        early[place] = extraction
        while n_given in early:
            yield early.pop(n_given)
            n_given += 1


def _as_they_come(
    documents: AsyncIterable[str | Document], loop: asyncio.AbstractEventLoop
) -> Iterator[str | Document | NotYet]:
    """Documents that an event loop in another thread gives; while it waits, the rest goes on."""
    iterator = aiter(documents)

    async def following() -> str | Document | None:
        return await anext(iterator, None)

    while True:
        coming = asyncio.run_coroutine_threadsafe(following(), loop)
        try:
            while True:
                try:
                    document = coming.result(_N_SECONDS)
                    break
                except FutureTimeoutError:
                    if coming.done():  # It is the source's own error.
                        raise
                    yield NOT_YET
        finally:
            coming.cancel()
        if document is None:
            return
        yield document
