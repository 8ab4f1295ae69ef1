"""Pitfalls of llama.cpp, which fails silently: each guard has a test that fails without it."""

import threading
import time

import llama_cpp
import numpy as np
import pytest

import tiny_models
from decoding import (
    F32_TIE,
    LOGPROB_ERROR,
    disagreements,
    engine_options,
    make_requests,
    open_model,
    run,
)
from hpd import _native
from hpd._core import testing
from hpd.errors import DecodeError
from reference import Reference


def sequence(tokens, seq, start=0):
    """A batch of one sequence; logits after its last token."""
    last = len(tokens) - 1
    return [(token, start + i, [seq], i == last) for i, token in enumerate(tokens)]


@pytest.fixture(scope="module")
def model(tiny_model):
    return open_model(tiny_model("qwen3"))


def new_context(model, **settings):
    # All rows of logits are looked at here.
    return testing.Context(model, engine_options(**settings))


def test_threads_for_one_token_and_for_more(model):
    context = new_context(model, n_threads=2)
    assert (context.n_threads, context.n_threads_batch) == (2, 2)
    context = new_context(model, n_threads=1, n_threads_batch=3)
    assert (context.n_threads, context.n_threads_batch) == (1, 3)
    context.decode(sequence([5], 0))
    context.decode(sequence([6, 7, 8], 0, start=1))


def test_a_forgotten_fork_is_refused(model):
    """An empty sequence may start at any position: it would decode without its document."""
    context = new_context(model)
    with pytest.raises(RuntimeError, match=r"holds 0 tokens and is given one at position 7"):
        context.decode([(5, 7, [3], True)])
    assert context.decode([(5, 0, [3], True)]) == "ok"
    with pytest.raises(RuntimeError, match=r"holds 1 tokens and is given one at position 3"):
        context.decode([(5, 3, [3], True)])


def test_fork_into_a_sequence_that_has_cells_is_refused(model):
    context = new_context(model)
    context.decode(sequence([5, 6, 7], 0) + sequence([8], 1))
    with pytest.raises(RuntimeError, match="sequence 1, which is not empty"):
        context.fork(0, 1, 3)
    context.drop(1)
    context.fork(0, 1, 3)
    assert context.n_past(1) == 3


def test_fork_of_more_than_there_is_is_refused(model):
    context = new_context(model)
    context.decode(sequence([5, 6, 7], 0))
    with pytest.raises(RuntimeError, match="fork of 4 cells from a sequence of 3"):
        context.fork(0, 1, 4)


def test_two_tokens_at_one_position_are_refused(model):
    """Two drafts of one value at one place would see each other."""
    context = new_context(model)
    with pytest.raises(RuntimeError, match="position 1"):
        context.decode([(5, 0, [0], False), (6, 1, [0], True), (7, 1, [0], True)])


N_ROWS = 64


def rows_of_batches(model, n_tokens, **settings):
    """Logits after a prompt and one more token, another one in each sequence: as many tokens at a
    time as ``n_tokens`` says. (N_ROWS, n_vocab)"""
    prompt = model.tokenize("Nike Men's Running Shoe, Black, 10 M US")
    context = new_context(model, **settings)
    context.decode(sequence(prompt, 0))
    for seq in range(1, N_ROWS):
        context.fork(0, seq, len(prompt))
    batch = [(100 + seq, len(prompt), [seq], True) for seq in range(N_ROWS)]
    rows = []
    for start in range(0, N_ROWS, n_tokens):
        assert context.decode(batch[start : start + n_tokens]) == "ok"
        rows.append(context.rows().copy())
    return np.concatenate(rows)


@pytest.mark.parametrize("cpu_attention", [True, False])
@pytest.mark.parametrize("n_tokens", [1, 2, 63, 64])
def test_numbers_change_little_with_the_size_of_the_batch(
    model, n_tokens, cpu_attention, record_property
):
    """Other sizes take other kernels: a token may flip only where the runner-up is that close."""
    want = rows_of_batches(model, 1)
    flash = {"flash_attn": "on", "cache_type_k": "f16", "cache_type_v": "f16"}
    rows = rows_of_batches(model, n_tokens, cpu_attention=cpu_attention, **flash)
    assert not np.array_equal(rows, want), "the same kernel: nothing is compared"
    difference = np.abs(rows - want).max(axis=1)
    top_two = np.sort(want, axis=1)[:, -2:]
    margins = top_two[:, 1] - top_two[:, 0]
    flipped = rows.argmax(axis=1) != want.argmax(axis=1)
    report = {
        "largest difference": float(difference.max()),
        "smallest margin": float(margins.min()),
        "margins of flips": margins[flipped].tolist(),
    }
    for name, figure in report.items():
        record_property(name, figure)
    print(f"{n_tokens} tokens, {'hpd' if cpu_attention else 'llama.cpp'}'s attention: {report}")
    assert difference.max() < 0.02
    assert (margins[flipped] < 2 * difference[flipped]).all()


def test_rows_belong_to_tokens_in_any_order_of_the_batch(model):
    """Logits come in the order of the batch, however its sequences are mixed."""
    texts = ["Nike Men's Running Shoe, Black", "Men's Shoe", "Nike"]
    sequences = [model.tokenize(text) for text in texts]
    want = []
    for tokens in sequences:
        context = new_context(model)
        context.decode(sequence(tokens, 0))
        want.append(context.rows()[0])
    queues = [sequence(tokens, seq) for seq, tokens in enumerate(sequences)]
    mixed = []
    while any(queues):
        for queue in queues[::-1]:
            if queue:
                mixed.append(queue.pop(0))
    order = [seqs[0] for _, _, seqs, output in mixed if output]
    assert order != sorted(order)
    context = new_context(model, n_ubatch=4)
    context.decode(mixed)
    rows = context.rows()
    for row, seq in zip(rows, order, strict=True):
        np.testing.assert_allclose(row, want[seq], atol=LOGPROB_ERROR)


