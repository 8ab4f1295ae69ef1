"""The way from documents to extractions: stacks, jobs, the engine, and back."""

from __future__ import annotations

import copy
import itertools
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from hpd import _native
from hpd.documents import NOT_YET, Document, NotYet
from hpd.errors import EngineClosedError
from hpd.options import Options
from hpd.pipeline import (
    Cancellation,
    Examples,
    OnChunk,
    Schemas,
    Task,
    examples_of,
)
from hpd.pipeline.long_documents import ContextLimit, Finished, PlacedDocument, check_room
from hpd.pipeline.loop import Loop
from hpd.pipeline.prompts import Prompt, PromptMaker
from hpd.pipeline.questionnaire import NO_DEFAULTS, ModelDefaults, Questionnaire
from hpd.pipeline.reuse import Reuse
from hpd.prompt import may_share_prompt
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
        patience: the number of documents after which an incomplete stack goes, so that a rare
            category does not wait for ever.
    """

    def __init__(self, size: int, patience: int) -> None:
        self._size = size
        self._patience = patience
        self._open: dict[str | None, list[PlacedDocument]] = {}

    def add(self, place: int, document: Document) -> Iterator[list[PlacedDocument]]:
        """Put a document into the stack of its category; returns the stacks that are ready."""
        if self._size > 1 and not may_share_prompt(document.text):
            yield [(place, document)]
            return
        stack = self._open.setdefault(document.category, [])
        stack.append((place, document))
        late = [c for c, waiting in self._open.items() if place - waiting[0][0] >= self._patience]
        full = [document.category] if len(stack) >= self._size else []
        for category in dict.fromkeys([*late, *full]):
            yield self._open.pop(category)

    def rest(self) -> Iterator[list[PlacedDocument]]:
        """The stacks that are left when no more documents follow."""
        while self._open:
            yield self._open.pop(next(iter(self._open)))


MakeEngine = Callable[[_native.Model, _native.EngineOptions], _native.Engine]

_N_KEPT = 64
"""The tasks and schemas of single calls for which prompts and grammars are kept."""


class Twins:
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

    def add(self, place: int, document: Document) -> bool:
        """Whether a document is to wait; otherwise others may wait for it."""
        content = (document.category, document.text)
        first = self._places.get(content)
        if first is None:
            self._places[content] = place
            self._contents[place] = content
            return False
        if self._n_waiting >= self._n_most:
            return False
        self._n_waiting += 1
        self._waiting.setdefault(first, []).append((place, document))
        return True

    def of(self, place: int, extraction: Extraction[Any]) -> Iterator[tuple[int, Extraction[Any]]]:
        """The extractions of the documents that waited for one, with their places."""
        content = self._contents.pop(place, None)
        if content is not None:
            del self._places[content]
        for other, document in self._waiting.pop(place, ()):
            self._n_waiting -= 1
            usage = Usage(reused_values=len(extraction.fields))
            data = copy.deepcopy(extraction.data)  # which is the user's to change
            yield other, replace(extraction, id=document.id, data=data, usage=usage)


class Pipeline:
    """Extracts with a loaded model; any number of threads may use it.

    Args:
        model: the loaded model, which other pipelines may share.
        schemas: the schema, or one for each category.
        options: the options, all of them set (``Options.filled``).
        native: the same options for the engine.
        examples: documents with their answers, shown in the prompt; by category, if the schema is.
        rules: the system's text, in place of the usual one.
        patience: the number of documents after which an incomplete stack goes on its way.
        reuse: where values are known from earlier, and kept; None: each document is decoded.
        confidence_map: turns the model's confidence into the share that is right; None: it stays.
        defaults: of options that the file of the model decides.
        make_engine: makes the engine; a benchmark may put something around it.
        make_questionnaire: makes the requests; likewise.
    """

    def __init__(
        self,
        model: _native.Model,
        schemas: Schemas,
        options: Options,
        native: _native.EngineOptions,
        *,
        examples: Examples | Mapping[str, Examples] = (),
        rules: str | None = None,
        patience: int | None = None,
        reuse: Reuse | None = None,
        confidence_map: ConfidenceMap | None = None,
        defaults: ModelDefaults = NO_DEFAULTS,
        make_engine: MakeEngine = _native.Engine,
        make_questionnaire: Callable[..., Questionnaire] = Questionnaire,
    ) -> None:
        self._model: _native.Model | None = model
        self._task = Task(schemas, options, examples, rules)
        self._reuse = reuse
        self._confidence_map = confidence_map
        self._defaults = defaults
        self._make_questionnaire = make_questionnaire
        _native.claim_process()
        self._engine = make_engine(model, native)
        self._limit = ContextLimit(self._engine.n_ctx, model.n_ctx_train, options.n_ctx)
        in_flight = options.most_in_flight
        self._loop = Loop(self._engine, n_ahead=in_flight)
        self._patience = patience or 4 * options.stack * in_flight
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
    ) -> Iterator[tuple[int, Extraction[Any]]]:
        """The extraction of each document with its place in the input, as soon as it is finished.

        Documents are pulled as the engine wants them. One that fails has ``error`` in its
        extraction. ``task`` takes the place of the pipeline's own; ``on_chunk`` is told of
        documents that are cut.

        Raises:
            CallCancelledError: by way of ``cancellation``.
        """
        texts: dict[int, str] = {}  # of the documents that are under way
        twins = Twins() if self._reuse is not None else None
        items = self._items(documents, texts, task or self._task, twins, on_chunk)
        for place, extraction in self._loop.run(items, cancellation):
            finished = replace(extraction, text=texts.pop(place, None))
            yield place, finished
            if twins is not None:
                yield from twins.of(place, finished)

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

    def _items(
        self,
        documents: Iterable[str | Document | NotYet],
        texts: dict[int, str],
        task: Task,
        twins: Twins | None,
        on_chunk: OnChunk | None,
    ) -> Iterator[Prompt | Finished | NotYet]:
        def prompts(stack: list[PlacedDocument]) -> Iterator[Prompt | Finished]:
            return self._maker_of(task, stack[0][1].category).prompts(stack, on_chunk)

        stacks = Stacks(task.options.stack, self._patience)
        places = itertools.count()
        for given in documents:
            if given is NOT_YET:
                for stack in stacks.rest():
                    yield from prompts(stack)
                yield NOT_YET
                continue
            place = next(places)
            document = given if isinstance(given, Document) else Document(given)
            failure = _refusal(document, task.schemas)
            if failure is not None:
                yield place, Extraction(document.id, error=failure)
                continue
            if twins is not None and twins.add(place, document):
                continue
            texts[place] = document.text
            for stack in stacks.add(place, document):
                yield from prompts(stack)
        for stack in stacks.rest():
            yield from prompts(stack)

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
            raise EngineClosedError("the extractor is closed")
        questionnaire = self._make_questionnaire(
            self._model,
            task.schema(category),
            task.options,
            examples_of(task.examples, category),
            rules=task.rules,
            confidence_map=self._confidence_map,
            defaults=self._defaults,
        )
        self._loop.teach(list(questionnaire.taught_values()))
        return PromptMaker(questionnaire, self._limit, self._reuse)


def _name(schemas: Schemas) -> str:
    """A text that differs for all schemas that differ."""
    if isinstance(schemas, Schema):
        return schemas.key
    return repr([(category, schema.key) for category, schema in schemas.items()])


def _refusal(document: Document, schemas: Schemas) -> Failure | None:
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
