"""One run of a method over all documents: its time, its counts and its answers.

Runs that lost much time to the host of a virtual machine (Linux's steal time) are repeated.
"""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Any, TypeVar

from hpd import _native
from hpd.bench.known_answers import KnownAnswers
from hpd.bench.methods import BenchMethod
from hpd.bench.workload import Workload, WorkloadDocument, spread
from hpd.documents import Document
from hpd.errors import HpdError, InputError
from hpd.models.hardware import system_lines
from hpd.models.settings import engine_options
from hpd.options import TUNABLE, speed_identity
from hpd.pipeline.compiled_schema import CompiledSchema
from hpd.pipeline.pipeline import Pipeline
from hpd.pipeline.task import Task
from hpd.prompt.questions import schema_leaves
from hpd.results import Extraction, plain_data

_STATUS = Path("/proc/self/status")


def peak_bytes() -> int:
    """Return the peak resident set, since its last reset on Linux; 0 if unknown."""
    for line in system_lines(_STATUS):
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) * 1024
    try:
        import resource
    except ImportError:
        return 0
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


T = TypeVar("T")

MAX_STOLEN_SHARE = 0.03
"""Share of CPU time that the host may take from an accepted run."""

N_TRIES = 3
"""Maximum runs of a method in one round, if the host disturbs them."""

_STEAL = 8  # the column of stolen time, after the word "cpu"


class StolenTime:
    """A running stopwatch for the time that the host takes."""

    def __init__(self, file: Path = Path("/proc/stat")) -> None:
        self._file = file
        self._stolen = _stolen_seconds(file)
        self._start = perf_counter()

    def share(self) -> float:
        """Return the share of CPU time that the host took; 0 if unknown."""
        whole = (perf_counter() - self._start) * (os.cpu_count() or 1)
        return max(0.0, (_stolen_seconds(self._file) - self._stolen) / whole) if whole > 0 else 0.0


def least_disturbed(measure: Callable[[], T], share: Callable[[T], float]) -> T:
    """Return the first undisturbed measurement, or the best of ``N_TRIES``."""
    tries: list[T] = []
    while len(tries) < N_TRIES:
        tries.append(measure())
        if share(tries[-1]) <= MAX_STOLEN_SHARE:
            return tries[-1]
    return min(tries, key=share)


def _stolen_seconds(file: Path) -> float:
    """Return the stolen seconds of all processors since boot."""
    try:
        columns = file.read_text().partition("\n")[0].split()
        return int(columns[_STEAL]) / os.sysconf("SC_CLK_TCK")
    except (OSError, ValueError, IndexError, AttributeError):
        return 0.0


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
    """The part of it for prompts and keys; the rest is for values."""
    cpu_seconds: float
    """CPU time of all threads, which includes waiting for each other."""
    host_seconds: float
    """Other time: tokenizing, scheduling, sampling, parsing and grounding values."""
    prompt_tokens: int
    cached_tokens: int
    """Tokens of prompts that were already in the KV cache."""
    completion_tokens: int
    steps: float
    """Mean number of batches in which values of a document were decoded."""
    n_batches: int
    n_tokens: int
    """Tokens in all batches: prompts, keys, values and drafts."""
    n_rows: int
    n_drafted: int
    n_accepted: int
    n_graphs: int
    """Graphs that llama.cpp computed: one per ubatch."""
    n_graphs_reused: int
    """Graphs that llama.cpp reused."""
    n_preempted: int
    peak_bytes: int
    n_wrong: int
    """Answers that differ from the replayed ones."""
    stolen: float
    """Share of CPU time that the host of a virtual machine took."""

    @property
    def ms_per_document(self) -> float:
        return 1000 * self.seconds / self.n_documents


@dataclass(frozen=True, slots=True)
class MeasuredAnswers:
    """A measurement, and the answers of the method."""

    measurement: Measurement
    answers: dict[int, Any]
    """Answers by the document's index in the workload."""


