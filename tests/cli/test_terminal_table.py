"""Results on a terminal: a table that fits the window."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from fake_extractor import FakeExtractor
from hpd.cli import main
from hpd.cli.terminal_table import TerminalTable, fitted, width_of
from hpd.schema import load_schema
from jsonl import write_texts


def shown(width: int, *lines: dict[str, object]) -> list[str]:
    table = TerminalTable(load_schema("brand, price number, tags [str]"), width)
    return b"".join(table(line) for line in lines).decode().splitlines()


LINES = (
    {"id": "a1", "data": {"brand": "Nike", "price": 1.5, "tags": ["x", "y"]}},
    {"id": "a2", "error": {"type": "InputError", "message": "no text"}},
    {"id": "a3", "data": {"brand": "Ünïcode 東京 very long name", "price": None, "tags": []}},
)


def test_a_row_for_each_document_below_one_header() -> None:
    assert shown(46, *LINES) == [
        "id          brand       price       tags",
        "----------  ----------  ----------  ----------",
        'a1          Nike        1.5         ["x", "y"]',
        "a2: InputError: no text",
        "a3          Ünïcode …   -           []",
    ]


def test_attributes_go_below_each_other_where_the_window_is_narrow() -> None:
    assert shown(20, *LINES[:2]) == [
        "a1",
        "  brand  Nike",
        "  price  1.5",
        '  tags   ["x", "y"]',
        "a2",
        "a2: InputError: no …",
    ]


@pytest.mark.parametrize("width", [20, 46, 80, 200])
def test_no_row_is_wider_than_the_window(width: int) -> None:
    assert all(width_of(row) <= width for row in shown(width, *LINES))


def test_a_value_cannot_move_the_cursor() -> None:
    (row,) = shown(80, {"id": "a", "data": {"brand": "\x1b[2Jgone\nnext"}})[2:]
    assert "\x1b" not in row
    assert "[2Jgone next" in row


def test_wide_characters_count_twice() -> None:
    assert fitted("東京タワー", 6) == "東京… "
    assert fitted("e\u0301te\u0301", 3) == "e\u0301te\u0301"


def test_a_table_is_the_default_on_a_terminal_only(
    tmp_path: Path, fake: list[FakeExtractor], capfd: pytest.CaptureFixture[str]
) -> None:
    source = write_texts(tmp_path / "in.jsonl", "x")
    command = ["extract", str(source), "--schema", "text", "--quiet"]
    assert main(command) == 0
    assert capfd.readouterr().out.startswith('{"id"')
    assert main([*command, "--show", "table"]) == 0
    assert capfd.readouterr().out.split() == ["id", "text", "-" * 39, "-" * 39, "1", "x"]
    assert main([*command, "--show", "json", "-o", str(tmp_path / "out")]) == 2
    assert "--show is for standard output" in capfd.readouterr().err


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
def test_on_a_terminal_it_is_a_table_without_a_bar(tmp_path: Path) -> None:
    import pty

    source = write_texts(tmp_path / "in.jsonl", "Luma Cotton T-Shirt for Men, White, XL")
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "hpd.cli", "extract", str(source), "--schema", "Color"]
    subprocess.run(
        command, stdout=theirs, stderr=theirs, check=True, env={**os.environ, "COLUMNS": "60"}
    )
    os.close(theirs)
    said = b""
    while True:
        try:
            part = os.read(ours, 65536)
        except OSError:
            break
        if not part:
            break
        said += part
    os.close(ours)
    assert b"id " in said
    assert b"White" in said
    assert b"doc/s" not in said
