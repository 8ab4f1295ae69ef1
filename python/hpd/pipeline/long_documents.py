"""What becomes of documents that do not fit the context: an error, chunks, or a cut."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from hpd._native import Model
from hpd.errors import ContextOverflowError
from hpd.options import Options
from hpd.pipeline.chunking import chunks, fitting_length
from hpd.pipeline.findings import Known
from hpd.pipeline.job import Document, Job
from hpd.pipeline.merging import merge, shift
from hpd.pipeline.questions import Plan
from hpd.results import Extraction, Failure, Usage

LEAST_ROOM = 16
"""Tokens of a document that must fit; with less, there is nothing to extract from."""

_COMFORTABLE_CHUNK = 256
"""Tokens that a chunk should have, so that what belongs together stays together."""


class Fitter:
    """Makes the jobs for some documents of one category, each of which fits the context."""

    def __init__(self, plan: Plan, model: Model, options: Options, n_ctx: int) -> None:
        self._plan = plan
        self._model = model
        self._options = options
        self._n_ctx = n_ctx

    def jobs(self, documents: Sequence[Document]) -> Iterator[tuple[list[int], Job | Extraction]]:
        """Jobs with the places of their documents among those given."""
        job = self._job(documents)
        if self._fits(job):
            yield list(range(len(documents))), job
        elif len(documents) == 1:
            for part in self._long(documents[0], job):
                yield [0], part
        else:
            # Together they are too long: each on its own.
            for place, document in enumerate(documents):
                for _, part in self.jobs([document]):
                    yield [place], part

    def _job(self, documents: Sequence[Document]) -> Job:
        return Job(self._plan, self._model, self._options, documents)

    def _fits(self, job: Job) -> bool:
        return self._n_needed(job) <= self._n_ctx

    def _n_needed(self, job: Job) -> int:
        # Fields of later waves have longer keys.
        return job.first().n_cells + self._plan.n_later_tokens

    def _long(self, document: Document, job: Job) -> Iterator[Job | Extraction]:
        n_over = self._n_needed(job) - self._n_ctx
        n_fixed = self._n_needed(self._job([replace(document, text="")]))
        room = self._n_ctx - n_fixed
        n_document = self._n_needed(job) - n_fixed
        if room < LEAST_ROOM:
            yield self._failure(
                document,
                f"the instruction and the longest value may take {n_fixed} tokens, which leaves "
                f"{'none' if room <= 0 else room} of the context of {self._n_ctx} "
                "for the document: fewer attributes or a larger n_ctx are needed",
            )
        elif self._options.on_overflow == "error":
            yield self._failure(
                document,
                f"{n_over} tokens over: the document has {n_document}, and the context of "
                f"{self._n_ctx} has room for {room} beside the instruction and the longest value",
            )
        elif self._options.on_overflow == "truncate":
            yield self._truncated(document, room)
        else:
            yield from self._chunked(document, room)

    def _failure(self, document: Document, message: str) -> Extraction:
        return Extraction(document.id, error=Failure.of(ContextOverflowError(message)))

    def _truncated(self, document: Document, room: int) -> Job:
        while True:
            length = fitting_length(document.text, room, self._count)
            job = TruncatedJob(self._plan, self._model, self._options, document, length)
            # Tokens of words apart may be fewer than of words together.
            if self._fits(job) or length == 0:
                return job
            room -= self._n_needed(job) - self._n_ctx

    def _chunked(self, document: Document, room: int) -> Iterator[Job]:
        # Several chunks are decoded together, if they are not too short for that.
        wanted = max(min(room, _COMFORTABLE_CHUNK), room // 4)
        while True:
            parts = chunks(document.text, wanted, self._count)
            whole = ChunkedDocument(self._plan, document, len(parts))
            jobs = [
                ChunkJob(self._plan, self._model, self._options, whole, n, part.start, part.end)
                for n, part in enumerate(parts)
            ]
            n_over = max(self._n_needed(job) for job in jobs) - self._n_ctx
            if n_over <= 0 or wanted <= 1:
                yield from jobs
                return
            wanted = max(1, wanted - n_over)

    def _count(self, text: str) -> int:
        return len(self._model.tokenize(text))


class TruncatedJob(Job):
    """A job for the beginning of a document."""

    def __init__(
        self, plan: Plan, model: Model, options: Options, document: Document, length: int
    ) -> None:
        super().__init__(plan, model, options, [replace(document, text=document.text[:length])])
        self._length = length

    def extractions(self) -> Iterator[Extraction]:
        """The extraction, which says that there was more."""
        for extraction in super().extractions():
            yield replace(extraction, truncated_at=self._length)


class ChunkedDocument:
    """Gathers what its chunks say."""

    def __init__(self, plan: Plan, document: Document, n_chunks: int) -> None:
        self.document = document
        self._plan = plan
        self._parts: list[Known | None] = [None] * n_chunks
        self._failure: Failure | None = None
        self._usage = Usage(n_chunks=n_chunks)
        self._n_done = 0

    def take(self, n: int, known: Known, usage: Usage, failure: Failure | None) -> None:
        """Take in a finished chunk."""
        self._n_done += 1
        self._parts[n] = known
        self._failure = self._failure or failure
        before = self._usage
        self._usage = Usage(
            prompt_tokens=before.prompt_tokens + usage.prompt_tokens,
            cached_tokens=before.cached_tokens + usage.cached_tokens,
            completion_tokens=before.completion_tokens + usage.completion_tokens,
            steps=before.steps + usage.steps,
            seconds=before.seconds + usage.seconds,
            n_chunks=before.n_chunks,
        )

    def extraction(self) -> Extraction | None:
        """The whole document's, once all of its chunks are finished."""
        if self._n_done < len(self._parts):
            return None
        if self._failure is not None:
            return Extraction(self.document.id, usage=self._usage, error=self._failure)
        known = merge(self._plan.schema, [part for part in self._parts if part is not None])
        return known.extraction(self._plan.schema, self.document.id, self._usage)


class ChunkJob(Job):
    """A job for one chunk; the last to finish gives the extraction of the whole document."""

    def __init__(
        self,
        plan: Plan,
        model: Model,
        options: Options,
        whole: ChunkedDocument,
        n: int,
        start: int,
        end: int,
    ) -> None:
        chunk = replace(whole.document, text=whole.document.text[start:end])
        super().__init__(plan, model, options, [chunk])
        self._whole = whole
        self._n = n
        self._start = start

    def extractions(self) -> Iterator[Extraction]:
        """Nothing, or the whole document's."""
        known = self._known[0]
        known.ground(self._plan.schema, self.documents[0].text, self._options)
        shift(known, self._start)
        self._whole.take(self._n, known, self._usage, self.failure)
        extraction = self._whole.extraction()
        if extraction is not None:
            yield extraction
