"""``benchmarks.gpu``: whether a GPU's values are the CPU's, servers, and the page of results."""

import re

import pytest

from benchmarks import gpu, workloads
from jsonl import read_lines, write_lines
from small_model import small_model


@pytest.fixture
def titles(tmp_path):
    sizes = ["--tokens", "20", "--attributes", "3", "--documents", "3"]
    workloads.main([str(tmp_path / "titles"), *sizes])
    return tmp_path / "titles"


def asked(part, workload, *arguments):
    output = workload.with_name(f"{part}.jsonl")
    options = ["-o", output, "--documents", "2", *arguments]
    return gpu.main([str(each) for each in (part, small_model(), workload, *options)])


def test_values_with_and_without_a_gpu_are_counted(titles, monkeypatch):
    assert asked("parity", titles) == 0
    (row,) = read_lines(titles.with_name("parity.jsonl"))
    assert (row["n_values"], row["n_different"]) == (6, 0)
    # A device that computes something else fails.
    differs = {"n_values": 6, "n_different": 1, "computing_on": "a GPU"}
    monkeypatch.setattr(gpu, "parity", lambda model, kind: differs)
    assert asked("parity", titles) == 1


@pytest.mark.parametrize(("found", "code"), [(["NVIDIA H200"], 0), ([], 1)])
def test_no_gpu_is_a_failure(monkeypatch, capsys, found, code):
    monkeypatch.setattr(gpu, "devices", lambda: found)
    assert gpu.main(["device"]) == code
    printed = capsys.readouterr()
    assert ("NVIDIA H200" in printed.out, "no GPU" in printed.err) == (not code, bool(code))


def test_no_server_is_a_failure(titles):
    assert asked("server", titles, "--slots", "1", "2") == 1
    rows = read_lines(titles.with_name("server.jsonl"))
    assert [row["slots"] for row in rows] == [1, 2]
    assert "--server" in rows[0]["error"]


def test_the_page_has_every_result_and_what_failed(titles):
    asked("parity", titles)
    asked("server", titles, "--slots", "1")
    served = {**read_lines(titles.with_name("server.jsonl"))[0], "slots": 64}
    del served["error"]
    served |= {"seconds": 0.5, "right": 80.0, "invalid": 0.25}
    write_lines(titles.with_name("fast.jsonl"), served)
    titles.with_name("suite-engine.failed").touch()
    page = gpu.page(titles.parent)
    assert re.search(r"\| small.gguf \| titles \| .*\(\d+ cores?\) \| 6 \| 0 \| 0.0000 \|", page)
    assert "| llama-server | small.gguf | titles | 64 | 2.0 | 80.0 | 25% |" in page
    assert page.endswith("Failed: suite-engine.\n")
