"""Extracts with the workers of a cluster."""

from __future__ import annotations

import os
import socket
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Final

from hpd.documents import NOT_YET, Document, NotYet
from hpd.errors import HpdError, ModelLoadError
from hpd.extractor import Extractor, OnError, error_of, should_raise
from hpd.files.journal import file_fingerprint
from hpd.options import Options
from hpd.pipeline.plan import RunPlan
from hpd.ray.cluster import BATCHES_PER_WORKER, connect, ray_module, worker_resources
from hpd.results import Extraction, Failure

_N_DOCUMENTS: Final = 32
"""Number of documents per batch; the batches of a lost worker are repeated."""
_MAX_STARTS: Final = 3
"""How often a worker may be lost before it has loaded its model."""


class WorkerLostError(HpdError):
    """A document failed because too many workers were lost while they had it."""


class Worker:
    """A worker process with a loaded model.

    Args:
        plan: what it extracts; the model is searched on this machine.
        fingerprint: that of the model's file where the run was started.
    """

    def __init__(self, plan: RunPlan, fingerprint: str) -> None:
        self._plan = plan
        self._fingerprint = fingerprint
        self._extractor: Extractor[Any] | None = None

    def start(self) -> tuple[str, int]:
        """Load the model; return the name of the machine and the process id.

        Raises:
            HpdError: the model does not exist, or differs from the one where the run was started.
        """
        host = socket.gethostname()
        try:
            self._extractor = self._extractor or self._open_extractor()
        except HpdError as error:
            raise type(error)(f"on the machine {host}: {error}") from error
        return host, os.getpid()

    def extract(self, documents: list[Document]) -> list[Extraction[Any]]:
        """Return the extractions of some documents, including those that failed."""
        assert self._extractor is not None, "the worker was not started"
        extractions = self._extractor.extract_many(documents, on_error="record")
        return [replace(extraction, text=None) for extraction in extractions]

    def _open_extractor(self) -> Extractor[Any]:
        path = self._plan.model
        if file_fingerprint(path) != self._fingerprint:
            raise ModelLoadError(f"{path} is not the same model as where the run was started")
        return Extractor.from_plan(self._plan)


@dataclass(slots=True)
class Batch:
    """Documents with their indexes in the input."""

    documents: list[tuple[int, Document]]
    n_lost: int = 0
    """Number of workers that were lost while they had these documents."""


