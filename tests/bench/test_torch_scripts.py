"""The scripts of ``benchmarks`` that need PyTorch: the roofline, and the encoder."""

import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")

from functools import partial

from benchmarking import BENCHMARKS, SCHEMA, run_script
from benchmarks.peers import Question, Setting, encoder, measure
from hpd.evaluation.rows import load_examples
from hpd.schema import load_schemas


def test_every_type_is_multiplied_by_every_number_of_tokens():
    sizes = ["--columns", 256, "--rows", 64, "--matrices", 2, "-t", 1]
    lines = run_script(BENCHMARKS / "roofline.py", *sizes, "--seconds", 0.001).splitlines()
    cells = [line.split("|")[1:3] for line in lines[2:]]
    assert [name.strip() for name, _ in cells[:7]] == [
        *("Q8_0", "Q4_0", "Q4_K", "Q5_K", "Q6_K", "BF16", "PyTorch, bf16")
    ]
    assert [int(n_tokens) for _, n_tokens in cells[::7]] == [1, 16, 64, 512]


def test_the_encoder_reads_every_document(gold, tiny_model):
    examples = list(load_examples(gold))
    schema = load_schemas(SCHEMA)
    questions = [Question(each, schema) for each in examples]
    setting = Setting(tiny_model(), schema, 1, 512, 1, None)
    few = {"num_hidden_layers": 1, "hidden_size": 64, "num_attention_heads": 4}
    row = measure(partial(encoder, intermediate_size=64, **few), setting, questions)
    assert row["documents_per_second"] > 0
    assert row["f1"] is None
