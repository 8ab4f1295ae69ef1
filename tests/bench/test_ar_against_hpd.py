"""``benchmarks/ar_against_hpd.py``, on made-up rows and with the model in the box."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import dataset_files
from benchmarks import ar_against_hpd
from hpd.cli import main
from jsonl import read_lines


def test_both_methods_are_compared_on_every_file(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    for name in ("titles", "pave"):
        (tmp_path / name).mkdir()
    titles = dataset_files.extractgpt(tmp_path / "titles")
    pave = dataset_files.wdc_pave(tmp_path / "pave")
    (tmp_path / "titles" / "attributes.json").write_text('{"Shoes": ["Brand"], "Tea": ["Brand"]}')
    work = tmp_path / "work"
    command = [str(titles), str(pave), "--work", str(work), "--resamples", "100", "--threads", "1"]
    ar_against_hpd.main([*command, "--limit", "2"])
    out = capfd.readouterr().out
    assert "Model `hpd-box.gguf`" in out
    rows = [line for line in out.splitlines() if line.startswith("| titles | 2 | ")]
    assert [row.split(" | ")[2:4] for row in rows] == [
        ["exact", "plain"], ["exact", "strict"], ["normalized", "plain"], ["normalized", "strict"],
    ]  # fmt: skip
    assert "| pave | 2 | exact | plain |" in out
    # The rows and figures are those of hpd eval --vs.
    folder = work / "titles-2"
    assert {*read_lines(folder / "hpd.jsonl")[0]["data"]} == {"Brand"}
    files = [str(folder / f"{name}.jsonl") for name in ("hpd", "gold", "ar")]
    attributes = str(titles.with_name("attributes.json"))
    evaluate = ["eval", *files[:2], "--vs", files[2], "--attributes", attributes, "--json"]
    assert main([*evaluate, "--resamples", "100"]) == 0
    versus = json.loads(capfd.readouterr().out)["versus"]
    f1 = versus["differences"]["exact"]["plain"]["micro"]["f1"]
    shown = f"{f1['second']:.2f} | {f1['first']:.2f} | {f1['difference']:+.2f}"
    assert shown in rows[0]
    assert f"| titles | {versus['agreement']['n_fields']} | " in out
    # What was extracted once is not extracted again.
    (folder / "hpd.jsonl").write_text('{"id": "1", "data": {}}\n{"id": "2", "data": {}}\n')
    ar_against_hpd.main([*command, "--limit", "2"])
    assert capfd.readouterr().out != out
