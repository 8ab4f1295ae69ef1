"""What of ``benchmarks`` needs PyTorch: the encoder, and models merged with adapters."""

import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")

from functools import partial

import torch

from benchmarking import SCHEMA
from benchmarks.harness.workbench import Workbench
from benchmarks.paper.adapters import merged
from benchmarks.peers import PeerQuestion, Setting, encoder, encoder_model, measure
from hpd.evaluation.rows import load_examples
from hpd.schema import load_schema
from hpd.training.network import add_lora, load_network, lora_factors
from hpd.training.weights import GgufFile, write_adapter
from small_model import small_model


def test_the_encoder_has_the_weights_that_its_row_tells():
    with torch.device("meta"):
        n_weights = sum(each.numel() for each in encoder_model().parameters())
    assert round(n_weights / 1e6) == 184


def test_the_encoder_reads_every_document(gold, tiny_model):
    examples = list(load_examples(gold))
    schema = load_schema(SCHEMA)
    questions = [PeerQuestion(each, schema) for each in examples]
    setting = Setting(tiny_model(), schema, 1, 512, 1, None)
    few = {"num_hidden_layers": 1, "hidden_size": 64, "num_attention_heads": 4}
    row = measure(partial(encoder, intermediate_size=64, **few), setting, questions)
    assert row["documents_per_second"] > 0
    assert row["f1"] is None


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
