"""Requests on their way through the extractor: a queue with an end, time limits, cancellation.

Each request has a thread while its documents are decoded, as the host's work for a document is done
by its caller; the extractor decodes the documents of all of them together.
"""

from __future__ import annotations

import asyncio
import math
import threading
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, Literal, Protocol

from hpd.documents import Document
from hpd.errors import CallCancelledError, EngineClosedError
from hpd.pipeline import Cancellation, Task
from hpd.results import Extraction
from hpd.serving.asked import Answer, Asked
from hpd.serving.limits import Limits
from hpd.serving.refusals import RefusedError

_LATEST = 0.1
"""The weight of the latest request in the average that ``Retry-After`` is made of."""


class Extracting(Protocol):
    """An extractor."""

    def iter_extract(
        self,
        documents: Sequence[Document],
        *,
        schema: Task,
        on_error: Literal["record"],
        cancellation: Cancellation,
    ) -> Iterator[tuple[int, Extraction[Any]]]:
        """The extraction of each document with its place."""


class ClientGoneError(Exception):
    """Whoever sent the request does not wait for its answer any more."""


class Dispatcher:
    """Has the documents of requests decoded; belongs to one event loop.

    Args:
        extractor: decodes what all requests ask for.
        limits: how much may wait, and how long.
        n_threads: the requests whose documents are decoded at the same time.
        note: is told of each extraction, by the thread that has it.
    """

    def __init__(
        self,
        extractor: Extracting,
        limits: Limits,
        n_threads: int,
        note: Callable[[Extraction[Any]], None],
    ) -> None:
        self._extractor = extractor
        self._limits = limits
        self._note = note
        self._threads = ThreadPoolExecutor(n_threads, "hpd-request")
        self._lock = threading.Lock()
        self._n_pending = 0
        self._under_way: set[Cancellation] = set()
        self._is_ending = False
        self._seconds = 1.0
        """The time that the latest requests took, on average."""

    @property
    def n_pending(self) -> int:
        """The documents that are not answered yet."""
        return self._n_pending

    @property
    def is_ending(self) -> bool:
        """Whether no more requests are taken on."""
        return self._is_ending

    async def answer(self, asked: Asked, gone: Callable[[], Awaitable[None]]) -> Answer:
        """The answer to a request.

        Args:
            asked: the request.
            gone: waits until nobody waits for the answer any more, which is then not made.

        Raises:
            RefusedError: the queue is full, the time is over, or the server ends.
            ClientGoneError: by way of ``gone``.
        """
        cancellation = Cancellation()
        work = self._begin(asked, cancellation)
        waiting: asyncio.Future[None] = asyncio.ensure_future(gone())
        done: asyncio.Future[Answer] = asyncio.wrap_future(work)
        either: set[asyncio.Future[Any]] = {done, waiting}
        start = time.monotonic()
        try:
            await asyncio.wait(
                either,
                timeout=self._limits.seconds,
                return_when=asyncio.FIRST_COMPLETED,
            )
            if done.done():
                self._seconds += _LATEST * (time.monotonic() - start - self._seconds)
                return _result(done)
            if waiting.done():
                raise ClientGoneError
            raise RefusedError(
                504,
                f"there was no answer within {self._limits.seconds:g} s: send less at a time",
                code="timeout",
            )
        finally:
            waiting.cancel()
            if not done.done():
                # One that has no thread yet never gets one.
                done.cancel()
                cancellation.cancel()

    def end(self) -> None:
        """Take on no more requests; those that are under way go on."""
        self._is_ending = True

    def cancel_all(self) -> int:
        """Cancel what is under way; returns the number of requests."""
        with self._lock:
            under_way = list(self._under_way)
        for cancellation in under_way:
            cancellation.cancel()
        return len(under_way)

    def close(self) -> None:
        """Cancel what is under way, and end the threads."""
        self.end()
        self.cancel_all()
        self._threads.shutdown(cancel_futures=True)

    def _begin(self, asked: Asked, cancellation: Cancellation) -> Future[Answer]:
        n = len(asked.documents)
        with self._lock:
            if self._is_ending:
                raise _ending()
            if self._n_pending + n > self._limits.waiting:
                raise self._full(n)
            self._n_pending += n
            self._under_way.add(cancellation)

        def release(_: object) -> None:
            with self._lock:
                self._n_pending -= n
                self._under_way.discard(cancellation)

        work = self._threads.submit(self._work, asked, cancellation)
        work.add_done_callback(release)
        return work

    def _full(self, n: int) -> RefusedError:
        waiting = self._limits.waiting
        return RefusedError(
            429,
            f"{self._n_pending} documents are waiting already, and with {n} more there would be "
            f"more than {waiting}: try again later",
            code="queue_full",
            headers={"Retry-After": str(min(60, max(1, math.ceil(self._seconds))))},
        )

    def _work(self, asked: Asked, cancellation: Cancellation) -> Answer:
        """Extract and write the answer, in a thread."""
        extractions: dict[int, Extraction[Any]] = {}
        for place, extraction in self._extractor.iter_extract(
            asked.documents,
            schema=asked.plan.task,
            on_error="record",
            cancellation=cancellation,
        ):
            self._note(extraction)
            extractions[place] = extraction
        return asked.answer([extractions[place] for place in range(len(asked.documents))])


def _result(done: asyncio.Future[Answer]) -> Answer:
    """The answer; a request that was cancelled otherwise than by its own client gets none."""
    if done.cancelled():
        raise _ending()
    try:
        return done.result()
    except (CallCancelledError, EngineClosedError):
        raise _ending() from None


def _ending() -> RefusedError:
    return RefusedError(
        503,
        "the server is ending",
        code="server_ending",
        headers={"Connection": "close", "Retry-After": "5"},
    )
