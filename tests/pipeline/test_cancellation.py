"""Calls that nobody waits for any more, and calls with options of their own."""

import asyncio
import itertools
import threading
from contextlib import contextmanager
from functools import partial

import pytest

from hpd import _native
from hpd.errors import CallCancelledError, DecodeError, OptionError, SchemaError
from hpd.options import OPTIONS
from hpd.pipeline.cancellation import Cancellation
from nightly import nightly
from shop import TEXTS
from small_extractor import SmallExtractor as Extractor
from waiting import SECONDS, until


@pytest.fixture(scope="module")
def extractor(model):
    with Extractor("brand, color", model, max_tokens=400) as extractor:
        yield extractor


def test_a_call_that_waits_for_the_engine_is_ended_by_another_thread(extractor):
    cancellation = Cancellation()
    n_done = 0
    errors = []

    def work():
        nonlocal n_done
        try:
            for _ in extractor.iter_indexed(itertools.cycle(TEXTS), cancellation=cancellation):
                n_done += 1
        except CallCancelledError as error:
            errors.append(str(error))

    thread = threading.Thread(target=work)
    thread.start()
    until(lambda: n_done >= 2)
    cancellation.cancel()
    thread.join(SECONDS)
    assert errors == ["the call was cancelled"]
    # Nothing of it is left in the engine.
    until(lambda: extractor.engine.idle or not extractor._pipeline._loop._callers)
    assert extractor.extract(TEXTS[0]).error is None


def test_a_call_that_was_cancelled_before_it_began_decodes_nothing(extractor):
    cancellation = Cancellation()
    cancellation.cancel()
    assert cancellation.is_cancelled
    before = extractor.stats.n_batches
    with pytest.raises(CallCancelledError):
        list(extractor.iter_indexed(TEXTS, cancellation=cancellation))
    assert extractor.stats.n_batches == before


def test_cancelling_after_the_end_changes_nothing(extractor):
    cancellation = Cancellation()
    found = list(extractor.iter_indexed(TEXTS[:2], cancellation=cancellation))
    cancellation.cancel()
    assert len(found) == 2
    assert extractor.extract(TEXTS[0]).error is None


class HeldEngine:
    """An engine that can be held before it advances, until it is let go; it may fail once then."""

    def __init__(self, engine):
        self.engine = engine
        self.fails = False
        self.is_held = threading.Event()
        self.may_go = threading.Event()
        self.may_go.set()

    def __getattr__(self, name):
        return getattr(self.engine, name)

    def hold(self):
        self.is_held.clear()
        self.may_go.clear()

    def advance(self):
        self.is_held.set()
        assert self.may_go.wait(SECONDS)
        if self.fails:
            self.fails = False
            raise DecodeError("out of luck")
        return self.engine.advance()


LONG_TEXT = " ".join(f"word{i}" for i in range(300))
N_LEAVING = 50


@contextmanager
def extractor_with(engine_of, *arguments, **settings):
    """Yield an extractor and its engine, a stand-in around the real one."""
    make, made = _native.Engine, []

    def engine(*own):
        made.append(engine_of(make(*own)))
        return made[-1]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_native, "Engine", engine)
        extractor = Extractor(*arguments, **settings)
    with extractor:
        yield extractor, made[0]


@pytest.fixture
def held(model):
    """An extractor whose engine is held in the step of a short document.

    Its last part lets all go: that document is left, too. It tells how many tokens are decoded.
    """
    settings = {"max_tokens": 4, "n_ctx": 16_384, "n_batch": 64}
    with extractor_with(HeldEngine, "brand, color", model, **settings) as (extractor, engine):
        extractor.extract(TEXTS[0])  # The instruction is in the cache by now.
        engine.hold()
        cancellation = Cancellation()
        call = partial(extractor.iter_indexed, TEXTS[:1], cancellation=cancellation)
        thread = threading.Thread(target=ended, args=(call,))
        thread.start()
        assert engine.is_held.wait(SECONDS)
        before = extractor.stats.n_tokens

        def let_go():
            cancellation.cancel()
            thread.join(SECONDS)
            engine.may_go.set()
            until(lambda: n_sent(extractor) == 0 and extractor.engine.idle)
            return extractor.stats.n_tokens - before

        yield extractor, engine, let_go
        assert extractor.extract(TEXTS[1]).error is None


def ended(call):
    with pytest.raises(CallCancelledError):
        list(call())


def n_sent(extractor):
    """The requests that wait for the engine's thread to take them in."""
    return extractor._pipeline._loop._commands.qsize()


