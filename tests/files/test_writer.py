"""Results out: nothing is lost, doubled or mixed, whenever a run is cut off."""

import json
import multiprocessing
import shutil
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from full_disk import file_size_limit
from hpd.documents import Document
from hpd.errors import HpdError, InputError
from hpd.files.journal import Journal, TableEntry, journal_path, last_table
from hpd.files.writer import FileWriter, StreamWriter
from hpd.messages import counted

SETTINGS = {"schema": "s1", "model": "m1", "option --method": "hpd"}


def record(n, text="x"):
    return Document(f"{text} {n}", f"d{n}")


def line(n, *, failed=False):
    key = "error" if failed else "data"
    return {"id": f"d{n}", key: {"é": "\ud800", "n": n}}


def ids(path):
    return [json.loads(text)["id"] for text in path.read_text("utf-8").splitlines()]


def fill(writer, places, failed=()):
    for n in places:
        writer.write(n, record(n), line(n, failed=n in failed), failed=n in failed)


def go_on(path, n, **flags):
    """Resume a run over ``n`` records to its end; the places that were done now."""
    with FileWriter(path, SETTINGS, resume=True, **flags) as writer:
        places = []
        for index, waiting in writer.pending(record(k) for k in range(n)):
            places.append(index)
            writer.write(index, waiting, line(index), failed=False)
    return writer, places


# --- a line is safe when write() returns ---------------------------------------------------------


@given(st.permutations(range(6)), st.data())
@settings(deadline=None)
def test_a_kill_at_any_byte_loses_and_doubles_nothing(tmp_path_factory, places, data):
    folder = tmp_path_factory.mktemp("killed")
    path = folder / "out.jsonl"
    files = (path, journal_path(path))
    failed = data.draw(st.sets(st.sampled_from(range(6))))
    sizes = []
    with FileWriter(path, SETTINGS) as writer:
        for n in places:
            sizes.append([file.stat().st_size for file in files])
            fill(writer, [n], failed)
        sizes.append([file.stat().st_size for file in files])
    # Killed while the k-th line was being written: first to the output, then to the journal.
    k = data.draw(st.integers(0, 5))
    (out, noted), (out_after, noted_after) = sizes[k], sizes[k + 1]
    if data.draw(st.booleans()):
        out = data.draw(st.integers(out, out_after))
    else:
        # Of several lines whose turn it was, the first ones may have got through.
        noted = data.draw(st.integers(noted, noted_after))
        out = out_after if noted == noted_after else max(out, _noted_end(files[1], noted))
    for file, size in zip(files, (out, noted), strict=True):
        with open(file, "rb+") as cut:
            cut.truncate(size)
    _, done_again = go_on(path, 6)
    assert ids(path) == [f"d{n}" for n in range(6)]
    # What had been finished before is not done again, unless it had failed.
    assert not {n for n in places[:k] if n not in failed} & set(done_again)
    assert "error" not in path.read_text("utf-8")


def test_a_full_disk_loses_and_doubles_nothing(tmp_path):
    """Full at any byte of the output, of its journal, or of what waits there for its turn."""
    places = [2, 0, 3, 1, 5, 4]
    full = set()
    for limit in range(0, 1000, 7):
        path = tmp_path / str(limit) / "out"
        path.parent.mkdir()
        writer = None
        done = []
        try:
            with file_size_limit(limit):
                writer = FileWriter(path, SETTINGS)
                for n in places:
                    fill(writer, [n])
                    done.append(n)
        except (OSError, HpdError) as error:
            name = error.filename if isinstance(error, OSError) else str(error).split(":")[0]
            assert name in (str(path), str(journal_path(path)))
            full.add(Path(name).name)
            with file_size_limit(limit), suppress(OSError):
                if writer is not None:
                    writer.close(complete=False)
        else:
            writer.close(complete=True)
        _, done_again = go_on(path, 6)
        assert not set(done) & set(done_again)
        assert ids(path) == [f"d{n}" for n in range(6)]
    assert full == {"out.run"}


def test_a_full_disk_while_failures_are_dropped(tmp_path):
    path = tmp_path / "out"
    with FileWriter(path, SETTINGS) as writer:
        fill(writer, range(6), failed=[1])
    before = path.read_bytes()
    with file_size_limit(300), pytest.raises(HpdError, match=r"out.run.new: cannot be written: "):
        FileWriter(path, SETTINGS, resume=True)
    assert path.read_bytes() == before
    assert not Path(f"{path}.run.new").exists()
    _, done_again = go_on(path, 6)
    assert done_again == [1]
    assert ids(path) == [f"d{n}" for n in range(6)]


