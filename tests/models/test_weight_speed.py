"""Timing products with each type of weights, and what is said of a file's own type."""

import pytest

from hpd import _native
from hpd.errors import InputError, ModelLoadError
from hpd.models import weight_speed
from hpd.models.weight_speed import (
    N_ALONE,
    N_DECODING,
    N_READING,
    TYPES,
    WeightSpeed,
    faster_to_read,
    main_type,
    weight_speeds,
)
from small_model import small_model

SMALL = {"n_columns": 256, "n_rows": 32, "n_matrices": 2, "n_threads": 1}


@pytest.fixture
def small(monkeypatch):
    """Products of small matrices, and few of them."""
    monkeypatch.setattr(weight_speed, "_N_COLUMNS", 256)
    monkeypatch.setattr(weight_speed, "_N_ROWS", 32)
    monkeypatch.setattr(weight_speed, "_N_MATRICES", {N_READING: 1, N_DECODING: 2, N_ALONE: 2})


def test_every_type_is_timed_for_every_size(small):
    speeds = weight_speeds(1, limit=0.001)
    assert [speed.type for speed in speeds] == list(TYPES)
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


def test_the_main_type_of_a_file(tmp_path):
    assert main_type(small_model()) == "Q8_0"
    torn = tmp_path / "torn.gguf"
    torn.write_bytes(small_model().read_bytes()[:100])
    with pytest.raises(ModelLoadError):
        main_type(torn)


@pytest.mark.parametrize(
    ("fastest", "said"),
    [("Q5_K", "weights of type Q5_K are read 2.0 times as fast as this file's Q8_0"), ("Q8_0", "")],
)
def test_another_type_is_named_where_it_is_clearly_faster(monkeypatch, fastest, said):
    def speeds(n_threads, sizes):
        assert (n_threads, sizes) == (3, (N_READING,))
        return [
            WeightSpeed(name, 8, {N_READING: 1.0 if name == fastest else 2.0}) for name in TYPES
        ]

    monkeypatch.setattr(weight_speed, "weight_speeds", speeds)
    assert faster_to_read(small_model(), 3).startswith(said)
    assert bool(faster_to_read(small_model(), 3)) is bool(said)
