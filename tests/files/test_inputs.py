"""Many inputs: files of every kind, folders, patterns, compressed ones, and those that fail."""

import gzip
import os
import re
import sys
from email.message import EmailMessage
from pathlib import Path

import pytest

from hpd.errors import InputError
from hpd.files.inputs import InputReader, find_files
from hpd.files.tables import write_table
from hpd.schema import load_schemas
from pdf_files import pdf_of


def write(path, content):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def read(*names, **options):
    with InputReader([str(name) for name in names], **options) as reader:
        return list(reader)


def by_id(records):
    return {record.id: str(record.error or record.text) for record in records}


def mail(subject, text="", html=""):
    message = EmailMessage()
    message["From"], message["To"] = "Ann <ann@example.org>", "shop@example.com"
    message["Subject"] = subject
    if text:
        message.set_content(text)
    if html and text:
        message.add_alternative(html, subtype="html")
    elif html:
        message.set_content(html, subtype="html")
    return message.as_bytes()


def test_a_folder_is_read_by_name_without_hidden_files_and_unknown_formats(tmp_path):
    write(tmp_path / "in" / "b.txt", "two\nlines\n")
    write(tmp_path / "in" / "a.md", "# one")
    write(tmp_path / "in" / "sub" / "c.jsonl", '{"text": "three"}\n{"id": "own", "text": "four"}')
    write(tmp_path / "in" / ".git" / "d.txt", "hidden")
    write(tmp_path / "in" / ".hidden.txt", "hidden")
    write(tmp_path / "in" / "photo.jpg", b"\xff\xd8")
    folder = tmp_path / "in"
    with InputReader([str(folder)]) as reader:
        assert by_id(list(reader)) == {
            str(folder / "a.md"): "# one",
            str(folder / "b.txt"): "two\nlines\n",
            f"{folder / 'sub' / 'c.jsonl'}:1": "three",
            "own": "four",
        }
        assert reader.files.skipped == {".jpg": 1}
        assert reader.count() == 4


def test_marks_that_office_programs_leave_beside_open_files_are_not_read(tmp_path):
    letter = write(tmp_path / "letter.docx", b"x")
    write(tmp_path / "~$letter.docx", b"\x05Anna")
    for name in (str(tmp_path), str(tmp_path / "*.docx")):
        assert find_files([name]).paths == (str(letter),)


def test_the_output_is_not_read_if_it_lies_in_the_folder(tmp_path):
    write(tmp_path / "a.txt", "one")
    out = write(tmp_path / "out.jsonl", "{}")
    assert find_files([str(tmp_path)], leave_out=[out]).paths == (str(tmp_path / "a.txt"),)


def test_what_hpd_wrote_is_read_only_if_it_is_named(tmp_path):
    write(tmp_path / "a.txt", "one")
    for name in (
        "values.csv",
        "values.csv.jsonl",
        "b.jsonl",
        "b.jsonl.run",
    ):
        write(tmp_path / name, '{"text": "an earlier result"}')
    write(tmp_path / "values.csv.jsonl.run", '{"table": "values.csv", "rows": []}\n')
    write(tmp_path / "report.html", '<meta name="generator" content="hpd">values')
    mine = [str(tmp_path / name) for name in ("b.jsonl", "report.html", "values.csv")]
    mine.append(str(tmp_path / "values.csv.jsonl"))
    for name in (str(tmp_path), str(tmp_path / "*")):
        files = find_files([name])
        assert files.paths == (str(tmp_path / "a.txt"),)
        assert files.written == tuple(mine)
        assert not files.skipped
    assert files.notices()[0].startswith("left out, as hpd wrote them: ")
    assert find_files(mine).paths == tuple(mine)
    (tmp_path / "a.txt").unlink()
    with pytest.raises(InputError, match="only files that hpd wrote"):
        find_files([str(tmp_path)])
    with pytest.raises(InputError, match="no file matches, except files that hpd wrote"):
        find_files([str(tmp_path / "*.jsonl")])
    # Of each name, what is said is true of it, not of those before it.
    (tmp_path / "b.txt").write_text("two")
    with pytest.raises(InputError, match=r"no file matches$"):
        find_files([str(tmp_path), str(tmp_path / "*.md")])


def test_the_input_of_lines_is_no_table_of_hpd(tmp_path):
    mine = write(tmp_path / "mails.csv", "text\nOne\n")
    write(tmp_path / "mails.csv.jsonl", "{}\n")
    write(tmp_path / "mails.csv.jsonl.run", '{"settings": {}}\n')
    files = find_files([str(tmp_path)])
    assert files.paths == (str(mine),)
    assert files.written == (str(tmp_path / "mails.csv.jsonl"),)


