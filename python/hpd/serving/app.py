"""The endpoints of the server, as a FastAPI application."""

from __future__ import annotations

import asyncio
import hmac
import json
import logging
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from dataclasses import dataclass, replace
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from fastapi import APIRouter, FastAPI, Security
from fastapi.exceptions import RequestValidationError
from fastapi.openapi.docs import get_swagger_ui_html
from fastapi.routing import APIRoute
from fastapi.security import HTTPBearer
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, JSONResponse, Response, StreamingResponse
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from hpd.results import Extraction
from hpd.serving import ServerLimits
from hpd.serving.answers import (
    ERROR_RESPONSES,
    MODEL_RESPONSES,
    UNSUPPORTED_FILE,
    ChatCompletion,
    ExtractionBody,
    ExtractionsBody,
    Health,
    ModelCard,
    ModelList,
    SystemOneAnswers,
)
from hpd.serving.bodies import (
    ChatBody,
    ExtractBody,
    HttpError,
    SystemOneBody,
    http_error_of,
    json_of,
)
from hpd.serving.chat import ServedModel, parse_chat
from hpd.serving.dispatcher import (
    ClientGoneError,
    Dispatcher,
    ParsedRequest,
    PlanCache,
    documents_of,
    parse_extract,
    plan_of,
)
from hpd.serving.metrics import Metrics
from hpd.serving.systemone import parse_systemone
from hpd.show.page import render_page
from hpd.show.shown_values import color_slots, covered_segments, shown_values, utf16_segments
from hpd.version import __version__

_DISCARDED = 16 * 1024 * 1024
"""Bytes beyond the limit that are still read and discarded: a client whose connection is closed
while it is sending would not see the error response."""

_CLIENT_GONE = 499
"""Never sent, only counted; nginx uses this status for clients that disconnect."""

_PAGE = Path(__file__).with_name("try.html")
_SUMMARY = "Extract structured values from documents, with confidence and place in the text."

_REQUEST_LOG = logging.getLogger("hpd.serving.requests")
_READ_RESPONSES = {status: ERROR_RESPONSES[status] for status in (401, "default")}

Handler = Callable[[Request], Coroutine[Any, Any, Response]]


@dataclass(frozen=True, slots=True)
class Service:
    """What the endpoints need to answer requests."""

    dispatcher: Dispatcher
    plans: PlanCache
    served: ServedModel
    limits: ServerLimits
    metrics: Metrics
    api_key: str | None = None
    """The required API key, or None."""

    def check_key(self, request: Request) -> None:
        """Check a request's API key."""
        if self.api_key is None:
            return
        scheme, _, key = request.headers.get("authorization", "").partition(" ")
        is_right = hmac.compare_digest(key.strip().encode("latin-1"), self.api_key.encode())
        if scheme.lower() != "bearer" or not is_right:
            raise HttpError(
                401,
                "the API key is missing or wrong: send it as Authorization: Bearer KEY",
                code="invalid_api_key",
                headers={"WWW-Authenticate": "Bearer"},
            )

    async def answer(
        self, request: Request, parse: Callable[..., ParsedRequest], *arguments: object
    ) -> Response:
        """Answer a request. It is parsed in a thread, because its schema may take a while."""
        parsed = await asyncio.to_thread(parse, *arguments)
        headers = {}
        if parsed.warnings:
            warning = "; ".join(parsed.warnings).encode("ascii", "replace").decode()
            headers["X-Hpd-Warning"] = " ".join(warning.split())

        def answer(extractions: Sequence[Extraction[Any]]) -> bytes:
            request.state.reason = _failures_text(extractions)
            return parsed.answer(extractions)

        logged = replace(parsed, answer=answer)
        gone = partial(_wait_for_disconnect, request)
        if parsed.part is None:
            body = await self.dispatcher.answer(logged, gone)
            return Response(body, headers=headers, media_type="application/json")
        parts = self.dispatcher.parts(logged, gone)
        first = await anext(parts)  # A failure before the first part gets its own status.
        return StreamingResponse(_events(request, first, parts), 200, headers, "text/event-stream")


class _Body(Request):
    """A request with a limited body, which must be sent as JSON."""

    async def body(self) -> bytes:
        if not hasattr(self, "_body"):
            limits: ServerLimits = self.app.state.service.limits
            try:
                self._body = await asyncio.wait_for(
                    read_body(self, limits.body_bytes), limits.seconds
                )
            except asyncio.TimeoutError:
                raise HttpError(408, "the body did not arrive in time", code="timeout") from None
        return self._body

    async def json(self) -> Any:
        return json_of(await self.body())


class _AuthenticatedRoute(APIRoute):
    """A route that checks the key, and turns errors into responses."""

    def get_route_handler(self) -> Handler:
        handle = super().get_route_handler()

        async def handle_request(request: Request) -> Response:
            service: Service = request.app.state.service
            try:
                service.check_key(request)
                return await handle(_Body(request.scope, request.receive))
            except Exception as error:
                # FastAPI wraps exceptions raised while the body is read.
                cause = error.__cause__ if isinstance(error, HTTPException) else error
                if isinstance(cause, RequestValidationError):
                    cause = http_error_of(cause.errors())
                if isinstance(cause, HttpError):
                    return _error_response(request, cause)
                if isinstance(cause, (ClientGoneError, ClientDisconnect)):
                    request.state.reason = "client_gone"
                    return Response(status_code=_CLIENT_GONE)
                raise

        return handle_request