def _noted_end(journal, size):
    """The end of the output of which the first ``size`` bytes of a journal tell."""
    ends = [0]
    for text in journal.read_bytes()[:size].splitlines()[1:]:
        try:
            ends.append(json.loads(text).get("end", 0))
        except ValueError:
            break
    return max(ends)


@pytest.mark.parametrize("n_bytes", range(1, 60, 7))
def test_half_a_line_is_cut_and_said(tmp_path, n_bytes):
    path = tmp_path / "out"
    with FileWriter(path, SETTINGS) as writer:
        fill(writer, [0, 1])
    whole = path.read_bytes()
    path.write_bytes(whole + b"x" * n_bytes)
    writer, places = go_on(path, 3)
    assert places == [2]
    assert writer.n_kept == 2
    assert writer.repairs == [f"cut off {counted(n_bytes, 'byte')} of an unfinished line"]
    assert path.read_bytes().startswith(whole)


def test_an_early_line_is_on_disk_before_its_turn(tmp_path):
    path = tmp_path / "out"
    writer = FileWriter(path, SETTINGS)
    fill(writer, [2, 3, 1])
    assert path.read_bytes() == b""
    # The process dies: nothing is closed, nothing is flushed.
    copy = tmp_path / "copy"
    shutil.copy(path, copy)
    shutil.copy(journal_path(path), journal_path(copy))
    _, places = go_on(copy, 5)
    assert places == [0, 4]
    assert ids(copy) == [f"d{n}" for n in range(5)]
    writer.close(complete=False)


# --- an output that already exists ---------------------------------------------------------------


def test_an_old_file_is_never_touched_without_a_word(tmp_path):
    path = tmp_path / "out"
    path.write_text("three thousand lines\n")
    with pytest.raises(InputError, match=r"already exists.*--resume.*--overwrite"):
        FileWriter(path, SETTINGS)
    assert path.read_text() == "three thousand lines\n"
    assert not journal_path(path).exists()


@pytest.mark.parametrize(
    "content", [b"dear diary", b'{"id": "d0", "data": {}}\n{"id": "d', b"[1]\n", b"\x00"]
)
def test_resume_edits_no_file_that_hpd_did_not_write(tmp_path, content):
    path = tmp_path / "diary"
    path.write_bytes(content)
    with pytest.raises(InputError, match="cannot be resumed"):
        FileWriter(path, SETTINGS, resume=True)
    assert path.read_bytes() == content


def test_a_new_file_takes_the_old_ones_place_when_it_is_complete(tmp_path):
    path = tmp_path / "out"
    path.write_text("old\n")
    writer = FileWriter(path, SETTINGS, overwrite=True)
    fill(writer, [0])
    writer.close(complete=False)  # Interrupted.
    assert path.read_text() == "old\n"
    with FileWriter(path, SETTINGS, overwrite=True, resume=True) as writer:
        assert [place for place, _ in writer.pending([record(0), record(1)])] == [1]
        fill(writer, [1])
        assert path.read_text() == "old\n"
    assert ids(path) == ["d0", "d1"]
    assert sorted(file.name for file in tmp_path.iterdir()) == ["out", "out.run"]
    with FileWriter(path, SETTINGS, overwrite=True) as writer:
        fill(writer, [0])
    assert ids(path) == ["d0"]


def test_a_file_that_was_shortened_is_refused(tmp_path):
    path = tmp_path / "out"
    with FileWriter(path, SETTINGS) as writer:
        fill(writer, [0, 1])
    path.write_bytes(path.read_bytes()[:-20])
    before = path.read_bytes()
    with pytest.raises(InputError, match="shorter than hpd left it"):
        FileWriter(path, SETTINGS, resume=True)
    assert path.read_bytes() == before


def test_a_garbled_journal_names_the_line_and_the_way_out(tmp_path):
    path = tmp_path / "out"
    with FileWriter(path, SETTINGS) as writer:
        fill(writer, [0])
    with open(journal_path(path), "ab") as file:
        file.write(b"\x00\x00\n")
    with pytest.raises(InputError, match=r"out\.run:3: not an entry.*--overwrite"):
        FileWriter(path, SETTINGS, resume=True)


