"""``benchmarks.harness``: results as files, pages made of them, parts on made-up rows."""

import json
import re
from dataclasses import replace

import pytest

import dataset_files
from benchmarks import tables
from benchmarks.harness import page
from benchmarks.harness.result import Conditions, Finding, Result, Table, load_results
from benchmarks.harness.workbench import RESULTS, DataSet, Workbench
from benchmarks.paper import __main__ as paper
from benchmarks.paper import quality, speed
from benchmarks.paper.adapters import K_MAX, trained
from benchmarks.paper.quality import TABLE_1_WAYS
from benchmarks.tables import METHODS
from hpd.cli import build_parser, main
from hpd.models.model_files import bundled_model
from jsonl import read_lines
from tools.docs import PAGES, ROOT

CONDITIONS = Conditions(
    "2026-11-22", "0.1.0", "abc", "0.3.36", "A processor", 2, 1, {"box.gguf": "f" * 64}, 1.5
)
RESULT = Result(
    "width",
    "Tokens in one step",
    ("hpd bench WORK/a.jsonl",),
    Finding([Table("A caption", [["method", "ms"], ["hpd", "1.5"]])], "so many", ["A note."]),
    CONDITIONS,
)
PARTS = {part.name: part for part in (*tables.PARTS, *paper.PARTS)}


def test_a_result_is_read_as_it_was_written(tmp_path):
    RESULT.save(tmp_path)
    assert load_results(tmp_path) == {"width": replace(RESULT, commands=["hpd bench WORK/a.jsonl"])}


def test_commands_are_shown_without_this_machines_paths(tmp_path):
    bench = Workbench(tmp_path / "data", tmp_path / "made")
    bundled = f"draft_model={bundled_model()}"
    for argument, shown in (
        (tmp_path / "made" / "a.jsonl", "WORK/a.jsonl"),
        (tmp_path / "data" / "oa-mine" / "dev.jsonl", "DATA/oa-mine/dev.jsonl"),
        (tmp_path / "elsewhere" / "model.gguf", "model.gguf"),
        (
            f"ar:draft_model={tmp_path}/made/small.gguf,drafts=on",
            "ar:draft_model=WORK/small.gguf,drafts=on",
        ),
        (f"ar:documents=4,{bundled}", "ar:documents=4,draft_model=models/hpd-box.gguf"),
        ("ar-batched:in_flight=12|24", "ar-batched:in_flight=12|24"),
        ("a/b", "a/b"),
    ):
        assert bench.shown(argument) == shown


def test_a_place_for_a_result_is_filled_again_and_again():
    text = "a\n<!-- result: width -->\n<!-- end of result -->\nb\n"
    empty = page.with_results(text, {})
    assert "Not measured yet." in empty
    filled = page.with_results(empty, {"width": RESULT})
    for shown in ("| hpd | 1.5 |", "A caption", "A note.", "hpd bench WORK/a.jsonl", "A processor"):
        assert shown in filled
    assert "Not measured yet." not in filled
    assert page.with_results(filled, {"width": RESULT}) == filled
    assert page.with_results(filled, {}) == filled
    trial = replace(RESULT, conditions=replace(CONDITIONS, limit=8))
    assert "a trial with 8 documents" in page.with_results(text, {"width": trial})


def test_three_workloads_come_to_one_table_of_speed(tmp_path, capfd):
    rows = [
        ["method", "docs", "ms/doc"],
        *([f"`{name}`", 2, str(ms)] for name, ms in (("prefill", 5), ("ar:documents=2", 90))),
        *([f"`{name}`", 2, str(ms)] for name, ms in (("hpd", 10), ("hpd:drafts=off", 9))),
        ["`ar-batched:in_flight=8`", 2, "30"],
    ]
    known = [rows[0], ["`ar:documents=2`", 2, "40"], ["`hpd`", 2, "5"]]
    finding = Finding([Table("medians", rows), Table("Known answers", known)], "")
    for name in tables.TITLES:
        replace(RESULT, part=name, finding=finding).save(tmp_path)
    asked = ["--part", "speed", "--part", "cost", "--results", str(tmp_path)]
    asked += ["--work", str(tmp_path / "work"), "--again"]
    assert tables.main(asked) == 0
    results = load_results(tmp_path)
    (table,) = results["speed"].finding.tables
    assert ["**hpd**", "10", "10", "10"] in table.rows
    assert ["one token after the other", "90", "90", "90"] in table.rows
    assert results["speed"].finding.headline == "8 to 8"
    assert "9.0 times less than AR (8.0 with known answers)" in results["cost"].finding.headline
    # A column is of another model, unless another processor measured it.
    untrained = Finding([Table("", [["", "ms/doc"], *([title, "7"] for title in METHODS)])], "")
    for processor, shown in (("Another one", ["10"] * 3), ("A processor", ["10"] * 3 + ["7"])):
        measured = replace(CONDITIONS, processor=processor, models={"qwen.gguf": "0"})
        replace(RESULT, part="untrained", finding=untrained, conditions=measured).save(tmp_path)
        assert tables.main([*asked, "--part", "speed"]) == 0
        (table,) = load_results(tmp_path)["speed"].finding.tables
        assert ["**hpd**", *shown] in table.rows
    assert table.rows[0][-1] == "OA-Mine, qwen"
    # Times of different models do not stand in one table.
    other = replace(CONDITIONS, models={"other.gguf": "0"})
    replace(RESULT, part="table-catalogue", finding=finding, conditions=other).save(tmp_path)
    assert tables.main(asked) == 1
    assert "measured with one model" in capfd.readouterr().err


