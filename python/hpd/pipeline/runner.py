"""Jobs through the engine: submitted lazily, stepped, and their results handed back."""

from __future__ import annotations

import itertools
import threading
from collections import deque
from collections.abc import Iterator

from hpd._native import Engine, Result
from hpd.errors import EngineClosedError
from hpd.pipeline.job import Ask, Job
from hpd.results import Extraction


class Run:
    """The jobs of one caller."""

    Item = tuple[list[int], Job | Extraction]
    """Places in the input, and the job of the documents there, or what is known without one."""

    def __init__(self, items: Iterator[Item]) -> None:
        self.items = items
        self.finished: deque[tuple[int, Extraction]] = deque()
        self.error: Exception | None = None
        """What the caller's own code (a validator, say) raised while others drove the engine."""
        self.n_open = 0
        self.exhausted = False
        self.abandoned = False


class Runner:
    """Drives one engine for any number of callers, from any number of threads.

    Whoever waits for results does the work: it steps the engine, and what becomes ready for
    others is put where they will find it.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._turn = _Turn()
        self._jobs: dict[int, tuple[Run, list[int], Job]] = {}
        self._numbers = itertools.count()

    def run(self, items: Iterator[Run.Item]) -> Iterator[tuple[int, Extraction]]:
        """The extractions of all items with their places, as they finish."""
        run = Run(items)
        try:
            while True:
                self._fill(run)
                with self._turn:
                    if not run.finished and (run.n_open or not run.exhausted):
                        self._step()
                    if run.error is not None:
                        raise run.error
                    # Both at once: another thread may finish the last job at any moment.
                    ready = list(run.finished)
                    run.finished.clear()
                    is_over = run.exhausted and not run.n_open
                yield from ready
                if is_over:
                    return
        finally:
            # No more than a mark: this may run wherever the garbage collector does.
            run.abandoned = True

    def close(self) -> None:
        """Refuse everything from now on, and let go of what is under way."""
        self._engine.close()

    def _fill(self, run: Run) -> None:
        """Pull documents for as long as the engine wants any.

        The caller's documents come from the caller's code, which may take its time, or extract
        something itself: meanwhile the engine is free for others.
        """
        while not run.exhausted and not run.finished and self._wants_request():
            item = next(run.items, None)
            if item is None:
                run.exhausted = True
                return
            places, job = item
            if isinstance(job, Extraction):
                run.finished.extend((place, job) for place in places)
                continue
            ask = job.first()
            with self._turn:
                run.n_open += 1
                self._submit(run, places, job, ask)

    def _wants_request(self) -> bool:
        with self._turn:
            self._check_open()
            return self._engine.wants_request

    def _check_open(self) -> None:
        if self._engine.closed:
            raise EngineClosedError("the extractor is closed")

    def _submit(self, run: Run, places: list[int], job: Job, ask: Ask) -> None:
        self._check_open()
        number = next(self._numbers)
        self._jobs[number] = (run, places, job)
        self._engine.submit(
            number,
            ask.prompt,
            ask.fields,
            n_instruction=ask.n_instruction,
            n_cached=ask.n_cached,
            keep_prompt=ask.keep_prompt,
        )

    def _step(self) -> None:
        self._check_open()
        if self._jobs and all(run.abandoned for run, _, _ in self._jobs.values()):
            # Nobody waits for any of it.
            self._engine.cancel_all()
            self._jobs.clear()
            return
        for result in self._engine.step():
            run, places, job = self._jobs.pop(result.id)
            try:
                self._take(run, places, job, result)
            except EngineClosedError:
                raise
            except Exception as error:
                # It is for the caller whose job it is, who may wait in another thread.
                run.error = error

    def _take(self, run: Run, places: list[int], job: Job, result: Result) -> None:
        ask = None if run.abandoned else job.take(result)
        if ask is not None:
            self._submit(run, places, job, ask)
            return
        if job.kept_prompt is not None:
            self._engine.forget_prompt(job.kept_prompt)
        if not run.abandoned:
            # A chunk of a document gives nothing as long as others of its chunks are under way.
            run.finished.extend(zip(places, job.extractions(), strict=False))
            run.n_open -= 1


class _Turn:
    """A lock that whoever waits longest gets next.

    With an ordinary one, a thread that drives the engine and takes the lock again at once would
    keep all others out. Used as a context manager, not reentrant.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting: deque[threading.Lock] = deque()
        self._taken = False

    def __enter__(self) -> None:
        with self._lock:
            if not self._taken:
                self._taken = True
                return
            mine = threading.Lock()
            mine.acquire()
            self._waiting.append(mine)
        try:
            mine.acquire()
        except BaseException:  # Interrupted from the keyboard.
            with self._lock:
                is_waiting = mine in self._waiting
                if is_waiting:
                    self._waiting.remove(mine)
            if not is_waiting:
                self.__exit__()
            raise

    def __exit__(self, *_: object) -> None:
        with self._lock:
            if self._waiting:
                self._waiting.popleft().release()
            else:
                self._taken = False
