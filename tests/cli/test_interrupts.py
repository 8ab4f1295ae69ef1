"""Signals while documents are in flight: once, twice, and where one is ignored."""

import signal

import pytest

from command_line import with_handler
from fake_extractor import FakeExtractor
from hpd.cli import main
from jsonl import read_lines, write_texts

pytestmark = pytest.mark.skipif(not hasattr(signal, "SIGHUP"), reason="there are no such signals")

SENT = {"once": 1, "twice": 2}
"""Signals that come when the document of this text is read."""


@pytest.fixture
def sends(fake, monkeypatch):
    """Has the extractor send the process a signal when it comes to certain documents."""
    iter_indexed = FakeExtractor.iter_indexed

    def use(number):
        def sending(self, documents, **settings):
            def given():
                for document in documents:
                    for _ in range(SENT.get(document.text, 0)):
                        signal.raise_signal(number)
                    yield document

            return iter_indexed(self, given(), **settings)

        monkeypatch.setattr(FakeExtractor, "iter_indexed", sending)

    return use


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP"])
def test_once_finishes_what_is_in_flight(tmp_path, sends, capfd, name):
    number = getattr(signal, name)
    sends(number)
    source, out = write_texts(tmp_path / "in.jsonl", "a", "b", "once", "d"), tmp_path / "out"
    command = ["extract", str(source), "--schema", "text", "-o", str(out)]
    with with_handler(number):
        assert main(command) == 128 + number
        assert signal.getsignal(number) is signal.SIG_DFL
    again = "Ctrl-C" if name == "SIGINT" else name
    first, *_, last = capfd.readouterr().err.splitlines()
    assert first == f"hpd: finishing the documents in flight; another {again} stops at once"
    assert last.startswith("hpd: interrupted: 3 documents are written; ")
    assert [line["data"]["text"] for line in read_lines(out)] == ["a", "b", "once"]


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM"])
def test_twice_stops_at_once_and_keeps_what_is_finished(tmp_path, sends, capfd, name):
    number = getattr(signal, name)
    sends(number)
    texts = ["a", "b", "c", "d", "twice"]  # three are in flight, so two are finished
    source, out = write_texts(tmp_path / "in.jsonl", *texts), tmp_path / "out"
    command = ["extract", str(source), "--schema", "text", "-o", str(out)]
    with with_handler(number):
        assert main(command) == 128 + number
    assert [line["data"]["text"] for line in read_lines(out)] == ["a", "b"]
    write_texts(source, "a", "b", "c", "d", "e")
    assert main([*command, "--resume"]) == 0
    assert [line["data"]["text"] for line in read_lines(out)] == ["a", "b", "c", "d", "e"]


@pytest.mark.parametrize(
    ("name", "text", "code", "n_lines"),
    [
        ("SIGHUP", "twice", 0, 3),  # as under nohup: the run goes on
        ("SIGINT", "once", 130, 2),  # shells ignore it for what they start in the background
    ],
)
def test_a_signal_that_was_ignored_before(tmp_path, sends, name, text, code, n_lines):
    number = getattr(signal, name)
    sends(number)
    source, out = write_texts(tmp_path / "in.jsonl", "a", text, "c"), tmp_path / "out"
    with with_handler(number, signal.SIG_IGN):
        assert main(["extract", str(source), "--schema", "text", "-o", str(out)]) == code
    assert len(read_lines(out)) == n_lines
