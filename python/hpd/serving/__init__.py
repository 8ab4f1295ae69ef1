"""An HTTP server around one extractor: ``/extract``, OpenAI's chat completions, and a page.

All other modules here need the extra ``serve``.
"""

from __future__ import annotations

import signal
from dataclasses import dataclass

STOP_SIGNALS = tuple(
    number
    for name in ("SIGINT", "SIGTERM", "SIGHUP")
    # SIGHUP does not exist on Windows, and stays ignored under nohup.
    if (number := getattr(signal, name, None)) is not None
    and (name != "SIGHUP" or signal.getsignal(number) != signal.SIG_IGN)
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerLimits:
    """The limits of a server."""

    body_bytes: int = 4 * 1024 * 1024
    """Maximum size of a request's body, in bytes."""
    schema_bytes: int = 64 * 1024
    """Maximum size of a schema with its options and examples, in bytes of JSON."""
    texts: int = 256
    """Maximum number of documents in a request."""
    waiting: int = 512
    """Maximum number of documents in all unanswered requests."""
    seconds: float = 120.0
    """Seconds from a request's last byte to its answer."""
    shutdown_seconds: float = 30.0
    """Seconds for pending requests when the server shuts down."""
