"""Readers of input from outside, fed with the corpus and with mutations of it."""

from pathlib import Path

import pytest

from command_line import run_python
from tools import fuzz
from tools.fuzz_targets import TARGETS, Target

EXECUTIONS = 300
ROOT = Path(__file__).resolve().parents[2]
INPUTS = [(name, path) for name in TARGETS for path in sorted((fuzz.CORPUS / name).iterdir())]


@pytest.mark.parametrize(("name", "path"), INPUTS, ids=lambda value: getattr(value, "name", value))
def test_inputs_of_the_corpus(name, path):
    """Faults that fuzzing has found stay mended: their inputs are in the corpus."""
    fuzz.execute(TARGETS[name], path.read_bytes(), path.suffix)


@pytest.mark.parametrize("name", TARGETS)
def test_mutations_of_the_corpus(name, tmp_path):
    """A process of its own, as a fault may end that; other seeds are for ``tools.fuzz`` by hand."""
    command = ["--target", name, "--executions", str(EXECUTIONS), "--keep", str(tmp_path)]
    done = run_python("-m", "tools.fuzz", *command, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    assert f"{name}: {EXECUTIONS} executions in " in done.stdout
    assert list(tmp_path.iterdir()) == []


def crash(data, suffix):
    if b"K" not in data:
        raise KeyError(data)
    raise ValueError(data)


def hang(data, suffix):
    while True:
        pass


def test_faults_are_told_apart_and_kept(tmp_path, monkeypatch, capsys):
    monkeypatch.setitem(TARGETS, "values", Target(crash, (KeyError,), (b"K",)))
    n, n_faults = fuzz.fuzz("values", 3, tmp_path, 200, None)
    assert (n, n_faults) == (200, 1), "the KeyErrors are allowed, and all others are one fault"
    (kept,) = tmp_path.iterdir()
    assert b"K" in kept.read_bytes()
    assert "ValueError in test_fuzz.py" in capsys.readouterr().err


def test_the_same_seed_gives_the_same_inputs(tmp_path, monkeypatch):
    read = []
    monkeypatch.setitem(TARGETS, "values", Target(lambda data, suffix: read.append(data), (), ()))
    for _ in range(2):
        fuzz.fuzz("values", 7, tmp_path, 50, None)
    assert read[:50] == read[50:]
    assert len(set(read)) > 40


def test_an_execution_that_hangs_is_stopped(monkeypatch):
    monkeypatch.setattr(fuzz, "SECONDS", 0.2)
    with pytest.raises(fuzz.HungError):
        fuzz.execute(Target(hang, (), ()), b"", "")
