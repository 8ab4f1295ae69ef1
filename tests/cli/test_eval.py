"""``hpd eval``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hpd.cli import main
from jsonl import write_lines


def gold_rows(path: Path) -> Path:
    return write_lines(
        path,
        {"input": "red Nike", "category": "Shoes", "target_scores": {"Brand": {"Nike": 1}}},
        {"input": "blue shoe", "category": "Shoes", "target_scores": {"Color": {"blue": 1}}},
    )


def test_eval(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    gold = gold_rows(tmp_path / "gold.jsonl")
    predicted = write_lines(
        tmp_path / "pred.jsonl",
        {"id": "1", "data": {"Brand": "Nike", "Color": "red"}},
        {"id": "2", "error": {"type": "E", "message": "m"}},
    )
    assert main(["eval", str(predicted), str(gold), "--json", "--per-attribute"]) == 0
    found = json.loads(capfd.readouterr().out)
    assert found["plain"]["micro"] == {
        "precision": 100.0, "recall": 50.0, "f1": 66.67,
        "nn": 0, "nv": 0, "vn": 1, "vc": 1, "vw": 0,
    }  # fmt: skip
    assert found["strict"]["micro"]["nv"] == 1
    assert found["n_missing"] == 1
    assert [cell["attribute"] for cell in found["plain"]["attributes"]] == ["Brand", "Color"]

    assert main(["eval", str(predicted), str(gold), "--per-attribute"]) == 0
    out = capfd.readouterr().out
    assert "2 documents, 1 of them without a prediction" in out
    rows = [" ".join(line.split()) for line in out.splitlines()]
    assert "plain micro 100.00 50.00 66.67 0 0 1 1 0" in rows
    assert "Shoes Color 0.00 0.00 0.00 0 0 1 0 0" in rows


def test_eval_with_the_attributes_of_each_category(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    gold = gold_rows(tmp_path / "gold.jsonl")
    attributes = tmp_path / "attributes.json"
    for content, nn in (('{"Shoes": ["Brand", "Color", "Size"]}', 4), ('["Heel"]', 2)):
        attributes.write_text(content)
        command = ["eval", "--lookup", str(gold), str(gold), "--attributes", str(attributes)]
        assert main([*command, "--json"]) == 0
        found = json.loads(capfd.readouterr().out)["strict"]["micro"]
        assert (found["vc"], found["nn"]) == (2, nn)


def test_eval_refuses(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    gold = str(gold_rows(tmp_path / "gold.jsonl"))
    other = str(write_lines(tmp_path / "other.jsonl", {"id": "x", "data": {}}))
    for arguments, says in (
        ([gold], "give PRED and GOLD, or --lookup TRAIN and GOLD"),
        ([gold, gold, "--lookup", gold], "give PRED and GOLD, or --lookup TRAIN and GOLD"),
        ([gold, gold], "neither 'data' nor 'error'"),
        ([other, gold], "1 predictions for 2 documents, and the documents have no ids"),
        ([str(tmp_path / "gone.jsonl"), gold], "cannot be opened"),
        ([other, gold, "--attributes", "gone.json"], "gone.json"),
    ):
        assert main(["eval", *arguments]) == 2, arguments
        assert says in capfd.readouterr().err
