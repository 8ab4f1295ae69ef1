"""Exported models: the same logits as transformers computes, or a refusal that says why."""

from __future__ import annotations

import json
import shutil

import gguf
import llama_cpp
import numpy as np
import pytest

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

from checkpoints import FAMILIES, make_checkpoint, randomise
from hpd import _native
from hpd.errors import InputError
from hpd.training.conversion.to_gguf import export_model
from reference import Reference

TOLERANCE = 5e-5
"""Of logits with a standard deviation of about 1: two libraries add up in different orders."""
GELU_TOLERANCE = 5e-3
"""llama.cpp looks up Gemma's activation in a table of 16-bit numbers."""
TEXT = (
    "Zorvex Trail 5 Sneaker, Black/White, leather and cotton, size 10.5 for men and women; "
    'Größe 5 日本製 {"Brand":'
)


def logits(folder, tokens):
    """Of transformers, behind every token."""
    model = transformers.AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32)
    with torch.no_grad():
        return model.eval()(torch.tensor([tokens])).logits[0].numpy()


def last_logits(path, tokens):
    """Of llama.cpp, behind the last token, with a cache of 32-bit numbers."""
    with Reference(path, kv_type=llama_cpp.GGML_TYPE_F32) as reference:
        return np.array(reference.logits_after(tokens))


