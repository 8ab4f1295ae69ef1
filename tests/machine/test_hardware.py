"""Finding out what this machine can do, in a process that may die of it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from hpd.machine import hardware
from hpd.machine.cache import CACHE_VARIABLE
from tiny_models import TinyModel


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path / "cache"))
    monkeypatch.delenv(hardware.EXTRA_BUFTS_VARIABLE, raising=False)
    hardware.use_extra_bufts.cache_clear()
    yield
    hardware.use_extra_bufts.cache_clear()


def test_the_probe_succeeds_where_the_kernels_work(tiny_model: TinyModel) -> None:
    """F32 weights have no AMX kernels: the probe must live, and say that it did."""
    command = [sys.executable, "-m", "hpd.machine.amx_probe", str(tiny_model("qwen3"))]
    assert subprocess.run(command, timeout=120, check=False).returncode == 0


def test_the_answer_is_remembered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tries = []

    def survives() -> bool:
        tries.append(1)
        return False

    monkeypatch.setattr(hardware, "_survives", survives)
    monkeypatch.setattr(hardware, "_has_amx", lambda: True)
    assert not hardware.use_extra_bufts()
    hardware.use_extra_bufts.cache_clear()
    assert not hardware.use_extra_bufts()
    assert len(tries) == 1
    (file,) = (tmp_path / "cache").iterdir()
    file.write_text("half a li")
    hardware.use_extra_bufts.cache_clear()
    assert not hardware.use_extra_bufts()
    assert len(tries) == 2


def test_nothing_is_tried_without_amx_or_against_the_users_word(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def never() -> bool:
        raise AssertionError("tried")

    monkeypatch.setattr(hardware, "_survives", never)
    monkeypatch.setattr(hardware, "_has_amx", lambda: False)
    assert hardware.use_extra_bufts()
    monkeypatch.setattr(hardware, "_has_amx", lambda: True)
    for word, expected in (("0", False), ("1", True)):
        monkeypatch.setenv(hardware.EXTRA_BUFTS_VARIABLE, word)
        hardware.use_extra_bufts.cache_clear()
        assert hardware.use_extra_bufts() is expected


def test_a_child_that_dies_means_no(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hardware.sys, "executable", "/bin/false")
    assert not hardware._survives()
