"""Fixtures of the benchmark's tests."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarking import ROWS
from jsonl import write_lines


@pytest.fixture
def gold(tmp_path: Path) -> Path:
    return write_lines(tmp_path / "gold.jsonl", *ROWS)


@pytest.fixture(autouse=True)
def no_extra_bufts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HPD_EXTRA_BUFTS", "0")
