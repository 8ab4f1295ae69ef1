"""Pages of PDFs are read as they are seen: what comes first, and what is one below the other."""

import io
import re

import pytest

from hpd.files.formats.page_layout import Letter, lines_of
from hpd.files.reader import RecordReader
from pdf_files import placed_pdf

DEBIT = (
    ("Date", "Description", "Debit", "Credit", "Balance"),
    ("01/02", "Card payment", "12.50", "", "87.50"),
    ("01/03", "Salary", "", "1000.00", "1087.50"),
    ("01/04", "Refund", "", "20.00", "1107.50"),
)
TOOLS = (
    ("Item", "Qty", "Price", "Total"),
    ("Hammer", "2", "5.00", "10.00"),
    ("Saw", "", "7.50", "7.50"),
    ("Nails", "100", "", "3.00"),
)
LABOR = (("Labor", "Hours"), ("Digging", "8"), ("Laying", "5"), ("Painting", "3"), ("Driving", "1"))
MATERIALS = (("Materials", "Total"), ("Steel", "100.00"), ("Sand", "40.00"), ("Wood", "10.00"))


def record_of(data):
    (record,) = RecordReader(io.BytesIO(data), format="pdf")
    assert record.error is None, record.error
    return record


def text_of(data):
    return record_of(data).text


def placed(rows, xs, top=250, pitch=15):
    return [
        (cell, x, top - pitch * i)
        for i, row in enumerate(rows)
        for x, cell in zip(xs, row, strict=False)
        if cell
    ]


def cells_at(text, header):
    """The cells of each line below a header, by the nearest of its columns."""
    lines = [line for line in text.splitlines() if line.strip()]
    starts = {name: lines[0].index(name) for name in header}
    table = []
    for line in lines[1:]:
        row = {}
        for found in re.finditer(r"\S+( \S+)*", line):
            row[min(starts, key=lambda name: abs(starts[name] - found.start()))] = found[0]
        table.append(row)
    return table


def as_rows(table):
    header, *rows = table
    return [{name: cell for name, cell in zip(header, row, strict=True) if cell} for row in rows]


@pytest.mark.parametrize("order", [1, -1])
def test_empty_cells_of_a_table_stay_empty(order):
    cells = placed(DEBIT, (40, 100, 220, 290, 370))[::order]
    assert cells_at(text_of(placed_pdf(*cells)), DEBIT[0]) == as_rows(DEBIT)


def test_a_header_of_two_lines_stands_above_its_columns():
    head = [("Amount", 220, 262), ("Amount", 290, 262), ("paid", 220, 250), ("due", 290, 250)]
    rows = placed([("Card", "5.00", ""), ("Cash", "", "7.00")], (40, 220, 290), top=235)
    lines = text_of(placed_pdf(*head, *rows)).splitlines()
    assert lines[0].split() == ["Amount", "Amount"]
    assert lines[1].index("paid") == lines[0].index("Amount") == lines[2].index("5.00")
    assert lines[1].index("due") == lines[0].rindex("Amount") == lines[3].index("7.00")


@pytest.mark.parametrize(
    ("matrix", "page", "place", "before"),
    [
        ("1 0 0 1", "/MediaBox [0 0 500 300]", lambda x, y: (x, y), ""),
        ("0 1 -1 0", "/MediaBox [0 0 300 500] /Rotate 90", lambda x, y: (300 - y, x), ""),
        ("-1 0 0 -1", "/MediaBox [0 0 500 300] /Rotate 180", lambda x, y: (500 - x, 300 - y), ""),
        ("0 -1 1 0", "/MediaBox [0 0 300 500] /Rotate 270", lambda x, y: (y, 500 - x), ""),
        ("0 1 -1 0", "/MediaBox [0 0 300 500]", lambda x, y: (300 - y, x), ""),
        ("0 -1 1 0", "/MediaBox [0 0 300 500]", lambda x, y: (y, 500 - x), ""),
        ("1 0 0 -1", "/MediaBox [0 0 500 300]", lambda x, y: (x, 300 - y), "1 0 0 -1 0 300 cm"),
        ("1 0 0 -1", "/MediaBox [0 0 500 300]", lambda x, y: (x, y), ""),
    ],
)
def test_a_turned_or_mirrored_page_is_read_in_rows(matrix, page, place, before):
    cells = placed(TOOLS, (40, 120, 200, 290))
    # In the order of columns, as some programs write tables.
    texts = [(cell, *place(x, y)) for cell, x, y in sorted(cells, key=lambda cell: cell[1])]
    text = text_of(placed_pdf(*texts, matrix=matrix, page=page, before=before))
    assert cells_at(text, TOOLS[0]) == as_rows(TOOLS)


