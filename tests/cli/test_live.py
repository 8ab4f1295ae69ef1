"""A pipe that stays open: each line's answer comes without waiting for the next line."""

import json
import queue
import signal
import subprocess
import sys
import threading

import pytest

from hpd.cli.writing import ReadAhead
from hpd.documents import NOT_YET

SECONDS = 120.0


class Run:
    """``hpd extract -`` with its standard input held open, and its lines as they come."""

    def __init__(self, model, *options):
        command = [sys.executable, "-m", "hpd.cli", "extract", "-", "--schema", "brand"]
        self._lines = queue.SimpleQueue()
        self.process = subprocess.Popen(
            [*command, "-m", str(model), "--max-tokens", "4", "-t", "1", *options],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        threading.Thread(target=self._read, daemon=True).start()

    def say(self, *texts):
        """Write lines into the pipe."""
        assert self.process.stdin is not None
        for text in texts:
            self.process.stdin.write(json.dumps({"id": text, "text": text}) + "\n")
        self.process.stdin.flush()

    def hear(self):
        """The next line of output."""
        return json.loads(self._lines.get(timeout=SECONDS))

    def _read(self):
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._lines.put(line)


@pytest.fixture(params=[(), ("--set", "stack=4")], ids=["alone", "stacked"])
def run(model, request):
    started = Run(model, *request.param)
    yield started
    started.process.kill()
    started.process.communicate()


def test_every_answer_comes_while_the_pipe_is_open(run):
    run.say("one")
    assert run.hear()["id"] == "one"
    run.say("two", "three")
    assert [run.hear()["id"], run.hear()["id"]] == ["two", "three"]
    assert run.process.poll() is None
    _, said = run.process.communicate(timeout=SECONDS)
    assert run.process.returncode == 0, said


def test_ctrl_c_ends_a_run_that_waits_for_its_input(run):
    run.say("one")
    assert run.hear()["id"] == "one"
    run.process.send_signal(signal.SIGINT)
    # The pipe is still open, and nobody writes into it.
    assert run.process.wait(timeout=SECONDS) == 130
    said = run.process.stderr.read()
    assert "interrupted: 1 document is written" in said
    assert "Traceback" not in said
    assert "Fatal" not in said


def test_an_iterator_read_ahead_gives_its_items_its_error_and_its_end():
    def items():
        yield 1
        yield 2
        raise ValueError("three")

    ahead = ReadAhead(items())
    given = []
    while len(given) < 2:
        given += [item for item in [next(ahead)] if item is not NOT_YET]
    assert given == [1, 2]
    for _ in range(2):
        with pytest.raises(ValueError, match="three"):
            list(ahead)
    assert [item for item in ReadAhead(iter(range(200))) if item is not NOT_YET] == [*range(200)]
