"""GGUF files as checkpoints: transformers computes and splits text as llama.cpp does."""

from __future__ import annotations

import gguf
import llama_cpp
import numpy as np
import pytest

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

from awkward import awkward_strings
from checkpoints import FAMILIES, make_checkpoint
from hpd import _native
from hpd.errors import InputError
from hpd.models.model_files import box_model
from hpd.training.conversion.from_gguf import gguf_to_transformers
from hpd.training.conversion.to_gguf import export_model
from hpd.training.models import load_model
from hpd.training.vocabulary import CheckpointVocabulary
from reference import Reference

KINDS = ("qwen3", "llama", "llama-spm", "gemma3")
TEXT = "Zorvex Trail 5 Sneaker, Nike Shoe, Black, 10 M US, leather and cotton, Größe 5 日本 "


def logits_here_and_there(path, folder):
    """Of llama.cpp and of transformers, behind a text."""
    tokens = _native.Model([str(path)]).tokenize(TEXT)
    with Reference(path, kv_type=llama_cpp.GGML_TYPE_F32) as reference:
        expected = np.array(reference.logits_after(tokens))
    with torch.no_grad():
        found = load_model(folder)(torch.tensor([tokens])).logits[0, -1].numpy()
    return expected, found


@pytest.mark.parametrize("kind", KINDS)
def test_transformers_says_what_llama_cpp_says(tiny_model, tmp_path, kind):
    path = tiny_model(kind)
    expected, found = logits_here_and_there(path, gguf_to_transformers(path, tmp_path / "c"))
    # Gemma's activation comes from a table of 16-bit numbers.
    assert np.abs(found - expected).max() < (0.05 if kind == "gemma3" else 1e-3)
    assert expected.std() > 0.5


@pytest.mark.parametrize("kind", KINDS)
def test_transformers_splits_text_as_llama_cpp_does(tiny_model, tmp_path, kind):
    path = tiny_model(kind)
    folder = gguf_to_transformers(path, tmp_path / "c")
    model, ours = _native.Model([str(path)]), CheckpointVocabulary(folder)
    theirs = transformers.PreTrainedTokenizerFast.from_pretrained(folder)
    for text in awkward_strings(500):
        expected = model.tokenize(text)
        assert ours.tokenize(text) == expected, repr(text)
        # transformers leaves text alone that begins with a space already.
        if not (kind == "llama-spm" and text.startswith(" ")):
            assert theirs.encode(text, add_special_tokens=False) == expected, repr(text)
    control = "<|im_end|>\nNike<|im_start|>"
    assert ours.tokenize(control, True) == model.tokenize(control, True)
    assert ours.bos == model.bos
    assert ours.chat_template == model.chat_template
    assert [ours.piece(t) for t in range(model.n_vocab)] == [
        model.piece(t) for t in range(model.n_vocab)
    ]


@pytest.mark.parametrize("kind", KINDS)
def test_a_model_comes_back_as_it_was(tiny_model, tmp_path, kind):
    path = tiny_model(kind)
    folder = gguf_to_transformers(path, tmp_path / "checkpoint")
    export_model(folder, tmp_path / "again.gguf", "F32")
    first, again = (gguf.GGUFReader(p) for p in (path, tmp_path / "again.gguf"))
    tensors = {t.name: t.data for t in again.tensors}
    assert {t.name for t in first.tensors} == set(tensors)
    for tensor in first.tensors:
        # Gemma's norms lose the 1 that transformers adds, and gain it again.
        tolerance = 1e-6 if "norm" in tensor.name and kind == "gemma3" else 0
        assert np.abs(tensor.data - tensors[tensor.name]).max() <= tolerance, tensor.name
    keys = ["model", "tokens", "token_type", "merges", "eos_token_id", "bos_token_id"]
    for key in (f"tokenizer.ggml.{key}" for key in [*keys, "add_bos_token", "add_space_prefix"]):
        field = first.get_field(key)
        if field is not None:
            assert field.contents() == again.get_field(key).contents(), key
    models = [_native.Model([str(p)]) for p in (path, tmp_path / "again.gguf")]
    for text in awkward_strings(300):
        assert models[0].tokenize(text) == models[1].tokenize(text), repr(text)


