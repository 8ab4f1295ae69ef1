"""``hpd extract`` where something goes wrong: exit codes, messages, and what is written."""

from __future__ import annotations

from pathlib import Path

import pytest

import hpd.extractor
from fake_extractor import FakeExtractor
from hpd.cli import main
from hpd.results import Extraction
from jsonl import read_lines, write_lines, write_texts


def test_failures_keep_their_place_and_the_rest_is_written(tmp_path, fake, capfd):
    source = write_lines(
        tmp_path / "in.jsonl",
        "nonsense", {"text": "a"}, {"text": None}, {"text": "too long"}, {"text": "b"},
        {"text": "c"}, "{}", {"text": "d"}, "17", "18",
    )  # fmt: skip
    assert main(["extract", str(source), "--schema", "brand"]) == 3
    out, err = capfd.readouterr()
    found = read_lines(out)
    assert [line["id"] for line in found] == [str(n) for n in range(1, 11)]
    assert [("data" in line, "error" in line) for line in found] == [
        (n in (2, 5, 6, 8), n not in (2, 5, 6, 8)) for n in range(1, 11)
    ]
    assert found[0]["error"]["type"] == "InputError"
    assert f"{source}:1: not valid JSON" in found[0]["error"]["message"]
    assert found[3]["error"] == {"type": "ContextOverflowError", "message": "9 tokens over"}
    assert err.startswith("hpd: 10 documents, ")
    assert err.endswith(
        ", 1 failed (ContextOverflowError), 5 failed (InputError), the first: "
        f"{source}:1: not valid JSON: Expecting value at column 1; if each line is a text, say so "
        "(--format lines), or if all of it is one (--format txt)\n"
    )
    assert main(["extract", str(source), "--schema", "brand", "--quiet"]) == 3
    assert capfd.readouterr().err == ""


def test_failures_alone_do_not_pile_up(tmp_path, fake):
    """Their lines are out before the extractor has even one document."""
    out = tmp_path / "out"
    seen = []

    class Watching(FakeExtractor):
        def iter_indexed(self, documents, **_):
            for index, document in enumerate(documents):
                seen.append(len(out.read_text().splitlines()))
                yield index, Extraction(document.id, {})

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(hpd.extractor, "Extractor", Watching)
        source = write_lines(tmp_path / "in.jsonl", "1", "2", "3", {"text": "x"})
        assert main(["extract", str(source), "--schema", "a", "-o", str(out), "--quiet"]) == 3
    assert seen == [3]


@pytest.mark.parametrize(
    "arguments",
    [
        ["extract"],
        ["extract", "in.jsonl"],
        ["nonsense"],
        ["extract", "in.jsonl", "--schema", "a", "--nonsense"],
        ["extract", "in.jsonl", "--schema", "a", "--set", "method=magic"],
        ["extract", "in.jsonl", "--schema", "a", "--set", "stack=0"],
        ["extract", "in.jsonl", "--schema", "a", "--set", "in_flight=many"],
        ["extract", "in.jsonl", "--schema", "a", "--null-threshold", "1.5"],
        ["extract", "in.jsonl", "--schema", "a", "--null-threshold", "nan"],
        ["extract", "in.jsonl", "--schema", "a", "--temp", "-1"],
        ["extract", "in.jsonl", "--schema", "a", "--lora", "a.gguf:nan"],
        ["extract", "in.jsonl", "--schema", "a", "-m", "x", "-hf", "u/r"],
        ["extract", "in.jsonl", "--schema", "a", "--meth", "ar"],
        ["eval"],
    ],
)
def test_wrong_usage_is_2(arguments, no_extractor, capsys):
    assert main(arguments) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert err.startswith("hpd: error: ")


