"""Checks of the installation: its environment, whether it works, and remedies.

``python -m hpd.bench.doctor MODEL.gguf`` is the trial of a model. It is a separate process, as
llama.cpp may crash on a processor for which it was not built, or if memory is short.
"""

from __future__ import annotations

import json
import os
import platform
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal

from hpd.errors import HpdError, ModelLoadError
from hpd.messages import counted
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
from hpd.values.confidence import NO_CALIBRATION
from hpd.version import __version__

CheckState = Literal["ok", "note", "broken"]
"""``note``: works, but could be better."""


@dataclass(frozen=True, slots=True)
class Finding:
    """The outcome of one check."""

    name: str
    state: CheckState
    text: str
    """The finding, for people."""
    remedy: str = ""
    """How to repair or improve it; empty if nothing is needed."""
    details: Mapping[str, Any] = field(default_factory=dict)
    """The finding, for programs."""

    def to_dict(self) -> dict[str, Any]:
        """Return the object in the output of ``hpd doctor --json``."""
        return {name: value for name, value in asdict(self).items() if value}


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
"""Features of processors that llama.cpp uses: Linux's names, and llama.cpp's."""

_REBUILD = (
    'CMAKE_ARGS="{}" pip install --force-reinstall --no-cache-dir --no-binary llama-cpp-python '
    "llama-cpp-python=={}"
)
_REBUILD_BUNDLED = 'CMAKE_ARGS="{}" pip install . (in a checkout of hpd)'


def check_engine() -> Finding:
    """Check that the compiled engine loads, and its versions; other checks need it."""
    versions = {"hpd": __version__, "Python": platform.python_version()}
    libc, libc_version = platform.libc_ver()
    if libc:
        versions[libc] = libc_version
    try:
        versions["llama.cpp"] = llama_cpp_version()
    except HpdError as error:
        why = f"{_version_list(versions)}: {error}"
        return Finding("versions", "broken", why, details=versions)
    except (ImportError, OSError, RuntimeError) as error:
        return Finding(
            "versions",
            "broken",
            f"{_version_list(versions)}: the engine cannot be loaded: {error}",
            "reinstall it: `pip install --force-reinstall .` in its checkout",
            versions,
        )
    return Finding("versions", "ok", _version_list(versions), details=versions)


def check_library(maps: Path = Path("/proc/self/maps")) -> Finding:
    """Check that this process has only one libllama; two would have separate states."""
    from hpd import _native

    try:
        lines = maps.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        text = f"in {_native.LIBRARIES}; mapped libraries are unknown on this system"
        return Finding("libllama", "ok", text)
    # The bundled library has its own name, so llama-cpp-python's does not interfere with it.
    library = "/libhpd-llama." if _native.BUNDLED else "/libllama."
    paths = sorted({line[line.index("/") :] for line in lines if library in line})
    details = {"paths": paths}
    if len(paths) == 1:
        return Finding("libllama", "ok", paths[0], details=details)
    return Finding(
        "libllama",
        "broken",
        f"{len(paths)} are mapped: {', '.join(paths) or 'none'}",
        "start hpd without LD_PRELOAD and LD_LIBRARY_PATH, and import no other package that has "
        "its own llama.cpp",
        details,
    )


def check_processor() -> Finding:
    """Check that llama.cpp was built for all features of the processor."""
    from hpd import _native

    built = _native.system_info()
    library = Path(_native.cpu_library()).name
    flags = cpu_flags() or frozenset()
    features = [name for flag, name in _FEATURES.items() if flag in flags]
    unused = [name for name in features if f"{name} = 1" not in built]
    text = f"{processor()}, {counted(n_cores(), 'core')}"
    text += f": {', '.join(features)}" if features else ""
    details = {
        "features": features,
        "n_cores": n_cores(),
        "llama_cpp": built.strip(),
        "library": library,
    }
    if _native.BUNDLED:  # the best of its variants for this processor was loaded
        text += f"; llama.cpp computes with {library}"
    if _native.BUNDLED or not unused:
        return Finding("processor", "ok", text, details=details)
    return Finding(
        "processor",
        "note",
        f"{text}; llama.cpp was built without {', '.join(unused)}, so it is slow",
        f"build it for this processor: {_rebuild('-DGGML_NATIVE=ON')}",
        details,
    )