def test_a_folder_cannot_be_written(tmp_path):
    (tmp_path / "out").mkdir()
    with pytest.raises(InputError, match="cannot be written"):
        FileWriter(tmp_path / "out", SETTINGS, overwrite=False, resume=False)


# --- the same run, or another one ----------------------------------------------------------------


@pytest.mark.parametrize("name", list(SETTINGS))
def test_other_settings_are_refused_by_name(tmp_path, name):
    path = tmp_path / "out"
    with FileWriter(path, SETTINGS) as writer:
        fill(writer, [0])
    before = path.read_bytes()
    with pytest.raises(InputError, match=f"made with another {name}"):
        FileWriter(path, {**SETTINGS, name: "other"}, resume=True)
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    "changed",
    [
        [record(0), record(1, "another text")],
        [Document("x 0", "d0", category="tea"), record(1)],
        [record(9), record(0), record(1, "another text")],
    ],
    ids=["text", "category", "after a new one"],
)
def test_another_input_is_refused_with_the_record_named(tmp_path, changed):
    path = tmp_path / "out"
    with FileWriter(path, SETTINGS) as writer:
        fill(writer, [0, 1])
    with (
        pytest.raises(InputError, match=r"the input has changed.*record \d \(id"),
        FileWriter(path, SETTINGS, resume=True) as writer,
    ):
        list(writer.pending(changed))
    assert ids(path)[:2] == ["d0", "d1"]


def test_a_changed_file_is_named_without_a_line(tmp_path):
    path = tmp_path / "out"
    with FileWriter(path, SETTINGS) as writer:
        writer.write(0, Document("one", "a.txt"), {"id": "a.txt"}, failed=False)
    with (
        pytest.raises(InputError, match=r"record 1 \(id 'a.txt'\) is different.*another output"),
        FileWriter(path, SETTINGS, resume=True) as writer,
    ):
        list(writer.pending([Document("two", "a.txt", line=1, source="a.txt")]))


def resume(path, *numbers, n_written=99, **flags):
    """Go on with an input of these records; the numbers of those that were new, and the writer."""
    new = []
    writer = FileWriter(path, SETTINGS, resume=True, **flags)
    for place, waiting in writer.pending(record(n) for n in numbers):
        if len(new) == n_written:
            writer.close(complete=False)
            return new, writer
        n = int(waiting.id[1:])
        new.append(n)
        writer.write(place, waiting, line(n), failed=False)
    writer.close(complete=True)
    return new, writer


@pytest.mark.parametrize(
    ("before", "now", "new"),
    [
        ([1, 2], [0, 1, 2], [0]),
        ([0, 2], [0, 1, 2, 3], [1, 3]),
        ([0, 1, 2], [2, 1, 0], []),
        ([0, 1, 1, 2], [1, 5, 0, 2, 1], [5]),
        ([3], [0, 1, 2, 3], [0, 1, 2]),
    ],
)
def test_new_records_are_done_wherever_they_stand(tmp_path, before, now, new):
    path = tmp_path / "out"
    with FileWriter(path, SETTINGS) as writer:
        for index, n in enumerate(before):
            writer.write(index, record(n), line(n), failed=False)
    done, writer = resume(path, *now)
    assert done == new
    assert writer.n_kept == len(before)
    assert writer.notes == []
    assert ids(path) == [f"d{n}" for n in now]
    assert resume(path, *now)[0] == []


@given(st.permutations(range(6)), st.permutations(range(9)), st.data())
@settings(deadline=None)
def test_runs_with_new_records_may_be_interrupted(tmp_path_factory, places, now, data):
    """The first run, in any order and with gaps; then one over more records, cut off anywhere."""
    path = tmp_path_factory.mktemp("more") / "out"
    n_first = data.draw(st.integers(1, 6))
    writer = FileWriter(path, SETTINGS)
    fill(writer, places[:n_first])
    writer.close(complete=False)
    first, _ = resume(path, *now, n_written=data.draw(st.integers(0, 4)))
    other = data.draw(st.permutations(now))
    second, _ = resume(path, *other)
    assert sorted([*places[:n_first], *first, *second]) == list(range(9)), "each is done once"
    assert ids(path) == [f"d{n}" for n in other]
    assert resume(path, *other)[0] == []


