"""One run of a method over all documents: its time, its counts and its answers."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hpd import _native
from hpd.bench.memory import forget_peak, peak_bytes
from hpd.bench.methods import Method
from hpd.bench.prices import Prices, measure_prices
from hpd.bench.stolen import StolenTime
from hpd.bench.workload import Item, Workload, spread
from hpd.documents import Document
from hpd.errors import HpdError
from hpd.models.native_options import engine_options
from hpd.options import OPTIONS, Options
from hpd.pipeline.long_documents import Replay
from hpd.pipeline.pipeline import MakeEngine, Pipeline
from hpd.prompt.questions import schema_leaves
from hpd.results import Extraction, plain_data


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
    """Time in llama.cpp, for all batches."""
    reading_seconds: float
    """The share of that for the tokens of prompts and keys; the rest is that of values."""
    cpu_seconds: float
    """Processor time of all threads together, which includes waiting for each other."""
    host_seconds: float
    """All other time: tokenising, scheduling, choosing tokens, parsing and grounding values."""
    prompt_tokens: int
    cached_tokens: int
    """The tokens of the prompts that were in the KV cells already."""
    completion_tokens: int
    steps: float
    """The number of batches with a value of a document, as a mean over the documents."""
    n_batches: int
    n_tokens: int
    """Tokens in all batches: prompts, keys, values and drafts."""
    n_rows: int
    n_drafted: int
    n_accepted: int
    n_graphs: int
    """The graphs that llama.cpp computed: one for each pass of a batch."""
    n_graphs_reused: int
    """Those of them that were the ones before, and were not built again."""
    n_preempted: int
    peak_bytes: int
    n_wrong: int
    """The number of answers that differ from the replayed ones."""
    stolen: float
    """The share of the processors' time that the host of a virtual machine took for others."""

    def bill(self, prices: Prices) -> float:
        """The seconds that its tokens and rows cost at these prices; refused guesses are free."""
        n_refused = self.n_drafted - self.n_accepted
        return prices.bill(self.n_tokens - n_refused, self.n_rows - n_refused)

    @property
    def ms_per_document(self) -> float:
        """Milliseconds a document."""
        return 1000 * self.seconds / self.n_documents


@dataclass(frozen=True, slots=True)
class MeasuredAnswers:
    """A measurement, and the answers of the method."""

    measurement: Measurement
    answers: dict[int, Any]
    """The answers by the document's place in the workload."""


class Bench:
    """A loaded model and a workload.

    ``make_engine`` may wrap the engine, so that its steps can be watched.
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
        # The last method's context is gone, so its memory does not count for this one.
        forget_peak()
        workload = self._workload
        pipeline = Pipeline(
            self._model,
            workload.schemas,
            method.options,
            engine_options(method.options),
            replay=Replay(_known_answer, method.grammar) if workload.is_replay else None,
            make_engine=self._make_engine,
        )
        places = spread(len(workload.items), method.n_documents)
        items = [workload.items[place] for place in places]
        asked = {item.category for item in items}
        _extract(pipeline, [item for item in workload.warm_up if item.category in asked])
        before = pipeline.stats
        cpu_start = time.process_time()
        stolen = StolenTime()
        start = time.perf_counter()
        extractions = _extract(pipeline, items)
        seconds = time.perf_counter() - start
        cpu_seconds = time.process_time() - cpu_start
        stolen_share = stolen.share()
        after = pipeline.stats
        pipeline.close()
        answers = {
            place: without_nulls(plain_data(extraction.data))
            for place, extraction in zip(places, extractions, strict=True)
        }
        usages = [extraction.usage for extraction in extractions if extraction.usage is not None]
        llama_seconds = after.decode_seconds - before.decode_seconds
        measurement = Measurement(
            method=method.name,
            kind=method.kind,
            round=number,
            settings=_settings(method),
            n_documents=len(extractions),
            n_fields=sum(len(schema_leaves(workload.schema(item.category))) for item in items),
            seconds=seconds,
            llama_seconds=llama_seconds,
            reading_seconds=after.reading_seconds - before.reading_seconds,
            cpu_seconds=cpu_seconds,
            host_seconds=seconds - llama_seconds,
            prompt_tokens=sum(usage.prompt_tokens for usage in usages),
            cached_tokens=sum(usage.cached_tokens for usage in usages),
            completion_tokens=sum(usage.completion_tokens for usage in usages),
            steps=sum(usage.steps for usage in usages) / len(usages),
            n_batches=after.n_batches - before.n_batches,
            n_tokens=after.n_tokens - before.n_tokens,
            n_rows=after.n_rows - before.n_rows,
            n_drafted=sum(usage.drafted_tokens for usage in usages),
            n_accepted=sum(usage.accepted_tokens for usage in usages),
            n_graphs=after.n_graphs - before.n_graphs,
            n_graphs_reused=after.n_graphs_reused - before.n_graphs_reused,
            n_preempted=after.n_preempted - before.n_preempted,
            peak_bytes=peak_bytes(),
            n_wrong=self._n_wrong(method, answers),
            stolen=stolen_share,
        )
        return MeasuredAnswers(measurement, answers)

    def prices(self, options: Options) -> Prices:
        """The cost of a token and of a row now, with an engine of its own."""
        return measure_prices(self._model, engine_options(options))

    def _n_wrong(self, method: Method, answers: Mapping[int, Any]) -> int:
        if not self._workload.is_replay or method.kind == "prefill":
            return 0
        items = self._workload.items
        return sum(
            answer != without_nulls(items[place].answer) for place, answer in answers.items()
        )


def _known_answer(document: Document) -> Mapping[str, Any] | None:
    item: Item = document.id
    return item.answer


def _extract(pipeline: Pipeline, items: Sequence[Item]) -> list[Extraction[Any]]:
    """The extractions of some items, in their order."""
    documents = (Document(item.text, item, item.category) for item in items)
    by_place: dict[int, Extraction[Any]] = {}
    for place, extraction in pipeline.run(documents):
        if extraction.data is None and extraction.error is not None:
            raise HpdError(f"document {items[place].id}: {extraction.error.message}")
        by_place[place] = extraction
    return [by_place[place] for place in range(len(items))]


def without_nulls(data: Any) -> Any:
    """The data without nulls: a null attribute and a missing one mean the same."""
    if isinstance(data, Mapping):
        kept = {name: without_nulls(value) for name, value in data.items()}
        return {name: value for name, value in kept.items() if value not in (None, {}, [])}
    return [without_nulls(item) for item in data] if isinstance(data, list) else data


def _settings(method: Method) -> dict[str, Any]:
    """The options on which a method's speed depends."""
    options = {
        name: getattr(method.options, name)
        for name, option in OPTIONS.items()
        if option.in_identity or option.tuning is not None
    }
    return {**options, "grammar": method.grammar}
