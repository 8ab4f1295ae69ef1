"""The loop that feeds the engine: one thread drives it for any number of callers."""

from __future__ import annotations

import itertools
import os
import threading
import time
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue
from typing import Any, Final

from hpd._native import Engine, Result
from hpd.documents import NOT_YET, NotYet
from hpd.errors import CallCancelledError, EngineClosedError, HpdError
from hpd.pipeline import Cancellation
from hpd.pipeline.long_documents import Item
from hpd.pipeline.prompts import Job
from hpd.pipeline.questionnaire import Request
from hpd.results import Extraction

_CLOSED = "the extractor is closed"

_FIRST_PATIENCE = 0.05
"""Seconds that the first step waits for more requests; later ones go by the time of a step."""


class Wanted:
    """Tells a caller that there is room for one more request."""


WANTED: Final = Wanted()


@dataclass(frozen=True, slots=True)
class Failed:
    """Tells a caller that a request cannot be decoded, not even alone."""

    number: int
    error: Exception


Message = Result | Wanted | Failed | Exception


@dataclass(eq=False, slots=True)
class Caller:
    """One caller: the requests that wait for the engine, and the messages that wait for the caller.

    Every attribute is written by one thread only: the marks by the caller's, the rest by the
    worker.
    """

    messages: SimpleQueue[Message] = field(default_factory=SimpleQueue)
    is_reading: bool = True
    """A mark: the caller is about to send a request, as far as it knows."""
    is_gone: bool = False
    """A mark: nobody waits for the results any more."""
    waiting: deque[tuple[int, Request]] = field(default_factory=deque)
    """Requests that the engine has not been given yet."""
    in_engine: dict[int, Request] = field(default_factory=dict)
    n_unanswered: int = 0
    """Results handed out that may lead to another wave, but have not yet."""
    is_late: bool = False
    """The engine has waited for the caller in vain, and will not until it sends something."""


@dataclass(frozen=True, slots=True)
class _Send:
    caller: Caller
    number: int
    request: Request
    is_first: bool


@dataclass(frozen=True, slots=True)
class _Forget:
    """Says that a job is over, and with it the prompt that was kept for it."""

    caller: Caller
    prompt: list[int]


@dataclass(frozen=True, slots=True)
class _Teach:
    """Known values, from which the drafter learns: attribute numbers, and tokens."""

    values: list[tuple[int, list[int]]]


