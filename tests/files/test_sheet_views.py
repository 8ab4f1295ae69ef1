"""Workbooks are read as a spreadsheet program shows them."""

import io
import zipfile

import pytest

from hpd.documents import Place
from hpd.files.formats.sheet_views import format_number
from hpd.files.reader import RecordReader

MONEY = '_-* #,##0.00\\ "€"_-;-* #,##0.00\\ "€"_-;_-* "-"??\\ "€"_-;_-@_-'


@pytest.mark.parametrize(
    ("number", "form", "text"),
    [
        (0.25, "0%", "25%"),
        (0.125, "0.0%", "12.5%"),
        (1.05, "0.00 %", "105.00 %"),
        (12.5, '#,##0.00 "€"', "12.50 €"),
        (1234.5, "[$$-409]#,##0.00", "$1234.50"),
        (1234.5, "[$EUR] #,##0.00", "EUR 1234.50"),
        (1.005, "0.00", "1.01"),
        (2.5, "0", "3"),
        (12, "0.0#", "12.0"),
        (12.345, "#.##", "12.35"),
        (1067, "00000", "01067"),
        (42, '"K-"0000', "K-0042"),
        (1234567, '0.0,,"M"', "1.2M"),
        (12.5, "#,##0.00;[Red](#,##0.00)", "12.50"),
        (-12.5, "#,##0.00;[Red](#,##0.00)", "-12.50"),
        (-12.5, '"$"#,##0.00_);("$"#,##0.00)', "-$12.50"),
        (-12.5, "0.00;[Red]0.00", "-12.50"),
        (-0.001, "0.00", "0.00"),
        (950, MONEY, "950.00 €"),
        (-950, MONEY, "-950.00 €"),
        (0, MONEY, "0.00 €"),
        (0, "0;-0;;@", ""),
        (0, '0;-0;"none"', "none"),
        (7, 'General" kg"', "7 kg"),
        (0.5, "# ?/?", None),
        (1.5e-7, "0.00E+00", None),
        (5, "[<10]0;0.0", None),
        (123456789, "000-00-0000", None),
    ],
)
def test_a_number_is_shown_in_its_format(number, form, text):
    assert format_number(number, form) == text


def book(cells, change):
    made = pytest.importorskip("openpyxl").Workbook()
    for row in cells:
        made.active.append(row)
    change(made)
    made.save(saved := io.BytesIO())
    return saved.getvalue()


def records(data, format="xlsx", **options):  # noqa: A002
    return [*RecordReader(io.BytesIO(data), format=format, **options)]


def test_cells_of_a_workbook_are_read_in_their_formats_and_kept_as_numbers():
    def change(made):
        made.active["B2"].number_format = "0%"
        made.active["C2"].number_format = "#,##0.00 [$€-407]"

    data = book([["Item", "VAT", "Price", "Hours"], ["Lamp", 0.19, 12.5, 3]], change)
    (record,) = records(data)
    assert record.text == "Item: Lamp\nVAT: 19%\nPrice: 12.50 €\nHours: 3"
    assert record.row == {"Item": "Lamp", "VAT": 0.19, "Price": 12.5, "Hours": 3}
    at = record.text.index("19%")
    assert record.places.of(at, at + 3) == Place(1, cell="Sheet!B2")
    (whole,) = records(data, whole=True)
    assert whole.text.splitlines()[1].split() == ["Lamp", "19%", "12.50", "€", "3"]


def test_hours_of_a_workbook_beyond_a_day():
    from datetime import timedelta

    def change(made):
        made.active["A2"].number_format = "[h]:mm"

    (record,) = records(book([["Hours"], [timedelta(hours=26, minutes=5)]], change))
    assert record.text == "Hours: 26:05:00"


def test_hidden_sheets_rows_and_columns_are_left_out_and_told():
    def change(made):
        made.active.column_dimensions["B"].hidden = True
        made.active.row_dimensions[3].hidden = True
        made.create_sheet("Secret").append(["a", "b"])
        made["Secret"].sheet_state = "hidden"

    cells = [["Item", "Cost", "Price"], ["Lamp", 4, 9], ["Old", 1, 2], ["Pan", 5, 11]]
    data = book(cells, change)
    lamp, pan = records(data)
    assert (lamp.text, pan.text) == ("Item: Lamp\nPrice: 9", "Item: Pan\nPrice: 11")
    assert lamp.places.of(18, 19) == Place(1, cell="Sheet!C2")
    note = "hidden, so left out: 1 column of sheet 'Sheet', 1 row of sheet 'Sheet', sheet 'Secret'"
    assert lamp.notes == (note,)
    (whole,) = records(data, whole=True)
    assert whole.text == "Item  Price\nLamp  9\nPan   11"
    assert whole.notes == (note,)


def test_formulas_without_a_result_are_told():
    data = book([["Item", "Sum"], ["Lamp", "=1+1"], ["Pan", "=2+2"]], lambda made: None)
    lamp, pan = records(data)
    assert (lamp.text, pan.text) == ("Item: Lamp", "Item: Pan")
    assert lamp.notes == (
        "2 formulas have no stored result: save it in a spreadsheet program first",
    )


SPREADSHEET = """<office:document-content
 xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0"
 xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0"
 xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"
 office:version="1.2"><office:body><office:spreadsheet><table:table table:name="May">
<table:table-column/><table:table-column table:visibility="collapse"/>
<table:table-column table:number-columns-repeated="2"/>{}
</table:table></office:spreadsheet></office:body></office:document-content>"""
CELL = '<table:table-cell office:value-type="{}" {}><text:p>{}</text:p></table:table-cell>'


def test_an_open_document_is_read_as_it_is_shown():
    words = [CELL.format("string", "", word) for word in ("Item", "Cost", "VAT", "Price", "Lamp")]
    numbers = [
        CELL.format("float", 'office:value="4"', "4"),
        CELL.format("percentage", 'office:value="0.19"', "19%"),
        CELL.format("currency", 'office:value="12.5"', "12,50 €"),
    ]
    rows = [words[:4], [words[4], *numbers], [words[4], *numbers]]
    texts = [f"<table:table-row>{''.join(row)}</table:table-row>" for row in rows]
    texts[1] = texts[1].replace("<table:table-row", '<table:table-row table:visibility="filter"')
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        archive.writestr("META-INF/manifest.xml", "<manifest/>")
        archive.writestr("content.xml", SPREADSHEET.format("".join(texts)))
    (record,) = records(file.getvalue(), "ods")
    assert record.text == "Item: Lamp\nVAT: 19%\nPrice: 12,50 €"
    assert record.notes == (
        "hidden, so left out: 1 column of sheet 'May', 1 row of sheet 'May'",
    )  # fmt: skip


def test_a_workbook_whose_formats_are_damaged_is_read_without_them():
    data = io.BytesIO(book([["Item", "VAT"], ["Lamp", 0.19]], lambda made: None))
    changed = io.BytesIO()
    with zipfile.ZipFile(data) as old, zipfile.ZipFile(changed, "w") as new:
        for name in old.namelist():
            text = old.read(name)
            if name == "xl/worksheets/sheet1.xml":
                text = text.replace(
                    b"<sheetData>", b'<cols><col hidden="1" min="x"/></cols><sheetData>'
                )
            new.writestr(name, text)
    (record,) = records(changed.getvalue())
    assert record.text == "Item: Lamp\nVAT: 0.19"
    assert record.notes[0].startswith("formats and hidden cells are not known: ")
