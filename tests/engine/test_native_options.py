"""Options as the engine takes them: what no machine can have is refused."""

import pytest

from hpd import _native
from hpd.errors import ModelLoadError


def test_the_largest_seed_is_kept():
    options = _native.SamplingOptions()
    options.seed = 2**64 - 1
    assert options.seed == 2**64 - 1


def test_a_value_has_room_for_a_token():
    with pytest.raises(ValueError, match="max_tokens must be at least 1"):
        _native.Field([1], max_tokens=0)


@pytest.mark.parametrize(
    ("name", "value", "says"),
    [
        ("split_mode", "rows", "split_mode must be none, layer, row or tensor, not rows"),
        ("tensor_split", [1.0] * 999, "999 shares, but llama.cpp supports at most"),
    ],
)
def test_what_devices_cannot_have_is_refused_even_where_there_are_none(
    tiny_model, name, value, says
):
    options = _native.ModelOptions()
    setattr(options, name, value)
    with pytest.raises(ModelLoadError, match=says):
        _native.Model([str(tiny_model())], options)


def test_options_for_devices_do_no_harm_where_there_are_none(tiny_model):
    options = _native.ModelOptions()
    options.n_gpu_layers = 0
    options.split_mode, options.main_gpu, options.tensor_split = "none", 1, [3.0, 1.0]
    assert _native.Model([str(tiny_model())], options).n_bytes > 0
