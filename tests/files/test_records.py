"""Ugly input in, whole lines out."""

# ruff: noqa: RUF001

from __future__ import annotations

import csv
import datetime
import io
import json
import math
import tracemalloc
from decimal import Decimal
from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hpd.documents import Document
from hpd.errors import InputError
from hpd.files.reader import RecordReader, clean_text, columns_of, count_records


def read(content, format="jsonl", **options):  # noqa: A002
    data = content.encode() if isinstance(content, str) else content
    return list(RecordReader(io.BytesIO(data), format=format, **options))


def texts(records):
    return [None if record.error else record.text for record in records]


def message(record):
    assert isinstance(record.error, InputError)
    return str(record.error)


# --- JSONL ---


def test_byte_order_mark_blank_lines_and_line_ends():
    records = read(b'\xef\xbb\xbf{"text": "one"}\r\n\r\n  \n{"text": "two"}')
    assert [(r.id, r.text, r.line) for r in records] == [("1", "one", 1), ("2", "two", 4)]


def test_a_line_separator_inside_a_string_does_not_split_the_line():
    assert texts(read('{"text": "a\u2028b\u0085c"}\n')) == ["a\u2028b\u0085c"]


@pytest.mark.parametrize(
    ("line", "says"),
    [
        (b'{"text": "x"', "not valid JSON: Expecting ',' delimiter at column 13"),
        (b"nonsense", "not valid JSON"),
        (b'{"text": "\xff"}', "not valid UTF-8 at byte 11"),
        (b"17", "expected a JSON object, found the int 17"),
        (b"null", "found null"),
        (b'{"title2": "x", "n": 1}', "the record has 'title2', 'n'"),
        (b"{}", "the record has none at all"),
        (b'{"text": null}', "no text: the field 'text' is null"),
        (b'{"text": ["x"]}', "'text' should be text, but is a list"),
        (b'{"text": {"x": 1}}', "is an object"),
        (b'{"text": NaN}', "is the float nan"),
        (b"[" * 100_000, "not JSON Lines|not valid JSON"),
        (b'{"text": ' + b"[" * 100_000, "not valid JSON"),
        (b'{"text": ' + b"1" * 5000 + b"}", "not valid JSON"),
    ],
)
def test_a_bad_line_is_a_failed_record_and_the_rest_goes_on(line, says):
    records = read(b'{"text": "one"}\n' + line + b'\n{"text": "three"}\n')
    assert texts(records) == ["one", None, "three"]
    assert [record.id for record in records] == ["1", "2", "3"]
    assert message(records[1]).startswith("<stream>:2: ")
    assert any(part in message(records[1]) for part in says.split("|"))


def test_a_missing_text_names_the_file_the_line_and_what_there_is(tmp_path):
    path = tmp_path / "in.jsonl"
    path.write_text('{"text": "x"}\n\n{"body": "y"}\n')
    bad = list(RecordReader(path))[1]
    assert message(bad).startswith(f"{path}:3: no text: none of the fields 'text', 'input'")
    assert "'body'" in message(bad)


def test_nul_and_lone_surrogates_become_replacement_characters_one_for_one():
    (record,) = read(rb'{"id": "\ud800", "text": "a\u0000b\ud83dc\udc00d \ud83d\ude00 e"}')
    assert record.text == "a\ufffdb\ufffdc\ufffdd \U0001f600 e"
    assert record.id == "\ufffd"


def test_raw_control_characters_in_strings_are_taken():
    assert texts(read(b'{"text": "a\tb\x00c\x01"}')) == ["a\tb\ufffdc\x01"]


def test_a_json_array_is_read_like_lines():
    rows = '\n[{"text": "one"},\n {"id": "b",\n  "text": "two"}, 3,\n"four"]\n'
    for format_ in ("jsonl", "json"):
        records = read(rows, format_)
        assert texts(records) == ["one", "two", None, "four"]
        assert [record.line for record in records] == [2, 3, 4, 5]
        assert [record.id for record in records] == ["1", "b", "3", "4"]
        assert "expected a JSON object, found" in message(records[2])


