"""The loop that feeds the engine: one thread drives it for any number of callers.

That thread does nothing but admit requests, step the engine and hand out answers. All other work
(reading documents, tokenising, parsing, grounding) is done in the threads of the callers, while it
waits for the device. Callers send it requests, and find the answers in a queue of their own.
"""

from __future__ import annotations

import itertools
import os
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from queue import Empty, SimpleQueue

from hpd._native import Engine, Result
from hpd.documents import NOT_YET, NotYet
from hpd.errors import CallCancelledError, EngineClosedError, HpdError
from hpd.pipeline import Cancellation
from hpd.pipeline.long_documents import Finished
from hpd.pipeline.prompts import Prompt
from hpd.pipeline.questionnaire import Request

Message = tuple[int | None, Result | Exception | None]
"""To a caller: the number of a request and its answer, or the error with which it cannot be
decoded, not even alone. Without a number: the error that ends the call, or ``_ROOM``."""

_ROOM: Message = (None, None)
"""Tells a caller that there is room for one more request."""

_CLOSED = "the extractor is closed"

_FIRST_PATIENCE = 0.05
"""Seconds that the first step waits for more requests; later ones go by the time of a step."""

_N_AT_ONCE = 1000
"""The most prompts that overtake those in the engine because all their values are known: whoever
gives results out in order keeps them meanwhile."""


@dataclass(eq=False, slots=True)
class Caller:
    """One call: its prompts, its requests that wait for the engine, and the messages for it.

    Every attribute is written by one thread only.
    """

    messages: SimpleQueue[Message] = field(default_factory=SimpleQueue)
    # By the caller's own thread:
    prompts: dict[int, Prompt] = field(default_factory=dict)
    """By the number of the request for which each waits."""
    finished: deque[Finished] = field(default_factory=deque)
    is_reading: bool = True
    """The caller is about to send a request, as far as it knows."""
    is_gone: bool = False
    """Nobody waits for the answers any more."""
    # By the loop's thread:
    waiting: deque[tuple[int, Request]] = field(default_factory=deque)
    """Requests that the engine has not been given yet."""
    in_engine: dict[int, Request] = field(default_factory=dict)
    n_unanswered: int = 0
    """Answers handed out that may lead to another wave, but have not yet."""
    is_late: bool = False
    """The engine has waited for the caller in vain, and will not until it sends something."""