def assert_same_logits(folder, path, *, tolerance=TOLERANCE):
    tokens = _native.Model([str(path)]).tokenize(TEXT)
    expected = logits(folder, tokens)
    assert expected.std() > 0.5, "the model says the same whatever it reads: this shows nothing"
    for n in (1, len(tokens) // 2, len(tokens)):
        error = np.abs(last_logits(path, tokens[:n]) - expected[n - 1]).max()
        assert error < tolerance, (n, error)


@pytest.mark.parametrize("tokenizer", ["qwen2", "llama2"])
@pytest.mark.parametrize("family", sorted(FAMILIES))
def test_every_family_says_what_transformers_says(checkpoint, exported, family, tokenizer):
    tolerance = GELU_TOLERANCE if family == "gemma3" else TOLERANCE
    folder, path = checkpoint(family, tokenizer), exported(family, tokenizer)
    assert_same_logits(folder, path, tolerance=tolerance)


@pytest.mark.parametrize(
    ("family", "rope"),
    [
        ("llama", {"rope_type": "default", "rope_theta": 500.0}),
        ("llama", {"rope_type": "linear", "rope_theta": 500.0, "factor": 4.0}),
        (
            "llama",
            {
                "rope_type": "llama3",
                "rope_theta": 500.0,
                "factor": 8.0,
                "low_freq_factor": 1.0,
                "high_freq_factor": 4.0,
                "original_max_position_embeddings": 64,
            },
        ),
        (
            "qwen2",
            {
                "rope_type": "yarn",
                "rope_theta": 500.0,
                "factor": 4.0,
                "original_max_position_embeddings": 32,
            },
        ),
        (
            "gemma3",
            {
                "full_attention": {"rope_type": "linear", "rope_theta": 500.0, "factor": 8.0},
                "sliding_attention": {"rope_type": "default", "rope_theta": 100.0},
            },
        ),
    ],
    ids=["base", "linear", "llama3", "yarn", "gemma3"],
)
def test_rotary_positions(tmp_path, family, rope):
    folder = make_checkpoint(tmp_path / "c", family, "gemma", rope_parameters=rope)
    export_model(folder, tmp_path / "model.gguf", "F32")
    tolerance = GELU_TOLERANCE if family == "gemma3" else TOLERANCE
    assert_same_logits(folder, tmp_path / "model.gguf", tolerance=tolerance)


def test_a_window_that_llama_cpp_does_not_know_bounds_the_context(tmp_path):
    """Within the window every layer sees all, here and there."""
    folder = make_checkpoint(tmp_path / "c", "mistral", "llama2", sliding_window=16)
    messages = []
    export_model(folder, tmp_path / "model.gguf", "F32", say=messages.append)
    assert [message[:40] for message in messages] == ["the context is bounded to 16 tokens, the"]
    model = _native.Model([str(tmp_path / "model.gguf")])
    assert model.n_ctx_train == 16
    tokens = model.tokenize(TEXT)
    assert len(tokens) > 16
    expected = logits(folder, tokens)
    assert np.abs(last_logits(tmp_path / "model.gguf", tokens[:16]) - expected[15]).max() < 5e-5


def test_an_output_matrix_of_its_own_and_one_that_is_shared(checkpoint, exported):
    for family, is_shared in (("llama", False), ("qwen3", True), ("gemma3", True)):
        names = {tensor.name for tensor in gguf.GGUFReader(exported(family, "gemma")).tensors}
        assert ("output.weight" not in names) == is_shared, family


def test_a_model_that_also_sees_is_exported_as_one_of_text(checkpoint, exported, tmp_path):
    """The form of Gemma 3 from 4B on: the text model is inside, with other names."""
    folder = shutil.copytree(checkpoint("gemma3", "gemma"), tmp_path / "c")
    text = transformers.AutoConfig.from_pretrained(folder)
    config = transformers.Gemma3Config(
        text_config=text.to_dict(),
        vision_config={
            "hidden_size": 16,
            "intermediate_size": 16,
            "num_hidden_layers": 1,
            "num_attention_heads": 2,
            "image_size": 16,
            "patch_size": 8,
        },
        mm_tokens_per_image=4,
    )
    model = transformers.Gemma3ForConditionalGeneration(config)
    randomise(model)
    plain = transformers.AutoModelForCausalLM.from_pretrained(folder)
    model.model.language_model.load_state_dict(plain.model.state_dict())
    model.save_pretrained(folder)
    export_model(folder, tmp_path / "model.gguf", "F32")
    same = gguf.GGUFReader(exported("gemma3", "gemma"))
    found = {
        tensor.name: tensor.data for tensor in gguf.GGUFReader(tmp_path / "model.gguf").tensors
    }
    assert {tensor.name for tensor in same.tensors} == set(found)
    for tensor in same.tensors:
        assert np.array_equal(tensor.data, found[tensor.name]), tensor.name


def test_shards_are_one_model(checkpoint, exported, tmp_path):
    folder = shutil.copytree(checkpoint("llama", "gemma"), tmp_path / "c")
    (folder / "model.safetensors").unlink()
    model = transformers.AutoModelForCausalLM.from_pretrained(checkpoint("llama", "gemma"))
    model.save_pretrained(folder, max_shard_size="100KB")
    assert len(list(folder.glob("*.safetensors"))) > 1
    export_model(folder, tmp_path / "model.gguf", "F32", name=checkpoint("llama", "gemma").name)
    assert (tmp_path / "model.gguf").read_bytes() == exported("llama", "gemma").read_bytes()


def test_smaller_types_stay_near_the_exact_one(checkpoint, exported, tmp_path):
    folder, whole = checkpoint("qwen3", "qwen2"), exported("qwen3", "qwen2")
    tokens = _native.Model([str(whole)]).tokenize(TEXT)
    exact = last_logits(whole, tokens)
    sizes = {}
    for file_type, tolerance in (("f16", 0.01), ("BF16", 0.05), ("q8_0", 0.1), ("Q5_0", 0.9)):
        path = tmp_path / f"{file_type}.gguf"
        export_model(folder, path, file_type)
        sizes[file_type] = path.stat().st_size
        error = np.linalg.norm(last_logits(path, tokens) - exact)
        # Unrelated logits would be off by 1.4 times their own size.
        assert 0 < error < tolerance * np.linalg.norm(exact), file_type
    assert sizes["Q5_0"] < sizes["q8_0"] < sizes["f16"] < whole.stat().st_size
    assert sizes["f16"] == sizes["BF16"]


def test_a_checkpoint_in_bfloat16(checkpoint, tmp_path):
    folder = shutil.copytree(checkpoint("llama", "gemma"), tmp_path / "c")
    model = transformers.AutoModelForCausalLM.from_pretrained(folder, dtype=torch.bfloat16)
    model.save_pretrained(folder)
    export_model(folder, tmp_path / "model.gguf", "F32")
    assert_same_logits(folder, tmp_path / "model.gguf")


# --- refusals -------------------------------------------------------------------------------------


def refusal(folder, tmp_path, **settings):
    """The message with which a checkpoint with other settings is refused."""
    copy = shutil.copytree(folder, tmp_path / "changed")
    path = copy / "config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | settings))
    with pytest.raises(InputError) as refused:
        export_model(copy, tmp_path / "out.gguf", "F32")
    assert [path.name for path in tmp_path.iterdir()] == ["changed"]
    return str(refused.value)


@pytest.mark.parametrize(
    ("family", "settings", "message"),
    [
        ("llama", {"architectures": ["MambaForCausalLM"]}, "MambaForCausalLM cannot be exported"),
        ("llama", {"architectures": None}, "a model without a name cannot be exported"),
        ("llama", {"hidden_act": "gelu"}, "hidden_act is gelu, but llama.cpp computes"),
        ("llama", {"rope_parameters": {"rope_type": "dynamic", "factor": 2.0}}, "type 'dynamic'"),
        ("llama", {"num_attention_heads": "many"}, "transformers refuses it"),
        ("llama", {"num_hidden_layers": 4}, "llama.cpp cannot load what was made of it"),
        ("gemma3", {"final_logit_softcapping": 30.0}, "final_logit_softcapping is 30.0"),
        ("gemma3", {"query_pre_attn_scalar": 16}, "query_pre_attn_scalar is 16"),
        ("gemma3", {"use_bidirectional_attention": True}, "use_bidirectional_attention is True"),
    ],
)
def test_models_that_llama_cpp_computes_otherwise(checkpoint, tmp_path, family, settings, message):
    said = refusal(checkpoint(family, "gemma"), tmp_path, **settings)
    assert message in said
    assert str(tmp_path / "changed") in said


def test_a_yarn_of_another_kind(tmp_path):
    rope = {
        "rope_type": "yarn",
        "rope_theta": 500.0,
        "factor": 4.0,
        "original_max_position_embeddings": 32,
        "beta_fast": 16.0,
    }
    folder = make_checkpoint(tmp_path / "c", "qwen2", "gemma", rope_parameters=rope)
    with pytest.raises(InputError, match=r"'yarn' with beta_fast 16\.0, not 32\.0"):
        export_model(folder, tmp_path / "out.gguf", "F32")


def test_a_tensor_without_a_place(checkpoint, tmp_path):
    from safetensors.torch import load_file, save_file

    folder = shutil.copytree(checkpoint("llama", "gemma"), tmp_path / "c")
    weights = load_file(folder / "model.safetensors")
    weights["model.layers.0.mlp.router.weight"] = torch.zeros(4, 64)
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(InputError, match=r"have no tensor model\.layers\.0\.mlp\.router"):
        export_model(folder, tmp_path / "out.gguf", "F32")


def test_weights_that_are_quantised_already(checkpoint, tmp_path):
    from safetensors.torch import load_file, save_file

    folder = shutil.copytree(checkpoint("llama", "gemma"), tmp_path / "c")
    weights = load_file(folder / "model.safetensors")
    weights["model.norm.weight"] = weights["model.norm.weight"].to(torch.float8_e4m3fn)
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(InputError, match=r"model\.norm\.weight is of type F8_E4M3; only"):
        export_model(folder, tmp_path / "out.gguf", "F32")


def test_files_that_are_missing_or_broken(checkpoint, tmp_path):
    folder = shutil.copytree(checkpoint("llama", "gemma"), tmp_path / "c")
    with pytest.raises(InputError, match="Q99: no such type of file; there are BF16, F16, F32, "):
        export_model(folder, tmp_path / "out.gguf", "Q99")
    (folder / "model.safetensors").write_bytes(b"no tensors")
    with pytest.raises(InputError, match=r"model\.safetensors: cannot be read"):
        export_model(folder, tmp_path / "out.gguf", "F32")
    (folder / "model.safetensors").unlink()
    with pytest.raises(InputError, match=r"has no model\.safetensors: save the model"):
        export_model(folder, tmp_path / "out.gguf", "F32")
    with pytest.raises(InputError, match=r"config\.json: cannot be read"):
        export_model(tmp_path / "nowhere", tmp_path / "out.gguf")
    assert [path.name for path in tmp_path.iterdir()] == ["c"]
