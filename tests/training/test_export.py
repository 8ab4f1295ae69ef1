"""Exported files against what they were exported from: the same tokens, in and out."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from random import Random

import llama_cpp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hpd.errors import InputError

gguf = pytest.importorskip("gguf")
pytest.importorskip("tokenizers")

from tokenizers import Tokenizer

from hpd.training.export import _interleave, export_adapter, export_model
from reference import Reference

sys.path.insert(0, str(Path(__file__).parents[2] / "models"))

N_GENERATED = 12
PROMPT = (
    "<|user|>Attributes:\n- Brand\n- Color\n\n"
    "Document:\nZorvex Trail 5 Sneaker, Black/White<|assistant|>"
)


@pytest.fixture(scope="module")
def tokenizer_folder(tmp_path_factory):
    """A small tokenizer of the box's kind, as transformers keeps it."""
    from recipe.tokenizer import save, train_tokenizer

    folder = tmp_path_factory.mktemp("tokenizer")
    save(train_tokenizer(n_examples=300), folder)
    return folder


@pytest.fixture(scope="module")
def tokenizer(tokenizer_folder):
    return Tokenizer.from_file(str(tokenizer_folder / "tokenizer.json"))


def config(family, n_vocab):
    """A tiny model's settings."""
    return {
        "architectures": [family],
        "model_type": "qwen3" if "Qwen3" in family else "llama",
        "vocab_size": n_vocab,
        "hidden_size": 64,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
        "head_dim": 32,
        "intermediate_size": 96,
        "rope_theta": 10000.0,
        "rms_norm_eps": 1e-6,
        "max_position_embeddings": 512,
        "tie_word_embeddings": True,
    }


def random_weights(settings, rng):
    """A checkpoint's tensors under transformers' names."""
    d, ff, dim = settings["hidden_size"], settings["intermediate_size"], settings["head_dim"]
    n_q, n_kv = settings["num_attention_heads"] * dim, settings["num_key_value_heads"] * dim
    shapes = {
        "self_attn.q_proj": (n_q, d),
        "self_attn.k_proj": (n_kv, d),
        "self_attn.v_proj": (n_kv, d),
        "self_attn.o_proj": (d, n_q),
        "mlp.gate_proj": (ff, d),
        "mlp.up_proj": (ff, d),
        "mlp.down_proj": (d, ff),
        "input_layernorm": (d,),
        "post_attention_layernorm": (d,),
    }
    if settings["model_type"] == "qwen3":
        shapes |= {"self_attn.q_norm": (dim,), "self_attn.k_norm": (dim,)}
    weights = {"model.embed_tokens.weight": (settings["vocab_size"], d), "model.norm.weight": (d,)}
    for layer in range(settings["num_hidden_layers"]):
        weights |= {f"model.layers.{layer}.{name}.weight": size for name, size in shapes.items()}

    def filled(size):
        noise = rng.standard_normal(size)
        return (1 + 0.1 * noise if len(size) == 1 else 0.3 * noise).astype(np.float32)

    return {name: filled(size) for name, size in weights.items()}


