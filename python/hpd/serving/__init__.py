"""An HTTP server around one extractor: ``/extract``, OpenAI's chat completions, and a page.

All but this module needs the packages of the extra ``serve``.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerLimits:
    """The most that a server takes on."""

    body_bytes: int = 4 * 1024 * 1024
    """The bytes of a request's body."""
    schema_bytes: int = 64 * 1024
    """The bytes of a schema, with its options and examples, as JSON."""
    texts: int = 256
    """The documents of a request."""
    waiting: int = 512
    """The documents of all requests that are not answered yet."""
    seconds: float = 120.0
    """The time for a request, from its last byte to its answer."""
    shutdown_seconds: float = 30.0
    """The time for requests that are under way when the server is to end."""