def test_pages_are_as_the_results_make_them():
    results = load_results(RESULTS)
    assert set(results) <= set(PARTS)
    for path in PAGES:
        text = path.read_text(encoding="utf-8")
        assert page.with_results(text, results) == text, "python -m benchmarks.paper --pages"


def test_published_results_are_no_trials():
    for result in load_results(RESULTS).values():
        assert result.conditions.limit is None, result.part


def test_every_place_on_a_page_names_a_part():
    for path in PAGES:
        named = re.findall(r"<!-- (?:result|headline): ([\w-]+) -->", path.read_text("utf-8"))
        assert set(named) <= set(PARTS), path.name


def test_every_claim_names_tests_and_parts_that_there_are():
    text = (ROOT / "docs" / "reproduction.md").read_text("utf-8")
    for path in re.findall(r"tests/[\w/.]+", text):
        assert (ROOT / path).exists()
    parts = re.findall(r"`--part ([\w-]+)`", text)
    assert {part.name for part in (*quality.PARTS, *speed.PARTS)} <= set(parts) <= set(PARTS)


def test_the_figures_of_the_pages_are_drawn_from_the_results(tmp_path):
    pytest.importorskip("matplotlib")
    from benchmarks.paper import figures

    folders = [tmp_path / "a", tmp_path / "b"]
    for folder in folders:
        folder.mkdir()
        figures.main(folder)
    for _, name in figures.FIGURES.values():
        first, second = ((folder / name).read_text("utf-8") for folder in folders)
        assert "<svg" in first
        assert first == second
        assert (ROOT / "docs" / name).exists()


@pytest.fixture
def data(tmp_path):
    """Two data sets with a few made-up rows."""
    for name in ("oa-mine", "wdc-pave"):
        (tmp_path / "data" / name).mkdir(parents=True)
    titles = dataset_files.extractgpt(tmp_path / "data" / "oa-mine")
    titles.rename(titles.with_name("dev.jsonl"))
    names = {"Shoes": ["Brand"], "Tea": ["Brand"]}
    titles.with_name("attributes.json").write_text(json.dumps(names))
    pave = dataset_files.wdc_pave(tmp_path / "data" / "wdc-pave")
    pave.rename(pave.with_name("train.jsonl"))
    return tmp_path / "data"


def run(data, *arguments):
    folder = data.parent
    trial = ["--limit", "2", "--results", str(folder / "results"), "--threads", "1"]
    return paper.main(["--data", str(data), "--work", str(folder / "work"), *trial, *arguments])


def test_ar_and_hpd_are_compared_on_each_data_set(data, capfd):
    assert run(data, "--part", "zero-shot") == 0
    (result,) = load_results(data.parent / "results").values()
    scored, agreed = result.finding.tables
    rows = [row[2:4] for row in scored.rows if row[0] == "OA-Mine"]
    assert rows == [
        ["exact", "plain"], ["exact", "strict"], ["normalized", "plain"], ["normalized", "strict"],
    ]  # fmt: skip
    assert [row[0] for row in agreed.rows[1:]] == ["OA-Mine", "WDC-PAVE"]
    # The figures are those of hpd eval --vs.
    (gold,) = (data.parent / "work").rglob("oa-mine/gold.jsonl")
    hpd, ar = (gold.with_name(f"gold-{method}-likely.jsonl") for method in ("hpd", "ar"))
    assert {*read_lines(hpd)[0]["data"]} == {"Brand"}
    capfd.readouterr()
    attributes = ["--attributes", str(data / "oa-mine" / "attributes.json")]
    assert main(["eval", str(hpd), str(gold), "--vs", str(ar), *attributes, "--json"]) == 0
    f1 = json.loads(capfd.readouterr().out)["versus"]["differences"]["exact"]["plain"]["micro"][
        "f1"
    ]
    shown = [f"{f1['second']:.2f}", f"{f1['first']:.2f}", f"{f1['difference']:+.2f}"]
    assert scored.rows[1][4:7] == shown
    # What a reader has to type has no path of this machine.
    assert not any(str(data.parent) in each for each in result.commands)
    assert any(each.startswith("hpd eval WORK/oa-mine/") for each in result.commands)
    assert result.conditions.limit == 2
    assert set(result.conditions.models) == {"small.gguf"}