class Worker:
    """Drives one engine for any number of callers, from a thread of its own.

    Args:
        engine: given up to this worker: nobody else may drive or close it.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._commands: SimpleQueue[_Send | _Forget | _Teach | None] = SimpleQueue()
        self._callers: list[Caller] = []  # Those that have sent something.
        self._patience = _FIRST_PATIENCE
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._process = os.getpid()
        self._is_closed = False
        self._has_ended = False

    # --- from the threads of the callers ---------------------------------------------------------

    def start(self) -> None:
        """Start the thread, if it does not run yet.

        Raises:
            EngineClosedError: the worker was closed.
            HpdError: this process was forked from the one that made the engine.
        """
        if os.getpid() != self._process:
            raise HpdError(
                "the extractor was made before this process was forked, and cannot be used in it: "
                "make it here, or start processes with multiprocessing's 'spawn'"
            )
        with self._lock:
            if self._is_closed:
                raise EngineClosedError(_CLOSED)
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name="hpd", daemon=True)
                self._thread.start()

    def send(self, caller: Caller, number: int, request: Request, *, is_first: bool) -> None:
        """Have a request decoded; its result will be among the caller's messages.

        Args:
            caller: whoever waits for it.
            number: the request's, unlike that of any other.
            request: what to decode.
            is_first: it waits until the engine wants one more prompt, and then the caller is told
                so; a later wave of a prompt does not wait.
        """
        self._command(_Send(caller, number, request, is_first))

    def forget_prompt(self, caller: Caller, prompt: list[int]) -> None:
        """Let go of the prompt that was kept for a job's next wave: there is none."""
        self._command(_Forget(caller, prompt))

    def teach(self, values: list[tuple[int, list[int]]]) -> None:
        """Let the drafter learn values that are known, by the numbers of their attributes."""
        self._commands.put(_Teach(values))

    def leave(self, caller: Caller) -> None:
        """Say that nobody waits any more for what the caller has sent, which is then cancelled."""
        # No more than marks: this may run wherever the garbage collector does.
        caller.is_reading = False
        caller.is_gone = True
        self._engine.wake()

    def close(self) -> None:
        """End what is under way with ``EngineClosedError``, and free the engine's memory."""
        if os.getpid() != self._process:
            return  # The thread, and whatever it holds, are the other process's.
        with self._lock:
            self._is_closed = True
        self._commands.put(None)
        self._engine.close()
        # The garbage collector may close an extractor in any thread, the worker's included.
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join()

    def _command(self, command: _Send | _Forget) -> None:
        self._commands.put(command)
        self._engine.wake()
        # The worker says that it has ended before it looks for commands one last time.
        if self._has_ended:
            raise EngineClosedError(_CLOSED)

    # --- from the worker's own thread ------------------------------------------------------------

    def _work(self) -> None:
        error: Exception = EngineClosedError(_CLOSED)
        try:
            while self._prepare_step():
                self._step()
        except EngineClosedError:
            pass
        except Exception as fault:
            error = fault
        self._has_ended = True
        while not self._commands.empty():
            command = self._commands.get()
            if isinstance(command, _Send | _Forget):
                command.caller.messages.put(error)
        self._tell_all(error)

    def _prepare_step(self) -> bool:
        """Take in commands and admit requests until a step is due; False: there will be none.

        While the engine has room, or the next wave of what it has finished is being prepared, it
        waits for the callers' requests, but no longer than its last step took: so waiting never
        costs more than one step that lacks them.
        """
        for caller in [caller for caller in self._callers if caller.is_gone]:
            self._engine.cancel(set(caller.in_engine))
            self._callers.remove(caller)
        deadline = time.perf_counter() + self._patience
        while True:
            self._admit()
            is_idle = self._engine.idle
            expected = [] if is_idle else self._expected_callers()
            wait = deadline - time.perf_counter() if expected else 0.0
            try:
                command = self._commands.get(is_idle or wait > 0.0, None if is_idle else wait)
            except Empty:
                for caller in expected:
                    caller.is_late = True
                return True
            if command is None:
                return False
            self._obey(command)
            if is_idle:
                deadline = time.perf_counter() + self._patience

    def _expected_callers(self) -> list[Caller]:
        """Those from whom a request may come at any moment that the next step should have."""
        wants_request = self._engine.wants_request
        return [
            caller
            for caller in self._callers
            if not caller.is_late
            and not caller.is_gone
            and (caller.n_unanswered > 0 or (wants_request and caller.is_reading))
        ]

    def _obey(self, command: _Send | _Forget | _Teach) -> None:
        if isinstance(command, _Teach):
            for attribute, tokens in command.values:
                self._engine.teach(attribute, tokens)
            return
        caller = command.caller
        caller.is_late = False
        if caller not in self._callers:
            self._callers.append(caller)
        if isinstance(command, _Forget):
            caller.n_unanswered -= 1
            self._engine.forget_prompt(command.prompt)
        elif command.is_first:
            caller.waiting.append((command.number, command.request))
        else:
            caller.n_unanswered -= 1
            self._submit(caller, command.number, command.request)

    def _admit(self) -> None:
        """Give requests to the engine while it wants any, fairly among the callers."""
        while self._engine.wants_request:
            waiting = [caller for caller in self._callers if caller.waiting]
            if not waiting:
                return
            caller = min(waiting, key=lambda caller: len(caller.in_engine))
            self._submit(caller, *caller.waiting.popleft())
            caller.messages.put(WANTED)

    def _submit(self, caller: Caller, number: int, request: Request) -> None:
        caller.in_engine[number] = request
        self._engine.submit(
            number,
            request.prompt,
            request.fields,
            n_instruction=request.n_instruction,
            n_cached=request.n_cached,
            keep_prompt=request.keep_prompt,
        )

    def _step(self) -> None:
        n_batches = self._engine.stats.n_batches
        start = time.perf_counter()
        try:
            results = self._engine.advance()
        except EngineClosedError:
            raise
        except Exception:
            self._retry_alone()
            return
        n_steps = max(1, self._engine.stats.n_batches - n_batches)
        self._patience = (time.perf_counter() - start) / n_steps
        self._hand_out(results)

    def _retry_alone(self) -> None:
        """Decode each request that the engine has once more, by itself.

        Whichever of them broke the step then fails alone, and costs no other its values.
        """
        suspects = [
            (number, caller, request)
            for caller in self._callers
            for number, request in caller.in_engine.items()
        ]
        self._engine.cancel_all()
        for number, caller, request in sorted(suspects, key=lambda suspect: suspect[0]):
            try:
                self._submit(caller, number, request)
                while number in caller.in_engine:
                    self._hand_out(self._engine.advance())
            except EngineClosedError:
                raise
            except Exception as error:
                self._engine.cancel_all()
                del caller.in_engine[number]
                caller.messages.put(Failed(number, error))

    def _hand_out(self, results: list[Result]) -> None:
        callers = {number: caller for caller in self._callers for number in caller.in_engine}
        for result in results:
            caller = callers[result.id]
            request = caller.in_engine.pop(result.id)
            caller.n_unanswered += request.keep_prompt
            caller.messages.put(result)

    def _tell_all(self, error: Exception) -> None:
        for caller in self._callers:
            caller.messages.put(error)
        self._callers.clear()


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
