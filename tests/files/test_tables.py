"""Tables made of lines: their columns, types, and what a CSV makes of nested values."""

import csv
import datetime
import json
import math
from decimal import Decimal

import pytest

from hpd.errors import HpdError
from hpd.files.inputs import InputReader
from hpd.files.reader import RecordReader
from hpd.files.tables import is_made_from_lines, lines_path, write_table
from hpd.schema import Schemas, load_schema, load_schemas
from hpd.schema.attributes import Attribute, Schema
from jsonl import write_lines

SCHEMA = load_schemas("brand, price float, stock int, new bool, maker {city, year int}, tags [str]")
LINES = [
    {
        "id": "a",
        "input": {"sku": 7, "brand": "as it came", "note": None},
        "data": {
            "brand": 'Say "hi", you',
            "price": 3,
            "stock": 12,
            "new": True,
            "maker": {"city": "Oslo", "year": 1999},
            "tags": ["x", "y, z"],
        },
    },
    {"id": "b", "input": {"sku": 8.5}, "error": {"type": "InputError", "message": "no text"}},
    {"id": "c", "input": {}, "data": {"brand": None, "price": 0.25, "maker": None, "tags": []}},
]


def table_of(folder, name, lines, schemas):
    table = folder / name
    text = "".join(json.dumps(line) + "\n" for line in lines)
    lines_path(table).write_text(text, encoding="utf-8")
    write_table(lines_path(table), table, schemas)
    return table


@pytest.mark.parametrize(("name", "separator"), [("out.csv", ","), ("out.TSV", "\t")])
def test_a_csv_has_the_input_the_values_and_the_errors(name, separator, tmp_path):
    table = table_of(tmp_path, name, LINES, SCHEMA)
    with open(table, newline="", encoding="utf-8") as file:
        header, *rows = csv.reader(file, delimiter=separator)
    assert header == [
        *("id", "extracted.brand", "price", "stock", "new", "maker.city", "maker.year", "tags"),
        *("error", "sku", "brand", "note"),
    ]
    assert rows[0] == [
        *("a", 'Say "hi", you', "3", "12", "true", "Oslo", "1999", '["x", "y, z"]', ""),
        *("7", "as it came", ""),
    ]
    assert rows[1] == ["b", *[""] * 7, "InputError: no text", "8.5", "", ""]
    assert rows[2] == ["c", "", "0.25", *[""] * 4, "[]", *[""] * 4]


def test_a_parquet_has_nested_typed_columns(tmp_path):
    pytest.importorskip("pyarrow")
    from pyarrow import parquet

    table = parquet.read_table(table_of(tmp_path, "out.parquet", LINES, SCHEMA))
    types = {f.name: str(f.type).replace("element:", "item:") for f in table.schema}
    assert types == {
        "id": "string",
        "sku": "double",
        "brand": "string",
        "note": "string",
        "extracted.brand": "string",
        "price": "double",
        "stock": "int64",
        "new": "bool",
        "maker": "struct<city: string, year: int64>",
        "tags": "list<item: string>",
        "error": "string",
    }
    first, second, third = table.to_pylist()
    assert first["maker"] == {"city": "Oslo", "year": 1999}
    assert (first["price"], first["tags"]) == (3.0, ["x", "y, z"])
    assert (second["price"], second["tags"], second["error"]) == (None, None, "InputError: no text")
    assert (third["maker"], third["tags"], third["price"]) == (None, [], 0.25)