def check_gpu(nvidia: Path = Path("/proc/driver/nvidia/gpus")) -> Finding:
    """Check the devices on which llama.cpp computes."""
    from hpd import _native

    names = devices()
    can_offload = _native.supports_gpu_offload()
    details = {"devices": names, "built_for_gpus": can_offload}
    if names:
        return Finding("gpu", "ok", ", ".join(names), details=details)
    if can_offload:
        return Finding(
            "gpu",
            "note",
            "none found, although llama.cpp was built for GPUs",
            "check whether the driver finds it (nvidia-smi, vulkaninfo, rocminfo)",
            details,
        )
    if nvidia.is_dir() and any(nvidia.iterdir()):
        return Finding(
            "gpu",
            "note",
            "there is an NVIDIA GPU, but llama.cpp was built for CPUs only",
            f"build it for CUDA: {_rebuild('-DGGML_CUDA=ON')}",
            details,
        )
    return Finding("gpu", "ok", "none; llama.cpp was built for CPUs only", details=details)


def _rebuild(arguments: str) -> str:
    """Return the command that builds llama.cpp with these arguments of CMake."""
    from hpd import _native

    command = _REBUILD_BUNDLED if _native.BUNDLED else _REBUILD
    return command.format(arguments, _native.LLAMA_CPP_PYTHON)


def _version_list(versions: dict[str, str]) -> str:
    return ", ".join(f"{name} {version}" for name, version in versions.items())


def check_memory() -> Finding:
    """Check the computer's memory, and how much hpd can use."""
    now = memory()
    sizes = {"total": now.total, "limit": now.limit, "available": now.available}
    known = [f"{name} {readable_size(size)}" for name, size in sizes.items() if size is not None]
    return Finding("memory", "ok", ", ".join(known) or "unknown on this system", details=sizes)


def check_amx() -> Finding:
    """Check whether AMX is used; if the processor has it, a child process tries it."""
    forced = os.environ.get(AMX_VARIABLE)
    used = use_amx()
    details = {"used": used, "amx": has_amx(), "forced": forced}
    if not has_amx():
        return Finding("AMX", "ok", "this processor has none", details=details)
    if forced in ("0", "1"):
        text = f"{'on' if used else 'off'}, set by {AMX_VARIABLE}={forced}"
        remedy = "" if used else f"unset {AMX_VARIABLE}: hpd detects what works"
        return Finding("AMX", "ok" if used else "note", text, remedy, details)
    if used:
        return Finding("AMX", "ok", "on: a trial showed that it works", details=details)
    return Finding(
        "AMX",
        "note",
        "off: llama.cpp's code for AMX crashed in a trial",
        f"build it so that AMX works: {_rebuild('-DCMAKE_CXX_FLAGS=-fno-dse')}",
        details,
    )


def check_cache() -> Finding:
    """Check the folder for trials and settings of this machine."""
    remedy = f"set {CACHE_VARIABLE} to a writable folder"
    try:
        folder = cache_folder()
        names = sorted(entry.name for entry in folder.iterdir()) if folder.exists() else []
        writable = _is_writable(folder)
    except (OSError, RuntimeError) as error:  # no home folder, or not a folder
        return Finding("cache", "note", f"cannot be read: {error}", remedy)
    n_tuned = sum(name.startswith("tuned-") for name in names)
    details = {"folder": str(folder), "files": names, "writable": writable}
    content = f"{counted(len(names), 'file')}, {n_tuned} with tuned settings"
    text = f"{folder}: {content if names else 'empty'}"
    if writable:
        return Finding("cache", "ok", text, details=details)
    what = "so AMX is tried each time, and hpd tune cannot store settings"
    return Finding("cache", "note", f"{text}; not writable, {what}", remedy, details)


def _is_writable(folder: Path) -> bool:
    """Return whether files can be written to a folder, which may not exist yet."""
    nearest = next(path for path in (folder, *folder.parents) if path.exists())
    return nearest.is_dir() and os.access(nearest, os.W_OK | os.X_OK)


SELF_TEST_FILE = Path(__file__).with_name("self_test.json")
"""``python -m tools.self_test`` writes the answers."""


def stored_questions() -> dict[str, Any]:
    """Return the ``schema`` and ``questions``, each with text, data, and confidences by path."""
    content: dict[str, Any] = json.loads(SELF_TEST_FILE.read_text(encoding="utf-8"))
    return content


_TRIAL_SECONDS = 600
"""Time limit of a trial."""
_TOLERANCE = 0.1
"""Confidences differ slightly between processors, and much more if results are wrong."""

