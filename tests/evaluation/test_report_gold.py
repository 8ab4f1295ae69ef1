"""The gold that a reader saves from a report: what scores and fine-tuning make of its lines."""

import json

import pytest

from hpd.cli import main
from hpd.evaluation.report import reported_documents
from hpd.evaluation.rows import Prediction
from hpd.schema import Schemas, load_schema
from jsonl import write_lines
from report_files import gold_line

TEXT = "Nordvik \N{GRINNING FACE} coat, \u2028 red"
DATA = {"brand": "Nordvik", "price": 12.5, "tags": ["a", "b"], "maker": {"city": "Oslo", "n": 3}}


def form_of(data):
    (document,) = reported_documents([Prediction("1", data, raw={"data": data})], [None], [None])
    return {each.name: each.form for each in document.attributes}


def test_the_form_of_the_data_has_an_index_for_each_value():
    data = {
        "a": "x",
        "b": None,
        "c": [],
        "d": {},
        "e": ["x", None, "y"],
        "f": [{"g": 1, "h": [2, 3]}, {}],
    }
    assert form_of(data) == {
        "a": 0,
        "b": 0,
        "c": [0],
        "d": 0,
        "e": [0, 1, 2],
        "f": [{"g": 0, "h": [1, 2]}, 3],
    }


def test_saved_lines_are_gold(tmp_path, capsys):
    values = write_lines(
        tmp_path / "values.jsonl",
        {"id": "a", "data": DATA},
        {"id": "b", "data": DATA | {"brand": "Kestrel"}},
        {"id": "c", "error": {"type": "InputError", "message": "damaged"}},
        {"id": "d", "data": DATA},
    )
    gold = tmp_path / "gold.jsonl"
    gold.write_text(
        gold_line("a", TEXT, {name: DATA[name] for name in ("brand", "price", "tags")})
        + gold_line("b", TEXT, {"brand": "Nordvik", "price": None})
        + gold_line("c", TEXT, {"brand": "Nordvik"}),
        encoding="utf-8",
    )
    assert main(["eval", str(values), str(gold), "--json", "--resamples", "100"]) == 0
    out, err = capsys.readouterr()
    report = json.loads(out)
    assert (report["n_rows"], report["n_failed"]) == (3, 1)
    micro = report["plain"]["micro"]
    assert {name: micro[name] for name in ("nn", "nv", "vn", "vc", "vw")} == {
        "nn": 0, "nv": 1, "vn": 1, "vc": 3, "vw": 1,
    }  # fmt: skip
    assert "id 'd'" in err


def test_saved_lines_teach(tmp_path):
    pytest.importorskip("torch")
    from hpd.training.data import TrainingSource, gold_labels

    gold = tmp_path / "gold.jsonl"
    partly = {"brand": "Nordvik", "price": None}
    gold.write_text(
        gold_line("a", TEXT, DATA, "Coats") + gold_line("b", TEXT, partly, "Coats"),
        encoding="utf-8",
    )
    schema = load_schema("brand, price float, tags [str], maker {city, n int}")
    source = TrainingSource(gold, category_field="category")
    (one, other) = gold_labels(source, Schemas.of({"Coats": schema}), "skip")
    assert (one.text, dict(one.answer)) == (TEXT, DATA)
    assert dict(other.answer) == partly
