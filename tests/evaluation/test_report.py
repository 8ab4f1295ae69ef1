"""Reports: documents put together from several files, their figures, the page."""

import json
import re

import pytest

from hpd.cli import main
from hpd.evaluation.report import MATCHES, payload, reported_documents, summarize
from hpd.evaluation.rows import Example, Prediction, load_predictions
from hpd.show.shown_values import ShownValue
from jsonl import write_lines
from report_files import made_extractions, write_made

TEXT = "\N{GRINNING FACE} Diesel shoe, red"


def prediction(**line):
    return Prediction(
        line.get("id"), line.get("data"), line.get("fields", {}), raw={"id": None, **line}
    )


def report_data(page):
    """The data of the page's script."""
    (data,) = re.findall(
        r'<script id="data" type="application/json">(.*?)</script>', page.read_text("utf-8")
    )
    return json.loads(data)


# --- documents ---


def test_a_line_and_its_gold_make_a_document():
    line = prediction(
        id="a1",
        data={"brand": "Diesel", "size": None, "price": 3},
        fields={"brand": {"confidence": 0.9, "start": 2, "end": 8, "match": "exact"}},
        text=TEXT,
        input={"category": "Shoes", "sku": 7},
    )
    example = Example("a1", "", "Footwear", {"brand": ["Nike", "Adidas"], "color": ["red"]})
    (document,) = reported_documents([line], [example], [None])
    assert (document.id, document.category, document.text) == ("a1", "Shoes", TEXT)
    assert document.input == {"category": "Shoes", "sku": 7}
    assert [(a.name, a.outcome, a.gold) for a in document.attributes] == [
        ("brand", "vw", ["Nike", "Adidas"]),
        ("size", None, None),
        ("price", None, None),
        ("color", "vn", ["red"]),
    ]
    assert document.attributes[3].values == (ShownValue("color", "color", None),)


def test_checks_that_did_not_pass_are_shown():
    check = {"check": "a == b", "passed": False, "left": 1, "right": 2}
    line = prediction(id="a1", data={"a": 1}, checks=[check])
    (document,) = reported_documents([line], [None], [None])
    assert document.checks == ("a == b (1 and 2)",)


def test_the_text_of_the_documents_file_comes_first_and_that_of_the_gold_last():
    lines = [prediction(id="1", data={}, text="line"), prediction(id="1", data={})]
    gold, source = Example("1", "gold", "g", {}), Example("1", "source", "s", {})
    texts = [
        reported_documents([line], [example], [document])[0].text
        for line in lines
        for example in (None, gold)
        for document in (None, source)
    ]
    assert texts == ["line", "source", "line", "source", None, "source", "gold", "source"]


def test_the_category_is_taken_from_the_named_field():
    line = prediction(data={}, input={"kind": "Tea", "category": "Drinks"}, category="X")
    assert reported_documents([line], [None], [None], "kind")[0].category == "Tea"
    assert reported_documents([line], [None], [None])[0].category == "Drinks"
    bare = prediction(data={}, category="X")
    assert reported_documents([bare], [None], [None])[0].category == "X"
    assert reported_documents([bare], [None], [None])[0].id == "1"


def test_what_a_failed_document_lacks_is_missed_but_not_null():
    line = prediction(id="1", error={"type": "E", "message": "too long"}, text=TEXT)
    documents = reported_documents([line], [Example("1", "", "", {"brand": ["x"]})], [None])
    assert documents[0].error == "E: too long"
    assert documents[0].attributes[0].outcome == "vn"
    totals, _ = summarize(documents)
    assert (totals.n_failed, totals.n_nulls, totals.n_values) == (1, 0, 0)


# --- figures ---


def made_documents(n=900):
    lines = list(made_extractions(n, 120))
    predictions = [prediction(**line) for line in lines]
    examples = [
        Example(
            line["id"],
            "",
            line["input"]["category"],
            {name: None if gold is None else [gold] for name, gold in line["gold"].items()},
        )
        for line in lines
    ]
    return reported_documents(predictions, list(examples), [None] * n), lines


