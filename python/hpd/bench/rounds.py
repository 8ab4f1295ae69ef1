"""Interleaved rounds of several methods, and their summary: medians, spreads, ratios."""

from __future__ import annotations

import os
import platform
import statistics
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from hpd import _native
from hpd.bench.measure import Bench, Measurement, least_disturbed
from hpd.bench.methods import BenchMethod, Contest
from hpd.models.hardware import device_summary, devices, processor, use_amx
from hpd.version import __version__

_BASELINES = ("ar", "ar-batched", "prefill")

COLUMNS = {
    "method": "method",
    "n_documents": "docs",
    "documents_per_second": "docs/s",
    "ms_per_document": "ms/doc",
    "spread": "spread",
    "speedup_ar": "x ar",
    "speedup_ar_batched": "x ar-b.",
    "ratio_prefill": "/prefill",
    "prompt_tokens": "prompt",
    "completion_tokens": "compl.",
    "steps": "steps",
    "tokens_per_batch": "tok/batch",
    "rows": "rows",
    "acceptance": "accept",
    "reused_graphs": "reused",
    "cpu_ms": "cpu ms",
    "reading_ms": "read ms",
    "writing_ms": "write ms",
    "host_ms": "host ms",
    "peak_mib": "MiB",
    "dollars_per_1000": "$/1000",
    "n_wrong": "wrong",
}
"""Figures of the table and their headings; all except rates are per document."""

_DECIMALS = {
    "documents_per_second": 2,
    "speedup_ar": 2,
    "speedup_ar_batched": 2,
    "ratio_prefill": 2,
    "completion_tokens": 1,
    "steps": 1,
    "rows": 1,
    "host_ms": 1,
    "dollars_per_1000": 4,
}


def to_json(measurement: Measurement) -> dict[str, Any]:
    """Convert a measurement to a line of output."""
    row = asdict(measurement)
    row["ms_per_document"] = measurement.ms_per_document
    row["documents_per_second"] = measurement.n_documents / measurement.seconds
    return {"type": "measurement", **row}


def summarise(
    measurements: Sequence[Measurement], price_per_hour: float | None = None
) -> list[dict[str, Any]]:
    """Return a row for each method, in the order of first measurement.

    A ratio is the median of the ratios within each round, so a round that is slow as a whole does
    not matter. The baseline for ``ar-batched`` is the fastest of its settings; for several ``ar``
    or ``prefill`` it is the first.
    """
    by_method: dict[str, list[Measurement]] = {}
    for measurement in measurements:
        by_method.setdefault(measurement.method, []).append(measurement)
    baselines = {kind: _baseline_times(kind, by_method) for kind in _BASELINES}
    return [_summary_row(runs, baselines, price_per_hour) for runs in by_method.values()]


def by_speed(runs: Mapping[str, Sequence[Measurement]]) -> list[str]:
    """Return the methods by median time, fastest first."""
    return sorted(runs, key=lambda name: statistics.median(m.seconds for m in runs[name]))


def _baseline_times(
    kind: str, by_method: Mapping[str, Sequence[Measurement]]
) -> Mapping[int, float]:
    """Return the milliseconds by round of the kind's first method; of ar-batched, the fastest."""
    candidates = {name: runs for name, runs in by_method.items() if runs[0].kind == kind}
    if not candidates:
        return {}
    if kind != "ar-batched":
        return {m.round: m.ms_per_document for m in next(iter(candidates.values()))}
    # Settings that lost in the first round were not measured again.
    n_rounds = max(len(runs) for runs in candidates.values())
    candidates = {name: runs for name, runs in candidates.items() if len(runs) == n_rounds}
    return {m.round: m.ms_per_document for m in candidates[by_speed(candidates)[0]]}


