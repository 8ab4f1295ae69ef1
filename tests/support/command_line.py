"""The command line, in this process and in one of its own."""

import contextlib
import io
import signal
import subprocess
import sys
import threading

import pytest

from hpd.cli import main

HPD = [sys.executable, "-m", "hpd.cli"]


class Terminal(io.StringIO):
    """A standard error that is a terminal."""

    def isatty(self):
        return True


def exit_code(*arguments):
    """The exit code of a command line that argparse itself refuses or answers."""
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    assert isinstance(caught.value.code, int)
    return caught.value.code


def run_python(*arguments, **settings):
    """Run a Python of its own to its end; ``settings`` are those of ``subprocess.run``."""
    settings = {"capture_output": True, "text": True, "timeout": 600, "check": False, **settings}
    return subprocess.run([sys.executable, *map(str, arguments)], **settings)


def run_hpd(*arguments, text=""):
    """Run hpd in a process of its own, with ``text`` as its input."""
    return run_python("-m", "hpd.cli", *arguments, input=text)


@contextlib.contextmanager
def with_handler(number, handler=signal.SIG_DFL):
    """A signal means here what it means by default, even if nohup had it ignored, or as told."""
    before = signal.signal(number, handler)
    try:
        yield
    finally:
        signal.signal(number, before)


@contextlib.contextmanager
def hpd_on_endless_input(*arguments, lines):
    """Start hpd and feed it ``lines`` until it ends; without end, if the lines are.

    So however slow or fast the machine is, the run is under way until the test ends it.
    """
    process = subprocess.Popen(
        [*HPD, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )

    def feed():
        with contextlib.suppress(BrokenPipeError):
            process.stdin.writelines(lines)

    feeder = threading.Thread(target=feed)
    feeder.start()
    try:
        yield process
    finally:
        process.kill()
        process.wait()
        feeder.join()
        for stream in (process.stdin, process.stdout, process.stderr):
            with contextlib.suppress(BrokenPipeError):
                stream.close()
