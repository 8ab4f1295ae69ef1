"""The measurement of memory: a small one."""

import pytest

from command_line import run_python
from tools import memory
from tools.docs import ROOT
from tools.memory import documents, main


def test_no_two_documents_are_the_same():
    assert len(set(documents(1000))) == 1000


def test_resident_memory_is_that_of_the_process():
    code = (
        "from tools.memory import resident\n"
        "before = resident()\n"
        "block = bytearray(range(250)) * 200_000\n"
        "print(resident() - before)"
    )
    # A process of its own: what other tests have left may be freed at any moment here.
    done = run_python("-c", code, check=True, cwd=ROOT)
    assert 40 < float(done.stdout) < 60


FEW = ["--few", "2", "--many", "4", "--extractors", "1"]


def test_every_run_is_measured(capsys):
    assert main([*FEW, "--percent", "1000"]) == 0
    said = capsys.readouterr().out
    assert len(said.splitlines()) == 5
    assert "all is well" in said


@pytest.mark.parametrize(("percent", "code"), [("4", 0), ("2", 1)])
def test_growth_is_what_it_is_told_to_be(percent, code, capsys, monkeypatch):
    monkeypatch.setattr(memory, "in_new_process", lambda *_: (100.0, 103.0))
    assert main([*FEW, "--percent", percent]) == code
    assert ("all is well" in capsys.readouterr().out) == (code == 0)
