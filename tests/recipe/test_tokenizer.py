"""The box's tokenizer, exported: llama.cpp splits text as it does."""

from __future__ import annotations

import json

import pytest

pytest.importorskip("gguf")
pytest.importorskip("safetensors")
pytest.importorskip("tokenizers")
pytest.importorskip("torch")
pytest.importorskip("transformers")

from tokenizers import Tokenizer

from awkward import awkward_strings
from checkpoints import make_model
from hpd import _native
from hpd.training.conversion.to_gguf import export_model
from recipe.tokenizer import save, train_tokenizer

PROMPT = (
    "<|user|>Attributes:\n- Brand\n- Color\n\n"
    "Document:\nZorvex Trail 5 Sneaker, Black/White<|assistant|>"
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A small tokenizer of the box's kind, with a model as transformers keeps it."""
    folder = tmp_path_factory.mktemp("box")
    tokenizer = train_tokenizer(n_examples=300)
    save(tokenizer, folder)
    end = tokenizer.token_to_id("<|end|>")
    n_vocab = -(-tokenizer.get_vocab_size() // 32) * 32
    return make_model(folder, "qwen3", n_vocab, bos_token_id=None, eos_token_id=end)


@pytest.fixture(scope="module")
def model(folder, tmp_path_factory):
    path = tmp_path_factory.mktemp("gguf") / "model.gguf"
    export_model(folder, path, "F16")
    return _native.Model([str(path)])


def test_the_tokenizers_agree_on_a_thousand_awkward_strings(folder, model):
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    assert model.tokenize(PROMPT, True) == tokenizer.encode(PROMPT).ids
    tokenizer.encode_special_tokens = True
    for text in awkward_strings(1000):
        assert model.tokenize(text) == tokenizer.encode(text).ids, repr(text)


def test_special_tokens_and_chat_template_come_along(folder, model):
    end = Tokenizer.from_file(str(folder / "tokenizer.json")).token_to_id("<|end|>")
    assert model.ends_generation(end)
    assert model.metadata("tokenizer.ggml.eos_token_id") == str(end)
    assert model.bos == -1
    settings = json.loads((folder / "tokenizer_config.json").read_text())
    assert model.chat_template == settings["chat_template"]
