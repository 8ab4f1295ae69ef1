"""The self-test of ``hpd doctor``, and its trial of a model."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from hpd.bench import doctor
from hpd.bench.doctor import Check, stored_questions
from hpd.models.memory import Memory


def by_name(checks: Any) -> dict[str, Check]:
    return {check.name: check for check in checks}


def test_the_self_test_passes_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HPD_MODEL", "not the one in the box.gguf")
    checks = by_name(doctor.check_self_test())
    assert checks["self-test"].state == "ok", checks["self-test"].text
    assert "28 values of 4 documents" in checks["self-test"].text
    assert checks["attention"].state == "ok"
    if kernels := checks["attention"].details["kernels"]:
        assert f"hpd's kernel {next(iter(kernels))} is used" in checks["attention"].text


def test_the_stored_answers_are_no_near_ties() -> None:
    """Rounding, which differs from processor to processor, must not decide them."""
    for question in stored_questions()["questions"]:
        assert min(question["confidences"].values()) > 0.9, question


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"data": {"Brand": "Somebody"}}, "Brand is 'Diesel', not 'Somebody'"),
        ({"confidences": {"Color": 0.5}}, "Color is 'Black' with confidence"),
    ],
)
def test_other_answers_are_broken(
    monkeypatch: pytest.MonkeyPatch, change: dict[str, dict[str, Any]], says: str
) -> None:
    stored = stored_questions()
    for key, values in change.items():
        stored["questions"][0][key].update(values)
    monkeypatch.setattr(doctor, "stored_questions", lambda: stored)
    check = by_name(doctor.check_self_test())["self-test"]
    assert check.state == "broken"
    assert "1 of them wrong" in check.text
    assert says in check.text
    assert check.remedy


def program(tmp_path: Path, text: str) -> str:
    """A stand-in for Python."""
    file = tmp_path / "python"
    file.write_text(f"#!/bin/sh\n{text}\n")
    file.chmod(0o755)
    return str(file)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("kill -ILL $$", "died while decoding: it met an instruction that this processor lacks"),
        ("kill -KILL $$", "died while decoding: it was killed, most likely as memory ran out"),
        ("kill -ALRM $$", "died while decoding: signal 14"),
        ("echo the model is odd >&2; exit 1", "failed: the model is odd"),
        ("true", "failed: without a word"),
    ],
)
def test_a_trial_that_ends_otherwise_is_broken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, says: str
) -> None:
    monkeypatch.setattr(sys, "executable", program(tmp_path, text))
    (check,) = doctor.check_self_test()
    assert check.state == "broken"
    assert says in check.text


def outcome(**changes: Any) -> str:
    stored = stored_questions()
    answers = [{key: q[key] for key in ("data", "confidences")} for q in stored["questions"]]
    whole = {"answers": answers, "seconds": 1.0, "tuned": {}, "attention_kernels": []}
    return json.dumps({**whole, "n_attention_taken": 0, "n_attention_left": 9, **changes})


@pytest.mark.parametrize(
    ("n_taken", "kernels", "state", "says"),
    [
        (9, [("avx512", ""), ("avx2", "")], "ok", "hpd's kernel avx512 is used"),
        (
            9,
            [("avx512", "its results are wrong"), ("avx2", "")],
            "ok",
            "hpd's kernel avx2 is used; avx512 is not used with this llama.cpp: its results are",
        ),
        (0, [("avx2", "nodes differ")], "note", "avx2 is not used with this llama.cpp: nodes dif"),
        (0, [], "note", "hpd has no kernel for this processor"),
        (0, [("avx2", "")], "note", "hpd's kernel avx2 could be used, but this"),
    ],
)
def test_the_attention_kernel_is_named_and_why_others_are_off(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    n_taken: int,
    kernels: list[tuple[str, str]],
    state: str,
    says: str,
) -> None:
    changes = {"tuned": {"n_batch": 256}, "attention_kernels": kernels}
    (tmp_path / "outcome").write_text(outcome(n_attention_taken=n_taken, **changes))
    monkeypatch.setattr(sys, "executable", program(tmp_path, f"cat {tmp_path}/outcome"))
    checks = by_name(doctor.check_self_test())
    assert checks["attention"].state == state
    assert says in checks["attention"].text
    assert "n_batch 256" in checks["tuned"].text
    assert checks["self-test"].state == "ok"


def test_without_a_model_in_the_box_the_self_test_is_left_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("hpd.models.model_files.BOX_NAME", "none.gguf")
    (check,) = doctor.check_self_test()
    assert (check.state, check.text.split(":")[0]) == ("note", "left out")


def test_a_model_is_tried(tiny_model: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tiny_model("qwen3")
    checks = by_name(doctor.check_model(path))
    assert checks["model"].state == "ok"
    assert f"{path.name} takes about" in checks["fitting"].text
    assert checks["tuned"].text.startswith(f"none for {path.name}")
    (tmp_path / "broken.gguf").write_bytes(b"GGUF" + bytes(60))
    (check,) = doctor.check_model(tmp_path / "broken.gguf")
    assert check.state == "broken"
    monkeypatch.setattr(doctor, "memory", lambda: Memory(None, None, 1_000_000))
    (check,) = doctor.check_model(path)
    assert check.state == "broken"
    assert "1 MB are available: take a smaller model; so it is not tried" in check.text
