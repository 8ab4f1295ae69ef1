"""``hpd eval --vs`` and ``--fail-under``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hpd.cli import main
from jsonl import read_lines, write_lines

FEW = ("--resamples", "100")


@pytest.fixture
def files(tmp_path: Path) -> dict[str, str]:
    """Three documents: the first file is right twice; the second never, and lacks one of them."""
    gold = [
        {"id": name, "gold": {"brand": brand, "color": None}}
        for name, brand in (("a", "N"), ("b", "P"), ("c", "R"))
    ]
    first = [
        {"id": "a", "data": {"brand": "N", "color": None}},
        {"id": "b", "data": {"brand": "P", "color": None}},
        {"id": "c", "data": {"brand": "x\ny", "color": None}},
    ]
    second = [
        {"id": "c", "data": {"brand": None, "color": "red"}},
        {"id": "a", "data": {"brand": "n", "color": None}},
    ]
    return {
        "gold": str(write_lines(tmp_path / "gold.jsonl", *gold)),
        "first": str(write_lines(tmp_path / "first.jsonl", *first)),
        "second": str(write_lines(tmp_path / "second.jsonl", *second)),
    }


def words(text: str) -> list[str]:
    return [" ".join(line.split()) for line in text.splitlines()]


def test_differences_agreement_and_disagreements(
    files: dict[str, str], capfd: pytest.CaptureFixture[str]
) -> None:
    command = ["eval", files["first"], files["gold"], "--vs", files["second"], *FEW]
    assert main(command) == 0
    out, err = capfd.readouterr()
    rows = words(out)
    # Of eight exchanges four leave F1 as far apart: none, c, a and b, all three.
    (exact,) = [row for row in rows if row.startswith("exact plain micro 66.67 0.00 +66.67")]
    assert exact.endswith(" 0.500")
    assert any("normalized plain micro 66.67 40.00 +26.67" in row for row in rows)
    assert any("all exchanges; outcomes differ in 3 of them" in row for row in rows)
    assert "all fields 6 33.33% 50.00%" in rows
    assert "fields with a value in either 4 0.00% 25.00%" in rows
    assert "fields that differ: 4; all of them (--disagreements FILE keeps all):" in rows
    assert 'a brand "N" "n" "N" right, wrong' in rows
    assert 'b brand "P" null "P" right, missed' in rows
    # What a value holds cannot break the table.
    assert 'c brand "x\\ny" null "R" wrong, missed' in rows
    assert "second.jsonl" in err
    assert "gold.jsonl:2 (id 'b')" in err


def test_json_and_the_file_of_disagreements(
    tmp_path: Path, files: dict[str, str], capfd: pytest.CaptureFixture[str]
) -> None:
    kept = tmp_path / "differ.jsonl"
    command = ["eval", files["first"], files["gold"], "--vs", files["second"], *FEW]
    assert main([*command, "--json", "--disagreements", str(kept)]) == 0
    versus = json.loads(capfd.readouterr().out)["versus"]
    assert versus["first"] == files["first"]
    assert versus["second_matching"]["missing"] == [{"id": "b", "line": 2}]
    assert versus["agreement"]["same"] == 33.33
    assert versus["n_disagreements"] == 4
    f1 = versus["differences"]["exact"]["plain"]["micro"]["f1"]
    assert (f1["first"], f1["second"], f1["p_value"]) == (66.6667, 0.0, 0.5)
    assert set(versus["differences"]["normalized"]["strict"]["macro"]) == {
        "precision", "recall", "f1",
    }  # fmt: skip
    lines = read_lines(kept)
    assert len(lines) == 4
    assert lines[0] == {
        "id": "a", "line": 1, "attribute": "brand", "first": "N", "second": "n", "gold": ["N"],
        "first_outcome": "vc", "second_outcome": "vw", "same_normalized": True,
    }  # fmt: skip


def test_values_are_shown_as_they_are_unless_they_could_break_the_table(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    first = write_lines(tmp_path / "1.jsonl", {"id": 1, "data": {"a": "Café", "b": "x\u202ey"}})
    second = write_lines(tmp_path / "2.jsonl", {"id": 1, "data": {"a": "z" * 99}})
    assert main(["eval", str(first), "--vs", str(second)]) == 0
    rows = words(capfd.readouterr().out)
    assert f'1 a "Café" "{"z" * 32}...' in rows
    assert '1 b "x\\u202ey" null' in rows


def test_many_disagreements_are_cut_on_the_terminal(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    first = write_lines(tmp_path / "1.jsonl", *({"id": i, "data": {"a": i}} for i in range(50)))
    second = write_lines(tmp_path / "2.jsonl", *({"id": i, "data": {"a": -i}} for i in range(50)))
    kept = tmp_path / "differ.jsonl"
    assert main(["eval", str(first), "--vs", str(second), "--disagreements", str(kept)]) == 0
    rows = words(capfd.readouterr().out)
    assert "fields that differ: 49; the first 20 (--disagreements FILE keeps all):" in rows
    assert "20 a 20 -20" in rows
    assert not any(row.startswith("21 a") for row in rows)
    assert len(read_lines(kept)) == 49


def test_agreement_without_gold(files: dict[str, str], capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["eval", files["first"], "--vs", files["second"], "--json"]) == 0
    result = json.loads(capfd.readouterr().out)
    assert result["versus"]["agreement"]["n_fields"] == 6
    assert result["versus"]["differences"] == {}
    assert "plain" not in result
    assert result["scores"]["agreement"] == 33.33


# --- thresholds ---


@pytest.mark.parametrize(
    ("least", "missed"),
    [
        ("66.67", []),
        ("80", ["f1 is 66.67, 13.33 below 80"]),
        ("f1=60,strict_recall=66.67, macro_f1 = 10", []),
        ("f1=70,recall=70", ["f1 is 66.67, 3.33 below 70", "recall is 66.67, 3.33 below 70"]),
        ("agreement=30,normalized_agreement=50", []),
        ("agreement_filled=1", ["agreement_filled is 0.00, 1.00 below 1"]),
    ],
)
def test_fail_under(
    least: str, missed: list[str], files: dict[str, str], capfd: pytest.CaptureFixture[str]
) -> None:
    command = ["eval", files["first"], files["gold"], "--vs", files["second"], *FEW]
    assert main([*command, "--fail-under", least]) == (1 if missed else 0)
    out, err = capfd.readouterr()
    assert out.startswith("3 documents")
    said = [line for line in err.splitlines() if "--fail-under" in line]
    assert said == [f"hpd: --fail-under: {line}" for line in missed]


@pytest.mark.parametrize(
    ("least", "says"),
    [
        ("f2=3", "there is no score 'f2'; there are precision, recall, f1, macro_precision"),
        ("f1", "'f1' is not a number"),
        ("", "'' is not a number"),
        ("f1=2,f1=3", "f1 is given twice"),
        ("f1=101", "from 0 to 100"),
        ("f1=nan", "from 0 to 100"),
    ],
)
def test_wrong_thresholds(least: str, says: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["eval", "a", "b", "--fail-under", least]) == 2
    assert says in capfd.readouterr().err


def test_thresholds_of_what_is_not_computed(
    files: dict[str, str], capfd: pytest.CaptureFixture[str]
) -> None:
    assert main(["eval", files["first"], files["gold"], "--fail-under", "agreement=3"]) == 2
    assert "--fail-under agreement needs a second file: --vs OTHER" in capfd.readouterr().err
    assert main(["eval", files["first"], "--vs", files["second"], "--fail-under", "3"]) == 2
    assert "--fail-under f1 needs GOLD" in capfd.readouterr().err
