"""hpd's attention on a CPU against the definition of attention, and inside the engine."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from decoding import disagreements, engine_options, expectation, open_model, run
from hpd import _core_testing, _native
from tiny_models import TinyModel

Floats = NDArray[np.float32]


KERNELS = _core_testing.attention_kernels()

pytestmark = pytest.mark.skipif(not KERNELS, reason="no kernel for this processor")


def by_definition(q: Floats, k: Floats, v: Floats, mask: Floats, scale: float) -> Floats:
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


def halves(rng: np.random.Generator, *shape: int) -> Floats:
    return rng.normal(size=shape).astype(np.float16).astype(np.float32)


def values_mask(rng: np.random.Generator, n_tokens: int, n_cells: int, n_documents: int) -> Floats:
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
def test_the_definition(
    n_heads: int, n_kv_heads: int, d_k: int, d_v: int, n_threads: int, isa: str
) -> None:
    rng = np.random.default_rng(n_heads * d_k)
    for n_tokens, n_cells, n_documents in [(1, 1, 1), (2, 47, 1), (9, 48, 2), (33, 301, 5)]:
        q = rng.normal(size=(n_tokens, n_heads, d_k)).astype(np.float32)
        k, v = halves(rng, n_cells, n_kv_heads, d_k), halves(rng, n_cells, n_kv_heads, d_v)
        mask = values_mask(rng, n_tokens, n_cells, n_documents)
        scale = 2.0 / np.sqrt(d_k)
        got = _core_testing.attention(q, k, v, mask, scale, isa, n_threads)
        np.testing.assert_allclose(got, by_definition(q, k, v, mask, scale), atol=1e-5)


def test_the_same_as_llama_cpps() -> None:
    """The definition above is the one that llama.cpp means."""
    rng = np.random.default_rng(1)
    q = rng.normal(size=(70, 4, 64)).astype(np.float32)
    k, v = halves(rng, 200, 2, 64), halves(rng, 200, 2, 64)
    mask = values_mask(rng, 70, 200, 4)
    ours, theirs = (_core_testing.attention(q, k, v, mask, 0.125, isa) for isa in (KERNELS[0], ""))
    np.testing.assert_allclose(ours, theirs, atol=2e-3)
    assert not np.array_equal(ours, theirs)


@pytest.mark.parametrize("isa", KERNELS)
def test_large_scores(isa: str) -> None:
    """No overflow, and scores that are far apart leave one cell only."""
    rng = np.random.default_rng(2)
    q = (100 * rng.normal(size=(8, 2, 32))).astype(np.float32)
    k, v = halves(rng, 150, 1, 32), halves(rng, 150, 1, 32)
    mask = values_mask(rng, 8, 150, 2)
    got = _core_testing.attention(q, k, v, mask, 1.0, isa)
    np.testing.assert_allclose(got, by_definition(q, k, v, mask, 1.0), atol=1e-4)


@pytest.mark.parametrize("isa", KERNELS)
def test_a_token_that_sees_nothing(isa: str) -> None:
    rng = np.random.default_rng(3)
    q, k = halves(rng, 3, 2, 16), halves(rng, 20, 2, 16)
    mask = np.zeros((3, 20), np.float32)
    mask[1] = -np.inf
    got = _core_testing.attention(q, k, k, mask, 1.0, isa)
    np.testing.assert_allclose(got, by_definition(q, k, k, mask, 1.0), atol=1e-5)
    assert not got[1].any()


def test_what_it_leaves_to_llama_cpp() -> None:
    """Masks that add something to scores, and heads of an odd width."""
    q = np.ones((2, 2, 16), np.float32)
    mask = np.full((2, 2), -0.5, np.float32)
    with pytest.raises(ValueError, match="no kernel"):
        _core_testing.attention(q, q, q, mask, 1.0, KERNELS[0])
    odd = np.ones((2, 2, 20), np.float32)
    with pytest.raises(ValueError, match="no kernel"):
        _core_testing.attention(odd, odd, odd, np.zeros((2, 2), np.float32), 1.0, KERNELS[0])


HALF_TIE = 0.02
"""Keys and values are kept in half precision here, and not in the reference."""


@pytest.mark.parametrize("cpu_attention", [True, False])
@pytest.mark.parametrize("kind", ["qwen3", "llama", "gemma3", "qwen3moe", "lfm2", "jamba"])
def test_in_the_engine(tiny_model: TinyModel, kind: str, cpu_attention: bool) -> None:
    """Graphs are used again, and a batch is cut into passes, each with a mask of its own."""
    path = tiny_model(kind)
    requests, expected = expectation(path, 10, "branch", 1, 16)
    cells = {"flash_attn": "on", "cache_type_k": "f16", "cache_type_v": "f16"}
    for settings in ({}, {"n_batch": 64, "n_ubatch": 7}, {"n_in_flight": 1, "n_threads": 2}):
        options = engine_options(cpu_attention=cpu_attention, **cells, **settings)
        results = run(_native.Engine(open_model(path), options), requests)
        assert not disagreements(results, expected, HALF_TIE)


def test_the_engine_uses_it(tiny_model: TinyModel) -> None:
    """Rounding differs, so the kernel that an option asks for is the one that ran."""
    path = tiny_model("qwen3")
    requests, _ = expectation(path, 10, "branch", 1, 16)
    logprobs = {}
    for cpu_attention in (True, False):
        options = engine_options(
            cpu_attention=cpu_attention, flash_attn="on", cache_type_k="f16", cache_type_v="f16"
        )
        results = run(_native.Engine(open_model(path), options), requests)
        logprobs[cpu_attention] = [v.logprobs for r in results for v in r.values]
    assert logprobs[True] != logprobs[False]
