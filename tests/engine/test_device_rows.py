"""Logits that stay on the device, against rows that are copied: the same values, token for token.

llama.cpp's CPU is a device, too, so no GPU is needed.
"""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

import tiny_models
from decoding import engine_options, expectation, open_model, run
from hpd import Extractor, Options, _core_testing, _native
from hpd.errors import ModelLoadError
from hpd.schema.attributes import Attribute
from hpd.values.grammar import value_grammar
from reference import Request
from shop import EXACT, TEXTS
from tiny_models import TinyModel

Requests = list[tuple[Request, int]]

ROWS = npst.arrays(
    np.float32,
    st.integers(2, 40),
    elements=st.one_of(
        st.floats(-20, 20, width=32, allow_subnormal=False),
        st.sampled_from([1.0, 1.0625, 1.125, 1.25]),  # equals, and near ties
    ),
)


# --- the choice -----------------------------------------------------------------------------------


@given(ROWS, st.integers(1, 9), st.one_of(st.none(), st.sets(st.integers(0, 39))))
def test_a_choice_out_of_the_top_is_that_of_the_whole_row(
    row: np.ndarray, n: int, allowed: set[int] | None
) -> None:
    top = _core_testing.choose_from_top(list(row), n, allowed)
    assume(top is not None)
    options = _native.SamplingOptions()
    token, logprob, margin = _core_testing.choose(list(row), options, allowed=allowed)
    assert (top[0], top[2]) == (token, margin)
    assert top[1] == pytest.approx(logprob, abs=1e-5)


@given(ROWS, st.sets(st.integers(0, 39)))
def test_the_whole_vocabulary_always_tells(row: np.ndarray, allowed: set[int]) -> None:
    assert _core_testing.choose_from_top(list(row), len(row), allowed) is not None


def test_where_the_top_does_not_tell() -> None:
    row = [5.0, 4.0, 3.0, 2.0, 1.0, 0.0]
    assert _core_testing.choose_from_top(row, 2) == pytest.approx((0, -0.4562, 1.0), abs=1e-4)
    assert _core_testing.choose_from_top(row, 3, {1, 2, 4})[0] == 1
    assert _core_testing.choose_from_top(row, 3, {2, 4}) is None  # the second one is not known
    assert _core_testing.choose_from_top(row, 3, {4}) is None
    assert _core_testing.choose_from_top([1.0, 1.0, 1.0], 2) is None  # the first is not among them
    assert _core_testing.choose_from_top([1.1, 1.05, 1.0, 0.95], 3, {0, 3}) is None


# --- the engine -----------------------------------------------------------------------------------


def values_of(results: list[_native.Result]) -> list[list[tuple[list[int], str]]]:
    return [[(value.tokens, value.finish) for value in result.values] for result in results]


def same(on: list[_native.Result], off: list[_native.Result]) -> None:
    """The same values, and what is told of them but for rounding."""
    assert values_of(on) == values_of(off)
    for mine, other in zip(on, off, strict=True):
        assert mine.error == other.error
        for value, wanted in zip(mine.values, other.values, strict=True):
            for name in ("logprobs", "log_shares", "margins"):
                got = np.array(getattr(value, name))
                np.testing.assert_allclose(got, getattr(wanted, name), atol=1e-4, err_msg=name)


def both(path: Path, requests: Requests, **settings: Any) -> _native.EngineStats:
    """Compare the two; the counts of the one whose logits stay on the device."""
    results = {}
    for on in ("on", "off"):
        options = engine_options(logits_on_device=on, **settings)
        engine = _native.Engine(open_model(path), options)
        results[on] = run(engine, requests)
        if on == "on":
            stats = engine.stats
        else:
            assert engine.stats.n_rows_copied == engine.stats.n_rows > 0
    same(results["on"], results["off"])
    return stats


PROMPTS = [("branch", 1), ("skeleton", 1), ("branch", 3), ("label", 1)]


# How the logits were computed makes no difference here, so one layout will do for other kinds.
@pytest.mark.parametrize(
    ("kind", "drafts", "in_flight", "prompts"),
    [
        *(("qwen3", drafts, n, PROMPTS) for drafts in (False, True) for n in (1, 16)),
        *((kind, True, 16, PROMPTS[:1]) for kind in tiny_models.ATTENTION_KINDS[1:]),
    ],
)
def test_values_are_the_same(
    tiny_model: TinyModel,
    kind: str,
    drafts: bool,
    in_flight: int,
    prompts: list[tuple[str, int]],
) -> None:
    path = tiny_model(kind)
    for layout, n_stacked in prompts:
        requests, _ = expectation(path, 6, layout, n_stacked, 16)
        stats = both(path, requests, drafts=drafts, n_in_flight=in_flight)
        assert stats.n_rows > 0
        assert stats.n_rows_copied == 0


@pytest.mark.parametrize(
    "settings",
    [
        {"n_ctx": 256},  # requests must start again when cells run short
        {"n_batch": 5, "n_ubatch": 5},  # prompts are cut anywhere
        {"n_seq_max": 3},
        {"flash_attn": "on", "cache_type_k": "f16", "cache_type_v": "f16"},
    ],
    ids=str,
)
def test_scarce_resources(tiny_model: TinyModel, settings: dict[str, Any]) -> None:
    path = tiny_model("gemma3")
    requests, _ = expectation(path, 6, "branch", 1, 16)
    assert both(path, requests, **settings).n_rows_copied == 0


