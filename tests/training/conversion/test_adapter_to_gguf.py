"""Exported adapters: llama.cpp says with them what transformers says."""

from __future__ import annotations

import json

import llama_cpp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")
peft = pytest.importorskip("peft")

from checkpoints import FAMILIES
from hpd import _native
from hpd.errors import InputError
from hpd.training.conversion.adapter_to_gguf import export_adapter
from hpd.training.conversion.families import interleave, separate
from hpd.training.lora import add_lora
from reference import Reference

TEXT = "Zorvex Trail 5 Sneaker, Black/White, leather and cotton, size 10.5 for men and women"


def with_adapter(folder, output):
    """A model with an adapter that changes what it says, and the adapter's folder."""
    base = transformers.AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32)
    model = add_lora(base, rank=4, alpha=12).eval()
    generator = torch.Generator().manual_seed(0)
    with torch.no_grad():
        for name, weights in model.named_parameters():
            if "lora_" in name:
                weights.copy_(0.1 * torch.randn(weights.shape, generator=generator))
    model.save_pretrained(output)
    return model


def adapted_logits(path, adapter, tokens):
    with Reference(path, kv_type=llama_cpp.GGML_TYPE_F32) as reference:
        loaded = llama_cpp.llama_adapter_lora_init(reference.model, str(adapter).encode())
        assert loaded, "llama.cpp refuses the adapter"
        adapters = (type(loaded) * 1)(loaded)
        scales = (llama_cpp.ctypes.c_float * 1)(1.0)
        assert llama_cpp.llama_set_adapters_lora(reference.context, adapters, 1, scales) == 0
        return np.array(reference.logits_after(tokens))


@pytest.mark.parametrize("family", sorted(FAMILIES))
def test_an_adapter_does_the_same_here_and_there(checkpoint, exported, tmp_path, family):
    folder, path = checkpoint(family, "gemma"), exported(family, "gemma")
    model = with_adapter(folder, tmp_path / "adapter")
    export_adapter(tmp_path / "adapter", folder, tmp_path / "adapter.gguf")
    tokens = _native.Model([str(path)]).tokenize(TEXT)
    with torch.no_grad():
        expected = model(torch.tensor([tokens])).logits[0, -1].numpy()
        with model.disable_adapter():
            before = model(torch.tensor([tokens])).logits[0, -1].numpy()
    assert np.abs(before - expected).max() > 0.5
    found = adapted_logits(path, tmp_path / "adapter.gguf", tokens)
    # Gemma's activation comes from a table of 16-bit numbers.
    assert np.abs(found - expected).max() < (5e-3 if family == "gemma3" else 5e-5)


@given(st.integers(1, 4), st.integers(1, 4), st.integers(1, 3))
def test_rows_go_from_halves_to_pairs_and_back(n_heads, half, n_columns):
    rows = np.arange(n_heads * 2 * half * n_columns).reshape(n_heads * 2 * half, n_columns)
    moved = interleave(rows, n_heads)
    for head in range(n_heads):
        for pair in range(half):
            for part in range(2):
                source = rows[head * 2 * half + part * half + pair]
                assert (moved[head * 2 * half + 2 * pair + part] == source).all()
    assert (separate(moved, n_heads) == rows).all()


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"peft_type": "IA3"}, "a IA3 adapter; only LoRA"),
        ({"use_dora": True}, "use_dora has no counterpart"),
    ],
)
def test_other_adapters_are_refused(checkpoint, tmp_path, settings, message):
    folder = checkpoint("qwen3", "gemma")
    with_adapter(folder, tmp_path / "adapter")
    path = tmp_path / "adapter" / "adapter_config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | settings))
    with pytest.raises(InputError, match=message):
        export_adapter(tmp_path / "adapter", folder, tmp_path / "adapter.gguf")
    assert not (tmp_path / "adapter.gguf").exists()


def test_an_adapter_for_other_layers_is_refused(checkpoint, tmp_path):
    from safetensors.torch import load_file, save_file

    folder = checkpoint("qwen3", "gemma")
    with_adapter(folder, tmp_path / "adapter")
    path = tmp_path / "adapter" / "adapter_model.safetensors"
    weights = load_file(path)
    name = next(name for name in weights if ".q_proj." in name)
    weights[name.replace("q_proj", "rotor")] = weights.pop(name)
    save_file(weights, path)
    with pytest.raises(InputError, match=r"rotor.*has no counterpart in a GGUF adapter"):
        export_adapter(tmp_path / "adapter", folder, tmp_path / "adapter.gguf")
