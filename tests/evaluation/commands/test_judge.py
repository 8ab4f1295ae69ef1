"""``hpd judge`` with the model in the box, here and (in tests/endpoint) behind a server."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hpd.cli import main
from jsonl import read_lines, write_lines

ROWS = [
    {"id": "1", "text": "Diesel sneaker, black", "data": {"Brand": "Diesel", "Color": None}},
    {"id": "2", "text": "Nordvik wool coat", "data": {"Brand": "Kestrel", "Color": "red"}},
    {"id": "3", "error": {"type": "InputError", "message": "broken"}},
]
GOLD = [
    {"id": "1", "gold": {"Brand": "Diesel", "Color": "black"}},
    {"id": "2", "gold": {"Brand": "Nordvik", "Color": None}},
]


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write_lines(tmp_path / "values.jsonl", *ROWS)
    write_lines(tmp_path / "gold.jsonl", *GOLD)
    return tmp_path


def test_every_value_gets_a_verdict_and_a_reason(
    files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["judge", "values.jsonl", "gold.jsonl", "-t", "1"]) == 0
    out, err = capsys.readouterr()
    assert "what it answers here means little" in err
    assert "2 documents, 4 of 4 values judged" in out
    assert "judge and gold: the same verdict on" in out
    lines = read_lines(files / "verdicts.jsonl")
    of_color = {"1": ("missing", "correct null"), "2": ("correct", "incorrect", "hallucination")}
    assert [line["id"] for line in lines] == ["1", "2"]
    for line in lines:
        assert line["data"]["Brand"]["verdict"] in ("correct", "incorrect", "hallucination")
        assert line["data"]["Color"]["verdict"] in of_color[line["id"]]
        assert all(isinstance(each["reason"], str) for each in line["data"].values())


def test_a_run_goes_on_and_its_figures_are_printed_once_more(
    files: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    judge = ["judge", "values.jsonl", "gold.jsonl", "-t", "1", "--json", "--quiet"]
    assert main([*judge, "--limit", "1"]) == 0
    out, err = capsys.readouterr()
    assert json.loads(out)["n_documents"] == 1
    assert not err
    first = read_lines(files / "verdicts.jsonl")
    assert main(judge) == 2
    assert "verdicts.jsonl is there already" in capsys.readouterr().err
    assert main([*judge, "--resume"]) == 0
    figures = json.loads(capsys.readouterr().out)
    assert figures["n_documents"] == 2
    assert figures["n_values"] == 4
    assert figures["agreement"]["n"] == 4
    assert read_lines(files / "verdicts.jsonl")[:1] == first

    def refuse(*_: object, **__: object) -> None:
        pytest.fail("a model was loaded")

    monkeypatch.setattr("hpd.extractor.Extractor", refuse)
    assert main([*judge, "--resume"]) == 0
    assert json.loads(capsys.readouterr().out) == figures


def test_verdicts_on_other_values_are_not_gone_on_with(
    files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    judge = ["judge", "values.jsonl", "-t", "1", "--quiet"]
    assert main(judge) == 0
    write_lines(files / "values.jsonl", {**ROWS[0], "data": {"Brand": "Nike", "Color": None}})
    assert main([*judge, "--resume"]) == 2
    assert "the input has changed" in capsys.readouterr().err


def test_texts_come_from_the_documents(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_lines(files / "bare.jsonl", {"id": "1", "data": {"Brand": "Diesel"}})
    assert main(["judge", "bare.jsonl"]) == 2
    assert "has no text" in capsys.readouterr().err
    write_lines(files / "texts.jsonl", {"id": "1", "title": "Diesel sneaker"})
    more = ["--documents", "texts.jsonl", "--text-field", "title", "-t", "1", "--quiet"]
    assert main(["judge", "bare.jsonl", *more]) == 0
    assert "1 documents, 1 of 1 values judged" in capsys.readouterr().out


def test_an_endpoint_needs_its_extra(
    files: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hpd.cli.common.find_spec", lambda name: None)
    assert main(["judge", "values.jsonl", "--api", "http://localhost:1/v1", "-m", "m"]) == 2
    assert "--api needs diskcache, openai: run `pip install" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["gone.jsonl"], "cannot be opened"),
        (["values.jsonl", "-o", "values.jsonl"], "is read in this run"),
        (["values.jsonl", "--price-in", "1"], "--price-in does nothing without --api"),
        (["values.jsonl", "--no-cache"], "--no-cache does nothing without --api"),
        (["values.jsonl", "--api", "http://x/v1"], "the name of a model"),
        (["values.jsonl", "--api", "localhost:1/v1", "-m", "m"], "is no address"),
        (["values.jsonl", "--api", "http://x/v1", "-m", "m", "-c", "9"], "of a local model"),
        (["values.jsonl", "--api", "http://x/v1", "-m", "m", "--price-in", "1"], "two parts"),
        (["values.jsonl", "--text-field", "t"], "of --documents or of GOLD"),
        (["empty.jsonl"], "no value to judge"),
    ],
)
def test_wrong_use_is_said(
    files: Path, arguments: list[str], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    write_lines(files / "empty.jsonl", {"id": "1", "data": {}})
    assert main(["judge", *arguments]) == 2
    assert says in capsys.readouterr().err
    assert not (files / "verdicts.jsonl").exists()
