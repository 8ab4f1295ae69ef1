"""The one thread that drives an engine.

It does nothing but admit requests, step the engine and hand out results. Callers send it requests,
each from a thread of its own, and find their results in a queue of their own.
"""

from __future__ import annotations

import os
import threading
import time
from collections import deque
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue
from typing import Final

from hpd._native import Engine, Result
from hpd.errors import EngineClosedError, HpdError
from hpd.pipeline.request import Request

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
