"""Finding out what this machine can do, in a process that may die of it."""

from pathlib import Path

import pytest

from hpd import _native
from hpd.errors import ModelLoadError
from hpd.models import hardware
from hpd.models.cache import CACHE_VARIABLE


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path / "cache"))
    monkeypatch.delenv(hardware.AMX_VARIABLE, raising=False)
    hardware.use_amx.cache_clear()
    yield
    hardware.use_amx.cache_clear()


def child(tmp_path, monkeypatch, ends):
    """Let a script be the child that tries; return the file with the arguments of each one."""
    python, tries = tmp_path / "python", tmp_path / "tries"
    python.write_text(f"#!/bin/sh\necho $@ >> {tries}\n{ends}\n")
    python.chmod(0o755)
    monkeypatch.setattr(hardware, "bundled_model", lambda: tmp_path / "model.gguf")
    monkeypatch.setattr(hardware.sys, "executable", str(python))
    return tries


@pytest.mark.parametrize("works", [True, False])
def test_the_answer_is_remembered(tmp_path, monkeypatch, works):
    tries = child(tmp_path, monkeypatch, "exit 0" if works else "exit 1")
    monkeypatch.setattr(hardware, "has_amx", lambda: True)
    assert hardware.use_amx() is works
    hardware.use_amx.cache_clear()
    assert hardware.use_amx() is works
    assert len(tries.read_text().splitlines()) == 1
    (file,) = (tmp_path / "cache").iterdir()
    file.write_text("half a li")
    hardware.use_amx.cache_clear()
    assert hardware.use_amx() is works
    assert len(tries.read_text().splitlines()) == 2


def test_another_processor_or_library_is_tried_again(monkeypatch):
    before = hardware._fingerprint()
    assert hardware._fingerprint() == before
    monkeypatch.setattr(hardware, "cpu_flags", lambda: frozenset({"amx_tile", "new"}))
    assert hardware._fingerprint() != before


def test_nothing_is_tried_without_amx_or_against_the_users_word(tmp_path, monkeypatch):
    tries = child(tmp_path, monkeypatch, "exit 0")
    monkeypatch.setattr(hardware, "has_amx", lambda: False)
    assert not hardware.use_amx()
    hardware.use_amx.cache_clear()
    monkeypatch.setattr(hardware, "has_amx", lambda: True)
    struck = []
    monkeypatch.setattr(_native, "leave_out_amx", lambda: struck.append(1))
    for word, expected in (("0", False), ("1", True)):
        monkeypatch.setenv(hardware.AMX_VARIABLE, word)
        hardware.use_amx.cache_clear()
        assert hardware.use_amx() is expected
        assert len(struck) == 1
    assert not tries.exists()


@pytest.mark.parametrize(
    ("machine", "flags", "has_amx"),
    [
        ("x86_64", {"avx512f", "amx_tile"}, True),
        ("AMD64", {"amx_tile"}, True),
        ("x86_64", {"avx512f"}, False),
        ("x86_64", None, True),  # it cannot be asked
        ("arm64", {"amx_tile"}, False),
    ],
)
def test_amx_is_a_flag_of_the_processor(monkeypatch, machine, flags, has_amx):
    monkeypatch.setattr(hardware.platform, "machine", lambda: machine)
    monkeypatch.setattr(hardware, "cpu_flags", lambda: None if flags is None else frozenset(flags))
    assert hardware.has_amx() is has_amx


def test_without_a_model_nothing_can_be_tried(monkeypatch):
    def no_model():
        raise ModelLoadError("the box is empty")

    monkeypatch.setattr(hardware, "bundled_model", no_model)
    assert not hardware._survives()


@pytest.mark.parametrize(
    ("ends", "survives"), [("exit 0", True), ("exit 1", False), ("kill -SEGV $$", False)]
)
def test_a_child_decides_by_how_it_ends(tmp_path, monkeypatch, ends, survives):
    tries = child(tmp_path, monkeypatch, ends)
    assert hardware._survives() is survives
    arguments = tries.read_text().split()
    assert arguments == ["-m", "hpd.models.hardware", str(tmp_path / "model.gguf")]


def test_a_child_that_decodes_lives(tiny_model, monkeypatch):
    """F32 weights have no AMX kernels: the probe must live, and say that it did."""
    monkeypatch.setattr(hardware, "bundled_model", lambda: tiny_model("qwen3"))
    monkeypatch.setattr(hardware, "PROBE_SECONDS", 600)
    assert hardware._survives()


@pytest.mark.parametrize(
    ("names", "n_gpu_layers", "place"),
    [
        ([], -1, "Chip (3 cores)"),
        (["Fast One"], 0, "Chip (3 cores)"),
        (["Fast One"], -1, "Fast One (all layers)"),
        (["Fast One", "Other"], 7, "Fast One, Other (7 layers at most)"),
    ],
)
def test_the_place_where_a_model_is_computed(monkeypatch, names, n_gpu_layers, place):
    monkeypatch.setattr(hardware, "devices", lambda: names)
    monkeypatch.setattr(hardware, "processor", lambda: "Chip")
    monkeypatch.setattr(hardware, "n_cores", lambda: 3)
    assert hardware.device_summary(n_gpu_layers) == place


def test_only_gpus_are_devices(monkeypatch):
    found = [
        ("CPU", "EPYC"),
        ("GPU", "H100"),
        ("IGPU", "Iris"),
        ("ACCEL", "Accelerate"),
        ("META", "Group"),
    ]
    monkeypatch.setattr(_native, "devices", lambda: found)
    assert hardware.devices() == ["H100", "Iris"]


def test_the_processor_is_a_device():
    assert "CPU" in [kind for kind, _ in _native.devices()]


def test_the_library_of_the_processor_is_one_of_llama_cpps():
    library = _native.cpu_library()
    assert Path(library).parent == _native.LIBRARIES
    assert "ggml-cpu" in Path(library).name
