"""``hpd extract --shard``: each part is a run of its own, and together they are the whole."""

import json

import pytest

from hpd.cli import main
from jsonl import read_lines, write_texts

TEXTS = [
    "Luma Cotton T-Shirt for Men, White, XL",
    "Nordvik Women's Wool Coat, Dark Green, M",
    "Tavola Frying Pan, 28 cm",
    "Pinecrest Leather Wallet, Brown",
    "Diesel sneaker, black",
]


def without_seconds(path):
    """The lines of an output, as they are but for the time."""
    lines = read_lines(path)
    for line in lines:
        del line["usage"]["seconds"]
    return [json.dumps(line) for line in lines]


def test_deterministic_shards_are_the_lines_of_the_whole_run(tmp_path):
    source = write_texts(tmp_path / "in.jsonl", *TEXTS)
    command = [
        "extract",
        str(source),
        "--schema",
        "Brand, Color",
        "--set",
        "deterministic=on",
        "--quiet",
    ]
    assert main([*command, "-o", str(tmp_path / "whole")]) == 0
    for number in (1, 2):
        out = str(tmp_path / f"part{number}")
        assert main([*command, "--shard", f"{number}/2", "-o", out]) == 0
    first, second = without_seconds(tmp_path / "part1"), without_seconds(tmp_path / "part2")
    whole = without_seconds(tmp_path / "whole")
    assert (first, second) == (whole[::2], whole[1::2])


def test_a_shard_goes_on_where_it_stopped_and_tells_how_far_it_is(tmp_path, fake, capfd):
    source = write_texts(tmp_path / "in.jsonl", "a", "b", "c", "d", "interrupt", "f", "g")
    out = tmp_path / "out"
    command = ["extract", str(source), "--schema", "text", "-o", str(out), "--shard", "1/2"]
    assert main(command) == 130
    write_texts(source, "a", "b", "c", "d", "e", "f", "g")
    capfd.readouterr()
    assert main(["status", str(out)]) == 0
    assert "of 4 documents" in capfd.readouterr().out
    other = [*command[:-1], "2/2", "--resume"]
    assert main(other) == 2
    assert "--shard" in capfd.readouterr().err
    assert main([*command, "--resume"]) == 0
    assert [line["data"]["text"] for line in read_lines(out)] == ["a", "c", "e", "g"]


def test_a_shard_without_documents_is_complete(tmp_path, no_extractor):
    source = write_texts(tmp_path / "in.jsonl", "a")
    out = tmp_path / "out"
    command = ["extract", str(source), "--schema", "a", "--quiet"]
    assert main([*command, "-o", str(out), "--shard", "2/2"]) == 0
    assert out.read_text() == ""


def test_what_another_shard_reports_is_said(tmp_path, fake, capfd):
    write_texts(tmp_path / "a.jsonl", "a", "b")
    (tmp_path / "b.parquet").write_text("no Parquet at all")
    shown = []
    for number in (1, 2):
        main(["extract", str(tmp_path), "--schema", "text", "--shard", f"{number}/2"])
        shown.append(capfd.readouterr())
    assert sum(each.out.count('"error"') for each in shown) == 1
    assert sum("another shard" in each.err for each in shown) == 1


@pytest.mark.parametrize("shard", ["3/2", "0/2", "1"])
def test_a_shard_that_there_is_not_is_refused(shard, tmp_path, no_extractor, capfd):
    source = write_texts(tmp_path / "in.jsonl", "a")
    assert main(["extract", str(source), "--schema", "a", "--shard", shard]) == 2
    assert "shard" in capfd.readouterr().err