class Bench:
    """A loaded model and a workload."""

    def __init__(self, model: _native.Model, workload: Workload) -> None:
        self._model = model
        self._workload = workload

    def measure(self, method: BenchMethod, number: int) -> MeasuredAnswers:
        """Run the method once, in a new context.

        Raises:
            HpdError: a document cannot be decoded.
        """
        # The previous method's context is freed, so its memory must not count. Systems other than
        # Linux cannot reset the peak.
        with contextlib.suppress(OSError):
            Path("/proc/self/clear_refs").write_text("5")
        workload = self._workload
        pipeline = Pipeline(
            self._model,
            Task(workload.schemas, method.options),
            engine_options(method.options),
            compile_schema=self._compiled_schema(method),
        )
        indexes = spread(len(workload.items), method.n_documents)
        items = [workload.items[index] for index in indexes]
        asked = {item.category for item in items}
        _extract_in_order(pipeline, [item for item in workload.warm_up if item.category in asked])
        before = pipeline.stats
        cpu_start = time.process_time()
        stolen = StolenTime()
        start = time.perf_counter()
        extractions = _extract_in_order(pipeline, items)
        seconds = time.perf_counter() - start
        cpu_seconds = time.process_time() - cpu_start
        stolen_share = stolen.share()
        after = pipeline.stats
        pipeline.close()
        answers = {
            index: without_nulls(plain_data(extraction.data))
            for index, extraction in zip(indexes, extractions, strict=True)
        }
        usages = [extraction.usage for extraction in extractions if extraction.usage is not None]
        llama_seconds = after.decode_seconds - before.decode_seconds
        measurement = Measurement(
            method=method.name,
            kind=method.kind,
            round=number,
            settings=_speed_settings(method),
            n_documents=len(extractions),
            n_fields=sum(
                len(schema_leaves(workload.schemas.for_category(item.category))) for item in items
            ),
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

    def _compiled_schema(self, method: BenchMethod) -> Callable[..., CompiledSchema]:
        if not self._workload.is_replay:
            return CompiledSchema
        known: dict[str, Mapping[str, Any] | None] = {}
        for item in (*self._workload.warm_up, *self._workload.items):
            if known.setdefault(item.text, item.answer) != item.answer:
                raise InputError(
                    f"document {item.id}: another one has the same text but another answer; "
                    "remove one"
                )
        return partial(KnownAnswers, known=known.get, has_grammar=method.grammar)

    def _n_wrong(self, method: BenchMethod, answers: Mapping[int, Any]) -> int:
        if not self._workload.is_replay or method.kind == "prefill":
            return 0
        items = self._workload.items
        return sum(
            answer != without_nulls(items[index].answer) for index, answer in answers.items()
        )


def _extract_in_order(
    pipeline: Pipeline, items: Sequence[WorkloadDocument]
) -> list[Extraction[Any]]:
    """Return the extractions of some items, in order."""
    documents = (Document(item.text, item, item.category) for item in items)
    by_place: dict[int, Extraction[Any]] = {}
    for index, extraction in pipeline.run(documents):
        if extraction.data is None and extraction.error is not None:
            raise HpdError(f"document {items[index].id}: {extraction.error.message}")
        by_place[index] = extraction
    return [by_place[index] for index in range(len(items))]


def without_nulls(data: Any) -> Any:
    """Return the data without nulls, which are equivalent to missing attributes."""
    if isinstance(data, Mapping):
        kept = {name: without_nulls(value) for name, value in data.items()}
        return {name: value for name, value in kept.items() if value not in (None, {}, [])}
    return [without_nulls(item) for item in data] if isinstance(data, list) else data


def _speed_settings(method: BenchMethod) -> dict[str, Any]:
    """Return the options on which a method's speed depends."""
    tuned = {name: getattr(method.options, name) for name in TUNABLE}
    return {**speed_identity(method.options), **tuned, "grammar": method.grammar}
