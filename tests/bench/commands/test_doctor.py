"""``hpd doctor``: what it prints, and its exit code."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import hpd.bench.doctor
from command_line import run_hpd
from hpd.bench.doctor import Check
from hpd.cli import main

CHECKS = [
    Check("engine", "ok", "all there"),
    Check("cache", "note", "cannot be written " * 9, "name another folder"),
    Check("self-test", "broken", "wrong", "build it anew " * 9, {"wrong": ["a"]}),
]


def test_the_doctor_finds_this_installation_in_order() -> None:
    done = run_hpd("doctor")
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    names = [line[8:].split()[0] for line in done.stdout.splitlines() if line[:1].strip()]
    assert names[:4] == ["versions", "libllama", "processor", "gpu"]
    assert "self-test" in names


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> list[Path | None]:
    tried: list[Path | None] = []

    def examine(model: Path | None) -> list[Check]:
        tried.append(model)
        return CHECKS

    monkeypatch.setattr(hpd.bench.doctor, "examine", examine)
    return tried


def test_what_is_broken_is_1_and_comes_with_its_remedy(
    patient: list[Path | None],
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    assert main(["doctor"]) == 1
    lines = capfd.readouterr().out.splitlines()
    assert lines[0] == "ok      engine     all there"
    assert lines[-1] == "1 broken, 1 to be noted"
    assert max(map(len, lines)) <= 60
    assert "                   > name another folder" in lines
    assert patient == [None]


def test_json_for_programs(patient: list[Path | None], capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", "--json"]) == 1
    whole = json.loads(capfd.readouterr().out)
    assert whole["ok"] is False
    assert [check["state"] for check in whole["checks"]] == ["ok", "note", "broken"]
    assert whole["checks"][2]["details"] == {"wrong": ["a"]}


def test_a_named_model_is_tried(
    patient: list[Path | None], random_model: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    main(["doctor", "-m", random_model])
    monkeypatch.setenv("HPD_MODEL", random_model)
    main(["doctor"])
    assert patient == [Path(random_model)] * 2
    assert main(["doctor", "-m", "gone.gguf"]) == 1
    assert len(patient) == 2
