"""``benchmarks.peers``: other programs with the same file, on a few documents of each kind."""

import json
import shlex
import sys
from pathlib import Path

import pytest

import nulls_server
from benchmarking import a_few_titles
from benchmarks import peers, tables
from benchmarks.harness.result import load_results
from benchmarks.harness.workbench import Workbench
from benchmarks.programs import ONE_BY_ONE, TOGETHER, Setting
from small_model import small_model

SCHEMA = {
    "$schema": "http://json-schema.org/draft-07/schema#",
    "type": "object",
    "properties": {
        "buyer": {"type": "string"},
        "state": {"type": "string", "enum": ["paid", "open"]},
        "lines": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"goods": {"type": "string"}, "n": {"type": "integer"}},
            },
        },
    },
    "required": ["buyer"],
}
LINES = [{"goods": "lamp", "n": 2}, {"goods": "rug", "n": 1}]


@pytest.fixture
def data(tmp_path):
    """Titles, and documents of which two have a list and a text that states it."""
    a_few_titles(tmp_path)
    folder = tmp_path / "data" / "docubench"
    for part in ("documents", "schemas", "labels"):
        (folder / part).mkdir(parents=True)
    texts = {"long": "Bill\nlamp 2\nrug 1\n" + "Thank you. " * 9, "short": "lamp 2\nrug 1"}
    for name, text in {**texts, "empty": "No lines", "scan": "1"}.items():
        (folder / "documents" / f"{name}.txt").write_text(text)
        (folder / "schemas" / f"{name}.json").write_text(json.dumps(SCHEMA))
        label = {"buyer": None, "lines": [] if name == "empty" else LINES}
        (folder / "labels" / f"{name}.json").write_text(json.dumps(label))
    return tmp_path / "data"


@pytest.fixture
def server(tmp_path):
    """A program that is called like llama.cpp's server."""
    program = tmp_path / "llama-server"
    folder = shlex.quote(str(Path(nulls_server.__file__).parent))
    command = f"{shlex.quote(sys.executable)} -m nulls_server"
    program.write_text(f'#!/bin/sh\nPYTHONPATH={folder}:$PYTHONPATH exec {command} "$@"\n')
    program.chmod(0o755)
    return program


def lists(data, tmp_path):
    return peers.documents(Workbench(data, tmp_path / "work", model=small_model()))


def row_of(name, kind, server=None):
    program = {**ONE_BY_ONE, **TOGETHER}[name]
    setting = Setting(small_model(), kind.schemas, 1, kind.n_ctx, 8, 2, server)
    return peers.measured(name, program, setting, kind)


def test_documents_are_the_shortest_with_a_list_and_are_scored_as_boards_do(data, tmp_path):
    kind = lists(data, tmp_path)
    assert [question.category for question in kind.questions] == ["short", "long"]
    assert kind.right([{"lines": LINES}, {"lines": LINES[:1]}]) == 75


def test_every_program_is_asked_for_all_and_may_say_null(data, tmp_path):
    schema = lists(data, tmp_path).questions[0].schema
    assert schema["required"] == ["buyer", "state", "lines"]
    assert schema["properties"]["state"]["enum"] == ["paid", "open", None]
    item = schema["properties"]["lines"]["items"]
    assert item["required"] == ["goods", "n"]
    assert item["properties"]["n"]["type"] == ["integer", "null"]


def test_the_methods_of_hpd_answer_as_the_schema_says(data, tmp_path):
    for name in ("hpd", "hpd, method ar"):
        row = row_of(name, lists(data, tmp_path))
        assert row["invalid"] == 0, row
        assert row["seconds"] > 0


def test_a_program_that_is_missing_is_named(data, tmp_path):
    assert "--server" in row_of("llama-server", lists(data, tmp_path))["error"]


@pytest.mark.parametrize(
    ("name", "package"),
    [
        ("llama-server", "openai"),
        ("llama-server, a request a field", "openai"),
        ("instructor", "instructor"),
        ("langextract", "langextract"),
    ],
)
def test_clients_of_a_server_ask_for_lists(data, tmp_path, server, name, package):
    pytest.importorskip(package)
    row = row_of(name, lists(data, tmp_path), server)
    assert (row["right"], row["invalid"]) == (0, 0)
    assert {answer.replace(" ", "") for answer in row["answers"]} == {
        '{"buyer":null,"state":null,"lines":[]}'
    }


def test_the_headline_is_of_programs_that_find_something(data, tmp_path):
    rows = {
        "hpd": {"seconds": 0.1, "right": 80.0},
        "hpd, method ar": {"seconds": 0.2, "right": 80.0},
        "outlines": {"seconds": 0.3, "right": 60.0},
        "llama-server": {"seconds": 0.4, "right": 80.0},
        "langextract": {"seconds": 0.05, "right": 0.0},
        "guidance": {"error": "ImportError: guidance"},
    }
    told = peers.headline([(lists(data, tmp_path), rows)])
    assert told.endswith("at best: 3.0 for documents with lists (outlines)")


def test_one_command_makes_the_table(data, tmp_path, monkeypatch):
    # Programs that run on a small model and need no other package.
    for group in (ONE_BY_ONE, TOGETHER):
        for name in [name for name in group if not name.startswith("hpd")]:
            monkeypatch.delitem(group, name)
    asked = ["--part", "peers", "--data", data, "-m", small_model(), "--limit", "1", "-t", "1"]
    asked += ["--results", tmp_path / "results", "--work", tmp_path / "work"]
    assert tables.main([str(each) for each in asked]) == 0
    (table,) = load_results(tmp_path / "results")["peers"].finding.tables
    head, *rows = table.rows
    assert head[1::3] == ["titles/s", "descriptions/s", "documents with lists/s"]
    assert [row[0] for row in rows] == [*ONE_BY_ONE, *TOGETHER]
    assert all(float(cell) > 0 for row in rows for cell in row[1::3])
