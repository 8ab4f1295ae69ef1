"""Fixtures of the benchmark's tests."""

import pytest

from benchmarking import ROWS
from jsonl import write_lines


@pytest.fixture
def gold(tmp_path):
    return write_lines(tmp_path / "gold.jsonl", *ROWS)


@pytest.fixture(autouse=True)
def no_amx(monkeypatch):
    monkeypatch.setenv("HPD_AMX", "0")
