"""Checks of what is installed: versions, the library, the processor and devices."""

from __future__ import annotations

import platform
from pathlib import Path

from hpd.bench.doctor.checks import Check
from hpd.errors import HpdError
from hpd.models.hardware import cpu_flags, devices, n_cores, processor
from hpd.version import __version__, installed_version

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


def check_engine() -> Check:
    """The compiled engine and its versions; without it nothing else can be tried."""
    versions = {
        "hpd": __version__,
        "llama-cpp-python": installed_version("llama-cpp-python"),
        "Python": platform.python_version(),
    }
    libc, libc_version = platform.libc_ver()
    if libc:
        versions[libc] = libc_version
    try:
        import llama_cpp

        import hpd._native  # noqa: F401

        versions["llama.cpp"] = llama_cpp.llama_version().decode()
    except HpdError as error:
        return Check("versions", "broken", f"{_listed(versions)}: {error}", details=versions)
    except (ImportError, OSError, RuntimeError) as error:
        return Check(
            "versions",
            "broken",
            f"{_listed(versions)}: the engine cannot be loaded: {error}",
            "install it anew: `pip install --force-reinstall .` in its checkout",
            versions,
        )
    return Check("versions", "ok", _listed(versions), details=versions)


def check_library(maps: Path = Path("/proc/self/maps")) -> Check:
    """The one libllama in this process; two would each have a state of their own."""
    try:
        lines = maps.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        import llama_cpp

        folder = Path(llama_cpp.__file__).parent / "lib"
        return Check("libllama", "ok", f"in {folder}; the system does not tell what is mapped")
    paths = sorted({line[line.index("/") :] for line in lines if "/libllama." in line})
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
    import llama_cpp

    from hpd import _native

    built = llama_cpp.llama_print_system_info().decode()
    flags = cpu_flags() or frozenset()
    features = [name for flag, name in _FEATURES.items() if flag in flags]
    unused = [name for name in features if f"{name} = 1" not in built]
    text = f"{processor()}, {n_cores()} cores" + (f": {', '.join(features)}" if features else "")
    details = {"features": features, "n_cores": n_cores(), "llama_cpp": built.strip()}
    if not unused:
        return Check("processor", "ok", text, details=details)
    return Check(
        "processor",
        "note",
        f"{text}; llama.cpp was built without {', '.join(unused)}, so it is slow",
        f"build it for this processor: {_rebuild('-DGGML_NATIVE=ON', _native.LLAMA_CPP_PYTHON)}",
        details,
    )


def check_gpu(nvidia: Path = Path("/proc/driver/nvidia/gpus")) -> Check:
    """The devices on which llama.cpp computes."""
    import llama_cpp

    from hpd import _native

    names = devices()
    can_offload = bool(llama_cpp.llama_supports_gpu_offload())
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
            f"build it for CUDA: {_rebuild('-DGGML_CUDA=ON', _native.LLAMA_CPP_PYTHON)}",
            details,
        )
    return Check("gpu", "ok", "none; llama.cpp was built for processors only", details=details)


def _rebuild(arguments: str, version: str) -> str:
    return _REBUILD.format(arguments, version)


def _listed(versions: dict[str, str]) -> str:
    return ", ".join(f"{name} {version}" for name, version in versions.items())