def make_app(service: Service) -> FastAPI:
    app = FastAPI(
        title="hpd",
        version=__version__,
        description=_SUMMARY,
        docs_url=None,
        redoc_url=None,
        swagger_ui_oauth2_redirect_url=None,
        exception_handlers={HTTPException: _routing_error, Exception: _internal_error},
    )
    app.state.service = service
    app.add_middleware(_Requests, metrics=service.metrics)
    _add_docs(app)
    # Only documents the key in OpenAPI: it is checked before the body is read.
    key = [Security(HTTPBearer(auto_error=False))] if service.api_key is not None else []
    authenticated = APIRouter(route_class=_AuthenticatedRoute, dependencies=key)

    @app.get("/", include_in_schema=False)
    async def page() -> Response:
        """A page to try the server with a text and a schema."""
        has_own = service.plans.has_own
        data: dict[str, Any] = {"needsKey": service.api_key is not None, "hasSchema": has_own}
        return HTMLResponse(
            render_page(_PAGE, data=data, may_call_server=True, model=service.served.name, **data)
        )

    @app.get("/health", response_model=Health, responses={503: {"model": Health}})
    async def health() -> Response:
        """Whether requests are accepted, and how many documents are waiting."""
        is_stopping = service.dispatcher.is_stopping
        state = {
            "status": "stopping" if is_stopping else "ok",
            "model": service.served.name,
            "waiting": service.dispatcher.n_pending,
        }
        return JSONResponse(state, 503 if is_stopping else 200)

    @authenticated.post(
        "/extract",
        response_model=ExtractionBody | ExtractionsBody,
        responses={**ERROR_RESPONSES, 501: UNSUPPORTED_FILE},
    )
    async def extract(request: Request, body: ExtractBody) -> Response:
        """Extract from one or several texts; returns lines as in `hpd extract`."""
        return await service.answer(request, parse_extract, body, service.plans, service.limits)

    @authenticated.post("/show", include_in_schema=False)
    async def show(request: Request, body: ExtractBody) -> Response:
        """The values of one text, for the page's script."""
        return await service.answer(request, _parse_shown, body, service.plans)

    @authenticated.post(
        "/v1/chat/completions",
        response_model=ChatCompletion,
        responses={
            200: {"content": {"text/event-stream": {"schema": {"type": "string"}}}},
            **ERROR_RESPONSES,
            **MODEL_RESPONSES,
        },
    )
    async def chat(request: Request, body: ChatBody) -> Response:
        """OpenAI's chat completions, with a JSON Schema or a function."""
        return await service.answer(request, parse_chat, body, service.plans, service.served)

    @authenticated.post(
        "/v1/systemone",
        summary="System One",
        response_model=SystemOneAnswers,
        responses={**ERROR_RESPONSES, **MODEL_RESPONSES},
    )
    async def systemone(request: Request, body: SystemOneBody) -> Response:
        """Typed questions about a state, answered with the probability of each option."""
        return await service.answer(request, parse_systemone, body, service.plans, service.served)

    @authenticated.get("/v1/models", response_model=ModelList, responses=_READ_RESPONSES)
    async def models() -> Response:
        """The served model."""
        return JSONResponse({"object": "list", "data": [_model_card(service.served)]})

    @authenticated.get(
        "/v1/models/{name:path}",
        response_model=ModelCard,
        responses={404: MODEL_RESPONSES[404], **_READ_RESPONSES},
    )
    async def model(name: str) -> Response:
        """The served model, by name."""
        service.served.check(name)
        return JSONResponse(_model_card(service.served))

    # Not PlainTextResponse: its media type would also be that of the errors.
    @authenticated.get(
        "/metrics",
        response_class=Response,
        responses={
            200: {"content": {"text/plain": {"schema": {"type": "string"}}}},
            **_READ_RESPONSES,
        },
    )
    async def metrics() -> Response:
        """Metrics for Prometheus."""
        return Response(service.metrics.text(), media_type=service.metrics.media_type)

    app.include_router(authenticated)
    return app


def _add_docs(app: FastAPI) -> None:
    """Add ``/docs``, with Swagger UI from a package, as there may be no network.

    Its links are relative, as a proxy may add a prefix to the path.
    """
    files: dict[str, Any] = {}  # Without the package, browsers load them from the CDN.
    if find_spec("fastapi_swagger") is not None:
        app.mount("/swagger", StaticFiles(packages=[("fastapi_swagger", "resources")]))
        files = {
            "swagger_js_url": "swagger/swagger-ui-bundle.js",
            "swagger_css_url": "swagger/swagger-ui.css",
            "swagger_favicon_url": "swagger/favicon-32x32.png",
        }

    @app.get("/docs", include_in_schema=False)
    async def docs() -> Response:
        return get_swagger_ui_html(openapi_url="openapi.json", title="hpd", **files)