def test_dates_times_and_decimals_have_their_types_in_parquet(tmp_path):
    pytest.importorskip("pyarrow")
    from pyarrow import parquet

    schema = Schema(
        (
            Attribute("day", "date"),
            Attribute("sent", "date-time"),
            Attribute("clock", "string", format="time"),
            Attribute("price", "string", format="decimal"),
            Attribute("stops", "array", item=Attribute("stops", "date")),
            Attribute("leg", "object", attributes=(Attribute("from", "date"),)),
        )
    )
    data = {
        "day": "2024-05-31",
        "sent": "2024-05-31T09:30:00+02:00",
        "clock": "09:30:00",
        "price": "1249.90",
        "stops": ["2024-06-01", "2024-06-02"],
        "leg": {"from": "2024-06-03"},
    }
    lines = [{"id": "a", "data": data}, {"id": "b", "data": dict.fromkeys(data)}]
    table = table_of(tmp_path, "out.parquet", lines, Schemas.of(schema))
    first, second = parquet.read_table(table).to_pylist()
    assert {name: first[name] for name in data} == {
        "day": datetime.date(2024, 5, 31),
        "sent": datetime.datetime(2024, 5, 31, 7, 30, tzinfo=datetime.timezone.utc),
        "clock": datetime.time(9, 30),
        "price": Decimal("1249.90"),
        "stops": [datetime.date(2024, 6, 1), datetime.date(2024, 6, 2)],
        "leg": {"from": datetime.date(2024, 6, 3)},
    }
    assert [second[name] for name in data] == [None] * len(data)


def cells_of(table):
    openpyxl = pytest.importorskip("openpyxl")
    return [list(row) for row in openpyxl.load_workbook(table).active.values]


def test_a_sheet_has_the_columns_of_a_csv(tmp_path):
    header, first, second, third = cells_of(table_of(tmp_path, "out.xlsx", LINES, SCHEMA))
    with open(table_of(tmp_path, "out.csv", LINES, SCHEMA), encoding="utf-8") as file:
        assert header == next(csv.reader(file))
    assert first == [
        *("a", 'Say "hi", you', 3, 12, True, "Oslo", 1999, '["x", "y, z"]', None),
        *(7, "as it came", None),
    ]
    assert second == ["b", *[None] * 7, "InputError: no text", 8.5, None, None]
    assert third == ["c", None, 0.25, *[None] * 4, "[]", *[None] * 4]


SURE = [
    {
        "id": "mails/a b.txt",
        "source": "mails/more.csv",
        "data": {"brand": "Ærø", "maker": {"city": "Oslo"}, "tags": ["x", "y"], "none": None},
        "fields": {
            "brand": {"confidence": 0.97},
            "maker.city": {"confidence": 0.7},
            "tags": {"confidence": 0.9},
            "tags[0]": {"confidence": 0.99},
            "tags[1]": {"confidence": 0.4},
            "none": {"confidence": 0.2},
        },
        "text": "A long text. " * 50,
        "input": {"date": "Tue, 3 Mar 2026 09:30:00 +0100"},
    },
    {"id": "gone.txt", "source": "gone.csv", "error": {"type": "InputError", "message": "no"}},
]
SURE_SCHEMA = load_schemas("brand, maker {city}, tags [str], none")


@pytest.mark.parametrize("name", ["out.csv", "out.xlsx", "out.parquet"])
def test_confidences_are_columns_on_request(name, tmp_path):
    if name.endswith(".parquet"):
        pytest.importorskip("pyarrow")
    table = tmp_path / name
    write_lines(lines_path(table), *SURE)
    write_table(lines_path(table), table, SURE_SCHEMA, confidence=True)
    with RecordReader(table) as reader:
        first, second = (dict(record.row) for record in reader)
    stated = {name: value for name, value in first.items() if name.endswith("_confidence")}
    assert {name: float(value) for name, value in stated.items()} == {
        "brand_confidence": 0.97,
        "maker_confidence": 0.7,
        "tags_confidence": 0.4,
        "none_confidence": 0.2,
    }
    names = [*first]
    assert names[:3] == ["id", "brand", "brand_confidence"]
    assert names[-4:] == ["error", "source", "text", "date"], "the columns of the input come last"
    assert second["brand_confidence"] in (None, "")


