"""``benchmarks.encoder``: it has the size that its table tells, and reads all of every text."""

import sys

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

from benchmarking import a_few_titles
from benchmarks import encoder, tables
from benchmarks.programs import Question
from hpd.schema import load_schema
from small_model import small_model


class Bytes:
    """A vocabulary of bytes."""

    def tokenize(self, text):
        return list(text)


def test_the_encoder_has_the_weights_of_the_real_one():
    with torch.device("meta"):
        n_weights = sum(each.numel() for each in encoder.encoder_model().parameters())
    assert round(n_weights / 1e6) == 184


def test_the_encoder_reads_names_and_texts_in_batches_of_similar_length():
    schema = load_schema("Brand, Color")
    questions = [Question("x" * n, "", schema) for n in (5, 1, 9, 2, 8, 3, 7, 4, 6)]
    batches = []

    def read(ids, mask):
        assert ids.shape == mask.shape
        assert (ids[mask == 0] == 0).all()
        batches.append([bytes(int(each) for each in row if each) for row in ids])

    encoder.reader(Bytes(), read)(questions)
    texts = [b"Brand Color " + b"x" * n for n in range(1, 10)]
    assert batches == [texts[:8], texts[8:]]


def test_ways_take_turns():
    asked = []
    ways = {name: lambda _, name=name: asked.append(name) for name in "ab"}
    assert encoder.seconds(ways, [None]).keys() == {"a", "b"}
    assert "".join(asked) == "ab" + "ab" + "ba" + "ab"


def test_a_package_that_is_missing_is_named(tmp_path, monkeypatch, capfd):
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    a_few_titles(tmp_path)
    asked = ["--part", "encoder", "--data", tmp_path / "data", "-m", small_model(), "--limit", "1"]
    asked += ["--results", tmp_path / "results", "--work", tmp_path / "work"]
    assert tables.main([str(each) for each in asked]) == 1
    assert "needs the extras peers and training" in capfd.readouterr().err
