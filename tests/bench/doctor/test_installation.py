"""The checks of what is installed."""

from __future__ import annotations

import sys
from pathlib import Path

import llama_cpp
import pytest

from hpd import _native
from hpd.bench import doctor
from hpd.bench.doctor import examine
from hpd.version import __version__


def test_versions() -> None:
    check = doctor.check_engine()
    assert check.state == "ok"
    assert check.details["hpd"] == __version__
    assert check.details["llama-cpp-python"] == _native.LLAMA_CPP_PYTHON


def test_without_its_engine_nothing_else_is_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr("hpd._native")
    monkeypatch.setitem(sys.modules, "hpd._native", None)
    first, *rest = examine()
    assert first.state == "broken"
    assert "the engine cannot be loaded" in first.text
    assert "install it anew" in first.remedy
    assert [check.name for check in rest] == ["memory", "cache"]


@pytest.mark.parametrize(
    ("paths", "state"),
    [
        (["/a/libllama.so"], "ok"),
        (["/a/libllama.so", "/a/libllama.so"], "ok"),
        (["/a/libllama.so", "/b c/libllama.so.0"], "broken"),
        ([], "broken"),
    ],
)
def test_more_than_one_library_is_a_fault(tmp_path: Path, paths: list[str], state: str) -> None:
    maps = tmp_path / "maps"
    lines = [f"7f00-7f01 r-xp 00000000 08:01 42    {path}" for path in ["/lib/libc.so", *paths]]
    maps.write_text("\n".join(lines))
    check = doctor.check_library(maps)
    assert check.state == state
    assert check.details["paths"] == sorted(set(paths))


def test_this_process_has_one_library() -> None:
    assert doctor.check_library().state == "ok"


def test_features_that_llama_cpp_was_built_without(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "cpu_flags", lambda: frozenset({"avx2", "avx512f", "other"}))
    monkeypatch.setattr(llama_cpp, "llama_print_system_info", lambda: b"CPU : AVX2 = 1 | FMA = 1")
    check = doctor.check_processor()
    assert check.state == "note"
    assert check.text.endswith("AVX2, AVX512; llama.cpp was built without AVX512, so it is slow")
    assert "-DGGML_NATIVE=ON" in check.remedy
    monkeypatch.setattr(doctor, "cpu_flags", lambda: None)
    assert doctor.check_processor().state == "ok"


@pytest.mark.parametrize(
    ("names", "can_offload", "nvidia", "state", "says"),
    [
        (["Fast One"], True, True, "ok", "Fast One"),
        ([], True, False, "note", "none was found"),
        ([], False, True, "note", "built for processors only"),
        ([], False, False, "ok", "none"),
    ],
)
def test_gpus(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    names: list[str],
    can_offload: bool,
    nvidia: bool,
    state: str,
    says: str,
) -> None:
    monkeypatch.setattr(doctor, "devices", lambda: names)
    monkeypatch.setattr(llama_cpp, "llama_supports_gpu_offload", lambda: can_offload)
    if nvidia:
        (tmp_path / "gpus" / "0000").mkdir(parents=True)
    check = doctor.check_gpu(tmp_path / "gpus")
    assert (check.state, bool(check.remedy)) == (state, state == "note")
    assert says in check.text