_CRASHES = {
    -int(number): text
    for number, text in (
        (getattr(signal, "SIGILL", 4), "it used an instruction that this processor lacks"),
        (getattr(signal, "SIGSEGV", 11), "it accessed invalid memory"),
        (getattr(signal, "SIGABRT", 6), "llama.cpp aborted"),
        (getattr(signal, "SIGKILL", 9), "it was killed, probably because memory ran out"),
    )
}
_CRASH_REMEDY = (
    "try HPD_AMX=0, which turns AMX off; if that helps, build "
    'llama-cpp-python with CMAKE_ARGS="-DCMAKE_CXX_FLAGS=-fno-dse"'
)


def check_self_test() -> Iterator[Finding]:
    """Compare the bundled model's answers with stored ones, and check hpd's kernels."""
    try:
        bundled = bundled_model()
    except ModelLoadError as error:
        yield Finding("self-test", "note", f"skipped: {error}")
        return
    outcome = _run_trial("self-test", bundled)
    if isinstance(outcome, Finding):
        yield outcome
        return
    yield _check_attention(outcome)
    yield _check_products(outcome)
    stored = stored_questions()["questions"]
    wrong = [
        difference
        for question, answer in zip(stored, outcome["answers"], strict=True)
        for difference in _wrong_values(question, answer)
    ]
    yield _check_tuned(outcome["tuned"], bundled)
    n_values = sum(len(question["confidences"]) for question in stored)
    took = f"{n_values} values of {len(stored)} documents in {outcome['seconds']:.2f} s"
    details = {"seconds": outcome["seconds"], "wrong": wrong}
    if not wrong:
        yield Finding("self-test", "ok", f"{took}, all correct", details=details)
        return
    yield Finding(
        "self-test",
        "broken",
        f"{took}, {len(wrong)} wrong: {'; '.join(wrong[:3])}",
        "results of this installation cannot be trusted: build llama.cpp for this processor "
        f"({_rebuild('-DGGML_NATIVE=ON')}), and report what hpd doctor --json prints if that does "
        "not help",
        details,
    )


def check_model(model: Path) -> Iterator[Finding]:
    """Check whether a model fits into memory, loads and decodes; also report its tuned settings."""
    fitting = _check_fit(model)
    yield fitting
    if fitting.state == "broken":
        return
    outcome = _run_trial("model", model)
    if isinstance(outcome, Finding):
        yield outcome
        return
    yield Finding(
        "model",
        "ok",
        f"{model.name} loads and answers: {counted(len(outcome['answers']), 'document')} in "
        f"{outcome['seconds']:.2f} s",
        details={"path": str(model), "seconds": outcome["seconds"]},
    )
    yield _check_tuned(outcome["tuned"], model)


def _check_fit(model: Path) -> Finding:
    """Check the memory that a model needs with default options."""
    try:
        need = memory_need(model, Options())
        problem = shortage(model, Options(), memory(), need)
    except ModelLoadError as error:
        return Finding("fitting", "broken", str(error))
    details = asdict(need)
    if problem and not devices():
        return Finding("fitting", "broken", f"{problem}; not tried", details=details)
    return Finding("fitting", "ok", f"{model.name} takes about {need.in_words()}", details=details)


def _check_tuned(tuned: dict[str, int], model: Path) -> Finding:
    """Report the settings that ``hpd tune`` found for a model."""
    if not tuned:
        text = f"none for {model.name}; hpd tune finds the fastest settings for your documents"
        return Finding("tuned", "ok", text)
    settings = ", ".join(f"{name} {value}" for name, value in tuned.items())
    return Finding("tuned", "ok", f"for {model.name}: {settings}", details=tuned)


def _check_attention(outcome: dict[str, Any]) -> Finding:
    """Report which attention kernel was used, and why others were not."""
    n_taken, n_left = outcome["n_attention_taken"], outcome["n_attention_left"]
    kernels: list[tuple[str, str]] = outcome["attention_kernels"]
    details = {"n_taken": n_taken, "n_left": n_left, "kernels": dict(kernels)}
    unfit = [f"{name} is not used with this llama.cpp: {why}" for name, why in kernels if why]
    usable = next((name for name, why in kernels if not why), None)
    if n_taken:
        text = "; ".join([f"hpd's kernel {usable} is used", *unfit])
        return Finding("attention", "ok", text, details=details)
    from hpd import _native

    if _native.supports_gpu_offload():
        why = "llama.cpp was built for GPUs, where its own is used"
        return Finding("attention", "ok", f"llama.cpp's own: {why}", details=details)
    if usable is not None:
        unfit = [f"hpd's kernel {usable} does not support this model's attention"]
    why = "; ".join(unfit) or "hpd has no kernel for this processor"
    return Finding(
        "attention",
        "note",
        f"llama.cpp's own, which is slower for many values at once: {why}",
        "use the release of llama-cpp-python that hpd was built for, on a processor with AVX2",
        details,
    )


