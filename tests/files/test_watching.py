"""Files that arrive and change: when they are taken, and which of their records are new."""

import itertools
import os

import pytest

from hpd.errors import InputError
from hpd.files import watching
from hpd.files.inputs import InputReader, watch_files
from hpd.files.watching import Watch


@pytest.fixture(autouse=True)
def no_pause(monkeypatch):
    monkeypatch.setattr(watching, "POLL_SECONDS", 0)


def write(path, text, second):
    path.write_text(text)
    os.utime(path, (second, second))


def reader_of(name, **how):
    return InputReader([name], watch=watch_files([name]), **how)


def texts_of(reader, n):
    records = itertools.islice(reader, n)
    return [(os.path.basename(record.id), record.text) for record in records]


def test_a_file_is_taken_once_it_stays_the_same_and_again_when_it_changes(tmp_path):
    file = tmp_path / "a.txt"
    watch = Watch(lambda: [str(file)])
    assert [*watch.poll()] == []
    write(file, "a", 1)
    assert [*watch.poll()] == []
    write(file, "a longer text", 2)
    assert [*watch.poll()] == []
    assert [*watch.poll()] == [str(file)]
    assert [*watch.poll()] == []
    write(file, "another text.", 3)
    assert [*watch.poll()] == []
    assert [*watch.poll()] == [str(file)]
    file.unlink()
    assert [*watch.poll()] == []
    write(file, "another text.", 3)
    assert [*watch.poll()] == []
    assert [*watch.poll()] == [str(file)]


def test_a_file_that_changes_while_others_are_read_waits(tmp_path):
    files = [tmp_path / "a.txt", tmp_path / "b.txt"]
    for file in files:
        write(file, "a", 1)
    watch = Watch(lambda: map(str, files))
    assert [*watch.poll()] == []
    ready = watch.poll()
    assert next(ready) == str(files[0])
    write(files[1], "half", 2)
    assert [*ready] == []
    assert [*watch.poll()] == []
    assert [*watch.poll()] == [str(files[1])]


def test_what_cannot_be_found_for_now_is_not_gone(tmp_path):
    file = tmp_path / "a.txt"
    write(file, "a", 1)
    answers = [[str(file)], InputError("the folder cannot be read"), [str(file)]]

    def find():
        answer = answers.pop(0)
        if isinstance(answer, InputError):
            raise answer
        return answer

    watch = Watch(find)
    assert [[*watch.poll()] for _ in range(3)] == [[], [str(file)], []]


def test_a_stopped_watch_ends():
    watch = Watch(list)
    watch.stop()
    assert [*watch] == []


def test_a_reader_gives_new_files_and_changed_records(tmp_path):
    folder = tmp_path / "inbox"
    folder.mkdir()
    with reader_of(str(folder)) as reader:
        assert reader.is_live
        assert reader.count() is None
        write(folder / "b.txt", "one", 1)
        write(folder / "left.out", "no known format", 1)
        assert texts_of(reader, 1) == [("b.txt", "one")]
        write(folder / "a.txt", "two", 2)
        write(folder / "b.txt", "three", 2)
        assert texts_of(reader, 2) == [("a.txt", "two"), ("b.txt", "three")]
        write(folder / "a.txt", "two", 3)  # only its time is another
        write(folder / "t.csv", "text\nfour\n", 3)
        assert texts_of(reader, 1) == [("t.csv:1", "four")]
        write(folder / "t.csv", "text\nfour\nfive\n", 4)
        assert texts_of(reader, 1) == [("t.csv:2", "five")]


def test_a_file_that_cannot_be_read_has_an_error_until_it_changes(tmp_path):
    file = tmp_path / "a.csv"
    write(file, "text\n\xff\x00\n", 1)
    with reader_of(str(tmp_path / "*.csv"), text_field=["body"]) as reader:
        first = next(reader)
        assert first.error is not None
        write(file, "body\nmended\n", 2)
        assert next(reader).text == "mended"


@pytest.mark.parametrize("name", ["-", "https://shop.example/a.txt", "gone.txt"])
def test_what_cannot_be_watched_is_refused(name):
    with pytest.raises(InputError, match=r"--watch is for|no such file"):
        watch_files([name])