def test_lines_of_documents_that_are_gone_are_kept_and_said(tmp_path):
    path = tmp_path / "out"
    with FileWriter(path, SETTINGS) as writer:
        fill(writer, range(4))
    new, writer = resume(path, 0, 9, 3)
    assert new == [9]
    assert ids(path) == ["d0", "d9", "d3", "d1", "d2"]
    assert writer.notes == ["2 lines are of documents that this run did not read; they are kept"]


@pytest.mark.parametrize(
    ("old", "new"),
    [("0", "7"), ('"n": 1', '"n": 9'), ("d2", "d2 and more"), ("é", "e"), ("data", "Data")],
)
def test_an_edit_of_any_line_is_refused_and_named(tmp_path, old, new):
    """Whether it has the same length or not."""
    path = tmp_path / "out"
    with FileWriter(path, SETTINGS) as writer:
        fill(writer, range(3))
    edited = path.read_text("utf-8").replace(old, new, 1)
    path.write_text(edited, "utf-8")
    with pytest.raises(InputError, match=r"changed since hpd|shorter than hpd left it"):
        FileWriter(path, SETTINGS, resume=True)
    assert path.read_text("utf-8") == edited


def test_a_change_of_settings_is_told_with_both_values(tmp_path):
    path = tmp_path / "out"
    before = {"model": "/m/a.gguf", "attributes": {"a": "string", "b": "number", "c": "date"}}
    with FileWriter(path, SETTINGS, about=before) as writer:
        fill(writer, [0])
    now = {"model": "/m/b.gguf", "attributes": {"a": "string", "b": "integer", "d": "string"}}
    other = {"schema": "s2", "model": "m2", "option --method": "ar"}
    with pytest.raises(InputError) as caught:
        FileWriter(path, other, resume=True, about=now)
    message = str(caught.value)
    assert "schema (d is new; c is gone; b is integer, was number)" in message
    assert "model (/m/b.gguf, was /m/a.gguf)" in message
    assert "option --method (ar, was hpd)" in message


# --- failures ------------------------------------------------------------------------------------


def test_failed_documents_are_done_again(tmp_path):
    path = tmp_path / "out"
    with FileWriter(path, SETTINGS) as writer:
        fill(writer, [0, 2, 1, 4, 3], failed=[1, 4])
    writer, places = go_on(path, 5)
    assert places == [1, 4]
    assert ids(path) == [f"d{n}" for n in range(5)]
    assert "error" not in path.read_text("utf-8")
    assert go_on(path, 5)[1] == []


@pytest.mark.parametrize("numbers", [[0, 1], [0, 1, 2], [3], [5, 1], [9, 1]])
def test_failed_documents_that_are_not_read_keep_their_lines(tmp_path, numbers):
    path = tmp_path / "out"
    with FileWriter(path, SETTINGS) as writer:
        fill(writer, range(6), failed=[1, 4])
    before = path.read_text("utf-8").splitlines()
    done, _ = resume(path, *numbers)
    assert done == [n for n in numbers if n in (1, 4, 9)]
    again = [n for n in (1, 4) if n not in numbers]
    after = path.read_text("utf-8").splitlines()
    assert sorted(ids(path)) == [f"d{n}" for n in sorted({*range(6), *numbers})]
    assert {line for line in after if "error" in line} == {before[n] for n in again}
    assert resume(path, *range(6))[0] == again
    assert "error" not in path.read_text("utf-8")


def test_failures_are_not_put_back_behind_a_part_of_a_line(tmp_path):
    path = tmp_path / "out"
    with FileWriter(path, SETTINGS) as writer:
        fill(writer, range(6), failed=[1, 4])
    writer = FileWriter(path, SETTINGS, resume=True)
    # Record 9 is new, so that no line waits for its turn.
    new = [*writer.pending([record(9), record(1)])]
    size = path.stat().st_size
    with file_size_limit(size + 30), pytest.raises(OSError, match="File too large"):
        writer.write(*new[1], {"id": "d1", "data": "x" * 5000}, failed=False)
    assert path.stat().st_size == size + 30
    writer.close(complete=False)  # when there is room again
    assert go_on(path, 6)[1] == [1, 4]
    assert "error" not in path.read_text("utf-8")


def test_a_refused_resume_removes_nothing(tmp_path):
    path = tmp_path / "out"
    with FileWriter(path, SETTINGS) as writer:
        fill(writer, range(4), failed=[1, 3])
    before = path.read_text("utf-8")
    with (
        pytest.raises(InputError, match="the input has changed"),
        FileWriter(path, SETTINGS, resume=True) as writer,
    ):
        next(writer.pending([record(2, "another text"), record(1)]))
    assert sorted(path.read_text("utf-8").splitlines()) == sorted(before.splitlines())
    assert go_on(path, 4)[1] == [1, 3]


