"""Checks of the installation: what it runs on, whether it works, and what to do if not."""

from __future__ import annotations

import json
import os
import platform
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, Literal

from hpd.errors import HpdError, ModelLoadError
from hpd.models.cache import CACHE_VARIABLE, cache_folder
from hpd.models.hardware import (
    AMX_VARIABLE,
    cpu_flags,
    devices,
    has_amx,
    llama_cpp_version,
    n_cores,
    processor,
    use_amx,
)
from hpd.models.memory import memory, memory_need, readable_size, shortage
from hpd.models.model_files import bundled_model
from hpd.options import Options
from hpd.version import __version__

CheckState = Literal["ok", "note", "broken"]
"""``note``: it works, but not as well as it could."""


@dataclass(frozen=True, slots=True)
class Check:
    """The outcome of one check."""

    name: str
    state: CheckState
    text: str
    """The state of things, for people."""
    remedy: str = ""
    """The steps that mend or improve it; empty: none are needed."""
    details: Mapping[str, Any] = field(default_factory=dict)
    """The same for programs."""

    def to_dict(self) -> dict[str, Any]:
        """The object in the output of ``hpd doctor --json``."""
        result: dict[str, Any] = {"name": self.name, "state": self.state, "text": self.text}
        if self.remedy:
            result["remedy"] = self.remedy
        return {**result, **({"details": dict(self.details)} if self.details else {})}


_FEATURES = {
    "avx2": "AVX2",
    "f16c": "F16C",
    "fma": "FMA",
    "avx_vnni": "AVX_VNNI",
    "avx512f": "AVX512",
    "avx512_vnni": "AVX512_VNNI",
    "avx512_bf16": "AVX512_BF16",
    "amx_int8": "AMX_INT8",
    "asimddp": "DOTPROD",
    "i8mm": "MATMUL_INT8",
    "sve": "SVE",
}
"""Features of processors that matter to llama.cpp: Linux's name of each, and llama.cpp's own."""

_REBUILD = (
    'CMAKE_ARGS="{}" pip install --force-reinstall --no-cache-dir --no-binary llama-cpp-python '
    "llama-cpp-python=={}"
)
_REBUILD_BUNDLED = 'CMAKE_ARGS="{}" pip install . (in a checkout of hpd)'


def check_engine() -> Check:
    """The compiled engine and its versions; without it nothing else can be tried."""
    versions = {"hpd": __version__, "Python": platform.python_version()}
    libc, libc_version = platform.libc_ver()
    if libc:
        versions[libc] = libc_version
    try:
        versions["llama.cpp"] = llama_cpp_version()
    except HpdError as error:
        return Check("versions", "broken", f"{_listed(versions)}: {error}", details=versions)
    except (ImportError, OSError, RuntimeError) as error:
        return Check(
            "versions",
            "broken",
            f"{_listed(versions)}: the engine cannot be loaded: {error}",
            "reinstall it: `pip install --force-reinstall .` in its checkout",
            versions,
        )
    return Check("versions", "ok", _listed(versions), details=versions)


def check_library(maps: Path = Path("/proc/self/maps")) -> Check:
    """The one libllama in this process; two would each have a state of their own."""
    from hpd import _native

    try:
        lines = maps.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        text = f"in {_native.LIBRARIES}; the system does not tell what is mapped"
        return Check("libllama", "ok", text)
    # That of llama-cpp-python does not meet the bundled one, which has a name of its own.
    library = "/libhpd-llama." if _native.BUNDLED else "/libllama."
    paths = sorted({line[line.index("/") :] for line in lines if library in line})
    details = {"paths": paths}
    if len(paths) == 1:
        return Check("libllama", "ok", paths[0], details=details)
    return Check(
        "libllama",
        "broken",
        f"{len(paths)} are mapped: {', '.join(paths) or 'none'}",
        "start hpd without LD_PRELOAD and LD_LIBRARY_PATH, and import no other package that brings "
        "a llama.cpp of its own",
        details,
    )


def check_processor() -> Check:
    """The processor, and whether llama.cpp was built for all that it can."""
    from hpd import _native

    built = _native.system_info()
    library = Path(_native.cpu_library()).name
    flags = cpu_flags() or frozenset()
    features = [name for flag, name in _FEATURES.items() if flag in flags]
    unused = [name for name in features if f"{name} = 1" not in built]
    text = f"{processor()}, {n_cores()} cores" + (f": {', '.join(features)}" if features else "")
    details = {
        "features": features,
        "n_cores": n_cores(),
        "llama_cpp": built.strip(),
        "library": library,
    }
    if _native.BUNDLED:  # the best of its variants for this processor was loaded
        text = f"{text}; llama.cpp computes with {library}"
        return Check("processor", "ok", text, details=details)
    if not unused:
        return Check("processor", "ok", text, details=details)
    return Check(
        "processor",
        "note",
        f"{text}; llama.cpp was built without {', '.join(unused)}, so it is slow",
        f"build it for this processor: {_rebuild('-DGGML_NATIVE=ON')}",
        details,
    )