def test_numbers_that_end_one_below_the_other_do_so_in_the_text():
    # As wide as they are in Helvetica, and a header further below that ends between their starts.
    numbers = (("1444.71", 263.9), ("49.04", 275), ("2.35", 280.5), ("-7", 291.1))
    rows = [(text, x, 250 - 15 * i) for i, (text, x) in enumerate(numbers)]
    labels = [(name, 20, 250 - 15 * i) for i, name in enumerate(("Gross", "Tax", "Dues", "Rest"))]
    text = text_of(placed_pdf(*rows, *labels, ("Overtime", 230.5, 170)))
    assert len({len(line) for line in text.splitlines()[:4]}) == 1, text


@pytest.mark.parametrize("shift", [4, -6])
def test_tables_side_by_side_come_one_after_the_other(shift):
    left = placed(MATERIALS, (40, 130), pitch=18)
    right = placed(LABOR, (300, 400), top=250 + shift, pitch=18)
    both = [cell for pair in zip(left, right, strict=False) for cell in pair] + right[len(left) :]
    lines = [line.split() for line in text_of(placed_pdf(*both)).splitlines() if line]
    assert lines == [list(row) for row in (*MATERIALS, *LABOR)]


def test_tables_far_apart_come_one_after_the_other_though_their_rows_are_in_line():
    left, right = placed(MATERIALS, (40, 100)), placed(LABOR, (330, 390))
    lines = [line.split() for line in text_of(placed_pdf(*left, *right)).splitlines() if line]
    assert lines == [list(row) for row in (*MATERIALS, *LABOR)]


def test_a_table_of_texts_and_numbers_in_turn_is_read_row_by_row():
    rows = [("Name", "Age", "City", "Score"), ("Ann Lee", "31", "Bonn", "7"),
            ("Bob Ray", "42", "Graz", "5"), ("Cyd Fox", "27", "Oslo", "9"),
            ("Dan Orr", "35", "Turin", "8")]  # fmt: skip
    lines = text_of(placed_pdf(*placed(rows, (40, 120, 170, 260)))).splitlines()
    assert [line.split() for line in lines] == [" ".join(row).split() for row in rows]


RESULTS = (
    ("1", "Ann Lee", "JPN", "1934", "FAR MOON CLUB", "44.01", "0.84"),
    ("2", "Bob Ray Day", "GER", "1936", "KSC SENRI NORTH", "46.80", "0.95"),
    ("3", "Cyd Fox", "AUS", "1935", "Tribe Coast Club", "55.77", "1.06"),
    ("4", "Dan Orr", "ROU", "1938", "CFC SOGA EAST", "DNS", ""),
    ("5", "Eve Poe", "TPE", "1937", "Port Marlins Club", "59.84", "0.86"),
    ("6", "Fay Sun", "BRA", "1933", "RED SHAKE CLUB", "63.28", "0.81"),
)
XS = (20, 40, 130, 180, 220, 350, 410)


