"""Options as the engine takes them: what does not fit its numbers is refused by name."""

from __future__ import annotations

import pytest

from hpd import _native
from hpd.errors import ModelLoadError
from tiny_models import TinyModel

NUMBERS = [
    (_native.EngineOptions, name)
    for name in (
        *("n_ctx", "n_batch", "n_ubatch", "n_threads", "n_threads_batch", "n_seq_max"),
        *("n_in_flight", "n_draft"),
    )
] + [
    (_native.SamplingOptions, "top_k"),
    (_native.SamplingOptions, "seed"),
    (_native.ModelOptions, "n_gpu_layers"),
    (_native.ModelOptions, "main_gpu"),
]
FLOATS = [
    (_native.EngineOptions, "draft_p_min"),
    (_native.SamplingOptions, "temperature"),
    (_native.SamplingOptions, "top_p"),
    (_native.SamplingOptions, "min_p"),
]
Options = type[_native.EngineOptions | _native.SamplingOptions | _native.ModelOptions]


def test_every_number_is_listed_here() -> None:
    """An option that is added is refused as the others are."""
    listed = {name for _, name in NUMBERS + FLOATS}
    for kind in (_native.EngineOptions, _native.SamplingOptions, _native.ModelOptions):
        for name in (n for n in dir(kind) if not n.startswith("_")):
            is_number = type(getattr(kind(), name)) in (int, float)
            assert is_number == (name in listed), name


@pytest.mark.parametrize(("kind", "name"), NUMBERS)
def test_whole_numbers_that_do_not_fit(kind: Options, name: str) -> None:
    options = kind()
    before = getattr(options, name)
    for value in (99999999999999999999, -99999999999999999999):
        with pytest.raises(ValueError, match=rf"^{name} must be between \S+ and \d+, not {value}$"):
            setattr(options, name, value)
    if name != "seed":  # has 64 bits
        with pytest.raises(ValueError, match=f"{name} must be between .* and 2147483647"):
            setattr(options, name, 99999999999)
    with pytest.raises(TypeError, match=f"{name} must be a whole number, not '7'"):
        setattr(options, name, "7")
    with pytest.raises(TypeError, match=rf"{name} must be a whole number, not 7\.5"):
        setattr(options, name, 7.5)
    assert getattr(options, name) == before
    setattr(options, name, 7)
    assert getattr(options, name) == 7


@pytest.mark.parametrize(("kind", "name"), FLOATS)
def test_numbers_that_are_not_finite(kind: Options, name: str) -> None:
    options = kind()
    for value in (float("inf"), float("nan"), 1e300, 10**400):
        with pytest.raises(ValueError, match=f"{name} must be a finite number, not"):
            setattr(options, name, value)
    with pytest.raises(TypeError, match=f"{name} must be a number, not 'hot'"):
        setattr(options, name, "hot")
    setattr(options, name, -1)  # what Python's own error would look like
    assert getattr(options, name) == -1


def test_the_largest_seed_is_kept() -> None:
    options = _native.SamplingOptions()
    options.seed = 2**64 - 1
    assert options.seed == 2**64 - 1
    with pytest.raises(ValueError, match="seed must be between 0 and 18446744073709551615"):
        options.seed = -1


def test_a_value_of_too_many_tokens() -> None:
    with pytest.raises(ValueError, match="max_tokens must be between"):
        _native.Field([1], max_tokens=99999999999)
    with pytest.raises(ValueError, match="max_tokens must be at least 1"):
        _native.Field([1], max_tokens=0)


@pytest.mark.parametrize(
    ("name", "value", "says"),
    [
        ("split_mode", "rows", "split_mode must be none, layer, row or tensor, not rows"),
        ("tensor_split", [1.0] * 999, "tensor_split has 999 shares, and llama.cpp knows "),
    ],
)
def test_what_devices_cannot_have_is_refused_even_where_there_are_none(
    tiny_model: TinyModel, name: str, value: object, says: str
) -> None:
    options = _native.ModelOptions()
    setattr(options, name, value)
    with pytest.raises(ModelLoadError, match=says):
        _native.Model([str(tiny_model())], options)


def test_options_for_devices_do_no_harm_where_there_are_none(tiny_model: TinyModel) -> None:
    options = _native.ModelOptions()
    options.n_gpu_layers = 0
    options.split_mode, options.main_gpu, options.tensor_split = "none", 1, [3.0, 1.0]
    assert _native.Model([str(tiny_model())], options).n_bytes > 0
