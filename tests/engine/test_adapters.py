"""LoRA adapters and split files: what llama.cpp does with them reaches the engine."""

import gguf
import llama_cpp
import numpy as np
import pytest

from decoding import F32_TIE, disagreements, engine_options, make_requests, open_model, run
from hpd import _native
from hpd.errors import ModelLoadError
from reference import Reference

N_TOKENS = 16
TENSOR = "blk.0.attn_output.weight"


def write_adapter(path, model_path, *, scale):
    """An adapter of rank 4 for one matrix; its two factors."""
    reader = gguf.GGUFReader(model_path)
    (tensor,) = [t for t in reader.tensors if t.name == TENSOR]
    n_in, n_out = (int(n) for n in tensor.shape)
    rng = np.random.default_rng(0)
    a = (rng.standard_normal((4, n_in)) * scale).astype(np.float32)
    b = (rng.standard_normal((n_out, 4)) * scale).astype(np.float32)
    writer = gguf.GGUFWriter(path, "qwen3")
    writer.add_type("adapter")
    writer.add_string("adapter.type", "lora")
    writer.add_float32("adapter.lora.alpha", 4.0)
    writer.add_tensor(f"{TENSOR}.lora_a", a)
    writer.add_tensor(f"{TENSOR}.lora_b", b)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return a, b


def merge(source, target, change):
    """The model with the adapter added to its weights."""
    target.write_bytes(source.read_bytes())
    reader = gguf.GGUFReader(target, "r+")
    (tensor,) = [t for t in reader.tensors if t.name == TENSOR]
    tensor.data[:] += change
    reader.data.flush()


def test_an_adapter_does_what_its_merged_weights_do(tiny_model, tmp_path):
    source = tiny_model("qwen3")
    adapter = tmp_path / "adapter.gguf"
    a, b = write_adapter(adapter, source, scale=0.5)
    merged = tmp_path / "merged.gguf"
    merge(source, merged, 2.0 * b @ a)
    with Reference(merged, kv_type=llama_cpp.GGML_TYPE_F32) as reference:
        requests = make_requests(reference, 5)
        expected = [
            [reference.value(prompt, key, N_TOKENS) for key in keys]
            for (prompt, keys), _ in requests
        ]
    options = _native.ModelOptions()
    options.adapters = [(str(adapter), 2.0)]
    adapted = _native.Model([str(source)], options)
    for model, is_right in (
        (adapted, True),
        (open_model(merged), True),
        (open_model(source), False),
    ):
        results = run(_native.Engine(model, engine_options()), requests, max_tokens=N_TOKENS)
        # The adapter's product is added to that of the weights, not to the weights.
        wrong = disagreements(results, expected, tolerance=10 * F32_TIE)
        assert (not wrong) == is_right, wrong


def test_loading_reports_its_progress_and_can_be_stopped(tiny_model):
    path = str(tiny_model("qwen3"))
    options = _native.ModelOptions()
    shares = []
    _native.Model([path], options, shares.append)
    assert shares[-1] == 1.0
    assert shares == sorted(shares)
    with pytest.raises(ModelLoadError):
        _native.Model([path], options, lambda share: False)

    def fail(share):
        raise KeyError("from the callback")

    with pytest.raises(KeyError, match="from the callback"):
        _native.Model([path], options, fail)
