import json

import pytest

from benchmarks.documents import Points, labelled_files, main, score
from small_model import small_model

SCHEMA = {
    "type": "object",
    "properties": {
        "number": {"type": "string"},
        "total": {"type": "number"},
        "seller": {"type": "object", "properties": {"name": {"type": "string"}}},
        "lines": {
            "type": "array",
            "items": {"type": "object", "properties": {"item": {}, "price": {}}},
        },
    },
}
LABEL = {
    "number": "INV-7",
    "total": 12.0,
    "seller": {"name": "Ann & Co."},
    "lines": [{"item": "Soap", "price": 2.0}, {"item": "Tea", "price": 10.0}],
}


def test_case_blanks_and_punctuation_do_not_count():
    answer = {**LABEL, "number": "inv 7", "total": 12, "seller": {"name": "ann&co"}}
    assert score(answer, SCHEMA, LABEL).all == 1.0


def test_each_leaf_counts_once():
    answer = {**LABEL, "total": 13, "lines": LABEL["lines"][::-1]}
    found = score(answer, SCHEMA, LABEL)
    assert found.scalars == Points(2, 3)
    assert found.lists == Points(4, 4)
    assert found.all == pytest.approx(6 / 7)


@pytest.mark.parametrize(
    ("lines", "right", "total"),
    [
        ([{"item": "Tea", "price": 10}], 2, 4),
        ([{"item": "Tea", "price": 9}], 1, 4),
        ([], 0, 4),
        (None, 0, 4),
        ([*LABEL["lines"], {"item": "Rum", "price": 1}], 4, 6),
        ([{"item": "Tea", "price": 10, "unit": "g"}, LABEL["lines"][0]], 2 + 4 / 3, 4),
    ],
)
def test_rows_that_are_missing_or_invented_count_against_a_list(lines, right, total):
    found = score({**LABEL, "lines": lines}, SCHEMA, LABEL).lists
    assert (found.right, found.total) == (pytest.approx(right), total)


def test_what_is_empty_on_both_sides_does_not_count():
    label = {"number": None, "seller": {}, "lines": []}
    assert score({"number": "", "lines": None}, SCHEMA, label).all == 1.0
    assert score({"number": "x"}, SCHEMA, label).scalars == Points(0, 1)


def test_an_answer_that_failed_has_no_points():
    assert score(None, SCHEMA, LABEL).all == 0.0


def test_both_layouts_of_folders_are_found(tmp_path):
    for part in ("documents", "schemas", "labels"):
        (tmp_path / "a" / part).mkdir(parents=True)
    (tmp_path / "a/documents/x.txt").write_text("number INV-7")
    (tmp_path / "a/documents/unlabelled.txt").write_text("")
    (tmp_path / "a/schemas/x.json").write_text(json.dumps(SCHEMA))
    (tmp_path / "a/labels/x.json").write_text(json.dumps(LABEL))
    (tmp_path / "b").mkdir()
    wrapped = {"name": "invoice", "schema_definition": SCHEMA}
    (tmp_path / "b/invoice-schema.json").write_text(json.dumps(wrapped))
    (tmp_path / "b/other-schema.json").write_text('{"properties": {"seller": {}}}')
    (tmp_path / "b/y.txt").write_text("number INV-7")
    (tmp_path / "b/y.gold.json").write_text(json.dumps(LABEL))
    (first,), (second,) = (list(labelled_files(tmp_path / name)) for name in "ab")
    assert (first.id, first.path.name, first.schema) == ("x", "x.txt", SCHEMA)
    assert (second.id, second.path.name, second.schema) == ("y", "y.txt", wrapped)


def test_answers_and_a_table_are_written(tmp_path, capsys):
    (tmp_path / "invoice-schema.json").write_text(json.dumps(SCHEMA))
    (tmp_path / "y.txt").write_text("Invoice INV-7. Total 12.00. Seller: Ann & Co.")
    (tmp_path / "y.gold.json").write_text(json.dumps(LABEL))
    out = tmp_path / "out"
    arguments = [str(tmp_path), "-m", str(small_model()), "--method", "hpd", "ar", "-o", str(out)]
    main(arguments)
    table = capsys.readouterr().out
    for method in ("hpd", "ar"):
        answer = json.loads((out / method / "y.json").read_text())
        points = f"| y | {100 * score(answer, SCHEMA, LABEL).all:.1f} |"
        assert points in (out / f"{method}.md").read_text()
        assert points in table


def test_a_folder_without_documents_is_an_error(tmp_path, capsys):
    with pytest.raises(SystemExit):
        main([str(tmp_path)])
    assert "no labelled documents" in capsys.readouterr().err
