"""The soak: a small one, and that it would see what it looks for."""

import json

import pytest

from jsonl import read_lines, write_lines
from nightly import nightly
from tools.soak import Soak, differences, finished_indexes, main, wrong_lines


@pytest.mark.parametrize("options", [[], *nightly(["--deterministic"])], ids=str)
def test_a_run_that_is_killed_and_resumed_gets_done(tmp_path, options, capsys):
    small = ["--documents", "24", "--kills", "3", "--longest", "4", "--seed", "2"]
    assert main([*small, "--folder", str(tmp_path), *options]) == 0
    assert "VERDICT: all is well" in capsys.readouterr().out
    assert (
        len(read_lines(tmp_path / "out.jsonl"))
        == len(finished_indexes(tmp_path / "out.jsonl"))
        == 24
    )


@pytest.mark.parametrize(
    ("ids", "problem"),
    [
        (["0", "1"], "1 documents have no line: ['2']"),
        (["0", "1", "1", "2"], "1 documents have several lines: ['1']"),
        (["0", "2", "1"], "the lines are not in the order of the documents"),
    ],
)
def test_lines_that_are_wrong_are_seen(tmp_path, ids, problem):
    write_lines(tmp_path / "out.jsonl", *({"id": id_, "data": {}} for id_ in ids))
    assert wrong_lines(tmp_path / "out.jsonl", 3) == [problem]


def test_a_torn_line_and_an_error_are_seen(tmp_path):
    lines = [json.dumps({"id": "0", "data": {}}), '{"id": "1", "da', '{"id": "2", "error": "x"}']
    (tmp_path / "out.jsonl").write_text("\n".join(lines) + "\n")
    assert wrong_lines(tmp_path / "out.jsonl", 3) == [
        "line 2 is no JSON",
        "line 3 has no data: x",
        "1 documents have no line: ['1']",
    ]


def test_documents_that_are_lost_between_two_runs_are_seen(tmp_path):
    soak = Soak(tmp_path, 3, 0, 0.2, 20.0, seed=1, n_finished=[5])
    write_lines(tmp_path / "out.jsonl.run", {}, {"index": 0})
    soak.check_progress(1.0)
    assert soak.problems == ["5 documents were finished, and 1 after a kill"]


def test_a_run_that_never_moves_forward_is_seen(tmp_path):
    stuck = Soak(tmp_path, 3, 50, 0.2, 20.0, seed=1)
    for seconds in (20.0, 0.2, 20.0, 0.2):  # a short run may not even have loaded its model
        stuck.check_progress(seconds)
    assert not stuck.problems
    stuck.check_progress(20.0)
    assert stuck.problems == ["3 long runs in a row have finished no document"]


def test_only_the_seconds_may_differ(tmp_path):
    def lines(name, color, seconds=0.1):
        line = {"id": "0", "data": {"color": color}, "usage": {"steps": 3, "seconds": seconds}}
        return write_lines(tmp_path / name, line)

    red = lines("red", "red")
    assert differences(red, lines("later", "red", seconds=2e-05)) == []
    assert differences(red, lines("blue", "blue")) == ["line 1 differs"]
