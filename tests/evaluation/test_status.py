"""``hpd status``: how far a run is, as its journal and its output tell it."""

import re

from hpd.cli import main
from hpd.documents import Document
from hpd.files.journal import journal_path
from hpd.files.writer import FileWriter
from jsonl import write_texts


def status(capfd, *arguments):
    """The exit code, and what is printed, by the first word of each line."""
    capfd.readouterr()
    code = main(["status", *arguments])
    printed = capfd.readouterr()
    assert printed.err == ""
    shown = {}
    for line in printed.out.splitlines():
        first, *rest = line.split()
        shown.setdefault(first, " ".join(rest))
    return code, shown


def extract(source, out, *extra):
    return main(["extract", str(source), "--schema", "brand", "-o", str(out), *extra])


def test_the_status_of_a_complete_run(tmp_path, fake, capfd):
    source, out = write_texts(tmp_path / "in.jsonl", "a", "b", "c"), tmp_path / "out"
    assert extract(source, out) == 0
    code, shown = status(capfd, str(out))
    assert code == 0
    assert shown["state"] == "complete"
    assert shown["done"] == "3 of 3 documents (100%)"
    assert shown["left"] == "0 documents"
    assert shown["journal"] == "out.run, matches the output"
    assert (shown["input"], shown["schema"]) == (str(source), "brand")


def test_the_status_tells_the_nulls_and_near_ties_of_what_is_written(tmp_path, capfd):
    out = tmp_path / "out"
    lines = [
        {
            "data": {"a": None, "b": {"c": 1, "d": [None, {"e.f": 2}]}},
            "fields": {
                "a": {},
                "b.c": {"near_tie": True},
                "b.d": {},
                "b.d[0]": {},
                "b.d[1].e.f": {},
            },
        },
        {"data": {"a": "x", "b": None}, "fields": {"a": {"confidence": 0.5}, "b.c": {}, "b.d": {}}},
        {"error": {"type": "DecodeError", "message": "lost"}},
    ]
    with FileWriter(out, {}) as writer:
        for index, (line, record) in enumerate(zip(lines, records(), strict=False)):
            writer.write(index, record, line, failed="error" in line)
    with out.open("ab") as file:
        file.write(b'{"data": {"a": null')
    _, shown = status(capfd, str(out))
    assert shown["values"] == "8, of which 50% are null"
    assert shown["near"].startswith("ties 1 (near_tie): ")


def test_an_edited_line_and_failed_documents_are_named(tmp_path, fake, capfd):
    source, out = write_texts(tmp_path / "in.jsonl", "a", "too long"), tmp_path / "out"
    assert extract(source, out) == 3
    code, shown = status(capfd, str(out))
    assert (code, shown["failed"]) == (3, "1: ContextOverflowError 1: '2'")
    out.write_text(out.read_text().replace('"id": "1"', '"id": "7"'))
    code, shown = status(capfd, str(out))
    assert code == 1
    assert shown["journal"].startswith("line 1 of the output was changed since hpd wrote it")


def test_the_counts_are_those_of_the_run_s_summary(tmp_path, capfd):
    """With a real model, and nested values, some of them null."""
    source, out = write_texts(tmp_path / "in.jsonl", "Luma Shirt, red", "x"), tmp_path / "out"
    schema = "Brand, maker {name, city}, Color, tags [str]"
    assert main(["extract", str(source), "--schema", schema, "-o", str(out)]) == 0
    (share,) = re.findall(r"(\d+%) null", capfd.readouterr().err)
    _, shown = status(capfd, str(out))
    assert shown["values"].endswith(f"of which {share} are null")


