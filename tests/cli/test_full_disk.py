"""A disk that is full: the message names the file, and the run goes on when there is room."""

import csv
import re

import pytest

from full_disk import file_size_limit
from hpd.cli import main
from jsonl import read_lines, write_texts

N = 30


@pytest.fixture
def source(tmp_path, fake):
    return write_texts(tmp_path / "in.jsonl", *(f"text {n} " + "x" * 100 for n in range(N)))


def extract(source, out, *options):
    return main(["extract", str(source), "--schema", "text", "-o", str(out), "--quiet", *options])


def n_rows(table):
    if table.suffix == ".csv":
        with open(table, newline="", encoding="utf-8") as file:
            return len(list(csv.DictReader(file)))
    parquet = pytest.importorskip("pyarrow.parquet")
    return int(parquet.read_table(table).num_rows)


def journal_limit(source):
    """Room for the journal's first line, as long as the paths in it, and for two documents."""
    out = source.with_name("unlimited.jsonl")
    assert extract(source, out) == 0
    return len(out.with_name(f"{out.name}.run").read_bytes().splitlines()[0]) + 180


@pytest.mark.parametrize("suffix", [".jsonl", ".csv", ".parquet"])
@pytest.mark.parametrize("full", ["at once", "journal", "lines"])
def test_a_run_goes_on_when_there_is_room(source, suffix, full, capfd):
    if suffix == ".parquet":
        pytest.importorskip("pyarrow")
    out = source.with_name(f"out{suffix}")
    lines = out if suffix == ".jsonl" else out.with_name(out.name + ".jsonl")
    with file_size_limit({"at once": 500, "lines": 4000}.get(full) or journal_limit(source)):
        assert extract(source, out) == 1
    error = capfd.readouterr().err
    assert f"{out}" in error
    assert "File too large" in error
    if "documents are safe" in error:
        (n_safe,) = re.findall(r"; (\d+) documents are safe, and the same .* --resume", error)
        # A line of which the journal could not be told is not counted, and is done again.
        is_journal = f"{lines}.run cannot be written" in error
        assert lines.read_bytes().count(b"\n") == int(n_safe) + is_journal
        assert int(n_safe) > 0
    else:
        # Not even the journal's first line has room.
        assert full == "at once"
        assert "run the same command again when there is room" in error
    assert extract(source, out, "--resume") == 0
    assert [line["data"]["text"][:8].split()[1] for line in read_lines(lines)] == [
        str(n) for n in range(N)
    ]
    if suffix != ".jsonl":
        assert n_rows(out) == N


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_a_table_is_made_when_there_is_room(source, suffix, capfd):
    if suffix == ".parquet":
        pytest.importorskip("pyarrow")
    out = source.with_name(f"out{suffix}")
    assert extract(source, out) == 0
    out.unlink()
    with file_size_limit(500):
        assert extract(source, out, "--resume") == 1
    error = capfd.readouterr().err
    assert f"{out} cannot be written: " in error
    assert f"{N} documents are safe in {out}.jsonl, and the same command with --resume" in error
    assert not out.exists()
    assert not out.with_name(out.name + ".new").exists()
    assert extract(source, out, "--resume") == 0
    assert n_rows(out) == N
