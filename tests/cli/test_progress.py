"""The progress bar of ``hpd extract``: documents, and chunks where documents are cut."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

from hpd.cli import main
from jsonl import write_texts


class Terminal(io.StringIO):
    """A standard error that is a terminal."""

    def isatty(self) -> bool:
        return True


def run(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> str:
    with monkeypatch.context() as patch:
        patch.setattr(sys, "stderr", Terminal())
        assert main(["extract", *arguments]) == 0
        said = sys.stderr.getvalue()  # type: ignore[attr-defined]
    return str(said)


def test_the_bar_counts_chunks_once_there_are_any(
    tmp_path: Path, random_model: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = write_texts(tmp_path / "in.jsonl", "Nike", "A shoe by Nike. " * 100)
    command = [str(source), "--schema", "maker", "-m", random_model, "-t", "1", "--max-tokens", "4"]
    command += ["-o", str(tmp_path / "out.jsonl"), "--overwrite"]
    plain = run(monkeypatch, *command)
    assert "2/2" in plain
    assert "doc/s" in plain or "s/doc" in plain
    assert "chunk" not in plain
    cut = run(monkeypatch, *command, "--on-overflow", "chunk", "--set", "chunk_size=100")
    (line,) = [line for line in cut.replace("\r", "\n").splitlines() if "is cut into" in line]
    n_chunks = int(line.partition("is cut into ")[2].split()[0])
    assert n_chunks > 3
    assert f"{n_chunks + 1}/{n_chunks + 1}" in cut
    assert "chunk/s" in cut or "s/chunk" in cut
