"""``hpd extract --watch``: files that arrive, a signal that ends it, and going on later."""

import os
import signal

import pytest

from fake_extractor import FakeExtractor
from hpd.cli import main
from hpd.files import watching
from jsonl import read_lines

pytestmark = pytest.mark.skipif(not hasattr(signal, "SIGHUP"), reason="there are no such signals")


@pytest.fixture
def inbox(tmp_path, fake, monkeypatch):
    monkeypatch.setattr(watching, "POLL_SECONDS", 0)
    folder = tmp_path / "inbox"
    folder.mkdir()
    return folder


def extract(inbox, *options):
    out = inbox.parent / "out.jsonl"
    command = ["extract", str(inbox), "--schema", "text", "-o", str(out), "--watch", *options]
    code = main(command)
    return code, [(os.path.basename(line["id"]), line["data"]["text"]) for line in read_lines(out)]


def write(path, text, second=1):
    path.write_text(text)
    os.utime(path, (second, second))


def after_reading(monkeypatch, text, act):
    """Act once the extractor has taken the document with a text."""
    iter_indexed = FakeExtractor.iter_indexed

    def acting(self, documents, **settings):
        def given():
            for document in documents:
                yield document
                if getattr(document, "text", None) == text:
                    act()

        return iter_indexed(self, given(), **settings)

    monkeypatch.setattr(FakeExtractor, "iter_indexed", acting)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_a_watch_well(inbox, monkeypatch, capfd, number):
    after_reading(monkeypatch, "last", lambda: signal.raise_signal(number))
    write(inbox / "a.txt", "first")
    write(inbox / "b.txt", "last")
    before = signal.getsignal(signal.SIGTERM)
    assert extract(inbox) == (0, [("a.txt", "first"), ("b.txt", "last")])
    assert signal.getsignal(signal.SIGTERM) is before
    said = capfd.readouterr().err
    assert "2 documents" in said
    assert "interrupted" not in said


def test_a_watch_goes_on_with_what_is_new_or_has_changed(inbox):
    write(inbox / "b.txt", "one")
    write(inbox / "c.txt", "two")
    lines = [("b.txt", "one"), ("c.txt", "two")]
    assert extract(inbox, "--limit", "2") == (0, lines)
    assert extract(inbox, "--resume", "--limit", "2") == (0, lines)
    write(inbox / "a.txt", "three", 2)
    write(inbox / "c.txt", "two, changed", 2)
    new = [("a.txt", "three"), ("c.txt", "two, changed")]
    code, found = extract(inbox, "--resume", "--limit", "3")
    assert code == 0
    assert sorted(found) == sorted([*lines, *new])
    assert len(extract(inbox, "--resume", "--limit", "3")[1]) == 4


def test_a_file_that_changes_meanwhile_is_no_repeated_document(inbox, monkeypatch, capfd):
    after_reading(monkeypatch, "one", lambda: write(inbox / "a.txt", "two, changed", 2))
    write(inbox / "a.txt", "one")
    assert extract(inbox, "--limit", "2") == (0, [("a.txt", "one"), ("a.txt", "two, changed")])
    assert "the id of an earlier one" not in capfd.readouterr().err


def test_a_table_is_made_when_the_watch_ends(inbox, tmp_path):
    write(inbox / "a.txt", "one")
    command = ["extract", str(inbox), "--schema", "text", "-o", str(tmp_path / "out.csv")]
    assert main([*command, "--watch", "--limit", "1"]) == 0
    assert "one" in (tmp_path / "out.csv").read_text()


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--dry-run"], "leave one out"),
        (["--schema", "{stem}.json"], "--watch needs one schema"),
    ],
)
def test_what_does_not_go_with_a_watch_is_refused(inbox, no_extractor, options, says, capsys):
    write(inbox / "a.txt", "one")
    (inbox.parent / "a.json").write_text('["text"]')
    if "{stem}.json" in options:
        options = ["--schema", str(inbox.parent / "{stem}.json")]
    assert main(["extract", str(inbox), "--schema", "text", "--watch", *options]) == 2
    assert says in capsys.readouterr().err
