"""The memory of this computer, as far as this process may use it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_UNLIMITED = 1 << 60
"""Limits of this many bytes or more are none: cgroups write a huge number."""


@dataclass(frozen=True, slots=True)
class Memory:
    """Numbers of bytes; None where the system does not tell."""

    total: int | None
    """The memory of the computer."""
    limit: int | None
    """The least limit of the control groups (cgroups) that this process is in; None: no limit."""
    available: int | None
    """The memory that can be taken without swapping, within the limit."""


def memory(root: Path = Path("/")) -> Memory:
    """The memory now; ``root`` is the folder that holds ``proc`` and ``sys``."""
    known = _meminfo(root / "proc/meminfo")
    total = known.get("MemTotal", _total_by_sysconf())
    available = known.get("MemAvailable")
    limit: int | None = None
    for of_group, used in _group_limits(root):
        limit = of_group if limit is None else min(limit, of_group)
        room = max(0, of_group - used)
        available = room if available is None else min(available, room)
    return Memory(total, limit, available)


def readable_size(n_bytes: float) -> str:
    """A number of bytes for people: ``1.5 GB``."""
    for unit in ("bytes", "KB", "MB"):
        if abs(n_bytes) < 1000:
            return f"{n_bytes:.0f} {unit}"
        n_bytes /= 1000
    return f"{n_bytes:.1f} GB"


def _meminfo(file: Path) -> dict[str, int]:
    known = {}
    for line in _lines(file):
        name, _, value = line.partition(":")
        number, _, unit = value.strip().partition(" ")
        if unit == "kB" and number.isdecimal():
            known[name] = int(number) * 1024
    return known


def _total_by_sysconf() -> int | None:
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):  # a system that has no such names
        return None


def _group_limits(root: Path) -> Iterator[tuple[int, int]]:
    """The limit of each control group around this process, and the bytes that are used of it.

    What only caches files is not counted as used, as the system gives it back.
    """
    mount = root / "sys/fs/cgroup"
    for line in _lines(root / "proc/self/cgroup"):
        _, _, rest = line.partition(":")
        controllers, _, path = rest.partition(":")
        if not controllers:  # version 2
            names = ("memory.max", "memory.current", "inactive_file")
            yield from _limits_along(mount, path, names)
        elif "memory" in controllers.split(","):
            names = ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file")
            yield from _limits_along(mount / "memory", path, names)


def _limits_along(mount: Path, path: str, names: tuple[str, str, str]) -> Iterator[tuple[int, int]]:
    """The limits of a group and of all groups around it, up to the root.

    In a container the group's path may not be visible; its limit is at the root then.
    """
    limit_name, used_name, cache_name = names
    inside = mount / path.strip("/")
    for group in (inside, *inside.parents):
        limit = _number(group / limit_name)
        if limit is not None and limit < _UNLIMITED:
            statistics = dict(line.split()[:2] for line in _lines(group / "memory.stat"))
            cached = int(statistics.get(cache_name, 0))
            yield limit, max(0, (_number(group / used_name) or 0) - cached)
        if group == mount:
            return


def _number(file: Path) -> int | None:
    lines = _lines(file)
    return int(lines[0]) if lines and lines[0].isdecimal() else None


def _lines(file: Path) -> list[str]:
    try:
        return file.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return []
