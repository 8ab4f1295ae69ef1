"""Readers of input from outside, fed with the corpus and with mutations of it.

Only errors of hpd's own may come out, within limits of time and memory. ``HPD_NIGHTLY=1`` draws
other inputs in each run, and more of them. An input that leads to a fault belongs into the corpus,
the folder of its target.
"""

import faulthandler
import os

import pytest
from hypothesis import HealthCheck, given, settings

import fuzzing
from fuzz_targets import TARGETS, Target
from fuzzing import CORPUS, HungError, corpus, execute, mutations, words_of

N_EXAMPLES = 10_000 if "HPD_NIGHTLY" in os.environ else 100
INPUTS = [(name, path) for name in TARGETS for path in sorted((CORPUS / name).iterdir())]
DEAD_SECONDS = 120
"""After which code that never comes back to Python ends the process."""


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("name", "path"), INPUTS, ids=lambda value: getattr(value, "name", value))
def test_inputs_of_the_corpus(name, path):
    """Faults that fuzzing has found stay mended: their inputs are in the corpus."""
    execute(TARGETS[name], path.read_bytes(), path.suffix)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", TARGETS)
def test_mutations_of_the_corpus(name):
    inputs = corpus(name)

    @settings(
        max_examples=N_EXAMPLES,
        suppress_health_check=list(HealthCheck),
    )
    @given(mutations(inputs, words_of(inputs)))
    def run(mutation):
        faulthandler.dump_traceback_later(DEAD_SECONDS, exit=True)
        try:
            execute(TARGETS[name], *mutation)
        except HungError as error:  # which Hypothesis would not make smaller
            raise TimeoutError(str(error)) from error
        finally:
            faulthandler.cancel_dump_traceback_later()

    run()


def test_mutations_are_many_and_near_their_inputs():
    drawn = set()

    @settings(max_examples=200, derandomize=True, suppress_health_check=list(HealthCheck))
    @given(mutations([(b'{"type": "object"}', ".json")], [b"string"]))
    def draw(mutation):
        drawn.add(mutation[0])
        assert mutation[1] == ".json"

    draw()
    assert len(drawn) > 50
    assert any(b"string" in data for data in drawn)


def hang(data, suffix):
    while True:
        pass


def test_an_execution_that_hangs_is_stopped(monkeypatch):
    monkeypatch.setattr(fuzzing, "SECONDS", 0.2)
    with pytest.raises(HungError):
        execute(Target(hang, ()), b"", "")


def test_an_execution_that_takes_all_memory_is_stopped():
    with pytest.raises(MemoryError):
        execute(Target(lambda data, suffix: bytearray(1 << 34), ()), b"", "")


def fail(data, suffix):
    raise KeyError(data)


def test_only_the_errors_of_a_target_may_come_out():
    execute(Target(fail, (KeyError,)), b"", "")
    with pytest.raises(KeyError):
        execute(Target(fail, (ValueError,)), b"", "")