def test_raised_numbers_follow_their_words():
    names = ["Jay Shah", "Ganesh Bik", "Ying Zhang", "Tri Dao"]
    shown = " ".join(
        f"/F1 10 Tf 0 Ts ({name}) Tj /F1 5 Tf 6 Ts ( {n}) Tj /F1 10 Tf 0 Ts (, ) Tj"
        for n, name in enumerate(names, start=1)
    )
    text = text_of(placed_pdf(before=f"BT 40 200 Td {shown} ET"))
    assert text == "".join(f"{name} {n} , " for n, name in enumerate(names, start=1)).rstrip()


@pytest.mark.parametrize("number", ["8", "12"])
def test_brackets_around_a_number_in_a_right_to_left_line_do_not_turn_it(number):
    # Digits are read from left to right, whatever is around them.
    digits = [(digit, 60 + 5 * n) for n, digit in enumerate(number)]
    placed = [("ש", 110), ("ל", 105), ("ם", 100), (" ", 0), ("(", 60 + 5 * len(number)), *digits,
              (")", 55), (" ", 0), ("7", 20)]  # fmt: skip
    letters = [Letter(text, (x, 10, x + 5, 18)) for text, x in placed]
    (line,) = lines_of(letters)
    assert "".join(text for text, _ in line).split() == ["שלם", f"({number})", "7"]


def test_short_words_of_a_turned_line_stay_in_it():
    turned = "BT /F1 10 Tf 0 1 -1 0 30 50 Tm (Main Road 5, 48009 C/ Lima) Tj ET"
    text = text_of(placed_pdf(*placed(TOOLS, (60, 140, 220, 310)), before=turned))
    assert text.splitlines()[-1] == "Main Road 5, 48009 C/ Lima"


def visual_letters(text, top=10.0):
    """Letters as they are drawn from left to right, with a blank as a gap and a bit before each."""
    return [
        Letter(sign, (9.0 * n, top, 9.0 * n + 8, top + 8)) if sign != " " else Letter(" ", (0,) * 4)
        for n, sign in enumerate(text)
    ]


@pytest.mark.parametrize(
    "code",
    ["A-12", "12-A", "A12", "B7", "INV-2024-01", "A-12/3", "B.7", "(A-12)", "-12", "X-2 Pro"],
)
def test_a_code_in_a_right_to_left_line_is_read_as_it_stands(code):
    label = [("שלום עולם", 300, 250), ("חשבונית", 400, 250)]
    before, after = (
        text_of(placed_pdf(*cells))
        for cells in (
            [*label, (code, 100, 250)],
            [(code, 100, 250), *label],
        )
    )
    assert before == after
    assert " ".join(before.split()) == f"חשבונית שלום עולם {code}"


def test_words_drawn_from_left_to_right_but_read_from_right_to_left_are_whole():
    (line,) = lines_of(visual_letters("שלום גדולים"[::-1]))
    assert "".join(text for text, _ in line) == "שלום גדולים"


@pytest.mark.parametrize("brackets", ["()", ")(", "[]", "]["])
def test_brackets_in_a_right_to_left_line_open_before_they_close(brackets):
    first, last = brackets
    text = f"שלום {first}גדול{last}"
    (line,) = lines_of(visual_letters(text[::-1]))
    assert "".join(text for text, _ in line) == ("שלום (גדול)" if first in "()" else "שלום [גדול]")


def test_a_bracket_after_a_number_is_not_turned():
    (line,) = lines_of(visual_letters("שלום (א"[::-1]))
    assert "".join(text for text, _ in line) == "שלום (א"


def test_cells_in_the_middle_of_a_label_of_two_lines_are_on_one_line_with_it():
    labels = placed(
        [("Open car parks, whether",), ("covered or not",), ("Hotels",)], (40,), pitch=12
    )
    prices = [("28.63", 250, 244), ("EUR", 320, 244), ("14.54", 250, 226), ("EUR", 320, 226)]
    lines = text_of(placed_pdf(*labels, *prices)).splitlines()
    assert [line.split()[-2:] for line in lines] == [
        ["28.63", "EUR"], ["or", "not"], ["14.54", "EUR"]
    ]  # fmt: skip


