"""The addresses of the server, as an ASGI application."""

from __future__ import annotations

import asyncio
import hmac
import time
from collections.abc import Awaitable, Callable
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from hpd.serving.asked import Asked
from hpd.serving.chat_request import Served, read_chat_request
from hpd.serving.dispatcher import ClientGoneError, Dispatcher
from hpd.serving.extract_request import read_extract_request
from hpd.serving.limits import Limits
from hpd.serving.metrics import MEDIA_TYPE, Metrics
from hpd.serving.plans import Plans
from hpd.serving.refusals import RefusedError

_SMALL = 64 * 1024
"""The bytes of a body that is read at once, without a thread of its own."""

_DISCARDED = 16 * 1024 * 1024
"""The bytes beyond the limit that are read all the same, and forgotten: a client that is hung up on
while it sends does not see the answer that says why."""

_CLIENT_GONE = 499
"""Not sent to anybody, but counted; the number is nginx's."""

Handler = Callable[[Request], Awaitable[Response]]


class Service:
    """Answers requests.

    Args:
        dispatcher: has documents decoded.
        plans: what requests ask for.
        served: the model.
        limits: how much a request may ask for.
        metrics: counts.
        api_key: the key that a request must bring; None to demand none.
    """

    def __init__(
        self,
        dispatcher: Dispatcher,
        plans: Plans,
        served: Served,
        limits: Limits,
        metrics: Metrics,
        api_key: str | None,
    ) -> None:
        self._dispatcher = dispatcher
        self._plans = plans
        self._served = served
        self._limits = limits
        self._metrics = metrics
        self._authorization = None if api_key is None else f"Bearer {api_key}".encode()

    def app(self) -> Starlette:
        """The application."""
        posts = {"/extract": self._extract, "/v1/chat/completions": self._chat}
        gets = {
            "/v1/models": self._models,
            "/v1/models/{name:path}": self._model,
            "/metrics": self._show_metrics,
        }
        routes = [
            *(Route(path, self._guarded(path, to), methods=["POST"]) for path, to in posts.items()),
            *(Route(path, self._guarded(path, to), methods=["GET"]) for path, to in gets.items()),
            Route("/health", self._health, methods=["GET"]),
        ]
        handlers = {HTTPException: _unrouted, Exception: _broken}
        return Starlette(routes=routes, exception_handlers=handlers)

    def _guarded(self, path: str, handler: Handler) -> Handler:
        """A handler for those who have the key; what it refuses is answered, and all is counted."""

        async def answer(request: Request) -> Response:
            start = time.perf_counter()
            try:
                self._check_key(request)
                response = await handler(request)
            except RefusedError as refusal:
                response = _refused(refusal)
            except (ClientGoneError, ClientDisconnect):
                response = Response(status_code=_CLIENT_GONE)
            except Exception:
                self._metrics.note_request(path, 500, time.perf_counter() - start)
                raise
            self._metrics.note_request(path, response.status_code, time.perf_counter() - start)
            return response

        return answer

    def _check_key(self, request: Request) -> None:
        if self._authorization is None:
            return
        given = request.headers.get("authorization", "").encode("latin-1")
        if not hmac.compare_digest(given, self._authorization):
            raise RefusedError(
                401,
                "the API key is missing or wrong: send it as Authorization: Bearer KEY",
                code="invalid_api_key",
                headers={"WWW-Authenticate": "Bearer"},
            )

    async def _extract(self, request: Request) -> Response:
        return await self._answer(
            request, lambda body: read_extract_request(body, self._plans, self._limits)
        )

    async def _chat(self, request: Request) -> Response:
        return await self._answer(
            request, lambda body: read_chat_request(body, self._plans, self._served)
        )

    async def _answer(self, request: Request, read: Callable[[bytes], Asked]) -> Response:
        try:
            body = await asyncio.wait_for(
                read_body(request, self._limits.body_bytes), self._limits.seconds
            )
        except asyncio.TimeoutError:
            raise RefusedError(408, "the body did not come in time", code="timeout") from None
        if len(body) <= _SMALL:
            asked = read(body)
        else:
            asked = await asyncio.to_thread(read, body)
        answer = await self._dispatcher.answer(asked, lambda: _disconnected(request))
        return Response(answer.body, media_type=answer.media_type)

    async def _models(self, request: Request) -> Response:
        return JSONResponse({"object": "list", "data": [self._about_model()]})

    async def _model(self, request: Request) -> Response:
        self._served.check(request.path_params["name"])
        return JSONResponse(self._about_model())

    def _about_model(self) -> dict[str, Any]:
        served = self._served
        return {
            "id": served.name,
            "object": "model",
            "created": served.created,
            "owned_by": "hpd",
        }

    async def _health(self, request: Request) -> Response:
        is_ending = self._dispatcher.is_ending
        state = {
            "status": "ending" if is_ending else "ok",
            "model": self._served.name,
            "waiting": self._dispatcher.n_pending,
        }
        return JSONResponse(state, 503 if is_ending else 200)

    async def _show_metrics(self, request: Request) -> Response:
        return Response(self._metrics.text(), media_type=MEDIA_TYPE)


async def read_body(request: Request, most: int) -> bytes:
    """The body of a request.

    Raises:
        RefusedError: it is no JSON by its own account, or has too many bytes.
    """
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        # A foreign page in a browser of this machine could send other kinds without being asked.
        raise RefusedError(
            415, "the body must be sent as Content-Type: application/json", code="invalid_type"
        )
    length = request.headers.get("content-length", "")
    if length.isdecimal() and int(length) > most + _DISCARDED:
        raise _too_large(most)
    parts = []
    n_bytes = 0
    async for part in request.stream():
        n_bytes += len(part)
        if n_bytes > most + _DISCARDED:
            raise _too_large(most)
        if n_bytes <= most:
            parts.append(part)
    if n_bytes > most:
        raise _too_large(most)
    return b"".join(parts)


def _too_large(most: int) -> RefusedError:
    return RefusedError(
        413,
        f"the body has more than {most} bytes: send less at a time",
        code="body_too_large",
        headers={"Connection": "close"},
    )


async def _disconnected(request: Request) -> None:
    """Done when the client has closed the connection; its body has been read before."""
    while (await request.receive())["type"] != "http.disconnect":
        pass


def _refused(refusal: RefusedError) -> Response:
    return Response(
        refusal.body,
        refusal.status,
        headers=refusal.headers,
        media_type="application/json",
    )


async def _unrouted(request: Request, error: Exception) -> Response:
    """The answer where there is no such address, or it takes another method."""
    assert isinstance(error, HTTPException)
    refusal = RefusedError(
        error.status_code,
        f"{request.method} {request.url.path}: {error.detail}; there are POST /extract, "
        "POST /v1/chat/completions, GET /v1/models, GET /health and GET /metrics",
        code="unknown_url",
        headers=error.headers,
    )
    return _refused(refusal)


async def _broken(request: Request, error: Exception) -> Response:
    """The answer where something is wrong here; the error itself goes to standard error."""
    message = f"an error of the server: {type(error).__name__}"
    return _refused(RefusedError(500, message, code="server_error"))
