"""Calls of llama.cpp fail under an extractor: no value is wrong, no run hangs, and it recovers."""

import re

import pytest

from hpd._core import testing
from nightly import nightly
from shop import EXACT, TEXTS
from small_extractor import SmallExtractor

FOR_EVER = 1 << 60


@pytest.mark.parametrize(
    ("code", "leaves_cells", "message"),
    [
        (1, False, "the context is full although nothing else is in flight"),
        (2, True, "aborted 8 decodes in a row, although no interruption was requested"),
        (-1, False, r"could not decode a batch of \d+ tokens \(code -1\)"),
        *nightly((-3, True, r"could not decode a batch of \d+ tokens \(code -3\)")),
    ],
)
def test_decodes_that_fail_for_ever_are_errors_and_no_hang(model, code, leaves_cells, message):
    with SmallExtractor("brand, color", model, max_tokens=4, in_flight=3, **EXACT) as extractor:
        expected = [extraction.data for extraction in extractor.extract_many(TEXTS)]
        testing.fail_calls(extractor.engine, 0, n=FOR_EVER, code=code, leaves_cells=leaves_cells)
        extractions = list(extractor.extract_many(TEXTS, on_error="record"))
        assert len(extractions) == len(TEXTS)
        for extraction in extractions:
            assert extraction.error.type in {"DecodeError", "ContextOverflowError"}
            assert re.search(message, extraction.error.message)
        testing.fail_calls(extractor.engine, -1)
        assert [extraction.data for extraction in extractor.extract_many(TEXTS)] == expected


@pytest.mark.parametrize("call", range(0, 18, 3))
def test_a_call_that_fails_once_costs_no_document_its_values(model, call):
    with SmallExtractor(
        "brand, color after brand", model, max_tokens=4, in_flight=3, **EXACT
    ) as extractor:
        expected = [extraction.data for extraction in extractor.extract_many(TEXTS)]
        testing.fail_calls(extractor.engine, call, leaves_cells=True)
        assert [extraction.data for extraction in extractor.extract_many(TEXTS)] == expected
        assert testing.n_fallible_calls() > call
