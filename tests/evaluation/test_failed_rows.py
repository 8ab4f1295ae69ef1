"""Documents that failed, in every command that reads an output: counted, and passed over."""

import json
from pathlib import Path

import pytest

from hpd.cli import main
from hpd.evaluation.comparison_server import ComparisonServer
from hpd.evaluation.rows import FailedRowsWarning, load_examples, load_predictions
from jsonl import write_lines

FAILED = {"id": "b", "error": {"type": "InputError", "message": "damaged"}}
RIGHT = {"id": "a", "data": {"brand": "Nike"}, "fields": {}}
FEW = ("--resamples", "100")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder as people have it: two texts, a table of three rows, and two damaged files."""
    monkeypatch.chdir(tmp_path)
    made = tmp_path / "mails"
    made.mkdir()
    (made / "a.txt").write_text("one")
    (made / "b.xlsx").write_bytes(b"no workbook")
    (made / "c.csv").write_text("x,y\n1,2\n3,4\n5,6\n")
    (made / "d.txt").write_text("four")
    (made / "e.docx").write_bytes(b"no document")
    return made


def extract(source, out, *options):
    return main(["extract", str(source), "--schema", "text", "-o", str(out), "--quiet", *options])


@pytest.mark.parametrize("failed_first", [True, False])
def test_an_output_with_failed_documents_is_gold(failed_first, tmp_path, capfd):
    rows = [FAILED, RIGHT] if failed_first else [RIGHT, FAILED]
    gold = write_lines(tmp_path / "gold.jsonl", *rows)
    with pytest.warns(FailedRowsWarning, match="skipped 1 failed document without values: 'b'"):
        assert [example.id for example in load_examples(gold, needs_text=False)] == ["a"]
    predicted = write_lines(tmp_path / "p.jsonl", RIGHT, {**RIGHT, "id": "b"})
    assert main(["eval", str(predicted), str(gold), *FEW, "--json"]) == 0
    out, err = capfd.readouterr()
    assert json.loads(out)["n_rows"] == 1
    assert "skipped 1 failed document without values: 'b'" in err


@pytest.mark.parametrize("name", ["gold.csv", "gold.xlsx"])
def test_so_is_a_table_of_it(name, folder, tmp_path, fake, capfd):
    assert extract("mails", name) == 3
    with pytest.warns(
        FailedRowsWarning, match="skipped 2 failed documents without values: 'mails/b.xlsx', "
    ):
        examples = list(load_examples(name, needs_text=False))
    assert [example.id for example in examples] == [
        "mails/a.txt",
        *(f"mails/c.csv:{row}" for row in (1, 2, 3)),
        "mails/d.txt",
    ]
    assert "error" not in examples[0].gold
    failed = [row.data is None for row in load_predictions(name)]
    assert failed == [False, True, False, False, False, False, True]
    capfd.readouterr()


def test_a_failed_row_whose_values_were_filled_in_is_gold(folder, fake, capfd):
    assert extract("mails", "gold.csv") == 3
    capfd.readouterr()
    text = Path("gold.csv").read_text()
    assert '\nmails/b.xlsx,,"InputError: ' in text
    Path("gold.csv").write_text(text.replace("\nmails/b.xlsx,,", "\nmails/b.xlsx,by hand,"))
    with pytest.warns(FailedRowsWarning, match="1 failed document without values: 'mails/e.docx'"):
        examples = list(load_examples("gold.csv", needs_text=False))
    assert examples[1].id == "mails/b.xlsx"
    assert examples[1].gold == {"text": ["by hand"]}


def test_data_beside_its_error_counts(tmp_path):
    broken = {"type": "InvalidDataError", "message": "size: required"}
    path = write_lines(tmp_path / "p.jsonl", {**RIGHT, "error": broken})
    assert [row.data for row in load_predictions(path)] == [{"brand": "Nike"}]
    assert len(list(load_examples(path, needs_text=False))) == 1


@pytest.mark.parametrize(
    ("predicted", "gold"),
    [({"brand": "Nike"}, {"Brand": "Nike"}), ({"a": 1, "b": 2}, {"c": 1})],
)
def test_files_without_a_common_attribute_are_refused(predicted, gold, tmp_path, capfd):
    one = write_lines(tmp_path / "p.jsonl", {"id": "a", "data": predicted})
    other = write_lines(tmp_path / "g.jsonl", {"id": "a", "gold": gold})
    assert main(["eval", str(one), str(other), *FEW]) == 2
    assert "have no attribute in common" in capfd.readouterr().err


def test_gold_without_attributes_is_refused(tmp_path, capfd):
    predicted = write_lines(tmp_path / "p.jsonl", RIGHT)
    table = tmp_path / "documents.csv"
    table.write_text("id,text\na,Nike shoe\n")
    for gold in (table, write_lines(tmp_path / "g.jsonl", {"id": "a", "gold": {}})):
        assert main(["eval", str(predicted), str(gold), *FEW]) == 2
        said = capfd.readouterr().err
        assert "have no attribute in common: 'brand' against none at all" in said


def test_the_status_of_a_run_with_failures_is_complete(folder, fake, capfd):
    assert extract("mails", "o.jsonl") == 3
    assert main(["status", "o.jsonl"]) == 3
    out = " ".join(capfd.readouterr().out.split())
    assert "done 7 of 7 documents (100%)" in out
    assert "state complete; --resume retries what failed" in out
    assert "left 0 documents" in out


def test_a_table_whose_text_was_named_is_counted_as_it_was_read(folder, fake, capfd):
    assert extract("mails/c.csv", "o.jsonl", "--text-field", "x") == 0
    assert main(["status", "o.jsonl"]) == 0
    assert "3 of 3 documents" in " ".join(capfd.readouterr().out.split())


def test_a_report_reads_the_texts_again(folder, fake, capfd):
    assert extract("mails", "o.jsonl") == 3
    assert main(["report", "o.jsonl", "-o", "r.html"]) == 0
    said = capfd.readouterr().err
    assert "2 of 7 documents failed" in said
    assert "--with-text" not in said
    assert "four" in (folder.parent / "r.html").read_text()


def test_a_table_and_its_lines_have_one_report(folder, fake):
    assert extract("mails", "o.csv") == 3
    for name in ("o.csv", "o.csv.jsonl", "o.csv"):
        assert main(["report", name, "-o", "r.html"]) == 0


def test_a_report_replaces_no_file_but_a_report(folder, fake, capfd):
    assert extract("mails", "o.jsonl") == 3
    mine = folder.parent / "r.html"
    mine.write_text("<p>written by hand, about hpd</p>")
    assert main(["report", "o.jsonl", "-o", "r.html"]) == 2
    assert "is not a page of hpd report" in capfd.readouterr().err
    assert "by hand" in mine.read_text()
    mine.unlink()
    for _ in range(2):
        assert main(["report", "o.jsonl", "-o", "r.html"]) == 0
    assert main(["report", "nosuch.jsonl", "-o", "r.html"]) == 2
    assert "nosuch.jsonl: cannot be opened: No such file" in capfd.readouterr().err
    other = Path("o.jsonl").rename("O'Neill.jsonl")
    assert main(["report", str(other), "-o", "r.html"]) == 2
    assert "is the page of other extractions" in capfd.readouterr().err
    assert main(["report", str(other), "-o", "r.html", "--overwrite"]) == 0
    assert main(["report", str(other), "-o", "r.html"]) == 0


def test_a_text_that_has_changed_since_is_not_shown(folder, fake, capfd):
    assert extract("mails", "o.jsonl") == 3
    (folder / "d.txt").write_text("forty")
    assert main(["report", "o.jsonl", "-o", "r.html"]) == 0
    said = capfd.readouterr().err
    assert "1 document has changed since" in said
    assert "1 of 7 documents has no text here" in said


def test_with_text_no_blame_falls_on_it(folder, fake, capfd):
    assert extract("mails", "o.jsonl", "--with-text") == 3
    folder.rename(folder.with_name("gone"))
    assert main(["report", "o.jsonl", "-o", "r.html"]) == 0
    assert "--with-text" not in capfd.readouterr().err


def test_the_documents_of_a_report_may_be_a_folder(folder, fake, capfd):
    assert extract("mails", "o.jsonl") == 3
    (folder.parent / "o.jsonl.run").unlink()
    assert main(["report", "o.jsonl", "--documents", "mails", "-o", "r.html"]) == 0
    assert "have no text" not in capfd.readouterr().err
    assert "four" in (folder.parent / "r.html").read_text()


@pytest.mark.parametrize("to", ["moved", "elsewhere/moved"])
def test_a_folder_that_has_moved_is_found_by_its_files(to, folder, fake, capfd, monkeypatch):
    (folder / "more").mkdir()
    (folder / "more" / "d.txt").write_text("five")
    for out in ("one.jsonl", "two.jsonl"):
        assert extract("mails", out) == 3
    Path(to).parent.mkdir(exist_ok=True)
    folder.rename(to)
    assert main(["report", "one.jsonl", "--documents", to, "-o", "r.html"]) == 0
    assert "have no text" not in capfd.readouterr().err
    page = Path("r.html").read_text()
    assert "four" in page
    assert "five" in page
    monkeypatch.setattr(ComparisonServer, "serve_forever", lambda server: None)
    command = ["compare", "one.jsonl", "two.jsonl", "--annotator", "ann"]
    assert main([*command, "--documents", to]) == 0
    said = capfd.readouterr().err
    assert "ann has judged 0 of 6 documents" in said
    assert "text" not in said


def test_a_report_of_a_table_names_the_lines_that_know_more(folder, fake, capfd):
    assert extract("mails", "o.csv") == 3
    assert main(["report", "o.csv", "-o", "r.html"]) == 0
    assert "hpd report o.csv.jsonl shows both" in capfd.readouterr().err


def test_lines_with_other_columns_are_gold(folder, fake, capfd):
    assert extract("mails", "o.csv") == 3
    lines = "o.csv.jsonl"
    assert '"input": {"x": "1", "y": "2"}' in Path(lines).read_text()
    assert main(["eval", lines, lines, *FEW]) == 0
    assert "5 documents" in capfd.readouterr().out


def test_the_columns_of_the_input_are_no_attributes(folder, fake, capfd):
    assert extract("mails", "o.csv") == 3
    for predicted in ("o.csv.jsonl", "o.csv"):
        assert main(["eval", predicted, "o.csv", *FEW, "--json"]) == 0
        scores = json.loads(capfd.readouterr().out)["plain"]
        assert [each["attribute"] for each in scores["attributes"]] == ["text"]
        assert scores["micro"]["vc"] == 5


def test_an_object_is_one_value(tmp_path, capfd):
    data = {"name": "lamp", "maker": {"name": "Ann", "city": None}, "seller": {"name": None}}
    predicted = write_lines(tmp_path / "p.jsonl", {"id": "a", "data": data})
    same = {"name": "lamp", "maker": {"city": None, "name": "Ann"}, "seller": None}
    for maker, n_right in (("Ann", 2), ("Bob", 1)):
        same["maker"]["name"] = maker
        lines = [
            write_lines(tmp_path / f"{k}.jsonl", {"id": "a", k: same}) for k in ("data", "gold")
        ]
        table = tmp_path / "gold.csv"
        table.write_text(f"id,name,maker.name,maker.city,seller.name,error\na,lamp,{maker},,,\n")
        for gold in (*lines, table):
            assert main(["eval", str(predicted), str(gold), *FEW, "--json"]) == 0
            micro = json.loads(capfd.readouterr().out)["plain"]["micro"]
            assert (micro["vc"], micro["vw"], micro["nn"]) == (n_right, 2 - n_right, 1)


@pytest.mark.parametrize("options", [(), ("--with-text",)])
def test_a_comparison_passes_over_what_failed(options, folder, fake, capfd, monkeypatch):
    for out in ("one.jsonl", "two.jsonl"):
        assert extract("mails", out, *options) == 3
    monkeypatch.setattr(ComparisonServer, "serve_forever", lambda server: None)
    command = ["compare", "one.jsonl", "two.jsonl", "--annotator", "ann"]
    assert main(command) == 0
    said = capfd.readouterr().err
    assert "skipped 2 documents that failed in a system" in said
    assert "ann has judged 0 of 5 documents" in said
