"""The way from documents to extractions: stacks, the engine, and back.

One thread drives the engine for any number of callers, and does nothing but admit requests, step
the engine and hand out answers (``EngineLoop``). All other work (reading documents, tokenising,
parsing, grounding) is done in the threads of the callers, while it waits for the device. Callers
send it requests, and find the answers in a queue of their own.
"""

from __future__ import annotations

import copy
import itertools
import os
import threading
import time
from collections import OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from queue import Empty, SimpleQueue
from typing import Any

from hpd import _native
from hpd.documents import NOT_YET, Document, NotYet, Places
from hpd.errors import CallCancelledError, EngineClosedError, HpdError
from hpd.options import Options
from hpd.pipeline import Cancellation, Examples, OnChunk, OnSettled, Schemas, Task, examples_of
from hpd.pipeline.compiled_schema import CompiledSchema, Request
from hpd.pipeline.long_documents import ContextLimit, IndexedDocument, IndexedExtraction, check_room
from hpd.pipeline.prompts import Prompt, PromptMaker
from hpd.pipeline.reuse import Reuse
from hpd.prompt.tokens import may_share_prompt
from hpd.results import Extraction, Failure, Usage
from hpd.schema.attributes import Schema
from hpd.values.confidence import ConfidenceMap

N_WAITING = 256
"""The most documents that wait: they must not all be read only because they are equal."""


class Stacks:
    """Stacks of documents that are not full yet, by category.

    A document that could be read as several of them (``may_share_prompt``) goes alone.

    Args:
        size: the number of documents in one prompt (paper, section 4.3.5).
        flush_after: the number of documents after which an incomplete stack goes, so that a rare
            category does not wait for ever.
    """

    def __init__(self, size: int, flush_after: int) -> None:
        self._size = size
        self._flush_after = flush_after
        self._open: dict[str | None, list[IndexedDocument]] = {}

    def add(self, index: int, document: Document) -> Iterator[list[IndexedDocument]]:
        """Put a document into the stack of its category; returns the stacks that are ready."""
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

    def rest(self) -> Iterator[list[IndexedDocument]]:
        """The stacks that are left when no more documents follow."""
        while self._open:
            yield self._open.pop(next(iter(self._open)))


class Duplicates:
    """Documents that wait for an equal one, and then have its extraction, or its error.

    Args:
        n_most: how many may wait; the others are decoded.
    """

    def __init__(self, n_most: int = N_WAITING) -> None:
        self._n_most = n_most
        self._n_waiting = 0
        self._places: dict[tuple[str | None, str], int] = {}
        self._waiting: dict[int, list[tuple[int, Document]]] = {}
        """Those that wait, by the place of the one that is under way."""
        self._contents: dict[int, tuple[str | None, str]] = {}

    def add(self, index: int, document: Document) -> bool:
        """Whether a document is to wait; otherwise others may wait for it."""
        content = (document.category, document.text)
        first = self._places.get(content)
        if first is None:
            self._places[content] = index
            self._contents[index] = content
            return False
        if self._n_waiting >= self._n_most:
            return False
        self._n_waiting += 1
        self._waiting.setdefault(first, []).append((index, document))
        return True

    def of(self, index: int, extraction: Extraction[Any]) -> Iterator[tuple[int, Extraction[Any]]]:
        """The extractions of the documents that waited for one, with their places."""
        content = self._contents.pop(index, None)
        if content is not None:
            del self._places[content]
        for other, document in self._waiting.pop(index, ()):
            self._n_waiting -= 1
            usage = Usage(reused_values=len(extraction.fields))
            data = copy.deepcopy(extraction.data)  # which is the user's to change
            error = copy.deepcopy(extraction.error)
            yield other, replace(extraction, id=document.id, data=data, error=error, usage=usage)


Message = tuple[int | None, _native.Answer | dict[int, _native.Value] | Exception | None]
"""To a caller: the number of a request and its answer, values that are done earlier by the places
of their fields, or the error with which it cannot be decoded, not even alone. Without a number: the
error that ends the call, or ``_ROOM``."""

_ROOM: Message = (None, None)
"""Tells a caller that there is room for one more request."""

_CLOSED = "the extractor is closed"

_FIRST_STEP_WAIT = 0.05
"""Seconds that the first step waits for more requests; later ones go by the time of a step."""

_N_AT_ONCE = 1000
"""The most prompts that overtake those in the engine because all their values are known: results
that are given out in order are kept in memory meanwhile."""