class Loop:
    """Takes prompts through one engine, for any number of callers at the same time.

    Args:
        engine: given up to this loop: nobody else may drive or close it.
        n_ahead: the number of requests that a caller prepares before the engine wants them.
    """

    def __init__(self, engine: Engine, n_ahead: int) -> None:
        self._engine = engine
        self._n_ahead = n_ahead
        self._numbers = itertools.count()
        self._commands: SimpleQueue[tuple[Caller | None, Callable[[], None]] | None] = SimpleQueue()
        """What callers want done by the loop's thread; None: no more."""
        self._callers: list[Caller] = []  # Those that have sent something.
        self._patience = _FIRST_PATIENCE
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._process = os.getpid()
        self._is_closed = False
        self._has_ended = False

    # --- from the threads of the callers ---------------------------------------------------------

    def run(
        self,
        prompts: Iterator[Prompt | Finished | NotYet],
        cancellation: Cancellation | None = None,
    ) -> Iterator[Finished]:
        """The extractions of all documents with their places, as soon as each is finished.

        Prompts are pulled when the engine wants them; what is finished already is handed through.
        The caller may leave the iterator at any time; its requests are then cancelled.

        Raises:
            CallCancelledError: by way of ``cancellation``.
            EngineClosedError: the loop was closed.
            HpdError: this process was forked from the one that made the engine.
        """
        self._start()
        caller = Caller()
        if cancellation is not None:
            over = CallCancelledError("the call was cancelled")
            cancellation.attach(lambda: caller.messages.put((None, over)))
        n_room = self._n_ahead
        n_at_once = 0  # prompts that were finished as they came, since the engine gave an answer
        is_exhausted = False
        try:
            while True:
                while not caller.messages.empty():
                    n_room += self._take(caller, caller.messages.get())
                    n_at_once = 0
                if caller.finished:
                    # Nothing comes from this caller meanwhile, so the engine need not wait for it.
                    caller.is_reading = False
                    while caller.finished:
                        yield caller.finished.popleft()
                    caller.is_reading = not is_exhausted
                elif (
                    n_room > 0
                    and not is_exhausted
                    and (n_at_once < _N_AT_ONCE or not caller.prompts)
                ):
                    prompt = next(prompts, None)
                    is_exhausted = prompt is None
                    caller.is_reading = prompt is not None and prompt is not NOT_YET
                    if isinstance(prompt, Prompt):
                        request = prompt.first()
                        if request is None:
                            caller.finished.extend(prompt.extractions())
                            n_at_once += 1
                        else:
                            self._send(caller, prompt, request, is_first=True)
                            n_room -= 1
                    elif isinstance(prompt, tuple):
                        caller.finished.append(prompt)
                elif is_exhausted and not caller.prompts:
                    return
                else:
                    caller.is_reading = False
                    message = caller.messages.get()
                    caller.is_reading = not is_exhausted
                    n_room += self._take(caller, message)
                    n_at_once = 0
        finally:
            # No more than marks: this may run wherever the garbage collector does.
            caller.is_reading = False
            caller.is_gone = True
            self._engine.wake()

    def teach(self, values: list[tuple[int, list[int]]]) -> None:
        """Let the drafter learn values that are known: attribute numbers, and tokens."""

        def teach() -> None:
            for attribute, tokens in values:
                self._engine.teach(attribute, tokens)

        self._commands.put((None, teach))

    def close(self) -> None:
        """End what is under way with ``EngineClosedError``, and free the engine's memory."""
        if os.getpid() != self._process:
            return  # The thread, and whatever it holds, are the other process's.
        with self._lock:
            self._is_closed = True
        self._commands.put(None)
        self._engine.close()
        # The garbage collector may close an extractor in any thread, the loop's included.
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join()

    def _start(self) -> None:
        """Start the thread, if it does not run yet."""
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

    def _take(self, caller: Caller, message: Message) -> int:
        """Handle a message; returns the number of requests for which it makes room."""
        number, answer = message
        if number is None:
            if isinstance(answer, Exception):
                raise answer
            return 1
        prompt = caller.prompts.pop(number)
        if isinstance(answer, Exception):
            prompt.fail(answer)
        elif answer is not None:
            kept_tokens = prompt.kept_tokens
            request = prompt.take(answer)
            if request is not None:
                self._send(caller, prompt, request, is_first=False)
                return 0
            if kept_tokens is not None:
                self._command(caller, partial(self._forget, caller, kept_tokens))
        caller.finished.extend(prompt.extractions())
        return 0

    def _send(self, caller: Caller, prompt: Prompt, request: Request, *, is_first: bool) -> None:
        """Have a request decoded. A first one waits until the engine wants one more prompt."""
        number = next(self._numbers)
        caller.prompts[number] = prompt
        self._command(caller, partial(self._receive, caller, number, request, is_first))

    def _command(self, caller: Caller, action: Callable[[], None]) -> None:
        self._commands.put((caller, action))
        self._engine.wake()
        # The thread says that it has ended before it looks for commands one last time.
        if self._has_ended:
            raise EngineClosedError(_CLOSED)

    # --- from the loop's own thread --------------------------------------------------------------

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
        callers = self._callers.copy()
        while not self._commands.empty():
            command = self._commands.get()
            callers += [command[0]] if command and command[0] else []
        for caller in dict.fromkeys(callers):
            caller.messages.put((None, error))
        self._callers.clear()

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
            command[1]()
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

    def _receive(self, caller: Caller, number: int, request: Request, is_first: bool) -> None:
        self._hear_of(caller)
        if is_first:
            caller.waiting.append((number, request))
        else:
            caller.n_unanswered -= 1
            self._submit(caller, number, request)

    def _forget(self, caller: Caller, tokens: list[int]) -> None:
        """Let go of the prompt that was kept for another wave: there is none."""
        self._hear_of(caller)
        caller.n_unanswered -= 1
        self._engine.forget_prompt(tokens)

    def _hear_of(self, caller: Caller) -> None:
        caller.is_late = False
        if caller not in self._callers:
            self._callers.append(caller)

    def _admit(self) -> None:
        """Give requests to the engine while it wants any, fairly among the callers."""
        while self._engine.wants_request:
            waiting = [caller for caller in self._callers if caller.waiting]
            if not waiting:
                return
            caller = min(waiting, key=lambda caller: len(caller.in_engine))
            self._submit(caller, *caller.waiting.popleft())
            caller.messages.put(_ROOM)

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
            answers = self._engine.advance()
        except EngineClosedError:
            raise
        except Exception:
            self._retry_alone()
            return
        n_steps = max(1, self._engine.stats.n_batches - n_batches)
        self._patience = (time.perf_counter() - start) / n_steps
        self._hand_out(answers)

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
                caller.messages.put((number, error))

    def _hand_out(self, answers: list[Result]) -> None:
        callers = {number: caller for caller in self._callers for number in caller.in_engine}
        for answer in answers:
            caller = callers[answer.id]
            request = caller.in_engine.pop(answer.id)
            caller.n_unanswered += request.keep_prompt
            caller.messages.put((answer.id, answer))
