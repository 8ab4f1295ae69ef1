"""One method over all documents: its time, its counts and its answers."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hpd import _native
from hpd.bench.jobs import TimedJob
from hpd.bench.memory import forget_peak, peak_bytes
from hpd.bench.methods import Method
from hpd.bench.workload import Item, Workload, spread
from hpd.errors import HpdError
from hpd.machine.native_options import engine_options
from hpd.pipeline.job import Document
from hpd.pipeline.questions import Plan
from hpd.pipeline.runner import Run, Runner
from hpd.results import Extraction, plain_data

MakeEngine = Callable[[_native.Model, _native.EngineOptions], _native.Engine]


@dataclass(frozen=True, slots=True)
class Measurement:
    """One run of one method. Counts are sums over all documents."""

    method: str
    kind: str
    round: int
    settings: dict[str, Any]
    n_documents: int
    n_fields: int
    seconds: float
    llama_seconds: float
    """In llama.cpp: the batches."""
    cpu_seconds: float
    """Of all threads together, waiting for each other included."""
    host_seconds: float
    """All else: tokenising, scheduling, choosing tokens, parsing and grounding values."""
    prompt_tokens: int
    cached_tokens: int
    """Of the prompts: in the KV cells already."""
    completion_tokens: int
    steps: float
    """Batches with a value of a document, mean over the documents."""
    n_batches: int
    n_tokens: int
    """Tokens in all batches: prompts, keys, values and drafts."""
    n_rows: int
    n_drafted: int
    n_accepted: int
    n_preempted: int
    peak_bytes: int
    n_wrong: int
    """Replayed answers that did not come out."""

    @property
    def ms_per_document(self) -> float:
        """Milliseconds."""
        return 1000 * self.seconds / self.n_documents


@dataclass(frozen=True, slots=True)
class MeasuredAnswers:
    """A measurement, and what the method answered."""

    measurement: Measurement
    answers: dict[int, Any]
    """By the document's place in the workload."""


class Bench:
    """A loaded model and a workload.

    ``make_engine`` may put something between the engine and what drives it, to watch its steps.
    """

    def __init__(
        self, model: _native.Model, workload: Workload, make_engine: MakeEngine = _native.Engine
    ) -> None:
        self._model = model
        self._workload = workload
        self._make_engine = make_engine

    def measure(self, method: Method, number: int) -> MeasuredAnswers:
        """Run the method once, in a context of its own.

        Raises:
            HpdError: a document cannot be decoded.
        """
        # The last context is gone by now: what it held is not this method's.
        forget_peak()
        engine = self._make_engine(self._model, engine_options(method.options))
        runner = Runner(engine)
        plans: dict[str | None, Plan] = {}
        places = spread(len(self._workload.items), method.n_documents)
        items = [self._workload.items[place] for place in places]
        self._run(runner, self._jobs(method, plans, self._workload.warm_up), [])
        before = engine.stats
        jobs: list[TimedJob] = []
        cpu_start = time.process_time()
        start = time.perf_counter()
        by_number = self._run(runner, self._jobs(method, plans, items), jobs)
        seconds = time.perf_counter() - start
        cpu_seconds = time.process_time() - cpu_start
        after = engine.stats
        runner.close()
        extractions = [by_number[i] for i in range(len(items))]
        answers = {
            place: without_nulls(plain_data(found.data))
            for place, found in zip(places, extractions, strict=True)
        }
        usages = [extraction.usage for extraction in extractions if extraction.usage is not None]
        llama_seconds = after.decode_seconds - before.decode_seconds
        measurement = Measurement(
            method=method.name,
            kind=method.kind,
            round=number,
            settings=_settings(method),
            n_documents=len(extractions),
            n_fields=sum(len(plans[item.category].leaves) for item in items),
            seconds=seconds,
            llama_seconds=llama_seconds,
            cpu_seconds=cpu_seconds,
            host_seconds=seconds - llama_seconds,
            prompt_tokens=sum(usage.prompt_tokens for usage in usages),
            cached_tokens=sum(usage.cached_tokens for usage in usages),
            completion_tokens=sum(usage.completion_tokens for usage in usages),
            steps=sum(usage.steps for usage in usages) / len(usages),
            n_batches=after.n_batches - before.n_batches,
            n_tokens=after.n_tokens - before.n_tokens,
            n_rows=after.n_rows - before.n_rows,
            n_drafted=sum(job.n_drafted for job in jobs),
            n_accepted=sum(job.n_accepted for job in jobs),
            n_preempted=after.n_preempted - before.n_preempted,
            peak_bytes=peak_bytes(),
            n_wrong=self._n_wrong(method, answers),
        )
        return MeasuredAnswers(measurement, answers)

    def _run(
        self, runner: Runner, jobs: Iterable[Run.Item], timed: list[TimedJob]
    ) -> dict[int, Extraction]:
        def watched() -> Iterator[Run.Item]:
            for places, job in jobs:
                if isinstance(job, TimedJob):
                    timed.append(job)
                yield places, job

        found = {}
        for place, extraction in runner.run(watched()):
            if extraction.error is not None:
                raise HpdError(f"document {extraction.id}: {extraction.error.message}")
            found[place] = extraction
        return found

    def _jobs(
        self, method: Method, plans: dict[str | None, Plan], items: Sequence[Item]
    ) -> Iterator[Run.Item]:
        """Documents in their order, those of one category stacked."""
        options = method.options
        stacks: dict[str | None, list[int]] = {}
        for i, item in enumerate(items):
            stack = stacks.setdefault(item.category, [])
            stack.append(i)
            if len(stack) == options.stack:
                yield self._job(method, plans, items, stacks.pop(item.category))
        for stack in stacks.values():
            yield self._job(method, plans, items, stack)

    def _job(
        self,
        method: Method,
        plans: dict[str | None, Plan],
        items: Sequence[Item],
        places: list[int],
    ) -> Run.Item:
        stack = [items[i] for i in places]
        category = stack[0].category
        if category not in plans:
            schema = self._workload.schema(category)
            plans[category] = Plan(self._model, schema, method.options)
        answers = [item.answer for item in stack if item.answer is not None]
        documents = [Document(item.text, item.id, category) for item in stack]
        return places, TimedJob(
            plans[category], self._model, method.options, documents, answers or None
        )

    def _n_wrong(self, method: Method, answers: Mapping[int, Any]) -> int:
        if not self._workload.is_replay or method.kind == "prefill":
            return 0
        items = self._workload.items
        return sum(found != without_nulls(items[place].answer) for place, found in answers.items())


def without_nulls(data: Any) -> Any:
    """The values that there are: a null attribute and a missing one say the same."""
    if isinstance(data, Mapping):
        kept = {name: without_nulls(value) for name, value in data.items()}
        return {name: value for name, value in kept.items() if value not in (None, {}, [])}
    return [without_nulls(item) for item in data] if isinstance(data, list) else data


def _settings(method: Method) -> dict[str, Any]:
    names = (
        "layout",
        "stack",
        "in_flight",
        "drafts",
        "draft_model",
        "n_batch",
        "n_ubatch",
        "n_value_batch",
        "flash_attn",
        "cpu_attention",
    )
    return {name: getattr(method.options, name) for name in names}