def test_the_status_of_an_interrupted_run_tells_what_is_left(tmp_path, fake, capfd):
    source = write_texts(tmp_path / "in.jsonl", "a", "too long", "interrupt", "d", "e")
    out = tmp_path / "out"
    assert extract(source, out, "--limit", "4") == 130
    with out.open("a") as file:  # as a kill in the middle of a line leaves it
        file.write('{"id": "3", "da')
    before = {path: path.read_bytes() for path in (out, journal_path(out))}
    code, shown = status(capfd, str(out))
    assert code == 3
    assert shown["state"].startswith("no process is writing it; the same command with --resume")
    assert shown["done"] == "2 of 4 documents (50%)"
    assert shown["failed"] == "1: ContextOverflowError 1: '2'"
    assert shown["left"] == "2 documents"
    assert "--resume removes 15 bytes" in shown["journal"]

    assert status(capfd, str(out), str(source))[1]["left"] == "3 documents"
    limited = status(capfd, str(out), str(source), "--limit", "2")
    assert limited[1]["left"] == "0 documents"
    source.unlink()
    code, shown = status(capfd, str(out))
    assert shown["done"] == "2 documents"
    assert shown["left"] == f"unknown: {source}: cannot be opened: No such file or directory"
    assert {path: path.read_bytes() for path in before} == before, "looking changes nothing"


def records():
    return (Document(name, name) for name in "abcd")


def test_the_status_of_a_run_that_is_under_way(tmp_path, capfd):
    out = tmp_path / "out"
    writer = FileWriter(out, {"schema": "1"}, about={"input": "-"})
    pending = dict(writer.pending(records()))
    error = {"id": "c", "error": {"type": "DecodeError", "message": "lost"}}
    writer.write(2, pending[2], error, failed=True)
    writer.write(0, pending[0], {"id": "a"}, failed=False)
    with journal_path(out).open("a") as file:  # a line that is being written just now
        file.write('{"index": 1, "docu')
    code, shown = status(capfd, str(out))
    assert code == 3
    assert shown["state"] == "a process is writing it"
    assert shown["done"] == "2 documents"
    assert shown["waiting"] == "1 for the lines before theirs"
    assert shown["failed"] == "1: DecodeError 1: 'c'"
    assert shown["left"] == "unknown: the input was a stream"
    writer.close(complete=False)


def test_a_line_that_waited_is_counted_once(tmp_path, capfd):
    out = tmp_path / "out"
    with FileWriter(out, {}) as writer:
        pending = dict(writer.pending(records()))
        for place in (1, 0):
            writer.write(place, pending[place], {"id": pending[place].id}, failed=False)
    code, shown = status(capfd, str(out))
    assert (code, shown["done"]) == (0, "2 documents")
    assert "waiting" not in shown
    assert shown["state"] == "no process is writing it"


def test_an_output_that_was_shortened_is_1(tmp_path, fake, capfd):
    source, out = write_texts(tmp_path / "in.jsonl", "a", "b"), tmp_path / "out"
    assert extract(source, out) == 0
    size = out.stat().st_size
    out.write_bytes(out.read_bytes()[:10])
    code, shown = status(capfd, str(out))
    assert code == 1
    assert f"the output lacks {size - 10} bytes" in shown["journal"]


def test_a_replacement_under_way_is_shown_too(tmp_path, fake, capfd):
    source, out = write_texts(tmp_path / "in.jsonl", "a"), tmp_path / "out"
    assert extract(source, out) == 0
    write_texts(source, "a", "interrupt")
    assert extract(source, out, "--overwrite") == 130
    capfd.readouterr()
    assert main(["status", str(out)]) == 0
    old, new = capfd.readouterr().out.split("\n\n")
    assert f"output  {out}\n" in re.sub(" +", "  ", old)
    assert f"output  {out}.new\n" in re.sub(" +", "  ", new)


def test_what_no_run_wrote_is_usage(tmp_path, capfd):
    out = tmp_path / "out"
    assert main(["status", str(out)]) == 2
    assert "out: no such file" in capfd.readouterr().err
    out.write_text("mine")
    assert main(["status", str(out)]) == 2
    assert "there is no out.run beside it, where hpd extract" in capfd.readouterr().err


def test_a_journal_of_something_else_is_usage(tmp_path, capfd):
    out = tmp_path / "out"
    out.write_text("")
    for content, says in (("{}\n", "not a journal"), ('{"hpd_run": 9}\n', "not a journal")):
        journal_path(out).write_text(content)
        assert main(["status", str(out)]) == 2
        assert says in capfd.readouterr().err
