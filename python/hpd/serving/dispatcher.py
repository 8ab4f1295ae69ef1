"""The scheduling of requests: parsing, queueing and cancellation.

The queue is bounded, and requests have a time limit. Each request has a thread while its documents
are decoded, because the thread that calls the extractor makes the prompts and parses the values;
the extractor decodes the documents of all requests together. Prepared schemas are cached.
"""

from __future__ import annotations

import asyncio
import contextvars
import json
import logging
import math
import re
import threading
import time
import warnings
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from io import BytesIO
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, TypeVar

from hpd.documents import Document
from hpd.errors import (
    CallCancelledError,
    ContextOverflowError,
    EngineClosedError,
    InputError,
    MissingPackageError,
    OptionError,
    SchemaError,
)
from hpd.files.reader import RecordReader
from hpd.files.rows import EXTENSIONS
from hpd.messages import counted
from hpd.options import check_option_name
from hpd.pipeline.cancellation import Cancellation
from hpd.pipeline.recent import RecentlyUsed
from hpd.pipeline.task import Task
from hpd.results import Extraction, Failure
from hpd.schema import SchemaWarning, as_schemas
from hpd.schema.attributes import Schema
from hpd.schema.schemas import Schemas
from hpd.serving import ServerLimits
from hpd.serving.bodies import ExtractBody, FileBody, HttpError, bad_request
from hpd.serving.tracing import record_span

if TYPE_CHECKING:
    from hpd.extractor import Extractor

_LOGGER = logging.getLogger("hpd.serving")

T = TypeVar("T")

MAX_PLANS = 64
"""Maximum number of cached plans."""

_FLAG = re.compile(r" \(--?[a-z-]+(?: [a-z]+)?\)|, --[a-z-]+(?=\))")
"""A flag beside an option's name in a message. Requests set options by name."""

EWMA_WEIGHT = 0.1
"""Weight of the latest request in the moving average for ``Retry-After``."""


@dataclass(frozen=True, slots=True)
class RequestPlan:
    """A task, and warnings about parts of its schema that are not guaranteed."""

    task: Task
    warnings: tuple[str, ...] = ()


class PlanCache:
    """Caches the plans of recent requests; thread-safe.

    Args:
        prepare: ``Extractor.prepare``.
        schema_bytes: maximum size of a schema with its options and examples, as JSON.
        own: the schema for requests without one.
    """

    def __init__(
        self, prepare: Callable[..., Task], schema_bytes: int, own: Schemas | None = None
    ) -> None:
        self._prepare = prepare
        self._schema_bytes = schema_bytes
        self._own = own
        self._lock = threading.Lock()
        self._plans: RecentlyUsed[str, RequestPlan] = RecentlyUsed(MAX_PLANS)

    @property
    def has_own(self) -> bool:
        """Whether requests may omit the schema."""
        return self._own is not None

    def plan(
        self,
        schema: object,
        settings: Mapping[str, Any],
        examples: Sequence[tuple[str, object]] = (),
        param: str = "schema",
    ) -> RequestPlan:
        """Return the plan for a request's schema, options and examples.

        Args:
            schema: in any form except the name of a file or a class; None: the server's own.
            settings: options by name.
            examples: documents with their answers.
            param: the part of the body that has the schema.

        Raises:
            HttpError: the schema cannot be read, or is too large.
        """
        try:
            form = schema.key if isinstance(schema, Schema) else schema
            key = json.dumps([form, settings, examples])
        except RecursionError:
            raise _too_deep(param) from None
        if len(key) > self._schema_bytes:
            raise HttpError(
                413,
                f"the schema with its options and examples has {len(key)} bytes as JSON, and "
                f"{self._schema_bytes} are allowed",
                code="schema_too_large",
                param=param,
            )
        # One at a time, as warnings are caught process-wide.
        with self._lock:
            return self._plans.get_or_make(
                key, lambda: self._make_plan(schema, settings, examples, param)
            )

    def _make_plan(
        self,
        schema: object,
        settings: Mapping[str, Any],
        examples: Sequence[tuple[str, object]],
        param: str,
    ) -> RequestPlan:
        try:
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                schemas = self._own if schema is None else as_schemas(schema)
                if schemas is None:
                    raise bad_request("the schema is missing", param, "missing_parameter")
                for name in settings:
                    check_option_name(name)
                task = self._prepare(schemas, examples=examples, **settings)
        except SchemaError as error:
            # The message begins with "schema, character 15:", "schema:", or neither.
            message = re.sub("^schema(: |, )", "", str(error))
            raise bad_request(f"{param}: {message}", param, "invalid_schema") from None
        except OptionError as error:
            raise bad_request(_without_flags(error), "options", "invalid_option") from None
        except RecursionError:
            raise _too_deep(param) from None
        messages = [
            str(each.message) for each in caught if issubclass(each.category, SchemaWarning)
        ]
        return RequestPlan(task, tuple(dict.fromkeys(messages)))