@pytest.mark.parametrize(("kind", "in_flight"), [("qwen3", 1), ("qwen3", 16), ("gemma3", 16)])
def test_a_draft_model_guesses_the_same(tiny_model: TinyModel, kind: str, in_flight: int) -> None:
    path, draft = tiny_model(kind), open_model(tiny_model(kind, seed=1))
    requests, _ = expectation(path, 5, "branch", 1, 16)
    guessed = []
    for on in ("on", "off"):
        options = engine_options(
            logits_on_device=on, n_in_flight=in_flight, draft_model=draft, draft_p_min=0.3
        )
        results = run(_native.Engine(open_model(path), options), requests)
        guessed.append(
            [(result.n_drafted, result.n_accepted, result.n_steps) for result in results]
        )
    assert guessed[0] == guessed[1]
    assert sum(n_drafted for n_drafted, _, _ in guessed[0]) > 0
    both(path, requests, n_in_flight=in_flight, draft_model=draft, draft_p_min=0.3)


CONSTRAINTS: dict[str, dict[str, Any]] = {
    "count": {"grammar": value_grammar(Attribute("n", "integer", minimum=0, maximum=120))},
    "date": {"grammar": value_grammar(Attribute("n", "date"))},
    "pattern": {"grammar": value_grammar(Attribute("n", pattern="^[A-D]{1,3}[0-9]?$"))},
    "choices": {"choices": ['"red"', '"red wine"', '"redder"', '"blue"', "true", "null"]},
}


@pytest.mark.parametrize("closed", [False, True])
@pytest.mark.parametrize("drafts", [False, True])
@pytest.mark.parametrize("name", CONSTRAINTS)
def test_constrained_values_are_the_same(
    tiny_model: TinyModel, name: str, drafts: bool, closed: bool
) -> None:
    path = tiny_model("qwen3")
    requests, _ = expectation(path, 5, "branch", 1, 16)
    results = []
    for on in ("on", "off"):
        model = open_model(path)
        field = dict(CONSTRAINTS[name])
        if "choices" in field:
            field["choices"] = [model.tokenize(" " + text) for text in field["choices"]]
        engine = _native.Engine(model, engine_options(logits_on_device=on, drafts=drafts))
        _core_testing.fix_least_probability(engine, 0.1)
        for i, ((prompt, keys), n_instruction) in enumerate(requests):
            fields = [
                _native.Field(list(key), attribute=1, closed=closed, max_tokens=16, **field)
                for key in keys
            ]
            engine.submit(i, list(prompt), fields, n_instruction=n_instruction)
        finished: list[_native.Result] = []
        while not engine.idle:
            finished += engine.step()
        results.append(sorted(finished, key=lambda result: result.id))
        if on == "on" and closed:  # a share of what is allowed is not told by the likeliest tokens
            assert engine.stats.n_rows_copied > 0
    same(*results)


SCHEMA = "brand, color [red|blue|black], size, weight float, tags [str], parts [{name, count int}]"


@pytest.mark.parametrize(
    "settings", [{}, {"stack": 3}, {"drafts": False}, {"method": "ar"}], ids=str
)
def test_the_model_in_the_box_says_the_same(settings: dict[str, Any]) -> None:
    said = []
    for on in ("on", "off"):
        with Extractor(
            SCHEMA, options=Options(**EXACT, n_threads=1, logits_on_device=on, **settings)
        ) as extractor:
            said.append([result.data for result in extractor.extract_many(TEXTS)])
    assert said[0] == said[1]
    assert any(itertools.chain.from_iterable(map(dict.values, said[0])))


# --- where it cannot be ---------------------------------------------------------------------------


def test_on_a_processor_rows_are_copied_unless_they_must_not(tiny_model: TinyModel) -> None:
    path = tiny_model("qwen3")
    requests, _ = expectation(path, 6, "branch", 1, 16)
    for auto, copied in (("auto", True), ("on", False)):
        options = _native.ModelOptions()
        options.use_extra_bufts, options.n_gpu_layers = False, 0
        engine = _native.Engine(
            _native.Model([str(path)], options), engine_options(logits_on_device=auto)
        )
        run(engine, requests)
        assert (engine.stats.n_rows_copied > 0) == copied


@pytest.mark.parametrize(
    ("kind", "settings", "reason"),
    [
        ("mamba", {}, "recurrent"),
        ("lfm2", {}, "recurrent"),
        ("qwen3", {"n_batch": 64, "n_ubatch": 32}, "n_ubatch"),
    ],
    ids=str,
)
def test_where_logits_cannot_stay(
    tiny_model: TinyModel, kind: str, settings: dict[str, int], reason: str
) -> None:
    model = open_model(tiny_model(kind))
    with pytest.raises(ModelLoadError, match=f"logits cannot stay on the device.*{reason}"):
        _native.Engine(model, engine_options(logits_on_device="on", **settings))
    _native.Engine(model, engine_options(**settings))


def test_random_tokens_need_all_logits(tiny_model: TinyModel) -> None:
    sampling = _native.SamplingOptions()
    sampling.temperature = 1.0
    with pytest.raises(ModelLoadError, match="temperature"):
        _native.Engine(
            open_model(tiny_model("qwen3")),
            engine_options(logits_on_device="on", sampling=sampling),
        )


def test_what_it_may_be(tiny_model: TinyModel) -> None:
    with pytest.raises(ValueError, match="logits_on_device must be on, off or auto"):
        _native.Engine(open_model(tiny_model("qwen3")), engine_options(logits_on_device="perhaps"))