@pytest.mark.parametrize("fails", [False, True])
def test_what_was_left_before_it_was_admitted_is_not_decoded(held, fails):
    extractor, engine, let_go = held
    engine.fails = fails
    cancellations = [Cancellation() for _ in range(N_LEAVING)]
    calls = [
        partial(extractor.iter_indexed, [LONG_TEXT], cancellation=each) for each in cancellations
    ]
    threads = [threading.Thread(target=ended, args=(call,)) for call in calls]
    for thread in threads:
        thread.start()
    until(lambda: n_sent(extractor) == N_LEAVING)
    for each in cancellations:
        each.cancel()
    for thread in threads:
        thread.join(SECONDS)
    assert let_go() < 1000


def test_tasks_that_are_cancelled_decode_nothing_more(held):
    extractor, _, let_go = held

    async def left():
        tasks = [asyncio.create_task(extractor.aextract(LONG_TEXT)) for _ in range(N_LEAVING)]
        while n_sent(extractor) < min(N_LEAVING, extractor.options.max_in_flight):
            await asyncio.sleep(0.005)
        for task in tasks:
            task.cancel()
        results = await asyncio.gather(*tasks, return_exceptions=True)
        assert all(isinstance(result, asyncio.CancelledError) for result in results)

    asyncio.run(left())
    assert let_go() < 1000


def test_an_asynchronous_iterator_that_is_left_decodes_nothing_more(held):
    extractor, _, let_go = held

    async def all_of_them():
        return [each async for each in extractor.aextract_many([LONG_TEXT] * N_LEAVING)]

    async def left():
        task = asyncio.create_task(all_of_them())
        while n_sent(extractor) < 1:
            await asyncio.sleep(0.005)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(left())
    assert let_go() < 1000


class LeavingEngine:
    """An engine of which each step is one batch; the call is cancelled after so many of them."""

    def __init__(self, cancellation, n_batches, engine):
        self.engine = engine
        self.cancellation = cancellation
        self.n_left = n_batches

    def __getattr__(self, name):
        return getattr(self.engine, name)

    def advance(self):
        answers = self.engine.step()
        self.n_left -= 1
        if self.n_left == 0:
            self.cancellation.cancel()
        return answers


@pytest.mark.parametrize("streams", [False, True])
@pytest.mark.parametrize("text", [LONG_TEXT, TEXTS[0]], ids=["as it is read", "as it is answered"])
@pytest.mark.parametrize("n_batches", [1, 20, *nightly(5)])
def test_a_document_that_is_left_midway_takes_no_more_batches(model, text, n_batches, streams):
    settings = {"n_ctx": 16_384, "n_batch": 64, "drafts": False}
    known = {text: {"brand": "very " * 40, "color": None} for text in TEXTS}
    cancellation = Cancellation()
    leaving = partial(LeavingEngine, cancellation, n_batches)
    settings["answers"] = known
    with extractor_with(leaving, "brand, color", model, **settings) as (extractor, _):
        on_settled = (lambda *_: None) if streams else None
        with pytest.raises(CallCancelledError):
            list(extractor.iter_indexed([text], cancellation=cancellation, on_settled=on_settled))
        assert extractor.extract(TEXTS[1]).error is None
        n_all = extractor.stats.n_batches
        extractor.extract(TEXTS[1])
        n_more = extractor.stats.n_batches - n_all  # the instruction was in the cache by then
        assert 0 < n_all - n_more < n_batches + 8


def test_a_prepared_schema_has_options_of_its_own(extractor):
    task = extractor.prepare("maker", max_tokens=3)
    extractions = [each for _, each in extractor.iter_indexed(TEXTS, schema=task)]
    assert all(set(each.data) == {"maker"} for each in extractions)
    assert all(each.usage is not None for each in extractions)
    assert max(each.usage.completion_tokens for each in extractions if each.usage) <= 3
    # The extractor's own are as they were.
    assert set(extractor.extract(TEXTS[0]).data) == {"brand", "color"}
    assert extractor.options.max_tokens == 400


def test_a_prepared_schema_may_have_examples(model):
    with Extractor("brand", model, max_tokens=4) as extractor:
        usages = []
        for examples in ((), [(TEXTS[1], {"brand": "Nike"})]):
            task = extractor.prepare("brand", examples=examples)
            ((_, extraction),) = extractor.iter_indexed([TEXTS[0]], schema=task)
            usages.append(extraction.usage.prompt_tokens)
        assert usages[1] > usages[0]


def test_only_options_of_a_call_can_be_set_for_one(extractor):
    for name, option in OPTIONS.items():
        if not option.per_call:
            with pytest.raises(OptionError, match=rf"^{name}\b.*single call"):
                extractor.prepare("a", **{name: option.default})
    with pytest.raises(OptionError, match="did you mean on_invalid"):
        extractor.prepare("a", on_invalidd="raise")
    with pytest.raises(SchemaError, match="comes after"):
        extractor.prepare("a after b, b", method="ar")