@pytest.mark.parametrize(
    ("content", "expected", "where"),
    [
        ('{\n "text": "one"\n}\n{"text":\n"two"}', ["one", "two"], ""),  # over several lines
        ('{"text": "one"}\n{"text": "two"}', ["one", "two"], ""),  # JSON Lines
        ('{"text": "one"}\nbad\n{"text": "two"}', ["one", None, "two"], ":2: not valid JSON"),
        ('[{"text": "one"},\n {"text": oops}]', ["one", None], ":2: not valid JSON"),
        ('[{"text": "one"}', ["one", None], "the array does not end"),
        ("[]", [], ""),
        ("", [], ""),
    ],
)
def test_a_json_file_is_an_array_or_rows_in_any_layout(content, expected, where):
    records = read(content, "json")
    assert texts(records) == expected
    assert all(where in message(record) for record in records if record.error)


@pytest.mark.parametrize("format", ["jsonl", "json", "csv", "tsv", "lines", "txt"])
@pytest.mark.parametrize(
    ("encoding", "named", "guess"),
    [
        ("utf-16", None, None),
        ("utf-8-sig", None, None),
        ("utf-16-le", None, "UTF-16-LE"),
        ("utf-16-be", None, "UTF-16-BE"),
        ("cp1252", None, "Windows-1252"),
        ("koi8-r", "koi8-r", None),
        ("utf-16-le", "utf-16-le", None),
        ("shift_jis", "shift_jis", None),
    ],
)
def test_encodings(format, encoding, named, guess):  # noqa: A002
    word = {"koi8-r": "Луна", "shift_jis": "日本語ソ"}.get(encoding, "Größe €")
    heading = "text\tid\n" if format == "tsv" else "text,id\n" if format == "csv" else ""
    line = json.dumps({"text": word}, ensure_ascii=False) if format.startswith("json") else word
    content = (heading + f"{line}\n" * 2).encode(encoding)
    records = read(content, format, encoding=named)
    expected = [f"{word}\n" * 2] if format == "txt" else [word, word]
    assert texts(records) == expected
    notes = [note for record in records for note in record.notes]
    assert [note.split()[2].strip(",") for note in notes] == ([guess] if guess else [])


def test_an_encoding_that_cannot_be_told_or_is_wrong_is_an_error_of_the_row():
    content = "text,id\nЛуна яблоко,a\nplain,b\n".encode("koi8-r")
    first, second = read(content, "csv")
    says = "<stream>:2: not valid UTF-8; convert it to UTF-8, or name its encoding"
    assert says in message(first)
    assert second.text == "plain"
    (bad, good) = read("text,id\nЛуна,a\nplain,b\n".encode(), "csv", encoding="ascii")
    assert "not valid ASCII" in message(bad)
    assert good.text == "plain"
    with pytest.raises(InputError, match="'klingon' is not an encoding"):
        read(b"", "csv", encoding="klingon")


def test_some_wrong_bytes_in_utf8_do_not_make_it_windows_1252():
    records = read("id,text\na,größe\n".encode() + b"b,gr\xf6\xdfe\nc,x\n", "csv")
    assert texts(records) == ["größe", None, "x"]


@pytest.mark.parametrize(
    ("content", "rows"),
    [
        ("sep=;\nid;text\na;x,y\n", [("a", "x,y")]),
        ("id|text\na|x,y\nb|z\n", [("a", "x,y"), ("b", "z")]),
        ("id\ttext\na\tx,y\n", [("a", "x,y")]),
        (
            "id|text, long\na|x\nb|y\n",
            [("a", "id: a\ntext, long: x"), ("b", "id: b\ntext, long: y")],
        ),
        ("id;n;text, long\na;1;x, y\n", [("a", "id: a\nn: 1\ntext, long: x, y")]),
        ("id,text,more;less\na,x,1;2\n", [("a", "id: a\ntext: x\nmore;less: 1;2")]),
        ("id,text\ra,one\rb,two\r", [("a", "one"), ("b", "two")]),
        ("id,text\r\na,one\r\n", [("a", "one")]),
        ("id,text,,\na,one,,\nb,two,,,,\n", [("a", "one"), ("b", "two")]),
        ('text\n"a;b"\n', [("1", "a;b")]),
        ('"id,text,key"\n"a,""x, y"",1"\n"b,z,2"\n', [("a", "x, y"), ("b", "z")]),
        (
            '"name, first"\n"Lee, Ann"\n"Day, Bob"\n',
            [("1", "name, first: Lee, Ann"), ("2", "name, first: Day, Bob")],
        ),
        ('"id","text"\n"a","b"\n', [("a", "b")]),
    ],
)
def test_the_delimiter_is_told_by_the_content(content, rows):
    records = read(content, "csv")
    assert [(r.id, None if r.error else r.text) for r in records] == rows


