"""What a person sees on a terminal: rows of values, and progress."""

import pytest

from command_line import Terminal
from hpd.cli import main
from hpd.cli.terminal import ExtractProgress, ResultTable, format_rate
from hpd.messages import format_table
from hpd.schema import load_schemas
from jsonl import write_texts


def rows(width, *lines, schema="brand, size"):
    table = ResultTable(load_schemas(schema), width)
    return b"".join(map(table, lines)).decode().splitlines()


def test_each_document_has_a_row():
    lines = rows(
        34,
        {"id": "1", "data": {"brand": "Diesel", "size": None}},
        {"id": "2", "data": {"brand": "a brand that is too long", "size": True}},
        {"id": "3", "error": {"type": "InputError", "message": "not\nvalid"}},
        {"id": "4", "data": {"brand": "x"}, "checks": [{"check": "paid", "passed": False}]},
    )
    assert lines == [
        "id          brand       size",
        "----------  ----------  ----------",
        "1           Diesel      -",
        "2           a brand t…  true",
        "3: InputError: not valid",
        "4           x           -",
        "4: paid",
    ]


def test_in_a_narrow_window_attributes_go_below_each_other():
    assert rows(20, {"id": "1", "data": {"brand": "Diesel", "size": 4}}) == [
        "1",
        "  brand  Diesel",
        "  size   4",
    ]


def test_long_ids_keep_their_ends_so_that_rows_differ():
    paths = [f"invoices/2026/january/customer-{n}.txt" for n in (17, 18)]
    lines = rows(40, *({"id": path, "data": {"brand": "x", "size": 1}} for path in paths))
    ids = [line.split()[0] for line in lines[2:]]
    assert [path[-6:] for path in ids] == ["17.txt", "18.txt"]
    assert all("…" in path and len(path) <= 12 for path in ids)


def test_a_path_is_cut_between_its_folders_and_a_row_has_its_file():
    data = {"brand": "x", "size": 1}
    path = "/srv/long/2026/invoices/a.txt"
    lines = rows(60, {"id": path, "data": data}, {"id": "n1", "source": "b.csv", "data": data})
    assert [line[:18].rstrip() for line in lines[2:]] == ["…/invoices/a.txt", "b.csv: n1"]


@pytest.mark.parametrize(
    ("rate", "text"), [(0.0221, "0.0221"), (0.00002, "0.000020"), (12.345, "12.3"), (1414, "1414")]
)
def test_a_rate_has_no_exponent(rate, text):
    assert format_rate(rate) == text


@pytest.mark.parametrize(
    "name", ["invoices/2026/customer-{}/invoice.pdf", "請求書/顧客番号{}/請求書.pdf"]
)
def test_an_id_that_looks_like_another_when_it_is_cut_is_shown_whole(name):
    paths = [name.format(n) for n in (17, 18)]
    lines = rows(40, *({"id": path, "data": {"brand": "x", "size": 1}} for path in paths))
    assert paths[1] in lines
    assert [line.split()[0][-4:] for line in lines if "…" in line] == [".pdf"] * 2
    narrow = rows(20, {"id": paths[0], "data": {"brand": "x", "size": 1}})
    assert narrow[0] == paths[0]


def test_an_error_is_told_however_long_the_id_is():
    error = {"type": "InputError", "message": "it is empty"}
    (line,) = rows(60, {"id": "a/long/path/" * 9, "error": error})[2:]
    assert line.endswith("/: InputError: it is empty")


@pytest.mark.parametrize(("value", "shown"), [(0, "0"), (False, "false"), ([], "-"), (None, "-")])
def test_a_value_that_is_the_whole_data_has_its_row(value, shown):
    line = {"id": "1", **({} if value is None else {"data": value})}
    assert rows(40, line, schema={"type": "integer"})[2].split() == ["1", shown]


def test_of_a_list_of_objects_are_said_how_many_and_the_first():
    data = {"lines": [{"what": "saw", "qty": 12}, {"what": "nail", "qty": 3}], "tags": ["a", "b"]}
    lines = rows(70, {"id": "1", "data": data}, schema="lines [{what, qty int}], tags [str]")
    assert "2: what saw, qty 12" in lines[2]
    assert lines[2].endswith("a, b")


def test_wide_characters_and_those_that_move_the_cursor():
    lines = rows(34, {"id": "1", "data": {"brand": "日本語日本語", "size": "a\x1b[2J\nb"}})
    assert "日本語日" in lines[2]
    assert "\x1b" not in lines[2]


def test_columns_of_wide_characters_are_aligned():
    table = format_table([["名称", "n"], ["Marke", "1"], ["色", "22"]])
    assert table.splitlines() == ["名称    n", "Marke   1", "色     22"]


@pytest.mark.parametrize("no_color", [False, True])
def test_progress_tells_nulls_and_failures(no_color, monkeypatch):
    monkeypatch.setattr("sys.stderr", terminal := Terminal())
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.setenv("NO_COLOR", "1" if no_color else "")
    with ExtractProgress(3, 1, shown=True) as progress:
        progress.advance(n_values=4, n_nulls=1)
        progress.advance(failed=True)
    said = terminal.getvalue()
    assert "3/3" in said
    assert "25% null  1 failed" in said
    assert ("[38;5;" in said or "[3" in said) != no_color


@pytest.mark.parametrize("no_color", [False, True])
def test_no_color_leaves_nothing_bold(no_color, monkeypatch):
    monkeypatch.setattr("sys.stdout", Terminal())
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("NO_COLOR", "1" if no_color else "")
    text = "\n".join(rows(34, {"id": "1", "data": {"brand": None, "size": 4}}))
    assert ("\x1b[" in text) != no_color


def test_the_bar_counts_chunks_once_there_are_any(tmp_path, random_model, monkeypatch):
    source = write_texts(tmp_path / "in.jsonl", "Nike", "A shoe by Nike. " * 100)
    command = ["extract", str(source), "--schema", "maker", "-m", random_model, "-t", "1"]
    command += ["--max-tokens", "4", "-o", str(tmp_path / "out.jsonl"), "--overwrite"]
    monkeypatch.setattr("sys.stderr", terminal := Terminal())
    assert main(command) == 0
    plain = terminal.getvalue()
    assert "2/2" in plain
    assert "doc/s" in plain or "s/doc" in plain
    assert "chunk" not in plain
    monkeypatch.setattr("sys.stderr", terminal := Terminal())
    assert main([*command, "--on-overflow", "chunk", "--set", "chunk_size=100"]) == 0
    cut = terminal.getvalue()
    (line,) = [line for line in cut.replace("\r", "\n").splitlines() if "is cut into" in line]
    n_chunks = int(line.partition("is cut into ")[2].split()[0])
    assert n_chunks > 3
    assert f"{n_chunks + 1}/{n_chunks + 1}" in cut
    assert "chunk/s" in cut or "s/chunk" in cut
