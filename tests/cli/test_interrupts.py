"""Signals while documents are in flight: once, twice, and where one is ignored."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from command_line import with_default_handler
from fake_extractor import FakeExtractor
from hpd.cli import main
from jsonl import read_lines, write_texts
from outcomes import Said

pytestmark = pytest.mark.skipif(not hasattr(signal, "SIGHUP"), reason="there are no such signals")

SENT = {"once": 1, "twice": 2}
"""Signals that come when the document of this text is read."""


@pytest.fixture
def sends(fake: list[FakeExtractor], monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """Has the extractor send the process a signal when it comes to certain documents."""
    iter_extract = FakeExtractor.iter_extract

    def use(number: int) -> None:
        def sending(self: FakeExtractor, documents: Any, **settings: Any) -> Iterator[Any]:
            def given() -> Iterator[Any]:
                for document in documents:
                    for _ in range(SENT.get(document.text, 0)):
                        signal.raise_signal(number)
                    yield document

            return iter_extract(self, given(), **settings)

        monkeypatch.setattr(FakeExtractor, "iter_extract", sending)

    return use


@pytest.mark.outcome(
    "output",
    "Ctrl-C, SIGTERM (the end of a container or of a job's time) or SIGHUP (a closed terminal)",
    "no more documents are read; those in flight are finished and written; exit code 130,"
    " 143 or 129",
)
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_once_finishes_what_is_in_flight(
    tmp_path: Path,
    sends: Callable[[int], None],
    capfd: pytest.CaptureFixture[str],
    number: signal.Signals,
) -> None:
    sends(number)
    source, out = write_texts(tmp_path / "in.jsonl", "a", "b", "once", "d"), tmp_path / "out"
    command = ["extract", str(source), "--schema", "text", "-o", str(out)]
    with with_default_handler(number):
        assert main(command) == 128 + number
        assert signal.getsignal(number) is signal.SIG_DFL
    name = "Ctrl-C" if number == signal.SIGINT else number.name
    first, *_, last = capfd.readouterr().err.splitlines()
    assert first == f"hpd: finishing the documents in flight; {name} once more stops at once"
    assert last.startswith("hpd: interrupted: 3 documents are written; ")
    assert [line["data"]["text"] for line in read_lines(out)] == ["a", "b", "once"]


@pytest.mark.outcome(
    "output",
    "the same signal twice",
    "stops at once; what is finished is written; the same exit codes",
)
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_twice_stops_at_once_and_keeps_what_is_finished(
    tmp_path: Path,
    sends: Callable[[int], None],
    capfd: pytest.CaptureFixture[str],
    said: Said,
    number: signal.Signals,
) -> None:
    sends(number)
    texts = ["a", "b", "c", "d", "twice"]  # three are in flight, so two are finished
    source, out = write_texts(tmp_path / "in.jsonl", *texts), tmp_path / "out"
    command = ["extract", str(source), "--schema", "text", "-o", str(out)]
    with with_default_handler(number):
        assert main(command) == 128 + number
    said(capfd.readouterr().err)
    assert [line["data"]["text"] for line in read_lines(out)] == ["a", "b"]
    write_texts(source, "a", "b", "c", "d", "e")
    assert main([*command, "--resume"]) == 0
    assert [line["data"]["text"] for line in read_lines(out)] == ["a", "b", "c", "d", "e"]


def test_an_interruption_is_heard_even_where_a_shell_had_it_ignored(
    tmp_path: Path, sends: Callable[[int], None]
) -> None:
    """As shells do for what they start in the background."""
    sends(signal.SIGINT)
    source, out = write_texts(tmp_path / "in.jsonl", "a", "once", "c"), tmp_path / "out"
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        assert main(["extract", str(source), "--schema", "text", "-o", str(out)]) == 130
    finally:
        signal.signal(signal.SIGINT, before)
    assert len(read_lines(out)) == 2


@pytest.mark.outcome(
    "output",
    "SIGHUP under `nohup`",
    "the run goes on",
)
def test_a_hang_up_that_is_ignored_stays_ignored(
    tmp_path: Path, sends: Callable[[int], None]
) -> None:
    """As nohup has it."""
    sends(signal.SIGHUP)
    source, out = write_texts(tmp_path / "in.jsonl", "a", "twice", "c"), tmp_path / "out"
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        assert main(["extract", str(source), "--schema", "text", "-o", str(out)]) == 0
    finally:
        signal.signal(signal.SIGHUP, before)
    assert len(read_lines(out)) == 3
