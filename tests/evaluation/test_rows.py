"""Rows of gold and of predictions, and how they are brought together."""

import datetime as dt
import decimal

import pytest

from hpd.errors import InputError
from hpd.evaluation.json_form import to_plain
from hpd.evaluation.matching import match_rows
from hpd.evaluation.rows import Example, Prediction, gold_values, load_examples, load_predictions
from jsonl import write_lines


@pytest.mark.parametrize(
    ("values", "gold"),
    [
        ({"a": 1}, ["a"]),
        ({" a ": 1, "b": 1}, ["a", "b"]),
        ({"n/a": 1}, None),
        ({" n/a": 1, "b": 1}, None),
        ({"b": 1, "n/a": 1}, ["b"]),
        ({}, None),
        ([], None),
        (None, None),
        ("a", ["a"]),
        (12, ["12"]),
        (True, ["true"]),
        (["a", 1], ["a", "1"]),
        ({"a": {"pid": [0], "score": 1}}, ["a"]),
    ],
)
def test_gold_values(values, gold):
    assert gold_values(values) == gold


def test_the_shapes_of_the_benchmarks(tmp_path):
    path = write_lines(
        tmp_path / "gold.jsonl",
        {
            "input": "t",
            "category": "Shoes",
            "target_scores": {"Brand": {"B ": 1}, "Size": {"n/a": 1}},
        },
        {
            "id": 17,
            "cluster_id": 2.0,
            "category": "Ink",
            "input_title": "t",
            "input_description": "d",
            "target_scores": {"Brand": {"B": {"pid": [0], "score": 1}}},
        },
        {"text": "t", "gold": {"a": None, "b": "x", "c": ["y", "z"]}},
    )
    assert list(load_examples(path)) == [
        Example("1", "t", "Shoes", {"Brand": ["B"], "Size": None}),
        Example("17", "t\nd", "Ink", {"Brand": ["B"]}),
        Example("3", "t", "", {"a": None, "b": ["x"], "c": ["y", "z"]}),
    ]


@pytest.mark.parametrize(
    ("row", "says"),
    [
        ({"text": "t", "kind": "k"}, "gold.jsonl:2: no gold values: looked for target"),
        ({"gold": {}, "kind": "k"}, "gold.jsonl:2: no text"),
        ({"text": "t", "gold": {"a": "x"}}, "gold.jsonl:2: no field 'kind'"),
        ({"id": ["x"], "text": "t", "gold": {}, "kind": "k"}, "gold.jsonl:2: the id should be"),
        ({"id": True, "text": "t", "gold": {}, "kind": "k"}, "gold.jsonl:2: the id should be"),
        ('"only text"', "gold.jsonl:2: expected a JSON object"),
    ],
)
def test_rows_that_are_no_gold(tmp_path, row, says):
    path = write_lines(tmp_path / "gold.jsonl", {"text": "t", "kind": "k", "gold": {}}, row)
    with pytest.raises(InputError, match=says):
        list(load_examples(path, category_field="kind"))


def test_where_a_row_stands_and_whether_its_id_is_its_own(tmp_path):
    path = tmp_path / "gold.jsonl"
    path.write_text('{"id": "a", "gold": {}}\n\n{"gold": {}}\n')
    first, second = load_examples(path, needs_text=False)
    assert (first.line, first.is_numbered) == (1, False)
    assert (second.id, second.line, second.is_numbered) == ("2", 3, True)


def test_predictions(tmp_path):
    line = {
        "id": 1,
        "data": {"a": "x"},
        "fields": {"a": {"confidence": 0.5, "start": 3}, "b": {"match": "none"}},
        "usage": {"seconds": 0.2},
    }
    failed = {"id": "2", "error": {"type": "E", "message": "m"}}
    path = write_lines(tmp_path / "made.jsonl", line, failed, {"data": {}})
    one, two, three = load_predictions(path)
    assert one == Prediction("1", {"a": "x"})
    assert (one.confidence("a"), one.confidence("b")) == (0.5, None)
    assert one.fields["a"]["start"] == 3
    assert one.usage == {"seconds": 0.2}
    assert (one.line, one.raw) == (1, line)
    assert two == Prediction("2", None)
    assert two.raw["error"]["type"] == "E"
    assert (three.id, three.usage, three.fields) == (None, {}, {})


