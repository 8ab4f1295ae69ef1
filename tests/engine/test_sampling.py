"""Choosing tokens: against NumPy, and each value's own stream of random numbers."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

from decoding import engine_options, make_requests, open_model, run
from hpd import _native
from hpd._core import testing
from hpd.errors import DecodeError
from reference import Reference

ROWS = npst.arrays(
    np.float32, st.integers(2, 700), elements=st.floats(-60, 60, width=32, allow_subnormal=False)
)


def sampling(**values):
    options = _native.SamplingOptions()
    for name, value in values.items():
        setattr(options, name, value)
    return options


@given(ROWS)
def test_greedy_is_argmax_with_its_probability_and_margin(row):
    token, logprob, margin = testing.choose(list(row), sampling())
    wide = row.astype(np.float64)
    assert token == int(row.argmax())
    log_sum = wide.max() + np.log(np.exp(wide - wide.max()).sum())
    assert logprob == pytest.approx(wide[token] - log_sum, abs=1e-5)
    others = np.delete(wide, token)
    assert margin == pytest.approx(wide[token] - others.max(), abs=1e-4)


@given(ROWS, st.floats(0, 1, exclude_max=True), st.floats(0.2, 2.0), st.integers(0, 20))
def test_random_choice_follows_the_filters(row, uniform, temperature, top_k):
    """Against a plain version: top-k, top-p, min-p, temperature, then the inverse CDF."""
    options = sampling(temperature=temperature, top_k=top_k, top_p=0.9, min_p=0.05)
    token, _, _ = testing.choose(list(row), options, uniform)
    wide = row.astype(np.float64)
    order = sorted(range(len(row)), key=lambda t: (-row[t], t))[: top_k or len(row)]
    p = np.exp(wide[order] - wide[order[0]])
    share = p / p.sum()
    before = np.concatenate([[0.0], share.cumsum()[:-1]])
    keep = [i for i in range(len(order)) if i == 0 or (before[i] < 0.9 and p[i] >= 0.05)]
    keep = keep[: next((i for i, k in enumerate(keep) if k != i), len(keep))]
    weights = np.exp((wide[order] - wide[order[0]])[keep] / temperature)
    # Rounding apart, the last edge is 1, and no random number is beyond it.
    edges = weights.cumsum()[:-1] / weights.sum()
    allowed = {
        order[keep[int(np.searchsorted(edges, uniform + d))]]
        for d in (-1e-6, 0.0, 1e-6)
        if 0 <= uniform + d < 1
    }
    # Where a filter's limit is met to the last digit, float32 and float64 may part.
    near = np.abs(p - 0.05).min() < 1e-4 or np.abs(before - 0.9).min() < 1e-4
    assert token in allowed or near


def test_rows_without_a_finite_logit_are_an_error():
    with pytest.raises(DecodeError, match="not finite"):
        testing.choose([float("nan")] * 8, sampling())


def test_streams_are_uniform_and_their_own():
    numbers = np.array([[testing.uniform_at(7, s, n) for n in range(50)] for s in range(200)])
    assert ((numbers >= 0) & (numbers < 1)).all()
    assert np.abs(np.histogram(numbers, bins=10, range=(0, 1))[0] - 1000).max() < 150
    assert len(np.unique(numbers)) == numbers.size
    assert testing.uniform_at(8, 0, 0) != numbers[0, 0]


def test_a_sampled_value_does_not_depend_on_what_runs_beside_it(tiny_model):
    path = tiny_model("qwen3")
    with Reference(path) as reference:
        requests = make_requests(reference, 10)

    def texts(**settings_):
        engine = _native.Engine(open_model(path), engine_options(**settings_))
        return [[v.text for v in r.values] for r in run(engine, requests)]

    hot = sampling(temperature=1.0, top_k=0, top_p=1.0, min_p=0.0, seed=3)
    alone = texts(sampling=hot, n_in_flight=1, drafts=False)
    assert texts(sampling=hot, n_in_flight=10, drafts=True) == alone
    assert texts(sampling=hot, n_in_flight=3, n_batch=16, n_ubatch=16) == alone
    other = sampling(temperature=1.0, top_k=0, top_p=1.0, min_p=0.0, seed=4)
    assert texts(sampling=other) != alone
    assert texts() != alone


@given(
    ROWS,
    st.floats(0, 1, exclude_max=True),
    st.sampled_from([0.0, 0.3, 1.0, 2.0]),
    st.integers(0, 20),
    st.integers(0, 2**32 - 1),
)
def test_no_smaller_change_than_the_margin_takes_another_token(
    row, uniform, temperature, top_k, seed
):
    options = sampling(temperature=temperature, top_k=top_k, top_p=0.9, min_p=0.05)
    rng = np.random.default_rng(seed)
    row = (row / 10).astype(np.float32)
    allowed = None if seed % 2 else set(rng.choice(len(row), len(row) // 2 + 1).tolist())
    token, _, margin = testing.choose(list(row), options, uniform, allowed)
    assert margin >= 0
    # Rounding apart; what is no near tie need not be known exactly.
    reach = min(margin, _native.near_tie_margin()) * (1 - 1e-3) - 1e-5
    for _ in range(20):
        moved = row + np.float32(max(0.0, reach / 2)) * rng.choice([-1, 1], len(row))
        again, _, _ = testing.choose(list(moved.astype(np.float32)), options, uniform, allowed)
        assert again == token or reach <= 0


@pytest.mark.parametrize("temperature", [0.0, 1.0])
def test_a_change_as_large_as_the_margin_can_take_another_token(temperature):
    rng = np.random.default_rng(3)
    n_others = 0
    for _ in range(300):
        row = rng.normal(0, 0.1, 12).astype(np.float32)
        options = sampling(temperature=temperature, top_k=0, top_p=1.0, min_p=0.0)
        uniform = rng.random()
        token, _, margin = testing.choose(list(row), options, uniform)
        lower = row.copy()
        lower[token] -= 1.5 * margin
        n_others += testing.choose(list(lower), options, uniform)[0] != token
    assert n_others == 300 if temperature == 0 else n_others > 100


def test_the_runner_up_is_one_of_the_tokens_that_are_allowed():
    row = [0.0, 5.0, 4.95, 4.9, 1.0]
    assert testing.choose(row, sampling())[2] == pytest.approx(0.05, abs=1e-5)
    assert testing.choose(row, sampling(), allowed={1, 3, 4})[2] == pytest.approx(0.1, abs=1e-5)
    assert testing.choose(row, sampling(), allowed={1, 0})[2] >= _native.near_tie_margin()
    assert testing.choose(row, sampling(), allowed={3, 4})[2] == pytest.approx(3.9, abs=1e-5)
    assert testing.choose(row, sampling(), allowed={4})[2] == float("inf")


@given(ROWS, st.integers(0, 2**32 - 1))
def test_a_bias_is_added_to_logits_but_not_to_probabilities(row, seed):
    rng = np.random.default_rng(seed)
    n_biased = rng.integers(1, 4)
    bias = {
        int(t): float(rng.choice([0.0, 1.0, 2.5, 40.0]))
        for t in rng.integers(0, len(row), n_biased)
    }
    allowed = set(rng.choice(len(row), len(row) // 2 + 1, replace=False).tolist())
    token, logprob, margin = testing.choose(
        list(row), sampling(), allowed=allowed, bias=list(bias.items())
    )
    biased = np.array([x + bias.get(t, 0.0) for t, x in enumerate(row.astype(np.float64))])
    order = sorted(allowed, key=lambda t: -biased[t])
    assert biased[token] == pytest.approx(biased[order[0]], abs=1e-4)
    assert token in allowed
    if not any(bias.values()):
        return
    wide = row.astype(np.float64)
    assert logprob == pytest.approx(wide[token] - np.logaddexp.reduce(wide), abs=1e-4)
    distance = biased[token] - max((biased[t] for t in allowed if t != token), default=-np.inf)
    assert min(margin, 0.2) == pytest.approx(min(distance, 0.2), abs=1e-3)


def test_a_bias_for_no_token_is_refused():
    with pytest.raises(ValueError, match="lacks"):
        testing.choose([0.0, 1.0], sampling(), allowed={0, 1}, bias=[(2, 1.0)])
    with pytest.raises(ValueError, match="negative"):
        _native.Field([1], first_bias=[(0, -1.0)])
