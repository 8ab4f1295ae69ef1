"""Calls that another thread ends, and calls with options of their own."""

import itertools
import threading
import time

import pytest

from hpd.errors import CallCancelledError, OptionError, SchemaError
from hpd.options import OPTIONS
from hpd.pipeline import Cancellation
from shop import TEXTS
from small_extractor import SmallExtractor as Extractor

SECONDS = 60.0


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
            for _ in extractor.iter_placed(itertools.cycle(TEXTS), cancellation=cancellation):
                n_done += 1
        except CallCancelledError as error:
            errors.append(str(error))

    thread = threading.Thread(target=work)
    thread.start()
    end = time.monotonic() + SECONDS
    while n_done < 2:
        assert time.monotonic() < end
        time.sleep(0.005)
    cancellation.cancel()
    thread.join(SECONDS)
    assert errors == ["the call was cancelled"]
    # Nothing of it is left in the engine.
    while not (extractor.engine.idle or not extractor._pipeline._loop._callers):
        assert time.monotonic() < end
        time.sleep(0.005)
    assert extractor.extract(TEXTS[0]).error is None


def test_a_call_that_was_cancelled_before_it_began_decodes_nothing(extractor):
    cancellation = Cancellation()
    cancellation.cancel()
    assert cancellation.is_cancelled
    before = extractor.stats.n_batches
    with pytest.raises(CallCancelledError):
        list(extractor.iter_placed(TEXTS, cancellation=cancellation))
    assert extractor.stats.n_batches == before


def test_cancelling_after_the_end_changes_nothing(extractor):
    cancellation = Cancellation()
    found = list(extractor.iter_placed(TEXTS[:2], cancellation=cancellation))
    cancellation.cancel()
    assert len(found) == 2
    assert extractor.extract(TEXTS[0]).error is None


def test_a_prepared_schema_has_options_of_its_own(extractor):
    task = extractor.prepare("maker", max_tokens=3)
    extractions = [each for _, each in extractor.iter_placed(TEXTS, schema=task)]
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
            ((_, extraction),) = extractor.iter_placed([TEXTS[0]], schema=task)
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