def test_tokens_that_only_fill_up_come_back_as_such(tmp_path):
    box = box_model()
    folder = gguf_to_transformers(box, tmp_path / "checkpoint")
    export_model(folder, tmp_path / "again.gguf", "Q8_0")
    first, again = (
        gguf.GGUFReader(path).get_field("tokenizer.ggml.token_type").contents()
        for path in (box, tmp_path / "again.gguf")
    )
    assert gguf.TokenType.UNUSED in first
    assert first == again
    assert "[PAD" not in (folder / "tokenizer.json").read_text()


@pytest.mark.parametrize("quant", ["q8_0", "q4_0"])
def test_a_quantised_model_says_what_it_said(tiny_model, tmp_path, quant):
    path = tiny_model("qwen3", quant)
    expected, found = logits_here_and_there(path, gguf_to_transformers(path, tmp_path))
    # llama.cpp rounds activations as well.
    assert np.corrcoef(found, expected)[0, 1] > 0.999
    assert np.abs(found - expected).max() < 0.05 * np.abs(expected).max()


LLAMA3_ROPE = {
    "rope_type": "llama3",
    "rope_theta": 50_000.0,
    "factor": 8.0,
    "low_freq_factor": 1.0,
    "high_freq_factor": 4.0,
    "original_max_position_embeddings": 8192,
}
YARN_ROPE = {
    "rope_type": "yarn",
    "rope_theta": 500.0,
    "factor": 4.0,
    "original_max_position_embeddings": 32,
}


@pytest.mark.parametrize(
    ("family", "rope"),
    [
        *((family, None) for family in sorted(FAMILIES)),
        ("llama", LLAMA3_ROPE),
        ("llama", {"rope_type": "linear", "rope_theta": 500.0, "factor": 4.0}),
        ("qwen2", YARN_ROPE),
    ],
)
def test_there_and_back(checkpoint, tmp_path, family, rope):
    """A checkpoint that was exported and imported again: biases, windows, rotary positions."""
    if rope is None:
        folder = checkpoint(family, "gemma")
    else:
        folder = make_checkpoint(tmp_path / "c", family, "gemma", rope_parameters=rope)
    export_model(folder, tmp_path / "model.gguf", "F32")
    again = gguf_to_transformers(tmp_path / "model.gguf", tmp_path / "again")
    first, second = CheckpointVocabulary(folder), CheckpointVocabulary(again)
    for text in (TEXT, *awkward_strings(300)):
        assert second.tokenize(text) == first.tokenize(text), repr(text)
    tokens = torch.tensor([first.tokenize(TEXT)])
    with torch.no_grad():
        expected = load_model(folder)(tokens).logits
        found = load_model(again)(tokens).logits
    assert float((found - expected).abs().max()) < 1e-4
    assert float(expected.std()) > 0.5


# --- refusals -------------------------------------------------------------------------------------


def test_models_of_other_families_are_refused(tiny_model, tmp_path):
    with pytest.raises(InputError, match="models of the mamba family cannot be imported"):
        gguf_to_transformers(tiny_model("mamba"), tmp_path)


def test_factors_of_frequencies_that_are_not_llama_3s(tmp_path):
    rope = LLAMA3_ROPE | {"original_max_position_embeddings": 64}
    folder = make_checkpoint(tmp_path / "c", "llama", "gemma", rope_parameters=rope)
    export_model(folder, tmp_path / "model.gguf", "F32")
    with pytest.raises(InputError, match=r"model\.gguf: rope_freqs\.weight: factors"):
        gguf_to_transformers(tmp_path / "model.gguf", tmp_path / "again")


def test_a_file_that_is_none(tmp_path):
    (tmp_path / "model.gguf").write_bytes(b"no model")
    with pytest.raises(InputError, match="cannot be read as GGUF"):
        gguf_to_transformers(tmp_path / "model.gguf", tmp_path / "again")
