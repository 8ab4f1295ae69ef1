"""An OpenTelemetry span for each document, if its package is installed.

Without a tracer provider, spans cost nothing.
"""

from __future__ import annotations

from typing import Any

from hpd.results import Extraction

try:
    from opentelemetry import trace
except ImportError:
    trace = None


def record_span(extraction: Extraction[Any], start: int) -> None:
    """Record a document's span, as a child of the current span.

    Args:
        extraction: its id, tokens and type of error become attributes; its texts do not.
        start: when its request began, in nanoseconds since 1970.
    """
    if trace is None:
        return
    attributes = {"hpd.document": str(extraction.id)}
    if extraction.error is not None:
        attributes["error.type"] = extraction.error.type
    span = trace.get_tracer("hpd").start_span(
        "hpd.extract", attributes=attributes, start_time=start
    )
    if extraction.usage is not None:
        span.set_attribute("gen_ai.usage.input_tokens", extraction.usage.prompt_tokens)
        span.set_attribute("gen_ai.usage.output_tokens", extraction.usage.completion_tokens)
    if extraction.error is not None:
        span.set_status(trace.StatusCode.ERROR)
    span.end()