def test_methods_are_timed_on_answers_of_their_own_and_on_known_ones(data):
    trial = ["--limit", "2", "--results", str(data.parent / "results"), "-t", "1"]
    asked = ["--data", str(data), "--work", str(data.parent / "work"), "--part", "table-oa-mine"]
    assert tables.main([*asked, *trial]) == 0
    (result,) = load_results(data.parent / "results").values()
    own, known = result.finding.tables
    names = ["`prefill`", "`ar:documents=2`", "`hpd`", "`hpd:drafts=off`"]
    assert [row[0] for row in own.rows[1:] if "batched" not in str(row[0])] == names
    differ = own.rows[0].index("differ")
    assert {row[0] for row in own.rows[1:] if row[differ] is None} == {"`prefill`", "`hpd`"}
    assert [row[0] for row in known.rows[1:]] == [
        "`ar:documents=2`", "`ar:documents=2,grammar=on`", "`hpd`", "`hpd:grammar=on`",
    ]  # fmt: skip
    assert {len(row) for row in known.rows} == {len(known.rows[0])}


def test_a_part_is_measured_once(data, capfd):
    assert run(data, "--part", "data") == 0
    path = data.parent / "results" / "data.json"
    path.write_text(path.read_text().replace("2026", "1926"))
    assert run(data, "--part", "data") == 0
    assert "measured already" in capfd.readouterr().err
    assert "1926" in path.read_text()
    assert run(data, "--part", "data", "--again") == 0
    assert "1926" not in path.read_text()


def test_a_part_goes_on_where_it_was_stopped(data):
    folder = data.parent
    assert run(data, "--part", "width") == 0
    (timed,) = folder.rglob("bench/width.jsonl")
    first = timed.read_text()
    (folder / "results" / "width.json").unlink()
    assert run(data, "--part", "width") == 0
    assert timed.read_text() == first
    assert run(data, "--part", "width", "--again") == 0
    assert timed.read_text() != first
    # A timing that was cut short has no summary, and begins again.
    timed.write_text(first.splitlines()[0] + "\n")
    (folder / "results" / "width.json").unlink()
    assert run(data, "--part", "width") == 0
    assert len(timed.read_text().splitlines()) == len(first.splitlines())


def test_what_is_missing_is_named(data, capfd):
    (data / "oa-mine" / "dev.jsonl").unlink()
    assert run(data, "--part", "k-max", "--part", "data") == 1
    err = capfd.readouterr().err
    assert "k-max: needs --data FOLDER with oa-mine or ae-110k in it" in err
    assert err.endswith("not measured: k-max\n")


@pytest.mark.parametrize("way", TABLE_1_WAYS, ids=lambda way: way.name)
def test_an_adapter_is_trained_by_a_command_that_there_is(data, way, monkeypatch):
    commands = []
    monkeypatch.setattr(Workbench, "run", lambda self, command: commands.append([*command]))
    bench = Workbench(data, data.parent / "work", n_threads=1)
    titles = DataSet("oa-mine", data / "oa-mine" / "dev.jsonl", data / "oa-mine" / "schema.json")
    folder = trained(bench, titles, way)
    (command,) = commands
    asked = build_parser("finetune").parse_args(command[1:])
    assert (asked.output, asked.method, asked.max_tokens) == (folder, way.method, K_MAX)


def test_a_trial_is_not_published(data, capfd):
    with pytest.raises(SystemExit) as stopped:
        paper.main(["--data", str(data), "--limit", "2", "--part", "data"])
    assert stopped.value.code == 2
    assert "--limit is for trials" in capfd.readouterr().err


def test_the_parts_are_listed(tmp_path, capfd):
    RESULT.save(tmp_path)
    assert paper.main(["--list", "--results", str(tmp_path)]) == 0
    lines = {line.split()[0]: line for line in capfd.readouterr().out.splitlines()}
    assert set(lines) == {part.name for part in paper.PARTS}
    assert "2026-11-22" in lines["width"]
    assert "not measured" in lines["zero-shot"]
