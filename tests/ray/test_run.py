"""The way of batches to workers, with a stand-in for Ray: losses, starts, live input."""

from types import SimpleNamespace

import pytest

from hpd.documents import NOT_YET, Document
from hpd.errors import HpdError, InvalidDataError, ModelLoadError
from hpd.options import Options
from hpd.ray.workers import Pool, RayExtractor, RayRun, WorkerLostError, batches_of
from hpd.results import Extraction, Failure


class RayError(Exception):
    """A worker, or its machine, is gone."""


class RayTaskError(RayError):
    """A worker raised something."""

    def __init__(self, cause):
        super().__init__(str(cause))
        self.cause = cause


class FakeWorker:
    """Answers with the texts; what it raises is told when the answer is fetched."""

    def __init__(self, fails=lambda texts: None):
        self.fails = fails
        self.n_starts = 0
        self.batches = []
        self.start = SimpleNamespace(remote=self._start)
        self.extract = SimpleNamespace(remote=self._extract)

    def _start(self):
        self.n_starts += 1
        return FakeTask(self.fails([]) or ("host", 7))

    def _extract(self, documents):
        texts = [document.text for document in documents]
        self.batches.append(texts)
        return FakeTask(self.fails(texts) or [Extraction(d.id, d.text) for d in documents])


class FakeTask:
    """An answer that is there at once."""

    def __init__(self, answer):
        self.answer = answer


def wait(tasks, timeout):
    assert tasks, "there is nothing to wait for"
    return tasks[-1:], tasks[:-1]  # the latest first: answers come in any order


def get(task):
    if isinstance(task.answer, Exception):
        raise task.answer
    return task.answer


RAY = SimpleNamespace(
    wait=wait, get=get, exceptions=SimpleNamespace(RayError=RayError, RayTaskError=RayTaskError)
)


def texts_of(n):
    return (Document(f"t{i}", id=i) for i in range(n))


def pool_of(*workers):
    """A worker that is lost comes back as itself."""
    waiting = [*workers]
    return Pool(len(workers), lambda: waiting.pop(0), waiting.append)


def run(workers, documents, n=4):
    """The extractions by their places, each of which is there once, and what was said."""
    said = []
    pairs = [*RayRun(RAY, pool_of(*workers), said.append).extractions(batches_of(documents, n))]
    assert len({index for index, _ in pairs}) == len(pairs)
    return dict(pairs), said


def test_every_document_has_its_answer_in_its_place():
    workers = [FakeWorker(), FakeWorker()]
    answers, said = run(workers, texts_of(50))
    assert {place: e.data for place, e in answers.items()} == {i: f"t{i}" for i in range(50)}
    assert all(len(texts) <= 4 for worker in workers for texts in worker.batches)
    assert said == []


def test_without_documents_nothing_is_waited_for():
    assert run([FakeWorker()], []) == ({}, [])


def losing(n_times, text):
    """Lose the worker so often when it has a document."""
    left = [n_times]

    def fails(texts):
        if text in texts and left[0]:
            left[0] -= 1
            return RayError("gone")
        return None

    return fails


@pytest.mark.parametrize("n_times", [1, 2])
def test_what_a_lost_worker_had_is_done_again(n_times):
    worker = FakeWorker(losing(n_times, "t5"))
    answers, said = run([worker], texts_of(20))
    assert {place: e.data for place, e in answers.items()} == {i: f"t{i}" for i in range(20)}
    assert len(said) == n_times
    assert "process 7 on the machine host" in said[0]
    assert worker.n_starts == 1 + n_times


def test_a_document_over_which_three_workers_are_lost_has_an_error_alone():
    worker = FakeWorker(losing(99, "t5"))
    answers, said = run([worker], texts_of(20))
    failed = {place: e.error.type for place, e in answers.items() if e.error is not None}
    assert failed == {5: "WorkerLostError"}
    assert answers[5].id == 5
    assert len(answers) == 20
    assert len(said) == 3


def test_an_error_in_a_worker_is_raised_as_it_is():
    worker = FakeWorker(lambda texts: RayTaskError(ModelLoadError("on the machine a: no model")))
    with pytest.raises(ModelLoadError, match="on the machine a"):
        run([worker], texts_of(3))


def test_a_bug_in_a_worker_is_told():
    worker = FakeWorker(lambda texts: RayTaskError(KeyError("x")) if texts else None)
    with pytest.raises(HpdError, match="a worker failed"):
        run([worker], texts_of(3))


def test_workers_that_never_start_end_the_run():
    worker = FakeWorker(lambda texts: None if texts else RayError("killed"))
    with pytest.raises(HpdError, match="3 times before it had loaded the model: killed"):
        run([worker], texts_of(3))
    assert worker.n_starts == 3


def test_a_worker_that_starts_late_is_waited_for():
    left = [RayError("slow"), RayError("slow")]
    worker = FakeWorker(lambda texts: left.pop() if left and not texts else None)
    answers, _ = run([worker], texts_of(3))
    assert len(answers) == 3


def test_live_input_is_handed_out_without_full_batches():
    n_answered = 0
    seen = []

    def documents():
        yield Document("a", id=0)
        yield Document("b", id=1)
        for _ in range(3):
            yield NOT_YET
        seen.append(n_answered)
        yield Document("c", id=2)

    run = RayRun(RAY, pool_of(FakeWorker()), lambda message: None)
    for _ in run.extractions(batches_of(documents(), 32)):
        n_answered += 1
    assert seen == [2]
    assert n_answered == 3


def test_documents_are_read_only_as_workers_want_them():
    read = []

    def documents():
        for i in range(1000):
            read.append(i)
            yield Document("t", id=i)

    run = RayRun(RAY, pool_of(FakeWorker(), FakeWorker()), lambda message: None)
    extractions = run.extractions(batches_of(documents(), 4))
    for _ in range(10):
        next(extractions)
    assert len(read) <= 40


@pytest.mark.parametrize("on_invalid", ["raise", "record", "retry"])
def test_only_data_that_breaks_the_schema_is_recorded_instead_of_raised(on_invalid):
    def extracting(*errors):
        failures = [Failure(error("the reason")) if error else None for error in errors]
        extractions = [Extraction(i, error=failure) for i, failure in enumerate(failures)]
        worker = FakeWorker()
        worker.extract = SimpleNamespace(remote=lambda documents: FakeTask(extractions))
        extractor = RayExtractor.__new__(RayExtractor)
        extractor._ray, extractor._say = RAY, lambda message: None
        extractor._pool = pool_of(worker)
        extractor._options = Options(on_invalid=on_invalid)
        pairs = extractor.iter_indexed(texts_of(len(errors)))
        return [extraction.error and extraction.error.type for _, extraction in pairs]

    if on_invalid == "record":
        assert extracting(None, InvalidDataError) == [None, "InvalidDataError"]
    else:
        with pytest.raises(InvalidDataError, match="document 2: the reason"):
            extracting(None, InvalidDataError)
    with pytest.raises(HpdError, match="document 1: the reason"):
        extracting(WorkerLostError)
