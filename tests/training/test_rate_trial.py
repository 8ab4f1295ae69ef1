"""The trial of learning rates before a training."""

from __future__ import annotations

import json

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")
pytest.importorskip("peft")
pytest.importorskip("safetensors")

from hpd.schema.attributes import Attribute, Schema
from hpd.training.checkpoint import trained_weights
from hpd.training.conversion.from_gguf import gguf_to_transformers
from hpd.training.data import Labelled, RowMaker, make_rows
from hpd.training.loop import LoopOptions, collate, loss_sum
from hpd.training.models import load_model
from hpd.training.rate_trial import TRIAL_FILE, chosen_rate, trial
from hpd.training.vocabulary import CheckpointVocabulary

SCHEMA = Schema((Attribute("Brand"), Attribute("Color")))
OPTIONS = LoopOptions(epochs=8, batch_size=2, accumulate=1, bf16=False)
RATES = (1e-6, 1e-3, 10.0)
"""One at which nothing is learnt, one that is good, and one that breaks the model."""


@pytest.fixture(scope="module")
def checkpoint(tiny_model, tmp_path_factory):
    return gguf_to_transformers(tiny_model("qwen3"), tmp_path_factory.mktemp("checkpoint"))


@pytest.fixture
def model(checkpoint):
    return load_model(checkpoint)


@pytest.fixture(scope="module")
def rows(checkpoint):
    vocabulary = CheckpointVocabulary(checkpoint)
    documents = [
        Labelled(f"Nike Shoe {n}", SCHEMA, {"Brand": "Nike", "Color": None}) for n in range(20)
    ]
    maker = RowMaker(vocabulary, vocabulary.eos, "branch", 16)
    return make_rows(documents, maker)[0]


def choose(model, rows, dev_rows, folder, *, resume=False, said=None):
    say = (lambda message: None) if said is None else said.append
    return chosen_rate(model, rows, dev_rows, RATES, OPTIONS, folder, resume=resume, say=say)


@pytest.mark.parametrize("has_dev", [True, False])
def test_the_rate_that_learns_is_chosen_and_the_model_stays_as_it_was(
    model, rows, tmp_path, has_dev
):
    before = trained_weights(model)
    said: list[str] = []
    dev_rows = rows[:4] if has_dev else []
    assert choose(model, rows[4:], dev_rows, tmp_path, said=said) == 1e-3
    after = trained_weights(model)
    assert all(torch.equal(before[name], after[name]) for name in before)
    losses = json.loads((tmp_path / TRIAL_FILE).read_text())
    assert [*losses] == ["1e-06", "0.001", "10.0"]
    assert "0.001: " in said[0]


def test_the_loss_is_that_of_rows_which_the_trial_does_not_train_on(model, rows, monkeypatch):
    """Nothing is learnt at this rate, so it is that of the model as it is."""
    seen = []
    monkeypatch.setattr(
        "hpd.training.rate_trial.Loop.batches",
        lambda loop, step: [seen.extend(loop.rows) or list(loop.rows[:2])],
    )
    (loss,) = trial(model, rows, [], (1e-12,), OPTIONS).values()
    aside = [row for row in rows if all(row is not other for other in seen)]
    assert [id(row) for row in aside] == [id(row) for row in rows[::10]]
    n_targets = sum(int((row.targets >= 0).sum()) for row in aside)
    with torch.no_grad():
        assert loss == pytest.approx(float(loss_sum(model, collate(aside))) / n_targets, rel=1e-3)


def test_a_training_that_goes_on_keeps_its_rate(model, rows, tmp_path):
    (tmp_path / TRIAL_FILE).write_text('{"1e-06": 0.5, "10.0": 0.75}')
    assert choose(model, rows, [], tmp_path, resume=True) == 1e-6
    assert choose(model, rows, [], tmp_path) == 1e-3
