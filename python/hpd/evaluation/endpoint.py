"""Models behind an OpenAI-compatible endpoint, with the interface of local ones (extra ``api``)."""

from __future__ import annotations

import hashlib
import json
import os
import threading
import time
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

from hpd.documents import NOT_YET, Document, NotYet
from hpd.errors import HpdError
from hpd.extras import import_extra
from hpd.options import Options
from hpd.prompt.text import SYSTEM_PROMPT, instruction_text
from hpd.prompt.tokens import documents_text
from hpd.results import Extraction, Failure, FieldValue, Usage
from hpd.schema import to_json_schema
from hpd.schema.attributes import Schema
from hpd.schema.schemas import Schemas
from hpd.values.answers import answer_leaf, split_answer


class EndpointError(HpdError, RuntimeError):
    """An endpoint cannot be reached, or gives no usable answer.

    ``is_final``: every other request would fail as well.
    """

    def __init__(self, message: str, *, is_final: bool = False) -> None:
        super().__init__(message)
        self.is_final = is_final


class RateLimiter:
    """Spaces requests evenly across threads; without ``per_minute``, there is no limit."""

    def __init__(self, per_minute: float | None) -> None:
        self._interval = 60 / per_minute if per_minute else 0.0
        self._lock = threading.Lock()
        self._next = time.monotonic()

    def wait(self) -> None:
        """Wait until this request may be sent."""
        # The others wait for the lock.
        with self._lock:
            if (seconds := self._next - time.monotonic()) > 0:
                time.sleep(seconds)
            self._next = time.monotonic() + self._interval


KEY_VARIABLE = "OPENAI_API_KEY"
"""Environment variable with the key; endpoints without keys get a placeholder."""

ResponseFormatName = Literal["json_schema", "json_object", "text"]
"""How the schema of the answer is sent.

``json_schema``: structured outputs, as in OpenAI's API, llama.cpp's own server and vLLM;
``json_object``: JSON mode with a schema, as in llama-cpp-python's server;
``text``: not at all, so only the prompt describes the answer.
"""
RESPONSE_FORMATS: tuple[ResponseFormatName, ...] = get_args(ResponseFormatName)

_OPTIONAL: Mapping[str, str | None] = {"max_tokens": "max_completion_tokens", "temperature": None}
"""Parameters that some models refuse, with the names they use instead, or None."""

_JSON_TYPES = {str: "string", bool: "boolean", int: "integer", float: "number", type(None): "null"}


@dataclass(frozen=True, slots=True)
class Endpoint:
    """An endpoint, its model, and settings of requests."""

    url: str
    """Base URL, such as ``https://api.openai.com/v1``."""
    model: str
    response_format: ResponseFormatName = "json_schema"
    max_tokens: int = 4096
    n_parallel: int = 4
    """Maximum number of concurrent requests."""
    n_retries: int = 5
    """Retries after transient failures (no connection, 408, 409, 429, 5xx).

    The wait doubles each time, unless the endpoint sets it.
    """
    requests_per_minute: float | None = None
    seconds: float = 300.0
    cache: Path | None = None
    """Cache folder of answers, or None for no cache."""


def response_schema(schema: Schema) -> dict[str, Any]:
    """Return the JSON Schema of an answer, without hpd's own keywords but with all types."""
    return _plain_node(to_json_schema(schema))


def _plain_node(node: Mapping[str, Any]) -> dict[str, Any]:
    plain = {
        name: value
        for name, value in node.items()
        if name not in ("$schema", "depends_on", "named_by", "checks")
    }
    if "properties" in plain:
        plain["properties"] = {
            name: _plain_node(inner) for name, inner in plain["properties"].items()
        }
    if "items" in plain:
        plain["items"] = _plain_node(plain["items"])
    if "enum" in plain:
        # OpenAI rejects a node without a type.
        types = list(dict.fromkeys(_JSON_TYPES[type(choice)] for choice in plain["enum"]))
        plain["type"] = types[0] if len(types) == 1 else types
    return plain


