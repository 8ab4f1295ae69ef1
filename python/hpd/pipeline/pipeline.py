"""From documents to extractions: stacks, the engine loop, and back.

One thread drives the engine for any number of callers: it only admits requests, steps the engine
and delivers answers (``EngineLoop``). All other work (reading documents, tokenizing, parsing,
grounding) is done in the callers' threads while the device computes. Callers send requests to the
loop, and each receives its answers in a queue of its own.
"""

from __future__ import annotations

import copy
import itertools
import os
import threading
import time
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from queue import Empty, SimpleQueue
from typing import Any

from hpd import _native
from hpd.documents import NOT_YET, Document, NotYet, Places
from hpd.errors import CallCancelledError, EngineClosedError, HpdError, InputError
from hpd.pipeline.callbacks import OnChunk, OnSettled
from hpd.pipeline.cancellation import Cancellation
from hpd.pipeline.compiled_schema import CompiledSchema, Request
from hpd.pipeline.examples import examples_for
from hpd.pipeline.prompt_maker import (
    ContextLimit,
    PromptMaker,
    check_room,
    finetuned_length,
)
from hpd.pipeline.prompts import Prompt
from hpd.pipeline.recent import RecentlyUsed
from hpd.pipeline.reuse import Reuse
from hpd.pipeline.schema_parts import partial_answer
from hpd.pipeline.task import Task, make_task
from hpd.prompt.tokens import may_share_prompt
from hpd.results import Extraction, Failure, Usage
from hpd.schema.attributes import Schema
from hpd.schema.schemas import Schemas
from hpd.surrogates import find_surrogate
from hpd.values.confidence import ConfidenceMap

MAX_WAITING_DUPLICATES = 256
"""Maximum number of documents that wait for an equal one, so as not to read too far ahead."""


class Stacks:
    """Groups documents of the same category into stacks.

    A document that could be mistaken for several (``may_share_prompt``) gets a stack of its own.

    Args:
        size: the number of documents per prompt (paper, section 4.3.5).
        flush_after: the number of documents after which an incomplete stack is flushed, so that a
            rare category does not wait forever.
    """

    def __init__(self, size: int, flush_after: int) -> None:
        self._size = size
        self._flush_after = flush_after
        self._open: dict[str | None, list[tuple[int, Document]]] = {}

    def add(self, index: int, document: Document) -> Iterator[list[tuple[int, Document]]]:
        """Add a document to the stack of its category; yield the stacks that are ready."""
        if self._size > 1 and not may_share_prompt(document.text):
            yield [(index, document)]
            return
        stack = self._open.setdefault(document.category, [])
        stack.append((index, document))
        late = [
            c for c, waiting in self._open.items() if index - waiting[0][0] >= self._flush_after
        ]
        full = [document.category] if len(stack) >= self._size else []
        for category in dict.fromkeys([*late, *full]):
            yield self._open.pop(category)

    def flush(self) -> Iterator[list[tuple[int, Document]]]:
        """Yield the incomplete stacks."""
        while self._open:
            yield self._open.pop(next(iter(self._open)))


class Duplicates:
    """Documents that wait for an equal one to be decoded, and then get a copy of its extraction."""

    def __init__(self) -> None:
        self._n_waiting = 0
        self._first_index: dict[tuple[str | None, str], int] = {}
        self._waiting: dict[int, list[tuple[int, Document]]] = {}
        """The waiting documents, by the index of the one that is being decoded."""
        self._contents: dict[int, tuple[str | None, str]] = {}

    def add(self, index: int, document: Document) -> bool:
        """Return whether a document waits for an equal one; if not, others may wait for it."""
        content = (document.category, document.text)
        first = self._first_index.get(content)
        if first is None:
            self._first_index[content] = index
            self._contents[index] = content
            return False
        if self._n_waiting >= MAX_WAITING_DUPLICATES:
            return False
        self._n_waiting += 1
        self._waiting.setdefault(first, []).append((index, document))
        return True

    def extractions(
        self, index: int, extraction: Extraction[Any]
    ) -> Iterator[tuple[int, Extraction[Any]]]:
        """Yield the indices and extractions of the documents that waited for this one."""
        content = self._contents.pop(index, None)
        if content is not None:
            del self._first_index[content]
        for other, document in self._waiting.pop(index, ()):
            self._n_waiting -= 1
            usage = Usage(reused_values=len(extraction.fields))
            data = copy.deepcopy(extraction.data)  # The caller may modify it.
            error = copy.deepcopy(extraction.error)
            yield other, replace(extraction, id=document.id, data=data, error=error, usage=usage)