@pytest.mark.parametrize(
    ("above", "table"),
    [
        ("Konto;DE12\nInhaber;A. Miller\n", "Datum;Zweck;Betrag\n1.2.;Miete;-5,00\n2.2.;x;8,00\n"),
        ("Umsätze\n", "Datum;Betrag\n1.2.;-5,00\n2.2.;8,00\n"),
        ("Konto;DE12;\n", "Datum;Zweck;;Betrag\n1.2.;Miete;;-5,00\n2.2.;x;;8,00\n"),
        ("Konto;DE12;\n", "Datum;Zweck;Betrag\n1.2.;Miete;-5,00\n2.2.;x;8,00\n"),
    ],
)
@pytest.mark.parametrize("between", ["\n", ";;\n"])
def test_a_blank_line_separates_what_stands_above_a_header(above, between, table):
    first, second = read(above + between + table, "csv")
    assert (first.row["Datum"], second.row["Betrag"]) == ("1.2.", "8,00")
    assert first.notes[0].startswith("above the header, left out: ")


def test_a_title_repeated_in_the_columns_that_it_spans_is_no_header():
    first, second = read("Sales,Sales,\nregion,qty,total\nnorth,3,4\nsouth,4,5\n", "csv")
    assert (first.row, second.row["total"]) == ({"region": "north", "qty": "3", "total": "4"}, "5")
    assert first.notes == ("above the header, left out: 'Sales Sales'",)


ITEM_NAMES = ["Item", "2023 Qty", "2023 Price", "2024 Qty", "2024 Price"]


@pytest.mark.parametrize(
    ("header", "names"),
    [
        (",2023,,2024,\nItem,Qty,Price,Qty,Price", ITEM_NAMES),
        (",2023,,2024\nItem,Qty,Price,Qty,Price", ITEM_NAMES),
        ("Item,2023,,2024,\n,Qty,Price,Qty,Price", ITEM_NAMES),
        ("Item,2023,2023,2024,2024\nItem,Qty,Price,Qty,Price", ITEM_NAMES),
        (
            ",Revenue,,Cost,\nItem,2023,2024,2023,2024",
            ["Item", "Revenue 2023", "Revenue 2024", "Cost 2023", "Cost 2024"],
        ),
        (
            "Item,,Price,,Stock\nName,Code,net,gross,",
            ["Item Name", "Item Code", "Price net", "Price gross", "Stock"],
        ),
    ],
)
@pytest.mark.parametrize("form", ["csv", "tsv"])
def test_a_header_of_two_rows_is_one(header, names, form):
    table = f"{header}\nlamp,1,2.50,3,4\nmug,5,6,7,8\n"
    lamp, mug = read(table.replace(",", "\t" if form == "tsv" else ","), form)
    assert lamp.row == dict(zip(names, ["lamp", "1", "2.50", "3", "4"], strict=True))
    assert mug.row == dict(zip(names, ["mug", "5", "6", "7", "8"], strict=True))


def test_a_title_stands_above_a_header_of_two_rows():
    header = "Sales;;;;\n;2023;;2024;\nItem;Qty;Price;Qty;Price\n"
    lamp, mug = read(f"{header}lamp;1;2,5;3;4\nmug;5;6;7;8\n", "csv")
    assert lamp.notes == ("above the header, left out: 'Sales'",)
    assert lamp.row == dict(zip(ITEM_NAMES, ["lamp", "1", "2,5", "3", "4"], strict=True))
    assert mug.row["2024 Price"] == "8"