def test_totals_equal_a_plain_count():
    documents, lines = made_documents()
    totals, attributes = summarize(documents)
    fields = [
        (line["data"][name], known)
        for line in lines
        if "data" in line
        for name, known in line["fields"].items()
    ]
    assert totals.n_failed == 2 + sum("error" in known for _, known in fields)
    assert totals.n_values == sum(value is not None for value, _ in fields) > 0
    assert totals.n_nulls == sum(value is None for value, _ in fields) > 0
    assert totals.n_ungrounded == sum(known.get("match") == "none" for _, known in fields) > 0
    assert totals.n_low == sum(known["confidence"] < 0.5 for _, known in fields) > 0
    assert sum(each.n_values for each in attributes.values()) == totals.n_values
    for i, bar in enumerate(totals.histogram):
        inside = [v for v, known in fields if i <= known["confidence"] * 10 < i + 1]
        inside += [v for v, known in fields if i == 9 and known["confidence"] == 1]
        n_nulls = sum(value is None for value in inside)
        assert bar == (len(inside) - n_nulls, n_nulls)
    brand = attributes["Brand"]
    predicted = [(line.get("data", {}).get("Brand"), line["gold"]["Brand"]) for line in lines]
    assert brand.counts.vc == sum(one == gold for one, gold in predicted)
    assert brand.counts.vn == sum(one is None for one, _ in predicted)


# --- what the script is given ---


def test_the_script_is_given_spans_as_it_counts():
    line = prediction(
        data={"brand": "Diesel", "color": None},
        fields={"brand": {"start": 2, "end": 8, "match": "exact", "confidence": 0.98765}},
        text=TEXT,
    )
    documents = reported_documents([line], [None], [None])
    given = payload(documents, has_gold=False)
    assert given["attributes"] == [["brand", 0], ["color", 1]]
    brand = [0, [["Diesel", 0.9877, MATCHES.index("exact")]]]
    no_id = [None, None, None, False]
    assert given["documents"] == [["1", 0, TEXT, [brand, [1, [[]]]], [(3, 9, (0,), (0,))], *no_id]]


# --- the command ---


def test_a_page_with_gold_says_what_eval_says(tmp_path, capsys):
    made, gold = write_made(tmp_path, 60, 100)
    page = tmp_path / "report.html"
    assert main(["eval", str(made), str(gold), "--json"]) == 0
    micro = json.loads(capsys.readouterr().out)["plain"]["micro"]
    assert main(["report", str(made), str(gold), "-o", str(page), "--title", "<b>Shop</b>"]) == 0
    assert capsys.readouterr().out == f"{page}\n"
    html = page.read_text(encoding="utf-8")
    assert f"<dt>F1</dt><dd>{micro['f1']:.2f}</dd>" in html
    assert "<title>&lt;b&gt;Shop&lt;/b&gt;</title>" in html
    data = report_data(page)
    assert data["hasGold"] is True
    assert len(data["documents"]) == 60


def test_a_table_is_told_of_the_lines_beside_it(tmp_path, capsys):
    lines = write_lines(tmp_path / "v.csv.jsonl", {"id": "a", "data": {"brand": "Nike"}})
    (tmp_path / "v.csv").write_text("id,brand\na,Nike\n")
    assert main(["report", str(tmp_path / "v.csv"), "-o", str(tmp_path / "t.html")]) == 0
    assert f"hpd report {lines} shows both" in capsys.readouterr().err
    assert main(["report", str(lines), "-o", str(tmp_path / "l.html")]) == 0
    assert "a table" not in capsys.readouterr().err


def test_the_texts_come_from_a_documents_file(tmp_path, capsys):
    made = write_lines(
        tmp_path / "made.jsonl",
        {"id": "a", "data": {"x": "red"}, "fields": {"x": {"start": 3, "end": 6}}},
        {"id": "b", "data": {"x": None}},
        {"id": "c", "data": {"x": None}},
    )
    documents = write_lines(
        tmp_path / "documents.jsonl",
        {"id": "b", "body": "blue", "category": "B"},
        {"id": "a", "body": "so red", "category": "A"},
    )
    page = tmp_path / "report.html"
    arguments = ["--documents", str(documents), "--text-field", "body", "-o", str(page)]
    assert main(["report", str(made), *arguments]) == 0
    notices = capsys.readouterr().err
    assert "1 line of" in notices
    assert "1 of 3 documents has no text" in notices
    data = report_data(page)
    assert [each[2] if len(each) > 2 else None for each in data["documents"]] == [
        "so red",
        "blue",
        None,
    ]
    assert data["categories"] == ["A", "B", ""]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["gone.jsonl"], "cannot be opened"),
        (["empty.jsonl"], "has no lines"),
        (["made.jsonl", "--text-field", "t"], "needs --documents or GOLD"),
        (["made.jsonl", "-o", "made.jsonl"], "is read in this run"),
    ],
)
def test_wrong_use_is_said(tmp_path, arguments, says, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    write_made(tmp_path, 2, 100)
    write_lines(tmp_path / "empty.jsonl")
    assert main(["report", *arguments]) == 2
    assert says in capsys.readouterr().err
    assert list(load_predictions(tmp_path / "made.jsonl"))