def test_a_copy_of_a_workbook_is_known_by_its_mark(tmp_path):
    openpyxl = pytest.importorskip("openpyxl")
    lines = write(tmp_path / "o.jsonl", '{"id": "1", "data": {"brand": "Luma"}}\n')
    (tmp_path / "in").mkdir()
    copy = tmp_path / "in" / "checked.xlsx"
    write_table(lines, copy, load_schemas("brand"))
    book = openpyxl.load_workbook(copy)
    book.active["B2"] = "Lumo"
    book.save(copy)
    other = openpyxl.Workbook()
    other.active.append(["text"])
    other.save(tmp_path / "in" / "mine.xlsx")
    files = find_files([str(tmp_path / "in")])
    assert files.paths == (str(tmp_path / "in" / "mine.xlsx"),)
    assert files.written == (str(copy),)
    write(copy, "damaged")
    assert str(copy) in find_files([str(tmp_path / "in")]).paths


def test_columns_beside_the_text_are_named_as_unread(tmp_path):
    table = write(tmp_path / "a.csv", "id;Source;Text;Label\n1;Acme;Hammer;tool\n")
    said = "a.csv: only 'Text' is read, not 'Source', 'Label' (--text-field names others)"
    for options, notes in (
        ({}, [said]),
        ({"text_field": ["Source", "Text"]}, []),
        ({"whole": True}, []),
    ):
        with InputReader([str(table)], **options) as reader:
            list(reader)
            assert [note[-len(said) :] for note in reader.note_texts()] == notes
    with InputReader([str(write(tmp_path / "b.csv", "id,text,category\n1,x,y\n"))]) as reader:
        list(reader)
        assert reader.note_texts() == []


def test_a_text_that_is_one_cell_of_its_row_is_named(tmp_path):
    table = write(tmp_path / "a.csv", "Date;Text;Amount\n2024-01-02;Hammer;12,50\n")
    said = f"{table}: rows are read as a whole, not 'Text' alone (--text-field)"
    for options, notes in (({}, [said]), ({"text_field": "Text"}, []), ({"whole": True}, [])):
        with InputReader([str(table)], **options) as reader:
            list(reader)
            assert reader.note_texts() == notes


def test_a_document_without_text_is_named(tmp_path):
    write(tmp_path / "empty.txt", " \n")
    write(tmp_path / "full.txt", "one")
    with InputReader([str(tmp_path)]) as reader:
        assert [record.notes for record in reader] == [("it has no text",), ()]
        assert reader.note_texts() == [f"{tmp_path / 'empty.txt'}: it has no text"]


def test_attachments_that_are_not_read_are_counted(tmp_path):
    message = EmailMessage()
    message["Subject"] = "invoice attached"
    message.set_content("See the invoice.")
    for name in ("a.pdf", "b.txt", "logo.png"):
        message.add_attachment(b"x", maintype="application", subtype="octet-stream", filename=name)
    path = write(tmp_path / "a.eml", message.as_bytes())
    assert read(path)[0].notes == ("2 attachments not read (--attachments)",)
    assert read(path, attachments=True)[0].notes == ()
    message.add_attachment(b"x", maintype="application", subtype="zip", filename="c.zip")
    path = write(tmp_path / "a.eml", message.as_bytes())
    assert read(path)[0].notes == ("2 attachments not read (--attachments)",)
    note = "1 attachment not read, of no known format"
    assert read(path, attachments=True)[0].notes == (note,)


def test_patterns_and_several_names_keep_their_order(tmp_path):
    for name in ("2.txt", "1.txt", "other.md", "deep/3.txt"):
        write(tmp_path / name, name)
    pattern = str(tmp_path / "**" / "*.txt")
    texts = [record.text for record in read(tmp_path / "other.md", pattern)]
    assert texts == ["other.md", "1.txt", "2.txt", "deep/3.txt"]


@pytest.mark.parametrize("name", ["gone.txt", "*.nothing", "empty", "odd"])
def test_a_name_that_stands_for_nothing_is_an_error(name, tmp_path):
    (tmp_path / "empty").mkdir()
    write(tmp_path / "odd" / "x.xyz", "x")
    write(tmp_path / "a.txt", "one")
    with pytest.raises(InputError, match=name.strip("*")):
        read(tmp_path / "a.txt", tmp_path / name)