@dataclass(eq=False, slots=True)
class Caller:
    """One call: its prompts, its requests that wait for the engine, and the messages for it.

    Every attribute but the last is written by one thread only.
    """

    on_settled: OnSettled | None
    messages: SimpleQueue[Message] = field(default_factory=SimpleQueue)
    # By the caller's own thread:
    prompts: dict[int, Prompt] = field(default_factory=dict)
    """By the number of the request for which each waits."""
    finished: deque[IndexedExtraction] = field(default_factory=deque)
    is_reading: bool = True
    """The caller is about to send a request, as far as it knows."""
    # By the loop's thread:
    waiting: deque[tuple[int, Request]] = field(default_factory=deque)
    """Requests that the engine has not been given yet."""
    in_engine: dict[int, Request] = field(default_factory=dict)
    n_unanswered: int = 0
    """Answers handed out that may lead to another wave, but have not yet."""
    is_late: bool = False
    """The engine has waited for the caller in vain, and will not until it sends something."""
    # By any thread:
    is_gone: bool = False
    """Nobody waits for answers any more."""


class EngineLoop:
    """Takes prompts through one engine, for any number of callers at the same time.

    Args:
        engine: driven and closed by this loop alone.
        n_ahead: the number of requests that a caller prepares before the engine wants them.
    """

    def __init__(self, engine: _native.Engine, n_ahead: int) -> None:
        self._engine = engine
        self._n_ahead = n_ahead
        self._numbers = itertools.count()
        self._commands: SimpleQueue[tuple[Caller | None, Callable[[], None]] | None] = SimpleQueue()
        """What callers want done by the loop's thread; None: no more."""
        self._callers: list[Caller] = []  # Those that have sent something.
        self._step_wait = _FIRST_STEP_WAIT
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._process = os.getpid()
        self._is_closed = False
        self._has_ended = False

    # --- from the threads of the callers ---------------------------------------------------------

    def run(
        self,
        prompts: Iterator[Prompt | IndexedExtraction | NotYet],
        cancellation: Cancellation | None = None,
        on_settled: OnSettled | None = None,
    ) -> Iterator[IndexedExtraction]:
        """The extractions of all documents with their places, as soon as each is finished.

        Prompts are pulled when the engine wants them; what is finished already is handed through.
        The caller may leave the iterator at any time; its requests are then cancelled.

        Raises:
            CallCancelledError: by way of ``cancellation``.
            EngineClosedError: the loop was closed.
            HpdError: this process was forked from the one that made the engine.
        """
        self._start()
        caller = Caller(on_settled)
        if cancellation is not None:
            cancellation.attach(partial(self._leave, caller))
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

    def seed_drafter(self, values: list[tuple[int, list[int]]]) -> None:
        """Let the drafter learn values that are known: attribute numbers, and tokens."""

        def seed_drafter() -> None:
            for attribute, tokens in values:
                self._engine.seed_drafter(attribute, tokens)

        self._commands.put((None, seed_drafter))

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

    def _leave(self, caller: Caller) -> None:
        """End a call whose thread may be busy: the engine does not wait until it notices."""
        caller.is_gone = True
        caller.messages.put((None, CallCancelledError("the call was cancelled")))
        self._engine.wake()

    def _take(self, caller: Caller, message: Message) -> int:
        """Handle a message; returns the number of requests for which it makes room."""
        number, answer = message
        if number is None:
            if isinstance(answer, Exception):
                raise answer
            return 1
        if isinstance(answer, dict):
            settled = caller.prompts[number].note(answer)
            if settled is not None and caller.on_settled is not None:
                caller.on_settled(*settled)
            return 0
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
        deadline = time.perf_counter() + self._step_wait
        while True:
            self._forget_callers_gone()
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

    def _forget_callers_gone(self) -> None:
        """Give up on what nobody waits for: it may have come after its caller had gone."""
        for caller in [caller for caller in self._callers if caller.is_gone]:
            self._callers.remove(caller)
            self._engine.cancel(set(caller.in_engine))

    def _expected_callers(self) -> list[Caller]:
        """Those from whom a request may come at any moment that the next step should have."""
        wants_request = self._engine.wants_request
        return [
            caller
            for caller in self._callers
            if not caller.is_late
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
        """Release the prompt that was kept for another wave, as there is no more."""
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
            tells_values=caller.on_settled is not None,
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
                while number in caller.in_engine and not caller.is_gone:
                    self._hand_out(self._engine.advance())
                if caller.is_gone:
                    self._engine.cancel({number})
            except EngineClosedError:
                raise
            except Exception as error:
                self._engine.cancel_all()
                del caller.in_engine[number]
                caller.messages.put((number, error))

    def _hand_out(self, answers: list[_native.Answer]) -> None:
        callers = {number: caller for caller in self._callers for number in caller.in_engine}
        if any(caller.on_settled for caller in self._callers):
            told: dict[int, dict[int, _native.Value]] = defaultdict(dict)
            for number, place, value in self._engine.take_values():
                told[number][place] = value
            for number, values in told.items():
                callers[number].messages.put((number, values))
        for answer in answers:
            caller = callers[answer.id]
            request = caller.in_engine.pop(answer.id)
            caller.n_unanswered += request.keep_prompt
            caller.messages.put((answer.id, answer))


MakeEngine = Callable[[_native.Model, _native.EngineOptions], _native.Engine]

_N_KEPT = 64
"""The tasks and schemas of single calls for which prompts and grammars are kept."""


class Pipeline:
    """Extracts with a loaded model; any number of threads may use it.

    Args:
        model: the loaded model, which other pipelines may share.
        schemas: the schema, or one for each category.
        options: the options, all of them set (``Options.filled``).
        native: the same options for the engine.
        examples: documents with their answers, shown in the prompt; by category, if the schema is.
        system_prompt: the system's text, in place of the usual one.
        flush_after: the number of documents after which an incomplete stack goes on its way.
        reuse: where values are known from earlier, and kept; None: each document is decoded.
        confidence_map: turns the model's confidence into the share that is right; None: it stays.
        make_engine: makes the engine; a benchmark may put something around it.
        compile_schema: makes the requests; likewise.
    """

    def __init__(
        self,
        model: _native.Model,
        schemas: Schemas,
        options: Options,
        native: _native.EngineOptions,
        *,
        examples: Examples | Mapping[str, Examples] = (),
        system_prompt: str | None = None,
        flush_after: int | None = None,
        reuse: Reuse | None = None,
        confidence_map: ConfidenceMap | None = None,
        make_engine: MakeEngine = _native.Engine,
        compile_schema: Callable[..., CompiledSchema] = CompiledSchema,
    ) -> None:
        self._model: _native.Model | None = model
        self._task = Task(schemas, options, examples, system_prompt)
        self._reuse = reuse
        self._confidence_map = confidence_map
        self._compile_schema = compile_schema
        _native.claim_process()
        self._engine = make_engine(model, native)
        self._limit = ContextLimit(self._engine.n_ctx, model.n_ctx_train, options.n_ctx)
        in_flight = options.most_in_flight
        self._loop = EngineLoop(self._engine, n_ahead=in_flight)
        self._flush_after = flush_after or 4 * options.stack * in_flight
        self._lock = threading.Lock()
        self._other_tasks: OrderedDict[str, Task] = OrderedDict()
        self._makers: OrderedDict[tuple[Task, str | None], PromptMaker] = OrderedDict()

    def check_room(self) -> None:
        """Refuse a schema that leaves no room for any document; those by category when they come.

        Raises:
            ContextOverflowError: with the numbers of tokens.
        """
        if isinstance(self._task.schemas, Schema):
            check_room(self._maker_of(self._task, None))

    def task(self, schemas: Schemas) -> Task:
        """The task of a call with schemas of its own: without examples, else as the pipeline's."""
        if schemas is self._task.schemas:
            return self._task
        name = _name(schemas)
        with self._lock:
            task = self._other_tasks.get(name)
            if task is None:
                task = replace(self._task, schemas=schemas, examples=())
                self._other_tasks[name] = task
            self._other_tasks.move_to_end(name)
            if len(self._other_tasks) > _N_KEPT:
                self._other_tasks.popitem(last=False)
            return task

    def run(
        self,
        documents: Iterable[str | Document | NotYet],
        task: Task | None = None,
        on_chunk: OnChunk | None = None,
        cancellation: Cancellation | None = None,
        on_settled: OnSettled | None = None,
    ) -> Iterator[tuple[int, Extraction[Any]]]:
        """The extraction of each document with its place in the input, as soon as it is finished.

        Documents are pulled as the engine wants them. One that fails has ``error`` in its
        extraction. ``task`` takes the place of the pipeline's own; ``on_chunk`` is told of
        documents that are cut, ``on_settled`` of values that are known earlier.

        Raises:
            CallCancelledError: by way of ``cancellation``.
        """
        texts: dict[int, str] = {}  # of the documents that are under way
        places: dict[int, Places] = {}
        duplicates = Duplicates() if self._reuse is not None else None
        prompts = self._prompts(documents, texts, places, task or self._task, duplicates, on_chunk)
        for place, extraction in self._loop.run(prompts, cancellation, on_settled):
            finished = replace(extraction, text=texts.pop(place, None))
            for each, its in (
                (place, finished),
                *(duplicates.of(place, finished) if duplicates else ()),
            ):
                yield each, _placed(its, places.pop(each, None))

    @property
    def stats(self) -> _native.EngineStats:
        """Batches, tokens and time since the engine was made."""
        return self._engine.stats

    def close(self) -> None:
        """Free the engine; documents under way end with ``EngineClosedError``."""
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
    ) -> Iterator[Prompt | IndexedExtraction | NotYet]:
        def prompts_of(stack: list[IndexedDocument]) -> Iterator[Prompt | IndexedExtraction]:
            return self._maker_of(task, stack[0][1].category).prompts(stack, on_chunk)

        stacks = Stacks(task.options.stack, self._flush_after)
        numbers = itertools.count()
        for given in documents:
            if given is NOT_YET:
                for stack in stacks.rest():
                    yield from prompts_of(stack)
                yield NOT_YET
                continue
            place = next(numbers)
            document = given if isinstance(given, Document) else Document(given)
            failure = _input_failure(document, task.schemas)
            if failure is not None:
                yield place, Extraction(document.id, error=failure)
                continue
            if document.places is not None:
                places[place] = document.places
            if duplicates is not None and duplicates.add(place, document):
                continue
            texts[place] = document.text
            for stack in stacks.add(place, document):
                yield from prompts_of(stack)
        for stack in stacks.rest():
            yield from prompts_of(stack)

    def _maker_of(self, task: Task, category: str | None) -> PromptMaker:
        key = task, None if isinstance(task.schemas, Schema) else category
        with self._lock:
            maker = self._makers.get(key)
            if maker is not None:
                self._makers.move_to_end(key)
                return maker
        # Grammars take their time, and no other caller waits for it.
        maker = self._new_maker(*key)
        with self._lock:
            self._makers[key] = maker
            others = [known for known in self._makers if known[0] is not self._task]
            if len(others) > _N_KEPT:
                del self._makers[others[0]]
        return maker

    def _new_maker(self, task: Task, category: str | None) -> PromptMaker:
        if self._model is None:
            raise EngineClosedError(_CLOSED)
        compiled_schema = self._compile_schema(
            self._model,
            task.schema(category),
            task.options,
            examples_of(task.examples, category),
            system_prompt=task.system_prompt,
            confidence_map=self._confidence_map,
            n_cells=self._limit.n_cells,
        )
        self._loop.seed_drafter(list(compiled_schema.drafter_seeds()))
        return PromptMaker(compiled_schema, self._limit, self._reuse)


def _name(schemas: Schemas) -> str:
    """A text that differs for all schemas that differ."""
    if isinstance(schemas, Schema):
        return schemas.key
    return repr([(category, schema.key) for category, schema in schemas.items()])


def _placed(extraction: Extraction[Any], places: Places | None) -> Extraction[Any]:
    """An extraction whose values say where they stand in the file of the document."""
    if places is None:
        return extraction
    fields = {name: field.at(places) for name, field in extraction.fields.items()}
    return replace(extraction, fields=fields)


def _input_failure(document: Document, schemas: Schemas) -> Failure | None:
    """The error of a document that cannot be extracted from; None if it can."""
    if not isinstance(document.text, str):
        kind = type(document.text).__name__
        return Failure("InputError", f"a document must be text, not {kind}")
    try:
        document.text.encode()
    except UnicodeEncodeError as error:
        half = f"half of a surrogate pair at character {error.start}"
        return Failure("InputError", f"the text is not Unicode: {half}; mend it where it is read")
    if isinstance(schemas, Mapping) and document.category not in schemas:
        names = ", ".join(sorted(schemas))
        what = "no category" if document.category is None else f"category {document.category!r}"
        return Failure("InputError", f"{what}: the schema has {names}")
    return None
