"""``hpd judge`` and ``hpd discover`` through a real server with the model in the box."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hpd.cli import main
from hpd.schema import load_schema
from jsonl import read_lines, write_lines

pytest.importorskip("openai")
pytest.importorskip("diskcache")


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HPD_CACHE", str(tmp_path / "cache"))
    row = {"id": "1", "text": "Diesel sneaker, black", "data": {"Brand": "Diesel", "Color": None}}
    write_lines(tmp_path / "values.jsonl", row)
    write_lines(tmp_path / "gold.jsonl", {"id": "1", "gold": {"Brand": "Diesel", "Color": "black"}})
    return tmp_path


def test_judge(box_url: str, files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    # The box's own answers are long and often broken: what is shown here is the way.
    judge = ["judge", "values.jsonl", "gold.jsonl", "--api", box_url, "-m", "box", "--quiet"]
    judge += ["--response-format", "json_object", "--max-tokens", "300"]
    judge += ["--price-in", "2", "--price-out", "10", "--json"]
    assert main(judge) == 0
    figures = json.loads(capsys.readouterr().out)
    assert figures["n_values"] == 2
    n_in, n_out = figures["prompt_tokens"], figures["completion_tokens"]
    assert min(n_in, n_out) > 0
    assert figures["price"] == pytest.approx((2 * n_in + 10 * n_out) / 1e6)
    (first,) = read_lines(files / "verdicts.jsonl")
    # What was answered once is not asked for again.
    assert main([*judge, "--overwrite"]) == 0
    assert json.loads(capsys.readouterr().out)["price"] == 0
    (second,) = read_lines(files / "verdicts.jsonl")
    assert first["data"] == second["data"]


def test_discover(box_url: str, files: Path) -> None:
    discover = ["discover", "values.jsonl", "-k", "1", "--api", box_url, "-m", "box"]
    discover += ["--response-format", "json_object", "--max-tokens", "400", "--no-cache"]
    code = main([*discover, "-o", "schema.json"])
    # The box may fill its answer without end, so that no attribute is complete.
    if code == 0:
        assert len(load_schema("schema.json").attributes) == 1
    else:
        assert code == 1
        assert not (files / "schema.json").exists()
    assert not (files / "cache").exists()
