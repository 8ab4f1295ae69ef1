"""Tables as outputs of ``hpd extract``: resumed, replaced, and with the input's columns."""

import csv
import json
from email.message import EmailMessage

import pytest

from command_line import run_hpd
from hpd.cli import main
from jsonl import write_lines, write_texts
from pdf_files import pdf_of


def rows_of(table):
    with open(table, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def extract(source, out, *options):
    return main(["extract", str(source), "--schema", "text", "-o", str(out), *options])


def test_twenty_e_mails_of_a_folder_become_a_table(tmp_path):
    folder = tmp_path / "mails"
    folder.mkdir()
    for n in range(20):
        message = EmailMessage()
        message["From"], message["Subject"] = f"ann{n}@example.org", f"Order {1000 + n}"
        message.set_content(f"Hello,\n\nmy order {1000 + n} has not come.\n\nAnn")
        (folder / f"{n:02}.eml").write_bytes(message.as_bytes())
    out = tmp_path / "mails.csv"
    done = run_hpd(
        "extract", folder, "--schema", "order_number", "-o", out, "--keep", "from", "--quiet"
    )
    assert done.returncode == 0, done.stderr
    rows = rows_of(out)
    assert [row["id"] for row in rows] == [str(folder / f"{n:02}.eml") for n in range(20)]
    assert list(rows[0]) == ["id", "order_number", "error", "from"]
    assert rows[3]["from"] == "ann3@example.org"
    assert sum(row["order_number"] == str(1000 + n) for n, row in enumerate(rows)) > 10


def test_a_value_of_a_pdf_has_its_page(tmp_path, capfd):
    source = tmp_path / "a.pdf"
    source.write_bytes(pdf_of("Page one of two", "Luma Cotton T-Shirt for Men, White, XL"))
    assert main(["extract", str(source), "--schema", "Color, Size", "--quiet"]) == 0
    fields = json.loads(capfd.readouterr().out)["fields"]
    assert fields["Color"]["start"] > fields["Color"]["page"] == 2
    assert {field.get("page") for field in fields.values()} <= {2, None}
    ((left, top, right, bottom),) = fields["Color"]["boxes"]
    assert 160 < left < right < 240
    assert 88 < top < bottom < 103


def test_a_table_has_all_columns_of_its_input(tmp_path, fake):
    source = tmp_path / "in.csv"
    source.write_text("id,text,label\na,one,3\nb,two,\n")
    out = tmp_path / "out.csv"
    assert extract(source, out) == 0
    assert out.read_text() == ("id,extracted.text,error,text,label\na,one,,one,3\nb,two,,two,\n")


@pytest.mark.parametrize("name", ["o.csv", "o.tsv", "o.xlsx", "o.json", "o.parquet"])
def test_a_table_that_was_corrected_is_not_replaced_unasked(name, tmp_path, fake, capfd):
    if name.endswith(".parquet"):
        pytest.importorskip("pyarrow")
    source, out = write_texts(tmp_path / "in.jsonl", "one", "two", "three"), tmp_path / name
    assert extract(source, out) == 0
    edit_cell(out, "two", "deux")
    edited = out.read_bytes()
    capfd.readouterr()
    assert extract(source, out, "--resume") == 2
    said = capfd.readouterr().err
    assert "o." in said
    assert "was changed since hpd wrote it: row 3 (id '2') is different" in said or (
        name in ("o.json", "o.parquet") and "(id '2') is different" in said
    )
    assert "--overwrite" in said
    assert out.read_bytes() == edited
    out.rename(tmp_path / f"corrected.{name}")
    assert extract(source, out, "--resume") == 0
    assert out.exists()
    assert (tmp_path / f"corrected.{name}").read_bytes() == edited
    for kept in (f"o.edited{out.suffix}", f"o.edited2{out.suffix}"):
        edit_cell(out, "two", "zwei")
        edited = out.read_bytes()
        capfd.readouterr()
        assert extract(source, out, "--overwrite") == 0
        assert f"it is now {tmp_path / kept}" in capfd.readouterr().err
        assert (tmp_path / kept).read_bytes() == edited
        assert out.read_bytes() != edited
    assert extract(source, out, "--resume") == 0


@pytest.mark.parametrize("name", ["o.csv", "o.xlsx"])
def test_a_table_that_was_only_saved_anew_is_replaced(name, tmp_path, fake):
    source, out = write_texts(tmp_path / "in.jsonl", "one", "two"), tmp_path / name
    assert extract(source, out) == 0
    before = out.read_bytes()
    edit_cell(out, "two", "two")
    assert out.read_bytes() != before
    write_texts(source, "one", "two", "three")
    assert extract(source, out, "--resume") == 0


def test_a_workbook_with_nothing_new_is_left_untouched(tmp_path, fake):
    openpyxl = pytest.importorskip("openpyxl")
    source = write_texts(tmp_path / "in.jsonl", "one", "too long")
    out = tmp_path / "o.xlsx"
    assert extract(source, out) == 3
    book = openpyxl.load_workbook(out)
    book.active.column_dimensions["B"].width = 77
    book.save(out)
    before = out.read_bytes()
    assert extract(source, out, "--resume") == 3
    assert out.read_bytes() == before
    write_texts(source, "one", "too long", "three")
    assert extract(source, out, "--resume") == 3
    assert openpyxl.load_workbook(out).active.max_row == 4


def test_a_resumed_table_keeps_its_confidences(tmp_path, fake):
    source, out = write_texts(tmp_path / "in.jsonl", "one"), tmp_path / "o.csv"
    assert extract(source, out, "--confidence") == 0
    for texts in (["one"], ["one", "two"], ["one", "two", "three"]):
        write_texts(source, *texts)
        assert extract(source, out, "--resume") == 0
        assert len(rows_of(out)) == len(texts)
        assert "extracted.text_confidence" in rows_of(out)[0]
    assert extract(source, out, "--overwrite") == 0
    assert "extracted.text_confidence" not in rows_of(out)[0]


def test_a_resumed_table_keeps_its_places(tmp_path, fake):
    pytest.importorskip("pypdfium2")
    source, out = tmp_path / "a.pdf", tmp_path / "o.csv"
    source.write_bytes(pdf_of("one"))
    assert extract(source, out, "--places") == 0
    (row,) = rows_of(out)
    (box,) = json.loads(row["text_boxes"])
    assert (row["text_page"], row["text"]) == ("1", "one")
    assert (box[0], box[3]) == pytest.approx((20, 100), abs=2)
    before = out.read_bytes()
    assert extract(source, out, "--resume") == 0
    assert out.read_bytes() == before
    assert extract(source, out, "--overwrite") == 0
    assert "text_page" not in rows_of(out)[0]


def test_rows_that_were_taken_away_or_added_are_a_change(tmp_path, fake, capfd):
    source, out = write_texts(tmp_path / "in.jsonl", "one", "two"), tmp_path / "o.csv"
    assert extract(source, out) == 0
    whole = out.read_text()
    for changed, said in (
        (whole[: whole.rindex("2,")], "it has 1 row, not 2"),
        (whole + whole.splitlines()[-1] + "\n", "it has 3 rows, not 2"),
    ):
        out.write_text(changed)
        assert extract(source, out, "--resume") == 2
        assert said in capfd.readouterr().err


def edit_cell(table, old, new):
    """Change every cell that holds a text, and save the table as another program would."""
    if table.suffix == ".xlsx":
        openpyxl = pytest.importorskip("openpyxl")
        book = openpyxl.load_workbook(table)
        for row in book.active.rows:
            for cell in row:
                cell.value = new if cell.value == old else cell.value
        book.save(table)
    elif table.suffix == ".parquet":
        parquet = pytest.importorskip("pyarrow.parquet")
        arrow = pytest.importorskip("pyarrow")
        rows = parquet.read_table(table).to_pylist()
        made = [{k: new if v == old else v for k, v in row.items()} for row in rows]
        parquet.write_table(arrow.Table.from_pylist(made), table)
    else:
        text = table.read_text().replace(old, new)
        table.write_text(text.replace("\n", "\r\n"), newline="")


@pytest.mark.parametrize("flag", ["--confidence", "--places"])
def test_columns_of_details_are_for_tables(flag, tmp_path, fake, capfd):
    source = write_texts(tmp_path / "in.jsonl", "one")
    assert extract(source, tmp_path / "o.jsonl", flag) == 2
    assert f"{flag} adds columns to a table" in capfd.readouterr().err


def test_confidences_are_columns(tmp_path, fake):
    source = write_texts(tmp_path / "in.jsonl", "one")
    assert extract(source, tmp_path / "o.csv", "--confidence") == 0
    assert "extracted.text_confidence" in (tmp_path / "o.csv").read_text()


def test_a_run_that_was_cut_off_goes_on_with_its_table(tmp_path, fake, capfd):
    source, out = (
        write_texts(tmp_path / "in.jsonl", "a", "too long", "interrupt"),
        tmp_path / "o.csv",
    )
    assert extract(source, out) == 130
    write_texts(source, "a", "too long", "c")
    assert extract(source, out) == 2
    assert "already exists" in capfd.readouterr().err
    assert extract(source, out, "--resume") == 3
    rows = rows_of(out)
    assert [row["extracted.text"] for row in rows] == ["a", "", "c"]
    assert rows[1]["error"].startswith("ContextOverflowError")
    assert main(["status", str(out)]) == 3
    assert "3 of 3 documents" in capfd.readouterr().out


def test_a_table_of_somebody_else_is_replaced_only_if_asked_for(tmp_path, fake, capfd):
    source = write_texts(tmp_path / "in.jsonl", "a")
    out = tmp_path / "out.csv"
    out.write_text("mine\n1\n")
    for options in ([], ["--resume"]):
        assert extract(source, out, *options) == 2
        assert "already exists" in capfd.readouterr().err
        assert out.read_text() == "mine\n1\n"
    assert extract(source, out, "--overwrite") == 0
    assert [row["extracted.text"] for row in rows_of(out)] == ["a"]


def test_columns_that_are_kept_go_into_lines_as_well(tmp_path, fake, capfd):
    source = write_lines(tmp_path / "in.jsonl", {"text": "a", "sku": 7, "price": 3})
    assert main(["extract", str(source), "--schema", "text", "--keep", "sku"]) == 0
    assert '"input": {"sku": 7}' in capfd.readouterr().out


def test_a_kept_column_that_no_document_has_is_told(tmp_path, fake, capfd):
    source = write_lines(tmp_path / "in.jsonl", {"text": "a", "sku": 7}, {"text": "b"})
    arguments = ["extract", str(source), "--schema", "text", "--keep", "sku", "--keep", "prise"]
    assert main(arguments) == 0
    said = capfd.readouterr().err
    assert "--keep: no document has 'prise'\n" in said