PLACED_LINES = [
    {
        "id": "bill.pdf",
        "data": {"total": 12.5, "maker": {"city": "Oslo"}, "lines": [{"item": "a"}, {"item": "b"}]},
        "fields": {
            "total": {"start": 9, "end": 13, "page": 3, "boxes": [[10.5, 20, 30, 40]]},
            "maker.city": {"page": 1, "boxes": [[1, 2, 3, 4], [1, 5, 3, 7]]},
            "lines": {"confidence": 0.9},
            "lines[0].item": {"page": 2, "boxes": [[1, 1, 2, 2]]},
            "lines[1].item": {"page": 2, "boxes": [[1, 3, 2, 4], [1, 1, 2, 2]]},
            "lines[2].item": {"page": 3, "boxes": [[1, 9, 2, 10]]},
        },
    },
    {"id": "stock.xlsx", "data": {"total": 3}, "fields": {"total": {"cell": "May!B7"}}},
    {"id": "gone.pdf", "error": {"type": "InputError", "message": "no"}},
]
PLACED_SCHEMA = load_schemas("total float, maker {city}, lines [{item}]")


@pytest.mark.parametrize("name", ["out.csv", "out.xlsx", "out.parquet"])
def test_places_are_columns_on_request(name, tmp_path):
    if name.endswith(".parquet"):
        pytest.importorskip("pyarrow")
    table = tmp_path / name
    write_lines(lines_path(table), *PLACED_LINES)
    write_table(lines_path(table), table, PLACED_SCHEMA, places=True)
    with RecordReader(table) as reader:
        rows = [dict(record.row) for record in reader]
    for row in rows:
        for key, value in row.items():
            if key.endswith("_boxes") and isinstance(value, str) and value:
                row[key] = json.loads(value)
            elif key.endswith("_page") and value:
                row[key] = int(value)
    first, second, third = (
        {key: value for key, value in row.items() if "_" in key and value not in ("", None)}
        for row in rows
    )
    assert first == {
        "total_page": 3,
        "total_boxes": [[10.5, 20, 30, 40]],
        "maker.city_page": 1,
        "maker.city_boxes": [[1, 2, 3, 4], [1, 5, 3, 7]],
        "lines_page": 2,
        "lines_boxes": [[1, 1, 2, 2], [1, 3, 2, 4]],
    }
    assert second == {"total_cell": "May!B7"}
    assert third == {}
    assert [*rows[0]][1:5] == ["total", "total_page", "total_boxes", "total_cell"]


def test_only_the_kinds_of_places_that_occur_are_columns(tmp_path):
    table = tmp_path / "out.csv"
    write_lines(lines_path(table), PLACED_LINES[1])
    write_table(lines_path(table), table, load_schemas("total float"), places=True)
    assert table.read_text().splitlines() == ["id,total,total_cell,error", "stock.xlsx,3,May!B7,"]


def test_a_sheet_can_be_read_by_people(tmp_path, monkeypatch):
    """Widths, links to the files that are there, colors, dates."""
    openpyxl = pytest.importorskip("openpyxl")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mails").mkdir()
    (tmp_path / "out").mkdir()
    for name in ("a b.txt", "more.csv"):
        (tmp_path / "mails" / name).write_text("x")
    sheet = openpyxl.load_workbook(table_of(tmp_path / "out", "v.xlsx", SURE, SURE_SCHEMA)).active
    header, first, second = ({c.column_letter: c for c in row} for row in sheet.rows)
    columns = {cell.value: letter for letter, cell in header.items()}
    colors = {name: first[letter].fill.fgColor.rgb[2:] for name, letter in columns.items()}
    assert colors["maker.city"] == "FFE699"
    assert colors["tags"] == colors["none"] == "F8CBAD"
    assert colors["brand"] == colors["id"] == "000000"
    assert first["A"].hyperlink.target == "../mails/a%20b.txt"
    assert first[columns["source"]].hyperlink.target == "../mails/more.csv"
    assert second["A"].hyperlink is second[columns["source"]].hyperlink is None
    widths = {name: sheet.column_dimensions[letter].width for name, letter in columns.items()}
    assert widths["id"] >= len("mails/a b.txt")
    assert 40 <= widths["text"] <= 80
    assert first[columns["date"]].value == datetime.datetime(2026, 3, 3, 9, 30)