def test_a_file_that_is_given_twice_is_an_error(tmp_path):
    path = write(tmp_path / "a.txt", "one")
    with pytest.raises(InputError, match="more than once"):
        read(path, path)


def test_lines_of_text_files_are_documents_if_asked_for(tmp_path):
    path = write(tmp_path / "a.txt", "one\n\ntwo\n")
    assert [record.text for record in read(path, format="lines")] == ["one", "two"]


def zstandard(data):
    if sys.version_info >= (3, 14):
        from compression import zstd
    else:
        from backports import zstd
    return bytes(zstd.compress(data))


@pytest.mark.parametrize("suffix", [".gz", ".zst"])
def test_compressed_files_are_read_as_what_they_hold(suffix, tmp_path):
    pack = gzip.compress if suffix == ".gz" else zstandard
    rows = b"text,id\none,a\ntwo,b\n"
    table = write(tmp_path / f"a.csv{suffix}", pack(rows))
    text = write(tmp_path / f"b.txt{suffix}", pack(b"three"))
    assert by_id(read(table, text)) == {"a": "one", "b": "two", str(text): "three"}
    cut = write(tmp_path / f"cut.csv{suffix}", pack(rows * 1000)[:-12])
    with pytest.raises(InputError, match=r"cut\.csv"):
        read(cut)
    *_, last = read(table, cut)
    assert last.error is not None


def test_an_e_mail_is_its_headers_and_its_text(tmp_path):
    (record,) = read(write(tmp_path / "a.eml", mail("Größe", "Hello,\n\nsize 43?", "<p>no</p>")))
    head, _, body = record.text.partition("\n\n")
    assert head.splitlines() == [
        "From: Ann <ann@example.org>",
        "To: shop@example.com",
        "Subject: Größe",
    ]
    assert body == "Hello,\n\nsize 43?"
    assert record.row["subject"] == "Größe"
    (record,) = read(write(tmp_path / "b.eml", mail("s", html="<p>Hello <b>you</b></p><p>Bye</p>")))
    assert record.text.partition("\n\n")[2].split() == ["Hello", "you", "Bye"]


def test_a_page_is_its_text_without_markup_and_scripts(tmp_path):
    page = "<html><head><title>t</title><script>x()</script></head><body>Price: <b>3</b> &euro;"
    (record,) = read(write(tmp_path / "a.html", page + "<ul><li>one</li><li>two</li></ul>"))
    assert "Price: 3 €" in record.text
    assert "x()" not in record.text
    assert "<" not in record.text


def test_a_pdf_is_its_pages(tmp_path):
    path = write(tmp_path / "a.pdf", pdf_of("first page", "second page"))
    (record,) = read(path)
    assert record.text == "first page\n\nsecond page"
    second = record.text.index("second")
    assert record.places.page_starts == [0, second]
    assert [record.places.of(at, at + 6).page for at in (0, second)] == [1, 2]


def test_a_file_of_no_known_kind_among_others_is_an_error_line(tmp_path):
    strange, known = write(tmp_path / "a.xyz", "one"), write(tmp_path / "b.txt", "two")
    found = by_id(read(strange, known))
    assert "unsupported file type '.xyz'" in found[str(strange)]
    assert found[str(known)] == "two"
    with InputReader([str(strange), str(known)]) as reader:
        assert reader.count() == 2
    for names in ([strange], [strange, write(tmp_path / "c.zyx", "x")]):
        with pytest.raises(InputError, match="unsupported file type"):
            read(*names)


def test_a_file_that_is_gone_when_its_turn_comes_is_an_error_line(tmp_path):
    first, second = write(tmp_path / "a.txt", "one"), write(tmp_path / "b.txt", "two")
    with InputReader([str(tmp_path)]) as reader:
        assert next(reader).text == "one"
        os.remove(second)
        (failed,) = reader
    assert "cannot be opened" in str(failed.error)
    assert (failed.id, first.exists()) == (str(second), True)


