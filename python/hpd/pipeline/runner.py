"""The way of jobs through the engine.

All host work (reading documents, tokenising, parsing, grounding) is done here, in the threads of
the callers, while the worker's thread waits for the device.
"""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Iterator
from typing import Any

from hpd._native import Engine
from hpd.documents import NOT_YET, NotYet
from hpd.errors import CallCancelledError
from hpd.pipeline.cancellation import Cancellation
from hpd.pipeline.job import Job
from hpd.pipeline.long_documents import Item
from hpd.pipeline.request import Request
from hpd.pipeline.worker import Caller, Failed, Message, Wanted, Worker
from hpd.results import Extraction

_N_AT_ONCE = 1000
"""The most items that overtake those in the engine because all their values are known: whoever
gives results out in order keeps them meanwhile."""


class Runner:
    """Takes jobs through one engine, for any number of callers at the same time.

    Args:
        engine: the engine, which belongs to this runner: nobody else may drive or close it.
        n_ahead: the number of requests that a caller prepares before the engine wants them.
    """

    def __init__(self, engine: Engine, n_ahead: int) -> None:
        self._worker = Worker(engine)
        self._n_ahead = n_ahead
        self._numbers = itertools.count()

    def run(
        self, items: Iterator[Item | NotYet], cancellation: Cancellation | None = None
    ) -> Iterator[tuple[int, Extraction[Any]]]:
        """The extractions of all items with their places in the input, as soon as each is finished.

        Items are pulled when the engine wants them. The caller may leave the iterator at any time;
        its requests are then cancelled.

        Raises:
            CallCancelledError: by way of ``cancellation``.
            EngineClosedError: the runner was closed.
            HpdError: this process was forked from the one that made the engine.
        """
        self._worker.start()
        caller = Caller()
        if cancellation is not None:
            error = CallCancelledError("the call was cancelled")
            cancellation.attach(lambda: caller.messages.put(error))
        run = _Run(self._worker, caller, self._numbers)
        n_room = self._n_ahead
        n_at_once = 0  # items that were finished as they came, since the engine gave a result
        is_exhausted = False
        try:
            while True:
                while not caller.messages.empty():
                    n_room += run.take(caller.messages.get())
                    n_at_once = 0
                if run.finished:
                    # Nothing comes from this caller meanwhile, so the engine need not wait for it.
                    caller.is_reading = False
                    while run.finished:
                        yield run.finished.popleft()
                    caller.is_reading = not is_exhausted
                elif n_room > 0 and not is_exhausted and (n_at_once < _N_AT_ONCE or not run.jobs):
                    item = next(items, None)
                    caller.is_reading = item is not NOT_YET
                    if item is NOT_YET:
                        continue
                    if item is None:
                        is_exhausted = True
                        caller.is_reading = False
                    elif isinstance(item, Job):
                        n_started = run.start(item)
                        n_room -= n_started
                        n_at_once += n_started == 0
                    else:
                        run.finished.append(item)
                elif is_exhausted and not run.jobs:
                    return
                else:
                    caller.is_reading = False
                    message = caller.messages.get()
                    caller.is_reading = not is_exhausted
                    n_room += run.take(message)
                    n_at_once = 0
        finally:
            self._worker.leave(caller)

    def teach(self, values: list[tuple[int, list[int]]]) -> None:
        """Let the drafter learn values that are known, by the numbers of their attributes."""
        self._worker.teach(values)

    def close(self) -> None:
        """End what is under way with ``EngineClosedError``, and free the engine's memory."""
        self._worker.close()


class _Run:
    """The jobs of one caller: those that the worker has, and the extractions that are ready."""

    def __init__(self, worker: Worker, caller: Caller, numbers: Iterator[int]) -> None:
        self.jobs: dict[int, Job] = {}
        """The jobs by the number of the request for which each waits."""
        self.finished: deque[tuple[int, Extraction[Any]]] = deque()
        self._worker = worker
        self._caller = caller
        self._numbers = numbers

    def start(self, job: Job) -> int:
        """Start a job; returns the number of requests for which that takes room.

        None where all its values are known: it is finished then.
        """
        request = job.first()
        if request is None:
            self.finished.extend(job.extractions())
            return 0
        self.send(job, request, is_first=True)
        return 1

    def send(self, job: Job, request: Request, *, is_first: bool) -> None:
        """Send a job's request to the worker."""
        number = next(self._numbers)
        self.jobs[number] = job
        self._worker.send(self._caller, number, request, is_first=is_first)

    def take(self, message: Message) -> int:
        """Handle one message; returns the number of requests for which it makes room."""
        if isinstance(message, Exception):
            raise message
        if isinstance(message, Wanted):
            return 1
        if isinstance(message, Failed):
            job = self.jobs.pop(message.number)
            job.fail(message.error)
        else:
            job = self.jobs.pop(message.id)
            kept_prompt = job.kept_prompt
            request = job.take(message)
            if request is not None:
                self.send(job, request, is_first=False)
                return 0
            if kept_prompt is not None:
                self._worker.forget_prompt(self._caller, kept_prompt)
        self.finished.extend(job.extractions())
        return 0
