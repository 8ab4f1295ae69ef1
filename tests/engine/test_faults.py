"""llama.cpp's calls fail, each in its turn: values stay the same, or an error says why not."""

import random

import llama_cpp
import pytest

from decoding import F32_TIE, WORDS, disagreements, engine_options, open_model
from hpd import _native
from hpd._core import testing
from hpd.errors import DecodeError
from nightly import nightly
from reference import Reference

N_DOCUMENTS = 50
N_INSTRUCTION = 6
MAX_TOKENS = 4

# How a decode fails: llama.cpp's code, and whether it has left cells behind.
FULL = (1, False)
ABORTED = (2, True)
INVALID = (-1, False)
OUT_OF_MEMORY = (-2, False)
BROKEN = (-3, True)
FAULTS = (FULL, ABORTED, INVALID, OUT_OF_MEMORY, BROKEN)


def short_requests(reference):
    """An instruction, a few words and two keys each."""
    rng = random.Random(0)
    instruction = reference.tokenize("Fill in: Brand, Color.")[:N_INSTRUCTION]
    keys = [reference.tokenize(key) for key in ('{"Brand":', '{"n":')]
    words = [reference.tokenize(" ".join(rng.choices(WORDS, k=3))) for _ in range(N_DOCUMENTS)]
    return [([*instruction, *document], keys) for document in words]


class Run:
    """Fifty documents through an engine of their own, of whose calls of llama.cpp some fail."""

    def __init__(self, model, requests, **settings):
        self.requests = requests
        self.engine = _native.Engine(
            model, engine_options(n_in_flight=16, n_ctx=1024, n_seq_max=48, **settings)
        )
        self.n_failed_steps = 0
        testing.check_every_step(self.engine, True)
        testing.fix_least_probability(self.engine, 0.1)

    def results(self, most_failures):
        """The outcome of the requests, in their order, while at most so many steps fail."""
        waiting = list(range(N_DOCUMENTS))
        results = {}
        n_steps = 0
        while waiting or not self.engine.idle:
            while waiting and self.engine.wants_request:
                i = waiting.pop(0)
                prompt, keys = self.requests[i]
                fields = [_native.Field(list(key), max_tokens=MAX_TOKENS) for key in keys]
                self.engine.submit(i, list(prompt), fields, n_instruction=N_INSTRUCTION)
            n_steps += 1
            assert n_steps < 1000, "it does not come to an end"
            try:
                for result in self.engine.step():
                    assert result.id not in results
                    results[result.id] = result
            except DecodeError:
                self.n_failed_steps += 1
                assert self.n_failed_steps <= most_failures
        return [results[i] for i in range(N_DOCUMENTS)]


@pytest.mark.parametrize("has_draft_model", [False, *nightly(True)], ids=["drafts", "draft model"])
def test_each_call_that_can_fail_fails_once(tiny_model, has_draft_model):
    """Fifty documents for each call, the kinds of failure in turn: no value changes."""
    path = tiny_model("qwen3")
    model = open_model(path)
    settings = {"drafts": not has_draft_model}
    if has_draft_model:
        settings["draft_model"] = open_model(tiny_model("qwen3", seed=1))
    with Reference(path, n_ctx=256, kv_type=llama_cpp.GGML_TYPE_F32) as reference:
        requests = short_requests(reference)
        expected = [
            [reference.value(prompt, key, MAX_TOKENS) for key in keys] for prompt, keys in requests
        ]

    run = Run(model, requests, **settings)
    testing.fail_calls(run.engine, -1)
    assert not disagreements(run.results(0), expected, F32_TIE)
    n_calls = testing.n_fallible_calls()
    n_failed_steps = n_errors = 0
    for call in range(n_calls):
        code, leaves_cells = FAULTS[call % len(FAULTS)]
        run = Run(model, requests, **settings)
        testing.fail_calls(run.engine, call, code=code, leaves_cells=leaves_cells)
        results = run.results(1)
        assert testing.n_fallible_calls() > call, "the call was not reached"
        n_failed_steps += run.n_failed_steps
        # The cache is full, and nothing else is in flight that could be sent back.
        errors = [i for i, result in enumerate(results) if result.error]
        assert len(errors) <= 1
        for i in errors:
            assert code == FULL[0]
            assert "the context is full although nothing else is in flight" in results[i].error
        n_errors += len(errors)
        rest = [i for i in range(N_DOCUMENTS) if i not in errors]
        differences = disagreements(
            [results[i] for i in rest], [expected[i] for i in rest], F32_TIE
        )
        assert not differences, f"call {call}, code {code}"
    print(f"{n_calls} calls: {n_failed_steps} failed steps, {n_errors} documents with an error")
    assert n_calls >= 50
    assert n_failed_steps > n_calls // 3


def test_a_document_that_fills_the_cache_alone_is_not_tried_again(tiny_model):
    model = open_model(tiny_model("qwen3"))
    engine = _native.Engine(model, engine_options(n_in_flight=1))
    testing.fail_calls(engine, 0, code=FULL[0])
    field = _native.Field(model.tokenize('{"Brand":'), max_tokens=MAX_TOKENS)
    engine.submit(0, model.tokenize("Nike shoe"), [field], n_instruction=0)
    (result,) = engine.advance()
    assert "the context is full although nothing else is in flight" in result.error
