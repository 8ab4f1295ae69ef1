"""``hpd discover`` with the model in the box, here and (in tests/endpoint) behind a server."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hpd.cli import main
from hpd.schema import load_schemas
from jsonl import write_lines

TEXTS = ["Diesel sneaker, black", "Nordvik wool coat", "Tavola pan, 28 cm", "Luma lamp, white"]


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    rows = [{"text": text, "kind": "ab"[i % 2]} for i, text in enumerate(TEXTS)]
    write_lines(tmp_path / "docs.jsonl", *rows)
    return tmp_path


def test_documents_become_a_schema(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    small = ["-k", "2", "--samples", "2", "--sample-size", "2", "--max-tokens", "8", "-t", "1"]
    assert main(["discover", "docs.jsonl", *small]) == 0
    captured = capsys.readouterr()
    schema = json.loads(captured.out)
    assert 1 <= len(schema["properties"]) <= 2
    assert load_schemas(schema)
    assert "2 samples," in captured.err
    assert "what it answers here means little" in captured.err


def test_each_category_gets_its_own(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    small = ["-k", "1", "--samples", "1", "--sample-size", "2", "--max-tokens", "8", "-t", "1"]
    command = ["discover", "docs.jsonl", "--category-field", "kind", "-o", "s.json", *small]
    assert main(command) == 0
    assert {*json.loads((files / "s.json").read_text())} == {"a", "b"}
    schemas = load_schemas("s.json")
    assert isinstance(schemas, dict)
    assert {*schemas} == {"a", "b"}
    assert main(command) == 2
    assert "s.json is there already" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["gone.jsonl"], "gone.jsonl"),
        (["empty.jsonl"], "holds no document"),
        (["docs.jsonl", "-k", "0"], "-k"),
        (["docs.jsonl", "--rpm", "5"], "--rpm does nothing without --api"),
    ],
)
def test_wrong_use_is_said(
    files: Path, arguments: list[str], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (files / "empty.jsonl").write_text("")
    assert main(["discover", *arguments]) == 2
    assert says in capsys.readouterr().err
