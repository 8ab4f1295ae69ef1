"""The scripts of ``benchmarks``: catalogues, plots, other programs and steps."""

import json
import os
import re
import subprocess
import sys

import pytest

from benchmarking import BENCHMARKS, SCHEMA, measurement, run_script
from benchmarks import plot, workloads
from hpd.bench.methods import parse_contest
from hpd.bench.rounds import summarise
from jsonl import read_lines, write_lines


def catalogue(folder, *arguments):
    """The rows and the attributes that ``workloads.py`` writes."""
    workloads.main([str(folder / "made"), *arguments])
    rows = read_lines(folder / "made.jsonl")
    return rows, list(json.loads((folder / "made.schema.json").read_text())["properties"])


@pytest.mark.parametrize(("n_tokens", "n_attributes"), [(300, 16), (1000, 1), (1500, 60)])
def test_a_made_up_catalogue_states_half_of_its_attributes(tmp_path, n_tokens, n_attributes):
    sizes = ["--tokens", str(n_tokens), "--attributes", str(n_attributes), "--documents", "5"]
    rows, attributes = catalogue(tmp_path, *sizes)
    assert len(rows) == 5
    assert len(set(attributes)) == n_attributes
    for row in rows:
        assert list(row["gold"]) == attributes
        values = [value for value in row["gold"].values() if value is not None]
        assert len(values) == (n_attributes + 1) // 2
        assert all(value in row["text"] for value in values)
        length = len(row["text"]) / workloads.CHARACTERS_PER_TOKEN
        assert length == pytest.approx(n_tokens, rel=0.1)
    assert catalogue(tmp_path, *sizes)[0] == rows
    assert catalogue(tmp_path, *sizes, "--seed", "1")[0] != rows


def test_the_plot_has_a_line_for_each_stack(tmp_path):
    hpd = ["stack=2,in_flight=8", "stack=2,in_flight=1", "in_flight=16", "drafts=off"]
    names = ["ar-batched:in_flight=4", *(f"hpd:{settings}" for settings in hpd)]
    summary = summarise([measurement(name, 1, n + 1.0) for n, name in enumerate(names)])
    for row, name in zip(summary, names, strict=True):
        options = parse_contest(name).methods[0].options
        row["settings"] = {n: getattr(options, n) for n in ("layout", "stack", "in_flight")}
    figures = write_lines(tmp_path / "figures.jsonl", {"type": "environment"}, *summary)
    _, read = plot.read_summary(figures)
    assert plot.curves(read, "speedup_ar_batched") == {
        ("branch", 1): [(16, 0.25)],
        ("branch", 2): [(1, pytest.approx(1 / 3)), (8, 0.5)],
    }


def test_other_json_lines_are_not_plotted(gold):
    write_lines(gold, {"type": "environment"})
    with pytest.raises(ValueError, match=r"gold\.jsonl: no summary"):
        plot.read_summary(gold)


def test_programs_are_asked_the_same_and_one_that_is_missing_is_named(gold, tmp_path, tiny_model):
    own = ["hpd", "hpd, method ar", "hpd, method ar, many at once"]
    chosen = [*own, "llama-cpp-python, no schema", "llama-server"]
    asked = [part for name in chosen for part in ("--peer", name)]
    asked += ["--limit", 2, "-t", 1, "-o", tmp_path / "peers.jsonl"]
    table = run_script(
        BENCHMARKS / "peers.py", gold, "--schema", SCHEMA, "-m", tiny_model(), *asked
    )
    rows = {row["peer"]: row for row in read_lines(tmp_path / "peers.jsonl")}
    assert set(rows) == set(chosen)
    for name in own:
        assert (rows[name]["invalid"], rows[name]["n_documents"]) == (0, 2)
        assert rows[name]["documents_per_second"] > 0
    # Random weights write no JSON unless they must.
    assert rows["llama-cpp-python, no schema"]["invalid"] == 1
    assert "--server" in rows["llama-server"]["error"]
    assert all(name in table for name in chosen)


def test_every_batch_is_shown(gold, tiny_model):
    asked = [gold, "--schema", SCHEMA, "--replay", gold, "-m", tiny_model(), "--limit", 2]
    shown = run_script(BENCHMARKS / "steps.py", *asked, "-t", "1", "prefill")
    title, heads, *_, total = shown.strip().splitlines()
    assert title.startswith("prefill: ")
    assert heads.split() == ["tokens", "rows", "read", "llama", "engine", "python"]
    # Two documents of two fields; the warm-up does not count.
    assert total.split()[1] == "4"


def test_the_share_of_a_busy_machine_is_of_every_kind_and_company(gold, tiny_model):
    asked = [gold, "--schema", SCHEMA, "--replay", gold, "-m", tiny_model()]
    lines = run_script(
        BENCHMARKS / "busy.py", *asked, "--rounds", 1, "--limit", 1, "-t", 1
    ).splitlines()
    assert [line.split("|")[1].strip() for line in lines[2:]] == [*"001122"]
    assert all(float(line.split("|")[4]) > 0 for line in lines[2:])


def test_costs_end_with_the_prices_of_a_bill(tiny_model):
    said = run_script(BENCHMARKS / "costs.py", "-m", tiny_model(), "--repeats", 1, "-t", 1)
    assert re.search(r"A token in a full batch costs [\d.]+ ms, a row [\d.]+ ms\.", said)


def gpu(results, *steps, **settings):
    """The exit code and the output of ``gpu.sh`` in miniature, on the processor."""
    small = {"BUILD": "no", "DOCUMENTS": "2", "ROUNDS": "1", "AR_DOCUMENTS": "1"}
    done = subprocess.run(
        [str(BENCHMARKS / "gpu.sh"), str(results), *steps],
        env={**os.environ, "PYTHON": sys.executable, **small, **settings},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


def test_the_parts_for_a_gpu_go_on_where_they_stopped(tmp_path, tiny_model):
    model = tiny_model()
    names = ["workloads", f"model-{model.stem}", f"{model.stem}-titles"]
    code, said = gpu(tmp_path, "--list", MODELS=str(model))
    assert code == 0
    assert set(names) < set(said.split())
    code, said = gpu(tmp_path, *names, MODELS=str(model), MINUTES="0")
    assert (code, "run the same command again" in said) == (75, True)
    code, said = gpu(tmp_path, *names, MODELS=str(model))
    assert code == 0, said
    assert "all is done" in said
    assert "hpd:drafts=off" in (tmp_path / f"{names[2]}.txt").read_text()
    # What is done is not done again.
    (tmp_path / f"{names[0]}.txt").unlink()
    code, said = gpu(tmp_path, *names, MODELS=str(model))
    assert [line for line in said.splitlines() if line.startswith("==")] == ["== workloads"]


def test_a_step_for_a_gpu_that_fails_is_told(tmp_path):
    code, said = gpu(tmp_path, "model-nothing-Q8_0", MODELS="nothing:Q8_0")
    assert code == 1
    assert "model-nothing-Q8_0.failed" in said