@pytest.mark.parametrize("numbers", [[0, 1, 2], [2, 1, 0]])
def test_a_failed_document_may_have_changed(tmp_path, numbers):
    path = tmp_path / "out"
    with FileWriter(path, SETTINGS) as writer:
        fill(writer, range(3), failed=[1])
    records = {n: record(n, "mended" if n == 1 else "x") for n in numbers}
    with FileWriter(path, SETTINGS, resume=True) as writer:
        for place, waiting in writer.pending(records.values()):
            assert waiting == records[1]
            writer.write(place, waiting, line(1), failed=False)
    assert ids(path) == [f"d{n}" for n in numbers]
    assert "error" not in path.read_text("utf-8")


@given(st.permutations(range(6)), st.permutations(range(8)), st.data())
@settings(deadline=None)
def test_runs_with_failures_may_be_interrupted(tmp_path_factory, places, now, data):
    path = tmp_path_factory.mktemp("failed") / "out"
    failed = data.draw(st.sets(st.sampled_from(range(6))))
    with FileWriter(path, SETTINGS) as writer:
        fill(writer, places, failed=failed)
    now = now[: data.draw(st.integers(0, 8))]
    done, _ = resume(path, *now, n_written=data.draw(st.integers(0, 4)))
    other = data.draw(st.permutations(range(8)))
    rest, _ = resume(path, *other)
    assert sorted([*done, *rest]) == sorted(failed | {6, 7}), "each is done once"
    assert "error" not in path.read_text("utf-8")
    assert ids(path) == [f"d{n}" for n in other]


def test_the_last_table_stays_recorded(tmp_path):
    path = tmp_path / "out"
    with FileWriter(path, SETTINGS) as writer:
        fill(writer, range(2), failed=[0])
    table = TableEntry("out.csv", [1, 2], confidence=True, places=False)
    journal = Journal(journal_path(path), SETTINGS)
    journal.append_table(table)
    journal.close()
    FileWriter(path, SETTINGS, resume=True).close(complete=False)
    assert last_table(journal_path(path)) == table


# --- two at a time -------------------------------------------------------------------------------


def _open_elsewhere(path, answers):
    try:
        FileWriter(path, SETTINGS, resume=True).close(complete=False)
        answers.put("opened")
    except InputError as error:
        answers.put(str(error))


def _ask_another_process(path):
    spawn = multiprocessing.get_context("spawn")
    answers = spawn.Queue()
    process = spawn.Process(target=_open_elsewhere, args=(path, answers))
    process.start()
    answer = answers.get(timeout=120)
    process.join()
    return str(answer)


def test_a_second_process_is_refused_until_the_first_is_gone(tmp_path):
    path = tmp_path / "out"
    writer = FileWriter(path, SETTINGS)
    fill(writer, [0])
    answer = _ask_another_process(path)
    assert "another process is writing this output" in answer
    # A lock of this process must not let itself in either.
    with pytest.raises(InputError, match="another process"):
        FileWriter(path, SETTINGS, resume=True)
    writer.close(complete=False)
    assert _ask_another_process(path) == "opened"


def test_the_lock_holds_while_failures_are_dropped(tmp_path):
    path = tmp_path / "out"
    with FileWriter(path, SETTINGS) as writer:
        fill(writer, [0, 1], failed=[0])
    writer = FileWriter(path, SETTINGS, resume=True)
    with pytest.raises(InputError, match="another process"):
        Journal(journal_path(path), SETTINGS)
    writer.close(complete=False)


# --- streams -------------------------------------------------------------------------------------


def stream(places):
    writer = StreamWriter()
    for n in places:
        writer.write(n, record(n), line(n), failed=False)
        yield n
    writer.close(complete=True)


def test_standard_output(capfdbinary):
    steps = stream([1, 0, 3])
    next(steps)
    assert capfdbinary.readouterr().out == b""
    next(steps)
    lines = capfdbinary.readouterr().out.decode().splitlines()
    assert [json.loads(text)["id"] for text in lines] == ["d0", "d1"]
    assert "é" in lines[0]
    assert list(steps) == [3]
    assert json.loads(capfdbinary.readouterr().out)["id"] == "d3"