def test_errors_before_the_model_are_2(tmp_path, no_extractor, capfd):
    source = str(write_texts(tmp_path / "in.jsonl", "x"))
    empty = write_lines(tmp_path / "empty.csv")
    foreign = write_lines(tmp_path / "diary", "dear diary")
    for arguments, says in (
        ([source, "--schema", ""], "the schema is empty"),
        ([source, "--schema", str(tmp_path / "gone.json")], "gone.json"),
        ([str(tmp_path / "gone.jsonl"), "--schema", "a"], "gone.jsonl: cannot be opened"),
        ([str(tmp_path / "x.docx"), "--schema", "a"], "x.docx: cannot be opened"),
        ([str(empty), "--schema", "a"], "expected a header"),
        ([source, "--schema", "a", "--resume"], "--resume needs an output file"),
        ([source, "--schema", "a", "-o", source], "is read in this run"),
        ([source, "--schema", "a", "-o", str(tmp_path / "no" / "out")], "there is no folder"),
        ([source, "--schema", "a", "-o", str(foreign), "--resume"], "cannot be resumed"),
        ([source, "--schema", "a", "--examples", str(tmp_path / "gone.jsonl")], "cannot be opened"),
    ):
        assert main(["extract", *arguments]) == 2, arguments
        out, err = capfd.readouterr()
        assert out == ""
        assert err.startswith("hpd: error: ")
        assert says in err
    assert Path(source).read_text() == '{"text": "x"}\n'


def test_a_model_that_cannot_be_loaded_is_1_and_costs_no_output(tmp_path, fake, capfd):
    source, out = (
        write_texts(tmp_path / "in.jsonl", "x"),
        write_lines(tmp_path / "out", '{"id": "1"}'),
    )
    command = ["extract", str(source), "--schema", "a", "-m", "gone.gguf", "-o", str(out)]
    assert main([*command, "--overwrite"]) == 1
    error = capfd.readouterr().err
    assert error == "hpd: error: there is no model gone.gguf\n"
    assert out.read_text() == '{"id": "1"}\n'


def test_a_failure_on_the_way_is_1_and_keeps_what_there_is(tmp_path, fake, capfd):
    source, out = write_texts(tmp_path / "in.jsonl", "x", "crash", "y"), tmp_path / "out"
    assert main(["extract", str(source), "--schema", "a", "-o", str(out)]) == 1
    assert capfd.readouterr().err == "hpd: error: the engine broke\n"
    assert [line["id"] for line in read_lines(out)] == ["1"]


def test_interrupted_is_130_and_resume_does_the_rest(tmp_path, fake, capfd):
    source, out = write_texts(tmp_path / "in.jsonl", "a", "b", "interrupt", "d"), tmp_path / "out"
    command = ["extract", str(source), "--schema", "a", "-o", str(out)]
    assert main(command) == 130
    assert capfd.readouterr().err == (
        "hpd: interrupted: 2 documents are written; the same command with --resume does the rest\n"
    )
    assert [line["id"] for line in read_lines(out)] == ["1", "2"]

    with out.open("a") as file:  # as a kill in the middle of a line leaves it
        file.write('{"id": "3", "da')
    write_texts(source, "a", "b", "c", "d")
    capfd.readouterr()
    assert main([*command, "--resume"]) == 0
    assert "cut off 15 bytes of an unfinished line" in capfd.readouterr().err
    assert [line["data"]["text"] for line in read_lines(out)] == ["a", "b", "c", "d"]
    assert [document.id for document in fake[1].documents] == ["3", "4"]
    assert main([*command, "--resume"]) == 0
    assert len(fake) == 2, "nothing is left to do, so no model is loaded"
    assert len(out.read_text().splitlines()) == 4


def test_interrupted_while_loading_is_130(tmp_path, monkeypatch, capfd):
    def interrupt(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(hpd.extractor.Extractor, "from_plan", interrupt)
    assert main(["extract", str(write_texts(tmp_path / "in.jsonl", "x")), "--schema", "a"]) == 130
    assert capfd.readouterr().err == "hpd: interrupted: 0 documents are written\n"