def check_gpu(nvidia: Path = Path("/proc/driver/nvidia/gpus")) -> Check:
    """The devices on which llama.cpp computes."""
    from hpd import _native

    names = devices()
    can_offload = _native.supports_gpu_offload()
    details = {"devices": names, "built_for_gpus": can_offload}
    if names:
        return Check("gpu", "ok", ", ".join(names), details=details)
    if can_offload:
        return Check(
            "gpu",
            "note",
            "none was found, though llama.cpp was built for GPUs",
            "see whether the driver knows it (nvidia-smi, vulkaninfo, rocminfo)",
            details,
        )
    if nvidia.is_dir() and any(nvidia.iterdir()):
        return Check(
            "gpu",
            "note",
            "there is one by NVIDIA, but llama.cpp was built for processors only",
            f"build it for CUDA: {_rebuild('-DGGML_CUDA=ON')}",
            details,
        )
    return Check("gpu", "ok", "none; llama.cpp was built for processors only", details=details)


def _rebuild(arguments: str) -> str:
    """The command that builds llama.cpp with these arguments of CMake."""
    from hpd import _native

    command = _REBUILD_BUNDLED if _native.BUNDLED else _REBUILD
    return command.format(arguments, _native.LLAMA_CPP_PYTHON)


def _listed(versions: dict[str, str]) -> str:
    return ", ".join(f"{name} {version}" for name, version in versions.items())


def check_memory() -> Check:
    """The memory of the computer, and how much of it there is for hpd."""
    now = memory()
    sizes = {"total": now.total, "limit": now.limit, "available": now.available}
    known = [f"{name} {readable_size(size)}" for name, size in sizes.items() if size is not None]
    return Check("memory", "ok", ", ".join(known) or "the system does not tell", details=sizes)


def check_amx() -> Check:
    """Whether AMX is used; where there is AMX, a child process tries it."""
    forced = os.environ.get(AMX_VARIABLE)
    used = use_amx()
    details = {"used": used, "amx": has_amx(), "forced": forced}
    if not has_amx():
        return Check("AMX", "ok", "this processor has none", details=details)
    if forced in ("0", "1"):
        text = f"{'on' if used else 'off'}, as {AMX_VARIABLE}={forced} demands"
        remedy = "" if used else f"unset {AMX_VARIABLE}: hpd finds out by itself what works"
        return Check("AMX", "ok" if used else "note", text, remedy, details)
    if used:
        return Check("AMX", "ok", "on: it works here, as a trial showed", details=details)
    return Check(
        "AMX",
        "note",
        "off: llama.cpp's code for AMX crashed in a trial",
        f"build it so that AMX works: {_rebuild('-DCMAKE_CXX_FLAGS=-fno-dse')}",
        details,
    )


def check_cache() -> Check:
    """The folder for what has been learnt about this machine."""
    remedy = f"name a folder that can be written, with {CACHE_VARIABLE}"
    try:
        folder = cache_folder()
        names = sorted(entry.name for entry in folder.iterdir()) if folder.exists() else []
        writable = _is_writable(folder)
    except (OSError, RuntimeError) as error:  # no home folder, or no folder at all
        return Check("cache", "note", f"cannot be read: {error}", remedy)
    n_tuned = sum(name.startswith("tuned-") for name in names)
    details = {"folder": str(folder), "files": names, "writable": writable}
    content = f"{len(names)} file{'s' * (len(names) != 1)}, {n_tuned} with tuned settings"
    text = f"{folder}: {content if names else 'empty'}"
    if writable:
        return Check("cache", "ok", text, details=details)
    what = "so the trial of AMX is repeated each time, and hpd tune cannot keep what it finds"
    return Check("cache", "note", f"{text}; it cannot be written, {what}", remedy, details)


def _is_writable(folder: Path) -> bool:
    """Whether files can be made in a folder, which is made where the first one is written."""
    nearest = next(path for path in (folder, *folder.parents) if path.exists())
    return nearest.is_dir() and os.access(nearest, os.W_OK | os.X_OK)


SELF_TEST_FILE = Path(__file__).with_name("self_test.json")
"""``python -m tools.self_test`` writes the answers."""


def stored_questions() -> dict[str, Any]:
    """The ``schema``, and ``questions``: of each its text, data, and confidences by dotted path."""
    content: dict[str, Any] = json.loads(SELF_TEST_FILE.read_text(encoding="utf-8"))
    return content


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
    "try HPD_AMX=0, which leaves out AMX; if that helps, build "
    'llama-cpp-python with CMAKE_ARGS="-DCMAKE_CXX_FLAGS=-fno-dse"'
)


def check_self_test() -> Iterator[Check]:
    """The answers of the bundled model against those stored, and how it came by them."""
    try:
        bundled = bundled_model()
    except ModelLoadError as error:
        yield Check("self-test", "note", f"left out: {error}")
        return
    outcome = _tried("self-test", bundled)
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
    yield _tuned(outcome["tuned"], bundled)
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
        "results of this installation cannot be trusted: build llama.cpp for this processor "
        f"({_rebuild('-DGGML_NATIVE=ON')}), and report what hpd doctor --json prints if that does "
        "not help",
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
    from hpd import _native

    if _native.supports_gpu_offload():
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
    command = [sys.executable, "-m", "hpd.bench.doctor_trial", str(model)]
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
        remedy = "after a change of hpd, reinstall it: `pip install .` in its checkout"
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


def run_checks(model: Path | None = None) -> Iterator[Check]:
    """Every check as soon as it is done.

    Args:
        model: the file of a model to try as well; None: only the bundled one.
    """
    engine = check_engine()
    yield engine
    if engine.state == "broken":
        yield check_memory()
        yield check_cache()
        return
    yield check_library()
    yield check_processor()
    yield check_gpu()
    yield check_memory()
    yield check_cache()
    yield check_amx()
    yield from check_self_test()
    if model is not None:
        yield from check_model(model)
