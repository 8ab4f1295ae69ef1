"""Batches that are filled up, so that llama.cpp uses its graphs again: the same values."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tiny_models
from decoding import F32_TIE, disagreements, engine_options, expectation, open_model, run
from hpd import _core_testing, _native
from hpd.errors import ModelLoadError
from tiny_models import TinyModel

counts = st.integers(0, 600)


@given(st.integers(1, 600), counts, counts, st.integers(1, 64))
def test_everything_is_filled_up(n_tokens: int, n_rows: int, n_seqs: int, step: int) -> None:
    tokens, rows, seqs = _core_testing.padding_of(n_tokens, n_rows, n_seqs, step)
    for count, added in ((n_tokens, tokens), (n_rows, rows), (n_seqs, seqs)):
        assert (count + added) % step == 0
        assert added >= 0
    assert rows <= tokens <= 2 * step - 1
    assert seqs <= step
    assert (seqs > 0) == (tokens > 0)


@given(st.integers(1, 600), counts, counts)
def test_without_a_step_nothing_is_added(n_tokens: int, n_rows: int, n_seqs: int) -> None:
    assert _core_testing.padding_of(n_tokens, n_rows, n_seqs, 0) == (0, 0, 0)


def padded(
    tiny_model: TinyModel, kind: str, layout: str, n_stacked: int, **settings: Any
) -> _native.EngineStats:
    """The counts of a run whose values are those of the reference."""
    path = tiny_model(kind)
    requests, expected = expectation(path, 12, layout, n_stacked, 16)
    engine = _native.Engine(open_model(path), engine_options(**settings))
    order = random.Random(1).sample(range(12), 12)
    assert not disagreements(run(engine, requests, order=order), expected, F32_TIE)
    return engine.stats


@pytest.mark.parametrize("step", [1, 3, 16, 64])
@pytest.mark.parametrize(
    ("layout", "n_stacked"), [("branch", 1), ("skeleton", 1), ("label", 1), ("branch", 3)]
)
def test_values_are_the_same(tiny_model: TinyModel, layout: str, n_stacked: int, step: int) -> None:
    padded(tiny_model, "qwen3", layout, n_stacked, n_pad=step, n_in_flight=5)


@pytest.mark.parametrize("kind", tiny_models.ATTENTION_KINDS[1:])
@pytest.mark.parametrize(
    "settings",
    [
        {"n_ctx": 256},  # requests must start again when cells run short
        {"n_batch": 5, "n_ubatch": 5},  # prompts are cut anywhere
        {"n_batch": 64, "n_ubatch": 3},
        {"n_seq_max": 3},
        {"logits_on_device": "on"},
    ],
    ids=str,
)
def test_scarce_resources(tiny_model: TinyModel, kind: str, settings: dict[str, Any]) -> None:
    padded(tiny_model, kind, "branch", 1, n_pad=8, **settings)


@pytest.mark.parametrize("kind", tiny_models.ATTENTION_KINDS[1:])
def test_values_are_the_same_with_the_kernel_for_attention(
    tiny_model: TinyModel, kind: str
) -> None:
    """The reference has other cells, so the engine is compared with itself."""
    path = tiny_model(kind)
    requests, _ = expectation(path, 6, "branch", 1, 16)
    settings = {"flash_attn": "on", "cache_type_k": "f16", "cache_type_v": "f16"}
    tokens = []
    for step in (0, 8):
        options = engine_options(**settings, cpu_attention=True, n_pad=step)
        results = run(_native.Engine(open_model(path), options), requests)
        tokens.append([[value.tokens for value in result.values] for result in results])
    assert tokens[0] == tokens[1]


def test_graphs_are_used_again(tiny_model: TinyModel) -> None:
    shares = []
    for step in (0, 16):
        stats = padded(tiny_model, "qwen3", "branch", 1, n_pad=step, n_in_flight=12, drafts=False)
        assert stats.n_graphs == stats.n_batches
        shares.append(stats.n_graphs_reused / stats.n_graphs)
    assert shares[1] > 2 * shares[0]


def test_a_draft_model_is_padded_too(tiny_model: TinyModel) -> None:
    draft = open_model(tiny_model("qwen3", seed=1))
    padded(tiny_model, "qwen3", "branch", 1, n_pad=8, draft_model=draft, draft_p_min=0.3)


@pytest.mark.parametrize("kind", tiny_models.RECURRENT_KINDS)
def test_a_recurrent_model_cannot_be_padded(tiny_model: TinyModel, kind: str) -> None:
    with pytest.raises(ModelLoadError, match="--pad-batches"):
        _native.Engine(open_model(tiny_model(kind)), engine_options(n_pad=4))


def test_too_much_padding_is_refused(tiny_model: TinyModel) -> None:
    model = open_model(tiny_model("qwen3"))
    with pytest.raises(ValueError, match="n_pad must be at most 64"):
        _native.Engine(model, engine_options(n_pad=65))
    with pytest.raises(ModelLoadError, match=r"250 cells .* n_ctx .* n_pad"):
        _native.Engine(model, engine_options(n_pad=64, n_ctx=250))
