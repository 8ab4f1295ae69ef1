"""``Extractor``: documents in, extractions out."""

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
from hpd.errors import EngineClosedError, HpdError, InputError, InvalidDataError, OptionError
from hpd.models.memory import warn_of_shortage
from hpd.models.settings import engine_options, load_model, tuned_values
from hpd.options import Options, combine_options
from hpd.pipeline.callbacks import OnChunk, OnSettled
from hpd.pipeline.cancellation import Cancellation
from hpd.pipeline.examples import ExamplesForm
from hpd.pipeline.layout_warning import warn_of_layout
from hpd.pipeline.pipeline import Pipeline
from hpd.pipeline.plan import RunPlan, plan_run
from hpd.pipeline.reuse import reuse_of
from hpd.pipeline.task import Task, prepare_task
from hpd.results import Extraction
from hpd.schema import as_schemas
from hpd.schema.attributes import Schema
from hpd.schema.schemas import Schemas
from hpd.values.confidence import METADATA_KEY, map_of_model

if TYPE_CHECKING:
    from typing_extensions import Self, Unpack

    from hpd._native import EngineStats, Model
    from hpd.options import Settings

T = TypeVar("T")
S = TypeVar("S")

SchemaForm = str | os.PathLike[str] | Sequence[str] | Mapping[str, Any] | Schema | Schemas
"""Any form of a schema except a class."""
OnError = Literal["raise", "record"]


def check_on_error(on_error: object) -> None:
    """Raise ``OptionError`` if a value is not an ``OnError``."""
    if on_error not in ("raise", "record"):
        raise OptionError(f"on_error must be 'raise' or 'record', not {on_error!r}")


_LOGGER = logging.getLogger("hpd")
"""Logs failed documents (WARNING), loaded models (INFO) and finished documents (DEBUG)."""
# Without any handler, Python writes warnings to standard error.
_LOGGER.addHandler(logging.NullHandler())

_ASYNC_WAIT_SECONDS = 0.02
"""Seconds to wait for the next async document before decoding continues without it."""


