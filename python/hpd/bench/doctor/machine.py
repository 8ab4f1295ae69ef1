"""Checks of this machine: its memory, what has been learnt about it, and the folder for that."""

from __future__ import annotations

import os
from pathlib import Path

from hpd.bench.doctor.checks import Check
from hpd.models.cache import CACHE_VARIABLE, cache_folder
from hpd.models.hardware import EXTRA_BUFTS_VARIABLE, has_amx, use_extra_bufts
from hpd.models.memory import memory, readable_size

_BUILD_WITH_AMX = (
    'CMAKE_ARGS="-DCMAKE_CXX_FLAGS=-fno-dse" pip install --force-reinstall --no-cache-dir '
    "--no-binary llama-cpp-python llama-cpp-python=={}"
)


def check_memory() -> Check:
    """The memory of the computer, and how much of it there is for hpd."""
    now = memory()
    sizes = {"total": now.total, "limit": now.limit, "available": now.available}
    known = [f"{name} {readable_size(size)}" for name, size in sizes.items() if size is not None]
    return Check("memory", "ok", ", ".join(known) or "the system does not tell", details=sizes)


def check_amx() -> Check:
    """Whether AMX and repacked weights are used; where there is AMX, a child process tries it."""
    from hpd import _native

    forced = os.environ.get(EXTRA_BUFTS_VARIABLE)
    used = use_extra_bufts()
    details = {"used": used, "amx": has_amx(), "forced": forced}
    if forced in ("0", "1"):
        text = f"{'on' if used else 'off'}, as {EXTRA_BUFTS_VARIABLE}={forced} demands"
        remedy = "" if used else f"unset {EXTRA_BUFTS_VARIABLE}: hpd finds out by itself what works"
        return Check("repacking", "ok" if used else "note", text, remedy, details)
    if not has_amx():
        text = "on: weights are repacked for this processor, which has no AMX"
        return Check("repacking", "ok", text, details=details)
    if used:
        return Check("repacking", "ok", "on: AMX works here, as a trial showed", details=details)
    return Check(
        "repacking",
        "note",
        "off: llama.cpp's code for AMX crashed in a trial, so it is slower than it could be",
        f"build it so that AMX works: {_BUILD_WITH_AMX.format(_native.LLAMA_CPP_PYTHON)}",
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