CallerMessage = tuple[int | None, _native.Answer | dict[int, _native.Value] | Exception | None]
"""The number of a request with its answer, with values that are finished early (by field index), or
with the error if it cannot be decoded even alone. Without a number: the error that ends the call,
or ``_ROOM``."""

_ROOM: CallerMessage = (None, None)
"""Tells a caller that it may send one more request."""

_CLOSED_MESSAGE = "the extractor is closed"

_FIRST_STEP_WAIT = 0.05
"""Seconds that the first step waits for more requests; later ones wait as long as a step took."""

_MAX_KNOWN_AHEAD = 1000
"""Maximum number of prompts with only known values that may overtake those in the engine: results
that are yielded in order are kept in memory meanwhile."""


@dataclass(eq=False, slots=True)
class Caller:
    """The state of one call: its prompts, its waiting requests and its messages.

    Every attribute except the last is written by one thread only.
    """

    on_settled: OnSettled | None
    messages: SimpleQueue[CallerMessage] = field(default_factory=SimpleQueue)
    # Written by the caller's thread:
    prompts: dict[int, Prompt] = field(default_factory=dict)
    """By the number of the request whose answer each waits for."""
    finished: deque[tuple[int, Extraction[Any]]] = field(default_factory=deque)
    is_reading: bool = True
    """Whether the caller may be about to send a request."""
    # Written by the loop's thread:
    waiting: deque[tuple[int, Request]] = field(default_factory=deque)
    """Requests that were not submitted to the engine yet."""
    in_engine: dict[int, Request] = field(default_factory=dict)
    n_unanswered: int = 0
    """Delivered answers whose prompts may still send another wave."""
    is_late: bool = False
    """Whether the engine waited for this caller in vain; it waits again once the caller has sent
    something."""
    # Written by any thread:
    is_gone: bool = False
    """Whether the call has ended, so that answers are not needed any more."""