@pytest.mark.parametrize(
    "table",
    [
        "name,,price\nann,x,5\nbob,y,6\n",  # the second column has no name
        ",a,b\n0,x,y\n1,z,x\n",
        "name,,city,\nann,1,bonn,2\nbob,3,graz,4\n",
    ],
)
def test_a_header_that_lacks_names_is_one_row(table):
    first, *_ = read(table, "csv")
    assert len(list(read(table, "csv"))) == 2
    assert [*first.row.values()] == table.splitlines()[1].split(",")


def test_a_header_that_is_repeated_between_rows_is_no_row():
    rows = read("item,qty\nlamp,1\nitem, qty\nmug,2\n", "csv")
    assert [row.row for row in rows] == [{"item": "lamp", "qty": "1"}, {"item": "mug", "qty": "2"}]
    assert rows[1].notes == ("the header is repeated between rows, and left out there",)


def test_a_header_narrower_than_a_malformed_row_is_no_title():
    first, second, _ = read("name,,qty\nSoap,x,3\nSalt,y,4,5,6\nTea,z,1\n", "csv")
    assert first.text == "name: Soap\ncolumn 2: x\nqty: 3"
    assert "5 columns where the header has 3" in message(second)


def test_rows_of_empty_cells_are_no_documents():
    assert [row.text for row in read("a,b\n1,2\n,\n , \n3,\n", "csv")] == ["a: 1\nb: 2", "a: 3"]


def test_a_header_that_lacks_a_column_is_no_title():
    for between in ("", "\n"):
        rows = read(f"id,text\n{between}1,a,b\n2,c,d\n3,e,f\n", "csv")
        assert all("columns where the header has 2" in message(row) for row in rows)


@pytest.mark.parametrize(
    ("above", "rows"),
    [
        ("", "A;1,50;2,75\nB;2,50;3,75\nC;2,60;3,85\n"),
        ("", "A;1,50;2,75\nB;2,50;3,75\nC;2,60;3,85;\nD;2,60;3,85\n"),
        ("", "A, B;1,50;2,75\nC, D;2,50;3,75\n"),
        ("Konto DE12\n\n", "A;1,50;2,75\nB;2,50;3,75\nC;2,60;3,85\n"),
    ],
)
def test_the_commas_of_numbers_are_no_delimiters(above, rows):
    records = read(f"{above}Name;Preis;Summe\n{rows}", "csv")
    assert [record.error for record in records] == len(records) * [None]
    assert records[1].row["Summe"] == "3,75"


def test_what_stands_above_the_header_of_a_csv_is_left_out_with_a_note():
    title = '"Konto";"DE12"\nStand: 1,50, heute\n\n'
    table = 'Datum;Zweck;Betrag;Saldo\n"01.02.";"Miete; warm";"-5,00";7\n02.02.;;8,00;15\n'
    first, second = read(title + table, "csv")
    assert first.text == "Datum: 01.02.\nZweck: Miete; warm\nBetrag: -5,00\nSaldo: 7"
    assert (first.line, second.text) == (5, "Datum: 02.02.\nBetrag: 8,00\nSaldo: 15")
    assert first.notes == ("above the header, left out: 'Konto DE12 Stand: 1,50, heute'",)
    (whole,) = read(title + table, "csv", whole=True)
    assert whole.text.startswith("Konto")
    rows = read("name,x\nAnn,1\nBob,2,3,4,5\n", "csv")
    assert [record.error is None for record in rows] == [True, False]


def test_a_delimiter_that_is_named():
    (record,) = read("id~text\na~x,y\n", "csv", delimiter="~")
    assert (record.id, record.text) == ("a", "x,y")
    (record,) = read("id,text|more\na,x|y\n", "csv", delimiter="|", text_field="text")[:1] or [None]
    assert "no field 'text'" in message(record)


def test_csv_of_which_only_the_header_is_there_yet():
    class Slow(io.RawIOBase):
        parts = [b"id;text\n", b"a;x\n"]  # noqa: RUF012

        def readable(self):
            return True

        def readinto(self, buffer):
            part = self.parts.pop(0)  # an error where more is asked for than has come
            buffer[: len(part)] = part
            return len(part)

    reader = RecordReader(io.BufferedReader(Slow()), format="csv")
    assert next(reader).text == "x"