class EndpointExtractor:
    """Extracts as ``hpd.Extractor`` does; each document is one request with the same prompt.

    Use it as a context manager, or ``close()`` it.

    Raises ``MissingPackageError`` if the extra ``api`` is not installed.
    """

    def __init__(
        self, schemas: Schemas, endpoint: Endpoint, *, system_prompt: str = SYSTEM_PROMPT
    ) -> None:
        diskcache = import_extra("diskcache", "diskcache", "api", "an endpoint")
        self._openai = openai = import_extra("openai", "openai", "api", "an endpoint")
        self._schemas = schemas
        self._endpoint = endpoint
        self._system_prompt = system_prompt
        # Parameters that the endpoint's model has refused.
        self._refused_parameters: set[str] = set()
        pace = RateLimiter(endpoint.requests_per_minute)
        # A hook, so that the client's retries wait as well.
        hooks = {"request": [lambda _: pace.wait()]}
        self._client = openai.OpenAI(
            base_url=endpoint.url,
            api_key=os.environ.get(KEY_VARIABLE) or "none",
            max_retries=endpoint.n_retries,
            timeout=endpoint.seconds,
            http_client=openai.DefaultHttpxClient(event_hooks=hooks),
        )
        self._cache = None
        if endpoint.cache is not None:
            # JSON, not pickle: anyone who can write to the folder could otherwise run code.
            self._cache = diskcache.Cache(str(endpoint.cache), disk=diskcache.JSONDisk)
        self._threads = ThreadPoolExecutor(endpoint.n_parallel, "hpd")

    def iter_indexed(
        self,
        documents: Iterable[Document | NotYet],
        *,
        on_error: Literal["raise", "record"] = "raise",
        on_chunk: object = None,
    ) -> Iterator[tuple[int, Extraction[Any]]]:
        """Yield extractions with the indexes of their documents, as ``hpd.Extractor`` does.

        ``on_chunk`` is never called, as no document is split.

        Raises ``EndpointError`` if a document failed and ``on_error`` is ``raise``, or if all would
        fail.
        """
        waiting: dict[Future[Extraction[Any]], int] = {}
        try:
            n_read = 0
            for document in documents:
                if document is NOT_YET:
                    yield from _take_finished(waiting, seconds=0)
                    continue
                waiting[self._threads.submit(self._extract, document, on_error)] = n_read
                n_read += 1
                if len(waiting) >= self._endpoint.n_parallel:
                    yield from _take_finished(waiting)
            while waiting:
                yield from _take_finished(waiting)
        finally:
            for future in waiting:
                future.cancel()

    def close(self) -> None:
        """Close the connection, and drop requests that have not been sent."""
        self._threads.shutdown(cancel_futures=True)
        self._client.close()
        if self._cache is not None:
            self._cache.close()

    def __enter__(self) -> EndpointExtractor:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _extract(self, document: Document, on_error: str) -> Extraction[Any]:
        # Imported late, as it loads the engine.
        from hpd.pipeline.document_values import DocumentValues

        schema = self._schemas.for_category(document.category)
        start = time.perf_counter()
        try:
            text, n_in, n_out = self._get_answer(document, schema)
        except EndpointError as error:
            if error.is_final or on_error == "raise":
                raise
            return Extraction(document.id, error=Failure(error.with_traceback(None)))
        usage = Usage(
            prompt_tokens=n_in, completion_tokens=n_out, seconds=time.perf_counter() - start
        )
        values = DocumentValues()
        for path, raw in split_answer(schema, text).items():
            if (attribute := answer_leaf(schema, path)) is not None:
                parsed = raw.parse(attribute)
                result = FieldValue(
                    value=parsed.value, error=parsed.error, raw=raw.text, truncated=raw.truncated
                )
                values.store(path, attribute, result)
        return values.extraction(schema, document.id, usage, Options(on_invalid="record"))

    def _get_answer(self, document: Document, schema: Schema) -> tuple[str, int, int]:
        """Return the answer about a document, and the tokens used: none if it was cached.

        Raises ``EndpointError`` if there is no usable answer.
        """
        request = self._make_request(document, schema)
        identity = json.dumps([self._endpoint.url, request], sort_keys=True)
        key = hashlib.sha256(identity.encode()).hexdigest()
        known = None if self._cache is None else self._cache.get(key)
        if known is not None:
            return known, 0, 0
        answer = self._send_request(request)
        text = answer.choices[0].message.content if answer.choices else None
        # Unusable answers must not be cached.
        if not text or "{" not in text:
            raise EndpointError(f"{self._endpoint.url} gave no JSON object: {(text or '')[:200]!r}")
        if self._cache is not None:
            self._cache.set(key, text)
        usage = answer.usage
        n_tokens = (0, 0) if usage is None else (usage.prompt_tokens, usage.completion_tokens)
        return text, *n_tokens

    def _make_request(self, document: Document, schema: Schema) -> dict[str, Any]:
        user = instruction_text(schema) + documents_text([document.text])
        request: dict[str, Any] = {
            "model": self._endpoint.model,
            "messages": [
                {"role": "system", "content": self._system_prompt},
                {"role": "user", "content": user},
            ],
            "max_tokens": self._endpoint.max_tokens,
            "temperature": 0,
        }
        if self._endpoint.response_format == "json_schema":
            form = {"name": "answer", "schema": response_schema(schema), "strict": True}
            request["response_format"] = {"type": "json_schema", "json_schema": form}
        elif self._endpoint.response_format == "json_object":
            request["response_format"] = {"type": "json_object", "schema": response_schema(schema)}
        return request

    def _send_request(self, request: Mapping[str, Any]) -> Any:
        """Send a request without the parameters that the model refuses, and return the response.

        Raises ``EndpointError`` if there is none.
        """
        openai = self._openai
        url = self._endpoint.url
        names = {
            name: _OPTIONAL[name] if name in self._refused_parameters else name for name in request
        }
        adapted = {known_as: request[name] for name, known_as in names.items() if known_as}
        try:
            return self._client.chat.completions.create(**adapted)
        except openai.APITimeoutError as error:
            raise EndpointError(f"{url} gave no answer in {self._endpoint.seconds:g} s") from error
        except openai.APIConnectionError as error:
            cause = error.__cause__ or error
            raise EndpointError(f"{url} cannot be reached: {cause}", is_final=True) from error
        except (openai.AuthenticationError, openai.PermissionDeniedError) as error:
            raise EndpointError(
                f"{url} rejects the key in {KEY_VARIABLE}: {error.message}", is_final=True
            ) from error
        except openai.NotFoundError as error:
            raise EndpointError(
                f"{url} has no model {self._endpoint.model!r}, or does not speak OpenAI's "
                f"protocol: {error.message}",
                is_final=True,
            ) from error
        except openai.APIError as error:
            is_refusal = isinstance(error, openai.BadRequestError)
            if is_refusal and error.param in _OPTIONAL and error.param in adapted:
                self._refused_parameters.add(error.param)
                return self._send_request(request)
            if "response_format" in error.message:
                raise EndpointError(
                    f"{url} does not support the response format {self._endpoint.response_format};"
                    f" try another one: {error.message}",
                    is_final=True,
                ) from error
            raise EndpointError(f"{url} failed: {error.message}") from error


def _take_finished(
    waiting: dict[Future[Extraction[Any]], int], seconds: float | None = None
) -> Iterator[tuple[int, Extraction[Any]]]:
    """Wait for an extraction; remove all finished ones from ``waiting`` and yield them.

    After ``seconds``, there may be none.
    """
    done, _ = wait(waiting, seconds, return_when=FIRST_COMPLETED)
    for future in done:
        yield waiting.pop(future), future.result()
