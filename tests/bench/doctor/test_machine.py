"""The checks of this machine, and its memory."""

from __future__ import annotations

from pathlib import Path

import pytest

from hpd.bench import doctor
from hpd.models import hardware
from hpd.models.memory import Memory, memory, readable_size

GIB = 1 << 30


def written(root: Path, files: dict[str, object]) -> Path:
    for name, content in files.items():
        file = root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"{content}\n")
    return root


MEMINFO = f"MemTotal: {16 * GIB // 1024} kB\nMemFree: 1 kB\nMemAvailable: {8 * GIB // 1024} kB"


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({}, Memory(16 * GIB, None, 8 * GIB)),
        # Version 2: the limit of the group around this one counts, too.
        (
            {
                "proc/self/cgroup": "0::/shop/web",
                "sys/fs/cgroup/shop/web/memory.max": "max",
                "sys/fs/cgroup/shop/memory.max": 4 * GIB,
                "sys/fs/cgroup/shop/memory.current": 3 * GIB,
                "sys/fs/cgroup/shop/memory.stat": f"anon 1\ninactive_file {GIB}",
            },
            Memory(16 * GIB, 4 * GIB, 2 * GIB),
        ),
        # In a container, where the path of the group is not visible.
        (
            {
                "proc/self/cgroup": "0::/../outside",
                "sys/fs/cgroup/memory.max": 2 * GIB,
                "sys/fs/cgroup/memory.current": GIB,
            },
            Memory(16 * GIB, 2 * GIB, GIB),
        ),
        # Version 1.
        (
            {
                "proc/self/cgroup": "5:devices:/x\n4:memory:/job",
                "sys/fs/cgroup/memory/memory.limit_in_bytes": 9223372036854771712,
                "sys/fs/cgroup/memory/job/memory.limit_in_bytes": 12 * GIB,
                "sys/fs/cgroup/memory/job/memory.usage_in_bytes": GIB,
                "sys/fs/cgroup/memory/job/memory.stat": f"total_inactive_file {GIB // 2}",
            },
            Memory(16 * GIB, 12 * GIB, 8 * GIB),
        ),
    ],
)
def test_memory_knows_the_limits_of_control_groups(
    tmp_path: Path, files: dict[str, object], expected: Memory
) -> None:
    assert memory(written(tmp_path, {"proc/meminfo": MEMINFO, **files})) == expected


def test_memory_where_the_system_tells_little(tmp_path: Path) -> None:
    now = memory(tmp_path)
    assert now.limit is None
    assert now.available is None


def test_sizes_for_people() -> None:
    sizes = (0, 999, 1_000, 41_900_000, 1_540_000_000)
    assert [readable_size(n) for n in sizes] == ["0 bytes", "999 bytes", "1 KB", "42 MB", "1.5 GB"]


def test_a_cache_that_cannot_be_written_is_a_note(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    for folder, state in ((tmp_path / "file", "note"), (tmp_path / "new", "ok")):
        monkeypatch.setenv("HPD_CACHE", str(folder))
        check = doctor.check_cache()
        assert check.state == state
        assert ("HPD_CACHE" in check.remedy) == (state == "note")
    assert not (tmp_path / "new").exists(), "looking makes nothing"


@pytest.mark.parametrize(
    ("forced", "amx", "works", "state", "says"),
    [
        (None, False, True, "ok", "no AMX"),
        (None, True, True, "ok", "AMX works here"),
        (None, True, False, "note", "crashed in a trial"),
        ("0", True, False, "note", "off, as HPD_EXTRA_BUFTS=0 demands"),
        ("1", True, True, "ok", "on, as HPD_EXTRA_BUFTS=1 demands"),
    ],
)
def test_the_answer_about_amx(
    monkeypatch: pytest.MonkeyPatch,
    forced: str | None,
    amx: bool,
    works: bool,
    state: str,
    says: str,
) -> None:
    if forced is None:
        monkeypatch.delenv(hardware.EXTRA_BUFTS_VARIABLE, raising=False)
    else:
        monkeypatch.setenv(hardware.EXTRA_BUFTS_VARIABLE, forced)
    monkeypatch.setattr(doctor, "has_amx", lambda: amx)
    monkeypatch.setattr(doctor, "use_extra_bufts", lambda: works)
    check = doctor.check_amx()
    assert (check.state, bool(check.remedy)) == (state, state == "note")
    assert says in check.text
