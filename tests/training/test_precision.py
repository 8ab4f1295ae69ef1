"""The choice between bfloat16 and F32."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")
pytest.importorskip("peft")

from hpd.training import precision
from hpd.training.loop import Loop, LoopOptions
from hpd.training.precision import bf16_is_faster


@pytest.fixture(autouse=True)
def forgotten():
    bf16_is_faster.cache_clear()
    yield
    bf16_is_faster.cache_clear()


@pytest.fixture
def seconds(monkeypatch):
    """The seconds that the products of each type take."""
    times = {torch.bfloat16: 1.0, torch.float32: 1.0}
    monkeypatch.setattr(precision, "_seconds", times.__getitem__)
    return times


@pytest.mark.parametrize(("bf16", "f32", "is_faster"), [(0.1, 0.4, True), (40.0, 0.4, False)])
def test_a_processor_computes_in_what_is_faster_on_it(seconds, bf16, f32, is_faster):
    seconds.update({torch.bfloat16: bf16, torch.float32: f32})
    assert bf16_is_faster("cpu") is is_faster


def test_other_devices_compute_in_bfloat16(seconds):
    seconds[torch.bfloat16] = 40.0
    assert bf16_is_faster("cuda")


@pytest.mark.parametrize(
    ("said", "is_faster", "dtype"),
    [
        (None, True, torch.bfloat16),
        (None, False, torch.float32),
        (True, False, torch.bfloat16),
        (False, True, torch.float32),
    ],
)
def test_a_training_computes_in_what_is_said_or_else_in_what_is_faster(
    seconds, tmp_path, said, is_faster, dtype
):
    seconds[torch.bfloat16] = 0.5 if is_faster else 2.0
    model = torch.nn.Linear(4, 4)
    loop = Loop(model, [], LoopOptions(bf16=said), tmp_path, quiet=True)
    with loop.autocast():
        assert model(torch.ones(1, 4)).dtype is dtype
