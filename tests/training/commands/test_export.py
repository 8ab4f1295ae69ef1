"""``hpd export``: from a checkpoint to a file that the engine decodes with."""

from __future__ import annotations

import json
import shutil
from importlib.util import find_spec

import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")

import hpd.cli.common
from checkpoints import make_checkpoint
from hpd import _native
from hpd.cli import main


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory):
    return make_checkpoint(tmp_path_factory.mktemp("checkpoint"), "mistral", "llama2")


def test_a_checkpoint_becomes_a_model(checkpoint, tmp_path, capsys):
    output = tmp_path / "model.gguf"
    assert main(["export", str(checkpoint), "-o", str(output), "--outtype", "f16"]) == 0
    said = capsys.readouterr()
    assert said.out == f"{output}\n"
    assert said.err.splitlines()[-1].endswith(" MB")
    assert _native.Model([str(output)]).metadata("general.file_type") == "1"


def test_the_model_extracts(checkpoint, tmp_path, capsys):
    output = tmp_path / "model.gguf"
    assert main(["export", str(checkpoint), "-o", str(output), "--quiet"]) == 0
    assert capsys.readouterr().err == ""
    (tmp_path / "docs.jsonl").write_text('{"text": "Nike shoe, black"}\n')
    command = ["extract", str(tmp_path / "docs.jsonl"), "--schema", "brand, color", "--quiet"]
    assert main([*command, "-m", str(output), "--max-tokens", "6", "-t", "1"]) == 0
    (line,) = capsys.readouterr().out.splitlines()
    assert set(json.loads(line)["data"]) == {"brand", "color"}


def test_what_is_there_stays_unless_told_otherwise(checkpoint, tmp_path, capsys):
    output = tmp_path / "model.gguf"
    output.write_text("precious")
    command = ["export", str(checkpoint), "-o", str(output), "--quiet"]
    assert main(command) == 2
    assert "--overwrite replaces it" in capsys.readouterr().err
    assert output.read_text() == "precious"
    assert main([*command, "--overwrite"]) == 0
    assert output.read_bytes()[:4] == b"GGUF"
    output.write_bytes(b"")
    assert main(command) == 0, "an empty file holds nothing to lose"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nowhere", "-o", "out.gguf"], "there is no folder nowhere"),
        (["FOLDER", "-o", "out.gguf"], "has no config.json"),
        (["CHECKPOINT", "-o", "FOLDER"], "is a folder: name a file in it"),
        (["CHECKPOINT", "-o", "FOLDER/none/out.gguf"], "there is no folder"),
        (["CHECKPOINT", "-o", "FOLDER/out.gguf", "--outtype", "q99"], "q99: no such type of file"),
        (["ADAPTER", "-o", "FOLDER/out.gguf"], "is an adapter, not a model"),
    ],
)
def test_wrong_use(checkpoint, tmp_path, capsys, arguments, message):
    folder, adapter = tmp_path / "folder", tmp_path / "adapter"
    folder.mkdir()
    adapter.mkdir()
    (adapter / "adapter_config.json").write_text("{}")
    for name, path in (("CHECKPOINT", checkpoint), ("FOLDER", folder), ("ADAPTER", adapter)):
        arguments = [argument.replace(name, str(path)) for argument in arguments]
    assert main(["export", *arguments]) == 2
    assert message in capsys.readouterr().err
    assert not list(folder.iterdir())


def test_a_checkpoint_that_cannot_be_exported(checkpoint, tmp_path, capsys):
    folder = shutil.copytree(checkpoint, tmp_path / "other")
    settings = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(settings | {"hidden_act": "relu"}))
    assert main(["export", str(folder), "-o", str(tmp_path / "out.gguf")]) == 1
    said = capsys.readouterr().err
    assert f"{folder}/config.json: hidden_act is relu" in said
    assert [path.name for path in tmp_path.iterdir()] == ["other"]


def test_the_extra_is_named_where_it_is_missing(checkpoint, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(
        hpd.cli.common, "find_spec", lambda name: None if name == "torch" else find_spec(name)
    )
    assert main(["export", str(checkpoint), "-o", str(tmp_path / "out.gguf")]) == 2
    assert (
        "hpd export needs torch: run `pip install 'hpd-cpp[training]'`" in capsys.readouterr().err
    )
