"""Shards: together they are the whole, and no file moves the records of another."""

import pytest

from hpd.errors import InputError
from hpd.files.inputs import InputReader, Shard, parse_shard
from jsonl import write_texts


def read(shard, *names):
    """The records of a shard, their number by a quick pass, and what it leaves to others."""
    with InputReader([str(name) for name in names], shard=shard) as reader:
        n_counted = reader.count()
        return list(reader), n_counted, reader.unread


def shards(n):
    return [Shard(number, n) for number in range(1, n + 1)]


@pytest.fixture
def folder(tmp_path):
    """Two files of records, and several of one document each."""
    inner = tmp_path / "in"
    inner.mkdir()
    write_texts(inner / "m.jsonl", *(f"m{i}" for i in range(7)))
    write_texts(inner / "z.jsonl", *(f"z{i}" for i in range(3)))
    for i in range(20):
        (inner / f"{i:02}.txt").write_text(f"t{i}")
    return inner


@pytest.mark.parametrize("n", [1, 2, 3, 8, 50])
def test_all_shards_together_are_the_whole(folder, n):
    whole, *_ = read(None, folder)
    parts = [read(shard, folder) for shard in shards(n)]
    assert sorted(record.id for part, *_ in parts for record in part) == sorted(
        record.id for record in whole
    )
    assert [n_counted for _, n_counted, _ in parts] == [len(part) for part, *_ in parts]


def test_a_file_that_is_added_moves_nothing_else(folder):
    before = [{record.id for record in read(shard, folder)[0]} for shard in shards(3)]
    (folder / "00a.txt").write_text("new")
    after = [{record.id for record in read(shard, folder)[0]} for shard in shards(3)]
    assert all(ids <= more for ids, more in zip(before, after, strict=True))
    assert sum(map(len, after)) == sum(map(len, before)) + 1


def test_a_file_that_cannot_be_read_has_one_line_and_the_others_know(folder):
    (folder / "a.parquet").write_text("no Parquet at all")
    parts = [read_unopened(shard, folder) for shard in shards(3)]
    failed = [record for part, _ in parts for record in part if record.error is not None]
    assert [record.id for record in failed] == [str(folder / "a.parquet")]
    assert sum(len(unread) for _, unread in parts) == 2


def read_unopened(shard, folder):
    """The records, and the errors of other shards; a damaged file cannot be counted."""
    with InputReader([str(folder)], shard=shard) as reader:
        return list(reader), reader.unread


def test_whole_files_of_other_shards_are_not_opened(tmp_path, monkeypatch):
    for i in range(40):
        (tmp_path / f"{i}.txt").write_text(str(i))
    opened = []
    from hpd.files import inputs

    reader = inputs.RecordReader

    def noting(source, **settings):
        opened.append(source)
        return reader(source, **settings)

    monkeypatch.setattr(inputs, "RecordReader", noting)
    records, *_ = read(Shard(1, 4), tmp_path)
    assert opened == [record.id for record in records]
    assert len(opened) < 30


@pytest.mark.parametrize("text", ["2", "0/4", "5/4", "1/0", "-1/4", "1/4 ", "a/b", ""])
def test_what_names_no_shard_is_refused(text):
    with pytest.raises(InputError, match="shard"):
        parse_shard(text)