class _Requests:
    """Counts and logs all requests, and answers HEAD like GET, for load balancers and link
    checkers; uvicorn leaves out the body."""

    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self._app = app
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        start = time.perf_counter()
        method = scope["method"]
        state = {"method": method, "reason": ""}
        scope = {**scope, "method": "GET" if method == "HEAD" else method, "state": state}
        status = 500  # of an exception, which is answered further out

        async def record_status(message: Message) -> None:
            nonlocal status
            status = message.get("status", status)
            await send(message)

        try:
            await self._app(scope, receive, record_status)
        except Exception as error:
            state["reason"] = type(error).__name__
            raise
        finally:
            seconds = time.perf_counter() - start
            route = scope.get("route")
            # One label for all other paths: anybody can make up any number of them.
            self._metrics.count_request(route.path_format if route else "other", status, seconds)
            if scope["path"] != "/health":
                # As it was sent: a decoded path could contain the end of a line.
                path = scope["raw_path"].decode("ascii", "replace")
                client = (scope["client"] or ("-",))[0]
                line = f"{client} {method} {path} {status} {seconds:.3f} s {state['reason']}"
                _REQUEST_LOG.info("%s", line.rstrip())


def _parse_shown(body: ExtractBody, plans: PlanCache) -> ParsedRequest:
    (document,) = documents_of(body, ServerLimits(texts=1))

    def answer(extractions: Sequence[Extraction[Any]]) -> bytes:
        line = extractions[0].to_dict()
        values = shown_values(line.get("data") or {}, line.get("fields") or {})
        slots = color_slots({"": dict.fromkeys(value.attribute for value in values)})
        segments = covered_segments(values, len(document.text))
        shown = {
            "line": line,
            "values": [
                [value.path, slots[value.attribute], value.text, value.confidence, value.error]
                for value in values
            ],
            "segments": utf16_segments(segments, document.text),
        }
        return json.dumps(shown, ensure_ascii=False).encode()

    return ParsedRequest([document], plan_of(body, plans), answer)


def _model_card(served: ServedModel) -> dict[str, Any]:
    return {"id": served.name, "object": "model", "created": served.created, "owned_by": "hpd"}


async def read_body(request: Request, max_bytes: int) -> bytes:
    """Read the body of a request.

    Raises:
        HttpError: it is not sent as JSON, or is too large.
    """
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        # Other types could be sent by a foreign page in a browser, without a preflight.
        raise HttpError(
            415, "the body must be sent as Content-Type: application/json", code="invalid_type"
        )
    too_large = HttpError(
        413,
        f"the body has more than {max_bytes} bytes: send fewer or shorter documents",
        code="body_too_large",
        headers={"Connection": "close"},
    )
    length = request.headers.get("content-length", "")
    if length.isdecimal() and int(length) > max_bytes + _DISCARDED:
        raise too_large
    parts = []
    n_bytes = 0
    async for part in request.stream():
        n_bytes += len(part)
        if n_bytes > max_bytes + _DISCARDED:
            raise too_large
        if n_bytes <= max_bytes:
            parts.append(part)
    if n_bytes > max_bytes:
        raise too_large
    return b"".join(parts)


async def _events(
    request: Request, first: bytes, rest: AsyncIterator[bytes]
) -> AsyncIterator[bytes]:
    """Yield the events of a stream; an error after the first event becomes an event, as in OpenAI's
    API."""
    yield first
    try:
        async for part in rest:
            yield part
    except ClientGoneError:
        request.state.reason = "client_gone"
    except HttpError as http_error:
        request.state.reason = http_error.code
        yield b"data: %s\n\n" % http_error.body
    except Exception as error:
        yield b"data: %s\n\n" % _internal_server_error(error).body
        raise


async def _wait_for_disconnect(request: Request) -> None:
    """Wait until the client disconnects; the request's body must already have been read."""
    while (await request.receive())["type"] != "http.disconnect":
        pass


def _failures_text(extractions: Sequence[Extraction[Any]]) -> str:
    """Return the number of failed documents with their errors, for the log."""
    errors = [each.error.type for each in extractions if each.error is not None]
    return f"failed documents: {len(errors)} ({', '.join(sorted({*errors}))})" if errors else ""


def _error_response(request: Request, http_error: HttpError) -> Response:
    request.state.reason = http_error.code
    return Response(http_error.body, http_error.status, http_error.headers, "application/json")


async def _routing_error(request: Request, error: Exception) -> Response:
    """Answer requests for unknown paths or with the wrong method."""
    assert isinstance(error, HTTPException)
    what = f"{request.state.method} {request.url.path}: {error.detail}"
    return _error_response(
        request,
        HttpError(
            error.status_code,
            f"{what}; see /docs for the endpoints",
            code="unknown_url",
            headers=error.headers,
        ),
    )


async def _internal_error(request: Request, error: Exception) -> Response:
    """Answer an unexpected error; the server logs it to standard error."""
    return _error_response(request, _internal_server_error(error))


def _internal_server_error(error: Exception) -> HttpError:
    message = f"internal server error: {type(error).__name__}"
    return HttpError(500, message, code="server_error")