def test_fields_need_an_input_that_has_some(tmp_path):
    text = write(tmp_path / "a.txt", "one")
    rows = write(tmp_path / "b.csv", "body\ntwo\n")
    assert [r.text for r in read(text, rows, text_field=["body"])] == ["one", "two"]
    with pytest.raises(InputError, match="no fields"):
        read(text, text_field=["body"])


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"text_field": ["body"]}, r"t\.csv:1: no field 'body'"),
        ({"text_field": ["name"], "id_field": "sku"}, r"t\.csv:1: no field 'sku'"),
        ({"text_field": ["name"], "category_field": "kind"}, r"t\.csv:1: no field 'kind'"),
    ],
)
def test_a_table_whose_header_lacks_a_column_is_refused_once(tmp_path, fields, message):
    table = write(tmp_path / "t.csv", "name,price\nlamp,1\npan,2\n")
    with pytest.raises(InputError, match=message):
        read(table, **fields)
    rows = write(tmp_path / "b.tsv", "name\ttext\tsku\tkind\tbody\nlamp\tx\t7\tk\ty\n")
    refused, taken = read(table, rows, **fields)
    assert re.search(message, str(refused.error))
    assert taken.error is None


def test_parquet_whose_columns_lack_the_text_is_refused_once(tmp_path):
    arrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    parquet.write_table(arrow.table({"name": ["lamp"]}), tmp_path / "t.parquet")
    with pytest.raises(InputError, match=r"^\S*t\.parquet:1: no field 'text'"):
        read(tmp_path / "t.parquet", text_field=["text"])
    assert [r.text for r in read(tmp_path / "t.parquet")] == ["name: lamp"]
    assert [r.text for r in read(tmp_path / "t.parquet", text_field=["name"])] == ["lamp"]


BANK = (
    "Date,Description,Debit,Credit,Balance\n"
    "2024-01-02,Card payment,12.50,,87.50\n2024-01-03,Salary,,1000.00,1087.50\n"
)


@pytest.mark.parametrize(
    ("columns", "text"),
    [
        ("name,price\nlamp,5", "name: lamp\nprice: 5"),
        ("Date,Description\nMay 5,Fee", "Date: May 5\nDescription: Fee"),
        ("id,input_description,qty\n7,Fee,2", "id: 7\ninput_description: Fee\nqty: 2"),
        ("id,description\n7,Fee", "Fee"),
        ("title,price\nLamp,5", "title: Lamp\nprice: 5"),
        ("sku,title,description\n7,,Red", "\nRed"),
        ("Date,Text,Amount\n1 May,Fee,5", "Date: 1 May\nText: Fee\nAmount: 5"),
        ("text,valid\nFee,5", "text: Fee\nvalid: 5"),
        ("id,text,label\n7,Lamp,x", "Lamp"),
        (",Text\n0,Lamp", "Lamp"),
        ("Unnamed: 0,document_id,content,source\n0,7,Lamp,x", "Lamp"),
        ("a,b,c\n1,,3", "a: 1\nc: 3"),
    ],
)
def test_a_row_is_a_document_of_all_its_columns_or_plainly_a_text(tmp_path, columns, text):
    assert [r.text for r in read(write(tmp_path / "t.csv", columns))] == [text]
    tabs = columns.replace(",", "\t")
    assert [r.text for r in read(write(tmp_path / "t.tsv", tabs))] == [text]


def test_a_description_among_other_fields_of_json_is_not_taken_for_the_whole(tmp_path):
    (row,) = read(write(tmp_path / "t.json", '[{"date": "May 5", "description": "Fee"}]'))
    assert "--text-field" in str(row.error)


def test_a_table_as_one_document_keeps_its_columns(tmp_path):
    table = write(tmp_path / "bank.csv", BANK)
    (record,) = read(table, whole=True)
    assert record.id == str(table)
    assert record.text.splitlines() == [
        "Date        Description   Debit  Credit   Balance",
        "2024-01-02  Card payment  12.50           87.50",
        "2024-01-03  Salary               1000.00  1087.50",
    ]
    above = write(tmp_path / "export.csv", f"Account,DE12\n\n{BANK}")
    (record,) = read(above, whole=True)
    assert record.text.splitlines()[0] == "Account     DE12"
    (tabs,) = read(write(tmp_path / "bank.tsv", BANK.replace(",", "\t")), whole=True)
    assert tabs.text == read(table, whole=True)[0].text
    (lines,) = read(write(tmp_path / "a.jsonl", '{"a": 1}\n{"a": 2}\n'), whole=True)
    assert lines.text.strip() == '{"a": 1}\n{"a": 2}'
    with InputReader([str(table), str(above)], whole=True) as reader:
        assert reader.count() == 2
    with pytest.raises(InputError, match="text_field"):
        read(table, whole=True, text_field=["Date"])