@pytest.mark.parametrize(
    ("content", "cells"),
    [
        ('id\ttext\na\t"Best" coat\nb\tx\n', ['"Best" coat', "x"]),
        ('id\ttext\na\t"open\nb\tx\nc\ty"\n', ['"open', "x", 'y"']),
        ('id\ttext\na\t"two\nlines"\nb\tx\n', ["two\nlines", "x"]),
        ('id\ttext\na\t"a ""b"" c"\n', ['a "b" c']),
        ('id\ttext\na\t6" pan\n', ['6" pan']),
        ('text\n"open\nnext\n', ['"open', "next"]),
    ],
)
def test_a_quotation_mark_in_tsv_swallows_no_row(content, cells):
    assert texts(read(content, "tsv")) == cells


@given(st.lists(st.lists(st.text('ab"\n ,'), min_size=2, max_size=2), min_size=1, max_size=4))
def test_what_python_writes_as_tsv_comes_back_unless_its_lines_are_rows(rows):
    file = io.StringIO()
    csv.writer(file, delimiter="\t", lineterminator="\n").writerows([["text", "n"], *rows])
    records = read(file.getvalue(), "tsv")
    filled = [row for row in rows if any(map(str.strip, row))]
    assert [list(r.row.values()) for r in records] == filled or any(
        "\n" in cell for row in rows for cell in row
    )


# --- fields ---


@pytest.mark.parametrize(
    ("row", "text"),
    [
        ({"text": "t", "input": "i"}, "t"),
        ({"text": None, "input": "i"}, "i"),
        ({"document": "d", "title": "x"}, "d"),
        ({"title": "t", "description": "d"}, "t\nd"),
        ({"title": None, "description": "d"}, "d"),
        ({"title": "t"}, "t"),
        ({"input_title": "t", "input_description": None}, "t"),
        ({"Title": "t", "DESCRIPTION": "d"}, "t\nd"),
        ({"TEXT": "t", "content": "c"}, "t"),
        ({"ID": 7, " Text ": "t"}, "t"),
    ],
)
def test_the_text_is_found(row, text):
    assert texts(read(json.dumps(row))) == [text]


def test_named_fields():
    row = '{"sku": 7, "body": "b", "head": "h", "text": "no", "kind": "Shoes", "id": "no"}'
    options = {"id_field": "sku", "category_field": "kind"}
    (document,) = read(row, text_field="body", **options)
    assert (document, document.line) == (Document("b", "7", "Shoes"), 1)
    assert texts(read(row, text_field=["head", "gone", "body"])) == ["h\nb"]


@pytest.mark.parametrize("option", ["text_field", "id_field", "category_field"])
def test_a_named_field_must_be_there(option):
    (record,) = read('{"id": "a", "text": "x"}', **{option: "gone"})
    assert "no field 'gone'; the record has 'id', 'text'" in message(record)


# --- CSV, TSV, text ---


def test_csv_with_every_trouble_at_once():
    content = (
        b"\xef\xbb\xbfid, text ,category\r\n"
        b'a,"two\r\nlines, and ""quotes""",Shoes\r\n'
        b"\r\n"
        b"b,too,many,columns\r\n"
        b"c,bad \xff byte,Shoes\r\n"
        b"d,nul\x00byte,Shoes\r\n"
        b'e,"after" the quote,Shoes\r\n'
        b"f\r\n"
        b'g,6" pan,Shoes\r\n'
    )
    records = read(content, "csv", category_field="category")
    assert texts(records) == [
        'two\r\nlines, and "quotes"', None, None, "nul\ufffdbyte", None, None, '6" pan',
    ]  # fmt: skip
    assert [record.line for record in records] == [2, 5, 6, 7, 8, 9, 10]
    assert [record.id for record in records] == ["a", "2", "3", "d", "5", "f", "g"]
    assert "4 columns where the header has 3" in message(records[1])
    assert "<stream>:6: not valid UTF-8" in message(records[2])
    assert "cannot be read as a row" in message(records[4])
    assert "no field 'category'" in message(records[5])
    assert records[0].category == "Shoes"


