"""Metrics of a server, for Prometheus."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    PlatformCollector,
    ProcessCollector,
    generate_latest,
)
from prometheus_client.metrics_core import CounterMetricFamily, Metric
from prometheus_client.registry import Collector

from hpd._native import EngineStats
from hpd.results import Extraction

_SECONDS = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 120.0)


class Metrics:
    """The metrics of one server.

    Args:
        stats: returns the engine's statistics.
    """

    def __init__(self, stats: Callable[[], EngineStats]) -> None:
        self._registry = CollectorRegistry()
        ProcessCollector(registry=self._registry)
        PlatformCollector(registry=self._registry)
        self._registry.register(_Engine(stats))
        self._requests = Counter(
            "hpd_requests",
            "Requests by path (other: no endpoint) and status.",
            ("path", "status"),
            registry=self._registry,
        )
        self._seconds = Histogram(
            "hpd_request_seconds",
            "Time from the start of a request to the end of its answer.",
            ("path",),
            buckets=_SECONDS,
            registry=self._registry,
        )
        self._documents = Counter(
            "hpd_documents",
            "Documents by type of error; empty: none.",
            ("error",),
            registry=self._registry,
        )
        self._tokens = Counter(
            "hpd_tokens",
            "Tokens by kind: of prompts, of cached prompts, of values.",
            ("kind",),
            registry=self._registry,
        )

    def show_waiting(self, n_waiting: Callable[[], float]) -> None:
        """Show the number of waiting documents, which is read on each scrape."""
        waiting = Gauge(
            "hpd_waiting_documents", "Documents not answered yet.", registry=self._registry
        )
        waiting.set_function(n_waiting)

    def count_request(self, path: str, status: int, seconds: float) -> None:
        """Count an answered request."""
        self._requests.labels(path, str(status)).inc()
        self._seconds.labels(path).observe(seconds)

    def count_extraction(self, extraction: Extraction[Any]) -> None:
        self._documents.labels(extraction.error.type if extraction.error else "").inc()
        usage = extraction.usage
        if usage is not None:
            self._tokens.labels("prompt").inc(usage.prompt_tokens)
            self._tokens.labels("cached").inc(usage.cached_tokens)
            self._tokens.labels("value").inc(usage.completion_tokens)

    def text(self) -> bytes:
        """Return all metrics, in Prometheus's text format."""
        return generate_latest(self._registry)

    media_type = "text/plain; version=0.0.4; charset=utf-8"


class _Engine(Collector):
    """The engine's metrics, read on each scrape."""

    def __init__(self, stats: Callable[[], EngineStats]) -> None:
        self._stats = stats

    def collect(self) -> Iterator[Metric]:
        """Yield the current metrics."""
        stats = self._stats()
        for name, about, value in (
            ("batches", "Batches that the engine decoded.", stats.n_batches),
            ("batch_tokens", "Tokens in these batches.", stats.n_tokens),
            ("rows", "Rows of logits computed.", stats.n_rows),
            ("decode_seconds", "Time spent decoding batches.", stats.decode_seconds),
            ("host_seconds", "Time spent in the engine itself.", stats.host_seconds),
        ):
            yield CounterMetricFamily(f"hpd_engine_{name}", about, value=value)
