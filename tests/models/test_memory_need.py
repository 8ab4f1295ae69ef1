"""The estimate of memory, against what a process takes."""

import sys
import warnings

import pytest

import hpd
from command_line import run_python
from hpd.cli import main
from hpd.errors import ModelLoadError
from hpd.models import memory as module
from hpd.models.memory import Memory, MemoryWarning, memory_need, shortage, warn_of_shortage
from hpd.options import Options
from jsonl import write_texts
from nightly import by_day
from small_model import small_model

# The mask grows with all cells, and is filled for those in use only: small batches keep it small.
SMALL = {"n_batch": 64, "n_ubatch": 64}
SETTINGS = {
    "qwen3": {"n_ctx": 300_000, **SMALL},
    "gemma3": {"n_ctx": 200_000, "cache_type_k": "f32", "cache_type_v": "f32", **SMALL},
    "llama": {"n_ctx": 100_000, **SMALL},
    "mamba": {"n_ctx": 512},
    "jamba": {"n_ctx": 100_000, **SMALL},
    "small": {"n_ctx": 100_000},
}

PEAK = """
import sys
from hpd import Extractor
from hpd.bench.measure import peak_bytes
texts = [f"a small blue cup, number {n}, of stone" for n in range(40)]
settings = eval(sys.argv[2])
with Extractor("a, b, c, d, e, f, g, h", sys.argv[1], max_tokens=8, **settings) as extractor:
    list(extractor.extract_many(texts))
print(peak_bytes())
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells the peak of a process")
@pytest.mark.parametrize("kind", by_day(2, SETTINGS))
def test_the_estimate_is_close_to_what_a_process_takes(tiny_model, kind):
    path = small_model() if kind == "small" else tiny_model(kind)
    done = run_python("-c", PEAK, path, repr(SETTINGS[kind]))
    assert done.returncode == 0, done.stderr
    peak = int(done.stdout)
    need = memory_need(path, Options(**SETTINGS[kind]))
    assert 0.95 < need.total / peak < 1.4, (need, peak)


def test_cells_are_counted_as_llama_cpp_counts_them(tiny_model):
    # By hand: 8192 cells, 6 layers, 2 heads of 64 numbers of K and as many of V, two bytes each.
    assert memory_need(small_model(), Options()).cells == 8192 * 6 * 2 * 64 * 2 * 2
    quantised = Options(cache_type_k="q8_0", cache_type_v="q8_0")
    assert memory_need(small_model(), quantised).cells == 8192 * 6 * 2 * 64 * 2 * 34 // 32
    # 1,000 cells are rounded up to 1,024.
    assert memory_need(small_model(), Options(n_ctx=1000)).cells == 1024 * 6 * 2 * 64 * 2 * 2


def test_a_draft_model_and_adapters_count(tmp_path):
    model = small_model()
    adapter = tmp_path / "a.gguf"
    adapter.write_bytes(bytes(1000))
    alone = memory_need(model, Options())
    both = memory_need(model, Options(draft_model=str(model), adapters=((str(adapter), 1.0),)))
    assert both.cells == 2 * alone.cells
    assert both.weights == 2 * alone.weights + 1000


def test_a_shortage_comes_with_what_would_fit():
    model = small_model()
    options = Options(n_ctx=1 << 20)
    need = memory_need(model, options)

    def short(total, available):
        return shortage(model, options, Memory(None, total, available), need)

    assert short(None, None) == ""
    assert short(None, 16_000_000_000) == ""
    problem = short(2_500_000_000, 2_000_000_000)
    assert problem.startswith("small.gguf takes about 4.")
    assert "2.0 GB are available (the limit is 2.5 GB): " in problem
    assert "-c 262144 (" in problem
    assert "-c 524288" not in problem, "that is still too much"
    assert "-ctk q8_0" not in problem
    assert "-ctk q8_0 -ctv q8_0 (" in short(None, 3_000_000_000)
    assert short(None, 1000).endswith(": take a smaller model")


def test_extract_says_it_before_the_model_is_loaded(tmp_path, monkeypatch, capfd):
    monkeypatch.setattr(module, "memory", lambda: Memory(None, None, 100_000_000))
    source = str(write_texts(tmp_path / "in.jsonl", "a cup"))
    assert main(["extract", source, "--schema", "a", "--quiet"]) == 0
    assert "hpd: warning: small.gguf takes about" in capfd.readouterr().err
    with pytest.warns(MemoryWarning, match="are available"), hpd.Extractor("a"):
        pass


def test_what_is_on_a_gpu_or_unreadable_is_not_warned_of(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "memory", lambda: Memory(None, None, 1))
    with pytest.raises(ModelLoadError):
        memory_need(tmp_path / "gone.gguf", Options())
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warn_of_shortage(tmp_path / "gone.gguf", Options())
        monkeypatch.setattr(module, "devices", lambda: ["Fast One"])
        warn_of_shortage(small_model(), Options())
    with pytest.warns(MemoryWarning):
        warn_of_shortage(small_model(), Options(n_gpu_layers=0))
