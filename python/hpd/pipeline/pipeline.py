"""The way from documents to extractions: stacks, jobs, the engine, and back."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from hpd import _native
from hpd.documents import NOT_YET, Document, NotYet
from hpd.options import Options
from hpd.pipeline.long_documents import Item, JobMaker, Replay
from hpd.pipeline.questionnaire import Examples, Questionnaire
from hpd.pipeline.runner import Runner
from hpd.pipeline.stacks import Stacks
from hpd.results import Extraction, Failure
from hpd.schema.attributes import Schema

Schemas = Schema | Mapping[str, Schema]
"""One schema, or one for each category."""

MakeEngine = Callable[[_native.Model, _native.EngineOptions], _native.Engine]

_N_OTHER_SCHEMAS = 64
"""The schemas of single calls for which prompts and grammars are kept."""


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
        replay: known answers, to be decoded in place of the model's own, for timing and tests.
        make_engine: makes the engine; a benchmark may put something around it.
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
        replay: Replay | None = None,
        make_engine: MakeEngine = _native.Engine,
    ) -> None:
        self._model: _native.Model | None = model
        self._schemas = schemas
        self._options = options
        self._examples = examples
        self._rules = rules
        self._replay = replay
        _native.claim_process()
        self._engine = make_engine(model, native)
        # A model knows no positions beyond those of its training.
        self._n_ctx = min(self._engine.n_ctx, model.n_ctx_train or self._engine.n_ctx)
        in_flight = options.most_in_flight
        self._runner = Runner(self._engine, n_ahead=in_flight)
        self._patience = patience or 4 * options.stack * in_flight
        self._job_makers: dict[tuple[bool, str | None], JobMaker] = {}

    def check_room(self) -> None:
        """Refuse a schema that leaves no room for any document; those by category when they come.

        Raises:
            ContextOverflowError: with the numbers of tokens.
        """
        if isinstance(self._schemas, Schema):
            self._jobs_of(self._schemas, None).check_room()

    def run(
        self, documents: Iterable[str | Document | NotYet], schemas: Schemas | None = None
    ) -> Iterator[tuple[int, Extraction[Any]]]:
        """The extraction of each document with its place in the input, as soon as it is finished.

        Documents are pulled as the engine wants them. One that fails has ``error`` in its
        extraction. ``schemas`` take the place of the pipeline's own.
        """
        texts: dict[int, str] = {}  # of the documents that are under way
        items = self._items(documents, texts, schemas or self._schemas)
        for place, extraction in self._runner.run(items):
            yield place, replace(extraction, text=texts.pop(place, None))

    @property
    def stats(self) -> _native.EngineStats:
        """Batches, tokens and time since the engine was made."""
        return self._engine.stats

    def close(self) -> None:
        """Free the engine; documents under way end with ``EngineClosedError``."""
        self._runner.close()
        self._job_makers.clear()
        self._model = None

    def _items(
        self,
        documents: Iterable[str | Document | NotYet],
        texts: dict[int, str],
        schemas: Schemas,
    ) -> Iterator[Item | NotYet]:
        stacks = Stacks(self._options.stack, self._patience)
        places = itertools.count()
        for given in documents:
            if given is NOT_YET:
                for stack in stacks.rest():
                    yield from self._jobs_of(schemas, stack[0][1].category).jobs(stack)
                yield NOT_YET
                continue
            place = next(places)
            document = given if isinstance(given, Document) else Document(given)
            failure = _refusal(document, schemas)
            if failure is not None:
                yield place, Extraction(document.id, error=failure)
                continue
            texts[place] = document.text
            for stack in stacks.add(place, document):
                yield from self._jobs_of(schemas, stack[0][1].category).jobs(stack)
        for stack in stacks.rest():
            yield from self._jobs_of(schemas, stack[0][1].category).jobs(stack)

    def _jobs_of(self, schemas: Schemas, category: str | None) -> JobMaker:
        key = None if isinstance(schemas, Schema) else category
        schema = schemas if isinstance(schemas, Schema) else schemas[str(key)]
        is_own = schemas is self._schemas
        # Schemas that differ may be equal, as 1 and True are.
        name = key if is_own else repr(schema)
        maker = self._job_makers.get((is_own, name))
        if maker is None:
            assert self._model is not None
            questionnaire = Questionnaire(
                self._model,
                schema,
                self._options,
                examples_of(self._examples, key) if is_own else (),
                rules=self._rules,
                constrains_replay=self._replay is not None and self._replay.constrained,
            )
            self._runner.teach(list(questionnaire.taught_values()))
            maker = JobMaker(questionnaire, self._n_ctx, self._replay)
            self._keep(maker, (is_own, name))
        return maker

    def _keep(self, maker: JobMaker, key: tuple[bool, str | None]) -> None:
        """Keep what was made for a schema; of other callers' schemas, the latest ones."""
        others = [known for known in self._job_makers if not known[0]]
        if not key[0] and len(others) >= _N_OTHER_SCHEMAS:
            self._job_makers.pop(others[0], None)
        self._job_makers[key] = maker


def _refusal(document: Document, schemas: Schemas) -> Failure | None:
    """The error of a document that cannot be extracted from; None if it can."""
    if not isinstance(document.text, str):
        kind = type(document.text).__name__
        return Failure("InputError", f"a document must be text, not {kind}")
    if isinstance(schemas, Mapping) and document.category not in schemas:
        names = ", ".join(sorted(schemas))
        what = "no category" if document.category is None else f"category {document.category!r}"
        return Failure("InputError", f"{what}: the schema has {names}")
    return None


def examples_of(examples: Examples | Mapping[str, Examples], category: str | None) -> Examples:
    """The examples of a category; if they are not given by category, all of them."""
    return examples.get(category or "", ()) if isinstance(examples, Mapping) else examples
