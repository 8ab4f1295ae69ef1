"""``hpd models``: what is recommended, what is on this disk, and what of it fits."""

import json
import shutil
from pathlib import Path

import pytest

import hpd.models.memory
from hpd.cli import main
from hpd.models.hardware import n_cores
from hpd.models.hub.hugging_face import CachedFile
from hpd.models.memory import Memory
from hpd.models.weight_speed import N_ALONE, N_DECODING, N_READING, WeightSpeed
from ollama_files import WEIGHTS, add_ollama_model


@pytest.fixture
def home(tmp_path, monkeypatch):
    """A home folder with nothing in it, on a machine of 4 GB."""
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    monkeypatch.setenv("OLLAMA_MODELS", str(tmp_path / ".ollama/models"))
    monkeypatch.setattr(hpd.models.memory, "memory", lambda: Memory(8 * 10**9, None, 4 * 10**9))
    monkeypatch.setattr("hpd.models.hub.hugging_face.cached_models", list)
    monkeypatch.setattr("hpd.models.hub.inventory.packaged_file", lambda name: None)
    return tmp_path


def as_json(capfd):
    assert main(["models", "--json"]) == 0
    return json.loads(capfd.readouterr().out)


def test_what_fits_is_said(home, capfd):
    printed = as_json(capfd)
    assert printed["available_bytes"] == 4 * 10**9
    fits = {model["name"]: model["fits"] for model in printed["recommended"]}
    assert fits["qwen3:0.6b"] is True
    assert fits["qwen3:8b"] is False
    assert {model["path"] for model in printed["recommended"]} == {None}
    (bundled,) = printed["here"]
    assert (bundled["owner"], bundled["arguments"], bundled["fits"]) == ("hpd", [], True)
    assert bundled["file_bytes"] == Path(bundled["path"]).stat().st_size < bundled["memory_bytes"]


def test_what_other_programs_have(home, tiny_model, monkeypatch, capfd):
    model = Path(tiny_model("qwen3"))
    weights = model.read_bytes()
    (blob,) = add_ollama_model(
        home / ".ollama/models", "registry.ollama.ai/library/tiny/latest", (WEIGHTS, weights)
    )
    add_ollama_model(home / ".ollama/models", "registry.ollama.ai/library/cloud/1t")
    studio = home / ".lmstudio/models/publisher/Tiny-GGUF/Tiny-Q8_0.gguf"
    studio.parent.mkdir(parents=True)
    shutil.copy(model, studio)
    studio.with_name("mmproj-Tiny.gguf").write_bytes(b"GGUF")
    torn = studio.with_name("Torn.gguf")
    torn.write_bytes(weights[:100])
    cached = [CachedFile("Qwen/Qwen3-0.6B-GGUF", "Qwen3-0.6B-Q8_0.gguf", model)]
    monkeypatch.setattr("hpd.models.hub.hugging_face.cached_models", lambda: cached)

    printed = as_json(capfd)
    here = {tuple(model["arguments"]): model for model in printed["here"]}
    hub = ("-hf", "Qwen/Qwen3-0.6B-GGUF:Qwen3-0.6B-Q8_0.gguf")
    named = ("ollama:cloud:1t", "ollama:tiny:latest", str(studio), str(torn))
    assert list(here) == [(), hub, *(("-m", name) for name in named)]
    for arguments in (hub, ("-m", "ollama:tiny:latest"), ("-m", str(studio))):
        assert here[arguments]["file_bytes"] == len(weights)
        assert here[arguments]["fits"] is True
    assert here["-m", "ollama:tiny:latest"]["path"] == str(blob)
    assert "no GGUF file" in here["-m", "ollama:cloud:1t"]["problem"]
    assert "cannot be read" in here["-m", str(torn)]["problem"]
    paths = {model["name"]: model["path"] for model in printed["recommended"]}
    assert paths.pop("qwen3:0.6b") == str(model)
    assert set(paths.values()) == {None}

    assert main(["models"]) == 0
    out = capfd.readouterr().out
    assert "memory available: 4.0 GB" in out
    (line,) = (line for line in out.splitlines() if line.startswith("qwen3:0.6b"))
    assert line.endswith("yes   yes")
    (line,) = (line for line in out.splitlines() if line.startswith("-m ollama:tiny:latest"))
    assert line.split()[2] == "Ollama"
    assert "-m ollama:cloud:1t: it has no GGUF file" in out


def test_types_of_weights_are_compared_with_q8_0(home, monkeypatch, capfd):
    asked = []

    def speeds(n_threads):
        asked.append(n_threads)
        return [
            WeightSpeed("Q5_K", 5.5, {N_READING: 0.5, N_DECODING: 0.25, N_ALONE: 2.0}),
            WeightSpeed("Q8_0", 8.5, {N_READING: 1.0, N_DECODING: 1.0, N_ALONE: 1.0}),
        ]

    monkeypatch.setattr("hpd.models.weight_speed.weight_speeds", speeds)
    assert main(["models", "--speed", "-t", "3"]) == 0
    lines = [line.split() for line in capfd.readouterr().out.splitlines()]
    assert ["Q5_K", "5.5", "2.00x", "4.00x", "0.50x"] in lines
    assert ["Q8_0", "8.5", "1.00x", "1.00x", "1.00x"] in lines
    assert main(["models", "--speed", "--json"]) == 0
    first, _ = json.loads(capfd.readouterr().out)["weights"]
    seconds = {"512": 0.5, "16": 0.25, "1": 2.0}
    assert first == {"type": "Q5_K", "n_bits": 5.5, "seconds": seconds}
    assert asked == [3, n_cores()]


def test_threads_without_timing_are_refused(capfd):
    assert main(["models", "-t", "3"]) == 2
    assert "-t does nothing without --speed" in capfd.readouterr().err
