"""The mean of the weights of several training runs."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from hpd.training.network import load_network
from recipe.average import average
from small_model import small_model


def test_weights_are_the_mean_of_those_trained_and_else_those_of_the_first_model(tmp_path):
    network = load_network(small_model())
    names = [name for name, _ in network.named_parameters()]
    folders = []
    for n in (1, 3):
        folder = tmp_path / str(n)
        folder.mkdir()
        (folder / "model.gguf").write_bytes(small_model().read_bytes())
        weights = {name: torch.full_like(p, n) for name, p in network.named_parameters()}
        del weights[names[0]]
        torch.save({"weights": weights}, folder / "checkpoint.pt")
        folders.append(folder)
    average(folders, tmp_path / "mean.gguf", "f32")
    found = dict(load_network(tmp_path / "mean.gguf").named_parameters())
    for name, before in network.named_parameters():
        expected = before.detach().numpy() if name == names[0] else 2.0
        np.testing.assert_array_equal(found[name].detach().numpy(), expected)