class EngineLoop:
    """Runs prompts through one engine, for any number of concurrent callers.

    Args:
        engine: used and closed by this loop only.
        n_ahead: how many requests each caller prepares in advance.
    """

    def __init__(self, engine: _native.Engine, n_ahead: int) -> None:
        self._engine = engine
        self._n_ahead = n_ahead
        self._numbers = itertools.count()
        self._commands: SimpleQueue[tuple[Caller | None, Callable[[], None]] | None] = SimpleQueue()
        """What the loop's thread is to do, with the caller that asks; None ends the loop."""
        self._callers: list[Caller] = []  # Those that have sent a command.
        self._step_wait = _FIRST_STEP_WAIT
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._process = os.getpid()
        self._is_closed = False
        self._has_ended = False

    # --- from the threads of the callers ---------------------------------------------------------

    def run(
        self,
        prompts: Iterator[Prompt | tuple[int, Extraction[Any]] | NotYet],
        cancellation: Cancellation | None = None,
        on_settled: OnSettled | None = None,
    ) -> Iterator[tuple[int, Extraction[Any]]]:
        """Yield each document's index and extraction as soon as it is finished.

        Prompts are pulled as the engine needs them; items that are already extractions are passed
        through. Leaving the iterator early cancels its requests.

        Raises:
            CallCancelledError: the call was cancelled through ``cancellation``.
            EngineClosedError: the loop was closed.
            HpdError: this process was forked from the one that made the engine.
        """
        self._start()
        caller = Caller(on_settled)
        if cancellation is not None:
            cancellation.attach(partial(self._cancel, caller))
        n_room = self._n_ahead
        n_known_ahead = 0  # Prompts with known values only, since the last answer.
        is_exhausted = False
        try:
            while True:
                while not caller.messages.empty():
                    n_room += self._handle_message(caller, caller.messages.get())
                    n_known_ahead = 0
                if caller.finished:
                    # The engine need not wait for this caller while it consumes results.
                    caller.is_reading = False
                    while caller.finished:
                        yield caller.finished.popleft()
                    caller.is_reading = not is_exhausted
                elif (
                    n_room > 0
                    and not is_exhausted
                    and (n_known_ahead < _MAX_KNOWN_AHEAD or not caller.prompts)
                ):
                    prompt = next(prompts, None)
                    is_exhausted = prompt is None
                    caller.is_reading = prompt is not None and prompt is not NOT_YET
                    if isinstance(prompt, Prompt):
                        answered = prompt.answer_without_text()
                        request = None if answered else prompt.first_request()
                        if request is None:
                            caller.finished.extend(prompt.extractions())
                            n_known_ahead += 1
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
                    n_room += self._handle_message(caller, message)
                    n_known_ahead = 0
        finally:
            # Only set flags: the garbage collector may run this in any thread.
            caller.is_reading = False
            caller.is_gone = True
            self._engine.wake()

    def seed_drafter(self, values: list[tuple[int, list[int]]]) -> None:
        """Teach the drafter known values, as pairs of an attribute id and tokens."""

        def seed() -> None:
            for attribute, tokens in values:
                self._engine.seed_drafter(attribute, tokens)

        self._commands.put((None, seed))

    def close(self) -> None:
        """End all calls with ``EngineClosedError`` and free the engine's memory."""
        if os.getpid() != self._process:
            return  # The thread and the engine belong to the parent process.
        with self._lock:
            self._is_closed = True
        self._commands.put(None)
        self._engine.close()
        # The garbage collector may close an extractor in any thread, the loop's included.
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join()

    def _start(self) -> None:
        """Start the thread if it is not running."""
        if os.getpid() != self._process:
            raise HpdError(
                "the extractor was made before this process was forked, and cannot be used in it: "
                "make it here, or start processes with multiprocessing's 'spawn'"
            )
        with self._lock:
            if self._is_closed:
                raise EngineClosedError(_CLOSED_MESSAGE)
            if self._thread is None:
                self._thread = threading.Thread(target=self._run_thread, name="hpd", daemon=True)
                self._thread.start()

    def _cancel(self, caller: Caller) -> None:
        """Cancel a call without waiting until its thread notices."""
        caller.is_gone = True
        caller.messages.put((None, CallCancelledError("the call was cancelled")))
        self._engine.wake()

    def _handle_message(self, caller: Caller, message: CallerMessage) -> int:
        """Handle a message; return how many more requests the caller may send."""
        number, answer = message
        if number is None:
            if isinstance(answer, Exception):
                raise answer
            return 1
        if isinstance(answer, dict):
            settled = caller.prompts[number].store_early(answer)
            if settled is not None and caller.on_settled is not None:
                caller.on_settled(*settled)
            return 0
        prompt = caller.prompts.pop(number)
        if isinstance(answer, Exception):
            prompt.fail(answer)
        elif answer is not None:
            kept_tokens = prompt.kept_tokens
            request = prompt.next_request(answer)
            if request is not None:
                self._send(caller, prompt, request, is_first=False)
                return 0
            if kept_tokens is not None:
                self._command(caller, partial(self._forget_prompt, caller, kept_tokens))
        caller.finished.extend(prompt.extractions())
        return 0

    def _send(self, caller: Caller, prompt: Prompt, request: Request, *, is_first: bool) -> None:
        """Send a request to the loop; a prompt's first one waits until the engine has room."""
        number = next(self._numbers)
        caller.prompts[number] = prompt
        self._command(caller, partial(self._receive, caller, number, request, is_first))

    def _command(self, caller: Caller, action: Callable[[], None]) -> None:
        self._commands.put((caller, action))
        self._engine.wake()
        # The thread sets this before it reads the commands for the last time.
        if self._has_ended:
            raise EngineClosedError(_CLOSED_MESSAGE)

    # --- from the loop's own thread --------------------------------------------------------------

    def _run_thread(self) -> None:
        error: Exception = EngineClosedError(_CLOSED_MESSAGE)
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
        """Run commands and admit requests until a step is due; return False if the loop ends.

        While the engine has room, or the next wave of a finished request is being prepared, this
        waits for the callers' requests, but no longer than the last step took: waiting never costs
        more than a step without these requests would.
        """
        deadline = time.perf_counter() + self._step_wait
        while True:
            self._cancel_gone_callers()
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
                deadline = time.perf_counter() + self._step_wait

    def _cancel_gone_callers(self) -> None:
        """Cancel the requests of callers that have left, even those that arrived afterwards."""
        for caller in [caller for caller in self._callers if caller.is_gone]:
            self._callers.remove(caller)
            self._engine.cancel(set(caller.in_engine))

    def _expected_callers(self) -> list[Caller]:
        """Return the callers that may send a request in time for the next step."""
        wants_request = self._engine.wants_request
        return [
            caller
            for caller in self._callers
            if not caller.is_late
            and (caller.n_unanswered > 0 or (wants_request and caller.is_reading))
        ]

    def _receive(self, caller: Caller, number: int, request: Request, is_first: bool) -> None:
        self._register(caller)
        if is_first:
            caller.waiting.append((number, request))
        else:
            caller.n_unanswered -= 1
            self._submit(caller, number, request)

    def _forget_prompt(self, caller: Caller, tokens: list[int]) -> None:
        """Release a prompt that was kept for another wave, as none follows."""
        self._register(caller)
        caller.n_unanswered -= 1
        self._engine.forget_prompt(tokens)

    def _register(self, caller: Caller) -> None:
        caller.is_late = False
        if caller not in self._callers:
            self._callers.append(caller)

    def _admit(self) -> None:
        """Submit waiting requests while the engine has room, fairly among the callers."""
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
            streams_values=caller.on_settled is not None,
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
        self._step_wait = (time.perf_counter() - start) / n_steps
        self._deliver(answers)

    def _retry_alone(self) -> None:
        """Decode each request in the engine again, one at a time.

        The request that made the step fail then fails alone.
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
                while number in caller.in_engine and not caller.is_gone:
                    self._deliver(self._engine.advance())
                if caller.is_gone:
                    self._engine.cancel({number})
            except EngineClosedError:
                raise
            except Exception as error:
                self._engine.cancel_all()
                del caller.in_engine[number]
                caller.messages.put((number, error))

    def _deliver(self, answers: list[_native.Answer]) -> None:
        callers = {number: caller for caller in self._callers for number in caller.in_engine}
        if any(caller.on_settled for caller in self._callers):
            early_values: dict[int, dict[int, _native.Value]] = defaultdict(dict)
            for number, index, value in self._engine.take_values():
                early_values[number][index] = value
            for number, values in early_values.items():
                callers[number].messages.put((number, values))
        for answer in answers:
            caller = callers[answer.id]
            request = caller.in_engine.pop(answer.id)
            caller.n_unanswered += request.keep_prompt
            caller.messages.put((answer.id, answer))


_MAX_KEPT_TASKS = 64
"""Maximum number of tasks of single calls whose compiled prompts and grammars are kept."""


class Pipeline:
    """Extracts with a loaded model; any number of threads may use it.

    Args:
        model: the loaded model, which other pipelines may share.
        task: for calls without their own, with all options set (``Options.with_defaults``).
        native: the options of the engine.
        flush_after: the number of documents after which an incomplete stack is flushed.
        reuse: keeps values of earlier documents; None decodes every document.
        confidence_map: calibrates confidences; None leaves them as they are.
        compile_schema: compiles the schemas; benchmarks wrap it.
    """

    def __init__(
        self,
        model: _native.Model,
        task: Task,
        native: _native.EngineOptions,
        *,
        flush_after: int | None = None,
        reuse: Reuse | None = None,
        confidence_map: ConfidenceMap | None = None,
        compile_schema: Callable[..., CompiledSchema] = CompiledSchema,
    ) -> None:
        self._model: _native.Model | None = model
        self._task = task
        self._reuse = reuse
        self._confidence_map = confidence_map
        self._compile_schema = compile_schema
        _native.claim_process()
        self._engine = _native.Engine(model, native)
        self._limit = ContextLimit(
            self._engine.n_ctx, model.n_ctx_train, task.options.n_ctx, finetuned_length(model)
        )
        in_flight = task.options.max_in_flight
        self._loop = EngineLoop(self._engine, n_ahead=in_flight)
        self._flush_after = flush_after or 4 * task.options.stack * in_flight
        self._lock = threading.Lock()
        self._other_tasks: RecentlyUsed[str, Task] = RecentlyUsed(_MAX_KEPT_TASKS)
        if not task.examples:  # A call that gives equal schemas need not compile them again.
            self._other_tasks[task.schemas.key] = task
        self._makers: RecentlyUsed[tuple[Task, str | None], PromptMaker] = RecentlyUsed(
            _MAX_KEPT_TASKS + len(task.schemas.by_category)
        )

    def check_room(self) -> None:
        """Reject a schema that leaves no room for a document.

        Schemas by category are checked when a document of the category comes.

        Raises:
            ContextOverflowError: with the numbers of tokens.
        """
        if self._task.schemas.single is not None:
            check_room(self._maker_for(self._task, None))

    def task_for(self, schemas: Schemas) -> Task:
        """Return the task for a call with its own schemas: the pipeline's, without examples.

        Raises:
            OptionError, SchemaError: see ``make_task``.
        """
        own = self._task
        if schemas is own.schemas:
            return own
        make = partial(make_task, schemas, own.options, system_prompt=own.system_prompt)
        with self._lock:
            return self._other_tasks.get_or_make(schemas.key, make)

    def run(
        self,
        documents: Iterable[str | Document | NotYet],
        task: Task | None = None,
        on_chunk: OnChunk | None = None,
        cancellation: Cancellation | None = None,
        on_settled: OnSettled | None = None,
    ) -> Iterator[tuple[int, Extraction[Any]]]:
        """Yield each document's index and extraction as soon as it is finished.

        Documents are pulled as the engine needs them. A document that fails has ``error`` in its
        extraction.

        Args:
            documents: texts or documents, or ``NOT_YET`` instead of blocking.
            task: replaces the pipeline's own.
            on_chunk: see ``OnChunk``.
            cancellation: lets another thread end the call.
            on_settled: see ``OnSettled``.

        Raises:
            CallCancelledError: the call was cancelled through ``cancellation``.
        """
        texts: dict[int, str] = {}  # of the documents in progress
        places: dict[int, Places] = {}
        duplicates = Duplicates() if self._reuse is not None else None
        prompts = self._prompts(documents, texts, places, task or self._task, duplicates, on_chunk)
        for index, extraction in self._loop.run(prompts, cancellation, on_settled):
            finished = replace(extraction, text=texts.pop(index, None))
            for number, each in (
                (index, finished),
                *(duplicates.extractions(index, finished) if duplicates else ()),
            ):
                yield number, _with_places(each, places.pop(number, None))

    @property
    def stats(self) -> _native.EngineStats:
        """Batches, tokens and time since the engine was created."""
        return self._engine.stats

    def close(self) -> None:
        """Free the engine; calls in progress raise ``EngineClosedError``."""
        self._loop.close()
        self._makers.clear()
        if self._reuse is not None:
            self._reuse.close()
        self._model = None

    def _prompts(
        self,
        documents: Iterable[str | Document | NotYet],
        texts: dict[int, str],
        places: dict[int, Places],
        task: Task,
        duplicates: Duplicates | None,
        on_chunk: OnChunk | None,
    ) -> Iterator[Prompt | tuple[int, Extraction[Any]] | NotYet]:
        def prompts_of(
            stack: list[tuple[int, Document]],
        ) -> Iterator[Prompt | tuple[int, Extraction[Any]]]:
            return self._maker_for(task, stack[0][1].category).prompts(stack, on_chunk)

        stacks = Stacks(task.options.stack, self._flush_after)
        numbers = itertools.count()
        for item in documents:
            if item is NOT_YET:
                for stack in stacks.flush():
                    yield from prompts_of(stack)
                yield NOT_YET
                continue
            index = next(numbers)
            document = item if isinstance(item, Document) else Document(item)
            failure = _input_failure(document, task.schemas)
            if failure is not None:
                yield index, Extraction(document.id, error=failure)
                continue
            if document.places is not None:
                places[index] = document.places
            if duplicates is not None and duplicates.add(index, document):
                continue
            texts[index] = document.text
            for stack in stacks.add(index, document):
                yield from prompts_of(stack)
        for stack in stacks.flush():
            yield from prompts_of(stack)

    def _maker_for(self, task: Task, category: str | None) -> PromptMaker:
        key = task, category if task.schemas.single is None else None
        return self._makers.get_or_make(key, partial(self._new_maker, *key))

    def _new_maker(self, task: Task, category: str | None) -> PromptMaker:
        if self._model is None:
            raise EngineClosedError(_CLOSED_MESSAGE)
        compile_schema = partial(
            self._compile_schema,
            self._model,
            options=task.options,
            system_prompt=task.system_prompt,
            confidence_map=self._confidence_map,
            n_cells=self._limit.n_cells,
        )
        examples = examples_for(task.examples, category)

        def compile_part(schema: Schema) -> CompiledSchema:
            own = [(text, partial_answer(schema.attributes, answer)) for text, answer in examples]
            return compile_schema(schema, examples=own)

        compiled_schema = compile_schema(task.schemas.for_category(category), examples=examples)
        self._loop.seed_drafter(list(compiled_schema.drafter_seeds()))
        return PromptMaker(compiled_schema, self._limit, compile_part, self._reuse)


def _with_places(extraction: Extraction[Any], places: Places | None) -> Extraction[Any]:
    """Return an extraction with each value's place in the file."""
    if places is None:
        return extraction
    fields = {name: field.with_place(places) for name, field in extraction.fields.items()}
    return replace(extraction, fields=fields)


def _input_failure(document: Document, schemas: Schemas) -> Failure | None:
    """Return why a document cannot be processed, or None if it can."""
    if document.error is not None:
        return Failure(document.error)
    if not isinstance(document.text, str):
        kind = type(document.text).__name__
        return Failure(InputError(f"a document must be text, not {kind}"))
    at = find_surrogate(document.text)
    if at is not None:
        half = f"half of a surrogate pair at character {at}"
        message = f"the text is not Unicode: {half}; decode it correctly when reading it"
        return Failure(InputError(message))
    if document.category not in schemas:
        names = ", ".join(sorted(schemas.categories))
        what = "no category" if document.category is None else f"category {document.category!r}"
        return Failure(InputError(f"{what}: the schema has {names}"))
    return None