def _check_products(outcome: dict[str, Any]) -> Finding:
    """Report which kernel for products with weights was used, and why others were not."""
    n_taken = outcome["n_products_taken"]
    kernels: list[tuple[str, str]] = outcome["product_kernels"]
    details = {"n_taken": n_taken, "kernels": dict(kernels)}
    unfit = [f"{name} is not used with this llama.cpp: {why}" for name, why in kernels if why]
    usable = next((name for name, why in kernels if not why), None)
    if n_taken:
        text = "; ".join([f"hpd's kernel {usable} is used", *unfit])
        return Finding("products", "ok", text, details=details)
    why = "; ".join(unfit) or "hpd has none for this processor, or leaves it to AMX or a GPU"
    return Finding("products", "ok", f"llama.cpp's own kernels: {why}", details=details)


def _run_trial(name: str, model: Path) -> dict[str, Any] | Finding:
    """Return the outcome of a trial with its log, or the failed check."""
    command = [sys.executable, "-m", "hpd.bench.doctor", str(model)]
    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_TRIAL_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return Finding(name, "broken", f"did not finish: {error}", _CRASH_REMEDY)
    log = [line for line in done.stderr.splitlines() if line.strip()]
    if done.returncode < 0:
        why = _CRASHES.get(done.returncode, f"signal {-done.returncode}")
        return Finding(name, "broken", f"the process died while decoding: {why}", _CRASH_REMEDY)
    try:
        outcome: dict[str, Any] = json.loads(done.stdout)
    except ValueError:
        remedy = "if hpd was changed, reinstall it: `pip install .` in its checkout"
        return Finding(name, "broken", f"failed: {log[-1] if log else 'without a message'}", remedy)
    return {**outcome, "log": log}


def _wrong_values(stored: dict[str, Any], answer: dict[str, Any]) -> Iterator[str]:
    for name, value in stored["data"].items():
        if answer["data"].get(name) != value:
            yield f"{name} is {answer['data'].get(name)!r}, not {value!r}"
            continue
        confidence = answer["confidences"].get(name, 0.0)
        if not abs(confidence - stored["confidences"][name]) < _TOLERANCE:
            expected = stored["confidences"][name]
            yield f"{name} is {value!r} with confidence {confidence}, not {expected}"


def run_checks(model: Path | None = None) -> Iterator[Finding]:
    """Yield each check when it is done.

    Args:
        model: a model file to try as well; None: only the bundled one.
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


def answers_of(model: Path) -> dict[str, Any]:
    """Answer the questions of the self-test with a model, in this process.

    Returns:
        ``answers``: the data of each text, with confidences by dotted path; ``seconds``, without
        loading; ``tuned``, the settings that apply; ``n_attention_taken`` and
        ``n_attention_left``, attention nodes computed by hpd's kernel and by llama.cpp;
        ``attention_kernels``, those for this processor, fastest first, each with the reason why
        it cannot be used, or an empty text; likewise ``n_products_taken`` and
        ``product_kernels``.
    """
    from hpd import _native
    from hpd.extractor import Extractor

    stored = stored_questions()
    texts = [question["text"] for question in stored["questions"]]
    # Uncalibrated, because a wrong kernel shows in the model's own confidence.
    with Extractor(stored["schema"], model, quiet=True, calibration=NO_CALIBRATION) as extractor:
        start = time.perf_counter()
        extractions = list(extractor.extract_many(texts))
        return {
            "answers": [
                {
                    "data": extraction.data,
                    "confidences": {
                        path: round(field.confidence or 0.0, 3)
                        for path, field in extraction.fields.items()
                    },
                }
                for extraction in extractions
            ],
            "seconds": time.perf_counter() - start,
            "tuned": extractor.tuned,
            "n_attention_taken": extractor.stats.n_attention_taken,
            "n_attention_left": extractor.stats.n_attention_left,
            "attention_kernels": _native.attention_problems(),
            "n_products_taken": extractor.stats.n_products_taken,
            "product_kernels": _native.product_problems(),
        }


if __name__ == "__main__":
    print(json.dumps(answers_of(Path(sys.argv[1]))))
