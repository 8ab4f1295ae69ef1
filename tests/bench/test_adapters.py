"""Models merged with adapters, as ``benchmarks.paper`` scores them."""

import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")

import torch

from benchmarks.harness.workbench import Workbench
from benchmarks.paper.adapters import merged
from hpd.training.network import add_lora, load_network, lora_factors
from hpd.training.weights import GgufFile, write_adapter
from small_model import small_model


def test_a_merged_model_has_the_weights_with_their_adapter(tmp_path):
    network = load_network(small_model())
    add_lora(network, 2, 4.0)
    torch.manual_seed(1)
    for name, parameter in network.named_parameters():
        if name.endswith(".b"):
            parameter.data = 0.1 * torch.randn_like(parameter)
    adapter = tmp_path / "adapter.gguf"
    write_adapter(GgufFile(small_model()), adapter, lora_factors(network), 4.0)
    output = merged(Workbench(None, tmp_path / "work", model=small_model()), tmp_path)
    before, wanted, found = (
        load_network(model, adapter=each).get_parameter("model.layers.0.mlp.up_proj.weight")
        for model, each in ((small_model(), None), (small_model(), adapter), (output, None))
    )
    # Q8_0 has 127 steps on either side.
    step = wanted.abs().max() / 127
    assert (found - wanted).abs().max() <= step
    assert (wanted - before).abs().max() > 3 * step