@pytest.mark.parametrize(("value", "has_mark"), [("Ærø", True), ("plain", False)])
def test_a_csv_has_the_mark_that_excel_needs(value, has_mark, tmp_path):
    lines = [{"id": "a", "data": {"brand": value}}]
    table = table_of(tmp_path, "out.csv", lines, load_schemas("brand"))
    assert table.read_bytes().startswith(b"\xef\xbb\xbf") == has_mark
    with RecordReader(table) as reader:
        assert [record.row["brand"] for record in reader] == [value]


@pytest.mark.parametrize(
    ("type_", "value", "cell"),
    [
        ("date", "2024-05-31", datetime.datetime(2024, 5, 31)),
        ("date", "1899-12-31", "1899-12-31"),
        ("date-time", "2024-05-31T09:30:00", datetime.datetime(2024, 5, 31, 9, 30)),
        ("date-time", "2024-05-31T09:30:00+02:00", "2024-05-31T09:30:00+02:00"),
        ("time", "09:30:00", datetime.time(9, 30)),
        ("decimal", "1249.90", 1249.9),
        ("decimal", "0.1234567890123456", "0.1234567890123456"),
        ("integer", 4006381333931, 4006381333931),
        ("integer", 12345678901234567, "12345678901234567"),
        ("string", "007", "007"),
        ("string", "=1+1", "=1+1"),
        ("string", "#N/A", "#N/A"),
        ("string", "a\x0bb\ud800\n", "a_x000b_b\\ud800\n"),
    ],
)
def test_a_cell_of_a_sheet_has_the_type_of_its_value(type_, value, cell, tmp_path):
    is_format = type_ in ("time", "decimal")
    attribute = Attribute("a", "string", format=type_) if is_format else Attribute("a", type_)
    schemas = Schemas.of(Schema((attribute,)))
    table = table_of(tmp_path, "out.xlsx", [{"id": "1", "data": {"a": value}}], schemas)
    shown = cells_of(table)[1][1]
    assert (shown, type(shown)) == (cell, type(cell))
    book = pytest.importorskip("openpyxl").load_workbook(table)
    assert isinstance(cell, str) is (book.active["B2"].data_type == "s")


def test_dates_that_came_in_a_table_are_dates_in_the_next_one(tmp_path):
    """Of a sheet or of Parquet, in a sheet or in Parquet."""
    openpyxl = pytest.importorskip("openpyxl")
    pytest.importorskip("python_calamine")
    parquet = pytest.importorskip("pyarrow.parquet")
    day, sent = datetime.date(2024, 5, 31), datetime.datetime(2024, 5, 31, 9, 30)
    midnight, noon = datetime.datetime(2024, 6, 1), datetime.time(12)
    rows = [
        ["text", "day", "sent", "at", "mixed", "code"],
        ["Luma lamp", day, sent, noon, day, "2024-05-31"],
        ["Tavola pan", None, midnight, None, "in May", "x"],
    ]
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    book.save(tmp_path / "in.xlsx")
    # A workbook gives days at midnight.
    expected = (
        [sent.replace(hour=0, minute=0), sent, noon, "2024-05-31", "2024-05-31"],
        [*(None, midnight, None, "in May", "x")],
    )
    source = tmp_path / "in.xlsx"
    for name in ("one.xlsx", "two.parquet", "three.xlsx", "four.parquet"):
        table = tmp_path / name
        with InputReader([str(source)]) as reader, open(lines_path(table), "w") as lines:
            for record in reader:
                lines.write(json.dumps({"id": record.id, **reader.columns(record)}) + "\n")
            types = dict(reader.types)
        write_table(lines_path(table), table, load_schemas("brand"), types)
        if table.suffix == ".xlsx":
            header, *found = cells_of(table)
        else:
            columns = parquet.read_table(table).to_pydict()
            header, found = (
                list(columns),
                [list(row) for row in zip(*columns.values(), strict=True)],
            )
        first = header.index("day")
        for row, cells in zip(expected, found, strict=True):
            shown = cells[first : first + 5]
            if table.suffix == ".parquet" and shown[0] is not None:
                assert shown[0] == day
                shown[0] = row[0]
            assert shown == row
        source = table