def test_the_memory_of_logits_is_used_again_by_the_next_decode(model):
    """So the engine reads all rows of a batch before it decodes the next one."""
    context = new_context(model)
    context.decode(sequence([5, 6], 0))
    rows = context.rows()
    before = rows.copy()
    context.decode(sequence([9], 0, start=2))
    assert np.shares_memory(rows, context.rows())
    assert not np.array_equal(rows, before)


def test_what_the_engine_has_read_stays(model):
    """Numbers of a value that many batches have been decoded since are still its own."""
    keys = [model.tokenize(f'{{"field {i}":') for i in range(4)]
    prompt = model.tokenize("Nike Men's Running Shoe, Black")
    alone = []
    for key in keys:
        engine = _native.Engine(model, engine_options(drafts=False))
        (result,) = run(engine, [((prompt, [key]), 0)])
        alone.append(result.values[0])
    engine = _native.Engine(model, engine_options(drafts=False, n_in_flight=1))
    results = run(engine, [((prompt, [key]), 0) for key in keys])
    for result, want in zip(results, alone, strict=True):
        assert result.values[0].tokens == want.tokens
        np.testing.assert_allclose(result.values[0].margins, want.margins, atol=1e-3)


@pytest.mark.parametrize("kind", [*tiny_models.RECURRENT_KINDS, *tiny_models.HYBRID_KINDS])
def test_recurrent_states_are_neither_cut_nor_copied_in_part(tiny_model, kind):
    """seq_rm of a tail does nothing there, and seq_cp copies all, whatever range it is given."""
    context = new_context(open_model(tiny_model(kind)))
    context.decode(sequence([5, 6, 7], 0))
    with pytest.raises(RuntimeError, match="cannot be trimmed"):
        context.trim(0, 2)
    with pytest.raises(RuntimeError, match="fork of 2 cells from a sequence of 3"):
        context.fork(0, 1, 2)
    with pytest.raises(RuntimeError, match="cannot share a token"):
        context.decode([(5, 0, [2, 3], True)])


@pytest.mark.parametrize("kind", tiny_models.KINDS)
def test_identical_prompts_give_one_answer(tiny_model, kind):
    path = tiny_model(kind)
    with Reference(path) as reference:
        requests = [make_requests(reference, 1)[0]] * 6
    engine = _native.Engine(open_model(path), engine_options())
    texts = [[value.text for value in result.values] for result in run(engine, requests)]
    assert texts == [texts[0]] * 6
    if kind != "llama-spm":  # its random weights say null to all of these
        assert len(set(texts[0])) > 1


def test_sliding_window_keeps_what_forks_need(tiny_model):
    """Without swa_full the window's cells behind a fork are gone: refused, not decoded."""
    model = open_model(tiny_model("gemma3"))
    assert model.n_swa == tiny_models.SLIDING_WINDOW
    text = model.tokenize("Nike Men's Running Shoe, Black. " * 90)
    assert len(text) > 512

    def forked_at(position, *, swa_full):
        # Three sequences: llama.cpp makes the window's cache the smaller the fewer there are.
        context = new_context(model, swa_full=swa_full, n_ubatch=8, n_batch=8, n_seq_max=3)
        for start in range(0, len(text), 8):
            context.decode(sequence(text[start : start + 8], 0, start))
        context.fork(0, 1, position)
        assert context.decode([(5, position, [1], True)]) == "ok"
        return context.rows()[0]

    def alone(position):
        context = new_context(model)
        tokens = [*text[:position], 5]
        for start in range(0, len(tokens), 512):
            context.decode(sequence(tokens[start : start + 512], 0, start))
        return context.rows()[0]

    middle, end = len(text) // 2, len(text)
    np.testing.assert_allclose(forked_at(middle, swa_full=True), alone(middle), atol=5e-3)
    np.testing.assert_allclose(forked_at(end, swa_full=True), alone(end), atol=5e-3)
    with pytest.raises(DecodeError, match="swa_full"):
        forked_at(middle, swa_full=False)


def test_an_aborted_batch_is_decoded_again(tiny_model):
    """Return code 2 leaves part of the batch in the cache: all of it is thrown away."""
    path = tiny_model("qwen3")
    with Reference(path, kv_type=llama_cpp.GGML_TYPE_F32) as reference:
        requests = make_requests(reference, 8)
        expected = [
            [reference.value(prompt, key, 16) for key in keys] for (prompt, keys), _ in requests
        ]
    engine = _native.Engine(open_model(path), engine_options(n_ubatch=16))
    testing.check_every_step(engine, True)
    for i, ((prompt, keys), n_instruction) in enumerate(requests):
        fields = [_native.Field(key, max_tokens=16) for key in keys]
        engine.submit(i, prompt, fields, n_instruction=n_instruction)
    results = {}
    over = threading.Event()

    def interrupt_now_and_then():
        """Wherever the engine happens to be: mostly between two passes of one batch."""
        while not over.wait(0.005):
            engine.interrupt(True)
            time.sleep(0.001)
            engine.interrupt(False)

    thread = threading.Thread(target=interrupt_now_and_then)
    for n in range(30):
        if n == 3:
            engine.interrupt(True)  # once for certain
        results |= {result.id: result for result in engine.step()}
        engine.interrupt(False)
        if n == 5:
            thread.start()
    over.set()
    thread.join()
    while not engine.idle:
        results |= {result.id: result for result in engine.step()}
    assert engine.stats.n_preempted > 0
    assert not disagreements([results[i] for i in range(len(requests))], expected, F32_TIE)