def _summary_row(
    runs: Sequence[Measurement],
    baselines: Mapping[str, Mapping[int, float]],
    price_per_hour: float | None,
) -> dict[str, Any]:
    first = runs[0]
    n = first.n_documents
    times = [m.ms_per_document for m in runs]
    middle = statistics.median(times)

    def ratio(kind: str) -> float | None:
        """Return the baseline's time divided by the method's, as a median over the rounds."""
        pairs = [
            baselines[kind][m.round] / m.ms_per_document for m in runs if m.round in baselines[kind]
        ]
        return statistics.median(pairs) if pairs else None

    floor = ratio("prefill")
    return {
        "type": "summary",
        "method": first.method,
        "kind": first.kind,
        "settings": first.settings,
        "n_rounds": len(runs),
        "n_documents": n,
        "documents_per_second": 1000 / middle,
        "ms_per_document": middle,
        "spread": (max(times) - min(times)) / middle,
        "speedup_ar": ratio("ar"),
        "speedup_ar_batched": ratio("ar-batched"),
        "ratio_prefill": None if floor is None else 1 / floor,
        "prompt_tokens": first.prompt_tokens / n,
        "cached_tokens": first.cached_tokens / n,
        "completion_tokens": first.completion_tokens / n,
        "steps": statistics.median(m.steps for m in runs),
        "n_batches": statistics.median(m.n_batches for m in runs) / n,
        "tokens_per_batch": statistics.median(m.n_tokens / m.n_batches for m in runs),
        "rows": statistics.median(m.n_rows for m in runs) / n,
        "acceptance": (
            sum(m.n_accepted for m in runs) / sum(m.n_drafted for m in runs)
            if any(m.n_drafted for m in runs)
            else None
        ),
        "reused_graphs": sum(m.n_graphs_reused for m in runs) / sum(m.n_graphs for m in runs),
        "reading_ms": statistics.median(1000 * m.reading_seconds / n for m in runs),
        "writing_ms": statistics.median(
            1000 * (m.llama_seconds - m.reading_seconds) / n for m in runs
        ),
        "llama_ms": statistics.median(1000 * m.llama_seconds / n for m in runs),
        "cpu_ms": statistics.median(1000 * m.cpu_seconds / n for m in runs),
        "host_ms": statistics.median(1000 * m.host_seconds / n for m in runs),
        "peak_mib": max(m.peak_bytes for m in runs) / 2**20,
        "dollars_per_1000": None if price_per_hour is None else middle / 3600 * price_per_hour,
        "n_wrong": max(m.n_wrong for m in runs),
        "stolen": max(m.stolen for m in runs),
    }


def table_rows(summary: Sequence[Mapping[str, Any]]) -> list[list[str]]:
    """Return the table's cells, headings first, without empty columns."""
    keys = [key for key in COLUMNS if any(row[key] is not None for row in summary)]
    return [
        [COLUMNS[key] for key in keys],
        *([_cell_text(key, row[key]) for key in keys] for row in summary),
    ]


def _cell_text(key: str, value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    assert isinstance(value, int | float)
    if key in ("spread", "acceptance", "reused_graphs"):
        return f"{value:.0%}"
    return f"{value:.{_DECIMALS.get(key, 0)}f}"


@dataclass(slots=True)
class Rounds:
    """The results of several rounds."""

    measurements: list[Measurement] = field(default_factory=list)
    answers: dict[str, dict[int, Any]] = field(default_factory=dict)
    """Each method's answers in the first round."""

    def compare_methods(self) -> tuple[str | None, dict[str, int]]:
        """Return the first method of kind hpd, and how many answers of each other method differ."""
        kinds = {m.method: m.kind for m in self.measurements}
        own = next((name for name in self.answers if kinds[name] == "hpd"), None)
        if own is None:
            return None, {}
        others = {n: each for n, each in self.answers.items() if kinds[n] != "prefill" and n != own}
        return own, {n: n_different(each, self.answers[own]) for n, each in others.items()}


def run_rounds(
    bench: Bench,
    contests: Sequence[Contest],
    n_rounds: int,
    progress: Callable[[Measurement], None] | None = None,
) -> Rounds:
    """Time all methods in rounds.

    Methods take turns, forwards and backwards, so that changes in the machine's speed favour none.
    Runs that the host of a virtual machine disturbed are repeated. After the first round only the
    fastest of each contest stays.
    """
    rounds = Rounds()
    methods = _unique(method for contest in contests for method in contest.methods)
    for number in range(1, n_rounds + 1):
        for method in methods if number % 2 else reversed(methods):
            run = least_disturbed(
                partial(bench.measure, method, number), lambda run: run.measurement.stolen
            )
            if progress is not None:
                progress(run.measurement)
            rounds.measurements.append(run.measurement)
            rounds.answers.setdefault(method.name, run.answers)
        if number == 1:
            methods = _unique(_fastest_method(contest, rounds.measurements) for contest in contests)
    return rounds


def n_different(answers: Mapping[int, Any], reference: Mapping[int, Any]) -> int:
    """Count the documents with different answers, of those that have both answers."""
    return sum(answers[index] != reference[index] for index in answers.keys() & reference.keys())


def _fastest_method(contest: Contest, measurements: Sequence[Measurement]) -> BenchMethod:
    names = {method.name: method for method in contest.methods}
    runs = {m.method: [m] for m in measurements if m.method in names}
    return names[by_speed(runs)[0]]


def _unique(methods: Iterable[BenchMethod]) -> list[BenchMethod]:
    return list({method.name: method for method in methods}.values())


def environment(model: _native.Model, path: Path, n_gpu_layers: int) -> dict[str, Any]:
    """Return everything that affects the figures, apart from the settings."""
    return {
        "hpd": __version__,
        "llama_cpp_python": _native.LLAMA_CPP_PYTHON,
        "llama_cpp": _native.system_info().strip(),
        "python": platform.python_version(),
        "system": platform.platform(),
        "processor": processor(),
        "n_cores": os.cpu_count(),
        "devices": devices(),
        "computing_on": device_summary(n_gpu_layers),
        "amx": use_amx(),
        "model": path.name,
        "model_description": model.description,
        "model_bytes": model.n_bytes,
    }
