"""hpd's attention on a CPU against the definition of attention, and inside the engine."""

import os
import sys

import numpy as np
import pytest

from command_line import run_python
from decoding import disagreements, engine_options, expectation, open_model, run
from hpd import _native
from hpd._core import testing
from hpd.models.memory import memory_need
from hpd.options import Options
from nightly import nightly
from small_model import small_model

LLAMA_CPPS_ROUNDING = 5e-3
"""Its sums of values are kept in half precision."""

KERNELS = testing.attention_kernels()

pytestmark = pytest.mark.skipif(not KERNELS, reason="no kernel for this processor")


def by_definition(q, k, v, mask, scale):
    """Softmax of the masked scores, times the values; every query alone."""
    out = np.zeros((q.shape[0], q.shape[1], v.shape[2]))
    each = q.shape[1] // k.shape[1]
    for token in range(q.shape[0]):
        seen = np.flatnonzero(mask[token] == 0)
        for head in range(q.shape[1] if len(seen) else 0):
            keys = k[seen, head // each].astype(np.float64)
            scores = keys @ q[token, head].astype(np.float64) * scale
            weights = np.exp(scores - scores.max())
            out[token, head] = weights @ v[seen, head // each] / weights.sum()
    return out.astype(np.float32)


def halves(rng, *shape):
    return rng.normal(size=shape).astype(np.float16).astype(np.float32)


def values_mask(rng, n_tokens, n_cells, n_documents):
    """Tokens of several documents: they share the first cells, and have some of their own."""
    seen = np.zeros((n_tokens, n_cells), bool)
    shared = n_cells // 5
    document_of = np.sort(rng.integers(0, n_documents, n_tokens))
    owner = rng.integers(0, n_documents + 3, n_cells)  # those of the last three are idle
    seen[:, :shared] = True
    seen |= owner[None, :] == document_of[:, None]
    seen &= rng.random((n_tokens, n_cells)) < 0.9
    seen[np.arange(n_tokens), rng.integers(0, n_cells, n_tokens)] = True
    return np.where(seen, 0, -np.inf).astype(np.float32)


@pytest.mark.parametrize("isa", KERNELS)
@pytest.mark.parametrize("n_threads", [1, 3])
@pytest.mark.parametrize(
    ("n_heads", "n_kv_heads", "d_k", "d_v"),
    [
        *((4, 2, 64, 64), (16, 8, 128, 128), (8, 1, 256, 256), (14, 2, 64, 64)),
        *((6, 2, 16, 32), (3, 3, 80, 48), (34, 2, 32, 32)),
    ],
)
def test_the_definition(n_heads, n_kv_heads, d_k, d_v, n_threads, isa):
    rng = np.random.default_rng(n_heads * d_k)
    for n_tokens, n_cells, n_documents in [(1, 1, 1), (2, 47, 1), (9, 48, 2), (33, 301, 5)]:
        q = rng.normal(size=(n_tokens, n_heads, d_k)).astype(np.float32)
        k, v = halves(rng, n_cells, n_kv_heads, d_k), halves(rng, n_cells, n_kv_heads, d_v)
        mask = values_mask(rng, n_tokens, n_cells, n_documents)
        scale = 2.0 / np.sqrt(d_k)
        got, taken = testing.attention(q, k, v, mask, scale, isa, n_threads)
        # Where there is too little for all threads, llama.cpp divides it better.
        assert taken or (n_threads > 1 and n_tokens < 33)
        atol = 1e-5 if taken else LLAMA_CPPS_ROUNDING
        np.testing.assert_allclose(got, by_definition(q, k, v, mask, scale), atol=atol)


def test_the_same_as_llama_cpps():
    """The definition above is the one that llama.cpp means."""
    rng = np.random.default_rng(1)
    q = rng.normal(size=(70, 4, 64)).astype(np.float32)
    k, v = halves(rng, 200, 2, 64), halves(rng, 200, 2, 64)
    mask = values_mask(rng, 70, 200, 4)
    ours, _ = testing.attention(q, k, v, mask, 0.125, KERNELS[0])
    theirs, _ = testing.attention(q, k, v, mask, 0.125, "")
    np.testing.assert_allclose(ours, theirs, atol=LLAMA_CPPS_ROUNDING)
    assert not np.array_equal(ours, theirs)


@pytest.mark.parametrize("isa", KERNELS)
def test_large_scores(isa):
    """No overflow, and scores that are far apart leave one cell only."""
    rng = np.random.default_rng(2)
    q = (100 * rng.normal(size=(8, 2, 32))).astype(np.float32)
    k, v = halves(rng, 150, 1, 32), halves(rng, 150, 1, 32)
    mask = values_mask(rng, 8, 150, 2)
    got, taken = testing.attention(q, k, v, mask, 1.0, isa)
    assert taken
    np.testing.assert_allclose(got, by_definition(q, k, v, mask, 1.0), atol=1e-4)


@pytest.mark.parametrize("isa", KERNELS)
def test_a_token_that_sees_nothing(isa):
    rng = np.random.default_rng(3)
    q, k = halves(rng, 3, 2, 16), halves(rng, 20, 2, 16)
    mask = np.zeros((3, 20), np.float32)
    mask[1] = -np.inf
    got, taken = testing.attention(q, k, k, mask, 1.0, isa)
    assert taken
    np.testing.assert_allclose(got, by_definition(q, k, k, mask, 1.0), atol=1e-5)
    assert not got[1].any()


@pytest.mark.parametrize(("width", "bias"), [(16, -0.5), (20, 0.0)])
def test_what_it_leaves_to_llama_cpp(width, bias):
    """Masks that add something to scores, and heads of an odd width."""
    rng = np.random.default_rng(4)
    q, k = halves(rng, 2, 2, width), halves(rng, 2, 2, width)
    mask = np.full((2, 2), bias, np.float32)
    ours, taken = testing.attention(q, k, k, mask, 1.0, KERNELS[0])
    theirs, _ = testing.attention(q, k, k, mask, 1.0, "")
    assert not taken
    np.testing.assert_array_equal(ours, theirs)


# --- whether it can be relied on --------------------------------------------------------------


def test_kernels_do_what_llama_cpp_does():
    assert [testing.attention_problem(isa) for isa in KERNELS] == [""] * len(KERNELS)
    assert testing.usable_kernel() == KERNELS[0]


def test_a_kernel_with_other_results_is_not_used(capfd):
    assert testing.usable_kernel_behind_a_broken_one() == KERNELS[0]
    assert capfd.readouterr().err == (
        "hpd: the attention kernel broken is not used with this llama.cpp: "
        "its results differ from llama.cpp's\n"
    )


def test_an_exception_does_not_cross_llama_cpp():
    """An error while llama.cpp asks is raised when it has returned."""
    assert testing.survives_an_unreadable_mask()


def test_a_graph_that_was_not_asked_about_is_an_error():
    """No wrong numbers, and nothing is read that is not there."""
    with pytest.raises(RuntimeError, match="does not compute its graph"):
        testing.compute_without_asking()


# --- in the engine ----------------------------------------------------------------------------


HALVES = {"flash_attn": "on", "cache_type_k": "f16", "cache_type_v": "f16"}

HALF_TIE = 0.02
"""Keys and values are kept in half precision here, and not in the reference."""


@pytest.mark.parametrize("cpu_attention", [True, False])
@pytest.mark.parametrize(
    "kind", ["qwen3", "gemma3", "lfm2", *nightly("llama", "qwen3moe", "jamba")]
)
def test_in_the_engine(tiny_model, kind, cpu_attention):
    """Graphs are used again, and a batch is cut into passes, each with a mask of its own."""
    path = tiny_model(kind)
    requests, expected = expectation(path, 10, "branch", 1, 16)
    for settings in ({}, {"n_batch": 64, "n_ubatch": 7}, {"n_in_flight": 1, "n_threads": 2}):
        options = engine_options(cpu_attention=cpu_attention, **HALVES, **settings)
        results = run(_native.Engine(open_model(path), options), requests)
        assert not disagreements(results, expected, HALF_TIE)


def counts(path, **settings):
    """Nodes of attention that hpd's kernel computed, and those that it left to llama.cpp."""
    requests, _ = expectation(path, 10, "branch", 1, 16)
    engine = _native.Engine(open_model(path), engine_options(**settings))
    run(engine, requests)
    return engine.stats.n_attention_taken, engine.stats.n_attention_left


def test_the_engine_counts_what_it_takes(tiny_model):
    path = tiny_model("qwen3")
    n_taken, n_left = counts(path, **HALVES)
    assert n_taken > 0
    assert n_left == 0
    assert counts(path, **HALVES, cpu_attention=False) == (0, 0)


@pytest.mark.parametrize(
    ("kind", "settings", "pays", "n_value_batch"),
    [
        ("qwen3", HALVES, False, 0),
        ("gemma3", HALVES, False, 0),
        ("lfm2", HALVES, False, 0),
        ("qwen3", {**HALVES, "cpu_attention": False}, True, 63),
        ("qwen3", {**HALVES, "cache_type_k": "f32", "cache_type_v": "f32"}, False, 0),
        ("qwen3", {**HALVES, "cache_type_k": "q8_0", "cache_type_v": "q8_0"}, True, 0),
        ("qwen3", {**HALVES, "flash_attn": "off"}, True, 0),
        ("gemma2", HALVES, True, 63),  # a soft cap
        ("mamba", HALVES, True, 63),  # no attention at all
    ],
    ids=str,
)
def test_batches_are_made_for_the_attention_that_computes_them(
    tiny_model, kind, settings, pays, n_value_batch
):
    """Not for the kernel that there is: it may be unable to compute this model's attention."""
    model = open_model(tiny_model(kind))
    context = testing.Context(model, engine_options(**settings))
    assert (context.pays_for_idle_cells, context.n_value_batch) == (pays, n_value_batch)


def test_soft_caps_are_left_to_llama_cpp(tiny_model):
    n_taken, n_left = counts(tiny_model("gemma2"), **HALVES)
    assert n_taken == 0
    assert n_left > 0


TAKEN = """
import sys
from pathlib import Path
from hpd import Extractor
settings = {"n_ctx": 100_000, "cpu_attention": sys.argv[2] == "on"}
with Extractor("a, b", sys.argv[1], max_tokens=8, **settings) as extractor:
    extractor.extract("a small blue cup")
    print(Path("/proc/self/statm").read_text().split()[1])
"""


def test_cells_that_no_document_needs_take_no_memory():
    if sys.platform != "linux":
        return  # elsewhere their memory is not returned
    model = small_model()
    taken = {}
    for how in ("on", "off"):
        done = run_python("-c", TAKEN, model, how)
        assert done.returncode == 0, done.stderr
        taken[how] = int(done.stdout) * os.sysconf("SC_PAGE_SIZE")
    cells = memory_need(model, Options(n_ctx=100_000)).cells
    assert taken["off"] - taken["on"] > 0.9 * cells
