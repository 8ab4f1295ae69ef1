"""A span of OpenTelemetry for each document, where its package is installed.

Where no provider of traces is set up, spans cost nothing and go nowhere.
"""

from __future__ import annotations

from typing import Any

from hpd.results import Extraction

try:
    from opentelemetry import trace
except ImportError:
    trace = None


def note_span(extraction: Extraction[Any], start: int) -> None:
    """Note that a document is answered, within the span of the caller's context.

    Args:
        extraction: its id, its tokens and the type of its error become attributes; no text does.
        start: when its request was taken up, in nanoseconds since 1970.
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
