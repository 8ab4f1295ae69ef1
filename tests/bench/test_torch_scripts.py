"""The scripts of ``benchmarks`` that need PyTorch: the roofline, and the encoder."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")

from benchmarking import BENCHMARKS, SCHEMA, run_script
from jsonl import read_lines
from tiny_models import TinyModel


def test_every_type_is_multiplied_by_every_number_of_tokens() -> None:
    sizes = ["--columns", 256, "--rows", 64, "--matrices", 2, "-t", 1]
    lines = run_script(BENCHMARKS / "roofline.py", *sizes, "--seconds", 0.001).splitlines()
    cells = [line.split("|")[1:3] for line in lines[2:]]
    assert [name.strip() for name, _ in cells[:7]] == [
        *("Q8_0", "Q4_0", "Q4_K", "Q5_K", "Q6_K", "BF16", "PyTorch, bf16")
    ]
    assert [int(n_tokens) for _, n_tokens in cells[::7]] == [1, 16, 64, 512]


def test_the_encoder_reads_every_document(
    gold: Path, tmp_path: Path, tiny_model: TinyModel
) -> None:
    asked = [gold, "--schema", SCHEMA, "--replay", gold, "-m", tiny_model()]
    few = ["--rounds", 1, "--layers", 1, "-t", 1, "-o", tmp_path / "encoder.jsonl"]
    run_script(BENCHMARKS / "peers/encoder.py", *asked, *few)
    rows = read_lines(tmp_path / "encoder.jsonl")
    assert [row["method"] for row in rows] == [
        f"encoder of 184M, {name} (time alone)" for name in ("f32", "bf16")
    ]
    assert all(row["n_documents"] == 4 and row["time_alone"] for row in rows)
