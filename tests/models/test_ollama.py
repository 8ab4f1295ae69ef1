"""Models that Ollama has on this disk."""

import json
from pathlib import Path

import pytest

from hpd.errors import ModelLoadError
from hpd.models.hub import ollama
from hpd.models.hub.ollama import ollama_models
from hpd.models.model_files import resolve_model
from ollama_files import ADAPTER, TEMPLATE, WEIGHTS, add_ollama_model

GGUF = b"GGUF\x03\x00\x00\x00"
LIBRARY = "registry.ollama.ai/library"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("OLLAMA_MODELS", str(tmp_path / "models"))
    return tmp_path / "models"


def test_names_are_those_that_ollama_shows(folder):
    paths = {}
    for name in (
        f"{LIBRARY}/qwen3/0.6b",
        f"{LIBRARY}/qwen3/latest",
        "registry.ollama.ai/someone/mine/v1",
        "hf.co/Qwen/Qwen3-4B-GGUF/Q4_K_M",
    ):
        (_, paths[name]) = add_ollama_model(
            folder, name, (TEMPLATE, b"{{ .Prompt }}"), (WEIGHTS, GGUF + name.encode())
        )
    (folder / "manifests" / LIBRARY / "qwen3" / ".hidden").write_text("{}")
    assert {model.name: model.path for model in ollama_models()} == {
        "hf.co/Qwen/Qwen3-4B-GGUF:Q4_K_M": paths["hf.co/Qwen/Qwen3-4B-GGUF/Q4_K_M"],
        "qwen3:0.6b": paths[f"{LIBRARY}/qwen3/0.6b"],
        "qwen3:latest": paths[f"{LIBRARY}/qwen3/latest"],
        "someone/mine:v1": paths["registry.ollama.ai/someone/mine/v1"],
    }
    assert resolve_model("ollama:qwen3") == paths[f"{LIBRARY}/qwen3/latest"]
    assert resolve_model("ollama:someone/mine:v1") == paths["registry.ollama.ai/someone/mine/v1"]


def test_one_that_is_not_there_has_its_nearest(folder):
    with pytest.raises(ModelLoadError, match=r"Ollama has no models here.*ollama pull qwen3$"):
        resolve_model("ollama:qwen3")
    add_ollama_model(folder, f"{LIBRARY}/qwen3/0.6b", (WEIGHTS, GGUF))
    with pytest.raises(ModelLoadError, match=r"no model qwen3:0\.5b .*did you mean qwen3:0\.6b\?"):
        resolve_model("ollama:qwen3:0.5b")
    with pytest.raises(ModelLoadError, match=r"no model zzz:latest .*: it has qwen3:0\.6b"):
        resolve_model("ollama:zzz")


def test_what_cannot_be_used_says_why(folder):
    add_ollama_model(folder, f"{LIBRARY}/cloud/1t")
    weights, adapter = add_ollama_model(
        folder, f"{LIBRARY}/tuned/1", (WEIGHTS, GGUF + b"base"), (ADAPTER, GGUF + b"lora")
    )
    (gone,) = add_ollama_model(folder, f"{LIBRARY}/gone/1", (WEIGHTS, GGUF + b"gone"))
    gone.unlink()
    add_ollama_model(folder, f"{LIBRARY}/page/1", (WEIGHTS, b"<html>"))
    (folder / "manifests" / LIBRARY / "torn").mkdir()
    (folder / "manifests" / LIBRARY / "torn" / "1").write_text('{"layers": [')
    evil = folder / "manifests" / LIBRARY / "evil" / "1"
    evil.parent.mkdir()
    evil.write_text(json.dumps({"layers": [{"mediaType": WEIGHTS, "digest": "../../x"}]}))
    for name, says in {
        "cloud:1t": "it has no GGUF file",
        "tuned:1": f"-m {weights} --lora {adapter}",
        "gone:1": "its file is not there: ollama pull gone:1",
        "page:1": "is not a GGUF file",
        "torn:1": "cannot be read",
        "evil:1": "its file is not there",
    }.items():
        with pytest.raises(ModelLoadError, match=says):
            resolve_model(f"ollama:{name}")


def test_digests_were_once_written_with_a_colon(folder):
    (path,) = add_ollama_model(folder, f"{LIBRARY}/old/1", (WEIGHTS, GGUF))
    old = path.rename(path.with_name(path.name.replace("-", ":")))
    assert resolve_model("ollama:old:1") == old


def test_a_file_of_that_name_comes_first(folder, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("ollama:qwen3", "qwen3:0.6b"):
        (tmp_path / name).write_bytes(GGUF)
        assert resolve_model(name) == Path(name)


def test_the_folders_of_a_user_and_of_the_service(tmp_path, monkeypatch):
    monkeypatch.delenv("OLLAMA_MODELS", raising=False)
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    monkeypatch.setattr(ollama, "SERVICE_FOLDER", tmp_path / "service")
    assert ollama_models() == []
    (mine,) = add_ollama_model(
        tmp_path / ".ollama/models", f"{LIBRARY}/both/1", (WEIGHTS, GGUF + b"mine")
    )
    add_ollama_model(tmp_path / "service", f"{LIBRARY}/both/1", (WEIGHTS, GGUF + b"its"))
    add_ollama_model(tmp_path / "service", f"{LIBRARY}/only/1", (WEIGHTS, GGUF))
    assert [model.name for model in ollama_models()] == ["both:1", "only:1"]
    assert resolve_model("ollama:both:1") == mine