def test_a_text_that_is_too_long_for_a_cell_is_not_cut_off(tmp_path):
    pytest.importorskip("openpyxl")
    lines = [{"id": "1", "data": {"a": "x" * 40_000}}]
    with pytest.raises(HpdError, match="'a' has a text of 40000 characters"):
        table_of(tmp_path, "out.xlsx", lines, load_schemas("a"))
    assert [path.name for path in tmp_path.iterdir()] == ["out.xlsx.jsonl"]


def test_what_a_column_cannot_hold_is_an_error_and_leaves_the_old_table(tmp_path):
    pytest.importorskip("pyarrow")
    schema = load_schemas("n int")
    table = table_of(tmp_path, "out.parquet", [{"id": "a", "data": {"n": 1}}], schema)
    before = table.read_bytes()
    with pytest.raises(HpdError, match="column 'n'"):
        table_of(tmp_path, "out.parquet", [{"id": "a", "data": {"n": 2**70}}], schema)
    assert table.read_bytes() == before


def test_attributes_that_differ_between_categories_are_json(tmp_path):
    schemas = Schemas.of(
        {"a": load_schema("size int, color"), "b": load_schema("size, weight float")}
    )
    lines = [{"id": "1", "data": {"size": 3, "color": "red"}}, {"id": "2", "data": {"size": "L"}}]
    table = table_of(tmp_path, "out.csv", lines, schemas)
    assert table.read_text() == ("id,size,color,weight,error\n1,3,red,,\n2,L,,,\n")


def test_no_documents_make_an_empty_table(tmp_path):
    assert table_of(tmp_path, "out.csv", [], load_schemas("a, b")).read_text() == "id,a,b,error\n"


@pytest.mark.parametrize(
    ("name", "expected"), [("a.csv", True), ("A.PARQUET", True), ("a.jsonl", False), ("a", False)]
)
def test_the_extension_tells_a_table(name, expected):
    assert is_made_from_lines(name) is expected


@pytest.mark.parametrize("name", ["out.csv", "out.tsv", "out.xlsx", "out.parquet"])
def test_an_input_that_is_no_unicode_can_be_written(tmp_path, name):
    if name.endswith(".parquet"):
        pytest.importorskip("pyarrow")
    row = {"note": "bad \ud83d", "n\ud83d": "x", "parts": ["\ud83d"]}
    table = table_of(
        tmp_path, name, [{"id": "1", "input": row, "data": {"a": "x"}}], load_schemas("a")
    )
    with RecordReader(table) as reader:
        (record,) = reader
    assert record.row["note"] == "bad \\ud83d"
    assert record.row["n\\ud83d"] == "x"
    parts = record.row["parts"]
    assert parts == '["\\ud83d"]'


def test_json_is_an_array_of_the_lines(tmp_path):
    table = table_of(tmp_path, "out.json", LINES, SCHEMA)
    assert json.loads(table.read_text()) == LINES
    assert json.loads(table_of(tmp_path, "none.json", [], load_schemas("a")).read_text()) == []


