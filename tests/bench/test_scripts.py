"""The scripts of ``benchmarks``: catalogues, models, a GPU's steps."""

import json
import os
import subprocess
import sys
from dataclasses import replace

import pytest
from gguf import GGMLQuantizationType, GGUFReader

from benchmarking import BENCHMARKS
from benchmarks import make_model, workloads
from hpd import Extractor
from jsonl import read_lines
from small_model import small_model


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


def test_a_model_of_random_weights_has_the_shape_and_the_types(tmp_path, monkeypatch):
    shallow = replace(make_model.SHAPES["smollm2:135m"], n_layers=2)
    monkeypatch.setitem(make_model.SHAPES, "smollm2:135m", shallow)
    made = tmp_path / "model.gguf"
    make_model.main([str(made), "--shape", "smollm2:135m", "--type", "Q4_0"])
    names = {field.name for field in GGUFReader(made).tensors}
    assert names == dict(make_model.tensor_shapes(make_model.SHAPES["smollm2:135m"])).keys()
    with Extractor(["Brand"], made, n_threads=1, n_ctx=512, max_tokens=4) as extractor:
        assert extractor.extract("Nike shoe").error is None


def test_a_model_can_have_the_weights_of_a_file_in_another_type(tmp_path):
    made = tmp_path / "model.gguf"
    make_model.main([str(made), "--weights", str(small_model()), "--type", "F16"])
    matrices = [each for each in GGUFReader(made).tensors if len(each.shape) == 2]
    assert {each.tensor_type for each in matrices} == {GGMLQuantizationType.F16}
    with Extractor(["Brand"], made, n_threads=1, n_ctx=512, max_tokens=4) as extractor:
        assert extractor.extract("Nike shoe").error is None


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
    for written in (f"{names[2]}.txt", "page.md"):
        assert "hpd:drafts=off" in (tmp_path / written).read_text()
    # What is done is not done again; a step that was interrupted is, and what it wrote goes.
    (tmp_path / f"{names[0]}.txt").unlink()
    (tmp_path / f"{names[2]}.txt").unlink()
    code, said = gpu(tmp_path, *names, MODELS=str(model))
    assert code == 0, said
    done = [line for line in said.splitlines() if line.startswith("==")]
    assert done == ["== workloads", f"== {names[2]}"]


def test_a_step_for_a_gpu_that_fails_is_told(tmp_path):
    code, said = gpu(tmp_path, "model-nothing-Q8_0", MODELS="nothing:Q8_0")
    assert code == 1
    assert "model-nothing-Q8_0.failed" in said
    assert "invalid choice: 'nothing'" in said


def test_a_gpus_first_figures_need_no_server(tmp_path):
    code, said = gpu(tmp_path, "--list", BUILD="yes", MODELS="a:Q8_0 b:Q8_0")
    steps = said.split()
    first = steps.index("build-server")
    assert code == 0
    assert steps.count("build-server") == 1
    assert steps.index("parity-bundled") < steps.index("a-Q8_0-titles-in-flight") < first
    assert steps[first + 1] == "servers-a-Q8_0-titles"


def test_a_page_that_cannot_be_written_is_told(tmp_path):
    (tmp_path / "some.jsonl").write_text("{\n")
    code, said = gpu(tmp_path, "workloads", MINUTES="0")
    assert code == 75
    assert "JSONDecodeError" in said


def test_a_gpus_unknown_step_is_told(tmp_path):
    code, said = gpu(tmp_path, "workload")
    assert (code, "no step workload" in said) == (2, True)


def test_without_a_build_a_gpu_is_not_measured(tmp_path):
    python = tmp_path / "python"
    python.write_text("#!/bin/sh\necho there is no Python; exit 3\n")
    python.chmod(0o755)
    for _ in range(2):
        code, said = gpu(tmp_path, BUILD="yes", PYTHON=str(python))
        assert code == 1
        assert "  there is no Python\n" in said
        assert [line for line in said.splitlines() if line.startswith("==")] == ["== build-llama"]