def test_a_long_cell_ends_with_a_sign(tmp_path):
    long = "a text that is longer than a column may be wide"
    (record,) = read(write(tmp_path / "t.csv", f"what,n\n{long},5\nx,6\n"), whole=True)
    assert record.text.splitlines() == ["what  n", f"{long} | 5", "x     6"]


def test_xml_is_the_names_and_values_of_its_elements(tmp_path):
    text = (
        '<?xml version="1.0"?><u:Invoice xmlns:u="urn:x"><u:ID>7</u:ID><u:Party><u:Name>Ann'
        '</u:Name></u:Party><u:Total cur="EUR">5.00</u:Total><u:Line><u:Qty>2</u:Qty><u:Item>Pan'
        "</u:Item></u:Line><!-- no --></u:Invoice>"
    )
    (record,) = read(write(tmp_path / "a.xml", text))
    assert record.text.splitlines() == [
        "Invoice",
        "  ID: 7",
        "  Party/Name: Ann",
        '  Total cur="EUR": 5.00',
        "  Line",
        "    Qty: 2",
        "    Item: Pan",
    ]
    (broken, _) = read(write(tmp_path / "b.xml", "<a><b>"), write(tmp_path / "c.txt", "x"))
    assert "cannot be read as XML" in str(broken.error)


def test_a_row_that_breaks_off_is_told_by_its_own_line(tmp_path):
    table = write(tmp_path / "t.csv", "label,text\nlamp\npan,a pan\n")
    short, whole = read(table)
    assert "t.csv:2: no text" in str(short.error)
    assert whole.text == "a pan"


def test_lines_of_several_inputs_tell_which_one(tmp_path):
    text = write(tmp_path / "a.txt", "one")
    rows = write(tmp_path / "b.csv", "text\ntwo\n")
    with InputReader([str(text), str(rows)]) as reader:
        assert [reader.source(record) for record in reader] == [{}, {"source": str(rows)}]
    with InputReader([str(rows)]) as reader:
        assert [reader.source(record) for record in reader] == [{}]


@pytest.mark.skipif(sys.platform == "win32", reason="links and named pipes of Unix")
def test_links_that_lead_nowhere_are_error_lines_and_pipes_of_a_folder_are_left_out(tmp_path):
    folder = tmp_path / "in"
    write(folder / "a.txt", "one")
    (folder / "circle.txt").symlink_to("circle.txt")
    (folder / "gone.txt").symlink_to("nowhere")
    (folder / "self").symlink_to(".")
    os.mkfifo(folder / "pipe.jsonl")
    with InputReader([str(folder)], leave_out=[tmp_path / "out.jsonl"]) as reader:
        records = {Path(record.id).name: record for record in reader}
        assert reader.files.skipped == {"pipe or device": 1, "link to a folder": 1}
        assert not reader.is_live
    assert {name: record.error is not None for name, record in records.items()} == {
        "a.txt": False,
        "circle.txt": True,
        "gone.txt": True,
    }


def test_a_folder_that_cannot_be_read_is_an_error(tmp_path, monkeypatch):
    write(tmp_path / "in" / "a.txt", "one")
    write(tmp_path / "in" / "locked" / "b.txt", "two")
    scandir = os.scandir

    def refusing(path):
        if path.endswith("locked"):
            raise PermissionError(13, "Permission denied", path)
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refusing)
    with pytest.raises(InputError, match="locked: this folder cannot be read: Permission denied"):
        find_files([str(tmp_path / "in")])


@pytest.mark.parametrize(
    ("ids", "notice"),
    [
        ([], None),
        (["a", "b", "A"], None),
        (["a", "b", "c", "b"], "1 document has the id of an earlier one: the first is document 4, "
         "with the id of document 2"),
        (["x", "y", "y", "x", "y"], "3 documents have the id of an earlier one: the first is "
         "document 3, with the id of document 2"),
    ],
)  # fmt: skip
def test_ids_that_come_again_are_counted(ids, notice, tmp_path):
    lines = "".join(f'{{"id": "{each}", "text": "t"}}\n' for each in ids)
    with InputReader([str(write(tmp_path / "in.jsonl", lines))]) as reader:
        assert [record.id for record in reader] == ids
        assert reader.repeated_ids.notice() == notice


def test_a_guess_at_the_encoding_of_a_table_is_told(tmp_path):
    (tmp_path / "a.csv").write_bytes("text;label\nGrün;1\n".encode("cp1252"))
    reader = InputReader([str(tmp_path / "a.csv")])
    assert [record.text for record in reader] == ["Grün"]
    _, note = reader.note_texts()
    assert "read as Windows-1252" in note