def test_columns_of_parquet_keep_their_types(tmp_path):
    arrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    from hpd.files.inputs import InputReader
    from hpd.files.reader import plain_columns

    inner = {"raw": b"\xff", "price": Decimal("1.20"), "day": datetime.date(2024, 5, 31)}
    inner_types = {"raw": arrow.binary(), "price": arrow.decimal128(5, 2), "day": arrow.date32()}
    columns = {
        "text": arrow.array([b"one", b"two"], arrow.binary()),
        "small": arrow.array([1, None], arrow.int8()),
        "day": arrow.array([datetime.date(2024, 5, 31), None], arrow.date32()),
        "at": arrow.array([1_700_000_000_001, None], arrow.timestamp("ms")),
        "zoned": arrow.array([0, 1], arrow.timestamp("us", "Europe/Oslo")),
        "clock": arrow.array([datetime.time(9, 30), None], arrow.time64("us")),
        "price": arrow.array([Decimal("1.00"), Decimal("2.50")], arrow.decimal128(22, 2)),
        "raw": arrow.array([b"\x00\xff", b"ab"], arrow.binary()),
        "far": arrow.array([3_000_000, 1], arrow.int32()).cast(arrow.date32()),
        "exact": arrow.array([1704164645123456789, None], arrow.timestamp("ns")),
        "viewed": arrow.array([b"\xff", None], arrow.binary_view()),
        "fixed": arrow.array([b"\xff\x00", None], arrow.binary(2)),
        "inner": arrow.array([[inner], None], arrow.list_(arrow.struct(inner_types))),
        "share": arrow.array([0.5, None], arrow.float32()),
        "odd": arrow.array([math.nan, -math.inf], arrow.float64()),
        "fine": arrow.array([34_200_123_456_789, None], arrow.time64("ns")),
        "fines": arrow.array([[1], None], arrow.list_(arrow.time64("ns"))),
        "long": arrow.array([-5, 90_000_000_001], arrow.duration("us")),
        "longer": arrow.array([-5, 90_000_000_000_001], arrow.duration("ns")),
        "key": arrow.array([bytes(range(16)), None], arrow.uuid()),
        "mars": arrow.array([1_700_000_000_000_001, None], arrow.timestamp("us", "Mars/Olympus")),
        "tags": arrow.array([["x"], []], arrow.large_list(arrow.large_string())),
        "names": arrow.array(
            [[("a", "b")], None], arrow.map_(arrow.large_string(), arrow.string())
        ),
    }
    source = tmp_path / "in.parquet"
    parquet.write_table(arrow.table(columns), source)
    with InputReader([str(source)], text_field="text") as reader:
        records = list(reader)
        lines = [{"id": r.id, "input": plain_columns(r), "data": {"n": 1}} for r in records]
        assert [r.text for r in records] == ["one", "two"]
        assert records[0].notes == ("mars is read in UTC: its time zone is not known here",)
    table = tmp_path / "out.parquet"
    lines_path(table).write_text("".join(json.dumps(line) + "\n" for line in lines))
    write_table(lines_path(table), table, load_schemas("n int"), reader.types)
    written = parquet.read_table(table)
    for name, column in columns.items():
        if name == "far":
            assert written[name].to_pylist() == ["10183-09-21", "1970-01-02"]
        else:
            assert written[name].type == column.type, name
            assert str(written[name].combine_chunks()) == str(column), name
    assert written["exact"].cast("string")[0].as_py() == "2024-01-02 03:04:05.123456789"


def test_a_schema_with_checks_has_a_column_of_those_that_did_not_pass(tmp_path):
    properties = {"a": {"type": "number"}, "checks": {"type": "string"}}
    schema = load_schemas(
        {"type": "object", "properties": properties, "checks": ["a > 1", "a < 3"]}
    )
    unpassed = [
        {"check": "a > 1", "path": "rows[2]", "passed": False, "left": 0.5, "right": 1},
        {"check": "not (a > 1)", "passed": None},
    ]
    lines = [
        {"id": "x", "data": {"a": 2, "checks": "own"}},
        {"id": "y", "data": {"a": 0.5, "checks": None}, "checks": unpassed},
    ]
    with open(table_of(tmp_path, "out.csv", lines, schema), newline="", encoding="utf-8") as file:
        assert [*csv.reader(file)] == [
            ["id", "a", "checks", "extraction.checks", "error"],
            ["x", "2", "own", "", ""],
            ["y", "0.5", "", "rows[2]: a > 1 (0.5 and 1); not (a > 1) (unknown)", ""],
        ]


def test_dates_and_decimals_within_a_list_are_json_in_excel(tmp_path):
    pytest.importorskip("openpyxl")
    line = (Attribute("day", "date"), Attribute("price", "string", format="decimal"))
    array = Attribute("lines", "array", item=Attribute("item", "object", attributes=line))
    schema = Schemas.of(Schema((array,)))
    lines = [{"day": "2024-05-31", "price": "1249.90"}, {"day": None, "price": None}]
    table = table_of(tmp_path, "out.xlsx", [{"id": "1", "data": {"lines": lines}}], schema)
    _, (_, shown, _) = cells_of(table)
    assert json.loads(shown) == lines
