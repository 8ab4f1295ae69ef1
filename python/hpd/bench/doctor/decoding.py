"""Checks that decode: the self-test with the model in the box, and a trial of the user's model."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any

from hpd.bench.doctor.checks import Check
from hpd.bench.doctor.questions import stored_questions
from hpd.errors import ModelLoadError
from hpd.models.hardware import devices
from hpd.models.memory import memory
from hpd.models.memory_need import memory_need, shortage
from hpd.models.model_files import box_model
from hpd.options import Options

_SECONDS = 600
_TOLERANCE = 0.1
"""Confidences differ a little from processor to processor; a wrong result differs by far more."""

_CRASHES = {
    -int(number): text
    for number, text in (
        (getattr(signal, "SIGILL", 4), "it met an instruction that this processor lacks"),
        (getattr(signal, "SIGSEGV", 11), "it touched memory that is not its own"),
        (getattr(signal, "SIGABRT", 6), "llama.cpp gave up"),
        (getattr(signal, "SIGKILL", 9), "it was killed, most likely as memory ran out"),
    )
}
_CRASH_REMEDY = (
    "try HPD_EXTRA_BUFTS=0, which leaves out AMX and repacked weights; if that helps, build "
    'llama-cpp-python with CMAKE_ARGS="-DCMAKE_CXX_FLAGS=-fno-dse"'
)


def check_self_test() -> Iterator[Check]:
    """The answers of the model in the box against those stored, and how it came by them."""
    try:
        box = box_model()
    except ModelLoadError as error:
        yield Check("self-test", "note", f"left out: {error}")
        return
    outcome = _tried("self-test", box)
    if isinstance(outcome, Check):
        yield outcome
        return
    yield _attention(outcome)
    stored = stored_questions()["questions"]
    wrong = [
        difference
        for question, answer in zip(stored, outcome["answers"], strict=True)
        for difference in _differences(question, answer)
    ]
    yield _tuned(outcome["tuned"], box)
    n_values = sum(len(question["confidences"]) for question in stored)
    took = f"{n_values} values of {len(stored)} documents in {outcome['seconds']:.2f} s"
    details = {"seconds": outcome["seconds"], "wrong": wrong}
    if not wrong:
        yield Check("self-test", "ok", f"{took}, all as they should be", details=details)
        return
    yield Check(
        "self-test",
        "broken",
        f"{took}, {len(wrong)} of them wrong: {'; '.join(wrong[:3])}",
        "results of this installation cannot be trusted: build llama-cpp-python anew "
        "(pip install --force-reinstall --no-cache-dir --no-binary llama-cpp-python "
        "llama-cpp-python), and report what hpd doctor --json prints if that does not help",
        details,
    )


def check_model(model: Path) -> Iterator[Check]:
    """Whether a model fits into memory, loads and decodes, and the settings tuned for it."""
    fitting = _fitting(model)
    yield fitting
    if fitting.state == "broken":
        return
    outcome = _tried("model", model)
    if isinstance(outcome, Check):
        yield outcome
        return
    yield Check(
        "model",
        "ok",
        f"{model.name} loads and answers: {len(outcome['answers'])} documents in "
        f"{outcome['seconds']:.2f} s",
        details={"path": str(model), "seconds": outcome["seconds"]},
    )
    yield _tuned(outcome["tuned"], model)


def _fitting(model: Path) -> Check:
    """The memory that a model takes with default options."""
    try:
        need = memory_need(model, Options())
        problem = shortage(model, Options(), memory())
    except ModelLoadError as error:
        return Check("fitting", "broken", str(error))
    details = {each.name: getattr(need, each.name) for each in fields(need)}
    if problem and not devices():
        return Check("fitting", "broken", f"{problem}; so it is not tried", details=details)
    return Check("fitting", "ok", f"{model.name} takes about {need.in_words()}", details=details)


def _tuned(tuned: dict[str, int], model: Path) -> Check:
    """The settings that ``hpd tune`` found for a model."""
    if not tuned:
        text = f"none for {model.name}; hpd tune finds the fastest settings for documents of yours"
        return Check("tuned", "ok", text)
    settings = ", ".join(f"{name} {value}" for name, value in tuned.items())
    return Check("tuned", "ok", f"for {model.name}: {settings}", details=tuned)


def _attention(outcome: dict[str, Any]) -> Check:
    """The attention kernel that was used, and the reasons why others were not."""
    n_taken, n_left = outcome["n_attention_taken"], outcome["n_attention_left"]
    kernels: list[tuple[str, str]] = outcome["attention_kernels"]
    details = {"n_taken": n_taken, "n_left": n_left, "kernels": dict(kernels)}
    unfit = [f"{name} is not used with this llama.cpp: {why}" for name, why in kernels if why]
    usable = next((name for name, why in kernels if not why), None)
    if n_taken:
        text = "; ".join([f"hpd's kernel {usable} is used", *unfit])
        return Check("attention", "ok", text, details=details)
    import llama_cpp

    if llama_cpp.llama_supports_gpu_offload():
        why = "llama.cpp was built for GPUs, and its own is used there"
        return Check("attention", "ok", f"llama.cpp's own: {why}", details=details)
    if usable is not None:
        unfit = [f"hpd's kernel {usable} could be used, but this model's attention is not for it"]
    why = "; ".join(unfit) or "hpd has no kernel for this processor"
    return Check(
        "attention",
        "note",
        f"llama.cpp's own, which is slower for many values at once: {why}",
        "take the release of llama-cpp-python that hpd was built for, on a processor with AVX2",
        details,
    )


def _tried(name: str, model: Path) -> dict[str, Any] | Check:
    """The outcome of the trial with the lines that it logged, or the check that it failed."""
    command = [sys.executable, "-m", "hpd.bench.doctor.trial", str(model)]
    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return Check(name, "broken", f"could not be run to its end: {error}", _CRASH_REMEDY)
    log = [line for line in done.stderr.splitlines() if line.strip()]
    if done.returncode < 0:
        why = _CRASHES.get(done.returncode, f"signal {-done.returncode}")
        return Check(name, "broken", f"the process died while decoding: {why}", _CRASH_REMEDY)
    try:
        outcome: dict[str, Any] = json.loads(done.stdout)
    except ValueError:
        remedy = "after a change of hpd, install it anew: `pip install .` in its checkout"
        return Check(name, "broken", f"failed: {log[-1] if log else 'without a word'}", remedy)
    return {**outcome, "log": log}


def _differences(stored: dict[str, Any], answer: dict[str, Any]) -> Iterator[str]:
    for name, value in stored["data"].items():
        if answer["data"].get(name) != value:
            yield f"{name} is {answer['data'].get(name)!r}, not {value!r}"
            continue
        confidence = answer["confidences"].get(name, 0.0)
        if not abs(confidence - stored["confidences"][name]) < _TOLERANCE:
            expected = stored["confidences"][name]
            yield f"{name} is {value!r} with confidence {confidence}, not {expected}"
