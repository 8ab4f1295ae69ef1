"""Timing products with each type of weights."""

import pytest

from hpd import _native
from hpd.errors import InputError
from hpd.models.weight_speed import FILE_TYPES, N_ALONE, N_DECODING, N_READING, weight_speeds

SMALL = {"n_columns": 256, "n_rows": 32, "n_matrices": 2, "n_threads": 1}


def test_every_type_is_timed_for_every_size():
    speeds = weight_speeds(1, limit=0.001, shape=(256, 32))
    assert [speed.type for speed in speeds] == list(FILE_TYPES)
    bits = [speed.n_bits for speed in speeds]
    assert bits == sorted(bits) == [4.25, 4.5, 4.5, 5.5, 6.5625, 8.5, 16]
    for speed in speeds:
        assert list(speed.seconds) == [N_READING, N_DECODING, N_ALONE]
        assert min(speed.seconds.values()) > 0


@pytest.mark.parametrize(
    ("name", "n_bits"), [("Q4_0", 4.5), ("q4_k", 4.5), ("Q8_0", 8.5), ("F16", 16)]
)
def test_products_are_right(name, n_bits):
    """The engine compares them with plain sums, and raises an error if they are wrong."""
    seconds, n_bytes = _native.time_products(name, **SMALL, n_tokens=5, seconds=0)
    assert seconds > 0
    assert n_bytes == 2 * 256 * 32 * n_bits / 8


@pytest.mark.parametrize(
    ("name", "changed", "message"),
    [
        ("Q9_0", {}, "cannot make weights of type Q9_0"),
        ("IQ2_XXS", {}, "cannot make weights of type IQ2_XXS"),
        ("Q4_K", {"n_columns": 128}, "Q4_K needs a multiple of 256 columns, not 128"),
        ("Q8_0", {"n_matrices": 0}, "matrix"),
        ("Q8_0", {"n_threads": 0}, "and thread"),
    ],
)
def test_what_cannot_be_timed_is_refused(name, changed, message):
    asked = {**SMALL, "n_tokens": 1, "seconds": 0, **changed}
    with pytest.raises(InputError, match=message):
        _native.time_products(name, **asked)