def test_a_quote_that_never_closes_is_an_error():
    records = read('text\none\n"two\nthree\n', "csv")
    assert texts(records) == ["one", None]
    assert "<stream>:3" in message(records[1])


@pytest.mark.parametrize(("closing", "last"), [('65,"closed"', 65), ("65,not closed", 69)])
def test_a_row_that_spans_too_many_lines_is_an_error_and_the_rest_is_read(closing, last):
    rows = [f"{n},text {n}" for n in range(2, 70)]
    rows[3] = '5,"text 5'
    rows[63] = closing
    records = read("\n".join(["id,text", *rows]), "csv")
    (failed,) = [record for record in records if record.error is not None]
    assert failed.line == 5
    assert f"a field spans {last - 4} lines (5 to {last})" in message(failed)
    assert "write the file as JSON Lines or Parquet" in message(failed)
    kept = [int(record.id) for record in records if record.error is None]
    assert kept == [2, 3, 4, *range(last + 1, 70)]


def test_a_field_may_span_as_many_lines_as_are_allowed():
    field = "\n".join(["x"] * 50)
    (first, last) = read(f'id,text\na,"{field}"\nb,y\n', "csv")
    assert (first.text, last.text, last.line) == (field, "y", 52)
    (first, last) = read(f'id,text\na,"{field}\nx"\nb,y\n', "csv")
    assert "a field spans 51 lines (2 to 52)" in message(first)
    assert last.text == "y"


def test_a_header_that_does_not_end():
    with pytest.raises(InputError, match="a field spans 61 lines"):
        read('id,"text\n' + "1,x\n" * 60, "csv")


@pytest.mark.parametrize("value", [True, ["a"], {"a": 1}])
@pytest.mark.parametrize("id_field", [None, "id"])
def test_an_id_is_text_or_a_number(value, id_field):
    line = json.dumps({"id": value, "text": "x"})
    (record,) = read(line, "jsonl", id_field=id_field)
    assert "the id ('id') should be text or a number" in message(record)
    assert record.id == "1"


@pytest.mark.parametrize("content", [b"", b"\n\n", b"\xef\xbb\xbf"])
def test_csv_needs_a_header(content):
    with pytest.raises(InputError, match="expected a header"):
        read(content, "csv")


def test_csv_with_semicolons_as_spreadsheets_write_it():
    content = 'id;text;label\n1;"Luma, ""White""\n; XL";3,5\n\n2;Pan;4\n'
    records = read("\ufeff" + content, "csv")
    assert [(r.id, r.text) for r in records] == [("1", 'Luma, "White"\n; XL'), ("2", "Pan")]
    (record,) = read("a;id,text\n1;2,x\n", "csv")  # a comma decides
    assert record.text == "a;id: 1;2\ntext: x"


def test_csv_columns_named_twice():
    with pytest.raises(InputError, match="'text' more than once"):
        read("text,text\na,b\n", "csv")


def test_plain_text_is_a_document_a_line():
    records = read(b"one\r\n\n two \nbad \xff\nfour", "lines")
    assert texts(records) == ["one", " two ", None, "four"]
    assert "<stream>:4: not valid UTF-8" in message(records[2])


@pytest.mark.parametrize("named", ["text_field", "id_field", "category_field"])
def test_lines_of_text_have_no_fields_to_name(named):
    with pytest.raises(InputError, match="plain text has no fields"):
        RecordReader(io.BytesIO(b"one\n"), format="lines", **{named: "a"})


@pytest.mark.parametrize("format", ["jsonl", "lines"])
def test_an_empty_file_has_no_records(format):  # noqa: A002
    assert read(b"", format) == []


def test_parquet(tmp_path):
    arrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "in.parquet"
    rows = [{"id": 1, "text": "one"}, {"id": 2, "text": None}, {"id": 3, "text": "three"}]
    parquet.write_table(arrow.Table.from_pylist(rows), path)
    assert texts(list(RecordReader(path))) == ["one", None, "three"]
    assert count_records(path) == 3
    path.write_bytes(b"nonsense")
    with pytest.raises(InputError, match="cannot be read as Parquet"):
        list(RecordReader(path))