def test_lines_that_are_no_predictions(tmp_path):
    path = write_lines(tmp_path / "made.jsonl", {"id": "1", "value": 3})
    with pytest.raises(InputError, match=r"made\.jsonl:1: neither 'data' nor 'error'"):
        list(load_predictions(path))
    path.write_text("{nonsense\n")
    with pytest.raises(InputError, match="not valid JSON"):
        list(load_predictions(path))
    with pytest.raises(InputError, match="cannot be opened"):
        list(load_predictions(tmp_path / "gone.jsonl"))
    with pytest.raises(InputError, match="plain text has no fields"):
        list(load_predictions(tmp_path / "made.txt"))


# --- tables ---

HEADER = "id,category,text,Brand,Color"


@pytest.fixture(params=["csv", "tsv", "parquet"])
def table(request, tmp_path):
    """One row of values, one of none, as a table of each format."""
    path = tmp_path / f"table.{request.param}"
    if request.param == "parquet":
        pq, pa = pytest.importorskip("pyarrow.parquet"), pytest.importorskip("pyarrow")
        columns = {
            "id": [1, 2], "category": ["Shoes", "Shoes"], "text": ["a b", "c"],
            "Brand": [["Nike", "n"], None], "Color": ["1.5", None],
        }  # fmt: skip
        pq.write_table(pa.table(columns), path)
    elif request.param == "csv":
        path.write_text(f'{HEADER}\n1,Shoes,a b,"[""Nike"", ""n""]",1.5\n2,Shoes,c,,\n')
    else:
        lines = [HEADER, '1,Shoes,a b,["Nike"; "n"],1.5', "2,Shoes,c,,"]
        path.write_text("\n".join(lines).replace(",", "\t").replace(";", ",").replace('"', '""')
                        .replace('[', '"[').replace(']', ']"'))  # fmt: skip
    return path


def test_a_table_of_gold_has_a_column_for_each_attribute(table):
    assert list(load_examples(table)) == [
        Example("1", "a b", "Shoes", {"Brand": ["Nike", "n"], "Color": ["1.5"]}),
        Example("2", "c", "Shoes", {"Brand": None, "Color": None}),
    ]


def test_columns_can_be_named(tmp_path):
    path = tmp_path / "gold.csv"
    path.write_text("no,kind,body,title,text\n7,Shoes,b,t,x\n")
    rows = load_examples(path, text_field="body", id_field="no", category_field="kind")
    assert list(rows) == [Example("7", "b", "Shoes", {"title": ["t"], "text": ["x"]})]
    (row,) = load_predictions(path, id_field="no", category_field="kind")
    assert row == Prediction("7", {"body": "b", "title": "t", "text": "x"})


@pytest.mark.parametrize(
    "text",
    ["id,data.Brand,data.Size,note\na,Nike,,n\n", 'id,data,note\na,"{""Brand"": ""Nike""}",n\n'],
)
def test_data_as_a_column_or_flattened(tmp_path, text):
    path = tmp_path / "made.csv"
    path.write_text(text)
    (row,) = load_predictions(path)
    assert {name: value for name, value in row.data.items() if value} == {"Brand": "Nike"}
    (example,) = load_examples(path, needs_text=False)
    assert example.gold["Brand"] == ["Nike"]
    assert "note" not in example.gold


def test_what_a_table_holds_becomes_what_json_would_hold(tmp_path):
    pq, pa = pytest.importorskip("pyarrow.parquet"), pytest.importorskip("pyarrow")
    path = tmp_path / "made.parquet"
    columns = {
        "price": [1.5, float("nan")],
        "day": [dt.date(2026, 3, 1), None],
        "maker": [{"city": "Ulm"}, None],
        "is_new": [True, None],
        "amount": [decimal.Decimal("2.50"), None],
    }
    pq.write_table(pa.table(columns), path)
    one, two = load_predictions(path)
    assert one.data == {
        "price": 1.5, "day": "2026-03-01", "maker": {"city": "Ulm"}, "is_new": True,
        "amount": "2.50",
    }  # fmt: skip
    assert two.data == dict.fromkeys(columns)


