"""``hpd data``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import dataset_files
from hpd.cli import main
from hpd.evaluation.datasets import FORMATS
from jsonl import read_lines


def words(text: str) -> list[str]:
    return [" ".join(line.split()) for line in text.splitlines()]


def test_list(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["data", "list"]) == 0
    assert [line.split()[0] for line in capfd.readouterr().out.splitlines()] == [*FORMATS]


def test_check(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = dataset_files.extractgpt(tmp_path)
    assert main(["data", "check", str(path)]) == 0
    rows = words(capfd.readouterr().out)
    assert rows[0].startswith(f"{path}: extractgpt (OA-Mine and AE-110k")
    for row in (
        "documents 3",
        "attributes 4",
        "attributes stated to have none 1",
        "of these with more than one 1",
        "gold values that the text holds 75.0%",
        "Shoes 2 2 2",
    ):
        assert row in rows


def test_check_names_the_lines_that_cannot_be_read(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = dataset_files.extractgpt(tmp_path)
    with path.open("a") as file:
        file.write("{\n" * 25)
    assert main(["data", "check", str(path)]) == 3
    rows = words(capfd.readouterr().out)
    assert "25 rows cannot be read:" in rows
    assert any(row.startswith(f"{path}:4: not valid JSON") for row in rows)
    assert "... and 5 more (hpd data check --json has all)" in rows
    assert main(["data", "check", str(path), "--json"]) == 3
    assert len(json.loads(capfd.readouterr().out)["problems"]) == 25


def test_convert(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path, output = dataset_files.conll(tmp_path), tmp_path / "gold.jsonl"
    command = ["data", "convert", str(path), "-o", str(output)]
    assert main(command) == 0
    assert "3 documents in" in capfd.readouterr().err
    assert len(read_lines(output)) == 3
    assert list(json.loads((tmp_path / "gold.schema.json").read_text())["properties"]) == [
        "PER", "LOC",
    ]  # fmt: skip
    # Neither file is replaced unless that is said.
    assert main([*command, "--whole-documents"]) == 2
    assert f"{output} exists" in capfd.readouterr().err
    assert main([*command, "--whole-documents", "--overwrite"]) == 0
    assert len(read_lines(output)) == 2
    output.unlink()
    assert main(command) == 2
    assert "gold.schema.json exists" in capfd.readouterr().err


def test_convert_leaves_out_what_cannot_be_read_and_says_so(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path, output = dataset_files.extractgpt(tmp_path), tmp_path / "gold.jsonl"
    with path.open("a") as file:
        file.write('{"id": "1", "input": "t", "category": "Tea", "target_scores": {}}\n{\n')
    assert main(["data", "convert", str(path), "-o", str(output)]) == 3
    err = capfd.readouterr().err
    assert f"left out: {path}:5: not valid JSON" in err
    assert f"{path}:4: the id '1' is that of line 1" in err
    assert len(read_lines(output)) == 4


def test_convert_without_attributes_writes_no_schema(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path, output = tmp_path / "x.conll", tmp_path / "gold.jsonl"
    path.write_text("nothing O\n")
    assert main(["data", "convert", str(path), "-o", str(output)]) == 0
    assert "names no attributes, so there is no schema" in capfd.readouterr().err
    assert sorted(left.name for left in tmp_path.iterdir()) == ["gold.jsonl", "x.conll"]


def test_a_converted_file_is_gold_for_eval(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    output = tmp_path / "gold.jsonl"
    assert (
        main(["data", "convert", str(dataset_files.extractgpt(tmp_path)), "-o", str(output)]) == 0
    )
    schema = str(tmp_path / "gold.schema.json")
    command = ["eval", "--lookup", str(output), str(output), "--attributes", schema, "--json"]
    assert main([*command, "--resamples", "100"]) == 0
    assert json.loads(capfd.readouterr().out)["plain"]["micro"]["recall"] == 100.0


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["check", "gone.jsonl"], "gone.jsonl: cannot be opened"),
        (["check", "OTHER"], "in none of the formats extractgpt, wdc-pave, amazon-2023, conll"),
        (["check", "FILE", "--whole-documents"], "--whole-documents is for conll; "),
        (["convert", "FILE", "-o", "FILE", "--overwrite"], "is the file that is read"),
    ],
)
def test_what_is_refused(
    arguments: list[str], says: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    other = tmp_path / "other.txt"
    other.write_text("words and words\n")
    paths = {"FILE": str(dataset_files.extractgpt(tmp_path)), "OTHER": str(other)}
    assert main(["data", *(paths.get(argument, argument) for argument in arguments)]) == 2
    out, err = capfd.readouterr()
    assert says in err
    assert out == ""
