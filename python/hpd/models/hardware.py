"""The hardware: its names, and a trial of AMX.

On x86 CPUs with AMX, llama.cpp built by some compilers crashes at the first decode, in the AMX
code. Because a crash cannot be caught, a child process tries it once, and the outcome is cached for
this processor and this library. If it crashes, AMX is disabled.
"""

from __future__ import annotations

import hashlib
import os
import platform
import subprocess
import sys
from functools import cache
from pathlib import Path

from hpd.errors import ModelLoadError
from hpd.messages import counted
from hpd.models.cache import cached_value
from hpd.models.model_files import bundled_model

AMX_VARIABLE = "HPD_AMX"
"""The environment variable that disables (``0``) or forces (``1``) AMX."""

PROBE_SECONDS = 60
"""How long the trial may take."""
_GPU_TYPES = ("GPU", "IGPU")  # a BLAS library is another type


@cache
def use_amx() -> bool:
    """Return whether llama.cpp's AMX kernels are used; if not, disable them.

    The first call decides for the whole process, and must come before weights are loaded.
    """
    if not has_amx():
        return False
    is_used = _amx_works()
    if not is_used:
        from hpd import _native

        _native.leave_out_amx()
    return is_used


def _amx_works() -> bool:
    forced = os.environ.get(AMX_VARIABLE)
    if forced in ("0", "1"):
        return forced == "1"
    return cached_value(f"amx-{_fingerprint()}.json", "works", _survives)


def processor() -> str:
    """Return the processor's name, according to the system."""
    return _cpuinfo("model name") or platform.processor() or platform.machine()


def n_cores() -> int:
    """Return the number of cores that this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # only Linux has it
        return os.cpu_count() or 1


def devices() -> list[str]:
    """Return descriptions of the GPUs that llama.cpp can use."""
    from hpd import _native

    return [description for kind, description in _native.devices() if kind in _GPU_TYPES]


def llama_cpp_version() -> str:
    """Return the version of llama.cpp and its origin."""
    from hpd import _native

    version = f"{_native.llama_cpp_version()} of llama-cpp-python {_native.LLAMA_CPP_PYTHON}"
    return f"{version}, bundled with hpd" if _native.BUNDLED else version


def device_summary(n_gpu_layers: int) -> str:
    """Describe the devices on which a model runs; ``n_gpu_layers`` as in ``-ngl``."""
    names = devices()
    if not names or n_gpu_layers == 0:
        return f"{processor()} ({counted(n_cores(), 'core')})"
    layers = "all layers" if n_gpu_layers < 0 else f"{counted(n_gpu_layers, 'layer')} at most"
    return f"{', '.join(names)} ({layers})"


def has_amx() -> bool:
    """Return whether the processor has, or may have, AMX."""
    if platform.machine().lower() not in ("x86_64", "amd64"):
        return False
    flags = cpu_flags()
    # A processor whose flags are unknown may have AMX.
    return flags is None or "amx_tile" in flags


def cpu_flags() -> frozenset[str] | None:
    """Return the processor's features by their Linux names; None if unknown."""
    if sys.platform == "darwin":
        return frozenset()  # no Mac has AMX tiles
    flags = _cpuinfo("flags", "Features")  # on x86, on ARM
    return None if flags is None else frozenset(flags.split())


def _cpuinfo(*names: str) -> str | None:
    """Return the first entry of ``/proc/cpuinfo`` with one of the names."""
    lines = system_lines(Path("/proc/cpuinfo"))
    return next((line.partition(":")[2].strip() for line in lines if line.startswith(names)), None)


def system_lines(file: Path) -> list[str]:
    """Return the lines of a file of the system, or none if it cannot be read."""
    try:
        return file.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return []


def _fingerprint() -> str:
    """Return a text that changes with the processor, the devices and the library's files."""
    from hpd import _native

    parts = [platform.processor(), *sorted(cpu_flags() or ()), *devices()]
    for library in sorted(_native.LIBRARIES.glob("*")):
        status = library.stat()
        parts.append(f"{library.name} {status.st_size} {status.st_mtime_ns}")
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]


def _survives() -> bool:
    """Return whether a child process that decodes with these kernels survives."""
    try:
        model = bundled_model()
    except ModelLoadError:
        return False  # nothing to try it with
    try:
        child = subprocess.run(
            [sys.executable, "-m", "hpd.models.hardware", str(model)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=PROBE_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return child.returncode == 0


N_PROMPT = 40
N_VALUE = 4


def main(path: str) -> int:
    """Decode one batch of many tokens and some of a single token, which use different kernels.

    This is the trial of AMX, ``python -m hpd.models.hardware MODEL.gguf``, in a separate process
    because it may crash. Exits with 0 if it works.
    """
    from hpd import _native

    options = _native.ModelOptions()
    options.n_gpu_layers = 0  # a GPU would prove nothing
    model = _native.Model([path], options)
    settings = _native.EngineOptions()
    settings.n_ctx = 256
    settings.drafts = False
    engine = _native.Engine(model, settings)
    text = model.tokenize("a small blue cup " * N_PROMPT)
    # The answer is fixed, so that the value does not end early.
    answer = model.tokenize(' "' + "a small blue cup " * N_VALUE)[:N_VALUE]
    field = _native.Field([], max_tokens=N_VALUE, choices=[answer])
    engine.submit(0, text[:N_PROMPT], [field], n_instruction=0)
    n_decoded = 0
    while not engine.idle:
        for result in engine.step():
            n_decoded += sum(len(value.tokens) for value in result.values)
    return 0 if n_decoded == N_VALUE else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
