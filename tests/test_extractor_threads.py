"""One extractor for many callers: threads, asyncio, loops in loops, and closing."""

import asyncio
import gc
import itertools
import threading
import time

import pytest

from hpd.documents import Document
from hpd.errors import EngineClosedError, HpdError
from shop import EXACT, TEXTS
from small_extractor import SmallExtractor as Extractor

SCHEMA = "brand: the maker, color [red|blue|black]?, weight_g float?, tags [str]"


@pytest.fixture(scope="module")
def extractor(model):
    with Extractor(SCHEMA, model, max_tokens=24, **EXACT) as extractor:
        yield extractor


def test_threads_share_one_extractor(extractor):
    expected = {text: extractor.extract(text).data for text in TEXTS}
    found = {}

    def work(n):
        texts = TEXTS[n:] + TEXTS[:n]
        documents = [Document(text, id=(n, text)) for text in texts * 4]
        found[n] = list(extractor.extract_many(documents))

    threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=120)
        assert not thread.is_alive()
    for n, extractions in found.items():
        texts = (TEXTS[n:] + TEXTS[:n]) * 4
        assert [extraction.id for extraction in extractions] == [(n, text) for text in texts]
        assert [extraction.data for extraction in extractions] == [expected[text] for text in texts]


def test_a_thread_with_one_document_is_not_kept_waiting(extractor):
    """Another thread with a great many must not have the engine for itself."""
    n_done = 0
    is_over = threading.Event()

    def many():
        for text in itertools.islice(itertools.cycle(TEXTS), 5000):
            if is_over.is_set():
                return
            yield text

    def work():
        nonlocal n_done
        for _ in extractor.extract_many(many()):
            n_done += 1

    thread = threading.Thread(target=work)
    thread.start()
    try:
        while n_done < 2:
            time.sleep(0.01)
        assert extractor.extract(TEXTS[0]).error is None
        assert thread.is_alive()
        assert n_done < 5000
    finally:
        is_over.set()
        thread.join(timeout=60)
    assert not thread.is_alive()


def test_extracting_inside_a_loop_over_extractions(extractor):
    n_inner = 0
    for outer in extractor.extract_many(TEXTS * 4):
        inner = extractor.extract(TEXTS[0])
        n_inner += inner.error is None and outer.error is None
    assert n_inner == 4 * len(TEXTS)


def test_documents_that_are_made_by_extracting(extractor):
    def documents():
        for text in TEXTS:
            yield f"{text} {extractor.extract(text).data['brand']}"

    assert len(list(extractor.extract_many(documents()))) == len(TEXTS)


def test_a_generator_that_is_let_go_leaves_the_extractor_usable(extractor):
    for _ in range(3):
        abandoned = extractor.extract_many(itertools.cycle(TEXTS))
        next(abandoned)
        abandoned.close()
    lost = extractor.extract_many(itertools.cycle(TEXTS))
    next(lost)
    del lost
    gc.collect()
    alive = extractor.extract_many(itertools.cycle(TEXTS))
    next(alive)
    found = list(extractor.extract_many([Document(text, text) for text in TEXTS]))
    assert [extraction.id for extraction in found] == TEXTS
    alive.close()
    # Nothing of what was let go is still worked on.
    assert extractor.extract(TEXTS[0]).error is None
    assert not any(not caller.is_gone for caller in extractor._pipeline._loop._callers)


def test_closing_from_another_thread_ends_what_is_under_way(model):
    extractor = Extractor(SCHEMA, model)
    is_running = threading.Event()
    errors = []

    def work():
        try:
            for _ in extractor.extract_many(itertools.cycle(TEXTS)):
                is_running.set()
        except HpdError as error:
            errors.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    assert is_running.wait(timeout=60)
    extractor.close()
    thread.join(timeout=60)
    assert not thread.is_alive()
    assert isinstance(errors[0], EngineClosedError)
    with pytest.raises(EngineClosedError, match="closed"):
        extractor.extract(TEXTS[0])
    extractor.close()  # Once more does no harm.


def test_many_asyncio_tasks_are_decoded_together(model):
    async def all_of_them(extractor):
        return await asyncio.gather(*(extractor.aextract(text) for text in TEXTS * 2))

    settings = {"in_flight": 12, "max_tokens": 12, "drafts": False, **EXACT}
    with Extractor("brand, color", model, **settings) as extractor:
        found = asyncio.run(all_of_them(extractor))
        n_together = extractor.stats.n_batches
        before = extractor.stats.n_batches
        alone = [extractor.extract(text).data for text in TEXTS * 2]
        n_alone = extractor.stats.n_batches - before
    assert [extraction.data for extraction in found] == alone
    assert n_together < n_alone / 2


def test_asyncio_iteration_keeps_the_order_and_may_be_left(extractor):
    async def some(n):
        documents = (Document(text, i) for i, text in enumerate(itertools.cycle(TEXTS)))
        ids = []
        async for extraction in extractor.aextract_many(documents):
            ids.append(extraction.id)
            if len(ids) == n:
                break
        return ids

    assert asyncio.run(some(7)) == list(range(7))
    assert extractor.extract(TEXTS[0]).error is None