class RayExtractor:
    """Extracts as ``hpd.Extractor`` does, with the workers of a Ray cluster.

    Documents are read as workers become free. A batch whose worker is lost goes to another worker.
    If that one is lost as well, the documents are sent one by one, and each document fails if a
    third worker is lost while it has it.

    Args:
        plan: what is extracted. Its model must be the same file on every machine, on which the
            paths of its options must exist.
        address: the address of the cluster; None for the one to which this machine belongs or, if
            there is none, a new one on this machine.
        n_workers: number of workers; default: one per GPU, or per machine.
        n_gpus: GPUs per worker; default: one if there is any.
        say: called with a message when a worker is lost.

    Raises:
        InputError: Ray is not installed.
        OptionError: no machine has enough GPUs.
        HpdError: the cluster cannot be reached.
    """

    tuned: Mapping[str, int] = {}
    """Empty, because each worker uses the settings that were tuned on its own machine."""

    def __init__(
        self,
        plan: RunPlan,
        *,
        address: str | None = None,
        n_workers: int | None = None,
        n_gpus: float | None = None,
        say: Callable[[str], None] = lambda message: None,
    ) -> None:
        self._ray = ray_module()
        self._say = say
        self._options = plan.task.options
        self._was_connected = not connect(address)
        try:
            resources = worker_resources(self._ray.nodes(), n_workers, n_gpus)
            options = _with_full_paths(self._options).with_settings({"quiet": True})
            if not options.n_threads:
                options = options.with_settings({"n_threads": resources.n_threads})
            theirs = replace(
                plan,
                task=replace(plan.task, options=options),
                model_name=_absolute_model(plan.model_name),
            )
            kind = self._ray.remote(Worker).options(
                num_cpus=resources.n_cpus,
                num_gpus=resources.n_gpus,
                max_concurrency=BATCHES_PER_WORKER,
                scheduling_strategy="SPREAD",
            )
            make = partial(kind.remote, theirs, file_fingerprint(plan.model))
            self._pool = Pool(resources.n_workers, make, self._ray.kill)
        except BaseException:
            self._disconnect()
            raise

    def iter_indexed(
        self,
        documents: Iterable[Document | NotYet],
        *,
        on_error: OnError = "raise",
        on_chunk: object = None,
    ) -> Iterator[tuple[int, Extraction[Any]]]:
        """Yield extractions with the indexes of their documents, as batches are finished.

        ``on_chunk`` is never called, as workers do not report the chunks of a document.

        Raises:
            HpdError: a document failed and ``on_error`` is ``raise``, or no worker can be started.
            InvalidDataError: as ``Extractor`` raises it, so never with ``on_invalid="record"``.
        """
        stack = self._options.stack
        for index, extraction in RayRun(self._ray, self._pool, self._say).extractions(
            batches_of(documents, stack * -(-_N_DOCUMENTS // stack))
        ):
            if should_raise(extraction, on_error, self._options):
                raise error_of(extraction, f"document {index + 1}")
            yield index, extraction

    def close(self) -> None:
        """End the workers, and the connection if this extractor made it."""
        self._pool.close()
        self._disconnect()

    def _disconnect(self) -> None:
        if not self._was_connected:
            self._ray.shutdown()

    def __enter__(self) -> RayExtractor:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class Pool:
    """The workers, each of which can be replaced.

    Args:
        n_workers: their number.
        make: returns a new worker, which starts when a machine has room.
        end: ends a worker, even if it is already lost.
    """

    def __init__(self, n_workers: int, make: Callable[[], Any], end: Callable[[Any], None]) -> None:
        self._make = make
        self._end = end
        self.workers = [make() for _ in range(n_workers)]

    def replace(self, worker: Any) -> Any:
        """End a worker, and return a new one in its place."""
        self.workers.remove(worker)
        self._end(worker)
        self.workers.append(self._make())
        return self.workers[-1]

    def close(self) -> None:
        """End all workers."""
        while self.workers:
            self._end(self.workers.pop())


class RayRun:
    """Sends batches to the workers that have loaded their model, two at a time.

    Ray itself would repeat a batch on the same worker once that is back, even if there is no room
    for it while other workers are free. It also counts attempts that fail just because the loss of
    a machine has not been noticed yet, so three of them say nothing about a worker.
    """

    def __init__(self, ray: Any, pool: Pool, say: Callable[[str], None]) -> None:
        self._ray = ray
        self._pool = pool
        self._say = say
        self._starting: dict[Any, tuple[Any, int]] = {}
        """Workers that are loading the model, with the number of failed attempts."""
        self._names: dict[Any, str] = {}
        self._free: deque[Any] = deque()
        """The workers that can take a batch, once for each batch."""
        self._running: dict[Any, tuple[Any, Batch]] = {}
        self._to_retry: deque[Batch] = deque()
        for worker in pool.workers:
            self._starting[worker.start.remote()] = worker, 0

    def extractions(
        self, batches: Iterator[Batch | NotYet]
    ) -> Iterator[tuple[int, Extraction[Any]]]:
        """Yield the extractions of all batches, with the indexes of their documents.

        Raises:
            HpdError: a worker raised it, or cannot be started.
        """
        is_exhausted = False
        while True:
            is_waiting_for_input = False
            while self._free and not (is_exhausted and not self._to_retry):
                batch = self._to_retry.popleft() if self._to_retry else next(batches, None)
                if batch is None:
                    is_exhausted = True
                elif batch is NOT_YET:
                    is_waiting_for_input = True
                    break
                else:
                    worker = self._free.popleft()
                    # Rows may be large, and workers do not need them.
                    documents = [replace(document, row={}) for _, document in batch.documents]
                    task = worker.extract.remote(documents)
                    self._running[task] = worker, batch
            if is_exhausted and not self._running and not self._to_retry:
                return
            tasks = [*self._starting, *self._running]
            if not tasks:
                continue  # nothing to do until more input arrives
            done, _ = self._ray.wait(tasks, timeout=0 if is_waiting_for_input else None)
            for task in done:
                if task in self._starting:
                    self._start(task)
                else:
                    yield from self._finish(task)

    def _start(self, task: Any) -> None:
        """Send batches to a worker that has loaded its model; replace a worker that was lost."""
        worker, n_failed = self._starting.pop(task)
        try:
            host, process = self._ray.get(task)
        except self._ray.exceptions.RayTaskError as error:
            raise _original_error(error) from None
        except self._ray.exceptions.RayError as error:
            if n_failed + 1 == _MAX_STARTS:
                raise HpdError(
                    f"a worker was lost {_MAX_STARTS} times before it had loaded the model: {error}"
                ) from error
            self._say("a worker was lost while it loaded the model; another one is started")
            self._replace(worker, n_failed + 1)
        else:
            self._names[worker] = f"process {process} on the machine {host}"
            self._free.extend([worker] * BATCHES_PER_WORKER)

    def _replace(self, worker: Any, n_failed: int = 0) -> None:
        new_worker = self._pool.replace(worker)
        self._starting[new_worker.start.remote()] = new_worker, n_failed

    def _finish(self, task: Any) -> Iterator[tuple[int, Extraction[Any]]]:
        """Yield the extractions of a batch; retry it if its worker was lost."""
        worker, batch = self._running.pop(task)
        try:
            extractions = self._ray.get(task)
        except self._ray.exceptions.RayTaskError as error:
            raise _original_error(error) from None
        except self._ray.exceptions.RayError:  # the process, its machine, or the answer is gone
            name = self._names.pop(worker, None)
            if name is not None:  # else already reported for another batch
                self._say(f"a worker was lost ({name}); its documents are sent again")
                self._free = deque(other for other in self._free if other is not worker)
                self._replace(worker)
            yield from self._retry(batch)
        else:
            if worker in self._names:
                self._free.append(worker)
            for (index, _), extraction in zip(batch.documents, extractions, strict=True):
                yield index, extraction

    def _retry(self, batch: Batch) -> Iterator[tuple[int, Extraction[Any]]]:
        n_lost = batch.n_lost + 1
        if n_lost == 1:
            self._to_retry.append(Batch(batch.documents, n_lost))
        elif len(batch.documents) > 1 or n_lost == 2:
            self._to_retry.extend(Batch([document], n_lost) for document in batch.documents)
        else:
            for index, document in batch.documents:
                message = f"{n_lost} workers were lost while they had this document"
                yield index, Extraction(document.id, error=Failure(WorkerLostError(message)))


def batches_of(documents: Iterable[Document | NotYet], n: int) -> Iterator[Batch | NotYet]:
    """Yield batches of ``n`` documents, or fewer if no more are available now."""
    batch: list[tuple[int, Document]] = []
    n_read = 0
    for document in documents:
        if document is not NOT_YET:
            batch.append((n_read, document))
            n_read += 1
        if batch and (len(batch) == n or document is NOT_YET):
            yield Batch(batch)
            batch = []
        elif document is NOT_YET:
            yield NOT_YET
    if batch:
        yield Batch(batch)


def _original_error(error: Any) -> BaseException:
    """Return the error that was raised in a worker."""
    cause = error.cause
    return cause if isinstance(cause, HpdError) else HpdError(f"a worker failed: {error}")


def _absolute_model(model: str | Path | None) -> str | Path | None:
    """Return a file's absolute path, as workers have other working folders, or a name unchanged."""
    return os.path.abspath(model) if model is not None and os.path.exists(model) else model


def _with_full_paths(options: Options) -> Options:
    adapters = tuple((str(_absolute_model(path)), scale) for path, scale in options.adapters)
    named = {
        name: str(_absolute_model(getattr(options, name)))
        for name in ("draft_model", "calibration")
    }
    cache = os.path.abspath(options.cache) if options.cache else ""
    return options.with_settings({"adapters": adapters, "cache": cache, **named})