def test_parquet_without_pyarrow_says_what_to_install(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
    with pytest.raises(InputError, match=r"pip install 'hpd-cpp\[parquet\]'"):
        read(b"", "parquet")


# --- opening ---


def test_what_cannot_be_opened(tmp_path):
    with pytest.raises(InputError, match=r"gone\.jsonl: cannot be opened: No such file"):
        RecordReader(tmp_path / "gone.jsonl")
    (tmp_path / "a.xyz").touch()
    with pytest.raises(InputError, match=r"unsupported file type '\.xyz'.*jsonl, json.*--format"):
        RecordReader(tmp_path / "a.xyz")
    with pytest.raises(InputError, match=r"gone: cannot be opened: no such file or folder"):
        RecordReader(tmp_path / "gone")


def test_standard_input_stays_open(monkeypatch):
    stdin = io.TextIOWrapper(io.BytesIO(b'{"text": "x"}\n'))
    monkeypatch.setattr("sys.stdin", stdin)
    with RecordReader("-") as reader:
        assert texts(list(reader)) == ["x"]
    assert not stdin.buffer.closed


@pytest.mark.parametrize(
    ("name", "content", "n"),
    [
        ("a.jsonl", '{"text": "x"}\n\n{"text": "y"}', 2),
        ("a.csv", 'text\n"a\nb"\nc\n', 2),
        ("a.txt", "a\n \nb\n", 1),
    ],
)
def test_count(tmp_path, name, content, n):
    path = tmp_path / name
    path.write_text(content)
    assert count_records(path) == n == len(list(RecordReader(path)))
    assert count_records("-") is None


class Endless(io.RawIOBase):
    """A stream that never ends, so that only a lazy reader comes back."""

    def readable(self):
        return True

    def readinto(self, buffer):
        line = b'{"text": "' + b"x" * 200 + b'"}\n'
        block = (line * (len(buffer) // len(line) + 1))[: len(buffer)]
        # Whole lines only, so that blocks fit together.
        block = block[: block.rfind(b"\n") + 1]
        buffer[: len(block)] = block
        return len(block)


def test_reading_is_lazy_and_its_memory_constant():
    reader = RecordReader(io.BufferedReader(Endless()), format="jsonl")
    next(reader)
    tracemalloc.start()
    for _ in islice(reader, 20_000):
        pass
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 200_000


@given(st.lists(st.dictionaries(st.sampled_from(["id", "text", "n"]), st.text() | st.none())))
def test_any_json_comes_back(rows):
    records = read("".join(json.dumps(row) + "\n" for row in rows))
    assert len(records) == len(rows)
    for record, row in zip(records, rows, strict=True):
        text = row.get("text")
        assert (record.error is None) == (text is not None)
        if text is not None:
            assert record.text == clean_text(text)
            record.text.encode()


@given(
    st.lists(st.binary(max_size=30), max_size=8),
    st.sampled_from(["jsonl", "csv", "tsv", "lines", "json", "txt", "html", "eml"]),
)
def test_no_bytes_crash_it(lines, format):  # noqa: A002
    for record in read(b"text,id\n" + b"\n".join(lines), format):
        record.text.encode()
        record.id.encode()


def test_columns_hold_what_json_has_no_type_for_as_text(tmp_path):
    arrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "in.parquet"
    row = {
        "text": "x",
        "day": datetime.date(2024, 5, 31),
        "price": Decimal("1.50"),
        "share": math.nan,
        "parts": [{"n": 1, "w": math.inf}],
        "raw": b"\x00\x01",
    }
    parquet.write_table(arrow.Table.from_pylist([row]), path)
    with RecordReader(path) as reader:
        (record,) = reader
        assert columns_of(record)["input"]["text"] == "x"
    with RecordReader(path, text_field="text") as reader:
        (record,) = reader
        assert columns_of(record) == {
            "text": "x",
            "input": {
                "day": "2024-05-31",
                "price": "1.50",
                "share": "NaN",
                "parts": [{"n": 1, "w": "Infinity"}],
                "raw": "AAE=",
            },
        }