@dataclass(frozen=True, slots=True)
class ParsedRequest:
    """A parsed request: its documents, its plan, and how it is answered."""

    documents: Sequence[Document]
    plan: RequestPlan
    answer: Callable[[Sequence[Extraction[Any]]], bytes]
    """Formats the extractions of the documents, in order; may raise ``HttpError``."""
    part: Callable[[Mapping[str, Any]], bytes] | None = None
    """If the answer is streamed: formats the values of the only document that have become final
    since the last call. ``answer`` formats the rest."""
    warnings: tuple[str, ...] = ()
    """Parameters that are ignored, for a header."""


def parse_extract(body: ExtractBody, plans: PlanCache, limits: ServerLimits) -> ParsedRequest:
    """Parse a request of ``POST /extract``; raise ``HttpError`` if it cannot be served."""
    is_single = body.texts is None
    documents = documents_of(body, limits)
    plan = plan_of(body, plans)

    def answer(extractions: Sequence[Extraction[Any]]) -> bytes:
        lines = [extraction.to_json() for extraction in extractions]
        whole = lines[0] if is_single else f'{{"extractions": [{", ".join(lines)}]}}'
        if plan.warnings:
            messages = json.dumps(plan.warnings, ensure_ascii=False)
            whole = f'{whole[:-1]}, "warnings": {messages}}}'
        return whole.encode()

    return ParsedRequest(documents, plan, answer)


def plan_of(body: ExtractBody, plans: PlanCache) -> RequestPlan:
    """Return the plan for a request of ``POST /extract``."""
    examples = [(example.text, example.data) for example in body.examples]
    return plans.plan(body.schema_, body.options, examples)


def documents_of(body: ExtractBody, limits: ServerLimits) -> list[Document]:
    """Return the documents of a request; raise ``HttpError`` if there are none, or too many."""
    if body.texts is None:
        if body.file is not None:
            if body.text is not None:
                raise bad_request("give either 'file' or 'text'", "file")
            return [replace(_read_file(body.file), id=body.id, category=body.category)]
        if body.text is None:
            raise bad_request("'text' is missing", "text", "missing_parameter")
        return [Document(body.text, body.id, body.category)]
    for name in ("text", "file", "id", "category"):
        if getattr(body, name) is not None:
            raise bad_request(
                f"'{name}' and 'texts' exclude each other: give one text, or a list of texts "
                "and objects with 'text', 'id' and 'category'",
                name,
            )
    if not body.texts:
        raise bad_request("'texts' is empty", "texts")
    if len(body.texts) > limits.texts:
        raise HttpError(
            413,
            f"{len(body.texts)} texts in one request, but {limits.texts} are allowed: send several "
            "requests",
            code="too_many_texts",
            param="texts",
        )
    return [Document(each.text, each.id, each.category) for each in body.texts]


def _read_file(file: FileBody) -> Document:
    """Read a file as one document; raise ``HttpError`` if it cannot be read."""
    kind = EXTENSIONS.get(PurePath(file.name).suffix.lower())
    if kind is None:
        known = ", ".join(EXTENSIONS)
        raise bad_request(f"{file.name!r}: unsupported file type (known: {known})", "file.name")
    stream = BytesIO(file.data)
    stream.name = file.name
    try:
        with RecordReader(stream, format=kind, whole=True) as reader:
            document = next(reader)
            if document.error is not None:
                raise document.error
    except MissingPackageError as error:
        _LOGGER.warning("warning: %s", error)  # for the operator
        raise HttpError(
            501,
            f"'{file.name}': this server is not set up to read such files: send the text instead",
            code="unsupported_file",
            param="file",
        ) from None
    except InputError as error:
        raise bad_request(str(error), "file") from error
    return document


class ClientGoneError(Exception):
    """The client disconnected."""


