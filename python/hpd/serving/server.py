"""The server process, which finishes pending requests on a signal."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import math
import signal
import socket
import time
from collections.abc import Iterator
from dataclasses import dataclass
from types import FrameType
from typing import Any

import uvicorn

from hpd.extractor import Extractor
from hpd.serving import STOP_SIGNALS, ServerLimits
from hpd.serving.app import Service, make_app
from hpd.serving.chat import ServedModel
from hpd.serving.dispatcher import Dispatcher, PlanCache
from hpd.serving.metrics import Metrics

_KEEP_ALIVE = 75
"""Seconds that an idle connection stays open: longer than proxies keep theirs."""

_FINAL_ANSWER_SECONDS = 5
"""Seconds to send the answers of cancelled requests."""

_LOGGER = logging.getLogger("hpd.serving")


@dataclass(frozen=True, slots=True)
class Shutdown:
    """How a server shut down."""

    number: int
    """The first signal, or 0."""
    n_cancelled: int
    """Requests that did not finish in time."""


def listen(host: str, port: int) -> socket.socket:
    """Open a listening socket; connections wait until ``serve`` is called.

    Raises:
        OSError: the address is in use, or not one of this machine.
    """
    family, _, _, _, address = socket.getaddrinfo(
        host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
    )[0]
    return socket.create_server(address[:2], family=family)


def serve(
    extractor: Extractor[Any],
    sock: socket.socket,
    *,
    name: str,
    limits: ServerLimits,
    has_schema: bool,
    is_strict: bool,
    api_key: str | None,
) -> Shutdown:
    """Answer requests until SIGINT, SIGTERM or SIGHUP; only in the main thread.

    Args:
        extractor: decodes the documents; it is not closed.
        sock: socket from ``listen``.
        name: name of the model in answers.
        limits: limits of the server.
        has_schema: whether requests without a schema use the extractor's.
        is_strict: whether requests must name this model.
        api_key: the key that requests must send; None: no key.
    """
    options = extractor.options
    own = extractor.schemas if has_schema else None
    plans = PlanCache(extractor.prepare, limits.schema_bytes, own)
    metrics = Metrics(lambda: extractor.stats)
    dispatcher = Dispatcher(
        extractor,
        limits,
        n_threads=2 * options.max_in_flight,
        on_extraction=metrics.count_extraction,
    )
    metrics.show_waiting(lambda: dispatcher.n_pending)
    served = ServedModel(name, options, int(time.time()), is_strict)
    service = Service(dispatcher, plans, served, limits, metrics, api_key)
    config = uvicorn.Config(
        make_app(service),
        lifespan="off",
        ws="none",
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_keep_alive=_KEEP_ALIVE,
        timeout_graceful_shutdown=int(limits.shutdown_seconds) + _FINAL_ANSWER_SECONDS,
    )
    server = _Server(config, dispatcher, limits.shutdown_seconds)
    try:
        server.run([sock])
    finally:
        dispatcher.close()
    return Shutdown(server.number, server.n_cancelled)


class _Server(uvicorn.Server):
    """Shuts down at the first signal, and cancels pending requests at the second.

    Unlike uvicorn's own server, it does not raise the signal again at the end.
    """

    def __init__(self, config: uvicorn.Config, dispatcher: Dispatcher, seconds: float) -> None:
        super().__init__(config)
        self.number = 0
        self.n_cancelled = 0
        self._dispatcher = dispatcher
        self._seconds = seconds
        self._end_at = 0.0
        self._loop: asyncio.AbstractEventLoop | None = None

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Handle signals while serving."""
        self._loop = asyncio.get_running_loop()
        before = {number: signal.signal(number, self.handle_exit) for number in STOP_SIGNALS}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def handle_exit(self, number: int, frame: FrameType | None) -> None:
        """Begin to shut down; at the second signal, cancel pending requests."""
        assert self._loop is not None
        is_first = not self.number
        self.number = self.number or number
        self._loop.call_soon_threadsafe(self._begin_shutdown if is_first else self._cancel_all)

    def _begin_shutdown(self) -> None:
        """Reject new requests, and let the pending ones finish until the time is up."""
        assert self._loop is not None
        self._dispatcher.stop_accepting()
        _LOGGER.info("shutting down; pending documents: %d", self._dispatcher.n_pending)
        self._end_at = time.monotonic() + self._seconds
        self._loop.call_later(self._seconds, self._cancel_all)

    async def on_tick(self, counter: int) -> bool:
        """Return whether to exit: on shutdown, when nothing is pending."""
        if self._dispatcher.is_stopping and not self._dispatcher.n_pending:
            self.should_exit = True
            # Time to send answers, and to refuse requests whose bodies are only partly read.
            left = max(0, math.ceil(self._end_at - time.monotonic()))
            self.config.timeout_graceful_shutdown = left + _FINAL_ANSWER_SECONDS
        return await super().on_tick(counter)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Stop listening, and send the last answers."""
        self._dispatcher.stop_accepting()
        await super().shutdown(sockets)

    def _cancel_all(self) -> None:
        self.n_cancelled += self._dispatcher.cancel_all()