def test_cells_that_are_lower_than_their_row_stay_below_it():
    names = placed([row[:5] for row in RESULTS], XS, pitch=24)
    times = placed([row[5:] for row in RESULTS], XS[5:], top=239, pitch=24)
    words = text_of(placed_pdf(*names, *times)).split()
    assert words == " ".join(" ".join(row) for row in RESULTS).split()


def test_a_table_of_names_and_clubs_is_no_prose():
    rows = [row[:5] for row in RESULTS]
    lines = text_of(placed_pdf(*placed(rows, XS))).splitlines()
    assert [line.split() for line in lines] == [" ".join(row).split() for row in rows]


TEXT = "the quick brown fox jumps over a lazy dog and then runs on to the far end of town"
PROSE = TEXT.split()


def wrapped(words, n_letters):
    lines = [""]
    for word in words:
        if len(lines[-1]) + len(word) > n_letters:
            lines.append("")
        lines[-1] += f"{word} "
    return [line.strip() for line in lines]


@pytest.mark.parametrize("n_letters", [16, 22, 45])
def test_columns_of_prose_are_read_one_after_another_however_narrow(n_letters):
    left = wrapped(PROSE * 4, n_letters)
    right = wrapped([word.upper() for word in PROSE * 4], n_letters)
    width = 7 * n_letters  # capitals are wide
    texts = [(line, 20, 580 - 12 * i) for i, line in enumerate(left)]
    texts += [(line, 40 + width, 580 - 12 * i) for i, line in enumerate(right)]
    page = "/MediaBox [0 0 800 600]"
    lines = [line.strip() for line in text_of(placed_pdf(*texts, page=page)).splitlines() if line]
    assert lines == [*left, *right]


@pytest.mark.parametrize("n_below", [0, 8])
def test_a_table_between_columns_of_prose_is_read_row_by_row(n_below):
    left = wrapped(PROSE * 3, 22)
    right = wrapped([word.upper() for word in PROSE * 2], 22)[: len(left)]
    above = [(line, 20, 580 - 12 * i) for i, line in enumerate(left)]
    above += [(line, 194, 580 - 12 * i) for i, line in enumerate(right)]
    top = 580 - 12 * len(left) - 30
    table = placed(TOOLS, (20, 120, 194, 300), top=top)
    below = [(line, x, y - 580 + top - 100) for line, x, y in above if y > 580 - 12 * n_below]
    data = placed_pdf(*above, *table, *below, page="/MediaBox [0 0 800 600]")
    lines = [line.strip() for line in text_of(data).splitlines() if line]
    rows = [line.split() for line in lines]
    first = rows.index(["Item", "Qty", "Price", "Total"])
    assert lines[:first] == [*left, *right]
    assert rows[first : first + 4] == [[cell for cell in row if cell] for row in TOOLS]
    assert lines[first + 4 :] == [*left[:n_below], *right[:n_below]]


def test_labels_beside_amounts_are_no_columns_of_prose():
    rows = [(f"Label of a long row of the statement {i}", f"{i},250.50 EUR") for i in range(8)]
    lines = text_of(placed_pdf(*placed(rows, (20, 320)))).splitlines()
    assert [line.split("  ")[0] for line in lines] == [label for label, _ in rows]
    assert [line.split("  ")[-1].strip() for line in lines] == [amount for _, amount in rows]


TOTAL = "סהכ לתשלום"


def test_what_is_read_from_right_to_left_is_in_logical_order():
    lines = text_of(placed_pdf((TOTAL, 300, 200), ("240.72", 200, 200), ("חשבונית מס", 320, 220)))
    first, second = lines.splitlines()
    assert first.strip() == "חשבונית מס"
    assert re.split("  +", second.strip()) == [TOTAL, "240.72"]


