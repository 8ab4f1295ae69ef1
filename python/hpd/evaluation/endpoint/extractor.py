"""An extractor whose model is behind an endpoint."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import Any, Literal

from hpd.documents import NOT_YET, Document, NotYet
from hpd.errors import EndpointError
from hpd.evaluation.endpoint.chat import Chat, Completion, Endpoint
from hpd.pipeline.findings import Findings
from hpd.prompt import SYSTEM, documents_text, instruction_text
from hpd.results import Extraction, Failure, FieldResult, Usage
from hpd.schema.attributes import Schema
from hpd.values import answer_leaf, split_answer


class EndpointExtractor:
    """Extracts as ``hpd.Extractor`` does; each document is one request with the same prompt.

    Use it as a context manager, or ``close()`` it.

    Args:
        schemas: one, or one for each category.
        endpoint: where the model is, and how it is asked.
        rules: the system's text.

    Raises:
        EndpointError: the extra ``api`` is not installed.
    """

    def __init__(
        self,
        schemas: Schema | Mapping[str, Schema],
        endpoint: Endpoint,
        *,
        rules: str = SYSTEM,
    ) -> None:
        self._schemas = schemas
        self._endpoint = endpoint
        self._rules = rules
        self._chat = Chat(endpoint)
        self._threads = ThreadPoolExecutor(endpoint.n_parallel, "hpd")

    def iter_extract(
        self,
        documents: Iterable[Document | NotYet],
        *,
        on_error: Literal["raise", "record"] = "raise",
        on_chunk: object = None,
    ) -> Iterator[tuple[int, Extraction[Any]]]:
        """The extraction of each document with its place, as soon as it is there.

        Args:
            documents: are read as the endpoint answers; each has a category if the schema is by
                category. ``NOT_YET`` in place of one hands out what is there.
            on_error: ``record``: a document that fails gives an extraction with ``error``.
            on_chunk: as of ``hpd.Extractor``; it is never called, as no document is cut.

        Raises:
            EndpointError: a document failed, with ``raise``; or all would.
        """
        waiting: dict[Future[Extraction[Any]], int] = {}
        try:
            n_read = 0
            for document in documents:
                if document is NOT_YET:
                    yield from _finished(waiting, seconds=0)
                    continue
                waiting[self._threads.submit(self._extraction, document, on_error)] = n_read
                n_read += 1
                if len(waiting) >= self._endpoint.n_parallel:
                    yield from _finished(waiting)
            while waiting:
                yield from _finished(waiting)
        finally:
            for future in waiting:
                future.cancel()

    def close(self) -> None:
        """End the connection; requests that have not been sent are dropped."""
        self._threads.shutdown(cancel_futures=True)
        self._chat.close()

    def __enter__(self) -> EndpointExtractor:
        """Itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close it."""
        self.close()

    def _extraction(self, document: Document, on_error: str) -> Extraction[Any]:
        schemas = self._schemas
        schema = schemas if isinstance(schemas, Schema) else schemas[str(document.category)]
        user = instruction_text(schema) + documents_text([document.text])
        messages = [
            {"role": "system", "content": self._rules},
            {"role": "user", "content": user},
        ]
        start = time.perf_counter()
        try:
            completion = self._chat.complete(messages, schema)
            return _extraction(schema, document, completion, time.perf_counter() - start)
        except EndpointError as error:
            if error.is_final or on_error == "raise":
                raise
            return Extraction(document.id, error=Failure.of(error))


def _extraction(
    schema: Schema, document: Document, completion: Completion, seconds: float
) -> Extraction[Any]:
    findings = Findings()
    for path, raw in split_answer(schema, completion.text).items():
        attribute = answer_leaf(schema, path)
        if attribute is None:
            continue
        result = FieldResult(raw=raw.text, truncated=raw.truncated)
        findings.store(path, attribute, raw.parse(attribute), result)
    usage = Usage(
        prompt_tokens=completion.prompt_tokens,
        completion_tokens=completion.completion_tokens,
        seconds=seconds,
    )
    return findings.extraction(schema, document.id, usage, strict=False)


def _finished(
    waiting: dict[Future[Extraction[Any]], int], seconds: float | None = None
) -> Iterator[tuple[int, Extraction[Any]]]:
    """The extractions that are there, once one of them is; they are taken out of ``waiting``.

    After so many ``seconds`` there may be none.
    """
    done, _ = wait(waiting, seconds, return_when=FIRST_COMPLETED)
    for future in done:
        yield waiting.pop(future), future.result()
