"""``hpd extract`` as a process of its own, with a real model."""

import itertools
import json
import os
import re
import signal
import time

import pytest

from command_line import hpd_on_endless_input, run_hpd, run_python, with_handler
from jsonl import read_lines, write_lines

TITLE = "Diesel Men's Exposure High-Top Sneaker, Black, 10 M US"


@pytest.mark.parametrize("method", ["hpd", "ar"])
def test_the_bundled_model_reads_a_title(method):
    text = json.dumps({"id": "a", "text": TITLE}) + "\n"
    command = ("extract", "-", "--schema", "Brand, Color", "--set", f"method={method}", "--quiet")
    done = run_hpd(*command, text=text)
    assert (done.returncode, done.stderr) == (0, "")
    (line,) = read_lines(done.stdout)
    assert line["data"] == {"Brand": "Diesel", "Color": "Black"}
    assert line["usage"]["prompt_tokens"] > 0


def product(k):
    return {"id": f"d{k}", "text": f"{TITLE} {k}"}


def catalogue(path, n):
    return write_lines(path, *(product(k) for k in range(n)))


def endless_catalogue():
    for k in itertools.count():
        yield json.dumps(product(k)) + "\n"


def test_a_reader_that_has_had_enough_is_no_error(random_model):
    command = ["extract", "-", "--schema", "Brand", "-m", random_model, "--max-tokens", "2"]
    with hpd_on_endless_input(*command, lines=endless_catalogue()) as process:
        assert json.loads(process.stdout.readline())["id"] == "d0"
        process.stdout.close()
        assert process.stderr.read() == ""
        assert process.wait(timeout=300) == 0


@pytest.mark.skipif(os.name == "nt", reason="there are no such signals to send")
@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP"])
def test_a_signal_keeps_everything_that_is_written(tmp_path, random_model, name):
    number = getattr(signal, name)
    out = tmp_path / "out"
    options = ["--schema", "Brand, Color", "-m", random_model, "--max-tokens", "2", "-o", str(out)]
    with (
        with_handler(number),
        hpd_on_endless_input("extract", "-", *options, lines=endless_catalogue()) as process,
    ):
        while process.poll() is None and not (out.exists() and out.stat().st_size):
            time.sleep(0.01)
        process.send_signal(number)
        message = process.stderr.read()
        assert process.wait(timeout=300) == 128 + number, message
    n_written = len(read_lines(out))
    (n_counted,) = map(int, re.findall(r"interrupted: (\d+) documents are written", message))
    # The signal may come when a line is written and not yet counted.
    assert n_counted in (n_written, n_written - 1)
    n_more = n_written + 5
    source = catalogue(tmp_path / "in.jsonl", n_more)
    again = run_hpd("extract", str(source), *options, "--resume")
    assert again.returncode == 0, again.stderr
    assert [line["id"] for line in read_lines(out)] == [f"d{k}" for k in range(n_more)]


def test_an_error_of_the_input_on_the_way(tmp_path, random_model):
    """The reader's error comes out of the engine, which pulled the document, as it is."""
    source = write_lines(tmp_path / "in.jsonl", {"text": "x"})
    code = (
        "import sys, hpd.cli.extract as command\n"
        "from hpd.cli import main\nfrom hpd.errors import InputError\n"
        "def broken(reader):\n"
        "    yield next(reader)\n"
        "    raise InputError('the disk broke')\n"
        "command._read_first = broken\n"
        f"sys.exit(main(['extract', {str(source)!r}, '--schema', 'a', '-m', {random_model!r}]))"
    )
    done = run_python("-c", code)
    assert (done.returncode, done.stderr) == (1, "hpd: error: the disk broke\n")