def hebrew(text, right):
    """Letters next to each other, from right to left; a blank is one without a place."""
    letters = []
    for letter in text:
        width = 0 if letter == " " else 5
        letters.append(Letter(letter, (right - width, 90, right, 98)))
        right -= width
    return letters


@pytest.mark.parametrize(
    ("letters", "text"),
    [
        (hebrew("גנ ת", 100), "גנת"),
        (hebrew("על", 100) + hebrew("פי", 87), "על פי"),
        (hebrew("מ ", 100) + hebrew("ר ", 90) + hebrew('" ', 95) + hebrew("גן", 82), 'מ"ר גן'),
        (hebrew("שנת ", 100) + hebrew("7", 85), "שנת 7"),
    ],
)
def test_words_from_right_to_left_end_where_they_do_on_the_page(letters, text):
    (line,) = lines_of(letters)
    assert "".join(part for part, _ in line) == text


def test_a_sign_stands_on_the_line_of_the_number_beside_it_though_it_is_lower():
    words = (("a", 10, 90.0, 97.4), ("/", 30, 90.0, 97.8), ("1", 90, 93.2, 101.1))
    letters = [Letter(" ", (0, 0, 0, 0))]
    for text, x, top, bottom in (*words, ("$", 104, 94.1, 101.8)):
        letters += [Letter(text, (x, top, x + 5, bottom)), letters[0]]
    (line,) = lines_of(letters)
    assert "".join(part for part, _ in line).split() == ["a", "/", "1", "$"]


def test_a_word_that_was_written_in_parts_is_whole():
    for text in ("אזור ב", "Nordvik"):
        is_hebrew = text[0] == "א"
        parts = [(text[:2], 200, 100), (text[2:], 188 if is_hebrew else 213.1, 100)]
        if is_hebrew:
            parts = [("זור", 187.4, 100), ("א", 203.3, 100)]
            text = "אזור"
        for order in (parts, parts[::-1]):
            assert text_of(placed_pdf(*order)) == text


def test_letters_printed_twice_to_be_bold_are_read_once():
    assert text_of(placed_pdf(("Total 5", 40, 100), ("Total 5", 40.3, 100))) == "Total 5"


def test_a_dash_between_words_stands_on_their_line():
    text = text_of(placed_pdf(("from 5", 40, 100), ("-", 80, 100), ("to 9", 92, 100)))
    assert text.split() == ["from", "5", "-", "to", "9"]
    assert "\n" not in text


def test_signs_stand_on_the_line_of_their_words():
    line = 'the \'first\', so called, "_" and * of it."'
    assert text_of(placed_pdf((line, 40, 100), ("next", 40, 114))) == f"next\n{line}"
    parts = [("due", 40, 100), (",", 58, 100), ('"', 64, 100), ("paid", 80, 100)]
    assert text_of(placed_pdf(*parts)).split() == ["due,", '"', "paid"]


def test_words_of_letters_as_wide_as_each_other_are_one_blank_apart():
    lines = ["25 JAN 2023", "7/F, A B CARGO BLDG, 111 WAI", "PO NO 7    X"]
    texts = [(line, 40, 200 - 12 * i) for i, line in enumerate(lines)]
    read = text_of(placed_pdf(*texts, font="Courier")).splitlines()
    assert read[:2] == lines[:2]
    assert re.split("  +", read[2]) == ["PO NO 7", "X"]


def test_signs_of_a_font_without_unicode_are_those_of_windows():
    assert text_of(placed_pdf(("23,27 \x80/kWh \x81", 40, 100))) == "23,27 €/kWh"


@pytest.mark.parametrize("mark", ["SAMPLE", "PAID"])
def test_a_mark_across_the_page_is_read_behind_its_table(mark):
    xs = (40, 110, 230, 310)
    across = f"BT /F1 60 Tf .7 .7 -.7 .7 60 160 Tm ({mark}) Tj ET"
    text = text_of(placed_pdf(*placed(TOOLS, xs), before=across))
    assert text == text_of(placed_pdf(*placed(TOOLS, xs))) + f"\n\n{mark}"


