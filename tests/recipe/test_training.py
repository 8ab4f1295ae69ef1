"""The training of the box in miniature: parts that go on where the last one stopped."""

from __future__ import annotations

import json
import shutil
import sys
from random import Random

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("tokenizers")
pytest.importorskip("safetensors")

from safetensors.torch import load_file, save_file
from tokenizers import Tokenizer

from hpd.training.packing import NO_TARGET
from recipe import batches, finish, train
from recipe.model import Shape
from small_box import run


def steps(folder):
    return torch.load(folder / "checkpoint.pt", weights_only=True)["seen"]["steps"]


def test_a_part_goes_on_where_the_last_one_stopped(folder, monkeypatch):
    part = ("--part", "0.001", "--minutes", "9", "--resume", "--held-out", "1")
    assert run(folder, monkeypatch, *part) == train.UNFINISHED
    first = steps(folder)
    assert run(folder, monkeypatch, *part) == train.UNFINISHED
    assert steps(folder) > first > 0
    lines = [json.loads(line) for line in (folder / "log.jsonl").read_text().splitlines()]
    assert [line["held_out_loss"] > 0 for line in lines if "held_out_loss" in line] == [True, True]
    with pytest.raises(SystemExit):
        run(folder, monkeypatch, "--minutes", "9")
    with pytest.raises(SystemExit, match="another --size"):
        run(folder, monkeypatch, *part, "--size", "medium")


def test_the_plan_ends_with_a_rate_of_zero(folder, monkeypatch):
    assert run(folder, monkeypatch, "--minutes", "0.00001", "--held-out", "0") == 0
    assert train.rate_scale(1.0, 500) == 0.0
    assert train.rate_scale(0.2, 500) == 1.0
    assert train.rate_scale(0.0, 0) == 0.01


def test_a_stop_file_ends_a_part_and_keeps_the_next_from_starting(folder, monkeypatch, capsys):
    stop = folder / "STOP"
    stop.touch()
    assert run(folder, monkeypatch, "--minutes", "9") == train.UNFINISHED
    assert "remove it to train" in capsys.readouterr().err
    assert not (folder / "checkpoint.pt").exists()
    stop.unlink()
    monkeypatch.setattr(train.Trainer, "log", lambda *_: None)
    # The step itself puts the file there.
    losses = train.Trainer._losses

    def and_stop(trainer, batch):
        stop.touch()
        return losses(trainer, batch)

    monkeypatch.setattr(train.Trainer, "_losses", and_stop)
    monkeypatch.setattr(train, "LOOK_EVERY", 0)
    assert run(folder, monkeypatch, "--minutes", "9") == train.UNFINISHED
    assert steps(folder) == 1


def as_if_from_a_box(folder, name, difference):
    """A folder like ``folder``, whose training changed each weight by ``difference``."""
    other = folder.with_name(f"{folder.name}-{name}")
    shutil.copytree(folder, other)
    (other / "start").mkdir()
    finish.write_transformers([folder], other / "hf")
    trained = load_file(other / "hf" / "model.safetensors")
    before = {name: weight - difference for name, weight in trained.items()}
    save_file(before, other / "start" / "model.safetensors")
    return other, trained


def test_weights_in_the_middle_between_the_start_and_the_checkpoint(folder, monkeypatch, capsys):
    assert run(folder, monkeypatch, "--minutes", "0.00001", "--held-out", "0") == 0
    arguments = ["finish.py", str(folder), str(folder / "box.gguf"), "--share", "0.25"]
    monkeypatch.setattr(sys, "argv", arguments)
    with pytest.raises(SystemExit):
        finish.main()
    assert "started from no box" in capsys.readouterr().err
    other, trained = as_if_from_a_box(folder, "other", -4)
    finish.write_transformers([other], other / "mixed", 0.25)
    for name, weight in load_file(other / "mixed" / "model.safetensors").items():
        torch.testing.assert_close(weight, trained[name].float() + 3)
    # Two of them: the box, and a quarter of what each has changed.
    twin = shutil.copytree(other, folder.with_name(f"{folder.name}-twin"))
    finish.write_transformers([other, twin], other / "sum", 0.25)
    for name, weight in load_file(other / "sum" / "model.safetensors").items():
        torch.testing.assert_close(weight, trained[name].float() + 2)
    stranger, _ = as_if_from_a_box(folder, "stranger", 1)
    with pytest.raises(ValueError, match="have other starts"):
        finish.write_transformers([other, stranger], other / "sum", 0.25)


def test_a_box_that_goes_on_takes_documents_as_long_as_before(folder, monkeypatch):
    assert run(folder, monkeypatch, "--minutes", "0.00001", "--held-out", "0") == 0

    def n_ctx():
        finish.write_transformers([folder], folder / "hf")
        return json.loads((folder / "hf" / "config.json").read_text())["max_position_embeddings"]

    assert n_ctx() == Shape.n_ctx
    (folder / "start").mkdir()
    (folder / "start" / "config.json").write_text('{"max_position_embeddings": 7777}')
    assert n_ctx() == 7777


def test_a_look_up_asks_for_the_names_behind_the_labels(tokenizer_folder):
    tokenizer = Tokenizer.from_file(str(tokenizer_folder / "tokenizer.json"))
    row = batches.lookups(Random(4), tokenizer)
    text = tokenizer.decode(row.tokens.tolist(), skip_special_tokens=False)
    prompt, _ = text.split(batches.NAMES_THEMSELVES)
    names = [line.partition(". ")[2] for line in prompt.splitlines() if ". " in line]
    assert len(names) > 1
    taught = tokenizer.decode([target for target in row.targets.tolist() if target != NO_TARGET])
    assert "".join(taught.split()) == "".join("".join(f'"{name}"' for name in names).split())
