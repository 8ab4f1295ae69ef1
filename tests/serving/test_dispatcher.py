"""Requests on their way: a queue with an end, time limits, clients that go, the end of a server."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine, Iterator, Sequence
from typing import Any

import pytest

from hpd.documents import Document
from hpd.errors import CallCancelledError, EngineClosedError
from hpd.options import Options
from hpd.pipeline import Cancellation, Task
from hpd.results import Extraction
from hpd.schema import load_schema
from hpd.serving import Limits
from hpd.serving.bodies import RefusedError
from hpd.serving.dispatcher import Answer, Asked, ClientGoneError, Dispatcher, Plan

PLAN = Plan(Task(load_schema("a"), Options()))
SECONDS = 60.0


class Gate:
    """An extractor whose calls wait until they may go on, or are cancelled."""

    def __init__(self) -> None:
        self.is_open = threading.Event()
        self.begun: list[str] = []
        self.cancelled: list[str] = []

    def iter_placed(
        self,
        documents: Sequence[Document],
        *,
        schema: Task,
        on_error: str,
        cancellation: Cancellation,
    ) -> Iterator[tuple[int, Extraction[Any]]]:
        assert (schema, on_error) == (PLAN.task, "record")
        self.begun.append(documents[0].text)
        cancellation.attach(self.is_open.set)
        assert self.is_open.wait(SECONDS)
        if cancellation.is_cancelled:
            self.cancelled.append(documents[0].text)
            raise CallCancelledError("cancelled")
        # Not in their order.
        for place in reversed(range(len(documents))):
            yield place, Extraction(documents[place].text, {})


def asked(*texts: str) -> Asked:
    def answer(extractions: Sequence[Extraction[Any]]) -> Answer:
        return Answer(" ".join(str(each.id) for each in extractions).encode())

    return Asked([Document(text) for text in texts], PLAN, answer)


async def never() -> None:
    await asyncio.Event().wait()


Test = Callable[[Dispatcher, Gate], Coroutine[Any, Any, None]]


def run(test: Test, gate: Gate | None = None, **limits: Any) -> list[Extraction[Any]]:
    """Run a test with a dispatcher of its own; returns what it has noted."""
    gate = gate or Gate()
    noted: list[Extraction[Any]] = []

    async def whole() -> None:
        dispatcher = Dispatcher(gate, Limits(**limits), 2, noted.append)  # type: ignore[arg-type]
        try:
            await asyncio.wait_for(test(dispatcher, gate), SECONDS)
        finally:
            dispatcher.close()

    asyncio.run(whole())
    return noted


async def until(condition: Callable[[], bool]) -> None:
    while not condition():
        await asyncio.sleep(0.001)


def test_an_answer_has_the_documents_in_their_order() -> None:
    async def test(dispatcher: Dispatcher, gate: Gate) -> None:
        gate.is_open.set()
        answer = await dispatcher.answer(asked("a", "b", "c"), never)
        assert answer.body == b"a b c"
        await until(lambda: dispatcher.n_pending == 0)

    assert {each.id for each in run(test)} == {"a", "b", "c"}


def test_a_queue_that_is_full_refuses_and_takes_on_again_when_it_is_not() -> None:
    async def test(dispatcher: Dispatcher, gate: Gate) -> None:
        # Two are decoded, and one waits for a thread.
        tasks = [
            asyncio.ensure_future(dispatcher.answer(asked(name, name), never)) for name in "abc"
        ]
        await until(lambda: dispatcher.n_pending == 6)
        with pytest.raises(RefusedError) as caught:
            await dispatcher.answer(asked("d", "d"), never)
        assert caught.value.status == 429
        assert 1 <= int(caught.value.headers["Retry-After"]) <= 60
        one = asyncio.ensure_future(dispatcher.answer(asked("e"), never))
        await until(lambda: dispatcher.n_pending == 7)
        gate.is_open.set()
        for task in (*tasks, one):
            await task
        await until(lambda: dispatcher.n_pending == 0)
        await dispatcher.answer(asked("d", "d"), never)

    run(test, waiting=7)


def test_a_request_that_takes_too_long_is_cancelled() -> None:
    async def test(dispatcher: Dispatcher, gate: Gate) -> None:
        with pytest.raises(RefusedError, match=r"within 0\.01 s") as caught:
            await dispatcher.answer(asked("a"), never)
        assert caught.value.status == 504
        await until(lambda: dispatcher.n_pending == 0)

    gate = Gate()
    run(test, gate, seconds=0.01)
    # Unless the time was over before it had a thread.
    assert gate.cancelled == gate.begun


def test_a_client_that_goes_takes_its_request_along() -> None:
    async def test(dispatcher: Dispatcher, gate: Gate) -> None:
        has_gone = asyncio.Event()

        async def gone() -> None:
            await has_gone.wait()

        task = asyncio.ensure_future(dispatcher.answer(asked("a"), gone))
        await until(lambda: gate.begun == ["a"])
        has_gone.set()
        with pytest.raises(ClientGoneError):
            await task
        await until(lambda: gate.cancelled == ["a"] and dispatcher.n_pending == 0)

    run(test)


def test_a_request_that_has_no_thread_yet_never_gets_one() -> None:
    async def test(dispatcher: Dispatcher, gate: Gate) -> None:
        async def at_once() -> None:
            return

        tasks = [asyncio.ensure_future(dispatcher.answer(asked(name), never)) for name in "ab"]
        await until(lambda: sorted(gate.begun) == ["a", "b"])
        with pytest.raises(ClientGoneError):
            await dispatcher.answer(asked("c"), at_once)
        await until(lambda: dispatcher.n_pending == 2)
        gate.is_open.set()
        for task in tasks:
            await task
        assert sorted(gate.begun) == ["a", "b"]

    run(test)


def test_a_server_that_ends_takes_on_no_more_and_cancels_what_is_left() -> None:
    async def test(dispatcher: Dispatcher, gate: Gate) -> None:
        tasks = [asyncio.ensure_future(dispatcher.answer(asked(name), never)) for name in "abc"]
        await until(lambda: len(gate.begun) == 2)
        dispatcher.end()
        assert dispatcher.is_ending
        with pytest.raises(RefusedError, match="is ending") as caught:
            await dispatcher.answer(asked("d"), never)
        assert (caught.value.status, caught.value.headers["Connection"]) == (503, "close")
        assert dispatcher.cancel_all() == 3
        for task in tasks:
            with pytest.raises(RefusedError, match="is ending"):
                await task
        await until(lambda: dispatcher.n_pending == 0)

    run(test)


@pytest.mark.parametrize("error", [EngineClosedError("closed"), ValueError("odd")])
def test_an_error_frees_the_place_in_the_queue(error: Exception) -> None:
    class Broken(Gate):
        def iter_placed(self, *_: Any, **__: Any) -> Iterator[tuple[int, Extraction[Any]]]:
            raise error

    async def test(dispatcher: Dispatcher, gate: Gate) -> None:
        expected = RefusedError if isinstance(error, EngineClosedError) else ValueError
        with pytest.raises(expected):
            await dispatcher.answer(asked("a"), never)
        await until(lambda: dispatcher.n_pending == 0)

    run(test, Broken())