class Extractor(Generic[T]):
    """Extracts the attributes of a schema from documents with one model.

    Use it as a context manager, or call ``close()``. Several threads may share one extractor; their
    documents are decoded together.

    Args:
        schema: a class (Pydantic model, dataclass, TypedDict), a JSON Schema, a list of names, a
            dict of name to description, a one-line schema, or a path to a file with one of these;
            or a dict that maps each category to a schema. The data of an extraction is an instance
            of the class, or a dict for any other schema.
        model: path of a GGUF file; None for the bundled model.
        hf_repo: ``user/repo[:QUANT]`` on the Hugging Face Hub, instead of ``model``.
        options: how to read and decode; single options can also be passed by name.
        examples: documents with their answers, ``(text, data)`` or ``{"text": ..., "data": ...}``,
            shown in the prompt before every document; a dict by category if there is a schema per
            category.
        system_prompt: replaces the default system prompt, which states the task and the form of
            the answer.
        progress: called with the fraction of the model that is loaded; may return False to stop.

    Options that are not set take the values that ``hpd tune`` found for this model and machine;
    ``options`` includes them and ``tuned`` lists them. ``HPD_TUNED=0`` disables this. A
    ``MemoryWarning`` is issued if the model will probably not fit into memory, and a
    ``LayoutWarning`` if the layout ``label`` is used with a model that was not trained for it.

    Raises:
        OptionError: an option or an example is invalid.
        SchemaError: the schema cannot be read.
        ModelLoadError: the model cannot be found or loaded.
        ContextOverflowError: the schema leaves no room for a document.
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
        given = combine_options(options, settings)
        plan = plan_run(schema, model, hf_repo, given, examples, system_prompt)
        self._load(plan, progress)

    @classmethod
    def from_plan(cls, plan: RunPlan) -> Extractor[Any]:
        """Return an extractor for a run that was planned before; raises what the class does."""
        extractor: Extractor[Any] = cls.__new__(cls)
        extractor._load(plan)
        return extractor

    def _load(self, plan: RunPlan, progress: Callable[[float], bool | None] | None = None) -> None:
        path, given = plan.model, plan.task.options
        warn_of_shortage(path, given)
        start = time.perf_counter()
        native = load_model(path, given, progress)
        _LOGGER.info("loaded %s in %.1f s", path, time.perf_counter() - start)
        confidence_map = plan.confidence_map or plan.stored_calibration
        # The file's calibration was not fitted to the model with an adapter.
        if confidence_map is None and not (given.calibration or given.adapters):
            confidence_map = map_of_model(native.metadata(METADATA_KEY))
        # Tuned values are measured, and may differ from one tuning to the next.
        self.tuned = {} if given.deterministic else tuned_values(native, path, given)
        self.options = given.with_defaults(self.tuned)
        warn_of_layout(native, self.options)
        task = replace(plan.task, options=self.options)
        self.schemas = task.schemas
        self._pipeline = Pipeline(
            native,
            task,
            engine_options(self.options),
            # Which documents share a prompt must not depend on tuned values.
            flush_after=4 * given.stack * given.with_defaults().max_in_flight,
            reuse=reuse_of(path, self.options),
            confidence_map=confidence_map,
        )
        self._system_prompt = task.system_prompt
        self._threads: ThreadPoolExecutor | None = None
        self._pipeline.check_room()
        # If the user does not close the extractor, this happens at garbage collection or exit.
        self._closing = weakref.finalize(self, _close_pipeline, self._pipeline, native, os.getpid())

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
        """Extract the values of one document.

        Args:
            document: the text, or a ``Document``.
            category: selects the schema, in place of the document's own category.
            schema: used instead of the extractor's own.
            on_error: ``raise`` the document's error, or ``record`` it in the extraction.

        Raises:
            ContextOverflowError: the document does not fit into the context.
            InputError: its category has no schema, or it is not text.
            InvalidDataError: a required value is missing or invalid, or the schema's class rejects
                the data; with ``on_invalid="record"`` this is only recorded in the extraction.
            OptionError: a category is given, but there is one schema for all documents.
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
        """Extract from one document in asyncio; up to ``in_flight`` calls are decoded together.

        Cancelling the task stops decoding. Arguments and errors are those of ``extract``.
        """
        self._check_open()
        if self._threads is None:
            # asyncio's default executor may have fewer threads.
            self._threads = ThreadPoolExecutor(self.options.max_in_flight, "hpd")
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
        self, documents: Iterable[str | Document], *, schema: type[S], on_error: OnError = "raise"
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
        """Yield the extraction of each document, in input order; documents are read lazily.

        Args:
            documents: texts, or ``Document`` for an id or a category; a column of a table works
                as well.
            schema: used instead of the extractor's own, and without its examples.
            on_error: ``raise`` the error of a document, or ``record`` it in its extraction and
                continue.

        Raises:
            InputError: ``documents`` is a single text, a mapping or a table.
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
        """Like ``extract_many``, but in order of completion; give the documents an ``id``."""
        indexed = self.iter_indexed(documents, schema=schema, on_error=on_error)
        return (extraction for _, extraction in indexed)

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
        """Like ``iter_extract``, but yields each document's index in the input as well.

        Args:
            documents: as for ``extract_many``; may yield ``hpd.documents.NOT_YET`` instead of
                blocking.
            schema: as for ``extract_many``, or a task from ``prepare``.
            on_error: as for ``extract_many``.
            on_chunk: called when a document is split into chunks and when a chunk is finished, with
                the document's index, the finished chunks and the number of chunks.
            cancellation: lets another thread end the call, which then raises
                ``CallCancelledError``.
            on_settled: called before a document is finished, with its index and the data of its
                leading attributes that can no longer change.
        """
        check_documents(documents)
        return self._run(documents, schema, on_error, on_chunk, cancellation, on_settled)

    def prepare(
        self,
        schema: object,
        *,
        examples: ExamplesForm | Mapping[str, ExamplesForm] = (),
        **settings: object,
    ) -> Task:
        """Prepare a schema with its own examples and options, for repeated ``iter_indexed`` calls.

        The task keeps what is compiled for the model, so prepare each schema only once.

        Args:
            schema: any form that ``Extractor`` accepts.
            examples: documents with their answers, shown in the prompt before every document.
            settings: options by name that override the extractor's.

        Raises:
            OptionError: an option is invalid, or cannot be set per call.
            SchemaError: the schema cannot be read.
        """
        schemas = as_schemas(schema)
        return prepare_task(self.options, schemas, examples, self._system_prompt, settings)

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
        """Like ``extract_many``, for asyncio; ``documents`` may be an async iterable as well."""
        loop = asyncio.get_running_loop()
        source: Iterable[str | Document | NotYet]
        if isinstance(documents, AsyncIterable):
            source = _iterate_async(documents, loop)
        else:
            source = documents
        cancellation = Cancellation()
        iterator = _in_order(
            self.iter_indexed(source, schema=schema, on_error=on_error, cancellation=cancellation)
        )
        # One thread, as a generator cannot be resumed while it runs.
        executor = ThreadPoolExecutor(1, "hpd")
        try:
            while True:
                extraction = await loop.run_in_executor(executor, next, iterator, None)
                if extraction is None:
                    return
                yield extraction
        finally:
            cancellation.cancel()
            executor.submit(iterator.close)
            executor.shutdown(wait=False)

    @property
    def stats(self) -> EngineStats:
        """The numbers of batches and tokens, and the time, since the engine was created."""
        return self._pipeline.stats

    def close(self) -> None:
        """Free the model and its context.

        A call in progress in another thread raises ``EngineClosedError``.
        """
        self._closing()
        if self._threads is not None:
            self._threads.shutdown(wait=False)

    def _check_open(self) -> None:
        if not self._closing.alive:
            raise EngineClosedError("the extractor is closed")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        # Closing may wait for a batch.
        await asyncio.to_thread(self.close)

    def _extract(
        self,
        document: str | Document,
        category: str | None,
        schema: object,
        on_error: OnError,
        cancellation: Cancellation | None = None,
    ) -> Extraction[Any]:
        if category is not None:
            schemas = self.schemas if schema is None else as_schemas(schema)
            if schemas.single is not None:
                raise OptionError(
                    f"category {category!r} has no effect: there is one schema for all documents"
                )
        if not isinstance(document, Document):
            document = Document(document, None, category)
        elif category is not None:
            document = replace(document, category=category)
        ((_, extraction),) = self._run(
            [document], schema, on_error, cancellation=cancellation, is_single=True
        )
        return extraction

    def _run(
        self,
        documents: Iterable[str | Document | NotYet],
        schema: object,
        on_error: OnError,
        on_chunk: OnChunk | None = None,
        cancellation: Cancellation | None = None,
        on_settled: OnSettled | None = None,
        *,
        is_single: bool = False,
    ) -> Iterator[tuple[int, Extraction[Any]]]:
        check_on_error(on_error)
        self._check_open()
        task = schema if isinstance(schema, Task) else None
        if schema is not None and task is None:
            task = self._pipeline.task_for(as_schemas(schema))
        return self._results(
            self._pipeline.run(documents, task, on_chunk, cancellation, on_settled),
            on_error,
            self.options if task is None else task.options,
            is_single=is_single,
        )

    # A method, so that the extractor is not collected as garbage during the iteration.
    def _results(
        self,
        extractions: Iterator[tuple[int, Extraction[Any]]],
        on_error: OnError,
        options: Options,
        *,
        is_single: bool,
    ) -> Iterator[tuple[int, Extraction[Any]]]:
        """Yield the extractions; log them, and raise what must be raised."""
        for index, extraction in extractions:
            name = "" if extraction.id is None else f" (id {extraction.id})"
            where = f"document {index + 1}{name}"
            if should_raise(extraction, on_error, options):
                raise error_of(extraction, "" if is_single else where)
            if extraction.error is not None:
                _LOGGER.warning("%s failed: %s", where, extraction.error)
            else:
                _LOGGER.debug("%s is finished: %d fields", where, len(extraction.fields))
            yield index, extraction


def error_of(extraction: Extraction[Any], where: str) -> HpdError:
    """Return the exception for a failed document; its message begins with ``where``, if any."""
    assert extraction.error is not None
    cause = extraction.error.exception
    kind = type(cause) if isinstance(cause, HpdError) else HpdError
    error = kind(f"{where}: {cause}" if where else str(cause))
    error.__cause__ = cause
    if isinstance(error, InvalidDataError):
        error.extraction = extraction
    return error


def should_raise(extraction: Extraction[Any], on_error: OnError, options: Options) -> bool:
    """Return whether an extraction failed with an error that must be raised, not recorded."""
    if extraction.error is None or on_error == "record":
        return False
    is_invalid = isinstance(extraction.error.exception, InvalidDataError)
    return not is_invalid or options.on_invalid != "record"


def _close_pipeline(pipeline: Pipeline, model: Model, process: int) -> None:
    if os.getpid() == process:  # A forked process must not free its parent's model.
        pipeline.close()
        model.close()


def check_documents(documents: object) -> None:
    """Reject iterables that are not collections of documents, such as a single text or a table.

    Raises:
        InputError: with what to pass instead.
    """
    if isinstance(documents, str):
        raise InputError(
            "one text was given, but several documents are expected: use extract(text), or put it "
            "into a list: [text]"
        )
    if isinstance(documents, bytes | bytearray):
        raise InputError("documents must be text, not bytes: decode them first")
    if isinstance(documents, Mapping):
        raise InputError(
            "a dict was given, which iterates over its keys, but documents are expected: give its "
            "values(), or make a list of hpd.Document"
        )
    if isinstance(documents, Document):
        raise InputError("one document was given, but several are expected: put it into a list")
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
    """Yield extractions in the order of their indices."""
    early: dict[int, Extraction[Any]] = {}
    next_index = 0
    for index, extraction in extractions:
        early[index] = extraction
        while next_index in early:
            yield early.pop(next_index)
            next_index += 1


def _iterate_async(
    documents: AsyncIterable[str | Document], loop: asyncio.AbstractEventLoop
) -> Iterator[str | Document | NotYet]:
    """Iterate in this thread over an async iterable whose event loop runs in another thread.

    Yields ``NOT_YET`` while no document is ready.
    """
    iterator = aiter(documents)

    async def next_document() -> str | Document | None:
        return await anext(iterator, None)

    while True:
        future = asyncio.run_coroutine_threadsafe(next_document(), loop)
        try:
            while True:
                try:
                    document = future.result(_ASYNC_WAIT_SECONDS)
                    break
                except FutureTimeoutError:
                    if future.done():  # The source itself raised TimeoutError.
                        raise
                    yield NOT_YET
        finally:
            future.cancel()
        if document is None:
            return
        yield document