@pytest.fixture(scope="module", params=["Qwen3ForCausalLM", "LlamaForCausalLM"])
def checkpoint(request, tmp_path_factory, tokenizer_folder, tokenizer):
    """A tiny random model of each family as a transformers folder."""
    safetensors = pytest.importorskip("safetensors.numpy")
    folder = tmp_path_factory.mktemp(request.param)
    settings = config(request.param, -(-tokenizer.get_vocab_size() // 32) * 32)
    (folder / "config.json").write_text(json.dumps(settings))
    weights = random_weights(settings, np.random.default_rng(1))
    safetensors.save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
    for name in ("tokenizer.json", "tokenizer_config.json"):
        (folder / name).write_bytes((tokenizer_folder / name).read_bytes())
    return folder


@pytest.fixture(scope="module")
def exported(checkpoint, tmp_path_factory):
    path = tmp_path_factory.mktemp("gguf") / "model.gguf"
    export_model(checkpoint, path, "F32")
    return path


def awkward_strings(n_strings):
    """Text of the kinds that tokenizers trip over."""
    rng = Random(3)
    alphabets = (
        "abcXYZ",
        "0123456789",
        " \t\n\r",
        "\"'\\/{}[]()<>|&%$#@!?.,:;-_=+*~`^",
        "äöüßéèñçåøğş\u0130\u0131",
        "ЖдйшТовар",
        "日本製新款女装",
        "한국어",
        "عربي",
        "हिन्दी",
        "👍🏽🇩🇪👩\u200d👩\u200d👧",
        "\u00a0\u200b\u2009\u3000\ufeff",
        "™®°½²µ№",
        "\ufb01\u01c5\u0301\u0308",
    )
    strings = ["", " ", "  ", "\n\n", "\r\n", "a  b", " a", "I'LL we'Ve", "10.5 oz (Pack of 6)"]
    strings += ["<|end|", "\ud7ff", "null", ' "x"', "<|end|>"[:-1]]
    while len(strings) < n_strings:
        pieces = rng.choices(alphabets, k=rng.randint(1, 5))
        parts = ["".join(rng.choices(piece, k=rng.randint(1, 6))) for piece in pieces]
        strings.append("".join(parts))
    return strings


def test_the_tokenizers_agree_on_a_thousand_awkward_strings(exported, tokenizer):
    with Reference(exported) as reference:
        for text in awkward_strings(1000):
            theirs = reference.tokenize(text, parse_special=False)
            assert theirs == tokenizer.encode(text).ids, repr(text)
        assert reference.tokenize(PROMPT) == tokenizer.encode(PROMPT).ids


def test_special_tokens_and_chat_template_come_along(exported, tokenizer, tokenizer_folder):
    with Reference(exported) as reference:
        end = tokenizer.token_to_id("<|end|>")
        assert llama_cpp.llama_vocab_eos(reference.vocab) == end
        assert llama_cpp.llama_vocab_eot(reference.vocab) == end
        assert llama_cpp.llama_vocab_is_eog(reference.vocab, end)
        assert not llama_cpp.llama_vocab_get_add_bos(reference.vocab)
        template = llama_cpp.llama_model_chat_template(reference.model, None).decode()
    settings = json.loads((tokenizer_folder / "tokenizer_config.json").read_text())
    assert template == settings["chat_template"]


def test_smaller_types_stay_near_the_exact_one(checkpoint, exported, tokenizer, tmp_path):
    prompt = tokenizer.encode(PROMPT).ids
    with Reference(exported) as reference:
        exact = reference.logits_after(prompt).copy()
    sizes = {}
    for file_type, tolerance in (("F16", 0.01), ("Q8_0", 0.3), ("Q5_0", 0.9)):
        path = tmp_path / f"{file_type}.gguf"
        export_model(checkpoint, path, file_type)
        sizes[file_type] = path.stat().st_size
        with Reference(path) as reference:
            error = reference.logits_after(prompt) - exact
        # Unrelated logits would be off by 1.4 times their own size.
        assert np.linalg.norm(error) < tolerance * np.linalg.norm(exact), file_type
    assert sizes["Q5_0"] < sizes["Q8_0"] < sizes["F16"] < exported.stat().st_size


def greedy_transformers(model, prompt):
    """The most probable tokens, one after another, all recomputed every time."""
    import torch

    tokens = list(prompt)
    with torch.no_grad():
        for _ in range(N_GENERATED):
            tokens.append(int(model(torch.tensor([tokens])).logits[0, -1].argmax()))
    return tokens[len(prompt) :]


def greedy_llama_cpp(path, prompt, adapter=None):
    with Reference(path, kv_type=llama_cpp.GGML_TYPE_F32) as reference:
        if adapter is not None:
            loaded = llama_cpp.llama_adapter_lora_init(reference.model, str(adapter).encode())
            assert loaded, "llama.cpp refuses the adapter"
            adapters = (type(loaded) * 1)(loaded)
            scales = (llama_cpp.ctypes.c_float * 1)(1.0)
            assert llama_cpp.llama_set_adapters_lora(reference.context, adapters, 1, scales) == 0
        found, tokens = [], list(prompt)
        for _ in range(N_GENERATED):
            token = int(reference.logits_after(tokens).argmax())
            found.append(token)
            tokens = [token]
        return found


def test_transformers_and_llama_cpp_say_the_same(checkpoint, exported, tokenizer):
    pytest.importorskip("torch")
    transformers = pytest.importorskip("transformers")
    model = transformers.AutoModelForCausalLM.from_pretrained(checkpoint, dtype="float32").eval()
    for text in (PROMPT, PROMPT + '{"Brand":', "a", "Größe 5 日本製 " * 20):
        prompt = tokenizer.encode(text).ids
        assert greedy_llama_cpp(exported, prompt) == greedy_transformers(model, prompt)


# peft asks transformers by a name that the latest transformers wants changed.
@pytest.mark.filterwarnings("ignore:.*is_gradient_checkpointing:FutureWarning")
def test_an_adapter_does_the_same_here_and_there(checkpoint, exported, tokenizer, tmp_path):
    torch = pytest.importorskip("torch")
    transformers = pytest.importorskip("transformers")
    peft = pytest.importorskip("peft")
    base = transformers.AutoModelForCausalLM.from_pretrained(checkpoint, dtype="float32")
    targets = ["q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"]
    settings = peft.LoraConfig(r=4, lora_alpha=12, target_modules=targets)
    model = peft.get_peft_model(base, settings).eval()
    torch.manual_seed(0)
    for name, parameter in model.named_parameters():
        if "lora_" in name:
            torch.nn.init.normal_(parameter, std=0.2)
    model.save_pretrained(tmp_path / "adapter")
    export_adapter(tmp_path / "adapter", checkpoint, tmp_path / "adapter.gguf")
    prompt = tokenizer.encode(PROMPT).ids
    tuned = greedy_transformers(model, prompt)
    assert tuned != greedy_llama_cpp(exported, prompt)
    assert tuned == greedy_llama_cpp(exported, prompt, tmp_path / "adapter.gguf")


@given(st.integers(1, 4), st.integers(1, 4), st.integers(1, 3))
def test_llama_rows_go_from_halves_to_pairs(n_head, half, n_columns):
    rows = np.arange(n_head * 2 * half * n_columns).reshape(n_head * 2 * half, n_columns)
    moved = _interleave(rows, n_head)
    for head in range(n_head):
        for pair in range(half):
            for part in range(2):
                source = rows[head * 2 * half + part * half + pair]
                assert (moved[head * 2 * half + 2 * pair + part] == source).all()


def test_other_families_and_types_are_refused_and_nothing_is_left(checkpoint, tmp_path):
    settings = json.loads((checkpoint / "config.json").read_text())
    folder = tmp_path / "other"
    folder.mkdir()
    settings["architectures"] = ["MambaForCausalLM"]
    (folder / "config.json").write_text(json.dumps(settings))
    with pytest.raises(InputError, match="MambaForCausalLM cannot be exported"):
        export_model(folder, tmp_path / "out.gguf", "F32")
    with pytest.raises(InputError, match="no such type"):
        export_model(checkpoint, tmp_path / "out.gguf", "Q99")
    with pytest.raises(InputError, match=r"config\.json"):
        export_model(tmp_path / "nowhere", tmp_path / "out.gguf")
    assert [path.name for path in tmp_path.iterdir()] == ["other"]


def test_a_split_without_a_name_is_refused(checkpoint, tokenizer_folder, tmp_path):
    for name in ("config.json", "model.safetensors", "tokenizer_config.json"):
        (tmp_path / name).write_bytes((checkpoint / name).read_bytes())
    data = json.loads((tokenizer_folder / "tokenizer.json").read_text())
    data["pre_tokenizer"]["pretokenizers"][0]["pattern"]["Regex"] = "x+"
    (tmp_path / "tokenizer.json").write_text(json.dumps(data))
    with pytest.raises(InputError, match=r"llama\.cpp has no name for its split"):
        export_model(tmp_path, tmp_path / "out.gguf", "F32")
    assert not (tmp_path / "out.gguf").exists()
