"""The measurement of memory: a small one."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tools.docs import ROOT
from tools.memory import documents, main


def test_no_two_documents_are_the_same() -> None:
    assert len(set(documents(1000))) == 1000


def test_resident_memory_is_that_of_the_process() -> None:
    code = (
        "from tools.memory import resident\n"
        "before = resident()\n"
        "block = bytearray(range(250)) * 200_000\n"
        "print(resident() - before)"
    )
    # A process of its own: what other tests have left may be freed at any moment here.
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT)
    assert 40 < float(done.stdout) < 60


@pytest.mark.parametrize(("percent", "code"), [("1000", 0), ("-99", 1)])
def test_growth_is_what_it_is_told_to_be(
    percent: str, code: int, capsys: pytest.CaptureFixture[str]
) -> None:
    few = ["--few", "2", "--many", "4", "--extractors", "1"]
    assert main([*few, "--percent", percent]) == code
    said = capsys.readouterr().out
    assert len(said.splitlines()) == 5
    assert ("all is well" in said) == (code == 0)