def test_slanted_headers_stand_above_their_columns():
    rows = placed(TOOLS[1:], (40, 110, 230, 310), top=200)
    slanted = "\n".join(
        f"BT /F1 10 Tf .7 .7 -.7 .7 {x} 215 Tm ({name}) Tj ET"
        for name, x in zip(TOOLS[0], (40, 110, 230, 310), strict=True)
    )
    first, *_ = text_of(placed_pdf(*rows, before=slanted)).splitlines()
    assert first.split() == list(TOOLS[0])


RIGHT_TO_LEFT = (
    ("סכום", "מספר", "תאור"),
    ("1,200", "A-12", "שלום"),
    ("340", "INV-2024-01", "עולם"),
)
TURNED = "/MediaBox [0 0 300 500] /Rotate 90"
COMPARED = {
    # name: (tables, PDF, values that pdftotext -layout 22.12 finds, rows that it has on one line)
    "empty cells": ([DEBIT], placed_pdf(*placed(DEBIT, (40, 100, 220, 290, 370))), 17, 4),
    "names and clubs": ([RESULTS], placed_pdf(*placed(RESULTS, XS, pitch=12)), 41, 6),
    "turned": (
        [TOOLS],
        placed_pdf(
            *((cell, 300 - y, x) for cell, x, y in placed(TOOLS, (40, 120, 200, 290))),
            matrix="0 1 -1 0",
            page=TURNED,
        ),
        14,
        4,
    ),
    "side by side": (
        [MATERIALS, LABOR],
        placed_pdf(
            *placed(MATERIALS, (40, 130), pitch=18),
            *placed(LABOR, (300, 400), top=254, pitch=18),
        ),
        18,
        1,
    ),
    "right to left": ([RIGHT_TO_LEFT], placed_pdf(*placed(RIGHT_TO_LEFT, (60, 200, 400))), 9, 3),
}


def shares(text, tables):
    """The number of cells that a text has as words, and of rows that it has on one line."""
    rows = [[cell for cell in row if cell] for table in tables for row in table]
    lines = [line.split() for line in text.splitlines()]
    words = {word for line in lines for word in line}
    n_found = sum(words.issuperset(cell.split()) for row in rows for cell in row)
    n_whole = sum(sorted(" ".join(row).split()) in map(sorted, lines) for row in rows)
    return n_found, n_whole


@pytest.mark.parametrize("name", COMPARED)
def test_as_many_values_and_rows_are_whole_as_in_the_texts_of_others(name):
    pdfplumber = pytest.importorskip("pdfplumber")
    tables, data, *theirs = COMPARED[name]
    with pdfplumber.open(io.BytesIO(data)) as pdf:
        text = "\n".join(page.extract_text(layout=True) for page in pdf.pages)
    n_cells = sum(bool(cell) for table in tables for row in table for cell in row)
    ours = shares(text_of(data), tables)
    assert ours == (n_cells, sum(map(len, tables)))
    assert all(n >= other for n, other in zip(ours, shares(text, tables), strict=True))
    assert all(n >= other for n, other in zip(ours, theirs, strict=True))


@pytest.mark.parametrize("rows", [DEBIT, TOOLS])
def test_lines_and_columns_are_those_of_pdfplumber(rows):
    pdfplumber = pytest.importorskip("pdfplumber")
    xs = (40, 110, 230, 310, 390)[: len(rows[0])]
    data = placed_pdf(*placed(rows, xs))
    with pdfplumber.open(io.BytesIO(data)) as pdf:
        theirs = [
            line for line in pdf.pages[0].extract_text(layout=True).splitlines() if line.strip()
        ]
    ours = [line for line in text_of(data).splitlines() if line.strip()]
    assert [line.split() for line in ours] == [line.split() for line in theirs]
    assert cells_at("\n".join(ours), rows[0]) == cells_at("\n".join(theirs), rows[0])
