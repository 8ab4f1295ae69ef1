"""hpd's products with quantised weights on a CPU against plain sums, and inside the engine."""

import numpy as np
import pytest

from decoding import QUANTISED_TIE, disagreements, engine_options, expectation, run
from hpd import _native
from hpd._core import testing

KERNELS = [isa for isa, _ in _native.product_problems()]
TYPES = ["q4_0", "q5_0", "q8_0", "q4_K", "q5_K", "q6_K"]
K_TYPES = TYPES[3:]
OTHER_TYPES = {"avx2": ["q8_0"]}
"""Types that a kernel leaves to llama.cpp."""
CASES = [(isa, name) for isa in KERNELS for name in TYPES if name not in OTHER_TYPES.get(isa, [])]

pytestmark = pytest.mark.skipif(not KERNELS, reason="no kernel for this processor")


def rounded(activations, name):
    """Activations as 8 bits can express them, with the largest number of each block as 127."""
    n_block = 256 if name in K_TYPES else 32
    blocks = activations.reshape(len(activations), -1, n_block).astype(np.float64)
    scale = np.abs(blocks).max(-1, keepdims=True) / 127
    numbers = np.rint(np.divide(blocks, scale, where=scale != 0, out=np.zeros_like(blocks)))
    stored = scale if name in K_TYPES else scale.astype(np.float16)
    return (numbers * stored).reshape(activations.shape)


def relative_error(found, expected):
    return np.linalg.norm(found - expected) / np.linalg.norm(expected)


def operands(n_tokens, n_columns=512, n_rows=80, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n_rows, n_columns)), rng.normal(size=(n_tokens, n_columns))


@pytest.mark.parametrize(("isa", "name"), CASES)
@pytest.mark.parametrize(("n_tokens", "n_threads"), [(1, 1), (2, 3), (17, 2), (131, 2), (300, 1)])
def test_products_are_sums(isa, name, n_tokens, n_threads):
    """Of the weights as they were quantised and of the activations in 8 bits, in any number."""
    weights, activations = operands(n_tokens)
    out, quantised, taken = testing.product(name, weights, activations, isa, n_threads)
    assert taken
    expected = rounded(activations, name) @ quantised.T.astype(float)
    assert relative_error(out, expected) < 1e-4


@pytest.mark.parametrize(("isa", "name"), CASES)
def test_a_token_has_the_same_products_in_every_batch(isa, name):
    weights, activations = operands(140)
    together, _, _ = testing.product(name, weights, activations, isa, 2)
    for t in (0, 127, 128, 139):
        alone, _, _ = testing.product(name, weights, activations[t : t + 1], isa, 1)
        assert (alone[0] == together[t]).all()


@pytest.mark.parametrize(("isa", "name"), CASES)
def test_products_are_those_of_ggml(isa, name):
    """But for the order of sums, with activations of any size that its scales can have."""
    weights, activations = operands(5)
    activations *= np.array([0, 1e-2, 1, 1e3, 1e6])[:, None]
    own, _, _ = testing.product(name, weights, activations, isa)
    theirs, _, taken = testing.product(name, weights, activations, "")
    assert not taken
    assert (own[0] == 0).all()
    for t in range(1, 5):
        assert relative_error(own[t], theirs[t]) < 1e-5


@pytest.mark.parametrize(("isa", "name"), CASES)
def test_no_sum_overflows(isa, name):
    """The largest numbers that the bits of weights can have, with one sign or with both."""
    signs = np.where(np.arange(512) % 2, 1.0, -1.0)
    for row in (np.ones(512), -np.ones(512), signs):
        weights, activations = np.tile(row, (32, 1)), np.stack([row, -row, signs])
        own, _, _ = testing.product(name, weights, activations, isa)
        theirs, _, _ = testing.product(name, weights, activations, "")
        assert np.abs(own - theirs).max() < 1e-3


@pytest.mark.parametrize("isa", KERNELS)
def test_odd_numbers_of_rows_and_other_types_are_left_to_llama_cpp(isa):
    weights, activations = operands(3, n_rows=36)
    others = ["f16", "q4_1", *OTHER_TYPES.get(isa, [])]
    for name, rows in (("q4_0", weights), *((other, weights[:32]) for other in others)):
        out, quantised, taken = testing.product(name, rows, activations, isa)
        assert not taken
        assert relative_error(out, activations @ quantised.T) < 0.02


def test_a_kernel_with_wrong_results_is_found_out():
    assert "its results are wrong" in testing.product_problem_of_a_broken_kernel()
    assert all(problem == "" for _, problem in _native.product_problems())


# --- in the engine ----------------------------------------------------------------------------


def outcome(path, requests, cpu_products, **settings):
    options = _native.ModelOptions()
    options.cpu_products = cpu_products
    model = _native.Model([str(path)], options)
    engine = _native.Engine(model, engine_options(**settings))
    return run(engine, requests), engine.stats.n_products_taken


@pytest.mark.parametrize("settings", [{}, {"n_batch": 64, "n_ubatch": 7}, {"n_threads": 2}])
@pytest.mark.parametrize("quant", ["q8_0", "q4_0"])
def test_in_the_engine(tiny_model, quant, settings):
    path = tiny_model("qwen3", quant=quant)
    requests, expected = expectation(path, 10, "branch", 1, 16)
    own, n_taken = outcome(path, requests, True, **settings)
    assert not disagreements(own, expected, QUANTISED_TIE)
    assert (n_taken > 0) is (quant not in OTHER_TYPES.get(KERNELS[0], []))
    theirs, n_taken = outcome(path, requests, False, **settings)
    assert not disagreements(theirs, expected, QUANTISED_TIE)
    assert n_taken == 0