def test_text_in_brackets_that_is_no_json_stays_text(tmp_path):
    path = tmp_path / "made.csv"
    path.write_text("Brand\n[Nike]\n")
    assert [row.data for row in load_predictions(path)] == [{"Brand": "[Nike]"}]


ONE, TWO = {"a": "1"}, {"a": "2"}


def documents(*ids, is_numbered=False):
    return [Example(name, "", "", {}, line, is_numbered) for line, name in enumerate(ids, start=1)]


def predictions(*ids):
    return [Prediction(name, {"n": line}, {}, line) for line, name in enumerate(ids, start=1)]


def test_by_id():
    rows = [Prediction("b", TWO), Prediction("a", ONE)]
    matching = match_rows(documents("a", "b"), rows, "made.jsonl")
    assert matching.data == [ONE, TWO]
    assert matching.predictions == (rows[1], rows[0])
    assert not matching.by_order
    assert matching.notices("gold.jsonl") == []


def test_missing_and_surplus_ids_are_named_with_file_and_line():
    matching = match_rows(
        documents("a", "gone", "b"), predictions("b", "x", "a", "a"), "made.jsonl"
    )
    assert matching.data == [{"n": 3}, None, {"n": 1}]
    missing, surplus, repeated = matching.notices("gold.jsonl")
    assert missing == (
        "1 of 3 documents has no prediction in made.jsonl, which counts as no value: "
        "gold.jsonl:2 (id 'gone')"
    )
    assert surplus == "1 document has no gold: made.jsonl:2 (id 'x')"
    assert repeated.endswith("left out, as another has the same id: made.jsonl:4 (id 'a')")
    assert to_plain(matching) == {
        "by_order": False,
        "missing": [{"id": "gone", "line": 2}],
        "surplus": [{"id": "x", "line": 2}, {"id": "a", "line": 4}],
        "duplicates": [],
    }


def test_ids_that_come_twice_are_taken_in_order():
    matching = match_rows(documents("a", "a"), predictions("a", "a"), "made.jsonl")
    assert matching.data == [{"n": 1}, {"n": 2}]
    (notice,) = matching.notices("gold.jsonl")
    assert "id of an earlier one" in notice
    assert "gold.jsonl:2 (id 'a')" in notice


def test_long_lists_are_cut_short():
    matching = match_rows(documents(*map(str, range(9))), predictions("0"), "made.jsonl")
    (notice,) = matching.notices("gold.jsonl")
    assert notice.startswith("8 of 9 documents")
    assert notice.endswith("gold.jsonl:6 (id '5'), and 3 more")


def test_by_order_where_the_predictions_have_no_ids():
    matching = match_rows(
        documents("a", "b"), [Prediction(None, ONE), Prediction(None, None)], "made.jsonl"
    )
    assert matching.data == [ONE, None]
    assert matching.notices("gold.jsonl") == [
        "made.jsonl and gold.jsonl share no ids: rows are matched by order"
    ]


def test_by_order_where_the_gold_has_no_ids():
    matching = match_rows(documents("1", "2", is_numbered=True), predictions("x", "y"))
    assert matching.by_order
    assert matching.data == [{"n": 1}, {"n": 2}]


def test_row_numbers_are_ids_where_the_gold_has_none():
    matching = match_rows(documents("1", "2", is_numbered=True), predictions("2", "1"))
    assert not matching.by_order
    assert matching.data == [{"n": 2}, {"n": 1}]


@pytest.mark.parametrize(
    ("gold", "made", "says"),
    [
        (documents("a"), predictions(None, None), "2 predictions for 1 .* the predictions have no"),
        (documents("1", is_numbered=True), predictions("x", "y"), "the documents have no ids"),
        (documents("a"), predictions("x"), r"no prediction has the id.*'x'.*'a'"),
    ],
)
def test_what_cannot_be_told_is_refused(gold, made, says):
    with pytest.raises(InputError, match=says):
        match_rows(gold, made)


def test_empty_files():
    assert match_rows([], []).data == []
    assert match_rows(documents("a"), []).data == [None]
    assert len(match_rows([], predictions("a", None)).surplus) == 2