class Dispatcher:
    """Runs requests through the extractor, from one event loop.

    Args:
        extractor: extracts from the documents of all requests.
        limits: the limits of the queue and of time.
        n_threads: number of requests decoded concurrently.
        on_extraction: called with each extraction, in its thread.
    """

    def __init__(
        self,
        extractor: Extractor[Any],
        limits: ServerLimits,
        n_threads: int,
        on_extraction: Callable[[Extraction[Any]], None],
    ) -> None:
        self._extractor = extractor
        self._limits = limits
        self._on_extraction = on_extraction
        self._threads = ThreadPoolExecutor(n_threads, "hpd-request")
        self._lock = threading.Lock()
        self.n_pending = 0
        """The number of unanswered documents."""
        self.is_stopping = False
        """Whether new requests are rejected."""
        self._cancellations: set[Cancellation] = set()
        self._seconds = 1.0
        """The moving average of the time of recent requests."""

    async def answer(self, parsed: ParsedRequest, gone: Callable[[], Awaitable[None]]) -> bytes:
        """Return the whole answer to a request."""
        return b"".join([part async for part in self.parts(parsed, gone)])

    async def parts(
        self, parsed: ParsedRequest, gone: Callable[[], Awaitable[None]]
    ) -> AsyncGenerator[bytes, None]:
        """Yield the answer to a request, in parts if it is streamed.

        Args:
            parsed: the request.
            gone: waits until the client disconnects, which cancels the request.

        Raises:
            HttpError: the queue is full, time is up, or the server is shutting down.
            ClientGoneError: the client disconnected.
        """
        loop = asyncio.get_running_loop()
        items: asyncio.Queue[bytes | asyncio.Future[Any]] = asyncio.Queue()
        cancellation = Cancellation()
        start = time.monotonic()
        work = self._start_work(
            parsed, cancellation, lambda part: loop.call_soon_threadsafe(items.put_nowait, part)
        )
        done: asyncio.Future[bytes] = asyncio.wrap_future(work)
        waiting: asyncio.Future[None] = asyncio.ensure_future(gone())
        for each in (done, waiting):
            each.add_done_callback(items.put_nowait)
        try:
            while (item := await self._next(items, start)) is not done:
                if not isinstance(item, bytes):
                    raise ClientGoneError
                yield item
            self._seconds += EWMA_WEIGHT * (time.monotonic() - start - self._seconds)
            yield _result(done)
        finally:
            waiting.cancel()
            if not done.done():
                # A request that still waits for a thread never gets one.
                done.cancel()
                cancellation.cancel()

    async def _next(self, items: asyncio.Queue[T], start: float) -> T:
        """Return the next item for a request that began at ``start``, within its time limit."""
        left = self._limits.seconds - (time.monotonic() - start)
        try:
            return await asyncio.wait_for(items.get(), left)
        except asyncio.TimeoutError:
            raise HttpError(
                504,
                f"no answer within {self._limits.seconds:g} s: send fewer or shorter documents",
                code="timeout",
            ) from None

    def stop_accepting(self) -> None:
        """Reject new requests; pending ones continue."""
        self.is_stopping = True

    def cancel_all(self) -> int:
        """Cancel pending requests, and return their number."""
        with self._lock:
            under_way = list(self._cancellations)
        for cancellation in under_way:
            cancellation.cancel()
        return len(under_way)

    def close(self) -> None:
        """Cancel pending requests, and stop the threads."""
        self.stop_accepting()
        self.cancel_all()
        self._threads.shutdown(cancel_futures=True)

    def _start_work(
        self, parsed: ParsedRequest, cancellation: Cancellation, send: Callable[[bytes], object]
    ) -> Future[bytes]:
        n = len(parsed.documents)
        with self._lock:
            if self.is_stopping:
                raise _shutting_down()
            if self.n_pending + n > self._limits.waiting:
                raise self._queue_full(n)
            self.n_pending += n
            self._cancellations.add(cancellation)

        def release(_: object) -> None:
            with self._lock:
                self.n_pending -= n
                self._cancellations.discard(cancellation)

        # The thread's spans become children of the request's span.
        context = contextvars.copy_context()
        work = self._threads.submit(context.run, self._run, parsed, cancellation, send)
        work.add_done_callback(release)
        return work

    def _queue_full(self, n: int) -> HttpError:
        waiting = self._limits.waiting
        return HttpError(
            429,
            f"{counted(self.n_pending, 'document', 'is')} already waiting, and {n} more "
            f"would exceed {waiting}: try again later",
            code="queue_full",
            headers={"Retry-After": str(min(60, max(1, math.ceil(self._seconds))))},
        )

    def _run(
        self, parsed: ParsedRequest, cancellation: Cancellation, send: Callable[[bytes], object]
    ) -> bytes:
        """Extract and format the answer, in a thread; ``send`` gets the parts to send earlier."""
        write = parsed.part

        def send_settled(_: int, data: Mapping[str, Any]) -> None:
            if write is not None and (part := write(data)):
                send(part)

        extractions: dict[int, Extraction[Any]] = {}
        start = time.time_ns()
        for index, extraction in self._extractor.iter_indexed(
            parsed.documents,
            schema=parsed.plan.task,
            on_error="record",
            cancellation=cancellation,
            on_settled=send_settled if write is not None else None,
        ):
            failure = extraction.error
            if failure is not None and isinstance(failure.exception, ContextOverflowError):
                failure = Failure(ContextOverflowError(_without_flags(failure.exception)))
                extraction = replace(extraction, error=failure)
            self._on_extraction(extraction)
            record_span(extraction, start)
            extractions[index] = extraction
        return parsed.answer([extractions[index] for index in range(len(parsed.documents))])


def _result(done: asyncio.Future[bytes]) -> bytes:
    """Return the answer; raise ``HttpError`` if the server cancelled the request."""
    if done.cancelled():
        raise _shutting_down()
    try:
        return done.result()
    except (CallCancelledError, EngineClosedError):
        raise _shutting_down() from None


def _shutting_down() -> HttpError:
    return HttpError(
        503,
        "the server is shutting down",
        code="shutting_down",
        headers={"Connection": "close", "Retry-After": "5"},
    )


def _without_flags(error: Exception) -> str:
    return _FLAG.sub("", str(error))


def _too_deep(param: str) -> HttpError:
    return bad_request("the schema is nested too deeply", param, "invalid_schema")
